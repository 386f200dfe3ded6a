# SPDX-License-Identifier: Apache-2.0
"""Reads .vec files: cases, and their problems with values as arrays."""

import math
import struct
import sys

import numpy as np

LOWEST = -sys.float_info.max
REALS = ("f64", "f32", "f16", "bf16")
LANES = {"s8x4": 4, "u8x4": 4, "s8x32": 32}
RANGES = {"s8": (-128, 127), "u8": (0, 255), "s32": (-2**31, 2**31 - 1), "u16": (0, 2**16 - 1),
          "u32": (0, 2**32 - 1), "u64": (0, 2**64 - 1)}


def numbers(words):
    for word in words:
        value, _, count = word.partition("*")
        yield from [LOWEST if value == "lowest" else float(value)] * int(count or 1)


def read(path):
    case = None
    for line in open(path, encoding="ascii"):
        word, _, rest = line.strip().partition(" ")
        if word == "case":
            case = {"name": rest, "in": {}, "prior": {}, "sum": {}, "rounds": {}, "out": {}, "kred": {},
                    "types": REALS, "wide": ()}
        elif word == "problem":
            case["problem"] = rest
        elif word in ("types", "wide"):
            case[word] = tuple(rest.split())
        elif word in ("in", "prior", "sum", "rounds", "out", "kred"):
            role, *values = rest.split()
            case[word][role] = list(numbers(values))
        elif word == "end":
            yield case
        else:
            assert word in ("", "#"), (path, line)


def in_type(kind, v):
    """Returns True if the type has the number v, by Python's own conversions."""
    if v == LOWEST or not math.isfinite(v) or kind == "f64":
        return kind.split("x")[0] not in RANGES or math.isfinite(v)
    if kind.split("x")[0] in RANGES:
        low, high = RANGES[kind.split("x")[0]]
        return v == int(v) and low <= v <= high
    if kind == "bf16":
        return struct.pack(">f", v)[2:] == b"\0\0" and struct.unpack(">f", struct.pack(">f", v))[0] == v
    code = {"f32": ">f", "f16": ">e"}[kind]
    try:
        return struct.unpack(code, struct.pack(code, v))[0] == v
    except OverflowError:
        return False


class Problem:
    def __init__(self, case):
        words = case["problem"].split()
        self.name, self.case = case["name"], case
        self.operation, self.dims, self.keys, self.kinds = words[0], {}, {}, {}
        for w in words[1:]:
            key, value = w.split("=", 1)
            if value.count(":") == 2:
                self.kinds[key], dims, layout = value.split(":")
                self.dims[key] = tuple(int(d) for d in dims.split(","))
                self.disjoint(key, layout)
            else:
                self.keys[key] = value
        self.values = {}
        for part in ("in", "prior"):
            for role, v in case[part].items():
                self.values[role] = np.array(v).reshape(self.dims[role])
                self.representable(role, v)
        for pair in self.keys.get("alias", "").split(","):
            if pair:
                out, source = pair.split(":")
                self.values[out] = self.values[source]

    def types_of(self, role):
        """Returns the types that an operand has in the runs of its case."""
        if self.kinds[role] != "f64":
            return {self.kinds[role]}
        wide, found = role in self.case["wide"], set()
        for word in self.case["types"]:
            if "=" in word:
                found.add(("f32" if wide else None) if "," + role + "=" not in "," + word else
                          ("," + word).split("," + role + "=")[1].split(",")[0])
            else:
                found.add("f32" if wide and word in ("f16", "bf16") else word)
        return found

    def representable(self, role, v):
        if role in ("save_mean", "save_inv_var") or self.case["rounds"] and role == "y":
            return  # another call computed it
        for kind in self.types_of(role):
            odd = [e for e in set(v) if not in_type(kind, e)]
            assert not odd, (self.operation, self.name, role, kind, odd[0])

    def disjoint(self, role, layout):
        if not layout[0].isdigit():
            return
        strides = [int(s) for s in layout.split(",")]
        dims = list(self.dims[role])
        dims[1:2] = [d // LANES.get(self.kinds[role], 1) for d in dims[1:2]]
        offsets = {sum(i * s for i, s in zip(at, strides)) for at in np.ndindex(*dims)}
        assert len(offsets) == np.prod(dims), (self.name, role, "overlaps")

    def ints(self, key, default):
        return [int(v) for v in self.keys[key].split(",")] if key in self.keys else default

    def real(self, key, default):
        return float(self.keys.get(key, default))
