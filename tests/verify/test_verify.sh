#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# anydnn verify: passes cpu_ref and a right small backend; catches and names what wrong ones do.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
vectors=$ANYDNN_TEST_SRCDIR/tests/vectors
source=$ANYDNN_TEST_SRCDIR/tests/verify/wrong
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

# build FILE WHAT: the small backend of that file with -DWHAT as anydnn_what.so; prints the path.
build() {
    name=$(echo "$2" | tr '[:upper:]=' '[:lower:]_')
    # shellcheck disable=SC2086
    $CC -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -fvisibility=hidden \
        -I"$ANYDNN_TEST_SRCDIR/include" "-D$2" "-DWRONG_NAME=\"$name\"" "$source/$1.c" \
        -o "$tap_dir/anydnn_$name.so" -lm || return 1
    echo "$tap_dir/anydnn_$name.so"
}

# catches WHAT CHECK TEXT: verify fails the backend, the finding is of that check and says that.
catches() {
    file=$(build wrong "WRONG_$1") || return 1
    verify 1 "${how---small}" --case-limit "${limit-30}" --op 'convolution_forward' "$file" &&
        says "^  \[$2\]" && says "$3"
}

catches_in_long_sums() {
    (how=--quick && catches "$@")
}

# The others get the time of a busy machine.
catches_a_hang() {
    (limit=2 && catches HANGS hang 'it hangs: no end within 2 seconds')
}

# The sentence of a failed execute, which this backend takes from its settings, reaches the report also
# where a route names the backend, so that the library would open it as well.
tells_what_it_says() {
    build wrong WRONG_FAILS >"$tap_dir/path" || return 1
    printf '[plugin wrong_fails]\nset.complaint = its engine is out of order\n[route]\n* = wrong_fails, cpu_ref\n' \
        >"$tap_dir/fails.conf"
    ANYDNN_PLUGIN_PATH="$tap_dir:$ANYDNN_TEST_PLUGINDIR" verify 1 --config "$tap_dir/fails.conf" --quick \
        --op convolution_forward wrong_fails &&
        says '^  \[plan_execute\]' && says 'returned 9 (effect 0): its engine is out of order'
}

# What the short types can do wrong, in one operation and type.
catches_type() {
    file=$(build wrong_types "WRONG_$3") || return 1
    verify 1 --quick --op "$1" --type "$2" "$file" &&
        says "^  \[$4\] $1 $2 " && says "$5"
}

# Cases of one type fail, those of the other do not.
names_common_type() {
    file=$(build wrong_types WRONG_EXPONENT) || return 1
    verify 1 --op batch_normalization_inference "$file" &&
        says 'batch_normalization_inference: every case with .type f16. fails, and no other does'
}

# A role without a type in the `types` line of a golden vector.
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

passes_short_types() {
    file=$(build wrong_types RIGHT) || return 1
    verify 0 --quick "$file" && says ' 0 declined, 0 failed'
}

# judges_last_bits STATUS ULPS: the functions whose last bits a library has its own of may be one
# off, also of whole numbers; the sum before them may not hide many.
judges_last_bits() {
    file=$(build wrong_fused "ULPS=$2") || return 1
    for activation in sigmoid tanh 'elu coef=1.5' 'swish coef=6'; do
        for math in default tensor_op; do
            verify "$1" --problem "convolution_bias_activation_forward x=f32:2,3,4,5:nchw w=f32:4,3,1,1:nchw \
z=f32:2,4,4,5:nchw bias=f32:1,4,1,1:nchw y=f32:2,4,4,5:nchw activation=$activation alpha1=0.25 math=$math" "$file" ||
                return 1
            [ "$1" -eq 0 ] || says 'more than rounding explains' || return 1
        done
    done
}

# catches_place OPERATION WHAT TEXT: results on inputs, and inputs that are not read.
catches_place() {
    file=$(build wrong_places "WRONG_$2") || return 1
    verify 1 --op "$1" "$file" && says "$3"
}
passes_places() {
    file=$(build wrong_places RIGHT) || return 1
    verify 0 "$file" && says ' 0 failed'
}

