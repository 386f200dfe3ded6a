# SPDX-License-Identifier: Apache-2.0
"""anydnn's kernels under torch's own operators: unmodified models run on the backends of your routes.

    import anydnn.torch
    anydnn.torch.enable()

What anydnn declines goes to the kernel that was there before; `report` tells what ran where and why.
"""
import contextlib
import warnings
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import torch

if not hasattr(torch.library, "get_kernel"):
    raise ImportError(f"anydnn.torch needs torch 2.11 or later; this is torch {torch.__version__}")

from .. import handle as _handles
from . import _batch_norm, _convolution, _fast, _fused, _node, _pooling, _softmax, _state
from .._library import library
from ._fuse import fuse, fused, unfuse
from ._state import Entry, Options

__all__ = ["Entry", "clear_report", "disable", "enable", "enabled", "fuse", "fused", "report",
           "unfuse", "use"]

_BOTH = ("CPU", "CUDA")
# Family: its operators, as (name, kernel, keys).
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
    "softmax": [
        ("_softmax", _softmax.softmax, _BOTH),
        ("_log_softmax", _softmax.log_softmax, _BOTH),
        ("_softmax_backward_data", _softmax.softmax_backward, _BOTH),
        ("_log_softmax_backward_data", _softmax.log_softmax_backward, _BOTH),
    ],
}
_DEFAULT = ("convolution", "batch_norm", "pooling")
_MATHS = ("default", "split", "allow_conversion")

_registered: Optional[torch.library.Library] = None
_compiled: List[Any] = []


def _register(families: Sequence[str], compiled: Optional[bool]) -> torch.library.Library:
    made = torch.library.Library("aten", "IMPL")

    def quick(name: str, key: str, kernel: Any, before: Any) -> bool:
        found = None if compiled is False else _fast.put(name, key, kernel, before)
        if found is not None:
            _compiled.append(found)
        return found is not None

    def there(key: str) -> bool:
        return "CUDA" not in key or torch.cuda.is_available()
    with warnings.catch_warnings():
        # One that says that a kernel is overridden: that is what was asked for.
        warnings.simplefilter("ignore", UserWarning)
        present = [(name, kernel, key) for family in families for name, kernel, keys in _FAMILIES[family]
                   for key in keys if there(key)]
        # All are asked for before one is put: with a kernel at CPU, another one counts at AutogradCPU.
        previous = [torch.library.get_kernel(f"aten::{name}", key) for name, _, key in present]
        for (name, kernel, key), before in zip(present, previous):
            if kernel is _pooling.max_pool2d:
                made.impl(name, kernel(name, key, before), key, with_keyset=True)
            elif not quick(name, key, kernel, _fast.boxed(before, key)):
                made.impl(name, _state.hook(name, kernel, before), key, with_keyset=True)
        for name, own in _fused.OWN.items():
            for key in _BOTH:
                if own.family in families and there(key):
                    quick(name, key, own.ours, own.parts)
    return made


def _check_route(route: str) -> None:
    """Raises where a route is none, or where no backend of it runs on this machine."""
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
            why.append(f"there is no backend {name!r}")
        elif backend.stage != "live":
            why.append(f"{name} is not usable: {backend.reason}")
        elif backend.space == "cuda" and not torch.cuda.is_available():
            why.append(f"{name} needs a CUDA device, and torch has none")
        else:
            return
    raise ValueError(f"no backend of the route {route!r} runs here: {'; '.join(why)}; there are {', '.join(known)}")


def _check(route: Optional[str], math: Optional[str], operators: Sequence[str]) -> None:
    """Raises where an argument of `enable` breaks a rule, or where there is no library."""
    if isinstance(operators, str):
        raise TypeError(f"operators is a sequence of families, such as ({operators!r},), and not a string")
    unknown = set(operators) - set(_FAMILIES)
    if unknown:
        raise ValueError(f"there is no family of operators {sorted(unknown)[0]!r}; there are " + ", ".join(_FAMILIES))
    if math is not None and math not in _MATHS:
        raise ValueError(f"there is no math {math!r}; there are {', '.join(_MATHS)}, and None for torch's flags")
    library()
    if route is not None:
        _check_route(route)


