# SPDX-License-Identifier: Apache-2.0
"""An exception for each status. Its text is the library's message."""
from typing import Dict, Type

from ._abi import Status


class LibraryNotFound(ImportError):
    """The package could not load a libanydnn."""


class Error(RuntimeError):
    """A call of the library failed.

    `status` is the Status. `str(error)` is the message, which names the argument, the value and the rule.
    """

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence or Status(status).name)
        self.status = Status(status)


class BadParam(Error, ValueError):
    """An argument breaks a rule."""


class NotSupported(Error, NotImplementedError):
    """No backend of the route runs this problem. The message has the reason of each."""


class AllocFailed(Error, MemoryError):
    """Out of host or device memory."""


class ConfigError(Error):
    """Explicitly named settings are invalid."""


class NotInitialized(Error):
    """The handle was closed, or its backend does not survive a fork, or the device does not exist."""


class ExecutionFailed(Error):
    """The device or the backend failed."""


class SpacePoisoned(ExecutionFailed):
    """The device failed; only a new process can use it again."""


class InternalError(Error):
    """A bug in the library or a backend."""


_BY_STATUS: Dict[int, Type[Error]] = {
    Status.NOT_INITIALIZED: NotInitialized,
    Status.ALLOC_FAILED: AllocFailed,
    Status.BAD_PARAM: BadParam,
    Status.INTERNAL_ERROR: InternalError,
    Status.INVALID_VALUE: BadParam,
    Status.EXECUTION_FAILED: ExecutionFailed,
    Status.NOT_SUPPORTED: NotSupported,
    Status.CONFIG_ERROR: ConfigError,
    Status.SPACE_POISONED: SpacePoisoned,
}


def exception_of(status: int) -> Type[Error]:
    """Returns the class of a status, or Error if the status has none."""
    return _BY_STATUS.get(status, Error)
