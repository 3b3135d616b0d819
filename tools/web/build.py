"""Puts the page together: build.py SOURCE WASM OUT FOLDER... writes OUT/site for a static host, and
OUT/tpuplan.html, one file that opens from a folder. The FOLDERs have the models that the page offers as examples:
config.json files, pipelines of images or clips, networks."""
import base64
import gzip
import hashlib
import json
import pathlib
import sys


def allowed(text):
    """The source expression of a Content-Security-Policy that allows this script or style."""
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def replaced(text, old, new):
    if text.count(old) != 1:
        sys.exit("index.html has %d times: %s" % (text.count(old), old))
    return text.replace(old, new)


source, wasm, out, *folders = (pathlib.Path(given) for given in sys.argv[1:])
configs = {one.stem: json.loads(one.read_text()) for folder in folders
           for one in sorted(folder.glob("*.json")) if one.stem != "sources"}
block = json.dumps(configs, separators=(",", ":")).replace("<", "\\u003c")  # no config can end the element
page = replaced((source / "index.html").read_text(), 'id="models">{}<', 'id="models">%s<' % block)
script, style = (source / "page.js").read_text(), (source / "page.css").read_text()
if "</" in style or "</script" in script or "<!--" in script:
    sys.exit("a script or style would end its own element")

site = out / "site"
site.mkdir(parents=True, exist_ok=True)
(site / "index.html").write_text(page)
(site / "page.js").write_text(script)
(site / "page.css").write_text(style)
(site / "tpuplan.wasm").write_bytes(wasm.read_bytes())

packed = base64.b64encode(gzip.compress(wasm.read_bytes(), mtime=0)).decode()
single = replaced(page, "script-src 'self' ", "script-src %s " % allowed(script))
single = replaced(single, "style-src 'self'; connect-src 'self'; ", "style-src %s; " % allowed(style))
single = replaced(single, '<link rel="stylesheet" href="page.css">', "<style>%s</style>" % style)
single = replaced(single, '<script type="module" src="page.js"></script>',
                  '<script type="text/plain" id="wasm">%s</script>\n' % packed +
                  '<script type="module">%s</script>' % script)
(out / "tpuplan.html").write_text(single)
for one in [*sorted(site.iterdir()), out / "tpuplan.html"]:
    print("%-14s %8d bytes, %7d gzipped" % (one.name, one.stat().st_size, len(gzip.compress(one.read_bytes()))))
