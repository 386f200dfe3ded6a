# SPDX-License-Identifier: Apache-2.0
"""Puts anydnn's kernels under torch's own operators: unmodified models run on the backends of your routes.

    import anydnn.torch
    anydnn.torch.enable()

Calls that anydnn declines use the kernel that was there before. `report` lists what ran where and why.
"""
import contextlib
import os
import threading
import warnings
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

import torch

if not hasattr(torch.library, "get_kernel"):
    raise ImportError(f"anydnn.torch needs torch 2.11 or later; this is torch {torch.__version__}")

from .. import handle as _handles
from . import _batch_norm, _convolution, _fast, _fused, _node, _norms, _norms_fused, _pooling, _products, _softmax, _state
from .._library import library
from ._fuse import fuse, fused, unfuse
from ._state import Entry, Options

__all__ = ["Entry", "clear_report", "disable", "enable", "enabled", "fuse", "fused", "report",
           "unfuse", "use"]

_BOTH = ("CPU", "CUDA")
# The operators of each family as (name, kernel, keys).
_FAMILIES: Dict[str, List[Tuple[str, Any, Tuple[str, ...]]]] = {
    "convolution": [
        ("_convolution", _convolution.convolution, _BOTH),
        ("convolution_backward", _convolution.convolution_backward, _BOTH),
    ],
    "batch_norm": [
        ("native_batch_norm", _batch_norm.native_batch_norm, _BOTH),
        ("native_batch_norm_backward", _batch_norm.native_batch_norm_backward, _BOTH),
        ("cudnn_batch_norm", _batch_norm.cudnn_batch_norm, ("CUDA",)),
        ("cudnn_batch_norm_backward", _batch_norm.cudnn_batch_norm_backward, ("CUDA",)),
    ],
    "pooling": [
        ("avg_pool2d", _pooling.avg_pool2d, _BOTH),
        ("avg_pool2d_backward", _pooling.avg_pool2d_backward, _BOTH),
        ("max_pool2d", _pooling.max_pool2d, (*_BOTH, "AutogradCPU", "AutogradCUDA")),
    ],
    "normalization": [
        ("native_layer_norm", _norms.native_layer_norm, _BOTH),
        ("native_layer_norm_backward", _norms.native_layer_norm_backward, _BOTH),
        ("native_group_norm", _norms.native_group_norm, _BOTH),
        ("native_group_norm_backward", _norms.native_group_norm_backward, _BOTH),
        ("_fused_rms_norm", _norms_fused.rms_norm, (*_BOTH, "AutogradCPU", "AutogradCUDA")),
    ],
    "matmul": [
        ("mm", _products.mm, _BOTH),
        ("bmm", _products.bmm, _BOTH),
        ("addmm", _products.sums, _BOTH),
        ("baddbmm", _products.sums, _BOTH),
    ],
    "softmax": [
        ("_softmax", _softmax.softmax, _BOTH),
        ("_log_softmax", _softmax.log_softmax, _BOTH),
        ("_softmax_backward_data", _softmax.softmax_backward, _BOTH),
        ("_log_softmax_backward_data", _softmax.log_softmax_backward, _BOTH),
    ],
}
# These functions make a kernel for a name, a key and the kernel that was there before.
_MAKERS = (_pooling.max_pool2d, _norms_fused.rms_norm, _products.sums)
_DEFAULT = ("convolution", "batch_norm", "pooling")
_MATHS = ("default", "split", "allow_conversion")


@dataclass(frozen=True)
class _Wanted:
    """The request of `enable` or of one `use`, with the thread of the latter."""

    options: Options
    families: FrozenSet[str]
    thread: int = 0


_lock = threading.RLock()
# _base is the request of `enable`. _uses are the open blocks of `use`; the last one takes effect.
_base: Optional[_Wanted] = None
_uses: List[_Wanted] = []
# _in_place names the families with kernels in place. The two lists hold what removes the kernels.
_in_place: Set[str] = set()
_registered: List[torch.library.Library] = []
_compiled: List[Any] = []


def _after_fork() -> None:
    """Forgets the lock and the blocks of threads that the child does not have."""
    global _lock
    _lock = threading.RLock()
    _uses[:] = [one for one in _uses if one.thread == threading.get_ident()]


os.register_at_fork(after_in_child=_after_fork)


def _there(key: str) -> bool:
    return "CUDA" not in key or torch.cuda.is_available()


