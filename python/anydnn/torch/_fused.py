# SPDX-License-Identifier: Apache-2.0
"""The operators that `fuse` puts into models: several of torch's in one, with a gradient that is one too.

Their schemas are functional, so that torch's tracers may move them. Where anydnn is not enabled or declines,
the operator runs as its parts on torch's own.
"""
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torch.nn import functional

from . import _batch_norm, _convolution, _state
from ._state import FORMATS, Declined, channels_last

Maybe = Optional[torch.Tensor]
LIBRARY = torch.library.Library("anydnn", "DEF")


@dataclass(frozen=True)
class Own:
    """An operator of ours: what runs where its family is enabled, and what else, or where that declines."""

    family: str
    schema: str
    counted: str
    ours: Callable[..., Tuple[Any, str]]
    parts: Callable[..., Any]


OWN: Dict[str, Own] = {}


def own(name: str, schema: str, family: str, ours: Callable[..., Tuple[Any, str]], parts: Callable[..., Any],
        fake: Callable[..., Any], counted: str = "") -> Any:
    """Defines anydnn::name; in the report its calls stand under `counted`."""
    counted = f"anydnn::{counted or name}"

    def kernel(*arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            if family not in _state.families:
                raise Declined(f"anydnn.torch is not enabled for {family}")
            result, backend = ours(*arguments)
        except Declined as reason:
            result = parts(*arguments)
            _state.count(counted, "torch", str(reason), time.perf_counter() - began)
        else:
            _state.count(counted, backend, "", time.perf_counter() - began)
        return result

    OWN[name] = Own(family, schema, counted, ours, parts)
    LIBRARY.define(name + schema)
    for key in ("CPU", "CUDA"):
        LIBRARY.impl(name, kernel, key)
    torch.library.register_fake(f"anydnn::{name}", fake, lib=LIBRARY)
    return getattr(torch.ops.anydnn, name).default


def activated(x: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    """ReLU, with a ceiling that of ReLU6, by torch."""
    return functional.relu(x) if ceiling is None else functional.hardtanh(x, 0.0, ceiling)


def _activation(ceiling: Optional[float]) -> str:
    """Keys of the activation; NaN goes through, as in torch."""
    return " nan=propagate activation=" + ("relu" if ceiling is None else f"clipped_relu coef={ceiling!r}")


def _new(like: torch.Tensor) -> torch.Tensor:
    """A tensor like an activation, in channels_last where that one is so, else contiguous."""
    return torch.empty_like(like, memory_format=FORMATS[like.dim()] if channels_last(like) else torch.contiguous_format)


# Batch normalization (+ addition) + activation, in training.

def _parameter_type(x: torch.Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _check(x: torch.Tensor, *others: Maybe) -> None:
    if not 4 <= x.dim() <= 5:
        raise Declined(f"an input of {x.dim()} dims")
    for other in others:
        if other is not None and (other.dtype != x.dtype or other.shape != x.shape):
            raise Declined("operands of several types or shapes")


def _norm_keys(x: torch.Tensor, epsilon: float, ceiling: Optional[float], addition: bool,
               statistics: Sequence[str]) -> str:
    kind, channels, ones = ("f64" if x.dtype == torch.float64 else "f32"), x.shape[1], ",1" * (x.dim() - 2)
    return (f" mode=spatial epsilon={epsilon!r} ops=" + ("bn_add_activation" if addition else "bn_activation")
            + _activation(ceiling) + f" reserve=u8:{(x.numel() + 7) // 8}"
            + "".join(f" {name}={kind}:1,{channels}{ones}" for name in statistics))


def _norm_run(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, statistics: Sequence[torch.Tensor],
              factor: float, epsilon: float, ceiling: Optional[float]) -> Tuple[Tuple[torch.Tensor, ...], str]:
    """(y, mean, inverse deviation, reserve); `statistics`, a mean and a variance, move by a factor."""
    _check(x, z)
    packed, last, _ = _batch_norm.operand_of(x)
    if x.numel() == x.shape[1]:
        raise Declined("one value a channel")
    scale, shift = _batch_norm.parameter(weight, x, 1.0), _batch_norm.parameter(bias, x, 0.0)
    y = _new(x)
    mean, inverse = torch.empty_like(scale), torch.empty_like(scale)
    reserve = torch.empty((x.numel() + 7) // 8, dtype=torch.uint8, device=x.device)
    tensors = [("x", packed), ("scale", scale), ("bias", shift), ("y", y), ("save_mean", mean),
               ("save_inv_var", inverse), ("running_mean", statistics[0]), ("running_var", statistics[1]),
               ("reserve", reserve)]
    if z is not None:
        tensors.append(("z", _state.packed(z, last)))
    backend = _batch_norm.run(
        _state.handle_of(x), "batch_normalization_training", last, tensors,
        _norm_keys(x, epsilon, ceiling, z is not None, ("save_mean", "save_inv_var", "running_mean", "running_var"))
        + f" average_factor={float(factor)!r}")
    return (y, mean, inverse, reserve), backend


def _norm(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, epsilon: float,
          ceiling: Optional[float]) -> Tuple[Any, str]:
    batch = [x.new_empty(x.shape[1], dtype=_parameter_type(x)) for _ in range(2)] if x.dim() > 1 else []
    (y, mean, inverse, reserve), backend = _norm_run(x, z, weight, bias, batch, 1.0, epsilon, ceiling)
    return (y, mean, inverse, *batch, reserve), backend


def _norm_in_place(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, mean: torch.Tensor,
                   var: torch.Tensor, momentum: float, epsilon: float, ceiling: Optional[float]) -> Tuple[Any, str]:
    statistics = [_batch_norm.running(one, x) for one in (mean, var)]
    return _norm_run(x, z, weight, bias, statistics, momentum, epsilon, ceiling)


_BITS = (1, 2, 4, 8, 16, 32, 64, 128)


def _bits_of(passes: torch.Tensor) -> torch.Tensor:
    """The reserve as anydnn.h has it: a bit an element in order of the dims, the lowest first."""
    flat = functional.pad(passes.contiguous().view(-1), (0, -passes.numel() % 8)).view(-1, 8)
    return (flat * torch.tensor(_BITS, dtype=torch.uint8, device=flat.device)).sum(1, dtype=torch.uint8)


def _of_bits(reserve: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    bits = torch.tensor(_BITS, dtype=torch.uint8, device=reserve.device)
    return ((reserve[:, None] & bits) != 0).view(-1)[:like.numel()].view(like.shape)


def _norm_in_place_parts(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, mean: torch.Tensor,
                         var: torch.Tensor, momentum: float, epsilon: float, ceiling: Optional[float]) -> Any:
    kind = _parameter_type(x)
    y, saved_mean, saved_inverse = torch.native_batch_norm(x, weight, bias, mean, var, True, momentum, epsilon)
    y = activated(y if z is None else y + z, ceiling)
    passes = y > 0 if ceiling is None else (y > 0) & (y < ceiling)
    return _new(x).copy_(y), saved_mean.to(kind), saved_inverse.to(kind), _bits_of(passes)


def _norm_parts(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, epsilon: float,
                ceiling: Optional[float]) -> Any:
    kind = _parameter_type(x)
    batch, var = (torch.zeros(x.shape[1], dtype=weight.dtype, device=x.device) for _ in range(2))
    y, mean, inverse, reserve = _norm_in_place_parts(x, z, weight, bias, batch, var, 1.0, epsilon, ceiling)
    return y, mean, inverse, batch.to(kind), var.to(kind), reserve


def _norm_in_place_fake(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, mean: torch.Tensor,
                        var: torch.Tensor, momentum: float, epsilon: float, ceiling: Optional[float]) -> Any:
    saved = [x.new_empty(x.shape[1], dtype=_parameter_type(x)) for _ in range(2)]
    return (_new(x), *saved, x.new_empty(((x.numel() + 7) // 8,), dtype=torch.uint8))


def _norm_fake(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, epsilon: float,
               ceiling: Optional[float]) -> Any:
    y, mean, inverse, reserve = _norm_in_place_fake(x, z, weight, bias, weight, bias, 1.0, epsilon, ceiling)
    return y, mean, inverse, torch.empty_like(mean), torch.empty_like(mean), reserve


def _norm_gradient(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, inverse: torch.Tensor,
                   reserve: torch.Tensor, epsilon: float, ceiling: Optional[float],
                   addition: bool) -> Tuple[Any, str]:
    _check(x, dy)
    packed, last, _ = _batch_norm.operand_of(x)
    scale = _batch_norm.parameter(weight, x, 1.0)
    dx, dscale, dbias = _new(x), torch.empty_like(scale), torch.empty_like(scale)
    dz = _new(x) if addition else x.new_empty(0)
    tensors = [("x", packed), ("dy", _state.packed(dy, last)), ("scale", scale),
               ("save_mean", mean), ("save_inv_var", inverse), ("reserve", reserve), ("dx", dx),
               ("dscale", dscale), ("dbias", dbias)]
    if addition:
        tensors.append(("dz", dz))
    backend = _batch_norm.run(
        _state.handle_of(x), "batch_normalization_backward", last, tensors,
        _norm_keys(x, epsilon, ceiling, addition, ("save_mean", "save_inv_var")) + " without=y,bias")
    return (dx, dz, dscale, dbias), backend


def _norm_gradient_parts(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor,
                         inverse: torch.Tensor, reserve: torch.Tensor, epsilon: float, ceiling: Optional[float],
                         addition: bool) -> Any:
    masked = _new(x).copy_(torch.where(_of_bits(reserve, x), dy, 0))
    dx, dscale, dbias = torch.ops.aten.native_batch_norm_backward(
        masked, x, weight, None, None, mean.to(weight.dtype), inverse.to(weight.dtype), True, epsilon,
        [True, True, True])
    return _new(x).copy_(dx), masked if addition else x.new_empty(0), dscale, dbias


def _norm_gradient_fake(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor,
                        inverse: torch.Tensor, reserve: torch.Tensor, epsilon: float, ceiling: Optional[float],
                        addition: bool) -> Any:
    return (_new(x), _new(x) if addition else x.new_empty(0), torch.empty_like(weight), torch.empty_like(weight))


norm = own("batch_norm_relu", "(Tensor x, Tensor? z, Tensor weight, Tensor bias, float epsilon, float? ceiling)"
           " -> (Tensor y, Tensor mean, Tensor inverse, Tensor batch_mean, Tensor batch_var, Tensor reserve)",
           "batch_norm", _norm, _norm_parts, _norm_fake)
norm_in_place = own(
    "batch_norm_relu_", "(Tensor x, Tensor? z, Tensor weight, Tensor bias, Tensor(a!) running_mean,"
    " Tensor(b!) running_var, float momentum, float epsilon, float? ceiling)"
    " -> (Tensor y, Tensor mean, Tensor inverse, Tensor reserve)",
    "batch_norm", _norm_in_place, _norm_in_place_parts, _norm_in_place_fake, counted="batch_norm_relu")
norm_gradient = own(
    "batch_norm_relu_backward", "(Tensor dy, Tensor x, Tensor weight, Tensor mean, Tensor inverse, Tensor reserve,"
    " float epsilon, float? ceiling, bool addition) -> (Tensor dx, Tensor dz, Tensor dweight, Tensor dbias)",
    "batch_norm", _norm_gradient, _norm_gradient_parts, _norm_gradient_fake)


def _by_parts(parts: Callable[..., torch.Tensor], inputs: Sequence[Maybe], dy: torch.Tensor) -> List[Maybe]:
    """Gradients that can be differentiated again: those of the operator's parts."""
    wanted = [one for one in inputs if one is not None and one.requires_grad]
    with torch.enable_grad():
        found = iter(torch.autograd.grad(parts(*inputs), wanted, dy, create_graph=True))
    return [next(found) if one is not None and one.requires_grad else None for one in inputs]


def _norm_twice(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, reserve: torch.Tensor,
                epsilon: float, addition: bool) -> Tuple[Maybe, Maybe, Maybe, Maybe]:
    """The gradients by torch's normalization. The activation is linear around every place: its bits suffice."""
    masked = torch.where(_of_bits(reserve, x), dy, 0)

    def parts(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return functional.batch_norm(x, None, None, weight, bias, True, 0.0, epsilon)
    dx, dweight, dbias = _by_parts(parts, (x, weight, bias), masked)
    return dx, masked if addition else None, dweight, dbias


def norm_gradients(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, mean: torch.Tensor,
                   inverse: torch.Tensor, reserve: torch.Tensor, epsilon: float, ceiling: Optional[float],
                   addition: bool) -> Tuple[Maybe, Maybe, Maybe, Maybe]:
    """(dx, dz, dweight, dbias), with a graph of their own where torch wants one."""
    if torch.is_grad_enabled():
        return _norm_twice(dy, x, weight, bias, reserve, epsilon, addition)
    if dy.stride() != x.stride():
        dy = _new(x).copy_(dy)
    dx, dz, dweight, dbias = norm_gradient(dy, x, weight, mean, inverse, reserve, epsilon, ceiling, addition)
    return dx, dz if addition else None, dweight, dbias


def _norm_setup(ctx: Any, inputs: Any, output: Any) -> None:
    x, z, weight, bias, epsilon, ceiling = inputs
    ctx.mark_non_differentiable(*output[1:])
    ctx.set_materialize_grads(False)
    ctx.rest = epsilon, ceiling, z is not None
    ctx.save_for_backward(x, weight, bias, output[1], output[2], output[5])


def _norm_backward(ctx: Any, dy: Maybe, *_: Any) -> Any:
    if dy is None:
        return (None,) * 6
    return (*norm_gradients(dy, *ctx.saved_tensors, *ctx.rest), None, None)


torch.library.register_autograd("anydnn::batch_norm_relu", _norm_backward, setup_context=_norm_setup, lib=LIBRARY)


# Convolution + bias + activation.

def _conv(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
          dilation: Sequence[int], groups: int, ceiling: Optional[float]) -> Tuple[Any, str]:
    return _convolution.activated(x, w, bias, stride, padding, dilation, groups, _activation(ceiling))


def _conv_parts(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
                dilation: Sequence[int], groups: int, ceiling: Optional[float]) -> torch.Tensor:
    y = torch.ops.aten.convolution(x, w, bias, stride, padding, dilation, False, [0] * len(stride), groups)
    return torch.relu_(y) if ceiling is None else y.clamp_(0.0, ceiling)


def _conv_fake(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
               dilation: Sequence[int], groups: int, ceiling: Optional[float]) -> torch.Tensor:
    y: torch.Tensor = torch.ops.aten.convolution(x, w, bias, stride, padding, dilation, False, [0] * len(stride),
                                                 groups)
    return y


def passed(dy: torch.Tensor, y: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    """The gradient in front of the activation."""
    if ceiling is None:
        return torch.ops.aten.threshold_backward(dy, y, 0)  # type: ignore[no-any-return]
    return torch.ops.aten.hardtanh_backward(dy, y, 0.0, ceiling)  # type: ignore[no-any-return]


def _conv_gradient_parts(dy: torch.Tensor, y: torch.Tensor, x: torch.Tensor, w: torch.Tensor, stride: Sequence[int],
                         padding: Sequence[int], dilation: Sequence[int], groups: int, ceiling: Optional[float],
                         wanted: Sequence[bool]) -> List[torch.Tensor]:
    found = torch.ops.aten.convolution_backward(
        passed(dy, y, ceiling), x, w, [w.shape[0]], stride, padding, dilation, False, [0] * len(stride), groups, wanted)
    return [x.new_empty(0) if one is None else one for one in found]


def _conv_gradient(dy: torch.Tensor, y: torch.Tensor, x: torch.Tensor, w: torch.Tensor, stride: Sequence[int],
                   padding: Sequence[int], dilation: Sequence[int], groups: int, ceiling: Optional[float],
                   wanted: Sequence[bool]) -> Tuple[Any, str]:
    found, backend = _convolution.convolution_backward(
        passed(dy, y, ceiling), x, w, [w.shape[0]], stride, padding, dilation, False, [0] * len(stride), groups, wanted)
    return [x.new_empty(0) if one is None else one for one in found], backend


def _conv_flagged(*arguments: Any) -> Tuple[Any, str]:
    return _conv(*arguments[:-1])


def _conv_flagged_parts(*arguments: Any) -> torch.Tensor:
    return _conv_parts(*arguments[:-1])


def _conv_flagged_fake(*arguments: Any) -> torch.Tensor:
    return _conv_fake(*arguments[:-1])


conv = own("convolution_relu", "(Tensor x, Tensor w, Tensor bias, int[] stride, int[] padding, int[] dilation,"
           " int groups, float? ceiling) -> Tensor", "convolution", _conv, _conv_parts, _conv_fake)
# The same with torch's flags, as numbers of _state.flags, by which a compiled kernel tells calls apart.
conv_flagged = own(
    "convolution_relu_flagged", "(Tensor x, Tensor w, Tensor bias, int[] stride, int[] padding, int[] dilation,"
    " int groups, float? ceiling, int flags) -> Tensor", "convolution", _conv_flagged, _conv_flagged_parts,
    _conv_flagged_fake, counted="convolution_relu")
conv_gradient = own(
    "convolution_relu_backward", "(Tensor dy, Tensor y, Tensor x, Tensor w, int[] stride, int[] padding,"
    " int[] dilation, int groups, float? ceiling, bool[] wanted) -> Tensor[]", "convolution", _conv_gradient,
    _conv_gradient_parts, _conv_gradient_parts)


def _conv_setup(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    x, w, bias, *ctx.parameters = inputs
    ctx.save_for_backward(x, w, bias, output)


def conv_gradients(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, y: torch.Tensor,
                   parameters: Any, wanted: Sequence[bool]) -> Sequence[Maybe]:
    """(dx, dw, dbias), with a graph of their own where torch wants one."""
    stride, padding, dilation, groups, ceiling = parameters
    if torch.is_grad_enabled():
        def parts(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
            return torch.convolution(x, w, bias, stride, padding, dilation, False, [0] * len(stride), groups)
        return _by_parts(parts, (x, w, bias), passed(dy, y.detach(), ceiling))
    found = conv_gradient(dy, y, x, w, stride, padding, dilation, groups, ceiling, wanted)
    return [one if needed else None for one, needed in zip(found, wanted)]


def _conv_backward(ctx: Any, dy: torch.Tensor) -> Any:
    x, w, bias, y = ctx.saved_tensors
    found = conv_gradients(dy, x, w, bias, y, ctx.parameters, list(ctx.needs_input_grad[:3]))
    return (*found, *(None,) * 5)


torch.library.register_autograd("anydnn::convolution_relu", _conv_backward, setup_context=_conv_setup, lib=LIBRARY)
