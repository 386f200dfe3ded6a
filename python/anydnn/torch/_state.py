# SPDX-License-Identifier: Apache-2.0
"""The state that the kernels share: the options in force, handles, prepared problems, the counts of the report."""
import ctypes
import os
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import torch

from .._library import library
from ..errors import Error
from ..handle import Handle
from ..problem import Problem

TYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16"}


class Declined(Exception):
    """anydnn does not run this call. The text is the reason, which the report shows."""


@dataclass(frozen=True)
class Options:
    """The routing of calls. `route` and `math` None use the settings and torch's flags."""

    route: Optional[str] = None
    math: Optional[str] = None
    batch_invariant: bool = False


@dataclass(frozen=True)
class Entry:
    """A line of the report: the backend that ran an operator. `reason` states why anydnn declined, or is ""."""

    operator: str
    backend: str
    reason: str
    calls: int
    seconds: float


options = Options()
# The enabled families of operators, for our own operators.
families: FrozenSet[str] = frozenset()
_counts: Dict[Tuple[str, str, str], List[float]] = {}
_lock = threading.Lock()
_own = threading.local()
_problems: Dict[str, Problem] = {}


def count(operator: str, backend: str, reason: str, seconds: float, calls: int = 1) -> None:
    """Adds calls to the report."""
    key = (operator, backend, reason)
    with _lock:
        held = _counts.setdefault(key, [0, 0.0])
        held[0] += calls
        held[1] += seconds


def note(operator: str, reason: str) -> None:
    """Adds a line to the report without a call, for something that was declined in advance."""
    with _lock:
        _counts.setdefault((operator, "torch", reason), [0, 0.0])


def entries() -> List[Entry]:
    """Returns the report's lines, by operator."""
    with _lock:
        return [Entry(*key, int(calls), seconds) for key, (calls, seconds) in sorted(_counts.items())]


def clear() -> None:
    """Empties the report."""
    with _lock:
        _counts.clear()


def forget() -> None:
    """Does nothing. The compiled kernels replace it, and then discard what they keep about handles."""


class Kept(Handle):
    """A handle that reports its end, with the rule that it has besides the options."""

    rule: Tuple[str, ...] = ()

    def close(self) -> None:
        forget()
        super().close()


def handle_of(tensor: torch.Tensor, deterministic: bool = False, fastest: bool = False,
              rule: Tuple[str, ...] = ()) -> Kept:
    """Returns this thread's handle for a tensor's device and the options in force, on torch's current stream.

    On the CPU the backends keep to torch's number of threads when they prepare a call, so each number has a handle.

    A forked process creates its own. torch's flag `benchmark` puts `fastest` before our route. A `rule`, operations and
    their route, selects another handle.
    """
    where, number = tensor.device.type, tensor.device.index or 0
    threads = torch.get_num_threads() if where == "cpu" else 0
    key = (os.getpid(), where, number, threads, options.route, options.batch_invariant, deterministic, fastest,
           *rule)
    handles: Dict[Any, Kept] = _own.__dict__.setdefault("handles", {})
    handle = handles.get(key)
    if handle is None:
        handle = Kept("cpu" if where == "cpu" else f"cuda:{number}", route=options.route)
        if fastest and options.route is not None:
            handle.set_route("convolution_*", "fastest, " + options.route.removeprefix("fastest, "))
        if rule:
            handle.rule = rule
            handle.set_route(*rule)
        if deterministic:
            handle.set_deterministic(True)
        if options.batch_invariant:
            handle.set_batch_invariant(True)
        handles[key] = handle
    if where == "cuda":
        # The compiled kernels also set it, so the handle's cached value may be outdated.
        handle._stream = -1
        handle.set_stream(torch._C._cuda_getCurrentRawStream(number))
    return handle


# Handle, problem, workspace bytes, addresses of the operands, and which of them it writes.
Ran = List[Tuple[int, int, int, List[int], List[bool]]]


def record() -> Callable[[], Tuple[Ran, str]]:
    """Starts recording the plans that run in this thread.

    The result ends it and returns the plans, or none if incomplete.
    """
    before = _own.__dict__.get("ran")
    _own.ran, _own.backend = [], ""

    def end() -> Tuple[Ran, str]:
        found, backend = _own.ran or [], _own.backend
        _own.ran = before
        return found, backend
    return end


def beside() -> None:
    """Marks a recording as incomplete: the kernel does something besides running plans."""
    _own.ran = None


_storage_at: Any = getattr(torch._C, "_data_address")


def address(tensor: torch.Tensor) -> int:
    """Returns the address of elements that are only read.

    data_ptr() would copy those that a tensor shares until a write.
    """
    return int(_storage_at(tensor)) + int(tensor.storage_offset()) * tensor.element_size()


class Plan:
    """A problem on one handle, ready to run. The workspace is queried once, and the backend once it ran."""

    def __init__(self, handle: Handle, text: str) -> None:
        problem = _problems.get(text)
        if problem is None:
            problem = _problems[text] = Problem(text)
        self.handle, self.problem = handle, problem
        # Queried in advance: a first call that ran on copies would give other bits than later ones.
        said = problem.explain(handle)
        self.choice = said.rpartition("\nchoice: ")[2].split(" ", 1)[0]
        if ", staged on " in said:
            raise Declined(f"{self.choice} would run it on copies in another memory")
        self.size = problem.workspace_size(handle)
        self.backend = ""
        self.reason = ""
        self.pointers = ctypes.c_void_p * len(problem.operands)
        self.written = [operand.written for operand in problem.operands]
        self.execute = library().ProblemExecute

    def run(self, tensors: Sequence[torch.Tensor]) -> None:
        """Runs the problem on tensors, one per operand. torch's allocator provides the workspace."""
        if self.reason:
            raise Declined(self.reason)
        workspace = (torch.empty(self.size, dtype=torch.uint8, device=tensors[0].device) if self.size else None)
        pointers = [tensor.data_ptr() if written else address(tensor) for tensor, written in zip(tensors, self.written)]
        status = self.execute(self.handle.pointer, self.problem.pointer, self.pointers(*pointers),
                              workspace.data_ptr() if workspace is not None else None, self.size)
        if status:
            raise Declined(library().last_error())
        if not self.backend:
            self.backend = self.handle.info("backend")
            if self.handle.info_int("staged"):  # the previous choice could not run it
                self.reason = f"{self.backend} would run it on copies in another memory"
        ran = _own.__dict__.get("ran")
        if ran is not None:
            ran.append((self.handle.pointer, self.problem.pointer, self.size, pointers, self.written))
            if self.reason:
                beside()