def _quick(name: str, key: str, family: str, kernel: Any, before: Any) -> bool:
    found = _fast.put(name, key, family, kernel, before)
    if found is not None:
        _compiled.append(found)
    return found is not None


def _register(families: Set[str], compiled: Optional[bool]) -> None:
    """Registers the kernels of families."""
    made = torch.library.Library("aten", "IMPL")
    _registered.append(made)
    with warnings.catch_warnings():
        # torch warns of each kernel that is overridden, which is the purpose here.
        warnings.simplefilter("ignore", UserWarning)
        present = [(name, kernel, key, family) for family in sorted(families) for name, kernel, keys in _FAMILIES[family]
                   for key in keys if _there(key)]
        # All are read before the first is replaced: a kernel at CPU changes the one found at AutogradCPU.
        previous = [torch.library.get_kernel(f"aten::{name}", key) for name, _, key, _ in present]
        for (name, kernel, key, family), before in zip(present, previous):
            if kernel in _MAKERS:
                made.impl(name, kernel(name, key, before), key, with_keyset=True)
            elif compiled is False or not _quick(name, key, family, kernel, _fast.boxed(before, key)):
                made.impl(name, _state.hook(name, family, kernel, before), key, with_keyset=True)
        for name, own in _fused.OWN.items():
            for key in _BOTH:
                if own.family in families and _there(key) and compiled is not False:
                    _quick(name, key, own.family, own.ours, own.parts)
    _in_place.update(families)


def _unregister() -> None:
    """Removes all kernels."""
    while _registered:
        _registered.pop()._destroy()
    while _compiled:
        _fast.take(_compiled.pop())
    _in_place.clear()


def _alone() -> bool:
    """Returns whether kernels may be removed: no other thread of Python may be running one."""
    return threading.active_count() == 1


def _apply(compiled: Optional[bool] = None) -> None:
    """Applies the request that takes effect now. The caller holds the lock."""
    wanted = _uses[-1] if _uses else _base
    if wanted is None:
        _state.options, _state.families = Options(), frozenset()
        _node.choose(False, at_once=False)
        if _alone():
            _unregister()
    else:
        missing = wanted.families - _in_place
        if missing:
            _register(set(missing), compiled)
        if missing or (_compiled and not _node.wanted()):
            _node.choose(bool(_compiled), at_once=bool(compiled))
        _state.options, _state.families = wanted.options, wanted.families
    _fast.options_changed()


def _check_route(route: str) -> None:
    """Raises if a route is invalid, or if none of its backends runs on this machine."""
    names = [name.strip() for name in route.split(",")]
    if not any(names):
        raise ValueError("route is empty; name backends, as in 'onednn, cpu_ref', or pass None for that of the settings")
    _handles.Handle("cpu", route=route).close()
    known = {backend.name: backend for backend in _handles.backends()}
    why = []
    for name in names:
        backend = known.get(name)
        if name == "fastest":
            continue
        if backend is None:
            why.append(f"unknown backend {name!r}")
        elif backend.stage != "live":
            why.append(f"{name} is not usable: {backend.reason}")
        elif backend.space == "cuda" and not torch.cuda.is_available():
            why.append(f"{name} needs a CUDA device, and torch has none")
        else:
            return
    raise ValueError(f"no backend of the route {route!r} runs here: {'; '.join(why)}; available: {', '.join(known)}")


def _check(route: Optional[str], math: Optional[str], operators: Sequence[str], compiled: Optional[bool]) -> None:
    """Raises if an argument of `enable` breaks a rule, or if what it needs does not exist."""
    if isinstance(operators, str):
        raise TypeError(f"operators is a sequence of families, such as ({operators!r},), and not a string")
    unknown = set(operators) - set(_FAMILIES)
    if unknown:
        raise ValueError(f"unknown family of operators {sorted(unknown)[0]!r}; available: " + ", ".join(_FAMILIES))
    if math is not None and math not in _MATHS:
        raise ValueError(f"unknown math {math!r}; available: {', '.join(_MATHS)}, and None for torch's flags")
    library()
    if route is not None:
        _check_route(route)
    if compiled and not _fast.load():
        raise RuntimeError(f"the compiled kernels are unavailable: {_fast.reason}")


