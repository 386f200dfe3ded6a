#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests our CUDA backends as built, without a driver. They must load without libcuda and libcudart, export two
# names, decline with a sentence, and not affect the host's backends.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
# Hides the devices of the machine.
CUDA_VISIBLE_DEVICES=
export ANYDNN_PLUGIN_PATH CUDA_VISIBLE_DEVICES

exports_two() {
    names=$($NM -D --defined-only "$ANYDNN_TEST_PLUGINDIR/anydnn_$1.so" | sed 's/.* //' | sort | tr '\n' ' ')
    [ "$names" = "anydnn_plugin_abi anydnn_plugin_main " ] || {
        echo "exported: $names"
        return 1
    }
}

needs_no_driver() {
    readelf -d "$ANYDNN_TEST_PLUGINDIR/anydnn_$1.so" >"$tap_dir/needed" || return 1
    ! grep NEEDED "$tap_dir/needed" | grep -e libcuda -e libcudart
}

# info_shows BACKEND: the backend is live, and its space has no device.
info_shows() {
    "$anydnn" info >"$tap_dir/out" 2>"$tap_dir/err" || return 1
    says "^$1  *live" && ! grep -q '^cuda:0' "$tap_dir/out"
}

auto_is_the_host() {
    "$anydnn" explain activation_forward x=f32:2,3,4,5 >"$tap_dir/out" 2>"$tap_dir/err" || return 1
    says '^device: cpu' && says '^choice: \(onednn\|cpu_ref\)'
}

# declines BACKEND PROBLEM: a route that names the backend skips it with its reason, and the next backend runs
# the call.
declines() {
    ANYDNN_ROUTE=$1,cpu_ref "$anydnn" run "$2" \
        >"$tap_dir/out" 2>"$tap_dir/err" || return 1
    says 'cpu_ref' || return 1
    [ "$(grep -c "$1" "$tap_dir/err")" -le 1 ] || {
        echo "more than one warning:"
        cat "$tap_dir/err"
        return 1
    }
    ANYDNN_ROUTE=$1,cpu_ref "$anydnn" explain "$2" \
        >"$tap_dir/out" 2>"$tap_dir/err" || return 1
    says 'no device\|the CUDA driver is missing\|no CUDA device\|finds no device'
}

refuses_the_device() {
    "$anydnn" run --device cuda:0 activation_forward x=f32:2,3,4,5 >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says 'has 0 devices'
}

# warns_once: a program that names no device, with settings that name our backends, runs on the host. One
# warning states the reason.
warns_once() {
    printf '[route]\n* = cuda_tensorcore, cuda_simt, cpu_ref\n' >"$tap_dir/route.conf"
    "$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet" --config "$tap_dir/route.conf" --type half --math tensor_op --epochs 1 \
        --train-images 64 --test-images 10 >"$tap_dir/out" 2>"$tap_dir/err" || return 1
    says 'device = auto selects the host: backend cuda_tensorcore, named by .*route.conf:2, finds no device' &&
        says '^LeNet, half, tensor_op math, on cpu' && [ "$(grep -c . "$tap_dir/err")" -eq 1 ]
}

for backend in cuda_naive cuda_simt cuda_tensorcore; do
    problem='activation_forward x=f32:2,3,4,5'
    [ "$backend" != cuda_tensorcore ] ||
        problem='convolution_forward x=f16:2,8,4,5 w=f16:8,8,3,2 math=tensor_op'
    check "$backend: two exported names" exports_two "$backend"
    check "$backend: neither libcuda nor libcudart is needed" needs_no_driver "$backend"
    check "$backend: info shows it live, without a device" info_shows "$backend"
    check "$backend: a route skips it with a reason" declines "$backend" "$problem"
done
check "auto is the host" auto_is_the_host
check "LeNet on the host, with one warning" warns_once
check "cuda:0 is refused with a sentence" refuses_the_device
tap_end
