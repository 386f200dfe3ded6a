# SPDX-License-Identifier: Apache-2.0
"""The operators that `fuse` puts into models. Each replaces several of torch's and has a single gradient operator.

Their schemas are functional, so that torch's tracers may reorder them. If anydnn is not enabled or declines, the
operator runs as its parts with torch's kernels.
"""
import threading
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
    """Our own operator: the kernel for an enabled family, and the fallback if it is disabled or declines."""

    family: str
    schema: str
    counted: str
    ours: Callable[..., Tuple[Any, str]]
    parts: Callable[..., Any]


OWN: Dict[str, Own] = {}
DISABLED = "anydnn.torch is not enabled for "


_numbers: Dict[Tuple[Any, ...], int] = {}
_numbered: List[Tuple[Any, ...]] = []
_masked: Dict[Tuple[Any, ...], int] = {}
_numbering = threading.Lock()


def number(*parameters: Any) -> int:
    """Returns a number that represents parameters. torch passes one number faster than several values and lists.

    The number is valid only in this process, so traced calls carry the parameters themselves.
    """
    found = _numbers.get(parameters)
    if found is None:
        with _numbering:
            if parameters not in _numbers:
                _numbered.append(parameters)
                _numbers[parameters] = len(_numbered) - 1
            found = _numbers[parameters]
    return found


def parameters(number_: int) -> Tuple[Any, ...]:
    """Returns the parameters of a number."""
    return _numbered[number_]


