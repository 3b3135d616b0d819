#!/usr/bin/env bash
# completion.sh PROGRAM DATA WORK: what bash offers at the end of a line, before and after the command.
set -u
program=$1
eval "$("$program" completion bash)" || exit 1
failed=0
# expect LINE WORD...: the words are offered for the last word of the line, in any order; "none" is no word at all.
expect() {
  local line=$1
  shift
  read -ra COMP_WORDS <<<"$line"
  [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _tpuplan
  local offered=" ${COMPREPLY[*]} " word
  [[ $* == none && -n ${COMPREPLY[*]} ]] && { printf '%s: offers%s\n' "$line" "$offered"; failed=1; }
  [[ $* == none ]] && return
  for word in "$@"; do
    [[ $offered == *" $word "* ]] || { printf '%s: %s is not among%s\n' "$line" "$word" "$offered"; failed=1; }
  done
}
expect "tpuplan pl" plan
expect "tpuplan " plan serve launch doctor
expect "tpuplan --js" --json
expect "tpuplan --json pl" plan
expect "tpuplan --json --data-dir data pl" plan
expect "tpuplan --data-dir da" none
expect "tpuplan plan --dead" --deadline
expect "tpuplan --json plan --dead" --deadline
expect "tpuplan --data-dir data launch --mach" --machine-type
expect "tpuplan plan data/mo" none
expect "tpuplan plan --deadline 3" none
exit $failed
