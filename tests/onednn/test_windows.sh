#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Windows for which kernels of oneDNN are defective: each geometry beside cpu_ref's result.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

if [ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    echo "1..0 # SKIP built without onednn"
    exit 0
fi
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn

# settings THREADS: of a run on onednn.
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

# Channels from less than a vector of 16 to a part of the fifth, last and as places of one; few places and more than
# our own code works on at a time. An element takes a sum of at most 16 terms, powers and a few products: less than 64
# roundings of 2^-24, which are 4e-6.
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

for threads in 1 2; do
    settings $threads
    check "LRN of every window, $threads threads" lrn
done
tap_end
