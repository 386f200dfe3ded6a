# SPDX-License-Identifier: Apache-2.0
"""Our operators of normalizations in eager mode: RMS, groups with an activation, an addition with layer or RMS.

Tracers, torch.func and forward-mode derivatives get torch's operators instead.
"""
from typing import Any, Callable, List, Optional, Tuple

import torch
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.autograd import Function
from torch.nn import functional

from . import _activations, _eager, _fused, _norms, _state
from ._activations import Activation
from ._norms import Form
from ._state import Declined

Maybe = Optional[torch.Tensor]
# The parameters of a call: kind, normalized dims or groups, epsilon, activation.
Parameters = Tuple[str, int, float, Activation]
FAMILY = "normalization"


def _form(x: torch.Tensor, weight: Maybe, bias: Maybe, kind: str, size: int) -> Form:
    _state.supported(x)
    if kind == "group":
        form = _norms.groups(x, size)
    else:
        form = _norms.rows(x, x.shape[x.dim() - size:], kind)
    _norms.fit(form, x, weight=weight, bias=bias)
    return form


def _forward(x: torch.Tensor, z: Maybe, weight: Maybe, bias: Maybe, kind: str, size: int, epsilon: float,
             activation: Activation) -> Tuple[Any, str]:
    """Returns (y, sum, mean, 1 / deviation), with None for the sum without z and for the mean of RMS."""
    if z is not None and (z.dtype != x.dtype or z.shape != x.shape or z.device != x.device):
        raise Declined(f"the addends have types {x.dtype} and {z.dtype}, shapes {tuple(x.shape)} and {tuple(z.shape)}")
    form = _form(x, weight, bias, kind, size)
    found, backend = _norms.forward(form, x, weight, bias, epsilon, z, _activations.full_keys(activation))
    return tuple(found.get(role) for role in ("y", "sum", "save_mean", "save_inv_dev")), backend


def _backward(dy: torch.Tensor, dsum: Maybe, x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe,
              inverse: torch.Tensor, kind: str, size: int, epsilon: float, activation: Activation) -> Tuple[Any, str]:
    """Returns (dx, dweight, dbias), with None for absent parameters."""
    form = _form(x, weight, bias, kind, size)
    found, backend = _norms.backward(form, dy, x, weight, bias, mean, inverse,
                                     (True, weight is not None, bias is not None), epsilon, dsum,
                                     _activations.full_keys(activation))
    return tuple(found), backend


def _normalized(x: torch.Tensor, weight: Maybe, bias: Maybe, kind: str, size: int, epsilon: float) -> torch.Tensor:
    """Returns a normalization by torch's differentiable operators."""
    if kind == "group":
        return functional.group_norm(x, size, weight, bias, epsilon)
    if kind == "layer":
        return functional.layer_norm(x, x.shape[x.dim() - size:], weight, bias, epsilon)
    kept = torch.float64 if x.dtype == torch.float64 else torch.float32
    wide = x.to(kept)
    found = wide * torch.rsqrt(wide.square().mean(list(range(-size, 0)), keepdim=True) + epsilon)
    return (found if weight is None else found * weight).to(x.dtype)


def _statistics(x: torch.Tensor, kind: str, size: int, epsilon: float) -> Tuple[Maybe, torch.Tensor]:
    wide = x.to(_norms.kind_of(x))
    if kind == "group":
        wide = wide.reshape(x.shape[0], size, -1)
    inner = [-1] if kind == "group" else list(range(-size, 0))
    if kind == "rms":
        return None, torch.rsqrt(wide.square().mean(inner, keepdim=True) + epsilon)
    var, mean = torch.var_mean(wide, inner, correction=0, keepdim=True)
    return mean, torch.rsqrt(var + epsilon)


def _forward_parts(x: torch.Tensor, z: Maybe, weight: Maybe, bias: Maybe, kind: str, size: int, epsilon: float,
                   activation: Activation) -> Any:
    total = None if z is None else x + z
    v = x if total is None else total
    y = _activations.apply(activation, _normalized(v, weight, bias, kind, size, epsilon))
    return (y, total, *_statistics(v, kind, size, epsilon))


def _gradients(dy: torch.Tensor, dsum: Maybe, x: torch.Tensor, weight: Maybe, bias: Maybe, kind: str, size: int,
               epsilon: float, activation: Activation, *, again: bool) -> List[Maybe]:
    """Returns [dx, dweight, dbias] by torch's operators, differentiable if they are needed again."""
    given = [x, weight, bias]
    with torch.enable_grad():
        leaves: List[Any] = [one if one is None or again and one.requires_grad else one.detach().requires_grad_()
                             for one in given]
        y = _activations.apply(activation, _normalized(leaves[0], leaves[1], leaves[2], kind, size, epsilon))
        there = [one for one in leaves if one is not None]
        found = iter(torch.autograd.grad(y, there, dy, create_graph=again))
        results = [None if one is None else next(found) for one in leaves]
        if dsum is not None and results[0] is not None:
            results[0] = results[0] + dsum
    return results


