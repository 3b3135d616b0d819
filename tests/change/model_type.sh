#!/usr/bin/env bash
# model_type.sh GENERATOR COMPILER ROOT FOLDER INCLUDE: a model type like Llama is added to a copy of the tree, as
# docs/change.md says: its defaults in data/hf_defaults.json, a row in read/hf/language.hpp and a checkpoint in
# data/checkpoints.json. The table is generated, and model_type.cpp reads models of that type. INCLUDE is the folder of
# nlohmann_json.
set -eu
generate=$1 compiler=$2 root=$3 copy=$4/model_type include=$5
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$root/data" "$copy"
source "$here/insert.sh"
insert checkpoints "$copy/data/checkpoints.json" "$here/model_type_checkpoint.json"

# Defaults: those of Llama with another vocabulary.
awk '{ print }
  /^  "llama": \{/ { sub(/"llama"/, "\"made_up\""); sub(/"vocab_size": [0-9]+/, "\"vocab_size\": 1000"); print; found = 1 }
  END { exit !found }' "$root/data/hf_defaults.json" >"$copy/data/hf_defaults.json"

# A row, and the number of rows.
header=$copy/include/tpuplan/read/hf/language.hpp
rows=$(sed -nE 's/.*std::array<text_family, ([0-9]+)> text_families.*/\1/p' "$header")
sed -i -E "s/(std::array<text_family, )$rows/\1$((rows + 1))/; s/^    \{\"llama\", llama_biases\},$/&\n    {\"made_up\", llama_biases},/" "$header"
[[ $(diff "$root/include/tpuplan/read/hf/language.hpp" "$header" | grep -c '^>') == 2 ]] || { echo "no row added" && exit 1; }

stale=$("$generate" --check "$copy" 2>&1) && echo "a new type, an old table: --check did not notice" && exit 1
case $stale in *include/tpuplan/read/hf/default_rows.hpp*) ;; *) echo "not named: $stale" && exit 1 ;; esac
"$generate" "$copy"
"$generate" --check "$copy"
"$compiler" -std=c++17 -O0 -Wall -Wextra -Werror -I"$copy/include" -idirafter "$include" "$here/model_type.cpp" \
  -o "$copy/model_type"
"$copy/model_type" "$copy/data/checkpoints.json"

# A default that no rule reads is refused by name.
sed -i -E '/^  "made_up": / s/"vocab_size": 1000/"vocab_size": "= twice as many"/' "$copy/data/hf_defaults.json"
wrong=$("$generate" --check "$copy" 2>&1) && echo "a default that no rule reads was not noticed" && exit 1
case $wrong in *'vocab_size is "= twice as many"'*) ;; *) echo "not named: $wrong" && exit 1 ;; esac
