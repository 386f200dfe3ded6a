# SPDX-License-Identifier: Apache-2.0
"""Reads a module's forward as a graph of its children's calls, and leaves the module unchanged."""
import inspect
import operator
import random
from typing import Any, Dict, FrozenSet, List, Optional, Tuple

import torch
from torch import fx, nn


def hooked(module: nn.Module) -> bool:
    """Returns whether a module has hooks or a forward of the instance's own, which a fused call would skip."""
    return bool(module._forward_hooks or module._forward_pre_hooks or module._backward_hooks
                or module._backward_pre_hooks or "forward" in module.__dict__)


class Untraceable(Exception):
    """The forward is not a fixed graph. The text states why."""


def _in_place(function: Any) -> Any:
    """An operator such as +=. fx would read it as +, and so lose that other users see the change."""
    def method(self: fx.Proxy, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (self, other), {})
    return method


IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "imatmul")
# Represents a tensor, and reports to be one if a forward checks.
_Value: Any = type("_Value", (fx.Proxy,), {
    "__class__": property(lambda self: torch.Tensor),
    **{f"__{name}__": _in_place(getattr(operator, name)) for name in IN_PLACE}})


# The structure of a call: for each parameter without a default 0 for a tensor, or the length of a list of tensors.
Structure = Tuple[int, ...]


class _Tracer(fx.Tracer):
    """Traces children as single nodes, except the Sequentials named in `through`.

    Each tensor of the arguments is a placeholder. Parameters with a default keep it.
    """

    def __init__(self, through: FrozenSet[str], structure: Structure) -> None:
        super().__init__()
        self.through, self.structure = through, structure

    def create_args_for_root(self, root_fn: Any, is_module: bool, concrete_args: Any = None) -> Tuple[Any, List[Any]]:
        del is_module, concrete_args
        names = required(self.root)
        arguments: List[Any] = [self.root]
        for name, count in zip(names, self.structure or (0,) * len(names)):
            made = [self.create_proxy("placeholder", f"{name}_{place}" if count else name, (), {})
                    for place in range(count or 1)]
            arguments.append(made if count else made[0])
        return root_fn, arguments

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
            and not hooked(module))


def chains(module: nn.Module) -> FrozenSet[str]:
    """Returns the names of the Sequentials below a module that may be read as part of it."""
    found = set()
    for name, child in module.named_modules():
        parent = name.rpartition(".")[0]
        if name and is_chain(child) and (not parent or parent in found):
            found.add(name)
    return frozenset(found)


def _parameters(module: nn.Module) -> List[inspect.Parameter]:
    """Returns a forward's parameters without self."""
    return list(inspect.signature(type(module).forward).parameters.values())[1:]


def required(module: nn.Module) -> List[str]:
    """Returns the names of a forward's parameters that have no default. Raises Untraceable."""
    needed = [one for one in _parameters(module) if one.default is one.empty
              and one.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)]
    if not needed or any(one.kind is inspect.Parameter.KEYWORD_ONLY for one in needed):
        raise Untraceable("a forward without a parameter that must be given by its position")
    return [one.name for one in needed]


def defaults(module: nn.Module) -> Tuple[List[str], Dict[str, Any]]:
    """Returns the names of a forward's parameters that have a default and may be given by position, and all defaults."""
    found = [one for one in _parameters(module) if one.default is not one.empty]
    return ([one.name for one in found if one.kind is not inspect.Parameter.KEYWORD_ONLY],
            {one.name: one.default for one in found})


def _kept(modules: List[nn.Module]) -> List[Tuple[Dict[str, Any], str, torch.Tensor, torch.Tensor]]:
    """Puts copies in place of buffers, which a forward may change. Returns what `_put_back` needs."""
    found = []
    for one in modules:
        for name, buffer in one._buffers.items():
            if buffer is not None:
                found.append((one._buffers, name, buffer, buffer.detach().clone()))
    for held, name, _, copied in found:
        held[name] = copied
    return found


def _put_back(kept: List[Tuple[Dict[str, Any], str, torch.Tensor, torch.Tensor]]) -> bool:
    """Restores the buffers. Returns whether no copy was changed or replaced."""
    same = True
    for held, name, buffer, copied in kept:
        same = same and held.get(name) is copied and copied._version == 0
        held[name] = buffer
    return same


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


def graph_of(module: nn.Module, training: bool, through: FrozenSet[str], structure: Structure = (),
             counting: bool = False) -> fx.Graph:
    """Returns the graph of a module's forward in one of its two modes. Raises Untraceable.

    With `counting`, the forward may change buffers of the module, which keep their values.
    """
    required(module)
    own = [module, *(module.get_submodule(name) for name in through)]
    modes = [one.training for one in own]
    graph: Optional[fx.Graph] = None
    reason = ""
    kept = _kept(own)
    try:
        for one in own:
            one.training = training
        before = {name: dict(vars(child)) for name, child in module.named_modules()}
        drawn = _draws()
        try:
            graph = _Tracer(through, structure).trace(module)
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
        if not _put_back(kept) and not counting:
            reason = reason or "a forward that changes its buffers"
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
