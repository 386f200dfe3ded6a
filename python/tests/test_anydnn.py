# SPDX-License-Identifier: Apache-2.0
"""Tests the package without torch. Needs libanydnn (ANYDNN_LIBRARY), and NumPy for tests on arrays."""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import anydnn  # noqa: E402
import generate  # noqa: E402
from anydnn import _abi, arrays  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
ROOT = HERE.parent.parent
INCLUDE = os.environ.get("ANYDNN_INCLUDE")


class Locale(unittest.TestCase):
    def test_traces_have_points_where_python_has_commas(self):
        """Runs in a separate process with a locale that writes 0,5."""
        program = """
import ctypes, locale, sys
try:
    locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
except locale.Error:
    sys.exit(77)
import anydnn
dll, handle, problem, data = anydnn.library().dll, ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_float * 64)()
pointers = (ctypes.c_void_p * 1)(ctypes.addressof(data))
dll.anydnnProblemExecute.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t]
sys.exit(dll.anydnnCreateOnDevice(ctypes.byref(handle), b"cpu") or
         dll.anydnnSetTrace(handle, b"file=" + sys.argv[1].encode()) or
         dll.anydnnProblemParse(b"scale_tensor y=f32:2,3 alpha=0.5", ctypes.byref(problem)) or
         dll.anydnnProblemExecute(handle, problem, pointers, None, 0))
"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "calls")
            environment = dict(os.environ, PYTHONPATH=str(HERE.parent))
            done = subprocess.run([sys.executable, "-c", program, str(path)], env=environment, check=False)
            if done.returncode == 77:
                self.skipTest("there is no locale de_DE.UTF-8")
            self.assertEqual(done.returncode, 0)
            columns = path.read_text().splitlines()[-1].split("\t")
            self.assertIn("alpha=0.5", columns[0])
            self.assertRegex(columns[4], r"^[0-9]+\.[0-9]+$")


class Declarations(unittest.TestCase):
    def test_file_is_what_the_generator_makes(self):
        subprocess.run([sys.executable, str(HERE.parent / "generate.py"), "--check"], check=True)

    def test_library_has_every_symbol(self):
        for name in _abi.PROTOTYPES:
            self.assertTrue(hasattr(anydnn.library().dll, name), name)

    def test_version(self):
        version = _abi.ANYDNN_MAJOR * 10000 + _abi.ANYDNN_MINOR * 100 + _abi.ANYDNN_PATCHLEVEL
        self.assertEqual(anydnn.library().GetVersion(), version)

    @unittest.skipUnless(INCLUDE, "ANYDNN_INCLUDE names no folders of headers")
    def test_compiler_agrees(self):
        """Compares sizes, offsets and constants with a compiler's."""
        lines, wanted = [], []
        for name, value in vars(_abi).items():
            if isinstance(value, type) and issubclass(value, ctypes.Structure) and value is not ctypes.Structure:
                lines.append(f'sizeof(anydnn{name}_t)')
                wanted.append(ctypes.sizeof(value))
                for field, *_ in value._fields_:
                    lines.append(f'offsetof(anydnn{name}_t, {field})')
                    wanted.append(getattr(value, field).offset)
        header = generate.without_comments((ROOT / "include/anydnn/anydnn.h").read_text())
        for kind, members in generate.enumerations(header):
            prefix = generate.common_prefix(members)
            for constant, _ in members:
                if not constant.endswith("FORCE_32"):
                    lines.append(constant)
                    wanted.append(getattr(_abi, generate.plain(kind))[generate.member(constant, prefix)].value)
        self.assertGreater(len(lines), 100)
        source = "#include <stdio.h>\n#include <anydnn/anydnn.h>\nint main(void){" + "".join(
            f'printf("%lld\\n", (long long)({line}));' for line in lines) + "return 0;}"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.c"
            path.write_text(source)
            includes = [f"-I{one}" for one in INCLUDE.split(":")]
            subprocess.run([*os.environ.get("CC", "cc").split(), *includes, str(path), "-o", str(path.with_suffix(""))],
                           check=True)
            said = subprocess.run([str(path.with_suffix(""))], check=True, capture_output=True, text=True).stdout
        self.assertEqual([int(line) for line in said.split()], wanted)


