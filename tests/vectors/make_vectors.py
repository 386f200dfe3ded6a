#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes <operation>.vec for every operation into the given folder (default: the folder of this script).

Needs NumPy and PyTorch (Debian: python3-numpy python3-torch); nothing of anydnn is used."""

import os
import sys

import torch

import vec_batch_norm
import vec_convolution
import vec_ctc
import vec_dropout
import vec_exact
import vec_integer
import vec_kinds
import vec_mixed
import vec_mixed_arithmetic
import vec_norm
import vec_pointwise
import vec_pooling
import vec_reduce
import vec_softmax
import vec_spatial
import vec_tensor
import vec_transform
from vecfile import write


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    torch.set_num_threads(1)
    made = {}
    for room in (vec_convolution, vec_pooling, vec_softmax, vec_pointwise, vec_tensor, vec_norm, vec_batch_norm,
                 vec_dropout, vec_reduce, vec_transform, vec_spatial, vec_ctc, vec_kinds, vec_exact, vec_integer,
                 vec_mixed, vec_mixed_arithmetic):
        for name, cases in room.make().items():
            made.setdefault(name, []).extend(cases)
    for name, cases in made.items():
        write(os.path.join(folder, name + ".vec"), cases)
        print("%-40s %3d cases" % (name, len(cases)))


if __name__ == "__main__":
    main()
