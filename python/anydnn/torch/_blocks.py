# SPDX-License-Identifier: Apache-2.0
"""What stands in a fused forward: modules that run together where they may, else one after the other."""
import weakref
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn
from torch.nn import functional

from . import _eager, _fused, _state

Maybe = Optional[torch.Tensor]


def hooked(module: nn.Module) -> bool:
    """Whether somebody listens to the module's calls, who would miss one that is fused."""
    return bool(module._forward_hooks or module._forward_pre_hooks or module._backward_hooks
                or module._backward_pre_hooks)


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
    if any(one.dtype != norm.weight.dtype for one in (norm.bias, norm.running_mean, norm.running_var)):
        return "parameters of several types"
    return ""


def why_not_branch(conv: nn.Module) -> str:
    """Why a convolution's gradient is not added to another one, "" where it may be."""
    if hooked(conv):
        return "hooks"
    if isinstance(conv.padding, str) or conv.padding_mode != "zeros":
        return "padding given as a word"
    return ""


def why_not_conv(conv: nn.Module, bias: Any) -> str:
    """Why a convolution with this bias is not fused, "" where it may be."""
    reason = why_not_branch(conv)
    return reason if reason == "hooks" or bias is not None else "no bias"


def _one_by_one(norm: Any, x: torch.Tensor, z: Maybe, ceiling: Optional[float]) -> torch.Tensor:
    y = norm(x)
    return _fused.activated(y if z is None else y + z, ceiling)


# What `norm_relu` returns for statistics of the batch where the operator has moved the running ones itself.
_MOVED: Tuple[torch.Tensor, ...] = ()


_DIMS = {nn.BatchNorm2d: 4, nn.BatchNorm3d: 5}


def _operands(norm: Any, x: torch.Tensor) -> Optional[List[torch.Tensor]]:
    """Weight, bias, running mean and variance where all is as it mostly is in eager mode, by the shortest way."""
    parameters, buffers, shape = norm._parameters, norm._buffers, x.shape
    weight, bias = parameters.get("weight"), parameters.get("bias")
    mean, var = buffers.get("running_mean"), buffers.get("running_var")
    if (weight is None or bias is None or mean is None or var is None or norm.momentum is None or hooked(norm)
            or not norm.training or len(shape) != _DIMS.get(type(norm)) or x.numel() <= shape[1]
            or _eager.tangents()):
        return None
    return [weight, bias, mean, var]


def _alike(z: Maybe, x: torch.Tensor) -> bool:
    return z is None or z.shape == x.shape and z.dtype == x.dtype and z.device == x.device


def norm_relu(norm: Any, x: torch.Tensor, z: Maybe,
              ceiling: Optional[float]) -> Tuple[torch.Tensor, Optional[Tuple[torch.Tensor, ...]]]:
    """y, and the statistics of the batch that `update` takes; None where the parts ran, which did that themselves."""
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
    """Counts batches and moves running statistics towards theirs, for all of a block at once."""
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
    """Operands as autocast has them for a convolution."""
    first = tensors[0]
    assert first is not None
    kind = first.device.type
    if not torch.is_autocast_enabled(kind):
        return tensors
    wanted = torch.get_autocast_dtype(kind)
    return tuple(one if one is None or one.dtype == torch.float64 else one.to(wanted) for one in tensors)


def _own(module: nn.Module, name: str) -> Any:
    """A parameter, by the shortest way where it is one."""
    found = module._parameters.get(name)
    return getattr(module, name) if found is None else found


