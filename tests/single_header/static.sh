#!/usr/bin/env bash
# static.sh COMPILER HEADER WORK_DIR SOURCE_DIR TEST...: clang compiles static tests with the single header in front of
# them, parsed once.
set -euo pipefail
compiler=$1 header=$2 precompiled=$3/single_header.pch source_dir=$4
command=("$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Werror "-I$source_dir/include" "-I$source_dir/tests")
"${command[@]}" -x c++-header "$header" -o "$precompiled"
"${command[@]}" -include-pch "$precompiled" -fsyntax-only "${@:5}"
echo "$(($# - 4)) files"
