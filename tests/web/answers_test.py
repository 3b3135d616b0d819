"""The answers of the page's WebAssembly are those of the native library: texts, verdicts, ranks and pictures the same,
numbers to 1e-12. answers_test.py SOURCE PAGE CHROMIUM ASK_LINES ..."""
import json
import pathlib
import subprocess
import sys

from browser import Browser
from questions import differences, questions

source, page_folder, chromium, ask_lines = (pathlib.Path(one).absolute() for one in sys.argv[1:5])
native = subprocess.Popen([ask_lines], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(text):
    native.stdin.write(text + "\n")
    native.stdin.flush()
    return native.stdout.readline()


browser = Browser(str(chromium))
faults, refused = [], 0
try:
    page = browser.page()
    page.open((page_folder / "tpuplan.html").as_uri())
    texts = questions(source, ask)
    for text in texts:
        ours = json.loads(ask(text))
        refused += "error" in ours
        theirs = json.loads(page.run("tpuplan.ask(%s)" % json.dumps(text)))
        faults += ["%s\n    %s" % (text[-200:], one) for one in differences(ours, theirs)[:5]]
finally:
    browser.close()
    native.stdin.close()
    native.wait()
print("\n".join(faults))
print("%d questions, %d of them refused, %d differences" % (len(texts), refused, len(faults)))
sys.exit(bool(faults) or len(texts) < 100)
