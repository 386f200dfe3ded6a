#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# anydnn verify: passes cpu_ref and a right small backend; catches and names what wrong ones do.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
vectors=$ANYDNN_TEST_SRCDIR/tests/vectors
source=$ANYDNN_TEST_SRCDIR/tests/verify/wrong/wrong.c
mocks=$ANYDNN_TEST_MOCKDIR
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH

# verify STATUS ARGUMENT...: exits so; output in $tap_dir/out and err.
verify() {
    status=$1
    shift
    "$anydnn" verify --vectors "$vectors" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] && return 0
    echo "status $found, not $status: anydnn verify $*"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}

says() {
    grep -q -e "$1" "$tap_dir/out" "$tap_dir/err" && return 0
    echo "it does not say: $1"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}

# build WHAT: the small backend with -DWRONG_WHAT as anydnn_wrong_what.so; prints the path.
build() {
    name=wrong_$(echo "$1" | tr '[:upper:]' '[:lower:]')
    # shellcheck disable=SC2086
    $CC -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -fvisibility=hidden \
        -I"$ANYDNN_TEST_SRCDIR/include" "-DWRONG_$1" "-DWRONG_NAME=\"$name\"" "$source" \
        -o "$tap_dir/anydnn_$name.so" -lm || return 1
    echo "$tap_dir/anydnn_$name.so"
}

# catches WHAT CHECK TEXT: verify fails the backend, the finding is of that check and says that.
catches() {
    file=$(build "$1") || return 1
    verify 1 --quick --case-limit 2 --op 'convolution_forward' "$file" &&
        says "^  \[$2\]" && says "$3"
}

passes_right_backend() {
    file=$(build NONE) || return 1
    verify 0 "$file" && says ' 0 failed' && says 'parameter: this backend has sigmoid, relu and tanh'
}

# In a space whose pointers fault on the host.
passes_device_backend() {
    file=$(build DEVICE) || return 1
    verify 0 "$file" && says '(shelf)' && says ' 0 failed'
}

passes_cpu_ref() {
    verify 0 --quick cpu_ref && says ' 0 failed' && ! says 'Without golden vectors' >/dev/null &&
        ! says 'without a known answer' >/dev/null
}

# At least 6 cases of each operation and type.
has_enough_cases() {
    verify 0 cpu_ref || return 1
    awk '$1 ~ /_|im2col/ && $3 != "golden" && $2 ~ /^[a-z]+[0-9]+$/ && NF == 6 {
             sum[$1 " " $2] += $4 }
         END { for (key in sum) { all += sum[key]; if (sum[key] < 6) { print key, sum[key]; bad = 1 } }
               if (all < 1000) { print all, "in all"; bad = 1 }
               exit bad }' "$tap_dir/out"
}

# The parts of two shards are the whole.
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

# Hangs in its first case of two groups on; two seconds in all.
cuts_short() {
    file=$(build HANGS) || return 1
    verify 0 --time-limit 3 --op convolution_forward "$file"
    says 'Cut short: the time limit was reached; [1-9][0-9]* cases were not reached'
}

names_common_word() {
    file=$(build IGNORES_GROUPS) || return 1
    verify 1 --op convolution_forward "$file" &&
        says 'convolution_forward: every case with .groups. fails, and no other does'
}

# The command of a failure runs the backend on the same problem and sees the difference too.
repeats() {
    file=$(build IGNORES_GROUPS) || return 1
    verify 1 --quick --op convolution_forward "$file" || return 1
    problem=$(sed -n "s/.*--problem '\(.*\)'$/\1/p" "$tap_dir/out" | head -n 1)
    verify 1 --problem "$problem" "$file" && says "wrong_ignores_groups anydnn run --check cpu_ref $problem"
}
runs_again() {
    folder=$tap_dir
    # shellcheck disable=SC2086
    ANYDNN_PLUGIN_PATH=$folder:$ANYDNN_TEST_PLUGINDIR ANYDNN_ROUTE=wrong_ignores_groups \
        "$anydnn" run --check cpu_ref $problem
    [ $? -eq 1 ]
}

stops() {
    file=$(build IMPURE) || return 1
    verify 1 --stop "$file" && says 'Cut short: a case failed' && says ', 1 failed'
}

answers_json() {
    verify 0 --json --quick --op im2col cpu_ref && says '"backend": "cpu_ref"' &&
        says '"operation": "im2col"' && says '"not_reached": 0'
}

check 'cpu_ref passes' passes_cpu_ref
check 'at least 6 cases of each operation and type, 1000 in all' has_enough_cases
check 'a right small backend passes' passes_right_backend
check 'so does one in another memory space' passes_device_backend
check 'ignores beta' catches IGNORES_BETA beta 'it ignores beta'
check 'reads y when beta is 0' catches READS_Y prior 'must not read (beta is 0)'
check 'ignores groups' catches IGNORES_GROUPS result ': groups'
check 'ignores groups: what failures have in common' names_common_word
check 'writes a gap' catches WRITES_GAP gaps 'a gap between the elements of y'
check 'reads beyond an operand' catches READS_BEYOND crash 'it crashes: signal\|it ends the process'
check 'caches weights' catches CACHES_WEIGHTS stale 'the plan keeps data'
check 'claims determinism that it lacks' catches NONDETERMINISTIC determinism 'gave other bits in y'
check 'needs more workspace than it reports' catches NEEDS_MORE workspace 'had reported a need of'
check 'offers garbage' catches GARBAGE candidates 'notes are 0xffff0000'
check 'answers otherwise each time' catches IMPURE candidates 'it answers otherwise'
check 'declines without a sentence' catches NO_SENTENCE candidates 'without a sentence'
check 'hangs' catches HANGS hang 'it hangs: no end within 2 seconds'
check 'crashes' catches CRASHES crash 'it crashes: signal\|it ends the process'
check 'shares memory between contexts' catches SHARES_SCRATCH threads 'contexts at once'
check 'fails without effect after writing' catches EFFECT effect 'with effect none'
check 'exports a third symbol' catches EXPORTS exports 'wrong_extra_symbol'
if [ "${ANYDNN_TEST_SANITIZER-no}" = thread ]; then
    skip 'crashes after fork' 'ThreadSanitizer allows no threads after fork'
else
    check 'crashes after fork' catches FORKS fork 'crashes in a child after fork'
fi
check 'a failure repeats from its problem alone' repeats
check 'and so does the anydnn run line' runs_again
check 'shards add up' shards_add_up
check 'a time limit says what was not reached' cuts_short
check 'stops at the first failure' stops
check 'answers as JSON' answers_json
check 'a backend that cannot be opened' verify 1 "$mocks/anydnn_newer.so"
check 'says why' says 'abi'
check 'no such backend' verify 2 no_such_backend
check 'no such file' verify 2 ./anydnn_none.so
check 'no such operation' verify 2 --op convolution_forwards cpu_ref
check 'names the nearest' says 'did you mean convolution_forward'
check 'no such type' verify 2 --type f33 cpu_ref
check 'no such shard' verify 2 --shard 3/2 cpu_ref
check 'no such vectors' verify 2 --vectors /nowhere cpu_ref
check 'no backend' verify 2
tap_end
