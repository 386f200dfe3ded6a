# SPDX-License-Identifier: Apache-2.0
"""Kernels of aten::_convolution and aten::convolution_backward."""
from typing import Any, List, Optional, Sequence, Tuple

import torch

from . import _onto, _state
from ._state import Declined, Plan, dims, empty, handle_of, operand, packed, plan, supported, types_of


def _spread(values: Sequence[int], count: int) -> Tuple[int, ...]:
    found = tuple(int(value) for value in values)
    return found * count if len(found) == 1 else found


class Shape:
    """The parameters of a convolution with a value for each spatial dim, and the format of its outputs.

    The format is that of torch's fake kernels, which compiled code relies on. One spatial dim runs as two.
    """

    def __init__(self, x: torch.Tensor, w: torch.Tensor, bias_sizes: Optional[Sequence[int]], stride: Any,
                 padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int) -> None:
        spatial = w.dim() - 2
        if spatial not in (1, 2, 3) or x.dim() != w.dim():
            raise Declined(f"the input has {x.dim()} dims, the filter has {w.dim()}; both have 3, 4 or 5")
        self.stride, self.padding = _spread(stride, spatial), _spread(padding, spatial)
        self.dilation, self.output_padding = _spread(dilation, spatial), _spread(output_padding, spatial)
        self.transposed, self.groups = transposed, groups
        every = (self.stride, self.padding, self.dilation, self.output_padding)
        if any(len(values) != spatial for values in every):
            raise Declined(f"a stride, padding or dilation does not have {spatial} values")
        if min(self.padding) < 0 or min(self.stride) < 1 or min(self.dilation) < 1 or groups < 1:
            raise Declined(f"padding {self.padding} is below 0, or stride {self.stride}, dilation {self.dilation} "
                           f"or groups {groups} is below 1")
        channels = w.shape[0] if transposed else w.shape[1] * groups
        if x.shape[1] != channels or w.shape[0] % groups:
            raise Declined(f"the input has {x.shape[1]} channels, the filter has {tuple(w.shape[:2])} with {groups} groups")
        self.output = self._output(x, w)
        if min(self.output[2:]) < 1:
            raise Declined("the filter is larger than the padded input")
        if bias_sizes is not None and tuple(bias_sizes) != (self.output[1],):
            raise Declined(f"the bias has size {tuple(bias_sizes)}, the output has {self.output[1]} channels")
        self.last = self.promised = self._format(x, w, bias_sizes)
        if _state.options.batch_invariant and spatial == 3:
            self.last = False  # torch's format on the CPU depends on the batch
        self.flat = spatial == 1
        if self.flat:
            self.stride, self.padding = (1, *self.stride), (0, *self.padding)
            self.dilation, self.output = (1, *self.dilation), (*self.output[:2], 1, *self.output[2:])

    def _output(self, x: torch.Tensor, w: torch.Tensor) -> Tuple[int, ...]:
        extents = []
        for axis, (step, pad, gap, extra) in enumerate(zip(self.stride, self.padding, self.dilation,
                                                           self.output_padding)):
            reach = gap * (w.shape[axis + 2] - 1) + 1
            if self.transposed:
                if extra >= step:
                    raise Declined(f"output padding {extra} is not smaller than stride {step}")
                extents.append((x.shape[axis + 2] - 1) * step - 2 * pad + reach + extra)
            else:
                extents.append((x.shape[axis + 2] + 2 * pad - reach) // step + 1)
        channels = w.shape[1] * self.groups if self.transposed else w.shape[0]
        return (x.shape[0], channels, *extents)

    def _format(self, x: torch.Tensor, w: torch.Tensor, bias_sizes: Optional[Sequence[int]]) -> bool:
        backend = torch._C._select_conv_backend(
            x, w, bias=None, stride=list(self.stride), padding=list(self.padding), dilation=list(self.dilation),
            transposed=self.transposed, output_padding=list(self.output_padding), groups=self.groups,
            bias_sizes=list(bias_sizes) if bias_sizes is not None else None)
        if x.dim() == 3:
            x, w = x.contiguous().unsqueeze(2), w.unsqueeze(2)
        found = torch._C._conv_determine_backend_memory_format(x, w, backend)
        return found in (torch.channels_last, torch.channels_last_3d)

    def keys(self, math: str) -> str:
        """Returns the parameters as keys of a problem's text."""
        return (f" pad={dims(self.padding)} stride={dims(self.stride)} dilation={dims(self.dilation)}"
                f" groups={self.groups} math={math}")

    def take(self, tensor: torch.Tensor) -> torch.Tensor:
        """Returns a tensor for the problem: packed in the format, with at least two spatial dims."""
        return packed(tensor.unsqueeze(2) if self.flat else tensor, self.last)

    def give(self, tensor: torch.Tensor) -> torch.Tensor:
        """Reverses `take` for a result, which gets the format that torch's fake kernels promise."""
        if self.promised and not self.last:
            return packed(tensor, True)
        return tensor.squeeze(2) if self.flat else tensor


def _math(x: torch.Tensor, allow_tf32: bool) -> str:
    """Returns the math mode.

    Half and bfloat16 may use matrix units. Float may be rounded to TF32 if torch's flag permits.
    """
    if x.dtype in (torch.float16, torch.bfloat16):
        return "tensor_op"
    if x.dtype == torch.float64:
        return "default"
    if _state.options.math is not None:
        return _state.options.math
    return "allow_conversion" if allow_tf32 and x.is_cuda else "default"


def _shape(handle: Any, x: torch.Tensor, w: torch.Tensor, bias_sizes: Optional[Sequence[int]],
           parameters: Tuple[Any, ...]) -> Tuple[Any, Shape]:
    """Returns the Shape of a call, kept with the handle, and the key of the call's plans."""
    key = (x.shape, x.stride(), x.dtype, w.shape, w.stride(), tuple(bias_sizes) if bias_sizes is not None else None,
           *(tuple(value) if isinstance(value, (list, tuple)) else value for value in parameters))
    kept = handle.prepared.get(key)
    if kept is None:
        try:
            kept = Shape(x, w, bias_sizes, *parameters)
        except Declined as reason:
            kept = reason
        handle.prepared[key] = kept
    if isinstance(kept, Declined):
        raise Declined(str(kept))
    return key, kept


Operands = List[Tuple[str, torch.Tensor]]
_FUSED = "convolution_bias_activation_forward"
_BARE = " nan=propagate activation=identity"
_ALONE = " alpha2=0 without=z"


def _plan_of(handle: Any, key: Any, operation: str, shape: Shape, math: str, rest: str, operands: Operands) -> Plan:
    return plan(handle, (operation, math, rest, key), lambda: " ".join(
        [operation, *(operand(role, tensor, shape.last) for role, tensor in operands)]) + shape.keys(math) + rest)


def _run(handle: Any, key: Any, operation: str, shape: Shape, math: str, rest: str, operands: Operands) -> Plan:
    found = _plan_of(handle, key, operation, shape, math, rest, operands)
    found.run([tensor for _, tensor in operands])
    return found


def _as_bias(bias: torch.Tensor, count: int) -> torch.Tensor:
    return bias.detach().contiguous().view(1, -1, *([1] * (count - 2)))


def convolution(x: torch.Tensor, w: torch.Tensor, bias: Optional[torch.Tensor], stride: Any, padding: Any,
                dilation: Any, transposed: bool, output_padding: Any, groups: int, benchmark: bool,
                deterministic: bool, cudnn_enabled: bool, allow_tf32: bool) -> Tuple[torch.Tensor, str]:
    """Returns y of aten::_convolution. With a bias, runs the fused operation if a backend has it."""
    supported(x, w, bias)
    if w.dtype != x.dtype or bias is not None and bias.dtype != x.dtype:
        raise Declined(types_of(input=x, filter=w, bias=bias))
    handle = handle_of(x, deterministic, benchmark)
    key, shape = _shape(handle, x, w, bias.shape if bias is not None else None,
                        (stride, padding, dilation, transposed, output_padding, groups))
    math, x, w = _math(x, allow_tf32 and cudnn_enabled), shape.take(x), shape.take(w)
    y = empty(shape.output, x, shape.last)
    if transposed:
        found = _run(handle, key, "convolution_backward_data", shape, math, "", [("w", w), ("dy", x), ("dx", y)])
    elif bias is not None:
        try:
            found = _run(handle, key, _FUSED, shape, math, " alpha2=0 activation=identity without=z",
                         [("x", x), ("w", w), ("bias", _as_bias(bias, y.dim())), ("y", y)])
            return shape.give(y), found.backend
        except Declined:
            found = _run(handle, key, "convolution_forward", shape, math, "", [("x", x), ("w", w), ("y", y)])
    else:
        found = _run(handle, key, "convolution_forward", shape, math, "", [("x", x), ("w", w), ("y", y)])
    if bias is not None:
        _state.beside()
        y.add_(_as_bias(bias, y.dim()))
    return shape.give(y), found.backend


def _prepared(x: torch.Tensor, w: torch.Tensor, z: Optional[torch.Tensor], bias: torch.Tensor, stride: Any,
              padding: Any, dilation: Any, groups: int) -> Tuple[Any, Any, Shape, str, Operands]:
    """Returns handle, key, Shape, math mode and operands without z of a fused convolution. The last operand is y."""
    supported(x, w, z, bias)
    if not x.dtype == w.dtype == bias.dtype or z is not None and z.dtype != x.dtype:
        raise Declined(types_of(input=x, filter=w, bias=bias, addition=z))
    handle = handle_of(x, torch._C._get_cudnn_deterministic(), torch._C._get_cudnn_benchmark())
    key, shape = _shape(handle, x, w, bias.shape, (stride, padding, dilation, False, [0] * (w.dim() - 2), groups))
    math = _math(x, _state.tf32() if x.is_cuda else False)
    x, w = shape.take(x), shape.take(w)
    y = empty(shape.output, x, shape.last)
    return handle, key, shape, math, [("x", x), ("w", w), ("bias", _as_bias(bias, y.dim())), ("y", y)]


def activated(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, stride: Any, padding: Any, dilation: Any,
              groups: int, activation: str) -> Tuple[torch.Tensor, str]:
    """Returns the activation, given as keys of a problem, of a convolution with bias, as one operation."""
    handle, key, shape, math, operands = _prepared(x, w, None, bias, stride, padding, dilation, groups)
    found = _run(handle, key, _FUSED, shape, math, _ALONE + activation, operands)
    return shape.give(operands[-1][1]), found.backend


def _epilogue(handle: Any, key: Any, shape: Shape, math: str, operands: Operands, z: Optional[torch.Tensor],
              activation: str) -> Tuple[Plan, Operands, bool, bool]:
    """Returns a plan, its operands, and whether it includes the addition of z and the activation.

    A part is included only if the backend is the same as without it: a route may end in a slow one that has every part.
    """
    bare = _plan_of(handle, key, _FUSED, shape, math, _ALONE + _BARE, operands)
    added = operands if z is None else [*operands[:2], ("z", z), *operands[2:]]
    start = _ALONE if z is None else " alpha2=1"
    for rest in (start + activation, start + _BARE) if activation else (start + _BARE,):
        try:
            found = _plan_of(handle, key, _FUSED, shape, math, rest, added)
        except Declined:
            continue
        if found.choice == bare.choice:
            return found, added, True, rest == start + activation
    return bare, operands, z is None, activation == _BARE


def with_epilogue(x: torch.Tensor, w: torch.Tensor, z: Optional[torch.Tensor], bias: torch.Tensor, stride: Any,
                  padding: Any, dilation: Any, groups: int, activation: str) -> Tuple[torch.Tensor, str, bool]:
    """Returns a convolution with bias, addition and activation, the backend, and whether the activation is included.

    The activation is given as keys of a problem, and "" stands for one that the library does not have.
    """
    handle, key, shape, math, operands = _prepared(x, w, z, bias, stride, padding, dilation, groups)
    y = operands[-1][1]
    if z is not None:
        z = shape.take(z)
        if z.shape != y.shape:
            raise Declined(f"the addition has shape {tuple(z.shape)}, the result has shape {tuple(y.shape)}")
    found, operands, added, whole = _epilogue(handle, key, shape, math, operands, z, activation)
    found.run([tensor for _, tensor in operands])
    if z is not None and not added:
        _state.beside()
        y.add_(z)
    return shape.give(y), found.backend, whole


def _bias_gradient(handle: Any, dy: torch.Tensor, shape: Shape) -> torch.Tensor:
    db = torch.empty((1, dy.shape[1], *([1] * (dy.dim() - 2))), dtype=dy.dtype, device=dy.device)
    try:
        plan(handle, ("db", dy.shape, shape.last, dy.dtype), lambda: " ".join(
            ["convolution_backward_bias", operand("dy", dy, shape.last), operand("db", db, False)])).run([dy, db])
    except Declined:
        _state.beside()
        return dy.sum([0, *range(2, dy.dim())])
    return db.view(-1)


def _filter_gradient(handle: Any, key: Any, shape: Shape, math: str, dy: torch.Tensor, x: torch.Tensor,
                     w: torch.Tensor) -> Tuple[torch.Tensor, str]:
    dw = empty(w.shape, w, shape.last)
    found = _run(handle, key, "convolution_backward_filter", shape, math, "", [("x", x), ("dy", dy), ("dw", dw)])
    return dw, found.backend


def convolution_backward(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, bias_sizes: Optional[Sequence[int]],
                         stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
                         groups: int, output_mask: Sequence[bool]) -> Tuple[Any, str]:
    """Returns (dx, dw, db), with None where the mask has False. torch passes no flags here: its current ones apply."""
    supported(dy, x, w)
    if not x.dtype == w.dtype == dy.dtype:
        raise Declined(types_of(input=x, filter=w, gradient=dy))
    handle = handle_of(x, torch._C._get_cudnn_deterministic(), torch._C._get_cudnn_benchmark())
    key, shape = _shape(handle, x, w, None, (stride, padding, dilation, transposed, output_padding, groups))
    math = _math(x, _state.tf32() if x.is_cuda else False)
    x, w, dy = shape.take(x), shape.take(w), shape.take(dy)
    if tuple(dy.shape) != shape.output:
        raise Declined(f"the gradient has shape {tuple(dy.shape)}, the output has shape {shape.output}")
    dx = dw = db = None
    backend = ""
    if output_mask[0]:
        dx = empty(x.shape, x, shape.last)
        if transposed:
            backend = _run(handle, key, "convolution_forward", shape, math, "",
                           [("x", dy), ("w", w), ("y", dx)]).backend
        else:
            backend = _run(handle, key, "convolution_backward_data", shape, math, "",
                           [("w", w), ("dy", dy), ("dx", dx)]).backend
    if output_mask[1]:
        large, small = (dy, x) if transposed else (x, dy)
        dw, backend = _filter_gradient(handle, key, shape, math, small, large, w)
    if output_mask[2]:
        db = _bias_gradient(handle, dy, shape)
    return (None if dx is None else shape.give(dx), None if dw is None else shape.give(dw), db), backend or "torch"


def backward_onto(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, dx: torch.Tensor, stride: Any, padding: Any,
                  dilation: Any, groups: int, wanted: Sequence[bool]) -> Tuple[Any, str]:
    """Returns (dw, db), with None where `wanted` has False, and adds the gradient of x to dx. dx is written last."""
    supported(dy, x, w, dx)
    if not x.dtype == w.dtype == dy.dtype == dx.dtype:
        raise Declined(types_of(input=x, filter=w, gradient=dy, shortcut=dx))
    flags = torch._C._get_cudnn_deterministic(), torch._C._get_cudnn_benchmark()
    handle = handle_of(x, *flags)
    key, shape = _shape(handle, x, w, None, (stride, padding, dilation, False, [0] * (w.dim() - 2), groups))
    math = _math(x, _state.tf32() if x.is_cuda else False)
    onto = shape.take(dx)
    if dx.shape != x.shape or _state.address(onto) != _state.address(dx):
        raise Declined("the gradient of the shortcut has another memory format than that of the convolution")
    x, w, dy = shape.take(x), shape.take(w), shape.take(dy)
    if tuple(dy.shape) != shape.output:
        raise Declined(f"the gradient has shape {tuple(dy.shape)}, the output has shape {shape.output}")
    adding = _onto.plan_of(handle, flags, (math, key), " ".join(
        ["convolution_backward_data", *(operand(role, one, shape.last) for role, one in
                                        (("w", w), ("dy", dy), ("dx", onto)))]) + shape.keys(math), [w, dy, onto])
    dw = shape.give(_filter_gradient(handle, key, shape, math, dy, x, w)[0]) if wanted[0] else None
    db = _bias_gradient(handle, dy, shape) if wanted[1] else None
    _onto.run(adding, [w, dy, onto])
    return (dw, db), adding.backend
