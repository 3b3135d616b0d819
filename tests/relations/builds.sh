#!/usr/bin/env bash
# builds.sh SOURCE WORK RELATIONS LIBRARY: the library as the build has it (libtpuplan.a, with the program in it), as g++
# builds it with FMA, and as clang does, gives the same choices and figures. A compiler or an instruction set that is
# not there is passed over, but not all of them.
set -uo pipefail
source=$1 work=$2 relations=$3 library=$4
mkdir -p "$work" && cd "$work" || exit 1
"$relations" --draw 300 >questions || exit 1
flags=(-std=c++17 "-I$source/include" "-I$source/tools")
lines=$source/tests/ask/ask_lines.cpp
g++ "${flags[@]}" "$lines" "$library" -lfmt -o plain && ./plain <questions >plain.answers || exit 1

declare -A built
build() {  # NAME COMPILER OPTION...
  "${@:2}" -O1 "${flags[@]}" "$source/tools/capi/capi.cpp" "$lines" -o "$1" &
  built[$1]=$!
}
fma=()
if grep -qw fma /proc/cpuinfo; then fma=(-mfma -ffp-contract=fast); fi
if [[ $(uname -m) == aarch64 ]]; then build gcc-no-fma g++ -ffp-contract=off; fi
if ((${#fma[@]} > 0)); then build gcc-fma g++ "${fma[@]}"; fi
for clang in clang++-19 clang++-16 clang++-14 clang++; do
  command -v "$clang" >/dev/null || continue
  build clang-fma "$clang" "${fma[@]}"
  break
done
((${#built[@]} > 0)) || { echo "no other build could be made"; exit 1; }
failed=0
for name in "${!built[@]}"; do
  wait "${built[$name]}" && "./$name" <questions >"$name.answers" &&
    "$relations" --compare questions plain.answers "$name.answers" || failed=1
done
exit $failed
