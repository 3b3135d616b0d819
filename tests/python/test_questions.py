"""import tpuplan: typed answers, refusals, notebooks; and the hundred questions answered as the native program does."""

import inspect
import json
import math
import os
import pathlib
import subprocess
import sys
import threading
import xml.etree.ElementTree as xml

import pytest
import tpuplan


def test_answers_are_typed(config):
    trained = tpuplan.train(config, "v6e-256", batch_tokens=4194304, tokens=1e12)
    assert isinstance(trained, tpuplan.TrainAnswer)
    assert isinstance(trained.memory, tpuplan.FitAnswer)
    assert isinstance(trained.breakdown, tpuplan.StepBreakdown)
    assert trained.step_time_s == trained.breakdown.total_s == trained.raw["step_time_s"]
    assert trained.memory.job.global_batch == 1024
    assert {one.kind for one in trained.costs} >= {"on_demand", "spot"}
    assert tpuplan.chips("v5p").chips[0].hbm.capacity_bytes == 96 * 2**30
    assert tpuplan.batch("v5e").critical_batch == 241
    assert tpuplan.batch("v5e").levels[0].from_ == "hbm"


def test_a_question_is_a_path_a_dict_or_a_struct(config):
    by_path = tpuplan.fit(str(config), "v5p-128", job={"global_batch": 64})
    named = {**json.loads(config.read_text()), "_name_or_path": "meta-llama/llama-3.1-8b"}  # as a path is the name
    by_dict = tpuplan.fit(named, "v5p-128", job=tpuplan.TrainingJob(global_batch=64))
    assert by_path == by_dict
    assert tpuplan.model(config).name == "llama-3.1-8b"
    again = tpuplan.fit(config, "v5p-128", job=by_path.job, mesh=by_path.mesh)
    assert again.used_bytes == by_path.used_bytes


def test_a_plan_is_launched(config):
    planned = tpuplan.plan(config, tokens=1e11, generations=["v6e"])
    assert planned.plans[0].rank == 1 and planned.plans[0].plan.costs[0].total_usd > 0
    launched = tpuplan.launch(planned, "gke", request=tpuplan.LaunchRequest(name="llama", image="eu.gcr.io/p/i"))
    assert "google.com/tpu" in launched.text


def test_what_is_wrong_is_raised(config):
    with pytest.raises(tpuplan.Error) as refusal:
        tpuplan.slices("v5e-24")
    assert (refusal.value.code, refusal.value.field, refusal.value.value) == ("unknown_name", "slice", "v5e-24")
    assert "v5litepod-16" in refusal.value.valid and "slice is v5e-24" in str(refusal.value)
    with pytest.raises(tpuplan.Error, match="missing"):
        tpuplan.fit(config)
    with pytest.raises(TypeError):
        tpuplan.fit(config, "v6e-8", heat=3)
    with pytest.raises(tpuplan.Error, match="batsh"):
        tpuplan.fit(config, "v6e-8", job={"global_batsh": 4})
    with pytest.raises(FileNotFoundError):
        tpuplan.model("no such file")
    with pytest.raises(tpuplan.Error, match="request.work_s is nan"):
        tpuplan.spot(work_s=math.nan)
    with pytest.raises(tpuplan.Error, match=r"request.job.tpot_target_s is nan"):
        tpuplan.serve(config, "v6e-8", job={"tpot_target_s": math.nan})
    assert json.loads(tpuplan.ask_text("{"))["error"]["code"] == "malformed_input"


def test_own_runs_are_a_path_or_a_document(config):
    path = pathlib.Path(__file__).parent.parent / "cli/plans/runs.json"
    job = {"global_batch": 64}
    without = tpuplan.train(config, "v5p-128", job=job)
    known = tpuplan.train(config, "v5p-128", job=job, calibration=path)
    assert known.own_runs == 2 and without.own_runs == 0
    assert known.step_time_high_s / known.step_time_low_s < without.step_time_high_s / without.step_time_low_s
    document = json.loads(path.read_text())
    assert tpuplan.train(config, "v5p-128", job=job, calibration=document).step_time_s == known.step_time_s


def test_lists_are_rows_and_frames(config):
    planned = tpuplan.plan(config, tokens=1e11, generations=["v6e"])
    rows = planned.rows()
    assert [row["slice"] for row in rows] == [one.slice for one in planned.plans]
    assert len(planned.rows("rejected")) == len(planned.rejected)
    with pytest.raises(tpuplan.Error, match="rows is typo; valid: .*plans.*rejected"):
        planned.rows("typo")
    pandas = pytest.importorskip("pandas")
    with pytest.raises(tpuplan.Error, match="rows is typo"):
        planned.dataframe("typo")
    frame = planned.dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["total_usd"]) == [one.total_usd for one in planned.plans]


def test_numbers_of_numpy_are_numbers(config):
    numpy = pytest.importorskip("numpy")
    usual = tpuplan.fit(config, "v5p-128", job={"global_batch": 64})
    assert usual == tpuplan.fit(config, "v5p-128", job={"global_batch": numpy.int64(64)})
    assert tpuplan.spot(work_s=numpy.float32(36000)) == tpuplan.spot(work_s=36000.0)
    assert tpuplan.pad("v5e", numpy.array([100, 300])) == tpuplan.pad("v5e", [100, 300])


def test_what_an_answer_tells_is_not_optional():
    hints = tpuplan.questions.PlanRow.__annotations__
    assert hints["run_s"] == "float" and hints["total_usd"].startswith("Optional[")
    assert tpuplan.questions.TrainingJob.__annotations__["global_batch"] == "Optional[int]"


