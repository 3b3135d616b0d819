#!/usr/bin/env bash
# check_accuracy.sh SOURCE_DIR PROGRAM [renew]: the accuracy that docs/accuracy.md and README.md state is what the
# program finds. Each row of the tables has median and 90th percentile in cells; the program prints them behind a label
# and a count. The nested choice of terms, which takes minutes, is in benchmarks/NOTES.md too, and the two must agree.
# With `renew` cells and sentences are rewritten instead.
set -uo pipefail
readme=$1/README.md page=$1/docs/accuracy.md notes=$1/benchmarks/NOTES.md program=$2 renew=${3:-}
measured=$1/data/measured/measured.json
failed=0
left_out=$("$program" validate "$measured" --leave-out-family) || exit 1
in_sample=$("$program" validate "$measured") || exit 1

# The median and the 90th percentile of the first row of a table with that label.
percentages() { grep -F "| $2 |" "$1" | head -1 | tr -d '*' | grep -oE '[0-9.]+ %' | head -2 | tr '\n' ' ' | sed 's/ $//'; }

# hold FOUND ROW: the row of the page has these two percentages.
hold() {
  local found=$1 row
  row=$(percentages "$page" "$2")
  [[ -n $found && $found == "$row" ]] && return
  if [[ -n $renew && -n $found && -n $row ]]; then
    LABEL="| $2 |" NEW=$found awk 'BEGIN { split(ENVIRON["NEW"], new, " ") }
      index($0, ENVIRON["LABEL"]) == 1 {
        match($0, /[0-9.]+ %/); head = substr($0, 1, RSTART - 1); rest = substr($0, RSTART + RLENGTH)
        match(rest, /[0-9.]+ %/)
        $0 = head new[1] " %" substr(rest, 1, RSTART - 1) new[3] " %" substr(rest, RSTART + RLENGTH)
      }
      { print }' "$page" >"$page.new" && cat "$page.new" >"$page" && rm "$page.new"
  else
    echo "docs/accuracy.md says '$row' of $2, found was '$found'"
    failed=1
  fi
}
# say PAGE SENTENCE: the page has this sentence.
say() { grep -qF "$2" "$1" || { echo "$1 does not say: $2"; failed=1; }; }
# expect OUTPUT LABEL ROW: the numbers behind the label are those in the page's row.
# So is the number of records, where the row has one.
expect() {
  local count found
  read -r count found < <(sed -nE "s/^ *$2 +([0-9]+) +([0-9.]+ %) +([0-9.]+ %).*/\1 \2 \3/p" <<<"$1" | head -1)
  hold "$found" "$3"
  [[ -z $renew ]] || sed -i -E "s/^(\| ${3//\*/\\*} \| )[0-9]+ \|/\1$count |/" "$page"
  ! grep -qE "^\| ${3//\*/\\*} \| [0-9]+ \|" "$page" || say "$page" "| $3 | $count |"
}
expect "$left_out" tpuplan '**tpuplan, family left out**'
expect "$in_sample" tpuplan 'tpuplan, shipped constants'
expect "$left_out" 'MFU per generation' 'MFU per generation, median of the other families'
expect "$left_out" 'one MFU' 'one MFU, median of the other families'
expect "$left_out" roofline 'roofline, recomputation counted'
expect "$left_out" decode 'decode, each step or token timed'
expect "$left_out" prefill 'prefill'
expect "$left_out" 'engines by the rate of full batches' 'rates of saturated engines'
hold "$(percentages "$notes" 'terms chosen by the other families')" '**tpuplan, and the choice of terms too**'

# state PAGE SENTENCE: the page has this sentence; with `renew` it takes the place of one that differs in its numbers.
state() {
  [[ -z $renew ]] || sed -i -E "s|$(sed -E 's/[][().*?+{}^$|\\]/\\&/g; s/[0-9]+(\\\.[0-9]+)?/[0-9]+(\\.[0-9]+)?/g' <<<"$2")|$2|" "$1"
  say "$1" "$2"
}
median=$(percentages "$page" '**tpuplan, family left out**')
state "$readme" "median error of ${median%% %*} %"

# The figures of the first row of a table with that label: runs, sources, median error and 90th percentile.
of_sources() { grep -F "| $1 |" "$page" | head -1 | awk -F ' *[|] *' '{ gsub(/ %/, ""); gsub(/[*]/, ""); print $3, $4, $5, $6 }'; }
read -r runs sources middle most < <(of_sources '**all but the last**')
read -r _ _ untold untold_most < <(grep -F '| **all but the last** |' "$page" | sed -n 2p | awk -F ' *[|] *' '{ gsub(/ %/, ""); print $3, $4, $5, $6 }')
read -r dense_runs dense_sources dense dense_most < <(of_sources 'dense decode')
read -r expert_runs expert_sources expert expert_most < <(of_sources 'MoE decode')
read -r prefill_runs prefill_sources prefill prefill_most < <(of_sources 'prefill, dense and MoE')
state "$readme" "$middle and $most % for training ($runs runs of $sources sources), $dense and $dense_most % for dense decode \
($dense_runs of $dense_sources), $expert and $expert_most % for decode of mixtures of experts ($expert_runs of \
$expert_sources) and $prefill and $prefill_most % for prefill ($prefill_runs of $prefill_sources)"
state "$readme" "Training whose software nobody names is off by $untold and $untold_most %"

# "yes" and "uncertain" of what fitted, "no" and "uncertain" of what did not, over the rows at the end.
state "$page" "$(awk '/memory records that fit/ { yes += $5; maybe += $6 } /training runs that completed/ { yes += $5; maybe += $6 }
  /memory records that do not/ { no += $8; perhaps += $7 }
  END { printf "%d records and runs fitted: \"yes\" for %d, \"uncertain\" for %d. Only %d did not fit: \"no\" for %d, \"uncertain\" for %d.",
        yes + maybe, yes, maybe, no + perhaps, no, perhaps }' <<<"$left_out")"
exit $failed
