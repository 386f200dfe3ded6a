# SPDX-License-Identifier: Apache-2.0
"""The vector file format: one case as a value, seeded data, layouts, and the writer."""

import sys
import zlib

import numpy as np

LOWEST = -sys.float_info.max


def number(v):
    """Shortest text that reads back to the same double."""
    v = float(v)
    if v == LOWEST:
        return "lowest"
    text = repr(v)
    return text[:-2] if text.endswith(".0") else text


def gapped(dims, order=None, unit=1, gaps=None):
    """Strides that store the dimensions in `order` (outermost first) with `gaps[i]` unused
    elements after each run of dimension order[i + 1]; `unit` is the innermost stride."""
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
    """Strides of a sub-region of a packed row-major parent tensor."""
    strides, step = [], 1
    for d in reversed(parent):
        strides.insert(0, step)
        step *= d
    return tuple(strides)


class Case:
    """One problem with its inputs, its prior contents and its expected outputs."""

    def __init__(self, operation, name):
        self.operation, self.name = operation, name
        self.rng = np.random.default_rng([zlib.crc32(operation.encode()), zlib.crc32(name.encode())])
        self.operands, self.params, self.lines = [], [], []
        self.only_double = name.startswith("double_digits")

    def reals(self, dims, bits=7, scale=1.0):
        """Normal numbers on the grid 2^-bits, or any float32 if bits is None; any double in a case
        for double alone."""
        v = self.rng.standard_normal(dims) * scale
        if self.only_double:
            return v
        if bits is None:
            return v.astype(np.float32).astype(np.float64)
        return np.round(v * 2.0**bits) / 2.0**bits

    def integers(self, dims, low, high):
        return self.rng.integers(low, high + 1, dims).astype(np.float64)

    def operand(self, role, dims, layout="nchw", kind="f64"):
        if not isinstance(layout, str):
            layout = ",".join(str(s) for s in layout)
        self.operands.append("%s=%s:%s:%s" % (role, kind, ",".join(str(d) for d in dims), layout))

    def bytes(self, role, count):
        """A byte buffer: packed, of one dimension, in every run of the case."""
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

    def _values(self, word, role, v, fmt=number):
        flat = np.asarray(v, dtype=np.float64).ravel()
        self.lines.append(" ".join([word, role] + [fmt(e) for e in flat]))

    def feed(self, role, v):
        v = np.asarray(v, dtype=np.float64)
        plain = v[np.isfinite(v) & (v != LOWEST)]
        exact = self.only_double or np.array_equal(plain, plain.astype(np.float32))
        assert exact, "%s: %s not exact in float" % (self.name, role)
        self._values("in", role, v)

    def feed_rounded(self, role, v):
        """An input that another call made of the others: each type gets it rounded to its own."""
        self._values("in", role, v)

    def prior(self, role, v):
        self.feed(role, v)
        self.lines[-1] = "prior" + self.lines[-1][2:]

    def expect(self, role, v, terms=None, kred=1):
        """`terms`: the sum of the absolute terms of each element; None asks for equality."""
        if terms is not None:
            terms = np.where(np.isfinite(v), terms, 0.0)
            self._values("sum", role, terms, lambda e: "%.3g" % e)
            self.lines.append("kred %s %d" % (role, kred))
        self._values("out", role, v)

    def text(self):
        problem = " ".join([self.operation] + self.operands + self.params)
        only = ["only f64"] if self.only_double else []
        return "\n".join(["case " + self.name, "problem " + problem] + only + self.lines + ["end"]) + "\n"


def write(path, cases):
    names = [c.name for c in cases]
    assert len(set(names)) == len(names), path
    with open(path, "w", encoding="ascii") as f:
        f.write("# made by make_vectors.py; the format is described in README.md\n")
        for c in cases:
            f.write(c.text())
