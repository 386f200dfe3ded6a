# SPDX-License-Identifier: Apache-2.0
"""Tests layer, group and RMS normalization of anydnn.torch against their definitions in double and against torch.

Needs torch 2.11 or later and ANYDNN_LIBRARY.
"""
import copy
import itertools
import pathlib
import sys
import unittest
import warnings

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

ROUTES = ("cpu_ref", "onednn, cpu_ref")
ON = ("normalization",)


def defined(x, weight, bias, kind, size, epsilon):
    """Returns a normalization by torch's documented formula in double, which autograd differentiates."""
    wide = x.double()
    parts = wide.reshape(x.shape[0], size, -1) if kind == "group" else wide
    inner = [-1] if kind == "group" else list(range(-size, 0))
    mean = 0.0 if kind == "rms" else parts.mean(inner, keepdim=True)
    var = (parts - mean).square().mean(inner, keepdim=True)
    y = ((parts - mean) / torch.sqrt(var + epsilon)).reshape(x.shape)
    shape = (1, -1, *(1 for _ in x.shape[2:])) if kind == "group" else x.shape[-size:]
    y = y if weight is None else y * weight.double().reshape(shape)
    return y if bias is None else y + bias.double().reshape(shape)


def ran(x, weight, bias, kind, size, epsilon):
    """Returns the same by torch's functions."""
    if kind == "group":
        return functional.group_norm(x, size, weight, bias, epsilon)
    if kind == "rms":
        return functional.rms_norm(x, x.shape[-size:], weight, epsilon)
    return functional.layer_norm(x, x.shape[-size:], weight, bias, epsilon)


def slack_of(x, weight, kind, size):
    """Returns a bound of the error that rounded statistics cause in y and in the gradients, whose dy is at most 1.

    An error e of the deviation's inverse r, and e |mean| of the mean, change a normalized value n by e (|n| + r |mean|).
    That is at most e (8 + r |mean|) for sets of at most 60 elements. A gradient has at most 64 such terms; that of x
    is multiplied by r and the weight. The statistics of half and bfloat16 are float as long as nothing is saved.
    """
    parts = x.double().reshape(x.shape[0], size, -1) if kind == "group" else x.double().flatten(-size)
    mean = 0.0 if kind == "rms" else parts.mean(-1, keepdim=True)
    inverse = 1 / torch.sqrt((parts - mean).square().mean(-1) + 0.1)
    rounding = 4 * (2.0 ** -53 if x.dtype == torch.float64 else 2.0 ** -24)
    share = 0.0 if kind == "rms" else (mean.squeeze(-1).abs() * inverse).max().item()
    largest = 1.0 if weight is None else weight.abs().max().item()
    return 64 * rounding * (8 + share) * (1 + inverse.max().item() * largest)


def leaves_of(*tensors):
    return [None if one is None else one.detach().clone(memory_format=torch.preserve_format).requires_grad_()
            for one in tensors]


def all_of(function, x, weight, bias, *rest, dy=None):
    """Returns y and the gradients."""
    leaves = leaves_of(x, weight, bias)
    y = function(*leaves, *rest)
    y.backward(torch.linspace(-1, 1, y.numel(), dtype=torch.double).view(y.shape).to(y.dtype) if dy is None else dy)
    return [y.detach(), *(one.grad for one in leaves if one is not None)]


def report_of(backend):
    return sorted({line.operator for line in anydnn.torch.report() if line.backend == backend})