class Problems(unittest.TestCase):
    def test_text_round_trip(self):
        problem = anydnn.Problem("convolution_forward x=f32:1,3,8,8 w=f32:4,3,3,3 pad=1,1")
        self.assertEqual(anydnn.Problem(str(problem)), problem)
        self.assertEqual([one.role for one in problem.operands], ["x", "w", "y"])
        self.assertEqual(problem.operands[2].shape, (1, 4, 8, 8))
        self.assertIn("cpu_ref", problem.explain(anydnn.Handle("cpu", route="cpu_ref")))

    def test_errors_have_the_sentence(self):
        with self.assertRaises(anydnn.BadParam) as caught:
            anydnn.Problem("convolution_forwrd x=f32:1")
        self.assertIn("convolution_forward", str(caught.exception))
        self.assertEqual(caught.exception.status, anydnn.Status.BAD_PARAM)
        with self.assertRaises(ValueError):
            anydnn.Handle("cpu").set_route("nothing", "cpu_ref")

    def test_closed_handle(self):
        handle = anydnn.Handle("cpu")
        handle.close()
        handle.close()
        with self.assertRaises(ValueError):
            handle.set_deterministic(True)

    def test_lists(self):
        self.assertIn("cpu_ref", [one.name for one in anydnn.backends()])
        self.assertEqual(anydnn.devices()[0].name, "cpu")
        self.assertTrue(any(one.key == "fallback" for one in anydnn.settings()))

    @unittest.skipUnless(os.environ.get("ANYDNN_TOOL"), "ANYDNN_TOOL names no program")
    def test_tool(self):
        problem = anydnn.Problem("pooling_forward x=f32:2,3,8,8 window=2,2 stride=2,2")
        self.assertTrue(problem.verify("cpu_ref"))
        self.assertIn("cpu_ref", problem.compare("cpu_ref", "cpu_ref"))
        rows = problem.bench("cpu_ref", seconds=0.05, options=("--peak-flops", "1G", "--peak-bytes", "1G"))
        self.assertEqual([row["backend"] for row in rows], ["cpu_ref"])


