# SPDX-License-Identifier: Apache-2.0
"""Recognizes subclasses of batch normalization that end with an activation, such as timm's BatchNormAct2d.

Their forward is read in both modes: it must normalize, and then call children that do nothing or activate.
"""
import operator
import weakref
from typing import Any, List, Optional, Tuple

import torch
from torch import fx, nn
from torch.nn import functional

from . import _activations, _trace

_PLAIN = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
# The calls by which a forward may check its input before the normalization.
_CHECKS = (getattr, operator.eq, operator.ne, torch._assert, "dim")
_seen: "weakref.WeakKeyDictionary[nn.Module, Tuple[Any, Tuple[Optional[str], str]]]" = weakref.WeakKeyDictionary()


def of(module: Any) -> bool:
    """Returns whether a module is of a subclass of batch normalization with children."""
    return (isinstance(module, _PLAIN) and type(module) not in _PLAIN and not isinstance(module, nn.SyncBatchNorm)
            and next(module.children(), None) is not None)


def base(module: Any) -> Any:
    """Returns torch's class of a batch normalization, whose forward computes the normalization alone."""
    return next(one for one in _PLAIN if isinstance(module, one))


def parts(module: Any) -> List[nn.Module]:
    """Returns the modules that run in a call: the module and, if it is a compound one, its children."""
    return [module, *module.children()] if of(module) else [module]


def _is_norm(node: fx.Node, x: fx.Node, module: Any, training: bool) -> bool:
    """Returns whether a node normalizes x as torch's class does."""
    names = ("input", "running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")
    if node.op != "call_function" or node.target is not functional.batch_norm:
        return False
    given = {**dict(zip(names, node.args)), **node.kwargs}
    tensors = [getattr(given.get(name), "target", None) for name in names[1:5]]
    return (given.get("input") is x and tensors == list(names[1:5]) and given.get("training") is training
            and given.get("momentum") == module.momentum and given.get("eps") == module.eps)


def _chain(module: Any, training: bool) -> Optional[List[str]]:
    """Returns the names of the children that are called in sequence after the normalization, or None."""
    graph = _trace.graph_of(module, training, frozenset(), counting=training)
    called: List[str] = []
    value: Any = next(node for node in graph.nodes if node.op == "placeholder")
    began = False
    for node in graph.nodes:
        if node.op == "call_module" and began and node.args == (value,) and not node.kwargs:
            called.append(str(node.target))
            value = node
        elif not began and _is_norm(node, value, module, training):
            began, value = True, node
        elif node.op == "output" and began:
            return called if node.args == (value,) else None
        elif node.op not in ("placeholder", "get_attr") and (began or node.target not in _CHECKS):
            return None
    return None


def _read(module: Any) -> Tuple[Optional[str], str]:
    """Returns the name of the child that activates, "" for none; or None, and why the module is not recognized."""
    try:
        chains = [_chain(module, training) for training in (True, False)]
    except _trace.Untraceable as reason:
        return None, str(reason)
    if chains[0] is None or chains[0] != chains[1]:
        return None, "a forward that is not a normalization with an activation behind it"
    busy = [name for name in chains[0] if type(module.get_submodule(name)) is not nn.Identity]
    if len(busy) > 1:
        return None, f"{len(busy)} modules behind the normalization: {', '.join(busy)}"
    if busy and _activations.of_module(module.get_submodule(busy[0])) is None:
        return None, f"{type(module.get_submodule(busy[0])).__name__} behind the normalization"
    return (busy[0] if busy else ""), ""


def activation(module: Any) -> Tuple[Optional[str], str]:
    """Returns the name of a compound module's activation, "" for none; or None, and why it is not recognized."""
    state = (dict(module._modules), module.momentum, module.eps)
    held = _seen.get(module)
    if held is None or held[0] != state:
        held = _seen[module] = (state, _read(module))
    return held[1]
