#!/usr/bin/env bash
# jobs.sh PROGRAM DATA WORK: jobs of someone who commits a budget that have one right answer: which reason, which batch,
# which price counts, what arithmetic says, and the same figure in text, report, table and JSON. More are in lead.sh.
set -u
program=$1 data=$2 folder=$3/jobs
rm -rf "$folder" && mkdir -p "$folder" || exit 1
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}
# Whether a condition on numbers holds.
holds() { awk "BEGIN { exit !($1) }" || fail "not so: $1"; }
# The n-th number of a document under a key.
number() { sed -nE "s/^ *\"$2\": ([0-9.e+-]+),?\$/\1/p" <<<"$1" | sed -n "${3:-1}p"; }
says() { grep -qE -- "$2" <<<"$1" || fail "no $2 in: $1"; }
is_silent() { grep -qE -- "$2" <<<"$1" && fail "$2 in: $1"; }

# A: a model of one's own on 2e12 tokens, within a deadline, a budget and a quota.
cat >"$folder/my7b.json" <<'MODEL'
{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 4096}
MODEL
cat >"$folder/quota.json" <<'QUOTA'
{"quotas": [
  {"generation": "v6e", "region": "us", "provisioning": "on_demand", "chips": 256},
  {"generation": "v6e", "region": "us", "provisioning": "spot", "chips": 256},
  {"generation": "tpu7x", "region": "us", "provisioning": "spot", "chips": 128}]}
QUOTA
run=(plan "$folder/my7b.json" --seq 4096 --tokens 2T)
limits=(--deadline 45d --budget 400k --region us,europe-west4 --quota "$folder/quota.json")
quota=$("$program" "${run[@]}" "${limits[@]}" --provisioning on_demand,spot --wide) || fail "A: status $?"
says "$quota" 'no price, or none for a run this long +none on spot for tpu7x-'  # the truth: there is no price of it
is_silent "$quota" 'over on tpu7x'
says "$quota" 'v6e-64 .*days\^ .*may miss the deadline'
is_silent "$quota" '^ +[0-9]+\*? +([0-9]+ x )?(v5p|v4|tpu7x|v5lite|[0-9]+ x v6e-256)'  # outside of the quota
batches=$("$program" "${run[@]}" --generation v6e --min-batch-tokens 4M --max-batch-tokens 64M --wide) || fail "A: range"
says "$batches" '^ +1\*? +v6e-256 .* 10[0-9][0-9]  '  # of batches that cost the same the smallest
everywhere=$("$program" "${run[@]}" --region all --provisioning spot) || fail "A: all regions"
is_silent "$everywhere" '^ +[0-9]+\*? .*(asia|us-east4)'  # one old price, and zones for single tenants
named=$("$program" "${run[@]}" --region asia-southeast1 --provisioning spot --generation v6e) || fail "A: a named region"
says "$named" '^ +1\*? .*~\$'  # where it is named it is taken, and marked
says "$named" '~ spot of v6e in asia-southeast1: .*less than a third of what most other regions charge'
# 6 FLOPs for each parameter but the embedding and 12 x layers x width x length / 2 for attention make a token.
flops=$(number "$("$program" --json model "$folder/my7b.json" --seq 4096)" training_flops_per_token)
holds "$flops / (6 * (5933109248 - 32000 * 4096) + 6 * 32 * 4096 * 4096) > 0.99"
holds "$flops / (6 * (5933109248 - 32000 * 4096) + 6 * 32 * 4096 * 4096) < 1.01"
# A run on demand costs its chips, hours and dollars, and a few percent for its start, checkpoints and failures.
paid=$("$program" --json train "$folder/my7b.json" --slice v6e-256 --seq 4096 --batch 1024 --tokens 2T)
said=$("$program" pay --slice v6e-256 --run "$(number "$paid" run_s)s" | sed -nE 's/^ +on_demand .*\$([0-9.]+)k$/\1/p')
holds "$said * 1000 / ($(number "$paid" run_s) / 3600 * 256 * 2.70) > 0.996"
holds "$said * 1000 / ($(number "$paid" run_s) / 3600 * 256 * 2.70) < 1.004"  # in three digits

# C: sequences of 131,072 tokens: generations that few can order are not there, and a layout beyond the runs is marked.
long=$("$program" plan "$data/models/llama-3.1-8b.json" --tokens 20B --seq 131072 --best-per-generation --wide \
  --provisioning on_demand,spot,flex_start) || fail "C: status $?"
