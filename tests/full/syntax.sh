#!/usr/bin/env bash
# syntax.sh COMPILER STANDARD SOURCE_DIR: the syntax of every header by itself and of every static test, warnings as errors.
set -uo pipefail
compiler=$1 standard=$2 source_dir=$3
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast -Wshadow -Wundef -Wdouble-promotion -Werror)
command=("$compiler" "-std=$standard" -fsyntax-only "${warnings[@]}" "-I$source_dir/include" "-I$source_dir/tests")

failed=0 files=0
while IFS= read -r header; do
  files=$((files + 1))
  "${command[@]}" -x c++ - <<< "#include <$header>" || { echo "FAIL $header"; failed=1; }
done < <(cd "$source_dir/include" && find tpuplan -name '*.hpp' | sort)
while IFS= read -r test; do
  files=$((files + 1))
  "${command[@]}" "$test" || { echo "FAIL $test"; failed=1; }
done < <(find "$source_dir/tests/static" -name '*.cpp' | sort)
echo "$files files"
exit "$failed"
