# SPDX-License-Identifier: Apache-2.0
"""Dropout vectors. The oracle is Philox4x32-10 as Salmon, Moraes, Dror and Shaw define it (SC 2011), checked against
the known answers of their Random123. anydnn.h defines which word an element uses."""

import numpy as np

from vec_convolution import layout, magnitude
from vecfile import Case

MAGIC, VERSION = 0x706F7264796E61, 1
MASK = 0xFFFFFFFF
KNOWN = [  # counter, key, answer: kat_vectors of Random123, philox4x32 of 10 rounds
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((MASK,) * 4, (MASK,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1))]

# case name, dims, p, seed, offset, layout of x, of y, trait
CASES = [
    ("half", (2, 3, 4, 5), 0.5, 12345, 0, "nchw", "nchw", ""),
    ("again", (2, 3, 4, 5), 0.5, 12345, 120, "nchw", "nchw", ""),
    ("gaps", (3, 2, 4, 5), 0.25, 7, 20, "gapped", "permuted", ""),
    ("views", (2, 5, 4, 3), 0.75, 2**64 - 1, 4, "view", "view", ""),
    ("nhwc", (2, 4, 5, 3), 0.3, 0x123456789ABCDEF0, 1 << 20, "nhwc", "nhwc", ""),
    ("counter_high_word", (3, 5, 2, 4), 0.5, 99, (1 << 34) - 16, "nchw", "nchw", ""),
    ("far_offset", (2, 3, 4, 1), 0.6, 1 << 40, (1 << 50) + 8, "permuted", "nchw", ""),
    ("odd_offset", (2, 3, 4, 5), 0.5, 8, 4097, "nchw", "nchw", ""),
    ("odd_size", (3, 3, 1, 7), 0.125, 3, 8, "nchw", "gapped", ""),
    ("one_element", (1, 1, 1, 1), 0.5, 17, 0, "nchw", "nchw", ""),
    ("nothing_dropped", (2, 3, 5, 4), 0.0, 42, 0, "nchw", "nchw", ""),
    ("nearly_all_dropped", (2, 3, 5, 4), 0.9375, 42, 0, "nchw", "nchw", ""),
    ("in_place", (2, 5, 3, 4), 0.5, 2024, 64, "gapped", "gapped", "alias"),
    ("not_a_number", (2, 3, 4, 5), 0.5, 5, 12, "nchw", "permuted", "nan"),
    ("volume", (2, 3, 2, 5, 2), 0.4, 11, 0, "permuted", "view", ""),
    ("two_dims", (5, 9), 0.5, 1, 0, "nchw", "nchw", ""),
]


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & MASK, (a >> 32) ^ c[3] ^ k[1], a & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return tuple(c)


def kept(count, p, seed, offset):
    bits = []
    for e in range(offset, offset + count):
        words = philox((e // 4 & MASK, e // 4 >> 32, 0, 0), (seed & MASK, seed >> 32))
        bits.append(not words[e % 4] < p * 2.0**32)
    return np.array(bits)


def packed(bits):
    """Packs one bit per element, lowest bit first, with zeros after the last."""
    return np.packbits(bits, bitorder="little").astype(np.float64)


def states(seed, offset):
    """Returns the bytes of the four words in little-endian order."""
    return np.frombuffer(np.array([MAGIC, VERSION, seed, offset], dtype="<u8").tobytes(), np.uint8)


def scaled(c, role, v, bits, p):
    """Adds the expected values. Dropped elements are 0, whatever the input is."""
    with np.errstate(invalid="ignore"):
        out = np.where(bits.reshape(v.shape), v / (1 - p), 0.0)
    if p in (0.0, 0.5, 0.75, 0.9375):
        c.expect(role, out)
    else:
        c.expect(role, out, magnitude(out))


def draw(c, dims, trait):
    v = c.reals(dims)
    if trait == "nan":
        v.ravel()[::7] = np.nan
        v.ravel()[3::7] = np.inf
    return v


def forward_case(name, dims, p, seed, offset, lx, ly, trait):
    c = Case("dropout_forward", name)
    count = int(np.prod(dims))
    c.operand("x", dims, layout(lx, dims))
    c.bytes("states", 32)
    c.operand("y", dims, layout(ly, dims))
    c.bytes("reserve", (count + 7) // 8)
    c.param(p=p)
    if trait == "alias":
        c.param(alias="y:x")
    x = draw(c, dims, trait)
    c.feed("x", x)
    c.prior("states", states(seed, offset))
    bits = kept(count, p, seed, offset)
    c.expect("states", states(seed, offset + (count + 3) // 4 * 4))
    scaled(c, "y", x, bits, p)
    c.expect("reserve", packed(bits))
    return c


def backward_case(name, dims, p, seed, offset, lx, ly, trait):
    c = Case("dropout_backward", name)
    count = int(np.prod(dims))
    c.operand("dy", dims, layout(lx, dims))
    c.bytes("reserve", (count + 7) // 8)
    c.operand("dx", dims, layout(ly, dims))
    c.param(p=p)
    if trait == "alias":
        c.param(alias="dx:dy")
    dy = draw(c, dims, trait)
    bits = kept(count, p, seed, offset)
    c.feed("dy", dy)
    c.feed("reserve", packed(bits))
    scaled(c, "dx", dy, bits, p)
    return c


def make():
    for counter, key, answer in KNOWN:
        assert philox(counter, key) == answer
    return {"dropout_forward": [forward_case(*row) for row in CASES],
            "dropout_backward": [backward_case(*row) for row in CASES if row[0] != "again"]}
