# SPDX-License-Identifier: Apache-2.0
"""Runs torch's own test files on torch's kernels and under anydnn.torch.enable(), and compares the results test by
test.

    torchs_tests.py FOLDER --file test_convolution.py --file test_ops.py:conv,pool,batch_norm --route 'onednn, cpu_ref'

FOLDER has files of torch's repository (test/nn/test_convolution.py ...) of the installed release; this repository has
none. A test must have one of the words after the colon in its name. Each variant (stock, and each --route) runs in
shards. A shard is a process, and --jobs of them run at once. Results are written to OUT as JSON lines, one per test; a
second call continues where --seconds ended the first. A test that crashes or hangs counts as failed, and its shard
continues with the next one. The order of tests is random and fixed, so the tests that ran are a sample. The exit status
is 0 if each test that passed on torch's kernels passed under each route, except for EXCEPTIONS.

Needs torch 2.11 or later with expecttest; PYTORCH_TESTING_DEVICE_ONLY_FOR=cuda (cpu) chooses the device as in torch.
"""
import argparse
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
# The tests that pass on torch's kernels and may fail on anydnn's, with the reasons. There are at most 10.
EXCEPTIONS = {
    "test_max_pool_nan_inf": "a maximum starts at the lowest finite value, as anydnn.h defines it, so -inf alone gives that",
    "test_noncontiguous_samples_native_batch_norm": "inference saves nothing on CUDA either; torch saves vectors there",
    "test_out_warning_native_batch_norm": "likewise",
}
# Further exceptions, without --no-tf32.
WITH_TF32 = {
    "test_conv1d_vs_scipy": "TF32 is allowed, and cuda_tensorcore takes it for small convolutions, too, which cuDNN does not",
    "test_conv2d_vs_scipy": "likewise",
}
PASSED, SKIPPED, FAILED = "passed", "skipped", "failed"
BEGUN = "begun"


def file_of(out, way, shard):
    """Returns the path of a shard's results."""
    return out / ("".join(letter if letter.isalnum() or letter == "_" else "-" for letter in way) + f".{shard}.jsonl")


def lines_of(path):
    """Returns the results of a shard. The last line may be truncated."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


class Recorder(unittest.TestResult):
    """A recorder that writes a line at the beginning of a test, and one at its end with the calls that it made."""

    def __init__(self, out, report):
        super().__init__()
        self.out, self.report, self.ended = out, report, (PASSED, "")

    def write(self, **fields):
        self.out.write(json.dumps(fields) + "\n")
        self.out.flush()

    def startTest(self, test):
        super().startTest(test)
        self.ended, self.began = (PASSED, ""), time.monotonic()
        self.write(test=test.id(), outcome=BEGUN)

    def stopTest(self, test):
        super().stopTest(test)
        calls = [[one.operator, one.backend, one.reason, one.calls] for one in self.report() if one.calls]
        self.write(test=test.id(), outcome=self.ended[0], why=self.ended[1], calls=calls,
                   seconds=round(time.monotonic() - self.began, 2))

    def fail(self, error):
        self.ended = FAILED, f"{error[0].__name__}: {error[1]}"[:600]

    def addError(self, test, err):
        self.fail(err)

    def addFailure(self, test, err):
        self.fail(err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.fail(err)

    def addUnexpectedSuccess(self, test):
        self.ended = FAILED, "it succeeds unexpectedly"

    def addExpectedFailure(self, test, err):
        """An expected failure counts as passed, as in torch."""

    def addSkip(self, test, reason):
        self.ended = SKIPPED, reason[:200]


def flat(suite):
    """Returns the tests of a suite."""
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from flat(one)
        else:
            yield one


def collect(options):
    """Returns the tests of a shard, in an order that depends on nothing else."""
    sys.path.insert(0, str(options.folder.resolve()))
    found = []
    for each in options.file:
        name, _, words = each.partition(":")
        words = [word for word in words.split(",") if word]
        module = importlib.import_module(name.removesuffix(".py"))
        found += [test for test in flat(unittest.defaultTestLoader.loadTestsFromModule(module))
                  if (not words or any(word in test.id() for word in words))
                  and not any(word in test.id() for word in options.without)]
    found.sort(key=lambda test: test.id())
    random.Random(1).shuffle(found)
    return found[options.shard::options.shards]


def work(options):
    """Runs one shard of one variant in this process."""
    way, = options.route
    report = list
    if way != "stock":
        sys.path.insert(0, str(HERE.parent))
        import anydnn.torch  # pylint: disable=import-outside-toplevel
        anydnn.torch.enable(route=way)

        def report():
            found = list(anydnn.torch.report())
            anydnn.torch.clear_report()
            return found
    if options.no_tf32:
        import torch  # pylint: disable=import-outside-toplevel
        torch.backends.cudnn.allow_tf32 = False
    path = file_of(options.out, way, options.shard)
    reached = {one["test"] for one in lines_of(path)}
    began = time.monotonic()
    with open(path, "a", encoding="utf-8") as out:
        out.write("\n")  # ends a truncated line
        recorder = Recorder(out, report)
        for test in collect(options):
            if time.monotonic() - began > options.seconds:
                return 0
            if test.id() not in reached:
                test.run(recorder)
            if recorder.shouldStop:  # torch reports that its device is unusable
                return 1
        recorder.write(test="", outcome="complete")
    return 0


def drive(options, way, shard):
    """Runs a shard to its end, in another process. Starts again after each test that crashes or hangs."""
    path = file_of(options.out, way, shard)
    ends = time.monotonic() + options.seconds
    for _ in range(options.crashes):
        left = ends - time.monotonic()
        if left <= 0 or any(one["outcome"] == "complete" for one in lines_of(path)):
            return
        command = [sys.executable, __file__, str(options.folder), "--out", str(options.out), "--shards", str(options.shards),
                   "--shard", str(shard), "--route", way, "--seconds", str(left)]
        command += [word for each in options.file for word in ("--file", each)]
        command += [word for each in options.without for word in ("--without", each)]
        command += ["--no-tf32"] * options.no_tf32
        said = open(path.with_suffix(".log"), "a", encoding="utf-8")
        child = subprocess.Popen(command, stdout=said, stderr=said)
        seen, since = -1, time.monotonic()
        while child.poll() is None:
            time.sleep(0.2)
            size = path.stat().st_size if path.exists() else 0
            if size != seen:
                seen, since = size, time.monotonic()
            if time.monotonic() - since > options.hangs:
                child.kill()
                child.wait()
        said.close()


def results(options, way):
    """Returns a variant's results by test. A test that began and did not end counts as failed."""
    found = {}
    for shard in range(options.shards):
        for one in lines_of(file_of(options.out, way, shard)):
            if one["test"] and not (one["outcome"] == BEGUN and one["test"] in found):
                found[one["test"]] = one
    for one in found.values():
        if one["outcome"] == BEGUN:
            one.update(outcome=FAILED, why="its process ended or hung", calls=[])
    return found


