# SPDX-License-Identifier: Apache-2.0
"""Trains ResNet-18 for some steps on torch's kernels and on anydnn's, and checks the losses against propagated bounds.

The results of two correct backends may differ by twice the bound of a real-valued sum,
    u |y| + (8 + sqrt(K) / 2) 2^-23 S + 4 v sqrt(sum (a b)^2).
The sum has K terms a b, and S is the sum of their absolute values. u is the rounding of the result's type, and v that
of the operands (TF32 only). The effect on the losses is measured. torch's own run is repeated several times; each run
changes the results of these calls by random amounts up to that bound. The root mean square over these runs gives the
deviation of each step's loss. anydnn's loss must lie within four deviations. Compiled models are compared with torch's
compiled ones.

Needs torch 2.11 or later and ANYDNN_LIBRARY. Uses the GPU if torch has one.
"""
import contextlib
import math
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "examples")]
try:
    import torch
    from torch.nn import functional
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:
    torch = None
if torch:
    import anydnn.torch
    from models import model_of
    DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
    HALF = torch.float16 if DEVICE == "cuda" else torch.bfloat16
    aten = torch.ops.aten
    ROUTES = ({"cpu": ("cpu_ref", "onednn, cpu_ref"),
               "cuda": ("cuda_simt", "cuda_tensorcore, cuda_simt", "cudnn, cuda_simt")}[DEVICE])
    UNITS = {torch.float32: 2.0 ** -24, torch.float16: 2.0 ** -11, torch.bfloat16: 2.0 ** -8}

STEPS, MOVED_RUNS, DEVIATIONS = 3, 6, 4.0


def terms(count):
    """Returns the bound's factor of S for sums of `count` terms."""
    return (8 + 0.5 * math.sqrt(count)) * 2.0 ** -23


def plain(tensor):
    return tensor.detach().float()


