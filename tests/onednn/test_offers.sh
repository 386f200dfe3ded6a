#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that onednn can make every plan that it offers, even if oneDNN lacks primitives on a processor. The backend
# runs on a library that refuses descriptors (refusing.c), and anydnn verify makes a plan of each offered engine.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

if [ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    echo "1..0 # SKIP built without onednn"
    exit 0
fi
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
library=$tap_dir/libdnnl.so
printf '%s\n' '[plugin onednn]' "set.library = $library" 'set.threads = 1' '[plugin cpu_ref]' 'set.threads = 1' \
    '[route]' '* = onednn, cpu_ref' >"$tap_dir/conf"
layer='convolution_forward x=f32:2,32,14,14 w=f32:32,32,3,3 pad=1,1'

# verified REFUSED: succeeds if nothing fails; some cases pass on other paths, and some are declined.
verified() {
    REFUSED=$1 "$anydnn" verify --small --type f32 --config "$tap_dir/conf" onednn >"$tap_dir/out" 2>"$tap_dir/err" &&
        says '[0-9]\{2,\} passed, [0-9]\{2,\} declined, 0 failed'
}

# If nothing is refused, this library behaves like the real one.
whole() {
    ANYDNN_CONFIG="$tap_dir/conf" "$anydnn" explain "$layer" >"$tap_dir/out" 2>"$tap_dir/err" &&
        says '^choice: onednn engine 1'
}

# The reason names what oneDNN lacks, and another backend is chosen.
explained() {
    REFUSED=$1 ANYDNN_CONFIG="$tap_dir/conf" "$anydnn" explain "$layer" >"$tap_dir/out" 2>"$tap_dir/err" &&
        says '^choice: cpu_ref' && says "oneDNN does not support $2"
}

# Winograd's transform is offered for filters in NHWC if it is offered for filters in NCHW, and both give right results.
winograd_last() {
    for filter in nchw nhwc; do
        problem="convolution_forward x=f32:2,128,14,14:nhwc w=f32:64,128,3,3:$filter pad=1,1"
        "$anydnn" verify --config "$tap_dir/conf" --problem "$problem" onednn || return 1
        ANYDNN_CONFIG="$tap_dir/conf" "$anydnn" explain "$problem" >"$tap_dir/out" || return 1
        grep -c 'engine 2' "$tap_dir/out" >"$tap_dir/$filter"
    done
    cmp "$tap_dir/nchw" "$tap_dir/nhwc"
}

if ! $CC -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared "$ANYDNN_TEST_SRCDIR/tests/onednn/refusing.c" -o "$library" \
    -Wl,--no-as-needed -ldnnl -ldl 2>"$tap_dir/err"; then
    skip "offers without descriptors" "no library of oneDNN to link to"
else
    check "nothing is refused" whole
    check "Winograd's filters with channels last" winograd_last
    check "without reorders" verified reorder
    check "and the reason says so" explained reorder 'the reorder between two of its layouts'
    if ldd "$library" | grep -q 'libdnnl\.so\.2'; then
        check "without primitives for inference" verified inference
        check "and the reason says so" explained inference 'convolution of these sizes'
        check "without primitives for training" verified training
        check "without primitives backward" verified backward
    else
        skip "offers without primitives" "this oneDNN is not 2.x"
    fi
fi
tap_end
