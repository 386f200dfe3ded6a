# SPDX-License-Identifier: Apache-2.0
"""The blocks of a fused forward: modules that run as one operator if possible, else one after the other."""
import weakref
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn
from torch.nn import functional

from . import _activations, _compound, _eager, _epilogue, _fused, _state
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


def _own(module: nn.Module, name: str) -> Any:
    """Returns a parameter, by the shortest path if it is one."""
    found = module._parameters.get(name)
    return getattr(module, name) if found is None else found


def conv_active(conv: Any, x: torch.Tensor, activation: Activation) -> torch.Tensor:
    """Returns the activation of a convolution with bias, which may be a transposed one."""
    w, bias = _own(conv, "weight"), _own(conv, "bias")
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


def _folded_now(conv: Any, norm: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    """Computes the filter and the bias of a convolution that includes its normalization."""
    factor = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
    w, groups = conv.weight, conv.groups if conv.transposed else 1
    # The output channels are the first dim of a filter, and the second of each group of a transposed one.
    shape = (groups, 1, -1) if conv.transposed else (-1, 1)
    shape += (1,) * (w.dim() - 2)
    scale = factor.to(w.dtype).view(shape)
    w = (w.unflatten(0, (groups, -1)) * scale).reshape(w.shape) if conv.transposed else w * scale
    mean = norm.running_mean if conv.bias is None else norm.running_mean - conv.bias
    return w, (norm.bias - mean * factor).to(conv.weight.dtype)


@dataclass
class _Fold:
    """A folded filter and bias, and their sources. Holding the storages prevents reuse of their addresses."""

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


# The folds of each convolution, by stream: a fold computed on another stream may not be ready.
_folds: "weakref.WeakKeyDictionary[nn.Module, Dict[int, _Fold]]" = weakref.WeakKeyDictionary()


def _keeps(x: torch.Tensor, sources: List[torch.Tensor]) -> bool:
    """Returns whether a fold may be kept: no gradient flows through it, and no tracer or graph records the call."""
    return (_eager.eager(x) and all(_eager.plain(one) and not one.is_inference() for one in sources)
            and not (torch.is_grad_enabled() and any(one.requires_grad for one in sources))
            and not (x.is_cuda and torch.cuda.is_current_stream_capturing()))


def _fold(conv: Any, norm: Any, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns the folded filter and bias, and recomputes them if a parameter or a statistic has changed.

    A change shows in the version that torch counts for each tensor, and in its address, which `.data = ...` changes.
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


def folded(conv: Any, norm: Any, x: torch.Tensor, z: Maybe, activation: Activation) -> torch.Tensor:
    """Runs inference with a convolution whose filter contains the factors of the following normalization."""
    if norm.training or hooked(conv) or why_not_norm(norm) or x.dim() != conv.weight.dim():
        y = norm(conv(x))
        if activates(norm):
            return y  # type: ignore[no-any-return]
        return _activations.apply(activation, y if z is None else y + z)
    w, bias = _fold(conv, norm, x)
    return _ended(conv, w, bias, x, z, activation)
