# SPDX-License-Identifier: Apache-2.0
"""`fuse`: normalization, addition and activation of a model as one operator, and gradients summed up, in place.

A module's forward is read as a graph; where it has a pattern, an attribute `forward` of the instance runs the
graph with the pattern in one piece. Modules, parameters and names stay what they are.
"""
import operator
import types
import warnings
from typing import AbstractSet, Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Tuple

import torch
from torch import fx, nn

from . import _blocks, _state, _trace
from ._patterns import Branch, Finder, Pattern
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


def _join(graph: fx.Graph, branch: Branch) -> None:
    """Puts one call in place of a branch's convolution; the other user takes the value from it."""
    # Its value may have become that of a pattern.
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


def _function(graph: fx.Graph, patterns: List[Pattern], branches: List[Branch]) -> Callable[..., Any]:
    """The graph with its patterns and branches replaced, as a function of the module and its arguments."""
    found = [pair for pair in (_replace(graph, pattern) for pattern in patterns) if pair is not None]
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
    """The modules that a reading depends on: containers, and the children that each had."""

    def __init__(self, module: nn.Module, names: FrozenSet[str], through: FrozenSet[str]) -> None:
        lists = [one for one in module.children() if isinstance(one, (nn.ModuleList, nn.ModuleDict))]
        containers = [module, *(module.get_submodule(name) for name in sorted(names)), *lists]
        self.held = [(one._modules, dict(one._modules)) for one in dict.fromkeys(containers)]
        # Nobody calls these, so that a hook on them would be lost.
        self.chains = [module.get_submodule(name) for name in sorted(through)]

    def changed(self) -> bool:
        """Returns whether a child was replaced, added or removed, or a chain got hooks or a forward of its own."""
        for now, before in self.held:
            if now != before:
                return True
        return any(not _trace.is_chain(one) for one in self.chains)


class Reading:
    """The functions for a module's two modes, None where a mode has no pattern, and the Sequentials read with it."""

    def __init__(self, module: nn.Module, fold: bool, shortcuts: bool) -> None:
        self.through: FrozenSet[str] = frozenset()
        self.functions: Dict[bool, Optional[Callable[..., Any]]] = {True: None, False: None}
        self.names: Dict[bool, List[str]] = {True: [], False: []}
        self.declined: List[str] = []
        self.fold, self.shortcuts = fold, shortcuts
        every = _trace.chains(module)
        containers = set()
        for training in (True, False):
            self.through |= self._spanned(module, training, every)
        for training in (True, False):
            graph = _trace.graph_of(module, training, self.through)
            containers |= {name for node in graph.nodes for name in _ancestors(_home(node))}
            patterns, branches, declined = self._found(module, graph, training)
            self.declined += [one for one in declined if one not in self.declined]
            if patterns or branches:
                self.names[training] = [str(one) for one in (*branches, *reversed(patterns))]
                self.functions[training] = _function(graph, patterns, branches)
        self.tree = Tree(module, frozenset(containers - {""}) | self.through, self.through)

    def _found(self, module: nn.Module, graph: fx.Graph,
               training: bool) -> Tuple[List[Pattern], List[Branch], List[str]]:
        finder = Finder(module, graph, training, self.fold)
        patterns = finder.patterns()
        return patterns, finder.branches(patterns) if self.shortcuts else [], finder.declined

    def _spanned(self, module: nn.Module, training: bool, every: FrozenSet[str]) -> FrozenSet[str]:
        """The Sequentials that a pattern of the module itself begins or ends in, or a branch goes into."""
        found = set()
        patterns, branches, _ = self._found(module, _trace.graph_of(module, training, every), training)
        for nodes, into in [*((one.nodes(), one.nodes()) for one in patterns),
                            *(([one.convolution, one.other], [one.convolution]) for one in branches)]:
            common = [set(_ancestors(_home(node))) for node in nodes]
            if max(set.intersection(*common), key=len) == "":
                found |= {name for node in into for name in _ancestors(_home(node))}
        return frozenset(found - {""})


def _home(node: fx.Node) -> str:
    """The module that a node's one is a child of."""
    return str(node.target).rpartition(".")[0] if node.op == "call_module" else ""


def _ancestors(name: str) -> Iterator[str]:
    """a.b, a and the empty name, of a.b."""
    while name:
        yield name
        name = name.rpartition(".")[0]
    yield ""


_OF_METHODS = frozenset(("__code__", "__func__", "__globals__", "__name__", "__qualname__", "__defaults__", "__kwdefaults__"))


