#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains ResNet, ResNeXt, MobileNet or VGG on the backends of a route, in one process or many.

    python/examples/train_resnet.py --model resnet18 --small --epochs 2
    torchrun --nproc-per-node 2 python/examples/train_resnet.py --model resnet50 --amp --channels-last --fuse
    python/examples/train_resnet.py --compare torch torch+compile fastest,cuda_tensorcore,cudnn,cuda_simt+fuse

Data are drawn, or CIFAR-10's binary files (--data FOLDER --small), or images in a folder for each class (torchvision).
A way of --compare is "torch" or a route, with +fuse, +compile or +graph behind it; the ways run in turn. +graph, on
CUDA, captures forward and backward of a step once and replays them; +apart beside +fuse leaves the sums of gradients
at blocks' inputs to autograd.
"""
import argparse
import contextlib
import gc
import hashlib
import os
import pathlib
import statistics
import time

import torch
import torch.distributed as dist
from torch import nn

import anydnn.torch
import models


def options(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="resnet50", help=", ".join(models.MODELS) + ", torchvision:NAME")
    parser.add_argument("--data", help="folder of CIFAR-10's binary files, or with one folder for each class")
    parser.add_argument("--small", action="store_true", help="images of 32 pixels, 10 classes")
    parser.add_argument("--size", type=int, help="width and height of an image in pixels")
    parser.add_argument("--images", type=int, default=512, help="number of images to draw")
    parser.add_argument("--batch", type=int, default=64, help="images per step and process")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, help="stop after N steps of all runs with the checkpoint")
    parser.add_argument("--rate", type=float, default=0.1, help="learning rate for 256 images a step")
    parser.add_argument("--amp", action="store_true", help="autocast: half on CUDA, bfloat16 on the CPU")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--route", help="backends in order; torch: torch's own kernels")
    parser.add_argument("--fuse", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--freeze-norms", action="store_true",
                        help="normalizations keep their running statistics and weights, so that shares of a batch may be processes")
    parser.add_argument("--losses", metavar="FILE", help="write the loss of each step, the mean of all processes")
    parser.add_argument("--checkpoint", help="file to resume from; written after each epoch and at the end")
    parser.add_argument("--compare", nargs="+", metavar="WAY", help="measure the images per second of each, without training")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timed", type=int, default=6, help="timed steps per round")
    parser.add_argument("--kinds", action="store_true", help="with --compare: GPU milliseconds by kind of kernel")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    given.classes = 10 if given.small else 1000
    given.size = given.size or (32 if given.small else 224)
    return given


class Drawn:
    """A data set with a pattern for each class plus noise, which any network learns."""

    def __init__(self, given):
        self.count, self.classes, self.size = given.images, given.classes, given.size
        self.patterns = torch.randint(0, 256, (self.classes, 3, 8, 8), generator=torch.Generator().manual_seed(1))

    def __len__(self):
        return self.count

    def batch(self, places):
        labels = places % self.classes
        x = nn.functional.interpolate(self.patterns[labels].float(), self.size)
        # The seed depends on the image, so that it is the same in every batch.
        noise = [torch.randint(-64, 65, x.shape[1:], generator=torch.Generator().manual_seed(int(place) + 1))
                 for place in places]
        return (x + torch.stack(noise)).clamp_(0, 255) / 127.5 - 1, labels


class Cifar:
    """data_batch_1.bin ...: records of a label and 3 x 32 x 32 bytes."""

    def __init__(self, folder):
        files = sorted(pathlib.Path(folder).glob("data_batch_*.bin"))
        raw = b"".join(path.read_bytes() for path in files)
        self.records = torch.frombuffer(bytearray(raw), dtype=torch.uint8).view(-1, 3073)

    def __len__(self):
        return len(self.records)

    def batch(self, places):
        records = self.records[places]
        return records[:, 1:].view(-1, 3, 32, 32).float() / 127.5 - 1, records[:, 0].long()


class Folder:
    """A data set with a folder of images per class, read by torchvision."""

    def __init__(self, given):
        from torchvision import datasets, transforms
        self.images = datasets.ImageFolder(given.data, transforms.Compose([
            transforms.RandomResizedCrop(given.size), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
            transforms.Normalize(0.5, 0.5)]))

    def __len__(self):
        return len(self.images)

    def batch(self, places):
        pairs = [self.images[int(place)] for place in places]
        return torch.stack([x for x, _ in pairs]), torch.tensor([label for _, label in pairs])


def data_of(given):
    if given.data is None:
        return Drawn(given)
    if list(pathlib.Path(given.data).glob("data_batch_*.bin")):
        return Cifar(given.data)
    return Folder(given)


def freeze_norms(model):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval().requires_grad_(False)


class Training:
    """A model with its training state. `step` takes a batch and returns the loss."""

    def __init__(self, given, device, fuse=False, compiled=False, graphed=False, shortcuts=True):
        self.given, self.device, self.graph = given, device, None
        self.aside = torch.cuda.Stream(device) if graphed else None
        torch.manual_seed(given.seed)
        layout = torch.channels_last if given.channels_last else torch.contiguous_format
        self.plain = models.model_of(given.model, given.classes, given.small).to(device, memory_format=layout)
        self.layout = layout
        if given.freeze_norms:
            freeze_norms(self.plain)
        if fuse:
            anydnn.torch.fuse(self.plain, shortcuts=shortcuts)
        self.model = self.plain
        if dist.is_initialized():
            # Gradients live in the exchange buffers. Running statistics are per process, and those of the first are
            # saved.
            self.model = nn.parallel.DistributedDataParallel(
                self.plain, device_ids=[device.index] if device.type == "cuda" else None,
                gradient_as_bucket_view=True, broadcast_buffers=False)
        if compiled:
            self.model = torch.compile(self.model)
        ranks = dist.get_world_size() if dist.is_initialized() else 1
        self.optimizer = torch.optim.SGD(self.model.parameters(), given.rate * given.batch * ranks / 256,
                                         momentum=0.9, weight_decay=1e-4)
        self.scaler = torch.amp.GradScaler(device.type, enabled=given.amp and device.type == "cuda")
        self.done = 0

    def place(self, batch):
        x, labels = batch
        return (x.to(self.device, non_blocking=True).to(memory_format=self.layout),
                labels.to(self.device, non_blocking=True))

    def gradients(self, x, labels):
        kind = torch.float16 if self.device.type == "cuda" else torch.bfloat16
        with torch.autocast(self.device.type, kind, enabled=self.given.amp):
            loss = nn.functional.cross_entropy(self.model(x), labels)
        self.scaler.scale(loss).backward()
        return loss.detach()

    def gradients_aside(self, x, labels):
        self.aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.aside):
            loss = self.gradients(x, labels)
        torch.cuda.current_stream().wait_stream(self.aside)
        return loss

    def capture(self, x, labels):
        """Captures `gradients` as a graph, after three steps on another stream, in which kernels are chosen."""
        self.graph, self.inputs = torch.cuda.CUDAGraph(), (x.clone(), labels.clone())
        self.optimizer.zero_grad()
        with torch.cuda.graph(self.graph):
            self.loss = self.gradients(*self.inputs)

    def step(self, x, labels):
        if self.aside and not self.graph and self.done >= 3:
            self.capture(x, labels)
        if self.graph:
            for held, one in zip(self.inputs, (x, labels)):
                held.copy_(one)
            self.graph.replay()
            loss = self.loss
        else:
            self.optimizer.zero_grad()
            loss = self.gradients_aside(x, labels) if self.aside else self.gradients(x, labels)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.done += 1
        return loss

    def state(self):
        return {"model": self.plain.state_dict(), "optimizer": self.optimizer.state_dict(),
                "scaler": self.scaler.state_dict(), "done": self.done}

    def resume(self, path):
        state = torch.load(path, map_location=self.device)
        self.plain.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scaler.load_state_dict(state["scaler"])
        self.done = state["done"]

    def save(self, path):
        """Saves atomically, in the first process."""
        if not dist.is_initialized() or dist.get_rank() == 0:
            torch.save(self.state(), path + ".part")
            os.replace(path + ".part", path)


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def say(*words):
    if not dist.is_initialized() or dist.get_rank() == 0:
        print(*words, flush=True)


def check_appends(path):
    """Checks before the training, not after its first epoch."""
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as error:
        raise SystemExit(f"--losses {path}: {error.strerror}") from None


def mean_of_all(losses):
    """Returns the losses of these steps, each the mean of all processes."""
    losses = torch.stack(losses)
    if dist.is_initialized():
        dist.all_reduce(losses)
        losses /= dist.get_world_size()
    return losses.tolist()


def train(given, device):
    """Trains to the end, or to --steps. Returns the digest of the parameters."""
    data = data_of(given)
    training = Training(given, device, given.fuse, given.compile)
    if given.checkpoint and os.path.exists(given.checkpoint):
        training.resume(given.checkpoint)
        say(f"resumed behind step {training.done}")
    rank, ranks = (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)
    share = given.batch * ranks
    steps = len(data) // share
    if not steps:
        raise SystemExit(f"{len(data)} images are fewer than the {share} of one step")
    last = min(given.epochs * steps, given.steps or given.epochs * steps)
    if given.losses and rank == 0:
        check_appends(given.losses)
    while training.done < last:
        epoch = training.done // steps
        order = torch.randperm(len(data), generator=torch.Generator().manual_seed(given.seed + epoch))
        began, first, losses = time.perf_counter(), training.done, []
        while training.done < min((epoch + 1) * steps, last):
            start = training.done % steps * share + rank * given.batch
            losses.append(training.step(*training.place(data.batch(order[start:start + given.batch]))))
        wait(device)
        speed = (training.done - first) * share / (time.perf_counter() - began)
        losses = mean_of_all(losses)
        say(f"epoch {epoch + 1}, step {training.done}: loss {statistics.fmean(losses):.4f}, {speed:.0f} images/s")
        if given.losses and rank == 0:
            with open(given.losses, "a", encoding="utf-8") as file:
                file.writelines(f"{first + i + 1},{loss!r}\n" for i, loss in enumerate(losses))
        if given.checkpoint:
            training.save(given.checkpoint)
    found = hashlib.sha256()
    for one in training.plain.parameters():
        found.update(one.detach().cpu().contiguous().numpy().tobytes())
    return found.hexdigest()


def equal_on_all(digest):
    """Returns whether the parameters have the same bits in every process."""
    if not dist.is_initialized():
        return True
    every = [None] * dist.get_world_size()
    dist.all_gather_object(every, digest)
    say(f"{len(every)} processes, parameters {'equal' if len(set(every)) == 1 else 'NOT EQUAL'}")
    return len(set(every)) == 1


def kinds_of(training, batch):
    """Returns the milliseconds of a step on the GPU by kind of kernel, and the longest kernels."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        training.step(*batch)
        wait(training.device)
    kinds = {}
    rows = [(one.key, one.self_device_time_total / 1e3, one.count) for one in profile.key_averages()]
    for name, spent, _ in rows:
        low = name.lower()
        kind = ("normalization" if "norm" in low or "batch_norm" in low else
                "pooling" if "pool" in low else
                "convolution" if any(word in low for word in ("conv", "gemm", "xmma", "cutlass", "wgrad", "dgrad", "tile",
                                                              "fprop", "sm90", "sm80", "cudnn", "tc_")) else
                "triton" if "triton" in low else
                "optimizer" if "multi_tensor" in low else
                "copy" if "copy" in low or "memcpy" in low or "memset" in low or "fill" in low else
                "elementwise" if "elementwise" in low else "other")
        kinds[kind] = kinds.get(kind, 0) + spent
    say("    ms by kind: " + ", ".join(f"{kind} {spent:.2f}" for kind, spent in
                                       sorted(kinds.items(), key=lambda pair: -pair[1])))
    for name, spent, count in sorted(rows, key=lambda row: -row[1])[:12]:
        say(f"      {spent:8.2f} {count:5d}  {name[:100]}")