def test_notebooks_show_tables_and_pictures(config):
    fit = tpuplan.fit(config, "v6e-256")
    assert set(fit.pictures) == {"memory"}
    page = xml.fromstring(f"<div>{fit._repr_html_()}</div>")
    assert page.find("table") is not None and page.find("{http://www.w3.org/2000/svg}svg") is not None
    assert xml.fromstring(fit._repr_svg_()).tag == "{http://www.w3.org/2000/svg}svg"
    assert tpuplan.chips("v5p")._repr_svg_() is None and tpuplan.chips("v5p").pictures == {}
    hostile = json.loads(config.read_text())
    hostile["model_type"] = "llama"
    hostile["_name_or_path"] = "</td><script>alert(1)</script>"
    for answer in (tpuplan.model(hostile), tpuplan.plan(hostile, tokens=1e10, generations=["v6e"])):
        assert "<script" not in answer._repr_html_()
        xml.fromstring(f"<div>{answer._repr_html_()}</div>")


def test_an_answer_in_a_terminal_is_short(config):
    planned = tpuplan.plan(config, tokens=1e11, generations=["v6e"])
    assert repr(planned).startswith("<PlanAnswer ") and len(repr(planned)) < 300
    assert f"plans: {len(planned.plans)}" in repr(planned)
    memory = tpuplan.train(config, "v6e-256").memory
    assert "fits='yes'" in repr(memory) and memory.pictures == {} and "<table>" in memory._repr_html_()


def test_threads_ask_at_once():
    answers = [None] * 4
    def ask(i):
        answers[i] = tpuplan.batch("v5e").critical_batch
    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert answers == [241] * 4


def test_each_question_of_the_schema_has_a_function():
    requests = tpuplan.schema()["requests"]
    assert set(tpuplan.QUESTIONS) == {getattr(tpuplan, name) for name in requests} and len(requests) >= 14
    for name, request in requests.items():
        known = inspect.signature(getattr(tpuplan, name)).parameters
        assert {key.rstrip("_") for key in known} == set(request["properties"])


def questions_of(tree):
    """tests/ask/questions.json with its models, and its plans to launch, put in."""
    def filled(request):
        request = dict(request)
        if isinstance(request.get("config"), str):
            request["config"] = json.loads((tree / "data/models" / request["config"]).read_text())
        if "plan" in request:
            inner = {**request["plan"], "schema": "tpuplan/1", "request": filled(request["plan"]["request"])}
            request["plan"] = tpuplan.ask(inner)["answer"]
        return request
    return [{"schema": "tpuplan/1", **one, "request": filled(one["request"])}
            for one in json.loads((tree / "tests/ask/questions.json").read_text())]


def differences(a, b, at="$"):
    """Where two documents are not the same, numbers to 1e-12 of their size."""
    if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        return [line for key in a for line in differences(a[key], b[key], f"{at}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [line for i, (x, y) in enumerate(zip(a, b)) for line in differences(x, y, f"{at}[{i}]")]
    if isinstance(a, float) and isinstance(b, float):
        return [] if math.isclose(a, b, rel_tol=1e-12) else [f"{at}: {a!r} and {b!r}"]
    return [] if a == b and type(a) is type(b) else [f"{at}: {a!r} and {b!r}"]


def program(name):
    """A program that the preset python builds; without it the test is passed over."""
    if name not in os.environ:
        pytest.skip(name + " names no program: the preset python builds it")
    return os.environ[name]


def test_the_hundred_questions_are_answered_as_natively(tree):
    questions = questions_of(tree)
    assert len(questions) >= 100
    assert {one["question"] for one in questions} >= {one.__name__ for one in tpuplan.QUESTIONS}
    assert 5 < refused_alike(questions) < 40


def test_random_questions_are_answered_as_natively():
    drawn = subprocess.run([program("TPUPLAN_RELATIONS"), "--draw", "120"], capture_output=True, text=True, check=True)
    questions = [json.loads(one) for one in drawn.stdout.splitlines()]
    assert len(questions) == 120
    assert refused_alike(questions) < 60


def refused_alike(questions):
    """Asks each of the native program and of the package, which answer alike; how many they refuse."""
    native = program("TPUPLAN_NATIVE_ASK")
    lines = "".join(json.dumps(one) + "\n" for one in questions)
    answers = subprocess.run([native], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(answers) == len(questions)
    refused = 0
    for question, answer in zip(questions, answers):
        own = json.loads(tpuplan.ask_text(json.dumps(question)))
        refused += "error" in own
        assert differences(json.loads(answer), own) == []
        if "answer" in own and question.get("form") != "short":
            typed = getattr(tpuplan, "".join(part.capitalize() for part in question["question"].split("_")) + "Answer")
            read = typed.of(own["answer"])
            assert list(own["answer"]) == [name.removesuffix("_") for name in typed.__dataclass_fields__]
            assert read == typed.of(json.loads(answer)["answer"])
    return refused


def test_many_questions_are_answered_in_their_order():
    asked = [{"question": "batch", "request": {"chip": chip}} for chip in ("v5e", "v9", "v5p")] * 5
    answers = list(tpuplan.ask_many(iter(asked), workers=2))
    assert [one.get("answer", {}).get("critical_batch") for one in answers] == [241, None, 167] * 5
    assert "chip" in answers[1]["error"]["field"]