class Forward:
    """The forward of a fused module. Copied with its module; of a file it is read from the module again."""

    def __init__(self, module: nn.Module, fold: bool, shortcuts: bool, reading: Optional[Reading]) -> None:
        self.module, self.fold, self.shortcuts, self.reading = module, fold, shortcuts, reading

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Forward":
        made = Forward.__new__(Forward)
        memo[id(self)] = made
        memo[id(self.module)] = memo.get(id(self.module))
        if memo[id(self.module)] is None:
            raise TypeError("the forward of a fused module is copied with its module only")
        made.module, made.fold, made.shortcuts = memo[id(self.module)], self.fold, self.shortcuts
        made.reading = None
        return made

    def __reduce_ex__(self, _protocol: Any) -> Tuple[Any, ...]:
        return _blank, (), {"module": self.module, "fold": self.fold, "shortcuts": self.shortcuts}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.module, self.fold, self.shortcuts = state["module"], state["fold"], state.get("shortcuts", True)
        self.reading = None

    def current(self) -> Optional[Reading]:
        """Returns the reading of the module as it is now; None, with a warning, where it cannot be fused any more."""
        reading = self.reading
        if reading is None or reading.tree.changed():
            try:
                reading = Reading(self.module, self.fold, self.shortcuts)
            except Untraceable as reason:
                warnings.warn(f"a fused {type(self.module).__name__} has changed and runs unfused: {reason}", stacklevel=3)
                del self.module.forward
                return None
            known: AbstractSet[int] = frozenset() if self.reading is None else {id(one) for _, held in self.reading.tree.held for one in held.values()}
            self.reading = reading
            if known:
                _fuse_children(self.module, "", self.fold, self.shortcuts, reading.through, known)
        return reading

    # torch.export and torch.jit read a forward as the bound method that it stands for.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return types.MethodType

    @property
    def __self__(self) -> nn.Module:
        return self.module

    def __getattr__(self, name: str) -> Any:
        if name in _OF_METHODS:
            return getattr(type(self.module).forward.__get__(self.module), name)
        raise AttributeError(f"a fused forward has no attribute {name!r}")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        reading = self.current()
        function = None if reading is None else reading.functions[self.module.training]
        if function is None or named or not all(isinstance(one, torch.Tensor) for one in arguments):
            return type(self.module).forward(self.module, *arguments, **named)
        return function(self.module, *arguments)


def _blank() -> Forward:
    """Returns a forward that `__setstate__` fills."""
    return Forward.__new__(Forward)


def _decline(name: str, reason: str) -> None:
    _state.note("fuse", f"{name or 'the model'}: {reason}")


def _fuse(module: nn.Module, name: str, fold: bool, shortcuts: bool) -> None:
    through: FrozenSet[str] = frozenset()
    if next(module.children(), None) is None:
        return
    if "forward" in vars(module):
        _decline(name, "a forward of the instance's own")
    elif not isinstance(module, (nn.ModuleList, nn.ModuleDict)):
        try:
            reading = Reading(module, fold, shortcuts)
            through = reading.through
            for reason in reading.declined:
                _decline(name, reason)
            if any(reading.functions.values()):
                module.forward = Forward(module, fold, shortcuts, reading)
        except Untraceable as reason:
            _decline(name, str(reason))
    _fuse_children(module, name, fold, shortcuts, through, frozenset())


def _fuse_children(module: nn.Module, name: str, fold: bool, shortcuts: bool, through: FrozenSet[str],
                   known: AbstractSet[int]) -> None:
    """Fuses the children of a module and of its chains, except those whose id is known."""
    for child, one in _trace.children(module, through):
        if id(one) not in known:
            _fuse(one, f"{name}.{child}" if name else child, fold, shortcuts)


def fuse(model: nn.Module, *, fold: bool = False, shortcuts: bool = True) -> nn.Module:
    """Lets batch normalization (+ addition) + ReLU, and convolution with bias + ReLU, run as one operator each.

    Where a residual block branches, the gradient of its first convolution is added to the shortcut's in one call.

    In place, and returns the model; modules, parameters, buffers and `state_dict` stay as they are. Before it
    is wrapped for several processes or compiled (ValueError otherwise). Their kernels are anydnn's where
    `enable` has put them, else torch's.

    fold       in eval, batch normalization goes into the filter of the convolution before it
    shortcuts  False leaves the sums of gradients at a block's input to autograd

    `report` lists what was not fused, with the reason. A module's forward is read once. It is read again at the next
    call after one of its submodules was replaced, added or removed; a model that cannot be fused any more then warns and
    runs unfused. A flag that changes later is not seen until the model is fused again. Later hooks are called.
    """
    if isinstance(model, (nn.parallel.DistributedDataParallel, nn.DataParallel)) or hasattr(model, "_orig_mod"):
        raise ValueError(f"fuse the model before it becomes a {type(model).__name__}")
    unfuse(model)
    _fuse(model, "", fold, shortcuts)
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
        reading = forward.current() if isinstance(forward, Forward) else None
        if reading is not None and reading.names[module.training]:
            found[name] = reading.names[module.training]
    return found
