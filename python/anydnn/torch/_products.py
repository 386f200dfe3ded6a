# SPDX-License-Identifier: Apache-2.0
"""Kernels of products of matrices: mm, bmm, addmm and baddbmm."""
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torch._C._functorch import is_functorch_wrapped_tensor

from . import _fused, _state
from ._state import TYPES, Declined, dims, handle_of, plan, supported, types_of

Maybe = Optional[torch.Tensor]


def _math(x: torch.Tensor, tf32: bool) -> str:
    if x.dtype in (torch.float16, torch.bfloat16):
        return "tensor_op"
    if x.dtype == torch.float64:
        return "default"
    if _state.options.math is not None:
        return _state.options.math
    return "allow_conversion" if tf32 and x.is_cuda else "default"


def tf32(x: torch.Tensor) -> bool:
    """Returns whether torch's flag permits TF32 for products of these matrices."""
    return x.is_cuda and x.dtype == torch.float32 and bool(torch._C._get_cublas_allow_tf32())


def _strides(tensor: torch.Tensor) -> Optional[Tuple[int, ...]]:
    """Returns strides that the operation accepts and that describe the tensor, or None if it needs a copy.

    No two elements share memory, and rows or columns are dense. The stride of a dim of size 1 means nothing.
    """
    extent, found = 1, [0] * tensor.dim()
    order = sorted(range(tensor.dim()), key=lambda dim: (tensor.shape[dim] > 1, tensor.stride(dim), -dim))
    for dim in order:
        size, step = tensor.shape[dim], tensor.stride(dim)
        if size > 1 and step < extent:
            return None
        found[dim] = step if size > 1 else 1
        extent = found[dim] * size if size > 1 else extent
    for dim in (-1, -2):  # a dense row or column needs the stride of its only neighbour
        if tensor.shape[dim] == 1:
            other = -3 - dim
            found[dim] = found[other] * tensor.shape[other] if found[other] == 1 else 1
    if found[-1] != 1 and found[-2] != 1:
        return None
    if tensor.dim() == 3 and tensor.shape[0] == 1:
        found[0] = extent
    return tuple(found)


def operand(role: str, tensor: torch.Tensor) -> Tuple[str, torch.Tensor]:
    """Returns the text of a matrix, or of a batch of them, and the tensor, which may be a copy."""
    word = f"{role}={TYPES[tensor.dtype]}:"
    if tensor.dim() == 3 and tensor.shape[0] > 1 and tensor.stride(0) == 0:
        tensor = tensor[:1]
    strides = _strides(tensor)
    if strides is None:
        tensor = tensor.contiguous()
        return word + dims(tensor.shape), tensor
    return word + dims(tensor.shape) + ":" + dims(strides), tensor


def _check(a: torch.Tensor, b: torch.Tensor, rank: int) -> None:
    supported(a, b)
    if a.dtype != b.dtype:
        raise Declined(types_of(a=a, b=b))
    if a.device != b.device:
        raise Declined(f"a matrix is on {a.device}, the other is on {b.device}")
    if a.dim() != rank or b.dim() != rank or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise Declined(f"the matrices have shapes {tuple(a.shape)} and {tuple(b.shape)}")


def _key(tensors: Sequence[torch.Tensor]) -> Tuple[Any, ...]:
    return tuple((one.shape, one.stride(), one.dtype) for one in tensors)


def run(a: torch.Tensor, b: torch.Tensor, allow_tf32: bool, rest: str = "",
        added: Optional[Dict[str, torch.Tensor]] = None, bare: bool = False) -> Tuple[torch.Tensor, Maybe, str]:
    """Returns d, aux and the backend of a product. `added` has c, a packed bias or an aux to fill, by their roles.

    With `bare`, the backend must be that of the product alone: a route may end in a slow one that has every part.
    """
    handle, mode, added = handle_of(a), _math(a, allow_tf32), added or {}
    key = ("matmul", mode, rest, *_key([a, b]), *((role, one.shape, one.dtype) for role, one in added.items()))
    (text_a, a), (text_b, b) = operand("a", a), operand("b", b)
    d = torch.empty((*a.shape[:-2], a.shape[-2], b.shape[-1]), dtype=a.dtype, device=a.device)
    if d.dim() == 3 and b.shape[0] > a.shape[0]:
        d = torch.empty((b.shape[0], *d.shape[1:]), dtype=a.dtype, device=a.device)

    def text(words: List[str], keys: str) -> str:
        return " ".join(["matmul", text_a, text_b, *words]) + f"{keys} math={mode}"
    found = plan(handle, key, lambda: text([f"{role}={TYPES[one.dtype]}:{dims(one.shape)}"
                                            for role, one in added.items()], rest))
    if bare and found.choice != plan(handle, ("bare", *key), lambda: text([], "")).choice:
        raise Declined("another backend would run it than the product alone")
    tensors = {"a": a, "b": b, "d": d, **added}
    found.run([tensors[each.role] for each in found.problem.operands])
    return d, added.get("aux"), found.backend


