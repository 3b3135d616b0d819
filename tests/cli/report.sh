#!/usr/bin/env bash
# report.sh PROGRAM DATA WORK: --html writes one file of well-formed XML with the question, pictures, assumptions and
# prices, beside the same text or JSON as without it; names in a config.json stay names.
set -u
program=$1 data=$2 folder=$3/report
rm -rf "$folder" && mkdir -p "$folder" || exit 1
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}
hostile='</td><script>alert(1)</script>'
sed "s|^{|{\"_name_or_path\": \"x/<b>$hostile\",|" "$data/models/llama-3.1-8b.json" >"$folder/$(tr -d / <<<"$hostile").json"
hostile_file=$(echo "$folder"/*.json)
check() {  # check PATTERN ARGUMENTS...: the report has these words
  local pattern=$1 file=$folder/report.html
  shift
  rm -f "$file"
  [[ $("$program" "$@" 2>&1) == "$("$program" "$@" --html "$file" 2>&1)" ]] || fail "another answer with --html: $*"
  [[ -s $file ]] || { fail "no report: $*"; return; }
  for words in "$pattern" '<h2>Question</h2>' '<pre>tpuplan ' '<h2>Assumed</h2>' '<h2>Sources</h2>' '<svg ' '</html>'; do
    grep -qF -- "$words" "$file" || fail "no $words in the report of: $*"
  done
  ! grep -qiE '<script|<b>|href=|src=|style=' "$file" || fail "markup of a name in the report of: $*"
  if [[ -x /usr/bin/python3 ]]; then
    /usr/bin/python3 -c 'import sys, xml.etree.ElementTree as x; x.parse(sys.argv[1])' "$file" || fail "not well-formed: $*"
  fi
}
for model in "$data/models/llama-3.1-8b.json" "$hostile_file"; do
  check 'part of a step' train "$model" --slice v6e-256 --tokens 1T
  check 'largest batch' --json fit "$model" --slice v6e-16
  check 'output tokens/s' serve "$model" --slice v6e-8
  check 'Train on v6e-' plan "$model" --tokens 1T --generation v6e --provisioning spot --deadline 31d
  for words in '<h2>What could go wrong</h2>' '<h2>Where the money goes</h2>' '<h2>Alternatives</h2>' \
    '<h2>What the cost depends on</h2>' '<h2>Prices</h2>' 'The chance to be done within 31.0 days is ' 'paid spot in us' \
    'where a slice lasts 4.00 hours' '@media print'; do
    grep -qF -- "$words" "$folder/report.html" || fail "no $words in the report of a plan"
  done
  for words in 'nine of ten runs cost at most $' 'waits for capacity, not paid' 'from start to end'; do
    grep -qF -- "$words" "$folder/report.html" || fail "no $words in the report of a plan"
  done
  if [[ -x /usr/bin/chromium ]]; then  # a report for who pays fits on two pages
    timeout 60 /usr/bin/chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --user-data-dir="$folder/browser" \
      --print-to-pdf="$folder/report.pdf" "$folder/report.html" >/dev/null 2>&1
    pages=$(grep -ac '/Type */Page\b' "$folder/report.pdf")
    [[ $pages == 1 || $pages == 2 ]] || fail "the report of a plan has $pages pages in print"
  fi
  check 'prompts of' plan "$model" --serve --rate 10 --generation v6e --max-chips 32 --rows 2
  for words in 'first token</th>' 'each token</th>' 'between</th>' 'million out</th>' 'an hour</th>' 'more than the best' \
    'on_demand'; do
    grep -qF -- "$words" "$folder/report.html" || fail "no $words in the report of a plan for serving"
  done
  check '1 replica' simulate "$model" --slice v6e-8 --rate 4 --requests 400
done
"$program" fit "$data/models/llama-3.1-8b.json" --slice v6e-16 --html /nowhere/at.html >/dev/null 2>"$folder/error" &&
  fail "a report that cannot be written"
grep -q -- '--html is /nowhere/at.html; valid: a file that can be written' "$folder/error" || fail "$(cat "$folder/error")"
"$program" train "$data/networks/mlp-784-128-10.json" --slice v5e-8 --html "$folder/net.html" >/dev/null 2>"$folder/error"
[[ $? == 2 ]] && grep -q -- '--html is given for a network of layers' "$folder/error" || fail "$(cat "$folder/error")"
rm -rf "$folder"
exit $failed
