# SPDX-License-Identifier: Apache-2.0
"""Compares batch normalization in half and bfloat16, with parameters in these types, with double.

Needs torch 2.11 or later and ANYDNN_LIBRARY.
"""
import itertools
import pathlib
import sys
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    torch = None
if torch:
    import anydnn.torch
    from anydnn.torch import _batch_norm, _fast, _folding

    SHORT = (torch.float16, torch.bfloat16)
    UNITS = {torch.float16: 2.0 ** -11, torch.bfloat16: 2.0 ** -8, torch.float32: 2.0 ** -24}
ROUTES = ("cpu_ref", "onednn, cpu_ref")
CHANNELS = 6


def vectors(kind, running):
    """Returns weight and bias in one type, running mean and variance in another."""
    return [one.to(given) for one, given in ((torch.randn(CHANNELS), kind), (torch.randn(CHANNELS), kind),
                                             (torch.randn(CHANNELS), running), (torch.rand(CHANNELS) + 0.5, running))]


def inputs(kind):
    for shape in ((9, CHANNELS), (4, CHANNELS, 5), (3, CHANNELS, 4, 5), (2, CHANNELS, 3, 2, 4)):
        x = (torch.randn(shape) * 2 + 1).to(kind)
        yield x
        if x.dim() == 4:
            yield x.to(memory_format=torch.channels_last)


@unittest.skipUnless(torch, "torch is not installed")
class Half(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        anydnn.torch.clear_report()
        self.addCleanup(anydnn.torch.disable)

    def rounded_once(self, found, wanted):
        """Allows one rounding to the type of `found`, and errors of float in numbers of up to about 2^5 and in sums of
        up to 2^6 of them: 2^11 units of float.
        """
        bound = UNITS[found.dtype] * wanted.abs() + 2.0 ** -13
        self.assertTrue(bool(((found.double() - wanted).abs() <= bound).all()), (found, wanted))

    def each(self):
        """Draws the types: x, weight and bias, running statistics."""
        for route in ROUTES:
            for kind in SHORT:
                for weights, running in itertools.product((kind, torch.float32), repeat=2):
                    for x in inputs(kind):
                        with self.subTest(route=route, x=tuple(x.shape), kind=kind, weights=weights, running=running):
                            yield route, x, vectors(weights, running)

    def only_anydnn(self):
        self.assertEqual([line for line in anydnn.torch.report() if line.reason], [])
        self.assertTrue(anydnn.torch.report())

    def test_inference(self):
        for route, x, (weight, bias, mean, var) in self.each():
            wanted = functional.batch_norm(x.double(), mean.double(), var.double(), weight.double(), bias.double())
            with torch.no_grad(), anydnn.torch.use(route=route):
                for _ in range(2):
                    y = functional.batch_norm(x, mean, var, weight, bias)
                    self.assertEqual((y.dtype, y.stride()), (x.dtype, x.stride()))
                    self.rounded_once(y, wanted)
        self.only_anydnn()

    def test_training(self):
        """Compares the result, the updated statistics, and the gradients from the statistics that were saved."""
        for route, x, given in self.each():
            wide = [one.double() for one in given]
            wanted = functional.batch_norm(x.double(), wide[2], wide[3], *wide[:2], True, 0.25)
            dy = torch.randn(x.shape).to(x)
            with anydnn.torch.use(route=route):
                weight, bias, mean, var = given
                y, *saved = torch.native_batch_norm(x, weight, bias, mean, var, True, 0.25, 1e-5)
                found = torch.ops.aten.native_batch_norm_backward(
                    dy, x, weight, None, None, *saved, True, 1e-5, [True] * 3)
            self.assertEqual({one.dtype for one in (*saved, *found[1:])}, {weight.dtype})
            for one, other in zip((y, mean, var), (wanted, wide[2], wide[3])):
                self.rounded_once(one, other)
            gradients = torch.ops.aten.native_batch_norm_backward(
                dy.double(), x.double(), wide[0], None, None, *(one.double() for one in saved), True, 1e-5, [True] * 3)
            for one, other in zip(found, gradients):
                self.rounded_once(one, other)
        self.only_anydnn()

    def test_without_some_parameters(self):
        """Tests absent parameters and statistics, which the operations get in the type of the others."""
        x = torch.randn(3, CHANNELS, 4, 5).half()
        weight, bias, mean, var = vectors(torch.float16, torch.float16)
        for weights in ((weight, None), (None, bias), (None, None)):
            for training, statistics in ((False, (mean, var)), (True, (None, None))):
                wide = [None if one is None else one.double() for one in (*statistics, *weights)]
                wanted = functional.batch_norm(x.double(), *wide, training)
                with anydnn.torch.use(route="cpu_ref"):
                    self.rounded_once(functional.batch_norm(x, *statistics, *weights, training), wanted)
        self.only_anydnn()

    def test_calls_repeat_without_python(self):
        """Tests that an equal call of a model in half runs in C++, as that of one in float does."""
        if not _fast.load():
            self.skipTest(_fast.reason)
        for kind in (*SHORT, torch.float32):
            for training in (False, True):
                model = nn.BatchNorm2d(CHANNELS).to(kind).train(training)
                x = torch.randn(2, CHANNELS, 3, 3).to(kind)
                with torch.no_grad(), anydnn.torch.use(route="cpu_ref", compiled=True), \
                        mock.patch.object(_batch_norm, "_forward", side_effect=_batch_norm._forward) as forward:
                    for _ in range(5):
                        model(x)
                    self.assertEqual(forward.call_count, 1, (kind, training))

    def test_fused_training(self):
        """Tests that a fused block in half runs on the library."""
        for kind in SHORT:
            model = nn.Sequential(nn.BatchNorm2d(CHANNELS), nn.ReLU()).to(kind)
            wide = nn.Sequential(nn.BatchNorm2d(CHANNELS), nn.ReLU()).double()
            x = torch.randn(3, CHANNELS, 4, 5).to(kind)
            anydnn.torch.fuse(model)
            with anydnn.torch.use(route="cpu_ref"):
                for _ in range(3):
                    y = model(x)
                y.sum().backward()
            for _ in range(3):
                wanted = wide(x.double())
            self.rounded_once(y.detach(), wanted.detach())
            self.assertEqual(model[0].weight.grad.dtype, kind)
            # Three updates round three times.
            for name in ("running_mean", "running_var"):
                found, other = getattr(model[0], name), getattr(wide[0], name)
                self.assertLess((found.double() - other).abs().max().item(), 3 * UNITS[kind] * 1.5)
        self.only_anydnn()

    def test_folded_filters_round_once(self):
        for kind in SHORT:
            conv, norm = nn.Conv2d(4, CHANNELS, 3).to(kind), nn.BatchNorm2d(CHANNELS).to(kind).eval()
            with torch.no_grad():
                for one, drawn in zip((norm.weight, norm.bias, norm.running_mean, norm.running_var),
                                      vectors(kind, kind)):
                    one.copy_(drawn)
            found = _folding.now(conv, norm)
            wanted = _folding.now(conv.double(), norm.double())
            for one, other in zip(found, wanted):
                self.assertEqual(one.dtype, kind)
                bound = UNITS[kind] * other.abs() * (1 + 2.0 ** -8) + 2.0 ** -22
                self.assertTrue(bool(((one.double() - other).abs() <= bound).all()))


if __name__ == "__main__":
    unittest.main()
