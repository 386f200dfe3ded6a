# SPDX-License-Identifier: Apache-2.0
"""Adds a convolution's input gradient to the shortcut's gradient of a residual block, if that has no other owner."""
import sys
from typing import Any, Dict, Optional, Sequence, Set, Tuple

import torch

from . import _convolution, _fused, _state
from ._onto import Apart

Maybe = Optional[torch.Tensor]
# Indexed by the number of a call's parameters.
_apart: Dict[int, Set[Tuple[Any, ...]]] = {}
_storage_owners: Any = getattr(torch._C, "_storage_Use_Count")


def _gradients(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
               dilation: Sequence[int], groups: int, wanted: Sequence[bool]) -> Tuple[torch.Tensor, Maybe, Maybe]:
    found: Tuple[torch.Tensor, Maybe, Maybe] = torch.ops.aten.convolution_backward.default(
        dy, x, w, [w.shape[0]], stride, padding, dilation, False, [0] * len(stride), groups, [True, *wanted])
    return found


def gradients(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, call: int) -> Tuple[torch.Tensor, Maybe, Maybe]:
    """Returns (dx, dw, db) by torch's differentiable operator."""
    return _gradients(dy, x, w, *_fused.parameters(call))


def convolution(x: torch.Tensor, w: torch.Tensor, bias: Maybe, call: int) -> torch.Tensor:
    """Runs the convolution by torch's operator.

    `call` is the number of stride, padding, dilation and groups, and of the flags for the gradients of w and bias.
    """
    stride, padding, dilation, groups, _ = _fused.parameters(call)
    return torch.convolution(x, w, bias, stride, padding, dilation, False, (0,) * len(stride), groups)


def _onto_parts(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, dx: torch.Tensor, *parameters: Any) -> Any:
    found, dw, db = _gradients(dy, x, w, *parameters)
    dx.add_(found)
    return dw, db


def _key(x: torch.Tensor, w: torch.Tensor) -> Tuple[Any, ...]:
    return x.shape, x.stride(), x.dtype, x.device, w.shape, _state.options, _state.flags()


def apart(x: torch.Tensor, w: torch.Tensor, call: int) -> bool:
    """Returns whether a separate addition is known to be better for such a call."""
    return call in _apart and _key(x, w) in _apart[call]


def _onto(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, dx: torch.Tensor, *parameters: Any) -> Tuple[Any, str]:
    try:
        return _convolution.backward_onto(dy, x, w, dx, *parameters)
    except Apart:
        _apart.setdefault(_fused.number(*parameters), set()).add(_key(x, w))
        raise


# Returns (dw, db). dx, the shortcut's gradient, becomes the sum.
onto = _fused.numbered(
    "convolution_backward_onto", "(Tensor dy, Tensor x, Tensor w, Tensor(a!) dx, int call) -> (Tensor, Tensor)",
    "convolution", _onto, _onto_parts, "convolution_backward_onto")


def owners(tensor: torch.Tensor) -> Optional[Tuple[Any, ...]]:
    """Returns how many own a tensor and its memory, in Python and C++, and whether the memory is torch's own.

    Hooks, values that autograd saved or passes to two nodes, views and NumPy arrays count as owners. autograd's engine,
    too, adds in place to a gradient without other owners. Returns None if the number is unknown.
    """
    try:
        storage = tensor.untyped_storage()
    except NotImplementedError:  # a batched gradient
        return None
    return (sys.getrefcount(tensor), tensor._use_count(), sys.getrefcount(storage),
            _storage_owners(storage._cdata), storage.resizable())
