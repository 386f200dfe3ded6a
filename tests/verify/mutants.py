#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one-token mutants of cpu_ref (a bound, a sign, an index, a constant, a condition), builds
each as a module and lets `anydnn verify` judge it against the unchanged cpu_ref: each must fail.
Run by hand, since it takes minutes:

    tests/verify/mutants.py BUILD-FOLDER [--each N] [--seed N] [--only FILE] [--out FOLDER]

BUILD-FOLDER is a configured and built tree. Mutants of one file are drawn by the seed, N a file.
Exit status 0 when none survives that mutants.txt does not list as equivalent."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
CPU_REF = os.path.join(SOURCE, "plugins", "cpu_ref")

# Token, what replaces it. Blanks around operators as clang-format puts them.
SWAPS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" \+ ", " - "),
         (r" - ", " + "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "),
         (r" \|\| ", " && "), (r" \+= ", " -= "), (r" \* ", " + "), (r" / ", " * "),
         (r"\b0\b(?!x)", "1"), (r"\b1\b", "2"), (r"\b2\b", "1"), (r"!(?=[a-z])", "")]

# Lines that decline, describe, allocate or spread work over threads: a mutant there changes no
# result.
PASSED_OVER = re.compile(
    r"refuse|_fail\(|^#|^\s*/?\*|static const|sizeof|COST|cost|reason|\"|memset|memcpy|^\s*//|"
    r"enum|ANYDNN_PLUGIN_REASON|^[a-z].*\(.*|\bint main")
NUMERIC_C = {"activation.c", "batch_norm.c", "bits.c", "conv.c", "divisive.c", "dropout.c",
             "im2col.c", "op_tensor.c", "pooling.c", "reduce.c", "softmax.c", "tensor_ops.c",
             "transform.c", "walk.c"}
# The operations that a file serves, by the beginning of its name; all for the rest.
OPERATIONS = [("activation", "activation_*"), ("batch_norm", "batch_normalization_*"),
              ("conv", "convolution_*"), ("divisive", "divisive_*"), ("dropout", "dropout_*"),
              ("im2col", "im2col"), ("lrn", "lrn_*"), ("op_tensor", "op_tensor"),
              ("pooling", "pooling_*"), ("reduce", "reduce_tensor"), ("softmax", "softmax_*"),
              ("transform", "transform_*")]
CHECKS = re.compile(r"^(static )?(int32_t|int|void) (cpu_ref_)?\w*(check|refuse|may_)\w*\(")


def sites(name):
    """(line number, column, end, replacement) of every possible mutant."""
    found = []
    in_check = False
    with open(os.path.join(CPU_REF, name), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines):
        if CHECKS.match(line):
            in_check = True
        elif line == "}":
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
    return [n for n in names if (n.endswith(".inc") and n != "each_float.inc") or n in NUMERIC_C]


class Builder:
    def __init__(self, build, out):
        self.build, self.out = build, out
        self.flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-fvisibility=hidden",
                      "-ffp-contract=off", "-I" + os.path.join(SOURCE, "include"), "-w"]
        self.sources = sorted(n for n in os.listdir(CPU_REF) if n.endswith(".c"))
        for name in self.sources:
            self.compile(CPU_REF, name, os.path.join(out, name + ".o"))

    def compile(self, folder, name, target):
        return subprocess.run([os.environ.get("CC", "gcc"), *self.flags, "-I" + folder,
                               "-I" + CPU_REF, "-c", os.path.join(folder, name), "-o", target],
                              stderr=subprocess.DEVNULL, check=False).returncode

    def users(self, name):
        """The .c files that a changed file goes into."""
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

    def module(self, name, text):
        """The path of the mutant's module, or None when it does not compile."""
        with tempfile.TemporaryDirectory(dir=self.out) as folder:
            for other in os.listdir(CPU_REF):
                if other != name and other.endswith((".h", ".inc", ".c")):
                    os.symlink(os.path.join(CPU_REF, other), os.path.join(folder, other))
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            objects = {n: os.path.join(self.out, n + ".o") for n in self.sources}
            for user in self.users(name):
                objects[user] = os.path.join(folder, user + ".o")
                with open(os.path.join(folder, user), encoding="utf-8") as file:
                    body = file.read()
                os.remove(os.path.join(folder, user))
                with open(os.path.join(folder, user), "w", encoding="utf-8") as file:
                    file.write(body)
                if self.compile(folder, user, objects[user]):
                    return None
            path = os.path.join(self.out, "anydnn_cpu_ref.so")
            linked = subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-o", path,
                                     *objects.values(), "-lpthreadpool", "-lpthread", "-lm",
                                     "-Wl,--version-script=" +
                                     os.path.join(SOURCE, "plugins", "plugin.map")],
                                    check=False)
            return path if linked.returncode == 0 else None


def known_equivalent():
    with open(os.path.join(HERE, "mutants.txt"), encoding="utf-8") as file:
        return {line.rsplit("` : ", 1)[0] + "`" for line in file if "` : " in line}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--out")
    parser.add_argument("--program", help="the program anydnn, where it is not that of the folder")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    out = options.out or tempfile.mkdtemp()
    os.makedirs(out, exist_ok=True)
    builder = Builder(build, out)
    environment = dict(os.environ, ANYDNN_PLUGIN_PATH=os.path.join(build, "plugins", "built"))
    equivalent = known_equivalent()
    made = killed = 0
    survivors = []
    for name in files():
        if options.only and name != options.only:
            continue
        lines, found = sites(name)
        served = [pattern for start, pattern in OPERATIONS if name.startswith(start)]
        random.Random("%d %s" % (options.seed, name)).shuffle(found)
        for number, start, end, replacement in found[:options.each]:
            old = lines[number]
            new = old[:start] + replacement + old[end:]
            what = "%s: `%s` -> `%s`" % (name, old.strip(), new.strip())
            path = builder.module(name, "\n".join(lines[:number] + [new] + lines[number + 1:]))
            if path is None:
                continue
            made += 1
            answer = subprocess.run([options.program or os.path.join(build, "tools", "anydnn"),
                                     "verify", path, "--stop", "--case-limit", "5", "--vectors",
                                     os.path.join(SOURCE, "tests", "vectors"),
                                     *(["--op", served[0]] if served else [])],
                                    env=environment, stdout=subprocess.PIPE, text=True,
                                    stderr=subprocess.DEVNULL, check=False)
            # cpu_ref itself declines nothing of the list.
            dead = answer.returncode == 1 or " 0 declined" not in answer.stdout
            killed += dead
            if not dead:
                survivors.append(what)
                print("%s %s (line %d)" % ("equivalent" if what in equivalent else "SURVIVES",
                                           what, number + 1), flush=True)
    left = [what for what in survivors if what not in equivalent]
    print("%d mutants: %d killed, %d equivalent, %d survive" %
          (made, killed, len(survivors) - len(left), len(left)))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
