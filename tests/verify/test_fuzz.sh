#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests anydnn verify --fuzz. Equal seeds give equal random problems, and the host's backends are correct on some
# hundreds of them. A faulty backend is detected, and the printed command repeats the failure. ANYDNN_TEST_FUZZ=N runs N
# problems for each backend instead of a few.
# Needs: tools/anydnn tests/verify/wrong/anydnn_wrong.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
wrong=$ANYDNN_TEST_BUILDDIR/tests/verify/wrong/.libs/anydnn_wrong.so
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH

# verify STATUS ARGUMENT...: checks the exit status; the output is in $tap_dir/out and err.
verify() {
    status=$1
    shift
    "$anydnn" verify "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] && return 0
    echo "status $found, not $status: anydnn verify $*"
    grep -A 4 '^  \[' "$tap_dir/out"
    tail -n 5 "$tap_dir/out" "$tap_dir/err"
    return 1
}

# build NAME: copies the small backend to anydnn_NAME.so, which has the fault of that name, and prints its path.
build() {
    cp "$wrong" "$tap_dir/anydnn_$1.so" && echo "$tap_dir/anydnn_$1.so"
}

is_repeatable() {
    verify 0 --json --fuzz 60 --seed 5 cpu_ref && mv "$tap_dir/out" "$tap_dir/first" &&
        verify 0 --json --fuzz 60 --seed 5 cpu_ref && cmp "$tap_dir/out" "$tap_dir/first"
}

# The shards of a run draw the problems of the whole run: a failure in a shard is a failure in the whole.
shards_add_up() {
    file=$(build wrong_ignores_beta) || return 1
    sum=0
    for part in 1 2 3; do
        "$anydnn" verify --json --fuzz 60 --shard "$part/3" "$file" >"$tap_dir/part"
        sum=$((sum + $(sed -n 's/.*"failed": *\([0-9]*\).*/\1/p' "$tap_dir/part" | sort -n | tail -n 1)))
    done
    verify 1 --fuzz 60 "$file" && says " $sum failed"
}

# Runs the command that a failure prints, on the same problem; it must fail again.
repeats() {
    file=$(build wrong_ignores_beta) || return 1
    verify 1 --fuzz 60 --op convolution_forward "$file" && says '^  \[beta\] convolution_forward' || return 1
    problem=$(sed -n "s/^ *anydnn verify .* --problem '\(.*\)'\$/\1/p" "$tap_dir/out" | head -n 1)
    verify 1 --problem "$problem" "$file" && says '^  \[beta\]'
}

finds_a_crash() {
    file=$(build wrong_crashes) || return 1
    verify 1 --fuzz 40 --op convolution_forward "$file" && says '^  \[crash\] convolution_forward'
}

# A window far larger than the image takes no longer than the image; the second one also has large strides.
walks_the_image_alone() {
    verify 0 --case-limit 10 --problem "pooling_forward x=f32:1,1,4,4 window=10000000,10000000 pad=5000000,5000000 mode=$2" \
        "$1" &&
        verify 0 --case-limit 10 --problem "pooling_forward x=f32:1,1,4,4 y=f32:1,1,1,64 window=1000000000,1000000000 \
pad=500000000,500000000 stride=10000000,10000000 mode=$2" "$1"
}

few=${ANYDNN_TEST_FUZZ-}
check 'a seed determines its problems' is_repeatable
check 'cpu_ref is right' verify 0 --fuzz "${few:-600}" cpu_ref
if [ -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    check 'onednn is right' verify 0 --fuzz "${few:-150}" onednn
    check 'onednn: LRN of every window' verify 0 --fuzz "${few:-40}" --op 'lrn_*' onednn
    check 'onednn: an integer average of an empty window' verify 0 --problem \
        'pooling_forward x=s8:3,1,1,1:nchw y=s8:3,1,7,1:nhwc mode=average_exclude window=1,3 pad=3,1' onednn
    for mode in max average_include average_exclude; do
        check "onednn: $mode of large windows" walks_the_image_alone onednn "$mode"
    done
else
    skip 'onednn is right' 'onednn was not built'
fi
for mode in max average_include average_exclude; do
    check "cpu_ref: $mode of large windows" walks_the_image_alone cpu_ref "$mode"
done
check 'parts of a run' shards_add_up
check 'a failure repeats' repeats
check 'a crash is a finding, and the run goes on' finds_a_crash
check 'no number' verify 2 --fuzz x cpu_ref
check 'says why' says '^anydnn: --fuzz=x: must be an integer'
check 'no such operation in that type' verify 2 --fuzz 5 --op add_tensor --type s8x4 "$tap_dir/anydnn_wrong.so"
tap_end
