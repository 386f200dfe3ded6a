# SPDX-License-Identifier: Apache-2.0
"""Compares models of torchvision and timm with their copies in double: stock, enabled, fused and folded.

    many_models.py OUT [--model tv:resnet18 --model timm:dla34 ...] [--seeds 3] [--route 'onednn, cpu_ref']

Each model gets random weights and statistics of a random batch. An error is the norm of the difference from double,
divided by the norm of the result in double. A ratio is an error divided by that of the stock model in float.

    infer      outputs in eval mode: of the enabled model, and of the folded one
    train      outputs, gradients of all parameters, and running statistics: of the enabled model, and of the fused one

Each model and seed runs in its own process, and is a line of OUT. A second call continues where the first ended. The
exit status is 1 if a model failed, or if a ratio is above --limit. Needs torchvision and timm.
"""
import argparse
import copy
import json
import math
import multiprocessing
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import timm
import torch
import torchvision
import anydnn.torch

# One model of each family. Arguments follow a colon.
TORCHVISION = """alexnet squeezenet1_1 densenet121 googlenet inception_v3 mobilenet_v2 mobilenet_v3_small
    shufflenet_v2_x0_5 mnasnet0_5 efficientnet_b0 efficientnet_v2_s regnet_y_400mf resnet18 resnext50_32x4d
    convnext_tiny vit_b_32:image_size=64 swin_t segmentation.deeplabv3_resnet50 segmentation.fcn_resnet50
    segmentation.lraspp_mobilenet_v3_large video.r3d_18"""
TIMM = """hrnet_w18_small dla34 dpn68 cspresnet50 darknet53 selecsls42 res2net50_26w_4s resnest14d skresnet18
    legacy_seresnet18 ecaresnet26t nf_resnet26 ghostnet_100 ghostnetv2_100 hardcorenas_a fbnetv3_b mixnet_s
    mobilenetv4_conv_small lcnet_050 tinynet_e rexnet_100 repvgg_a0 mobileone_s0 fastvit_t8:img_size=64 convmixer_768_32
    convnextv2_atto poolformer_s12 levit_128s:img_size=64 mobilevit_xxs mobilevitv2_050 edgenext_xx_small
    efficientformer_l1:img_size=64 efficientvit_b0 inception_v4 xception41 ese_vovnet19b_dw hgnetv2_b0 regnety_002
    gernet_s eca_botnext26ts_256:img_size=64 visformer_tiny:img_size=64 tresnet_m repvit_m0_9 starnet_s1
    inception_next_atto rdnet_tiny swiftformer_xs mambaout_femto"""
MODELS = [*("tv:" + name for name in TORCHVISION.split()), *("timm:" + name for name in TIMM.split())]
# A ratio is at least the error divided by this one: half a unit of float.
UNIT = 2.0 ** -24


def made(name):
    """Creates a model of a name in MODELS, with random weights."""
    library, name, *rest = name.split(":")
    named = {key: int(value) for key, value in (each.split("=") for each in rest)}
    if library == "timm":
        return timm.create_model(name, **named)
    models = torchvision.models
    *folder, name = name.split(".")
    if folder == ["segmentation"]:
        named["weights_backbone"] = None
    elif name in ("googlenet", "inception_v3"):
        named["init_weights"] = True
    return getattr(getattr(models, folder[0]) if folder else models, name)(weights=None, **named)


def prepared(model, x):
    """Sets the statistics to those of a batch, changed at random, and turns off what draws numbers."""
    for name, one in model.named_parameters():
        if one.dim() == 1 and one.abs().max() < 1e-3 and "bias" not in name:  # it would hide a block's result
            torch.nn.init.uniform_(one, 0.5, 1.5)
    norms = [one for one in model.modules() if isinstance(one, torch.nn.modules.batchnorm._BatchNorm)]
    momenta = [one.momentum for one in norms]
    trained(model)
    with torch.no_grad():
        for one in norms:
            one.momentum = 1.0
        model(x)
        for one, momentum in zip(norms, momenta):
            one.momentum = momentum
            one.running_mean += 0.1 * one.running_var.sqrt() * torch.randn_like(one.running_mean)
            one.running_var *= torch.empty_like(one.running_var).uniform_(0.5, 1.5)
            one.weight.uniform_(0.5, 1.5)
            one.bias.normal_(0, 0.1)
    return model


def smoothed(model):
    """Replaces each ReLU and ReLU6 by SiLU, which has a derivative everywhere."""
    for parent in model.modules():
        for name, one in parent.named_children():
            if type(one) in (torch.nn.ReLU, torch.nn.ReLU6):
                setattr(parent, name, torch.nn.SiLU())
    return model


def trained(model):
    """Puts a model into training mode, except what draws numbers."""
    model.train()
    for one in model.modules():
        if "drop" in type(one).__name__.lower() or type(one).__name__ == "StochasticDepth":
            one.eval()
    return model


def tensors(found):
    """Returns the tensors of a result."""
    if isinstance(found, torch.Tensor):
        return [found]
    values = found.values() if isinstance(found, dict) else found
    return [each for one in values if one is not None for each in tensors(one)]


def infer(model, x):
    """Returns the groups of results of a call in eval mode."""
    with torch.no_grad():
        return {"output": tensors(model.eval()(x))}