def enable(*, route: Optional[str] = None, math: Optional[str] = None, operators: Sequence[str] = _DEFAULT,
           everything: bool = False, compiled: Optional[bool] = None) -> None:
    """Puts anydnn's kernels under torch's operators, for the whole process and all its threads.

    route       backends in order, as in a route of the settings ("onednn, cpu_ref"); None: the settings'
    math        what convolutions of float may compute with: "default", "split", "allow_conversion"; None: torch's
                flag allow_tf32 on CUDA, default math on the CPU
    operators   the families that are taken: "convolution", "batch_norm", "pooling", "softmax"
    everything  all of them, with those that gain nothing: of softmax a row of -inf alone gives 0, of its
                logarithm -inf, where torch has NaN
    compiled    kernels in C++ that repeat what Python's did: None, where the package holds them or a compiler is;
                True, RuntimeError where they cannot be had; False, Python's alone

    Errors: ValueError for an unknown family or math and for a route without a backend that runs here, TypeError for
    operators that are a string, LibraryNotFound without libanydnn. What was enabled before then stays so.
    """
    global _registered
    _check(route, math, operators)
    if compiled and not _fast.load():
        raise RuntimeError(f"the compiled kernels cannot be had: {_fast.reason}")
    disable()
    _state.options = Options(route, math)
    families = _FAMILIES if everything else operators
    _state.families = frozenset(families)
    _registered = _register(list(families), compiled)
    _node.choose(bool(_compiled), at_once=bool(compiled))
    _fast.options_changed()


def disable() -> None:
    """Takes them away: torch's own kernels are back. Without effect where nothing is enabled."""
    global _registered
    if _registered is not None:
        _registered._destroy()
        _registered = None
    while _compiled:
        _fast.take(_compiled.pop())
    _node.choose(False, at_once=False)
    _state.options, _state.families = Options(), frozenset()


def enabled() -> bool:
    """Whether anydnn's kernels are in place."""
    return _registered is not None


@contextlib.contextmanager
def use(*, route: Optional[str] = None, math: Optional[str] = None, operators: Sequence[str] = _DEFAULT,
        everything: bool = False, compiled: Optional[bool] = None) -> Iterator[None]:
    """`enable` for a block. Where anydnn is enabled already, route and math alone change until the block ends."""
    before, held = _state.options, enabled()
    if held:
        _check(route, math, operators)
    else:
        enable(route=route, math=math, operators=operators, everything=everything, compiled=compiled)
    _state.options = Options(route, math)
    _fast.options_changed()
    try:
        yield
    finally:
        if not held:
            disable()
        _state.options = before
        _fast.options_changed()


class Report(List[Entry]):
    """The lines of a report, printed as a table."""

    def __repr__(self) -> str:
        lines = [f"{'operator':<36} {'ran on':<16} {'calls':>8} {'host ms':>10}  declined because"]
        lines += [f"{entry.operator:<36} {entry.backend:<16} {entry.calls:>8} {entry.seconds * 1e3:>10.2f}  "
                  f"{entry.reason}".rstrip() for entry in self]
        return "\n".join(lines)

    def calls(self) -> Dict[str, int]:
        """Calls by backend, "torch" for what was declined."""
        found: Dict[str, int] = {}
        for entry in self:
            if not entry.calls:
                continue
            found[entry.backend] = found.get(entry.backend, 0) + entry.calls
        return found


def report() -> Report:
    """Who ran which operator, how often, how long the host took, what was declined and why."""
    _fast.gather()
    return Report(_state.entries())


def clear_report() -> None:
    """Begins the report anew."""
    _fast.gather()
    _state.clear()
