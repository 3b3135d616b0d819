"""What the page costs: the time from a change of a control to the new picture, in Chromium, and how large its files are.
page.py PAGE CHROMIUM, where PAGE is the folder page of the build. CPU time is that of the tab's main thread; the time on
the clock is from the change to the frame after the one that shows the answer."""
import gzip
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/web"))
from browser import Browser  # noqa: E402

folder, chromium = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
changes = {
    "plan of Llama 3.1 8B": ("#question=plan&model=llama-3.1-8b&tokens=1T&deadline=30", "deadline", ("29", "30")),
    "plan with every way of paying": ("#question=plan&model=llama-3.1-8b&tokens=1T&deadline=30&kinds=on_demand,spot,"
                                      "flex_start,calendar,commitment_1y,commitment_3y", "deadline", ("29", "30")),
    "train": ("#question=train&model=llama-3.1-8b&slice=v6e-256&batch=1024&tokens=1T", "batch", ("512", "1024")),
    "fit": ("#question=fit&model=llama-3.1-8b&slice=v6e-256&batch=1024", "batch", ("512", "1024")),
    "serve": ("#question=serve&model=llama-3.1-8b&slice=v6e-8", "output", ("512", "1024")),
}
one_change = """await (async () => {
  const input = document.getElementById("field-%s");
  const from = performance.now();
  input.value = "%s";
  input.dispatchEvent(new Event("input"));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [performance.now() - from, Number(document.body.dataset.ms)];
})()"""


def cpu(page):
    metrics = {one["name"]: one["value"] for one in page.call("Performance.getMetrics")["metrics"]}
    return metrics["ThreadTime"] if "ThreadTime" in metrics else metrics["TaskDuration"]


browser = Browser(chromium)
try:
    page = browser.page()
    page.call("Performance.enable", timeDomain="threadTicks")
    print("| change | on the clock, ms | of CPU, ms |\n|---|---:|---:|")
    for name, (fragment, field, values) in changes.items():
        page.open((folder / "tpuplan.html").as_uri() + fragment)
        for i in range(10):  # until the compiler of the browser is done with it
            page.run(one_change % (field, values[i % 2]))
        clock, work, from_cpu = [], [], cpu(page)
        for i in range(20):
            both = page.run(one_change % (field, values[i % 2]))
            clock.append(both[0])
            work.append(both[1])
        spent = (cpu(page) - from_cpu) / 20 * 1000
        print("| %s | %.0f (%.0f at best) | %.0f |" % (name, statistics.median(clock), min(clock), spent), flush=True)
finally:
    browser.close()
print("\n| file | bytes | gzipped |\n|---|---:|---:|")
for one in [*sorted((folder / "site").iterdir()), folder / "tpuplan.html"]:
    print("| %s | %d | %d |" % (one.name, one.stat().st_size, len(gzip.compress(one.read_bytes()))))
