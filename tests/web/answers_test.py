"""The answers of the page's WebAssembly are those of the native library: texts, verdicts and ranks the same, numbers to
1e-12. answers_test.py SOURCE PAGE CHROMIUM ASK_LINES ..."""
import json
import pathlib
import subprocess
import sys

source, page_folder, chromium, ask_lines = sys.argv[1:5]
sys.path.insert(0, str(pathlib.Path(source) / "tests/ask"))
from browser import Browser  # noqa: E402
from questions import differences, questions  # noqa: E402

native = subprocess.Popen([ask_lines], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(text):
    native.stdin.write(text + "\n")
    native.stdin.flush()
    return native.stdout.readline()


browser = Browser(chromium)
faults, refused = [], 0
try:
    page = browser.page()
    page.open(pathlib.Path(page_folder, "tpuplan.html").resolve().as_uri())
    all_questions = questions(ask)
    for name, text in all_questions:
        ours = json.loads(ask(text))
        refused += "error" in ours
        theirs = json.loads(page.run("tpuplan.ask(%s)" % json.dumps(text)))
        faults += [name + "\n    " + one for one in differences(ours, theirs)[:5]]
finally:
    browser.close()
    native.stdin.close()
    native.wait()
print("\n".join(faults))
print("%d questions, %d of them refused, %d differences" % (len(all_questions), refused, len(faults)))
sys.exit(bool(faults) or len(all_questions) < 100)
