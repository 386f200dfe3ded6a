#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests exact, which compares backends on a GPU, on the host: equal backends, a difference, declined problems.
# Needs: tests/gpu/exact tests/verify/wrong/anydnn_wrong.la tests/tools/anydnn_faulty.la tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
exact=$ANYDNN_TEST_BUILDDIR/tests/gpu/exact
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn

# holds STATUS PATTERN ARGUMENT... <PROBLEMS: exact ends with the status, and its last line matches the pattern.
holds() {
    status=$1 pattern=$2
    shift 2
    "$exact" --device cpu "$@" >"$tap_dir/out" 2>&1
    found=$?
    [ $found -eq "$status" ] && tail -n 1 "$tap_dir/out" | grep -q -x -e "$pattern" && return 0
    echo "status $found, not $status, or not: $pattern"
    tail -n 5 "$tap_dir/out"
    return 1
}

# suite TYPE DIRECTION: prints the convolutions of LeNet.
suite() {
    "$anydnn" bench --suites "$ANYDNN_TEST_SRCDIR/bench/suites" --list --batch 2 --type "$1" --direction "$2" lenet |
        grep convolution
}

equal() {
    for type in f32 f16 bf16; do
        suite $type all >"$tap_dir/list"
        holds 0 'cpu_ref held to cpu_ref: 15 right, 0 wrong, 0 declined, 0 failed, 0 not reached' cpu_ref cpu_ref \
            <"$tap_dir/list" || return 1
    done
}
integers() {
    suite s8 forward >"$tap_dir/list"
    holds 0 'cpu_ref held to cpu_ref: 5 right, 0 wrong, .*' cpu_ref cpu_ref <"$tap_dir/list"
}
counts_once() {
    suite f32 forward >"$tap_dir/list"
    cat "$tap_dir/list" "$tap_dir/list" | holds 0 '.*: 5 right, .*' cpu_ref cpu_ref
}