def _product(a: torch.Tensor, b: torch.Tensor, rank: int) -> Tuple[torch.Tensor, str]:
    _check(a, b, rank)
    if a.dim() == 3 and a.shape[0] > 1 and a.stride(0) == b.stride(0) == 0:
        raise Declined("every matrix of the batch is the same")
    if a.is_cuda and a.dtype == torch.float32:
        _state.beside()  # a recipe would outlive a change of torch's flag
    d, _, backend = run(a, b, tf32(a))
    return d, backend


def mm(a: torch.Tensor, b: torch.Tensor) -> Tuple[torch.Tensor, str]:
    """Returns the product of aten::mm."""
    return _product(a, b, 2)


def bmm(a: torch.Tensor, b: torch.Tensor) -> Tuple[torch.Tensor, str]:
    """Returns the products of aten::bmm."""
    return _product(a, b, 3)


def _sum(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: float, alpha: float,
         allow_tf32: bool) -> Tuple[torch.Tensor, str]:
    """Returns beta c + alpha a b. A c that broadcasts is a bias if beta is 1."""
    _check(a, b, a.dim())
    shape = (*a.shape[:-1], b.shape[-1])
    if c.dim() > len(shape) or any(have not in (1, want) for have, want in zip(reversed(c.shape), reversed(shape))):
        raise Declined(f"the addend has shape {tuple(c.shape)}, the product has shape {shape}")
    if c.dtype != a.dtype or c.device != a.device:
        raise Declined(types_of(addend=c, a=a, b=b))
    if a.dim() == 3 and a.shape[0] > 1 and a.stride(0) == b.stride(0) == 0:
        raise Declined("every matrix of the batch is the same")
    rest = f" alpha={alpha!r}"
    if beta == 0:
        d, _, backend = run(a, b, allow_tf32, rest)
        return d, backend
    supported(c)
    if tuple(c.shape) != shape and beta == 1:
        bias = c.reshape((1,) * (len(shape) - c.dim()) + tuple(c.shape)).contiguous()
        d, _, backend = run(a, b, allow_tf32, rest, {"bias": bias})
    else:
        d, _, backend = run(a, b, allow_tf32, f"{rest} beta={beta!r}", {"c": c.expand(shape).contiguous()})
    return d, backend


def _parts(function: Any) -> Callable[..., Any]:
    """Returns a function that runs torch's own kernel, which its operator with `out` still has."""
    def run_out(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: float, alpha: float,
                _allow_tf32: bool) -> torch.Tensor:
        found: torch.Tensor = function(c, a, b, beta=beta, alpha=alpha, out=a.new_empty(0))
        return found
    return run_out


_OPERATORS = {name: _fused.numbered(f"{name}_numbered", "(Tensor c, Tensor a, Tensor b, int call) -> Tensor",
                                    "matmul", _sum, _parts(getattr(torch.ops.aten, name).out), name)
              for name in ("addmm", "baddbmm")}


def _fits(rank: int, c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: Any, alpha: Any) -> None:
    for one in (c, a, b):
        if type(one) not in (torch.Tensor, torch.nn.Parameter) or is_functorch_wrapped_tensor(one):
            raise Declined("an operand belongs to a tracer or to functorch")
    if not all(isinstance(one, (int, float)) and math.isfinite(one) for one in (beta, alpha)):
        raise Declined(f"the factors {beta} and {alpha} are not finite numbers")
    supported(a, b)
    if a.dim() != rank or b.dim() != rank or c.numel() == 0:
        raise Declined(f"the operands have shapes {tuple(c.shape)}, {tuple(a.shape)} and {tuple(b.shape)}")


def sums(name: str, key: str, previous: Any) -> Callable[..., Any]:
    """Makes the kernel of aten::addmm or aten::baddbmm like `hook`.

    torch's stable ABI does not pass their factors to compiled kernels, so this kernel passes their number.
    """
    del key
    rank, operator = {"addmm": 2, "baddbmm": 3}[name], _OPERATORS[name]

    def kernel(keys: Any, c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
        if "matmul" not in _state.families:
            return previous.call_boxed(keys, c, a, b, beta=beta, alpha=alpha)
        try:
            _fits(rank, c, a, b, beta, alpha)
        except Declined as declined:
            _state.count(name, "torch", str(declined), 0.0)
            return previous.call_boxed(keys, c, a, b, beta=beta, alpha=alpha)
        return operator(c, a, b, _fused.number(float(beta), float(alpha), tf32(a)))
    return kernel
