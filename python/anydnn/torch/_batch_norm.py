# SPDX-License-Identifier: Apache-2.0
"""Kernels of batch normalization: training, inference, gradient, and CUDA's variants of them."""
from typing import Any, List, Optional, Sequence, Tuple

import torch

from ._state import (FORMATS, Declined, beside, channels_last, empty, handle_of, operand, packed, plan, supported)

Maybe = Optional[torch.Tensor]


def kind_of(x: torch.Tensor) -> torch.dtype:
    """The type of parameters and statistics as the operations take them."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def parameter(value: Maybe, x: torch.Tensor, default: float) -> torch.Tensor:
    """A vector of channels as the operations take it; where torch has none, the one that changes nothing.

    One of x's own type, half or bfloat16, is a copy: the call is none for a recipe then.
    """
    kind = kind_of(x)
    if value is None:
        return torch.full((x.shape[1],), default, dtype=kind, device=x.device)
    if value.dtype not in (kind, x.dtype):
        raise Declined(f"parameters of {value.dtype} beside an input of {x.dtype}")
    if value.numel() != x.shape[1]:
        raise Declined("parameters of another number of channels")
    if value.dtype != kind:
        beside()
        value = value.to(kind)
    return value.contiguous()


def running(value: Maybe, x: torch.Tensor) -> Any:
    """Running statistics as the operations take them, which write into them: `keep` takes a copy back."""
    if value is None:
        return None
    if not value.is_contiguous():
        raise Declined("running statistics that are not contiguous")
    return parameter(value, x, 0.0)


def keep(given: Sequence[Maybe], written: Sequence[Maybe]) -> None:
    """Puts what was written into copies of running statistics where these are."""
    for one, new in zip(given, written):
        if one is not None and new is not None and one.dtype != new.dtype:
            one.copy_(new)


def operand_of(x: torch.Tensor) -> Tuple[torch.Tensor, bool, Tuple[int, ...]]:
    """x packed with four dims at least, whether it is channels_last, and its shape before."""
    supported(x)
    shape = tuple(x.shape)
    if not 2 <= x.dim() <= 5:
        raise Declined(f"an input of {x.dim()} dims")
    last = channels_last(x)
    if x.dim() < 4:
        x = x.reshape(*x.shape, *([1] * (4 - x.dim())))
    return packed(x, last), last and x.dim() in FORMATS, shape


def _values(epsilon: float) -> str:
    return f" mode=spatial epsilon={epsilon!r}"


def run(handle: Any, operation: str, last: bool, tensors: List[Tuple[str, torch.Tensor]], rest: str) -> str:
    """Runs an operation whose operands of x's shape go first into its text, and `rest` behind them; the backend."""
    x = tensors[0][1]
    full = {"x", "y", "dy", "dx", "z", "dz"}
    key = (operation, x.shape, last, x.dtype, rest)
    found = plan(handle, key, lambda: " ".join([operation, *(operand(role, tensor, last)
                                                             for role, tensor in tensors if role in full)]) + rest)
    order = {each.role: place for place, each in enumerate(found.problem.operands)}
    arranged = sorted(tensors, key=lambda pair: order[pair[0]])
    found.run([tensor for _, tensor in arranged])
    return found.backend


def as_type_of(vector: torch.Tensor, like: Maybe) -> torch.Tensor:
    """A result in the type that torch gives it, by a copy where that is another."""
    if like is None or like.dtype == vector.dtype:
        return vector
    beside()
    return vector.to(like.dtype)


def _forward(x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe, var: Maybe, training: bool,
             momentum: float, epsilon: float) -> Tuple[Tuple[torch.Tensor, torch.Tensor, torch.Tensor], str]:
    packed_x, last, shape = operand_of(x)
    scale, shift = parameter(weight, x, 1.0), parameter(bias, x, 0.0)
    given = mean, var
    # What is saved has the parameters' type on the CPU, without any x's: torch's gradient there takes no other.
    like = None if x.is_cuda else next((one for one in (weight, bias, *given) if one is not None), x)
    mean, var = running(mean, x), running(var, x)
    y = empty(packed_x.shape, packed_x, last)
    handle = handle_of(x)
    tensors = [("x", packed_x), ("scale", scale), ("bias", shift), ("y", y)]
    if not training:
        if mean is None or var is None:
            raise Declined("inference without running statistics")
        backend = run(handle, "batch_normalization_inference", last, [*tensors, ("mean", mean), ("var", var)],
                       _values(epsilon))
        # Empty, as torch has it on the CPU: on CUDA, too, its gradient of inference goes by running statistics then.
        saved = as_type_of(scale.new_empty(0), like)
        return (y.view(shape) if len(shape) < 4 else y, saved, saved.clone()), backend
    if x.numel() == x.shape[1]:
        raise Declined("one value a channel")
    saved_mean, saved_inverse = torch.empty_like(scale), torch.empty_like(scale)
    tensors += [("save_mean", saved_mean), ("save_inv_var", saved_inverse)]
    names = "save_mean save_inv_var"
    if mean is not None and var is not None:
        tensors += [("running_mean", mean), ("running_var", var)]
        names += " running_mean running_var"
    elif mean is not None or var is not None:
        raise Declined("one running statistic without the other")
    kind = "f64" if x.dtype == torch.float64 else "f32"
    ones = ",1" * (packed_x.dim() - 2)
    rest = _values(epsilon) + f" average_factor={float(momentum)!r}" + "".join(
        f" {name}={kind}:1,{x.shape[1]}{ones}" for name in names.split())
    backend = run(handle, "batch_normalization_training", last, tensors, rest)
    keep(given, (mean, var))
    return (y.view(shape) if len(shape) < 4 else y, as_type_of(saved_mean, like), as_type_of(saved_inverse, like)), backend


