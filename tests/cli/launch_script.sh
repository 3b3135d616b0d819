#!/usr/bin/env bash
# launch_script.sh PROGRAM PLAN FOLDER: what launch writes, run with a gcloud that only pretends: the script creates TPUs,
# runs the program, creates them again after a preemption, deletes them at the end, and gives up where it should. A plan
# comes through a pipe as it does from a file.
set -u
program=$1 plan=$2 folder=$3/launch_script
rm -rf "$folder" && mkdir -p "$folder/bin" || exit 1
failed=0
fail() {
  printf '%s\n' "$1"
  failed=1
}

# The run with a number in $PREEMPTED is preempted; every one, where that is "all"; with "program" it fails by itself.
cat >"$folder/bin/gcloud" <<'FAKE'
#!/usr/bin/env bash
log=$LAUNCH_FOLDER/log
case "$*" in *resource-policies* | *instance-templates* | *" --command=true") exit 0 ;; esac
for word in "$@"; do
  case $word in create | describe | list-instances | ssh | delete) verb=$word && break ;; esac
done
case $verb in
  create) echo create >>"$log" && echo ACTIVE >"$LAUNCH_FOLDER/state" ;;
  describe)
    case "$*" in
      *"format=value(name)") echo vm ;;
      *) sed "s/ACTIVE/$READY/" "$LAUNCH_FOLDER/state" ;;
    esac
    ;;
  list-instances) printf 'vm-a\nvm-b\nvm-c\nvm-d\n' ;;
  delete) echo delete >>"$log" && echo GONE >"$LAUNCH_FOLDER/state" ;;
  ssh)
    for word in "$@"; do
      case $word in --command=*) line=${word#--command=} ;; esac
    done
    echo run >>"$log"
    bash -c "$line" >>"$LAUNCH_FOLDER/output"
    [[ $PREEMPTED == program ]] && exit 3
    runs=$(grep -c run "$log")
    if [[ $PREEMPTED == all || $PREEMPTED == "$runs" ]]; then
      echo SUSPENDED >"$LAUNCH_FOLDER/state"
      exit 255
    fi
    ;;
esac
exit 0
FAKE
printf '#!/bin/sh\n' >"$folder/bin/sleep"
# What a VM does to itself: the watchdog of a program that has ended; it is no first VM of a slice.
printf '#!/bin/sh\necho "$*" >>"$LAUNCH_FOLDER/ended"\n' >"$folder/bin/sudo"
printf '#!/bin/sh\necho t1v-n-0-w-1\n' >"$folder/bin/hostname"
chmod +x "$folder/bin/gcloud" "$folder/bin/sleep" "$folder/bin/sudo" "$folder/bin/hostname"

# run_script PREEMPTED STATUS LOG: the script must end so, after exactly these steps. $ready is what says that it is there.
ready=ACTIVE
run_script() {
  rm -f "$folder"/{log,output,state}
  PATH=$folder/bin:$PATH LAUNCH_FOLDER=$folder PREEMPTED=$1 READY=$ready bash "$folder/script.sh" >/dev/null 2>"$folder/errors"
  status=$?
  [[ $status -eq $2 ]] || fail "preempted $1: status $status instead of $2: $(cat "$folder/errors")"
  steps=$(tr '\n' ' ' <"$folder/log")
  [[ $steps == "$3 " ]] || fail "preempted $1: $steps instead of $3"
}

"$program" launch --slice v6e-16 --slices 2 --provisioning spot --target gcloud --project my-project --zone us-east5-b \
  --checkpoint gs://my-bucket/run --max-restarts 2 \
  --command 'printf "<%s>" "$CHECKPOINT_DIR" '\''a  b'\'' "\$(x)" # c' >"$folder/script.sh" || fail "launch"
run_script none 0 "create run delete"
[[ $(cat "$folder/output") == '<gs://my-bucket/run><a  b><$(x)>' ]] || fail "the program got $(cat "$folder/output")"
run_script 1 0 "create run delete create run delete"
run_script all 1 "create run delete create run delete create run delete"
run_script program 1 "create run"
grep -q 'still there, and billed, $[0-9.]* an hour, idle or not' "$folder/errors" || fail "no word of what is still billed"

launch_gce() {
  "$program" launch --slice "$1" --provisioning spot --target gce --project my-project --zone us-east5-b \
    --checkpoint gs://my-bucket/run --max-restarts 2 --command 'printf "<%s>" "$CHECKPOINT_DIR"' >"$folder/script.sh" || fail "launch"
}
launch_gce v6e-8
ready=RUNNING
run_script none 0 "create run delete"
run_script 1 0 "create run delete create run delete"
rm -f "$folder/ended"
run_script program 1 "create run"
for _ in {1..100}; do [[ -e $folder/ended ]] && break; sleep 0.1; done
[[ $(head -n 1 "$folder/ended") == poweroff ]] || fail "the VM of a program that failed does not end"
launch_gce v6e-16
ready=4
run_script none 0 "create run run run run delete"
[[ $(cat "$folder/output") == '<gs://my-bucket/run><gs://my-bucket/run><gs://my-bucket/run><gs://my-bucket/run>' ]] ||
  fail "the VMs ran $(cat "$folder/output")"

from_file=$("$program" launch "$plan" --target gke --image a/b:c --maxtext --set model_name=a) || fail "from a file"
from_pipe=$("$program" launch - --target gke --image a/b:c --maxtext --set model_name=a <"$plan") || fail "from a pipe"
[[ -n $from_file && $from_file == "$from_pipe" ]] || fail "a pipe gives something else than a file"
data=$(dirname "$0")/../../data
"$program" --json plan "$data/models/llama-3.1-8b.json" --tokens 1T --deadline 30d |
  "$program" launch - --target gke --image a/b:c --maxtext --set model_name=a --rank 2 | grep -q 'per_device_batch_size' || fail "from plan"
for hostile in '' '{' '[]' '{"plans": {}}'; do
  message=$(printf '%s' "$hostile" | "$program" launch - --target gke 2>&1 >/dev/null)
  [[ $? -eq 2 && $message == tpuplan:* ]] || fail "standard input $hostile: $message"
done
message=$(head -c 100000000 /dev/zero | tr '\0' ' ' | "$program" launch - --target gke 2>&1 >/dev/null)
[[ $? -eq 2 && $message == tpuplan:*"at most 64 MiB"* ]] || fail "large standard input: $message"

# A plan that a commitment pays for is not launched on demand without a word.
sed 's/"chosen": 0/"chosen": 5/' "$plan" >"$folder/committed.json"
message=$("$program" launch "$folder/committed.json" --target gke --image a/b:c 2>&1 >/dev/null)
[[ $? -eq 2 && $message == *"--provisioning is missing for a plan that commitment_3y pays for; valid: --reservation"* ]] ||
  fail "a commitment: $message"
for said in "--reservation mine" "--provisioning on_demand"; do
  # shellcheck disable=SC2086
  "$program" launch "$folder/committed.json" --target gke --image a/b:c $said >/dev/null || fail "a commitment with $said"
done
rm -rf "$folder"
exit $failed
