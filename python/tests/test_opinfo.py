# SPDX-License-Identifier: Apache-2.0
"""Runs torch's sample and error inputs of convolution, pooling, normalization and products on torch's kernels and on anydnn's.

Needs torch 2.11 or later with torch.testing's internal lists (expecttest), and ANYDNN_LIBRARY.
"""
import math
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
try:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError:
    torch = None
if torch:
    import anydnn.torch

ROUTES = ("cpu_ref", "onednn, cpu_ref")
WORDS = ("conv", "max_pool", "avg_pool", "batch_norm", "softmax", "layer_norm", "group_norm", "rms_norm", "instance_norm",
         "addmm", "bmm", "matmul", "functional.linear")
KINDS = ("float32", "float64", "bfloat16", "float16", "complex64", "int64")


def tensors(value):
    """Returns the tensors of a nested result."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [one for part in value for one in tensors(part)] if isinstance(value, (tuple, list)) else []


def copied(value):
    """Returns a copy with separate leaves, so that each run has its own gradients and statistics."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone(memory_format=torch.preserve_format).requires_grad_(value.requires_grad)
    if isinstance(value, (tuple, list)):
        return type(value)(copied(one) for one in value)
    return {key: copied(one) for key, one in value.items()} if isinstance(value, dict) else value


def run(info, sample):
    """Returns the results, the gradients and the modified inputs of one sample, or the type of the exception."""
    first, rest, named = copied(sample.input), copied(sample.args), copied(sample.kwargs)
    leaves = [one for one in tensors([first, list(rest), list(named.values())])]
    torch.manual_seed(1)
    try:
        found = tensors(info(first, *rest, **named))
        ends = [one for one in found if one.requires_grad]
        if ends:
            torch.autograd.backward(ends, [torch.linspace(-1, 1, max(one.numel(), 1), dtype=torch.double)[:one.numel()]
                                           .view(one.shape).to(one.dtype) for one in ends])
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as error:
        return type(error)
    return [one.detach() for one in found] + [one.grad if one.grad is not None else one.detach() for one in leaves]


def of_one(info, sample):
    """Returns whether it is a layer normalization of one element, for which torch's gradients are not exactly 0."""
    return "layer_norm" in info.name and math.prod(sample.args[0]) == 1


def far(one, other):
    """Returns whether two results differ by more than sums of a few hundred terms in another order."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return True
    if one.is_complex():
        one, other = torch.view_as_real(one.resolve_conj()), torch.view_as_real(other.resolve_conj())
    if not one.is_floating_point() or one.numel() == 0:
        return not torch.equal(one, other)
    unit = torch.finfo(one.dtype).eps
    one, other = one.double(), other.double()
    whole = other[other.isfinite()]
    size = 1 + (whole.abs().max().item() if whole.numel() else 0)
    return not torch.allclose(one, other, 0, 2.0 ** 8 * size * unit, equal_nan=True)


@unittest.skipUnless(torch, "torch is not installed, or without its lists of operators")
class Samples(unittest.TestCase):
    def test_samples(self):
        chosen = [info for info in op_db if any(word in info.name for word in WORDS) and "sparse" not in info.name
                  and "masked" not in info.name and "cross_entropy" not in info.name]
        self.assertGreater(len(chosen), 20)
        wrong, count = [], 0
        for route in ROUTES:
            for info in chosen:
                for word in KINDS:
                    kind = getattr(torch, word)
                    if not info.supports_dtype(kind, "cpu"):
                        continue
                    gradient = kind in info.supported_backward_dtypes("cpu")
                    for number, sample in enumerate(info.sample_inputs("cpu", kind, requires_grad=gradient)):
                        if of_one(info, sample):
                            continue
                        wanted = run(info, sample)
                        with anydnn.torch.use(route=route, everything=True):
                            found = run(info, sample)
                        count += 1
                        same = (wanted == found if isinstance(wanted, type) or isinstance(found, type) else
                                len(wanted) == len(found) and not any(map(far, found, wanted)))
                        if not same:
                            wrong.append(f"{route}: {info.full_name} {word} sample {number}: {str(sample)[:300]}")
        print(f"{count} samples of {len(chosen)} operators")
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertGreater(sum(calls for name, calls in anydnn.torch.report().calls().items() if name != "torch"), 1000)

    def test_errors(self):
        """Checks that inputs that torch rejects are rejected with its own message."""
        for info in op_db:
            if not any(word in info.name for word in WORDS) or info.error_inputs_func is None:
                continue
            for error in info.error_inputs("cpu"):
                sample = error.sample_input
                with anydnn.torch.use(everything=True), self.assertRaisesRegex(error.error_type, error.error_regex):
                    info(sample.input, *sample.args, **sample.kwargs)


if __name__ == "__main__":
    unittest.main()
