#!/usr/bin/env bash
# run.sh PROGRAM SECONDS FOUND_DIR CORPUS...: every input of the corpora, then that many seconds of inputs made up from
# them. Inputs that reach new code are kept in FOUND_DIR, and so is one that fails: it belongs into the kept corpus once
# the defect is mended.
set -uo pipefail
program=$1 seconds=$2 found=$3/$(basename "$1")
shift 3
if [[ ! -x $program ]]; then
  echo "clang++-16 with libFuzzer (libclang-rt-16-dev) is not installed: skipped"
  exit 77
fi
mkdir -p "$found"
options=(-timeout=25 -max_len=8192 -artifact_prefix="$found-" -print_final_stats=1 -verbosity=0)
"$program" "${options[@]}" -runs=0 "$@" || exit 1
"$program" "${options[@]}" -max_total_time="$seconds" "$found" "$@"
