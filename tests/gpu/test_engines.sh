#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests engines on the host with a mock of cuDNN. engines prints a line for each configuration of cuDNN.
# Needs: tests/gpu/engines tests/cudnn/libcudnn_mock.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
CUDNN_LIBRARY=$ANYDNN_TEST_BUILDDIR/tests/cudnn/.libs/libcudnn_mock.so
export ANYDNN_PLUGIN_PATH CUDNN_LIBRARY
engines=$ANYDNN_TEST_BUILDDIR/tests/gpu/engines

lists() {
    printf '%s\n' 'convolution_forward x=f32:2,8,7,9:nhwc w=f32:8,8,3,3:nhwc pad=1,1' 'no problem' |
        "$engines" --device cpu cpu_ref >"$tap_dir/out" 2>"$tap_dir/err" || return 1
    for line in '^engine 62 .* notes=tensor_core math=2 kernel=ready knobs=2:4 refused' \
        '^engine 22 convolution_forward f32 notes=tensor_core,down_convert math=-1 ' \
        '^engine 30 convolution_forward f32 notes=winograd,tile_4x4 math=0 .* integers=1008/1008:.* piled=1008/.* random=' \
        '^failed: ' '^2 of 2 problems$'; do
        grep -q -e "$line" "$tap_dir/out" || { cat "$tap_dir/out" && return 1; }
    done
}
wrong_usage() {
    "$engines" >"$tap_dir/out" 2>&1 </dev/null
    [ $? -eq 2 ] && grep -q '^usage: engines ' "$tap_dir/out"
}
no_library() {
    CUDNN_LIBRARY=/nowhere/libcudnn.so "$engines" --device cpu cpu_ref </dev/null >"$tap_dir/out" 2>&1
    [ $? -eq 77 ]
}

check 'each configuration' lists
check 'usage' wrong_usage
check 'no cuDNN' no_library
tap_end
