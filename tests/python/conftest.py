"""Paths that the tests share."""

import pathlib
import sys

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
if "tpuplan" not in sys.modules:
    try:
        import tpuplan  # noqa: F401  (installed)
    except ImportError:
        sys.path.insert(0, str(TREE / "tools/python"))


@pytest.fixture
def tree():
    return TREE


@pytest.fixture
def config():
    return TREE / "data/models/llama-3.1-8b.json"
