#!/usr/bin/env bash
# builds.sh SOURCE WORK RELATIONS: the library as g++ -O2 builds it with and without FMA, and as clang does with it, gives
# the same choices and figures. A compiler or an instruction set that is not there is passed over, but not all of them.
set -uo pipefail
source=$1 work=$2 relations=$3
mkdir -p "$work" && cd "$work" || exit 1
"$relations" --draw 300 >questions || exit 1
build() {  # NAME COMPILER OPTION...
  local name=$1
  shift
  "$@" -std=c++17 -I"$source/include" -I"$source/tools" "$source/tools/capi/capi.cpp" "$source/tests/ask/ask_lines.cpp" \
    -o "$name" && "./$name" <questions >"$name.answers"
}
build gcc g++ -O2 || exit 1
failed=0 compared=0
against() {
  build "$@" || { failed=1; return; }
  compared=$((compared + 1))
  "$relations" --compare questions gcc.answers "$1.answers" || failed=1
}
fma=()
if grep -qw fma /proc/cpuinfo; then fma=(-mfma -ffp-contract=fast); fi
if ((${#fma[@]} > 0)); then against gcc-fma g++ -O2 "${fma[@]}"; fi
if [[ $(uname -m) == aarch64 ]]; then against gcc-no-fma g++ -O2 -ffp-contract=off; fi
for clang in clang++-19 clang++-16 clang++-14 clang++; do
  command -v "$clang" >/dev/null || continue
  against clang-fma "$clang" -O2 "${fma[@]}"
  break
done
((compared > 0)) || { echo "no other build could be made"; exit 1; }
exit $failed