def enable(*, route: Optional[str] = None, math: Optional[str] = None, operators: Sequence[str] = _DEFAULT,
           everything: bool = False, compiled: Optional[bool] = None, batch_invariant: bool = False) -> None:
    """Puts anydnn's kernels under torch's operators, for the whole process and all its threads.

        route       backends in order, as in a route of the settings ("onednn, cpu_ref"); None: that of the settings
        math        math mode of float convolutions: "default", "split", "allow_conversion"; None: torch's flag
                    allow_tf32 on CUDA, default math on the CPU
        operators   the families to replace: "convolution", "batch_norm", "pooling" (the default), "normalization",
                    "matmul", "softmax"
        everything  replaces all families, including those that gain nothing. Softmax of a row of only -inf is then 0,
                    and its logarithm -inf, where torch returns NaN.
        batch_invariant  True: each sample gets the same bits whatever the other samples of its batch are. Forward
                    convolution, its gradient of the input, pooling, softmax and batch normalization in inference keep
                    this; gradients of filters and training, which sum over the batch, and all else run unchanged.
        compiled    kernels in C++ that repeat the Python ones. None: if the package contains them or a compiler exists.
                    True: RuntimeError if they are unavailable. False: only the Python kernels.

    Errors: ValueError for an unknown family or math and for a route without a backend that runs here, TypeError for
    operators that are a string, LibraryNotFound without libanydnn. What was enabled before then stays so.

    Other threads may run models meanwhile: each of their calls runs by the old options or by the new ones.
    """
    global _base
    _check(route, math, operators, compiled)
    with _lock:
        if _alone():
            _unregister()
        _base = _Wanted(Options(route, math, batch_invariant), frozenset(_FAMILIES if everything else operators))
        _apply(compiled)


def disable() -> None:
    """Lets torch's own kernels run again. Without effect where nothing is enabled.

    While other threads of Python are alive, ours stay in place and pass each call on, at the cost of some microseconds.
    """
    global _base
    with _lock:
        _base = None
        _apply()


def enabled() -> bool:
    """Returns whether anydnn's kernels run."""
    return bool(_uses) or _base is not None


@contextlib.contextmanager
def use(*, route: Optional[str] = None, math: Optional[str] = None, operators: Sequence[str] = _DEFAULT,
        everything: bool = False, compiled: Optional[bool] = None, batch_invariant: bool = False) -> Iterator[None]:
    """`enable` for a block. Where anydnn is enabled already, route, math and batch_invariant alone change until it ends.

    The options are those of the process: gradients are computed by threads of torch. So blocks of several threads may
    overlap where their options are equal; RuntimeError otherwise.
    """
    _check(route, math, operators, compiled)
    with _lock:
        around = _uses[-1] if _uses else _base
        families = frozenset(_FAMILIES if everything else operators) if around is None else around.families
        block = _Wanted(Options(route, math, batch_invariant), families, threading.get_ident())
        other = next((one for one in _uses if one.thread != block.thread and one.options != block.options), None)
        if other is not None:
            raise RuntimeError(f"another thread is in a block of use() with other options: {other.options} and not "
                               f"{block.options}; give handles routes, or let the blocks end one after the other")
        _uses.append(block)
        try:
            _apply(compiled)
        except BaseException:
            _uses.pop()
            raise
    try:
        yield
    finally:
        with _lock:
            del _uses[next(place for place, one in enumerate(_uses) if one is block)]
            _apply()


class Report(List[Entry]):
    """The lines of a report, which prints as a table."""

    def __repr__(self) -> str:
        lines = [f"{'operator':<36} {'ran on':<16} {'calls':>8} {'host ms':>10}  declined because"]
        lines += [f"{entry.operator:<36} {entry.backend:<16} {entry.calls:>8} {entry.seconds * 1e3:>10.2f}  "
                  f"{entry.reason}".rstrip() for entry in self]
        return "\n".join(lines)

    def calls(self) -> Dict[str, int]:
        """Returns the number of calls by backend. "torch" counts the declined calls."""
        found: Dict[str, int] = {}
        for entry in self:
            if not entry.calls:
                continue
            found[entry.backend] = found.get(entry.backend, 0) + entry.calls
        return found


def report() -> Report:
    """Returns which backend ran each operator, how often, the host's time, and the reasons of declined calls."""
    _fast.gather()
    return Report(_state.entries())


def clear_report() -> None:
    """Clears the report."""
    _fast.gather()
    _state.clear()
