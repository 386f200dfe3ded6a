#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the same PyTorch model in two math modes, on the same data, and prints how far the losses are apart.

    modes.py [A] [B]    math modes: default, split, allow_conversion (TF32 on a GPU); "default allow_conversion"
"""
import sys

import torch
from torch import nn

import anydnn.torch

STEPS, BATCH = 20, 32
device = "cuda" if torch.cuda.is_available() else "cpu"


def train(math: str) -> list:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 5), nn.ReLU(),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)).to(device)
    patterns = torch.randn(10, 1, 28, 28).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    with anydnn.torch.use(math=math):
        for step in range(STEPS):
            labels = (torch.arange(BATCH, device=device) + step) % 10
            loss = nn.functional.cross_entropy(model(patterns[labels]), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"--- {math}\n{anydnn.torch.report()}")
    anydnn.torch.clear_report()
    return losses


a, b = sys.argv[1:3] if len(sys.argv) > 2 else ("default", "allow_conversion")
first, second = train(a), train(b)
print(f"{'step':>4} {a:>18} {b:>18} {'difference':>12}")
for step in range(0, STEPS, 4):
    print(f"{step:4} {first[step]:18.6f} {second[step]:18.6f} {second[step] - first[step]:12.1e}")
