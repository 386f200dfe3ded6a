# SPDX-License-Identifier: Apache-2.0
"""Tests the gradients of residual blocks' inputs that fuse adds up. Needs torch 2.11 or later and ANYDNN_LIBRARY."""
import copy
import pathlib
import pickle
import sys
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "examples")]
try:
    import torch
    from torch import nn
    from torch.autograd import forward_ad
    from torch.nn.utils import parametrize
    from torch.utils import checkpoint, dlpack
except ImportError:
    torch = None
if torch:
    import anydnn.torch
    import models
    from anydnn.torch import _blocks, _onto, _shortcut, _state

    class Strange(torch.Tensor):
        """A tensor with its own operators."""

    class Written(nn.Module):
        """A block with a given forward."""

        def __init__(self, forward, **options):
            super().__init__()
            self.conv, self.other = nn.Conv2d(4, 4, 3, padding=1, **options), nn.Conv2d(4, 4, 1)
            self.norm, self.relu, self.alike = nn.BatchNorm2d(4), nn.ReLU(), nn.Identity()
            self.down = nn.Sequential(nn.Sequential(nn.Conv2d(4, 4, 1)), nn.BatchNorm2d(4))
            self.path = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4))
            self.written = forward

        def forward(self, x):
            return self.written(self, x)

    def in_place(m, x):
        x = x * 1
        y = m.conv(x)
        x += y
        return x

    def in_place_on_other(m, x):
        y = m.conv(x)
        y += x
        return y

    def three(m, x):
        y = m.conv(x)
        return y + x + x.sin()

    def inside(m, x):
        """Tests a value inside a pattern whose other user is a conv with ReLU."""
        x = m.relu(m.norm(x))
        return m.conv(x) + m.relu(m.other(x))

    # The branches that each forward has in training.
    FORWARDS = [
        (lambda m, x: m.conv(x) + x, ["conv + shortcut"]),
        (lambda m, x: x + m.conv(x), ["conv + shortcut"]),
        (lambda m, x: torch.add(m.alike(x), m.norm(m.conv(x))), ["conv + shortcut"]),
        (lambda m, x: m.norm(m.conv(x)) + m.alike(x), ["conv + shortcut"]),
        (lambda m, x: m.relu(m.norm(m.conv(x)) + x), ["conv + shortcut", "norm + add + relu"]),
        (lambda m, x: m.conv(x) + m.other(x), ["conv + shortcut"]),
        (lambda m, x: m.other(x) + m.conv(x), ["other + shortcut"]),
        (lambda m, x: m.conv(x) + m.down(x), ["conv + shortcut"]),
        (lambda m, x: m.path(x) + m.other(x), ["path.0 + shortcut"]),
        (inside, ["conv + shortcut", "norm + relu", "other + relu"]),
        (in_place_on_other, ["conv + shortcut"]),
        (in_place, []),
        (three, []),
        (lambda m, x: m.conv(x) * x, []),
        (lambda m, x: m.conv(x) + x.sin(), []),
        (lambda m, x: m.down(x) + x, ["down.0.0 + shortcut"]),
        (lambda m, x: m.relu(m.conv(x)) + x, ["conv + relu"]),
        (lambda m, x: m.norm(x) + m.conv(x), []),
        (lambda m, x: torch.add(m.conv(x), x, alpha=2), []),
    ]


def step(model, x, training=True):
    """Returns y, the gradients, and the buffers after the step."""
    model.train(training)
    model.zero_grad()
    leaf = x.clone().requires_grad_()
    y = model(leaf * 1)
    (y * 1).backward(torch.empty_like(y).copy_(torch.linspace(-1, 1, y.numel()).view(y.shape)))
    return [y.detach(), leaf.grad, *(p.grad for p in model.parameters()), *(b.clone() for b in model.buffers())]


def whole(*shape, **options):
    """Returns integers, whose sums and products are exact in every order."""
    return torch.randint(-3, 4, shape).to(**options)


