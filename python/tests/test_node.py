# SPDX-License-Identifier: Apache-2.0
"""Compares fused calls and max pooling in eager mode by autograd nodes in C++ and by Functions in Python.

Needs torch 2.11 or later, ANYDNN_LIBRARY and, for the nodes, a C++ compiler and Python's headers.
"""
import contextlib
import copy
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
try:
    import torch
    from torch import nn
    from torch.autograd import forward_ad
    from torch.autograd.graph import saved_tensors_hooks
    from torch.utils.checkpoint import checkpoint
except ImportError:
    torch = None
if torch:
    import anydnn.torch
    from anydnn.torch import _build, _convolution, _eager, _fast, _node

    class Sum(nn.Module):
        """A block with the addition, in which z alone may require a gradient."""

        def __init__(self):
            super().__init__()
            self.norm, self.relu = nn.BatchNorm2d(3), nn.ReLU6()

        def forward(self, x, z):
            return self.relu(self.norm(x) + z)

    class Counts(torch.Tensor):
        """A subclass that records the operations on it."""

        seen = 0

        @classmethod
        def __torch_function__(cls, function, types, arguments=(), named=None):
            cls.seen += 1
            return super().__torch_function__(function, types, arguments, named or {})

    class Sees(torch.overrides.TorchFunctionMode):
        names = ()

        def __torch_function__(self, function, types, arguments=(), named=None):
            self.names += (str(function),)
            return function(*arguments, **(named or {}))

    class Nothing(torch.autograd.Function):
        """A Function that passes on a missing gradient."""

        @staticmethod
        def forward(_ctx, x):
            return x.clone()

        @staticmethod
        def backward(_ctx, _dy):
            return None


def blocks():
    """Returns each operator with the values that a module of its kind saves. Inputs reach the ceilings."""
    found = {"norm": (nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()), 3),
             "norm6": (nn.Sequential(nn.BatchNorm2d(3), nn.ReLU6()), 3),
             "conv": (nn.Sequential(nn.Conv2d(3, 4, 2, stride=(2, 1), padding=(0, 1)), nn.ReLU()), 3),
             "conv6": (nn.Sequential(nn.Conv2d(3, 3, 3, groups=3), nn.ReLU6()), 3),
             "pool": (nn.Sequential(nn.MaxPool2d(3, 2, 1)), 2)}
    for name in ("norm6", "conv6"):
        with torch.no_grad():
            found[name][0][0].weight.mul_(16)
    return found


NODES = {"norm": "_NormReluBackward", "norm6": "_NormReluBackward", "conv": "_ConvReluBackward",
         "conv6": "_ConvReluBackward", "pool": "MaxPoolBackward"}


def need_nodes():
    """Skips without build tools. A compiler that rejects the file is an error."""
    if not _node.load(build=True, at_once=True):
        if _node.reason.startswith("there "):
            raise unittest.SkipTest(f"no nodes: {_node.reason}")
        raise AssertionError(_node.reason)


def gradients(model, x, *more, **options):
    """Returns the gradients of the model's result, weighted differently at each place, for x and the parameters."""
    y = model(x, *more)
    ramp = torch.linspace(-1, 1, y.numel(), dtype=y.dtype, device=y.device).view(y.shape)
    wanted = [one for one in (x, *more, *model.parameters()) if one.requires_grad]
    return [y.detach(), *torch.autograd.grad(y, wanted, ramp, **options)]


