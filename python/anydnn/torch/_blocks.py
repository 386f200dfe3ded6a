# SPDX-License-Identifier: Apache-2.0
"""What stands in a fused forward: modules that run together where they may, else one after the other."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn
from torch.nn import functional

from . import _eager, _fused

Maybe = Optional[torch.Tensor]
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def hooked(module: nn.Module) -> bool:
    """Whether somebody listens to the module's calls, who would miss one that is fused."""
    return any(getattr(module, name) for name in _HOOKS)


def why_not_norm(norm: nn.Module) -> str:
    """Why a batch normalization is not fused, "" where it may be."""
    if hooked(norm):
        return "hooks"
    if norm.momentum is None:
        return "momentum None"
    if norm.running_mean is None:
        return "no running statistics"
    if norm.weight is None or norm.bias is None:
        return "no affine parameters"
    kind = torch.float64 if norm.weight.dtype == torch.float64 else torch.float32
    if any(one.dtype != kind for one in (norm.weight, norm.bias, norm.running_mean, norm.running_var)):
        return "parameters of another type than float or double"
    return ""


def why_not_conv(conv: nn.Module) -> str:
    """Why a convolution is not fused, "" where it may be."""
    if hooked(conv):
        return "hooks"
    if conv.bias is None:
        return "no bias"
    if isinstance(conv.padding, str) or conv.padding_mode != "zeros":
        return "padding given as a word"
    return ""


def _one_by_one(norm: Any, x: torch.Tensor, z: Maybe, ceiling: Optional[float]) -> torch.Tensor:
    y = norm(x)
    return _fused.activated(y if z is None else y + z, ceiling)


# What `norm_relu` returns for statistics of the batch where the operator has moved the running ones itself.
_MOVED: Tuple[torch.Tensor, ...] = ()


def _operands(norm: Any) -> Optional[Tuple[torch.Tensor, ...]]:
    """Weight, bias, running mean and variance where they are as they mostly are, by the shortest way."""
    state = norm.__dict__
    parameters, buffers = state["_parameters"], state["_buffers"]
    found = (parameters.get("weight"), parameters.get("bias"), buffers.get("running_mean"), buffers.get("running_var"))
    if any(state[name] for name in _HOOKS) or state["momentum"] is None:
        return None
    return found if all(one is not None and one.dtype is torch.float32 for one in found) else None


def norm_relu(norm: Any, x: torch.Tensor, z: Maybe,
              ceiling: Optional[float]) -> Tuple[torch.Tensor, Optional[Tuple[torch.Tensor, ...]]]:
    """y, and the statistics of the batch that `update` takes; None where the parts ran, which did that themselves."""
    plain = _eager.eager(x)
    found = _operands(norm) if plain else None
    if (not norm.training or _eager.tangents() or found is None and why_not_norm(norm) or x.dim() not in (4, 5)
            or x.numel() <= x.shape[1] or x.shape[1] != norm.num_features
            or (x.dtype == torch.float64) != ((found[0] if found else norm.weight).dtype == torch.float64)
            or (z is not None and (z.shape != x.shape or z.dtype != x.dtype or z.device != x.device))):
        return _one_by_one(norm, x, z, ceiling), None
    norm._check_input_dim(x)
    if plain:
        found = found or (norm.weight, norm.bias, norm.running_mean, norm.running_var)
        return _eager.norm_relu(x, z, *found, norm.momentum, norm.eps, ceiling), _MOVED
    y, _, _, mean, var, _ = _fused.norm(x, z, norm.weight, norm.bias, norm.eps, ceiling)
    return y, (mean, var)


def update(norms: Sequence[Any], batches: Sequence[Optional[Tuple[torch.Tensor, ...]]]) -> None:
    """Counts batches and moves running statistics towards theirs, for all of a block at once."""
    groups: Dict[float, Tuple[List[torch.Tensor], List[torch.Tensor]]] = {}
    counts = []
    for norm, batch in zip(norms, batches):
        if batch is None:
            continue
        counts.append(norm.num_batches_tracked)
        if batch:
            running, new = groups.setdefault(norm.momentum, ([], []))
            running += [norm.running_mean, norm.running_var]
            new += batch
    if groups:
        with torch.no_grad():
            for momentum, (running, new) in groups.items():
                torch.ops.aten._foreach_lerp_.Scalar(running, new, momentum)
    if counts:
        torch.ops.aten._foreach_add_.Scalar(counts, 1)


def _as_autocast(*tensors: Maybe) -> Tuple[Maybe, ...]:
    """Operands as autocast has them for a convolution."""
    first = tensors[0]
    assert first is not None
    kind = first.device.type
    if not torch.is_autocast_enabled(kind):
        return tensors
    wanted = torch.get_autocast_dtype(kind)
    return tuple(one if one is None or one.dtype == torch.float64 else one.to(wanted) for one in tensors)


def conv_relu(conv: Any, x: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    """The activation of a convolution with bias."""
    if why_not_conv(conv) or _eager.tangents() or x.dim() != conv.weight.dim():
        return _fused.activated(conv(x), ceiling)
    return _one_conv(conv, conv.weight, conv.bias, x, ceiling)


def _one_conv(conv: Any, w: torch.Tensor, bias: torch.Tensor, x: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    x, w, bias = _as_autocast(x, w, bias)  # type: ignore[assignment]
    run = _eager.conv_relu if _eager.eager(x) else _fused.conv
    y: torch.Tensor = run(x, w, bias, conv.stride, conv.padding, conv.dilation, conv.groups, ceiling)
    return y


def folded(conv: Any, norm: Any, x: torch.Tensor, z: Maybe, active: bool, ceiling: Optional[float]) -> torch.Tensor:
    """Inference: the normalization's factors go into the filter, afresh in every call, since both may change."""
    if norm.training or hooked(conv) or why_not_norm(norm) or x.dim() != conv.weight.dim():
        y = norm(conv(x))
        y = y if z is None else y + z
        return _fused.activated(y, ceiling) if active else y
    factor = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
    w = conv.weight * factor.to(conv.weight.dtype).view(-1, *([1] * (conv.weight.dim() - 1)))
    mean = norm.running_mean if conv.bias is None else norm.running_mean - conv.bias
    bias = (norm.bias - mean * factor).to(conv.weight.dtype)
    if z is None and active:
        return _one_conv(conv, w, bias, x, ceiling)
    y = functional.conv2d(x, w, bias, conv.stride, conv.padding, conv.dilation, conv.groups)
    y = y if z is None else y + z
    return _fused.activated(y, ceiling) if active else y
