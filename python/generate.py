#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes anydnn/_abi.py, the ctypes declarations of the package, from entries.def and anydnn.h.

    python/generate.py          writes python/anydnn/_abi.py
    python/generate.py --check  exits 1 if that file is not up to date
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "anydnn" / "_abi.py"

# Maps C types to ctypes types. Every pointer is an address, every enumeration int.
SCALARS = {
    "int": "c_int",
    "unsigned": "c_uint",
    "size_t": "c_size_t",
    "int64_t": "c_int64",
    "float": "c_float",
    "double": "c_double",
    "unsigned long long": "c_ulonglong",
    "void": "None",
    # A struct of one int, which is passed as that int.
    "anydnnAlgorithm_t": "c_int",
}
WIDTH = 120


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def entries(text):
    """Returns the level that introduced each name of entries.def."""
    table = {}
    for name, levels in re.findall(r"^(?:ENTRY|OURS)\((\w+),\s*([^)]*)\)", without_comments(text), re.M):
        table[name] = levels.split(",")[0].strip().split(".")[0]
    return table


def enumerations(text):
    for body, name in re.findall(r"typedef enum \{(.*?)\} (\w+);", text, re.S):
        members = [item.strip() for item in body.split(",") if item.strip()]
        yield name, [tuple(part.strip() for part in item.split("=")) for item in members]


def structures(text):
    for body, name in re.findall(r"typedef struct \{(.*?)\} (anydnn\w+);", text, re.S):
        if name in SCALARS:
            continue
        fields = []
        for item in filter(None, (part.strip() for part in body.split(";"))):
            kind, field, count = re.fullmatch(r"(\w+) (\w+)(?:\[(\d+)\])?", item).groups()
            fields.append((field, kind, count))
        yield name, fields


def numbers(text):
    for name, value in re.findall(r"^#define (ANYDNN_[A-Z_]+)\s+(\S+)\s*$", text, re.M):
        value = value.rstrip("UL") if value.startswith("0x") else value
        if re.fullmatch(r"0x[0-9a-f]+|[-+.0-9e]+", value):
            yield name, value


def plain(name):
    """Returns the package's name of a type of the header: anydnnDataType_t -> DataType."""
    return re.sub(r"^anydnn|_t$", "", name)


def common_prefix(members):
    """Returns the common prefix of all members of an enumeration, without the words that end it."""
    names = [name.split("_") for name, _ in members if not name.endswith("FORCE_32")]
    count = 0
    while all(len(words) > count + 1 for words in names) and len({words[count] for words in names}) == 1:
        count += 1
    return "_".join(names[0][:count]) + "_"


def member(name, prefix):
    short = name[len(prefix):]
    return short if not short[0].isdigit() else "ALGO_" + short


def foreign(kind, enums):
    """Returns the ctypes type of a C type: pointers are addresses, text is bytes, enumerations are int."""
    kind = " ".join(kind.replace("*", " * ").split())
    if kind in ("const char *",):
        return "c_char_p"
    if "*" in kind or "[" in kind:
        return "c_void_p"
    kind = kind.removeprefix("const ")
    if kind in SCALARS:
        return SCALARS[kind]
    return "c_int" if kind in enums else "c_void_p"


def arguments(text, enums):
    found = []
    for item in filter(None, (part.strip() for part in text.split(","))):
        if item == "void":
            continue
        match = re.fullmatch(r"(.*?)(\w+)\s*((?:\[\])?)", item, re.S)
        found.append(foreign(match.group(1) + match.group(3), enums))
    return found


def prototypes(header, table, enums):
    """Returns a list of (symbol, (result, arguments)), in the order of entries.def."""
    found = {}
    for result, name, args in re.findall(r"ANYDNN_API\s+([\w\s*]+?)\s*\b(anydnn\w+)\s*\((.*?)\)\s*;", header, re.S):
        found[name] = (foreign(result, enums), arguments(args, enums))
    pattern = r"ANYDNN_FORM\(\s*(\w+),\s*(\w+),\s*(\d+),\s*\((.*?)\)\s*\)\s*;"
    for result, name, level, args in re.findall(pattern, header, re.S):
        symbol = name if level == table[name] else f"{name}_v{level}"
        found[symbol] = (foreign(result, enums), arguments(args, enums))
    missing = [name for name in table if name not in found]
    if missing:
        sys.exit(f"anydnn.h does not declare {', '.join(missing)}")
    order = {name: place for place, name in enumerate(table)}
    return sorted(found.items(), key=lambda item: (order[re.sub(r"_v\d+$", "", item[0])], item[0]))


def wrapped(head, items, tail):
    """Returns the lines of head, items separated by commas, and tail."""
    line = head + ", ".join(items) + ("," if len(items) == 1 else "") + tail
    if len(line) <= WIDTH:
        return [line]
    lines, current = [head], "       "
    for item in items:
        if len(current) + len(item) + 2 > WIDTH:
            lines.append(current)
            current = "       "
        current += f" {item},"
    return lines + [current, "    " + tail]


def generate():
    table = entries((ROOT / "core/abi/entries.def").read_text())
    header = without_comments((ROOT / "include/anydnn/anydnn.h").read_text())
    enums = dict(enumerations(header))
    out = ['# SPDX-License-Identifier: Apache-2.0',
           '"""The types, numbers and prototypes of anydnn.h. python/generate.py makes this file; do not edit it."""',
           "from ctypes import (Structure, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint,",
           "                    c_ulonglong, c_void_p)",
           "from enum import IntEnum", "from typing import Any, Dict, Tuple", ""]
    out += [f"{name} = {value}" for name, value in numbers(header)]
    for name, members in enums.items():
        prefix = common_prefix(members)
        out += ["", "", f"class {plain(name)}(IntEnum):"]
        out += [f"    {member(key, prefix)} = {value}" for key, value in members if not key.endswith("FORCE_32")]
    for name, fields in structures(header):
        out += ["", "", f"class {plain(name)}(Structure):", "    _fields_ = ["]
        for field, kind, count in fields:
            kind = foreign(kind, enums)
            out.append(f'        ("{field}", {kind}{" * " + count if count else ""}),')
        out.append("    ]")
    out += ["", "", "# The result and argument types of each symbol, in the form of the level that introduced it.",
            "PROTOTYPES: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {"]
    for name, (result, args) in prototypes(header, table, enums):
        out += wrapped(f'    "{name}": ({result}, (', args, ")),")
    return "\n".join(out + ["}", ""])


def main():
    text = generate()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if TARGET.read_text() == text else f"{TARGET} is old: run python/generate.py")
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