def own(name: str, schema: str, family: str, ours: Callable[..., Tuple[Any, str]], parts: Callable[..., Any],
        fake: Optional[Callable[..., Any]] = None, counted: str = "") -> Any:
    """Defines anydnn::name, which the report lists under `counted`. Tracers require a fake kernel."""
    counted = f"anydnn::{counted or name}"

    def kernel(*arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            if family not in _state.families:
                raise Declined(DISABLED + family)
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
    if fake:
        torch.library.register_fake(f"anydnn::{name}", fake, lib=LIBRARY)
    return getattr(torch.ops.anydnn, name).default


def masked(*parameters: Any) -> int:
    """Returns the first of eight numbers. Number + m represents the parameters and a mask m of three gradients."""
    found = _masked.get(parameters)
    if found is None:
        with _numbering:
            if parameters not in _masked:
                _numbered.extend((*parameters, (bool(mask & 1), bool(mask & 2), bool(mask & 4))) for mask in range(8))
                _masked[parameters] = len(_numbered) - 8
            found = _masked[parameters]
    return found


def numbered(name: str, schema: str, family: str, ours: Callable[..., Tuple[Any, str]], parts: Callable[..., Any],
             counted: str) -> Any:
    """Defines an operator for eager mode: its operands, then the `number` of the other arguments of `ours`."""
    def spread(function: Callable[..., Any]) -> Callable[..., Any]:
        def taken(*arguments: Any) -> Any:
            return function(*arguments[:place], *_numbered[arguments[place]])
        return taken
    place = schema[:schema.index("int call")].count(",")
    return own(name, schema, family, spread(ours), spread(parts), counted=counted)


def activated(x: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    """Returns ReLU, or ReLU6 with a ceiling, by torch."""
    return functional.relu(x) if ceiling is None else functional.hardtanh(x, 0.0, ceiling)


def activation_keys(ceiling: Optional[float]) -> str:
    """Returns the keys of the activation. NaN propagates, as in torch."""
    return " nan=propagate activation=" + ("relu" if ceiling is None else f"clipped_relu coef={ceiling!r}")


def _new(like: torch.Tensor) -> torch.Tensor:
    """Creates a tensor like an activation: channels_last if that is, else contiguous."""
    return torch.empty_like(like, memory_format=FORMATS[like.dim()] if channels_last(like) else torch.contiguous_format)


# Batch normalization (+ addition) + activation, in training.

def _check(x: torch.Tensor, *others: Maybe) -> None:
    if not 4 <= x.dim() <= 5:
        raise Declined(f"the input has {x.dim()} dims, not 4 or 5")
    for other in others:
        if other is not None and (other.dtype != x.dtype or other.shape != x.shape):
            raise Declined(f"an operand has type {other.dtype} and shape {tuple(other.shape)}, the input has type {x.dtype} "
                           f"and shape {tuple(x.shape)}")


def _norm_keys(x: torch.Tensor, epsilon: float, ceiling: Optional[float], addition: bool) -> str:
    return (f" mode=spatial epsilon={epsilon!r} ops=" + ("bn_add_activation" if addition else "bn_activation")
            + activation_keys(ceiling) + f" reserve=u8:{(x.numel() + 7) // 8}")


def _saved(x: torch.Tensor) -> List[torch.Tensor]:
    """Returns mean, inverse deviation and reserve for the gradient."""
    mean, inverse = (x.new_empty(x.shape[1], dtype=_batch_norm.kind_of(x)) for _ in range(2))
    return [mean, inverse, x.new_empty((x.numel() + 7) // 8, dtype=torch.uint8)]


def apart(whole: Maybe, x: torch.Tensor) -> List[torch.Tensor]:
    """Returns the same as views of one tensor, which costs autograd as little as one. Creates the tensor by default."""
    kind, bits = _batch_norm.kind_of(x), (x.numel() + 7) // 8
    size = x.shape[1] * kind.itemsize
    wide = (size + 63) // 64 * 64
    if whole is None:
        whole = x.new_empty(2 * wide + bits, dtype=torch.uint8)
    *vectors, reserve = whole.split_with_sizes([wide, wide, bits])
    return [whole, *[one.view(kind) if size == wide else one[:size].view(kind) for one in vectors], reserve]


def _norm_run(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, statistics: Sequence[torch.Tensor],
              saved: Sequence[torch.Tensor], factor: float, epsilon: float,
              ceiling: Optional[float]) -> Tuple[torch.Tensor, str]:
    """Returns y, fills `saved`, and moves `statistics`, a mean and a variance, by a factor."""
    _check(x, z)
    packed, last, _ = _batch_norm.operand_of(x)
    if x.numel() == x.shape[1]:
        raise Declined("the input has one value for each channel")
    y = _new(x)
    tensors = [("x", packed), ("scale", _batch_norm.parameter(weight, x, 1.0)),
               ("bias", _batch_norm.parameter(bias, x, 0.0)), ("y", y), ("save_mean", saved[0]),
               ("save_inv_var", saved[1]), ("running_mean", statistics[0]), ("running_var", statistics[1]),
               ("reserve", saved[2])]
    if z is not None:
        tensors.append(("z", _state.packed(z, last)))
    backend = _batch_norm.run(
        _state.handle_of(x), "batch_normalization_training", last, tensors,
        _norm_keys(x, epsilon, ceiling, z is not None) + f" average_factor={float(factor)!r}")
    return y, backend


def _norm(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, epsilon: float,
          ceiling: Optional[float]) -> Tuple[Any, str]:
    if x.dim() < 2:
        raise Declined(f"the input has {x.dim()} dims, not 4 or 5")
    batch, saved = _saved(x)[:2], _saved(x)
    y, backend = _norm_run(x, z, weight, bias, batch, saved, 1.0, epsilon, ceiling)
    return (y, *saved[:2], *batch, saved[2]), backend


def _norm_in_place(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, mean: torch.Tensor,
                   var: torch.Tensor, momentum: float, epsilon: float, ceiling: Optional[float],
                   _addition: bool) -> Tuple[Any, str]:
    statistics = [_batch_norm.running(one, x) for one in (mean, var)]
    whole, *saved = apart(None, x)
    y, backend = _norm_run(x, z, weight, bias, statistics, saved, momentum, epsilon, ceiling)
    return (y, whole), backend


def _there(found: Sequence[Maybe], x: torch.Tensor) -> List[torch.Tensor]:
    """Returns results for tracers, which require a tensor for each."""
    return [x.new_empty(0) if one is None else one for one in found]


_BITS = (1, 2, 4, 8, 16, 32, 64, 128)


def _bits_of(passes: torch.Tensor) -> torch.Tensor:
    """Returns the reserve in the format of anydnn.h: one bit per element in order of the dims, lowest bit first."""
    flat = functional.pad(passes.contiguous().view(-1), (0, -passes.numel() % 8)).view(-1, 8)
    return (flat * torch.tensor(_BITS, dtype=torch.uint8, device=flat.device)).sum(1, dtype=torch.uint8)


def _of_bits(reserve: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    bits = torch.tensor(_BITS, dtype=torch.uint8, device=reserve.device)
    return ((reserve[:, None] & bits) != 0).view(-1)[:like.numel()].view(like.shape)


def _norm_run_parts(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, mean: torch.Tensor,
                    var: torch.Tensor, momentum: float, epsilon: float,
                    ceiling: Optional[float]) -> Tuple[torch.Tensor, ...]:
    kind = _batch_norm.kind_of(x)
    for name, one in (("running_mean", mean), ("running_var", var), ("weight", weight), ("bias", bias)):
        if one.numel() != x.shape[1]:  # torch checks this before it calls this operator, which would read past the end
            raise RuntimeError(f"{name} should contain {x.shape[1]} elements not {one.numel()}")
    y, saved_mean, saved_inverse = torch.native_batch_norm(x, weight, bias, mean, var, True, momentum, epsilon)
    y = activated(y if z is None else y + z, ceiling)
    passes = y > 0 if ceiling is None else (y > 0) & (y < ceiling)
    return _new(x).copy_(y), saved_mean.to(kind), saved_inverse.to(kind), _bits_of(passes)


def _norm_in_place_parts(x: torch.Tensor, *rest: Any) -> Any:
    y, *found = _norm_run_parts(x, *rest[:-1])
    whole, *saved = apart(None, x)
    for one, value in zip(saved, found):
        one.copy_(value)
    return y, whole


def _norm_parts(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, epsilon: float,
                ceiling: Optional[float]) -> Any:
    kind = _batch_norm.kind_of(x)
    batch, var = (torch.zeros(x.shape[1], dtype=weight.dtype, device=x.device) for _ in range(2))
    y, mean, inverse, reserve = _norm_run_parts(x, z, weight, bias, batch, var, 1.0, epsilon, ceiling)
    return y, mean, inverse, batch.to(kind), var.to(kind), reserve


def _norm_fake(x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, epsilon: float,
               ceiling: Optional[float]) -> Any:
    mean, inverse, reserve = _saved(x)
    return _new(x), mean, inverse, torch.empty_like(mean), torch.empty_like(mean), reserve


def _norm_gradient(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, inverse: torch.Tensor,
                   reserve: torch.Tensor, epsilon: float, ceiling: Optional[float],
                   addition: bool) -> Tuple[Any, str]:
    _check(x, dy)
    packed, last, _ = _batch_norm.operand_of(x)
    scale = _batch_norm.parameter(weight, x, 1.0)
    dx, dscale, dbias = _new(x), torch.empty_like(scale), torch.empty_like(scale)
    dz = _new(x) if addition else None
    tensors = [("x", packed), ("dy", _state.packed(dy, last)), ("scale", scale),
               ("save_mean", mean), ("save_inv_var", inverse), ("reserve", reserve), ("dx", dx),
               ("dscale", dscale), ("dbias", dbias)]
    if dz is not None:
        tensors.append(("dz", dz))
    backend = _batch_norm.run(
        _state.handle_of(x), "batch_normalization_backward", last, tensors,
        _norm_keys(x, epsilon, ceiling, addition) + " without=y,bias")
    return (dx, dz, dscale, dbias), backend


def _as_torch(statistics: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Returns saved statistics for torch's gradient: on the CPU in the parameters' type."""
    return statistics if statistics.is_cuda else statistics.to(weight.dtype)


def _norm_gradient_parts(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor,
                         inverse: torch.Tensor, reserve: torch.Tensor, epsilon: float, _ceiling: Optional[float],
                         addition: bool) -> Any:
    masked = _new(x).copy_(torch.where(_of_bits(reserve, x), dy, 0))
    dx, dscale, dbias = torch.ops.aten.native_batch_norm_backward(
        masked, x, weight, None, None, _as_torch(mean, weight), _as_torch(inverse, weight), True, epsilon,
        [True, True, True])
    return _new(x).copy_(dx), masked if addition else None, dscale, dbias


def _norm_gradient_there(dy: torch.Tensor, x: torch.Tensor, *rest: Any) -> Tuple[Any, str]:
    found, backend = _norm_gradient(dy, x, *rest)
    return tuple(_there(found, x)), backend


def _norm_gradient_parts_there(dy: torch.Tensor, x: torch.Tensor, *rest: Any) -> Any:
    return tuple(_there(_norm_gradient_parts(dy, x, *rest), x))


def _norm_gradient_fake(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor,
                        inverse: torch.Tensor, reserve: torch.Tensor, epsilon: float, ceiling: Optional[float],
                        addition: bool) -> Any:
    return (_new(x), _new(x) if addition else x.new_empty(0), torch.empty_like(weight), torch.empty_like(weight))


def _together(gradient: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the gradient for an operator that takes the saved values as one tensor, and all forward parameters."""
    def taken(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, whole: torch.Tensor, _momentum: float,
              *rest: Any) -> Any:
        return gradient(dy, x, weight, *apart(whole, x)[1:], *rest)
    return taken


norm = own("batch_norm_relu", "(Tensor x, Tensor? z, Tensor weight, Tensor bias, float epsilon, float? ceiling)"
           " -> (Tensor y, Tensor mean, Tensor inverse, Tensor batch_mean, Tensor batch_var, Tensor reserve)",
           "batch_norm", _norm, _norm_parts, _norm_fake)
norm_gradient = own(
    "batch_norm_relu_backward", "(Tensor dy, Tensor x, Tensor weight, Tensor mean, Tensor inverse, Tensor reserve,"
    " float epsilon, float? ceiling, bool addition) -> (Tensor dx, Tensor dz, Tensor dweight, Tensor dbias)",
    "batch_norm", _norm_gradient_there, _norm_gradient_parts_there, _norm_gradient_fake)
norm_in_place = numbered(
    "batch_norm_relu_", "(Tensor x, Tensor? z, Tensor weight, Tensor bias, Tensor(a!) running_mean,"
    " Tensor(b!) running_var, int call) -> (Tensor y, Tensor saved)",
    "batch_norm", _norm_in_place, _norm_in_place_parts, "batch_norm_relu")
norm_in_place_gradient = numbered(
    "batch_norm_relu_backward_", "(Tensor dy, Tensor x, Tensor weight, Tensor saved, int call)"
    " -> (Tensor dx, Tensor dz, Tensor dweight, Tensor dbias)",
    "batch_norm", _together(_norm_gradient), _together(_norm_gradient_parts), "batch_norm_relu_backward")


def _norm_twice(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, inverse: torch.Tensor,
                reserve: torch.Tensor, epsilon: float, _ceiling: Optional[float], addition: bool) -> Tuple[Maybe, ...]:
    # The activation is linear near every point, so its bits are sufficient.
    masked = torch.where(_of_bits(reserve, x), dy, 0)
    dx, dweight, dbias = torch.ops.aten.native_batch_norm_backward(
        masked, x, weight, None, None, _as_torch(mean, weight), _as_torch(inverse, weight), True, epsilon,
        [True, True, True])
    return dx, masked if addition else None, dweight, dbias


def norm_in_place_twice(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, saved: torch.Tensor,
                        call: int) -> Tuple[Maybe, ...]:
    """Returns (dx, dz, dweight, dbias) by torch's differentiable operator."""
    return _together(_norm_twice)(dy, x, weight, saved, *_numbered[call])  # type: ignore[no-any-return]


def laid(dy: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Returns a gradient in the layout of x."""
    return dy if dy.stride() == x.stride() else _new(x).copy_(dy)


def _norm_setup(ctx: Any, inputs: Any, output: Any) -> None:
    x, z, weight, bias, epsilon, ceiling = inputs
    ctx.mark_non_differentiable(*output[1:])
    ctx.set_materialize_grads(False)
    ctx.rest = epsilon, ceiling, z is not None
    ctx.save_for_backward(x, weight, output[1], output[2], output[5])


def _norm_backward(ctx: Any, dy: Maybe, *_: Any) -> Any:
    if dy is None:
        return (None,) * 6
    x, *saved = ctx.saved_tensors
    if torch.is_grad_enabled():
        return (*_norm_twice(dy, x, *saved, *ctx.rest), None, None)
    dx, dz, dweight, dbias = norm_gradient(laid(dy, x), x, *saved, *ctx.rest)
    return dx, dz if ctx.rest[-1] else None, dweight, dbias, None, None


torch.library.register_autograd("anydnn::batch_norm_relu", _norm_backward, setup_context=_norm_setup, lib=LIBRARY)


# Convolution + bias + activation.

def _conv(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
          dilation: Sequence[int], groups: int, ceiling: Optional[float], *_wanted: Any) -> Tuple[Any, str]:
    return _convolution.activated(x, w, bias, stride, padding, dilation, groups, activation_keys(ceiling))


def _conv_parts(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
                dilation: Sequence[int], groups: int, ceiling: Optional[float], *_wanted: Any) -> torch.Tensor:
    y = torch.ops.aten.convolution(x, w, bias, stride, padding, dilation, False, [0] * len(stride), groups)
    return torch.relu_(y) if ceiling is None else y.clamp_(0.0, ceiling)


def _conv_fake(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
               dilation: Sequence[int], groups: int, ceiling: Optional[float]) -> torch.Tensor:
    y: torch.Tensor = torch.ops.aten.convolution(x, w, bias, stride, padding, dilation, False, [0] * len(stride),
                                                 groups)
    return y


def passed(dy: torch.Tensor, y: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    """Returns the gradient before the activation."""
    if ceiling is None:
        return torch.ops.aten.threshold_backward.default(dy, y, 0)  # type: ignore[no-any-return]
    return torch.ops.aten.hardtanh_backward.default(dy, y, 0.0, ceiling)  # type: ignore[no-any-return]


def _conv_behind(masked: torch.Tensor, x: torch.Tensor, w: torch.Tensor, stride: Sequence[int], padding: Sequence[int],
                 dilation: Sequence[int], groups: int, _ceiling: Optional[float],
                 wanted: Sequence[bool]) -> Tuple[Any, str]:
    return _convolution.convolution_backward(masked, x, w, [w.shape[0]], stride, padding, dilation, False,
                                             [0] * len(stride), groups, wanted)


def _conv_behind_parts(masked: torch.Tensor, x: torch.Tensor, w: torch.Tensor, stride: Sequence[int],
                       padding: Sequence[int], dilation: Sequence[int], groups: int, _ceiling: Optional[float],
                       wanted: Sequence[bool]) -> Any:
    return torch.ops.aten.convolution_backward(masked, x, w, [w.shape[0]], stride, padding, dilation, False,
                                               [0] * len(stride), groups, wanted)


def _conv_gradient(dy: torch.Tensor, y: torch.Tensor, x: torch.Tensor, w: torch.Tensor,
                   *parameters: Any) -> Tuple[Any, str]:
    found, backend = _conv_behind(passed(dy, y, parameters[4]), x, w, *parameters)
    return _there(found, x), backend


def _conv_gradient_parts(dy: torch.Tensor, y: torch.Tensor, x: torch.Tensor, w: torch.Tensor,
                         *parameters: Any) -> List[torch.Tensor]:
    return _there(_conv_behind_parts(passed(dy, y, parameters[4]), x, w, *parameters), x)


conv = own("convolution_relu", "(Tensor x, Tensor w, Tensor bias, int[] stride, int[] padding, int[] dilation,"
           " int groups, float? ceiling) -> Tensor", "convolution", _conv, _conv_parts, _conv_fake)
conv_gradient = own(
    "convolution_relu_backward", "(Tensor dy, Tensor y, Tensor x, Tensor w, int[] stride, int[] padding,"
    " int[] dilation, int groups, float? ceiling, bool[] wanted) -> Tensor[]", "convolution", _conv_gradient,
    _conv_gradient_parts, _conv_gradient_parts)
# These take torch's flags as numbers of _state.flags, by which a compiled kernel distinguishes calls.
conv_numbered = numbered(
    "convolution_relu_numbered", "(Tensor x, Tensor w, Tensor bias, int call, int flags) -> Tensor", "convolution",
    _conv, _conv_parts, "convolution_relu")
# The convolution after `passed`.
conv_gradient_numbered = numbered(
    "convolution_relu_backward_numbered", "(Tensor masked, Tensor x, Tensor w, int call) -> (Tensor, Tensor, Tensor)",
    "convolution", _conv_behind, _conv_behind_parts, "convolution_relu_backward")


def _conv_twice(dy: torch.Tensor, y: torch.Tensor, x: torch.Tensor, w: torch.Tensor, parameters: Sequence[Any]) -> Any:
    return _conv_behind_parts(passed(dy, y.detach(), parameters[4]), x, w, *parameters)


def conv_numbered_twice(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, y: torch.Tensor, call: int) -> Any:
    """Returns (dx, dw, dbias) by torch's differentiable operators."""
    return _conv_twice(dy, y, x, w, _numbered[call])


def _conv_setup(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    x, w, _, *ctx.parameters = inputs
    ctx.save_for_backward(x, w, output)


def _conv_backward(ctx: Any, dy: torch.Tensor) -> Any:
    x, w, y = ctx.saved_tensors
    wanted = list(ctx.needs_input_grad[:3])
    if torch.is_grad_enabled():
        found = _conv_twice(dy, y, x, w, [*ctx.parameters, wanted])
    else:
        found = conv_gradient(dy, y, x, w, *ctx.parameters, wanted)
        found = [one if needed else None for one, needed in zip(found, wanted)]
    return (*found, *(None,) * 5)


torch.library.register_autograd("anydnn::convolution_relu", _conv_backward, setup_context=_conv_setup, lib=LIBRARY)
