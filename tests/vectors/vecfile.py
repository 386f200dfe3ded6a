# SPDX-License-Identifier: Apache-2.0
"""The vector file format: one case as a value, seeded data, layouts, and the writer."""

import itertools
import sys
import zlib

import numpy as np

LOWEST = -sys.float_info.max
# The significand bits, the least normal exponent (of 2^e <= |v|) and the greatest exponent.
FLOATS = {"f64": (53, -1022, 1023), "f32": (24, -126, 127), "f16": (11, -14, 15), "bf16": (8, -126, 127)}
INTEGERS = {"s8": (-128, 127), "u8": (0, 255), "s32": (-2**31, 2**31 - 1)}
LANES = {"s8x4": 4, "u8x4": 4, "s8x32": 32}
SHORT = 8  # bits that every floating type has


def number(v):
    """Returns the shortest text that reads back as the same double."""
    v = float(v)
    if v == LOWEST:
        return "lowest"
    text = repr(v)
    return text[:-2] if text.endswith(".0") else text


def shorter(v):
    """Returns a text with enough digits to determine its rounding."""
    return number(v) if v == LOWEST or abs(v) >= 2.0**20 else number(float("%.9g" % v))


def runs(words):
    """Yields the words, with three or more equal words in a row as WORD*COUNT."""
    for word, group in itertools.groupby(words):
        count = len(list(group))
        yield from [word] * count if count < 3 else ["%s*%d" % (word, count)]


def mixes(roles, *kinds):
    """Returns the words of a types line: mixes("x y", "s8 s8", "s8 f32") gives x=s8,y=s8 and x=s8,y=f32. A single type
    applies to every role."""
    roles = roles.split()
    rows = [k.split() if " " in k else [k] * len(roles) for k in kinds]
    return tuple(",".join("%s=%s" % pair for pair in zip(roles, row)) for row in rows)


def scalar(kind):
    """Returns the type of the numbers in a type, which may be a vector type."""
    return kind.split("x")[0]


def nearest(kind, v):
    """Rounds to the nearest numbers of a type, ties to even. Floating types overflow to infinity. Integers saturate,
    and NaN becomes 0."""
    v = np.asarray(v, dtype=np.float64)
    if scalar(kind) in INTEGERS:
        return np.clip(np.rint(np.nan_to_num(v, nan=0.0, posinf=2.0**40, neginf=-2.0**40)), *INTEGERS[scalar(kind)])
    if kind == "f64":
        return v
    digits, least, most = FLOATS[kind]
    with np.errstate(invalid="ignore", over="ignore"):
        unit = np.exp2(np.maximum(np.frexp(v)[1] - 1, least) - digits + 1.0)
        out = np.where(np.isfinite(v), np.rint(v / unit) * unit, v)
        return np.where(np.abs(out) >= 2.0**(most + 1), np.copysign(np.inf, out), out)


def shortened(v, digits=SHORT, grid=14):
    """Rounds to that many significant bits on the grid 2^-grid."""
    v = np.rint(np.asarray(v, dtype=np.float64) * 2.0**grid) / 2.0**grid
    unit = np.exp2(np.frexp(v)[1] - float(digits))
    return np.where(np.isfinite(v), np.rint(v / unit) * unit, v)


def gapped(dims, order=None, unit=1, gaps=None):
    """Returns strides that store the dimensions in `order` (outermost first), with `gaps[i]` unused elements after each
    run of dimension order[i + 1]. `unit` is the innermost stride."""
    order = list(range(len(dims))) if order is None else list(order)
    gaps = [1 + (i % 3) for i in range(len(dims) - 1)] if gaps is None else list(gaps)
    strides = [0] * len(dims)
    step = unit
    for i in range(len(order) - 1, -1, -1):
        strides[order[i]] = step
        if i > 0:
            step = step * dims[order[i]] + gaps[i - 1]
    return tuple(strides)


def view(parent):
    """Returns the strides of a sub-region of a packed row-major parent tensor."""
    strides, step = [], 1
    for d in reversed(parent):
        strides.insert(0, step)
        step *= d
    return tuple(strides)


