# SPDX-License-Identifier: Apache-2.0
"""Compares anydnn.torch on the CPU with torch's own kernels. Needs torch 2.11 or later and ANYDNN_LIBRARY."""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
try:
    import torch
    from torch import nn
    from torch.autograd import forward_ad
    from torch.nn import functional
except ImportError:
    torch = None
if torch:
    import anydnn.torch
    CONVOLUTIONS = {
        (1, False): functional.conv1d, (2, False): functional.conv2d, (3, False): functional.conv3d,
        (1, True): functional.conv_transpose1d, (2, True): functional.conv_transpose2d,
        (3, True): functional.conv_transpose3d}
    FORMATS = {2: torch.channels_last, 3: torch.channels_last_3d}


def drawn_problem(draw):
    """Returns a convolution that torch runs: (x, w, b, keyword arguments, spatial dims, transposed)."""
    spatial, groups, transposed = draw.choice([1, 2, 2, 3]), draw.choice([1, 1, 2, 3]), draw.random() < 0.3
    channels, outputs = groups * draw.choice([1, 2]), groups * draw.choice([1, 3])
    kernel = [draw.choice([1, 2, 3]) for _ in range(spatial)]
    stride = [draw.choice([1, 2]) for _ in range(spatial)]
    kind = draw.choice([torch.float32, torch.float64])
    generator = torch.Generator().manual_seed(draw.randrange(1000))

    def tensor(*shape):
        found = torch.randn(*shape, dtype=kind, generator=generator)
        return found.to(memory_format=FORMATS[spatial]) if spatial > 1 and draw.random() < 0.4 else found
    x = tensor(draw.choice([1, 2]), channels, *[draw.choice([6, 7, 9]) for _ in range(spatial)])
    w = tensor(*((channels, outputs // groups) if transposed else (outputs, channels // groups)), *kernel)
    b = torch.randn(outputs, dtype=kind, generator=generator) if draw.random() < 0.5 else None
    named = {"stride": stride, "padding": [draw.choice([0, 1]) for _ in range(spatial)],
             "dilation": [draw.choice([1, 1, 2]) for _ in range(spatial)], "groups": groups}
    if transposed:
        named["output_padding"] = [draw.randrange(step) for step in stride]
    if draw.random() < 0.1:
        x = x[0:1].expand(2, *x.shape[1:])
    return (x[0] if draw.random() < 0.1 else x), w, b, named, spatial, transposed


def results(x, w, b, named, spatial, transposed):
    """Returns y and the gradients."""
    leaves = [None if one is None else one.detach().requires_grad_() for one in (x, w, b)]
    y = CONVOLUTIONS[spatial, transposed](*leaves, **named)
    y.backward(torch.randn(y.shape, dtype=y.dtype, generator=torch.Generator().manual_seed(1)))
    return [y.detach()] + [one.grad for one in leaves if one is not None]


def strides(tensor):
    return [step for step, extent in zip(tensor.stride(), tensor.shape) if extent > 1]


@unittest.skipUnless(torch, "torch is not installed")
class Torch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        anydnn.torch.clear_report()
        self.addCleanup(anydnn.torch.disable)

    def near(self, found, wanted):
        """Compares sums of at most a few hundred products in another order: 2^8 half units of the largest value."""
        units = {torch.float32: 2.0 ** -24, torch.float64: 2.0 ** -53}[wanted.dtype]
        bound = 2.0 ** 8 * units * (1 + wanted.abs().max().item())
        self.assertLess((found - wanted).abs().max().item(), bound)

    def only_anydnn(self):
        self.assertEqual([line for line in anydnn.torch.report() if line.reason], [])
        self.assertTrue(anydnn.torch.report())

    def test_drawn_convolutions(self):
        """Tests 1 to 3 dims, transposed, groups, formats, unbatched, expanded: results and the promised strides."""
        from torch._subclasses import FakeTensorMode
        draw = random.Random(1)
        for _ in range(40):
            problem = drawn_problem(draw)
            wanted = results(*problem)
            with anydnn.torch.use():
                found = results(*problem)
            for one, other in zip(found, wanted):
                self.near(one, other)
            x, w, b, named, spatial, transposed = problem
            if x.dim() == spatial + 2:
                with FakeTensorMode() as mode:
                    fake = torch.ops.aten.convolution(
                        mode.from_tensor(x), mode.from_tensor(w), None if b is None else mode.from_tensor(b),
                        named["stride"], named["padding"], named["dilation"], transposed,
                        named.get("output_padding", [0] * spatial), named["groups"])
                self.assertEqual(strides(found[0]), strides(fake))
        self.only_anydnn()

    def test_compiled_kernels(self):
        """Checks that the compiled kernels give the bits of the Python kernels, are counted, and follow options, flags
        and formats.
        """
        draw = random.Random(2)
        problems = [drawn_problem(draw) for _ in range(12)]
        for problem in problems:
            anydnn.torch.clear_report()
            with anydnn.torch.use(route="cpu_ref", compiled=False):
                wanted = results(*problem)
            with anydnn.torch.use(route="cpu_ref", compiled=True):
                for _ in range(3):
                    for one, other in zip(results(*problem), wanted):
                        self.assertTrue(torch.equal(one, other))
                        self.assertEqual(strides(one), strides(other))
            self.assertEqual({line.operator: line.calls for line in anydnn.torch.report()},
                             {"_convolution": 4, "convolution_backward": 4})
        self.only_anydnn()
        x, w = torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)
        anydnn.torch.clear_report()
        anydnn.torch.enable(route="cpu_ref", compiled=True)
        functional.conv2d(x, w)
        functional.conv2d(x, w)
        with anydnn.torch.use(route="onednn"):
            functional.conv2d(x, w)
            functional.conv2d(x, w)
        with torch.backends.cudnn.flags(deterministic=True):
            functional.conv2d(x, w)
        functional.conv2d(x, w)
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 4, "onednn": 2})
        for _ in range(2):
            functional.conv2d(torch.ones(0, 3, 8, 8), w)
        with self.assertRaisesRegex(RuntimeError, "to have 3 channels, but got 2"):
            functional.conv2d(x[:, :2], w)
        self.assertEqual(anydnn.torch.report().calls()["torch"], 2)
        anydnn.torch.disable()
        functional.conv2d(x, w)
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 4, "onednn": 2, "torch": 2})

    def test_compiled_kernels_without_a_compiler(self):
        code = ("import anydnn.torch as a, torch; a.enable(); print(len(a._compiled), a._fast.reason);"
                "torch.nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3));"
                "print(a.report().calls()); a.enable(compiled=True)")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                                  env={**os.environ, "CXX": "false", "XDG_CACHE_HOME": folder,
                                       "PYTHONPATH": str(HERE.parent)})
        self.assertIn("0 false: exit status 1", done.stdout)
        self.assertIn("'onednn': 1", done.stdout)
        self.assertIn("RuntimeError: the compiled kernels are unavailable: false: exit status 1", done.stderr)

    def test_batch_norm(self):
        for shape, last in (((8, 3), False), ((4, 3, 5), False), ((4, 3, 5, 5), True), ((2, 3, 4, 4, 4), False)):
            x = torch.randn(shape)
            x = x.to(memory_format=torch.channels_last) if last else x
            kind = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[x.dim()]
            for options in ({}, {"affine": False}, {"track_running_stats": False}):
                def run():
                    model, leaf = kind(3, **options), x.clone().requires_grad_()
                    y = model(leaf)
                    y.backward(torch.arange(y.numel(), dtype=y.dtype).view(y.shape) / y.numel())
                    model.eval()
                    return [y.detach(), leaf.grad, *(p.grad for p in model.parameters()),
                            *(b.float() for b in model.buffers()), model(x).detach()]
                wanted = run()
                with anydnn.torch.use():
                    found = run()
                for one, other in zip(found, wanted):
                    self.near(one, other)
                self.assertEqual(found[0].stride(), wanted[0].stride())
        self.only_anydnn()

    def test_pooling_and_softmax(self):
        x = torch.randn(2, 3, 9, 9)

        def run():
            leaf = x.clone().requires_grad_()
            y = functional.avg_pool2d(leaf, 3, 2, 1, count_include_pad=False) + functional.avg_pool2d(leaf, 2, 2, 1)
            (functional.softmax(y, 1) * functional.log_softmax(y, 3)).sum().backward()
            return [y.detach(), leaf.grad]
        wanted = run()
        with anydnn.torch.use(everything=True):
            found = run()
        for one, other in zip(found, wanted):
            self.near(one, other)
        self.only_anydnn()

    def test_max_pool2d(self):
        """Checks torch's bits: ties to the first, NaN propagation, both formats, a single image, padding."""
        for kind in (torch.float32, torch.double, torch.bfloat16):
            x = torch.randn(2, 3, 9, 8).mul(2).round().to(kind)
            for leaf in (x, x.to(memory_format=torch.channels_last), x[0], x[:, :, ::2]):
                for options in ({"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": (2, 3)}):
                    def run():
                        one = leaf.clone().requires_grad_()
                        y = functional.max_pool2d(one, **options)
                        y.backward(torch.arange(y.numel()).view(y.shape).to(kind))
                        with torch.inference_mode():
                            alone = functional.max_pool2d(leaf, **options)
                        return y.detach(), one.grad, alone.clone()
                    wanted = run()
                    with anydnn.torch.use():
                        found = run()
                    for one, other in zip(found, wanted):
                        self.assertTrue(torch.equal(one, other))
                        self.assertEqual(strides(one), strides(other))
        x[0, 0, 4, 4] = float("nan")
        with anydnn.torch.use():
            y = functional.max_pool2d(x, 3, 2, 1)
        self.assertTrue(torch.equal(y.isnan(), functional.max_pool2d(x, 3, 2, 1).isnan()))
        self.only_anydnn()

    def test_number_of_threads(self):
        """Counts the threads of a process that limits torch to one: a backend of the CPU starts no other one."""
        code = """
import os, sys, torch, anydnn.torch
def ran(route):
    with torch.no_grad(), anydnn.torch.use(route=route, compiled=sys.argv[1] == "compiled"):
        for _ in range(3):
            torch.nn.functional.conv2d(torch.ones(2, 16, 64, 64), torch.ones(16, 16, 3, 3))
    return len(os.listdir("/proc/self/task"))
number = int(sys.argv[2])
if number:
    torch.set_num_threads(number)
before = len(os.listdir("/proc/self/task"))
alone = [ran("onednn") - before, ran("cpu_ref") - before]
torch.set_num_threads(2)
more = [ran("onednn") - before, ran("cpu_ref") - before]
torch.set_num_threads(1)
print(alone, more, [ran("onednn") - before, ran("cpu_ref") - before])
print(anydnn.torch.report().calls())
"""
        two = len(os.sched_getaffinity(0)) > 1
        for compiled in ("compiled", "python"):
            for limit, number in (("1", 0), (None, 1)):
                environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
                environment.pop("OMP_NUM_THREADS", None)
                if limit:
                    environment["OMP_NUM_THREADS"] = limit
                said = subprocess.run([sys.executable, "-c", code, compiled, str(number)], env=environment,
                                      capture_output=True, text=True, check=True).stdout.splitlines()
                # torch itself starts a thread when its limit is two.
                more = "[1-9]" if two else "[0-9]"
                self.assertRegex(said[0], rf"^\[0, 0\] \[{more}, {more}\] \[[0-9], [0-9]\]$")
                self.assertIn("'onednn': 9", said[1])

    def test_ceil_mode(self):
        """Tests every extent from 4 to 9 with windows of several kinds: ours runs where ceil_mode adds no window."""
        cases = [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2}, {"kernel_size": 3, "stride": 2, "padding": 1},
                 {"kernel_size": 2, "stride": 3, "padding": 1}, {"kernel_size": (3, 1), "stride": (2, 3)}]
        ours = theirs = 0
        for extent in range(4, 10):
            x = torch.randn(2, 3, extent, extent + 3)
            for pool in (functional.max_pool2d, functional.avg_pool2d):
                for options in cases:
                    def run(ceil_mode=True):
                        leaf = x.clone().requires_grad_()
                        y = pool(leaf, **options, ceil_mode=ceil_mode)
                        y.sum().backward()
                        return [y.detach(), leaf.grad]
                    wanted = run()
                    same = wanted[0].shape == run(ceil_mode=False)[0].shape
                    anydnn.torch.clear_report()
                    with anydnn.torch.use():
                        for one, other in zip(run(), wanted):
                            self.near(one, other)
                    ours, theirs = ours + same, theirs + (not same)
                    lines = anydnn.torch.report()
                    self.assertEqual("torch" in lines.calls(), not same, (extent, options))
                    if not same:
                        self.assertIn("ceil_mode adds a window at an edge", repr(lines))
        self.assertGreater(min(ours, theirs), 10)
        with anydnn.torch.use(compiled=False), self.assertRaisesRegex(IndexError, "Dimension out of range"):
            functional.avg_pool2d(torch.ones(5), 2, ceil_mode=True)

    def test_max_pool2d_of_torch(self):
        """Tests the cases that stay with torch: indices, ceil_mode, dilation, functorch, tracing, integers."""
        x = torch.randn(2, 3, 9, 9)

        def run():
            return [functional.max_pool2d(x, 2, return_indices=True)[0], functional.max_pool2d(x, 2, ceil_mode=True),
                    functional.max_pool2d(x, 2, dilation=2), functional.adaptive_max_pool2d(x, 3),
                    functional.max_pool2d((x * 8).to(torch.int32), 2),
                    torch.func.vmap(lambda one: functional.max_pool2d(one, 2))(x[None]),
                    torch.func.grad(lambda one: functional.max_pool2d(one, 2).sum())(x),
                    torch.func.jvp(lambda one: functional.max_pool2d(one, 2), (x,), (x,))[1],
                    torch.compile(lambda one: functional.max_pool2d(one, 2), backend="aot_eager")(x)]
        wanted = run()
        torch._dynamo.reset()
        with anydnn.torch.use():
            found = run()
            with self.assertRaisesRegex(RuntimeError, "pad should be"):
                functional.max_pool2d(x, 2, padding=2)
        torch._dynamo.reset()
        for one, other in zip(found, wanted):
            self.assertTrue(torch.equal(one, other))
        self.assertEqual(set(anydnn.torch.report().calls()), {"torch"})

    def test_derivatives_taken_forward(self):
        """Tests dual numbers, whose tangents are carried by plain tensors."""
        x, tangent, w = torch.randn(2, 3, 9, 9), torch.randn(2, 3, 9, 9), torch.randn(4, 3, 3, 3)

        def run():
            found = []
            with forward_ad.dual_level():
                dual = forward_ad.make_dual(x.clone().requires_grad_(), tangent)
                for y in (functional.max_pool2d(dual, 3, 2, 1), functional.conv2d(dual, w),
                          functional.batch_norm(dual, torch.zeros(3), torch.ones(3), training=True)):
                    found += forward_ad.unpack_dual(y)
            return [one.detach() for one in found]
        wanted = run()
        with anydnn.torch.use():
            found = run()
        for one, other in zip(found, wanted):
            self.near(one, other)

    def test_max_pool2d_keeps_torchs_rules(self):
        x = torch.randn(2, 3, 7, 7, dtype=torch.double)
        names = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")

        def pool(x):
            return torch.ops.anydnn.max_pool2d(x, [3, 3], [2, 2], [1, 1])
        for enabled in (True, False):
            if enabled:
                anydnn.torch.enable(route="cpu_ref")
            for last in (torch.contiguous_format, torch.channels_last):
                leaf = x.to(memory_format=last).requires_grad_()
                torch.library.opcheck(torch.ops.anydnn.max_pool2d, (leaf, [3, 3], [2, 2], [1, 1]), test_utils=names)
                self.assertTrue(torch.autograd.gradcheck(pool, (leaf,)))
                self.assertTrue(torch.autograd.gradgradcheck(pool, (leaf,)))
            anydnn.torch.disable()

    def test_declined_goes_to_torch(self):
        def run():
            return [functional.conv2d(torch.ones(0, 3, 8, 8), torch.ones(4, 3, 3, 3)),
                    functional.conv2d(torch.ones(1, 1, 4, 4, dtype=torch.complex64),
                                      torch.ones(1, 1, 3, 3, dtype=torch.complex64)),
                    functional.avg_pool2d(torch.ones(1, 1, 5, 5), 2, ceil_mode=True)]
        wanted = run()
        with anydnn.torch.use():
            for one, other in zip(run(), wanted):
                self.assertTrue(torch.equal(one, other))
            with self.assertRaisesRegex(RuntimeError, "channels"):
                functional.conv2d(torch.ones(1, 2, 8, 8), torch.ones(4, 3, 3, 3))
        self.assertIn("torch", anydnn.torch.report().calls())
        self.assertIn("an operand has no elements", repr(anydnn.torch.report()))
        one = torch.ones(1)
        self.assertEqual(anydnn.torch._state.types_of(gradient=one.double(), bias=None, input=one),
                         "the input has type torch.float32, the gradient has type torch.float64")

    def test_shared_elements_are_not_copied(self):
        """Tests tensors that share elements until a write: inputs that are only read stay shared, and no other tensor
        changes.
        """
        x, w = torch.randn(2, 3, 8, 8), torch.randn(4, 3, 3, 3)
        mean, var, weight, bias = torch.zeros(3), torch.ones(3), torch.ones(3), torch.zeros(3)

        def gradients(x, w, operator, *rest):
            x, w = x.requires_grad_(), w.requires_grad_()
            operator(x, w, *rest).sum().backward()
        calls = [
            lambda x, w, *_: gradients(x, w, functional.conv2d),
            lambda x, w, *_: functional.avg_pool2d(x, 2), lambda x, w, *_: functional.max_pool2d(x, 2),
            lambda x, w, weight, bias, *_: gradients(x, weight, lambda x, weight: functional.batch_norm(
                x, None, None, weight, bias, True)),
            lambda x, w, weight, bias, mean, var: functional.batch_norm(x, mean, var, weight, bias, True)]
        for compiled in (False, True):
            with anydnn.torch.use(route="cpu_ref", compiled=compiled):
                for number, call in enumerate(calls):
                    for _ in range(3):
                        shared = [torch._lazy_clone(one) for one in (x, w, weight, bias, mean, var)]
                        call(*shared)
                        moves = number == len(calls) - 1
                        self.assertEqual([torch._C._is_cow_tensor(one) for one in shared],
                                         [True] * 4 + [not moves] * 2, (compiled, number))
                        self.assertTrue(torch.equal(mean, torch.zeros(3)))
                        self.assertEqual(torch.equal(shared[4], mean), not moves)
        self.only_anydnn()

    def test_enable_disable_and_route(self):
        x, w = torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            anydnn.torch.enable(route="cpu_ref")
        functional.conv2d(x, w)
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 1})
        anydnn.torch.disable()
        functional.conv2d(x, w)
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 1})
        self.assertFalse(anydnn.torch.enabled())
        with self.assertRaisesRegex(ValueError, "unknown family of operators 'nothing'"):
            anydnn.torch.enable(operators=["nothing"])
        with anydnn.torch.use(operators=["pooling"]):
            functional.conv2d(x, w)
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 1})

    def test_bad_arguments(self):
        """Tests that each is rejected with a message, and that the previous state stays enabled."""
        anydnn.torch.enable(route="cpu_ref")
        for error, sentence, bad in (
                (ValueError, "unknown math 'tf32'", {"math": "tf32"}),
                (ValueError, "route is empty", {"route": " "}),
                (ValueError, "unknown backend 'nosuch'", {"route": "nosuch"}),
                (ValueError, "an empty item between commas", {"route": "onednn,,cpu_ref"}),
                (TypeError, "not a string", {"operators": "convolution"})):
            for function in (anydnn.torch.enable, lambda **bad: anydnn.torch.use(**bad).__enter__()):
                with self.assertRaisesRegex(error, sentence):
                    function(**bad)
                self.assertEqual(anydnn.torch._state.options.route, "cpu_ref")
                self.assertTrue(anydnn.torch.enabled())
        anydnn.torch.disable()
        with anydnn.torch.use(route="nosuch, cpu_ref"):
            functional.relu(functional.conv2d(torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)))
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 1})

    def test_without_a_library(self):
        script = ("import anydnn, anydnn.torch\n"
                  "try: anydnn.torch.enable()\n"
                  "except anydnn.errors.LibraryNotFound as error: print(error)")
        said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                              env={**os.environ, "ANYDNN_LIBRARY": "/nonexistent", "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertIn("libanydnn.so.0 cannot be loaded", said.stdout)

    def test_gradients_twice(self):
        model, x = nn.Conv2d(2, 3, 3).double(), torch.randn(1, 2, 5, 5, dtype=torch.double, requires_grad=True)
        with anydnn.torch.use(route="cpu_ref"):
            self.assertTrue(torch.autograd.gradcheck(model, (x,)))
            self.assertTrue(torch.autograd.gradgradcheck(model, (x,)))

    def test_autocast(self):
        model, x = nn.Conv2d(3, 4, 3), torch.randn(1, 3, 8, 8)
        with anydnn.torch.use(), torch.autocast("cpu", torch.bfloat16):
            y = model(x)
            y.float().sum().backward()
        self.assertEqual((y.dtype, model.weight.grad.dtype), (torch.bfloat16, torch.float32))
        # Input, filter or bias, and the result are rounded to bfloat16, 2^-9 of their size each at most.
        size = functional.conv2d(x.abs(), model.weight.abs(), model.bias.abs())
        self.assertTrue(((y.float() - model(x)).abs() <= 3.1 * 2.0 ** -9 * size).all())
        self.only_anydnn()

    def test_without_cudnn_there_is_no_tf32(self):
        """Tests the Python kernels, and the compiled kernels, whose gradients use the flags of the last forward pass.
        """
        x, w = torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)
        anydnn.torch.enable(route="cpu_ref", compiled=True)
        for enabled in (True, False):
            for allowed in (True, False):
                with torch.backends.cudnn.flags(enabled=enabled, allow_tf32=allowed):
                    functional.conv2d(x, w)
                    self.assertEqual(anydnn.torch._state.flags() & 4, 4 * (enabled and allowed))
                    self.assertEqual(anydnn.torch._fast._loaded.anydnn_torch_flags() & 4, 4 * (enabled and allowed))

    def test_views_begin_where_they_begin(self):
        """Tests operands with an offset into their storage, which is otherwise filled with NaN."""
        def view(*shape):
            return torch.cat([torch.full((3,), float("nan")), torch.randn(shape).view(-1)])[3:].view(shape)
        x, w, b = view(2, 3, 8, 8), view(4, 3, 3, 3), view(4)
        wanted = functional.conv2d(x.clone(), w.clone(), b.clone())
        for compiled in (False, True):
            with anydnn.torch.use(route="cpu_ref", compiled=compiled):
                for _ in range(3):
                    self.assertTrue(torch.allclose(functional.conv2d(x, w, b), wanted, 1e-5, 1e-5))
        self.only_anydnn()

    def test_no_call_runs_on_copies(self):
        """Tests that a backend of another memory runs no call, not even the first of a kind: all have torch's bits."""
        built = pathlib.Path(os.environ["ANYDNN_PLUGIN_PATH"]).resolve()
        mocks = built.parents[1] / "tests" / "loader" / "mocks" / "built"
        if not (mocks / "anydnn_mock_mirror.so").exists():
            self.skipTest("the tests' backends are not built")
        code = '''
import torch, anydnn.torch
from torch.nn import functional
x, w, mean, var = torch.randn(2, 3, 9, 9), torch.randn(4, 3, 3, 3), torch.zeros(3), torch.ones(3)
wanted, norm = functional.conv2d(x, w), functional.batch_norm(x, mean.clone(), var.clone(), training=True)
with anydnn.torch.use(route="mock_mirror"):
    for _ in range(3):
        assert torch.equal(functional.conv2d(x, w), wanted)
        assert torch.equal(functional.batch_norm(x, mean.clone(), var.clone(), training=True), norm)
lines = [(one.operator, one.backend, one.reason, one.calls) for one in anydnn.torch.report()]
reason = "mock_mirror would run it on copies in another memory"
assert lines == [("_convolution", "torch", reason, 3), ("native_batch_norm", "torch", reason, 3)], lines
'''
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "conf").write_text(
                f"[anydnn]\nstaging = listed\n[plugin mock_mirror]\nset.of = {built}/anydnn_cpu_ref.so\n")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env={
                **os.environ, "ANYDNN_CONFIG": f"{folder}/conf", "ANYDNN_PLUGIN_PATH": str(mocks),
                "PYTHONPATH": str(HERE.parent)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_threads(self):
        model, x, found = nn.Conv2d(3, 4, 3), torch.randn(1, 3, 8, 8), []
        wanted = model(x)

        def work():
            y = model(x)
            y.sum().backward()
            found.append(y.detach())
        with anydnn.torch.use():
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(found), 3)
        for one in found:
            self.near(one, wanted.detach())

    def test_threads_that_enable_and_disable(self):
        """Other threads compute while kernels are enabled and disabled. No call fails, and all results are right."""
        for compiled in (False, None):
            model, x = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(2)).eval(), torch.randn(1, 3, 8, 8)
            wanted, wrong, stop = model(x).detach(), [], threading.Event()

            def work():
                while not stop.is_set():
                    try:
                        if not torch.allclose(model(x), wanted, 1e-4, 1e-4):
                            wrong.append("another result")
                    except BaseException as error:
                        wrong.append(repr(error))
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for route in ("cpu_ref", "onednn, cpu_ref", None) * 20:
                anydnn.torch.enable(route=route, compiled=compiled)
                model(x)
                anydnn.torch.disable()
                self.assertFalse(anydnn.torch.enabled())
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
            anydnn.torch.disable()
        anydnn.torch.clear_report()
        model(x)
        self.assertEqual(anydnn.torch.report().calls(), {})

    def test_blocks_in_threads(self):
        """Blocks with equal options may overlap in several threads; other options are refused. A block that ends leaves
        the others enabled.
        """
        x, w = torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)
        inside, leave, refused = threading.Event(), threading.Event(), []

        def work():
            with anydnn.torch.use(route="cpu_ref"):
                inside.set()
                leave.wait(60)
                functional.conv2d(x, w)
        thread = threading.Thread(target=work)
        thread.start()
        self.assertTrue(inside.wait(60))
        with self.assertRaisesRegex(RuntimeError, "another thread is in a block of use"):
            with anydnn.torch.use(route="onednn"):
                refused.append(1)
        with anydnn.torch.use(route="cpu_ref"):
            leave.set()
            thread.join()
            self.assertTrue(anydnn.torch.enabled())
            functional.conv2d(x, w)
        self.assertFalse(anydnn.torch.enabled())
        functional.conv2d(x, w)
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 2})
        self.assertEqual(refused, [])
        found = []

        def many():
            for _ in range(20):
                with anydnn.torch.use(route="cpu_ref"):
                    functional.conv2d(x, w)
                    found.append(1)
        threads = [threading.Thread(target=many) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(anydnn.torch.report().calls(), {"cpu_ref": 82})

    def test_child_after_fork(self):
        x, w = torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)
        with anydnn.torch.use(route="cpu_ref"):
            wanted = functional.conv2d(x, w)
            child = os.fork()
            if child == 0:
                os._exit(0 if all(torch.equal(functional.conv2d(x, w), wanted) for _ in range(2)) else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_child_of_a_process_with_blocks(self):
        """A child is not bound by blocks of threads that exist only in its parent."""
        inside, leave = threading.Event(), threading.Event()

        def work():
            with anydnn.torch.use(route="cpu_ref"):
                inside.set()
                leave.wait(60)
        thread = threading.Thread(target=work)
        thread.start()
        inside.wait(60)
        child = os.fork()
        if child == 0:
            try:
                with anydnn.torch.use(route="onednn, cpu_ref"):
                    functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3))
                os._exit(int(anydnn.torch.enabled()))
            finally:
                os._exit(2)
        leave.set()
        thread.join()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_checkpoint_and_state_dict(self):
        from torch.utils.checkpoint import checkpoint
        model, x = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)), torch.randn(2, 3, 8, 8)
        keys = list(model.state_dict())
        with anydnn.torch.use():
            checkpoint(model, x, use_reentrant=False).sum().backward()
        self.assertEqual(list(model.state_dict()), keys)
        self.assertIsNotNone(model[0].weight.grad)

    def test_lenet_learns_drawn_data(self):
        sys.path.insert(0, str(HERE.parent / "examples"))
        import lenet
        anydnn.torch.enable()
        self.assertGreater(lenet.main(), 0.99)
        self.only_anydnn()

    def test_resnet50_runs(self):
        sys.path.insert(0, str(HERE.parent / "examples"))
        import models
        model = models.model_of("resnet50", 10, True).to(memory_format=torch.channels_last)
        with anydnn.torch.use(), torch.autocast("cpu", torch.bfloat16):
            functional.cross_entropy(model(torch.randn(2, 3, 32, 32)), torch.tensor([0, 1])).backward()
        self.only_anydnn()
        self.assertEqual(sum(line.calls for line in anydnn.torch.report() if line.operator == "_convolution"), 53)

    def test_examples_of_the_page(self):
        page = (HERE.parent.parent / "docs/pytorch.md").read_text()
        for block in re.findall(r"```python\n(.*?)```", page, re.S):
            exec(compile(block, "docs/pytorch.md", "exec"), {"__name__": "page"})
            anydnn.torch.disable()


if __name__ == "__main__":
    unittest.main()
