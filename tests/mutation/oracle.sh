#!/usr/bin/env bash
# oracle.sh COMPILER SOURCE_DIR LIBRARIES TEST... MUTATED_INCLUDE_DIR: whether the tests pass with the changed header.
# tests/static/*.cpp are compiled, syntax alone; of tests/unit/*.cpp, the slower ones, Catch2 runs the cases. The first
# test that fails ends it.
set -uo pipefail
compiler=$1 source_dir=$2 libraries=$3
mutated=${!#}
tests=("${@:4:$#-4}")
common=(-std=c++17 -w "-I$mutated" "-I$source_dir/include" "-I$source_dir/tests")
work=$(dirname "$mutated")

for test in "${tests[@]}"; do
  case $test in
    static/*) $compiler "${common[@]}" -fsyntax-only "$source_dir/tests/$test" 2> "$work/errors" || exit 1 ;;
    *)
      main=$work/catch_main.o
      if [[ ! -e $main ]]; then
        $compiler -std=c++17 -w -O0 "-I$source_dir/tests" -c "$source_dir/tests/support/catch_main.cpp" -o "$main" || exit 0
      fi
      $compiler "${common[@]}" -O0 "-DTPUPLAN_DATA_DIR=\"$source_dir/data\"" \
        "-DTPUPLAN_TESTS_DIR=\"$source_dir/tests\"" "$source_dir/tests/$test" "$main" -o "$work/test" $libraries \
        2> "$work/errors" || exit 1
      timeout 60 "$work/test" > "$work/output" 2>&1 || exit 1
      ;;
  esac
done
