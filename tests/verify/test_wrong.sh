#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that anydnn verify detects and names the faults of small backends.
# Needs: tools/anydnn tests/verify/wrong/anydnn_wrong.la tests/verify/wrong/anydnn_wrong_exports.la mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/verify/verify.sh"

# catches WHAT CHECK TEXT: checks that verify rejects the backend with a finding of that check and that text.
catches() {
    file=$(build "${base-wrong}" "WRONG_$1") || return 1
    verify 1 "${how---small}" --case-limit "${limit-30}" --op "${operation-convolution_forward}" "$file" &&
        says "^  \[$2\]" && says "$3"
}

catches_in_long_sums() {
    (how=--quick && catches "$@")
}

catches_in_activation() {
    (operation=activation_forward && catches "$@")
}

# The case of a problem that the list has with subnormal numbers runs on those, too.
repeats_subnormals() {
    file=$(build wrong WRONG_FLUSHES) || return 1
    verify 1 --problem 'convolution_forward x=f32:1,2,5,5 w=f32:3,2,3,3' "$file" && says ': given,subnormals$' && says ', 1 failed$'
}

# The same backend passes if it states that it flushes them.
permits_noted_flushes() {
    file=$(build wrong WRONG_FLUSHES_NOTED) || return 1
    verify 0 --small --op convolution_forward "$file" && says ' 0 failed$'
}

# The other cases get a limit that suffices on a busy machine.
catches_a_hang() {
    (limit=2 && catches HANGS hang 'it hangs: it did not finish within 2 seconds')
}

# The limit of a case ends a hang of a forked child, which is reported as such. No process is left behind.
catches_a_hang_after_fork() {
    (limit=3 && catches FORK_HANGS fork 'hangs in a child after fork(), in convolution_forward x=.*: it did not finish within 3 seconds') &&
        says '^  \[fork\] convolution_forward .*: rules$' && ! grep -ls '[w]rong_fork_hangs' /proc/[0-9]*/cmdline
}

# The backend passes, and the report has a warning.
warns_of_algorithm() {
    file=$(build wrong WRONG_ONE_ALGORITHM) || return 1
    verify 0 --small --op convolution_forward "$file" && says ' 0 failed$' &&
        says 'forward convolutions under algorithm number 1 (implicit_precomp_gemm) alone' || return 1
    file=$(build wrong WRONG_NONE) || return 1
    verify 0 --small --op convolution_forward "$file" && says 'forward convolutions under no algorithm number' || return 1
    verify 0 --small --op convolution_forward cpu_ref && ! says 'Warnings'
}

# runs STATUS FAULT OPTION...: runs a small problem on a backend alone.
runs() {
    status=$1
    file=$(build wrong "WRONG_$2") || return 1
    shift 2
    ANYDNN_PLUGIN_PATH="$tap_dir:$ANYDNN_TEST_PLUGINDIR" ANYDNN_ROUTE="$(basename "$file" .so | sed 's/^anydnn_//'), fallback:off" \
        "$anydnn" run "$@" 'convolution_forward x=f32:1,2,5,5 w=f32:3,2,3,3' >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] || { echo "status $found, not $status"; cat "$tap_dir/err"; return 1; }
}

# Operands at multiples of 256 bytes do not end at a page's end; the options place them at its edges.
runs_at_edges() {
    runs 0 NONE --edge start && runs 0 NONE --edge end && runs 0 NONE &&
        runs 1 READS_BEYOND --edge end && grep 'the backend breaks its contract: it [a-z]* 1 byte behind operand w' "$tap_dir/err" &&
        runs 1 READS_BEFORE --edge start && grep 'it [a-z]* 4 bytes before operand x' "$tap_dir/err" &&
        runs 2 NONE --edge middle
}

catches_an_export() {
    (base=wrong_exports && catches EXPORTS exports 'wrong_extra_symbol')
}

# This backend takes the sentence of a failed execute from its settings. The sentence must reach the report even if a
# route names the backend, so that the library would open it as well.
tells_what_it_says() {
    build wrong WRONG_FAILS >"$tap_dir/path" || return 1
    printf '[plugin wrong_fails]\nset.complaint = its engine is out of order\n[route]\n* = wrong_fails, cpu_ref\n' \
        >"$tap_dir/fails.conf"
    ANYDNN_PLUGIN_PATH="$tap_dir:$ANYDNN_TEST_PLUGINDIR" verify 1 --config "$tap_dir/fails.conf" --quick \
        --op convolution_forward wrong_fails &&
        says '^  \[plan_execute\]' && says 'returned 9 (effect 0): its engine is out of order'
}

