# SPDX-License-Identifier: Apache-2.0
"""Makes filters that include the factors of a batch normalization, and keeps them until one of their sources changes.

A kept filter is in neither the module nor its state: `state_dict`, copies and files do not contain it.
"""
import weakref
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from . import _eager, _state

Maybe = Optional[torch.Tensor]
Folded = Tuple[torch.Tensor, torch.Tensor]


def own(module: Any, name: str) -> Any:
    """Returns a parameter, a buffer or another attribute of a module, or None. torch's own way takes a microsecond."""
    if name in module._parameters:
        return module._parameters[name]
    if name in module._buffers:
        return module._buffers[name]
    return getattr(module, name, None)


def _sources(conv: Any, norm: Any) -> List[Maybe]:
    """Returns what a fold depends on.

    torch changes the running statistics in training without a new version of them. The count of batches gets one.
    """
    return [own(conv, "weight"), own(conv, "bias"), own(norm, "weight"), own(norm, "bias"),
            own(norm, "running_mean"), own(norm, "running_var"), own(norm, "num_batches_tracked")]


def _values(sources: List[Maybe]) -> List[Any]:
    """Returns what changes with each source. Assigning to `.data` changes the address or the strides."""
    return [one if one is None else (id(one), type(one), one._version, one.data_ptr(), one.dtype, one.stride())
            for one in sources]


@dataclass
class _Fold:
    """A folded filter and bias, and their sources. Holding sources and storages prevents reuse of their addresses."""

    sources: List[Maybe]
    storages: List[Optional[torch.UntypedStorage]]
    values: List[Any]
    rest: Tuple[Any, ...]
    folded: Folded


# The folds of each convolution, by stream: a fold computed on another stream may not be ready.
_folds: "weakref.WeakKeyDictionary[nn.Module, Dict[int, _Fold]]" = weakref.WeakKeyDictionary()


# The folds that CUDA graphs read. They live as long as the convolution, as its parameters do.
_recorded: "weakref.WeakKeyDictionary[nn.Module, List[Folded]]" = weakref.WeakKeyDictionary()


def forget(model: nn.Module) -> None:
    """Discards the folds of a model's convolutions."""
    for module in model.modules():
        _folds.pop(module, None)


def _stepped(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    """Discards the folds of an optimizer's parameters. Fused optimizers change these without a new version of them."""
    held = [module for module in (reference() for reference in _folds.keyrefs()) if module is not None]
    changed = {id(one) for group in optimizer.param_groups for one in group["params"]} if held else set()
    for module in held:
        if any(id(one) in changed for fold in list(_folds.get(module, {}).values()) for one in fold.sources):
            _folds.pop(module, None)


register_optimizer_step_post_hook(_stepped)


def now(conv: Any, norm: Any) -> Folded:
    """Computes the filter and the bias of a convolution that includes its normalization.

    Half and bfloat16 are computed in float, so that results round once.
    """
    def wide(one: torch.Tensor) -> torch.Tensor:
        return one.float() if one.dtype in (torch.float16, torch.bfloat16) else one

    factor = wide(norm.weight) * torch.rsqrt(wide(norm.running_var) + norm.eps)
    w, groups = wide(conv.weight), conv.groups if conv.transposed else 1
    # The output channels are the first dim of a filter, and the second of each group of a transposed one.
    shape: Tuple[int, ...] = (groups, 1, -1) if conv.transposed else (-1, 1)
    shape += (1,) * (w.dim() - 2)
    scale = factor.to(w.dtype).view(shape)
    w = (w.unflatten(0, (groups, -1)) * scale).reshape(w.shape) if conv.transposed else w * scale
    mean = wide(norm.running_mean) if conv.bias is None else wide(norm.running_mean) - wide(conv.bias)
    return w.to(conv.weight.dtype), (wide(norm.bias) - mean * factor).to(conv.weight.dtype)


def _captured(x: torch.Tensor) -> bool:
    """Returns whether a CUDA graph records the call."""
    return x.is_cuda and torch.cuda.is_current_stream_capturing()


def _lasts(x: torch.Tensor, sources: List[Maybe]) -> bool:
    """Returns whether a fold may serve the call: no gradient flows through it, and no tracer records the call."""
    return (_eager.eager(x)
            and not (torch.is_grad_enabled() and any(one is not None and one.requires_grad for one in sources)))


def _cast(x: torch.Tensor) -> Optional[torch.dtype]:
    """Returns the type to which autocast casts the operands of a convolution, or None."""
    kind = x.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) and x.dtype != torch.float64 else None


def _stream(x: torch.Tensor) -> int:
    return int(torch._C._cuda_getCurrentRawStream(x.device.index)) if x.is_cuda else 0


def _serves(fold: _Fold, norm: Any, sources: List[Maybe], x: torch.Tensor) -> bool:
    """Returns whether the sources of a fold have not changed since, and it has the type and format of the call."""
    try:
        same = fold.values == _values(sources)
    except RuntimeError:  # inference tensors have no version
        return False
    return same and fold.rest == (norm.eps, _cast(x), _state.channels_last(x)) and _lasts(x, sources)


def _for_graph(conv: Any, norm: Any, x: torch.Tensor) -> Optional[Folded]:
    """Returns a kept filter and bias for a CUDA graph, or None. A capture has a stream of its own, and begins when the
    work of the others is done.
    """
    for fold in list(_folds.get(conv, {}).values()):
        if _serves(fold, norm, _sources(conv, norm), x):
            _recorded.setdefault(conv, []).append(fold.folded)
            return fold.folded
    return None


def kept(conv: Any, norm: Any, x: torch.Tensor, frozen: bool) -> Optional[Folded]:
    """Returns the kept filter and bias, or None. A CUDA graph gets them only if the parameters are `frozen`: it would
    not notice their changes.
    """
    fold = _folds.get(conv, {}).get(_stream(x))
    if _captured(x):
        return _for_graph(conv, norm, x) if frozen else None
    if fold is not None and _serves(fold, norm, _sources(conv, norm), x):
        return fold.folded
    return None


def made(conv: Any, norm: Any, x: torch.Tensor) -> Folded:
    """Computes the filter and the bias for a call, and keeps them in its type and format if they may be kept."""
    sources = _sources(conv, norm)
    given = [one for one in sources if one is not None]
    if not _lasts(x, sources) or _captured(x) or not all(_eager.plain(one) and not one.is_inference() for one in given):
        return now(conv, norm)
    cast, last = _cast(x), _state.channels_last(x)
    values = _values(sources)
    with torch.inference_mode(False), torch.no_grad(), torch.autocast(x.device.type, enabled=False):
        w, bias = now(conv, norm)
        if cast is not None:
            w, bias = w.to(cast), bias.to(cast)
        if last:
            w = w.contiguous(memory_format=_state.FORMATS[w.dim()])
    storages = [one if one is None else one.untyped_storage() for one in sources]
    _folds.setdefault(conv, {})[_stream(x)] = _Fold(sources, storages, values, (norm.eps, cast, last), (w, bias))
    return w, bias
