#!/usr/bin/env bash
# tables.sh PROGRAM DATA WORK: no table is wider than the terminal, which has 80 columns unless it says more; csv is
# one table of numbers with as many fields in each row as titles; --rows shows so many.
set -u
program=$1 data=$2
failed=0
while IFS= read -r question; do
  read -ra arguments <<<"$question"
  for wide in 80 120; do
    # Tables stand between a line of titles and an empty line; sentences may be longer than a table.
    longest=$(COLUMNS=$wide "$program" "${arguments[@]}" | grep -E '^  .{2,}  [^ ]' | grep -v -E 'next:|: .* of |--' |
      awk '{ gsub(/[^\x01-\x7f]+/, "?"); if (length($0) > most) { most = length($0); line = $0 } } END { print most + 0, line }')
    if ((${longest%% *} > wide)); then
      echo "COLUMNS=$wide tpuplan $question: $longest"
      failed=1
    fi
  done
  fields=$("$program" "${arguments[@]}" --csv | awk -F, '
    { gsub(/"[^"]*"/, "words") }
    !titles { titles = NF; next }
    NF != titles { print; exit }
    /(^|,)~?[$]?[0-9.]+k?( (ms|s|min|GiB|%|hours|days))(,|$)|(^|,)~?[$][0-9.]+k?(,|$)/ { print "no number: " $0; exit }')
  if [[ -n $fields ]]; then
    echo "tpuplan $question --csv: $fields"
    failed=1
  fi
done <<EOF
plan $data/models/llama-3.1-8b.json --tokens 1T
plan $data/models/llama-3.1-8b.json --tokens 1T --provisioning all --explain
plan $data/models/llama-3.1-8b.json --serve --rate 40
train $data/models/llama-3.1-8b.json --slice v5p-128 --tokens 1T
fit $data/models/llama-3.1-70b.json --slice v5p-128
serve $data/models/llama-3.1-8b.json --slice v6e-8
serve $data/models/llama-3.1-8b.json --slice v6e-4 --rate 8 --ttft-p99 1s
plan $data/models/llama-3.1-8b.json --serve --rate 40 --generation v6e --ttft-p99 1s
plan $data/models/llama-3.1-8b.json --serve --rate 40 --best-per-generation --gpu all
simulate $data/models/llama-3.1-8b.json --slice v6e-4 --rate 8 --ttft-p99 1s
simulate $data/models/llama-3.1-8b.json --slice v6e-1 --day $(dirname "$0")/plans/day.csv --ttft-p99 2s --output-len 32
pay --slice v6e-8 --run 10d
spot --work 10h
chips
chips v5e
slices --generation v5p
batch v6e
model $data/models/deepseek-v3.json
EOF
for rows in 1 3 12; do
  lines=$("$program" plan "$data/models/llama-3.1-8b.json" --tokens 1T --rows $rows --csv | wc -l)
  ((lines == rows + 1)) || { echo "--rows $rows: $lines lines"; failed=1; }
done
exit $failed
