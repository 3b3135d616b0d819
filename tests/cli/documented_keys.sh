#!/usr/bin/env bash
# documented_keys.sh PROGRAM DATA: keys that other programs rely on stand at the top of the documents. Their lines begin
# with two spaces.
set -u
program=$1 data=$2
failed=0
# expect KEYS COMMAND...: each key is one of the document's own.
expect() {
  local keys=$1 document
  shift
  document=$("$program" --json "$@") || { echo "tpuplan $*: status $?"; failed=1; }
  for key in $keys; do
    grep -q "^  \"$key\": " <<<"$document" || { echo "tpuplan --json $*: no $key at the top"; failed=1; }
  done
}
llama=$data/models/llama-3.1-8b.json
expect 'parameters active_parameters kv_bytes_per_token forward_flops_per_token assumed' model "$llama"
expect 'fits used_bytes usable_bytes breakdown' fit "$llama" --slice v5e-16
expect 'step_time_s step_time_low_s step_time_high_s mfu tokens_per_s breakdown' train "$llama" --slice v5p-128 --batch 256
expect 'interval_s billed_s wall_s preemptions' spot --work 10h
expect 'schema plans rejected request' plan "$llama" --tokens 1T --generation v6e
expect 'records summary' validate "$data/../tests/cli/plans/spelled_runs.json"
records=$("$program" --json validate "$data/../tests/cli/plans/spelled_runs.json")
for key in id kind quality family predicted measured low high error fits skipped; do
  grep -q "^      \"$key\": " <<<"$records" || { echo "tpuplan --json validate: records without $key"; failed=1; }
done
exit $failed
