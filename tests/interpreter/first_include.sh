#!/usr/bin/env bash
# first_include.sh CLANG_REPL INCLUDE_DIR: prints how long a session waits for its first #include of core.hpp, the median
# of five beyond an empty session. Fails for a diagnostic, never for the time.
set -uo pipefail
repl=$1 include_dir=$2

if [[ $repl == *-NOTFOUND ]]; then
  echo "no clang-repl from 19 on"
  [[ -n ${CI:-} ]] && exit 1
  exit 77
fi

milliseconds() {  # of a session with that input
  local start=${EPOCHREALTIME//[.,]/}
  output+=$("$repl" -Xcc=-std=c++17 "-Xcc=-I$include_dir" <<< "$1" 2>&1)
  echo $(((${EPOCHREALTIME//[.,]/} - start) / 1000))
}
median() {
  for _ in 1 2 3 4 5; do milliseconds "$1"; done | sort -n | sed -n 3p
}

output=$("$repl" -Xcc=-std=c++17 "-Xcc=-I$include_dir" <<< '#include <tpuplan/core.hpp>' 2>&1)
if [[ -n $output ]]; then
  echo "$output"
  exit 1
fi
empty=$(median '')
with=$(median '#include <tpuplan/core.hpp>')
echo "core.hpp in $(basename "$repl"): $((with - empty)) ms after a start of $empty ms"
