# SPDX-License-Identifier: Apache-2.0
"""Runs problems that add their result to the output (beta=1): decides whether that is faster, and on which backend.

A plan is the same for all factors, and `fastest` times it without them, so its time does not answer this. On a GPU,
measurement decides between one call that adds, and a call that does not plus an addition by torch.
"""
import re
from typing import Callable, Sequence, Tuple

import torch

from . import _state
from ._state import Declined, Kept, Plan


class Apart(Declined):
    """A separate addition is better, in this call and in equal ones."""


# Backends that add in 16 bits through float copies: docs/backends.md.
_BY_FLOAT = ("cudnn",)
_ROUNDS = 4


def _choice(said: str) -> str:
    return said.rpartition("\nchoice: ")[2].split(" ", 1)[0]


def _route_without(said: str, backend: str) -> str:
    """Returns the route of an explanation without one backend, or "" if none is left."""
    found = re.search(r"^rule: .* = (.*)$", said, re.MULTILINE)
    words = [word.strip() for word in found[1].split(",")] if found else []
    left = [word for word in words if word != backend]
    return ", ".join(left) if set(left) - {"fastest"} else ""


def _by_clock(tensor: torch.Tensor) -> bool:
    return tensor.is_cuda


def _capturing(tensor: torch.Tensor) -> bool:
    return tensor.is_cuda and torch.cuda.is_current_stream_capturing()


def _milliseconds(run: Callable[[], object]) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    run()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end))


def _gains(adding: Plan, plain: Plan, operands: Sequence[torch.Tensor]) -> bool:
    """Returns whether a problem that adds is at least as fast as one that does not plus an addition.

    Uses its own tensors.
    """
    *inputs, given = operands

    def apart() -> None:
        other = torch.empty_like(given)
        plain.run([*inputs, other])
        sums.add_(other)

    def together() -> None:
        adding.run([*inputs, sums])
    recorded = _state.record()
    try:
        sums = torch.zeros_like(given)
        # The minimum of several runs excludes the setup of the first call.
        pairs = [(_milliseconds(together), _milliseconds(apart)) for _ in range(_ROUNDS)]
    except torch.OutOfMemoryError:
        return False
    finally:
        recorded()
    return min(pair[0] for pair in pairs) <= min(pair[1] for pair in pairs)


def _made(handle: Kept, flags: Tuple[bool, bool], text: str, operands: Sequence[torch.Tensor]) -> Plan:
    """Makes the plan that adds. Raises Apart."""
    plain = Plan(handle, text)
    said = plain.problem.explain(handle)
    target, choice = operands[-1], _choice(said)
    if choice in _BY_FLOAT and target.dtype in (torch.float16, torch.bfloat16):
        route = _route_without(said, choice)
        if not route:
            raise Apart(f"{choice} adds in 16 bits by way of float")
        handle = _state.handle_of(target, *flags, ("convolution_backward_data", route))
    adding = Plan(handle, text + " beta=1")
    if _by_clock(target):
        if flags[0]:
            raise Apart("the clock would decide whether to add in one call, and torch is deterministic")
        if not _gains(adding, plain, operands):
            raise Apart("an addition apart takes less time")
    return adding


def plan_of(handle: Kept, flags: Tuple[bool, bool], key: Tuple[object, ...], text: str,
            operands: Sequence[torch.Tensor]) -> Plan:
    """Returns the plan, kept with the handle, of the problem `text` that adds to its last operand.

        flags    deterministic and benchmark, with which the handle was requested
    """
    where = ("onto", *key)
    if where not in handle.prepared and _capturing(operands[-1]):
        raise Declined("the capture of a graph permits no measurement")
    found = _state.kept(handle, where, lambda: _made(handle, flags, text, operands))
    if found.handle is not handle:
        assert isinstance(found.handle, Kept)
        _state.handle_of(operands[-1], *flags, found.handle.rule)  # on torch's stream, as the other handle
    return found


def run(adding: Plan, operands: Sequence[torch.Tensor]) -> None:
    """Runs the plan. Raises RuntimeError if it failed and may have written."""
    try:
        adding.run(operands)
    except Declined as reason:
        if adding.handle.info("effect") != "none":
            raise RuntimeError(f"a gradient could not be added, and what it was to be added to is lost: {reason}"
                               ) from None
        raise
