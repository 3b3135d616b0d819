"""command_line_test.py SOURCE ASK_LINES PROGRAM: `tpuplan … --json` is the answer of the same question."""
import json
import pathlib
import subprocess
import sys

source, ask_lines, program = (pathlib.Path(one) for one in sys.argv[1:4])
sys.path.insert(0, str(source / "tests/web"))
from questions import differences  # noqa: E402

LLAMA = "llama-3.1-8b.json"
OF_A_DAY = {"percentiles": {"first_token": {"share": 0.99, "limit_s": 2}}}
DAY = {"day": {"rates_per_s": [6, 3, 10, 16], "part_s": 3600}}  # day.csv
TIMES = {"first_token": {"share": 0.99, "limit_s": 0.1}}

# Arguments of the command line, the question, its request; CONFIG.json is a file of data/models.
PAIRS = [
    ("chips", "chips", {}),
    ("chips v5p", "chips", {"name": "v5p"}),
    ("slices v5e-16", "slices", {"name": "v5e-16"}),
    ("slices --generation v5e,v6e", "slices", {"generations": ["v5e", "v6e"]}),
    ("batch v6e --weights int8 --shape 512x4096x16384", "batch",
     {"chip": "v6e", "weights": "int8", "shape": {"batch": 512, "inner": 4096, "outer": 16384}}),
    ("pad v5e 100 300", "pad", {"chip": "v5e", "dimensions": [100, 300]}),
    ("model llama-3.1-8b.json --seq 8192 --kv-dtype int8", "model",
     {"config": LLAMA, "sequence_length": 8192, "kv_dtype": "int8"}),
    ("model t5-base.json", "model", {"config": "t5-base.json"}),
    ("model gemma-3-27b.json", "model", {"config": "gemma-3-27b.json"}),
    ("model vit-base-patch16-224.json", "model", {"config": "vit-base-patch16-224.json"}),
    ("fit llama-3.1-8b.json --slice v5e-16", "fit", {"config": LLAMA, "slice": "v5e-16"}),
    ("fit llama-3.1-8b.json --slice v6e-256 --slices 2 --tensor 2 --batch-tokens 4M --remat minimal", "fit",
     {"config": LLAMA, "slice": "v6e-256", "mesh": {"tensor": 2, "dcn_data": 2}, "batch_tokens": 4000000,
      "job": {"remat": "minimal"}}),
    ("fit mixtral-8x7b.json --slice v5p-128 --expert 8 --capacity-factor 1.5", "fit",
     {"config": "mixtral-8x7b.json", "slice": "v5p-128", "mesh": {"expert": 8}, "job": {"capacity_factor": 1.5}}),
    ("train llama-3.1-8b.json --slice v6e-256 --batch-tokens 4Mi --tokens 1T --rest-used 0.5 --mtbp 2h", "train",
     {"config": LLAMA, "slice": "v6e-256", "batch_tokens": 4194304, "tokens": 1e12, "rest_of_term_used": 0.5,
      "mean_time_between_preemptions_s": 7200}),
    ("train bert-base-uncased.json --slice v5e-16 --seq 512 --batch 256", "train",
     {"config": "bert-base-uncased.json", "slice": "v5e-16", "job": {"sequence_length": 512, "global_batch": 256}}),
    ("train gemma-2-9b.json --slice v6e-64 --batch 64 --lora 16", "train",
     {"config": "gemma-2-9b.json", "slice": "v6e-64", "job": {"global_batch": 64, "lora_rank": 16}}),
    ("serve llama-3.1-8b.json --slice v6e-8", "serve", {"config": LLAMA, "slice": "v6e-8"}),
    ("serve llama-3.1-70b.json --slice v6e-8 --weights int8 --tensor 8 --concurrency 32 --region us-east5", "serve",
     {"config": "llama-3.1-70b.json", "slice": "v6e-8", "region": "us-east5", "mesh": {"tensor": 8},
      "job": {"weights": "int8", "concurrency": 32}}),
    ("serve llama-3.1-8b.json --slice v6e-8 --rate 5 --ttft-p99 100ms --engine vllm", "serve",
     {"config": LLAMA, "slice": "v6e-8", "job": {"request_rate_per_s": 5, "percentiles": TIMES, "engine": "vllm"}}),
    ("serve llama-3.1-8b.json --slice v6e-8 --rate 60 --ttft-p99 100ms", "serve",
     {"config": LLAMA, "slice": "v6e-8", "job": {"request_rate_per_s": 60, "percentiles": TIMES}}),
    ("spot --work 10d --mtbp 4h --parameters 8B --on-demand 3.6 --spot 1.8 --chips 8", "spot",
     {"work_s": 864000, "mean_time_between_preemptions_s": 14400, "parameters": 8000000000,
      "on_demand_usd_per_s": 0.001, "spot_usd_per_s": 0.0005, "chips": 8}),
    ("pay --slice v5e-32 --slices 2 --run 10d", "pay", {"slice": "v5e-32", "slices": 2, "run_s": 864000}),
    ("pay --slice v6e-256 --run 8d --whole --market calm --parameters 8B --region us-central1 --gpu H100 --gpus 64 "
     "--gpu-run 8d --engineering 60k --jobs 4", "pay",
     {"slice": "v6e-256", "run_s": 691200, "may_be_split": False, "market": "calm", "parameters": 8000000000,
      "region": "us-central1", "against": {"gpu": "H100", "gpus": 64, "run_s": 691200, "engineering_usd": 60000,
                                            "jobs_per_month": 4}}),
    ("simulate llama-3.1-8b.json --slice v6e-8 --rate 4 --requests 400 --variation 2 --seed 7", "simulate",
     {"config": LLAMA, "slice": "v6e-8", "requests": 400, "variation": 2, "seed": 7,
      "job": {"request_rate_per_s": 4}}),
    ("simulate llama-3.1-8b.json --slice v5e-8 --rate 9 --requests 300 --ttft-p99 100ms --alone", "simulate",
     {"config": LLAMA, "slice": "v5e-8", "requests": 300, "prefill": "alone",
      "job": {"request_rate_per_s": 9, "percentiles": TIMES}}),
    ("plan llama-3.1-8b.json --tokens 1T --deadline 30d", "plan",
     {"config": LLAMA, "tokens": 1e12, "deadline_s": 2592000}),
    ("plan llama-3.1-8b.json --tokens 1T --batch 1000 --provisioning spot,on_demand --max-slices 2 --generation v6e "
     "--objective fastest --budget 1M --accept-uncertain", "plan",
     {"config": LLAMA, "tokens": 1e12, "job": {"global_batch": 1000}, "kinds": ["spot", "on_demand"],
      "largest_slices": 2, "generations": ["v6e"], "best": "fastest", "budget_usd": 1e6, "accept_uncertain": True}),
    ("plan llama-3.1-405b.json --tokens 15T --deadline 1d --generation v5p", "plan",
     {"config": "llama-3.1-405b.json", "tokens": 15e12, "deadline_s": 86400, "generations": ["v5p"]}),
    ("plan llama-3.1-8b.json --serve --rate 20 --tpot 30ms --rows 5", "plan_serving",
     {"config": LLAMA, "most_plans": 5, "job": {"request_rate_per_s": 20, "tpot_target_s": 0.03}}),
    ("fit llama-3.1-8b.json --slice v5p-128 --batch 64 --calibration runs.json", "fit",
     {"config": LLAMA, "slice": "v5p-128", "job": {"global_batch": 64}, "calibration": "runs.json"}),
    ("train llama-3.1-8b.json --slice v5p-128 --batch 64 --tokens 1T --calibration runs.json", "train",
     {"config": LLAMA, "slice": "v5p-128", "job": {"global_batch": 64}, "tokens": 1e12, "calibration": "runs.json"}),
    ("risk llama-3.1-8b.json --slice v5p-128 --batch 64 --tokens 100B --deadline 30d --calibration runs.json", "risk",
     {"config": LLAMA, "slice": "v5p-128", "job": {"global_batch": 64}, "tokens": 1e11, "deadline_s": 2592000,
      "calibration": "runs.json"}),
    ("plan llama-3.1-8b.json --tokens 100B --batch 64 --generation v5p --calibration runs.json", "plan",
     {"config": LLAMA, "tokens": 1e11, "job": {"global_batch": 64}, "generations": ["v5p"],
      "calibration": "runs.json"}),
    ("serve llama-3.1-8b.json --slice v6e-8 --calibration runs.json", "serve",
     {"config": LLAMA, "slice": "v6e-8", "calibration": "runs.json"}),
    ("simulate llama-3.1-8b.json --slice v6e-8 --rate 4 --requests 400 --calibration runs.json", "simulate",
     {"config": LLAMA, "slice": "v6e-8", "requests": 400, "job": {"request_rate_per_s": 4},
      "calibration": "runs.json"}),
    ("plan llama-3.1-8b.json --serve --rate 20 --generation v6e --rows 3 --calibration runs.json", "plan_serving",
     {"config": LLAMA, "most_plans": 3, "generations": ["v6e"], "job": {"request_rate_per_s": 20},
      "calibration": "runs.json"}),
    ("simulate llama-3.1-8b.json --slice v6e-1 --ttft-p99 2s --day day.csv --calibration runs.json", "day",
     {"config": LLAMA, "slice": "v6e-1", "job": OF_A_DAY, "traffic": DAY, "calibration": "runs.json"}),
    ("plan llama-3.1-8b.json --serve --generation v6e --max-chips 8 --rows 2 --ttft-p99 2s --day day.csv "
     "--calibration runs.json", "plan_day",
     {"config": LLAMA, "generations": ["v6e"], "largest_chips": 8, "most_plans": 2, "job": OF_A_DAY, "traffic": DAY,
      "calibration": "runs.json"}),
    ("plan llama-3.1-8b.json --serve --rate 100 --budget 1 --dtype int8 --serving-weights int8 --generation v4,v6e "
     "--rows 8", "plan_serving",
     {"config": LLAMA, "budget_usd_per_s": 1 / 3600, "generations": ["v4", "v6e"],
      "job": {"request_rate_per_s": 100, "activations": "int8", "weights": "int8"}}),
]