def train(model, x):
    """Returns the groups of results of a step."""
    trained(model)
    outputs = tensors(model(x))
    draw = torch.Generator().manual_seed(1)
    sum((one * torch.randn(one.shape, generator=draw).to(one)).sum() for one in outputs).backward()
    return {"output": outputs, "gradient": [one.grad for one in model.parameters() if one.grad is not None],
            "statistics": [one for name, one in model.named_buffers() if "running" in name]}


def flat(group):
    """Returns all values of a group in double."""
    return torch.cat([one.detach().double().cpu().reshape(-1) for one in group] or [torch.zeros(1)])


def errors(found, wanted):
    """Returns the error of each group."""
    return {name: ((flat(found[name]) - flat(group)).norm() / flat(group).norm().clamp_min(1e-30)).item()
            for name, group in wanted.items()}


def measured(options, name, seed):
    """Returns the errors of one model with one seed."""
    torch.manual_seed(seed)
    pixels = max(options.pixels, 160) if "inception" in name else options.pixels
    shape = (2, 3, 8, pixels, pixels) if "video" in name else (2, 3, pixels, pixels)
    x, model = torch.randn(shape), made(name)
    model = prepared(smoothed(model) if options.smooth else model, torch.randn(shape))
    x, model = x.to(options.device), model.to(options.device)
    double = copy.deepcopy(model).double()
    wanted = {"infer": infer(copy.deepcopy(double), x.double()), "train": train(double, x.double())}
    found = {}

    def run(way, mode, enabled, **fused):
        one = copy.deepcopy(model)
        if fused:
            anydnn.torch.fuse(one, **{key: value for key, value in fused.items() if key == "fold"})
        if enabled:
            anydnn.torch.enable(route=options.route)
        try:
            found[f"{mode} {way}"] = errors({"infer": infer, "train": train}[mode](one, x), wanted[mode])
        finally:
            anydnn.torch.disable()
    run("stock", "infer", False)
    run("stock", "train", False)
    run("enabled", "infer", True)
    run("folded", "infer", True, fuse=True, fold=True)
    run("enabled", "train", True)
    run("fused", "train", True, fuse=True)
    calls = anydnn.torch.report().calls()
    return {"errors": found, "calls": calls}


def ratios(line):
    """Returns the largest ratio of each way of a line."""
    found = {}
    for way, groups in line["errors"].items():
        mode, name = way.split()
        if name != "stock":
            stock = line["errors"][mode + " stock"]
            found[way] = max(value / max(stock[group], UNIT) if math.isfinite(value) else math.inf
                             for group, value in groups.items())
    return found


def summary(lines, limit):
    """Prints the median, the largest ratio and the worst five of each way. Returns whether all are within the limit."""
    failed = [line for line in lines if "errors" not in line]
    ways = {}
    for line in lines:
        for way, ratio in (ratios(line) if "errors" in line else {}).items():
            ways.setdefault(way, []).append((ratio, f"{line['model']} seed {line['seed']}"))
    print(f"{len({line['model'] for line in lines})} models, {len(lines)} runs, {len(failed)} failed")
    for way, found in ways.items():
        found.sort(reverse=True)
        print(f"{way}: median {statistics.median(ratio for ratio, _ in found):.2f}, worst "
              + ", ".join(f"{ratio:.2f} ({name})" for ratio, name in found[:5]))
    for line in failed:
        print(f"{line['model']} seed {line['seed']} failed: {line['failed']}")
    return not failed and all(found[0][0] <= limit for found in ways.values())


def child(options, model, seed):
    """Prints the line of one model and seed to OUT."""
    line = {"model": model, "seed": seed}
    try:
        line.update(measured(options, model, seed))
    except Exception as error:  # any error of a model is a result
        line["failed"] = f"{type(error).__name__}: {error}"[:300]
    with options.out.open("a") as out:
        out.write(json.dumps(line) + "\n")


def lines_of(options):
    """Returns the lines of OUT."""
    return [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []


def gather(options):
    """Runs what OUT lacks. Each model and seed has its own process, which has a time limit."""
    done = {(line["model"], line["seed"]) for line in lines_of(options)}
    end = time.monotonic() + options.seconds
    fork = multiprocessing.get_context("fork")  # it saves the time of the imports
    for seed in range(options.seeds):
        for model in options.model or MODELS:
            if (model, seed) in done or time.monotonic() > end:
                continue
            process = fork.Process(target=child, args=(options, model, seed))
            process.start()
            process.join(options.timeout)
            late = process.is_alive()
            process.kill()
            process.join()
            if late or process.exitcode:
                why = f"no result after {options.timeout} s" if late else f"exit code {process.exitcode}"
                with options.out.open("a") as out:
                    out.write(json.dumps({"model": model, "seed": seed, "failed": why}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="the file of results, JSON lines")
    parser.add_argument("--model", action="append", help="a model, such as timm:dla34; default: one of each family")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--route", default="onednn, cpu_ref")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--pixels", type=int, default=64)
    parser.add_argument("--smooth", action="store_true", help="replace ReLU by SiLU")
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--timeout", type=float, default=600, help="seconds for a model and seed")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further model after these")
    options = parser.parse_args()
    gather(options)
    return 0 if summary(lines_of(options), options.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
