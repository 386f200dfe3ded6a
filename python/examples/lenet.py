#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains LeNet on MNIST as usual in PyTorch. Two lines put it on anydnn.

    python/examples/lenet.py [FOLDER]    the folder with train-images-idx3-ubyte.gz etc.; without it, random data
"""
import gzip
import pathlib
import sys

import torch
from torch import nn

import anydnn.torch                  # the first line
anydnn.torch.enable()                # the second

BATCH = 64


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 20, 5), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.MaxPool2d(2))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))

    def forward(self, x):
        return self.classifier(self.features(x))


def read(path):
    data = bytearray(gzip.open(path).read())
    dims = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return torch.frombuffer(data, dtype=torch.uint8, offset=4 + 4 * data[3]).view(dims)


def drawn(count):
    """Returns ten patterns with noise, which any network learns."""
    patterns = torch.randint(0, 256, (10, 28, 28), generator=torch.Generator().manual_seed(1))
    labels = torch.arange(count) % 10
    noise = torch.randint(-64, 65, (count, 28, 28), generator=torch.Generator().manual_seed(2))
    return (patterns[labels] + noise).clamp(0, 255).to(torch.uint8), labels


def load(folder, name, count):
    if folder is None:
        return drawn(count)
    folder = pathlib.Path(folder)
    return read(folder / f"{name}-images-idx3-ubyte.gz"), read(folder / f"{name}-labels-idx1-ubyte.gz").long()


def main(folder=None):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    model = LeNet().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    images, labels = load(folder, "train", 1280)
    for start in range(0, len(images) - BATCH + 1, BATCH):
        x = images[start:start + BATCH, None].to(device).float() / 255
        loss = nn.functional.cross_entropy(model(x), labels[start:start + BATCH].to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    images, labels = load(folder, "t10k", 640)
    with torch.no_grad():
        right = sum((model(images[i:i + BATCH, None].to(device).float() / 255).argmax(1).cpu()
                     == labels[i:i + BATCH]).sum().item() for i in range(0, len(images), BATCH))
    print(f"{right} of {len(images)} right")
    print(anydnn.torch.report())
    return right / len(images)


if __name__ == "__main__":
    main(*sys.argv[1:2])