def native_batch_norm(x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe, var: Maybe, training: bool,
                      momentum: float, epsilon: float) -> Tuple[Any, str]:
    """(y, mean, 1 / deviation) of aten::native_batch_norm."""
    return _forward(x, weight, bias, mean, var, training, momentum, epsilon)


def cudnn_batch_norm(x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe, var: Maybe, training: bool,
                     factor: float, epsilon: float) -> Tuple[Any, str]:
    """The same with a reserve, which is empty."""
    results, backend = _forward(x, weight, bias, mean, var, training, factor, epsilon)
    return (*results, torch.empty(0, dtype=torch.uint8, device=x.device)), backend


def _backward(dy: torch.Tensor, x: torch.Tensor, weight: Maybe, saved_mean: Maybe, saved_inverse: Maybe,
              epsilon: float) -> Tuple[List[torch.Tensor], str]:
    supported(dy)
    if dy.dtype != x.dtype:
        raise Declined("a gradient of another type than the input")
    packed_x, last, shape = operand_of(x)
    dy = packed(dy.reshape(packed_x.shape) if len(shape) < 4 else dy, last)
    scale = parameter(weight, x, 1.0)
    if saved_mean is None or saved_inverse is None or saved_mean.numel() == 0:
        raise Declined("no saved statistics")
    mean, inverse = parameter(saved_mean, x, 0.0), parameter(saved_inverse, x, 1.0)
    dx, dscale, dbias = empty(packed_x.shape, packed_x, last), torch.empty_like(scale), torch.empty_like(scale)
    kind = "f64" if x.dtype == torch.float64 else "f32"
    ones = ",1" * (packed_x.dim() - 2)
    rest = _values(epsilon) + "".join(f" {name}={kind}:1,{x.shape[1]}{ones}"
                                      for name in ("save_mean", "save_inv_var"))
    backend = run(handle_of(x), "batch_normalization_backward", last,
                   [("x", packed_x), ("dy", dy), ("scale", scale), ("save_mean", mean), ("save_inv_var", inverse),
                    ("dx", dx), ("dscale", dscale), ("dbias", dbias)], rest)
    return [dx.view(shape) if len(shape) < 4 else dx, as_type_of(dscale, weight), as_type_of(dbias, weight)], backend


def native_batch_norm_backward(dy: torch.Tensor, x: torch.Tensor, weight: Maybe, mean: Maybe, var: Maybe,
                               saved_mean: Maybe, saved_inverse: Maybe, training: bool, epsilon: float,
                               output_mask: Sequence[bool]) -> Tuple[Any, str]:
    """(dx, dweight, dbias) of training; the gradient of inference is torch's."""
    if not training:
        raise Declined("the gradient of inference")
    results, backend = _backward(dy, x, weight, saved_mean, saved_inverse, epsilon)
    return tuple(result if wanted else None for result, wanted in zip(results, output_mask)), backend


def cudnn_batch_norm_backward(x: torch.Tensor, dy: torch.Tensor, weight: torch.Tensor, mean: Maybe, var: Maybe,
                              saved_mean: Maybe, saved_inverse: Maybe, epsilon: float,
                              reserve: torch.Tensor) -> Tuple[Any, str]:
    """The same of CUDA's variant: what cuDNN saved in a reserve goes back to cuDNN."""
    if reserve.numel():
        raise Declined("a forward pass that ran on cuDNN")
    try:
        results, backend = _backward(dy, x, weight, saved_mean, saved_inverse, epsilon)
    except Declined:
        # cuDNN would want its reserve, which our forward pass has not; torch's own kernel does not.
        return torch.ops.aten.native_batch_norm_backward(
            dy, x, weight, mean, var, saved_mean, saved_inverse, True, epsilon, [True, True, True]), "torch"
    return tuple(results), backend
