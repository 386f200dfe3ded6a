#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plan that anydnn's Find chooses on the backend cudnn beside the one that PyTorch's autotuner chooses.

  autotuner.py [options] SUITE > autotuner.csv      SUITE: bench/suites/resnet50_v1.5.suite, say

Each 2-D convolution of the suite, in each direction, in half NHWC with tensor_op math and in float NCHW with
default math (PyTorch: TF32 off). Both sides may take nondeterministic kernels and any workspace; PyTorch's
benchmark_limit is 0, so that it times every plan, as Find does. The two are timed in turn by CUDA events,
behind a wait of the device so that enqueuing does not count, on sets of buffers that exceed the cache; the
median of the rounds counts. ratio is anydnn / PyTorch: below 1 anydnn is faster. Lines `geometric mean` follow.
libanydnn must be where the loader finds it, or its file be named.
"""
import argparse
import ctypes
import math
import re
import statistics
import sys
import time

import torch

DIRECTIONS = ("forward", "backward_data", "backward_filter")
KINDS = {"f16_nhwc_tensor_op": (torch.float16, torch.channels_last, 2, 1, 1),
         "f32_nchw_default": (torch.float32, torch.contiguous_format, 0, 0, 0)}
"""The type and the layout of each kind, then anydnn's numbers of type, layout and math mode."""
CROSS_CORRELATION, FLOAT = 1, 0
CACHE = 150 << 20
"""Bytes of buffers that evict one another from the cache of any card so far."""
PERF_ENTRIES = 16


class Perf(ctypes.Structure):
    """anydnnConvolution...AlgoPerf_t"""
    _fields_ = [("algo", ctypes.c_int), ("status", ctypes.c_int), ("time", ctypes.c_float),
                ("memory", ctypes.c_size_t), ("determinism", ctypes.c_int), ("math", ctypes.c_int),
                ("backend", ctypes.c_int), ("reason", ctypes.c_int), ("reserved", ctypes.c_int * 10)]


