#!/usr/bin/env bash
# llama-8b: 2 x v6e-256, spot
set -u
create() {
  gcloud compute tpus queued-resources create llama-8b \
    --project=my-project \
    --zone=us-east5-b \
    --node-count=2 \
    --node-prefix=llama-8b \
    --accelerator-type=v6e-256 \
    --runtime-version=v2-alpha-tpuv6e \
    '--metadata=checkpoint-dir=gs://my-bucket/llama,startup-script=#!/bin/sh
(sleep 3600; [ -e /tmp/llama-8b.started ] || [ -e /tmp/llama-8b.keep ] || case $(hostname) in *-w-0) gcloud compute tpus queued-resources delete llama-8b --project=my-project --zone=us-east5-b --force --quiet ;; esac) &' \
    --spot
}
state() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    if answer=$(gcloud compute tpus queued-resources describe llama-8b --project=my-project --zone=us-east5-b '--format=value(state.state)' 2>/tmp/llama-8b.error); then
      echo "$answer"
      return
    fi
    if grep -q -e NOT_FOUND -e 'was not found' /tmp/llama-8b.error; then
      echo NOT_FOUND
      return
    fi
    sleep 30
  done
  echo UNKNOWN
}
run() {
  gcloud compute tpus queued-resources ssh llama-8b \
    --project=my-project \
    --zone=us-east5-b \
    --node=all \
    --batch-size=all \
    --worker=all \
    --ssh-flag=-oServerAliveInterval=30 \
    '--command=program=$(cat llama-8b.pid 2>/dev/null); if ! kill -0 "${program:-none}" 2>/dev/null; then touch /tmp/llama-8b.started; rm -f llama-8b.status; : >llama-8b.log; nohup bash -c '\''(sudo gcloud auth configure-docker us-docker.pkg.dev --quiet; sudo docker run --rm --privileged --net=host --env=CHECKPOINT_DIR=gs://my-bucket/llama us-docker.pkg.dev/my-project/train/maxtext:v1 bash -c '\''\'\'''\''echo "$(hostname)" '\''\'\'''\''\'\''\'\'''\'''\''\'\'''\''it'\''\'\'''\''\'\''\'\'''\'''\''\'\'''\'''\''\'\'''\''
); status=$?; echo "$status" >llama-8b.status; gcloud storage cp llama-8b.log "gs://my-bucket/llama/logs/$(hostname)-$(date +%s).log"; exit "$status"'\'' >>llama-8b.log 2>&1 </dev/null & program=$!; echo "$program" >llama-8b.pid; (setsid sh -c '\''while kill -0 "$1" 2>/dev/null; do sleep 10; done; sleep 1800; [ -e /tmp/llama-8b.keep ] || case $(hostname) in *-w-0) gcloud compute tpus queued-resources delete llama-8b --project=my-project --zone=us-east5-b --force --quiet ;; esac'\'' watch "$program" </dev/null >/dev/null 2>&1 &); fi; tail --pid="$program" -n +1 -f llama-8b.log; exit "$(cat llama-8b.status 2>/dev/null || echo 1)"'
}
delete() {
  gcloud compute tpus queued-resources delete llama-8b \
    --project=my-project \
    --zone=us-east5-b \
    --force \
    --quiet
}

trap 'delete; exit 1' HUP INT TERM
restarts=0
while true; do
  create || exit 1
  now=$(state)
  while [ "$now" != ACTIVE ]; do
    case "$now" in
      FAILED | SUSPENDING | SUSPENDED | PREEMPTED | NOT_FOUND) break ;;
    esac
    sleep 60
    now=$(state)
  done
  if [ "$now" = ACTIVE ]; then
    run
    status=$?
    if [ "$status" -eq 0 ]; then
      delete
      exit 0
    fi
    sleep 120  # until a preemption shows in the state
    now=$(state)
    if [ "$now" = ACTIVE ] || [ "$now" = UNKNOWN ]; then
      echo "llama-8b: the program failed, or the connection to it was lost; its TPUs are still there, and billed until they are deleted" >&2
      echo "half an hour after the program they are deleted, if the service account of the VMs has the role TPU Admin; a file /tmp/llama-8b.keep on them keeps them; what it printed and its exit status are in llama-8b.log and llama-8b.status on each VM, and in gs://my-bucket/llama/logs" >&2
      exit "$status"
    fi
  fi
  delete
  [ "$restarts" -lt 100 ] || exit 1
  restarts=$((restarts + 1))
done
