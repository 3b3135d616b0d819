#!/usr/bin/env bash
# lead.sh PROGRAM DATA WORK: jobs of someone who commits a budget, from the question to what is started: one own run that
# corrects an estimate, a mixture of experts over ways of paying, and a model that no list of MaxText has.
set -u
program=$1 data=$2 folder=$3/lead
rm -rf "$folder" && mkdir -p "$folder" || exit 1
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}
# Whether a condition on numbers holds.
holds() { awk "BEGIN { exit !($1) }" || fail "not so: $1"; }
# The first number of a document under a key.
number() { sed -nE "s/^ *\"$2\": ([0-9.e+-]+),?\$/\1/p" <<<"$1" | head -n 1; }

# One run of 2.56 s: the same job is estimated within 1 %, its band is narrow, and so is that of sixteen times the chips.
cat >"$folder/runs.json" <<'RUNS'
{"records": [{"model": {"name": "llama-3.1-8b", "params_total": 8030261248, "layers": 32, "d_model": 4096,
  "ffn": 14336, "heads": 32, "kv_heads": 8, "head_dim": 128, "vocab": 128256}, "hardware": "v6e", "chips_total": 16,
  "fsdp": 16, "global_batch": 64, "seq_len": 4096, "remat": "full", "target_step_time_s": 2.56}]}
RUNS
"$program" calibrate "$folder/runs.json" --output "$folder/own.json" >"$folder/learned" || fail "calibrate: status $?"
own=(--calibration "$folder/own.json" --seq 4096 --remat full)
small=$("$program" --json train "$data/models/llama-3.1-8b.json" --slice v6e-16 --batch 64 "${own[@]}")
step=$(number "$small" step_time_s) low=$(number "$small" step_time_low_s) high=$(number "$small" step_time_high_s)
holds "$step / 2.56 > 0.99 && $step / 2.56 < 1.01"
holds "$high / $low <= 1.15"
large=$("$program" --json train "$data/models/llama-3.1-8b.json" --slice v6e-256 --batch 1024 "${own[@]}")
holds "$(number "$large" step_time_high_s) / $(number "$large" step_time_low_s) < 1.4"
"$program" train "$data/models/llama-3.1-8b.json" --slice v6e-16 --batch 64 "${own[@]}" --wide >"$folder/train"
grep -qE '^ +software +[0-9.]+ ms ' "$folder/train" || fail "no row for software"
# The parts of the table, in milliseconds, are the total of it.
awk '/^  part of a step/ { inside = 1; next }
  inside && / (s|ms|us) +[0-9.]+ %/ {
    for (i = 2; i <= NF; ++i) if ($i ~ /^(s|ms|us)$/) { time = $(i - 1) * ($i == "s" ? 1000 : $i == "ms" ? 1 : 0.001); break }
    if ($1 == "total") { exit !(sum / time > 0.995 && sum / time < 1.005) }
    sum += time
  }' "$folder/train" || fail "the parts of a step do not add up: $(sed -n '/part of a step/,/total/p' "$folder/train")"

# A mixture of experts: weights alone are shared, no expert axis comes first.
moe=$("$program" plan "$data/models/qwen3-30b-a3b.json" --tokens 500B --seq 4096 --deadline 45d --generation v5p,v6e,tpu7x \
  --provisioning on_demand,spot,flex_start --best-per-generation --wide) || fail "plan of experts: status $?"
rows=$(grep -E '^ +[0-9]+\*? +(v5p|v6e|tpu7x)-' <<<"$moe")
[[ $(grep -c . <<<"$rows") -eq 3 ]] || fail "not three generations: $rows"
grep -vqE '  fsdp [0-9]+' <<<"$rows" && fail "not by weights first: $rows"
grep -q 'expert [0-9]' <<<"$rows" && fail "an expert axis first: $rows"

# A model of one's own, from its plan to MaxText's arguments.
cat >"$folder/my7b.json" <<'MODEL'
{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 4096}
MODEL
"$program" --json plan "$folder/my7b.json" --seq 4096 --tokens 2T --deadline 45d --generation v6e --provisioning spot \
  >"$folder/plan.json" || fail "plan of my7b: status $?"
