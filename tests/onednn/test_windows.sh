#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks windows for which kernels of oneDNN are defective: compares each geometry with cpu_ref's result.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

if [ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    echo "1..0 # SKIP built without onednn"
    exit 0
fi
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn

# settings THREADS: writes settings for a run on onednn.
settings() {
    printf '%s\n' '[anydnn]' "plugin_path = $ANYDNN_TEST_PLUGINDIR" 'fallback = off' '[plugin onednn]' \
        "set.threads = $1" '[route]' '* = onednn' >"$tap_dir/conf"
}

# compare OPTION...: runs the problems of standard input; shows the first that fail.
compare() {
    ANYDNN_CONFIG="$tap_dir/conf" "$anydnn" run --check cpu_ref "$@" - >"$tap_dir/out" 2>"$tap_dir/err" && return
    grep -E '^(problem|check):' "$tap_dir/out" | grep -B 1 'FAILED$' | head -n 6
    tail -n 3 "$tap_dir/err"
    return 1
}

# The channels range from a part of one vector of 16 to a part of a fifth, in NHWC and in NCHW. Some problems have few
# positions, others have more than our code handles at a time. An element needs a sum of at most 16 terms, powers and a
# few products: less than 64 roundings of 2^-24, which are 4e-6.
lrn() {
    for channels in 3 15 16 17 24 32 33 65; do
        for dims in 2,$channels,5,7:nhwc 3,$channels,1,1:nchw 2,$channels,5,7:nchw; do
            x=f32:$dims
            for n in 1 2 3 5 6 7 9 11 13 15 16; do
                echo "lrn_forward x=$x n=$n lrn_alpha=1 lrn_beta=0.75 k=1"
                echo "lrn_backward y=$x dy=$x x=$x n=$n lrn_alpha=1 lrn_beta=0.75 k=1"
            done
        done
    done | compare --inputs normal --tolerance 4e-6
}

# volume LAYOUT FRAMES TAPS PAD STRIDE: prints the problem of a filter's gradient, if it exists.
volume() {
    outputs=$((($2 + 2 * $4 - $3) / $5 + 1))
    [ $(($2 + 2 * $4)) -lt "$3" ] ||
        echo "convolution_backward_filter x=f32:1,16,$2,2,3:$1 dy=f32:1,16,$outputs,2,3:$1 dw=f32:16,16,$3,1,1:$1" \
            "pad=$4,0,0 stride=$5,1,1"
}

# Sums of whole numbers are exact in any order. Windows may begin before the first frame and end after the last.
volumes() {
    for frames in 1 2 4 5 7 8 9 11; do
        for taps in 3 4 6 7 8 9 11; do
            for pad in 1 3 4 5; do
                for stride in 1 2 3; do
                    volume nchw $frames $taps $pad $stride
                    volume nhwc $frames $taps $pad $stride
                done
            done
        done
    done | compare --tolerance 0
}

for threads in 1 2; do
    settings $threads
    check "LRN of every window, $threads threads" lrn
    check "gradients of filters of volumes, $threads threads" volumes
done
tap_end