def kept(handle: Handle, key: Any, make: Callable[[], Plan]) -> Plan:
    """Returns the plan kept with a handle under `key`, and makes it the first time. Keeps a Declined, too."""
    found = handle.prepared.get(key)
    if found is None:
        try:
            found = make()
        except Declined as reason:
            found = reason.with_traceback(None)
        except Error as error:
            found = Declined(str(error))
        handle.prepared[key] = found
    if isinstance(found, Declined):
        raise type(found)(str(found))
    assert isinstance(found, Plan)
    return found


def plan(handle: Handle, key: Any, text: Callable[[], str]) -> Plan:
    """Returns the plan kept under `key`. The first time, makes that of the problem `text`."""
    return kept(handle, key, lambda: Plan(handle, text()))


def dims(values: Sequence[int]) -> str:
    """Returns the text "1,2,3"."""
    return ",".join(map(str, values))


def channels_last(tensor: torch.Tensor) -> bool:
    """Returns whether a tensor is channels_last or channels_last_3d and not contiguous."""
    if tensor.dim() not in (4, 5) or tensor.is_contiguous():
        return False
    return tensor.is_contiguous(memory_format=FORMATS[tensor.dim()])


FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def packed(tensor: torch.Tensor, last: bool) -> torch.Tensor:
    """Returns the tensor itself if it has the format, else a copy that does."""
    if last and tensor.dim() in FORMATS:
        return tensor.contiguous(memory_format=FORMATS[tensor.dim()])
    return tensor.contiguous()


def empty(shape: Sequence[int], like: torch.Tensor, last: bool) -> torch.Tensor:
    """Creates a tensor of like's type and device in a format."""
    layout = FORMATS[len(shape)] if last and len(shape) in FORMATS else torch.contiguous_format
    return torch.empty(shape, dtype=like.dtype, device=like.device, memory_format=layout)


def operand(role: str, tensor: torch.Tensor, last: bool) -> str:
    """Returns role=TYPE:DIMS:LAYOUT of a tensor that is packed in a format."""
    layout = "nhwc" if last and tensor.dim() in FORMATS else "nchw"
    return f"{role}={TYPES[tensor.dtype]}:{dims(tensor.shape)}:{layout}"


def types_of(**operands: Optional[torch.Tensor]) -> str:
    """Returns the sentence that the first two operands of different types have these, by the operands' names."""
    found = [(name, one.dtype) for name, one in operands.items() if one is not None]
    other = next((pair for pair in found if pair[1] != found[0][1]), found[0])
    return f"the {other[0]} has type {other[1]}, the {found[0][0]} has type {found[0][1]}"


def supported(*tensors: Optional[torch.Tensor]) -> None:
    """Declines what anydnn does not support: other types, layouts, devices, no elements."""
    for tensor in tensors:
        if tensor is None:
            continue
        if tensor.dtype not in TYPES:
            raise Declined(f"an operand has type {tensor.dtype}; anydnn has float, double, half and bfloat16")
        if tensor.layout != torch.strided:
            raise Declined(f"an operand has layout {tensor.layout}, not torch.strided")
        if tensor.numel() == 0:
            raise Declined("an operand has no elements")


def tf32() -> bool:
    """Returns whether torch's flags permit TF32. Without cuDNN, torch's own kernels do not use it."""
    return bool(torch._C._get_cudnn_allow_tf32() and torch._C._get_cudnn_enabled())


def flags() -> int:
    """Returns torch's convolution flags as a number: 1 benchmark, 2 deterministic, 4 TF32."""
    flag = torch._C
    return (flag._get_cudnn_benchmark() | flag._get_cudnn_deterministic() << 1
            | (flag._get_cudnn_allow_tf32() and flag._get_cudnn_enabled()) << 2)


Kernel = Callable[..., Tuple[Any, str]]


def attempt(operator: str, ours: Kernel, previous: Callable[[], Any], arguments: Sequence[Any],
            named: Optional[Dict[str, Any]] = None) -> Any:
    """Runs our kernel, or the previous one if ours declines. Counts either."""
    began = time.perf_counter()
    try:
        result, backend = ours(*arguments, **(named or {}))
    except Declined as reason:
        beside()
        result = previous()
        count(operator, "torch", str(reason), time.perf_counter() - began)
    else:
        _own.backend = backend
        count(operator, backend, "", time.perf_counter() - began)
    return result


def hook(operator: str, family: str, ours: Kernel, previous: Any) -> Callable[..., Any]:
    """Returns the kernel to register: ours, or the one that was there before where ours declines or is not enabled."""

    def kernel(keys: Any, *arguments: Any, **named: Any) -> Any:
        if family not in families:
            return previous.call_boxed(keys, *arguments, **named)
        return attempt(operator, ours, lambda: previous.call_boxed(keys, *arguments, **named), arguments, named)

    return kernel