# judges_underflow STATUS ULPS: swish as v times a sigmoid in float, whose factor is coarse where it is
# subnormal, as it is for arguments of some tens.
judges_underflow() {
    file=$(build wrong_fused "ULPS=$2") || return 1
    for seed in 1 2 3; do
        verify "$1" --seed "$seed" --problem "convolution_bias_activation_forward x=f32:4,16,9,9:nchw \
w=f32:32,16,1,1:nchw bias=f32:1,32,1,1:nchw y=f32:4,32,9,9:nchw activation=swish coef=6 without=z alpha1=0.25" "$file" ||
            return 1
    done
}

# Operands rounded to TF32: right where the candidate says so and the mode permits it, wrong where
# it states default math. The channels of real layers would take minutes by its plain loops.
passes_tf32() {
    file=$(build wrong RIGHT_TF32) || return 1
    verify 0 --quick --op convolution_forward "$file" && says 'convolution_forward  *f32  *nchw  *[1-9]'
}

# cpu_ref rounds operands as the modes permit, says so, and is judged by that.
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

# In a space whose pointers fault on the host.
passes_device_backend() {
    file=$(build wrong WRONG_DEVICE) || return 1
    verify 0 --small "$file" && says '(shelf)' && says ' 0 failed'
}

# With the golden vectors, each case with a known answer, and none declined; at least 6 cases of each
# operation and type, and 1000 in all.
passes_cpu_ref() {
    verify 0 cpu_ref && says ' 0 declined, 0 failed$' && says ' golden ' &&
        ! says 'Without golden vectors' >/dev/null && ! says 'without a known answer' >/dev/null
}
has_enough_cases() {
    awk '$1 ~ /_|im2col/ && $3 != "golden" && $2 ~ /^[a-z]+[0-9]+/ && NF == 6 { sum[$1 " " $2] += $4 }
         END { for (key in sum) { all += sum[key]; if (sum[key] < 6) { print key, sum[key]; bad = 1 } }
               if (all < 1000) { print all, "in all"; bad = 1 }
               exit bad }' "$tap_dir/out"
}
passes_quickly() {
    verify 0 --quick --op 'batch_*' cpu_ref && says ' 0 failed'
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
    file=$(build wrong WRONG_HANGS) || return 1
    verify 0 --time-limit 3 --op convolution_forward "$file"
    says 'Cut short: the time limit was reached; [1-9][0-9]* cases were not reached'
}

names_common_word() {
    file=$(build wrong WRONG_IGNORES_GROUPS) || return 1
    verify 1 --small --op convolution_forward "$file" &&
        says 'convolution_forward: every case with .groups. fails, and no other does'
}

# The command of a failure runs the backend on the same problem and sees the difference too.
repeats() {
    file=$(build wrong WRONG_IGNORES_GROUPS) || return 1
    verify 1 --small --op convolution_forward "$file" || return 1
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
    file=$(build wrong WRONG_IMPURE) || return 1
    verify 1 --stop "$file" && says 'Cut short: a case failed' && says ', 1 failed'
}

answers_json() {
    verify 0 --json --quick --op im2col cpu_ref && says '"backend": "cpu_ref"' &&
        says '"operation": "im2col"' && says '"not_reached": 0'
}

check 'cpu_ref passes' passes_cpu_ref
check 'at least 6 cases of each operation and type, 1000 in all' has_enough_cases
check 'cpu_ref passes some of them' passes_quickly
check 'a right small backend passes' passes_right_backend
check 'so does one in another memory space' passes_device_backend
check 'a right small backend in the short types passes' passes_short_types
check 'operands rounded to TF32 pass where that is stated' passes_tf32
check 'cpu_ref passes with emulate = on' passes_emulation
check 'sigmoid, tanh, elu and swish one unit off behind a convolution pass' judges_last_bits 0 1
check '16 units off they fail' judges_last_bits 1 16
check 'a right small backend passes in place' passes_places
check 'writes over y while it reads y' catches_place softmax_backward WRITES_EARLY \
    '^  \[result\] softmax_backward .*: in place of y$'
check 'reads what the mode does not read' catches_place activation_backward READS_UNREAD \
    '^  \[result\] activation_backward .*: relu,without x$'
