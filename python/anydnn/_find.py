# SPDX-License-Identifier: Apache-2.0
"""Searches for the fastest algorithm of a convolution that is given as text."""
import ctypes
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Tuple

from . import _abi
from ._library import library

if TYPE_CHECKING:
    from .handle import Handle
    from .problem import Problem

# Each operation's entry, perf struct, algorithms, and roles in the order of the entry. dw and w are filters.
_SEARCHES: Dict[str, Tuple[str, Any, Any, Tuple[str, str, str]]] = {
    "convolution_forward": ("FindConvolutionForwardAlgorithm", _abi.ConvolutionFwdAlgoPerf,
                            _abi.ConvolutionFwdAlgo, ("x", "w", "y")),
    "convolution_backward_data": ("FindConvolutionBackwardDataAlgorithm", _abi.ConvolutionBwdDataAlgoPerf,
                                  _abi.ConvolutionBwdDataAlgo, ("w", "dy", "dx")),
    "convolution_backward_filter": ("FindConvolutionBackwardFilterAlgorithm", _abi.ConvolutionBwdFilterAlgoPerf,
                                    _abi.ConvolutionBwdFilterAlgo, ("x", "dy", "dw")),
}
_MATHS = {"default": 0, "tensor_op": 1, "allow_conversion": 2, "split": 1000}
_TYPES = {"float32": 0, "float64": 1, "float16": 2, "bfloat16": 9}


def _ints(values: Any) -> Any:
    values = list(values)
    return (ctypes.c_int * len(values))(*values)


def _made(create: Callable[[Any], int], undo: List[Any], destroy: Callable[[Any], int]) -> ctypes.c_void_p:
    desc = ctypes.c_void_p()
    library().check(create(ctypes.byref(desc)))
    undo.append((destroy, desc))
    return desc


def _operand(operand: Any, undo: List[Any]) -> ctypes.c_void_p:
    """Creates the descriptor of an operand: a filter descriptor if its role is a filter."""
    lib, kind, dims = library(), _TYPES[operand.type], len(operand.shape)
    if operand.role in ("w", "dw"):
        desc = _made(lib.CreateFilterDescriptor, undo, lib.DestroyFilterDescriptor)
        channels_last = operand.strides[1] == 1 and operand.strides[-1] != 1
        lib.check(lib.SetFilterNdDescriptor(desc, kind, int(channels_last), dims, _ints(operand.shape)))
    else:
        desc = _made(lib.CreateTensorDescriptor, undo, lib.DestroyTensorDescriptor)
        lib.check(lib.SetTensorNdDescriptor(desc, kind, dims, _ints(operand.shape), _ints(operand.strides)))
    return desc


def _convolution(text: str, spatial: int, kind: str, undo: List[Any]) -> ctypes.c_void_p:
    lib = library()

    def values(key: str, default: int) -> Any:
        match = re.search(rf" {key}=(\S+)", text)
        found = [int(part) for part in match.group(1).split(",")] if match else [default]
        return _ints(found * spatial if len(found) == 1 else found)

    def word(key: str, default: str) -> str:
        match = re.search(rf" {key}=(\S+)", text)
        return match.group(1) if match else default

    desc = _made(lib.CreateConvolutionDescriptor, undo, lib.DestroyConvolutionDescriptor)
    lib.check(lib.SetConvolutionNdDescriptor(desc, spatial, values("pad", 0), values("stride", 1),
                                             values("dilation", 1), int(word("mode", "cross") == "cross"),
                                             1 if kind == "float64" else 0))
    lib.check(lib.SetConvolutionGroupCount(desc, int(word("groups", "1"))))
    lib.check(lib.SetConvolutionMathType(desc, _MATHS[word("math", "default")]))
    return desc


def find(problem: "Problem", handle: "Handle", count: int) -> List[Tuple[str, Any]]:
    """Returns pairs (algorithm's word, perf entry) of the algorithms that ran, fastest first."""
    text = str(problem)
    undo: List[Any] = []
    if problem.operation not in _SEARCHES:
        raise ValueError(f"{problem.operation} does not have a search; available: {', '.join(_SEARCHES)}")
    entry, perf, algorithms, roles = _SEARCHES[problem.operation]
    operands = {operand.role: operand for operand in problem.operands}
    try:
        descs = {role: _operand(operands[role], undo) for role in roles}
        first = operands[roles[0]]
        conv = _convolution(text, len(first.shape) - 2, first.type, undo)
        found, results = ctypes.c_int(), (perf * count)()
        library().check(getattr(library(), entry)(handle.pointer, descs[roles[0]], descs[roles[1]], conv,
                                                  descs[roles[2]], count, ctypes.byref(found), results))
    finally:
        for destroy, desc in undo:
            destroy(desc)
    return [(algorithms(one.algo).name.lower().removeprefix("algo_"), one)
            for one in results[:found.value] if one.status == 0]
