# SPDX-License-Identifier: Apache-2.0
"""The blocks of a fused forward: modules that run as one operator if possible, else one after the other."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn
from torch.nn import functional

from . import _activations, _compound, _eager, _epilogue, _folding, _fused, _state
from ._activations import Activation
from ._trace import hooked

Maybe = Optional[torch.Tensor]


def why_not_norm(norm: nn.Module) -> str:
    """Returns why a batch normalization is not fused, or ""."""
    if any(map(hooked, _compound.parts(norm))):
        return "hooks"
    if norm.momentum is None:
        return "momentum None"
    if norm.running_mean is None:
        return "no running statistics"
    if norm.weight is None or norm.bias is None:
        return "no affine parameters"
    if any(one.dtype != norm.weight.dtype for one in (norm.bias, norm.running_mean, norm.running_var)):
        return "parameters of several types"
    return ""


def why_not_branch(conv: nn.Module) -> str:
    """Returns why a convolution's gradient is not added to another one, or ""."""
    if hooked(conv):
        return "hooks"
    if isinstance(conv.padding, str) or conv.padding_mode != "zeros":
        return "padding given as a word"
    return ""


def why_not_conv(conv: nn.Module, bias: Any) -> str:
    """Returns why a convolution with this bias is not fused, or ""."""
    reason = why_not_branch(conv)
    return reason if reason == "hooks" or bias is not None else "no bias"


def activates(norm: nn.Module) -> bool:
    """Returns whether the module of a normalization also calls the activation after it."""
    return _compound.of(norm) and bool(_compound.activation(norm)[0])


def _one_by_one(norm: Any, x: torch.Tensor, z: Maybe, ceiling: Optional[float]) -> torch.Tensor:
    y = norm(x)
    if activates(norm):
        return y  # type: ignore[no-any-return]
    return _fused.activated(y if z is None else y + z, ceiling)


# The second result of `norm_relu` for batch statistics if the operator has updated the running ones itself.
_MOVED: Tuple[torch.Tensor, ...] = ()


_DIMS = {nn.BatchNorm2d: 4, nn.BatchNorm3d: 5}


def _dims(norm: Any) -> Optional[int]:
    """Returns the number of dims of a normalization's input, or None if it is of no class with a fused operator."""
    if type(norm) in _DIMS:
        return _DIMS[type(norm)]
    if not _compound.of(norm) or any(map(hooked, norm.children())):
        return None
    return _DIMS.get(_compound.base(norm))


def _operands(norm: Any, x: torch.Tensor) -> Optional[List[torch.Tensor]]:
    """Returns weight, bias, running mean and variance. The common case in eager mode takes the shortest path."""
    parameters, buffers, shape = norm._parameters, norm._buffers, x.shape
    weight, bias = parameters.get("weight"), parameters.get("bias")
    mean, var = buffers.get("running_mean"), buffers.get("running_var")
    if (weight is None or bias is None or mean is None or var is None or norm.momentum is None or hooked(norm)
            or not norm.training or len(shape) != _dims(norm) or x.numel() <= shape[1]
            or _eager.tangents()):
        return None
    return [weight, bias, mean, var]


def _alike(z: Maybe, x: torch.Tensor) -> bool:
    return z is None or z.shape == x.shape and z.dtype == x.dtype and z.device == x.device


def norm_relu(norm: Any, x: torch.Tensor, z: Maybe,
              ceiling: Optional[float]) -> Tuple[torch.Tensor, Optional[Tuple[torch.Tensor, ...]]]:
    """Returns y, and the batch statistics for `update`, or None if the parts ran, which update by themselves."""
    if _eager.eager(x) and _alike(z, x):
        found = _operands(norm, x)
        if found:
            call = _fused.number(norm.momentum, norm.eps, ceiling, z is not None)
            return _eager.norm_relu(x, z, *found, call), _MOVED
    if (not norm.training or _eager.tangents() or why_not_norm(norm) or x.dim() not in (4, 5)
            or x.numel() <= x.shape[1] or x.shape[1] != norm.num_features
            or (x.dtype == torch.float64) != (norm.weight.dtype == torch.float64) or not _alike(z, x)):
        return _one_by_one(norm, x, z, ceiling), None
    norm._check_input_dim(x)
    y, _, _, mean, var, _ = _fused.norm(x, z, norm.weight, norm.bias, norm.eps, ceiling)
    return y, (mean, var)


def update(norms: Sequence[Any], batches: Sequence[Optional[Tuple[torch.Tensor, ...]]]) -> None:
    """Counts batches and updates running statistics, for all normalizations of a block at once."""
    groups: Dict[float, Tuple[List[torch.Tensor], List[torch.Tensor]]] = {}
    counts = []
    for norm, batch in zip(norms, batches):
        if batch is None:
            continue
        counts.append(norm._buffers["num_batches_tracked"])
        if batch:
            running, new = groups.setdefault(norm.momentum, ([], []))
            running += [norm.running_mean, norm.running_var]
            new += [one.to(norm.weight.dtype) for one in batch]
    if groups:
        with torch.no_grad():
            for momentum, (running, new) in groups.items():
                torch.ops.aten._foreach_lerp_.Scalar(running, new, momentum)
    if counts:
        torch.ops.aten._foreach_add_.Scalar(counts, 1)


