#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests anydnn verify: it accepts cpu_ref and a correct small backend, and its options work.
# Needs: tools/anydnn tests/verify/wrong/anydnn_wrong.la mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/verify/verify.sh"

# The golden vectors are found, each case has a known answer, and none is declined. A third of the cases run here;
# test_whole.sh runs all.
passes_cpu_ref() {
    verify 0 --shard 1/3 cpu_ref && says ' 0 declined, 0 failed$' && says ' golden ' &&
        ! says 'Without golden vectors' >/dev/null && ! says 'without a known answer' >/dev/null
}

passes_quickly() {
    verify 0 --quick --op 'batch_*' cpu_ref && says ' 0 failed'
}

# cpu_ref rounds operands as the modes permit, reports that, and is judged accordingly.
passes_emulation() {
    printf '[plugin cpu_ref]\nset.emulate = on\n' >"$tap_dir/emulate.conf"
    ANYDNN_CONFIG=$tap_dir/emulate.conf
    export ANYDNN_CONFIG
    verify 0 --quick --type f32 --op 'convolution_*' cpu_ref && says ' 0 declined, 0 failed'
    status=$?
    unset ANYDNN_CONFIG
    return $status
}

passes_right_backend() {
    file=$(build wrong WRONG_NONE) || return 1
    verify 0 --quick "$file" && says ' 0 failed' && says 'parameter: this backend has sigmoid, relu and tanh'
}

# The combinations that the list of cases tries and the library refuses are not printed.
prints_no_probes() {
    verify 0 --quick --op 'convolution_b*' cpu_ref || return 1
    ! grep 'warning: case' "$tap_dir/err" && verify 0 --fuzz 300 cpu_ref && ! grep 'warning: case' "$tap_dir/err"
}

# The backend's space has pointers that fault on the host.
passes_device_backend() {
    file=$(build wrong WRONG_DEVICE) || return 1
    verify 0 --small "$file" && says '(shelf)' && says ' 0 failed'
}

# Its space has streams, whose work waits until something needs it.
passes_streams() {
    file=$(build wrong WRONG_STREAMS) || return 1
    verify 0 --small "$file" && says ' 0 failed'
}

# Both shards together have as many cases as the whole.
cases_of() {
    sed -n 's/^\([0-9]*\) cases:.*/\1/p' "$tap_dir/out"
}
shards_add_up() {
    verify 0 --op 'softmax_*' cpu_ref || return 1
    whole=$(cases_of)
    verify 0 --op 'softmax_*' --shard 1/2 cpu_ref || return 1
    first=$(cases_of)
    verify 0 --op 'softmax_*' --shard 2/2 cpu_ref || return 1
    second=$(cases_of)
    echo "$whole = $first + $second"
    [ "$whole" -eq $((first + second)) ] && [ "$first" -gt 0 ] && [ "$second" -gt 0 ]
}

# A fault that occurs only while another process works is detected when several processes run.
finds_company() {
    file=$(build wrong WRONG_SHARED) || return 1
    verify 0 --problem "$small_problem" "$file" || return 1
    verify 1 --processes 3 --problem "$small_problem" "$file" && says '3 processes at once' &&
        says 'in [123] of 3 processes' && says 'anydnn verify .* --processes 3 --seed 1 --problem'
}
small_problem='convolution_forward x=f32:1,2,5,5:nchw w=f32:3,2,3,3:nchw y=f32:1,3,3,3:nchw'

# Each case counts once for each process.
counts_processes() {
    verify 0 --op 'softmax_*' --quick cpu_ref || return 1
    whole=$(cases_of)
    verify 0 --op 'softmax_*' --quick --processes 2 cpu_ref || return 1
    [ "$whole" -gt 0 ] && [ "$(cases_of)" -eq $((2 * whole)) ] && says ' 0 failed'
}

# The backend hangs in its first case with more than three groups; the time limit ends the run.
cuts_short() {
    file=$(build wrong WRONG_HANGS) || return 1
    verify 0 --time-limit 3 --op convolution_forward "$file"
    says 'Stopped early: the time limit was reached; [1-9][0-9]* cases were not reached'
}

# The printed command of a failure runs the backend on the same problem and also detects the difference.
repeats() {
    file=$(build wrong WRONG_IGNORES_GROUPS) || return 1
    verify 1 --small --op convolution_forward "$file" || return 1
    problem=$(sed -n "s/.*--problem '\(.*\)'$/\1/p" "$tap_dir/out" | head -n 1)
    verify 1 --problem "$problem" "$file" && says "wrong_ignores_groups anydnn run --check cpu_ref '$problem'"
}
runs_again() {
    folder=$tap_dir
    # shellcheck disable=SC2086
    ANYDNN_PLUGIN_PATH=$folder:$ANYDNN_TEST_PLUGINDIR ANYDNN_ROUTE=wrong_ignores_groups \
        "$anydnn" run --check cpu_ref $problem
    [ $? -eq 1 ]
}

