# SPDX-License-Identifier: Apache-2.0
"""`fuse` runs normalization, addition and activation of a model as one operator, and adds up gradients in place.

A module's forward is read as a graph. If the graph has a pattern, an attribute `forward` of the instance runs it with
the pattern as one call. Modules, parameters and names stay unchanged.
"""
import copy
import operator
import types
import warnings
import weakref
from typing import AbstractSet, Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Tuple

import torch
from torch import fx, nn

from . import _activations, _blocks, _compound, _state, _trace
from ._patterns import NORMALIZATIONS, Branch, Finder, Pattern
from ._summary import Fused
from ._trace import Structure, Untraceable


def _replace(graph: fx.Graph, pattern: Pattern, transposed: bool) -> Optional[Tuple[fx.Node, fx.Node]]:
    """Replaces a pattern by one call. In training, returns the nodes of the module and of the batch statistics.

    `transposed` tells whether its convolution is a transposed one.
    """
    nodes = pattern.nodes()
    last = nodes[-1]

    def module(node: fx.Node) -> fx.Node:
        return graph.create_node("get_attr", str(node.target))
    statistics = None
    with graph.inserting_before(last):
        relu, ceiling = _activations.ceiling(pattern.activation)
        if pattern.convolution is None:
            assert pattern.norm is not None
            norm = module(pattern.norm)
            both = graph.call_function(_blocks.norm_relu, (norm, pattern.norm.args[0], pattern.other, ceiling))
            y = graph.call_function(operator.getitem, (both, 0))
            statistics = (norm, graph.call_function(operator.getitem, (both, 1)))
        else:
            conv, x = module(pattern.convolution), pattern.convolution.args[0]
            if pattern.norm is not None:
                y = graph.call_function(_blocks.folded, (conv, module(pattern.norm), x, pattern.other,
                                                         pattern.activation))
            elif relu and not transposed:
                y = graph.call_function(_blocks.conv_relu, (conv, x, ceiling))
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


def _function(finder: Finder, patterns: List[Pattern], branches: List[Branch]) -> Callable[..., Any]:
    """Returns the graph with replaced patterns and branches, as a function of the module and its arguments."""
    graph = finder.graph
    plain = [pattern.convolution is None or finder.conv(pattern.convolution) is not None for pattern in patterns]
    replaced = [_replace(graph, pattern, not one) for pattern, one in zip(patterns, plain)]
    found = [pair for pair in replaced if pair is not None]
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
        """Returns whether a child was replaced, added or removed, or a module that is not called got hooks or its own
        forward.
        """
        return (any(now != before for now, before in self.held)
                or any(not _trace.is_chain(one) for one in self.chains)
                or any(_trace.hooked(one) or "forward" in vars(one) for one in self.identities))


class Reading:
    """The functions for a module's two modes, None for a mode without patterns, and the Sequentials read with it."""

    def __init__(self, module: nn.Module, fold: bool, shortcuts: bool, structure: Structure = ()) -> None:
        self.through: FrozenSet[str] = frozenset()
        self.functions: Dict[bool, Optional[Callable[..., Any]]] = {True: None, False: None}
        self.names: Dict[bool, List[str]] = {True: [], False: []}
        # For each mode the names of the normalizations in patterns, and the reasons of the others.
        self.norms: Dict[bool, Tuple[List[str], Dict[str, str]]] = {}
        self.declined: List[str] = []
        self.fold, self.shortcuts, self.structure = fold, shortcuts, structure
        self.arity = len(_trace.required(module))
        self.positional, self.defaults = _trace.defaults(module)
        # Readings for lists of tensors as arguments, by structure. None: the forward cannot be read so.
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
            containers.update(finder.watched)
            self.norms[training] = finder.reasons(patterns)
            self.declined += [one for one in finder.declined if one not in self.declined]
            if patterns or branches:
                self.names[training] = [str(one) for one in (*branches, *reversed(patterns))]
                self.functions[training] = _function(finder, patterns, branches)
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
        finder = Finder(module, graph, training, self.fold)
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
        return frozenset(found - {""})


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


_OF_METHODS = frozenset(("__code__", "__func__", "__globals__", "__name__", "__qualname__", "__defaults__", "__kwdefaults__"))


class Forward:
    """The forward of a fused module.

    It is copied with its module. After loading from a file, the module is read again.
    """

    def __init__(self, module: nn.Module, fold: bool, shortcuts: bool, reading: Optional[Reading]) -> None:
        self.module, self.fold, self.shortcuts, self.reading = module, fold, shortcuts, reading

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Forward":
        made = Forward.__new__(Forward)
        memo[id(self)] = made
        memo[id(self.module)] = memo.get(id(self.module))
        if memo[id(self.module)] is None:
            raise TypeError("the forward of a fused module is copied with its module only")
        made.module, made.fold, made.shortcuts = memo[id(self.module)], self.fold, self.shortcuts
        made.reading = None if self.reading is None else self.reading.copied(memo)
        return made

    def __reduce_ex__(self, _protocol: Any) -> Tuple[Any, ...]:
        return _blank, (), {"module": self.module, "fold": self.fold, "shortcuts": self.shortcuts}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.module, self.fold, self.shortcuts = state["module"], state["fold"], state.get("shortcuts", True)
        self.reading = None

    def current(self) -> Optional[Reading]:
        """Returns the reading of the module as it is now, or None, with a warning, if it can no longer be fused."""
        reading = self.reading
        if reading is None or reading.tree.changed():
            try:
                reading = Reading(self.module, self.fold, self.shortcuts)
            except Untraceable as reason:
                warnings.warn(f"a fused {type(self.module).__name__} has changed and runs unfused: {reason}", stacklevel=3)
                vars(self.module).pop("forward", None)
                return None
            before, self.reading = self.reading, reading
            if before is not None:
                known = {id(one) for _, held in before.tree.held for one in held.values()}
                _fuse_children(self.module, "", self.fold, self.shortcuts, reading.through, known)
        return reading

    # torch.export and torch.jit read a forward as the bound method that it replaces.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
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
        function: Optional[Callable[..., Any]] = None
        tensors: Any = arguments
        if reading is None:
            pass
        elif not named and len(arguments) == reading.arity and all(isinstance(one, torch.Tensor) for one in arguments):
            function = reading.functions[self.module.training]
        else:
            function, tensors = reading.function(self.module, arguments, named)
        if function is None:
            return type(self.module).forward(self.module, *arguments, **named)
        return function(self.module, *tensors)