def path_of(file):
    return next(one / file for one in (source / "data/models", source / "tests/cli/plans") if (one / file).exists())


def filled(request):
    """The request with the files that it names."""
    request = dict(request)
    if "config" in request:
        request["config"] = config_of(request["config"])
    if "calibration" in request:
        request["calibration"] = json.loads(path_of(request["calibration"]).read_text())
    return request


def config_of(file):
    """As the command line reads it: called as its file is."""
    return {**json.loads((source / "data/models" / file).read_text()), "_name_or_path": file[:-len(".json")]}


def told(arguments):
    words = [str(path_of(one)) if one.endswith((".json", ".csv")) else one for one in arguments.split()]
    run = subprocess.run([program, "--json", *words], capture_output=True, text=True, timeout=120)
    if run.returncode not in (0, 1):
        sys.exit("tpuplan %s: %s" % (arguments, run.stderr))
    return json.loads(run.stdout)


def launched():
    """The file that starts a plan, and the question of the same."""
    plan = told("plan llama-3.1-8b.json --tokens 1T --deadline 30d --generation v6e")
    run = subprocess.run([program, *"--json launch - --target gke --image eu.gcr.io/p/i --name a".split()],
                         input=json.dumps(plan), capture_output=True, text=True, timeout=120)
    return json.loads(run.stdout), {"plan": plan, "target": "gke", "request": {"image": "eu.gcr.io/p/i", "name": "a"}}


def main():
    requests = [filled(request) for _, _, request in PAIRS]
    started, launch = launched()
    names = [name for _, name, _ in PAIRS] + ["launch"]
    lines = "".join(json.dumps({"schema": "tpuplan/1", "question": name, "request": request}) + "\n"
                    for name, request in zip(names, requests + [launch]))
    answers = subprocess.run([ask_lines], input=lines, capture_output=True, text=True, timeout=600).stdout.splitlines()
    failed = 0
    for (arguments, told_document), line in zip(
            [(arguments, told(arguments)) for arguments, _, _ in PAIRS] + [("launch", started)], answers, strict=True):
        answer = json.loads(line).get("answer", {"none": line})
        faults = differences(answer["document"] if arguments == "launch" else answer, told_document)
        failed += bool(faults)
        for one in faults[:5]:
            print("tpuplan %s: %s" % (arguments, one[:300]))
    print("%d of %d documents differ" % (failed, len(answers)))
    return 1 if failed or len(answers) != len(PAIRS) + 1 else 0


sys.exit(main())
