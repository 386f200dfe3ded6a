# SPDX-License-Identifier: Apache-2.0
"""Tests python/examples/train_resnet.py on the CPU. Needs torch 2.11 or later and ANYDNN_LIBRARY."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
sys.path[:0] = [str(HERE.parent), str(EXAMPLES)]
try:
    import torch
except ImportError:
    torch = None
if torch:
    import anydnn.torch
    import models
    import train_resnet

SHORT = ["--small", "--images", "48", "--batch", "8", "--size", "16"]


def said(*words):
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        result = train_resnet.main([*SHORT, *words])
    return result, stream.getvalue()


@unittest.skipUnless(torch, "torch is not installed")
class Train(unittest.TestCase):
    def setUp(self):
        anydnn.torch.clear_report()

    def test_models(self):
        """Checks shapes of both sizes and the papers' parameter counts. Every ReLU after a normalization and every
        residual
        shortcut must be fused.
        """
        sizes = {"resnet18": 11689512, "resnet50": 25557032, "resnext50": 25028904, "mobilenet_v2": 3504872,
                 "vgg16": 138357544}
        fused = {"resnet18": 17, "resnet50": 49, "resnext50": 49, "mobilenet_v2": 35, "vgg16": 13}
        shortcuts = {"resnet18": 8, "resnet50": 16, "resnext50": 16, "mobilenet_v2": 10, "vgg16": 0}
        for name, size in sizes.items():
            with torch.device("meta"):
                model = models.model_of(name)
            self.assertEqual(sum(one.numel() for one in model.parameters()), size, name)
            model = models.model_of(name, 10, True)
            anydnn.torch.fuse(model)
            names = sum(anydnn.torch.fused(model).values(), [])
            found = len([one for one in names if one.endswith(" + shortcut")])
            self.assertEqual((len(names) - found, found), (fused[name], shortcuts[name]), name)
            self.assertEqual(model.eval()(torch.zeros(1, 3, 32, 32)).shape, (1, 10))
        with self.assertRaisesRegex(SystemExit, "unknown model 'resnet'"):
            models.model_of("resnet")

    def test_resumes_to_the_same_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/a"
            base = ["--model", "resnet18", "--fuse", "--channels-last", "--route", "onednn, cpu_ref"]
            whole, text = said(*base, "--steps", "4")
            self.assertIn("anydnn::batch_norm_relu", text)
            said(*base, "--steps", "2", "--checkpoint", path)
            parts, text = said(*base, "--steps", "4", "--checkpoint", path)
            self.assertIn("resumed behind step 2", text)
            self.assertEqual(parts, whole)

    def test_compare(self):
        rates, text = said("--model", "mobilenet_v2", "--amp", "--rounds", "1", "--timed", "1",
                           "--compare", "torch", "onednn,cpu_ref+fuse")
        self.assertEqual(list(rates), ["torch", "onednn,cpu_ref+fuse"])
        self.assertIn("x1.000", text)
        rates, text = said("--model", "resnet18", "--rounds", "1", "--timed", "1",
                           "--compare", "cpu_ref+fuse+apart", "cpu_ref+fuse")
        # Five steps with eight blocks, in one of the two models.
        self.assertRegex(text, r"anydnn::convolution_backward_onto +cpu_ref +40 ")
        with self.assertRaisesRegex(SystemExit, r"unknown suffix \+fused"):
            said("--compare", "torch+fused")
        if not torch.cuda.is_available():
            with self.assertRaisesRegex(SystemExit, "a graph requires CUDA"):
                said("--compare", "torch+graph")

    def test_cifar(self):
        with tempfile.TemporaryDirectory() as folder:
            records = torch.randint(0, 256, (16, 3073), dtype=torch.uint8)
            records[:, 0] %= 10
            pathlib.Path(folder, "data_batch_1.bin").write_bytes(records.numpy().tobytes())
            _, text = said("--model", "resnet18", "--data", folder, "--epochs", "1")
            self.assertIn("step 2: loss", text)

    def test_losses_to_nowhere(self):
        with self.assertRaisesRegex(SystemExit, "--losses /nonesuch/a: No such file"):
            said("--model", "resnet18", "--losses", "/nonesuch/a")

    def in_two(self, *words):
        """Returns the output of train_resnet.py in two processes."""
        done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                               str(EXAMPLES / "train_resnet.py"), *SHORT, *words], capture_output=True, text=True,
                              check=False, env={**os.environ, "PYTHONPATH": str(HERE.parent)})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done

    def test_halves_of_a_batch(self):
        """Tests that with frozen normalizations two processes have the first loss of one with both halves, up to
        rounding.
        """
        with tempfile.TemporaryDirectory() as folder:
            def losses(name):
                return [float(line.split(",")[1]) for line in pathlib.Path(folder, name).read_text().splitlines()]
            base = ["--model", "resnet18", "--steps", "2", "--route", "cpu_ref", "--losses"]
            for extra, near in (["--freeze-norms"], True), ([], False):
                said(*base, f"{folder}/one{near}", *extra)
                self.in_two(*base, f"{folder}/two{near}", "--batch", "4", *extra)
                one, two = losses(f"one{near}"), losses(f"two{near}")
                self.assertEqual((len(one), len(two)), (2, 2))
                # Each mean of 8 and of 4 numbers, and that of two, rounds once per addition and division.
                self.assertEqual(abs(one[0] - two[0]) <= (8 + 4 + 2) * 2.0 ** -24 * one[0], near, (one, two))

    def test_two_processes(self):
        """Tests torchrun over gloo: both processes have equal parameters."""
        done = self.in_two("--model", "resnet18", "--steps", "2", "--fuse")
        self.assertIn("2 processes, parameters equal", done.stdout)
        self.assertIn("anydnn::batch_norm_relu", done.stdout)


if __name__ == "__main__":
    unittest.main()
