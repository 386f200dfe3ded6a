#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks numbers of half on onednn, which has its own conversions. A 1x1 convolution of one channel multiplies each of
# the 65,536 numbers by a factor. Such a product is exact in float, so cpu_ref, which rounds once from double, has the
# same bits. This includes subnormal numbers, ties, and overflow.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
python3 - "$tap_dir" <<'PYTHON'
import struct, sys
# anydnn verify covers NaN; which NaN results is unspecified.
numbers = [n if n & 0x7fff <= 0x7c00 else 0 for n in range(65536)]
open(sys.argv[1] + "/x", "wb").write(struct.pack("<65536H", *numbers))
PYTHON

# multiplied BACKEND LAYOUT FACTOR: writes the products to $tap_dir/BACKEND.
multiplied() {
    python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<e", float(sys.argv[1])))' "$3" >"$tap_dir/w"
    ANYDNN_ROUTE=$1 ANYDNN_FALLBACK=off "$anydnn" run --in "x=$tap_dir/x" --in "w=$tap_dir/w" --out "y=$tap_dir/$1" \
        "convolution_forward x=f16:4,1,128,128:$2 w=f16:1,1,1,1:$2 y=f16:4,1,128,128:$2"
}

equal() {
    multiplied cpu_ref "$@" && multiplied onednn "$@" && [ "$(wc -c <"$tap_dir/onednn")" -eq 131072 ] &&
        cmp "$tap_dir/cpu_ref" "$tap_dir/onednn"
}

if ANYDNN_ROUTE=onednn "$anydnn" explain 'softmax_forward x=f32:1,2' 2>&1 | grep -q 'declines all problems'; then
    skip "half on onednn" "its library is missing"
else
    # The factors give ties in every second number, products with many digits, subnormal results, and overflow.
    for factor in 1 1.0009765625 0.333251953125 -0.00006103515625 0.000000059604644775390625 3; do
        for layout in nchw nhwc; do
            check "each number times $factor, $layout" equal $layout $factor
        done
    done
fi
tap_end