def _backward_parts(dy: torch.Tensor, dsum: Maybe, x: torch.Tensor, weight: Maybe, bias: Maybe, _mean: Maybe,
                    _inverse: torch.Tensor, *parameters: Any) -> Any:
    return tuple(_gradients(dy, dsum, x, weight, bias, *parameters, again=False))


class Operator:
    """An operator and its gradient. All have the same kernels, and the report lists each under its name."""

    def __init__(self, name: str) -> None:
        self.forward = _fused.numbered(
            f"{name}_numbered", "(Tensor x, Tensor? z, Tensor? weight, Tensor? bias, int call)"
            " -> (Tensor y, Tensor sum, Tensor mean, Tensor inverse)", FAMILY, _forward, _forward_parts, name)
        self.backward = _fused.numbered(
            f"{name}_backward_numbered", "(Tensor dy, Tensor? dsum, Tensor x, Tensor? weight, Tensor? bias, Tensor? mean,"
            " Tensor inverse, int call) -> (Tensor dx, Tensor dweight, Tensor dbias)", FAMILY, _backward,
            _backward_parts, f"{name}_backward")
        self.counted = f"anydnn::{name}"


RMS, GROUP, LAYER = Operator("rms_norm"), Operator("group_norm_active"), Operator("add_layer_norm")


class _Norm(Function):
    @staticmethod
    def forward(ctx: Any, operator: Operator, x: torch.Tensor, z: Maybe, weight: Maybe, bias: Maybe, call: int) -> Any:
        y, total, mean, inverse = operator.forward(x, z, weight, bias, call)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x if total is None else total, weight, bias, mean, inverse)
        ctx.rest = operator, call
        if total is None:
            ctx.mark_non_differentiable(inverse)
        return (y, inverse) if total is None else (y, total)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Maybe) -> Any:
        dy, dsum = grad_outputs
        x, weight, bias, mean, inverse = ctx.saved_tensors
        operator, call = ctx.rest
        if operator is not LAYER:
            dsum = None
        if dy is None:
            found: Any = dsum, None, None
        elif torch.is_grad_enabled():
            found = _gradients(dy, dsum, x, weight, bias, *_fused.parameters(call), again=True)
        else:
            found = operator.backward(dy, dsum, x, weight, bias, mean, inverse, call)
        dx, dweight, dbias = (one if any(needed) else None for one, needed in zip(
            found, (ctx.needs_input_grad[1:3], ctx.needs_input_grad[3:4], ctx.needs_input_grad[4:5])))
        return None, dx, dx if ctx.needs_input_grad[2] else None, dweight, dbias, None


_run = _eager._applied(_Norm)


def untraced(*operands: Maybe) -> bool:
    """Returns whether nothing traces or transforms a call, and all operands are of torch's own class."""
    there = [one for one in operands if one is not None]
    return (_eager.eager(there[0]) and all(map(_eager.plain, there))
            and not any(map(is_functorch_wrapped_tensor, there)) and not _eager.tangents())


def fits(*operands: Maybe) -> bool:
    """Returns whether our operators of normalizations may run on these operands."""
    return FAMILY in _state.families and untraced(*operands)


def call_of(operator: Operator, x: torch.Tensor, z: Maybe, weight: Maybe, bias: Maybe, *parameters: Any) -> Any:
    """Returns y, and the sum with z or else the inverse deviation, with gradients if some are required."""
    call = _fused.number(*parameters)
    if torch.is_grad_enabled() and any(one is not None and one.requires_grad for one in (x, z, weight, bias)):
        return _run(operator, x, z, weight, bias, call)
    y, total, _, inverse = operator.forward(x, z, weight, bias, call)
    return y, inverse if total is None else total


def rms_norm(name: str, key: str, previous: Any) -> Callable[..., Any]:
    """Makes the kernel of aten::_fused_rms_norm like `hook`, with or without autograd.

    On the CPU torch composes it of other operators, which tracers, torch.func and forward-mode derivatives still get.
    """
    differentiable = key.startswith("Autograd")

    def kernel(keys: Any, x: torch.Tensor, shape: Any, weight: Maybe, eps: Optional[float]) -> Any:
        if FAMILY not in _state.families:
            return previous.call_boxed(keys, x, shape, weight, eps)
        try:
            if not fits(x, weight):
                raise Declined("the call is traced or transformed")
            epsilon = torch.finfo(torch.float32 if x.dtype.itemsize == 2 else x.dtype).eps if eps is None else eps
            _form(x, weight, None, "rms", len(shape))
            if tuple(shape) != tuple(x.shape[x.dim() - len(shape):]) or weight is not None and weight.shape != tuple(shape):
                raise Declined(f"the input or the weight does not end with the shape {tuple(shape)}")
        except Declined as declined:
            _state.count(name, "torch", str(declined), 0.0)
            return previous.call_boxed(keys, x, shape, weight, eps)
        parameters = ("rms", len(shape), epsilon, _activations.IDENTITY)
        if differentiable:
            y, inverse = call_of(RMS, x, None, weight, None, *parameters)
        else:
            y, _, _, inverse = RMS.forward(x, None, weight, None, _fused.number(*parameters))
        return y, inverse.view(*x.shape[:x.dim() - len(shape)], *(1 for _ in shape))
    return kernel