@unittest.skipUnless(torch, "torch is not installed")
class Node(unittest.TestCase):
    device, route = "cpu", "cpu_ref"

    @classmethod
    def setUpClass(cls):
        need_nodes()

    def setUp(self):
        torch.manual_seed(0)
        self.addCleanup(anydnn.torch.disable)
        self.now = ""
        flags = torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
        flags.__enter__()
        self.addCleanup(flags.__exit__, None, None, None)

    def _formatMessage(self, msg, standardMsg):
        return f"{super()._formatMessage(msg, standardMsg)}\nof {self.now}"

    def ways(self, compiled=True):
        """Runs with Functions, then with nodes."""
        for nodes in (False, True):
            anydnn.torch.enable(route=self.route, compiled=compiled)
            (_node._use if nodes else _node._functions)()
            self.now = "nodes" if nodes else "Functions"
            yield nodes

    def drawn(self, *shape):
        return torch.randn(shape).to(self.device)

    def each(self, compiled=True, names=None):
        """Runs each operator both ways, in a fresh and identical fused module."""
        for nodes in self.ways(compiled):
            for name in names or blocks():
                self.now = f"{'nodes' if nodes else 'Functions'}, {name}"
                torch.manual_seed(1)
                model, saved = blocks()[name]
                yield nodes, name, anydnn.torch.fuse(model.to(self.device)), self.drawn(2, 3, 5, 6), saved

    def equal(self, found, wanted):
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            self.assertEqual(one.stride(), other.stride())
            self.assertTrue(torch.equal(one, other))

    def same(self, run, **options):
        """Checks that `run` returns the same both ways: bits, or any other comparable value."""
        first = {}
        for _, name, model, x, _ in self.each(**options):
            found = run(model, x)
            if name not in first:
                first[name] = found
            elif isinstance(found, str):
                self.assertEqual(found, first[name])
            else:
                self.equal(found, first[name])
        return first

    def test_which_way(self):
        for nodes, name, model, x, _ in self.each():
            y = model(x.requires_grad_())
            self.assertEqual(y.grad_fn.name(), NODES[name])
            self.assertEqual(isinstance(y.grad_fn, torch.autograd.function.BackwardCFunction), not nodes)
        anydnn.torch.enable(compiled=True)
        self.assertIs(_eager.ways["norm_relu"], _node._loaded.norm_relu)
        for way in ({"compiled": False}, None):
            if way:
                anydnn.torch.enable(**way)
            else:
                anydnn.torch.disable()
            self.assertIs(_eager.ways["norm_relu"], _eager.FUNCTIONS["norm_relu"][0])

    def test_same_bits(self):
        """Compares results, gradients and running statistics three times. The third run uses the learned recipes."""
        def run(model, x):
            found = []
            for kind, last in ((torch.float32, False), (torch.float32, True), (torch.float64, True)):
                one, leaf = copy.deepcopy(model).to(kind), x.to(kind)
                if last:
                    one, leaf = (each.to(memory_format=torch.channels_last) for each in (one, leaf))
                for _ in range(3):
                    found += [*gradients(one, leaf.clone().requires_grad_()), *(b.clone() for b in one.buffers())]
            with torch.autocast(self.device, torch.bfloat16):
                found += gradients(model, x.clone().requires_grad_())
            return found
        for compiled in (True, False):
            found = self.same(run, compiled=compiled)
            self.assertTrue(((found["norm6"][0] == 6).any() and (found["conv6"][0] == 6).any()).item())

    def test_gradients_in_another_layout(self):
        """Tests an expanded gradient, one with gaps and one in the other format.

        The third time runs without Python, except for convolutions.
        """
        def run(model, x):
            once(model, x)
            found = once(model, x)
            with mock.patch.object(anydnn.torch._state, "attempt", side_effect=AssertionError("Python ran")):
                if not isinstance(model[0], nn.Conv2d):
                    self.equal(once(model, x), found)
            return found

        def once(model, x):
            torch.manual_seed(2)
            leaf = x.requires_grad_()
            y = model(leaf)
            dys = [y.new_ones(()).expand(y.shape), self.drawn(*y.shape[:3], 2 * y.shape[3])[..., ::2],
                   self.drawn(*y.shape).to(memory_format=torch.channels_last)]
            return [one for dy in dys for one in torch.autograd.grad(y, [leaf, *model.parameters()], dy, True)]
        found = self.same(run)
        for name, values in found.items():
            self.assertGreater(max(one.abs().max().item() for one in values), 0, name)

    def test_who_wants_gradients(self):
        """Tests each subset of the inputs. Only these get gradients."""
        for _, _, model, x, _ in self.each():
            leaves = [x, *model.parameters()]
            for bits in range(1 << len(leaves)):
                for place, leaf in enumerate(leaves):
                    leaf.requires_grad_(bool(bits >> place & 1))
                    leaf.grad = None
                y = model(x)
                self.assertEqual(y.requires_grad, bits > 0)
                if bits:
                    y.sum().backward()
                self.assertEqual([leaf.grad is not None for leaf in leaves], [leaf.requires_grad for leaf in leaves])
            with torch.no_grad():
                self.assertIsNone(model(x.requires_grad_()).grad_fn)
            with torch.inference_mode():
                self.assertTrue(model(x).is_inference())

    def test_addition(self):
        found = {}
        for _ in self.ways():
            for kinds in ((True, True), (True, False), (False, True)):
                torch.manual_seed(3)
                model = anydnn.torch.fuse(Sum().to(self.device))
                x, z = (self.drawn(2, 3, 4, 5).requires_grad_(kind) for kind in kinds)
                now = gradients(model, x, z)
                self.equal(now, found.setdefault(kinds, now))
                self.assertEqual(len(now), 3 + sum(kinds))

    def test_no_gradient_that_nobody_wants(self):
        """Tests unrequested gradients of a convolution. A node omits those that the backward call does not request; a
        Function omits only those of leaves that need none.
        """
        for nodes, _, model, x, _ in self.each(compiled=False, names=("conv",)):
            x.requires_grad_()
            for wanted in ([True, False, False], [False, True, True], [True, True, True]):
                leaves = [x, *model.parameters()]
                y = model(x).sum()
                with mock.patch.object(_convolution, "convolution_backward",
                                       wraps=_convolution.convolution_backward) as kernel:
                    torch.autograd.grad(y, [leaf for leaf, one in zip(leaves, wanted) if one])
                self.assertEqual(list(kernel.call_args[0][-1]), wanted if nodes else [True] * 3)
            model[0].weight.requires_grad_(False)
            y = model(x).sum()
            with mock.patch.object(_convolution, "convolution_backward",
                                   wraps=_convolution.convolution_backward) as kernel:
                y.backward()
            self.assertEqual(list(kernel.call_args[0][-1]), [True, False, True])

    def test_hooks_of_saved_tensors(self):
        """Tests that hooks see each saved tensor, that the gradient reads their results, and that their exceptions
        propagate.
        """
        for _, _, model, x, saved in self.each():
            wanted = gradients(model, x.clone().requires_grad_())
            seen = [0, 0]

            def pack(one):
                seen[0] += 1
                return one.detach().cpu().numpy().copy()

            def unpack(one):
                seen[1] += 1
                return torch.from_numpy(one).to(self.device)

            def raises(_one):
                raise KeyError("mine")
            model.zero_grad()
            with saved_tensors_hooks(pack, unpack):
                found = gradients(model, x.clone().requires_grad_())
            self.equal(found, wanted)
            self.assertEqual(seen, [saved, saved])
            with saved_tensors_hooks(raises, unpack), self.assertRaises(KeyError):
                model(x.clone().requires_grad_())
            with saved_tensors_hooks(lambda one: one.detach(), raises):
                y = model(x.clone().requires_grad_())
            with self.assertRaises(KeyError):
                y.sum().backward()

    def test_what_was_saved_has_not_changed(self):
        for _, name, model, x, _ in self.each():
            leaf = x.requires_grad_().clone()
            changes = [lambda leaf, y: leaf.mul_(2)]
            if "norm" not in name:
                changes.append(lambda leaf, y: y.mul_(2))
            if name != "pool":
                changes.append(lambda leaf, y: model[0].weight.mul_(2))
            for change in changes:
                leaf = x.clone()
                y = model(leaf)
                whole = (y * 1).sum()
                with torch.no_grad():
                    change(leaf, y)
                with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                    whole.backward()

    def test_released_and_retained(self):
        for _, _, model, x, _ in self.each():
            leaf = x.requires_grad_()
            y = model(leaf).sum()
            first = torch.autograd.grad(y, leaf, retain_graph=True)
            self.equal(torch.autograd.grad(y, leaf), first)
            with self.assertRaisesRegex(RuntimeError, "a second time"):
                torch.autograd.grad(y, leaf)

    def test_memory_is_released(self):
        """Tests that the backward pass releases the saved values while the result lives on."""
        for _, _, model, x, _ in self.each():
            inner = x.requires_grad_() * 1
            held = weakref.ref(inner)
            y = model(inner)
            del inner
            self.assertIsNotNone(held())
            y.sum().backward()
            self.assertIsNone(held())

    def test_gradients_against_differences(self):
        """Compares first and second derivatives."""
        for _, name, model, x, _ in self.each():
            model.double()
            names = list(dict(model.named_parameters()))

            def run(x, *parameters):
                return torch.func.functional_call(model, dict(zip(names, parameters)), (x,))
            inputs = (x[..., :4].double().contiguous().requires_grad_(), *model.parameters())
            for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
                self.assertTrue(check(run, inputs), name)

    def test_graph_of_the_gradient(self):
        """Tests that create_graph gives the same values, differentiable, also for a subset of gradients."""
        for _, _, model, x, _ in self.each():
            leaf = x.double().requires_grad_()
            model.double()
            y = (model(leaf) ** 3).sum()
            once, = torch.autograd.grad(y, leaf, retain_graph=True)
            twice, = torch.autograd.grad(y, leaf, create_graph=True)
            self.assertTrue(twice.requires_grad)
            # Sums of at most 2^7 products of values near 1, in another order.
            self.assertLess((once - twice).abs().max().item(), 2.0 ** 7 * 2.0 ** -52 * (1 + once.abs().max().item()))
            twice.sum().backward()

    def test_derivatives_taken_forward(self):
        for _, name, model, x, _ in self.each():
            tangent = torch.randn_like(x)
            plain = copy.deepcopy(anydnn.torch.unfuse(copy.deepcopy(model)))

            def run(one):
                with forward_ad.dual_level():
                    y = one(forward_ad.make_dual(x.clone().requires_grad_(), tangent))
                    return [each.detach() for each in forward_ad.unpack_dual(y)]
            for one, other in zip(run(model), run(plain)):
                torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

    def test_transforms(self):
        """Tests that torch.func gets operators that it can transform."""
        for _, _, model, x, _ in self.each(names=("conv", "conv6", "pool")):
            several = self.drawn(3, *x.shape)
            self.equal([torch.func.vmap(model)(several)], [torch.stack([model(one) for one in several])])

    def test_subclasses_and_modes(self):
        """Tests that Python subclasses and modes see the calls."""
        for _, name, model, x, _ in self.each(names=("norm", "conv")):
            wanted = gradients(model, x.clone().requires_grad_())
            with Sees() as mode:
                y = model(x.clone().requires_grad_())
            self.assertTrue(any("anydnn" in one for one in mode.names), mode.names)
            self.assertTrue(torch.equal(y, wanted[0]))
            weight = model[0].weight
            model[0]._parameters["weight"] = nn.Parameter(weight.detach().as_subclass(Counts))
            before = Counts.seen
            y = model(x)
            self.assertGreater(Counts.seen, before)
            self.assertTrue(torch.equal(y.as_subclass(torch.Tensor), wanted[0]), name)

    def test_anomaly_mode(self):
        """Tests that the message names the operator that produced NaN, and its call site."""
        def run(model, x):
            with torch.autograd.detect_anomaly():
                y = model(x.requires_grad_())
                with self.assertWarnsRegex(UserWarning, "test_node.py"), self.assertRaises(RuntimeError) as caught:
                    y.backward(torch.full_like(y, float("nan")))
            return str(caught.exception)
        for name, said in self.same(run).items():
            self.assertIn(f"Function '{NODES[name]}' returned nan", said)

    def test_checkpoint(self):
        for _, _, model, x, _ in self.each():
            wanted = gradients(model, x.clone().requires_grad_())[1]
            for reentrant in (False, True):
                leaf = x.clone().requires_grad_()
                y = checkpoint(nn.Sequential(model, nn.Identity()), leaf, use_reentrant=reentrant)
                y.backward(torch.linspace(-1, 1, y.numel(), device=y.device).view(y.shape))
                self.assertTrue(torch.equal(leaf.grad, wanted))

    def test_compile_and_trace(self):
        """Tests that torch.compile and torch.jit.trace use no node."""
        for _, _, model, x, _ in self.each():
            torch._dynamo.reset()
            wanted = gradients(model, x.clone().requires_grad_())
            compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
            for one, other in zip(gradients(compiled, x.clone().requires_grad_()), wanted):
                torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
            traced = torch.jit.trace(model, x)
            self.assertTrue(torch.equal(traced(x), wanted[0]))

    def test_compiled_autograd(self):
        """Tests the compiled graph of the backward pass. Other numbers, layouts and hooks make another graph."""
        from torch._dynamo import compiled_autograd
        for _, _, model, x, _ in self.each():
            torch._dynamo.reset()
            for kind in (torch.float32, torch.float64, torch.float64):
                one = copy.deepcopy(model).to(kind)
                leaf = x.detach().to(kind).requires_grad_()
                wanted = gradients(one, leaf)[1:]
                y = one(leaf)
                with compiled_autograd._enable(torch.compile(backend="eager")):
                    y.backward(torch.linspace(-1, 1, y.numel(), dtype=kind, device=y.device).view(y.shape))
                self.equal([leaf.grad, *(p.grad for p in one.parameters())], wanted)

    def test_no_gradient_comes(self):
        """Tests that a missing gradient counts as zeros."""
        for _, _, model, x, _ in self.each():
            leaf = x.requires_grad_()
            Nothing.apply(model(leaf)).sum().backward()
            self.assertTrue(torch.equal(leaf.grad, torch.zeros_like(leaf)))

    def test_hooks(self):
        for _, name, model, x, _ in self.each():
            leaf, seen = x.requires_grad_(), []
            y = model(leaf)
            y.register_hook(lambda dy: dy * 2)
            y.grad_fn.register_prehook(lambda dys: seen.append("before"))
            y.grad_fn.register_hook(lambda found, dys: seen.append("behind"))
            y.retain_grad()
            y.sum().backward()
            self.assertEqual(seen, ["before", "behind"])
            self.assertTrue(torch.equal(y.grad, torch.full_like(y, 2.0)))
            accumulators = [edge[0].variable for edge in y.grad_fn.next_functions if edge[0] is not None]
            self.assertEqual([id(one) for one in accumulators], [id(one) for one in (leaf, *model.parameters())], name)

    def test_threads(self):
        """Tests several threads that request the gradients of one graph."""
        for _, _, model, x, _ in self.each():
            leaf, found = x.requires_grad_(), []
            y = model(leaf).sum()
            wanted = torch.autograd.grad(y, leaf, retain_graph=True)

            def run():
                for _ in range(20):
                    found.append(torch.autograd.grad(y, leaf, retain_graph=True)[0])
            threads = [threading.Thread(target=run) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(found), 80)
            for one in found:
                self.equal([one], wanted)

    def test_deep(self):
        """Tests that a long chain is freed without recursion, on a thread with a small stack."""
        before = threading.stack_size(1 << 18)
        self.addCleanup(threading.stack_size, before)
        for _ in self.ways():
            model, held = nn.MaxPool2d(1), [self.drawn(1, 1, 1, 1).requires_grad_()]
            for _ in range(10000):
                held[0] = model(held[0])
            thread = threading.Thread(target=held.clear)
            thread.start()
            thread.join()

    def test_errors(self):
        """Tests torch's messages for mismatched operands, both ways."""
        def run(model, x):
            with self.assertRaises(Exception) as caught:
                model(self.drawn(2, 5, 6, 6))
            return f"{type(caught.exception).__name__}: {caught.exception}"
        found = self.same(run, names=("norm", "conv"))
        self.assertRegex(found["norm"], "RuntimeError: running_mean should contain 5 elements not 3")
        self.assertRegex(found["conv"], "RuntimeError: Given groups=1, weight of size")

    def test_wrong_calls(self):
        with self.assertRaisesRegex(RuntimeError, "max_pool: got 1 arguments"):
            _node._loaded.max_pool(torch.ones(1))
        with self.assertRaises(TypeError):
            _node._loaded.max_pool(torch.ones(1, 1, 2, 2), "1")


