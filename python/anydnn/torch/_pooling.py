# SPDX-License-Identifier: Apache-2.0
"""Kernels of aten::avg_pool2d and its gradient."""
from typing import Any, Optional, Sequence, Tuple

import torch

from ._state import Declined, channels_last, dims, empty, handle_of, operand, packed, plan, supported


def _pair(values: Sequence[int]) -> Tuple[int, ...]:
    found = tuple(int(value) for value in values)
    return found * 2 if len(found) == 1 else found


def _parameters(window: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
                divisor: Optional[int]) -> Tuple[Tuple[int, ...], Tuple[int, ...], Tuple[int, ...], str]:
    if ceil_mode:
        raise Declined("ceil_mode")
    if divisor is not None:
        raise Declined("divisor_override")
    window = _pair(window)
    stride = _pair(stride) if len(stride) else window
    padding = _pair(padding)
    if min(window) < 1 or min(stride) < 1 or min(padding) < 0 or any(2 * p > w for p, w in zip(padding, window)):
        raise Declined("a window, stride or padding that torch refuses")
    mode = "average_include" if count_include_pad else "average_exclude"
    return window, stride, padding, f" mode={mode} window={dims(window)} pad={dims(padding)} stride={dims(stride)}"


def _lifted(x: torch.Tensor) -> torch.Tensor:
    if x.dim() not in (3, 4):
        raise Declined(f"an input of {x.dim()} dims")
    return x.unsqueeze(0) if x.dim() == 3 else x


def avg_pool2d(x: torch.Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0,), ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: Optional[int] = None) -> Tuple[Any, str]:
    """y of aten::avg_pool2d."""
    supported(x)
    window, step, pad, keys = _parameters(kernel_size, stride, padding, ceil_mode, count_include_pad,
                                          divisor_override)
    whole = _lifted(x)
    last = channels_last(whole)
    whole = packed(whole, last)
    extents = [(whole.shape[axis + 2] + 2 * pad[axis] - window[axis]) // step[axis] + 1 for axis in range(2)]
    if min(extents) < 1:
        raise Declined("a window larger than the padded input")
    y = empty((*whole.shape[:2], *extents), whole, last)
    handle = handle_of(x)
    found = plan(handle, ("avg_pool2d", whole.shape, last, x.dtype, keys), lambda: " ".join(
        ["pooling_forward", operand("x", whole, last), operand("y", y, last)]) + keys)
    found.run([whole, y])
    return (y.squeeze(0) if x.dim() == 3 else y), found.backend


def avg_pool2d_backward(dy: torch.Tensor, x: torch.Tensor, kernel_size: Any, stride: Any, padding: Any,
                        ceil_mode: bool, count_include_pad: bool,
                        divisor_override: Optional[int]) -> Tuple[Any, str]:
    """dx of aten::avg_pool2d: neither x nor y is read."""
    supported(dy, x)
    if dy.dtype != x.dtype:
        raise Declined("operands of several types")
    keys = _parameters(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)[3]
    whole, last = _lifted(x), channels_last(_lifted(x))
    gradient = packed(_lifted(dy), last)
    dx = empty(whole.shape, whole, last)
    handle = handle_of(x)
    found = plan(handle, ("avg_pool2d_backward", whole.shape, gradient.shape, last, x.dtype, keys), lambda: " ".join(
        ["pooling_backward", operand("dy", gradient, last), operand("dx", dx, last)]) + keys + " without=y,x")
    found.run([gradient, dx])
    return (dx.squeeze(0) if x.dim() == 3 else dx), found.backend
