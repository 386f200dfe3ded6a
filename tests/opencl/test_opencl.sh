#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests what verify does not: messages without a loader, a driver or a device, settings, recordings, a fork, and LeNet.
# Needs: tools/anydnn examples/lenet/lenet
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/opencl/opencl.sh"

layer='activation_forward x=f32:2,3,4,5'

# refuses PATTERN: a handle on the device fails with a sentence that contains the pattern.
refuses() {
    "$anydnn" run --config "$tap_dir/conf" --device opencl "$layer" >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says "^anydnn: anydnnCreateOnDevice: device .opencl.: space .opencl. has 0 devices: $1"
}

# runs: the layer runs on the device.
runs() {
    "$anydnn" run --config "$tap_dir/conf" --device opencl "$layer" >"$tap_dir/out" 2>"$tap_dir/err" &&
        says '^backend:  *opencl, engine 1, on opencl:0'
}

# skips: a route with other backends uses them, with one warning that states why there is no device.
skips() {
    ANYDNN_ROUTE=opencl,cpu_ref "$anydnn" run --config "$tap_dir/conf" "$layer" >"$tap_dir/out" 2>"$tap_dir/err" &&
        says '^backend:  *cpu_ref' && says 'cannot load the OpenCL loader: /nowhere/libOpenCL.so: ' &&
        [ "$(grep -c . "$tap_dir/err")" -eq 1 ]
}

# does_not_link: the backend needs no library of OpenCL.
does_not_link() {
    readelf -d "$ANYDNN_TEST_PLUGINDIR/anydnn_opencl.so" >"$tap_dir/needed" &&
        ! grep NEEDED "$tap_dir/needed" | grep -i opencl
}

# rejects PATTERN: the backend is skipped, and the warning about its settings contains the pattern.
rejects() {
    "$anydnn" run --config "$tap_dir/conf" --device opencl "$layer" >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says "$1"
}

# learns: LeNet's loss falls on the device.
learns() {
    settings
    "$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet" --config "$tap_dir/conf" --device opencl --epochs 2 \
        --train-images 320 --batch 16 --test-images 16 --learning-rate 0.05 >"$tap_dir/out" 2>"$tap_dir/err" || return 1
    says '^LeNet, float, default math, on opencl:0' || return 1
    sed -n 's/^epoch .*: loss \([0-9.]*\).*/\1/p' "$tap_dir/out" >"$tap_dir/losses"
    awk 'NR == 1 { first = $1 } { last = $1 } END { exit !(NR == 2 && last < first && last < 2.3) }' "$tap_dir/losses" &&
        return 0
    cat "$tap_dir/out"
    return 1
}

# records: LeNet trains through recordings, which repeat its calls, and loses as much as without them.
records() {
    settings
    for way in --record ''; do
        # shellcheck disable=SC2086 # An empty word is none.
        "$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet" --config "$tap_dir/conf" --device opencl $way --epochs 2 \
            --train-images 320 --batch 16 --test-images 16 --learning-rate 0.05 >"$tap_dir/out" 2>"$tap_dir/err" ||
            return 1
        sed -n 's/^epoch .*: loss \([0-9.]*\).*/\1/p' "$tap_dir/out" >"$tap_dir/losses$way"
    done
    [ "$(grep -c . "$tap_dir/losses")" -eq 2 ] && cmp "$tap_dir/losses" "$tap_dir/losses--record"
}

check "no library of OpenCL is linked" does_not_link
settings 'set.library = /nowhere/libOpenCL.so'
check "a missing loader" refuses 'cannot load the OpenCL loader: /nowhere/libOpenCL.so: '
check "a route with other backends" skips
settings "set.library = $ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so"
check "a library that is not the loader" refuses '.*libanydnn.so lacks the function clGetPlatformIDs; OpenCL 2.0'

settings
if OCL_ICD_VENDORS=$tap_dir/none refuses 'cannot load' >"$tap_dir/output"; then
    skip "no platform, a device, settings, LeNet" "no OpenCL loader"
    tap_end
    exit 0
fi
OCL_ICD_VENDORS=$tap_dir/none
export OCL_ICD_VENDORS
check "no platform" refuses 'the OpenCL loader finds no platform: no OpenCL driver is installed'
unset OCL_ICD_VENDORS
if ! has_device; then
    skip "a device, settings, LeNet" "no OpenCL device: $(why)"
    tap_end
    exit 0
fi
settings 'set.platform = no such platform'
check "a platform that does not exist" refuses 'no OpenCL platform has "no such platform" (set.platform) in its name'
settings 'set.device = no such device'
check "a device that does not exist" refuses 'no OpenCL device is of the kind "no such device" (set.device), or has that'
settings 'set.no_double = maybe'
check "a switch that is neither on nor off" rejects 'no_double.*maybe'
if [ "${ANYDNN_TEST_SANITIZER-no}" != no ]; then
    skip "runs, LeNet" "drivers of OpenCL contain a compiler, which sanitizers do not support"
else
    settings
    check "runs" runs
    check "LeNet learns" learns
    check "LeNet by recordings" records
fi
tap_end
