#!/usr/bin/env bash
# price.sh GENERATOR COMPILER ROOT FOLDER: a price is added to a copy of the tree, as docs/change.md says: a row in
# data/prices.json. The table is generated from it, and price.cpp asks the copy for it.
set -eu
generate=$1 compiler=$2 root=$3 copy=$4/price
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$root/data" "$copy"
source "$here/insert.sh"
insert rows "$copy/data/prices.json" "$here/price.json"
if stale=$("$generate" --check "$copy" 2>&1); then
  echo "a new price, an old table: --check did not notice" && exit 1
fi
case $stale in *include/tpuplan/cost/price_table.hpp*) ;; *) echo "not named: $stale" && exit 1 ;; esac
"$generate" "$copy"
"$generate" --check "$copy"
"$compiler" -std=c++17 -fsyntax-only -Wall -Wextra -Werror -I"$copy/include" "$here/price.cpp"
