#!/usr/bin/env bash
# next.sh PROGRAM DATA WORK: the command printed after "next:" asks about the same job. Run as it stands, train gives the
# step time, the days and the dollars of the plan, and plan the question of train.
set -u
program=$1 data=$2 folder=$3/next
rm -rf "$folder" && mkdir -p "$folder" || exit 1
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}
# The command after "next:", without the words on what it is for.
next_of() { sed -nE 's/^ *next: tpuplan (.*[^ ])$/\1/p' <<<"$1" | sed -E 's/   .*//' | head -n 1; }
# A figure in the first row of csv, by its title.
column() {
  awk -F, -v title="$2" '{ gsub(/"[^"]*"/, "words") } NR == 1 { for (i = 1; i <= NF; ++i) if ($i == title) at = i } NR == 2 { print $at }' <<<"$1"
}
# Whether two figures are one, within the digits of csv.
same() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= 1e-14 * a * b) }'; }
number() { sed -nE "s/^ *\"$2\": ([0-9.e+-]+),?\$/\1/p" <<<"$1" | head -n 1; }

cp "$data/models/llama-3.1-8b.json" "$folder/llama's best.json"
while IFS= read -r question; do
  eval "arguments=($question)"
  answer=$("$program" plan "${arguments[@]}") || { fail "plan $question: status $?"; continue; }
  table=$("$program" plan "${arguments[@]}" --csv --rows 1)
  next=$(next_of "$answer")
  [[ $next == "train "* ]] || { fail "plan $question: next is '$next'"; continue; }
  eval "train=($next)"
  document=$("$program" --json "${train[@]}") || { fail "$next: status $?"; continue; }
  step=$(number "$document" step_time_s)
  same "$(column "$table" step_s)" "$step" || fail "plan $question: step of $(column "$table" step_s) s, then $step s"
  run=$(column "$table" wall_s)  # from start to end, preemptions included
  found=0
  for each in $(sed -nE 's/^ *"wall_s": ([0-9.e+-]+),?$/\1/p' <<<"$document"); do same "$run" "$each" && found=1; done
  ((found)) || fail "plan $question: a run of $run s is none of those of: $next"
  cost=$(column "$table" cost_usd)
  found=0
  for each in $(sed -nE 's/^ *"total_usd": ([0-9.e+-]+),?$/\1/p' <<<"$document"); do same "$cost" "$each" && found=1; done
  ((found)) || fail "plan $question: \$$cost is none of the costs of: $next"
done <<EOF
$data/models/llama-3.1-8b.json --tokens 1T
$data/models/llama-3.1-8b.json --tokens 300B --batch-tokens 4M --seq 8192 --optimizer lion --region us-east5 --generation v6e
$data/models/llama-3.1-8b.json --tokens 1T --weights bf16 --moments bf16 --provisioning spot --mtbp 2h
$data/models/llama-3.1-8b.json --tokens 10B --lora 16 --weights bf16 --generation v5e --remat full
$data/models/llama-3.1-70b.json --tokens 200B --min-batch-tokens 2M --max-batch-tokens 8M --tensor 2
$data/models/mixtral-8x7b.json --tokens 100B --capacity-factor 1.25 --max-slices 2 --objective fastest --budget 1M
$data/models/llava-1.5-7b.json --tokens 10B --images 1 --provisioning commitment_3y --rest-used 1
"$folder/llama's best.json" --tokens 1T --deadline 20d --attention flash --vocabulary-tiles 4
$data/models/t5-base.json --tokens 10B --seq 512 --source-length 1024 --generation v5e
EOF

# The same of networks of layers, whose batch may be above their few examples.
while IFS= read -r question; do
  eval "arguments=($question)"
  table=$("$program" plan "${arguments[@]}" --csv --rows 1)
  next=$(next_of "$("$program" plan "${arguments[@]}")")
  eval "train=($next)"
  document=$("$program" --json "${train[@]}") || { fail "$next: status $?"; continue; }
  cost=$(column "$table" cost_usd)
  found=0
  for each in $(sed -nE 's/^ *"total_usd": ([0-9.e+-]+),?$/\1/p' <<<"$document"); do same "$cost" "$each" && found=1; done
  ((found)) || fail "plan $question: \$$cost is none of the costs of: $next"