launch=("$program" launch "$folder/plan.json" --target gke --maxtext --compiler-flags recipe --image my/image:v1
  --checkpoint gs://bucket/folder --project project-1 --zone us-east5-b --cluster c)
dataset=(--set dataset_path=gs://bucket/data) rate=(--set learning_rate=3e-4)
written=$("${launch[@]}" "${dataset[@]}" "${rate[@]}" 2>"$folder/errors") || fail "launch: status $?: $(cat "$folder/errors")"
for words in base_emb_dim=4096 base_num_decoder_layers=32 base_num_query_heads=32 base_num_kv_heads=8 base_mlp_dim=11008 \
  head_dim=128 vocab_size=32000 ici_fsdp_parallelism=128 max_num_checkpoints_to_keep=3 steps=476838 \
  dataset_path=gs://bucket/data learning_rate=3e-4; do
  grep -qF "\"$words\"" <<<"$written" || fail "launch does not write $words"
done
grep -q '"LIBTPU_INIT_ARGS=--xla_' <<<"$written" || fail "launch writes no flags of the compiler"
refuses() {
  local pattern=$1
  shift
  "${launch[@]}" "$@" >"$folder/out" 2>"$folder/errors" && fail "launch with $* is not refused"
  [[ ! -s $folder/out ]] || fail "a refusal writes a manifest: $*"
  grep -q "$pattern" "$folder/errors" || fail "launch with $*: $(cat "$folder/errors")"
}
refuses 'dataset is missing' "${rate[@]}"
refuses 'learning_rate is missing' "${dataset[@]}"

# A service behind a router: what simulate says of its slices, and a manifest that says what it does not bring.
"$program" --json plan "$data/models/llama-3.1-8b.json" --serve --rate 40 --input-len 500 --shared-prefix 3000 \
  --prefix-groups 8 --ttft-p99 1s --engine vllm --generation v6e --max-chips 32 --rows 1 --routing prefix \
  >"$folder/routed.json" || fail "plan: status $?"
"$program" launch "$folder/routed.json" --target gke --engine vllm --model a/b --image c/d:1 --name chat \
  >"$folder/chat" 2>"$folder/errors" || fail "launch of a service: status $?: $(cat "$folder/errors")"
grep -q 'the plan routes requests by prefix: a Service does not' "$folder/errors" || fail "launch: $(cat "$folder/errors")"
grep -q 'requests of more than 3756 tokens' "$folder/errors" || fail "launch: $(cat "$folder/errors")"
# Started by another engine than was planned, and with drafts of modules that Llama does not have.
"$program" --json plan "$data/models/llama-3.1-8b.json" --serve --rate 20 --engine vllm --generation v6e --rows 1 \
  --draft-tokens 4 --acceptance 0.7 --draft-cost 0.1 >"$folder/drafts.json" || fail "plan: status $?"
"$program" launch "$folder/drafts.json" --target gke --engine sglang-jax --model a/b --image c/d:1 --drafts eagle3:a/b \
  >"$folder/other" 2>"$folder/errors" || fail "launch by another engine: status $?: $(cat "$folder/errors")"
grep -q 'those of vllm: tpuplan plan --serve --engine sglang-jax' "$folder/errors" || fail "launch: $(cat "$folder/errors")"
"$program" launch "$folder/drafts.json" --target gke --engine vllm --model a/b --image c/d:1 --drafts mtp \
  >"$folder/mtp" 2>"$folder/errors" || fail "launch with mtp: status $?: $(cat "$folder/errors")"
grep -q 'names no modules for multi-token prediction' "$folder/errors" || fail "launch: $(cat "$folder/errors")"
grep -q 'those of vllm' "$folder/errors" && fail "the engine of the plan is said to be another"
# One of texts alone, in the region and at the price of its plan, with what no flag says.
"$program" --json plan "$data/models/bert-base-uncased.json" --serve --engine vllm --rate 5000 --input-len 128 \
  --generation v5e --region europe-west4 --zones 2 --rows 1 >"$folder/texts.json" || fail "plan: status $?"
"$program" launch "$folder/texts.json" --target gke --engine vllm --model a/b --image c/d:1 --name texts \
  >"$folder/texts" 2>"$folder/errors" || fail "launch of an encoder: status $?: $(cat "$folder/errors")"
for words in 'on_demand in europe-west4' 'requests of more than 128 tokens' 'lie in 2 zones'; do
  grep -q "$words" "$folder/errors" || fail "launch without $words: $(cat "$folder/errors")"
done
exit $failed
