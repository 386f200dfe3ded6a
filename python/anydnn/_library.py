# SPDX-License-Identifier: Apache-2.0
"""Finds and loads libanydnn and gives its symbols the types of the header."""
import ctypes
import os
import pathlib
import threading
from typing import Any, List, Optional

from . import _abi
from .errors import LibraryNotFound, exception_of

_lock = threading.Lock()
_loaded: Optional["Library"] = None


def _candidates() -> List[str]:
    """Returns only ANYDNN_LIBRARY if it is set; else the wheel's library, then the one that the linker finds."""
    named = os.environ.get("ANYDNN_LIBRARY")
    if named:
        return [named]
    own = pathlib.Path(__file__).parent / "lib" / "libanydnn.so.0"
    return ([str(own)] if own.exists() else []) + ["libanydnn.so.0"]


class Library:
    """The loaded library. Every entry of PROTOTYPES is an attribute without the prefix `anydnn`.

    `call` calls an entry and raises if it fails. The attributes themselves return the status.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.dll = ctypes.CDLL(path)
        for name, (result, arguments) in _abi.PROTOTYPES.items():
            function = getattr(self.dll, name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name[len("anydnn"):], function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.path} does not have the entry anydnn{name}")

    def last_error(self) -> str:
        """Returns the message of the last call that failed in this thread."""
        text = ctypes.create_string_buffer(4096)
        self.GetLastErrorString(text, len(text))
        return text.value.decode(errors="replace")

    def check(self, status: int) -> None:
        """Raises the exception of a status other than SUCCESS."""
        if status:
            raise exception_of(status)(self.last_error(), status)

    def text(self, entry: Any, *arguments: Any) -> str:
        """Returns the text, of any length, that an entry with the arguments (..., text, size) writes."""
        size = 1024
        while True:
            buffer = ctypes.create_string_buffer(size)
            self.check(entry(*arguments, buffer, size))
            if len(buffer.value) < size - 1:
                return buffer.value.decode(errors="replace")
            size *= 4


def library() -> Library:
    """Returns the library, which the first call loads."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                reasons = []
                for path in _candidates():
                    try:
                        _loaded = Library(path)
                        break
                    except OSError as error:
                        reasons.append(str(error))
                else:
                    raise LibraryNotFound(
                        "libanydnn.so.0 cannot be loaded; install anydnn, or set ANYDNN_LIBRARY to the file: "
                        + "; ".join(reasons))
    assert _loaded is not None
    return _loaded
