# SPDX-License-Identifier: Apache-2.0
"""Tests use(batch_invariant=True): a sample has the same bits whatever the other samples of its batch are.

Needs torch 2.11 or later and ANYDNN_LIBRARY.
"""
import pathlib
import sys
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
try:
    import torch
    from torch import nn
except ImportError:
    torch = None
if torch:
    import anydnn
    import anydnn.torch

    class Residual(nn.Module):
        """A block of a ResNet."""

        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.norm = nn.BatchNorm2d(outputs)
            self.second = nn.Conv2d(outputs, outputs, 3, 1, 1)
            self.short = nn.Conv2d(inputs, outputs, 1, stride)

        def forward(self, x):
            y = self.second(torch.relu(self.norm(self.first(x))))
            return torch.relu(y + self.short(x))

    def features():
        """Returns a feature extractor like a ResNet without its classifier."""
        return nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
                             Residual(16, 16, 1), Residual(16, 32, 2), nn.AvgPool2d(4)).eval()

    def decoder():
        """Returns a convolutional decoder of audio, which transposed convolutions stretch."""
        return nn.Sequential(nn.Conv1d(8, 32, 7, padding=3), nn.ELU(), nn.ConvTranspose1d(32, 16, 8, 4, 2), nn.ELU(),
                             nn.Conv1d(16, 16, 3, padding=3, dilation=3), nn.ELU(),
                             nn.ConvTranspose1d(16, 8, 4, 2, 1), nn.ELU(), nn.Conv1d(8, 1, 7, padding=3), nn.Tanh())


def changed(model, x):
    """Returns how many samples have other bits alone, or in parts of the batch, than in the whole batch."""
    with torch.no_grad():
        whole = model(x)
        return sum(not torch.equal(model(part), whole[start:start + len(part)]) for start, part in (
            [(at, x[at:at + 1]) for at in range(len(x))] + [(1, x[1:8]), (5, x[5:])]))


@unittest.skipUnless(torch, "torch is not installed")
class Invariance(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        anydnn.torch.clear_report()
        self.addCleanup(anydnn.torch.disable)

    def check(self, model, x):
        """Checks the route of a backend whose convolutions are not invariant, and of cpu_ref, whose are."""
        with anydnn.torch.use(route="onednn, cpu_ref", batch_invariant=True):
            self.assertEqual(changed(model, x), 0)
        self.assertEqual([line for line in anydnn.torch.report() if line.backend == "torch"], [])
        self.assertTrue(anydnn.torch.report())

    def test_features_of_resnet(self):
        for kind in (torch.float32, torch.bfloat16):
            for form in (torch.contiguous_format, torch.channels_last):
                self.check(features().to(kind), torch.randn(32, 3, 32, 32, dtype=kind).to(memory_format=form))

    def test_folded_features(self):
        self.check(anydnn.torch.fuse(features(), fold=True), torch.randn(32, 3, 32, 32))

    def test_decoder_of_audio(self):
        self.check(decoder(), torch.randn(32, 8, 20))

    def test_three_dims(self):
        """Checks that a convolution of three dims in channels_last_3d, whose format torch chooses by the batch, is
        invariant and has the promised format.
        """
        model = nn.Conv3d(2, 4, 3, padding=1).to(memory_format=torch.channels_last_3d)
        x = torch.randn(32, 2, 6, 6, 6).to(memory_format=torch.channels_last_3d)
        self.check(model, x)
        with torch.no_grad(), anydnn.torch.use(route="cpu_ref", batch_invariant=True):
            for part in (x, x[:1]):
                found = model(part).stride()
                with torch._subclasses.FakeTensorMode(allow_non_fake_inputs=True) as mode:
                    promised = torch.nn.functional.conv3d(
                        mode.from_tensor(part), mode.from_tensor(model.weight), mode.from_tensor(model.bias), padding=1)
                self.assertEqual(found, promised.stride())
            kept = anydnn.torch._state.handle_of(x).prepared.values()
            shapes = [one for one in kept if isinstance(one, anydnn.torch._convolution.Shape)]
        self.assertEqual({one.last for one in shapes}, {False})
        self.assertEqual({one.promised for one in shapes}, {False, True})

    def test_gradient_of_the_input(self):
        model, x = decoder(), torch.randn(32, 8, 20)

        def gradient(part):
            leaf = part.clone().requires_grad_()
            with torch.enable_grad():
                model(leaf).square().sum().backward()
            return leaf.grad
        self.check(gradient, x)

    def test_handles_are_asked(self):
        """Checks that the option reaches the handles, that each option has its own, and that threads must agree."""
        with anydnn.torch.use(route="cpu_ref", batch_invariant=True):
            one = anydnn.torch._state.handle_of(torch.ones(1))
            failed = []

            def other():
                try:
                    with anydnn.torch.use(route="cpu_ref"):
                        pass
                except RuntimeError as error:
                    failed.append(str(error))
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            self.assertIn("batch_invariant", failed[0])
        with anydnn.torch.use(route="cpu_ref"):
            two = anydnn.torch._state.handle_of(torch.ones(1))
        self.assertIsNot(one, two)
        text = "convolution_forward x=f32:2,3,8,8 w=f32:4,3,3,3"
        for handle, wanted in ((one, True), (two, False)):
            self.assertEqual("\nbatch invariant: " in anydnn.Problem(text).explain(handle), wanted)

    def test_sums_over_the_batch_run_unchanged(self):
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        x = torch.randn(8, 3, 6, 6)
        found = []
        for invariant in (False, True):
            model.zero_grad()
            with anydnn.torch.use(route="cpu_ref", batch_invariant=invariant):
                model(x).square().sum().backward()
            found.append([one.grad.clone() for one in model.parameters()])
        self.assertTrue(all(torch.equal(*pair) for pair in zip(*found)))


if __name__ == "__main__":
    unittest.main()
