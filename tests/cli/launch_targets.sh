#!/usr/bin/env bash
# launch_targets.sh PROGRAM DATA FOLDER: from a question to a program that starts, with every target. gcloud, kubectl, gcluster,
# xpk, sky and ray are stand-ins: they record what they are called with, and start what they are told to start.
set -u
program=$1 data=$2 folder=$3/launch_targets
rm -rf "$folder" && mkdir -p "$folder/bin" || exit 1
failed=0
fail() {
  printf '%s\n' "$1"
  failed=1
}

# What a service would run is in its words, in a flag's file, or in what it reads: start.py runs the words there.
cat >"$folder/bin/start.py" <<'START'
import json, os, re, subprocess, sys
tool, words = os.path.basename(sys.argv[1]), sys.argv[2:]
with open(os.environ["FOLDER"] + "/calls", "a") as calls:
    calls.write(json.dumps([tool] + words) + "\n")
flags = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)

def read(path):
    return (sys.stdin if path in ("-", "/dev/stdin") else open(path)).read()

def run(command, env=()):
    sys.exit(subprocess.run(command, env={**os.environ, **dict(env)}).returncode)

def container(one, literal):
    env = [(each["name"], each["value"]) for each in one.get("env", []) if "value" in each]
    run([literal(word) for word in one.get("command", []) + one.get("args", [])], env)

def kubelet(word):  # $$ is a dollar sign, $(NAME) a variable
    return re.sub(r"\$\$|\$\((\w+)\)", lambda found: os.environ.get(found[1], found[0]) if found[1] else "$", word)

if tool == "gcloud" and words[:3] == ["ai", "custom-jobs", "create"]:
    container(json.loads(read(flags["config"]))["workerPoolSpecs"][0]["containerSpec"], str)
if tool == "kubectl":
    assert words == ["apply", "-f", "-"], words
    document = json.loads("".join(line for line in sys.stdin if not line.startswith("#")))
    spec = document["spec"]
    if document["kind"] == "JobSet":
        spec = spec["replicatedJobs"][0]["template"]["spec"]
    container(spec["template"]["spec"]["containers"][0], kubelet)
if tool in ("gcluster", "xpk") and "command" in flags:
    run(["bash", "-c", kubelet(flags["command"])], [flags["env"].split("=", 1)] if "env" in flags else [])
if tool == "sky":
    lines = open(words[-1]).read().splitlines()
    value = lambda key: next((json.loads(line.split(": ", 1)[1]) for line in lines if re.match(r'\s*"?%s"?: ' % key, line)), None)
    run(["bash", "-c", value("run")], [("CHECKPOINT_DIR", value("CHECKPOINT_DIR"))] if value("CHECKPOINT_DIR") else [])
if tool == "ray" and words[0] == "exec":
    run(["bash", "-c", re.sub("^ray job submit .*?-- ", "", words[-1])],
        [("CHECKPOINT_DIR", found[1]) for found in [re.search(r"CHECKPOINT_DIR\W+(gs://[\w/-]+)", words[-1])] if found])
if tool == "gcloud" and "describe" in words:
    print("vm" if "format" in flags and "name" in flags["format"] else os.environ["READY"])
if tool == "gcloud" and "list-instances" in words:
    print("\n".join("vm-" + letter for letter in "abcd"))
if tool == "gcloud" and "ssh" in words and flags.get("command") != "true":
    os.chdir(os.environ["HOME"])
    run(["bash", "-c", flags["command"]])
START
for tool in gcloud kubectl gcluster xpk sky ray; do
  printf '#!/bin/sh\nexec /usr/bin/python3 "%s/bin/start.py" "$0" "$@"\n' "$folder" >"$folder/bin/$tool"