class Anydnn:
    """A handle on the backend cudnn, with its entries as methods, which raise for a status other than 0."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.handle = ctypes.c_void_p()
        self.CreateOnDevice(ctypes.byref(self.handle), b"cuda")
        self.SetRoute(self.handle, b"*", None, b"cudnn")
        self.SetDeterministic(self.handle, 0)
        self.SetStream(self.handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))

    def __getattr__(self, name):
        entry = getattr(self.library, "anydnn" + name)

        def call(*arguments):
            if entry(*arguments) != 0:
                text = ctypes.create_string_buffer(1000)
                self.library.anydnnGetLastErrorString(text, ctypes.c_size_t(len(text)))
                raise RuntimeError(text.value.decode())
        setattr(self, name, call)
        return call

    def made(self, kind):
        """Returns a new descriptor."""
        descriptor = ctypes.c_void_p()
        getattr(self, "Create" + kind)(ctypes.byref(descriptor))
        return descriptor

    def engine(self):
        """Returns the engine of the last call."""
        number = ctypes.c_int64()
        self.GetDispatchInfoInt(self.handle, b"engine", ctypes.byref(number))
        return number.value & (1 << 64) - 1


def numbers(text):
    return tuple(int(word) for word in text.split(","))


class Layer:
    """A layer: one line of a suite."""

    def __init__(self, name, problem, batch):
        value = dict(re.findall(r"(\S+)=(\S+)", problem))
        self.name = name
        self.x = (batch,) + numbers(value["x"].split(":")[1])[1:]
        self.w = numbers(value["w"].split(":")[1])
        self.pad = numbers(value.get("pad", "0,0"))
        self.stride = numbers(value.get("stride", "1,1"))
        self.dilation = numbers(value.get("dilation", "1,1"))
        self.groups = self.x[1] // self.w[1]
        self.y = (batch, self.w[0]) + tuple(
            (self.x[d + 2] + 2 * self.pad[d] - self.dilation[d] * (self.w[d + 2] - 1) - 1) // self.stride[d] + 1
            for d in range(2))


def read_suite(path, batch):
    layers = []
    with open(path, encoding="ascii") as file:
        for line in file:
            name, _, problem = line.strip().partition(": ")
            if problem.startswith("convolution_forward "):
                layers.append(Layer(name.split("*")[0], problem, batch))
    return layers


class Case:
    """A layer in one kind, with enough sets of x, w, y to exceed the cache, at least two."""

    def __init__(self, anydnn, layer, kind):
        dtype, layout, number, tensor_format, self.math = KINDS[kind]
        self.anydnn, self.layer, self.kind = anydnn, layer, kind

        def fresh(dims):
            return torch.randn(dims, device="cuda", dtype=dtype).to(memory_format=layout)
        first = [fresh(dims) for dims in (layer.x, layer.w, layer.y)]
        size = sum(tensor.numel() * tensor.element_size() for tensor in first)
        count = max(2, -(-CACHE // size))
        self.sets = [first] + [[fresh(dims) for dims in (layer.x, layer.w, layer.y)] for _ in range(count - 1)]
        self.x, self.y = anydnn.made("TensorDescriptor"), anydnn.made("TensorDescriptor")
        self.w, self.conv = anydnn.made("FilterDescriptor"), anydnn.made("ConvolutionDescriptor")
        anydnn.SetTensor4dDescriptor(self.x, tensor_format, number, *layer.x)
        anydnn.SetTensor4dDescriptor(self.y, tensor_format, number, *layer.y)
        anydnn.SetFilter4dDescriptor(self.w, number, tensor_format, *layer.w)
        anydnn.SetConvolution2dDescriptor(self.conv, *layer.pad, *layer.stride, *layer.dilation, CROSS_CORRELATION,
                                          FLOAT)
        anydnn.SetConvolutionGroupCount(self.conv, layer.groups)
        anydnn.SetConvolutionMathType(self.conv, self.math)

    def close(self):
        for kind, descriptor in (("Tensor", self.x), ("Tensor", self.y), ("Filter", self.w), ("Convolution", self.conv)):
            getattr(self.anydnn, f"Destroy{kind}Descriptor")(descriptor)

    def of_torch(self, direction):
        """Returns a function of a set's number that makes one call of PyTorch."""
        layer = self.layer
        place = (layer.stride, layer.pad, layer.dilation, False, (0, 0), layer.groups)
        if direction == "forward":
            return lambda i: torch.ops.aten.convolution(self.sets[i][0], self.sets[i][1], None, *place)
        mask = [direction == "backward_data", direction == "backward_filter", False]
        return lambda i: torch.ops.aten.convolution_backward(self.sets[i][2], self.sets[i][0], self.sets[i][1], None,
                                                             *place, mask)

    def find(self, direction):
        """Returns the fastest algorithm that anydnn finds."""
        name, descriptors = {
            "forward": ("Forward", (self.x, self.w, self.conv, self.y)),
            "backward_data": ("BackwardData", (self.w, self.y, self.conv, self.x)),
            "backward_filter": ("BackwardFilter", (self.x, self.y, self.conv, self.w))}[direction]
        count, perf = ctypes.c_int(), (Perf * PERF_ENTRIES)()
        getattr(self.anydnn, f"FindConvolution{name}Algorithm")(self.anydnn.handle, *descriptors, PERF_ENTRIES,
                                                                ctypes.byref(count), perf)
        if count.value == 0 or perf[0].status != 0:
            raise RuntimeError(f"Find finds nothing for {self.layer.name} {direction} {self.kind}")
        return perf[0]

    def of_anydnn(self, direction, best):
        """Returns the same for anydnn. It writes to the set's own tensor of the output's kind."""
        anydnn = self.anydnn
        anydnn.SetConvolutionMathType(self.conv, best.math)
        workspace = torch.empty(max(best.memory, 1), dtype=torch.uint8, device="cuda")
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        entry, slots = {
            "forward": (anydnn.ConvolutionForward, ((self.x, 0), (self.w, 1), (self.y, 2))),
            "backward_data": (anydnn.ConvolutionBackwardData, ((self.w, 1), (self.y, 2), (self.x, 0))),
            "backward_filter": (anydnn.ConvolutionBackwardFilter, ((self.x, 0), (self.y, 2), (self.w, 1)))}[direction]
        calls = []
        for tensors in self.sets:
            of = [(descriptor, ctypes.c_void_p(tensors[index].data_ptr())) for descriptor, index in slots]
            calls.append((anydnn.handle, ctypes.byref(one), *of[0], *of[1], self.conv, best.algo,
                          ctypes.c_void_p(workspace.data_ptr()), ctypes.c_size_t(best.memory), ctypes.byref(zero),
                          *of[2]))
        keep = (one, zero, workspace)
        return lambda i, keep=keep: entry(*calls[i])


