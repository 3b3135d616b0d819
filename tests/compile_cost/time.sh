#!/usr/bin/env bash
# time.sh COMPILER INCLUDE_DIR: processor time of including core.hpp against <vector> and <string>, taken in turns, medians
# of five. The goal is a ratio of at most 0.85. It is printed and never fails: clocks differ.
set -euo pipefail
compiler=$1 include_dir=$2

if [[ $compiler == *-NOTFOUND ]]; then
  echo "no g++"
  exit 77
fi

milliseconds() {
  local TIMEFORMAT='%U %S'
  { time "$compiler" -std=c++17 -fsyntax-only "-I$include_dir" -x c++ - <<< "$1"; } 2>&1 | awk '{ print ($1 + $2) * 1000 }'
}
median() { sort -n | sed -n 3p; }

core=() standard=()
for _ in 1 2 3 4 5; do
  core+=("$(milliseconds '#include <tpuplan/core.hpp>')")
  standard+=("$(milliseconds $'#include <vector>\n#include <string>')")
done
core_median=$(printf '%s\n' "${core[@]}" | median)
standard_median=$(printf '%s\n' "${standard[@]}" | median)
awk -v core="$core_median" -v standard="$standard_median" 'BEGIN {
  printf "core.hpp %d ms, <vector> and <string> %d ms: ratio %.2f, goal 0.85\n", core, standard, core / standard
}'
