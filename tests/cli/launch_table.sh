#!/usr/bin/env bash
# launch_table.sh PROGRAM DATA WORK: every cell of the table in docs/launch.md, with what a user would give: one VM, one
# slice and two of the chip are written where the cell says so, and refused elsewhere with the reason, and with a target
# that can where one can.
set -u
program=$1 data=$2
declare -A one=([v2]=v2-8 [v3]=v3-8 [v4]=v4-8 [v5e]=v5litepod-8 [v5p]=v5p-8 [v6e]=v6e-4 [tpu7x]=tpu7x-8)
declare -A more=([v2]=v2-32 [v3]=v3-32 [v4]=v4-32 [v5e]=v5litepod-16 [v5p]=v5p-32 [v6e]=v6e-16 [tpu7x]=tpu7x-32)
declare -A zone=([v2]=us-central1-b [v3]=europe-west4-a [v4]=us-central2-b [v5e]=us-west4-a [v5p]=us-east5-a
  [v6e]=us-east5-a [tpu7x]=us-central1-c)
declare -A kind=(["on demand"]=on_demand [spot]=spot [flex-start]=flex_start [calendar]=calendar)
declare -A level=([none]=0 [VM]=1 [slice]=2 [slices]=3)
chips=(v2 v3 v4 v5e v5p v6e tpu7x)
failed=0 cells=0

# options TARGET CAPACITY CHIP SLICE: the options of the cell, in the array `given`.
options() {
  local target=$1 capacity=$2 chip=$3 name=$4 place=${zone[$3]}
  given=(--target "$target" --provisioning "$capacity" --slice "$name")
  [[ $target != skypilot ]] && given+=(--project my-project)
  case $target in
    vertex) given+=(--image a/b:1 --location "${place%-*}") ;;
    gke) given+=(--image a/b:1 --cluster pool --zone "$place") ;;
    gcluster | xpk) given+=(--image a/b:1 --cluster pool --zone "$place" --command "python3 a.py") ;;
    *) given+=(--zone "$place" --command "python3 a.py") ;;
  esac
  [[ $target == vertex && $capacity == calendar ]] && given+=(--zone "$place")
  [[ $capacity == spot ]] && given+=(--checkpoint gs://my-bucket/run)
  [[ $capacity == calendar ]] && given+=(--reservation mine)
  [[ $target == xpk && $name == v5litepod-8 ]] && given+=(--machine-type ct5lp-hightpu-4t)
}

# cell TARGET CAPACITY CHIP WORDS
cell() {
  local up_to=${level[$4]} at name count got status
  for at in 1 2 3; do
    name=${more[$3]} count=1
    [[ $at == 1 ]] && name=${one[$3]}
    [[ $at == 3 ]] && count=2
    options "$1" "$2" "$3" "$name"
    got=$("$program" launch "${given[@]}" --slices "$count" 2>&1)
    status=$?
    if ((at <= up_to)); then
      ((status == 0)) || { printf '%s, status %s: %s\n' "${given[*]} --slices $count" "$status" "$got"; failed=1; }
    else
      [[ $status == 2 && $got == "tpuplan: "*"; valid: "* ]] ||
        { printf '%s, status %s, not refused: %s\n' "${given[*]} --slices $count" "$status" "$got"; failed=1; }
      # The targets whose cell says that they can are named.
      [[ $at == 3 || ${given[*]} == *--machine-type* ]] && continue
      local other
      for other in ${able[$2,$3,$at]:-}; do
        [[ $other == xpk && $name == v5litepod-8 ]] && continue  # which is on two VMs there, by --machine-type
        [[ $got == *"; use "*"$other"* ]] || { printf '%s: %s is not named: %s\n' "${given[*]}" "$other" "$got"; failed=1; }
      done
    fi
  done
  ((cells += 1))
}

declare -A able=()
read_rows() {
  grep -E '^\| [a-z]+ \| (on demand|spot|flex-start|calendar) \|' "$data/../docs/launch.md"
}
trimmed() { sed -E 's/^ +| +$//g' <<<"$1"; }
for pass in 1 2; do
  while IFS='|' read -r _ target capacity rest; do
    target=$(trimmed "$target") capacity=${kind[$(trimmed "$capacity")]}
    IFS='|' read -ra words <<<"$rest"
    for i in "${!chips[@]}"; do
      word=$(trimmed "${words[i]}")
      [[ -z $word ]] && word=none
      if [[ $pass == 2 ]]; then
        cell "$target" "$capacity" "${chips[i]}" "$word"
        continue
      fi
      for at in 1 2; do
        ((${level[$word]} >= at)) && able[$capacity,${chips[i]},$at]+=" $target"
      done
    done
  done < <(read_rows)
done
((cells == 8 * 4 * 7)) || { printf '%s cells\n' "$cells"; failed=1; }
exit $failed
