"""The page as people use it, in Chromium: its controls, address, copies, files, policy, keyboard, colours and widths.
page_test.py SOURCE PAGE CHROMIUM ASK_LINES CLI [FOLDER FOR PICTURES]"""
import functools
import http.server
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import threading
import time

from browser import Browser
from questions import differences

source, page_folder, chromium, ask_lines, cli = (pathlib.Path(one).absolute() for one in sys.argv[1:6])
pictures = pathlib.Path(sys.argv[6]) if len(sys.argv) > 6 else None
scratch = pathlib.Path(tempfile.mkdtemp(prefix="page-files-"))
single = (page_folder / "tpuplan.html").as_uri()
failures = []


def check(right, what):
    if not right:
        failures.append(what)
        print("FAIL " + what, flush=True)


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=page_folder / "site"))
threading.Thread(target=server.serve_forever, daemon=True).start()
site = "http://127.0.0.1:%d/" % server.server_port

frames = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"


def text(page, name):
    return page.run("document.getElementById(%s).textContent" % json.dumps(name))


def put(page, name, value, event="input"):
    """Gives a control a value as its user would."""
    page.run("{ const one = document.getElementById(%s); one.value = %s; one.dispatchEvent(new Event(%s)); } %s" %
             (json.dumps(name), json.dumps(value), json.dumps(event), frames))


def click(page, choice):
    page.run("document.querySelector(%s).click(); %s" % (json.dumps(choice), frames))


def marked(page, name):
    return page.run("document.getElementById(%s).getAttribute('aria-invalid')" % json.dumps(name)) == "true"


def request_of(page):
    return json.loads(text(page, "json"))["request"]


def at(document, path):
    for key in path.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


def without_faults(page, what):
    check(page.problems == [], "%s: %s" % (what, page.problems))


def starts(page):
    """Both forms of the page start without a request but to their own files, and give the same answer."""
    page.open(single)
    alone = text(page, "summary")
    check("v6e-256 (256 chips) is the cheapest: $" in alone, "the first answer: " + alone)
    check(page.requests == [single], "requests of the one file: %s" % page.requests)
    without_faults(page, "the one file")
    hosted = page.browser.page()
    hosted.open(site)
    check(text(hosted, "summary") == alone, "the page of a host answers as the one file")
    files = {one.removeprefix(site) for one in hosted.requests}
    check(files == {"", "page.css", "page.js", "tpuplan.wasm"}, "requests of the hosted page: %s" % files)
    without_faults(hosted, "the hosted page")
    return hosted


def policy(page):
    """The policy of both is in force: no inline script, style or eval runs, and nothing is fetched from elsewhere."""
    for address in (single, site):
        page.open(address)
        given = page.run("document.querySelector('meta[http-equiv]').content")
        check("unsafe-inline" not in given and "'unsafe-eval'" not in given and "default-src 'none'" in given, given)
        page.run("""{ const script = document.createElement("script"); script.textContent = "globalThis.ran = 1";
            document.body.append(script); const div = document.createElement("div");
            div.innerHTML = "<b style='color: red' onclick='globalThis.ran = 2'>x</b><img src='http://127.0.0.1:1/x'>";
            document.body.append(div); div.firstChild.click(); }
            try { await fetch("http://127.0.0.1:1/y"); } catch {}""" + frames)
        check(page.run("globalThis.ran === undefined"), "inline scripts do not run: " + address)
        check(page.run("getComputedStyle(document.querySelector('b')).color") != "rgb(255, 0, 0)", "no inline styles")
        broken = " ".join(page.run("violations"))
        for kind in ("script-src", "style-src", "img-src", "connect-src"):
            check(kind in broken, kind + " is enforced: " + broken)
        blocked = page.call("Runtime.evaluate", expression="eval('1')", allowUnsafeEvalBlockedByCSP=False)
        check("exceptionDetails" in blocked, "eval is blocked")
        page.events.clear()