names_common_word() {
    file=$(build wrong WRONG_IGNORES_GROUPS) || return 1
    verify 1 --small --op convolution_forward "$file" &&
        says 'convolution_forward: every case with .groups. fails, and no other case does'
}

check 'ignores beta' catches IGNORES_BETA beta 'it ignores beta'
check 'reads y when beta is 0' catches READS_Y prior 'must not read (beta is 0)'
check 'ignores groups' catches IGNORES_GROUPS result ': groups'
check 'ignores groups: what failures have in common' names_common_word
check 'splits long sums, and adds the parts in few bits' catches_in_long_sums SPLITS result 'long sums'
check 'writes a gap' catches WRITES_GAP gaps 'a gap between the elements of y'
check 'reads behind an operand' catches READS_BEYOND bounds 'it [a-z]* 1 byte behind operand w'
check 'reads before an operand' catches READS_BEFORE bounds 'it [a-z]* 4 bytes before operand x'
check 'anydnn run shows both' runs_at_edges
check 'caches weights' catches CACHES_WEIGHTS stale 'the plan keeps data'
check 'flushes subnormals' catches FLUSHES subnormal 'it flushes subnormals'
check 'flushes subnormals in its threads' catches_in_activation POOL_FLUSHES subnormal 'it flushes subnormals'
check 'permits flushed subnormals that are stated' permits_noted_flushes
check 'a problem alone shows flushed subnormals' repeats_subnormals
check 'keeps pointers to the problem' catches KEEPS_PROBLEM result 'elements are wrong'
check 'claims determinism that it lacks' catches NONDETERMINISTIC determinism 'gave different bits in y'
check 'claims batch invariance that it lacks' catches BATCH batch 'got other bits in y in a batch of'
check 'needs more workspace than it reports' catches NEEDS_MORE workspace 'had reported a need of'
check 'offers garbage' catches GARBAGE candidates 'its notes are not defined in plugin.h (0xffff0000)'
check 'offers a different engine each time' catches IMPURE candidates 'it answers differently'
check 'declines without a sentence' catches NO_SENTENCE candidates 'but without a message'
check 'hangs' catches_a_hang
check 'offers forward convolutions under one algorithm number' warns_of_algorithm
check 'crashes' catches CRASHES crash 'it crashes: signal\|it ends the process'
check 'shares memory between contexts' catches SHARES_SCRATCH threads 'contexts at once.*hints at a race'
check 'gives other bits while other threads run' catches VARIES threads 'contexts at once.*different bits in y, which hints at a race'
check 'leaks memory of plans' catches LEAKS leak 'its plans leak: each plan .* left [0-9]* bytes of memory behind'
check 'leaks memory of its space' catches DEVICE_LEAKS leak 'its plans leak'
check 'ignores the stream' catches IGNORES_STREAM stream 'ignores the stream: it does not wait for work that was enqueued there before it'
check 'uses a stream that nothing waits for' catches OWN_STREAM stream 'work that is enqueued there after it does not wait'
check 'runs while the stream is recorded' catches RUNS_RECORDED recording 'runs while the stream is only recorded'
check 'is wrong in one of several runs' catches RACES race 'hints at a race'
check 'fails without effect after writing' catches EFFECT effect 'with effect none'
check 'fails, and says why' tells_what_it_says
check 'exports a third symbol' catches_an_export
check 'rounds operands and states default math' catches TF32 math 'operands rounded to TF32'
for kind in LOAD:opening.it CONTEXT:context_create ASK:candidates PLAN:plan_create RUN:plan_execute END:plan_destroy; do
    check "rounds upward from then on: ${kind%%:*}" catches "FLOAT_${kind%%:*}" environment "${kind#*:}.*floating-point environment"
done
for kind in ALLOC:256.bytes OWNER:pointer_owner WITHIN:within.the.device SET:memory_set LATE:still.reads RECORDS:while.it.is.recorded \
    IDENTITY:device_identity STREAM:stream_create QUEUE:the.same.stream.twice MARKS:mark_elapsed.returns.0.microseconds COUNT:count_special.of.f32.adds; do
    check "the space is wrong: ${kind%%:*}" catches "SPACE_${kind%%:*}" space "${kind#*:}"
done
if [ "${ANYDNN_TEST_SANITIZER-no}" = thread ]; then
    skip 'hangs or crashes after fork' 'ThreadSanitizer allows no threads after fork'
else
    check 'hangs after fork' catches_a_hang_after_fork
    check 'crashes after fork' catches FORKS fork 'crashes in a child after fork'
fi
tap_end
