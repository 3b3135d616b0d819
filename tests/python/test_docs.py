"""The Python blocks of docs/python.md and README.md print what stands in the plain block below each.

With TPUPLAN_RENEW_GOLDEN=1 the plain blocks are rewritten instead."""

import contextlib
import io
import os
import pathlib
import re
import shutil

import pytest

BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```\n(?P<shown>.*?)```\n)?", re.S)


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_blocks_print_what_is_shown(tree, page, tmp_path, monkeypatch):
    text = (tree / page).read_text()
    shutil.copyfile(tree / "data/models/llama-3.1-8b.json", tmp_path / "config.json")
    monkeypatch.chdir(tmp_path)
    names, renewed = {}, text
    for block in BLOCK.finditer(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], page, "exec"), names)
        shown = block["shown"] or ""
        if os.environ.get("TPUPLAN_RENEW_GOLDEN") and shown:
            renewed = renewed.replace(f"{block['code']}```\n\n```\n{shown}```", f"{block['code']}```\n\n```\n{printed.getvalue()}```")
        else:
            assert printed.getvalue() == shown
    if renewed != text:
        pathlib.Path(tree / page).write_text(renewed)
    assert page == "README.md" or names
