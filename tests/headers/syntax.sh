#!/usr/bin/env bash
# syntax.sh COMPILER STANDARD SOURCE_DIR PART: the syntax of headers, each by itself and included twice, warnings as
# errors. PART is core (all rooms up to plan/), outer (the doors of those below it), or all, which takes every header and
# the static tests too.
set -uo pipefail
compiler=$1 standard=$2 source_dir=$3 part=$4
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast -Wshadow -Wundef -Wdouble-promotion -Werror)
command=("$compiler" "-std=$standard" -fsyntax-only "${warnings[@]}" "-I$source_dir/include" "-I$source_dir/tests")

outer='^tpuplan/(ask|json|launch|read|reflect|show)[/.]'
headers() {
  cd "$source_dir/include" || exit 1
  case $part in
    core) find tpuplan -name '*.hpp' | grep -vE "$outer" ;;
    outer) find tpuplan -name '*.hpp' | grep -E '^tpuplan/((ask|json|launch|reflect)|(read|show)/[a-z_]+)[.]hpp$' ;;
    all) find tpuplan -name '*.hpp' ;;
  esac | sort
}

failed=0 files=0
while IFS= read -r header; do
  files=$((files + 1))
  "${command[@]}" -x c++ - <<< "#include <$header>"$'\n'"#include <$header>" || { echo "FAIL $header"; failed=1; }
done < <(headers)
while [[ $part == all ]] && IFS= read -r test; do
  files=$((files + 1))
  "${command[@]}" "$test" || { echo "FAIL $test"; failed=1; }
done < <(find "$source_dir/tests/static" -name '*.cpp' | sort)
echo "$files files"
exit $((failed || files == 0))
