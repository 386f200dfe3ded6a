#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The network of examples/lenet in PyTorch, eager: seconds of each epoch and the accuracy after it.

Same layers, batch, learning rate, momentum and scaling of pixels; the images lie on the device as
floats before the clock starts, and no step waits for its loss, so that PyTorch is met at its best.
"""
import argparse
import gzip
import os
import time

import numpy as np
import torch
from torch import nn


def read_idx(folder, name, offset):
    path = os.path.join(folder, name)
    if os.path.exists(path + ".gz"):
        with gzip.open(path + ".gz") as file:
            data = file.read()
    else:
        with open(path, "rb") as file:
            data = file.read()
    return np.frombuffer(data, np.uint8, offset=offset)


def load(folder, part, device):
    pixels = read_idx(folder, part + "-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28)
    labels = read_idx(folder, part + "-labels-idx1-ubyte", 8)
    x = torch.from_numpy(pixels.astype(np.float32) / 127.5 - 1).to(device)
    return x, torch.from_numpy(labels.astype(np.int64)).to(device)


def network():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def epoch(net, optimizer, x, labels, batch):
    order = torch.randperm(len(x), device=x.device)
    loss_of = nn.CrossEntropyLoss()
    for first in range(0, len(x), batch):
        some = order[first:first + batch]
        optimizer.zero_grad()
        loss_of(net(x[some]), labels[some]).backward()
        optimizer.step()


def accuracy(net, x, labels):
    with torch.no_grad():
        right = sum((net(x[i:i + 1000]).argmax(1) == labels[i:i + 1000]).sum().item()
                    for i in range(0, len(x), 1000))
    return 100.0 * right / len(x)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()

    if given.threads:
        torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    device = torch.device(given.device)
    x, labels = load(given.data, "train", device)
    test_x, test_labels = load(given.data, "t10k", device)
    net = network().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for number in range(given.epochs):
        if device.type == "cuda":
            torch.cuda.synchronize()
        began = time.perf_counter()
        epoch(net, optimizer, x, labels, given.batch)
        if device.type == "cuda":
            torch.cuda.synchronize()
        took = time.perf_counter() - began
        print(f"epoch {number + 1}: {took:.2f} s, test accuracy "
              f"{accuracy(net, test_x, test_labels):.2f} %", flush=True)


main()
