#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a part of the cases of anydnn verify --small on the backend opencl, with and without double.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/opencl/opencl.sh"

if [ "${ANYDNN_TEST_SANITIZER-no}" != no ]; then
    echo "1..0 # SKIP drivers of OpenCL contain a compiler, which sanitizers do not support"
    exit 0
fi
if ! has_device; then
    echo "1..0 # SKIP no OpenCL device: $(why)"
    exit 0
fi

# verified SHARD: succeeds if no case of that shard fails.
verified() {
    "$anydnn" verify --small --case-limit 300 --shard "$1" --config "$tap_dir/conf" \
        --vectors "$ANYDNN_TEST_SRCDIR/tests/vectors" opencl >"$tap_dir/out" 2>"$tap_dir/err"
    status=$?
    tail -n 30 "$tap_dir/out"
    return $status
}

check "a part of verify --small" verified 1/5
settings 'set.no_double = on'
check "a part of it without double" verified 2/10
check "types that need double are declined" says 'does not compute with double, which this type requires'
tap_end