def device_time(run, sets, calls):
    """Returns the microseconds per call."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(min(60_000 * calls, 4_000_000))
    start.record()
    for i in range(calls):
        run(i % sets)
    end.record()
    end.synchronize()
    return 1e3 * start.elapsed_time(end) / calls


def alternate(runs, sets, rounds, milliseconds):
    """Returns the medians of both ways."""
    warm = [device_time(run, sets, 2) for run in runs]
    calls = max(2, min(100, round(1e3 * milliseconds / max(min(warm), 1))))
    times = [[], []]
    for turn in range(rounds):
        for way in ((0, 1) if turn % 2 == 0 else (1, 0)):
            times[way].append(device_time(runs[way], sets, calls))
    return [statistics.median(one) for one in times]


def measure(case, direction, options):
    """Prints the row and returns the ratio."""
    torch_way = case.of_torch(direction)
    clock = time.monotonic()
    torch_way(0)
    torch.cuda.synchronize()
    torch_find = time.monotonic() - clock
    torch.cuda.empty_cache()
    clock = time.monotonic()
    best = case.find(direction)
    find = time.monotonic() - clock
    times = alternate((torch_way, case.of_anydnn(direction, best)), len(case.sets), options.rounds,
                      options.milliseconds)
    ratio = times[1] / times[0]
    print(f"{case.layer.name},{direction},{case.kind},{options.batch},{times[0]:.2f},{times[1]:.2f},{ratio:.4f},"
          f"{best.algo},{case.anydnn.engine():016x},{best.memory},{torch_find:.3f},{find:.3f}", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--layer", default="", help="only layers whose name contains it")
    parser.add_argument("--kind", choices=tuple(KINDS), help="only this one")
    parser.add_argument("--direction", choices=DIRECTIONS, help="only this one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=4, help="of one way in one round, two calls at least")
    parser.add_argument("--library", default="libanydnn.so.0", help="the file of libanydnn")
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.benchmark_limit = 0
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    anydnn = Anydnn(options.library)
    layers = [layer for layer in read_suite(options.suite, options.batch) if options.layer in layer.name]
    if not layers:
        sys.exit(f"autotuner.py: {options.suite} has no convolution whose name contains '{options.layer}'")
    print("layer,direction,kind,batch,pytorch_us,anydnn_us,ratio,algorithm,engine,workspace,pytorch_find_s,find_s")
    ratios = {}
    for kind in (options.kind,) if options.kind else KINDS:
        for layer in layers:
            case = Case(anydnn, layer, kind)
            for direction in (options.direction,) if options.direction else DIRECTIONS:
                ratios.setdefault((direction, kind), []).append(measure(case, direction, options))
            case.close()
            del case
            torch.cuda.empty_cache()
    for (direction, kind), values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"geometric mean,{direction},{kind},{options.batch},,,{mean:.4f},,,,,")


if __name__ == "__main__":
    main()
