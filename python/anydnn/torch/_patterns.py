# SPDX-License-Identifier: Apache-2.0
"""Finds the parts of a forward's graph that run as one operator, and the reasons why others do not."""
import operator
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import torch
from torch import fx, nn
from torch.nn import functional

from . import _blocks, _trace

_NORMS = (nn.BatchNorm2d, nn.BatchNorm3d)
_CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_RELUS = {torch.relu, torch.relu_, functional.relu, functional.relu_, "relu", "relu_"}
_ADDITIONS = {operator.add, operator.iadd, torch.add, "add", "add_"}
_IN_PLACE = {operator.iadd, "add_"}


@dataclass
class Pattern:
    """The nodes that run as one. `convolution` and `norm` are optional; so is `relu` if it is folded."""

    convolution: Optional[fx.Node]
    norm: Optional[fx.Node]
    addition: Optional[fx.Node]
    other: Optional[fx.Node]
    relu: Optional[fx.Node]
    ceiling: Optional[float]

    def nodes(self) -> List[fx.Node]:
        """Returns the nodes that exist, in order."""
        every = (self.convolution, self.norm, self.addition, self.relu)
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


class Finder:
    """Finds the patterns of a graph, and keeps the reasons for rejected ones."""

    def __init__(self, module: nn.Module, graph: fx.Graph, training: bool, fold: bool) -> None:
        self.module, self.graph, self.training, self.fold = module, graph, training, fold
        self.place = {node: number for number, node in enumerate(graph.nodes)}
        self.declined: List[str] = []

    def of(self, node: Any) -> Optional[nn.Module]:
        """Returns the module that a node calls with one tensor."""
        if isinstance(node, fx.Node) and node.op == "call_module" and len(node.args) == 1 and not node.kwargs:
            return self.module.get_submodule(str(node.target))
        return None

    def conv(self, node: Any) -> Optional[nn.Module]:
        """Returns the convolution that a node calls."""
        module = self.of(node)
        return module if type(module) in _CONVS else None

    def ceiling(self, node: fx.Node) -> Tuple[bool, Optional[float]]:
        """Returns whether a node is a ReLU, and its ceiling."""
        module = self.of(node)
        if module is not None:
            if type(module) not in (nn.ReLU, nn.ReLU6):
                return False, None
            if _blocks.hooked(module):
                self.declined.append(f"hooks on {node.target}")
                return False, None
            return True, 6.0 if type(module) is nn.ReLU6 else None
        if node.op not in ("call_function", "call_method") or not node.args or not set(node.kwargs) <= {"inplace"}:
            return False, None
        if node.target is functional.relu6:
            return True, 6.0
        return node.target in _RELUS, None

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
        if type(module) not in _NORMS:
            if isinstance(module, nn.SyncBatchNorm):
                self.declined.append(f"{node.target} is a SyncBatchNorm")
            return False
        reason = _blocks.why_not_norm(module)
        if not reason and sum(self.of(other) is module for other in self.graph.nodes) > 1:
            reason = "several calls"
        if not reason and not self.inner(node, user):
            reason = "a result with other users"
        if reason:
            self.declined.append(f"{reason} of {node.target}")
        return not reason

    def folds(self, norm: fx.Node) -> Optional[fx.Node]:
        """Returns the convolution whose filter can contain a normalization's factors."""
        convolution = norm.args[0]
        module = self.conv(convolution)
        if module is None or not isinstance(convolution, fx.Node) or not self.inner(convolution, norm):
            return None
        reason = _blocks.why_not_conv(module, module.bias)
        return convolution if reason in ("", "no bias") else None

    def sides(self, end: fx.Node, relu: Optional[fx.Node]) -> List[Tuple[Any, Any]]:
        """Returns the ways to split an addition before a ReLU into a normalization and another value."""
        if (end.op not in ("call_function", "call_method") or end.target not in _ADDITIONS or len(end.args) != 2
                or end.kwargs or relu is None or list(end.users) != [relu]
                or self.place[relu] != self.place[end] + 1):
            return []
        found = [(end.args[0], end.args[1])]
        # An addition in place changes its first operand, which must have no later user.
        return found if end.target in _IN_PLACE else [*found, (end.args[1], end.args[0])]

    def at(self, end: fx.Node, relu: Optional[fx.Node], ceiling: Optional[float]) -> Optional[Pattern]:
        """Returns a pattern whose last value before the activation (`relu`, optional) is that of `end`."""
        behind = relu if relu is not None else next(iter(end.users), None)
        module = self.conv(end)
        if behind is None:
            return None
        if module is not None and relu is not None:
            reason = _blocks.why_not_conv(module, module.bias)
            if reason == "" and self.inner(end, relu):
                return Pattern(end, None, None, None, relu, ceiling)
            if reason != "no bias" and reason:
                self.declined.append(f"{reason} of {end.target}")
            return None
        if not self.training and not self.fold:
            return None
        addition: Optional[fx.Node] = None
        norm: Any = end
        other: Any = None
        sides = self.sides(end, relu)
        if sides:
            addition = end
            for norm, other in sides:
                if isinstance(other, fx.Node) and norm is not other and self.norm(norm, end):
                    break
            else:
                return None
        elif not self.norm(end, behind):
            return None
        convolution = None if self.training else self.folds(norm)
        if not self.training and convolution is None:
            return None
        return Pattern(convolution, norm, addition, other, relu, ceiling)

    def patterns(self) -> List[Pattern]:
        """Returns all patterns, the last first, so that they can be replaced one after the other."""
        found: List[Pattern] = []
        for node in reversed(list(self.graph.nodes)):
            is_relu, ceiling = self.ceiling(node)
            taken = {one for pattern in found for one in pattern.nodes()}
            if is_relu and isinstance(node.args[0], fx.Node):
                pattern = self.at(node.args[0], node, ceiling)
            elif self.fold and not self.training and node not in taken:
                pattern = self.at(node, None, None)
            else:
                continue
            if pattern is not None and not taken & set(pattern.nodes()):
                found.append(pattern)
        return found

    def takes(self, end: Any, value: fx.Node) -> bool:
        """Returns whether a node is an addition that does not change a value, or begins with a convolution of it."""
        module = self.of(end)
        if isinstance(module, nn.Identity) and not _blocks.hooked(module) and len(end.users) == 1:
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
