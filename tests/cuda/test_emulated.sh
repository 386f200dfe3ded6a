#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests cuda_naive and cuda_simt compiled for the host's processor (emulator/), by anydnn verify and the list of
# problems in tests/gpu. tests/gpu/run tests what requires a GPU.
# Needs: tools/anydnn tests/cuda/emulated tests/gpu/exact
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
emulated=$ANYDNN_TEST_BUILDDIR/tests/cuda/emulated
built=$emulated/simt
naive=$emulated/naive/anydnn_cuda_naive.so
ANYDNN_PLUGIN_PATH=$built:$emulated/naive:$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH

if ! command -v "${CXX:-c++}" >/dev/null; then
    skip "cuda_naive and cuda_simt on the host's processor" "no C++ compiler"
    tap_end
    exit 0
fi
if [ "${ANYDNN_TEST_SANITIZER:-no}" != no ]; then
    skip "cuda_naive and cuda_simt on the host's processor" "coroutines are beyond the sanitizers"
    tap_end
    exit 0
fi

# compiled: the builds exist; otherwise it shows the build's log.
compiled() {
    [ -e "$built/anydnn_cuda_simt.so" ] && [ -e "$naive" ] && return 0
    cat "$emulated.log"
    return 1
}

# shown COMMAND...: runs a command and shows the end of its output.
shown() {
    "$@" >"$tap_dir/out" 2>&1
    status=$?
    tail -n 40 "$tap_dir/out"
    return $status
}

verify() {
    shown "$anydnn" verify --quick --case-limit 300 --vectors "$ANYDNN_TEST_SRCDIR/tests/vectors" "$1"
}

# verify_naive: the naive backend declines nothing but LRN in place, where other threads still read the operand.
verify_naive() {
    verify "$naive" || return 1
    awk '$NF ~ /^[0-9]+$/ && $(NF - 1) > 0 && $1 !~ /^lrn_/ { print; other = 1 } END { exit other }' "$tap_dir/out"
}

# listed BACKEND FILE...: the backend runs each problem of the lists with the results of cpu_ref.
listed() {
    of_backend=$1
    shift
    (cd "$ANYDNN_TEST_SRCDIR/tests/gpu" && cat "$@") >"$tap_dir/list"
    shown env ANYDNN_DEVICE=cuda ANYDNN_ROUTE="$of_backend" ANYDNN_FALLBACK=off "$anydnn" run --repeat 2 --check cpu_ref - \
        <"$tap_dir/list"
}

# declined: cuda_simt declines problems without a fast kernel, with a sentence.
declined() {
    for problem in 'convolution_forward x=f64:2,3,5,4 w=f64:4,3,3,2' \
        'convolution_forward x=s8:2,4,5,4 w=s8:4,4,3,2 compute=s32' \
        'convolution_forward x=f32:2,3,4,3,2,3 w=f32:5,3,2,1,2,3'; do
        ANYDNN_DEVICE=cuda ANYDNN_ROUTE=cuda_simt ANYDNN_FALLBACK=off "$anydnn" run "$problem" >"$tap_dir/out" 2>&1 && return 1
        ANYDNN_DEVICE=cuda ANYDNN_ROUTE=cuda_simt,cuda_naive "$anydnn" run --check cpu_ref "$problem" >>"$tap_dir/out" 2>&1 ||
            return 1
        grep -q '^backend: *cuda_naive' "$tap_dir/out" || return 1
    done
    grep -q 'cuda_simt supports up to 3 spatial dims' "$tap_dir/out"
}

# oracle: cuda_naive runs the convolutions of the list with double tensors, as a reference for other backends.
oracle() {
    sh "$ANYDNN_TEST_SRCDIR/tests/gpu/in_double" <"$ANYDNN_TEST_SRCDIR/tests/gpu/smallest.txt" >"$tap_dir/list"
    [ -s "$tap_dir/list" ] || return 1
    shown env ANYDNN_DEVICE=cuda ANYDNN_ROUTE=cuda_naive ANYDNN_FALLBACK=off "$anydnn" run --repeat 2 --check cpu_ref - \
        <"$tap_dir/list"
}

