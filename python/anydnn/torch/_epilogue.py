# SPDX-License-Identifier: Apache-2.0
"""Convolution, bias, addition and activation as one call of the library, for calls without gradients."""
from typing import Any, Optional, Sequence, Tuple

import torch
from torch._C._functorch import is_functorch_wrapped_tensor

from . import _activations, _convolution, _eager, _fused, _state
from ._activations import Activation

Maybe = Optional[torch.Tensor]


def _ours(x: torch.Tensor, w: torch.Tensor, z: Maybe, bias: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
          dilation: Sequence[int], groups: int, activation: Activation, *_flags: Any) -> Tuple[Any, str]:
    y, backend, whole = _convolution.with_epilogue(x, w, z, bias, stride, padding, dilation, groups,
                                                   _activations.keys(activation))
    if not whole:
        _state.beside()
        y = _activations.apply(activation, y, own=True)
    return y, backend


def _parts(x: torch.Tensor, w: torch.Tensor, z: Maybe, bias: torch.Tensor, stride: Sequence[int],
           padding: Sequence[int], dilation: Sequence[int], groups: int, activation: Activation,
           *_flags: Any) -> torch.Tensor:
    y = torch.ops.aten.convolution(x, w, bias, stride, padding, dilation, False, [0] * len(stride), groups)
    return _activations.apply(activation, y if z is None else y + z, own=True)


_numbered = _fused.numbered("convolution_epilogue",
                            "(Tensor x, Tensor w, Tensor? z, Tensor bias, int call, int flags) -> Tensor",
                            "convolution", _ours, _parts, "convolution_epilogue")


def fits(x: torch.Tensor, w: torch.Tensor, z: Maybe, bias: torch.Tensor) -> bool:
    """Returns whether the operator may run: no gradient flows through it, and nothing traces the call."""
    operands = [one for one in (x, w, z, bias) if one is not None]
    return (_eager.eager(x) and all(map(_eager.plain, operands)) and not any(map(is_functorch_wrapped_tensor, operands))
            and not _eager.tangents() and not (torch.is_grad_enabled() and any(one.requires_grad for one in operands)))


def run(x: torch.Tensor, w: torch.Tensor, z: Maybe, bias: torch.Tensor, stride: Tuple[int, ...],
        padding: Tuple[int, ...], dilation: Tuple[int, ...], groups: int, activation: Activation) -> torch.Tensor:
    """Returns the activation of a convolution with a bias, plus z if given, which has the shape of the result."""
    call = _fused.number(stride, padding, dilation, groups, activation)
    with torch.no_grad():
        y: torch.Tensor = _numbered(x, w, z, bias, call, _state.flags())
    return y
