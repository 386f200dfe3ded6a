#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests chain on the host: every kind of chain, every type, declined problems, and chains that show nothing. chain
# compares calls that follow one another on a GPU with calls that are waited for.
# Needs: tests/gpu/chain tests/tools/anydnn_faulty.la tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
chain=$ANYDNN_TEST_BUILDDIR/tests/gpu/chain
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn

# holds STATUS PATTERN ARGUMENT... <PROBLEMS: chain ends with the status, and its last line matches the pattern.
holds() {
    status=$1 pattern=$2
    shift 2
    "$chain" --device cpu --repeat 2 "$@" >"$tap_dir/out" 2>&1
    found=$?
    [ $found -eq "$status" ] && tail -n 1 "$tap_dir/out" | grep -q -x -e "$pattern" && return 0
    echo "status $found, not $status, or not: $pattern"
    tail -n 5 "$tap_dir/out"
    return 1
}

tensors='x=f32:2,4,5,6 w=f32:6,4,3,3'
every_kind() {
    printf '%s\n' '# a comment' '' "small: convolution_forward $tensors" >"$tap_dir/list"
    holds 0 '4 chains same, 0 differ, 0 declined, 0 failed' cpu_ref cpu_ref <"$tap_dir/list" || return 1
    for line in 'plain: 28 calls' 'blend: 28 calls' 'copies: 76 calls' 'other: 52 calls'; do
        grep -q -x "chain small $line, same" "$tap_dir/out" || return 1
    done
}
every_type() {
    for type in f32 f64 f16 bf16; do
        echo "convolution_forward x=$type:2,4,5,6:nhwc w=$type:6,2,3,3:nhwc pad=1,1 stride=2,1 groups=2"
    done | holds 0 '16 chains same, .*' cpu_ref cpu_ref
}
# every_direction: problems of all directions give the same chain, which ignores the problem's blend.
every_direction() {
    printf '%s\n' 'convolution_forward x=f32:2,3,5,6 w=f32:4,3,3,3 pad=1,1 alpha=2 beta=3' \
        'convolution_backward_data w=f32:4,3,3,3 dy=f32:2,4,5,6 dx=f32:2,3,5,6 pad=1,1' \
        'convolution_backward_filter x=f32:2,3,5,6 dy=f32:2,4,5,6 dw=f32:4,3,3,3 pad=1,1' |
        holds 0 '12 chains same, .*' cpu_ref cpu_ref
}
# listed: all problems of the list for a GPU are valid, and a few of its chains run.
listed() {
    grep '^[a-z]' "$ANYDNN_TEST_SRCDIR/tests/gpu/chain.txt" >"$tap_dir/list"
    sed 's/^[^ ]*: //' "$tap_dir/list" | "$anydnn" explain - >"$tap_dir/out" || return 1
    [ "$(grep -c '^problem:' "$tap_dir/out")" -eq "$(wc -l <"$tap_dir/list")" ] || return 1
    grep -E '^(one_f16|stride_bf16|groups8_split):' "$tap_dir/list" | holds 0 '12 chains same, .*' cpu_ref cpu_ref
}

declines() {
    printf '%s\n' "convolution_forward $tensors" 'activation_forward x=f32:2,3 activation=relu' \
        'convolution_forward x=s8:1,4,5,5 w=s8:4,4,3,3' \
        'convolution_forward x=f32:2,4,5,6:128,1,24,4 w=f32:6,4,3,3' >"$tap_dir/list"
    holds 0 '4 chains same, 0 differ, 3 declined, 0 failed' cpu_ref cpu_ref <"$tap_dir/list"
}
# shows_nothing: most of y is padding, which stays 0 without a blend.
shows_nothing() {
    echo "convolution_forward x=f32:1,1,9,9 w=f32:1,1,1,1 pad=9,9" |
        holds 1 '1 chains same, 0 differ, 0 declined, 3 failed' cpu_ref cpu_ref &&
        grep -q 'plain: FAILED: a call changes .* shows nothing' "$tap_dir/out"
}
# differs: the backend gives different bits in each run.
differs() {
    printf '[plugin faulty]\nmodule = %s\nset.copy = %s\nset.fault = unsteady\nset.rows = 3\n' \
        "$ANYDNN_TEST_BUILDDIR/tests/tools/.libs/anydnn_faulty.so" "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" \
        >"$tap_dir/faulty.conf"
    ANYDNN_CONFIG=$tap_dir/faulty.conf
    export ANYDNN_CONFIG
    echo "convolution_forward $tensors" | holds 1 '0 chains same, 4 differ, 0 declined, 0 failed' faulty cpu_ref || return 1
    grep -q 'plain: 28 calls, DIFFERS: first element [0-9]* of [xwy], .*, enqueued, run 1$' "$tap_dir/out" || return 1
    unset ANYDNN_CONFIG
}
wrong_problem() {
    echo 'convolution_forwards' | holds 1 '0 chains same, 0 differ, 0 declined, 1 failed' cpu_ref cpu_ref
}
none() {
    holds 1 '0 chains same, .*' cpu_ref cpu_ref </dev/null
}
wrong_usage() {
    for value in 0 x 2x '' -1 99999999999999999999; do
        holds 2 "chain: --repeat is \`$value\`; it must be a whole number from 1 on" --repeat "$value" cpu_ref cpu_ref \
            </dev/null || return 1
    done
    holds 2 'usage: .*' cpu_ref </dev/null && holds 77 'chain: .*nowhere.*' --device nowhere cpu_ref cpu_ref </dev/null
}

check 'chains of every kind' every_kind
check 'of every type' every_type
check 'of a problem of every direction' every_direction
check 'the list for a GPU' listed
check 'problems that make no chain are reported' declines
check 'a chain that would show nothing fails' shows_nothing
check 'a difference is found' differs
check 'an invalid problem fails' wrong_problem
check 'no problem fails' none
check 'usage' wrong_usage
tap_end