# exact: on integers, the fast kernels give the same bits as the plain kernels in double. The route keeps backends that are
# not emulated from being opened, since the first backend of the space provides its devices.
exact() {
    for type in f32 f16 bf16; do
        sh "$ANYDNN_TEST_SRCDIR/tests/gpu/small_shapes" 20 $type default >"$tap_dir/list" || return 1
        shown env ANYDNN_DEVICE=cuda ANYDNN_ROUTE=cuda_simt,cuda_naive "$ANYDNN_TEST_BUILDDIR/tests/gpu/exact" --double cuda_simt cuda_naive <"$tap_dir/list" ||
            return 1
    done
}

# every_tile HEADING: every engine of the problems under a heading is right; their tiles differ.
every_tile() {
    sed -n "/^# $1/,/^\$/p" "$ANYDNN_TEST_SRCDIR/tests/gpu/smallest.txt" |
        grep '^conv' >"$tap_dir/list"
    [ -s "$tap_dir/list" ] || return 1
    while read -r problem; do
        "$anydnn" verify --problem "$problem" "$built/anydnn_cuda_simt.so" >"$tap_dir/out" 2>&1 || {
            tail -n 20 "$tap_dir/out"
            return 1
        }
    done <"$tap_dir/list"
}

# several_tiles: a block processes several tiles, which is rare on a device with many multiprocessors.
several_tiles() {
    shape=f32:4,192,40,16:nchw
    of="n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1"
    printf '%s\n' \
        "divisive_normalization_forward x=$shape temp=$shape temp2=$shape y=$shape $of without=means" \
        "divisive_normalization_backward x=$shape dy=$shape temp=$shape temp2=$shape dx=$shape $of without=means,dmeans" \
        >"$tap_dir/list"
    ANYDNN_DEVICE=cuda ANYDNN_ROUTE=cuda_simt ANYDNN_FALLBACK=off "$anydnn" run --check cpu_ref - \
        <"$tap_dir/list" >"$tap_dir/out" 2>&1
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

# no_room: normalizations use several launches if not all blocks can be resident at once.
no_room() {
    sed -n "/^# batch normalization in one kernel, with slabs of 128/,/^\$/p" "$ANYDNN_TEST_SRCDIR/tests/gpu/smallest.txt" | grep '^batch' >"$tap_dir/list"
    [ -s "$tap_dir/list" ] || return 1
    EMULATOR_NO_MEMORY=1 ANYDNN_DEVICE=cuda ANYDNN_ROUTE=cuda_simt ANYDNN_FALLBACK=off "$anydnn" run --check cpu_ref - \
        <"$tap_dir/list" >"$tap_dir/out" 2>&1
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

check "it compiles for the host's processor" compiled
check "verify --quick passes cuda_simt" verify "$built/anydnn_cuda_simt.so"
check "verify --quick passes cuda_naive, which declines only calls in place" verify_naive
check "the problems of tests/gpu/smallest.txt run on cuda_simt" listed cuda_simt smallest.txt
check "they run on cuda_naive, and those that cuda_simt declines" listed cuda_naive smallest.txt smallest_naive.txt
check "convolutions without a fast kernel are declined by cuda_simt" declined
check "every tile of the float convolutions is right" every_tile "float in the ring"
check "so is every engine of the depthwise convolutions with halo tiles" every_tile "depthwise by halo tiles"
check "and of those with large filters" every_tile "depthwise by tiles for large filters"
check "the convolutions among them run on cuda_naive in double" oracle
check "cuda_simt gives its results of whole numbers" exact
check "blocks with several tiles" several_tiles
check "blocks that wait for one another, if not all can be resident" no_room
check "the taps that reach a position are found" "$emulated/test_conv_reach"
check "cudnn's copies of tensors with gaps write their elements alone" "$emulated/test_copy"
tap_end
