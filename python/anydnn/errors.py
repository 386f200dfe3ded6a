# SPDX-License-Identifier: Apache-2.0
"""An exception for each status; its text is the library's sentence."""
from typing import Dict, Type

from ._abi import Status


class LibraryNotFound(ImportError):
    """No libanydnn could be loaded."""


class Error(RuntimeError):
    """A call of the library failed.

    `status` is the Status, `str(error)` the sentence that names argument, value and rule.
    """

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence or Status(status).name)
        self.status = Status(status)


class BadParam(Error, ValueError):
    """An argument breaks a rule."""


class NotSupported(Error, NotImplementedError):
    """No backend of the route runs this problem; the sentence has the reason of each."""


class AllocFailed(Error, MemoryError):
    """Out of host or device memory."""


class ConfigError(Error):
    """Settings that were named explicitly are bad."""


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
    """The class of a status; Error where it has none of its own."""
    return _BY_STATUS.get(status, Error)