@unittest.skipUnless(torch, "torch is not installed")
class Shortcut(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.addCleanup(anydnn.torch.disable)
        anydnn.torch.clear_report()

    def added(self):
        """Returns the number of calls that added in place."""
        return sum(line.calls for line in anydnn.torch.report()
                   if line.operator == "anydnn::convolution_backward_onto" and line.backend != "torch")

    def reasons(self):
        return [line.reason for line in anydnn.torch.report() if line.operator == "fuse"]

    def near(self, found, wanted):
        """Compares values after some layers of sums of at most 2^8 products in another order: 2^8 units each."""
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            unit = torch.finfo(other.dtype).eps if other.is_floating_point() else 0
            self.assertLessEqual((one - other).abs().max().item(),
                                 8 * 2.0 ** 8 * unit * (1 + other.abs().max().item()))

    def cases(self):
        """Returns a convolution and its input, in every type, format and number of dims."""
        for kind in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            for dims, options in ((2, {}), (2, {"stride": 2, "padding": 1}), (2, {"groups": 2, "bias": False}),
                                  (2, {"dilation": 2, "padding": 2}), (1, {"padding": 1}), (3, {"bias": False})):
                for last in (False, True) if dims > 1 else (False,):
                    conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1](4, 6, 3, **options).to(kind)
                    x = torch.randn(2, 4, *[6] * dims).to(kind)
                    if last:
                        form = _state.FORMATS[dims + 2]
                        conv, x = conv.to(memory_format=form), x.to(memory_format=form)
                        if not _state.channels_last(conv(x)):
                            continue  # torch promises another format, in which nothing is added
                    yield conv, x

    def test_gradients_in_double_bounds(self):
        """Checks the bound: one unit of the type, since the sum is rounded once, plus float's for sums of so many
        products.
        """
        for conv, x in self.cases():
            double = copy.deepcopy(conv).double()
            for route, compiled in (("onednn, cpu_ref", True), ("cpu_ref", False)):
                anydnn.torch.clear_report()
                with anydnn.torch.use(route=route, compiled=compiled):
                    for _ in range(3):
                        conv.zero_grad()
                        leaf = x.clone().requires_grad_()
                        y, same = _blocks.branch(conv, leaf * 1)
                        dy, ds = torch.randn_like(y), torch.randn_like(x)
                        # The gradient is one without other owners: a product.
                        torch.autograd.backward([(y * dy).sum(), (same * ds).sum()])
                        self.bounded(double, x, dy, ds, leaf.grad, conv.weight.grad)
                self.assertEqual(self.added(), 3, (conv, x.dtype))

    def bounded(self, double, x, dy, ds, dx, dw):
        leaf = x.double().clone().requires_grad_()
        wanted = torch.autograd.grad(double(leaf), [leaf, double.weight], dy.double())
        with torch.no_grad():
            positive = copy.deepcopy(double)
            positive.weight.abs_()
        size = torch.autograd.grad(positive(leaf), leaf, dy.double().abs())[0] + ds.double().abs()
        total = wanted[0] + ds.double()
        exact = torch.finfo(torch.float64 if x.dtype is torch.float64 else torch.float32).eps
        form = torch.finfo(x.dtype)
        terms = double.weight[:, 0].numel() + 2
        bound = terms * exact * size + form.eps / 2 * total.abs() * (1 + 2.0 ** -6) + form.smallest_normal * form.eps
        self.assertEqual(dx.dtype, x.dtype)
        self.assertLessEqual(((dx.double() - total).abs() - bound).max().item(), 0)
        self.assertTrue(dw is not None and dw.isfinite().all())

    def test_bits_of_exact_sums(self):
        """Tests integers, for which only torch's result is right."""
        for conv, x in self.cases():
            with torch.no_grad():
                for one in (x, *conv.parameters()):
                    one.copy_(whole(*one.shape))
            dy = whole(*conv(x).shape, dtype=x.dtype)
            ds = whole(*x.shape, dtype=x.dtype)
            results = []
            for enabled in (False, True):
                conv.zero_grad()
                leaf = x.clone().requires_grad_()
                if enabled:
                    anydnn.torch.enable(route="cpu_ref")
                y, same = _blocks.branch(conv, leaf * 1)
                torch.autograd.backward([(y * dy).sum(), (same * ds).sum()])
                anydnn.torch.disable()
                results.append([y.detach(), leaf.grad, *(one.grad for one in conv.parameters())])
            self.assertTrue(all(map(torch.equal, *results)), (conv, x.dtype))
        self.assertGreater(self.added(), 0)

    def test_where_it_adds(self):
        """Tests that it adds into the shortcut's gradient if that has no other owner, and only then."""
        at = []
        anydnn.torch.enable(route="cpu_ref")
        conv, x = nn.Conv2d(4, 4, 3, padding=1), torch.randn(2, 4, 5, 5)
        for watched in (False, True):
            leaf = x.clone().requires_grad_()
            y, same = _blocks.branch(conv, leaf)
            if watched:
                same.register_hook(lambda g: at.append(g.data_ptr()))
            (dx,) = torch.autograd.grad((y * y).sum() + (same * 3).sum(), leaf)
            at.append(dx.data_ptr())
        self.assertEqual(at[1], at[2])
        self.assertEqual(self.added(), 2)

    def holders(self, held, ds):
        """Returns ways to own the shortcut's gradient, or its memory, during the computation of the convolution's."""
        saver = torch.ones(1, requires_grad=True)

        def replace(one):
            return lambda same, y: same.register_hook(lambda g: one())

        def numpy():
            held.append(ds.numpy().copy())
            return torch.from_numpy(held[-1])

        def view():
            held.append(torch.stack([ds, ds]))
            return held[-1][1]

        def storage():
            made = ds.clone()
            held.append(made.untyped_storage())
            return made

        def saved(g):
            with torch.enable_grad():
                held.append((saver * g).grad_fn)

        def keep(change):
            return lambda same, y: same.register_hook(lambda g: held.append(change(g)))
        yield "a hook", keep(lambda g: g)
        yield "a hook's alias", keep(lambda g: g.detach())
        yield "a hook's view", keep(lambda g: g[:1])
        yield "an array of it", keep(lambda g: g.numpy())
        yield "a capsule", keep(dlpack.to_dlpack)
        yield "autograd, which saved it", lambda same, y: same.register_hook(saved)
        yield "the node's hook before", lambda same, y: y.grad_fn.register_prehook(lambda grads: held.append(grads[1]))
        yield "the node's hook behind", lambda same, y: y.grad_fn.register_hook(
            lambda _, grads: held.append(grads[1]))
        yield "an array that it came from", replace(numpy)
        yield "a tensor that it is a part of", replace(view)
        yield "a storage", replace(storage)

    def read(self, one, ds):
        if isinstance(one, torch.UntypedStorage):
            return torch.tensor([], dtype=ds.dtype).set_(one).view(ds.shape)
        if type(one).__name__ == "PyCapsule":
            return dlpack.from_dlpack(one)
        if hasattr(one, "_saved_other"):
            return one._saved_other
        one = torch.as_tensor(one)
        return one[1] if one.dim() > ds.dim() else one

    def test_whoever_has_it_finds_it_unchanged(self):
        anydnn.torch.enable(route="cpu_ref")
        conv, x, ds = nn.Conv2d(4, 4, 3, padding=1), torch.randn(2, 4, 5, 5), torch.randn(2, 4, 5, 5)
        leaf = x.clone().requires_grad_()
        wanted = torch.autograd.grad(conv(leaf), leaf, torch.ones(2, 4, 5, 5))[0] + ds
        held = []
        for who, hold in self.holders(held, ds):
            y, same = _blocks.branch(conv, leaf)
            hold(same, y)
            dx, = torch.autograd.grad(y.sum() + (same * ds).sum(), leaf)
            found = self.read(held.pop(), ds)
            self.assertTrue(torch.equal(found, ds[:len(found)]), who)
            self.near([dx], [wanted])
            self.assertEqual(self.added(), 0, who)
        mine = ds.clone()
        y, same = _blocks.branch(conv, leaf)
        dx, = torch.autograd.grad((y, same), leaf, (torch.ones_like(y), mine), retain_graph=True)
        self.near([dx], [wanted])
        self.assertTrue(torch.equal(mine, ds))
        # Other tensors from autograd: a requested edge, one tensor for both, an expanded one.
        edge = torch.autograd.graph.GradientEdge(same.grad_fn, same.output_nr)
        dx, there = torch.autograd.grad(y.sum() + (same * ds).sum(), (leaf, edge), retain_graph=True)
        self.near([dx, there], [wanted, ds])
        dx, = torch.autograd.grad(((y + same) * ds).sum(), leaf, retain_graph=True)
        self.near([dx], [torch.autograd.grad(conv(leaf), leaf, ds)[0] + ds])
        dx, = torch.autograd.grad(y.sum() + same.sum(), leaf)
        self.near([dx], [wanted - ds + 1])
        self.assertEqual(self.added(), 0)
        self.assertTrue(torch.equal(mine, ds))

    def test_parts_of_the_gradients(self):
        """Tests one of the two results alone, twice, with a frozen filter, and with a gradient in another format."""
        anydnn.torch.enable(route="cpu_ref")
        conv, x = nn.Conv2d(4, 4, 3, padding=1), torch.randn(2, 4, 5, 5, requires_grad=True)
        plain, = torch.autograd.grad(conv(x).sum(), x)
        y, same = _blocks.branch(conv, x)
        for loss, wanted in ((y.sum(), plain), ((same * 2).sum(), torch.full_like(x, 2)),
                             (y.sum() + (same * x.detach()).sum(), plain + x.detach())):
            for _ in range(2):
                self.near(torch.autograd.grad(loss, x, retain_graph=True), [wanted])
        self.assertEqual(self.added(), 2)
        last = x.detach().to(memory_format=torch.channels_last)
        self.near(torch.autograd.grad(y.sum() + (same * last * last).sum(), x), [plain + last * last])
        conv.weight.requires_grad_(False)
        y, same = _blocks.branch(conv, x)
        (y.sum() + (same * 2).sum()).backward()
        self.near([x.grad], [plain + 2])
        self.assertIsNone(conv.weight.grad)
        self.assertEqual(conv.bias.grad.tolist(), [50.0] * 4)

    def test_what_was_saved_has_not_changed(self):
        anydnn.torch.enable(route="cpu_ref")
        conv = nn.Conv2d(4, 4, 3, padding=1)
        for place in (0, 1):
            x = torch.randn(2, 4, 5, 5, requires_grad=True) * 1
            y, same = _blocks.branch(conv, x)
            with torch.no_grad():
                (x, same)[place].mul_(2)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                (y.sum() + (same * 2).sum()).backward()
        x = torch.randn(2, 4, 5, 5, requires_grad=True)
        y, same = _blocks.branch(conv, x)
        loss = y.sum() + (same * 2).sum()
        loss.backward()
        with self.assertRaisesRegex(RuntimeError, "a second time"):
            loss.backward()

    def test_forwards(self):
        """Checks which branches are found, and that the results are the same."""
        x = torch.randn(3, 4, 5, 5)
        for number, (forward, names) in enumerate(FORWARDS):
            model = Written(forward)
            other = anydnn.torch.fuse(copy.deepcopy(model))
            self.assertEqual(anydnn.torch.fused(other).get("", []), names, number)
            if number and forward is in_place:  # torch's own raises, too
                continue
            apart = anydnn.torch.fuse(copy.deepcopy(model), shortcuts=False)
            anydnn.torch.clear_report()
            with anydnn.torch.use(route="cpu_ref"):
                found, without = ([one for one in step(each, x) if one is not None] for each in (other, apart))
            wanted = [one for one in step(model, x) if one is not None]
            self.near(found, wanted)
            self.near(without, wanted)
            # Under a plain addition, both results get the same gradient tensor.
            self.assertLessEqual(self.added(), len([one for one in names if "shortcut" in one]))
            self.assertFalse(any("shortcut" in one for one in anydnn.torch.fused(apart).get("", [])))

    def test_models(self):
        """Tests the residual blocks of the examples: the branches found, the additions, the gradients."""
        cases = ((models.Block, 8, 1, 0, 1, 1), (models.Block, 4, 2, 0, 1, 1), (models.Block, 8, 1, 4, 1, 1),
                 (models.Block, 4, 2, 4, 2, 1), (models.Inverted, 8, 1, 6, 1), (models.Inverted, 8, 1, 1, 1),
                 (models.Inverted, 8, 2, 6, 0))
        for kind, channels, *options, count in cases:
            model = kind(channels, 8, *options)
            for last in (False, True):
                x = torch.randn(3, channels, 8, 8)
                form = torch.channels_last if last else torch.contiguous_format
                other = anydnn.torch.fuse(copy.deepcopy(model).to(memory_format=form))
                names = sum(anydnn.torch.fused(other).values(), [])
                self.assertEqual([one for one in names if "shortcut" in one], ["path.0 + shortcut"][:count])
                anydnn.torch.clear_report()
                with anydnn.torch.use(route="cpu_ref"):
                    found = step(other, x.to(memory_format=form))
                    self.assertEqual(self.added(), count, (model, last))
                    anydnn.torch.clear_report()
                    self.near(step(other.eval(), x, False), step(copy.deepcopy(other).train(), x, False))
                    self.assertEqual(self.added(), 0)
                self.near(found, step(model, x))

    def test_declined(self):
        for change, reason in ((lambda m: m.conv.register_forward_hook(lambda *_: None), "the model: hooks of conv"),
                               (lambda m: setattr(m, "conv", nn.Conv2d(4, 4, 3, padding="same")),
                                "the model: padding given as a word of conv"),
                               (lambda m: setattr(m, "conv", nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect")),
                                "the model: padding given as a word of conv")):
            model = Written(FORWARDS[0][0])
            change(model)
            anydnn.torch.clear_report()
            self.assertEqual(anydnn.torch.fused(anydnn.torch.fuse(model)), {})
            self.assertEqual(self.reasons(), [reason])

    def test_where_it_runs_apart(self):
        """Tests that the convolution is called as usual if nothing is gained, or under autocast, dual numbers,
        parametrizations, subclasses and hooks.
        """
        model, x = Written(FORWARDS[0][0]), torch.randn(2, 4, 5, 5, requires_grad=True)
        anydnn.torch.fuse(model)
        never = mock.patch.object(anydnn.torch._eager, "branch", side_effect=AssertionError("it branched"))
        with never:
            model(x).sum().backward()  # not enabled
        with never, anydnn.torch.use(route="cpu_ref"):
            with torch.no_grad():
                model(x)
            model(x.detach())
            with torch.autocast("cpu", torch.bfloat16):
                self.assertEqual(model.conv(x).dtype, torch.bfloat16)
                self.assertEqual(model(x).dtype, torch.float32)
            with forward_ad.dual_level():
                dual = forward_ad.unpack_dual(model(forward_ad.make_dual(x, torch.ones_like(x))))
            self.assertIsNotNone(dual.tangent)
            with self.assertRaisesRegex(RuntimeError, "dtype|type"):
                model(x.half())
            for name in ("weight", "bias"):
                other = copy.deepcopy(model)
                parametrize.register_parametrization(other.conv, name, nn.ReLU())
                self.near([other(x)], [anydnn.torch.unfuse(copy.deepcopy(other))(x)])
            other = copy.deepcopy(model)
            other.conv.weight = nn.Parameter(other.conv.weight.detach().as_subclass(Strange))
            self.near([other(x).as_subclass(torch.Tensor)], [anydnn.torch.unfuse(copy.deepcopy(model))(x)])
            seen = []
            model.conv.register_forward_hook(lambda *_: seen.append(1))
            model(x)
            self.assertEqual(seen, [1])

    def test_functorch(self):
        model, x = Written(FORWARDS[3][0]).double(), torch.randn(2, 4, 5, 5, dtype=torch.double)
        fused = anydnn.torch.fuse(copy.deepcopy(model))
        for each in (model, fused):
            each.norm.eval()  # vmap does not support running statistics
        with anydnn.torch.use(route="cpu_ref"):
            for one in (lambda m: torch.func.grad(lambda x: m(x).sin().sum())(x),
                        lambda m: torch.func.jvp(m, (x,), (x,))[1], lambda m: torch.func.vmap(m)(x[None])[0]):
                self.near([one(fused)], [one(model)])
            # A batched gradient is not a plain tensor.
            leaf = x.clone().requires_grad_()
            batch = torch.randn(3, *x.shape, dtype=x.dtype)
            found, wanted = (torch.autograd.grad(each(leaf), leaf, batch, is_grads_batched=True)[0]
                             for each in (fused, model))
            self.near([found], [wanted])
            self.assertEqual(self.added(), 0)

    def test_derivatives_again(self):
        """Compares first and second derivatives with differences, on anydnn's kernels and torch's, also with
        create_graph.
        """
        conv, x = nn.Conv2d(2, 2, 2, groups=2).double(), torch.randn(2, 2, 3, 3, dtype=torch.double, requires_grad=True)

        def run(x, w, bias):
            with mock.patch.dict(conv._parameters, {"weight": w, "bias": bias}):
                y, same = _blocks.branch(conv, x * 1)
            return (y ** 2).sum() + (same ** 3).sum()
        for compiled in (False, True):
            with anydnn.torch.use(route="cpu_ref", compiled=compiled):
                for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
                    self.assertTrue(check(run, (x, *conv.parameters())))
                once, twice = (torch.autograd.grad(run(x, *conv.parameters()), (x, *conv.parameters()),
                                                   create_graph=again) for again in (False, True))
                self.near(twice, once)
        self.assertGreater(self.added(), 0)

    def test_autocast(self):
        """Tests operands in bfloat16 and a filter's gradient in float. An input that is cast runs apart."""
        model, x = Written(FORWARDS[4][0]), torch.randn(2, 4, 6, 6)
        other = anydnn.torch.fuse(copy.deepcopy(model))
        with torch.autocast("cpu", torch.bfloat16):
            found = []
            for each, enabled in ((model, False), (other, True)):
                leaf = x.to(torch.bfloat16).requires_grad_()
                if enabled:
                    anydnn.torch.enable()
                y = each(leaf)
                y.float().sum().backward()
                found.append([y, leaf.grad, each.conv.weight.grad])
        self.assertEqual(self.added(), 1)
        for one, wanted in zip(found[1], found[0]):
            self.assertEqual(one.dtype, wanted.dtype)
            # Rounded to bfloat16 after each of about 8 operations.
            self.assertLess((one.float() - wanted.float()).abs().max().item(),
                            8 * 2.0 ** -8 * (1 + wanted.float().abs().max().item()))

    def test_compile(self):
        """Tests that tracing gives the convolution and its input."""
        torch._dynamo.reset()
        model, x = models.Block(4, 4, 1), torch.randn(2, 4, 6, 6)
        other = anydnn.torch.fuse(copy.deepcopy(model))
        self.assertIn("path.0 + shortcut", anydnn.torch.fused(other)[""])
        with anydnn.torch.use():
            compiled = torch.compile(other, fullgraph=True)
            for _ in range(2):
                self.near(step(compiled, x), step(model, x))
        self.assertEqual(self.added(), 0)

    def test_checkpoint(self):
        model, x = models.Block(4, 4, 1), torch.randn(2, 4, 6, 6)
        other = anydnn.torch.fuse(copy.deepcopy(model))
        for reentrant in (False, True):
            wanted = step(copy.deepcopy(model), x)[:2]
            anydnn.torch.clear_report()
            with anydnn.torch.use(route="cpu_ref"):
                leaf = x.clone().requires_grad_()
                y = checkpoint.checkpoint(other, leaf, use_reentrant=reentrant)
                (y * torch.linspace(-1, 1, y.numel()).view(y.shape)).sum().backward()
            self.near([y.detach(), leaf.grad], wanted)
            self.assertEqual(self.added(), 1)

    def test_copies(self):
        for shortcuts, names in ((True, ["path.0 + shortcut"]), (False, [])):
            model = anydnn.torch.fuse(models.Block(4, 4, 1), shortcuts=shortcuts)
            for other in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
                other(torch.randn(2, 4, 6, 6))
                self.assertEqual(anydnn.torch.fused(other)[""][:-2], names)
                self.assertNotIn("forward", vars(anydnn.torch.unfuse(other)))

    def test_compiled_kernel(self):
        """Checks the bits of the Python kernel. The third call runs without Python."""
        conv, x = nn.Conv2d(4, 4, 3, padding=1), torch.randn(2, 4, 5, 5)

        def run():
            conv.zero_grad()
            leaf = x.clone().requires_grad_()
            y, same = _blocks.branch(conv, leaf)
            ((y * y).sum() + (same * x).sum()).backward()
            return [y.detach(), leaf.grad, conv.weight.grad, conv.bias.grad]
        with anydnn.torch.use(route="cpu_ref", compiled=False):
            wanted = run()
        anydnn.torch.clear_report()
        with anydnn.torch.use(route="cpu_ref", compiled=True):
            found = [run() for _ in range(2)]
            ran = AssertionError("Python ran")
            with mock.patch.object(_state, "attempt", side_effect=ran), \
                    mock.patch.object(_onto, "run", side_effect=ran):
                found.append(run())
        for one in found:
            self.assertTrue(all(map(torch.equal, one, wanted)))
        self.assertEqual(self.added(), 3)

    def test_the_clock_decides(self):
        """Tests the choice by measurement, as on a GPU: the faster variant is kept.

        It uses other tensors, and never runs in a graph capture.
        """
        conv, x = nn.Conv2d(4, 4, 3, padding=1), torch.randn(2, 4, 5, 5)
        plain = x.clone().requires_grad_()
        wanted, = torch.autograd.grad(conv(plain).sum(), plain)

        def run():
            leaf = x.clone().requires_grad_()
            y, same = _blocks.branch(conv, leaf)
            (y.sum() + (same * x).sum()).backward()
            self.near([leaf.grad], [wanted + x])
        operator = "anydnn::convolution_backward_onto"
        for times, capturing, deterministic, reason in (
                ((1.0, 2.0), False, False, ""), ((2.0, 1.0), False, False, "an addition apart takes less time"),
                ((1.0, 2.0), True, False, "the capture of a graph permits no measurement"),
                ((1.0, 2.0), False, True, "the clock would decide whether to add in one call, and torch is"
                                          " deterministic")):
            ran = []

            def clock(way):
                way()
                ran.append(times[len(ran) % 2])
                return ran[-1]
            anydnn.torch.clear_report()
            _shortcut._apart.clear()
            with mock.patch.object(_onto, "_by_clock", return_value=True), \
                    mock.patch.object(_onto, "_capturing", return_value=capturing), \
                    mock.patch.object(_onto, "_milliseconds", side_effect=clock), \
                    torch.backends.cudnn.flags(deterministic=deterministic), \
                    anydnn.torch.use(route="cpu_ref", compiled=False):
                _state._own.__dict__.pop("handles", None)
                run()
                run()
            lines = [(line.reason, line.calls) for line in anydnn.torch.report() if line.operator == operator]
            # A final decision is kept. If no decision was possible, the next call tries again.
            self.assertEqual(lines, [(reason, 2 if not reason or capturing else 1)])
            self.assertEqual(self.added(), 0 if reason else 2)
            self.assertEqual(len(ran), 8 if "less time" in reason or not reason else 0)

    def test_backends_that_add_by_way_of_float(self):
        """Tests that 16-bit types omit a backend that adds in 16 bits from the route. Float keeps it."""
        for kind, route, wanted in ((torch.float32, "onednn, cpu_ref", ("onednn", "", 3)),
                                    (torch.bfloat16, "onednn, cpu_ref", ("cpu_ref", "", 3)),
                                    (torch.bfloat16, "onednn",
                                     ("torch", "onednn adds in 16 bits by way of float", 1))):
            with mock.patch.object(_onto, "_BY_FLOAT", ("onednn",)), anydnn.torch.use(route=route):
                _state._own.__dict__.pop("handles", None)
                anydnn.torch.clear_report()
                conv, x = nn.Conv2d(4, 4, 1).to(kind), torch.randn(2, 4, 5, 5).to(kind).requires_grad_()
                for _ in range(3):
                    y, same = _blocks.branch(conv, x)
                    (y.sum() + (same * 2).sum()).backward()
                lines = [line for line in anydnn.torch.report() if line.operator.endswith("backward_onto")]
                self.assertEqual([(line.backend, line.reason, line.calls) for line in lines], [wanted])
        self.assertEqual(_onto._route_without("rule: [route default] convolution_* = fastest, a, b\nfrom", "a"),
                         "fastest, b")
        self.assertEqual(_onto._route_without("rule: x = fastest, a", "a"), "")
        self.assertEqual(_onto._route_without("", "a"), "")

    def test_a_call_that_fails(self):
        """Tests that a call that wrote nothing is repeated apart.

        After one that may have written, the gradient is lost.
        """
        conv, x = nn.Conv2d(4, 4, 1), torch.randn(2, 4, 5, 5, requires_grad=True)
        real = _state.Plan.run

        def fails(self, tensors):
            if " beta=1" in str(self.problem):
                raise _state.Declined("the device is away")
            real(self, tensors)
        anydnn.torch.enable(route="cpu_ref", compiled=False)
        plain, = torch.autograd.grad(conv(x).sum(), x)
        for effect in ("none", "unknown"):
            y, same = _blocks.branch(conv, x)
            loss = y.sum() + (same * 2).sum()
            with mock.patch.object(_state.Plan, "run", fails), \
                    mock.patch.object(_state.Handle, "info", lambda self, key: effect):
                if effect == "none":
                    self.near(torch.autograd.grad(loss, x), [plain + 2])
                else:
                    with self.assertRaisesRegex(RuntimeError, "is lost: the device is away"):
                        loss.backward()


if __name__ == "__main__":
    unittest.main()
