# SPDX-License-Identifier: Apache-2.0
"""Compiles this folder's C++ files against torch and keeps the results in the user's cache."""
import atexit
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import threading
from typing import Any, Callable, Iterator, List, Sequence

import torch

_HOME = pathlib.Path(torch.__file__).parent
_running: List["subprocess.Popen[str]"] = []
_threads: List[threading.Thread] = []


class Refused(OSError):
    """The compiler rejects the file."""


def _stop(process: "subprocess.Popen[str]") -> None:
    """Kills a compiler and its child processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def beside(function: Callable[[], None]) -> None:
    """Runs a build function in a separate thread, which the end of the process does not wait for."""
    _threads.append(threading.Thread(target=function, name="anydnn.torch builds", daemon=True))
    _threads[-1].start()


def _end() -> None:
    """Kills the running compilers, and lets their threads remove incomplete files."""
    running = list(_running)
    for process in running:
        _stop(process)
    for thread in _threads if running else ():
        thread.join(2.0)


def _forget() -> None:
    """Forgets the compilers after a fork: they belong to the parent."""
    _running.clear()
    _threads.clear()


os.register_at_fork(after_in_child=_forget)
atexit.register(_end)


def _run(command: Sequence[str]) -> Any:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        _running.append(process)
        try:
            said = process.communicate()[1]
        except BaseException:
            _stop(process)
            raise
        finally:
            with contextlib.suppress(ValueError):
                _running.remove(process)
    return process.returncode, said


def compiled(out: str, source: pathlib.Path, options: Sequence[str]) -> None:
    """Compiles a file to a shared one. The options include its libraries. Raises OSError."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not compiler:
        raise OSError("no C++ compiler found")
    status, said = _run([*compiler.split(), "-O2", "-shared", "-fPIC", f"-I{_HOME / 'include'}",
                         str(source), "-o", out, f"-L{_HOME / 'lib'}", *options])
    if status:
        lines = [line for line in said.splitlines() if "error" in line] or [f"exit status {status}"]
        raise (Refused if status > 0 else OSError)(f"{compiler}: {lines[0]}")


def kept(name: str, source: pathlib.Path, *words: str) -> pathlib.Path:
    """Returns the path of this source's file for this torch and its other dependencies."""
    word = hashlib.sha256(source.read_bytes() + torch.__version__.encode()
                          + "".join([str(sysconfig.get_platform()), *words]).encode()).hexdigest()[:16]
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "anydnn"
    return folder / f"{name}-{word}.so"


def ours(path: pathlib.Path) -> bool:
    """Returns whether a file exists and belongs to this user."""
    return path.exists() and path.stat().st_uid == os.getuid()


def make(made: pathlib.Path, source: pathlib.Path, options: Sequence[str]) -> None:
    """Creates the file atomically. Raises OSError."""
    made.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        compiled(f"{work}/a.so", source, options)
        os.replace(f"{work}/a.so", made)


@contextlib.contextmanager
def alone(made: pathlib.Path) -> Iterator[None]:
    """Waits for other processes that build the file. Raises OSError."""
    made.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(made.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # a process that forked meanwhile also holds the file open