def conv_relu(conv: Any, x: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    """The activation of a convolution with bias."""
    w, bias = _own(conv, "weight"), _own(conv, "bias")
    if why_not_conv(conv, bias) or _eager.tangents() or x.dim() != w.dim():
        return _fused.activated(conv(x), ceiling)
    return _one_conv(conv, w, bias, x, ceiling)


def _one_conv(conv: Any, w: torch.Tensor, bias: torch.Tensor, x: torch.Tensor, ceiling: Optional[float]) -> torch.Tensor:
    x, w, bias = _as_autocast(x, w, bias)  # type: ignore[assignment]
    parameters = tuple(conv.stride), tuple(conv.padding), tuple(conv.dilation), conv.groups
    y: torch.Tensor = (_eager.conv_relu(x, w, bias, *parameters, ceiling) if _eager.eager(x)
                       else _fused.conv(x, w, bias, *parameters, ceiling))
    return y


def branch(conv: Any, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """A convolution of x, and x for its other user: together where their gradients may be added up in one."""
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


def _folded_now(conv: Any, norm: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    """The filter and the bias of a convolution that computes its normalization, too."""
    factor = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
    w = conv.weight * factor.to(conv.weight.dtype).view(-1, *([1] * (conv.weight.dim() - 1)))
    mean = norm.running_mean if conv.bias is None else norm.running_mean - conv.bias
    return w, (norm.bias - mean * factor).to(conv.weight.dtype)


@dataclass
class _Fold:
    """A folded filter and bias, and what they were made from; the storages keep their addresses from being given again."""

    sources: List[torch.Tensor]
    versions: List[Tuple[int, int, torch.dtype]]
    storages: List[torch.UntypedStorage]
    rest: Tuple[Any, ...]
    w: torch.Tensor
    bias: torch.Tensor

    def holds(self, sources: List[torch.Tensor], versions: List[Tuple[int, int, torch.dtype]], rest: Tuple[Any, ...]) -> bool:
        """Returns whether nothing has changed since."""
        return (self.versions == versions and self.rest == rest and len(self.sources) == len(sources)
                and all(one is other for one, other in zip(self.sources, sources)))


# The folds of each convolution, by stream: one that another stream computes may not be ready.
_folds: "weakref.WeakKeyDictionary[nn.Module, Dict[int, _Fold]]" = weakref.WeakKeyDictionary()


def _keeps(x: torch.Tensor, sources: List[torch.Tensor]) -> bool:
    """Returns whether a fold may be kept: no gradient flows through it, and no tracer or graph records the call."""
    return (_eager.eager(x) and all(_eager.plain(one) and not one.is_inference() for one in sources)
            and not (torch.is_grad_enabled() and any(one.requires_grad for one in sources))
            and not (x.is_cuda and torch.cuda.is_current_stream_capturing()))


def _fold(conv: Any, norm: Any, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns the folded filter and bias, and makes them again where a parameter or a statistic has changed.

    A change shows by the version that torch counts for each tensor, and by its address, which `.data = ...` changes.
    """
    sources = [one for one in (conv.weight, conv.bias, norm.weight, norm.bias, norm.running_mean, norm.running_var)
               if one is not None]
    if not _keeps(x, sources):
        return _folded_now(conv, norm)
    kind = x.device.type
    cast = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) and x.dtype != torch.float64 else None
    last = _state.channels_last(x)
    stream = torch._C._cuda_getCurrentRawStream(x.device.index) if x.is_cuda else 0
    versions = [(one._version, one.data_ptr(), one.dtype) for one in sources]
    folds = _folds.setdefault(conv, {})
    held = folds.get(stream)
    if held is None or not held.holds(sources, versions, (norm.eps, cast, last)):
        with torch.inference_mode(False), torch.no_grad(), torch.autocast(kind, enabled=False):
            w, bias = _folded_now(conv, norm)
            if cast is not None:
                w, bias = w.to(cast), bias.to(cast)
            if last:
                w = w.contiguous(memory_format=_state.FORMATS[w.dim()])
        held = folds[stream] = _Fold(sources, versions, [one.untyped_storage() for one in sources],
                                     (norm.eps, cast, last), w, bias)
    return held.w, held.bias


def folded(conv: Any, norm: Any, x: torch.Tensor, z: Maybe, active: bool, ceiling: Optional[float]) -> torch.Tensor:
    """Inference: a convolution whose filter has the factors of the normalization behind it."""
    if norm.training or hooked(conv) or why_not_norm(norm) or x.dim() != conv.weight.dim():
        y = norm(conv(x))
        y = y if z is None else y + z
        return _fused.activated(y, ceiling) if active else y
    w, bias = _fold(conv, norm, x)
    if z is None and active:
        return _one_conv(conv, w, bias, x, ceiling)
    convolve = (functional.conv1d, functional.conv2d, functional.conv3d)[x.dim() - 3]
    y = convolve(x, w, bias, conv.stride, conv.padding, conv.dilation, conv.groups)
    y = y if z is None else y + z
    return _fused.activated(y, ceiling) if active else y
