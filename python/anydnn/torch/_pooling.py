# SPDX-License-Identifier: Apache-2.0
"""Kernels of aten::avg_pool2d and its gradient, and the replacement of aten::max_pool2d."""
import functools
from typing import Any, Callable, Optional, Sequence, Tuple

import torch
from torch._C._functorch import is_functorch_wrapped_tensor

from . import _eager, _fused, _state
from ._state import Declined, channels_last, dims, empty, handle_of, operand, packed, plan, supported, types_of


def _pair(values: Sequence[int]) -> Tuple[int, ...]:
    found = tuple(int(value) for value in values)
    return found * 2 if len(found) == 1 else found


_CEIL = "ceil_mode adds a window at an edge"


def _ceil_adds(shape: Sequence[int], window: Sequence[int], step: Sequence[int], pad: Sequence[int]) -> bool:
    """Returns whether ceil_mode adds windows: one more on an axis begins before the end of the input and its pad."""
    for axis in range(2):
        extent = shape[axis - 2]
        floor = (extent + 2 * pad[axis] - window[axis]) // step[axis] + 1
        if (extent + 2 * pad[axis] - window[axis]) % step[axis] and floor * step[axis] < extent + pad[axis]:
            return True
    return False


def _parameters(shape: Sequence[int], window: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
                divisor: Optional[int]) -> Tuple[Tuple[int, ...], Tuple[int, ...], Tuple[int, ...], str]:
    if divisor is not None:
        raise Declined(f"divisor_override is {divisor}; anydnn divides by the window")
    window = _pair(window)
    stride = _pair(stride) if len(stride) else window
    padding = _pair(padding)
    if min(window) < 1 or min(stride) < 1 or min(padding) < 0 or any(2 * p > w for p, w in zip(padding, window)):
        raise Declined(f"window {window}, stride {stride} or padding {padding} is invalid")
    if ceil_mode and _ceil_adds(shape, window, stride, padding):
        raise Declined(_CEIL)
    mode = "average_include" if count_include_pad else "average_exclude"
    return window, stride, padding, f" mode={mode} window={dims(window)} pad={dims(padding)} stride={dims(stride)}"


def _lifted(x: torch.Tensor) -> torch.Tensor:
    if x.dim() not in (3, 4):
        raise Declined(f"the input has {x.dim()} dims, not 3 or 4")
    return x.unsqueeze(0) if x.dim() == 3 else x


