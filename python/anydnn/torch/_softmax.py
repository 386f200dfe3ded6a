# SPDX-License-Identifier: Apache-2.0
"""Kernels of softmax, log_softmax and their gradients."""
from typing import Any, Tuple

import torch

from ._state import Declined, handle_of, operand, plan, supported


def _rows(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns x as outer, dim, inner, 1."""
    if x.dim() == 0:
        raise Declined("the input has no dims")
    dim %= x.dim()
    outer = 1
    for extent in x.shape[:dim]:
        outer *= extent
    return x.contiguous().view(outer, x.shape[dim], -1, 1)


def _forward(word: str, x: torch.Tensor, dim: int, half_to_float: bool) -> Tuple[Any, str]:
    supported(x)
    if half_to_float:
        raise Declined("half_to_float converts the result, and anydnn keeps the type")
    rows = _rows(x, dim)
    y = torch.empty_like(rows)
    found = plan(handle_of(x), (word, rows.shape, x.dtype), lambda: " ".join(
        ["softmax_forward", operand("x", rows, False), operand("y", y, False), f"softmax={word} mode=channel"]))
    found.run([rows, y])
    return y.view(x.shape), found.backend


def _backward(word: str, dy: torch.Tensor, y: torch.Tensor, dim: int, kind: torch.dtype) -> Tuple[Any, str]:
    supported(dy, y)
    if not kind == dy.dtype == y.dtype:
        raise Declined(f"the gradient has type {dy.dtype}, the output {y.dtype}, the input {kind}")
    rows, gradient = _rows(y, dim), _rows(dy, dim)
    dx = torch.empty_like(rows)
    found = plan(handle_of(y), (word, "backward", rows.shape, y.dtype), lambda: " ".join(
        ["softmax_backward", operand("y", rows, False), operand("dy", gradient, False), operand("dx", dx, False),
         f"softmax={word} mode=channel"]))
    found.run([rows, gradient, dx])
    return dx.view(y.shape), found.backend


def softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> Tuple[Any, str]:
    """Returns y of aten::_softmax."""
    return _forward("accurate", x, dim, half_to_float)


def log_softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> Tuple[Any, str]:
    """Returns y of aten::_log_softmax."""
    return _forward("log", x, dim, half_to_float)


def softmax_backward(dy: torch.Tensor, y: torch.Tensor, dim: int, input_dtype: torch.dtype) -> Tuple[Any, str]:
    """Returns dx of aten::_softmax."""
    return _backward("accurate", dy, y, dim, input_dtype)


def log_softmax_backward(dy: torch.Tensor, y: torch.Tensor, dim: int,
                         input_dtype: torch.dtype) -> Tuple[Any, str]:
    """Returns dx of aten::_log_softmax."""
    return _backward("log", dy, y, dim, input_dtype)
