#!/usr/bin/env bash
# commands.sh SOURCE_DIR WORK_DIR PROGRAM baseline|judge RESULTS NUMBER...
#
# The cases of tests/cli (cases.txt and door.txt), and the commands of README.md and docs/ with what they print there,
# with the program that has switches. `baseline` runs each without a change and keeps which places it reaches; `judge`
# runs for each change the cases that reach it, until one fails.
set -uo pipefail
source_dir=$1 work=$2 program=$3 what=$4
tests=$source_dir/tests/cli
record=$work/commands

# run LINE: whether the case of that line passes.
run() {
  local name status rest pattern
  read -r name status rest <<< "$1"
  if [[ $name == page ]]; then
    timeout 300 bash "$source_dir/tests/readme/check_page.sh" "$source_dir/$status" "$source_dir" "" "$program" \
      "$work/pages.$BASHPID" > /dev/null 2>&1
    return
  fi
  pattern=${rest#/}
  pattern=${pattern%/ *}
  rest=${1##*"$pattern/ "}
  rest=${rest//\{data\}/$source_dir/data}
  rest=${rest//\{bad\}/$tests/bad}
  rest=${rest//\{plans\}/$tests/plans}
  local arguments=()
  mapfile -t arguments < <(xargs printf '%s\n' <<< "$rest")
  timeout 60 bash "$tests/run_case.sh" "$program" "$status" "$pattern" "${arguments[@]}" > /dev/null 2>&1
}
cases() {
  sed -E '/^#/d; /^$/d' "$tests/cases.txt" "$tests/door.txt"
  (cd "$source_dir" && ls README.md docs/*.md) | grep -v notebooks | sed 's/^/page /'
}

if [[ $what == baseline ]]; then
  rm -rf "$record"
  mkdir -p "$record"
  cases > "$work/cases"
  number=0 failed=0
  while read -r line; do
    ((++number))
    TPUPLAN_MUTATION_RECORD=$record/$number run "$line" || { rm -f "$record/$number"; ((++failed)); }
  done < "$work/cases"
  echo "$number commands, of which $failed fail without a change"
  exit
fi

results=$5
shift 5
ulimit -v 8388608
for number in "$@"; do
  mapfile -t reaching < <(cd "$record" && grep -lx "$number" -- * | sort -n)
  said=reached
  if ((${#reaching[@]} == 0)); then
    (cd "$record" && grep -qx "${number}v" -- *) || continue
    said=void
  fi
  for at in "${reaching[@]}"; do
    line=$(sed -n "${at}p" "$work/cases")
    TPUPLAN_MUTATION=$number run "$line" || { said="killed"; break; }
  done
  if [[ $said == killed ]]; then echo "killed $number ${line%% *}"; else echo "$said $number"; fi
done > "$results"
