# SPDX-License-Identifier: Apache-2.0
"""Finds the parts of a forward's graph that run as one operator, and the reasons why others do not."""
import operator
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Set, Tuple

import torch
from torch import fx, nn

from . import _activations, _blocks, _compound, _layer_blocks, _trace
from ._activations import Activation

_NORMS = (nn.BatchNorm2d, nn.BatchNorm3d)
_CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
_ADDITIONS = {operator.add, operator.iadd, torch.add, "add", "add_"}
_IN_PLACE = {operator.iadd, "add_"}
# The modules that `fused` counts. Each computes something like a normalization.
NORMALIZATIONS = (nn.modules.batchnorm._NormBase, nn.GroupNorm, nn.LayerNorm, nn.RMSNorm)


@dataclass
class Pattern:
    """The nodes that run as one. `convolution` and `norm` are optional; so is `active` if it is folded."""

    convolution: Optional[fx.Node]
    norm: Optional[fx.Node]
    addition: Optional[fx.Node]
    other: Optional[fx.Node]
    active: Optional[fx.Node]
    activation: Activation

    def nodes(self) -> List[fx.Node]:
        """Returns the nodes that exist, in order."""
        every = (self.convolution, self.norm, self.addition, self.active)
        return [node for node in every if node is not None]

    def __str__(self) -> str:
        return " + ".join(str(node.target if node.op == "call_module" else node.name) for node in self.nodes())


@dataclass
class Branch:
    """A convolution of a value that one `other` node uses too, later. Their gradients are added at this value."""

    convolution: fx.Node
    other: fx.Node

    def __str__(self) -> str:
        return f"{self.convolution.target} + shortcut"


def _mutates(node: fx.Node, value: Any, module: Optional[nn.Module]) -> bool:
    """Returns whether a node may write into one of its operands."""
    if _trace.is_chain(module):
        first, *rest = module.children()  # type: ignore[union-attr]
        fresh = isinstance(first, (*_CONVS, *NORMALIZATIONS))
        return _mutates(node, value, first) or not fresh and any(_mutates(node, value, one) for one in rest)
    if module is not None:
        return bool(getattr(module, "inplace", False)) or next(module.children(), None) is not None
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    first = bool(node.args) and node.args[0] is value
    return node.op == "call_module" or "out" in node.kwargs or first and (
        name.endswith("_") or name in ("setitem", *_trace.IN_PLACE) or bool(node.kwargs.get("inplace", False)))


