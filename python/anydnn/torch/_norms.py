# SPDX-License-Identifier: Apache-2.0
"""Kernels of layer, group and RMS normalization and of their gradients."""
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch

from ._state import (TYPES, Declined, beside, channels_last, dims, empty, handle_of, packed, plan,
                     supported, types_of)

Maybe = Optional[torch.Tensor]
_HALVES = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Form:
    """The shapes of a normalization in its problems.

    x is a matrix of rows for layer and RMS. For groups it is N,C,pixels, or has its own dims in channels_last.
    """

    keys: str
    x: Tuple[int, ...]
    parameter: Tuple[int, ...]
    statistics: Tuple[int, ...]
    last: bool = False

    def text(self, role: str, tensor: torch.Tensor) -> str:
        """Returns role=TYPE:DIMS of an operand."""
        if role in ("scale", "bias", "dscale", "dbias"):
            return f"{role}={TYPES[tensor.dtype]}:{dims(self.parameter)}"
        if role.startswith("save"):
            return f"{role}={TYPES[tensor.dtype]}:{dims(self.statistics)}"
        return f"{role}={TYPES[tensor.dtype]}:{dims(self.x)}" + (":nhwc" if self.last else "")


def kind_of(x: torch.Tensor) -> torch.dtype:
    """Returns the type of statistics in the operations."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def rows(x: torch.Tensor, shape: Sequence[int], kind: str = "layer") -> Form:
    """Returns the form of a normalization over the last dims, which have this shape."""
    count = len(shape)
    if not 1 <= count <= x.dim() or tuple(x.shape[x.dim() - count:]) != tuple(shape):
        raise Declined(f"the input has shape {tuple(x.shape)}, which does not end with {tuple(shape)}")
    size = math.prod(shape)
    return Form(f" kind={kind} axes=1", (x.numel() // size, size), (1, size), (x.numel() // size, 1))


def groups(x: torch.Tensor, count: int) -> Form:
    """Returns the form of a normalization by groups of channels."""
    if x.dim() < 2 or count < 1 or x.shape[1] % count:
        raise Declined(f"the input has shape {tuple(x.shape)}, whose channels are not {count} groups")
    keys, batch, channels = f" kind=group groups={count}", x.shape[0], x.shape[1]
    if channels_last(x):
        ones = (1,) * (x.dim() - 2)
        return Form(keys, tuple(x.shape), (1, channels, *ones), (batch, count, *ones), True)
    return Form(keys, (batch, channels, x.numel() // (batch * channels)), (1, channels, 1), (batch, count, 1))


def fit(form: Form, x: torch.Tensor, **parameters: Maybe) -> None:
    """Declines parameters that torch refuses, or that anydnn does not support."""
    given = {name: one for name, one in parameters.items() if one is not None}
    supported(x, *given.values())
    for name, one in given.items():
        if one.numel() != math.prod(form.parameter):
            raise Declined(f"the {name} has {one.numel()} elements, not {math.prod(form.parameter)}")
        if one.dtype != x.dtype and not (one.dtype == torch.float32 and x.dtype in _HALVES):
            raise Declined(f"the {name} has type {one.dtype}, the input has type {x.dtype}")
        if one.device != x.device:
            raise Declined(f"the {name} is on {one.device}, the input is on {x.device}")
    if len({one.dtype for one in given.values()}) > 1:
        raise Declined(types_of(**given))


def run(operation: str, form: Form, epsilon: float, operands: Dict[str, torch.Tensor], rest: str = "") -> str:
    """Runs an operation on packed operands, by their roles, and returns the backend."""
    handle = handle_of(operands["x"])
    key = (operation, form, epsilon, rest, *((role, one.dtype) for role, one in operands.items()))
    found = plan(handle, key, lambda: " ".join(
        [operation, *(form.text(role, one) for role, one in operands.items())])
        + f"{form.keys} epsilon={epsilon!r}{rest}")
    found.run([operands[each.role] for each in found.problem.operands])
    return found.backend


def as_kind(tensor: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
    """Returns a packed tensor of a type, as a copy if that differs. The call then cannot become a recipe."""
    if tensor.dtype != kind:
        beside()
    return tensor.to(kind).contiguous()


def forward(form: Form, x: torch.Tensor, weight: Maybe, bias: Maybe, epsilon: float, z: Maybe = None,
            keys: str = "") -> Tuple[Dict[str, torch.Tensor], str]:
    """Returns y, sum (with z), save_mean (except for RMS) and save_inv_dev by their roles, and the backend."""
    operands = {"x": packed(x, form.last), "y": empty(x.shape, x, form.last)}
    if z is not None:
        operands.update(z=packed(z, form.last), sum=empty(x.shape, x, form.last))
    operands.update((role, one.contiguous()) for role, one in (("scale", weight), ("bias", bias)) if one is not None)
    for role in ("save_mean", "save_inv_dev")["kind=rms" in form.keys:]:
        operands[role] = torch.empty(form.statistics, dtype=kind_of(x), device=x.device)
    backend = run("normalization_forward", form, epsilon, operands, keys)
    return operands, backend


def backward(form: Form, dy: torch.Tensor, x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe,
             inverse: torch.Tensor, mask: Sequence[bool], epsilon: float = 1e-5, dsum: Maybe = None,
             keys: str = "") -> Tuple[List[Maybe], str]:
    """Returns [dx, dweight, dbias], with None where the mask has False. `bias` counts with an activation only.

    The saved statistics contain the epsilon of the forward pass.
    """
    operands = {"x": packed(x, form.last), "dy": packed(dy, form.last), "dx": empty(x.shape, x, form.last)}
    if dsum is not None:
        operands["dsum"] = packed(dsum, form.last)
    if weight is not None:
        operands["scale"] = weight.contiguous()
    elif mask[1] or (mask[2] and bias is None):
        raise Declined("a gradient is wanted of a parameter that is not given")
    for role, one in (("save_mean", mean), ("save_inv_dev", inverse)):
        if one is not None:
            if one.numel() != math.prod(form.statistics):
                raise Declined(f"the saved statistics have {one.numel()} elements, not {math.prod(form.statistics)}")
            operands[role] = as_kind(one, kind_of(x))
    like: Any = weight if weight is not None else bias
    if bias is not None and keys:
        operands["bias"] = bias.contiguous()
    for role, wanted in (("dscale", mask[1]), ("dbias", mask[2])):
        if wanted:
            operands[role] = torch.empty(like.shape, dtype=like.dtype, device=x.device)
    backend = run("normalization_backward", form, epsilon, operands, keys)
    return [operands.get(role) if wanted else None for role, wanted in zip(("dx", "dscale", "dbias"), mask)], backend


def _saved_kind(x: torch.Tensor, weight: Maybe, bias: Maybe, of_input: bool) -> torch.dtype:
    """Returns torch's type of the statistics that a forward pass saves. On CUDA those of groups have the input's."""
    if x.is_cuda:
        return x.dtype if of_input else kind_of(x)
    like = weight if weight is not None else bias
    return x.dtype if like is None else like.dtype


def _results(found: Dict[str, torch.Tensor], shape: Sequence[int], kind: torch.dtype) -> Tuple[torch.Tensor, ...]:
    return (found["y"], *(as_kind(found[role].view(shape), kind) for role in ("save_mean", "save_inv_dev")))


def native_layer_norm(x: torch.Tensor, shape: Sequence[int], weight: Maybe, bias: Maybe,
                      epsilon: float) -> Tuple[Any, str]:
    """Returns (y, mean, 1 / deviation) of aten::native_layer_norm."""
    supported(x)
    form = rows(x, shape)
    _fit_rows(form, x, shape, weight=weight, bias=bias)
    found, backend = forward(form, x, weight, bias, epsilon)
    outer = (*x.shape[:x.dim() - len(shape)], *(1 for _ in shape))
    return _results(found, outer, _saved_kind(x, weight, bias, False)), backend


def _fit_rows(form: Form, x: torch.Tensor, shape: Sequence[int], **parameters: Maybe) -> None:
    fit(form, x, **parameters)
    for name, one in parameters.items():
        if one is not None and tuple(one.shape) != tuple(shape):
            raise Declined(f"the {name} has shape {tuple(one.shape)}, not {tuple(shape)}")


def _fit_gradient(dy: torch.Tensor, x: torch.Tensor) -> None:
    supported(dy, x)
    if dy.dtype != x.dtype or dy.device != x.device:
        raise Declined(types_of(gradient=dy, input=x))
    if dy.shape != x.shape:
        raise Declined(f"the gradient has shape {tuple(dy.shape)}, the input has shape {tuple(x.shape)}")


def native_layer_norm_backward(dy: torch.Tensor, x: torch.Tensor, shape: Sequence[int], mean: torch.Tensor,
                               inverse: torch.Tensor, weight: Maybe, bias: Maybe,
                               mask: Sequence[bool]) -> Tuple[Any, str]:
    """Returns (dx, dweight, dbias)."""
    _fit_gradient(dy, x)
    form = rows(x, shape)
    _fit_rows(form, x, shape, weight=weight, bias=bias)
    found, backend = backward(form, dy, x, weight, bias, mean, inverse, mask)
    return tuple(found), backend


def _fit_groups(x: torch.Tensor, batch: int, channels: int, pixels: int, **parameters: Maybe) -> None:
    if x.dim() < 2 or tuple(x.shape[:2]) != (batch, channels) or x.numel() != batch * channels * pixels:
        raise Declined(f"the input has shape {tuple(x.shape)}, not {batch}, {channels} and {pixels} pixels")
    for name, one in parameters.items():
        if one is not None and one.dim() != 1:
            raise Declined(f"the {name} has {one.dim()} dims, not 1")


def native_group_norm(x: torch.Tensor, weight: Maybe, bias: Maybe, batch: int, channels: int, pixels: int,
                      count: int, epsilon: float) -> Tuple[Any, str]:
    """Returns (y, mean, 1 / deviation) of aten::native_group_norm."""
    supported(x)
    _fit_groups(x, batch, channels, pixels, weight=weight, bias=bias)
    form = groups(x, count)
    fit(form, x, weight=weight, bias=bias)
    found, backend = forward(form, x, weight, bias, epsilon)
    return _results(found, (batch, count), _saved_kind(x, weight, bias, True)), backend


def native_group_norm_backward(dy: torch.Tensor, x: torch.Tensor, mean: torch.Tensor, inverse: torch.Tensor,
                               weight: Maybe, batch: int, channels: int, pixels: int, count: int,
                               mask: Sequence[bool]) -> Tuple[Any, str]:
    """Returns (dx, dweight, dbias). torch passes no bias, whose gradient has the weight's type."""
    _fit_gradient(dy, x)
    _fit_groups(x, batch, channels, pixels, weight=weight)
    form = groups(x, count)
    fit(form, x, weight=weight)
    found, backend = backward(form, dy, x, weight, None, mean, inverse, mask)
    return tuple(found), backend
