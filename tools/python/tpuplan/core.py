"""What structs and answers have in common: from JSON and back, as a table, as HTML and as pictures."""

from __future__ import annotations

import dataclasses
import functools
import html
import json
import math
import numbers
import os
import pathlib
import sys
from typing import Any, Union

from . import library

Config = Union[str, "os.PathLike[str]", dict, None]  # a config.json or price file: its path, or what is in it
SCHEMA = "tpuplan/1"


def _key(field):
    return field.name.removesuffix("_")


def _read(how, value, module):
    """A value of JSON as a Python one: structs by their class, lists item by item, infinities as floats."""
    if isinstance(how, list):
        return [_read(how[0], one, module) for one in value] if isinstance(value, list) else value
    if how == "number":
        return {"infinity": math.inf, "-infinity": -math.inf}.get(value, value) if isinstance(value, str) else value
    return getattr(module, how).of(value) if isinstance(value, dict) else value


def _number(value, at):
    """A number of any library (NumPy's too) as JSON has it."""
    if isinstance(value, numbers.Integral):
        return int(value)
    plain = float(value)
    if math.isnan(plain):
        raise library.Error("not_finite", at, "nan", "a number", f"tpuplan: {at} is nan; valid: a number")
    return plain if not math.isinf(plain) else "infinity" if plain > 0 else "-infinity"


def _plain(value, at):
    """A Python value as JSON has it, `at` being its place; fields that are None are left out."""
    if isinstance(value, Answer):
        return value.raw
    if isinstance(value, Struct):
        pairs = ((_key(f), getattr(value, f.name)) for f in dataclasses.fields(value))
        return {key: _plain(one, f"{at}.{key}") for key, one in pairs if one is not None}
    if isinstance(value, dict):
        return {key: _plain(one, f"{at}.{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one, f"{at}[{i}]") for i, one in enumerate(value)]
    if hasattr(value, "tolist") and hasattr(value, "dtype"):  # of NumPy: an array, or one of its truth values
        return _plain(value.tolist(), at)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return _number(value, at)
    return value


@dataclasses.dataclass(frozen=True)
class Struct:
    """A struct of the library. Fields that are None are left open in a question, and not there in an answer."""

    _reads = {}

    @classmethod
    def of(cls, document):
        """The struct of a JSON object."""
        module = sys.modules[cls.__module__]
        values = {}
        for field in dataclasses.fields(cls):
            value = document.get(_key(field))
            how = cls._reads.get(_key(field))
            values[field.name] = value if how is None or value is None else _read(how, value, module)
        made = cls(**values)
        object.__setattr__(made, "raw", document)
        return made


class Answer(Struct):
    """An answer. `raw` is its JSON, `asked` the question it answers."""

    asked = None  # of an answer within another one

    def __repr__(self):
        values = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        shown = [f"{name}={value!r}" for name, value in values if value is None or isinstance(value, (bool, int, float, str))]
        lists = [f"{key}: {len(one)}" for key, one in self.raw.items() if isinstance(one, list)]
        return f"<{type(self).__name__} {', '.join(shown + lists)}>"

    def rows(self, name: str | None = None) -> list[dict]:
        """A list of the answer as flat dicts, the first list that it has unless named: plans, ways, costs, slices."""
        lists = {key: value for key, value in self.raw.items() if isinstance(value, list)}
        named = {key: value for key, value in lists.items() if value and isinstance(value[0], dict)}
        if name is not None and name not in lists:
            raise library.Error("unknown_name", "rows", name, ", ".join(lists) or "none: the answer has no list",
                                f"tpuplan: rows is {name}; valid: {', '.join(lists)}")
        if name is None:
            name = next((key for key in named if key != "assumed"), next(iter(named), None))
        return [{key: one for key, one in row.items() if not isinstance(one, (dict, list))} for row in named.get(name, ())]

    def dataframe(self, name: str | None = None):
        """The rows as a DataFrame. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows(name))

    @functools.cached_property
    def pictures(self) -> dict[str, str]:
        """The pictures of the answer as SVG, by name; none of questions without pictures."""
        if self.asked is None:
            return {}
        try:
            return {one["name"]: one["svg"] for one in library.ask({**self.asked, "pictures": True})["pictures"]}
        except library.Error as refusal:
            if refusal.field != "pictures":
                raise
            return {}

    def view(self, form: str = "text", **options) -> Any:
        """What a reader sees of the answer, as "text", "markdown", "html" or "csv"; "json" has titles, sentences and
        tables. Options say how much: rows=20, wide=True. None for an answer within another one and where there is none."""
        if self.asked is None:
            return None
        try:
            return library.ask({**self.asked, "view": {"form": form, **options}})["view"]
        except library.Error as refusal:
            if refusal.field != "view":
                raise
            return None

    def __str__(self):
        return self.view() or repr(self)

    def _repr_html_(self):
        plain = ((key, one) for key, one in self.raw.items() if one is not None and not isinstance(one, (dict, list)))
        rows = (f"<tr><th>{html.escape(key)}</th><td>{html.escape(str(one))}</td></tr>" for key, one in plain)
        return "".join([self.view("html") or f"<table>{''.join(rows)}</table>", *self.pictures.values()])

    def _repr_svg_(self):
        return next(iter(self.pictures.values()), None)


def _loaded(given):
    """What is in a JSON file, where a path is given. A config.json without a name is called as its file or folder is."""
    if not isinstance(given, (str, os.PathLike)):
        return given
    path = pathlib.Path(given).resolve()
    loaded = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(loaded, dict) and "model_type" in loaded:
        loaded.setdefault("_name_or_path", path.parent.name if path.stem == "config" else path.stem)
    return loaded


def ask_for(question: str, answer: type, given: dict[str, Any]):
    """The typed answer to a question; arguments that are None are left open."""
    request = {
        key.removesuffix("_"): _plain(value, f"request.{key.removesuffix('_')}")
        for key, value in given.items()
        if value is not None
    }
    for key in ("config", "prices", "calibration"):
        if key in request:
            request[key] = _loaded(request[key])
    asked = {"schema": SCHEMA, "question": question, "request": request}
    document = library.ask(asked)["answer"]
    typed = answer.of(document)
    object.__setattr__(typed, "asked", asked)
    return typed