def convolved(x, w, pad, stride):
    """Returns the convolution by its definition, in double."""
    x = numpy.pad(x.astype("f8"), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    rows, columns = [(x.shape[a] - w.shape[a]) // stride + 1 for a in (2, 3)]
    y = numpy.zeros((x.shape[0], w.shape[0], rows, columns))
    for r in range(w.shape[2]):
        for s in range(w.shape[3]):
            part = x[:, :, r:r + stride * rows:stride, s:s + stride * columns:stride]
            y += numpy.einsum("nchw,kc->nkhw", part, w[:, :, r, s].astype("f8"))
    return y


@unittest.skipUnless(numpy, "NumPy is not installed")
class Arrays(unittest.TestCase):
    def setUp(self):
        draw = numpy.random.default_rng(1)
        self.x = draw.standard_normal((2, 3, 9, 9)).astype("f4")
        self.w = draw.standard_normal((4, 3, 3, 3)).astype("f4")

    def near(self, found, wanted):
        # 27 products, each rounded once and added: 28 half units of their absolute sum, which is below 60 here.
        self.assertLess(numpy.abs(found - wanted).max(), 28 * 2.0 ** -24 * 60)

    def test_convolution_and_layouts(self):
        wanted = convolved(self.x, self.w, 1, 2)
        self.near(anydnn.convolution_forward(self.x, self.w, pad=1, stride=2), wanted)
        last = numpy.ascontiguousarray(self.x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
        y = anydnn.convolution_forward(last, self.w, pad=1, stride=2)
        self.near(y, wanted)
        self.assertEqual(y.strides[1], 4)
        wide = numpy.zeros((2, 3, 9, 12), "f4")[..., :9]
        wide[...] = self.x
        self.near(anydnn.convolution_forward(wide, self.w, pad=1, stride=2), wanted)

    def test_out_and_what_is_wrong_with_it(self):
        out = numpy.empty((2, 4, 5, 5), "f4")
        self.assertIs(anydnn.convolution_forward(self.x, self.w, pad=1, stride=2, out=out), out)
        self.near(out, convolved(self.x, self.w, 1, 2))
        out.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "y is written and its array is read-only"):
            anydnn.convolution_forward(self.x, self.w, pad=1, stride=2, out=out)
        with self.assertRaises(anydnn.BadParam):
            anydnn.convolution_forward(self.x, self.w[:, :2])
        with self.assertRaisesRegex(TypeError, "is not an array"):
            anydnn.convolution_forward([1], self.w)

    def test_gradients_are_the_transposed(self):
        dy = numpy.random.default_rng(2).standard_normal((2, 4, 5, 5)).astype("f4")
        y = convolved(self.x, self.w, 1, 2)
        dx = anydnn.convolution_backward_data(self.w, dy, self.x.shape, pad=1, stride=2)
        dw = anydnn.convolution_backward_filter(self.x, dy, self.w.shape, pad=1, stride=2)
        inner = (y * dy).sum()
        self.assertAlmostEqual((self.x * dx).sum(dtype="f8"), inner, delta=1e-3)
        self.assertAlmostEqual((self.w * dw).sum(dtype="f8"), inner, delta=1e-3)

    def test_others(self):
        y = anydnn.pooling_forward(self.x, 3)
        numpy.testing.assert_array_equal(y, self.x.reshape(2, 3, 3, 3, 3, 3).max((3, 5)))
        numpy.testing.assert_array_equal(anydnn.activation_forward(self.x), numpy.maximum(self.x, 0))
        self.near(anydnn.softmax_forward(self.x).sum(1), 1.0)
        one, zero = numpy.ones((1, 3, 1, 1), "f4"), numpy.zeros((1, 3, 1, 1), "f4")
        y, mean, inverse = anydnn.batch_normalization_training(self.x, one, zero)
        self.near(mean.ravel(), self.x.mean((0, 2, 3), dtype="f8"))
        self.near(y, (self.x - mean) * inverse)
        self.near(anydnn.batch_normalization_inference(self.x, one, zero, zero, one), self.x / numpy.sqrt(1 + 1e-5))
        self.assertEqual(anydnn.lrn_forward(self.x).shape, self.x.shape)

    def test_sequences(self):
        x = numpy.full((4, 1, 3), 0.25)
        one, three = numpy.array([1], "i4"), numpy.array([3], "i4")
        costs, gradients = anydnn.ctc_loss(x, one, one, three)
        # The six paths of three steps: a--, -a-, --a, aa-, -aa, aaa.
        self.near(costs, numpy.log(27 / 6))
        self.near(gradients.sum(2), 0.0)
        self.near(gradients[3], 0.0)
        with self.assertRaisesRegex(anydnn.BadParam, "labels\\[0\\] is 3; it must be 1 to 2"):
            anydnn.ctc_loss(x, three, one, three)
        image = numpy.arange(12.0).reshape(1, 1, 3, 4)
        mirror = anydnn.spatial_grid_forward(numpy.array([[[-1.0, 0, 0], [0, 1, 0]]]), (3, 4))
        self.near(anydnn.spatial_sampler_forward(image, mirror), image[..., ::-1])

    def test_normalizations(self):
        x = numpy.random.default_rng(4).standard_normal((3, 4, 6)) * 2 + 5
        scale, bias = numpy.linspace(0.5, 2, 6).reshape(1, 1, 6), numpy.linspace(-1, 1, 6).reshape(1, 1, 6)
        mean = x.mean(-1, keepdims=True)
        inverse = 1 / numpy.sqrt(x.var(-1, keepdims=True) + 1e-5)
        wanted = scale * (x - mean) * inverse + bias
        y, saved, deviation = anydnn.normalization_training(x, scale=scale, bias=bias)
        for got, want in ((y, wanted), (saved, mean), (deviation, inverse)):
            self.near(got, want)
        self.near(anydnn.normalization_forward(x - 1, z=numpy.ones_like(x), scale=scale, bias=bias,
                                               activation="relu"), numpy.maximum(wanted, 0))
        square = numpy.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
        y, saved, deviation = anydnn.normalization_training(x, kind="rms")
        self.near(y, x / square)
        self.near(deviation, 1 / square)
        self.assertIsNone(saved)
        groups = x.reshape(3, 2, 12)
        wanted = (groups - groups.mean(-1, keepdims=True)) / numpy.sqrt(groups.var(-1, keepdims=True) + 1e-5)
        self.near(anydnn.normalization_forward(x, kind="group", groups=2), wanted.reshape(x.shape))
        self.near(anydnn.normalization_forward(x, kind="instance"), (x - mean) * inverse)
        dy = numpy.ones_like(x)
        dx, dscale, dbias = anydnn.normalization_backward(x, dy, scale=scale, bias=bias)
        self.near(dx.sum(-1), 0.0)
        self.near(dscale, ((x - mean) * inverse).sum((0, 1), keepdims=True))
        self.near(dbias, 12.0)
        self.assertIsNone(anydnn.normalization_backward(x, dy, kind="rms")[1])

    def test_bad_axes_and_shapes(self):
        x, row = numpy.ones((3, 4, 6)), numpy.ones(5)
        for axes, sentence in ((3, "axes is 0x8"), (-4, "axes=-1"), ((2, -1), "different dims"), ((), "axes is 0x0")):
            with self.assertRaisesRegex(anydnn.BadParam, sentence):
                anydnn.normalization_forward(x, axes=axes)
        with self.assertRaisesRegex(anydnn.BadParam, "axes is 0x4; it must be 0 for groups"):
            anydnn.normalization_forward(x, kind="group", axes=2)
        for kind in ("group", "instance"):
            with self.assertRaisesRegex(anydnn.BadParam, "groups need a dim of samples and one of channels"):
                anydnn.normalization_training(row, kind=kind)
        with self.assertRaises(anydnn.BadParam):
            anydnn.normalization_forward(numpy.array(1.0))
        with self.assertRaisesRegex(anydnn.BadParam, "a matrix has at least two dims"):
            anydnn.matmul(row, row)
        with self.assertRaisesRegex(anydnn.BadParam, "b is f64:3,4,6; it must have as many dims as a"):
            anydnn.matmul(x[0], x)

    def test_results_in_place(self):
        """Checks that `out` may be an input where the operation permits it, and that its sentence appears where not."""
        x, z = (numpy.random.default_rng(seed).standard_normal((3, 4, 6)) for seed in (5, 6))
        for name, out in (("x", x.copy()), ("z", z.copy())):
            wanted = anydnn.normalization_forward(x, z=z)
            given = {"x": x, "z": z, name: out}
            self.assertIs(anydnn.normalization_forward(given["x"], z=given["z"], out=out), out)
            self.near(out, wanted)
        c = numpy.ones((3, 3))
        anydnn.matmul(x[0, :3], x[1, :3].T, c=c, out=c)
        self.near(c, x[0, :3] @ x[1, :3].T + 1)
        square = x[0, :4, :4].copy()
        with self.assertRaisesRegex(anydnn.BadParam, "d"):
            anydnn.matmul(square, square.copy(), out=square)

    def test_numbers_of_numpy(self):
        x = numpy.array([[1.0, 2.0]])
        self.near(anydnn.matmul(x, x.T, alpha=numpy.float64(0.5)), 2.5)
        self.near(anydnn.normalization_forward(x, epsilon=numpy.float32(0.75)), [[-0.5, 0.5]])
        self.near(anydnn.activation_forward(-x, "elu", coef=numpy.float32(0)), 0.0)
        two, wanted = numpy.int64(2), anydnn.normalization_forward(self.x, axes=2)
        for axes in (two, numpy.array(2), numpy.int32(-2), (two,), numpy.array([2])):
            self.near(anydnn.normalization_forward(self.x, axes=axes), wanted)
        self.near(anydnn.normalization_forward(self.x, kind="group", groups=numpy.int64(3)),
                  anydnn.normalization_forward(self.x, kind="group", groups=3))
        self.near(anydnn.convolution_forward(self.x, self.w, pad=numpy.int64(1), stride=numpy.array([2, 2])),
                  anydnn.convolution_forward(self.x, self.w, pad=1, stride=2))
        for call, sentence in ((lambda: anydnn.normalization_forward(self.x, axes=1.5), "axes is 1.5; it must be an integer"),
                               (lambda: anydnn.pooling_forward(self.x, None), "window is None; it must be an integer"),
                               (lambda: anydnn.normalization_forward(self.x, kind="group", groups=1.5), "float")):
            with self.assertRaisesRegex(TypeError, sentence):
                call()

    def test_matmul(self):
        random = numpy.random.default_rng(5)
        a, b = random.standard_normal((2, 3, 4)), random.standard_normal((1, 5, 4)).swapaxes(1, 2)
        c, bias = random.standard_normal((2, 3, 5)), random.standard_normal((1, 1, 5))
        self.near(anydnn.matmul(a, b), a @ b)
        self.near(anydnn.matmul(a, b, c=c, bias=bias, alpha=0.5, beta=2.0, activation="relu"),
                  numpy.maximum(0.5 * (a @ b) + 2 * c + bias, 0))
        with self.assertRaisesRegex(anydnn.BadParam, "it must have as many rows as a has columns"):
            anydnn.matmul(a, a)

    def test_bfloat16(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        x, w = self.x.astype(ml_dtypes.bfloat16), self.w.astype(ml_dtypes.bfloat16)
        y = anydnn.convolution_forward(x, w)
        self.assertEqual(y.dtype, ml_dtypes.bfloat16)
        wanted = convolved(x.astype("f4"), w.astype("f4"), 0, 1)
        self.assertLess(numpy.abs(y.astype("f8") - wanted).max(), 2.0 ** -8 * numpy.abs(wanted).max())

    def test_record_find_and_threads(self):
        handle = anydnn.Handle("cpu", route="cpu_ref")
        problem = anydnn.Problem("convolution_forward x=f32:2,3,9,9 w=f32:4,3,3,3")
        problem.run(handle, x=self.x, w=self.w)
        self.assertEqual(handle.dispatch.backend, "cpu_ref")
        self.assertTrue(problem.find(handle))
        found = []

        def work():
            found.append(anydnn.convolution_forward(self.x, self.w))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        for one in found:
            self.near(one, convolved(self.x, self.w, 0, 1))

    def test_view_of_dlpack(self):
        view = arrays.view(self.x[:, ::2])
        self.assertEqual((view.type, view.shape, view.device), ("float32", (2, 2, 9, 9), "cpu"))
        self.assertEqual(view.strides, (243, 162, 9, 1))

    def test_examples_of_the_page(self):
        page = (ROOT / "docs/python.md").read_text()
        for block in re.findall(r"```python\n(.*?)```", page, re.S):
            exec(compile(block, "docs/python.md", "exec"), {"__name__": "page"})


if __name__ == "__main__":
    unittest.main()
