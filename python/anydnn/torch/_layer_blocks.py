# SPDX-License-Identifier: Apache-2.0
"""The patterns of layers that `fuse` runs as one operator: normalizations of single samples, and linear layers."""
import operator
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import fx, nn

from . import _activations, _blocks, _fused, _linear, _norms_fused, _state
from ._activations import Activation
from ._trace import hooked

_HALVES = (torch.float16, torch.bfloat16)


def _disabled(counted: str, family: str) -> None:
    if family not in _state.families and not torch.compiler.is_compiling():
        _state.count(f"anydnn::{counted}", "torch", _fused.DISABLED + family, 0.0)


def _cast_to_float(x: torch.Tensor) -> bool:
    """Returns whether autocast computes normalizations of x in float, as it does on CUDA alone."""
    return x.is_cuda and x.dtype in _HALVES and torch.is_autocast_enabled("cuda")


def group_active(norm: Any, x: torch.Tensor, activation: Activation) -> torch.Tensor:
    """Returns the activation of a group normalization."""
    if hooked(norm) or not _norms_fused.fits(x, norm.weight, norm.bias) or x.dim() < 2 or x.shape[1] != norm.num_channels:
        _disabled("group_norm_active", _norms_fused.FAMILY)
        return _activations.apply(activation, norm(x))
    if _cast_to_float(x):
        x = x.float()
    found: torch.Tensor = _norms_fused.call_of(_norms_fused.GROUP, x, None, norm.weight, norm.bias, "group",
                                               norm.num_groups, norm.eps, activation)[0]
    return found