@unittest.skipUnless(torch and torch.cuda.is_available(), "no GPU")
class NodeOnCuda(Node):
    device, route = "cuda", "cuda_simt, cuda_naive"

    def test_streams(self):
        """Tests that a call and its gradient run on the call's stream, in order."""
        wanted = self.same(lambda model, x: gradients(model, x.requires_grad_()))
        side = torch.cuda.Stream()
        for _, name, model, x, _ in self.each():
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                torch.cuda._sleep(10 ** 8)
                leaf = (x * 1).requires_grad_()
                y = model(leaf)
                torch.cuda._sleep(10 ** 8)
                ramp = torch.linspace(-1, 1, y.numel(), device=y.device).view(y.shape)
                found = [y.detach(), *torch.autograd.grad(y, [leaf, *model.parameters()], ramp)]
            torch.cuda.synchronize()
            self.equal(found, wanted[name])


# A compiler that logs what it compiles and, for nodes, does what COMPILER says.
COMPILER = """#!/bin/sh
case "$*" in
*_node.cpp*) echo "$$" >>"{folder}/compiled"; {does} ;;
*) for one; do [ "$last" = -o ] && cp "{kernels}" "$one"; last=$one; done ;;
esac
"""
TAKES = 'for one; do [ "$last" = -o ] && cp "{nodes}" "$one"; last=$one; done'
MODEL = ("import sys, time, torch, anydnn.torch as a; node = a._node; node.OFTEN = 6; a.enable({how});"
         "model = a.fuse(torch.nn.Sequential(torch.nn.BatchNorm2d(3), torch.nn.ReLU()));"
         "x = torch.randn(2, 3, 4, 4).requires_grad_();"
         "ran = lambda: type(model(x).grad_fn).__name__;")


