# SPDX-License-Identifier: Apache-2.0
"""The autograd nodes in C++ (_node.cpp), which replace the Functions of _eager.py if available.

The compilation against torch's full headers takes half a minute. It therefore runs beside a process that has called
our operators often, or in `enable(compiled=True)`, and later processes use the result from the start. Until then, and
without a compiler, the Functions run, with the same results.
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import sysconfig
import time
from typing import Any, Callable, List, Optional

import torch

from . import _build, _eager

SOURCE = pathlib.Path(__file__).with_name("_node.cpp")
_NAME = "anydnn_torch_node"
_ABI = str(int(torch.compiled_with_cxx11_abi()))
# The properties that the file must have been built for.
_VERSION = f"{torch.__version__} {torch.version.git_version} {_ABI} {sysconfig.get_config_var('SOABI')}"
# The number of Function calls that triggers the build.
OFTEN = 1000
_AGAIN = 86400.0  # seconds until a failed compilation is repeated

reason = ""
_loaded: Optional[Any] = None
_wanted = False
_tried = False
_calls = 0


def _options() -> List[str]:
    headers = pathlib.Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").exists():
        raise OSError("the headers of Python are not installed")
    # Headers of torch 2.15 require C++20, and those of 2.11 accept it.
    return ["-std=c++20", "-DNDEBUG", f"-I{headers}", f"-D_GLIBCXX_USE_CXX11_ABI={_ABI}", f'-DANYDNN_TORCH="{_VERSION}"',
            "-ltorch_cpu", "-lc10", "-ltorch_python"]


def _open(made: pathlib.Path) -> None:
    """Loads the file. Raises ImportError."""
    global _loaded
    loader = importlib.machinery.ExtensionFileLoader(_NAME, str(made))
    spec = importlib.util.spec_from_loader(_NAME, loader)
    assert spec is not None
    found = importlib.util.module_from_spec(spec)
    loader.exec_module(found)
    if getattr(found, "torch") != _VERSION:
        raise ImportError(f"{made} was built for another version of torch")
    for name, (function, twice) in _eager.FUNCTIONS.items():
        getattr(found, "start")(name, function, twice)
    _loaded = found


def _build_once(made: pathlib.Path, at_once: bool) -> None:
    """Builds the file if it is missing. Waits a day after a failure, unless at once. Raises OSError."""
    why = made.with_suffix(".why")
    with _build.alone(made):
        if _build.ours(made):
            return
        if not at_once and _build.ours(why) and time.time() - why.stat().st_mtime < _AGAIN:
            raise OSError(why.read_text(encoding="utf-8"))
        options = _options()
        if at_once:
            print("anydnn.torch compiles _node.cpp, once for this torch", file=sys.stderr, flush=True)
        try:
            _build.make(made, SOURCE, options)
        except _build.Refused as error:
            why.write_text(str(error), encoding="utf-8")
            raise


def load(build: bool, at_once: bool = False) -> bool:
    """Loads the file, and builds it first if necessary. Returns False, with the reason in `reason`, if that fails."""
    global reason, _tried
    if _loaded is None and not (build and _tried):
        try:
            made = _build.kept("torch-node", SOURCE, _VERSION)
            if build:
                _tried = True
                _build_once(made, at_once)
            if not _build.ours(made):
                raise OSError("it is not built yet")
            _open(made)
            reason = ""
        except (OSError, ImportError) as error:
            reason = str(error)
    return _loaded is not None


def _beside() -> None:
    if load(build=True) and _wanted:
        _use()


def _counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a Function and counts its calls, to start the build when they are many."""
    def call(*arguments: Any) -> Any:
        global _calls
        _calls += 1
        if _calls == OFTEN:
            _functions()
            _build.beside(_beside)
        return function(*arguments)
    return call


def _functions() -> None:
    _eager.ways.update({name: function for name, (function, _) in _eager.FUNCTIONS.items()})


def _use() -> None:
    _eager.ways.update({name: getattr(_loaded, name) for name in _eager.FUNCTIONS})


def wanted() -> bool:
    """Returns whether calls may use nodes."""
    return _wanted


def choose(nodes: bool, at_once: bool) -> None:
    """Selects whether calls use nodes, which are built now (at_once) or once calls are frequent."""
    global _wanted
    _wanted = nodes
    _functions()
    if not nodes:
        return
    if load(build=at_once, at_once=at_once):
        _use()
    elif _calls < OFTEN:
        _eager.ways.update({name: _counted(function) for name, (function, _) in _eager.FUNCTIONS.items()})
