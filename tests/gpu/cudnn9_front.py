# SPDX-License-Identifier: Apache-2.0
"""Trains a network for some steps and prints what must not depend on the library in front of cuDNN.

The first argument selects the program: torch, graph (a CUDA graph's replay) or jax. The output is one JSON object: the bits
of the results, the smallest time of a step in milliseconds, and the files named libcudnn.so.9 in the process.
"""
import json
import struct
import sys
import time


def bits(values):
    return [struct.pack(">d", float(value)).hex() for value in values]


def libraries():
    with open("/proc/self/maps") as maps:
        return sorted({line.split()[-1] for line in maps if "libcudnn.so" in line})


def network():
    import torch

    torch.manual_seed(0)
    try:
        import torchvision

        return torchvision.models.resnet50()
    except ImportError:
        nn = torch.nn
        layers = [nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        for _ in range(6):
            layers += [nn.Conv2d(64, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 1000))


def with_torch(steps=15):
    import torch

    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    results, best = [], float("inf")
    for dtype in (None, torch.bfloat16):
        model = network().cuda().to(memory_format=torch.channels_last)
        optimizer = torch.optim.SGD(model.parameters(), 1e-3)
        x = torch.randn(32, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
        labels = torch.arange(32, device="cuda")
        for _ in range(steps):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            with torch.autocast("cuda", dtype or torch.float16, enabled=dtype is not None):
                loss = torch.nn.functional.cross_entropy(model(x), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            torch.cuda.synchronize()
            best = min(best, time.perf_counter() - begin)
            results.append(float(loss))
    return results, best


def with_graph():
    import torch

    torch.backends.cudnn.deterministic = True
    model = network().cuda().eval()
    x = torch.randn(8, 3, 224, 224, device="cuda")
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                eager = model(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(x)
        begin = time.perf_counter()
        graph.replay()
        torch.cuda.synchronize()
        best = time.perf_counter() - begin
    return [y.double().sum(), (y - eager).abs().max()], best


def with_jax():
    import jax
    import jax.numpy as jnp

    key = jax.random.key(0)
    x = jax.random.normal(key, (8, 56, 56, 64), jnp.float32)
    w = jax.random.normal(key, (3, 3, 64, 64), jnp.float32)

    def loss(x, w):
        y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jnp.mean(jax.nn.relu(y) ** 2)

    step = jax.jit(jax.value_and_grad(loss, (0, 1)))
    value, _ = step(x, w)
    begin = time.perf_counter()
    value, gradient = step(x, w)
    value.block_until_ready()
    return [value, jnp.sum(gradient[1])], time.perf_counter() - begin


def main():
    results, best = {"torch": with_torch, "graph": with_graph, "jax": with_jax}[sys.argv[1]]()
    print(json.dumps({"bits": bits(results), "values": [float(r) for r in results][-2:], "ms": best * 1e3,
                      "libraries": libraries()}))


if __name__ == "__main__":
    main()
