#!/usr/bin/env bash
# check_accuracy.sh README PROGRAM MEASURED: the accuracy that README.md states is what the program finds. Each row of
# its tables has median and 90th percentile in cells; the program prints them behind a label and a count. The nested
# choice of terms, which takes minutes, is in benchmarks/NOTES.md too, and the two must agree.
set -uo pipefail
readme=$1 program=$2 measured=$3
failed=0
left_out=$("$program" validate "$measured" --leave-out-family) || exit 1
in_sample=$("$program" validate "$measured") || exit 1

# expect OUTPUT LABEL ROW: the numbers behind the label are those in the README's row.
expect() {
  local found row
  found=$(sed -nE "s/^ *$2 +([0-9]+) +([0-9.]+ %) +([0-9.]+ %).*/\2 \3/p" <<<"$1" | head -1)
  row=$(grep -F "| $3 |" "$readme" | tr -d '*' | grep -oE '[0-9.]+ %' | head -2 | tr '\n' ' ' | sed 's/ $//')
  if [[ -z $found || $found != "$row" ]]; then
    echo "README.md says '$row' of $3, the program '$found'"
    failed=1
  fi
}
expect "$left_out" tpuplan '**tpuplan, family left out**'
expect "$in_sample" tpuplan 'tpuplan, shipped constants'
expect "$left_out" 'MFU per generation' 'MFU per generation, median of the other families'
expect "$left_out" 'one MFU' 'one MFU, median of the other families'
expect "$left_out" roofline 'roofline, recomputation counted'
expect "$left_out" decode 'decode, each step or token timed'
expect "$left_out" prefill 'prefill'
expect "$left_out" 'engines by the rate of full batches' 'rates of saturated engines, in no fit'

nested=$(grep -F '| terms chosen by the other families |' "$(dirname "$readme")/benchmarks/NOTES.md" |
  grep -oE '[0-9.]+ %' | head -2 | tr '\n' ' ')
stated=$(grep -F '| **tpuplan, and the choice of terms too** |' "$readme" | grep -oE '[0-9.]+ %' | tr '\n' ' ')
[[ -n $nested && $nested == "$stated" ]] || { echo "README.md says '$stated' of nested terms, the notes '$nested'"; failed=1; }

# "yes" and "uncertain" of what fitted, "no" and "uncertain" of what did not, over the rows at the end.
verdicts=$(awk '/memory records that fit/ { yes += $5; maybe += $6 } /training runs that completed/ { yes += $5; maybe += $6 }
  /memory records that do not/ { no += $8; perhaps += $7 }
  END { printf "%d records and runs fitted: \"yes\" for %d, \"uncertain\" for %d. Only %d did not fit: \"no\" for %d, \"uncertain\" for %d.",
        yes + maybe, yes, maybe, no + perhaps, no, perhaps }' <<<"$left_out")
grep -qF "$verdicts" "$readme" || { echo "README.md does not say: $verdicts"; failed=1; }
exit $failed