def add_norm(norm: Any, x: Any, z: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns a layer normalization of x + z, and the sum."""
    shape = norm.normalized_shape
    # A tracer must not see the comparisons of shapes, which would become guards.
    if (hooked(norm) or not isinstance(x, torch.Tensor) or not isinstance(z, torch.Tensor) or x is z
            or not _norms_fused.fits(x, z, norm.weight, norm.bias) or x.shape != z.shape or x.dtype != z.dtype
            or _cast_to_float(x) or tuple(x.shape[x.dim() - len(shape):]) != tuple(shape)):
        _disabled("add_layer_norm", _norms_fused.FAMILY)
        total = x + z
        return norm(total), total
    found: Tuple[torch.Tensor, torch.Tensor] = _norms_fused.call_of(
        _norms_fused.LAYER, x, z, norm.weight, norm.bias, "layer", len(shape), norm.eps, _activations.IDENTITY)
    return found


def linear_active(linear: Any, x: torch.Tensor, activation: Activation) -> torch.Tensor:
    """Returns the activation of a linear layer with bias."""
    w, bias = linear.weight, linear.bias
    if hooked(linear) or bias is None or not fits_product(x, w, bias):
        _disabled(_linear.COUNTED, _linear.FAMILY)
        return _activations.apply(activation, linear(x))
    cast: Any = _blocks._as_autocast(x, w, bias)
    return _linear.run(cast[0], cast[1], cast[2], activation)


def fits_product(*operands: torch.Tensor) -> bool:
    """Returns whether our operators of products may run on these operands."""
    return _linear.FAMILY in _state.families and _norms_fused.untraced(*operands)


@dataclass
class Layers:
    """A pattern: a normalization or a linear layer and an activation, or an addition and a layer normalization."""

    layer: fx.Node
    active: Optional[fx.Node]
    addition: Optional[fx.Node]
    activation: Activation
    norm: Optional[fx.Node]
    convolution = None

    def nodes(self) -> List[fx.Node]:
        """Returns the nodes that exist, in order."""
        return [node for node in (self.addition, self.layer, self.active) if node is not None]

    def __str__(self) -> str:
        return " + ".join(str(node.target if node.op == "call_module" else node.name) for node in self.nodes())

    def replace(self, graph: fx.Graph) -> None:
        """Replaces the nodes by one call."""
        if self.addition is not None:
            return self._replace_addition(graph, self.addition)
        assert self.active is not None
        with graph.inserting_before(self.active):
            module = graph.create_node("get_attr", str(self.layer.target))
            run = linear_active if self.norm is None else group_active
            y = graph.call_function(run, (module, self.layer.args[0], self.activation))
        self.active.replace_all_uses_with(y)
        graph.erase_node(self.active)
        graph.erase_node(self.layer)
        return None

    def _replace_addition(self, graph: fx.Graph, addition: fx.Node) -> None:
        with graph.inserting_before(addition):
            module = graph.create_node("get_attr", str(self.layer.target))
            both = graph.call_function(add_norm, (module, *addition.args))
            y, total = (graph.call_function(operator.getitem, (both, place)) for place in (0, 1))
        self.layer.replace_all_uses_with(y)
        graph.erase_node(self.layer)
        addition.replace_all_uses_with(total)
        graph.erase_node(addition)


_ADDITIONS = (operator.add, torch.add)


class LayerFinder:
    """Finds the patterns of layers in the graph of a Finder of _patterns.py."""

    def __init__(self, finder: Any) -> None:
        self.finder, self.why = finder, finder.why

    def active(self, node: fx.Node, activation: Activation) -> Optional[Layers]:
        """Returns the pattern that ends with an activation."""
        layer = node.args[0]
        module = self.finder.of(layer)
        if not isinstance(layer, fx.Node) or type(module) not in (nn.GroupNorm, nn.Linear) or module is None:
            return None
        linear = type(module) is nn.Linear
        if linear and (not _linear.has(activation) or module.bias is None):
            return None
        reason = self.refused(layer, module, node)
        if not reason and not _activations.full_keys(activation):
            reason = f"{activation[0]} comes behind it, which the library does not have"
        if reason:
            self.decline(layer, reason)
            return None
        return Layers(layer, node, None, activation, None if linear else layer)

    def refused(self, layer: fx.Node, module: nn.Module, user: Optional[fx.Node]) -> str:
        """Returns why a layer is not run together with its user, or ""."""
        if hooked(module) or "forward" in vars(module):
            return "hooks"
        return "a result with other users" if user is not None and not self.finder.inner(layer, user) else ""

    def decline(self, layer: fx.Node, reason: str) -> None:
        """Keeps the reason why a layer is not fused."""
        self.finder.declined.append(f"{reason} of {layer.target}")
        self.why.setdefault(str(layer.target), reason)

    def added(self, node: fx.Node) -> Optional[Layers]:
        """Returns the pattern that ends with a layer normalization. It runs where the addition is."""
        module, addition = self.finder.of(node), node.args[0] if node.args else None
        if type(module) is not nn.LayerNorm or not isinstance(addition, fx.Node):
            return None
        if (addition.op not in ("call_function", "call_method") or addition.target not in (*_ADDITIONS, "add")
                or len(addition.args) != 2 or addition.kwargs):
            self.why.setdefault(str(node.target), f"its input comes from {self.finder.said(addition)}, not an addition")
            return None
        reason = self.refused(node, module, None)
        place = self.finder.place
        if not reason and min(addition.users, key=place.__getitem__) is not node:
            reason = "an earlier user of the sum"
        if reason:
            self.decline(node, reason)
            return None
        return Layers(node, None, addition, _activations.IDENTITY, node)

    def patterns(self, taken: Any) -> List[Layers]:
        """Returns the patterns whose nodes are not taken."""
        found, used = [], set(taken)
        for node in reversed(list(self.finder.graph.nodes)):
            activation = self.finder.activation(node)
            pattern = (self.active(node, activation) if activation is not None and isinstance(node.args[0], fx.Node)
                       else self.added(node))
            if pattern is not None and not used & set(pattern.nodes()):
                found.append(pattern)
                used |= set(pattern.nodes())
        return found


def why_not(node: fx.Node, module: nn.Module, why: Dict[str, str], behind: str) -> str:
    """Returns why a normalization of single samples is not fused."""
    if str(node.target) in why:
        return why[str(node.target)]
    if type(module) is nn.GroupNorm:
        return f"{behind} comes behind it, not an activation that the library has"
    return f"no operator of ours runs {type(module).__name__} together with another operation"
