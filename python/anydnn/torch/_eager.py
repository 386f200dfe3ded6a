# SPDX-License-Identifier: Apache-2.0
"""Our own operators for eager mode, where only autograd observes the calls.

An autograd.Function around kernels without autograd costs the host less than autograd registered with an operator,
and running statistics may be updated in place. Tracers and torch.func get the functional operators.
"""
import functools
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch._C import _are_functorch_transforms_active, _get_tracing_state, _len_torch_dispatch_stack
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.autograd import Function, forward_ad
from torch.compiler import is_compiling

from . import _fused, _shortcut, _state

Maybe = Optional[torch.Tensor]
_PLAIN = (torch.Tensor, torch.nn.Parameter)


def tangents() -> bool:
    """Returns whether forward-mode derivatives are computed, for which our operators have no formula."""
    return forward_ad._current_level >= 0


def plain(x: Any) -> bool:
    """Returns whether it is a tensor of torch's own class."""
    return type(x) in _PLAIN


def eager(x: torch.Tensor) -> bool:
    """Returns whether a call is neither traced nor transformed."""
    return (not is_compiling() and type(x) in _PLAIN and not _len_torch_dispatch_stack()
            and not _are_functorch_transforms_active() and not is_functorch_wrapped_tensor(x)
            and _get_tracing_state() is None)


class _NormRelu(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, running_mean: torch.Tensor,
                running_var: torch.Tensor, call: int) -> torch.Tensor:
        y, saved = _fused.norm_in_place(x, z, weight, bias, running_mean, running_var, call)
        ctx.save_for_backward(x, weight, saved)
        ctx.call = call
        return y  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> Any:
        dy, = grad_outputs
        x, weight, saved = ctx.saved_tensors
        if torch.is_grad_enabled():
            found = _fused.norm_in_place_twice(dy, x, weight, saved, ctx.call)
        else:
            found = _fused.norm_in_place_gradient(_fused.laid(dy, x), x, weight, saved, ctx.call)
        return (*found, None, None, None)


class _ConvRelu(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, call: int, flags: int,
                ceiling: Optional[float]) -> torch.Tensor:
        y: torch.Tensor = _fused.conv_numbered(x, w, bias, call, flags)
        ctx.save_for_backward(x, w, y)
        ctx.rest = call + sum(needed << place for place, needed in enumerate(ctx.needs_input_grad[:3])), ceiling
        return y

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> Any:
        dy, = grad_outputs
        x, w, y = ctx.saved_tensors
        call, ceiling = ctx.rest
        if torch.is_grad_enabled():
            found = _fused.conv_numbered_twice(dy, x, w, y, call)
        else:
            found = _fused.conv_gradient_numbered(_fused.passed(dy, y, ceiling), x, w, call)
        return (*found, None, None, None)


def _applied(function: Any) -> Any:
    """Does what `apply` does, except the part for torch.func, which `eager` excludes."""
    return getattr(super(Function, function), "apply")


# Maps a name to the Function's call and to the differentiable gradient from the values that the Function saved.
FUNCTIONS: Dict[str, Tuple[Callable[..., Any], Callable[..., Any]]] = {
    "norm_relu": (_applied(_NormRelu), _fused.norm_in_place_twice),
    "conv_relu": (_applied(_ConvRelu), _fused.conv_numbered_twice),
}
# The callables: the Functions, or nodes in C++ instead (_node.py).
ways = {name: function for name, (function, _) in FUNCTIONS.items()}


def norm_relu(*arguments: Any) -> Any:
    """Returns y of x, z, weight, bias, running mean and variance, and the number of the other parameters."""
    return ways["norm_relu"](*arguments)


def conv_relu(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Tuple[int, ...], padding: Tuple[int, ...],
              dilation: Tuple[int, ...], groups: int, ceiling: Optional[float]) -> Any:
    """Returns y of the operands."""
    call = _fused.masked(stride, padding, dilation, groups, ceiling)
    return ways["conv_relu"](x, w, bias, call, _state.flags(), ceiling)


class _Lone(Function):
    """Receives a gradient without other owners in the same way as `_Branch`."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, seen: List[Any]) -> Tuple[torch.Tensor, torch.Tensor]:
        ctx.seen = seen
        return x * 2, x.detach()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Maybe) -> Any:
        dy, shortcut = grad_outputs
        owners = None if shortcut is None else _shortcut.owners(shortcut)
        ctx.seen.append(owners)
        return dy, None


@functools.lru_cache(None)
def _alone() -> Any:
    """Returns the result of `owners`, inside a backward pass, for a gradient without other owners."""
    seen: List[Any] = []
    with torch.enable_grad():
        x = torch.ones(1, device="cpu", requires_grad=True)
        y, same = _applied(_Lone)(x, seen)
        torch.autograd.grad(y * 2 + same * 3, x)
    return seen[0]


class _Branch(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, bias: Maybe,
                call: int) -> Tuple[torch.Tensor, torch.Tensor]:
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, w)
        ctx.rest = call, _alone()
        # Not x itself, since autograd would make a view of it. Writes into it are detected, as for x.
        return _shortcut.convolution(x, w, bias, call), x.detach()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Maybe) -> Any:
        dy, shortcut = grad_outputs
        owners = None if shortcut is None else _shortcut.owners(shortcut)
        if dy is None:
            return shortcut, None, None, None
        x, w = ctx.saved_tensors
        call, alone = ctx.rest
        once = not torch.is_grad_enabled() and eager(dy)
        if (once and shortcut is not None and owners == alone and plain(shortcut)
                and not _shortcut.apart(x, w, call)):
            return shortcut, *_shortcut.onto(dy, x, w, shortcut, call), None
        dx, dw, db = _shortcut.gradients(dy, x, w, call)
        if shortcut is not None:
            dx = dx.add_(shortcut) if once and owners else dx + shortcut
        return dx, dw, db, None


branch = _applied(_Branch)


def max_pool(operator: Any, gradient: Any, twice: Any) -> Any:
    """Returns maximum pooling of x by our operator. Its gradient is `gradient`, or `twice` if differentiable."""
    class MaxPool(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, call: int) -> torch.Tensor:
            ctx.call = call
            y: torch.Tensor = operator(x, call)
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx: Any, *grad_outputs: torch.Tensor) -> Any:
            dy, = grad_outputs
            x, y = ctx.saved_tensors
            if torch.is_grad_enabled():
                return twice(dy, x, y, *_fused.parameters(ctx.call)), None
            if dy.stride() != y.stride():
                dy = dy.contiguous(memory_format=torch.channels_last if _state.channels_last(y)
                                   else torch.contiguous_format)
            return gradient(dy, x, y, ctx.call), None

    FUNCTIONS["max_pool"] = (_applied(MaxPool),
                             lambda dy, x, y, call: (twice(dy, x, y, *_fused.parameters(call)),))
    ways["max_pool"] = FUNCTIONS["max_pool"][0]
    return lambda x, parameters: ways["max_pool"](x, _fused.number(*parameters))
