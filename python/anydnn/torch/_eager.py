# SPDX-License-Identifier: Apache-2.0
"""Operators of our own where nothing but autograd looks on: in eager mode.

An autograd.Function around kernels without autograd costs the host less than autograd registered with an operator
does, and running statistics may be written in place. Tracers and torch.func get the functional operators.
"""
from typing import Any, Optional, Sequence, Tuple

import torch
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.autograd import Function, forward_ad

from . import _fused, _state

Maybe = Optional[torch.Tensor]
_PLAIN = (torch.Tensor, torch.nn.Parameter)


def tangents() -> bool:
    """Whether derivatives are taken forward, for which our operators have no formula."""
    return forward_ad._current_level >= 0  # type: ignore[no-any-return]


def eager(x: torch.Tensor) -> bool:
    """Whether a call is neither traced nor transformed."""
    return (not torch.compiler.is_compiling() and type(x) in _PLAIN and not torch._C._len_torch_dispatch_stack()
            and not torch._C._are_functorch_transforms_active() and not is_functorch_wrapped_tensor(x)
            and torch._C._get_tracing_state() is None)


class _NormRelu(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, z: Maybe, weight: torch.Tensor, bias: torch.Tensor, running_mean: torch.Tensor,
                running_var: torch.Tensor, momentum: float, epsilon: float, ceiling: Optional[float]) -> torch.Tensor:
        y, mean, inverse, reserve = _fused.norm_in_place(x, z, weight, bias, running_mean, running_var, momentum,
                                                         epsilon, ceiling)
        ctx.save_for_backward(x, weight, bias, mean, inverse, reserve)
        ctx.rest = epsilon, ceiling, z is not None
        return y  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> Any:
        return (*_fused.norm_gradients(grad_outputs[0], *ctx.saved_tensors, *ctx.rest), None, None, None, None, None)


class _ConvRelu(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Sequence[int],
                padding: Sequence[int], dilation: Sequence[int], groups: int,
                ceiling: Optional[float]) -> torch.Tensor:
        y: torch.Tensor = _fused.conv_flagged(x, w, bias, stride, padding, dilation, groups, ceiling, _state.flags())
        ctx.save_for_backward(x, w, bias, y)
        ctx.parameters = stride, padding, dilation, groups, ceiling
        return y

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> Any:
        dy, = grad_outputs
        x, w, bias, y = ctx.saved_tensors
        wanted = ctx.needs_input_grad[:3]
        if torch.is_grad_enabled():
            found = _fused.conv_gradients(dy, x, w, bias, y, ctx.parameters, wanted)
        else:
            stride, padding, dilation, groups, ceiling = ctx.parameters
            found = torch.ops.aten.convolution_backward.default(
                _fused.passed(dy, y, ceiling), x, w, [w.shape[0]], stride, padding, dilation, False,
                [0] * len(stride), groups, wanted)
        return (*found, None, None, None, None, None)


def _applied(function: Any) -> Any:
    """`apply` without what it does for torch.func, which `eager` excludes."""
    return getattr(super(Function, function), "apply")


norm_relu = _applied(_NormRelu)
conv_relu = _applied(_ConvRelu)


def max_pool(operator: Any, gradient: Any, twice: Any) -> Any:
    """Maximum pooling by our operator, whose gradient is `gradient` and, to be differentiated again, `twice`."""
    class MaxPool(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, *parameters: Tuple[int, ...]) -> torch.Tensor:
            with torch._C._AutoDispatchBelowAutograd():
                y: torch.Tensor = operator(x, *parameters)
            ctx.save_for_backward(x, y)
            ctx.parameters = parameters
            return y

        @staticmethod
        def backward(ctx: Any, *grad_outputs: torch.Tensor) -> Any:
            dy, = grad_outputs
            x, y = ctx.saved_tensors
            if dy.stride() != y.stride():
                dy = dy.contiguous(memory_format=torch.channels_last if _state.channels_last(y)
                                   else torch.contiguous_format)
            kernel = twice if torch.is_grad_enabled() else gradient
            return kernel(dy, x, y, *ctx.parameters), None, None, None

    return _applied(MaxPool)
