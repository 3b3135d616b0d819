#!/usr/bin/env bash
# Files that are too large, too deep, too wide, or not files, and one that speaks to terminals: an error with status 2,
# at once.
set -u
program=$1 folder=$2/hostile
rm -rf "$folder" && mkdir -p "$folder" || exit 1
truncate -s 100M "$folder/large.json"
head -c 1000000 /dev/zero | tr '\0' '[' >"$folder/deep.json"
head -c 1000000 /dev/urandom >"$folder/noise.json"
printf '{"model_type": "llama", "hidden_size": 1e400}' >"$folder/overflow.json"
printf '' >"$folder/empty.json"
{ printf '['; head -c 500000 /dev/zero | tr '\0' 'x' | sed 's/x/{},/g'; printf '{}]'; } >"$folder/wide.json"
{ printf '{"model_type": "'; head -c 3000000 /dev/zero | tr '\0' 'x'; printf '"}'; } >"$folder/long.json"
sed 's/"own"/"\\u001b[31mred"/' "$(dirname "$0")/plans/own_model.json" >"$folder/escape.json"
failed=0
for file in large.json deep.json noise.json overflow.json empty.json wide.json long.json escape.json . missing.json; do
  message=$("$program" model "$folder/$file" 2>&1 >/dev/null)
  status=$?
  if [[ $status -ne 2 || $message != tpuplan:* ]]; then
    printf '%s: status %s, %s\n' "$file" "$status" "$message"
    failed=1
  fi
  message=$("$program" plan "$(dirname "$0")/../../data/models/llama-3.1-8b.json" --tokens 1T --prices "$folder/$file" 2>&1 >/dev/null)
  status=$?
  if [[ $status -ne 2 || $message != tpuplan:* ]]; then
    printf 'prices %s: status %s, %s\n' "$file" "$status" "$message"
    failed=1
  fi
done

# Data of another form: refused in words of this program, not in those of its parser.
mkdir -p "$folder/data" && cp "$(dirname "$0")"/../../data/*.json "$folder/data"
for hardware in '{}' '[]' '{"generations": {"v5e": 3}}' '{"generations": [1]}'; do
  printf '%s' "$hardware" >"$folder/data/hardware.json"
  for question in doctor "chips v5e"; do
    message=$("$program" --data-dir "$folder/data" $question 2>&1 >/dev/null)
    status=$?
    if [[ $status -ne 2 || $message != tpuplan:* || $message == *exception* ]]; then
      printf '%s with hardware.json %s: status %s, %s\n' "$question" "$hardware" "$status" "$message"
      failed=1
    fi
  done
done

# Entries of a catalog that are not read are said once, beside the answer.
message=$("$program" pay --slice v6e-16 --run 1d --region us-east5 --prices "$(dirname "$0")/../prices/vms.csv" 2>&1 >/dev/null)
if [[ $message != *"not read: "*"row 12: tpu-v9-8: no slice of that name" || $message == *$'\n'* ]]; then
  printf 'vms.csv: %s\n' "$message"
  failed=1
fi
rm -rf "$folder"
exit $failed