class Moved(torch.utils._python_dispatch.TorchDispatchMode if torch else object):
    """Moves the results of convolutions and batch normalizations, and of their gradients, within twice their bounds."""

    def __init__(self, seed, operand_unit):
        super().__init__()
        self.generator = torch.Generator(DEVICE).manual_seed(seed)
        self.operand_unit, self.count = operand_unit, 0
        self.bounds = {
            aten.convolution.default: self.convolution, aten.convolution_backward.default: self.convolution_backward,
            aten.native_batch_norm.default: self.norm, aten.cudnn_batch_norm.default: self.norm,
            aten.native_batch_norm_backward.default: self.norm_backward,
            aten.cudnn_batch_norm_backward.default: self.cudnn_norm_backward}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        if func not in self.bounds:
            return found
        self.count += 1
        results = found if isinstance(found, (tuple, list)) else [found]
        for result, bound in zip(results, self.bounds[func](args, results)):
            if result is not None and bound is not None:
                bound = bound + UNITS[result.dtype] * plain(result).abs()
                ways = torch.rand(result.shape, generator=self.generator, device=DEVICE) * 2 - 1
                result.copy_((plain(result) + 2 * bound * ways).to(result.dtype))
        return found

    def sums(self, count, operation, *operands):
        """Returns terms(K) S of an operation that sums products, plus the rounding of its operands."""
        bound = operation(*(plain(one).abs() for one in operands)) * terms(count)
        if self.operand_unit:
            squares = operation(*(plain(one).square() for one in operands))
            bound = bound + 4 * self.operand_unit * squares.clamp_min(0).sqrt()
        return bound

    def convolution(self, args, _):
        x, w, bias, *rest = args
        assert bias is None
        return [self.sums(w[0].numel(), lambda x, w: aten.convolution(x, w, None, *rest), x, w)]

    def convolution_backward(self, args, _):
        dy, x, w, _, *rest, _ = args
        count = dy.numel() // dy.shape[1]

        def both(which):
            return lambda dy, x, w: aten.convolution_backward(dy, x, w, None, *rest, [which == 0, which == 1, False])[which]
        return [self.sums(w.numel() // w.shape[1], both(0), dy, x, w) if args[-1][0] else None,
                self.sums(count, both(1), dy, x, w), None]

    @staticmethod
    def norm(args, results):
        """Returns the error: terms(M) mean|x| in the mean, terms(M) mean x^2 in the variance, and y is its power -1/2.
        """
        x, weight, bias, epsilon = plain(args[0]), plain(args[1]), plain(args[2]), args[7]
        wide, count = (1, -1, 1, 1), x.numel() // x.shape[1]
        mean, size, square = (one.mean((0, 2, 3)).view(wide) for one in (x, x.abs(), x.square()))
        inverse = ((square - mean.square()).clamp_min(0) + epsilon).rsqrt()
        slope = weight.view(wide).abs() * inverse
        return [slope * (terms(count) * size + (x - mean).abs() * (2.0 ** -22 + terms(count) * square * inverse.square() / 2))
                + 2.0 ** -23 * bias.view(wide).abs()]

    @staticmethod
    def gradient(dy, x, weight, mean, inverse):
        """Returns the error of dx = weight inverse (dy - mean(dy) - xhat mean(dy xhat)), and of the two sums."""
        dy, x, wide, count = plain(dy), plain(x), (1, -1, 1, 1), x.numel() // x.shape[1]
        inverse = inverse.float().view(wide)
        xhat = (x - mean.float().view(wide)) * inverse
        sums = [one.abs().sum((0, 2, 3)) for one in (dy * xhat, dy)]
        means = [one.view(wide) / count for one in sums]
        factor = terms(count) + 2.0 ** -21
        return [weight.float().view(wide).abs() * inverse
                * (2.0 ** -21 * dy.abs() + factor * (means[1] + xhat.abs() * means[0])), *(factor * one for one in sums)]

    def norm_backward(self, args, _):
        dy, x, weight, _, _, mean, inverse, *_ = args
        return self.gradient(dy, x, weight, mean, inverse)

    def cudnn_norm_backward(self, args, _):
        x, dy, weight, _, _, mean, inverse, *_ = args
        return self.gradient(dy, x, weight, mean, inverse)


class Rounded(torch.utils._python_dispatch.TorchDispatchMode if torch else object):
    """A mode that rounds the operands of convolutions to 8 bits; the bounds for 24 bits must reject its losses."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is aten.convolution.default:
            args = (*(one.bfloat16().to(one.dtype) for one in args[:2]), *args[2:])
        return func(*args, **(kwargs or {}))


def losses(channels_last=False, autocast=False, compiled=False, fused=False, mode=None):
    """Returns the losses of some steps of SGD, all from the same seed."""
    torch.manual_seed(3)
    model = model_of("resnet18", 10, True).to(DEVICE)
    x = torch.randn(8, 3, 16, 16).to(DEVICE)
    labels = torch.randint(10, (8,)).to(DEVICE)
    if channels_last:
        model, x = model.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
    if fused:
        anydnn.torch.fuse(model)
    run = torch.compile(model) if compiled else model
    optimizer, found = torch.optim.SGD(model.parameters(), 0.02, 0.9), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        with mode or contextlib.nullcontext():
            with torch.autocast(DEVICE, HALF, autocast):
                loss = functional.cross_entropy(run(x).float(), labels)
            loss.backward()
        optimizer.step()
        found.append(loss.item())
    torch.compiler.reset()
    return found


@unittest.skipUnless(torch, "torch is not installed")
class Losses(unittest.TestCase):
    def tearDown(self):
        anydnn.torch.disable()

    def held(self, tf32=False, **way):
        """Returns the losses of an uncompiled model on torch's kernels, and four deviations for each."""
        torch.backends.cudnn.allow_tf32 = tf32
        stock, squares = losses(**way), [0.0] * STEPS
        for seed in range(MOVED_RUNS):
            moved = Moved(seed, 2.0 ** -10 if tf32 and DEVICE == "cuda" and not way.get("autocast") else 0.0)
            found = losses(**way, mode=moved)
            self.assertEqual(moved.count, STEPS * 4 * 20)  # 20 convolutions, 20 normalizations, forward and backward
            squares = [have + (one - other) ** 2 for have, one, other in zip(squares, found, stock)]
        return stock, [DEVIATIONS * math.sqrt(one / MOVED_RUNS) for one in squares]

    def judge(self, name, found, stock, bounds):
        print(f"{name}: " + ", ".join(f"{abs(a - b):.1e} of {bound:.1e}" for a, b, bound in zip(found, stock, bounds)))
        return all(abs(a - b) <= bound for a, b, bound in zip(found, stock, bounds))

    def compared(self, *also, tf32=False, **way):
        """Compares the losses. `also` has further options of a run with the same bounds."""
        stock, bounds = self.held(tf32, **way)
        for extra in ({}, *also):
            beside = losses(**way, **extra) if extra.get("compiled") else stock
            for route in ROUTES:
                name = " ".join([*(word for word, on in {**way, **extra}.items() if on), "eager"][:3]) + f" on {route}"
                with self.subTest(name), anydnn.torch.use(route=route):
                    anydnn.torch.clear_report()
                    found = losses(**way, **extra)
                    calls = anydnn.torch.report().calls()
                    self.assertGreaterEqual(sum(n for backend, n in calls.items() if backend != "torch"), STEPS * 40)
                    self.assertEqual(calls.get("torch", 0), 0, anydnn.torch.report())
                self.assertTrue(self.judge(name, found, beside, bounds), name)

    def test_eager_compiled_fused(self):
        self.compared({"compiled": True}, {"fused": True})

    def test_channels_last(self):
        self.compared(channels_last=True)

    def test_autocast(self):
        self.compared({"fused": True}, autocast=True)

    def test_autocast_channels_last(self):
        self.compared({"compiled": True}, autocast=True, channels_last=True)

    def test_tf32(self):
        if DEVICE != "cuda":
            self.skipTest("TF32 is the GPU's")
        self.compared(tf32=True)

    def test_the_bounds_see_rounded_operands(self):
        stock, bounds = self.held()
        self.assertFalse(self.judge("operands of 8 bits", losses(mode=Rounded()), stock, bounds))


if __name__ == "__main__":
    unittest.main()
