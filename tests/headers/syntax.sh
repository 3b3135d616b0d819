#!/usr/bin/env bash
# syntax.sh COMPILER STANDARD SOURCE_DIR PART: the syntax of headers, each by itself and included twice, warnings as
# errors. PART is core (all but io/), io (its doors), or all, which takes the rooms of io/ and the static tests too.
set -uo pipefail
compiler=$1 standard=$2 source_dir=$3 part=$4
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast -Wshadow -Wundef -Wdouble-promotion -Werror)
command=("$compiler" "-std=$standard" -fsyntax-only "${warnings[@]}" "-I$source_dir/include" "-I$source_dir/tests")

headers() {
  cd "$source_dir/include" || exit 1
  case $part in
    core) find tpuplan -name '*.hpp' -not -path 'tpuplan/io/*' ;;
    io) find tpuplan/io -maxdepth 1 -name '*.hpp' ;;
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
