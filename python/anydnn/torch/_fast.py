# SPDX-License-Identifier: Apache-2.0
"""Loads the compiled kernels (_fast.cpp), builds them if a compiler exists, and passes them the recipes.

They repeat equal calls without Python. The first call of a kind runs the Python kernel and records what it executes.
If that consists only of problems on the call's own operands, it becomes a recipe.
"""
import ctypes
import pathlib
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch

from .._library import library
from . import _build, _fused, _state

SOURCE = pathlib.Path(__file__).with_name("_fast.cpp")
SHIPPED = SOURCE.with_name("libanydnn_torch.so")  # not _fast.so, which Python would import instead of this file
# The operators of aten that have compiled kernels, with the Python kernels' argument types.
_NORM = "(Tensor x, Tensor? weight, Tensor? bias, Tensor? mean, Tensor? var, bool training, float momentum, float epsilon)"
_WINDOW = "int[] window, int[] stride, int[] padding, bool ceil_mode, bool count_include_pad, int? divisor) -> Tensor"
_SCHEMAS = {
    "_convolution": "(Tensor x, Tensor w, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed,"
                    " int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled,"
                    " bool allow_tf32) -> Tensor",
    "convolution_backward": "(Tensor dy, Tensor x, Tensor w, int[]? bias_sizes, int[] stride, int[] padding,"
                            " int[] dilation, bool transposed, int[] output_padding, int groups, int[] output_mask)"
                            " -> (Tensor, Tensor, Tensor)",
    "native_batch_norm": _NORM + " -> (Tensor, Tensor, Tensor)",
    "native_batch_norm_backward": "(Tensor dy, Tensor x, Tensor? weight, Tensor? mean, Tensor? var, Tensor? saved_mean,"
                                  " Tensor? saved_inverse, bool training, float epsilon, int[] output_mask)"
                                  " -> (Tensor, Tensor, Tensor)",
    "cudnn_batch_norm": _NORM.replace("Tensor? weight", "Tensor weight") + " -> (Tensor, Tensor, Tensor, Tensor)",
    "cudnn_batch_norm_backward": "(Tensor x, Tensor dy, Tensor weight, Tensor? mean, Tensor? var, Tensor? saved_mean,"
                                 " Tensor? saved_inverse, float epsilon, Tensor reserve) -> (Tensor, Tensor, Tensor)",
    "native_layer_norm": "(Tensor x, int[] shape, Tensor? weight, Tensor? bias, float epsilon)"
                         " -> (Tensor, Tensor, Tensor)",
    "native_layer_norm_backward": "(Tensor dy, Tensor x, int[] shape, Tensor mean, Tensor inverse, Tensor? weight,"
                                  " Tensor? bias, int[] output_mask) -> (Tensor, Tensor, Tensor)",
    "native_group_norm": "(Tensor x, Tensor? weight, Tensor? bias, int batch, int channels, int pixels, int groups,"
                         " float epsilon) -> (Tensor, Tensor, Tensor)",
    "native_group_norm_backward": "(Tensor dy, Tensor x, Tensor mean, Tensor inverse, Tensor? weight, int batch,"
                                  " int channels, int pixels, int groups, int[] output_mask) -> (Tensor, Tensor, Tensor)",
    "mm": "(Tensor a, Tensor b) -> Tensor",
    "bmm": "(Tensor a, Tensor b) -> Tensor",
    "avg_pool2d": "(Tensor x, " + _WINDOW,
    "avg_pool2d_backward": "(Tensor dy, Tensor x, " + _WINDOW,
}
_BY_FLAGS = ("convolution_backward", "convolution_relu_backward_numbered", "convolution_backward_onto")
_MASKED = ("convolution_backward", "native_batch_norm_backward", "native_layer_norm_backward",
           "native_group_norm_backward")
# torch's numbers of the types of results.
_TYPES = {torch.uint8: 0, torch.float16: 5, torch.float32: 6, torch.float64: 7, torch.bfloat16: 15}
_loaded: Optional[ctypes.CDLL] = None
reason = ""
_counters: Dict[Tuple[str, str], int] = {}
# Maps an operator and a key to our kernel, the one that ran before, and the family that must be enabled.
_kernels: Dict[Tuple[str, str], Tuple[Callable[..., Any], Callable[..., Any], str]] = {}
_option_numbers: Dict[Any, int] = {}
_defined: List[str] = []


# The minimum version: the file runs on this torch and later ones.
_OPTIONS = ("-std=c++17", "-DTORCH_TARGET_VERSION=0x020b000000000000", "-ltorch_cpu")


def build(out: str) -> None:
    """Compiles the file. Raises OSError."""
    _build.compiled(out, SOURCE, _OPTIONS)


def _compiled() -> str:
    """Returns the file for this torch in the user's cache, and builds it if it is missing."""
    made = _build.kept("torch", SOURCE)
    if not _build.ours(made):
        _build.make(made, SOURCE, _OPTIONS)
    return str(made)


def _opened() -> ctypes.CDLL:
    """Returns the wheel's file, or one built here if this torch does not accept the wheel's."""
    try:
        return ctypes.CDLL(str(SHIPPED))
    except OSError:
        return ctypes.CDLL(_compiled())


