#!/usr/bin/env bash
# installed.sh CMAKE BUILD WORK: installed, the program finds its data from any folder, also after it was moved.
set -u
cmake=$1 build=$2 folder=$3/installed
rm -rf "$folder" && mkdir -p "$folder" || exit 1
"$cmake" --install "$build" --prefix "$folder/first" >/dev/null || exit 1
mv "$folder/first" "$folder/moved" || exit 1
cd / || exit 1
answer=$("$folder/moved/bin/tpuplan" chips v5e) && [[ $answer == *hbm_bandwidth*"$folder/moved/share/tpuplan/data"* ]] &&
  "$folder/moved/bin/tpuplan" pay --slice v5e-8 --run 1d --region europe-west4 >/dev/null &&
  answer=$("$folder/moved/bin/tpuplan" doctor) && answer=$("$folder/moved/bin/tpuplan" slices v5e-8) &&
  [[ $answer == *"next: tpuplan fit $folder/moved/share/tpuplan/data/models/"* ]] &&
  answer=$("$folder/moved/bin/tpuplan" model data/networks/resnet-50.json) && [[ $answer == *25,557,032* ]] &&
  answer=$("$folder/moved/bin/tpuplan" fit data/models/llama-3.1-8b.json --slice v5e-16 --batch 16)
status=$?
((status == 0)) || printf '%s\n' "$answer"
rm -rf "$folder"
exit $status
