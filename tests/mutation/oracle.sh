#!/usr/bin/env bash
# oracle.sh COMPILER SOURCE_DIR LIBRARIES TEST... MUTATED_INCLUDE_DIR: whether the tests pass with the changed header.
# tests/static/*.cpp are compiled, syntax alone; of the others, the slower ones, Catch2 runs the cases. The first test
# that fails ends it. What the tests include besides the library is compiled once.
set -uo pipefail
compiler=$1 source_dir=$2 libraries=$3
mutated=${!#}
tests=("${@:4:$#-4}")
work=$(dirname "$mutated")
common=(-std=c++17 -w "-I$mutated" "-I$source_dir/include" "-I$source_dir/tests")
unit=(-O0 "-DTPUPLAN_DATA_DIR=\"$source_dir/data\"" "-DTPUPLAN_TESTS_DIR=\"$source_dir/tests\"")

if [[ ! -e $work/catch_main.o ]]; then
  printf '#include <%s>\n' support/catch.hpp fstream functional map nlohmann/json.hpp optional set sstream string vector \
    > "$work/others.hpp"
  $compiler "${common[@]}" "${unit[@]}" -x c++-header "$work/others.hpp" -o "$work/others.hpp.gch" || exit 0
  $compiler -std=c++17 -w -O0 "-I$source_dir/tests" -c "$source_dir/tests/support/catch_main.cpp" \
    -o "$work/catch_main.o" || exit 0
fi

for test in "${tests[@]}"; do
  case $test in
    static/*) $compiler "${common[@]}" -fsyntax-only "$source_dir/tests/$test" 2> "$work/errors" || exit 1 ;;
    *)
      $compiler "${common[@]}" "${unit[@]}" -include "$work/others.hpp" "$source_dir/tests/$test" \
        "$work/catch_main.o" -o "$work/test" $libraries 2> "$work/errors" || exit 1
      timeout 60 "$work/test" > "$work/output" 2>&1 || exit 1
      ;;
  esac
done
