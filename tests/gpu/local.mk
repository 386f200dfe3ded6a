# SPDX-License-Identifier: Apache-2.0
# What runs on a machine with a GPU, out of a bundle.

EXTRA_DIST += tests/gpu/run tests/gpu/smallest.txt