def avg_pool2d(x: torch.Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0,), ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: Optional[int] = None) -> Tuple[Any, str]:
    """Returns y of aten::avg_pool2d."""
    supported(x)
    whole = _lifted(x)
    window, step, pad, keys = _parameters(whole.shape, kernel_size, stride, padding, ceil_mode, count_include_pad,
                                          divisor_override)
    last = channels_last(whole)
    whole = packed(whole, last)
    extents = [(whole.shape[axis + 2] + 2 * pad[axis] - window[axis]) // step[axis] + 1 for axis in range(2)]
    if min(extents) < 1:
        raise Declined(f"window {window} is larger than the padded input")
    y = empty((*whole.shape[:2], *extents), whole, last)
    handle = handle_of(x)
    found = plan(handle, ("avg_pool2d", whole.shape, last, x.dtype, keys), lambda: " ".join(
        ["pooling_forward", operand("x", whole, last), operand("y", y, last)]) + keys)
    found.run([whole, y])
    return (y.squeeze(0) if x.dim() == 3 else y), found.backend


def avg_pool2d_backward(dy: torch.Tensor, x: torch.Tensor, kernel_size: Any, stride: Any, padding: Any,
                        ceil_mode: bool, count_include_pad: bool,
                        divisor_override: Optional[int]) -> Tuple[Any, str]:
    """Returns dx of aten::avg_pool2d. Reads neither x nor y."""
    supported(dy, x)
    if dy.dtype != x.dtype:
        raise Declined(types_of(gradient=dy, input=x))
    whole, last = _lifted(x), channels_last(_lifted(x))
    keys = _parameters(whole.shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)[3]
    gradient = packed(_lifted(dy), last)
    dx = empty(whole.shape, whole, last)
    handle = handle_of(x)
    found = plan(handle, ("avg_pool2d_backward", whole.shape, gradient.shape, last, x.dtype, keys), lambda: " ".join(
        ["pooling_backward", operand("dy", gradient, last), operand("dx", dx, last)]) + keys + " without=y,x")
    found.run([gradient, dx])
    return (dx.squeeze(0) if x.dim() == 3 else dx), found.backend


# Maximum pooling is our own operator: torch's returns indices, which the operation does not provide.

def _max_keys(window: Sequence[int], stride: Sequence[int], padding: Sequence[int]) -> str:
    """Returns the keys. Ties select the first element, as in torch, and NaN propagates."""
    return f" mode=max_deterministic nan=propagate window={dims(window)} pad={dims(padding)} stride={dims(stride)}"


def _max_shape(x: torch.Tensor, window: Sequence[int], stride: Sequence[int],
               padding: Sequence[int]) -> Tuple[int, ...]:
    extents = [(x.shape[axis + 2] + 2 * padding[axis] - window[axis]) // stride[axis] + 1 for axis in range(2)]
    return (x.shape[0], x.shape[1], *extents)


def _max(x: torch.Tensor, window: Sequence[int], stride: Sequence[int],
         padding: Sequence[int]) -> Tuple[Any, str]:
    supported(x)
    last = channels_last(x)
    x = packed(x, last)
    y = empty(_max_shape(x, window, stride, padding), x, last)
    keys = _max_keys(window, stride, padding)
    found = plan(handle_of(x), ("max_pool2d", x.shape, last, x.dtype, keys), lambda: " ".join(
        ["pooling_forward", operand("x", x, last), operand("y", y, last)]) + keys)
    found.run([x, y])
    return y, found.backend


def _max_parts(x: torch.Tensor, window: Sequence[int], stride: Sequence[int],
               padding: Sequence[int]) -> torch.Tensor:
    y: torch.Tensor = torch.ops.aten.max_pool2d_with_indices(x, window, stride, padding)[0]
    return y


def _max_fake(x: torch.Tensor, window: Sequence[int], stride: Sequence[int],
              padding: Sequence[int]) -> torch.Tensor:
    return empty(_max_shape(x, window, stride, padding), x, channels_last(x))


def _max_gradient(dy: torch.Tensor, x: torch.Tensor, y: torch.Tensor, window: Sequence[int], stride: Sequence[int],
                  padding: Sequence[int]) -> Tuple[Any, str]:
    supported(dy, x)
    if dy.dtype != x.dtype:
        raise Declined(types_of(gradient=dy, input=x))
    last = channels_last(x)
    x, y, dy = packed(x, last), packed(y, last), packed(dy, last)
    dx, keys = empty(x.shape, x, last), _max_keys(window, stride, padding)
    found = plan(handle_of(x), ("max_pool2d_backward", x.shape, last, x.dtype, keys), lambda: " ".join(
        ["pooling_backward", operand("y", y, last), operand("dy", dy, last), operand("x", x, last),
         operand("dx", dx, last)]) + keys)
    found.run([y, dy, x, dx])
    return dx, found.backend


def _max_gradient_parts(dy: torch.Tensor, x: torch.Tensor, y: torch.Tensor, window: Sequence[int],
                        stride: Sequence[int], padding: Sequence[int]) -> torch.Tensor:
    places = torch.ops.aten.max_pool2d_with_indices(x, window, stride, padding)[1]
    dx: torch.Tensor = torch.ops.aten.max_pool2d_with_indices_backward(
        dy, x, window, stride, padding, [1, 1], False, places)
    return dx


def _max_gradient_fake(dy: torch.Tensor, x: torch.Tensor, y: torch.Tensor, window: Sequence[int],
                       stride: Sequence[int], padding: Sequence[int]) -> torch.Tensor:
    return empty(x.shape, x, channels_last(x))


_PLACES = "int[] window, int[] stride, int[] padding) -> Tensor"
_max_operator = _fused.own("max_pool2d", "(Tensor x, " + _PLACES, "pooling", _max, _max_parts, _max_fake)
_max_gradient_operator = _fused.own("max_pool2d_backward", "(Tensor dy, Tensor x, Tensor y, " + _PLACES, "pooling",
                                    _max_gradient, _max_gradient_parts, _max_gradient_fake)
_max_numbered = _fused.numbered("max_pool2d_numbered", "(Tensor x, int call) -> Tensor", "pooling", _max, _max_parts,
                                "max_pool2d")
_max_gradient_numbered = _fused.numbered(
    "max_pool2d_backward_numbered", "(Tensor dy, Tensor x, Tensor y, int call) -> Tensor", "pooling", _max_gradient,
    _max_gradient_parts, "max_pool2d_backward")


def _max_setup(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    x, *ctx.parameters = inputs
    ctx.save_for_backward(x, output)


def _max_backward(ctx: Any, dy: torch.Tensor) -> Any:
    x, y = ctx.saved_tensors
    # If a second derivative follows, torch's indices are used: their gradient has a formula.
    gradient = _max_gradient_parts if torch.is_grad_enabled() else _max_gradient_operator
    return gradient(dy, x, y, *ctx.parameters), None, None, None


torch.library.register_autograd("anydnn::max_pool2d", _max_backward, setup_context=_max_setup, lib=_fused.LIBRARY)


_max_with_gradient = _eager.max_pool(_max_numbered, _max_gradient_numbered, _max_gradient_parts)


@functools.lru_cache(maxsize=1024)
def _max_parameters(shape: Tuple[int, ...], window: Any, stride: Any, padding: Any, dilation: Any,
                    ceil_mode: bool) -> Tuple[str, Tuple[Tuple[int, ...], ...]]:
    """Returns why a call is declined, or "", and its window, stride and padding."""
    window = _pair(window)
    step, pad, gap = (_pair(stride) if len(stride) else window), _pair(padding), _pair(dilation)
    if gap != (1, 1):
        return f"dilation {dilation} is not 1", ()
    lengths = {len(window), len(step), len(pad)}
    if lengths != {2} or min(*window, *step) < 1 or min(pad) < 0 or any(2 * p > w for p, w in zip(pad, window)):
        return f"window {window}, stride {stride} or padding {padding} is invalid", ()
    if len(shape) not in (3, 4) or min((shape[axis - 2] + 2 * pad[axis] - window[axis]) // step[axis] + 1
                                       for axis in range(2)) < 1:
        return f"the input has shape {tuple(shape)}, which torch refuses", ()
    if ceil_mode and _ceil_adds(shape, window, step, pad):
        return _CEIL, ()
    return "", (window, step, pad)


def max_pool2d(name: str, key: str, previous: Any) -> Callable[..., Any]:
    """Makes the kernel of aten::max_pool2d like `hook`, with or without autograd.

    The kernel is our operator, which counts.
    """
    differentiable = key.startswith("Autograd")

    def kernel(keys: Any, x: torch.Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0,),
               dilation: Any = (1,), ceil_mode: bool = False) -> Any:
        if "pooling" not in _state.families:
            return previous.call_boxed(keys, x, kernel_size, stride, padding, dilation, ceil_mode)
        try:
            if type(x) not in (torch.Tensor, torch.nn.Parameter) or is_functorch_wrapped_tensor(x):
                raise Declined("the input belongs to a tracer or to functorch")
            if differentiable and _eager.tangents():
                raise Declined("forward-mode derivatives are computed")
            supported(x)
            reason, parameters = _max_parameters(x.shape, tuple(kernel_size), tuple(stride), tuple(padding),
                                                 tuple(dilation), ceil_mode)
            if reason:
                raise Declined(reason)
        except Declined as declined:
            _state.count(name, "torch", str(declined), 0.0)
            return previous.call_boxed(keys, x, kernel_size, stride, padding, dilation, ceil_mode)
        whole = x if x.dim() == 4 else x.unsqueeze(0)
        if not _eager.eager(x):
            y = _max_operator(whole, *parameters)
        elif differentiable:
            y = _max_with_gradient(whole, parameters)
        else:
            y = _max_numbered(whole, _fused.number(*parameters))
        return y.squeeze(0) if x.dim() == 3 else y

    return kernel
