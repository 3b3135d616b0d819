"""The questions of tests/ask/questions.json as text, some that are none, and where two answers differ."""
import json

# Texts that are no questions, and markup where names belong.
no_questions = [
    "", "[]", "{", '{"schema":"tpuplan/2","question":"chips"}', '{"schema":"tpuplan/1","question":"chip"}',
    '{"schema":"tpuplan/1","question":"chips","pictures":true}',
    '{"schema":"tpuplan/1","question":"batch","form":"long","request":{"chip":"v5e"}}',
    '{"schema":"tpuplan/1","question":"fit","request":{"config":{"model_type":"<script>alert(1)</script>"},'
    '"slice":"v6e-8"}}',
    '{"schema":"tpuplan/1","question":"model","request":{"config":{"model_type":"gpt2",'
    '"_name_or_path":"\\u0001\\"><img src=x>"}}}',
]


def questions(source, ask):
    """All of them; `ask` answers the plan that a launch is of."""

    def filled(request):
        request = dict(request)
        if isinstance(request.get("config"), str):
            request["config"] = json.loads((source / "data/models" / request["config"]).read_text())
        if "plan" in request:
            request["plan"] = json.loads(ask(text_of(request["plan"])))["answer"]
        return request

    def text_of(one):
        return json.dumps({"schema": "tpuplan/1", **one, "request": filled(one["request"])})

    return [text_of(one) for one in json.loads((source / "tests/ask/questions.json").read_text())] + no_questions


def differences(ours, theirs, at="answer"):
    """Where two answers differ: in a number by more than 1e-12 of it."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if list(ours) != list(theirs):
            return ["%s: keys %s and %s" % (at, list(ours), list(theirs))]
        return [one for key in ours for one in differences(ours[key], theirs[key], at + "." + key)]
    if isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return ["%s: %d and %d rows" % (at, len(ours), len(theirs))]
        return [one for i in range(len(ours)) for one in differences(ours[i], theirs[i], "%s[%d]" % (at, i))]
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (ours, theirs))
    same = abs(ours - theirs) <= 1e-12 * max(abs(ours), abs(theirs)) if numbers else ours == theirs
    return [] if same else ["%s: %r and %r" % (at, ours, theirs)]
