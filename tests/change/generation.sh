#!/usr/bin/env bash
# generation.sh GENERATOR COMPILER ROOT FOLDER INCLUDE: a made-up generation is added to a copy of data/, as
# docs/change.md says: an object in hardware.json, and rows in slices.json. The tables of a copy of the headers are
# generated from them, and generation.cpp asks the copy about the new chip. INCLUDE is the folder of nlohmann_json.
set -eu
generate=$1 compiler=$2 root=$3 copy=$4/generation include=$5
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$root/data" "$copy"

source "$here/insert.sh"
insert generations "$copy/data/hardware.json" "$here/generation.json"
insert slices "$copy/data/slices.json" "$here/generation_slices.json"

"$generate" --check "$root"
if stale=$("$generate" --check "$copy" 2>&1); then
  echo "new data, old tables: --check did not notice" && exit 1
fi
for header in generations slice_table; do
  case $stale in
    *include/tpuplan/hardware/$header.hpp*) ;;
    *) echo "--check did not name $header.hpp: $stale" && exit 1 ;;
  esac
done
"$generate" "$copy"
"$generate" --check "$copy"

# A figure that is missing, or that no table has, is refused by name.
cp -r "$copy/data" "$copy/data.right"
sed -i 's/"clock_hz"/"clock"/' "$copy/data/hardware.json"
wrong=$("$generate" --check "$copy" 2>&1) && echo "a missing figure was not noticed" && exit 1
case $wrong in *'v2 has no "clock_hz"'*) ;; *) echo "not named: $wrong" && exit 1 ;; esac
rm -r "$copy/data" && mv "$copy/data.right" "$copy/data"
sed -i 's/"announced_year": {"value": 2031},/&"colour": {"value": 1},/' "$copy/data/hardware.json"
wrong=$("$generate" --check "$copy" 2>&1) && echo "a figure that no table has was not noticed" && exit 1
case $wrong in *tpu9z.colour*) ;; *) echo "not named: $wrong" && exit 1 ;; esac

"$compiler" -std=c++17 -O0 -Wall -Wextra -Werror -I"$copy/include" -idirafter "$include" "$here/generation.cpp" \
  -o "$copy/generation"
"$copy/generation"