done <<EOF
$data/networks/mlp-784-128-10.json --examples 60000 --epochs 5
$data/networks/mlp-784-128-10.json --examples 300 --epochs 3 --generation v5e
$data/networks/mlp-784-128-10.json --examples 100 --keep-remainder --generation v5e
$data/networks/resnet-50.json --examples 1.28M --epochs 90 --batch 1024
EOF

# From plan to serve: the rate of one slice in as few digits as say it, and the first token of the plan.
while read -r rate expected; do
  next=$(next_of "$("$program" plan "$data/models/llama-3.1-8b.json" --serve --rate "$rate" --generation v6e)")
  table=$("$program" plan "$data/models/llama-3.1-8b.json" --serve --rate "$rate" --generation v6e --csv)
  eval "serve=($next)"
  [[ ${serve[0]:-} == serve && $next == *" --rate $expected" ]] || fail "plan --serve --rate $rate: next is '$next'"
  document=$("$program" --json "${serve[@]}") || { fail "$next: status $?"; continue; }
  same "$(column "$table" first_token_s)" "$(number "$document" first_token_s)" ||
    fail "plan --serve --rate $rate: $(column "$table" first_token_s) s, then $(number "$document" first_token_s) s"
done <<EOF
0.005 0.005
0.1 0.1
10 5
EOF

# From train and from serve to plan: the answer comes, for the job as it was given.
while IFS= read -r question; do
  eval "arguments=($question)"
  next=$(next_of "$("$program" "${arguments[@]}")")
  eval "plan=($next)"
  [[ ${plan[0]:-} == plan ]] && "$program" "${plan[@]}" >"$folder/answer" || fail "$question: next is '$next'"
  for option in --seq --weights --kv-dtype --rate --optimizer --tokens; do
    [[ $question == *" $option "* && $next != *" $option "* ]] && fail "$question: $option is lost in '$next'"
  done
done <<EOF
train $data/models/llama-3.1-8b.json --slice v5p-128 --seq 8192 --optimizer lion --tokens 300B
serve $data/models/llama-3.1-8b.json --slice v6e-8 --rate 10 --weights int8 --kv-dtype int8
EOF
# After a plan for serving: one slice with its share of the traffic has the figures of the plan.
while IFS= read -r question; do
  eval "arguments=($question)"
  document=$("$program" --json plan "${arguments[@]}" --serve --rows 1) || { fail "plan $question: status $?"; continue; }
  next=$(next_of "$("$program" plan "${arguments[@]}" --serve)")
  [[ $next == "serve "* ]] || { fail "plan $question: next is '$next'"; continue; }
  eval "serve=($next)"
  served=$("$program" --json "${serve[@]}")
  for key in first_token_s running capacity_per_s prefill_s output_tokens_per_s; do
    [[ $key == output_tokens_per_s && $question != *"--max-chips 1 "* ]] && continue
    a=$(number "$document" $key) b=$(number "$served" $key)
    same "${a:-0}" "${b:-0}" || fail "plan $question: $key is ${a:-missing}, and ${b:-missing} after: $next"
  done
done <<EOF
$data/models/llama-3.1-8b.json --rate 37 --input-len 1000 --output-len 300
$data/models/llama-3.1-8b.json --rate 1 --max-chips 1 --kv-dtype int8
$data/models/gpt2.json --rate 1 --input-len 512 --output-len 128
$data/models/minimax-m2.json --rate 37 --input-len 1024 --output-len 16 --tpot 155ms
$data/models/glm-5.2.json --rate 2 --beyond-max --accept-uncertain
$data/models/qwen3-30b-a3b.json --concurrency 100 --engine vllm --prefill-chunk 2048 --provisioning spot
$data/models/llama-3.1-70b.json --rate 50 --serving-weights int8 --tpot 50ms --region us-east5 --objective fewest_chips
EOF
rm -rf "$folder"
exit $failed