def controls(page):
    """Each control changes its part of the question and of the command, and the library takes what it offers."""
    for question in asked:
        page.open(single)
        click(page, "input[name=question][value=%s]" % question)
        page.run("document.getElementById('more').open = true")
        rows = page.run("""[...document.querySelectorAll(".field [id^=field-]")].map((one) => ({
            id: one.id, type: one.type ?? "group",
            choices: [...(one.options ?? [])].map((o) => o.value),
                boxes: [...one.querySelectorAll("input")].map((box) => box.id) }))""")
        rows = [row for row in rows if row["type"] in ("text", "select-one", "group")]
        check(len(rows) > 8, "%s has controls: %d" % (question, len(rows)))
        for row in rows:
            name, before = row["id"], request_of(page)
            was = page.run("document.getElementById(%s).value ?? ''" % json.dumps(name))
            if row["type"] == "select-one":
                for choice in row["choices"][1:]:
                    put(page, name, choice, "change")
                    check(choice in json.dumps(request_of(page)), "%s %s: %s is asked" % (question, name, choice))
                    check(choice in text(page, "command"), "%s %s: %s is in the command" % (question, name, choice))
                    problem = text(page, "problem")
                    check("valid" not in problem or "unknown" not in problem, "%s %s: %s" % (question, name, problem))
                put(page, name, was, "change")
            elif row["type"] == "group":
                for box in row["boxes"]:
                    click(page, "#" + box)
                    check(box.split("-", 2)[-1] in json.dumps(request_of(page)),
                        "%s: box %s is asked" % (question, box))
                    click(page, "#" + box)
            elif page.run("!!document.getElementById(%s)" % json.dumps(name + "-slider")):
                page.run("document.getElementById(%s).focus()" % json.dumps(name + "-slider"))
                page.press("ArrowRight")
                page.run(frames)
                now = page.run("document.getElementById(%s).value" % json.dumps(name))
                check(now != was and now in text(page, "command"), "%s %s: the slider gives %s" % (question, name, now))
                check(request_of(page) != before, "%s %s: the slider changes the question" % (question, name))
                put(page, name, "x1")
                check("is not a number" in text(page, "problem"), "%s %s: x1 is refused" % (question, name))
                check(marked(page, name), name + " is marked")
                put(page, name, was)
            else:
                bad, said = {"field-size": ("512", "pixels of a row"),
                             "field-zone": ("mars", "a zone with TPUs: ")}.get(name, ("v5e-24", "v5litepod-16"))
                put(page, name, bad)
                check(said in text(page, "problem"), "%s: %s that is none" % (question, name))
                check(marked(page, name), name + " is marked")
                put(page, name, was)
            check(request_of(page) == before, "%s %s: what was left open is open again" % (question, name))
            check(text(page, "problem") == "", "%s after %s: %s" % (question, name, text(page, "problem")))
        without_faults(page, "controls of " + question)


