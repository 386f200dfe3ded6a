# SPDX-License-Identifier: Apache-2.0
"""The activations that `fuse` recognizes, as tuples of a name and its parameters, which a graph can hold."""
import math
from typing import Any, Dict, Optional, Tuple

import torch
from torch import nn
from torch.nn import functional

from . import _eager, _fused

Activation = Tuple[Any, ...]
IDENTITY: Activation = ("identity",)

_aten: Any = torch.ops.aten
# The names, with torch's operators that return a new tensor and that write into their operand.
_OPERATORS: Dict[str, Tuple[Any, Any]] = {
    name: (getattr(_aten, name).default, getattr(_aten, name + "_").default)
    for name in ("relu", "sigmoid", "tanh", "silu", "elu", "hardswish", "hardsigmoid", "gelu", "leaky_relu", "hardtanh",
                 "mish")}
_MODULES: Dict[type, Tuple[str, Tuple[str, ...]]] = {
    nn.ReLU: ("relu", ()), nn.ReLU6: ("hardtanh", ("min_val", "max_val")),
    nn.Hardtanh: ("hardtanh", ("min_val", "max_val")), nn.Sigmoid: ("sigmoid", ()), nn.Tanh: ("tanh", ()),
    nn.SiLU: ("silu", ()), nn.ELU: ("elu", ("alpha",)), nn.Hardswish: ("hardswish", ()),
    nn.Hardsigmoid: ("hardsigmoid", ()), nn.GELU: ("gelu", ("approximate",)),
    nn.LeakyReLU: ("leaky_relu", ("negative_slope",)), nn.Mish: ("mish", ())}
# The functions and methods, with their parameters after the operand and the defaults of these.
_FLAG = (("inplace", False),)
_FUNCTIONS: Dict[Any, Tuple[str, Tuple[Tuple[str, Any], ...]]] = {
    **dict.fromkeys((torch.relu, torch.relu_, functional.relu_, "relu", "relu_"), ("relu", ())),
    **dict.fromkeys((torch.sigmoid, torch.sigmoid_, functional.sigmoid, "sigmoid", "sigmoid_"), ("sigmoid", ())),
    **dict.fromkeys((torch.tanh, torch.tanh_, functional.tanh, "tanh", "tanh_"), ("tanh", ())),
    functional.relu: ("relu", _FLAG), functional.silu: ("silu", _FLAG), functional.hardswish: ("hardswish", _FLAG),
    functional.hardsigmoid: ("hardsigmoid", _FLAG), functional.mish: ("mish", _FLAG),
    functional.relu6: ("relu6", _FLAG), functional.elu: ("elu", (("alpha", 1.0), *_FLAG)),
    functional.gelu: ("gelu", (("approximate", "none"),)),
    functional.leaky_relu: ("leaky_relu", (("negative_slope", 0.01), *_FLAG)),
    functional.hardtanh: ("hardtanh", (("min_val", -1.0), ("max_val", 1.0), *_FLAG))}


def _named(name: str, values: Tuple[Any, ...]) -> Optional[Activation]:
    """Returns an activation, or None if a parameter is no constant number or word."""
    if name == "relu6":
        name, values = "hardtanh", (0.0, 6.0)
    if name == "gelu":
        return (name, *values) if values[0] in ("none", "tanh") else None
    if not all(isinstance(value, (int, float)) and math.isfinite(value) for value in values):
        return None
    return (name, *map(float, values))


def of_module(module: Any) -> Optional[Activation]:
    """Returns the activation that a module computes, or None."""
    found = _MODULES.get(type(module))
    return None if found is None else _named(found[0], tuple(getattr(module, name) for name in found[1]))


def of_call(target: Any, arguments: Tuple[Any, ...], named: Dict[str, Any]) -> Optional[Activation]:
    """Returns the activation of a function or a method, whose first argument is the operand, or None."""
    found = _FUNCTIONS.get(target)
    if found is None:
        return None
    name, parameters = found
    if len(arguments) > len(parameters) + 1 or not set(named) <= {one for one, _ in parameters}:
        return None
    given = dict(zip((one for one, _ in parameters), arguments[1:]))
    values = {**dict(parameters), **given, **named}
    values.pop("inplace", None)
    return _named(name, tuple(values.values()))


def ceiling(activation: Activation) -> Tuple[bool, Optional[float]]:
    """Returns whether an activation is ReLU, or ReLU with a ceiling, and the ceiling."""
    if activation[0] == "hardtanh" and activation[1] == 0.0 < activation[2]:
        return True, activation[2]
    return activation[0] == "relu", None


def keys(activation: Activation) -> str:
    """Returns the keys of a problem that has the activation, or "" if the library does not have it."""
    is_relu, top = ceiling(activation)
    if is_relu:
        return _fused.activation_keys(top)
    word = {"sigmoid": "sigmoid", "tanh": "tanh", "silu": "swish coef=1", "identity": "identity"}.get(activation[0], "")
    if activation[0] == "elu":
        word = f"elu coef={activation[1]!r}"
    return word and " nan=propagate activation=" + word


def full_keys(activation: Activation) -> str:
    """Returns the keys for a normalization or a product, which have GELU, too; "" for none of the library's."""
    if activation == IDENTITY:
        return ""
    if activation[0] == "gelu":
        return " activation=" + ("gelu" if activation[1] == "none" else "gelu_tanh")
    return keys(activation)


def apply(activation: Activation, y: torch.Tensor, own: bool = False) -> torch.Tensor:
    """Returns the activation of y by torch. Writes into y if it is the caller's own and nothing records the call."""
    name, *parameters = activation
    if name == "identity":
        return y
    fresh, in_place = _OPERATORS[name]
    run = in_place if own and not torch.is_grad_enabled() and _eager.eager(y) else fresh
    if name == "gelu":
        return run(y, approximate=parameters[0])  # type: ignore[no-any-return]
    return run(y, *parameters)  # type: ignore[no-any-return]
