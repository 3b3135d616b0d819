#!/usr/bin/env bash
# same_choices.sh INCLUDE JSON_INCLUDE MODELS COMPILER...: builds serving_choices.cpp with the first compiler without and
# with fused multiply-add, and with each other one with it, and compares what all of them choose for these models. Exits
# with 77, which skips the test, where this processor has no such instruction.
set -euo pipefail
include=$1 json=$2 models=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
grep -qw fma /proc/cpuinfo 2>/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
first=
for compiler in "$@"; do
  for flags in "-ffp-contract=off" "-march=haswell -ffp-contract=fast"; do
    [[ $flags == *off && -n $first ]] && continue
    # shellcheck disable=SC2086  # flags are words
    "$compiler" -std=c++17 -O1 $flags -I"$include" ${json:+-I"$json"} "$here/serving_choices.cpp" -o "$folder/choices"
    "$folder/choices" "$models" > "$folder/now"
    if [ -z "$first" ]; then
      first="$compiler $flags"
      mv "$folder/now" "$folder/first"
      [ "$(wc -l < "$folder/first")" -gt 10000 ]
    elif ! diff "$folder/first" "$folder/now" > "$folder/differences"; then
      echo "$(grep -c '^<' "$folder/differences") choices of $first are not those of $compiler $flags, such as"
      head -n 20 "$folder/differences"
      exit 1
    fi
  done
done
