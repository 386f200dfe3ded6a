#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that `anydnn verify` rejects mutants of cpu_ref. Each mutant changes one token: a bound, a sign, an index, a
constant or a condition. The script builds it as a module and compares it with the unchanged cpu_ref. Run it by hand,
since it takes minutes:

    tests/verify/mutants.py PREFIX [--each N] [--seed N] [--only FILE] [--jobs N]

PREFIX is an installation of anydnn that was built from the same sources. --seed selects the mutants, --each their
number per file. The exit status is 0 if mutants.txt lists every survivor as equivalent."""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
CPU_REF = os.path.join(SOURCE, "plugins", "cpu_ref")
KIT = os.path.join(SOURCE, "plugins", "kit")

# A token and its replacement, with blanks around operators as clang-format puts them.
SWAPS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" \+ ", " - "),
         (r" - ", " + "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "),
         (r" \|\| ", " && "), (r" \+= ", " -= "), (r" \* ", " + "), (r" / ", " * "),
         (r" % ", " / "), (r" << ", " >> "), (r" >> ", " << "), (r" & ", " | "), (r" \| ", " & "),
         (r"\b0\b(?!x)", "1"), (r"\b1\b", "2"), (r"\b2\b", "1"), (r"!(?=[a-z])", "")]

# Lines that decline, describe, allocate or distribute work over threads: a mutant there changes no result.
PASSED_OVER = re.compile(
    r"refuse|_fail\(|^#|^\s*/?\*|static const|sizeof|COST|cost|reason|\"|memset|memcpy|^\s*//|"
    r"enum|ANYDNN_PLUGIN_REASON|^[a-z].*\(.*|\bint main|^\s*\.(required|outputs|uniform|layouts) = |"
    r"uint32_t inputs = ")
NUMERIC = {"activation.c", "batch_norm.c", "bits.c", "conv.c", "conv_integer.c", "conv_operands.c",
           "divisive.c", "dropout.c", "im2col.c", "lrn.c", "matmul.c", "mixed.c", "norm_kinds.c",
           "norm_kinds_backward.c", "norm_kinds_forward.c", "op_tensor.c", "pooling.c", "reduce.c",
           "softmax.c", "tensor_ops.c", "transform.c", "walk.c", "activate.h",
           "batch_norm.h", "bits.h", "conv.h", "element.h", "image.h", "integer.h", "lrn.h",
           "norm_kinds.h", "philox.h", "pooling.h", "tensor.h"}
# The operations of a file, by the beginning of its name. Other files serve all operations.
OPERATIONS = [("activation", "activation_*"), ("batch_norm", "batch_normalization_*"),
              ("conv_backward_data", "convolution_backward_data"),
              ("conv_backward_filter", "convolution_backward_filter"),
              ("conv_backward_bias", "convolution_backward_bias"),
              ("conv", "convolution_*"), ("divisive", "divisive_*"), ("dropout", "dropout_*"),
              ("im2col", "im2col"), ("lrn", "lrn_*"), ("matmul", "matmul"),
              ("norm_kinds", "normalization_*"), ("op_tensor", "op_tensor"),
              ("philox", "dropout_*"), ("pooling", "pooling_*"), ("reduce", "reduce_tensor"),
              ("softmax", "softmax_*"), ("transform", "transform_*")]
# Functions that decline, estimate work, or round operands as `emulate` does. tests/unit checks the rounding against its
# definition. verify judges a candidate by the bound of the math that it states.
CHECKS = re.compile(r"^(static )?(inline )?(int32_t|int|void|float|int64_t) "
                    r"(cpu_ref_)?(\w*(check|refuse|may_|cost)\w*|tf32|split)\(")


def sites(name):
    """Returns the file's lines, and (line number, column, end, replacement) of every possible mutant."""
    found = []
    in_check = False
    with open(os.path.join(CPU_REF, name), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines):
        if CHECKS.match(line):
            in_check = True
        elif line.startswith("}"):
            in_check = False
        if in_check or PASSED_OVER.search(line):
            continue
        code = line.split("/*")[0]
        for pattern, replacement in SWAPS:
            for match in re.finditer(pattern, code):
                found.append((number, match.start(), match.end(), replacement))
    return lines, found


def files():
    names = sorted(os.listdir(CPU_REF))
    return [n for n in names if (n.endswith(".inc") and not n.startswith("each_")) or n in NUMERIC]


