# SPDX-License-Identifier: Apache-2.0
"""Checks anydnn run with data of every element type. The expected values are computed here by the rules of
anydnn.h: integers round to even and saturate, vectors hold 4 or 32 channels."""

import json
import math
import os
import struct
import subprocess
import sys

PROGRAM, FOLDER, WHAT = sys.argv[1:4]
FLOATS = "f64 f32 f16 bf16".split()
REAL = "f32 f16 bf16 s8 s8x4 s8x32".split()
EVERY = FLOATS + "s8 u8 s32 s64 s8x4 u8x4 s8x32".split()
ALL = FLOATS + "s8 u8 s32 s8x4 u8x4 s8x32".split()

# Operation and operands, `%` for the type, and the types that it takes; P is f64 for f64, else f32.
OPERATIONS = [
    ("convolution_forward x=%:1,32,3,3 w=%:32,32,2,2", FLOATS + "s8 s8x4 u8x4 s8x32".split()),
    ("convolution_bias_activation_forward x=%:1,32,2,2 w=%:32,32,1,1 z=%:1,32,2,2 alpha2=0.5",
     FLOATS + "s8 s8x4 u8x4 s8x32".split()),
    ("convolution_backward_data w=%:32,32,3,3 dy=%:2,32,2,2 dx=%:2,32,4,4", FLOATS),
    ("convolution_backward_filter x=%:2,32,4,4 dy=%:2,32,2,2 dw=%:32,32,3,3", FLOATS),
    ("convolution_backward_bias dy=%:2,32,3", FLOATS),
    ("pooling_forward x=%:2,32,4,4 window=2,2 pad=1,1 alpha=1.5 beta=0.5",
     FLOATS + "s8 s8x4 s8x32".split()),
    ("pooling_backward y=%:2,32,3,3 x=%:2,32,5,5 window=3,3", FLOATS),
    ("activation_forward x=%:2,32,5 activation=tanh", FLOATS + ["s8"]),
    ("activation_backward y=%:2,32,5 activation=elu coef=1", FLOATS),
    ("lrn_forward x=%:2,32,5", FLOATS + ["s8"]),
    ("lrn_backward y=%:2,32,5", FLOATS),
    ("softmax_forward x=%:2,32,5", FLOATS + ["s8"]),
    ("softmax_backward y=%:2,32,5", FLOATS),
    ("divisive_normalization_forward x=%:2,32,5", FLOATS),
    ("divisive_normalization_backward x=%:2,32,5", FLOATS),
    ("batch_normalization_inference x=%:2,32,5", FLOATS + ["s8"]),
    ("batch_normalization_training x=%:2,32,5 running_mean=P:1,32,1 running_var=P:1,32,1 "
     "ops=bn_activation reserve=u8:40", FLOATS),
    ("batch_normalization_backward x=%:2,32,5", FLOATS),
    ("dropout_forward x=%:2,32,5", FLOATS),
    ("dropout_backward dy=%:2,32,5", FLOATS),
    ("transform_tensor x=%:2,32,5", ALL),
    ("transform_tensor_ex x=%:2,32,5 y=%:2,32,7 pad_before=0,0,2", ALL),
    ("transform_filter x=%:32,32,5 y=%:32,32,5", FLOATS + ["s8", "u8"]),
    ("add_tensor x=%:2,32,5 beta=0.5", ALL),
    ("op_tensor a=%:2,32,5 op=max", FLOATS + ["s8"]),
    ("reduce_tensor a=%:2,32,5 c=%:2,32,1 op=avg", FLOATS + ["s8"]),
    ("set_tensor y=%:2,32,5 value=2.5", ALL),
    ("scale_tensor y=%:2,32,5 alpha=-0.75", ALL),
    ("im2col x=%:2,32,5,5 window=3,2", FLOATS),
]


def typed(text, kind):
    return text.replace("%", kind).replace("P:", "f64:" if kind == "f64" else "f32:")


def run_all(problems, *options):
    """Runs all problems in one process and returns the answers as JSON."""
    done = subprocess.run([PROGRAM, "run", "-", "--json", *options], capture_output=True, text=True,
                          input="\n".join(problems) + "\n")
    answers = json.loads(done.stdout)
    assert len(answers) == len(problems), (len(answers), len(problems))
    return done.returncode, list(zip(problems, answers))


