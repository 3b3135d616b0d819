#!/usr/bin/env bash
# service.sh PAGE PREFIX DATA FOLDER COMPILER: the service of docs/embed.md, made of the files that the page shows and built
# against the installed library, answers what the page says.
set -euo pipefail
page=$1 prefix=$2 data=$3 folder=$4 compiler=$5
rm -rf "$folder" && mkdir -p "$folder"
awk -v folder="$folder" '
  /^<!-- file: .* -->$/ { file = folder "/" substr($0, 12, length($0) - 15); next }
  file != "" && /^```/  { if (inside) file = ""; inside = !inside; next }
  inside                { print > file }
' "$page"
cmake -S "$folder" -B "$folder/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build "$folder/build"
"$folder/build/service" "$data/models/llama-3.1-8b.json" "$data/prices.json" <<<"1e12 30 1e12 0.01 -1 1" |
  diff -u "$folder/answers.txt" -
