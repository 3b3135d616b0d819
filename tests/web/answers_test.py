"""The answers of the page's WebAssembly are those of the native library: texts, verdicts, ranks and pictures the same,
numbers to 1e-12, of the questions that tests ask and of others drawn at random.
answers_test.py SOURCE PAGE CHROMIUM ASK_LINES CLI RELATIONS"""
import json
import pathlib
import subprocess
import sys

from browser import Browser
from questions import differences, questions

source, page_folder, chromium, ask_lines, _, relations = (pathlib.Path(one).absolute() for one in sys.argv[1:7])
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
    drawn = subprocess.run([relations, "--draw", "120"], capture_output=True, text=True, check=True).stdout.splitlines()
    texts = questions(source, ask) + drawn
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
sys.exit(bool(faults) or len(texts) < 220 or 3 * refused > len(texts))