class Finder:
    """Finds the patterns of a graph, and keeps the reasons for rejected ones.

    Removes each Identity from the graph, and splits the activation from a compound normalization (_compound.py).
    """

    def __init__(self, module: nn.Module, graph: fx.Graph, training: bool, fold: bool) -> None:
        self.module, self.graph, self.training, self.fold = module, graph, training, fold
        self.declined: List[str] = []
        # The reason of each normalization that is not fused, by the name of its module.
        self.why: Dict[str, str] = {}
        # The compound normalizations that are not recognized.
        self.foreign: Set[str] = set()
        self.identities: List[str] = []
        # The names of all compound normalizations, and the activations that were split from some.
        self.watched: List[str] = []
        self.compounds: Dict[fx.Node, fx.Node] = {}
        self._prepare()
        self.place = {node: number for number, node in enumerate(graph.nodes)}

    def _prepare(self) -> None:
        for node in list(self.graph.nodes):
            module = self.of(node)
            if type(module) is nn.Identity and not _trace.hooked(module):
                self.identities.append(str(node.target))
                node.replace_all_uses_with(node.args[0])
                self.graph.erase_node(node)
            elif _compound.of(module):
                self.watched.append(str(node.target))
                self._split(node, module)

    def _split(self, node: fx.Node, module: Any) -> None:
        name, reason = _compound.activation(module)
        if name is None:
            self.why[str(node.target)] = reason
            self.foreign.add(str(node.target))
        elif name:
            with self.graph.inserting_after(node):
                active = self.graph.create_node("call_module", f"{node.target}.{name}", (node,))
            active.meta["home"] = str(node.target).rpartition(".")[0]
            node.replace_all_uses_with(active, delete_user_cb=lambda user: user is not active)
            self.compounds[node] = active

    def join(self, patterns: List[Pattern]) -> None:
        """Lets the compound normalizations that are in no pattern call their activation themselves."""
        taken = {pattern.norm for pattern in patterns}
        for node, active in self.compounds.items():
            if node not in taken:
                active.replace_all_uses_with(node)
                self.graph.erase_node(active)

    def of(self, node: Any) -> Optional[nn.Module]:
        """Returns the module that a node calls with one tensor."""
        if isinstance(node, fx.Node) and node.op == "call_module" and len(node.args) == 1 and not node.kwargs:
            return self.module.get_submodule(str(node.target))
        return None

    def conv(self, node: Any, transposed: bool = False) -> Optional[nn.Module]:
        """Returns the convolution that a node calls, which may also be a transposed one if that is wanted."""
        module = self.of(node)
        return module if type(module) in _CONVS or transposed and type(module) in _TRANSPOSED else None

    def activation(self, node: fx.Node) -> Optional[Activation]:
        """Returns the activation that a node computes, or None."""
        module = self.of(node)
        if module is not None:
            found = _activations.of_module(module)
            if found is not None and _trace.hooked(module):
                self.declined.append(f"hooks on {node.target}")
                return None
            return found
        if node.op not in ("call_function", "call_method") or not node.args:
            return None
        return _activations.of_call(node.target, node.args, dict(node.kwargs))

    def inner(self, node: Any, user: fx.Node) -> bool:
        """Returns whether only `user` takes a value and may compute it: nothing in between changes its input."""
        if not isinstance(node, fx.Node) or list(node.users) != [user]:
            return False
        source = node.args[0] if node.args else None
        return self.place[user] == self.place[node] + 1 or (
            isinstance(source, fx.Node) and list(source.users) == [node] and source.op != "placeholder")

    def norm(self, node: Any, user: fx.Node) -> bool:
        """Returns whether a node is a batch normalization that may be fused with its user."""
        module = self.of(node)
        if not isinstance(module, nn.modules.batchnorm._BatchNorm):
            return False
        if isinstance(module, nn.SyncBatchNorm):
            self.declined.append(f"{node.target} is a SyncBatchNorm")
            self.why[node.target] = "it is a SyncBatchNorm"
            return False
        if node.target in self.foreign or not self._known(module):
            return False
        reason = _blocks.why_not_norm(module)
        if not reason and sum(self.of(other) is module for other in self.graph.nodes) > 1:
            reason = "several calls"
        if not reason and not self.inner(node, user):
            reason = "a result with other users"
        if reason:
            self.declined.append(f"{reason} of {node.target}")
            self.why[node.target] = reason
        return not reason

    def _known(self, module: nn.Module) -> bool:
        """Returns whether a normalization is of a class that can be fused in this mode."""
        if type(module) in _NORMS or type(module) is nn.BatchNorm1d and not self.training:
            return True
        return _compound.of(module) and _compound.base(module) in _NORMS

    def folds(self, norm: fx.Node, last: fx.Node) -> Optional[fx.Node]:
        """Returns the convolution whose filter can contain a normalization's factors, to be run where `last` is."""
        convolution = norm.args[0]
        module = self.conv(convolution, transposed=True)
        if module is None or not isinstance(convolution, fx.Node):
            self.why.setdefault(str(norm.target), f"its input comes from {self.said(convolution)}, not a convolution")
            return None
        reason = _blocks.why_not_conv(module, module.bias)
        reason = "" if reason == "no bias" else reason
        value = convolution.args[0]
        if not reason and not self.inner(convolution, norm):
            reason = "a result with other users"
        if not reason and isinstance(value, fx.Node) and any(
                self.place[convolution] < self.place[user] < self.place[last] and _mutates(user, value, self.of(user))
                for user in value.users):
            reason = "an input that changes before the end of the block"
        if reason:
            self.why.setdefault(str(norm.target), f"{reason} of {convolution.target}")
            return None
        return convolution

    def said(self, node: Any) -> str:
        """Returns words for the source of a value."""
        if not isinstance(node, fx.Node) or node.op == "placeholder":
            return "the caller"
        module = self.of(node)
        return f"{type(module).__name__} {node.target}" if module is not None else node.name

    def sides(self, end: fx.Node, active: Optional[fx.Node]) -> List[Tuple[Any, Any]]:
        """Returns the ways to split an addition at a block's end into a normalization and another value."""
        if (end.op not in ("call_function", "call_method") or end.target not in _ADDITIONS or len(end.args) != 2
                or end.kwargs):
            return []
        if active is not None and (list(end.users) != [active] or self.place[active] != self.place[end] + 1):
            return []
        found = [(end.args[0], end.args[1])]
        # An addition in place changes its first operand, which must have no later user.
        return found if end.target in _IN_PLACE else [*found, (end.args[1], end.args[0])]

    def direct(self, end: fx.Node, active: fx.Node, activation: Activation) -> Optional[Pattern]:
        """Returns the pattern of a convolution with bias and an activation."""
        module = self.conv(end, transposed=not self.training)
        if module is None or self.training and not _activations.ceiling(activation)[0]:
            return None
        reason = _blocks.why_not_conv(module, module.bias)
        if reason == "" and self.inner(end, active):
            return Pattern(end, None, None, None, active, activation)
        if reason != "no bias" and reason:
            self.declined.append(f"{reason} of {end.target}")
        return None

    def at(self, end: fx.Node, active: Optional[fx.Node], activation: Activation) -> Optional[Pattern]:
        """Returns a pattern whose last value before the activation (`active`, optional) is that of `end`."""
        behind = active if active is not None else next(iter(end.users), None)
        if behind is None:
            return None
        if self.conv(end, transposed=True) is not None:
            return None if active is None else self.direct(end, active, activation)
        if not self.training and not self.fold:
            return None
        if self.training and not _activations.ceiling(activation)[0]:
            if isinstance(self.of(end), nn.modules.batchnorm._BatchNorm):
                self.why.setdefault(str(end.target), f"{activation[0]} behind it has no fused operator in training")
            return None
        if not self.sides(end, active):
            return self.ends(end, None, None, behind, active, activation)
        for norm, other in self.sides(end, active):
            if isinstance(other, fx.Node) and norm is not other:
                found = self.ends(norm, end, other, end, active, activation)
                if found is not None:
                    return found
        return None

    def ends(self, norm: Any, addition: Optional[fx.Node], other: Optional[fx.Node], behind: fx.Node,
             active: Optional[fx.Node], activation: Activation) -> Optional[Pattern]:
        """Returns the pattern of a normalization that is followed by `behind`."""
        if not self.norm(norm, behind):
            return None
        convolution = None if self.training else self.folds(norm, active or addition or norm)
        if not self.training and convolution is None:
            return None
        return Pattern(convolution, norm, addition, other, active, activation)

    def patterns(self) -> List[Any]:
        """Returns all patterns, the last first, so that they can be replaced one after the other."""
        found: List[Pattern] = []
        taken: Set[fx.Node] = set()
        for node in reversed(list(self.graph.nodes)):
            activation = self.activation(node)
            pattern = None
            if activation is not None and isinstance(node.args[0], fx.Node):
                pattern = self.at(node.args[0], node, activation)
            elif self.fold and not self.training and node not in taken:
                pattern = self.at(node, None, _activations.IDENTITY)
            if pattern is not None and not taken & set(pattern.nodes()):
                found.append(pattern)
                taken |= set(pattern.nodes())
        every = [*found, *_layer_blocks.LayerFinder(self).patterns(taken)]
        return sorted(every, key=lambda one: self.place[one.nodes()[-1]], reverse=True)

    def reasons(self, patterns: List[Pattern]) -> Tuple[List[str], Dict[str, str]]:
        """Returns the names of the normalizations in patterns, and the reasons for the graph's others."""
        taken = [str(pattern.norm.target) for pattern in patterns if pattern.norm is not None]
        why = {}
        for node in self.graph.nodes:
            module = self.of(node)
            if isinstance(module, NORMALIZATIONS) and str(node.target) not in taken:
                why[str(node.target)] = self._why_not(node, module)
        return taken, why

    def _why_not(self, node: fx.Node, module: nn.Module) -> str:
        name = str(node.target)
        if not isinstance(module, nn.modules.batchnorm._BatchNorm):
            user = next(iter(node.users), None)
            return _layer_blocks.why_not(node, module, self.why, self.said(user) if user is not None else "nothing")
        if not self.training and not self.fold:
            return "in eval mode fold=True is needed"
        if name in self.why:
            return self.why[name]
        if not self._known(module):
            return f"{type(module).__name__} is a class that fuse does not know" + (
                " in training" if self.training else "")
        if self.training:
            user = next(iter(node.users), None)
            return f"{self.said(user) if user is not None else 'nothing'} comes behind it, not ReLU or ReLU6"
        return _blocks.why_not_norm(module) or "its result has no user"

    def takes(self, end: Any, value: fx.Node) -> bool:
        """Returns whether a node is an addition that does not change a value, or begins with a convolution of it."""
        module = self.of(end)
        if isinstance(module, nn.Identity) and not _trace.hooked(module) and len(end.users) == 1:
            return self.takes(next(iter(end.users)), end)
        while _trace.is_chain(module) and len(module):  # type: ignore[arg-type]
            module = module[0]  # type: ignore[index]
        if module is not None:
            return type(module) in _CONVS
        return (end.op in ("call_function", "call_method") and end.target in _ADDITIONS and len(end.args) == 2
                and not end.kwargs and end.args[0] is not end.args[1]
                and not (end.target in _IN_PLACE and end.args[0] is value))

    def branch(self, value: fx.Node) -> Optional[Branch]:
        """Returns the branch at a value, in training."""
        if len(value.users) != 2:
            return None
        first, other = sorted(value.users, key=self.place.__getitem__)
        module = self.conv(first)
        if module is None or not self.takes(other, value):
            return None
        reason = _blocks.why_not_branch(module)
        if reason:
            self.declined.append(f"{reason} of {first.target}")
            return None
        return Branch(first, other)

    def branches(self, patterns: List[Pattern]) -> List[Branch]:
        """Returns the branches whose convolution is not in a pattern."""
        taken = {pattern.convolution for pattern in patterns}
        found = [self.branch(node) for node in self.graph.nodes] if self.training else []
        return [one for one in found if one is not None and one.convolution not in taken]
