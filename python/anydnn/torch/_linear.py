# SPDX-License-Identifier: Apache-2.0
"""Our operator of a linear layer with bias and activation, in eager mode."""
from typing import Any, Tuple

import torch
from torch.autograd import Function
from torch.nn import functional

from . import _activations, _eager, _fused, _products
from ._activations import Activation
from ._state import Declined, supported, types_of

COUNTED = "linear_active"
FAMILY = "matmul"


def has(activation: Activation) -> bool:
    """Returns whether the operator has an activation."""
    return activation == ("relu",) or activation[0] in ("gelu", "silu")


def _ours(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, activation: Activation, saves: bool,
          allow_tf32: bool) -> Tuple[Any, str]:
    """Returns y, and the value before the activation if the gradient needs it, else None."""
    supported(x, w, bias)
    if not x.dtype == w.dtype == bias.dtype:
        raise Declined(types_of(input=x, weight=w, bias=bias))
    if not x.device == w.device == bias.device:
        raise Declined("the operands are on several devices")
    if w.dim() != 2 or x.dim() < 1 or x.shape[-1] != w.shape[1] or tuple(bias.shape) != (w.shape[0],):
        raise Declined(f"the input has shape {tuple(x.shape)}, the weight {tuple(w.shape)}, the bias {tuple(bias.shape)}")
    matrix = x.reshape(-1, x.shape[-1])
    added = {"bias": bias.contiguous().view(1, -1)}
    if saves:
        added["aux"] = torch.empty((matrix.shape[0], w.shape[0]), dtype=x.dtype, device=x.device)
    y, before, backend = _products.run(matrix, w.t(), allow_tf32, _activations.full_keys(activation), added, bare=True)
    shape = (*x.shape[:-1], w.shape[0])
    return (y.view(shape), None if before is None else before.view(shape)), backend


def _parts(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, activation: Activation, saves: bool,
           _allow_tf32: bool) -> Any:
    before = functional.linear(x, w, bias)
    return _activations.apply(activation, before, own=not saves), before if saves else None


_numbered = _fused.numbered("linear_active_numbered",
                            "(Tensor x, Tensor w, Tensor bias, int call) -> (Tensor y, Tensor before)", FAMILY, _ours,
                            _parts, COUNTED)


def _behind(dy: torch.Tensor, value: torch.Tensor, activation: Activation) -> torch.Tensor:
    """Returns the gradient before the activation, from y for ReLU, else from the value before it."""
    found: torch.Tensor
    if activation[0] == "relu":
        found = torch.ops.aten.threshold_backward.default(dy, value, 0)
    elif activation[0] == "gelu":
        found = torch.ops.aten.gelu_backward.default(dy, value, approximate=activation[1])
    else:
        found = torch.ops.aten.silu_backward.default(dy, value)
    return found


class _Linear(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, activation: Activation,
                call: int) -> torch.Tensor:
        y, before = _numbered(x, w, bias, call)
        ctx.save_for_backward(x, w, bias, y if before is None else before)
        ctx.activation = activation
        return y  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> Any:
        dy, = grad_outputs
        x, w, bias, value = ctx.saved_tensors
        needed = ctx.needs_input_grad[:3]
        if torch.is_grad_enabled():
            given = [one for one, wanted in zip((x, w, bias), needed) if wanted]
            y = _activations.apply(ctx.activation, functional.linear(x, w, bias))
            found = iter(torch.autograd.grad(y, given, dy, create_graph=True))
            return (*(next(found) if wanted else None for wanted in needed), None, None)
        before = _behind(dy, value, ctx.activation).reshape(-1, w.shape[0])
        dx = torch.mm(before, w).view(x.shape) if needed[0] else None
        dw = torch.mm(before.t(), x.reshape(-1, x.shape[-1])) if needed[1] else None
        return dx, dw, before.sum(0) if needed[2] else None, None, None


_run = _eager._applied(_Linear)


def run(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, activation: Activation) -> torch.Tensor:
    """Returns the activation of a linear layer, with gradients if some are required."""
    differentiable = torch.is_grad_enabled() and (x.requires_grad or w.requires_grad or bias.requires_grad)
    call = _fused.number(activation, differentiable and activation[0] != "relu", _products.tf32(x))
    found: torch.Tensor = _run(x, w, bias, activation, call) if differentiable else _numbered(x, w, bias, call)[0]
    return found
