# SPDX-License-Identifier: Apache-2.0
"""Tests mm, bmm, addmm, baddbmm and linear of anydnn.torch against products in double and against torch.

Needs torch 2.11 or later and ANYDNN_LIBRARY.
"""
import itertools
import pathlib
import random
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
ON = ("matmul",)


def laid(tensor, way):
    """Returns a tensor with the same values in another layout."""
    if way == "transposed":
        return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
    if way == "sliced":
        return torch.cat([tensor, tensor], -1)[..., :tensor.shape[-1]]
    if way == "every second":
        return torch.stack([tensor, tensor], -1)[..., 0]
    if way == "batch inside" and tensor.dim() == 3:
        return tensor.transpose(0, 1).contiguous().transpose(0, 1)
    if way == "expanded":
        return tensor[:1].expand_as(tensor) if tensor.dim() == 3 else tensor[:, :1].expand_as(tensor)
    return tensor


WAYS = ("packed", "transposed", "sliced", "every second", "batch inside", "expanded")


@unittest.skipUnless(torch, "torch is not installed")
class Products(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        anydnn.torch.clear_report()
        self.addCleanup(anydnn.torch.disable)

    def near(self, found, wanted, sizes, terms):
        """Compares with a product in double: `sizes` is that of absolute values, of which each term rounds once."""
        unit = 2.0 ** -53 if found.dtype == torch.float64 else 2.0 ** -24
        bound = (terms + 4) * unit * sizes + torch.finfo(found.dtype).eps * (wanted.abs() + 1e-30)
        self.assertEqual(found.shape, wanted.shape)
        self.assertTrue(found.is_contiguous())
        self.assertTrue(((found.double() - wanted).abs() <= bound).all())

    def test_definition(self):
        """Tests all four operators with drawn sizes, layouts, factors and addends, in all types."""
        draw = random.Random(1)
        kinds = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
        for route, dtype, count in itertools.product(ROUTES, kinds, range(30)):
            m, n, k, batch = (draw.choice([1, 2, 3, 7, 16]) for _ in range(4))
            outer = (batch,) if count % 2 else ()
            a = laid(torch.randn(*outer, m, k).to(dtype), draw.choice(WAYS))
            b = laid(torch.randn(*outer, k, n).to(dtype), draw.choice(WAYS))
            shape = draw.choice([(*outer, m, n), (n,), (1, n), (m, 1), (), (*outer, 1, n)])
            c = torch.randn(shape).to(dtype)
            beta, alpha = draw.choice([(1, 1), (0, 1), (0.5, 2), (1, -1.5)])
            product, sizes = a.double() @ b.double(), a.double().abs() @ b.double().abs()
            with self.subTest(route=route, dtype=dtype, a=(a.shape, a.stride()), b=(b.shape, b.stride()), c=shape,
                              beta=beta, alpha=alpha), anydnn.torch.use(route=route, operators=ON):
                for _ in range(2):
                    self.near(torch.bmm(a, b) if outer else torch.mm(a, b), product, sizes, k)
                    added = (torch.baddbmm if outer else torch.addmm)(c, a, b, beta=beta, alpha=alpha)
                    self.near(added, beta * c.double() + alpha * product, abs(beta) * c.double().abs() + abs(alpha) * sizes,
                              k + 2)
        found = {line.operator: line for line in anydnn.torch.report() if line.backend == "torch"}
        self.assertEqual({line.reason for line in found.values()} - {"every matrix of the batch is the same"}, set())
        self.assertEqual({line.operator for line in anydnn.torch.report() if line.backend != "torch"},
                         {"mm", "bmm", "anydnn::addmm", "anydnn::baddbmm"})

    def test_linear_and_its_gradients(self):
        for route, shape in itertools.product(ROUTES, ((6,), (3, 6), (2, 3, 6))):
            results = []
            leaves = [torch.randn(*one, requires_grad=True) for one in (shape, (5, 6), (5,))]
            for enabled in (False, True, True):
                if enabled:
                    anydnn.torch.enable(route=route, operators=ON)
                y = functional.linear(*leaves)
                results.append([y.detach(), *torch.autograd.grad(y, leaves, torch.linspace(-1, 1, y.numel()).view_as(y))])
                anydnn.torch.disable()
            for found in results[1:]:
                for one, other in zip(found, results[0]):
                    torch.testing.assert_close(one, other, rtol=0, atol=2.0 ** -20)
        names = {line.operator for line in anydnn.torch.report()}
        self.assertEqual(names, {"mm", "anydnn::addmm"})

    def test_beta_0_does_not_read_the_addend(self):
        a, b = torch.randn(3, 4), torch.randn(4, 5)
        with anydnn.torch.use(route="cpu_ref", operators=ON):
            for c in (torch.full((5,), torch.nan), torch.full((3, 5), torch.nan)):
                self.assertTrue(torch.equal(torch.addmm(c, a, b, beta=0), torch.mm(a, b)))

    def test_empty_and_wrong(self):
        """Checks that torch answers for tensors without elements and raises its own errors."""
        one, ints = torch.ones, torch.ones(2, 2, dtype=torch.int64)
        calls = [lambda: torch.mm(one(0, 3), one(3, 2)), lambda: torch.mm(one(2, 0), one(0, 3)),
                 lambda: torch.addmm(one(3), one(2, 0), one(0, 3)), lambda: torch.bmm(one(0, 2, 3), one(0, 3, 2)),
                 lambda: torch.mm(ints, ints), lambda: torch.addmm(ints, ints, ints), lambda: torch.mm(one(2, 3), one(2, 3)),
                 lambda: torch.addmm(one(4), one(2, 3), one(3, 2)), lambda: torch.addmm(one(2), one(2, 3), one(2, 3)),
                 lambda: torch.bmm(one(2, 3, 4), one(3, 4, 5)), lambda: torch.bmm(one(3, 4), one(4, 5)),
                 lambda: torch.mm(one(2, 2), one(2, 2, dtype=torch.double)),
                 lambda: torch.baddbmm(one(2, 2, 2), one(2, 2), one(2, 2)),
                 lambda: torch.addmm(one(2, 2, 2), one(2, 2), one(2, 2)),
                 lambda: torch.addmm(one(2, dtype=torch.double), one(2, 2), one(2, 2)),
                 lambda: functional.linear(one(2, 3), one(4, 2))]

        def said(call):
            try:
                return call().tolist()
            except (RuntimeError, IndexError) as error:
                return str(error).splitlines()[0]
        stock = [said(call) for call in calls]
        with anydnn.torch.use(route="cpu_ref", operators=ON):
            self.assertEqual([said(call) for call in calls], stock)
        self.assertEqual([line for line in anydnn.torch.report() if line.backend != "torch"], [])

    def test_out_and_in_place_stay_torchs(self):
        a, b, c = torch.randn(3, 4), torch.randn(4, 5), torch.randn(3, 5)
        wanted = torch.mm(a, b), c + torch.mm(a, b)
        with anydnn.torch.use(route="cpu_ref", operators=ON):
            out = torch.empty(3, 5)
            torch.mm(a, b, out=out)
            torch.testing.assert_close(out, wanted[0])
            torch.testing.assert_close(c.clone().addmm_(a, b), wanted[1])

    def test_derivatives_of_gradients(self):
        c, a, b = (torch.randn(*shape, dtype=torch.double, requires_grad=True) for shape in ((5,), (3, 4), (4, 5)))
        with anydnn.torch.use(route="cpu_ref", operators=ON):
            def function(c, a, b):
                return torch.addmm(c, a, b, beta=2, alpha=3)
            self.assertTrue(torch.autograd.gradcheck(function, (c, a, b)))
            self.assertTrue(torch.autograd.gradgradcheck(function, (c, a, b)))

    def test_tracers_and_transforms(self):
        layer, x = nn.Linear(4, 3), torch.randn(2, 4)
        wanted, slope = layer(x), torch.func.jvp(layer, (x,), (x,))[1]
        with anydnn.torch.use(route="cpu_ref", operators=ON), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch._dynamo.reset()
            torch.testing.assert_close(torch.compile(layer, backend="aot_eager")(x), wanted)
            torch.testing.assert_close(torch.export.export(layer, (x,)).module()(x), wanted)
            torch.testing.assert_close(torch.vmap(layer)(x), wanted)
            torch.testing.assert_close(torch.func.jvp(layer, (x,), (x,))[1], slope)
            self.assertEqual(nn.Linear(4, 3, device="meta")(torch.empty(2, 4, device="meta")).shape, (2, 3))

    def test_autocast(self):
        layer, x = nn.Linear(4, 3), torch.randn(2, 4)
        with torch.autocast("cpu", torch.bfloat16):
            wanted = layer(x)
            with anydnn.torch.use(route="cpu_ref", operators=ON):
                found = layer(x)
        self.assertEqual(found.dtype, torch.bfloat16)
        torch.testing.assert_close(found, wanted)

    def test_compiled_kernels(self):
        """Checks that compiled kernels repeat calls alone with the bits of the Python kernels, and follow factors."""
        a, b, c = torch.randn(3, 4), torch.randn(4, 5), torch.randn(5)

        def run():
            return [torch.mm(a, b), torch.bmm(a[None], b[None]), torch.addmm(c, a, b), torch.addmm(c, a, b, alpha=2),
                    torch.baddbmm(c, a[None], b[None])]
        with anydnn.torch.use(route="cpu_ref", operators=ON, compiled=False):
            wanted = run()
        with anydnn.torch.use(route="cpu_ref", operators=ON, compiled=True):
            run()
            made = dict(anydnn.torch._fast._kernels)
            try:
                for key in made:
                    anydnn.torch._fast._kernels[key] = (self.fail, self.fail, "matmul")
                found = run()
            finally:
                anydnn.torch._fast._kernels.update(made)
        self.assertTrue(all(torch.equal(*pair) for pair in zip(found, wanted)))


if __name__ == "__main__":
    unittest.main()