is_silent "$long" '^ +[0-9]+\*? +v[23]-'
says "$long" 'left out: v2 and v3'
says "$long" '^ +1\*? +v6e-.*tensor [48].*!.*outside of what published runs cover'
named=$("$program" plan "$data/models/llama-3.1-8b.json" --tokens 20B --seq 4096 --generation v3 --rows 1) || fail "C: v3"
says "$named" '^ +1\*? +v3-'  # on request

# D: adapters on 70B: a batch is asked for, the base counts in the format that is given, a short run is not on many chips.
"$program" plan "$data/models/llama-3.1-70b.json" --lora 16 --tokens 100M --seq 2048 >"$folder/out" 2>"$folder/errors"
[[ $? == 2 ]] && grep -q -- '--batch is missing; .*24 steps in all' "$folder/errors" || fail "D: $(cat "$folder/errors")"
memory() {
  number "$("$program" --json train "$data/models/llama-3.1-70b.json" --lora 16 --seq 2048 --batch 64 --slice v6e-8 \
    --fsdp 8 --weights "$1")" total_bytes
}
holds "$(memory int8) < 0.85 * $(memory bf16)"
short=$("$program" plan "$data/models/smollm3-3b.json" --tokens 1B --generation v6e) || fail "D: smollm3"
cost() { sed -nE "s/^ +[0-9]+\*? +$1 .*  +~?\\\$([0-9.]+)  .*/\1/p" <<<"$short" | head -n 1; }
holds "$(cost v6e-256) > 2 * $(cost v6e-64)"  # with the start of 64 VMs, where steps alone cost less than on v6e-64
trial=$("$program" sweep "$data/models/smollm3-3b.json" --trials 1 --tokens 100M --batch 64 --quota 4096) || fail "D: sweep"
says "$trial" '^ +v6e-4 '
is_silent "$trial" 'tpu7x-4096'

# H: where nothing stops a run, its chance is that of the band of its step, a log-normal on either side of the estimate.
job=("$folder/my7b.json" --slice v6e-64 --seq 4096 --batch 1024 --tokens 2T)
estimate=$("$program" --json train "${job[@]}")
expected=$(number "$estimate" run_s)
high=$(awk "BEGIN { print $expected * $(number "$estimate" step_time_high_s) / $(number "$estimate" step_time_s) }")
within() {  # within SECONDS: the chance in time, on demand, without failures
  number "$("$program" --json risk "${job[@]}" --provisioning on_demand --chip-mtbf 1e12s --start-up 0s --compilation 0s \
    --deadline "$1s")" chance_in_time
}
late=$(awk "BEGIN { print $expected * exp(log($high / $expected) * 0.8416 / 1.6449) }")  # 0.8416: of 80 %
holds "$(within "$late") > 0.79 && $(within "$late") < 0.81"
holds "$(within "$high") > 0.94 && $(within "$high") < 0.96"
dates=$("$program" risk "${job[@]}" --provisioning on_demand --start 2026-12-01 --by 2027-01-15) || fail "H: dates"
says "$dates" '% to be done by 2027-01-15'
ways=$("$program" "${run[@]}" --generation v6e --explain) || fail "H: plan"
says "$ways" '^ +on_demand +us +\$[0-9.]+k +[0-9.]+ days +9[0-9.]+ %'  # on demand fails too
often=$("$program" "${run[@]}" --generation v6e --explain --chip-mtbf 500h | grep -m 1 '^  on_demand')
[[ $often == $(grep -m 1 '^  on_demand' <<<"$ways") ]] && fail "H: failures of chips count nothing on demand"

# I: the report has band, way of paying, layout, sensitivity, assumptions and dates; one figure in all forms.
asked=("${run[@]}" --deadline 45d --budget 400k --provisioning spot --generation v6e)
text=$("$program" "${asked[@]}" --html "$folder/report.html") || fail "I: status $?"
report=$(sed 's/<[^>]*>/ /g' "$folder/report.html" | tr -s ' \n' ' ')
wall=$(number "$("$program" --json "${asked[@]}")" wall_s)
days=$(awk "BEGIN { printf \"%.1f days\", $wall / 86400 }")
csv=$("$program" "${asked[@]}" --csv 2>"$folder/errors" | sed -n 2p)
says "$text" "^ +1\\*? +v6e-[0-9]+ .* $days "
says "$report" "paid spot in us: \\\$[0-9.]+k in $days, between \\\$[0-9.]+k and \\\$[0-9.]+k"
says "$csv" ",${wall%.*}\\."
for words in 'chance to be done within 45.0 days is' 'What could go wrong' 'What the cost depends on' 'a step takes' \
  'prices? .*20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]' 'a spot slice lasts'; do
  says "$report" "$words"
done
is_silent "$report" 'batch_does_not_divide|not_before|schema tpuplan'
exit $failed
