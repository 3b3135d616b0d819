"""generate.py LIBRARY WRITTEN: writes the module `questions` of the package from the schema that the library has: a
dataclass for each struct and answer, a function for each question."""

import ctypes
import json
import keyword
import pathlib
import re
import sys

POSITIONAL = ("config", "slice", "chip", "name", "dimensions", "plan", "target")

HEAD = '''"""The questions of tpuplan and the structs of their answers.

Written by generate.py from the schema of the library: do not edit."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Optional, Union

from .core import Answer, Config, Struct, ask_for

Given = dataclasses.dataclass(frozen=True)
Told = dataclasses.dataclass(frozen=True, repr=False)
'''


def class_name(name):
    return "".join(part.capitalize() for part in name.split("_"))


def field_name(key):
    return key + "_" if keyword.iskeyword(key) else key


def struct_of(schema):
    """The object among the alternatives of a definition."""
    for one in schema.get("anyOf", [schema]):
        if one.get("type") == "object":
            return one
    return None


def kind(schema):
    """The Python type of a schema, and how a value of it is read: None, "number", a class name, or a list of one."""
    if "$ref" in schema:
        name = class_name(schema["$ref"].rsplit("/", 1)[1])
        return name, name
    if "anyOf" in schema:
        kinds = [kind(one) for one in schema["anyOf"]]
        if {"type": "number"} in schema["anyOf"]:
            return "float", "number"
        names = [name for name, _ in kinds if name != "None"]
        read = next((read for _, read in kinds if read), None)
        name = names[0] if len(names) == 1 else f"Union[{', '.join(names)}]"
        return (f"Optional[{name}]" if len(names) < len(kinds) else name), read
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(one) for one in schema['enum'])}]", None
    if schema.get("type") == "array":
        name, read = kind(schema["items"])
        return f"list[{name}]", [read] if read else None
    plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "dict"}
    return plain.get(schema.get("type"), "Any"), None


def fields_of(schema, told):
    """Key, type and how it is read. What an answer tells is always there; what a question gives may be left open."""
    for key, one in schema["properties"].items():
        name, read = kind(one)
        yield key, name if told or name.startswith("Optional[") or name == "Any" else f"Optional[{name}]", read


def struct_text(name, schema, base, told):
    rows = list(fields_of(schema, told))
    lines = ["", "", "@Told" if base == "Answer" else "@Given", f"class {name}({base}):"]
    lines += [f"    {field_name(key)}: {type_name}{'' if told else ' = None'}" for key, type_name, _ in rows]
    reads = {key: read for key, _, read in rows if read}
    if reads:
        lines += ["", f"    _reads = {reads!r}"]
    return lines


def named_in(part, definitions, found=None):
    """The definitions that a part of the schema refers to, directly or through others."""
    found = set() if found is None else found
    for one in part if isinstance(part, list) else part.values() if isinstance(part, dict) else []:
        if isinstance(one, (dict, list)):
            named_in(one, definitions, found)
        elif isinstance(one, str) and one.startswith("#/$defs/") and (name := one.rsplit("/", 1)[1]) not in found:
            found.add(name)
            named_in(definitions[name], definitions, found)
    return found


def definitions(schema):
    """Structs of requests and answers; answers of questions under the name of their question."""
    lines = []
    answers = {f"{question}_answer" for question in schema["answers"]}
    given = named_in(schema["requests"], schema["$defs"])
    for name, one in schema["$defs"].items():
        own = struct_of(one)
        if own and name not in answers:
            lines += struct_text(class_name(name), own, "Struct", name not in given)
    for question, one in schema["answers"].items():
        lines += struct_text(class_name(question) + "Answer", one, "Answer", True)
    return lines


def parameter(key, schema):
    if key in ("config", "prices", "calibration"):
        return f"{key}: Config = None"
    name, _ = kind(schema)
    if "$ref" in schema:
        name = f"Union[{name}, dict]"
    if not name.startswith("Optional[") and name != "Any":
        name = f"Optional[{name}]"
    return f"{field_name(key)}: {name} = None"


def row_text(row, places):
    """A row of a question: its place in the request, its unit, what it is for, and what is taken where it is open."""
    unit = f" ({row['unit']})" if row.get("unit") else ""
    usual = f"; where it is open: {row['usual']}" if row.get("usual") else ""
    words = re.sub(r"--[a-z-]+", lambda option: places.get(option[0], option[0]), row["description"] + usual)
    return f"    {row['path']}{unit}: {words}"


def documented(request):
    """What a question asks, and what it can say."""
    places = {row["option"]: row["path"] for row in request["fields"]}
    lines = [f'    """{request["description"]}', "", "    By its place in the request, with amounts in the unit of the key:", ""]
    return lines + list(dict.fromkeys(row_text(row, places) for row in request["fields"])) + ['    """']


def question_text(question, request):
    keys = list(request["properties"])
    first = [key for key in POSITIONAL if key in keys]
    words = [parameter(key, request["properties"][key]) for key in first]
    rest = [parameter(key, request["properties"][key]) for key in keys if key not in first]
    words += ["*"] + rest if rest else []
    answer = class_name(question) + "Answer"
    lines = ["", "", f"def {question}("] + [f"    {one}," for one in words] + [f") -> {answer}:"]
    lines += documented(request) + [f'    return ask_for("{question}", {answer}, locals())']
    return lines


def text_of(schema):
    lines = HEAD.rstrip("\n").split("\n") + definitions(schema)
    for question, request in schema["requests"].items():
        lines += question_text(question, request)
    lines += ["", "", "QUESTIONS = (" + ", ".join(schema["requests"]) + ")", ""]
    return "\n".join(lines)


def schema_of(library):
    """The schema that libtpuplan.so has."""
    function = ctypes.CDLL(str(library)).tpuplan_schema
    function.restype = ctypes.c_char_p  # a copy of some kilobytes, which this short program never gives back
    return json.loads(function())


def write(library, written):
    pathlib.Path(written).write_text(text_of(schema_of(library)))


if __name__ == "__main__":
    write(*sys.argv[1:])