def expect_fine(problems):
    code, answers = run_all(problems, "--check", "cpu_ref", "--repeat", "2")
    for problem, answer in answers:
        assert "error" not in answer, (problem, answer["error"])
        assert answer["check"]["passed"] and answer["outputs"], problem
    assert code == 0


# ---- types as bytes

def short_bits(value, fraction, bias):
    """Rounds to nearest, ties to even, by comparing the neighbours, so that no float arithmetic is trusted."""
    sign, size = math.copysign(1, value) < 0, abs(value)
    top = (1 << (15 - fraction)) - 1 << fraction
    if math.isnan(value):
        return top | 1 << (fraction - 1)

    def number(bits):
        exponent, digits = bits >> fraction, bits & (1 << fraction) - 1
        if exponent == 0:
            return math.ldexp(digits, 1 - bias - fraction)
        return math.ldexp(digits + (1 << fraction), exponent - bias - fraction)

    low, high = 0, top  # infinity takes the place of the next number
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if number(middle) <= size else (low, middle)
    below, above = size - number(low), number(high) - size
    bits = low if below < above or (below == above and low % 2 == 0) else high
    return (bits if not math.isinf(size) else top) | sign << 15


def clamp(value, low, high):
    if math.isnan(value):
        return 0
    return int(max(low, min(high, value if math.isinf(value) else round(value))))


CODES = {"s8": ("b", -128, 127), "u8": ("B", 0, 255), "s32": ("i", -2**31, 2**31 - 1),
         "u16": ("H", 0, 2**16 - 1), "u32": ("I", 0, 2**32 - 1), "u64": ("Q", 0, 2**64 - 1)}


def pack(kind, values):
    kind = kind.split("x")[0]
    if kind in ("f64", "f32"):
        return struct.pack("<%d%s" % (len(values), "d" if kind == "f64" else "f"), *values)
    if kind in ("f16", "bf16"):
        bits = [short_bits(v, 10, 15) if kind == "f16" else short_bits(v, 7, 127) for v in values]
        return struct.pack("<%dH" % len(bits), *bits)
    code, low, high = CODES[kind]
    return struct.pack("<%d%s" % (len(values), code), *(clamp(v, low, high) for v in values))


def run_files(problem, inputs, output, kind):
    """Runs with files of the inputs and returns the output's bytes."""
    arguments = [PROGRAM, "run", problem]
    for role, data in inputs.items():
        path = os.path.join(FOLDER, role + ".bin")
        with open(path, "wb") as file:
            file.write(data)
        arguments += ["--in", "%s=%s" % (role, path)]
    path = os.path.join(FOLDER, "out.bin")
    done = subprocess.run(arguments + ["--out", "%s=%s" % (output, path)], capture_output=True,
                          text=True)
    assert done.returncode == 0, (problem, done.stderr)
    with open(path, "rb") as file:
        return file.read()


def expect_values(problem, inputs, output, kind, values):
    got = run_files(problem, inputs, output, kind)
    assert got == pack(kind, values), (problem, got, pack(kind, values))


# ---- checks

def taken():
    expect_fine([typed(text, kind) for text, kinds in OPERATIONS for kind in kinds])


def refused():
    pairs = [(typed(text, kind), kind) for text, kinds in OPERATIONS for kind in EVERY
             if kind not in kinds]
    code, answers = run_all([problem for problem, _ in pairs])
    assert code == 1, code
    for (problem, kind), (_, answer) in zip(pairs, answers):
        assert "outputs" not in answer and kind in answer["error"], (problem, answer)


