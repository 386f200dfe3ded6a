#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks anydnn run with data of every element type: made, run, compared, and read and written as files.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

# types NAME: runs one check of run_types.py.
types() {
    python3 "$ANYDNN_TEST_SRCDIR/tests/tools/run_types.py" "$ANYDNN_TEST_BUILDDIR/tools/anydnn" "$tap_dir" "$1"
}

check "every operation runs with each of its types" types taken
check "every operation refuses the other types with a sentence" types refused
check "types that can be combined run" types mixed
check "integers rarely saturate" types spread
check "files of every type" types files
check "vectors of channels lie as documented" types vectors
check "results round to each type" types rounding
check "values of set_tensor round to each type" types set
check "numbers of each type are generated and printed" types shown
check "indices of every width" types indices
check "convolutions of vectors of integers" types convolutions
check "what a comparison allows" types tolerances
tap_end
