# SPDX-License-Identifier: Apache-2.0
"""Problems: one operation with its shapes and parameters as text, which can run, be explained and be measured."""
import ctypes
import csv
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _abi, _program, arrays
from ._library import library
from .handle import Handle, default_handle

_TYPE_NAMES = {
    _abi.DataType.FLOAT: "float32", _abi.DataType.DOUBLE: "float64", _abi.DataType.HALF: "float16",
    _abi.DataType.BFLOAT16: "bfloat16", _abi.DataType.INT8: "int8", _abi.DataType.UINT8: "uint8",
    _abi.DataType.INT32: "int32", _abi.DataType.INT64: "int64",
}


@dataclass(frozen=True)
class Operand:
    """An operand of a problem. Strides are in elements, and `type` is NumPy's name."""

    role: str
    type: str
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    read: bool
    written: bool
    host: bool = False  # True if it lies in host memory on every device


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of a convolution, from `find`. `time` is in milliseconds, or -1 if not measured."""

    algorithm: str
    math: str
    time: float
    workspace: int
    deterministic: bool
    backend: int


_MATH_WORDS = {
    _abi.MathType.DEFAULT_MATH: "default", _abi.MathType.FMA_MATH: "default",
    _abi.MathType.TENSOR_OP_MATH: "tensor_op",
    _abi.MathType.TENSOR_OP_MATH_ALLOW_CONVERSION: "allow_conversion",
    _abi.MathType.TENSOR_OP_MATH_SPLIT: "split",
}


class Problem:
    """An operation as text, "convolution_forward x=f32:1,3,8,8 w=f32:4,3,3,3 pad=1,1".

    `docs/using.md`, "Problems as text", lists the operations, roles and keys. Raises BadParam if the text is invalid,
    with the wrong word and a similar known word.
    """

    def __init__(self, text: str) -> None:
        self._lib = library()
        self._pointer = ctypes.c_void_p()
        self._lib.check(self._lib.ProblemParse(text.encode(), ctypes.byref(self._pointer)))
        self._operands: Optional[Tuple[Operand, ...]] = None
        self._text = ""

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None and self._pointer.value:
            self._lib.ProblemDestroy(self._pointer)

    @property
    def pointer(self) -> int:
        """The address for the C entries."""
        assert self._pointer.value
        return self._pointer.value

    def _sized(self, entry: Any, *arguments: Any) -> str:
        needed, size = ctypes.c_size_t(), 0
        while True:
            buffer = ctypes.create_string_buffer(size) if size else None
            self._lib.check(entry(*arguments, buffer, size, ctypes.byref(needed)))
            if buffer and needed.value <= size:
                return buffer.value.decode(errors="replace")
            # A second explanation may be longer, since the first one may open backends.
            size = needed.value

    def __str__(self) -> str:
        if not self._text:
            self._text = self._sized(self._lib.ProblemPrint, self.pointer)
        return self._text

    def __repr__(self) -> str:
        return f"Problem({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def operation(self) -> str:
        """The operation's name."""
        return str(self).split(" ", 1)[0]

    @property
    def operands(self) -> Tuple[Operand, ...]:
        """The operands that a caller passes, inputs first."""
        if self._operands is None:
            self._operands = tuple(self._read_operands())
        return self._operands

    def _read_operands(self) -> List[Operand]:
        lib, found = self._lib, []
        count, desc = ctypes.c_int(), ctypes.c_void_p()
        lib.check(lib.ProblemGetOperandCount(self.pointer, ctypes.byref(count)))
        lib.check(lib.CreateTensorDescriptor(ctypes.byref(desc)))
        try:
            for index in range(count.value):
                role, direction = ctypes.c_char_p(), ctypes.c_int()
                kind, dims, host = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
                shape = (ctypes.c_int * _abi.ANYDNN_DIM_MAX)()
                strides = (ctypes.c_int * _abi.ANYDNN_DIM_MAX)()
                lib.check(lib.ProblemGetOperand(self.pointer, index, ctypes.byref(role), desc,
                                                ctypes.byref(direction)))
                lib.check(lib.ProblemGetOperandHost(self.pointer, index, ctypes.byref(host)))
                lib.check(lib.GetTensorNdDescriptor(desc, _abi.ANYDNN_DIM_MAX, ctypes.byref(kind),
                                                    ctypes.byref(dims), shape, strides))
                found.append(Operand((role.value or b"").decode(),
                                     _TYPE_NAMES.get(_abi.DataType(kind.value), str(kind.value)),
                                     tuple(shape[:dims.value]), tuple(strides[:dims.value]),
                                     bool(direction.value & _abi.Direction.INPUT),
                                     bool(direction.value & _abi.Direction.OUTPUT), bool(host.value)))
        finally:
            lib.DestroyTensorDescriptor(desc)
        return found

    def explain(self, handle: Optional[Handle] = None) -> str:
        """Returns how the problem would run: the rule, each backend's answer, the choice. Runs nothing."""
        handle = handle or default_handle("auto")
        return self._sized(self._lib.ProblemExplain, handle.pointer, self.pointer)

    def workspace_size(self, handle: Handle) -> int:
        """Returns the workspace bytes of the best plan on this handle, and pins that choice. Raises NotSupported."""
        size = ctypes.c_size_t()
        self._lib.check(self._lib.ProblemGetWorkspaceSize(handle.pointer, self.pointer, ctypes.byref(size)))
        return size.value

    def run(self, handle: Optional[Handle] = None, *, out: Optional[Mapping[str, Any]] = None,
            **operands: Any) -> Dict[str, Any]:
        """Runs the problem once on the arrays given by role, and returns the outputs by role.

        The library of the first input creates outputs that are in neither `operands` nor `out`. Arrays must have the
        operand's type, shape and strides; otherwise ValueError names the operand. An output that is also read (beta,
        running means) must be given.
        """
        given = {**operands, **(out or {})}
        unknown = set(given) - {operand.role for operand in self.operands}
        if unknown:
            raise ValueError(f"{self.operation} does not have the operand {sorted(unknown)[0]}; available: "
                             + ", ".join(operand.role for operand in self.operands))
        views, results = [], {}
        like: Optional[arrays.View] = None
        for operand in self.operands:
            if operand.role in given:
                value = given[operand.role]
                view = arrays.view(value)
                like = like if operand.host else like or view
                arrays.require(view, operand.role, operand.type, operand.shape, operand.strides, operand.written)
            elif operand.read or not operand.written:
                raise ValueError(f"{self.operation}: operand {operand.role} is missing")
            else:
                value = arrays.empty(like, operand.type, operand.shape, operand.strides)
                view = arrays.view(value)
            views.append(view)
            if operand.written:
                results[operand.role] = value
        handle = handle or default_handle(like.device if like else "cpu")
        arrays.use_stream(handle, like)
        self.execute(handle, [view.address for view in views])
        return results

    def execute(self, handle: Handle, addresses: Sequence[int]) -> None:
        """Runs the problem on addresses in the handle's memory, one for each of `operands`."""
        key = str(self)
        size = handle.prepared.get(key)
        if size is None:
            size = handle.prepared[key] = self.workspace_size(handle)
        pointers = (ctypes.c_void_p * len(addresses))(*addresses)
        self._lib.check(self._lib.ProblemExecute(handle.pointer, self.pointer, pointers, handle.workspace(size), size))

    def find(self, handle: Handle, count: int = 8) -> List[Algorithm]:
        """Runs every algorithm that the backends offer for a convolution and returns them, fastest first.

        Each is pinned: the same problem with `algo=` and `math=` of an entry runs exactly that.
        """
        from ._find import find
        return [Algorithm(name, _MATH_WORDS[_abi.MathType(entry.mathType)], entry.time, entry.memory,
                          bool(entry.determinism), entry.backend)
                for name, entry in find(self, handle, count)]

    def bench(self, *rivals: str, seconds: float = 1.0, options: Sequence[str] = ()) -> List[Dict[str, str]]:
        """Times the problem on each rival, "BACKEND" or "BACKEND:MATH", in alternation.

        Returns the rows of `anydnn bench --csv`, one dictionary per rival. `options` are more words for the command.
        "--peak-flops", "790T", for example, replaces the measurement of that ceiling. The program `anydnn` must be
        installed, or ANYDNN_TOOL must name it.
        """
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "bench.csv"
            _tool("bench", "--csv", str(table), "--time", str(seconds), *options, *str(self).split(), *rivals)
            with open(table, newline="") as stream:
                return list(csv.DictReader(line for line in stream if not line.startswith("#")))

    def compare(self, first: str, second: str) -> str:
        """Returns the text of `anydnn compare`: the errors of two backends relative to double precision, and their
        difference.
        """
        return _tool("compare", first, second, *str(self).split())

    def verify(self, backend: str) -> bool:
        """Returns True if the backend's results for this problem are within the derived bounds (`anydnn verify`)."""
        tool = _program.path()
        done = subprocess.run([tool, "verify", "--problem", str(self), backend], capture_output=True, text=True,
                              check=False)
        if done.returncode > 1:
            raise RuntimeError(done.stderr.strip() or done.stdout.strip())
        return done.returncode == 0


def _tool(*words: str) -> str:
    done = subprocess.run([_program.path(), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    return done.stdout
