# SPDX-License-Identifier: Apache-2.0
"""`fuse` runs normalization, addition and activation of a model as one operator, and adds up gradients in place.

A module's forward is read as a graph. If the graph has a pattern, an attribute `forward` of the instance runs it with
the pattern as one call. Modules, parameters and names stay unchanged.
"""
import types
import warnings
import weakref
from typing import AbstractSet, Any, Callable, Dict, FrozenSet, Optional, Tuple

import torch
from torch import nn
from torch._C import _are_functorch_transforms_active
from torch.compiler import is_compiling

from . import _compound, _folding, _state, _trace
from ._patterns import NORMALIZATIONS
from ._reading import Fold, Reading
from ._summary import Fused
from ._trace import Untraceable


_OF_METHODS = frozenset(("__code__", "__func__", "__globals__", "__name__", "__qualname__", "__defaults__", "__kwdefaults__"))


class Forward:
    """The forward of a fused module.

    It is copied with its module. After loading from a file, the module is read again.
    """

    def __init__(self, module: nn.Module, fold: Fold, shortcuts: bool, reading: Optional[Reading]) -> None:
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
        if reading is None or type(self.module).forward is not reading.forward or reading.tree.changed():
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
        # torch.func cannot differentiate or batch every operator of ours.
        reading = None if not is_compiling() and _are_functorch_transforms_active() else self.current()
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


def _fuse(module: nn.Module, name: str, fold: Fold, shortcuts: bool) -> None:
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


def _fuse_children(module: nn.Module, name: str, fold: Fold, shortcuts: bool, through: FrozenSet[str],
                   known: AbstractSet[int]) -> None:
    """Fuses the children of a module and of its chains, except those with a known id."""
    for child, one in _trace.children(module, through):
        if id(one) not in known:
            _fuse(one, _joined(name, child), fold, shortcuts)


def _joined(name: str, child: str) -> str:
    return f"{name}.{child}" if name else child


# The arguments of `fuse` for a model, which `fused` reads.
_asked: "weakref.WeakKeyDictionary[nn.Module, Tuple[Fold, bool]]" = weakref.WeakKeyDictionary()


def fuse(model: nn.Module, *, fold: Fold = False, shortcuts: bool = True) -> nn.Module:
    """Lets batch normalization (+ addition) + ReLU, and convolution with bias + activation, run as one operator each.

    At the start of a residual block, one call adds the gradient of the first convolution to the shortcut's.

    Works in place and returns the model. Modules, parameters, buffers and `state_dict` stay unchanged. Call it before the
    model is wrapped for several processes or compiled (otherwise ValueError). The kernels are anydnn's if `enable` has
    put them in place, else torch's.

        fold       in eval mode, folds batch normalization into the filter of the preceding convolution, which then runs
                   with the following addition and activation
                   "frozen": a CUDA graph gets the folded filter, too, instead of computing it in each replay. The graph
                   must be captured again after a change of a parameter or a statistic.
        shortcuts  False leaves the sums of gradients at a block's input to autograd

    `fused` lists what was fused, and what was not, with the reason. A module's forward is read once, and again at the
    next call after one of its submodules was replaced, added or removed. A model that can no longer be fused then warns
    and runs unfused.
    Later changes of a flag have no effect until the model is fused again. Hooks that are added later are called.
    """
    if fold not in (False, True, "frozen"):
        raise ValueError(f'fold is {fold!r}; it must be False, True or "frozen"')
    if isinstance(model, (nn.parallel.DistributedDataParallel, nn.DataParallel)) or hasattr(model, "_orig_mod"):
        raise ValueError(f"fuse the model before it becomes a {type(model).__name__}")
    unfuse(model)
    _fuse(model, "", fold, shortcuts)
    _asked[model] = fold, shortcuts
    return model


def unfuse(model: nn.Module) -> nn.Module:
    """Reverts `fuse` in place."""
    _asked.pop(model, None)
    _folding.forget(model)
    for module in model.modules():
        if isinstance(vars(module).get("forward"), Forward):
            del module.forward
    return model


def _survey(module: nn.Module, name: str, options: Optional[Tuple[Fold, bool]], found: Fused) -> None:
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
