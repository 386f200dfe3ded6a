# SPDX-License-Identifier: Apache-2.0
"""Handles and their information: the record of the last call, backends, devices, settings."""
import ctypes
import os
import sys
import threading
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from ._library import library


@dataclass(frozen=True)
class Dispatch:
    """The record of the last compute call of a handle."""

    operation: str
    problem: str
    backend: str
    engine: int
    math: str
    math_requested: str
    algorithm: str
    workspace: int
    deterministic: bool
    notes: Tuple[str, ...]
    plan: str
    rule: str
    rule_origin: str
    passed_over: Tuple[str, ...]
    staged: bool
    fallback: bool


@dataclass(frozen=True)
class Backend:
    """A known backend. `reason` states why it is not live, or is ""."""

    name: str
    path: str
    stage: str
    reason: str
    version: str
    space: str


@dataclass(frozen=True)
class Device:
    """A device that supports handles."""

    name: str
    space: str
    description: str


@dataclass(frozen=True)
class Setting:
    """An effective setting and its origin."""

    section: str
    key: str
    value: str
    origin: str


class Handle:
    """A handle on a device: "cpu", "cuda", "cuda:1", or "auto" for the setting `device`.

    One thread at a time may use it. `close` or `with` frees it. Raises ConfigError, NotInitialized, or BadParam for a
    device that does not exist.
    """

    def __init__(self, device: str = "auto", *, route: Optional[str] = None,
                 deterministic: Optional[bool] = None) -> None:
        self._lib = library()
        self._pointer = ctypes.c_void_p()
        self._lib.check(self._lib.CreateOnDevice(ctypes.byref(self._pointer), device.encode()))
        self._workspace: Tuple[int, int] = (0, 0)
        self._stream = 0
        self.pid = os.getpid()
        self.prepared: Dict[Any, Any] = {}
        if route is not None:
            self.set_route("*", route)
        if deterministic is not None:
            self.set_deterministic(deterministic)

    @property
    def pointer(self) -> int:
        """The address for the C entries."""
        if not self._pointer.value:
            raise ValueError("this handle was closed")
        return self._pointer.value

    @property
    def device(self) -> str:
        """The device's name, "cpu" or "cuda:0"."""
        return self._lib.text(self._lib.GetDevice, self.pointer)

    def close(self) -> None:
        """Waits for the handle's work and frees the handle. A second call has no effect."""
        if self._pointer.value:
            address, _ = self._workspace
            if address:
                self._lib.MemFree(self._pointer, address)
            self._lib.Destroy(self._pointer)
            self._pointer = ctypes.c_void_p()

    def __del__(self) -> None:
        # A forked child must not free its parent's handles. At exit, the library cleans up by itself.
        if getattr(self, "pid", 0) == os.getpid() and not sys.is_finalizing():
            self.close()

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Handle({self.device!r})" if self._pointer.value else "Handle(closed)"

    def set_route(self, operation: str, backends: str, math: Optional[str] = None) -> None:
        """Routes an operation ("convolution_*", "*") to an ordered list of backends, in one math mode or in all."""
        self.prepared.clear()
        self._lib.check(self._lib.SetRoute(self.pointer, operation.encode(), math.encode() if math else None,
                                           backends.encode()))

    def set_deterministic(self, deterministic: bool) -> None:
        """Permits only kernels that give the same bits in every run (True, the default)."""
        self.prepared.clear()
        self._lib.check(self._lib.SetDeterministic(self.pointer, int(deterministic)))

    def set_batch_invariant(self, invariant: bool) -> None:
        """Permits only kernels that give a sample the same bits in every batch (False is the default)."""
        self.prepared.clear()
        self._lib.check(self._lib.SetBatchInvariant(self.pointer, int(invariant)))

    def set_stream(self, stream: int) -> None:
        """Makes later calls use this stream, a cudaStream_t as a number. 0 is the default stream."""
        if stream != self._stream:
            self._lib.check(self._lib.SetStream(self.pointer, stream))
            self._stream = stream

    def synchronize(self) -> None:
        """Waits until the stream's work is done."""
        self._lib.check(self._lib.Synchronize(self.pointer))

    def workspace(self, size: int) -> int:
        """Returns the address of the handle's own scratch memory on the device, of at least `size` bytes."""
        if size == 0:
            return 0
        address, held = self._workspace
        if held < size:
            if address:
                self.synchronize()
                self._lib.check(self._lib.MemFree(self.pointer, address))
                self._workspace = (0, 0)
            got = ctypes.c_void_p()
            self._lib.check(self._lib.MemAlloc(self.pointer, size, ctypes.byref(got)))
            address = got.value or 0
            self._workspace = (address, size)
        return address

    def info(self, key: str) -> str:
        """Returns a key of the dispatch record, as listed by anydnnGetDispatchInfo."""
        return self._lib.text(self._lib.GetDispatchInfo, self.pointer, key.encode())

    def info_int(self, key: str) -> int:
        """Returns the same as a number: "calls", "plan_misses", "staged" ..."""
        value = ctypes.c_int64()
        self._lib.check(self._lib.GetDispatchInfoInt(self.pointer, key.encode(), ctypes.byref(value)))
        return value.value

    @property
    def dispatch(self) -> Dispatch:
        """Returns the record of the last compute call. Raises BadParam before the first call."""
        return Dispatch(
            operation=self.info("operation"), problem=self.info("problem"), backend=self.info("backend"),
            engine=self.info_int("engine"), math=self.info("math"), math_requested=self.info("math_requested"),
            algorithm=self.info("algorithm"), workspace=self.info_int("workspace"),
            deterministic=bool(self.info_int("deterministic")), notes=tuple(filter(None, self.info("notes").split(","))),
            plan=self.info("plan"), rule=self.info("rule"), rule_origin=self.info("rule_origin"),
            passed_over=tuple(self.info("passed_over").splitlines()), staged=bool(self.info_int("staged")),
            fallback=bool(self.info_int("fallback")))


_own = threading.local()


def default_handle(device: str) -> Handle:
    """Returns this thread's handle on a device. The first call, and the first one after a fork, creates it."""
    held: Dict[Tuple[int, str], Handle] = _own.__dict__.setdefault("handles", {})
    key = (os.getpid(), device)
    if key not in held:
        held[key] = Handle(device)
    return held[key]


def _list(count: Any, entry: Any, cls: Any, keys: Tuple[str, ...]) -> List[Any]:
    lib = library()
    number = ctypes.c_int()
    lib.check(count(ctypes.byref(number)))
    return [cls(*(lib.text(entry, index, key.encode()) for key in keys)) for index in range(number.value)]


def backends() -> List[Backend]:
    """Returns every known backend, sorted by name. Opens all of them."""
    lib = library()
    keys = ("name", "path", "stage", "reason", "version", "space")
    _list(lib.GetBackendCount, lib.GetBackendInfo, str, ("version",))  # opens each, so that its stage is final
    found: List[Backend] = _list(lib.GetBackendCount, lib.GetBackendInfo, Backend, keys)
    return found


def devices() -> List[Device]:
    """Returns the devices that support handles, including the host."""
    lib = library()
    found: List[Device] = _list(lib.GetDeviceCount, lib.GetDeviceInfo, Device, ("name", "space", "description"))
    return found


def settings() -> List[Setting]:
    """Returns the effective settings."""
    lib = library()
    keys = ("section", "key", "value", "origin")
    found: List[Setting] = _list(lib.GetSettingCount, lib.GetSettingInfo, Setting, keys)
    return found
