# SPDX-License-Identifier: Apache-2.0
"""What stands in a fused forward: modules that run together where they may, else one after the other."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn
from torch.nn import functional

from . import _fused

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


def norm_relu(norm: Any, x: torch.Tensor, z: Maybe, ceiling: Optional[float]) -> Tuple[torch.Tensor, Maybe]:
    """y, and the statistics of the batch that `update` takes; None where the parts ran, which did that themselves."""
    if (not norm.training or why_not_norm(norm) or x.dim() not in (4, 5) or x.numel() == x.shape[1]
            or x.numel() == 0 or x.shape[1] != norm.num_features
            or (x.dtype == torch.float64) != (norm.weight.dtype == torch.float64)
            or (z is not None and (z.shape != x.shape or z.dtype != x.dtype or z.device != x.device))):
        return _one_by_one(norm, x, z, ceiling), None
    norm._check_input_dim(x)
    y, _, batch, _ = _fused.norm(x, z, norm.weight, norm.bias, norm.eps, ceiling)
    return y, batch


def update(norms: Sequence[Any], batches: Sequence[Maybe]) -> None:
    """Moves running statistics towards those of the batch, for all of a block at once."""
    groups: Dict[float, Tuple[List[torch.Tensor], List[torch.Tensor]]] = {}
    counts = []
    for norm, batch in zip(norms, batches):
        if batch is not None:
            running, new = groups.setdefault(norm.momentum, ([], []))
            running += [norm.running_mean, norm.running_var]
            new += [batch[0], batch[1]]
            counts.append(norm.num_batches_tracked)
    if counts:
        with torch.no_grad():
            for momentum, (running, new) in groups.items():
                torch.ops.aten._foreach_lerp_.Scalar(running, new, momentum)
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
    if why_not_conv(conv) or x.dim() != conv.weight.dim():
        return _fused.activated(conv(x), ceiling)
    x, w, bias = _as_autocast(x, conv.weight, conv.bias)  # type: ignore[assignment]
    y: torch.Tensor = _fused.conv(x, w, bias, conv.stride, conv.padding, conv.dilation, conv.groups, ceiling)
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
        x, w, bias = _as_autocast(x, w, bias)  # type: ignore[assignment]
        one: torch.Tensor = _fused.conv(x, w, bias, conv.stride, conv.padding, conv.dilation, conv.groups, ceiling)
        return one
    y = functional.conv2d(x, w, bias, conv.stride, conv.padding, conv.dilation, conv.groups)
    y = y if z is None else y + z
    return _fused.activated(y, ceiling) if active else y
