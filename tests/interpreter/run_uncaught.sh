#!/usr/bin/env bash
# run_uncaught.sh CLANG_REPL INCLUDE_DIR: an exception that no cell catches shows its message before clang-repl ends.
set -u  # not pipefail: clang-repl ends by abort()
repl=$1 include_dir=$2

if [[ $repl == *-NOTFOUND ]]; then
  echo "no clang-repl from 19 on"
  [[ -n ${CI:-} ]] && exit 1
  exit 77
fi

ulimit -c 0
printf '%s\n' '#include <tpuplan/core.hpp>' 'auto wrong = tpuplan::slice_for("v5e-24");' |
  "$repl" -Xcc=-std=c++17 "-Xcc=-I$include_dir" 2>&1 | grep -F 'what():  tpuplan: slice is v5e-24; valid: v5litepod-16'