def _blank() -> Forward:
    """Returns a forward that `__setstate__` fills."""
    return Forward.__new__(Forward)


def _decline(name: str, reason: str) -> None:
    _state.note("fuse", f"{name or 'the model'}: {reason}")


def _whole(module: nn.Module) -> bool:
    """Returns whether a module is fused as a part of others alone: one without children or a compound normalization."""
    return next(module.children(), None) is None or (_compound.of(module) and _compound.activation(module)[0] is not None)


def _fuse(module: nn.Module, name: str, fold: bool, shortcuts: bool) -> None:
    through: FrozenSet[str] = frozenset()
    if _whole(module):
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
    """Fuses the children of a module and of its chains, except those with a known id."""
    for child, one in _trace.children(module, through):
        if id(one) not in known:
            _fuse(one, _joined(name, child), fold, shortcuts)


def _joined(name: str, child: str) -> str:
    return f"{name}.{child}" if name else child


# What `fuse` was told of a model, for `fused`.
_asked: "weakref.WeakKeyDictionary[nn.Module, Tuple[bool, bool]]" = weakref.WeakKeyDictionary()


def fuse(model: nn.Module, *, fold: bool = False, shortcuts: bool = True) -> nn.Module:
    """Lets batch normalization (+ addition) + ReLU, and convolution with bias + ReLU, run as one operator each.

    At the start of a residual block, one call adds the gradient of the first convolution to the shortcut's.

    Works in place and returns the model. Modules, parameters, buffers and `state_dict` stay unchanged. Call it before
    the
    model is wrapped for several processes or compiled (otherwise ValueError). The kernels are anydnn's if `enable` has
    put them in place, else torch's.

        fold       in eval mode, folds batch normalization into the filter of the preceding convolution
        shortcuts  False leaves the sums of gradients at a block's input to autograd

    `report` lists what was not fused, with the reason. A module's forward is read once, and again at the next call
    after
    one of its submodules was replaced, added or removed. A model that can no longer be fused then warns and runs
    unfused.
    Later changes of a flag have no effect until the model is fused again. Hooks that are added later are called.
    """
    if isinstance(model, (nn.parallel.DistributedDataParallel, nn.DataParallel)) or hasattr(model, "_orig_mod"):
        raise ValueError(f"fuse the model before it becomes a {type(model).__name__}")
    unfuse(model)
    _fuse(model, "", fold, shortcuts)
    _asked[model] = fold, shortcuts
    return model


def unfuse(model: nn.Module) -> nn.Module:
    """Reverts `fuse` in place."""
    _asked.pop(model, None)
    for module in model.modules():
        if isinstance(vars(module).get("forward"), Forward):
            del module.forward
    return model


def _survey(module: nn.Module, name: str, options: Optional[Tuple[bool, bool]], found: Fused) -> None:
    """Adds the patterns and the reasons of a module and of those below it."""
    through: FrozenSet[str] = frozenset()
    if _whole(module):
        return
    forward = vars(module).get("forward")
    reading = forward.current() if isinstance(forward, Forward) else None
    try:
        if isinstance(module, (nn.ModuleList, nn.ModuleDict)):
            pass
        elif reading is None and forward is not None and not isinstance(forward, Forward):
            raise Untraceable("a forward of the instance's own")
        elif reading is None and options is not None:
            reading = Reading(module, *options)
    except Untraceable as reason:
        found.unread[name] = str(reason)
    if reading is not None:
        through = reading.through
        taken, why = reading.norms[module.training]
        found.taken.update(_joined(name, one) for one in taken)
        found.reasons.update({_joined(name, one): reason for one, reason in why.items()})
        if reading.names[module.training] and isinstance(forward, Forward):
            found[name] = reading.names[module.training]
    for child, one in _trace.children(module, through):
        _survey(one, _joined(name, child), options, found)


def fused(model: nn.Module) -> Fused:
    """Returns the fused patterns for each module's current mode: the module's name, and the nodes of each pattern.

    Printed, it begins with the number of normalizations that are fused, and ends with the reason of each other one.
    """
    forwards = [one for one in (vars(module).get("forward") for module in model.modules()) if isinstance(one, Forward)]
    options = _asked.get(model, (forwards[0].fold, forwards[0].shortcuts) if forwards else None)
    found = Fused()
    _survey(model, "", options, found)
    found.finish({name: one for name, one in model.named_modules() if isinstance(one, NORMALIZATIONS)},
                 "" if options is not None else "the model is not fused")
    return found
