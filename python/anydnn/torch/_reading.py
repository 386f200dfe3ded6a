# SPDX-License-Identifier: Apache-2.0
"""Reads a module's forward for `fuse`: makes functions that run the patterns of its graph, and detects changes."""
import copy
import operator
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Tuple, Union

import torch
from torch import fx, nn

from . import _activations, _blocks, _trace
from ._patterns import Branch, Finder, Pattern
from ._trace import Structure, Untraceable

Fold = Union[bool, str]  # "frozen": the folded filters also serve CUDA graphs


def _replace(graph: fx.Graph, pattern: Any, frozen: bool) -> Optional[Tuple[fx.Node, fx.Node]]:
    """Replaces a pattern by one call. In training, returns the nodes of the module and of the batch statistics."""
    if not isinstance(pattern, Pattern):
        pattern.replace(graph)
        return None
    nodes = pattern.nodes()
    last = nodes[-1]

    def module(node: fx.Node) -> fx.Node:
        return graph.create_node("get_attr", str(node.target))
    statistics = None
    with graph.inserting_before(last):
        if pattern.convolution is None:
            assert pattern.norm is not None
            norm, (_, ceiling) = module(pattern.norm), _activations.ceiling(pattern.activation)
            both = graph.call_function(_blocks.norm_relu, (norm, pattern.norm.args[0], pattern.other, ceiling))
            y = graph.call_function(operator.getitem, (both, 0))
            statistics = (norm, graph.call_function(operator.getitem, (both, 1)))
        else:
            conv, x = module(pattern.convolution), pattern.convolution.args[0]
            if pattern.norm is not None:
                y = graph.call_function(_blocks.folded, (conv, module(pattern.norm), x, pattern.other,
                                                         pattern.activation, frozen))
            else:
                y = graph.call_function(_blocks.conv_active, (conv, x, pattern.activation))
    last.replace_all_uses_with(y)
    for node in reversed(nodes):
        graph.erase_node(node)
    return statistics


def _join(graph: fx.Graph, branch: Branch) -> None:
    """Replaces a branch's convolution by one call, which also gives the other user its value."""
    # A pattern may have replaced its value.
    convolution = branch.convolution
    value = convolution.args[0]
    assert isinstance(value, fx.Node)
    others = [node for node in value.users if node is not convolution]
    with graph.inserting_before(convolution):
        module = graph.create_node("get_attr", str(convolution.target))
        both = graph.call_function(_blocks.branch, (module, value))
        y, same = (graph.call_function(operator.getitem, (both, place)) for place in (0, 1))
    convolution.replace_all_uses_with(y)
    for other in others:
        other.replace_input_with(value, same)
    graph.erase_node(convolution)


def _function(graph: fx.Graph, patterns: List[Pattern], branches: List[Branch], frozen: bool) -> Callable[..., Any]:
    """Returns the graph with replaced patterns and branches, as a function of the module and its arguments."""
    found = [pair for pair in (_replace(graph, pattern, frozen) for pattern in patterns) if pair is not None]
    for branch in branches:
        _join(graph, branch)
    if found:
        with graph.inserting_before(next(node for node in graph.nodes if node.op == "output")):
            graph.call_function(_blocks.update, ([norm for norm, _ in found], [batch for _, batch in found]))
    graph.lint()
    code = graph.python_code("self")
    scope = dict(code.globals)
    exec(compile(code.src, "<fused by anydnn.torch>", "exec"), scope)
    function: Callable[..., Any] = scope["forward"]
    return function


class Tree:
    """The modules that a reading depends on: containers, each with its children."""

    def __init__(self, module: nn.Module, names: FrozenSet[str], through: FrozenSet[str],
                 identities: FrozenSet[str]) -> None:
        lists = [one for one in module.children() if isinstance(one, (nn.ModuleList, nn.ModuleDict))]
        containers = [module, *(module.get_submodule(name) for name in sorted(names)), *lists]
        self.held = [(one._modules, dict(one._modules)) for one in dict.fromkeys(containers)]
        # The fused forward does not call these, so a hook on them would not run.
        self.chains = [module.get_submodule(name) for name in sorted(through)]
        self.identities = [module.get_submodule(name) for name in sorted(identities)]

    def changed(self) -> bool:
        """Returns whether children have changed, or a module that is not called got hooks or its own forward."""
        return (any(now != before for now, before in self.held)
                or any(not _trace.is_chain(one) for one in self.chains)
                or any(map(_trace.hooked, self.identities)))


