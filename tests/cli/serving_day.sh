#!/usr/bin/env bash
# serving_day.sh PROGRAM DATA WORK: a serving engineer's day: 50 requests a second of 2,000 tokens in and 300 out, the first
# token of 99 in 100 within 2 s and each of 95 in 100 within 50 ms, for eight models and two engines: a plan by
# percentiles, the manifest that starts it, and the simulation that holds it at another seed.
set -u
program=$1 data=$2 folder=$3/serving_day
rm -rf "$folder" && mkdir -p "$folder" || exit 1
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}
number() { sed -nE "s/^ *\"$2\": ([0-9.e+-]+),?\$/\1/p" <"$1" | head -n 1; }
traffic=(--rate 50 --input-len 2000 --output-len 300 --ttft-p99 2s --tpot-p95 50ms)
for model in qwen3-32b llama-3.1-70b gemma-3-27b gpt-oss-120b deepseek-v3 deepseek-v3.2 qwen3-next-80b-a3b \
  qwen3.5-397b-a17b; do
  for engine in vllm sglang-jax; do
    plan=$folder/$model.$engine.json manifest=$folder/$model.$engine.manifest
    "$program" --json plan "$data/models/$model.json" --serve "${traffic[@]}" --engine $engine >"$plan" ||
      { fail "$model, $engine: no plan, status $?"; continue; }
    "$program" launch "$plan" --target gke --engine $engine --model a/b --image a/b:c --name day >"$manifest" \
      2>"$folder/said" || { fail "$model, $engine: no manifest: $(cat "$folder/said")"; continue; }
    # As many pods, or groups of them, as the plan has slices; the longest request; an hour's price.
    slices=$(number "$plan" slices)
    grep -qE "^ +\"replicas\": $slices,?\$" "$manifest" || fail "$model, $engine: not $slices replicas"
    grep -qE -- '--(max-model-len|context-length)=2300\b' "$manifest" || fail "$model, $engine: not 2300 tokens"
    grep -qE '^ +"kind": "(Deployment|LeaderWorkerSet)"' "$manifest" || fail "$model, $engine: nothing that runs"
    grep -q '"preStop"' "$manifest" || fail "$model, $engine: nothing drains"
    grep -q '"startupProbe"' "$manifest" || fail "$model, $engine: no probe of its start"
    grep -qE '\$[0-9,]+[.][0-9]+ an hour' "$folder/said" || fail "$model, $engine: no price: $(cat "$folder/said")"
  done
done
# The plan of the first holds its targets in a simulation of other requests, with the slices that it has.
next=$("$program" plan "$data/models/qwen3-32b.json" --serve "${traffic[@]}" --engine vllm --rows 1) || fail "no plan"
slice=$(sed -nE 's/.*tpuplan serve .*--slice ([^ ]+) .*/\1/p' <<<"$next")
tensor=$(sed -nE 's/.*tpuplan serve .*--tensor ([0-9]+) .*/\1/p' <<<"$next")
"$program" simulate "$data/models/qwen3-32b.json" "${traffic[@]}" --engine vllm --slice "$slice" --tensor "$tensor" \
  --slices "$(number "$folder/qwen3-32b.vllm.json" slices)" --seed 3 --requests 4000 >"$folder/simulated"
[[ $? -le 1 ]] || fail "the plan is not simulated: $(cat "$folder/simulated")"
grep -qE '9[0-9][.][0-9] % of the requests keep every limit|100[.]0 % of' "$folder/simulated" ||
  fail "nine of ten requests do not keep the limits: $(sed -n 1,12p "$folder/simulated")"
exit $failed
