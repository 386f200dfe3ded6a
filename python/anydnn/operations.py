# SPDX-License-Identifier: Apache-2.0
"""One function per operation, on arrays of any library.

Arrays are used in place: the problem has their shape, strides and type. Results are created by the library of the
first array, packed in its layout (channels last if that is so), or go to `out=`. Shapes: x is N,C,spatial; w is
K,C/groups,spatial; parameters of batch normalization are vectors of C. `pad`, `stride`, `dilation`, `window` are one
number or one per spatial dim, in elements. BadParam: an argument breaks a rule. NotSupported: no backend of the route
runs the problem. Both carry the library's message. TypeError: an argument is not an array.
"""
import operator
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from . import arrays
from .arrays import View
from .handle import Handle, default_handle
from .problem import Problem

Extents = Union[int, Sequence[int]]

_WORDS = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "s8", "uint8": "u8",
          "int32": "s32", "int64": "s64"}
_problems: Dict[str, Problem] = {}


def _list(values: Sequence[int]) -> str:
    return ",".join(map(str, values))


def _one(name: str, value: Any) -> Optional[int]:
    """Returns an integer of Python or NumPy, or None for a sequence. Raises TypeError for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        if not hasattr(value, "__iter__"):
            raise TypeError(f"{name} is {value!r}; it must be an integer or a sequence of integers") from None
        return None


def _each(name: str, value: Extents, count: int) -> str:
    """Returns a key of a problem with one value for each of `count` dims."""
    one = _one(name, value)
    return f"{name}=" + _list(value if one is None else [one] * count)  # type: ignore[arg-type]


def _number(value: float) -> str:
    """Returns the shortest text of a number, also of NumPy's, whose repr() names their type."""
    return repr(float(value))


def _operand(role: str, view: View) -> str:
    return f"{role}={_WORDS[view.type]}:{_list(view.shape)}:{_list(view.strides)}"


def _result(role: str, like: View, shape: Sequence[int]) -> str:
    last = len(shape) > 2 and len(like.strides) > 2 and like.strides[1] == 1 and like.strides[-1] != 1
    return f"{role}={_WORDS[like.type]}:{_list(shape)}:{'nhwc' if last else 'nchw'}"


def _filter(role: str, view: View) -> str:
    """Returns the text of a filter.

    Filters are packed: the text names the format, and the run checks the array's layout.
    """
    last = len(view.shape) > 2 and view.strides[1] == 1 and view.strides[-1] != 1
    return f"{role}={_WORDS[view.type]}:{_list(view.shape)}:{'nhwc' if last else 'nchw'}"


def _problem(text: str) -> Problem:
    found = _problems.get(text)
    if found is None:
        found = _problems[text] = Problem(text)
    return found


def _in_place(inputs: Dict[str, Any], result: str, out: Any) -> Sequence[str]:
    """Returns the key of a problem for the inputs that share the address of the result, or nothing."""
    address = arrays.view(out).address
    pairs = [f"{result}:{role}" for role, value in inputs.items() if arrays.view(value).address == address]
    return ["alias=" + ",".join(pairs)] if pairs else []


def _run(words: Sequence[str], inputs: Dict[str, Any], handle: Optional[Handle], result: str, out: Any) -> Any:
    given = dict(inputs)
    if out is not None:
        words = [*words, *_in_place(inputs, result, out)]
        given[result] = out
    problem = _problem(" ".join(words))
    if handle is None:
        handle = default_handle(arrays.view(next(iter(inputs.values()))).device)
    return problem.run(handle, **given)[result]


def _convolution(pad: Extents, stride: Extents, dilation: Extents, groups: int, math: str, count: int) -> str:
    extents = (("pad", pad), ("stride", stride), ("dilation", dilation))
    return " ".join(_each(name, value, count) for name, value in extents) + f" groups={groups} math={math}"


def convolution_forward(x: Any, w: Any, *, pad: Extents = 0, stride: Extents = 1, dilation: Extents = 1,
                        groups: int = 1, math: str = "default", handle: Optional[Handle] = None,
                        out: Any = None) -> Any:
    """Returns y, N,K,P,Q with P = 1 + floor((H + 2 pad - ((R - 1) dilation + 1)) / stride)."""
    a, b = arrays.view(x), arrays.view(w)
    words = ["convolution_forward", _operand("x", a), _filter("w", b),
             _convolution(pad, stride, dilation, groups, math, len(b.shape) - 2)]
    if out is not None:
        words.append(_operand("y", arrays.view(out)))
    else:
        shape = next(one.shape for one in _problem(" ".join(words)).operands if one.role == "y")
        words.append(_result("y", a, shape))
    return _run(words, {"x": x, "w": w}, handle, "y", out)


