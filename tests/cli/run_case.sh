#!/usr/bin/env bash
# run_case.sh PROGRAM STATUS PATTERN ARGUMENT...: the program must exit with the status, and print what matches.
# Errors belong on standard error, answers on standard output: with status 2 nothing may stand on the latter.
set -u
program=$1 status=$2 pattern=$3
shift 3
out=$("$program" "$@" 2>/tmp/tpuplan_cli_errors.$$)
got=$?
errors=$(cat /tmp/tpuplan_cli_errors.$$)
rm -f /tmp/tpuplan_cli_errors.$$
if [[ $got -ne $status ]]; then
  printf 'exit status %s instead of %s\n%s\n%s\n' "$got" "$status" "$out" "$errors"
  exit 1
fi
text=$out
if [[ $status -eq 1 && -z $out ]]; then text=$errors; fi  # refused as infeasible
if [[ $status -eq 2 ]]; then
  text=$errors
  if [[ -n $out ]]; then
    printf 'an error wrote to standard output:\n%s\n' "$out"
    exit 1
  fi
fi
# One line, so that a pattern can span several.
if ! tr '\n' ' ' <<<"$text" | grep -qE -e "$pattern"; then
  printf 'no match for %s in:\n%s\n' "$pattern" "$text"
  exit 1
fi
