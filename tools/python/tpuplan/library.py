"""The C functions of libtpuplan.so (tools/capi/tpuplan.h)."""

import collections
import concurrent.futures
import ctypes
import itertools
import json
import os
import pathlib
from typing import Iterable, Iterator

from .errors import Error


def _loaded():
    path = os.environ.get("TPUPLAN_LIBRARY") or pathlib.Path(__file__).with_name("libtpuplan.so")
    library = ctypes.CDLL(str(path))
    library.tpuplan_ask.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.tpuplan_ask.restype = ctypes.c_void_p
    library.tpuplan_schema.restype = ctypes.c_void_p
    library.tpuplan_free.argtypes = [ctypes.c_void_p]
    library.tpuplan_version.restype = ctypes.c_char_p
    return library


_library = _loaded()
version = _library.tpuplan_version().decode()


def _taken(address):
    """The text at an address that the library gave, which is given back."""
    if not address:
        raise MemoryError("tpuplan")
    try:
        return ctypes.string_at(address).decode()
    finally:
        _library.tpuplan_free(address)


def ask_text(question: str) -> str:
    """A question as JSON, its answer as JSON: docs/ask.md. The interpreter lock is free meanwhile."""
    asked = question.encode()
    return _taken(_library.tpuplan_ask(asked, len(asked)))


def ask(question: dict) -> dict:
    """A question as a dict, the document of its answer as a dict. Raises Error for what is wrong with it."""
    document = json.loads(ask_text(json.dumps(question, allow_nan=False)))
    if "error" in document:
        raise Error(**document["error"])
    return document


def ask_many(questions: Iterable[dict], workers: int = 1) -> Iterator[dict]:
    """The documents of many questions in their order: {"question": "fit", "request": {…}} becomes {"answer": …}, or
    {"error": …} for what is wrong with it. Questions are taken as answers are; `workers` of them are answered at once."""
    def answered(question):
        return json.loads(ask_text(json.dumps({"schema": "tpuplan/1", **question}, allow_nan=False)))

    if workers < 1:
        raise ValueError("workers: 1 or more")
    coming = iter(questions)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = collections.deque(pool.submit(answered, one) for one in itertools.islice(coming, 2 * workers))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(answered, one) for one in itertools.islice(coming, 1))


def schema() -> dict:
    """The JSON Schema of all questions and answers."""
    return json.loads(_taken(_library.tpuplan_schema()))