def alive(group):
    """Returns the live processes of a group, without zombies."""
    found = []
    for one in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = one.read_text().rpartition(")")
            state, _, its = rest.split()[:3]
            if its == group and state != "Z":
                found.append(name)
    return found


@unittest.skipUnless(torch, "torch is not installed")
class Build(unittest.TestCase):
    """Tests when the nodes are built, and what happens if the build fails."""

    @classmethod
    def setUpClass(cls):
        need_nodes()
        _fast.load()  # the compiler below copies its file

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = pathlib.Path(work.name)
        self.cache = self.folder / "cache" / "anydnn"

    def start(self, code, does=TAKES, how=""):
        compiler = self.folder / "c++"
        nodes = _build.kept("torch-node", _node.SOURCE, _node._VERSION)
        text = COMPILER.replace("{does}", does).replace("{nodes}", str(nodes)).replace("{folder}", str(self.folder))
        compiler.write_text(text.replace("{kernels}", str(_build.kept("torch", _fast.SOURCE))))
        compiler.chmod(0o755)
        return subprocess.Popen([sys.executable, "-c", MODEL.replace("{how}", how) + code], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "CXX": str(compiler), "XDG_CACHE_HOME": str(self.folder / "cache"),
                                     "PYTHONPATH": str(HERE.parent)})

    def said(self, *arguments, **named):
        process = self.start(*arguments, **named)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        return out + "\n".join(line for line in err.splitlines() if "unknown environment" not in line)

    def compiled(self):
        noted = self.folder / "compiled"
        return len(noted.read_text().splitlines()) if noted.exists() else 0

    def left(self):
        return sorted(one.suffix or one.name for one in self.cache.iterdir())

    def test_at_once(self):
        said = self.said("print(ran())", how="compiled=True")
        self.assertIn("CppFunction", said)
        self.assertIn("compiles _node.cpp, once", said)
        self.assertNotIn("compiles", self.said("print(ran())", how="compiled=True"))
        self.assertEqual((self.compiled(), self.left()), (1, [".lock", ".so", ".so"]))

    def test_beside_what_calls_often(self):
        """Tests that the build starts with frequent calls, takes effect in this process, and in the next one from the
        start.
        """
        said = self.said("print([ran() for _ in range(5)]); print(len(a._build._threads), node.reason);"
                         "[ran() for _ in range(2)];\n"
                         "for _ in range(600):\n    if 'Cpp' in ran(): break\n    time.sleep(0.1)\n"
                         "print(ran(), node.reason); a.enable(compiled=False); print(ran())")
        lines = said.splitlines()
        self.assertEqual(lines[:3], [str(["_NormReluBackward"] * 5), "0 it is not built yet", "CppFunction "])
        self.assertEqual(lines[3], "_NormReluBackward")
        self.assertEqual(self.said("print(ran())").splitlines(), ["CppFunction"])
        self.assertEqual(self.compiled(), 1)

    def test_disabled_meanwhile(self):
        said = self.said("[ran() for _ in range(7)]; a.disable(); a._build._threads[0].join(); print(ran(), node.reason)")
        self.assertEqual(said.splitlines(), ["_NormReluBackward "])

    def test_refused(self):
        """Tests that the Functions run after a failed build. The build is repeated on explicit request, or after a
        day.
        """
        code = "[ran() for _ in range(7)]; [one.join() for one in a._build._threads]; print(ran(), node.reason)"
        refuses = 'echo "error: no" >&2; exit 1'
        self.assertRegex(self.said(code, does=refuses), "_NormReluBackward .*error: no")
        self.assertRegex(self.said(code, does=refuses), "_NormReluBackward .*error: no")
        self.assertEqual(self.compiled(), 1)
        self.assertRegex(self.said("a.enable(compiled=True);" + code, does=refuses, how="compiled=True"), "error: no")
        self.assertEqual(self.compiled(), 2)
        os.utime(next(self.cache.glob("*.why")), (1, 1))
        self.said(code, does=refuses)
        self.assertEqual(self.compiled(), 3)
        self.assertEqual(self.left(), [".lock", ".so", ".why"])

    def test_the_process_ends_first(self):
        """Tests that the process does not wait, kills the compiler, and leaves no incomplete file and no error message.
        """
        self.said("[ran() for _ in range(7)];\nwhile not a._build._running: time.sleep(0.01)\ntime.sleep(0.5)",
                  does="sleep 1000 & wait")
        self.assertEqual(self.left(), [".lock", ".so"])
        self.assertEqual(alive((self.folder / "compiled").read_text().strip()), [])

    def test_several_processes(self):
        started = [self.start("print(ran())", does="sleep 2;" + TAKES, how="compiled=True") for _ in range(3)]
        for process in started:
            self.assertIn("CppFunction", process.communicate(timeout=300)[0])
        self.assertEqual(self.compiled(), 1)

    def test_a_file_for_another_torch(self):
        for change in ((_node._VERSION[:8], "0" * 8), ("\x7fELF", "abcd")):
            self.said("print(ran())", how="compiled=True")
            made = next(self.cache.glob("torch-node-*.so"))
            held = made.read_bytes()
            made.unlink()
            made.write_bytes(held.replace(*(one.encode() for one in change)))
            said = self.said("print(ran(), node.reason)")
            self.assertIn("_NormReluBackward", said)
            self.assertIn(made.name, said)
            made.unlink()

    def test_no_headers(self):
        said = self.said("print(ran(), node.reason)", how=")\nimport sysconfig\nsysconfig.get_path = lambda _: '/none'\n"
                         "a.enable(compiled=True")
        self.assertIn("the headers of Python are not installed", said)
        self.assertEqual(self.compiled(), 0)


if __name__ == "__main__":
    unittest.main()