@unittest.skipUnless(torch, "torch is not installed")
class Norms(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        anydnn.torch.clear_report()
        self.addCleanup(anydnn.torch.disable)

    def near(self, found, wanted, kind, slack):
        """Compares with a result in double: `slack`, and a rounding to the result's type."""
        bound = slack + torch.finfo(kind).eps * (1 + wanted.abs().max().item())
        self.assertEqual(found.dtype, kind)
        self.assertLess((found.double() - wanted).abs().max().item(), bound)

    def test_definition(self):
        """Tests y and the three gradients: kinds, dims, types, with and without parameters, formats, strided inputs."""
        shapes = {"layer": [((3, 8), 1), ((2, 3, 4, 5), 2), ((4, 7), 2)], "rms": [((3, 8), 1), ((2, 3, 5), 2)],
                  "group": [((2, 6), 3), ((2, 6, 5), 2), ((3, 4, 5, 3), 1), ((2, 4, 2, 3, 2), 4)]}
        kinds = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
        for route, dtype, (kind, cases) in itertools.product(ROUTES, kinds, shapes.items()):
            for (shape, size), affine in itertools.product(cases, (0, 1, 2)):
                x = torch.randn(shape, dtype=dtype)
                inner = x.shape[1:2] if kind == "group" else x.shape[-size:]
                weight = torch.randn(inner, dtype=dtype) if affine else None
                bias = torch.randn(inner, dtype=dtype) if affine == 2 and kind != "rms" else None
                formats = [x, torch.stack([x, x], -1)[..., 0]]
                if kind == "group" and x.dim() in (4, 5):
                    formats.append(x.to(memory_format=torch.channels_last if x.dim() == 4 else torch.channels_last_3d))
                wanted = all_of(defined, x.double(), *(one if one is None else one.double() for one in (weight, bias)),
                                kind, size, 0.1, dy=torch.linspace(-1, 1, x.numel(), dtype=torch.double).view(shape)
                                .to(dtype).double())
                for each in formats:
                    with self.subTest(route=route, dtype=dtype, kind=kind, shape=shape, affine=affine, steps=each.stride()):
                        stock = all_of(ran, each, weight, bias, kind, size, 0.1)
                        with anydnn.torch.use(route=route, operators=ON):
                            for _ in range(2):
                                found = all_of(ran, each, weight, bias, kind, size, 0.1)
                                slack = slack_of(each, weight, kind, size)
                                for place, (one, truth, own) in enumerate(zip(found, wanted, stock)):
                                    if place and dtype.itemsize == 2:
                                        # torch and anydnn save the same rounded statistics, and each rounds once.
                                        self.near(one, own.double(), dtype, torch.finfo(dtype).eps * own.abs().max().item())
                                    else:
                                        self.near(one, truth, dtype, slack)
                                    self.assertEqual(one.stride(), own.stride())
        self.assertEqual(report_of("torch"), [])
        self.assertEqual(report_of("cpu_ref"), [
            "anydnn::rms_norm", "anydnn::rms_norm_backward", "native_group_norm", "native_group_norm_backward",
            "native_layer_norm", "native_layer_norm_backward"])

    def test_statistics_have_torchs_shapes_and_types(self):
        for dtype, weight_type in ((torch.float32,) * 2, (torch.bfloat16,) * 2, (torch.bfloat16, torch.float32),
                                   (torch.float16, None), (torch.float64,) * 2):
            x, w = torch.randn(3, 4, 6).to(dtype), None if weight_type is None else torch.rand(6, dtype=weight_type)
            v = None if weight_type is None else torch.rand(4, dtype=weight_type)
            calls = (lambda x=x, w=w: torch.native_layer_norm(x, (6,), w, w, 1e-5),
                     lambda x=x, v=v: torch.native_group_norm(x, v, v, 3, 4, 6, 2, 1e-5))
            for call in calls:
                wanted = call()
                with anydnn.torch.use(route="cpu_ref", operators=ON):
                    found = call()
                for one, other in zip(found, wanted):
                    self.assertEqual((one.dtype, one.shape, one.stride()), (other.dtype, other.shape, other.stride()))
                    torch.testing.assert_close(one, other)
        self.assertEqual(report_of("torch"), [])

    def test_masks(self):
        """Checks that gradients that are not wanted are undefined, and the others unchanged."""
        x, w = torch.randn(3, 4, 6), torch.randn(6)
        y = torch.native_layer_norm(x, (6,), w, w, 1e-5)
        group = torch.native_group_norm(x, w[:4], w[:4], 3, 4, 6, 2, 1e-5)
        aten = torch.ops.aten
        for mask in itertools.product((True, False), repeat=3):
            def layer(mask=list(mask)):
                return aten.native_layer_norm_backward(x, x, (6,), y[1], y[2], w, w, mask)

            def groups(mask=list(mask)):
                return aten.native_group_norm_backward(x, x, group[1], group[2], w[:4], 3, 4, 6, 2, mask)
            for call in (layer, groups):
                wanted = call()
                with anydnn.torch.use(route="cpu_ref", operators=ON):
                    for _ in range(2):
                        found = call()
                        for one, other, there in zip(found, wanted, mask):
                            self.assertEqual(one is None, not there)
                            if there:
                                torch.testing.assert_close(one, other)

    def test_mean_far_from_zero(self):
        """Checks that the variance does not cancel: y is within some roundings of the input's own size."""
        x = torch.randn(4, 256) + 1000
        wanted = defined(x, None, None, "layer", 1, 1e-5)
        for route in ROUTES:
            with anydnn.torch.use(route=route, operators=ON):
                found = functional.layer_norm(x, (256,))
            # The mean has half a unit of 1000 at least, and the deviation is 1.
            self.assertLess((found - wanted).abs().max().item(), 8 * 2.0 ** -24 * 1000)

    def test_rows_of_one_element(self):
        """Checks the exact values: y is the bias, and no gradient reaches x or the weight."""
        x, weight, bias = leaves_of(torch.tensor([[7.9821], [3.0]]), torch.tensor([-8.1396]), torch.tensor([4.72]))
        for route in ROUTES:
            with anydnn.torch.use(route=route, operators=ON):
                y = functional.layer_norm(x, (1,), weight, bias)
                found = torch.autograd.grad(y.sum(), (x, weight, bias))
            self.assertEqual(y.tolist(), [[bias.item()]] * 2)
            self.assertEqual([one.tolist() for one in found], [[[0.0], [0.0]], [0.0], [2.0]])

    def test_empty_and_wrong(self):
        """Checks that torch answers for tensors without elements and raises its own errors."""
        calls = [lambda: functional.layer_norm(torch.ones(0, 4), (4,)),
                 lambda: functional.group_norm(torch.ones(0, 4, 3), 2),
                 lambda: functional.rms_norm(torch.ones(0, 4), (4,))]
        wrong = [lambda: functional.layer_norm(torch.ones(2, 4), (3,)),
                 lambda: functional.layer_norm(torch.ones(2, 4), (4,), torch.ones(3)),
                 lambda: functional.layer_norm(torch.ones(2, 4), (4,), torch.ones(4, dtype=torch.double)),
                 lambda: functional.layer_norm(torch.ones(2, 4, dtype=torch.int64), (4,)),
                 lambda: functional.group_norm(torch.ones(2, 4), 3), lambda: functional.group_norm(torch.ones(4), 2),
                 lambda: functional.group_norm(torch.ones(2, 4), 2, torch.ones(3)),
                 lambda: functional.rms_norm(torch.ones(2, 4), (3,)),
                 lambda: functional.rms_norm(torch.ones(2, 4), (4,), torch.ones(3)),
                 lambda: torch.native_group_norm(torch.ones(2, 4), None, None, 2, 4, 3, 2, 1e-5)]

        def said(call):
            try:
                return tuple(call().shape)
            except (RuntimeError, ValueError, NotImplementedError) as error:
                return str(error).splitlines()[0]
        stock = [said(call) for call in calls + wrong]
        with anydnn.torch.use(route="cpu_ref", operators=ON):
            self.assertEqual([said(call) for call in calls + wrong], stock)
        self.assertTrue(any("no elements" in line.reason for line in anydnn.torch.report()))
        self.assertEqual(report_of("cpu_ref"), [])

    def test_declined_calls_run_on_torchs_kernels(self):
        """Checks a route without the operation: onednn has no double."""
        x = torch.randn(3, 4, 5, dtype=torch.double)
        norms = [one.double() for one in (nn.LayerNorm(5), nn.RMSNorm(5), nn.GroupNorm(2, 4))]
        for norm in norms:
            wanted = all_of(lambda x, _, __, norm=norm: norm(x), x, None, None)
            with anydnn.torch.use(route="onednn", operators=ON):
                found = all_of(lambda x, _, __, norm=norm: norm(x), x, None, None)
            for one, other in zip(found, wanted):
                torch.testing.assert_close(one, other)
        self.assertEqual(len(report_of("torch")), 6)

    def test_off_by_default(self):
        with anydnn.torch.use():
            nn.LayerNorm(4)(torch.ones(2, 4))
            torch.mm(torch.ones(2, 2), torch.ones(2, 2))
        self.assertEqual(anydnn.torch.report(), [])

    def test_derivatives_of_gradients(self):
        x, w, b = (torch.randn(*shape, dtype=torch.double, requires_grad=True) for shape in ((2, 4, 3), (3,), (3,)))
        c = torch.randn(4, dtype=torch.double, requires_grad=True)
        with anydnn.torch.use(route="cpu_ref", operators=ON):
            for function, given in ((lambda x, w, b: functional.layer_norm(x, (3,), w, b), (x, w, b)),
                                    (lambda x, w: functional.rms_norm(x, (3,), w), (x, w)),
                                    (lambda x, c: functional.group_norm(x, 2, c, c), (x, c))):
                self.assertTrue(torch.autograd.gradcheck(function, given))
                self.assertTrue(torch.autograd.gradgradcheck(function, given))

    def test_tracers_and_transforms(self):
        """Tests compile, export, vmap, jvp, grad and meta tensors, which torch's own operators serve."""
        x = torch.randn(2, 3, 4)
        for norm in (nn.LayerNorm(4), nn.RMSNorm(4), nn.GroupNorm(3, 3)):
            wanted = norm(x)

            def slope(z, norm=norm):
                return norm(z if z.dim() > 2 or not isinstance(norm, nn.GroupNorm) else z[None]).reshape(z.shape)
            tangent = torch.func.jvp(slope, (x,), (x,))[1]
            with anydnn.torch.use(route="cpu_ref", operators=ON), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch._dynamo.reset()
                torch.testing.assert_close(torch.compile(norm, backend="aot_eager")(x), wanted)
                torch.testing.assert_close(torch.export.export(norm, (x,)).module()(x), wanted)
                torch.testing.assert_close(torch.vmap(slope)(x), wanted)
                torch.testing.assert_close(torch.func.jvp(slope, (x,), (x,))[1], tangent)
                self.assertEqual(torch.func.grad(lambda z, f=slope: f(z).sum())(x).shape, x.shape)
                self.assertEqual(copy.deepcopy(norm).to("meta")(x.to("meta")).shape, x.shape)

    def test_inference_mode(self):
        for norm, x in ((nn.LayerNorm(6), torch.randn(2, 6)), (nn.RMSNorm(6), torch.randn(2, 6)),
                        (nn.GroupNorm(2, 4), torch.randn(2, 4, 3))):
            wanted = norm(x).detach()
            with torch.inference_mode(), anydnn.torch.use(route="cpu_ref", operators=ON):
                for one in (x, x.clone()):
                    torch.testing.assert_close(norm(one), wanted)
        self.assertEqual(report_of("torch"), [])

    def test_autocast(self):
        x = torch.randn(2, 4, 6)
        for norm in (nn.LayerNorm(6), nn.GroupNorm(2, 4), nn.RMSNorm(6)):
            with torch.autocast("cpu", torch.bfloat16):
                wanted = norm(x.bfloat16())
                with anydnn.torch.use(route="cpu_ref", operators=ON), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = norm(x.bfloat16())
            self.assertEqual(found.dtype, wanted.dtype)
            torch.testing.assert_close(found, wanted)

    def test_compiled_kernels(self):
        """Checks that the compiled kernels repeat calls with the bits of the Python kernels, and alone."""
        x, w = torch.randn(2, 4, 6), torch.randn(6)
        calls = [lambda x, w: functional.layer_norm(x, (6,), w, w.clone()), lambda x, w: functional.rms_norm(x, (6,), w),
                 lambda x, w: functional.group_norm(x, 2, w[:4].clone(), w[:4].clone())]
        for call in calls:
            def run(call=call):
                return all_of(lambda x, w, _: call(x, w), x, w, None)
            with anydnn.torch.use(route="cpu_ref", operators=ON, compiled=False):
                wanted = run()
            with anydnn.torch.use(route="cpu_ref", operators=ON, compiled=True):
                run()
                made = dict(anydnn.torch._fast._kernels)
                try:
                    for key in made:
                        anydnn.torch._fast._kernels[key] = (self.fail, self.fail, "normalization")
                    found = run()
                finally:
                    anydnn.torch._fast._kernels.update(made)
            self.assertTrue(all(torch.equal(*pair) for pair in zip(found, wanted)))


if __name__ == "__main__":
    unittest.main()