asked = {
    "plan": "#question=plan&model=llama-3.1-8b&tokens=1T&deadline=30&batch_tokens=8Mi"
            "&kinds=on_demand,spot&max_chips=512",
    "train": "#question=train&model=mixtral-8x7b&slice=v5p-128&tokens=1.5T&batch=512&seq=4096"
             "&expert=4&remat=full&region=us-east5",
    "fit": "#question=fit&model=llama-3.1-70b&slice=v6e-256&batch=256&seq=8192"
           "&remat=minimal&optimizer=adafactor&tensor=4",
    "serve": "#question=serve&model=llama-3.1-8b&slice=v6e-8&input=2048&output=512"
             "&rate=2&served_weights=int8&tpot=50&serve_tensor=4",
    "plan_serving": "#question=plan_serving&model=llama-3.1-8b&rate=20&ttft_p99=1&tpot_p95=30&generations=v5e,v6e",
    "generate": "#question=generate&model=wan-2.1-14b&slice=v6e-8&size=1280x720&frames=81&guidance=5&tensor=2",
    "plan_generation": "#question=plan_generation&model=flux.1-dev&items=2000&latency=20&size=1024x1024&steps=28"
                       "&generations=v6e",
    "simulate_generation": "#question=simulate_generation&model=stable-diffusion-xl&slice=v5e-8&dcn=2&size=1024x1024"
                           "&item_rate=0.2&batch=4&fill=10&item_p95=60",
    "train_generation": "#question=train_generation&model=flux.1-dev&slice=v5p-64&size=512x512&batch=64&lora=16"
                        "&examples=20000&epochs=5",
    "risk": "#question=risk&model=llama-3.1-8b&slice=v6e-256&tokens=1T&batch=1024&seq=4096&deadline=8&budget=90000"
            "&kind=spot",
    "plan_network": "#question=plan_network&model=resnet-50&examples=1281167&epochs=90&batch=1024&deadline=0.2"
                    "&kinds=on_demand,spot",
    "train_network": "#question=train_network&model=vit-s-16&slice=v5e-8&examples=1281167&epochs=30&batch=512",
}
figures = {
    "plan": lambda a: [[row["slice"], row["rank"], row["total_usd"], row["wall_s"],
        row["plan"]["costs"]] for row in a["plans"]],
    "train": lambda a: [a["step_time_s"], a["step_time_low_s"], a["mfu"], a["breakdown"], a["memory"]["used_bytes"]],
    "fit": lambda a: [a["fits"], a["used_bytes"], a["used_high_bytes"], a["breakdown"], a["largest_batch"], a["job"]],
    "serve": lambda a: [a["estimate"], a["largest_context"], a["frontier"]],
    "plan_serving": lambda a: [a["plans"], a["rejected"]],
    "generate": lambda a: [a["batch_time_s"], a["batch_time_low_s"], a["costs"], a["memory"], a["step"], a["mesh"]],
    "plan_generation": lambda a: [a["plans"], a["rejected"]],
    "simulate_generation": lambda a: [a["report"]["latency"]["value"], a["report"]["busy"], a["latency_high"],
        a["usd_per_item"], a["made"]["batch_time_s"]],
    "train_generation": lambda a: [a["step_time_s"], a["breakdown"], a["run_s"], a["costs"], a["memory"]],
    "risk": lambda a: [a["chance_of_both"], a["chance_in_time"], a["chance_in_budget"], a["wall_p90_s"], a["cost_p90_usd"]],
    "plan_network": lambda a: [a["plans"], a["lost"], a["parameters"]],
    "train_network": lambda a: [a["step_time_s"], a["run_s"], a["costs"], a["memory"]],
}
def answer_of(page):
    return json.loads(page.run("tpuplan.ask(document.getElementById('json').textContent)"))["answer"]


