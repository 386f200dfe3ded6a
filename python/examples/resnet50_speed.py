#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images a second of training ResNet-50, torch's own kernels beside routes of anydnn, in alternation.

    python/examples/resnet50_speed.py [--batch N] [--size PIXELS] [--rounds N] [ROUTE...]

Drawn data, autocast to half on CUDA (bfloat16 on the CPU), channels last; torch's own with benchmark on.
"""
import argparse
import contextlib
import time

import torch
from torch import nn

import anydnn.torch


class Block(nn.Module):
    """A bottleneck: 1x1, 3x3 with the stride, 1x1, and the addition."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        middle = outputs // 4
        self.path = nn.Sequential(
            nn.Conv2d(inputs, middle, 1, bias=False), nn.BatchNorm2d(middle), nn.ReLU(True),
            nn.Conv2d(middle, middle, 3, stride, 1, bias=False), nn.BatchNorm2d(middle), nn.ReLU(True),
            nn.Conv2d(middle, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        self.relu = nn.ReLU(True)

    def forward(self, x):
        return self.relu(self.path(x) + self.shortcut(x))


def resnet50():
    layers, channels = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True),
                        nn.MaxPool2d(3, 2, 1)], 64
    for stage, count in enumerate((3, 4, 6, 3)):
        for place in range(count):
            layers.append(Block(channels, 256 << stage, 2 if stage and not place else 1))
            channels = 256 << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


class Training:
    def __init__(self, device, batch, size):
        self.device, self.batch = device, batch
        self.model = resnet50().to(device, memory_format=torch.channels_last)
        self.x = torch.randn(batch, 3, size, size, device=device).to(memory_format=torch.channels_last)
        self.labels = torch.randint(0, 1000, (batch,), device=device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.01, momentum=0.9)
        self.scaler = torch.amp.GradScaler(device, enabled=device == "cuda")

    def step(self):
        self.optimizer.zero_grad()
        with torch.autocast(self.device, torch.float16 if self.device == "cuda" else torch.bfloat16):
            loss = nn.functional.cross_entropy(self.model(self.x), self.labels)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def rate(self, steps):
        """Images a second."""
        wait = torch.cuda.synchronize if self.device == "cuda" else lambda: None
        wait()
        began = time.perf_counter()
        for _ in range(steps):
            self.step()
        wait()
        return self.batch * steps / (time.perf_counter() - began)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("routes", nargs="*", metavar="ROUTE")
    given = parser.parse_args(words)
    training = Training("cuda" if torch.cuda.is_available() else "cpu", given.batch, given.size)
    rates = {name: [] for name in ["torch", *given.routes]}
    for _ in range(given.rounds):
        for name, found in rates.items():
            torch.backends.cudnn.benchmark = name == "torch"
            with contextlib.nullcontext() if name == "torch" else anydnn.torch.use(route=name):
                training.rate(3)
                found.append(training.rate(6))
    for name, found in rates.items():
        print(f"{name:<50} " + " ".join(f"{rate:.0f}" for rate in found))
    print(anydnn.torch.report())
    return rates


if __name__ == "__main__":
    main()
