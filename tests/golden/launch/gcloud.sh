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
  gcloud compute tpus queued-resources describe llama-8b \
    --project=my-project \
    --zone=us-east5-b \
    '--format=value(state.state)'
}
run() {
  gcloud compute tpus queued-resources ssh llama-8b \
    --project=my-project \
    --zone=us-east5-b \
    --node=all \
    --batch-size=all \
    --worker=all \
    --ssh-flag=-oServerAliveInterval=30 \
    '--command=touch /tmp/llama-8b.started; : >llama-8b.log; nohup bash -c '\''(sudo docker run --rm --privileged --net=host --env=CHECKPOINT_DIR=gs://my-bucket/llama us-docker.pkg.dev/my-project/train/maxtext:v1 bash -c '\''\'\'''\''echo "$(hostname)" '\''\'\'''\''\'\''\'\'''\'''\''\'\'''\''it'\''\'\'''\''\'\''\'\'''\'''\''\'\'''\'''\''\'\'''\''
); status=$?; echo "$status" >llama-8b.status; gcloud storage cp llama-8b.log "gs://my-bucket/llama/logs/$(hostname)-$(date +%s).log"; exit "$status"'\'' >>llama-8b.log 2>&1 </dev/null & program=$!; (setsid sh -c '\''while kill -0 "$1" 2>/dev/null; do sleep 10; done; sleep 1800; [ -e /tmp/llama-8b.keep ] || case $(hostname) in *-w-0) gcloud compute tpus queued-resources delete llama-8b --project=my-project --zone=us-east5-b --force --quiet ;; esac'\'' watch "$program" </dev/null >/dev/null 2>&1 &); tail --pid="$program" -n +1 -f llama-8b.log; wait "$program"'
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
  while [ "$(state)" != ACTIVE ]; do
    case "$(state)" in
      FAILED | SUSPENDING | SUSPENDED | PREEMPTED) break ;;
    esac
    sleep 60
  done
  if [ "$(state)" = ACTIVE ]; then
    run
    status=$?
    if [ "$status" -eq 0 ]; then
      delete
      exit 0
    fi
    sleep 120  # until a preemption shows in the state
    if [ "$(state)" = ACTIVE ]; then
      echo "llama-8b: the program failed, or the connection to it was lost; its TPUs are still there, and billed until they are deleted" >&2
      echo "half an hour after the program they are deleted, if the service account of the VMs has the role TPU Admin; a file /tmp/llama-8b.keep on them keeps them; what it printed and its exit status are in llama-8b.log and llama-8b.status on each VM, and in gs://my-bucket/llama/logs" >&2
      exit "$status"
    fi
  fi
  delete
  [ "$restarts" -lt 100 ] || exit 1
  restarts=$((restarts + 1))
done
