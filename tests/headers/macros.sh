#!/usr/bin/env bash
# macros.sh COMPILER STANDARD SOURCE_DIR: the headers after the macros that <windows.h> defines. And every header is in the
# namespace of units without exceptions where there are none: error.hpp, which names it, comes before.
set -uo pipefail
compiler=$1 standard=$2 source_dir=$3
command=("$compiler" "-std=$standard" "-I$source_dir/include" -fsyntax-only -x c++ -)
words=$'#define near\n#define far\n#define NEAR\n#define FAR\n#define small char\n#define interface struct\n#define IN\n#define OUT\n'
functions=$'#define min(a, b) (((a) < (b)) ? (a) : (b))\n#define max(a, b) (((a) > (b)) ? (a) : (b))\n'

failed=0
for header in core tpuplan json ask launch; do
  "${command[@]}" <<< "$words#include <tpuplan/$header.hpp>" || { echo "FAIL $header"; failed=1; }
done
"${command[@]}" <<< "$functions#include <tpuplan/tpuplan.hpp>" || { echo "FAIL min and max"; failed=1; }

while IFS= read -r header; do
  [[ $header == */tpuplan/base/error.hpp ]] && continue
  echo "FAIL $header includes no header of the library before its names"
  failed=1
done < <(grep -rlE '^inline namespace abi_0' "$source_dir/include" | xargs grep -L '^ *#include <tpuplan/')
exit $failed
