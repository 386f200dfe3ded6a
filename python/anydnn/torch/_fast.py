# SPDX-License-Identifier: Apache-2.0
"""The compiled kernels of convolution (_fast.cpp): built where a compiler is, and what they learn from Python's.

They repeat equal calls without Python. The first call of a kind runs the Python kernel while what it executes is
recorded; if that were only problems on the call's own operands, it becomes a recipe.
"""
import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch

from .._library import library
from . import _fused, _state

SOURCE = pathlib.Path(__file__).with_name("_fast.cpp")
_SCHEMAS = {
    "_convolution": "(Tensor x, Tensor w, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed,"
                    " int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled,"
                    " bool allow_tf32) -> Tensor",
    "convolution_backward": "(Tensor dy, Tensor x, Tensor w, int[]? bias_sizes, int[] stride, int[] padding,"
                            " int[] dilation, bool transposed, int[] output_padding, int groups, int[] output_mask)"
                            " -> (Tensor, Tensor, Tensor)",
}
_loaded: Optional[ctypes.CDLL] = None
reason = ""
_counters: Dict[Tuple[str, str], int] = {}
_kernels: Dict[Tuple[str, str], Tuple[Callable[..., Any], Callable[..., Any]]] = {}
_option_numbers: Dict[Any, int] = {}
_defined: List[str] = []


def _compiled() -> str:
    """The file for this torch: the wheel's, else built into the user's cache."""
    own = SOURCE.with_suffix(".so")
    if own.exists():
        return str(own)
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not compiler:
        raise OSError("there is no C++ compiler")
    word = hashlib.sha256(SOURCE.read_bytes() + torch.__version__.encode()
                          + str(sysconfig.get_platform()).encode()).hexdigest()[:16]
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "anydnn"
    made = folder / f"torch-{word}.so"
    if made.exists() and made.stat().st_uid == os.getuid():
        return str(made)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    home = pathlib.Path(torch.__file__).parent
    with tempfile.TemporaryDirectory(dir=folder) as work:
        out = pathlib.Path(work) / "a.so"
        done = subprocess.run(
            [*compiler.split(), "-O2", "-std=c++17", "-shared", "-fPIC", "-DTORCH_TARGET_VERSION=0x020b000000000000",
             f"-I{home / 'include'}", str(SOURCE), "-o", str(out), f"-L{home / 'lib'}", "-ltorch_cpu"],
            capture_output=True, text=True, check=False)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "error" in line] or [f"exit status {done.returncode}"]
            raise OSError(f"{compiler}: {said[0]}")
        os.replace(out, made)
    return str(made)


def load() -> bool:
    """Builds and loads the file once; False, with the reason in `reason`, where that cannot be."""
    global _loaded, reason
    if _loaded is None and not reason:
        try:
            found = ctypes.CDLL(_compiled())
        except OSError as error:
            reason = str(error)
            return False
        found.anydnn_torch_put.restype = ctypes.c_void_p
        found.anydnn_torch_take.argtypes = [ctypes.c_void_p]
        found.anydnn_torch_options.argtypes = [ctypes.c_int64]
        found.anydnn_torch_flags.restype = ctypes.c_int64
        entries = library().dll
        found.anydnn_torch_start(ctypes.cast(entries.anydnnProblemExecute, ctypes.c_void_p),
                                 ctypes.cast(entries.anydnnSetStream, ctypes.c_void_p))
        _loaded = found
        _state.forget = found.anydnn_torch_forget
    return _loaded is not None


def _offer(operator: str, backend: str, inputs: Sequence[Any], outputs: Sequence[Any],
           ran: List[Tuple[int, int, int, List[int]]]) -> None:
    """Hands the compiled kernels what has just run, where it was problems on these tensors alone."""
    assert _loaded is not None
    slots = {one.data_ptr(): place for place, one in enumerate([*inputs, *outputs]) if one is not None}
    if len(slots) != sum(one is not None for one in (*inputs, *outputs)):
        return
    numbers = [_counters.setdefault((operator, backend), len(_counters)), len(outputs)]
    for one in outputs:
        if one is None:
            numbers.append(-1)
        else:
            numbers += [one.dim(), *one.shape, *one.stride()]
    numbers.append(len(ran))
    for handle, problem, size, pointers in ran:
        if any(pointer not in slots for pointer in pointers) or len(pointers) > 8 or len(ran) > 4:
            return
        numbers += [handle, problem, size, len(pointers), *(slots[pointer] for pointer in pointers)]
    _loaded.anydnn_torch_offer((ctypes.c_int64 * len(numbers))(*numbers))


def _slow(operator: str) -> Callable[..., Any]:
    """What the compiled kernel calls for a call that it does not know."""
    def kernel(*arguments: Any) -> Any:
        try:
            return run(*arguments)
        except Exception as error:  # the compiled kernel raises it again; what is returned is not looked at
            assert _loaded is not None
            _loaded.anydnn_torch_raise(str(error).encode(errors="replace"))
            return arguments[0] if operator == "_convolution" else arguments[:3]

    def run(*arguments: Any) -> Any:
        ours, previous = _kernels[operator, arguments[0].device.type.upper()]
        if operator == "convolution_backward":
            arguments = (*arguments[:-1], [bool(one) for one in arguments[-1]])
        recorded = _state.record()
        result = _state.attempt(operator, ours, lambda: previous(*arguments), arguments)
        ran, backend = recorded()
        if ran and backend:
            inputs = arguments[:3]
            outputs = [result] if operator == "_convolution" else list(result)
            if operator == "_convolution" or _loaded is not None and _flags() == _loaded.anydnn_torch_flags():
                _offer(operator, backend, inputs, outputs, ran)
        return result
    return kernel


def _flags() -> int:
    return (int(torch._C._get_cudnn_benchmark()) | int(torch._C._get_cudnn_deterministic()) << 1
            | int(torch._C._get_cudnn_allow_tf32()) << 2)


def put(operator: str, key: str, ours: Callable[..., Any], previous: Any) -> Any:
    """Puts the compiled kernel at aten's operator; what `take` needs, None where it cannot be."""
    if operator not in _SCHEMAS or not load():
        return None
    assert _loaded is not None
    if operator not in _defined:
        name = "_" + operator.removeprefix("_")
        _fused.LIBRARY.define(name + _SCHEMAS[operator])
        for each in ("CPU", "CUDA"):
            _fused.LIBRARY.impl(name, _slow(operator), each)
        _defined.append(operator)
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
    _kernels[operator, key] = (ours, lambda *arguments: previous.call_boxed(keys, *arguments))
    made = _loaded.anydnn_torch_put(operator.encode(), key.encode())
    return made or None


def take(made: Any) -> None:
    """Takes a kernel away again."""
    assert _loaded is not None
    _loaded.anydnn_torch_take(made)


def options_changed() -> None:
    """Tells the compiled kernels which options are in force."""
    if _loaded is not None:
        number = _option_numbers.setdefault((_state.options, _state.families), len(_option_numbers))
        _loaded.anydnn_torch_options(number)


def gather() -> None:
    """Adds what the compiled kernels counted to the report."""
    if _loaded is not None:
        calls, spent = ctypes.c_int64(), ctypes.c_int64()
        for (operator, backend), number in list(_counters.items()):
            _loaded.anydnn_torch_count(number, ctypes.byref(calls), ctypes.byref(spent))
            if calls.value:
                _state.count(operator, backend, "", spent.value / 1e9, calls.value)
