# SPDX-License-Identifier: Apache-2.0
"""`fuse`: normalization, addition and activation of a model as one operator, in place.

A module's forward is read as a graph; where it has a pattern, an attribute `forward` of the instance runs the
graph with the pattern in one piece. Modules, parameters and names stay what they are.
"""
import operator
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Tuple

import torch
from torch import fx, nn

from . import _blocks, _state, _trace
from ._patterns import Finder, Pattern
from ._trace import Untraceable

def _replace(graph: fx.Graph, pattern: Pattern) -> Optional[Tuple[fx.Node, fx.Node]]:
    """Puts one call in a pattern's place; of training, the nodes of the module and of the batch's statistics."""
    nodes = pattern.nodes()
    last = nodes[-1]

    def module(node: fx.Node) -> fx.Node:
        return graph.create_node("get_attr", str(node.target))
    statistics = None
    with graph.inserting_before(last):
        if pattern.norm is None:
            assert pattern.convolution is not None
            y = graph.call_function(_blocks.conv_relu, (module(pattern.convolution), pattern.convolution.args[0],
                                                        pattern.ceiling))
        elif pattern.convolution is None:
            norm = module(pattern.norm)
            both = graph.call_function(_blocks.norm_relu, (norm, pattern.norm.args[0], pattern.other, pattern.ceiling))
            y = graph.call_function(operator.getitem, (both, 0))
            statistics = (norm, graph.call_function(operator.getitem, (both, 1)))
        else:
            y = graph.call_function(_blocks.folded, (
                module(pattern.convolution), module(pattern.norm), pattern.convolution.args[0], pattern.other,
                pattern.relu is not None, pattern.ceiling))
    last.replace_all_uses_with(y)
    for node in reversed(nodes):
        graph.erase_node(node)
    return statistics


def _function(graph: fx.Graph, patterns: List[Pattern]) -> Callable[..., Any]:
    """The graph with its patterns replaced, as a function of the module and its arguments."""
    found = [pair for pair in (_replace(graph, pattern) for pattern in patterns) if pair is not None]
    if found:
        with graph.inserting_before(next(node for node in graph.nodes if node.op == "output")):
            graph.call_function(_blocks.update, ([norm for norm, _ in found], [batch for _, batch in found]))
    graph.lint()
    code = graph.python_code("self")
    scope = dict(code.globals)
    exec(compile(code.src, "<fused by anydnn.torch>", "exec"), scope)
    function: Callable[..., Any] = scope["forward"]
    return function


class Reading:
    """What fuse found in a module: a function for each mode with patterns, and the Sequentials read with it."""

    def __init__(self, module: nn.Module, fold: bool) -> None:
        self.through: FrozenSet[str] = frozenset()
        self.functions: Dict[bool, Optional[Callable[..., Any]]] = {True: None, False: None}
        self.names: Dict[bool, List[str]] = {True: [], False: []}
        self.declined: List[str] = []
        every = _trace.chains(module)
        for training in (True, False):
            self.through |= self._spanned(module, training, fold, every)
        for training in (True, False):
            graph = _trace.graph_of(module, training, self.through)
            finder = Finder(module, graph, training, fold)
            patterns = finder.patterns()
            self.declined += [one for one in finder.declined if one not in self.declined]
            if patterns:
                self.names[training] = [str(pattern) for pattern in reversed(patterns)]
                self.functions[training] = _function(graph, patterns)

    @staticmethod
    def _spanned(module: nn.Module, training: bool, fold: bool, every: FrozenSet[str]) -> FrozenSet[str]:
        """The Sequentials that a pattern of the module itself begins or ends in."""
        found = set()
        for pattern in Finder(module, _trace.graph_of(module, training, every), training, fold).patterns():
            homes = {str(node.target).rpartition(".")[0] if node.op == "call_module" else ""
                     for node in pattern.nodes()}
            common = [set(_ancestors(home)) for home in homes]
            if max(set.intersection(*common), key=len) == "":
                found |= {one for home in homes for one in _ancestors(home)}
        return frozenset(found - {""})


def _ancestors(name: str) -> Iterator[str]:
    """a.b, a and the empty name, of a.b."""
    while name:
        yield name
        name = name.rpartition(".")[0]
    yield ""


class Forward:
    """The forward of a fused module. Copied with its module; of a file it is read from the module again."""

    def __init__(self, module: nn.Module, fold: bool, reading: Optional[Reading]) -> None:
        self.module, self.fold, self.reading = module, fold, reading

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Forward":
        made = Forward.__new__(Forward)
        memo[id(self)] = made
        memo[id(self.module)] = memo.get(id(self.module))
        if memo[id(self.module)] is None:
            raise TypeError("the forward of a fused module is copied with its module only")
        made.module, made.fold, made.reading = memo[id(self.module)], self.fold, self.reading
        return made

    def __getstate__(self) -> Dict[str, Any]:
        return {"module": self.module, "fold": self.fold}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.module, self.fold, self.reading = state["module"], state["fold"], None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.reading is None:
            self.reading = Reading(self.module, self.fold)
        function = self.reading.functions[self.module.training]
        if function is None or named or not all(isinstance(one, torch.Tensor) for one in arguments):
            return type(self.module).forward(self.module, *arguments, **named)
        return function(self.module, *arguments)


def _decline(name: str, reason: str) -> None:
    _state.note("fuse", f"{name or 'the model'}: {reason}")


def _fuse(module: nn.Module, name: str, fold: bool) -> None:
    through: FrozenSet[str] = frozenset()
    if next(module.children(), None) is None:
        return
    if "forward" in vars(module):
        _decline(name, "a forward of the instance's own")
    elif not isinstance(module, (nn.ModuleList, nn.ModuleDict)):
        try:
            reading = Reading(module, fold)
            through = reading.through
            for reason in reading.declined:
                _decline(name, reason)
            if any(reading.functions.values()):
                module.forward = Forward(module, fold, reading)
        except Untraceable as reason:
            _decline(name, str(reason))
    for child, one in _trace.children(module, through):
        _fuse(one, f"{name}.{child}" if name else child, fold)


def fuse(model: nn.Module, *, fold: bool = False) -> nn.Module:
    """Lets batch normalization (+ addition) + ReLU, and convolution with bias + ReLU, run as one operator each.

    In place, and returns the model; modules, parameters, buffers and `state_dict` stay as they are. Before it
    is wrapped for several processes or compiled (ValueError otherwise). Their kernels are anydnn's where
    `enable` has put them, else torch's.

    fold    in eval, batch normalization goes into the filter of the convolution before it

    What was not fused and why stands in `report`. A module's forward is read once: a flag of it that
    changes later is not seen until it is fused again. Hooks that come later are served.
    """
    if isinstance(model, (nn.parallel.DistributedDataParallel, nn.DataParallel)) or hasattr(model, "_orig_mod"):
        raise ValueError(f"fuse the model before it becomes a {type(model).__name__}")
    unfuse(model)
    _fuse(model, "", fold)
    return model


def unfuse(model: nn.Module) -> nn.Module:
    """Takes back what `fuse` did, in place."""
    for module in model.modules():
        if isinstance(vars(module).get("forward"), Forward):
            del module.forward
    return model


def fused(model: nn.Module) -> Dict[str, List[str]]:
    """What was fused for the mode that each module is in: its name, and for each pattern the nodes that are one."""
    found = {}
    for name, module in model.named_modules():
        forward = vars(module).get("forward")
        if isinstance(forward, Forward) and forward.reading is not None and forward.reading.names[module.training]:
            found[name] = forward.reading.names[module.training]
    return found