def _as_autocast(*tensors: Maybe) -> Tuple[Maybe, ...]:
    """Casts the operands as autocast does for a convolution."""
    first = tensors[0]
    assert first is not None
    kind = first.device.type
    if not torch.is_autocast_enabled(kind):
        return tensors
    wanted = torch.get_autocast_dtype(kind)
    return tuple(one if one is None or one.dtype == torch.float64 else one.to(wanted) for one in tensors)


def conv_active(conv: Any, x: torch.Tensor, activation: Activation) -> torch.Tensor:
    """Returns the activation of a convolution with bias, which may be a transposed one."""
    w, bias = _folding.own(conv, "weight"), _folding.own(conv, "bias")
    if why_not_conv(conv, bias) or _eager.tangents() or x.dim() != w.dim():
        return _activations.apply(activation, conv(x))
    return _ended(conv, w, bias, x, None, activation)


def _convolved(conv: Any, w: torch.Tensor, bias: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Returns a convolution with another filter and bias than the module's."""
    if not conv.transposed:
        return conv._conv_forward(x, w, bias)  # type: ignore[no-any-return]
    run = (functional.conv_transpose1d, functional.conv_transpose2d, functional.conv_transpose3d)[w.dim() - 3]
    return run(x, w, bias, conv.stride, conv.padding, conv.output_padding, conv.groups, conv.dilation)


def _ended(conv: Any, w: torch.Tensor, bias: torch.Tensor, x: torch.Tensor, z: Maybe,
           activation: Activation) -> torch.Tensor:
    """Returns the activation of a convolution plus z, as one call if possible."""
    relu, ceiling = _activations.ceiling(activation)
    if not conv.transposed and not why_not_branch(conv) and (z is not None or activation != _activations.IDENTITY):
        if z is None and relu:
            return _one_conv(conv, w, bias, x, ceiling)
        cast: Any = _as_autocast(x, w, bias)
        if (z is None or z.dtype == cast[0].dtype) and _epilogue.fits(cast[0], cast[1], z, cast[2]):
            return _epilogue.run(cast[0], cast[1], z, cast[2], tuple(conv.stride), tuple(conv.padding),
                                 tuple(conv.dilation), conv.groups, activation)
    y = _convolved(conv, w, bias, x)
    return _activations.apply(activation, y if z is None else y + z, own=True)


def _one_conv(conv: Any, w: torch.Tensor, bias: torch.Tensor, x: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    x, w, bias = _as_autocast(x, w, bias)  # type: ignore[assignment]
    parameters = tuple(conv.stride), tuple(conv.padding), tuple(conv.dilation), conv.groups
    y: torch.Tensor = (_eager.conv_relu(x, w, bias, *parameters, ceiling) if _eager.eager(x)
                       else _fused.conv(x, w, bias, *parameters, ceiling))
    return y


def branch(conv: Any, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns a convolution of x, and x for its other user. Joins them if one call may add up their gradients."""
    if (not torch.is_grad_enabled() or not _eager.eager(x) or not x.requires_grad
            or "convolution" not in _state.families or why_not_branch(conv) or _eager.tangents()):
        return conv(x), x
    parameters, kind = conv._parameters, x.device.type
    if "weight" not in parameters or "bias" not in parameters:  # they are computed
        return conv(x), x
    w: Any = parameters["weight"]
    bias = parameters["bias"]
    if torch.is_autocast_enabled(kind):
        w, bias = _as_autocast(w, bias) if x.dtype == torch.get_autocast_dtype(kind) else (None, None)
    if not _eager.plain(w) or w.dtype != x.dtype or w.dim() != x.dim():
        return conv(x), x
    call = _fused.number(conv.stride, conv.padding, conv.dilation, conv.groups,
                         (w.requires_grad, bias is not None and bias.requires_grad))
    return _eager.branch(x, w, bias, call)  # type: ignore[no-any-return]


def _quiet(norm: nn.Module) -> bool:
    """Returns whether neither a normalization nor a part of it has hooks."""
    return not hooked(norm) and (not norm._modules or not any(map(hooked, norm.children())))


def folded(conv: Any, norm: Any, x: torch.Tensor, z: Maybe, activation: Activation, frozen: bool) -> torch.Tensor:
    """Runs inference with a convolution whose filter contains the factors of the following normalization."""
    found = None
    if not norm.training and not hooked(conv) and _quiet(norm):
        found = _folding.kept(conv, norm, x, frozen)
        if found is None and not why_not_norm(norm):
            found = _folding.made(conv, norm, x)
    if found is None or x.dim() != found[0].dim():
        y = norm(conv(x))
        if activates(norm):
            return y  # type: ignore[no-any-return]
        return _activations.apply(activation, y if z is None else y + z)
    return _ended(conv, *found, x, z, activation)
