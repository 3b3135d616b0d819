"""Paths that the tests share."""

import pathlib

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def tree():
    return TREE


@pytest.fixture
def config():
    return TREE / "data/models/llama-3.1-8b.json"