def mixed():
    problems = ["transform_tensor x=%s:2,32,3,2 y=%s:2,32,3,2 alpha=0.3" % (a, b)
                for a in REAL for b in REAL]
    problems += ["transform_tensor x=%s:2,32,3,2:%s y=%s:2,32,3,2:nchw_vect_c" % (a, layout, b)
                 for layout in ("nhwc", "nchw", "384,7,64,13") for a, b in (("s8", "s8x4"),
                                                                        ("s8", "s8x32"),
                                                                        ("u8", "u8x4"))]
    for a, results in {"f32": "f32 f16 bf16 s8", "f16": "f32 f16", "bf16": "f32 bf16",
                       "s8": "f32 s8", "f64": "f64"}.items():
        for c in results.split():
            problems.append("op_tensor a=%s:2,8,3 b=%s:1,8,1 c=%s:2,8,3 alpha2=1.5 beta=0.5" % (a, a, c))
            problems.append("reduce_tensor a=%s:2,8,3 c=%s:2,8,1 op=norm2 beta=0.5" % (a, c))
    for x, w, y in (("s8", "s8", "f32"), ("u8", "s8", "s8"), ("u8", "s8", "f32"),
                    ("s8x4", "s8x4", "f32"), ("u8x4", "s8x4", "s8x4"), ("u8x4", "s8x4", "f32"),
                    ("u8x4", "u8x4", "f32")):
        problems.append("convolution_forward x=%s:1,32,3,3 w=%s:32,32,2,2 y=%s:1,32,2,2 alpha=0.1"
                        % (x, w, y))
    expect_fine(problems)


def spread():
    code, answers = run_all(["convolution_forward x=%s:1,64,3,3 w=%s:64,64,3,3 pad=1,1" % (k, k)
                             for k in ("s8", "s8x4", "s8x32")])
    assert code == 0
    for problem, answer in answers:
        ends = [v for v in answer["outputs"][0]["first"] if abs(v) >= 127]
        assert len(ends) <= 2 and abs(answer["outputs"][0]["mean"]) < 20, (problem, answer)


def files():
    """Checks that data passes through unchanged, in logical order, for every layout."""
    for kind in ALL:
        numbers = [(i * 7 % 23 + (0 if kind[0] == "u" else -11)) for i in range(2 * 32 * 3)]
        layouts = ["nchw_vect_c", "nhwc"] if "x" in kind else ["nchw", "nhwc", "200,6,1"]
        for x in layouts:
            for y in layouts:
                expect_values("transform_tensor x=%s:2,32,3:%s y=%s:2,32,3:%s" % (kind, x, kind, y),
                              {"x": pack(kind, numbers)}, "y", kind, numbers)


def vectors():
    """Checks that the program and the backend agree on the position of channels in vectors."""
    numbers = list(range(-24, 24))
    expect_values("transform_tensor x=s8x4:2,8,3 y=s8:2,8,3", {"x": pack("s8", numbers)}, "y", "s8",
                  numbers)
    expect_values("transform_tensor x=s8:2,8,3:nhwc y=s8x4:2,8,3", {"x": pack("s8", numbers)}, "y",
                  "s8", numbers)
    wide = [(i * 5) % 251 for i in range(64 * 3)]
    expect_values("transform_tensor x=u8x4:1,64,3 y=u8:1,64,3:nhwc", {"x": pack("u8", wide)}, "y",
                  "u8", wide)


EDGES = [0.5, 1.5, 2.5, -0.5, -2.5, 300, -300, math.nan, math.inf, -math.inf, 65519, 65520, 1e-7,
         2.0**-25, 2.0**-24, 1.00390625, 1.01171875, 3.3961e38, 2049, 2051]


def rounding():
    single = [struct.unpack("<f", struct.pack("<f", v))[0] for v in EDGES]
    for kind in ("f16", "bf16", "s8"):
        expect_values("transform_tensor x=f32:1,%d y=%s:1,%d" % (len(single), kind, len(single)),
                      {"x": pack("f32", single)}, "y", kind, single)
    whole = [1, 2, 3, 5, -1, -2, -3, -5, 127, 100, -128, -100]
    for kind in ("s8", "s32", "f16", "bf16"):
        for alpha in (0.5, 2, -1.25):
            expect_values("scale_tensor y=%s:1,12 alpha=%g" % (kind, alpha),
                          {"y": pack(kind, whole)}, "y", kind, [v * alpha for v in whole])
    prior = [1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4]
    expect_values("op_tensor a=s8:1,12 b=s8:1,12 c=f32:1,12 alpha1=0.5 alpha2=0.25",
                  {"a": pack("s8", whole), "b": pack("s8", prior)}, "c", "f32",
                  [0.5 * a + 0.25 * b for a, b in zip(whole, prior)])
    expect_values("add_tensor x=s32:1,12 y=s32:1,12 alpha=0.5 beta=0.5",
                  {"x": pack("s32", whole), "y": pack("s32", prior)}, "y", "s32",
                  [0.5 * a + 0.5 * b for a, b in zip(whole, prior)])