def copies(page):
    """The address gives the same answer again; the command and the C++ give it without the page."""
    page.open(single + asked["fit"])
    (scratch / "question.cpp").write_text(text(page, "cpp"))
    building = subprocess.Popen(["c++", "-std=c++17", "-I", source / "include", scratch / "question.cpp", "-o",
        scratch / "question"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    fit = answer_of(page)
    for question, fragment in asked.items():
        page.open(single + fragment)
        check(text(page, "problem") == "", question + ": " + text(page, "problem"))
        summary, answer = text(page, "summary"), answer_of(page)
        page.run("await new Promise((done) => setTimeout(done, 400))")
        again = page.run("location.href")
        other = page.browser.page()
        other.open(again)
        check(text(other, "summary") == summary, question + ": the address holds the question")
        check(request_of(other) == request_of(page), question + ": the address holds all of it")
        command = shlex.split(text(page, "command"))
        told = subprocess.run([cli, *command[1:], "--json"], cwd=source, capture_output=True, text=True)
        check(told.returncode in (0, 1) and told.stdout != "", "%s: %s %s" % (question, " ".join(command), told.stderr))
        if told.stdout:
            apart = differences(figures[question](answer), figures[question](json.loads(told.stdout)))
            check(apart == [], "%s: the command answers otherwise: %s" % (question, apart[:3]))
        without_faults(page, "copies of " + question)
    said = building.communicate()[0]
    check(building.returncode == 0, "the C++ compiles: " + said[:2000])
    if building.returncode == 0:
        told = subprocess.run([scratch / "question"], cwd=source, capture_output=True, text=True)
        apart = differences(figures["fit"](fit), figures["fit"](json.loads(told.stdout)["answer"]))
        check(apart == [], "the C++ answers otherwise: %s" % apart[:3])


def clipboard_and_files(page):
    """Buttons copy and save; a config.json is chosen and dropped; what is none is refused in words."""
    page.browser.call("Browser.grantPermissions", origin=site,
        permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(scratch))
    page.open(site)
    page.run("document.getElementById('copies').open = true")
    for name in ("command", "cpp", "json"):
        click(page, "[data-copy=%s]" % name)
        page.until("document.querySelector('[data-copy=%s]').textContent.match(/Copied|Selected/)" % name)
        check(page.run("await navigator.clipboard.readText()") == text(page, name), name + " is copied")
    page.run("document.getElementById('launch').open = true")
    page.until("document.getElementById('launch-problem').textContent.includes('image')")
    check(marked(page, "launch-image"),
        "what is missing is marked")
    put(page, "launch-image", "gcr.io/my-project/train:1")
    check('"apiVersion"' in text(page, "launch-text"), "a manifest for GKE: " + text(page, "launch-text")[:80])
    for target, given in {"skypilot": {"command": "python train.py", "image": ""},
        "gcloud": {"command": "", "project": "my-project", "zone": "us-east5-b"}}.items():
        for name, value in given.items():
            put(page, "launch-" + name, value)
        put(page, "launch-target", target, "change")
        check(text(page, "launch-problem") == "" and "tpu" in text(page, "launch-text"),
            target + ": " + text(page, "launch-problem"))
    put(page, "launch-rank", "2", "change")
    check("v6e-128" in text(page, "launch-text"), "the second plan is launched")
    for button, name in (("launch-save", "tpuplan.sh"), ("answer-save", "answer.json")):
        click(page, "#" + button)
        end = time.monotonic() + 20
        while not (scratch / name).exists() and time.monotonic() < end:
            time.sleep(0.05)
        check((scratch / name).exists(), name + " is saved")
    check((scratch / "tpuplan.sh").read_text() == text(page, "launch-text"), "the file that is saved is the text shown")

    own = json.loads((source / "data/models/qwen3-32b.json").read_text())
    (scratch / "my model.json").write_text(json.dumps(own))
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=page.call("DOM.querySelector", nodeId=root, selector="#file")["nodeId"],
              files=[str(scratch / "my model.json")])
    page.until("document.getElementById('model-facts').textContent.includes('32.8 B')")
    page.until("document.getElementById('command').textContent.includes(' my_model.json ')")
    check(text(page, "model-facts").startswith("my model: "), "its name is that of the file: " + text(page, "model-facts"))
    page.run("await new Promise((done) => setTimeout(done, 400))")
    summary = text(page, "summary")
    again = page.browser.page()
    again.open(page.run("location.href"))
    check(text(again, "summary") == summary, "the address holds a config.json of one's own")
    put(again, "model", "0", "change")
    check(text(again, "summary") != summary, "another model is another answer")

    for name, content, said in (("broken.json", "{", "broken.json"), ("list.json", "[1]", "not an object"),
        ("odd.json", "{\"model_type\": \"odd\"}", "model_type")):
        (scratch / name).write_text(content)
        drop(page, scratch / name)
        page.until("document.getElementById('problem').textContent.includes(%s)" % json.dumps(said))
    drop(page, source / "data/models/gpt2.json")
    page.until("document.getElementById('model-facts').textContent.includes('124 M')")
    click(page, "#reset")
    without_faults(page, "files")


def drop(page, path):
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.call("Input.dispatchDragEvent", type=kind, x=300, y=300, data=data)


def hostile(page):
    """Markup in a config.json, in its name, in the address or in a picture stays text."""
    bad = "<img src=x onerror=globalThis.hacked=1><script>globalThis.hacked=1</script>\"'>"
    config = {**json.loads((source / "data/models/gpt2.json").read_text()), "_name_or_path": bad.replace("/", ""),
        "architectures": [bad], bad: bad}
    path = scratch / ("<img src=x onerror=globalThis.hacked=1>.json")
    path.write_text(json.dumps(config))
    page.open(single)
    elements = ("document.querySelectorAll('img, iframe, object, embed, foreignObject, "
                "body script:not([id]):not([type=module])').length")
    for one in (config, {**config, "model_type": bad}, {**config, "num_hidden_layers": bad}):
        path.write_text(json.dumps(one))
        drop(page, path)
        page.until("document.getElementById('model').textContent.includes('<img')")
        for question in asked:
            click(page, "input[name=question][value=%s]" % question)
            page.run("document.getElementById('copies').open = true; document.getElementById('launch').open = true;" +
                frames)
            check(page.run(elements) == 0, "no element from a config.json: " + question)
            check(not set("<>\"' ") & set(shlex.split(text(page, "command"))[2]),
                "a file name that the shell takes as it is")
    words = {key: bad for key in ("question", "model", "slice", "tokens", "kinds", "generations", "remat", "regions",
        "constructor")}
    for fragment in ("model=" + bad, "question=train&slice=" + bad, "question=__proto__",
        "question=plan&tokens=1T&remat=" + bad, "question=plan&tokens=1T&kinds=" + bad,
                     "question=plan&tokens=" + bad, "model=__proto__", "model=constructor", "config={", "config=[1]",
                         "config=\"x\"", "config={\"__proto__\":{\"hidden\":1}}",
                     "config=" + json.dumps(words), "question=serve&slice=v6e-8&region=" + bad,
                         "question=fit&slice=v6e-8&model=own&config=" + json.dumps(config)):
        page.open(single + "#" + fragment.replace("%", "%25").replace("&amp;", "%26"))
        check(text(page, "summary") != "Loading…" and page.run(elements) == 0,
            "an address stays text: " + fragment[:60])
    picture = ("<svg xmlns='http://www.w3.org/2000/svg' onload='globalThis.hacked=1'>"
               "<script>globalThis.hacked=1</script><a href='javascript:globalThis.hacked=1'><text>x</text></a>"
               "<foreignObject><img xmlns='http://www.w3.org/1999/xhtml' src='x' onerror='globalThis.hacked=1'/>"
               "</foreignObject><style>*{display:none}</style>"
               "<image href='http://127.0.0.1:1/z'/>"
               "<rect onclick='globalThis.hacked=1' style='fill:red' width='9' height='9' fill='red'/></svg>")
    without_faults(page, "hostile input")
    page.open(single)
    page.run("""{ const parse = JSON.parse; JSON.parse = (text) => { const read = parse(text);
        for (const one of read?.pictures ?? []) one.svg = %s; return read; }; }""" % json.dumps(picture))
    put(page, "field-deadline", "29")
    inside = page.run("[...document.querySelectorAll('figure')].map((one) => one.innerHTML).join('')")
    check("<rect" in inside and not any(one in inside for one in ("script", "onload", "onclick", "style", "href",
        "foreignObject", "img")), "a picture is taken over by a list: " + inside[:300])
    check(page.run("globalThis.hacked === undefined"), "nothing of a stranger's has run")
    page.pump()
    page.events.clear()  # the policy says what it would have kept from running, had the list let it in


def keyboard(page):
    """Every control has a name, and the tabulator reaches each of them; arrows choose the question."""
    page.open(single)
    page.call("Accessibility.enable")
    page.run("for (const one of document.querySelectorAll('details')) one.open = true;" + frames)
    nodes = [node for node in page.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    roles = {}
    for node in nodes:
        roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("textbox", "slider", "combobox", "checkbox", "radio", "button", "link", "region"):
        check(role == "combobox" or roles.get(role), "there is a " + role)
        check(all(roles.get(role, [])), "each %s has a name: %s" % (role, roles.get(role)))
    check("status" in roles and "alert" in roles, "the answer and refusals are announced")
    wanted = set(page.run("""[...document.querySelectorAll("input, select, button, summary, a[href]")]
        .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)
        .filter((one) => one.type !== "radio" || one.checked)
        .map((one, i) => one.dataset.at = String(i))"""))
    page.run("document.body.focus()")
    reached = set()
    for _ in range(3 * len(wanted)):
        page.press("Tab")
        reached.add(page.run("document.activeElement.dataset.at"))
        if wanted <= reached:
            break
    check(wanted <= reached, "the tabulator reaches all but %s" % page.run(
        "[...document.querySelectorAll('[data-at]')].filter((one) => %s.includes(one.dataset.at))"
        ".map((one) => one.outerHTML.slice(0, 80))" % json.dumps(sorted(wanted - reached))))
    page.run("document.querySelector('input[name=question]').focus()")
    page.press("ArrowRight")
    page.until("document.getElementById('summary').textContent.startsWith('A step takes')")
    check(page.run("document.activeElement.value") == "train", "the focus stays where it was")
    page.run("location.hash = '#question=plan&tokens=1T&deadline=30&model=llama-3.1-8b';" + frames)
    page.until("document.querySelector('td a')")
    link = page.run("document.querySelector('td a').focus(), document.querySelector('td a').getAttribute('aria-label')")
    run = text(page, "summary").rstrip(".").split(", in ")[-1]  # of the best plan
    page.press("Enter", text="\r")
    page.until("document.getElementById('summary').textContent.includes('The run takes')")
    check(page.run("document.getElementById('answer').textContent.includes(%s)" % json.dumps(run)),
        "the run of the plan, from start to end, is one of its ways of paying")
    check(link == "Train on v6e-256" and page.run("document.activeElement.id") == "answer",
        "a plan leads to its training, and the focus to the answer")
    without_faults(page, "keyboard")


def luminance(colour):
    parts = [int(one) / 255 for one in colour.strip("rgb()").split(",")]
    parts = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def looks(page):
    """Light and dark have contrast; nothing is wider than a telephone; each question has its pictures."""
    drawn = {"plan": ["front", "steps", "memory"], "train": ["steps", "memory"], "fit": ["memory"],
             "serve": ["front", "load", "roofline"], "plan_serving": ["front", "load"],
             "risk": ["time", "cost"]}
    for scheme in ("light", "dark"):
        page.colours(scheme)
        for question, fragment in asked.items():
            for width, height in ((1280, 900), (390, 844)):
                page.size(width, height, width < 500)
                page.open(single + fragment)
                what = "%s, %s, %d wide" % (question, scheme, width)
                check(page.run("document.documentElement.scrollWidth") <= width, what + " fits")
                there = page.run("[...document.querySelectorAll('figure')].map((one) => one.dataset.picture)")
                check(there == drawn.get(question, []), "%s has its pictures: %s" % (what, there))
                check(page.run("[...document.querySelectorAll('figure svg')].every("
                               "(one) => one.getBoundingClientRect().height > 100)"), what + ": they are drawn")
                paper = page.run("getComputedStyle(document.body).backgroundColor")
                for choice in ("#summary", ".hint", "figure text", "th", "a", "legend"):
                    ink = page.run("{ const one = document.querySelector(%s);"
                                   "one ? getComputedStyle(one).color : null }" % json.dumps(choice))
                    if ink:
                        low, high = sorted((luminance(paper), luminance(ink)))
                        check((high + 0.05) / (low + 0.05) >= 4.5,
                            "%s: contrast of %s, %s on %s" % (what, choice, ink, paper))
                if pictures:
                    page.picture(pictures / ("%s_%s_%d.png" % (question, scheme, width)))
        check((luminance(paper) < 0.5) == (scheme == "dark"), scheme + " is " + scheme)
    page.size(1280, 900)
    without_faults(page, "looks")


browser = Browser(str(chromium))
try:
    page = browser.page()
    hosted = starts(page)
    for part in (policy, controls, copies, hostile, keyboard, looks):
        from_time = time.monotonic()
        part(page)
        print("%s: %.1f s" % (part.__name__, time.monotonic() - from_time), flush=True)
    clipboard_and_files(hosted)
finally:
    browser.close()
    server.shutdown()
print("%d failed" % len(failures) if failures else "PASS")
sys.exit(bool(failures))