def tally(found):
    """Returns a text such as "3 passed, 1 skipped"."""
    counts = collections.Counter(one["outcome"] for one in found.values())
    return ", ".join(f"{counts[word]} {word}" for word in (PASSED, FAILED, SKIPPED))


def compare(stock, route, found, exceptions):
    """Prints the differences from stock's results. Returns how many tests fail that pass there, without exceptions."""
    both = [name for name in stock if name in found]
    wrong = [name for name in both if stock[name]["outcome"] == PASSED and found[name]["outcome"] != PASSED]
    better = sum(stock[name]["outcome"] == FAILED and found[name]["outcome"] == PASSED for name in both)
    print(f"{route}: {tally(found)}; {len(both)} run both ways, {len(wrong)} that pass on torch's kernels alone, "
          f"{better} here alone")
    listed = [name for name in wrong if any(each in name for each in exceptions)]
    for name in sorted(wrong):
        print(f"  {'exception' if name in listed else 'FAILED'} {name}\n    {found[name]['why'].splitlines()[0][:300]}")
    calls, silent = collections.Counter(), 0
    for name in both:
        silent += found[name]["outcome"] == PASSED and not found[name]["calls"]
        for operator, backend, reason, count in found[name]["calls"]:
            calls[operator, backend, reason] += count
    print(f"  {sum(n for key, n in calls.items() if key[1] != 'torch')} calls ran on anydnn, "
          f"{sum(n for key, n in calls.items() if key[1] == 'torch')} declined; {silent} tests passed without either")
    for (operator, backend, reason), count in sorted(calls.items(), key=lambda one: -one[1])[:60]:
        print(f"    {count:>8} {operator} {backend} {reason[:110]}")
    return len(wrong) - len(listed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--file", action="append", required=True, help="a test file of the folder, :words of tests behind it")
    parser.add_argument("--without", action="append", default=[], help="a word that chosen tests have not in their names")
    parser.add_argument("--route", action="append", required=True, help="backends in order, as enable() takes them")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/torchs-tests"))
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e6, help="after which no test begins")
    parser.add_argument("--hangs", type=float, default=300, help="seconds of a test after which it counts as hung")
    parser.add_argument("--crashes", type=int, default=40, help="how often a shard is begun again")
    parser.add_argument("--no-tf32", action="store_true", help="torch's flag allow_tf32 off, stock and under the routes")
    parser.add_argument("--shard", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.shard is not None:
        return work(options)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    ways = ["stock", *options.route]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(drive, options, way, shard) for shard in range(options.shards) for way in ways]:
            done.result()
    stock = results(options, "stock")
    print(f"torch's own kernels: {tally(stock)}")
    exceptions = EXCEPTIONS if options.no_tf32 else {**EXCEPTIONS, **WITH_TF32}
    wrong = sum([compare(stock, route, results(options, route), exceptions) for route in options.route])
    return 1 if wrong or not any(one["outcome"] == PASSED for one in stock.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
