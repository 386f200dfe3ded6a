# SPDX-License-Identifier: Apache-2.0
"""Counts the cases of each operation in each type or combination of types, for all that anydnn supports."""

import itertools

LEAST = 6
FLOATS = ["f64", "f32", "f16", "bf16"]
SIGNED, UNSIGNED = ["s8", "s8x4", "s8x32"], ["u8", "u8x4"]
CONVOLUTIONS = ["s8 s8 s8", "s8 s8 f32", "u8 s8 s8", "u8 s8 f32", "s8x4 s8x4 s8x4", "s8x4 s8x4 f32",
                "u8x4 u8x4 u8x4", "u8x4 u8x4 f32", "u8x4 s8x4 u8x4", "u8x4 s8x4 s8x4", "u8x4 s8x4 f32",
                "s8x32 s8x32 s8x32"]
ARITHMETIC = ["f32 f16", "f32 bf16", "f32 s8", "f16 f32", "bf16 f32", "s8 f32", "s8 s8"]


def squares(*sets):
    return ["%s %s" % pair for s in sets for pair in itertools.product(s, s)
            if pair[0] != pair[1] or pair[0] not in FLOATS]


# The operands whose types make a combination, and the combinations. Every operation supports the floating types.
TAKEN = {
    "convolution_forward": ("x w y", CONVOLUTIONS), "convolution_bias_activation_forward": ("x w y", CONVOLUTIONS),
    "pooling_forward": ("x", SIGNED), "activation_forward": ("x", ["s8"]), "softmax_forward": ("x", ["s8"]),
    "lrn_forward": ("x", ["s8"]), "batch_normalization_inference": ("x", ["s8"]),
    "transform_tensor": ("x y", squares(FLOATS[1:] + SIGNED, UNSIGNED, ["s32"])),
    "transform_tensor_ex": ("x y", squares(FLOATS[1:] + SIGNED, UNSIGNED, ["s32"])),
    "transform_filter": ("x y", squares(FLOATS[1:] + ["s8"], ["u8"])),
    "add_tensor": ("x", SIGNED + UNSIGNED + ["s32"]), "set_tensor": ("y", SIGNED + UNSIGNED + ["s32"]),
    "scale_tensor": ("y", SIGNED + UNSIGNED + ["s32"]), "op_tensor": ("a c", ARITHMETIC),
    "reduce_tensor": ("a c", ARITHMETIC)}


def cell(operation, word):
    """Returns the combination that a word of a types line names."""
    if "=" not in word:
        return word
    named = dict(pair.split("=") for pair in word.split(","))
    return " ".join(named[role] for role in TAKEN[operation][0].split())


def table(cases):
    """Prints the counts of (operation, words of its types). Returns the number of cells with too few cases."""
    counts = {}
    for operation, words in cases:
        row = counts.setdefault(operation, {})
        for word in words:
            name = cell(operation, word)
            row[name] = row.get(name, 0) + 1
    lacking = 0
    print("%-38s" % "operation" + "".join("%6s" % t for t in FLOATS) + "   of integers, and mixed")
    for operation, row in counts.items():
        mixes = TAKEN.get(operation, ("", []))[1]
        rest = ["%s %d" % (m.replace(" ", ">" if m.count(" ") == 1 else ","), row.get(m, 0)) for m in mixes]
        print("%-38s" % operation + "".join("%6d" % row.get(t, 0) for t in FLOATS) + "   " + ", ".join(rest))
        lacking += sum(row.get(name, 0) < LEAST for name in FLOATS + mixes)
        lacking += len(set(row) - set(FLOATS + mixes))
    total = sum(sum(row.values()) for row in counts.values())
    print("%d cases by type, %d by their numbers; %d cells with fewer than %d" % (total, len(cases), lacking, LEAST))
    return lacking