def convolution_backward_data(w: Any, dy: Any, shape: Sequence[int], *, pad: Extents = 0, stride: Extents = 1,
                              dilation: Extents = 1, groups: int = 1, math: str = "default",
                              handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns dx of the given shape, the gradient of x. This is the transposed convolution of dy."""
    a, b = arrays.view(w), arrays.view(dy)
    target = _operand("dx", arrays.view(out)) if out is not None else _result("dx", b, shape)
    return _run(["convolution_backward_data", _filter("w", a), _operand("dy", b), target,
                 _convolution(pad, stride, dilation, groups, math, len(a.shape) - 2)],
                {"w": w, "dy": dy}, handle, "dx", out)


def convolution_backward_filter(x: Any, dy: Any, shape: Sequence[int], *, pad: Extents = 0, stride: Extents = 1,
                                dilation: Extents = 1, groups: int = 1, math: str = "default",
                                handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns dw of the given shape K,C/groups,spatial, the gradient of w."""
    a, b = arrays.view(x), arrays.view(dy)
    target = _filter("dw", arrays.view(out)) if out is not None else _result("dw", a, shape)
    return _run(["convolution_backward_filter", _operand("x", a), _operand("dy", b), target,
                 _convolution(pad, stride, dilation, groups, math, len(a.shape) - 2)],
                {"x": x, "dy": dy}, handle, "dw", out)


def pooling_forward(x: Any, window: Extents, *, pad: Extents = 0, stride: Optional[Extents] = None,
                    mode: str = "max", nan: str = "propagate", handle: Optional[Handle] = None,
                    out: Any = None) -> Any:
    """Returns y: the maximum or the average ("average_include", "average_exclude") of each window.

    stride None: window.
    """
    a = arrays.view(x)
    count = len(a.shape) - 2
    words = ["pooling_forward", _operand("x", a), f"mode={mode} nan={nan}", _each("window", window, count),
             _each("pad", pad, count), _each("stride", window if stride is None else stride, count)]
    if out is not None:
        words.append(_operand("y", arrays.view(out)))
    else:
        shape = next(one.shape for one in _problem(" ".join(words)).operands if one.role == "y")
        words.append(_result("y", a, shape))
    return _run(words, {"x": x}, handle, "y", out)


def _same(operation: str, x: Any, keys: str, handle: Optional[Handle], out: Any) -> Any:
    a = arrays.view(x)
    target = _operand("y", arrays.view(out)) if out is not None else _result("y", a, a.shape)
    return _run([operation, _operand("x", a), target, keys], {"x": x}, handle, "y", out)


def activation_forward(x: Any, activation: str = "relu", *, coef: float = 0.0, nan: str = "propagate",
                       handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns y = sigmoid, relu, tanh, clipped_relu (ceiling coef), elu (alpha coef) or swish (beta coef) of x."""
    return _same("activation_forward", x, f"activation={activation} coef={_number(coef)} nan={nan}", handle, out)


def softmax_forward(x: Any, algorithm: str = "accurate", mode: str = "channel", *,
                    handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns y over dim 1 ("channel") or over all but dim 0 ("instance"). algorithm: accurate, fast or log."""
    return _same("softmax_forward", x, f"softmax={algorithm} mode={mode}", handle, out)


def lrn_forward(x: Any, n: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 2.0, *,
                handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns y = x * (k + alpha / n * sum of x^2 over n channels)^-beta."""
    return _same("lrn_forward", x, f"n={n} lrn_alpha={_number(alpha)} lrn_beta={_number(beta)} k={_number(k)}",
                 handle, out)


def batch_normalization_inference(x: Any, scale: Any, bias: Any, mean: Any, var: Any, *, epsilon: float = 1e-5,
                                  handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns y = scale * (x - mean) / sqrt(var + epsilon) + bias.

    Parameters: shape 1,C,1,... in float32 or float64.
    """
    a = arrays.view(x)
    target = _operand("y", arrays.view(out)) if out is not None else _result("y", a, a.shape)
    words = ["batch_normalization_inference", _operand("x", a), target, f"epsilon={_number(epsilon)}"]
    return _run(words, {"x": x, "scale": scale, "bias": bias, "mean": mean, "var": var}, handle, "y", out)


def batch_normalization_training(x: Any, scale: Any, bias: Any, *, epsilon: float = 1e-5,
                                 handle: Optional[Handle] = None) -> Tuple[Any, Any, Any]:
    """Returns (y, mean, 1 / sqrt(var + epsilon)) with the statistics of x, which the backward pass needs."""
    a = arrays.view(x)
    parameter = _WORDS["float64" if a.type == "float64" else "float32"] + ":" + _list(
        [1, a.shape[1]] + [1] * (len(a.shape) - 2))
    problem = _problem(" ".join(["batch_normalization_training", _operand("x", a), _result("y", a, a.shape),
                                 f"save_mean={parameter} save_inv_var={parameter} epsilon={_number(epsilon)}"]))
    results = problem.run(handle, x=x, scale=scale, bias=bias)
    return results["y"], results["save_mean"], results["save_inv_var"]


def spatial_grid_forward(theta: Any, shape: Sequence[int], *, handle: Optional[Handle] = None,
                         out: Any = None) -> Any:
    """Returns the grid N,H,W,2 of the affine matrices theta, N,2,3.

    shape is H,W; -1 and 1 are centres of border pixels.
    """
    a = arrays.view(theta)
    target = _operand("grid", arrays.view(out)) if out is not None else _result(
        "grid", a, [a.shape[0], *shape, 2])
    return _run(["spatial_grid_forward", _operand("theta", a), target], {"theta": theta}, handle, "grid", out)


def spatial_sampler_forward(x: Any, grid: Any, *, handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns y, N,C,H,W: x at the points of grid, N,H,W,2, with bilinear interpolation and zeros around the image."""
    a, b = arrays.view(x), arrays.view(grid)
    target = _operand("y", arrays.view(out)) if out is not None else _result(
        "y", a, [*a.shape[:2], *b.shape[1:3]])
    return _run(["spatial_sampler_forward", _operand("x", a), _operand("grid", b), target],
                {"x": x, "grid": grid}, handle, "y", out)


def ctc_loss(x: Any, labels: Any, label_lengths: Any, input_lengths: Any, *, normalization: str = "softmax",
             nan: str = "ignore", handle: Optional[Handle] = None) -> Tuple[Any, Any]:
    """Returns (costs, gradients) of x, T,N,A, with the blank 0: -log of the probability of each sequence's labels.

    labels, label_lengths and input_lengths are int32 arrays in host memory on every device. labels holds the labels of
    all sequences one after another. Gradients are with respect to the input of the softmax.
    """
    a, b = arrays.view(x), arrays.view(labels)
    problem = _problem(" ".join(["ctc_loss", _operand("x", a), _operand("labels", b), _result("gradients", a, a.shape),
                                 f"normalization={normalization} nan={nan}"]))
    results = problem.run(handle, x=x, labels=labels, label_lengths=label_lengths, input_lengths=input_lengths)
    return results["costs"], results["gradients"]


def _statistics(view: View, kind: str, axes: Sequence[int], groups: int) -> Sequence[int]:
    """Returns the shape of a normalization's means: 1 along the axes, or N,groups,1,.."""
    if kind in ("group", "instance"):
        count = view.shape[1:2] if kind == "instance" else (groups,)
        return [*view.shape[:1], *count] + [1] * (len(view.shape) - 2)
    return [1 if i in axes else size for i, size in enumerate(view.shape)]


def _normalization(kind: str, axes: Sequence[int], groups: int, epsilon: float, activation: str) -> str:
    words = [f"kind={kind}", f"epsilon={_number(epsilon)}", f"activation={activation}"]
    words += [f"axes={_list(sorted(axes))}"] if axes else []
    words += [f"groups={operator.index(groups)}"] if groups != 1 else []
    words += ["coef=1"] if activation == "swish" else []
    return " ".join(words)


def _axes(view: View, kind: str, axes: Optional[Extents]) -> Sequence[int]:
    """Returns axes counted from the first dim. The library refuses those that x or the kind does not have."""
    if axes is None:
        axes = () if kind in ("group", "instance") else (-1,)
    one = _one("axes", axes)
    given = list(axes) if one is None else [one]  # type: ignore[arg-type]
    return [axis + len(view.shape) if axis < 0 else axis for axis in given]


def normalization_forward(x: Any, *, kind: str = "layer", axes: Optional[Extents] = None, groups: int = 1,
                          scale: Any = None, bias: Any = None, z: Any = None, epsilon: float = 1e-5,
                          activation: str = "identity", handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns y = activation(scale * (v - mean) / sqrt(var + epsilon) + bias), v = x + z.

    kind: "layer" and "rms" over axes (None: the last), "group" with groups of channels, "instance". RMS has mean 0.
    scale and bias have the number of dims of x, and 1 where they do not vary. activation: that of Problem, "gelu",
    "gelu_tanh"; "swish" is SiLU.
    """
    a = arrays.view(x)
    given = {role: value for role, value in (("scale", scale), ("bias", bias), ("z", z)) if value is not None}
    target = _operand("y", arrays.view(out)) if out is not None else _result("y", a, a.shape)
    words = ["normalization_forward", _operand("x", a), target]
    words += [_operand(role, arrays.view(value)) for role, value in given.items()]
    words.append(_normalization(kind, _axes(a, kind, axes), groups, epsilon, activation))
    return _run(words, {"x": x, **given}, handle, "y", out)


def normalization_training(x: Any, *, kind: str = "layer", axes: Optional[Extents] = None, groups: int = 1,
                           scale: Any = None, bias: Any = None, epsilon: float = 1e-5,
                           handle: Optional[Handle] = None) -> Tuple[Any, Any, Any]:
    """Returns (y, mean, 1 / sqrt(var + epsilon)); the mean is None for RMS."""
    a = arrays.view(x)
    given = {role: value for role, value in (("scale", scale), ("bias", bias)) if value is not None}
    saved = _WORDS["float64" if a.type == "float64" else "float32"] + ":" + _list(
        _statistics(a, kind, _axes(a, kind, axes), groups))
    words = ["normalization_forward", _operand("x", a), _result("y", a, a.shape), f"save_inv_dev={saved}"]
    words += [f"save_mean={saved}"] if kind != "rms" else []
    words += [_operand(role, arrays.view(value)) for role, value in given.items()]
    words.append(_normalization(kind, _axes(a, kind, axes), groups, epsilon, "identity"))
    results = _problem(" ".join(words)).run(handle, x=x, **given)
    return results["y"], results.get("save_mean"), results["save_inv_dev"]


def normalization_backward(x: Any, dy: Any, *, kind: str = "layer", axes: Optional[Extents] = None, groups: int = 1,
                           scale: Any = None, bias: Any = None, epsilon: float = 1e-5, activation: str = "identity",
                           handle: Optional[Handle] = None) -> Tuple[Any, Any, Any]:
    """Returns (dx, dscale, dbias); the last two are None where scale and bias are.

    The statistics are computed from x again.
    """
    a = arrays.view(x)
    given = {role: value for role, value in (("scale", scale), ("bias", bias)) if value is not None}
    words = ["normalization_backward", _operand("x", a), _operand("dy", arrays.view(dy)), _result("dx", a, a.shape)]
    for role, value in given.items():
        b = arrays.view(value)
        words += [_operand(role, b), _result("d" + role, b, b.shape)]
    words.append(_normalization(kind, _axes(a, kind, axes), groups, epsilon, activation))
    results = _problem(" ".join(words)).run(handle, x=x, dy=dy, **given)
    return results["dx"], results.get("dscale"), results.get("dbias")


def matmul(a: Any, b: Any, *, c: Any = None, bias: Any = None, alpha: float = 1.0, beta: float = 1.0,
           activation: str = "identity", math: str = "default", handle: Optional[Handle] = None, out: Any = None) -> Any:
    """Returns d = activation(alpha * a b + beta * c + bias); the dims before the last two are a batch, or 1.

    Transposed arrays are used in place. bias has the number of dims of d, and 1 where it does not vary.
    """
    given = {role: value for role, value in (("c", c), ("bias", bias)) if value is not None}
    words = ["matmul", _operand("a", arrays.view(a)), _operand("b", arrays.view(b))]
    words += [_operand("d", arrays.view(out))] if out is not None else []
    words += [_operand(role, arrays.view(value)) for role, value in given.items()]
    words += [f"alpha={_number(alpha)}", f"beta={_number(beta if c is not None else 0)}",
              f"activation={activation}", f"math={math}"]
    words += ["coef=1"] if activation == "swish" else []
    return _run(words, {"a": a, "b": b, **given}, handle, "d", out)