class Builder:
    def __init__(self, out):
        self.out = out
        self.flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-fvisibility=hidden",
                      "-ffp-contract=off", "-I" + os.path.join(SOURCE, "include"), "-w"]
        self.sources = sorted(n for n in os.listdir(CPU_REF) if n.endswith(".c"))
        for name in self.sources:
            self.compile(CPU_REF, name, os.path.join(out, name + ".o"))
        self.kit = []
        for name in sorted(n for n in os.listdir(KIT) if n.endswith(".c")):
            self.kit.append(os.path.join(out, "kit_" + name + ".o"))
            self.compile(KIT, name, self.kit[-1])

    def compile(self, folder, name, target):
        return subprocess.run([os.environ.get("CC", "gcc"), *self.flags, "-I" + folder,
                               "-I" + CPU_REF, "-c", os.path.join(folder, name), "-o", target],
                              stderr=subprocess.DEVNULL, check=False).returncode

    def users(self, name):
        """Returns the .c files that include a changed file."""
        if name.endswith(".c"):
            return [name]
        users = []
        for other in self.sources:
            with open(os.path.join(CPU_REF, other), encoding="utf-8") as file:
                if '"%s"' % name in file.read():
                    users.append(other)
        for inc in (n for n in os.listdir(CPU_REF) if n.endswith((".inc", ".h")) and n != name):
            with open(os.path.join(CPU_REF, inc), encoding="utf-8") as file:
                if '#include "%s"' % name in file.read():
                    users += self.users(inc)
        return sorted(set(users))

    def module(self, name, text, folder):
        """Builds the mutant's module in the folder. Returns its path, or None if it does not compile."""
        for other in os.listdir(CPU_REF):
            if other != name and other.endswith((".h", ".inc", ".c")):
                os.symlink(os.path.join(CPU_REF, other), os.path.join(folder, other))
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        objects = {n: os.path.join(self.out, n + ".o") for n in self.sources}
        for user in self.users(name):
            # The file gets a different name, so that its includes are found beside it.
            if user != name:
                os.remove(os.path.join(folder, user))
                shutil.copy(os.path.join(CPU_REF, user), folder)
            objects[user] = os.path.join(folder, user + ".o")
            if self.compile(folder, user, objects[user]):
                return None
        path = os.path.join(folder, "anydnn_cpu_ref.so")
        linked = subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-o", path,
                                 *objects.values(), *self.kit, "-lpthreadpool", "-lpthread", "-lm",
                                 "-Wl,--version-script=" +
                                 os.path.join(SOURCE, "plugins", "make", "plugin.map")], check=False)
        return path if linked.returncode == 0 else None


def known_equivalent():
    with open(os.path.join(HERE, "mutants.txt"), encoding="utf-8") as file:
        return {line.rsplit("` : ", 1)[0] + "`" for line in file if "` : " in line}


class Judge:
    """Judges mutants by `anydnn verify`."""

    def __init__(self, options, builder):
        self.program = os.path.join(os.path.abspath(options.prefix), "bin", "anydnn")
        self.builder = builder
        self.equivalent = known_equivalent()

    def verify(self, path, name, *more):
        served = [pattern for start, pattern in OPERATIONS if name.startswith(start)]
        answer = subprocess.run([self.program, "verify", path, "--stop", "--case-limit", "10",
                                 *(["--op", served[0]] if served else []), *more],
                                stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL,
                                check=False)
        # The unchanged cpu_ref declines no listed problem, so a mutant that declines one counts as killed.
        return answer.returncode == 1 or " 0 declined" not in answer.stdout

    def accepts_unchanged(self, name):
        """Returns True if the unchanged module passes; otherwise every mutant would count as killed."""
        with tempfile.TemporaryDirectory(dir=self.builder.out) as folder:
            with open(os.path.join(CPU_REF, name), encoding="utf-8") as file:
                path = self.builder.module(name, file.read(), folder)
            return path is not None and not self.verify(path, name, "--quick")

    def __call__(self, mutant):
        """Returns (mutant, killed), or None if it does not compile."""
        name, lines, (number, start, end, replacement) = mutant
        old = lines[number]
        new = old[:start] + replacement + old[end:]
        what = "%s: `%s` -> `%s`" % (name, old.strip(), new.strip())
        text = "\n".join(lines[:number] + [new] + lines[number + 1:])
        with tempfile.TemporaryDirectory(dir=self.builder.out) as folder:
            path = self.builder.module(name, text, folder)
            if path is None:
                return None
            killed = self.verify(path, name, "--quick") or self.verify(path, name)
        if not killed:
            print("%s %s (line %d)" % ("equivalent" if what in self.equivalent else "SURVIVES",
                                       what, number + 1), flush=True)
        return what, killed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prefix")
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    mutants = []
    for name in options.only or files():
        lines, found = sites(name)
        random.Random("%d %s" % (options.seed, name)).shuffle(found)
        mutants += [(name, lines, site) for site in found[:options.each]]
    with tempfile.TemporaryDirectory() as out:
        judge = Judge(options, Builder(out))
        if not judge.accepts_unchanged("im2col.c"):
            sys.exit("mutants.py: anydnn verify rejects the unchanged cpu_ref, so mutants would prove nothing")
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            made = [answer for answer in pool.map(judge, mutants) if answer is not None]
    survivors = [what for what, killed in made if not killed]
    left = [what for what in survivors if what not in judge.equivalent]
    for name in options.only or files():
        print("%-28s %d killed of %d" %
              (name, sum(killed for what, killed in made if what.startswith(name + ":")),
               sum(what.startswith(name + ":") for what, killed in made)))
    print("%d mutants: %d killed, %d equivalent, %d survive" %
          (len(made), len(made) - len(survivors), len(survivors) - len(left), len(left)))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
