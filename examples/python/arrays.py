#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs operations on NumPy's arrays, shows which backend ran them, and compares two backends on the same data."""
import numpy as np

import anydnn

rng = np.random.default_rng(1)
x = rng.standard_normal((2, 3, 32, 32)).astype(np.float32)
w = rng.standard_normal((8, 3, 3, 3)).astype(np.float32)

# Each operation is a function. Arrays are used in place, and the result is an array of the same library.
y = anydnn.convolution_forward(x, w, pad=1, stride=2)
y = anydnn.pooling_forward(anydnn.activation_forward(y), 2)
print("shape of the result:", y.shape)

# A handle has its own route. Its record describes the last call.
results = []
for route in ("onednn, cpu_ref", "cpu_ref"):
    with anydnn.Handle("cpu", route=route) as handle:
        results.append(anydnn.convolution_forward(x, w, pad=1, handle=handle))
        print(f"route {route}: ran on {handle.dispatch.backend}, in {handle.dispatch.math} math")
print("largest difference of the two:", float(np.abs(results[0] - results[1]).max()))

# Every operation of the library is also a problem as text.
problem = anydnn.Problem("softmax_forward x=f32:2,5,1,1 softmax=log")
print("operands:", *(operand.role for operand in problem.operands))
print(problem.run(x=np.zeros((2, 5, 1, 1), np.float32))["y"][0, :, 0, 0])

# Bad arguments raise an exception, whose text names the argument, its value and the rule.
try:
    anydnn.convolution_forward(x, w, pad=-1)
except anydnn.BadParam as error:
    print("error:", error)
