#!/usr/bin/env bash
# instructions.sh COMPILER VALGRIND INCLUDE_DIR WORK_DIR: instructions that g++ 12 takes for the syntax of core.hpp and of
# tpuplan.hpp, preprocessed, against those for <vector> and <string>. Fails where one is over its budget. Without g++ 12
# or valgrind it is skipped, unless the environment variable CI is set.
set -euo pipefail
compiler=$1 valgrind=$2 include_dir=$3 work_dir=$4

for program in "$compiler" "$valgrind"; do
  if [[ ! -x $program ]]; then
    echo "g++-12 or valgrind is not installed"
    if [[ -n ${CI:-} ]]; then exit 1; else exit 77; fi
  fi
done

# The parameters of the garbage collector would else follow from the memory of the machine.
count() {
  local source=$work_dir/$1.ii header
  for header in "${@:2}"; do echo "#include <$header>"; done |
    "$compiler" -std=c++17 "-I$include_dir" -E -x c++ - -o "$source"
  "$valgrind" --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$("$compiler" -print-prog-name=cc1plus)" \
    -quiet -fpreprocessed -fsyntax-only -std=c++17 --param ggc-min-expand=100 --param ggc-min-heapsize=131072 -o /dev/null "$source" \
    2>&1 | tee "$work_dir/$1.log" | awk '/I +refs:/ { gsub(",", "", $NF); print $NF }'
  if grep -q 'error:' "$work_dir/$1.log"; then
    echo "$1 does not compile: $work_dir/$1.log" >&2
    exit 1
  fi
}

standard=$(count standard vector string)
core=$(count core tpuplan/core.hpp)
all=$(count tpuplan tpuplan/tpuplan.hpp)
awk -v standard="$standard" -v core="$core" -v all="$all" '
  function line(name, instructions, budget) {
    printf "%-12s %5.0f million instructions, %.3f of <vector> and <string>, budget %.2f\n", name, instructions / 1e6,
           instructions / standard, budget
    if (!(instructions > 0 && instructions <= budget * standard)) over = 1
  }
  BEGIN { line("core.hpp", core, 1.385); line("tpuplan.hpp", all, 4.21); exit over || !(standard > 0) }
'
