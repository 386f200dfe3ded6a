#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests calls that anydnn's backends run in front of a mock: results equal those of the same calls through libcudnn.so.7.
# It also tests what goes to the real library, and the lines of a trace.
# Needs: cudnn9/built/.stamp cudnn7/built/.stamp tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn9/cudnn9.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
mock=$tap_dir/mock
ANYDNN_CUDNN9_LIBRARY=$mock
export ANYDNN_CUDNN9_LIBRARY

compiles() {
    # shellcheck disable=SC2086
    $cc $cudnn9_sanitize -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$cudnn9_here/layers.c" -o "$tap_dir/layers" -ldl -lpthread
}

# layers VARIABLE=VALUE... COMMAND: runs the program on the front. Its pointers are to host memory.
layers() {
    rm -f "$tap_dir/count" "$tap_dir/trace"
    env ANYDNN_DEVICE=cpu ANYDNN_CUDNN9_COUNTERS="$tap_dir/count" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
}

front=$cudnn9_folder/libcudnn.so.9
functions=19

# A descriptor that leaks belongs to the program.
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS

as_cudnn_7() {
    ANYDNN_DEVICE=cpu ANYDNN_ROUTE=cpu_ref "$tap_dir/layers" "$ANYDNN_TEST_BUILDDIR/cudnn7/.libs/libcudnn.so.7" all >"$tap_dir/want" || return 1
    ! grep -v 'destroy\|: 0 ' "$tap_dir/want" || return 1
    layers ANYDNN_CUDNN9_BACKENDS=cpu_ref "$tap_dir/layers" "$front" all && diff "$tap_dir/want" "$tap_dir/out" && [ ! -s "$tap_dir/err" ]
}

# The second backend runs what the first one does not.
second_backend() {
    layers ANYDNN_CUDNN9_BACKENDS=absent,cpu_ref ANYDNN_LOG=off "$tap_dir/layers" "$front" all && diff "$tap_dir/want" "$tap_dir/out"
    ran=$?
    grep '^cudnnConvolutionForward:backends	2$' "$tap_dir/count" && [ "$ran" -eq 0 ]
}

# Each function ran twice on a backend, activation_forward four times.
counts_backends() {
    grep ':backends' "$tap_dir/count" >"$tap_dir/backends"
    cat "$tap_dir/backends"
    [ "$(wc -l <"$tap_dir/backends")" -eq "$((functions - 1))" ] && grep '^cudnnConvolutionForward:backends	2$' "$tap_dir/backends" &&
        grep '^cudnnActivationForward:backends	4$' "$tap_dir/backends" && ! grep 'forwarded	[1-9]' "$tap_dir/count"
}

# The mock computes nothing, so outputs keep their values.
forwards() {
    "$tap_dir/layers" "$mock/libcudnn.so.9" all >"$tap_dir/want" &&
        layers "$@" "$tap_dir/layers" "$front" all && diff "$tap_dir/want" "$tap_dir/out"
}

declined() {
    forwards ANYDNN_CUDNN9_BACKENDS=absent ANYDNN_LOG=off && grep '^cudnnConvolutionForward:forwarded	2$' "$tap_dir/count"
}

without_device() {
    forwards ANYDNN_CUDNN9_BACKENDS=cpu_ref ANYDNN_DEVICE=auto && says 'device = auto finds no device'
}

# The lines are problems of anydnn, and have points in any locale.
traces() {
    forwards ANYDNN_CUDNN9_TRACE="$tap_dir/trace" LC_ALL=de_DE.UTF-8 || return 1
    [ "$(wc -l <"$tap_dir/trace")" -eq $((2 * functions)) ] && [ "$(stat -c %a "$tap_dir/trace")" = 600 ] &&
        grep -P '^convolution_forward x=f32:2,4,7,6:nchw w=f32:6,2,3,3:nchw y=f32:2,6,4,8:nchw pad=1,2 stride=2,1 dilation=1,1 groups=2 mode=cross compute=f32 math=default algo=implicit_precomp_gemm alpha=0.5 beta=1\tcudnn\t0\tdefault\t-\t\d+:\d+\t1\t-\tok$' "$tap_dir/trace" &&
        grep -P '^activation_forward x=f32:2,5,6,4:nchw y=f32:2,5,6,4:nchw activation=elu coef=0.75 alias=y:x\t' "$tap_dir/trace" || return 1
    cut -f 1 "$tap_dir/trace" | "$anydnn" explain --device cpu - >"$tap_dir/explained" 2>&1 || { cat "$tap_dir/explained"; return 1; }
    [ "$(grep -c '^problem: ' "$tap_dir/explained")" -eq $((2 * functions)) ]
}

traces_backends() {
    layers ANYDNN_CUDNN9_TRACE="$tap_dir/trace" ANYDNN_CUDNN9_BACKENDS=cpu_ref "$tap_dir/layers" "$front" all &&
        [ "$(cut -f 2 "$tap_dir/trace" | sort -u)" = cpu_ref ] && [ "$(wc -l <"$tap_dir/trace")" -eq $((2 * functions)) ] &&
        "$anydnn" replay --device cpu "$tap_dir/trace"
}

trace_that_fails() {
    forwards ANYDNN_CUDNN9_TRACE=/nowhere/trace && says 'warning: /nowhere/trace: the trace of \[cudnn9\] cannot be written' || return 1
    [ "$(grep -c warning "$tap_dir/err")" = 1 ]
}

# A child of fork() only forwards, since backends may not survive it.
in_a_child() {
    "$tap_dir/layers" "$mock/libcudnn.so.9" fork >"$tap_dir/want" &&
        layers ANYDNN_CUDNN9_BACKENDS=cpu_ref ANYDNN_CUDNN9_TRACE="$tap_dir/trace" "$tap_dir/layers" "$front" all fork || return 1
    tail -n "$(wc -l <"$tap_dir/want")" "$tap_dir/out" | diff "$tap_dir/want" -
}

in_threads() {
    layers ANYDNN_CUDNN9_BACKENDS=cpu_ref ANYDNN_CUDNN9_TRACE="$tap_dir/trace" "$tap_dir/layers" "$front" threads && says 'threads ended' &&
        grep "^cudnnConvolutionForward:backends	160$" "$tap_dir/count" && [ "$(wc -l <"$tap_dir/trace")" -eq $((160 * functions)) ]
}

bad_setting() {
    printf '[cudnn9]\nbackends = cpu ref\n' >"$tap_dir/bad.conf"
    forwards ANYDNN_CONFIG="$tap_dir/bad.conf" && says "backends = cpu ref"
}

check "a mock is built" cudnn9_mock "$mock"
check "the program is built" compiles
check "results on backends equal those of libcudnn.so.7" as_cudnn_7
check "the second backend of the list runs what the first one does not" second_backend
check "calls on backends are counted" counts_backends
check "without backends, the real library runs all" forwards
check "what backends decline runs on the real library, and is counted" declined
check "device = auto without a device: the real library, and why" without_device
check "a trace of forwarded calls has their problems" traces
check "a trace of calls on backends, which replays" traces_backends
check "a trace that cannot be written" trace_that_fails
check "a child of fork() only forwards" in_a_child
check "threads with their own handles" in_threads
check "an invalid setting: the real library runs all" bad_setting
tap_end