def set_values():
    for kind in ALL:
        for value in (2.5, -2.5, 1e10, 0.1):
            expect_values("set_tensor y=%s:1,32,2 value=%r" % (kind, value), {}, "y", kind,
                          [value] * 64)


def shown():
    """Checks that random and printed numbers are numbers of the type: multiples of 1/8 up to 1, or whole
    numbers up to 8."""
    code, answers = run_all(["transform_tensor x=%s:2,32,9" % kind for kind in ALL])
    assert code == 0
    for kind, (problem, answer) in zip(ALL, answers):
        out, whole = answer["outputs"][0], kind not in FLOATS
        high = 8 if whole else 1
        assert (out["min"], out["max"]) == (0 if kind[0] == "u" else -high, high), (problem, out)
        assert all(v * (1 if whole else 8) % 1 == 0 for v in out["first"]), (problem, out)
    code, answers = run_all(["set_tensor y=%s:1,32 value=-2.7" % kind for kind in ALL])
    want = [-2.7, struct.unpack("<f", struct.pack("<f", -2.7))[0], -2.69921875, -2.703125] + [
        0 if kind[0] == "u" else -3 for kind in ALL[4:]]
    assert [a["outputs"][0]["first"] for _, a in answers] == [[v] * 8 for v in want], answers


def indices():
    a = [3, -9, 4, 9, 0, 0, -1, 1]
    for kind in ("u8", "u16", "u32", "u64"):
        for data in ("f16", "bf16", "s8", "f32"):
            expect_values("reduce_tensor a=%s:2,4 c=%s:2,1 op=amax indices=%s:2,1" % (data, data, kind),
                          {"a": pack(data, a)}, "indices", kind, [1, 2])


def convolutions():
    """Computes a 1x1 convolution: y[k, p] = sum over c of w[k, c] x[c, p]."""
    for x_kind, w_kind, y_kind, channels in (("s8", "s8", "f32", 8), ("u8", "s8", "s8", 8),
                                             ("s8x4", "s8x4", "s8x4", 8), ("u8x4", "s8x4", "f32", 8),
                                             ("u8x4", "u8x4", "u8x4", 8),
                                             ("s8x32", "s8x32", "s8x32", 64)):
        x = [(i * 5) % 11 - (0 if x_kind[0] == "u" else 5) for i in range(channels * 3)]
        w = [(i * 3) % 7 - (0 if w_kind[0] == "u" else 3) for i in range(channels * channels)]
        sums = [sum(w[k * channels + c] * x[c * 3 + p] for c in range(channels))
                for k in range(channels) for p in range(3)]
        expect_values("convolution_forward x=%s:1,%d,1,3 w=%s:%d,%d,1,1 y=%s:1,%d,1,3 alpha=0.25"
                      % (x_kind, channels, w_kind, channels, channels, y_kind, channels),
                      {"x": pack(x_kind, x), "w": pack(w_kind, w)}, "y", y_kind,
                      [0.25 * v for v in sums])


def tolerances():
    """Compares by the type of the output; whole numbers must be equal."""
    code, answers = run_all(["scale_tensor y=%s:1,64 alpha=0.5" % kind for kind in ALL], "--check",
                            "cpu_ref")
    allowed = [answer["check"]["outputs"][0]["tolerance"] for _, answer in answers]
    assert code == 0 and allowed == [1e-13, 1e-5, 2e-3, 1.6e-2] + [0] * 6, allowed


{"taken": taken, "refused": refused, "mixed": mixed, "spread": spread, "files": files,
 "vectors": vectors, "rounding": rounding, "set": set_values, "shown": shown, "indices": indices,
 "convolutions": convolutions, "tolerances": tolerances}[WHAT]()