class Case:
    """A case: one problem with its inputs, prior contents and expected outputs. `types` has the words of the format's
    `types` line. Each word is a run: a floating type, or ROLE=TYPE,ROLE=TYPE.. The name may determine the numbers:
    `double_digits` and `half_digits` give numbers with the digits of these types, and `integer` gives numbers of int8.
    `ties` permits exact results midway between two integers."""

    def __init__(self, operation, name, types=tuple(FLOATS)):
        self.operation, self.name = operation, name
        self.rng = np.random.default_rng([zlib.crc32(operation.encode()), zlib.crc32(name.encode())])
        self.operands, self.params, self.lines = [], [], []
        self.kinds, self.wide, self.types = {}, [], types
        self.only_double = name.startswith("double_digits")
        self.digits = 11 if name.startswith("half_digits") else SHORT
        self.overflows = "overflow" in name
        self.whole = name.startswith("integer_")
        self.spread = 40.0  # the spread of whole numbers
        if self.whole and types == tuple(FLOATS):
            self.types = mixes("x y", *(("s8", "s8x4", "s8x32") if operation == "pooling_forward" else ("s8",)))
        if self.only_double:
            self.types = ("f64",)
        if self.digits == 11:
            self.types = ("f64", "f32", "f16")

    def reals(self, dims, bits=5, scale=1.0):
        """Draws normally distributed numbers on the grid 2^-bits, short enough for every type of the case. With
        bits=None, draws any float32, and the case runs in float and double."""
        v = self.rng.standard_normal(dims) * scale
        if self.whole:
            return np.clip(np.rint(v * self.spread), -128, 127)
        if self.only_double:
            return v
        if bits is None:
            self.types = ("f64", "f32")
            return v.astype(np.float32).astype(np.float64)
        return shortened(v, self.digits, bits if self.digits == SHORT else 14)

    def integers(self, dims, low, high):
        return self.rng.integers(low, high + 1, dims).astype(np.float64)

    def short(self, v, grid=14):
        """Rounds the result of another call to numbers that every type of the case has."""
        return v if self.only_double else shortened(v, self.digits, grid)

    def operand(self, role, dims, layout="nchw", kind="f64", wide=False):
        """Adds an operand. With `wide`, it is float in runs of the 16-bit types."""
        if not isinstance(layout, str):
            layout = ",".join(str(s) for s in layout)
        self.operands.append("%s=%s:%s:%s" % (role, kind, ",".join(str(d) for d in dims), layout))
        self.kinds[role] = kind
        if wide:
            self.wide.append(role)

    def bytes(self, role, count):
        """Adds a byte buffer, which is packed and has one dimension in every run of the case."""
        self.operand(role, (count,), kind="u8")

    def param(self, **kv):
        for key, value in kv.items():
            if isinstance(value, (tuple, list)):
                value = ",".join(str(v) for v in value)
            elif isinstance(value, float):
                value = number(value)
            self.params.append("%s=%s" % (key, value))

    def blend(self, alpha, beta):
        if alpha != 1:
            self.param(alpha=float(alpha))
        if beta != 0:
            self.param(beta=float(beta))

    def kind_in(self, word, role):
        """Returns the type of an operand in the run that a word of `types` describes."""
        if self.kinds[role] != "f64":
            return self.kinds[role]
        if "=" in word:
            named = dict(pair.split("=") for pair in word.split(","))
            return named[role] if role in named or role not in self.wide else "f32"
        return "f32" if role in self.wide and word in ("f16", "bf16") else word

    def all_kinds(self, role):
        return {self.kind_in(word, role) for word in self.types}

    def _values(self, word, role, v, fmt=number):
        flat = np.asarray(v, dtype=np.float64).ravel()
        self.lines.append(" ".join([word, role] + list(runs(fmt(e) for e in flat))))

    def feed(self, role, v):
        v = np.asarray(v, dtype=np.float64)
        plain = v[np.isfinite(v) & (v != LOWEST)]
        for kind in self.all_kinds(role):
            exact = np.array_equal(plain, nearest(kind, plain))
            exact = exact and (scalar(kind) not in INTEGERS or plain.size == v.size)
            assert exact, "%s %s: %s not exact in %s" % (self.operation, self.name, role, kind)
        self._values("in", role, v)

    def feed_rounded(self, role, v):
        """Adds an input that another call computed from the others. Each run rounds it to its type."""
        self._values("in", role, v)

    def prior(self, role, v):
        self.feed(role, v)
        self.lines[-1] = "prior" + self.lines[-1][2:]

    def expect(self, role, v, terms=None, kred=1, rounds=None):
        """Adds an expected output. `terms` has the sum of the absolute terms of each element; None requires equality.
        `rounds` has the effect on each element of rounding the inputs that another call made, in units of that
        rounding."""
        v = np.asarray(v, dtype=np.float64)
        kinds = self.all_kinds(role)
        if "f16" in kinds:
            beyond = np.isinf(nearest("f16", v)) & np.isfinite(v) & (v != LOWEST)
            assert self.overflows or not beyond.any(), "%s %s: %s overflows" % (self.operation, self.name, role)
        whole = [scalar(k) in INTEGERS for k in kinds]
        if any(whole) and terms is not None:
            beside = np.abs(v - np.floor(v) - 0.5)
            error = (8 + 0.5 * np.sqrt(kred)) * 2.0**-23 * terms + 2.0**-24 * np.abs(v)
            near = (beside <= error) & np.isfinite(v) & (("ties" not in self.name) | (beside > 0))
            assert not near.any(), "%s %s: %s may round either way" % (self.operation, self.name, role)
        if terms is not None and not all(whole):
            terms = np.where(np.isfinite(v), terms, 0.0)
            self._values("sum", role, terms, lambda e: "%.3g" % e)
            self.lines.append("kred %s %d" % (role, kred))
        if rounds is not None:
            self._values("rounds", role, rounds, lambda e: "%.3g" % e)
        self._values("out", role, v, shorter if all(whole) else number)

    def text(self):
        lines = ["case " + self.name, "problem " + " ".join([self.operation] + self.operands + self.params)]
        if tuple(self.types) != tuple(FLOATS):
            lines.append("types " + " ".join(self.types))
        if self.wide:
            lines.append("wide " + " ".join(self.wide))
        return "\n".join(lines + self.lines + ["end"]) + "\n"


def write(path, cases):
    names = [c.name for c in cases]
    assert len(set(names)) == len(names), path
    with open(path, "w", encoding="ascii") as f:
        f.write("# made by make_vectors.py; the format is described in README.md\n")
        for c in cases:
            f.write(c.text())
