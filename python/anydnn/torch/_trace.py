# SPDX-License-Identifier: Apache-2.0
"""Reads a module's forward as a graph of its children's calls, and leaves the module unchanged."""
import inspect
import operator
import random
from typing import Any, Dict, FrozenSet, List, Optional, Tuple

import torch
from torch import fx, nn

from ._blocks import hooked


class Untraceable(Exception):
    """The forward is not a fixed graph. The text states why."""


def _in_place(function: Any) -> Any:
    """An operator such as +=. fx would read it as +, and so lose that other users see the change."""
    def method(self: fx.Proxy, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (self, other), {})
    return method


_IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "imatmul")
# Represents a tensor, and reports to be one if a forward checks.
_Value: Any = type("_Value", (fx.Proxy,), {
    "__class__": property(lambda self: torch.Tensor),
    **{f"__{name}__": _in_place(getattr(operator, name)) for name in _IN_PLACE}})


class _Tracer(fx.Tracer):
    """Traces children as single nodes, except the Sequentials named in `through`."""

    def __init__(self, through: FrozenSet[str]) -> None:
        super().__init__()
        self.through = through

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return module_qualified_name not in self.through

    def proxy(self, node: fx.Node) -> fx.Proxy:
        value: fx.Proxy = _Value(node, self)
        return value

    def create_arg(self, a: Any) -> Any:
        return a.node if type(a) is _Value else super().create_arg(a)


def is_chain(module: Any) -> bool:
    """Returns whether a module only calls its children one after the other and has no hooks."""
    return (isinstance(module, nn.Sequential) and type(module).forward is nn.Sequential.forward
            and not hooked(module) and "forward" not in vars(module))


def chains(module: nn.Module) -> FrozenSet[str]:
    """Returns the names of the Sequentials below a module that may be read as part of it."""
    found = set()
    for name, child in module.named_modules():
        parent = name.rpartition(".")[0]
        if name and is_chain(child) and (not parent or parent in found):
            found.add(name)
    return frozenset(found)


def _parameters(module: nn.Module) -> None:
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = list(inspect.signature(type(module).forward).parameters.values())[1:]
    if not parameters or any(one.kind not in plain or one.default is not one.empty for one in parameters):
        raise Untraceable("a forward with optional parameters, or without any")


def _draws() -> Tuple[Any, ...]:
    return random.getstate(), torch.get_rng_state().numpy().tobytes()


def _restored(module: nn.Module, before: Dict[str, Dict[str, Any]]) -> bool:
    """Restores the attributes of modules. Returns whether nothing had changed."""
    same = True
    for name, child in module.named_modules():
        held = before.get(name)
        if held is None:
            continue
        now = vars(child)
        if held.keys() != now.keys() or any(now[key] is not value for key, value in held.items()):
            same = False
            now.clear()
            now.update(held)
    return same


def graph_of(module: nn.Module, training: bool, through: FrozenSet[str]) -> fx.Graph:
    """Returns the graph of a module's forward in one of its two modes. Raises Untraceable."""
    _parameters(module)
    own = [module, *(module.get_submodule(name) for name in through)]
    modes = [one.training for one in own]
    graph: Optional[fx.Graph] = None
    reason = ""
    try:
        for one in own:
            one.training = training
        before = {name: dict(vars(child)) for name, child in module.named_modules()}
        drawn = _draws()
        try:
            graph = _Tracer(through).trace(module)
        except Exception as error:  # a forward may raise anything without a real tensor
            said = (str(error).splitlines() or [""])[0]
            reason = f"a forward that is no fixed graph: {type(error).__name__}: {said}"
        if not _restored(module, before):
            reason = reason or "a forward that changes its module, or makes tensors"
        if drawn != _draws():
            reason = reason or "a forward that draws numbers"
    finally:
        for one, mode in zip(own, modes):
            one.training = mode
    if graph is None or reason:
        raise Untraceable(reason)
    return graph


def children(module: nn.Module, through: FrozenSet[str]) -> List[Tuple[str, nn.Module]]:
    """Returns the children of a module and of the Sequentials that are read as part of it."""
    found = []
    for prefix in ("", *sorted(through)):
        for name, child in module.get_submodule(prefix).named_children():
            whole = f"{prefix}.{name}" if prefix else name
            if whole not in through:
                found.append((whole, child))
    return found
