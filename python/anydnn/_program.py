# SPDX-License-Identifier: Apache-2.0
"""Finds and runs the program anydnn. A wheel contains it."""
import os
import pathlib
import shutil
import sys
from typing import NoReturn


def path() -> str:
    """Returns the program's path: that of ANYDNN_TOOL, the wheel's own, or the first in PATH that is not this script."""
    named = os.environ.get("ANYDNN_TOOL")
    own = pathlib.Path(__file__).parent / "bin" / "anydnn"
    found = named or (str(own) if own.exists() else shutil.which("anydnn"))
    if not found:
        raise FileNotFoundError("the program anydnn is not in PATH; install anydnn, or set ANYDNN_TOOL to it")
    return found


def main() -> NoReturn:
    """Replaces this process by the program. Only wheels with the program have a script that calls this."""
    found = path()
    os.execv(found, [found, *sys.argv[1:]])
