# SPDX-License-Identifier: Apache-2.0
"""Kernels of batch normalization: training, inference and gradient, with the CUDA variants."""
from typing import Any, List, Optional, Sequence, Tuple

import torch

from ._state import (FORMATS, TYPES, Declined, channels_last, empty, handle_of, operand, packed, plan, supported,
                     types_of)

Maybe = Optional[torch.Tensor]


def kind_of(x: torch.Tensor) -> torch.dtype:
    """Returns the type of parameters and statistics that every input has, and that ours have by default."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def parameter(value: Maybe, x: torch.Tensor, default: float, kind: Optional[torch.dtype] = None) -> torch.Tensor:
    """Returns a vector of channels for the operations, which take it in x's type, too.

    If torch has none, returns the neutral one in type `kind`.
    """
    if value is None:
        return torch.full((x.shape[1],), default, dtype=kind or kind_of(x), device=x.device)
    if value.dtype not in (kind_of(x), x.dtype):
        raise Declined(f"a parameter has type {value.dtype}, the input has type {x.dtype}")
    if value.numel() != x.shape[1]:
        raise Declined(f"a parameter has {value.numel()} elements, the input has {x.shape[1]} channels")
    return value.contiguous()


def running(value: Maybe, x: torch.Tensor) -> Any:
    """Returns running statistics that the operations can update."""
    if value is None:
        return None
    if not value.is_contiguous():
        raise Declined("the running statistics are not contiguous")
    return parameter(value, x, 0.0)


def operand_of(x: torch.Tensor) -> Tuple[torch.Tensor, bool, Tuple[int, ...]]:
    """Returns x packed with at least four dims, whether it is channels_last, and its original shape."""
    supported(x)
    shape = tuple(x.shape)
    if not 2 <= x.dim() <= 5:
        raise Declined(f"the input has {x.dim()} dims, not 2 to 5")
    last = channels_last(x)
    if x.dim() < 4:
        x = x.reshape(*x.shape, *([1] * (4 - x.dim())))
    return packed(x, last), last and x.dim() in FORMATS, shape


def _values(epsilon: float) -> str:
    return f" mode=spatial epsilon={epsilon!r}"


_FULL = {"x", "y", "dy", "dx", "z", "dz"}


def _text(operation: str, last: bool, tensors: List[Tuple[str, torch.Tensor]], rest: str) -> str:
    ones = ",1" * (tensors[0][1].dim() - 2)
    return " ".join([operation, *(operand(role, one, last) for role, one in tensors if role in _FULL),
                     *(f"{role}={TYPES[one.dtype]}:1,{one.numel()}{ones}" for role, one in tensors
                       if role not in _FULL and role != "reserve")]) + rest


def run(handle: Any, operation: str, last: bool, tensors: List[Tuple[str, torch.Tensor]], rest: str) -> str:
    """Runs an operation and returns the backend. `rest` has its parameters and, if present, the reserve."""
    x = tensors[0][1]
    key = (operation, x.shape, last, x.dtype, rest,
           tuple((role, one.dtype) for role, one in tensors if role not in _FULL))
    found = plan(handle, key, lambda: _text(operation, last, tensors, rest))
    order = {each.role: place for place, each in enumerate(found.problem.operands)}
    arranged = sorted(tensors, key=lambda pair: order[pair[0]])
    found.run([tensor for _, tensor in arranged])
    return found.backend


def _saved_type(x: torch.Tensor, parameters: Sequence[Maybe]) -> torch.dtype:
    """Returns the type of saved statistics: on the CPU that of the parameters, or of x without any."""
    return kind_of(x) if x.is_cuda else next((one for one in parameters if one is not None), x).dtype


def _forward(x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe, var: Maybe, training: bool,
             momentum: float, epsilon: float) -> Tuple[Tuple[torch.Tensor, torch.Tensor, torch.Tensor], str]:
    packed_x, last, shape = operand_of(x)
    kind = next((one.dtype for one in (weight, bias) if one is not None), None)
    scale, shift = parameter(weight, x, 1.0, kind), parameter(bias, x, 0.0, kind)
    saved_type = _saved_type(x, (weight, bias, mean, var))
    mean, var = running(mean, x), running(var, x)
    y = empty(packed_x.shape, packed_x, last)
    handle = handle_of(x)
    tensors = [("x", packed_x), ("scale", scale), ("bias", shift), ("y", y)]
    if not training:
        if mean is None or var is None:
            raise Declined("inference has no running statistics")
        backend = run(handle, "batch_normalization_inference", last, [*tensors, ("mean", mean), ("var", var)],
                      _values(epsilon))
        # Empty, as torch returns it on the CPU. CUDA's gradient of inference then also uses the running statistics.
        saved = [x.new_empty(0, dtype=saved_type) for _ in range(2)]
        return (y.view(shape) if len(shape) < 4 else y, saved[0], saved[1]), backend
    if x.numel() == x.shape[1]:
        raise Declined("the input has one value for each channel")
    saved = [x.new_empty(x.shape[1], dtype=saved_type) for _ in range(2)]
    tensors += [("save_mean", saved[0]), ("save_inv_var", saved[1])]
    if mean is not None and var is not None:
        tensors += [("running_mean", mean), ("running_var", var)]
    elif mean is not None or var is not None:
        raise Declined("one of the running mean and the running variance is missing")
    backend = run(handle, "batch_normalization_training", last, tensors,
                  _values(epsilon) + f" average_factor={float(momentum)!r}")
    return (y.view(shape) if len(shape) < 4 else y, saved[0], saved[1]), backend


def native_batch_norm(x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe, var: Maybe, training: bool,
                      momentum: float, epsilon: float) -> Tuple[Any, str]:
    """Returns (y, mean, 1 / deviation) of aten::native_batch_norm."""
    return _forward(x, weight, bias, mean, var, training, momentum, epsilon)


def cudnn_batch_norm(x: torch.Tensor, weight: Maybe, bias: Maybe, mean: Maybe, var: Maybe, training: bool,
                     factor: float, epsilon: float) -> Tuple[Any, str]:
    """Returns the same with an empty reserve."""
    results, backend = _forward(x, weight, bias, mean, var, training, factor, epsilon)
    return (*results, torch.empty(0, dtype=torch.uint8, device=x.device)), backend


def _backward(dy: torch.Tensor, x: torch.Tensor, weight: Maybe, saved_mean: Maybe, saved_inverse: Maybe,
              epsilon: float) -> Tuple[List[torch.Tensor], str]:
    supported(dy)
    if dy.dtype != x.dtype:
        raise Declined(types_of(gradient=dy, input=x))
    packed_x, last, shape = operand_of(x)
    dy = packed(dy.reshape(packed_x.shape) if len(shape) < 4 else dy, last)
    scale = parameter(weight, x, 1.0)
    if saved_mean is None or saved_inverse is None or saved_mean.numel() == 0:
        raise Declined("the forward pass saved no statistics")
    mean, inverse = parameter(saved_mean, x, 0.0), parameter(saved_inverse, x, 1.0)
    dx, dscale, dbias = empty(packed_x.shape, packed_x, last), torch.empty_like(scale), torch.empty_like(scale)
    backend = run(handle_of(x), "batch_normalization_backward", last,
                  [("x", packed_x), ("dy", dy), ("scale", scale), ("save_mean", mean), ("save_inv_var", inverse),
                   ("dx", dx), ("dscale", dscale), ("dbias", dbias)], _values(epsilon))
    return [dx.view(shape) if len(shape) < 4 else dx, dscale, dbias], backend


def native_batch_norm_backward(dy: torch.Tensor, x: torch.Tensor, weight: Maybe, mean: Maybe, var: Maybe,
                               saved_mean: Maybe, saved_inverse: Maybe, training: bool, epsilon: float,
                               output_mask: Sequence[bool]) -> Tuple[Any, str]:
    """Returns (dx, dweight, dbias) of training. torch computes the gradient of inference."""
    if not training:
        raise Declined("torch computes the gradient of inference")
    results, backend = _backward(dy, x, weight, saved_mean, saved_inverse, epsilon)
    return tuple(result if wanted else None for result, wanted in zip(results, output_mask)), backend


def cudnn_batch_norm_backward(x: torch.Tensor, dy: torch.Tensor, weight: torch.Tensor, mean: Maybe, var: Maybe,
                              saved_mean: Maybe, saved_inverse: Maybe, epsilon: float,
                              reserve: torch.Tensor) -> Tuple[Any, str]:
    """Does the same for CUDA's variant. A reserve that cuDNN saved goes back to cuDNN."""
    if reserve.numel():
        raise Declined("the forward pass ran on cuDNN")
    try:
        results, backend = _backward(dy, x, weight, saved_mean, saved_inverse, epsilon)
    except Declined:
        # cuDNN requires its reserve, which our forward pass lacks. torch's own kernel does not require it.
        return torch.ops.aten.native_batch_norm_backward(
            dy, x, weight, mean, var, saved_mean, saved_inverse, True, epsilon, [True, True, True]), "torch"
    return tuple(results), backend