class Reading:
    """The functions for a module's two modes, None for a mode without patterns, and the Sequentials read with it."""

    def __init__(self, module: nn.Module, fold: Fold, shortcuts: bool, structure: Structure = ()) -> None:
        self.through: FrozenSet[str] = frozenset()
        self.functions: Dict[bool, Optional[Callable[..., Any]]] = {True: None, False: None}
        self.names: Dict[bool, List[str]] = {True: [], False: []}
        # The names of the normalizations in patterns, and the reasons of the others, by mode.
        self.norms: Dict[bool, Tuple[List[str], Dict[str, str]]] = {}
        self.declined: List[str] = []
        self.fold, self.shortcuts, self.structure = fold, shortcuts, structure
        self.forward = type(module).forward
        self.arity = len(_trace.required(module))
        self.positional, self.defaults = _trace.defaults(module)
        # Readings for lists of tensors as arguments, by structure. None if the forward cannot be read with it.
        self.others: Dict[Structure, Optional["Reading"]] = {}
        every = _trace.chains(module)
        containers, identities = set(), set()
        for training in (True, False):
            self.through |= self._spanned(module, training, every)
        for training in (True, False):
            graph = _trace.graph_of(module, training, self.through, structure)
            containers |= {name for node in graph.nodes for name in _ancestors(_home(node))}
            patterns, branches, finder = self._found(module, graph, training)
            finder.join(patterns)
            identities.update(finder.identities)
            identities.update(str(node.target) for one in patterns for node in one.nodes()
                              if node.op == "call_module" and node not in (one.norm, one.convolution))
            containers.update(finder.watched)
            self.norms[training] = finder.reasons(patterns)
            self.declined += [one for one in finder.declined if one not in self.declined]
            if patterns or branches:
                self.names[training] = [str(one) for one in (*branches, *reversed(patterns))]
                self.functions[training] = _function(graph, patterns, branches, fold == "frozen")
        self.tree = Tree(module, frozenset(containers - {""}) | self.through, self.through, frozenset(identities))

    def function(self, module: nn.Module, arguments: Tuple[Any, ...], named: Dict[str, Any]
                 ) -> Tuple[Optional[Callable[..., Any]], List[Any]]:
        """Returns the function for a call, or None, and the tensors to call it with."""
        given = [*zip(self.positional, arguments[self.arity:]), *named.items()]
        if (not self.arity <= len(arguments) <= self.arity + len(self.positional) or len(dict(given)) < len(given)
                or any(name not in self.defaults or value is not self.defaults[name] for name, value in given)):
            return None, []
        arguments = arguments[:self.arity]
        structure = tuple(len(one) if isinstance(one, (list, tuple)) else 0 for one in arguments)
        tensors = [each for one in arguments for each in (one if isinstance(one, (list, tuple)) else (one,))]
        if not all(isinstance(one, torch.Tensor) for one in tensors):
            return None, []
        reading = self if not any(structure) else self._other(module, structure)
        return (None if reading is None else reading.functions[module.training]), tensors

    def _other(self, module: nn.Module, structure: Structure) -> Optional["Reading"]:
        if structure not in self.others:
            if torch.compiler.is_compiling():
                return None
            try:
                self.others[structure] = Reading(module, self.fold, self.shortcuts, structure)
            except Untraceable:
                self.others[structure] = None
        return self.others[structure]

    def copied(self, memo: Dict[int, Any]) -> "Reading":
        """Returns the same for the copy of the module that deepcopy is making."""
        made = copy.copy(self)
        made.tree = copy.deepcopy(self.tree, memo)
        made.others = {}
        return made

    def _found(self, module: nn.Module, graph: fx.Graph,
               training: bool) -> Tuple[List[Pattern], List[Branch], Finder]:
        finder = Finder(module, graph, training, bool(self.fold))
        patterns = finder.patterns()
        return patterns, finder.branches(patterns) if self.shortcuts else [], finder

    def _spanned(self, module: nn.Module, training: bool, every: FrozenSet[str]) -> FrozenSet[str]:
        """Returns the Sequentials that contain an end of the module's own patterns or the start of a branch."""
        found = set()
        patterns, branches, _ = self._found(module, _trace.graph_of(module, training, every, self.structure),
                                              training)
        for nodes, into in [*((one.nodes(), one.nodes()) for one in patterns),
                            *(([one.convolution, one.other], [one.convolution]) for one in branches)]:
            common = [set(_ancestors(_home(node))) for node in nodes]
            if max(set.intersection(*common), key=len) == "":
                found |= {name for node in into for name in _ancestors(_home(node))}
        return every & found


def _home(node: fx.Node) -> str:
    """Returns the parent of a node's module."""
    if "home" in node.meta:
        return str(node.meta["home"])
    return str(node.target).rpartition(".")[0] if node.op == "call_module" else ""


def _ancestors(name: str) -> Iterator[str]:
    """Returns a.b, a and the empty name for a.b."""
    while name:
        yield name
        name = name.rpartition(".")[0]
    yield ""