done
printf '#!/bin/sh\n' >"$folder/bin/sleep"
printf '#!/bin/sh\nwhile [ "$1" ] && [ "$1" != bash ] && [ "$1" != env ]; do shift; done\n[ "$1" ] && exec "$@"\nexit 0\n' >"$folder/bin/sudo"
printf '#!/bin/sh\necho t1v-n-0-w-1\n' >"$folder/bin/hostname"
chmod +x "$folder"/bin/*

# What a user does with the file of a target: the commands in its comments, then the file itself.
start() {
  local target=$1 file=$folder/$1.file
  rm -rf "${folder:?}/home" "$folder/started" "$folder/calls" && mkdir -p "$folder/home" && : >"$folder/calls"
  export FOLDER=$folder READY=ACTIVE
  [[ $target == gce ]] && READY=${2:-RUNNING}
  case $target in
    gke) sed -n 's/^# \(gcloud .*\)/\1/p' "$file" >"$folder/before" && printf 'kubectl apply -f - <"%s"\n' "$file" >"$folder/file" ;;
    xpk) sed -n 's/^# \(xpk cluster .*\)/\1/p' "$file" >"$folder/before" && cp "$file" "$folder/file" ;;
    skypilot) : >"$folder/before" && cp "$file" "$folder/job.yaml" && sed -n 's/^# \(sky .*\)/\1/p' "$file" >"$folder/file" ;;
    ray) sed -n 's/^# \(ray .*\)/\1/p' "$file" >"$folder/before" && : >"$folder/file" && cp "$file" "$folder/job.yaml" ;;
    *) : >"$folder/before" && cp "$file" "$folder/file" ;;
  esac
  (cd "$folder" && PATH=$folder/bin:$PATH HOME=$folder/home bash -e before && PATH=$folder/bin:$PATH HOME=$folder/home bash file) \
    >"$folder/output" 2>"$folder/errors" || fail "$target: status $? : $(cat "$folder/errors")"
}

# The program writes what it got: its words as they are, and where its checkpoints go.
command='printf "<%s>" "$CHECKPOINT_DIR" '\''a  b'\'' "\$(x)" >>"$FOLDER/started"'
printf '%s\n' "$command" >"$folder/program.sh"
names() {
  case $1 in
    vertex) echo --project my-project --location "${2%-*}" ;;
    gke | gcluster | xpk) echo --project my-project --zone "$2" --cluster tpus ;;
    skypilot) echo ;;
    *) echo --project my-project --zone "$2" ;;
  esac
}

count=0
for asked in "v5litepod-16 us-west4-a on_demand vertex gke gcloud gcluster skypilot ray xpk" \
  "v6e-8 us-east5-b spot vertex gke gcloud gce gcluster skypilot ray" "v6e-16 us-east5-b on_demand vertex gke gcloud gce gcluster skypilot ray xpk" \
  "v5p-32 us-east5-a spot gke gcloud gce gcluster skypilot ray xpk" "tpu7x-8 us-central1-c on_demand gke gce gcluster xpk"; do
  read -r slice zone way targets <<<"$asked"
  for target in $targets; do
    run=$command
    if [[ $target == ray ]]; then run="bash $folder/program.sh"; fi  # whose command line expands what is in a command
    # shellcheck disable=SC2046
    "$program" launch --slice "$slice" --provisioning "$way" --target "$target" $(names "$target" "$zone") --name job --image a/b:c \
      --checkpoint gs://my-bucket/run --command "$run" >"$folder/$target.file" 2>"$folder/errors" ||
      { fail "$slice by $target: $(cat "$folder/errors")"; continue; }
    if command -v shellcheck >/dev/null && [[ $target != gke && $target != skypilot && $target != ray ]]; then
      { printf '#!/usr/bin/env bash\n' && cat "$folder/$target.file"; } >"$folder/script.sh"
      shellcheck --exclude=SC1003,SC1128,SC2016 "$folder/script.sh" >"$folder/found" || fail "shellcheck of $target: $(cat "$folder/found")"
    fi
    if [[ $target == gcloud || $target == gce ]]; then continue; fi  # in a container on VMs: launch_script.sh runs programs there
    start "$target"
    started=$(cat "$folder/started" 2>/dev/null)
    [[ $started == '<gs://my-bucket/run><a  b><$(x)>' ]] || fail "$slice by $target: the program got $started; $(cat "$folder/errors")"
    count=$((count + 1))
  done
done
[[ $count -ge 20 ]] || fail "only $count programs were started"
# Jobs from the question to the program: tried/planning A to D, first jobs of their own. python3 says what it is started with.
printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>"$FOLDER/started"\n' >"$folder/bin/python3" && chmod +x "$folder/bin/python3"
# job NAME TARGET PATTERN LAUNCH -- QUESTION: what generate or train answers, or the first row of a plan, is started by the
# target, as the pattern says.
job() {
  local name=$1 target=$2 pattern=$3 planned=() launched=()
  shift 3
  while [[ $1 != -- ]]; do launched+=("$1") && shift; done
  shift && planned=("$@")
  [[ $1 == generate || $1 == train ]] || planned=(plan "$@")
  "$program" --json "${planned[@]}" >"$folder/plan.json" 2>"$folder/errors" || { fail "$name: $(cat "$folder/errors")"; return; }
  "$program" launch "$folder/plan.json" --target "$target" --name job "${launched[@]}" >"$folder/$target.file" 2>"$folder/errors" ||
    { fail "$name by $target: $(cat "$folder/errors")"; return; }
  start "$target"
  grep -Eq -- "$pattern" "$folder/started" || fail "$name by $target: started $(cat "$folder/started") $(cat "$folder/errors")"
}
maxtext=(--image a/b:c --maxtext --set dataset_type=synthetic --set learning_rate=3e-4 --checkpoint gs://my-bucket/run)
cluster=(--project my-project --cluster tpus --zone us-east5-b)
models=$data/models
job "A: 7B on 2T tokens" gke 'pre_train.train .*ici_fsdp_parallelism=[0-9]+ .*model_name=llama2-7b' "${cluster[@]}" "${maxtext[@]}" -- \
  "$models/llama-2-7b.json" --tokens 2T --deadline 45d --generation v6e --provisioning on_demand
job "B: experts" gcluster 'pre_train.train .*(model_name=qwen3-30b-a3b|num_experts=128)' "${cluster[@]}" "${maxtext[@]}" -- \
  "$models/qwen3-30b-a3b.json" --tokens 500B --seq 4096 --deadline 45d --generation v6e --provisioning on_demand
job "C: long context" xpk 'pre_train.train .*max_target_length=131072' "${cluster[@]}" "${maxtext[@]}" -- \
  "$models/llama-3.1-8b.json" --tokens 20B --seq 131072 --deadline 30d --generation v6e --provisioning on_demand
job "D: LoRA of 70B" gke '^train.py --rank 16' "${cluster[@]}" --image a/b:c --command 'python3 train.py --rank 16' -- \
  "$models/llama-3.1-70b.json" --lora 16 --tokens 100M --seq 2048 --batch 64 --generation v6e --deadline 7d --provisioning on_demand
# The same as they were asked: with their ways of paying, budget and regions.
job "A on spot" xpk 'pre_train.train .*ici_fsdp_parallelism=[0-9]+ .*model_name=llama2-7b' "${cluster[@]}" "${maxtext[@]}" -- \
  "$models/llama-2-7b.json" --seq 4096 --tokens 2T --deadline 45d --budget 400k --generation v6e --provisioning spot --region us-east5 --max-slices 2
job "B on spot" gke 'pre_train.train .*(model_name=qwen3-30b-a3b|num_experts=128)' --project my-project --cluster tpus --zone us-east5-a "${maxtext[@]}" -- \
  "$models/qwen3-30b-a3b.json" --tokens 500B --seq 4096 --deadline 45d --generation v5p --provisioning on_demand,spot,flex_start --best-per-generation
job "C on flex-start" skypilot 'pre_train.train .*max_target_length=131072' "${maxtext[@]}" -- \
  "$models/llama-3.1-8b.json" --tokens 20B --seq 131072 --deadline 7d --generation v6e --provisioning flex_start
job "D of int8 weights" gcluster '^train.py --rank 16' "${cluster[@]}" --image a/b:c --command 'python3 train.py --rank 16' -- \
  "$models/llama-3.1-70b.json" --lora 16 --weights int8 --tokens 100M --seq 2048 --batch 64 --generation v6e --deadline 7d --provisioning on_demand
# J: a model of one's own, by every target: its dimensions in place of a name, its own data and learning rate, three
# checkpoints, on VMs a disk that holds the image; what is left is deleted, and an hour of it has its price.
sed 's/"num_hidden_layers": 32/"num_hidden_layers": 30/' "$models/llama-2-7b.json" >"$folder/my7b.json"
"$program" --json plan "$folder/my7b.json" --tokens 2T --deadline 45d --generation v6e >"$folder/own.json" || fail "J: no plan"
for target in gke gcloud gce gcluster xpk; do
  # shellcheck disable=SC2046
  "$program" launch "$folder/own.json" --target "$target" $(names "$target" us-east5-b) --name job "${maxtext[@]}" >"$folder/j" 2>"$folder/errors" ||
    fail "J by $target: $(cat "$folder/errors")"
  for words in base_emb_dim=4096 base_num_decoder_layers=30 vocab_size=32000 dataset_type=synthetic learning_rate=3e-4 max_num_checkpoints_to_keep=3 checkpoint_period=; do
    grep -q -e "$words" "$folder/j" || fail "J by $target: no $words"
  done
  grep -q model_name= "$folder/j" && fail "J by $target: a model_name that MaxText does not know"
  grep -q '[$][0-9.]* an hour, idle or not' "$folder/j" || fail "J by $target: not what an hour costs"
  [[ $target != gce ]] || grep -q -e '--boot-disk-size=100GB' "$folder/j" || fail "J: no disk"
  [[ $target != gcloud && $target != gce ]] || grep -q "trap 'delete; exit 1'" "$folder/j" || fail "J by $target: nothing deletes"
done
own=(--image a/b:c --command 'python3 train.py')
job "ResNet-50" vertex '^train.py' --project my-project --location us-central1 "${own[@]}" -- \
  "$data/networks/resnet-50.json" --batch 1024 --examples 1281167 --epochs 90 --generation v5e --provisioning on_demand
job "EfficientNet" ray '^train.py' --project my-project --zone us-west4-a "${own[@]}" -- \
  "$data/networks/efficientnet-b0.json" --batch 1024 --examples 1.2M --epochs 90 --generation v5e --provisioning on_demand
job "EfficientNetV2-S at 384" vertex '^train.py' --project my-project --location us-central1 "${own[@]}" -- \
  efficientnet_v2_s --batch 1024 --examples 1.2M --epochs 90 --generation v5e --provisioning on_demand
job "BERT" skypilot '^train.py' --checkpoint gs://my-bucket/run "${own[@]}" -- \
  "$data/networks/bert-base.json" --batch 256 --examples 100k --epochs 3 --generation v6e --provisioning spot
job "ViT-B/16" gcluster '^train.py' --checkpoint gs://my-bucket/run "${cluster[@]}" "${own[@]}" -- \
  "$models/vit-base-patch16-224.json" --batch 1024 --examples 1281167 --epochs 90 --generation v6e --provisioning spot
job "U-Net of Keras" vertex '^train.py' --project my-project --location us-central1 "${own[@]}" -- \
  "$(dirname "$0")/../unit/read/keras/unet.json" --batch 256 --examples 100k --epochs 10 --generation v5e --provisioning on_demand
job "LSTM of Keras" gke '^train.py' "${cluster[@]}" "${own[@]}" -- \
  "$(dirname "$0")/../unit/read/keras/imdb_bilstm.json" --batch 1024 --examples 25000 --epochs 2 --generation v6e --provisioning on_demand

pictures=(--image a/b:c --maxdiffusion --checkpoint gs://my-bucket/run) asked=$(dirname "$0")/plans
job "FLUX at 1024" gcluster 'generate_flux.py .*base_flux_dev.yml .*resolution=1024 .*num_inference_steps=28 per_device_batch_size=1 prompt=a cat' \
  "${cluster[@]}" "${pictures[@]}" --set 'prompt=a cat' -- generate "$asked/flux.json" --slice v6e-4 --size 1024x1024 --steps 28 --batch 4
job "clips at 720p" gke 'generate_wan.py .*base_wan_14b.yml .*height=720 width=1280 num_frames=81 .*prompt=a cat' \
  "${cluster[@]}" "${pictures[@]}" --set 'prompt=a cat' -- \
  "$asked/wan.json" --items-per-hour 40 --latency 10min --size 1280x720 --frames 81 --steps 50 --guidance 5
job "Stable Diffusion XL, fine-tuned" vertex 'train_sdxl.py .*base_xl.yml .*resolution=1024 .*max_train_steps=5000 per_device_batch_size=1 ' \
  --project my-project --location us-central1 "${pictures[@]}" --set dataset_name=mine --set learning_rate=1e-5 -- \
  train "$asked/sdxl.json" --slice v5e-8 --size 1024x1024 --batch 8 --examples 20000 --epochs 2 --keep-activations

# Jobs of first jobs whose configurations are those of the table of checkpoints, in it by their names.
published() {
  /usr/bin/python3 -c '
import json, sys
rows = json.load(open(sys.argv[1] + "/checkpoints.json"))
config = next(row["config"] for row in rows["checkpoints"] + rows["diffusers"] if row["name"] == sys.argv[2])
print(json.dumps({**config, **json.loads(sys.argv[3])}))' "$data" "$1" "${3:-{\}}" >"$folder/$2.json"
}
published google-bert/bert-large-uncased bert-large
job "BERT-large" skypilot '^train.py' --checkpoint gs://my-bucket/run "${own[@]}" -- \
  "$folder/bert-large.json" --batch 256 --seq 128 --examples 100k --epochs 3 --generation v6e --provisioning spot
published 'google/gemma-3-4b-it, text' gemma-3-4b
job "Gemma-3-4B, LoRA" gke '^train.py' "${cluster[@]}" "${own[@]}" -- \
  "$folder/gemma-3-4b.json" --lora 16 --batch 16 --seq 1024 --examples 50k --epochs 3 --generation v6e --provisioning on_demand
published google/vit-huge-patch14-224-in21k vit-h '{"image_size": 518}'
job "ViT-H/14 at 518" gke '^train.py' "${cluster[@]}" "${own[@]}" -- \
  "$folder/vit-h.json" --batch 1024 --examples 1281167 --epochs 30 --generation v5p --provisioning on_demand
job "Whisper" gcluster '^train.py' "${cluster[@]}" "${own[@]}" -- \
  "$asked/whisper.json" --batch 256 --examples 1M --epochs 3 --generation v6e --provisioning on_demand
published facebook/DiT-XL-2-256 dit
job "DiT-XL/2" gke '^train.py' "${cluster[@]}" "${own[@]}" -- \
  train "$folder/dit.json" --slice v5e-8 --size 256x256 --batch 256 --examples 1281167 --epochs 10
published 'stable-diffusion-v1-5/stable-diffusion-v1-5, unet' unet
job "Stable Diffusion 1.5, fine-tuned" gcluster 'train.py .*base15.yml .*resolution=512 ' "${cluster[@]}" "${pictures[@]}" \
  --set dataset_name=mine --set learning_rate=1e-5 -- \
  train "$folder/unet.json" --slice v5p-8 --size 512x512 --batch 8 --examples 20000 --epochs 2 --keep-activations
published google-t5/t5-base t5
job "T5" vertex '^train.py' --project my-project --location us-central1 "${own[@]}" -- \
  "$folder/t5.json" --batch 256 --seq 128 --source-length 512 --examples 1M --epochs 3 --generation v5e --provisioning on_demand
published openai/clip-vit-large-patch14 clip
/usr/bin/python3 -c 'import json, sys; print(json.dumps({"model_type": "clip_vision_model", **json.load(open(sys.argv[1]))["vision_config"]}))' "$folder/clip.json" >"$folder/tower.json"
job "CLIP, its images" gke '^train.py' --project my-project --cluster tpus --zone us-east5-a "${own[@]}" -- \
  "$folder/tower.json" --batch 32768 --examples 400M --epochs 1 --generation v5p --provisioning on_demand
"$program" --json plan "$folder/clip.json" --batch 32768 --examples 400M --epochs 1 --generation v5e >"$folder/plan.json" 2>"$folder/errors" &&
  "$program" launch "$folder/plan.json" --target gke "${cluster[@]}" "${maxtext[@]}" >/dev/null 2>"$folder/errors" &&
  fail "CLIP by MaxText: started"
grep -q 'valid: ' "$folder/errors" || fail "CLIP by MaxText: $(cat "$folder/errors")"

# The line that starts a plan, with the user's words in place of its capitals, starts it.
while IFS= read -r question; do
  eval "arguments=($question)"
  line=$("$program" "${arguments[@]}" | sed -nE 's/^ *(next: )?(--json [|] )?(tpuplan launch .*)   with your own.*/\3/p')
  [[ $line ]] || { fail "$question: no line that starts it"; continue; }
  line=$(sed -E 's/BUCKET/my-bucket/g; s/IMAGE/a\/b:c/; s/PROJECT/my-project/; s/ZONE/us-central1-b/; s/RATE/3e-4/; s/PROMPT/cat/
    s/COMMAND/true/; s/RESERVATION/mine/; s/SECRET/hf/; s/=NAME/=mine/; s/FOLDER/run/; s/DATA/data/; s/^tpuplan //' <<<"$line")
  eval "words=($line)"
  if [[ $line == "launch - "* ]]; then "$program" --json "${arguments[@]}" >"$folder/plan.json"; else : >"$folder/plan.json"; fi
  "$program" "${words[@]}" <"$folder/plan.json" >/dev/null 2>"$folder/errors" || fail "$question: $line: $(cat "$folder/errors")"
done <<EOF
plan $models/llama-3.1-8b.json --tokens 1T
plan $models/llama-3.1-8b.json --tokens 200B --provisioning spot --generation v6e
plan $models/phi-4-mini.json --tokens 10B --seq 2048 --generation v5e
plan $models/gpt2.json --tokens 1B --seq 1024 --generation v2
plan $data/networks/resnet-50.json --batch 1024 --examples 1281167 --epochs 90 --generation v5e
plan $asked/wan.json --items-per-hour 40 --latency 10min --size 1280x720 --frames 81 --steps 50 --guidance 5
generate $asked/flux.json --slice v6e-4 --size 1024x1024 --steps 28 --batch 4
train $asked/sdxl.json --slice v5e-8 --size 1024x1024 --batch 8 --examples 20000 --epochs 2 --keep-activations
EOF

# What a launch says, on standard error or in the comments of its file.
says() {
  local pattern=$1
  shift
  "$program" launch "$@" >"$folder/errors" 2>&1 || fail "$*: $(cat "$folder/errors")"
  grep -Eq -- "$pattern" "$folder/errors" || fail "$*: no '$pattern' in $(cat "$folder/errors")"
}
says "nothing of the plan's layout, batch and steps is passed to the image: --maxtext or --command" "$asked/llama.json" --target gke --image a/b:c
says 'flex_start in us: no price is known in asia-northeast1, that of us, price of .*, before an announced change' \
  --slice v6e-8 --provisioning flex_start --zone asia-northeast1-b --project my-project --cluster tpus --target gke --image a/b:c
says '^tpuplan: .* an hour, idle or not .flex_start in us, price of .*, before an announced change' \
  --slice v6e-8 --provisioning flex_start --target gke --image a/b:c
says 'requests of more than [0-9]+ tokens, prompt and answer, are refused' "$asked/serving.json" --target gke --image a/b:c --engine vllm --model some/model
"$program" --json generate "$asked/flux.json" --slice v6e-4 --size 1024x1024 --steps 28 --batch 4 >"$folder/flux.json"
flux=("$folder/flux.json" "${pictures[@]}" --set prompt=cat)
"$program" launch "${flux[@]}" --target gke >/dev/null 2>"$folder/errors" && fail "FLUX without a token"
grep -q -e '--secret is missing; valid: .*black-forest-labs/FLUX.1-dev' "$folder/errors" || fail "FLUX: $(cat "$folder/errors")"
says 'gated at Hugging Face: the image has to have HF_TOKEN' "${flux[@]}" --target gcluster "${cluster[@]}"
"$program" launch "${flux[@]}" --target gke --secret hf 2>/dev/null | grep -q '"name": "HF_TOKEN"' || fail "FLUX by a secret: no HF_TOKEN"
# The copy of images does not hide that the program failed.
"$program" --json generate "$asked/sdxl.json" --slice v6e-4 --size 1024x1024 --batch 4 --guidance 5 >"$folder/plan.json" || fail "no SDXL"
"$program" launch "$folder/plan.json" "${pictures[@]}" --set prompt=cat --target gke >"$folder/gke.file" 2>"$folder/errors" || fail "SDXL: $(cat "$folder/errors")"
for status in 0 7; do
  printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>"$FOLDER/started"\ncase $1 in -c) exit 0 ;; esac\nexit %s\n' "$status" >"$folder/bin/python3"
  rm -f "$folder/started"
  (export FOLDER=$folder PATH=$folder/bin:$PATH && kubectl apply -f - <"$folder/gke.file")
  [[ $? == "$status" ]] || fail "images: another status than $status"
  grep -q 'my-bucket/run/tpuplan image_sdxl_' "$folder/started" || fail "images are not copied: $(cat "$folder/started")"
done

command -v shellcheck >/dev/null || echo "shellcheck is not installed: scripts are not checked with it"

rm -rf "$folder"
exit $failed