def _warned() -> None:
    """Triggers torch's warning about an overridden kernel and suppresses it.

    torch prints it once per process, from C++. The kernel is that of an operator that is rarely called.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        over = torch.library.Library("aten", "IMPL")
        over.impl("native_channel_shuffle", lambda *_: None, "CPU")
        over._destroy()


def load() -> bool:
    """Builds and loads the file once. Returns False, with the reason in `reason`, if that fails."""
    global _loaded, reason
    if _loaded is None and not reason:
        try:
            found = _opened()
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
        _warned()
        _loaded = found
        _state.forget = found.anydnn_torch_forget
    return _loaded is not None


def _places(tensors: Sequence[Any]) -> Optional[Callable[[int], Optional[Tuple[int, int]]]]:
    """Returns for an address the tensor that begins there, or a byte tensor that contains it, and the offset."""
    held = [(place, one) for place, one in enumerate(tensors) if one is not None and one.numel()]
    begin = {_state.address(one): place for place, one in held}
    wide = [(_state.address(one), one.numel(), place) for place, one in held if one.dtype == torch.uint8]

    def place_of(address: int) -> Optional[Tuple[int, int]]:
        if address in begin:
            return begin[address], 0
        return next(((place, address - start) for start, size, place in wide if start < address < start + size), None)
    return place_of if len(begin) == len(held) else None


def _offer(counted: str, backend: str, inputs: Sequence[Any], outputs: Sequence[Any],
           ran: _state.Ran) -> None:
    """Offers the last run to the compiled kernels if it consisted only of problems on these tensors."""
    assert _loaded is not None
    place_of = _places([*inputs, *outputs])
    if place_of is None or any(one is not None and one.dtype not in _TYPES for one in outputs):
        return
    numbers = [_counters.setdefault((counted, backend), len(_counters)), len(outputs)]
    for one in outputs:
        if one is None:
            numbers.append(-1)
        else:
            numbers += [one.dim(), _TYPES[one.dtype], *one.shape, *one.stride()]
    numbers.append(len(ran))
    for handle, problem, size, pointers, written in ran:
        places = [place_of(pointer) for pointer in pointers]
        if len(pointers) > 16 or len(ran) > 4:
            return
        numbers += [handle, problem, size, len(pointers)]
        for found, writes in zip(places, written):
            if found is None:
                return
            numbers += [found[0] << 1 | writes, found[1]]
    _loaded.anydnn_torch_offer((ctypes.c_int64 * len(numbers))(*numbers))


def _slow(operator: str, counted: str, schema: Any) -> Callable[..., Any]:
    """Runs a call that the compiled kernel does not know."""
    tensors = [place for place, one in enumerate(schema.arguments) if "Tensor" in str(one.type)]
    results = len(schema.returns)

    def kernel(*arguments: Any) -> Any:
        try:
            return run(*arguments)
        except Exception as error:  # the compiled kernel raises it again and ignores the return value
            assert _loaded is not None
            _loaded.anydnn_torch_raise(str(error).encode(errors="replace"))
            return arguments[0] if results == 1 else (arguments[0],) * results

    def run(*arguments: Any) -> Any:
        assert _loaded is not None
        ours, previous, family = _kernels[operator, arguments[0].device.type.upper()]
        if operator in _MASKED:
            arguments = (*arguments[:-1], [bool(one) for one in arguments[-1]])
        if family not in _state.families:
            if operator in _fused.OWN:
                _state.count(counted, "torch", _fused.DISABLED + family, 0.0)
            return previous(*arguments)
        recorded = _state.record()
        result = _state.attempt(counted, ours, lambda: previous(*arguments), arguments)
        ran, backend = recorded()
        # Gradients are distinguished by the flags of the last forward pass, but Python's kernel used the current ones.
        if ran and backend and (operator not in _BY_FLAGS or _state.flags() == _loaded.anydnn_torch_flags()):
            _offer(counted, backend, [arguments[place] for place in tensors], [result] if results == 1 else list(result),
                   ran)
        return result
    return kernel


def put(operator: str, key: str, family: str, ours: Callable[..., Any], previous: Callable[..., Any]) -> Any:
    """Puts the compiled kernel at an operator of aten or of ours. Returns what `take` needs, or None.

    family      runs ours while it is enabled, else the previous one
    previous    takes the operator's arguments and runs what was there before
    """
    own = _fused.OWN.get(operator)
    if own is None and operator not in _SCHEMAS or not load():
        return None
    assert _loaded is not None
    name = "slow_" + operator
    if name not in _defined:
        _fused.LIBRARY.define(name + (own.schema.replace("(a!)", "").replace("(b!)", "") if own else _SCHEMAS[operator]))
        schema = getattr(torch.ops.anydnn, name).default._schema
        for each in ("CPU", "CUDA"):
            _fused.LIBRARY.impl(name, _slow(operator, own.counted if own else operator, schema), each)
        _defined.append(name)
    _kernels[operator, key] = (ours, previous, family)
    made = _loaded.anydnn_torch_put(b"anydnn" if own else b"aten", operator.encode(), key.encode())
    return made or None


def boxed(previous: Any, key: str) -> Callable[..., Any]:
    """Returns a kernel of torch.library.get_kernel as a function of the operator's arguments."""
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
    return lambda *arguments: previous.call_boxed(keys, *arguments)


def take(made: Any) -> None:
    """Removes a kernel."""
    assert _loaded is not None
    _loaded.anydnn_torch_take(made)


def options_changed() -> None:
    """Passes the options in force to the compiled kernels."""
    if _loaded is not None:
        number = _option_numbers.setdefault((_state.options, _state.families), len(_option_numbers))
        _loaded.anydnn_torch_options(number)


def gather() -> None:
    """Adds the counts of the compiled kernels to the report."""
    if _loaded is not None:
        calls, spent = ctypes.c_int64(), ctypes.c_int64()
        for (operator, backend), number in list(_counters.items()):
            _loaded.anydnn_torch_count(number, ctypes.byref(calls), ctypes.byref(spent))
            if calls.value:
                _state.count(operator, backend, "", spent.value / 1e9, calls.value)