# The fault occurs in the shape of one layer only: the listed shapes pass, and a suite with that layer fails.
finds_shape() {
    file=$(build wrong WRONG_SHAPE) || return 1
    verify 0 --quick --op convolution_forward "$file" || return 1
    verify 1 --suites "$suites" --suite lenet "$file" && says '^  \[result\] .*: conv2$' && says ', 1 failed' &&
        says "anydnn verify .* --problem 'convolution_forward x=f32:1,6,12,12"
}
passes_suite() {
    file=$(build wrong WRONG_NONE) || return 1
    verify 0 --suites "$suites" --suite lenet --batch 2 "$file" && says '^9 cases: 9 passed' &&
        verify 0 --suites "$suites" --suite "$suites/lenet.suite" --op softmax_forward cpu_ref && says '^1 cases: 1 passed'
}
# The layers are longer than an argument of a program may be.
passes_large_suite() {
    awk 'BEGIN { for (i = 0; i < 3000; i++) print "layer" i ": activation_forward x=f32:1,2,4,4 activation=relu" }' \
        >"$tap_dir/large.suite"
    verify 0 --suite "$tap_dir/large.suite" --shard 7/1000 cpu_ref && says '^3 cases: 3 passed'
}
suites=$ANYDNN_TEST_SRCDIR/bench/suites

stops() {
    file=$(build wrong WRONG_IMPURE) || return 1
    verify 1 --stop "$file" && says 'Stopped early: a case failed' && says ', 1 failed'
}

answers_json() {
    verify 0 --json --quick --op im2col cpu_ref && says '"backend": "cpu_ref"' &&
        says '"operation": "im2col"' && says '"not_reached": 0'
}

# The `types` line of a golden vector has a role without a type.
refuses_types() {
    mkdir -p "$tap_dir/vectors"
    for word in y=f16,x =f16 x= x,y=f16; do
        printf 'case one\nproblem scale_tensor y=f64:2:nchw alpha=2\ntypes f64 %s\nprior y 1 2\nout y 2 4\nend\n' \
            "$word" >"$tap_dir/vectors/scale_tensor.vec"
        "$anydnn" verify --vectors "$tap_dir/vectors" --quick --op scale_tensor --type f64 cpu_ref \
            >"$tap_dir/out" 2>"$tap_dir/err"
        says "scale_tensor.vec:3: '$word' is neither a type nor a list ROLE=TYPE" || return 1
    done
}

check 'cpu_ref passes a third of the cases' passes_cpu_ref
check 'cpu_ref passes some of them' passes_quickly
check 'its own probes are not printed' prints_no_probes
check 'a right small backend passes' passes_right_backend
check 'so does one in another memory space' passes_device_backend
check 'and one with streams' passes_streams
check 'cpu_ref passes with emulate = on' passes_emulation
check 'a failure repeats from its problem alone' repeats
check 'and so does the anydnn run line' runs_again
check 'a suite shows a fault in the shape of one layer' finds_shape
check 'a right backend passes a suite' passes_suite
check 'a suite of many layers passes' passes_large_suite
check 'a batch size without a suite' verify 2 --batch 2 cpu_ref
check 'no such suite' verify 2 --suite nonesuch --suites "$suites" cpu_ref
check 'a suite and random problems' verify 2 --suite lenet --suites "$suites" --fuzz 3 cpu_ref
check 'shards add up' shards_add_up
check 'a time limit reports the cases that were not reached' cuts_short
check 'stops at the first failure' stops
check 'several processes at once show a fault that one does not' finds_company
check 'a case counts once for each of them' counts_processes
check 'no such number of processes' verify 2 --processes 0 cpu_ref
check 'answers as JSON' answers_json
check 'a backend that cannot be opened' verify 1 "$mocks/anydnn_newer.so"
check 'says why' says 'abi'
check 'no such backend' verify 2 no_such_backend
check 'no such file' verify 2 ./anydnn_none.so
check 'no such operation' verify 2 --op convolution_forwards cpu_ref
check 'names the nearest' says 'did you mean convolution_forward'
check 'no such type' verify 2 --type f33 cpu_ref
check 'names the types' says 'f33: must be one of f64 f32 f16 bf16 s8 u8 s32 s64 s8x4 u8x4 s8x32 u16 u32 u64$'
check 'no such shard' verify 2 --shard 3/2 cpu_ref
check 'no such vectors' verify 2 --vectors /nowhere cpu_ref
check 'no backend' verify 2
check 'types without a type' refuses_types
tap_end