conv='convolution_forward x=f32:2,3,5,6 w=f32:4,3,3,2'
# differs: a blend reads the previous contents of the outputs, which differ between the backends. The outputs of
# floating types have a single element.
differs() {
    for type in f32 f16 bf16; do
        echo "convolution_forward x=$type:1,1,3,3 w=$type:1,1,3,3 y=$type:1,1,1,1 beta=1" |
            holds 1 '.*: 0 right, 1 wrong, .*' cpu_ref cpu_ref || return 1
    done
    echo 'convolution_forward x=s8:1,4,5,5 w=s8:4,4,3,3 y=s8:1,4,3,3 beta=1' |
        holds 1 '.*: 0 right, 1 wrong, .*' cpu_ref cpu_ref
}
declines() {
    printf '%s\n' 'scale_tensor y=f32:2,3' 'set_tensor y=f32:2,3' "$conv" >"$tap_dir/list"
    holds 0 'onednn held to cpu_ref: 1 right, 0 wrong, 2 declined, 0 failed, 0 not reached' onednn cpu_ref <"$tap_dir/list" &&
        grep -q '^declined: onednn: set_tensor .*does not offer set_tensor' "$tap_dir/out"
}
# company: the backend is right alone, and wrong while another process runs it.
company() {
    cp "$ANYDNN_TEST_BUILDDIR/tests/verify/wrong/.libs/anydnn_wrong.so" "$tap_dir/anydnn_wrong_shared.so" || return 1
    for rows in $(seq 3 102); do
        echo "convolution_forward x=f32:1,2,$rows,3:nchw w=f32:2,2,3,3:nchw y=f32:1,2,$((rows - 2)),1:nchw"
    done >"$tap_dir/list"
    ANYDNN_PLUGIN_PATH=$tap_dir:$ANYDNN_TEST_PLUGINDIR
    holds 0 'wrong_shared held to cpu_ref: 100 right, .*' wrong_shared cpu_ref <"$tap_dir/list" &&
        holds 0 '0 of 3 processes at once failed' --processes 3 cpu_ref cpu_ref <"$tap_dir/list" &&
        holds 1 '[123] of 3 processes at once failed' --processes 3 wrong_shared cpu_ref <"$tap_dir/list" &&
        grep -q '^[123]: WRONG: wrong_shared: convolution_forward ' "$tap_dir/out"
    status=$?
    ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
    return $status
}
stops() {
    echo "$conv" | holds 1 '.*: 0 right, .* 1 not reached' --seconds 0 cpu_ref cpu_ref
}
# random: all results are within the bound. Errors are below 1e-7 in float, and from 1e-3 to 4e-3 in bfloat16.
random() {
    suite f32 all | grep -v backward_bias >"$tap_dir/list"
    holds 0 'cpu_ref held to cpu_ref: 15 right, 0 wrong, .*' --random cpu_ref cpu_ref <"$tap_dir/list" || return 1
    awk '$2 ~ /^convolution/ && !($1 > 0 && $1 < 1e-7)' "$tap_dir/out" | grep . && return 1
    suite bf16 all | grep -v backward_bias | sed 's/math=default/math=tensor_op/' >"$tap_dir/list"
    holds 0 '.*: 15 right, 0 wrong, .*' --random cpu_ref cpu_ref <"$tap_dir/list" || return 1
    awk '$2 ~ /^convolution/ && !($1 > 1e-3 && $1 < 4e-3)' "$tap_dir/out" | grep . && return 1
    return 0
}
# random_rounded: rounded operands have their own bound, and increase the error.
random_rounded() {
    printf '[plugin cpu_ref]\nset.emulate = on\n' >"$tap_dir/emulate.conf"
    ANYDNN_CONFIG=$tap_dir/emulate.conf
    export ANYDNN_CONFIG
    echo "$conv math=allow_conversion" | holds 0 '.*: 1 right, .*' --random cpu_ref cpu_ref || return 1
    awk '$2 ~ /^convolution/ && !($1 > 1e-4 && $1 < 6e-4)' "$tap_dir/out" | grep . && return 1
    unset ANYDNN_CONFIG
}
# faulty FAULT: adds a backend with that fault.
faulty() {
    printf '[plugin faulty]\nmodule = %s\nset.copy = %s\nset.fault = %s\nset.rows = 3\n' \
        "$ANYDNN_TEST_BUILDDIR/tests/tools/.libs/anydnn_faulty.so" "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" "$1" \
        >"$tap_dir/faulty.conf"
    ANYDNN_CONFIG=$tap_dir/faulty.conf
    export ANYDNN_CONFIG
}
# piles_up: the fault only shows in sums that whole numbers around 0 do not reach.
piles_up() {
    faulty large
    echo 'convolution_forward x=f32:1,3000,5,4 w=f32:2,3000,3,2' | holds 1 '.*: 0 right, 1 wrong, .*' faulty cpu_ref &&
        grep -q '^WRONG: faulty: .*18 of 18 results differ on whole numbers that pile up, .*; engine ' "$tap_dir/out" &&
        echo "$conv" | holds 0 '.*: 1 right, 0 wrong, .*' faulty cpu_ref || return 1
    unset ANYDNN_CONFIG
}
# transforms: a transform only runs if it is named, and the relative L2 error decides on its results.
transforms() {
    faulty transform
    echo "$conv" | holds 0 '.*: 1 right, 0 wrong, 0 declined, .*' faulty cpu_ref &&
        echo "$conv" | holds 0 '.*: 2 right, 0 wrong, 0 declined, .*' --ways default,algorithms faulty cpu_ref &&
        echo "$conv" | holds 0 '.*: 2 right, 0 wrong, .*' --random --ways algorithms faulty cpu_ref || return 1
    faulty far
    echo "$conv" | holds 0 '.*: 1 right, 0 wrong, .*' faulty cpu_ref &&
        echo "$conv" | holds 1 '.*: 1 right, 1 wrong, .*' --ways algorithms faulty cpu_ref &&
        grep -q '^WRONG: faulty: .* algo=winograd: a transform: 1 of .*; engine .*, notes: transform' "$tap_dir/out" &&
        echo "$conv" | holds 1 '.*: 1 right, 1 wrong, .*' --random --ways algorithms faulty cpu_ref &&
        grep -q 'the relative L2 error of this transform may be 2.00e-05, and is ' "$tap_dir/out" || return 1
    unset ANYDNN_CONFIG
}
found() {
    echo "$conv" | holds 0 '.*: 1 right, 0 wrong, .*' --ways default,find cpu_ref cpu_ref
}
# in_double: the reference runs in double, except for integer types, which have no form in double.
in_double() {
    suite bf16 all >"$tap_dir/list"
    holds 0 '.*: 15 right, 0 wrong, .*' --double cpu_ref cpu_ref <"$tap_dir/list" || return 1
    suite s8 forward >"$tap_dir/list"
    holds 0 '.*: 5 right, 0 wrong, .*' --double cpu_ref cpu_ref <"$tap_dir/list" || return 1
    holds 1 '.*: 0 right, .* 5 failed, .*' --random cpu_ref cpu_ref <"$tap_dir/list" &&
        grep -q 'its types have no form in double' "$tap_dir/out"
}
# resumes: a run that was cut short continues, and counts its earlier results.
resumes() {
    rm -f "$tap_dir/done"
    suite f32 forward >"$tap_dir/list"
    head -n 2 "$tap_dir/list" | holds 0 '.*: 2 right, .*' --done "$tap_dir/done" cpu_ref cpu_ref &&
        holds 0 '.*: 2 right, .* 3 not reached' --seconds 0 --done "$tap_dir/done" cpu_ref cpu_ref <"$tap_dir/list" &&
        holds 0 '.*: 5 right, .* 0 not reached' --done "$tap_dir/done" cpu_ref cpu_ref <"$tap_dir/list" &&
        [ "$(grep -c '^1 0 0 0 convolution_forward ' "$tap_dir/done")" -eq 5 ]
}
# random_wrong: the fault adds 1 to an element of the reference in double.
random_wrong() {
    faulty wide
    echo "$conv" | holds 1 '.*: 0 right, 1 wrong, .*' --random cpu_ref faulty || return 1
    grep -q '^WRONG: cpu_ref: .*1 of .* beyond the bound, the first one at 0' "$tap_dir/out" || return 1
    echo 'convolution_forward x=f16:2,3,40,50 w=f16:4,3,3,2' | holds 1 '.*: 0 right, 1 wrong, .*' --random cpu_ref faulty &&
        grep -q '^WRONG: cpu_ref: .*1 of 14896 values are beyond the bound, the first one at 0' "$tap_dir/out" || return 1
    unset ANYDNN_CONFIG
}
# small_shapes: the script prints the requested number of problems, in every direction. All of them are right, and
# none occurs twice.
small_shapes() {
    for type in f16 s8; do
        sh "$ANYDNN_TEST_SRCDIR/tests/gpu/small_shapes" 100 $type default >"$tap_dir/list" || return 1
        holds 0 '.*: 100 right, 0 wrong, 0 declined, 0 failed, 0 not reached' cpu_ref cpu_ref <"$tap_dir/list" || return 1
    done
    sh "$ANYDNN_TEST_SRCDIR/tests/gpu/small_shapes" 100 f16 default >"$tap_dir/list"
    [ "$(cut -d ' ' -f 1 "$tap_dir/list" | sort -u | wc -l)" -eq 4 ] && [ "$(sort -u "$tap_dir/list" | wc -l)" -eq 100 ]
}
small_shapes_refused() {
    sh "$ANYDNN_TEST_SRCDIR/tests/gpu/small_shapes" none f16 default >"$tap_dir/list" 2>"$tap_dir/err"
    [ $? -eq 2 ] && [ ! -s "$tap_dir/list" ] && grep -q "^small_shapes: 'none' must be a whole number" "$tap_dir/err"
}
wrong_problem() {
    echo 'convolution_forwards' | holds 1 '.* 1 failed, 0 not reached' cpu_ref cpu_ref
}
wrong_usage() {
    holds 2 'usage: .*' cpu_ref </dev/null && holds 2 'usage: .*' --ways guess cpu_ref cpu_ref </dev/null && holds 2 'usage: .*' --processes 0 cpu_ref cpu_ref </dev/null && holds 77 'exact: .*nowhere.*' --device nowhere cpu_ref cpu_ref </dev/null
}

check 'a backend equals itself, of every type' equal
check 'integers' integers
check 'a repeated problem counts once' counts_once
check 'a difference is found' differs
if [ -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    check 'a backend that declines is reported with the reason' declines
else
    skip 'a backend that declines is reported with the reason' 'no second backend'
fi
check 'sums that pile up' piles_up
check 'transforms by their relative L2 error' transforms
check "Find's answers" found
check 'the reference in double' in_double
check 'problems that were tested already' resumes
check 'random numbers within the bound' random
check 'random numbers, rounded operands' random_rounded
check 'random numbers beyond the bound' random_wrong
check 'random small shapes' small_shapes
check 'a count that is no number' small_shapes_refused
check 'several processes at once' company
check 'the limit of time' stops
check 'an invalid problem fails' wrong_problem
check 'usage' wrong_usage
tap_end