def speed(training, batch):
    """Returns images per second of the steps after the first four."""
    for _ in range(4):
        training.step(*batch)
    wait(training.device)
    began = time.perf_counter()
    for _ in range(training.given.timed):
        training.step(*batch)
    wait(training.device)
    return training.given.batch * training.given.timed / (time.perf_counter() - began)


def compare(given, device):
    """Returns images per second of each way, measured in turn: {way: [a round, ...]}."""
    ways = {}
    for way in given.compare:
        route, *extra = way.split("+")
        wrong = set(extra) - {"fuse", "apart", "compile", "graph"}
        if wrong:
            raise SystemExit(f"unknown suffix +{sorted(wrong)[0]}; available: +fuse, +apart, +compile, +graph")
        if "graph" in extra and device.type != "cuda":
            raise SystemExit(f"{way}: a graph requires CUDA")
        ways[way] = (route, Training(given, device, "fuse" in extra, "compile" in extra, "graph" in extra,
                                     "apart" not in extra))
    any_training = next(iter(ways.values()))[1]
    batch = any_training.place(Drawn(given).batch(torch.arange(given.batch)))
    rates = {way: [] for way in ways}
    for number in range(given.rounds):
        for way, (route, training) in list(ways.items()):
            torch.backends.cudnn.benchmark = route == "torch"
            try:
                with contextlib.nullcontext() if route == "torch" else anydnn.torch.use(
                        route=route.replace(",", ", ")):
                    rates[way].append(speed(training, batch))
                    say(f"round {number + 1}, {way}: {rates[way][-1]:.0f}")
                    if given.kinds and number == given.rounds - 1:
                        kinds_of(training, batch)
            except RuntimeError as error:
                say(f"{way} failed: {error}")
                del ways[way], rates[way]
    if given.compare[0] not in rates:
        raise SystemExit("the first way failed")
    first = statistics.median(rates[given.compare[0]])
    for way, found in rates.items():
        say(f"{given.model:<14} {way:<60} " + " ".join(f"{rate:.0f}" for rate in found)
            + f"  x{statistics.median(found) / first:.3f}")
    say(anydnn.torch.report())
    return rates


def part(many):
    """Leaves the process group once no part of the model is left.

    With torch 2.15 over gloo, 6 of 20 runs otherwise ended with "terminate called without an active exception" after
    their last line (plain torch: 1 of 20). This way, 0 of 24 did.
    """
    gc.collect()
    if many:
        dist.destroy_process_group()


def main(words=None):
    given = options(words)
    many = "RANK" in os.environ
    local = int(os.environ.get("LOCAL_RANK", 0))
    device = torch.device("cuda", local) if torch.cuda.is_available() else torch.device("cpu")
    if many:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    try:
        if given.compare:
            return compare(given, device)
        if given.route != "torch":
            anydnn.torch.enable(route=given.route)
        digest = train(given, device)
        say(f"parameters {digest}")
        if given.route != "torch":
            say(anydnn.torch.report())
        if not equal_on_all(digest):
            raise SystemExit(1)
        if many:
            dist.barrier()
        return digest
    finally:
        anydnn.torch.disable()
        part(many)


if __name__ == "__main__":
    main()