check 'swish is as coarse as its sigmoid is' judges_underflow 0 0
check '16 units coarser it fails' judges_underflow 1 16
check 'ignores beta' catches IGNORES_BETA beta 'it ignores beta'
check 'reads y when beta is 0' catches READS_Y prior 'must not read (beta is 0)'
check 'ignores groups' catches IGNORES_GROUPS result ': groups'
check 'ignores groups: what failures have in common' names_common_word
check 'splits long sums, and adds up the parts in few bits' catches_in_long_sums SPLITS result 'long sums'
check 'writes a gap' catches WRITES_GAP gaps 'a gap between the elements of y'
check 'reads beyond an operand' catches READS_BEYOND crash 'it crashes: signal\|it ends the process'
check 'caches weights' catches CACHES_WEIGHTS stale 'the plan keeps data'
check 'claims determinism that it lacks' catches NONDETERMINISTIC determinism 'gave other bits in y'
check 'needs more workspace than it reports' catches NEEDS_MORE workspace 'had reported a need of'
check 'offers garbage' catches GARBAGE candidates 'its notes are none of plugin.h (0xffff0000)'
check 'answers otherwise each time' catches IMPURE candidates 'it answers otherwise'
check 'declines without a sentence' catches NO_SENTENCE candidates 'without a sentence'
check 'hangs' catches_a_hang
check 'crashes' catches CRASHES crash 'it crashes: signal\|it ends the process'
check 'shares memory between contexts' catches SHARES_SCRATCH threads 'contexts at once'
check 'fails without effect after writing' catches EFFECT effect 'with effect none'
check 'fails, and says why' tells_what_it_says
check 'exports a third symbol' catches EXPORTS exports 'wrong_extra_symbol'
check 'rounds operands and states default math' catches TF32 math 'rounding of the operands to TF32'
check 'truncates to half' catches_type scale_tensor f16 TRUNCATES rounding 'results are truncated'
check 'truncates to int8' catches_type convolution_forward s8 TRUNCATES rounding 'results are truncated'
check 'rounds ties of half away from zero' catches_type scale_tensor f16 TIES_AWAY rounding 'ties are rounded away'
check 'rounds ties of bfloat16 away from zero' catches_type convolution_forward bf16 TIES_AWAY rounding 'ties are rounded away'
check 'rounds ties of uint8 away from zero' catches_type scale_tensor u8 TIES_AWAY rounding 'ties are rounded away'
check 'half overflows to its largest number' catches_type scale_tensor f16 HALF_MAX overflow 'it must become infinity'
check 'flushes subnormal numbers of half' catches_type scale_tensor f16 FLUSHES subnormal 'subnormal results become 0'
check 'int8 wraps' catches_type convolution_forward s8 WRAPS saturation 'they must saturate'
check 'int32 wraps' catches_type scale_tensor s32 WRAPS saturation 'they must saturate'
check 'takes uint8 for int8' catches_type scale_tensor u8 SIGNED result 'the only right value'
check 'takes vectors for plain channels' catches_type convolution_forward s8x4 PLAIN_CHANNELS result 'vectors'
check 'sums up in half' catches_type convolution_forward f16 SHORT_SUMS precision 'sums in 16 bits'
check '32-bit sums stop at the end of their range' catches_type convolution_forward s8 SUMS_STOP result ': sums wrap'
check 'reads half in pairs' catches_type transform_tensor f16 READS_PAIRS crash 'it crashes: signal\|it ends the process'
check 'half alone is wrong: what failures have in common' names_common_type
check 'reads float parameters as half' catches_type batch_normalization_inference f16 PARAMETER_TYPE result ': spatial'
for kind in LOAD:opening.it CONTEXT:context_create ASK:candidates PLAN:plan_create RUN:plan_execute END:plan_destroy; do
    check "rounds upward from then on: ${kind%%:*}" catches "FLOAT_${kind%%:*}" environment "${kind#*:}.*floating-point environment"
done
for kind in ALLOC:256.bytes OWNER:pointer_owner WITHIN:within.the.device SET:memory_set LATE:still.reads RECORDS:while.it.is.recorded; do
    check "the space is wrong: ${kind%%:*}" catches "SPACE_${kind%%:*}" space "${kind#*:}"
done
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
check 'types without a type' refuses_types
tap_end
