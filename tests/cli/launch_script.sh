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
printf '%s\n' "$*" >>"$LAUNCH_FOLDER/calls"
verb=""
for word in "$@"; do
  case $word in create | describe | list-instances | scp | ssh | delete) verb=$word && break ;; esac
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
  scp)  # to the home folder of the only VM
    echo copy >>"$log"
    mkdir -p "$LAUNCH_FOLDER/home"
    for word in "$@"; do
      case $word in scp | gcloud | compute | tpus | tpu-vm | queued-resources | --* | *:) ;; *) cp -r "$word" "$LAUNCH_FOLDER/home/" ;; esac
    done
    ;;
  ssh)
    for word in "$@"; do
      case $word in --command=*) line=${word#--command=} ;; esac
    done
    echo run >>"$log"
    home=$LAUNCH_FOLDER/home  # each VM has a folder of its own; files come to the first alone
    [[ -d $home ]] || home=$(mktemp -d "$LAUNCH_FOLDER/home.XXXXXX")
    cd "$home" || exit 1
    HOME=$home bash -c "$line" >>"$LAUNCH_FOLDER/output" 2>>"$LAUNCH_FOLDER/trouble"
    result=$?
    cp ./*.log ./*.status "$LAUNCH_FOLDER/"
    [[ $result -eq 0 ]] || exit "$result"
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
  rm -rf "$folder"/{log,output,state,calls} "$folder"/home*
  PATH=$folder/bin:$PATH LAUNCH_FOLDER=$folder PREEMPTED=$1 READY=$ready bash "$folder/script.sh" >/dev/null 2>"$folder/errors"
  status=$?
  [[ $status -eq $2 ]] || fail "preempted $1: status $status instead of $2: $(cat "$folder/errors")"
  touch "$folder/log"
  steps=$(tr '\n' ' ' <"$folder/log")
  [[ $steps == "$3${3:+ }" ]] || fail "preempted $1: $steps instead of $3"
}

"$program" launch --slice v6e-16 --slices 2 --provisioning spot --target gcloud --project my-project --zone us-east5-b \
  --checkpoint gs://my-bucket/run --max-restarts 2 \
  --command 'printf "<%s>" "$CHECKPOINT_DIR" '\''a  b'\'' "\$(x)" # c' >"$folder/script.sh" || fail "launch"
run_script none 0 "create run delete"
[[ $(cat "$folder/output") == '<gs://my-bucket/run><a  b><$(x)>' ]] || fail "the program got $(cat "$folder/output")"
run_script 1 0 "create run delete create run delete"
run_script all 1 "create run delete create run delete create run delete"
run_script program 3 "create run"
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
run_script program 3 "create run"
for _ in {1..100}; do [[ -e $folder/ended ]] && break; sleep 0.1; done
[[ $(head -n 1 "$folder/ended") == poweroff ]] || fail "the VM of a program that failed does not end"

# The program arrives: a folder, a file beside it, packages in versions for the chip; its log and its status stay.
mkdir -p "$folder/my src/.git" && echo 'import sys; print("trained", open("data.csv").read().strip()); sys.exit(7)' >"$folder/my src/train.py"
echo 'cifar' >"$folder/data.csv" && echo 'flax' >"$folder/requirements.txt"
# What a VM has: a python3 whose venv and pip only say what they were asked.
cat >"$folder/bin/python3" <<'FAKE'
#!/usr/bin/env bash
case "$*" in
  "-m venv "*) mkdir -p "${!#}/bin" && : >"${!#}/bin/activate" ;;
  "-m pip "*) printf '%s\n' "$*" >>"$LAUNCH_FOLDER/pip" && [[ -e requirements.txt ]] ;;
  *) exec /usr/bin/python3 "$@" ;;
esac
FAKE
chmod +x "$folder/bin/python3"
arrive() {
  "$program" launch --slice v6e-8 --target "$1" --project my-project --zone us-east5-b --workdir "$folder/my src" --copy "$folder/data.csv" \
    --requirements "$folder/requirements.txt" --framework jax --command "$2" >"$folder/script.sh" || fail "launch with files by $1"
  rm -f "$folder/pip"
}
for target in gcloud gce; do
  [[ $target == gce ]] && ready=RUNNING || ready=ACTIVE
  arrive "$target" 'python3 train.py'
  run_script none 7 "create copy run"
  [[ $(cat "$folder/output") == "trained cifar" ]] || fail "$target: the program printed $(cat "$folder/output" "$folder/trouble")"
  [[ $(cat "$folder/tpuplan.log") == "trained cifar" && $(cat "$folder/tpuplan.status") == 7 ]] || fail "$target: no log and status"
  [[ $(cat "$folder/pip") == '-m pip install jax[tpu]==0.6.2 --requirement=requirements.txt' ]] || fail "$target: pip got $(cat "$folder/pip")"
  [[ -e $folder/home/tpuplan/.git ]] && fail "$target: .git was copied"
  grep -q 'tpuplan.log and tpuplan.status on each VM' "$folder/errors" || fail "$target: no word of where its log is"
  grep -q '^(sleep 3600; \[ -e /tmp/tpuplan.started \]' "$folder/calls" || fail "$target: nothing ends VMs without a program"
  arrive "$target" 'true'
  run_script none 0 "create copy run delete"
  mv "$folder/my src" "$folder/moved"
  run_script none 1 ""
  mv "$folder/moved" "$folder/my src"
done
ready=RUNNING

launch_gce v6e-16
ready=4
run_script none 0 "create run run run run delete"
[[ $(cat "$folder/output") == '<gs://my-bucket/run><gs://my-bucket/run><gs://my-bucket/run><gs://my-bucket/run>' ]] ||
  fail "the VMs ran $(cat "$folder/output")"

# What is written is a script that shellcheck finds nothing in, where it is installed. Words for the shell of a VM are in
# single quotes, and quotes in them (SC2016, SC1003).
if command -v shellcheck >/dev/null; then
  for target in gcloud gce; do
    "$program" launch --slice v6e-16 --target "$target" --project my-project --zone us-east5-b --workdir src --framework jax \
      --command 'python3 train.py' >"$folder/script.sh"
    shellcheck --exclude=SC1003,SC2016 "$folder/script.sh" >"$folder/found" || fail "shellcheck of $target: $(cat "$folder/found")"
  done
fi

from_file=$("$program" launch "$plan" --target gke --image a/b:c --maxtext --set dataset_type=synthetic --set learning_rate=3e-4) || fail "from a file"
from_pipe=$("$program" launch - --target gke --image a/b:c --maxtext --set dataset_type=synthetic --set learning_rate=3e-4 <"$plan") || fail "from a pipe"
[[ -n $from_file && $from_file == "$from_pipe" ]] || fail "a pipe gives something else than a file"
data=$(dirname "$0")/../../data
"$program" --json plan "$data/models/llama-3.1-8b.json" --tokens 1T --deadline 30d >"$folder/long.json"
"$program" launch - --target gke --image a/b:c --maxtext --set dataset_type=synthetic --set learning_rate=3e-4 --rank 2 <"$folder/long.json" |
  grep -q 'per_device_batch_size' || fail "from plan"
# A plan counts the checkpoints that its launch writes, on demand, on spot, and as often as it is asked for.
for asked in "" "--provisioning spot" "--checkpoint-every 300"; do
  # shellcheck disable=SC2086
  "$program" --json plan "$data/models/llama-3.1-8b.json" --tokens 1T --deadline 60d --generation v6e $asked >"$folder/kept.json"
  period=$(sed -nE 's/.*"period": ([0-9]+).*/\1/p' "$folder/kept.json" | head -1)
  "$program" launch "$folder/kept.json" --target gke --image a/b:c --maxtext --set dataset_type=synthetic --set learning_rate=3e-4 --checkpoint gs://my-bucket/run \
    2>"$folder/errors" | grep -q "\"checkpoint_period=$period\"" || fail "plan $asked: checkpoints every $period steps: $(cat "$folder/errors")"
  grep -q "a checkpoint every $period steps" "$folder/errors" || fail "launch says $(cat "$folder/errors")"
  [[ $asked != *--checkpoint-every* || $period == 300 ]] || fail "plan $asked: every $period steps"
done
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
# Of a region whose zones are for single tenants, and of JSON, which takes no comments: what standard error has to say.
message=$("$program" launch --slice v6e-8 --target vertex --image a/b:c --location us-east4 2>&1 >/dev/null)
[[ $message == *"--location: us-east4 has v6e for single tenants alone"* ]] || fail "location: $message"
message=$("$program" launch --slice v6e-8 --target vertex --image a/b:c 2>&1 >/dev/null)
[[ $message == *"an hour, idle or not (on_demand in us, price of "* ]] || fail "price: $message"
rm -rf "$folder"
exit $failed
