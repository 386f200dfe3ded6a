# SPDX-License-Identifier: Apache-2.0
"""Takes the addresses of arrays of any library: by __dlpack__, else __cuda_array_interface__, else NumPy."""
import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Tuple

if TYPE_CHECKING:
    from .handle import Handle

_CPU_DEVICES = (1, 3)  # kDLCPU, kDLCUDAHost
_CUDA_DEVICES = (2, 13)  # kDLCUDA, kDLCUDAManaged

# Maps (type code, bits) of DLPack and the codes of __cuda_array_interface__ to NumPy's names.
_DLPACK_TYPES = {(0, 8): "int8", (0, 32): "int32", (0, 64): "int64", (1, 8): "uint8", (2, 16): "float16",
                 (2, 32): "float32", (2, 64): "float64", (4, 16): "bfloat16"}
_TYPESTRS = {"<f4": "float32", "<f8": "float64", "<f2": "float16", "|i1": "int8", "|u1": "uint8", "<i4": "int32",
             "<i8": "int64", "<V2": "bfloat16"}
_SIZES = {"int8": 1, "uint8": 1, "float16": 2, "bfloat16": 2, "float32": 4, "int32": 4, "float64": 8, "int64": 8}


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor)]


_READ_ONLY = 1
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = ctypes.c_int
_is_valid.argtypes = (ctypes.py_object, ctypes.c_char_p)


@dataclass(frozen=True)
class View:
    """The memory of an array. Strides are in elements, and `owner` keeps the memory alive."""

    address: int
    type: str
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    device: str
    writable: bool
    owner: Any


def _packed(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _by_dlpack(array: Any) -> View:
    device, number = array.__dlpack_device__()
    if int(device) not in _CPU_DEVICES + _CUDA_DEVICES:
        raise TypeError(f"arrays of DLPack's device type {int(device)} are not supported")
    # -1: no synchronization here, since the handle uses the caller's stream (use_stream).
    stream = {} if int(device) in _CPU_DEVICES else {"stream": -1}
    try:
        capsule = array.__dlpack__(max_version=(1, 1), **stream)
    except TypeError:  # a producer older than DLPack 1.0
        capsule = array.__dlpack__(**stream)
    if _is_valid(capsule, b"dltensor_versioned"):
        whole = ctypes.cast(_get_pointer(capsule, b"dltensor_versioned"), ctypes.POINTER(_Versioned)).contents
        tensor, writable = whole.tensor, not whole.flags & _READ_ONLY
    else:
        pointer = _get_pointer(capsule, b"dltensor")
        tensor, writable = ctypes.cast(pointer, ctypes.POINTER(_DLTensor)).contents, True
    name = _DLPACK_TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if name is None:
        raise TypeError(f"arrays of DLPack's type code {tensor.code} with {tensor.bits} bits are not supported")
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else _packed(shape)
    where = "cpu" if int(device) in _CPU_DEVICES else f"cuda:{int(number)}"
    # An unconsumed capsule frees itself. The view keeps it together with the array.
    return View((tensor.data or 0) + tensor.byte_offset, name, shape, strides, where, writable, (array, capsule))


def _by_interface(array: Any, interface: Any, device: str) -> View:
    name = _TYPESTRS.get(interface["typestr"])
    if name is None:
        raise TypeError(f"arrays of type {interface['typestr']} are not supported")
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    strides = tuple(step // _SIZES[name] for step in strides) if strides else _packed(shape)
    address, read_only = interface["data"]
    return View(address, name, shape, strides, device, not read_only, array)


def view(array: Any) -> View:
    """Returns the view of an array. Raises TypeError for another object, or for a type that the library lacks."""
    dtype = str(getattr(array, "dtype", ""))
    if dtype == "bfloat16" and hasattr(array, "__array_interface__"):  # ml_dtypes in NumPy
        found = dict(array.__array_interface__, typestr="<V2")
        return _by_interface(array, found, "cpu")
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        if getattr(array, "requires_grad", False):
            array = array.detach()
        if not getattr(getattr(array, "flags", None), "writeable", True):  # old NumPy exports no read-only array
            return _by_interface(array, array.__array_interface__, "cpu")
        return _by_dlpack(array)
    if hasattr(array, "__cuda_array_interface__"):
        return _by_interface(array, array.__cuda_array_interface__, "cuda")
    if hasattr(array, "__array_interface__"):
        return _by_interface(array, array.__array_interface__, "cpu")
    raise TypeError(f"{type(array).__name__} is not an array: it has neither __dlpack__ nor an array interface")


def require(found: View, role: str, kind: str, shape: Tuple[int, ...], strides: Tuple[int, ...],
            written: bool) -> None:
    """Raises ValueError with the operand's role if the array does not match the operand."""
    if found.type != kind:
        raise ValueError(f"operand {role} is {found.type}; the problem has {kind}")
    same = [step == wanted or extent == 1 for extent, step, wanted in zip(found.shape, found.strides, strides)]
    if found.shape != shape:
        raise ValueError(f"operand {role} has shape {found.shape}; the problem has {shape}")
    if not all(same):
        raise ValueError(f"operand {role} has strides {found.strides}; the problem has {strides}")
    if written and not found.writable:
        raise ValueError(f"operand {role} is written and its array is read-only")


def _numpy_type(kind: str) -> Any:
    import numpy
    if kind == "bfloat16":
        import ml_dtypes
        return ml_dtypes.bfloat16
    return getattr(numpy, kind)


def empty(like: Optional[View], kind: str, shape: Tuple[int, ...], strides: Tuple[int, ...]) -> Any:
    """Creates an array with the library and device of `like`: NumPy, torch, or one with __array_namespace__."""
    array = like.owner[0] if like and isinstance(like.owner, tuple) else like.owner if like else None
    module = type(array).__module__.split(".")[0]
    if array is not None and module == "torch":
        import torch
        return torch.empty_strided(shape, strides, dtype=getattr(torch, kind), device=array.device)
    order = sorted(range(len(shape)), key=lambda axis: (-strides[axis], axis))
    packed = tuple(shape[axis] for axis in order)
    if array is None or module in ("numpy", "builtins", "ml_dtypes"):
        import numpy
        made = numpy.empty(packed, dtype=_numpy_type(kind))
    else:
        space = array.__array_namespace__() if hasattr(array, "__array_namespace__") else __import__(module)
        made = space.empty(packed, dtype=getattr(space, kind))
    return made.transpose([order.index(axis) for axis in range(len(shape))])


def use_stream(handle: "Handle", found: Optional[View]) -> None:
    """Makes the handle use the current stream of the arrays' library, or else the default stream."""
    if found is None or found.device == "cpu":
        return
    array = found.owner[0] if isinstance(found.owner, tuple) else found.owner
    module = type(array).__module__.split(".")[0]
    stream = 0
    if module == "torch":
        import torch
        stream = torch.cuda.current_stream(array.device).cuda_stream
    elif module == "cupy":
        import cupy  # type: ignore[import-not-found]
        stream = cupy.cuda.get_current_stream().ptr
    handle.set_stream(stream)
