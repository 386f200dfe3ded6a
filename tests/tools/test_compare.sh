#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks anydnn compare: right numbers, a planted fault found and named, declined problems, files, messages.
# Needs: tools/anydnn tests/tools/anydnn_faulty.la tests/tools/anydnn_trespass.la mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
built=$ANYDNN_TEST_BUILDDIR/tests/tools/.libs
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
mocks=$ANYDNN_TEST_MOCKDIR
suites=$ANYDNN_TEST_SRCDIR/bench/suites
suite=$tap_dir/layers.suite
conv="convolution_forward x=f32:2,64,14,14 w=f32:64,64,3,3 pad=1,1"
all="$tap_dir/all.suite"

printf '%s\n' 'one: convolution_forward x=f32:2,16,14,14 w=f32:32,16,1,1' "three: $conv" \
    'pool: pooling_forward x=f32:2,16,14,14 y=f32:2,16,7,7 window=2,2 stride=2,2' >"$suite"
cp "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" "$tap_dir/copy.so"

# compare STATUS ARGUMENT...: succeeds if the exit status is STATUS; output in $tap_dir/out and err.
compare() {
    status=$1
    shift
    "$anydnn" compare "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] && return 0
    echo "status $found, not $status: anydnn compare $*"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}

# refuses PATTERN ARGUMENT...: succeeds if the usage is refused with one message that matches the pattern.
refuses() {
    pattern=$1
    shift
    compare 2 "$@" && [ "$(wc -l <"$tap_dir/err")" -eq 1 ] && says "^anydnn: .*$pattern"
}

# json STATUS EXPRESSION ARGUMENT...: succeeds if the exit status is STATUS and the Python expression is true
# for the answer `a`.
json() {
    status=$1 expression=$2
    shift 2
    compare "$status" --json "$@" || return 1
    python3 -c 'import json, math, sys
a = json.load(open(sys.argv[1]))
e = [o["errors"] for l in a["layers"] for o in l.get("outputs", [])]
s = a["summary"]
sys.exit(0 if eval(sys.argv[2]) else 1)' "$tap_dir/out" "$expression" && return 0
    echo "not so: $expression"
    head -n 60 "$tap_dir/out"
    return 1
}

# fault WHAT: writes settings of a copy of cpu_ref with that fault for filters with three rows.
fault() {
    printf '[plugin faulty]\nmodule = %s\nset.copy = %s\nset.fault = %s\nset.rows = 3\n' \
        "$built/anydnn_faulty.so" "$tap_dir/copy.so" "$1" >"$tap_dir/faulty.conf"
}
pair="--config $tap_dir/faulty.conf cpu_ref:default faulty:default"

# ---- equal backends

equal() {
    fault none
    # shellcheck disable=SC2086
    compare 0 $pair "$suite" && says 'A and B  *bitwise equal' && says 'A and B: 3 outputs bitwise equal, 0 not'
}

# Each operation and type is within the bound, and equal to itself.
all_operations() {
    python3 -c 'import sys
text = open(sys.argv[1]).read().split("def run_all")[0]
sys.argv = ["", "", "", ""]
exec(text)
for problem, kinds in OPERATIONS:
    for kind in kinds:
        print(typed(problem, kind))' "$ANYDNN_TEST_SRCDIR/tests/tools/run_types.py" >"$all"
    lines=$(wc -l <"$all")
    json 0 "len(a['layers']) == $lines and s['compared'] == $lines and s['broken'] == 0 and s['unequal'] == 0 \
        and all(l['outputs'] for l in a['layers'])" --repeat 1 --inputs "$1" cpu_ref cpu_ref "$all"
}

# ---- numbers

# Sums in double are rounded once to the 24, 11 and 8 bits of the type, by at most half a unit. The error
# scales with the unit, so three bits are a factor of 8. Errors without a direction add up to the root of
# their number.
rounding() {
    for type in f32 f16 bf16; do
        json 0 "e[0][0]['ulp_max'] <= 0.5 and 0.24 < e[0][0]['ulp_mean'] < 0.26 and \
            0.48 < e[0][0]['ulp_p99'] <= 0.5 and e[0][0]['bound']['ratio'] <= 1 and \
            max(abs(e[0][0]['bias']), abs(e[0][0]['outward'])) < 8 * e[0][0]['relative_l2'] / math.sqrt(25088) and \
            s['broken'] == 0" --type $type cpu_ref cpu_ref "$conv" || return 1
        cp "$tap_dir/out" "$tap_dir/$type.json"
    done
    python3 -c 'import json, sys
f32, f16, bf16 = (json.load(open(f"{sys.argv[1]}/{t}.json"))["layers"][0]["outputs"][0]["errors"][0]["relative_l2"]
                  for t in ("f32", "f16", "bf16"))
print(f32, f16, bf16)
sys.exit(0 if f32 < 2e-6 and abs(bf16 / f16 / 8 - 1) < 0.02 and abs(f16 / f32 / 8192 - 1) < 0.02 else 1)' "$tap_dir"
}

# Both operands are rounded to the 11 bits of TF32: 2.9e-4 of the norm, without a bias. The bound includes
# this rounding, and the note reports it.
tf32() {
    printf '[plugin cpu_ref]\nset.emulate = on\n' >"$tap_dir/emulate.conf"
    json 0 "2.8e-4 < e[0][1]['relative_l2'] < 3.0e-4 and abs(e[0][1]['outward']) < 2e-5 and \
        0.1 < e[0][1]['bound']['ratio'] < 1 and e[0][0]['relative_l2'] < 1e-7 and \
        'reduced_precision' in a['layers'][0]['pairs'][1]['record']['notes']" \
        --config "$tap_dir/emulate.conf" cpu_ref:default cpu_ref:allow_conversion "$conv"
}

# The last 12 of 24 bits are cleared: 0 to 4095 units too small, uniformly distributed, towards 0.
truncation() {
    fault truncate
    # shellcheck disable=SC2086
    json 1 "abs(e[0][1]['ulp_mean'] / 2047.5 - 1) < 0.02 and 4050 < e[0][1]['ulp_p99'] <= e[0][1]['ulp_max'] < 4096 \
        and e[0][1]['outward'] < -1e-4 and abs(e[0][1]['bias']) < 1e-5 and not e[0][1]['bound']['holds']" $pair "$conv"
}

# A flipped last bit of one element is detected only where results must be exact.
last_bit() {
    fault bit
    # shellcheck disable=SC2086
    json 0 "a['layers'][0]['outputs'][0]['difference']['differing'] == 1 and \
        abs(a['layers'][0]['outputs'][0]['difference']['max_ulp'] - 1) < 1e-9 and s['unequal'] == 1" $pair "$conv" &&
        json 1 "e[0][1]['bound'] == {'kind': 'exact', 'holds': False, 'ratio': 'inf', 'limit': 0.0, 'wrong': 1, \
            'at': '0,0,0,0', 'got': e[0][1]['bound']['got'], 'want': round(e[0][1]['bound']['got'])} and \
            e[0][0]['max_abs'] == 0 and e[0][1]['ulp_max'] == 1" --inputs integers $pair "$conv"
}

# Saturated integers and overflowed halves are not errors.
saturates() {
    json 0 "e[0][0]['max_abs'] == 0 and e[0][0]['bound']['ratio'] == 0" cpu_ref cpu_ref \
        scale_tensor y=s8:4,5,6,7 alpha=100 &&
        json 0 "e[0][0]['not_finite'] > 0 and e[0][0]['mismatches'] == 0 and e[0][0]['bound']['holds']" cpu_ref cpu_ref \
            scale_tensor y=f16:4,5,6,7 alpha=60000
}

# The root of the sum of 10000 squares, and the mean: of N(0,1), and of [-1, 1), whose variance is 1/3. The
# standard deviation of such a root is 0.7 percent; only one in a million is off by more than 3.5 percent.
moments() {
    for kind in normal uniform; do
        size=$([ $kind = normal ] && echo 100 || echo 57.735)
        json 0 "abs(e[0][0]['bound']['want'] / $size - 1) < 0.035" --inputs $kind cpu_ref cpu_ref \
            reduce_tensor a=f32:1,100,100 c=f32:1,1,1 op=norm2 &&
            json 0 "abs(e[0][0]['bound']['want']) < 0.05" --inputs $kind cpu_ref cpu_ref \
                reduce_tensor a=f32:1,100,100 c=f32:1,1,1 op=avg || return 1
    done
}
# 10000 subnormal numbers of float are uniformly distributed below 2^-126. The norm of wide numbers is that
# of the largest. The special numbers include NaN.
kinds() {
    json 0 "abs(e[0][0]['bound']['want'] / (10000 * 2**-127) - 1) < 0.035" --inputs subnormals cpu_ref cpu_ref \
        reduce_tensor a=f32:1,100,100 c=f32:1,1,1 op=norm1 &&
        json 0 "2**28 < e[0][0]['bound']['want'] < 2**40" --inputs wide cpu_ref cpu_ref \
            reduce_tensor a=f32:1,100,100 c=f32:1,1,1 op=norm2 &&
        json 0 "e[0][0]['not_finite'] > 0 and e[0][0]['mismatches'] == 0" --inputs specials cpu_ref cpu_ref \
            scale_tensor y=f32:1,1,10,10 alpha=2
}
# Files are named after the operands: six times the float next to 0.1.
from_files() {
    mkdir "$tap_dir/arrays" && python3 - "$tap_dir/arrays" <<'END' && json 0 "abs(e[0][0]['bound']['want'] - 0.6) < 1e-7" --inputs "npy:$tap_dir/arrays" \
        cpu_ref cpu_ref reduce_tensor a=f32:1,2,3 c=f32:1,1,1 op=add
import struct, sys
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }"
header += ' ' * (117 - len(header)) + '\n'
with open(sys.argv[1] + '/a.npy', 'wb') as file:
    file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + struct.pack('<6f', *[0.1] * 6))
END
}
misses_a_file() {
    compare 1 --inputs "npy:$tap_dir" cpu_ref cpu_ref scale_tensor y=f32:1,1,1,4 alpha=2 &&
        says '/0.npy: No such file or directory'
}
# The message comes once, not for each layer.
misses_a_folder() {
    refuses '--inputs=npy:.*/none: No such file or directory' --inputs "npy:$tap_dir/none" cpu_ref cpu_ref "$suite" &&
        refuses '--inputs=npy:.*: Not a directory' --inputs "npy:$suite" cpu_ref cpu_ref "$suite"
}
# Long sums of whole numbers must stay below the largest half.
long_sums() {
    json 0 "e[0][0]['not_finite'] == 0 and e[0][0]['bound']['kind'] == 'exact' and e[0][0]['max_abs'] > 0" \
        --inputs integers cpu_ref cpu_ref convolution_forward x=f16:1,2048,7,7 w=f16:32,2048,3,3 pad=1,1
}

seeds() {
    strip='import json, sys
a = json.load(open(sys.argv[1]))
print([o["errors"] for l in a["layers"] for o in l["outputs"]])'
    for seed in 7 7 8; do
        compare 0 --json --seed $seed cpu_ref cpu_ref "$suite" || return 1
        python3 -c "$strip" "$tap_dir/out" >>"$tap_dir/seeds"
    done
    sort "$tap_dir/seeds" | uniq -c | awk '{ print $1 }' | sort | tr '\n' ' ' | grep -x '1 2 '
}

# ---- samples

# All but one of the values are summed separately. cpu_ref rounds exact sums once, so a limit of half a unit
# detects any missing or misplaced product. Whole numbers and their sums are exact.
sampled() {
    while read -r x w y words; do
        for layout in nchw nhwc; do
            of_x=f32:$x:$layout of_w=f32:$w:$layout of_y=f32:$y:$layout
            echo "convolution_forward x=$of_x w=$of_w y=$of_y $words"
            echo "convolution_backward_data w=$of_w dy=$of_y dx=$of_x $words"
            echo "convolution_backward_filter x=$of_x dy=$of_y dw=$of_w $words"
        done
    done >"$tap_dir/sampled.suite" <<'END'
2,6,7,8 4,3,3,2 2,4,4,7 pad=1,0 stride=2,1 groups=2
2,4,5,6,7 6,2,2,3,2 2,6,3,6,7 pad=1,2,1 stride=2,1,1 dilation=2,2,2 groups=2 mode=convolution
END
    json 0 "len(a['layers']) == 12 and all(x['ulp_max'] <= 0.5 and 0.05 < x['ulp_mean'] < 0.35 for o in e for x in o) and \
        all(o['sampled'] == 71 and o['sampled'] < o['count'] for l in a['layers'] for o in l['outputs'])" \
        --sample 71 cpu_ref cpu_ref "$tap_dir/sampled.suite" &&
        json 0 "all(x['bound']['kind'] == 'exact' and x['max_abs'] == 0 for o in e for x in o)" --inputs integers \
            --sample 71 cpu_ref cpu_ref "$tap_dir/sampled.suite"
}
# A sample reports the same for an element as the whole comparison, and a whole comparison is not a sample.
sample_of_whole() {
    json 0 "True" cpu_ref cpu_ref "$conv" --sample 25087 || return 1
    cp "$tap_dir/out" "$tap_dir/sample.json"
    json 0 "'sampled' not in a['layers'][0]['outputs'][0]" cpu_ref cpu_ref "$conv" --sample 25088 || return 1
    python3 -c 'import json, sys
one, other = (json.load(open(f))["layers"][0]["outputs"][0]["errors"][0] for f in sys.argv[1:])
assert all(one["bound"][k] == other["bound"][k] for k in ("at", "got", "kind", "wrong")), (one["bound"], other["bound"])
assert all(abs(one["bound"][k] / other["bound"][k] - 1) < 1e-12 for k in ("want", "limit"))
assert abs(one["relative_l2"] / other["relative_l2"] - 1) < 1e-3
assert sum(p[1] for p in one["ulps"]["powers"]) + one["ulps"]["zeros"] == 25087' "$tap_dir/sample.json" "$tap_dir/out"
}
# The rule is 1 - 0.05^(1/n). The same seed draws the same elements, another seed others; the printed line
# repeats the comparison.
says_sample() {
    fault truncate
    # shellcheck disable=SC2086
    compare 1 --sample 50 --csv "$tap_dir/sample.csv" $pair "$conv" && says 'y (f32, 50 of 25088 values)' &&
        says 'a sample: with 95 % confidence, at most 5.8 % of all values' && says ' of 50 values of y are wrong; ' &&
        says 'again: .* --seed 1 --sample 50 ' && [ "$(cut -d, -f 29 "$tap_dir/sample.csv" | sed -n 2p)" = 50 ] || return 1
    cp "$tap_dir/out" "$tap_dir/first"
    # shellcheck disable=SC2086
    compare 1 --sample 50 $pair "$conv" && [ "$(grep 'are wrong' "$tap_dir/first")" = "$(grep 'are wrong' "$tap_dir/out")" ]
}

# ---- growth

# The error of operands rounded to TF32 does not depend on the length; nor does that of exact sums rounded
# once.
grows() {
    printf '%s\n' 'a: convolution_forward x=f32:2,16,8,8 w=f32:8,16,1,1' \
        'b: convolution_forward x=f32:2,256,8,8 w=f32:8,256,1,1' \
        'c: convolution_forward x=f32:2,256,8,8 w=f32:8,256,4,4' >"$tap_dir/growing.suite"
    printf '[plugin cpu_ref]\nset.emulate = on\n' >"$tap_dir/emulate.conf"
    json 0 "all(abs(p) < 0.03 for p in s['growth']['powers']) and [t['from'] for t in s['growth']['steps']] == [16, 256, 4096] \
        and all(abs(t['pairs'][1]['relative_l2'] / t['pairs'][1]['expected'] - 1) < 0.1 for t in s['growth']['steps']) and \
        [x[0]['terms'] for x in e] == [16, 256, 4096] and all(abs(x[0]['expected'] / ((2**-24 * 0.42)**2 + \
            (0.3 * 2**-24)**2 * x[0]['terms'])**0.5 - 1) < 1e-6 for x in e)" \
        --config "$tap_dir/emulate.conf" cpu_ref cpu_ref:allow_conversion "$tap_dir/growing.suite" &&
        compare 0 --config "$tap_dir/emulate.conf" cpu_ref cpu_ref:allow_conversion "$tap_dir/growing.suite" &&
        says '^ *16 to *63 *1 ' && says '^  B grows as terms^-*0.0[0-2]; a random walk has 0.5'
}

# ---- the planted fault

names_layer() {
    fault product
    # shellcheck disable=SC2086
    compare 1 $pair "$suite" && says '^anydnn: 1 outputs are beyond their bound; three: faulty:default: 2 of 25088 values of y are wrong; \[' &&
        says '^ *1\.[0-9]*e-04 .*BROKEN  faulty:default three y'
}
# The command that the report prints finds the same fault.
repeats() {
    again=$(sed -n 's/^  again: anydnn //p' "$tap_dir/out")
    [ -n "$again" ] || return 1
    eval "'$anydnn' $again" >"$tap_dir/again" 2>&1
    [ $? -eq 1 ] && grep 'faulty:default: 2 of 25088 values of y are wrong' "$tap_dir/again"
}

# ---- sides that do not run

declines() {
    fault declines
    # shellcheck disable=SC2086
    compare 0 --csv "$tap_dir/a.csv" $pair "$suite" && says 'faulty:default declined: filters of this height are not liked' &&
        says '^2 of 3 problems ran on both sides'
}
# Each side of each output has a row, as does a side without output; all rows have the same number of fields.
csv_rows() {
    python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1]), strict=True))
print(rows)
assert len(rows) == 6 and all(None not in r and None not in r.values() for r in rows)
assert [r["outcome"] for r in rows].count("declined") == 1
for r in rows:
    assert (r["side"], r["pair"]) in (("A", "cpu_ref:default"), ("B", "faulty:default"))
    assert "_forward x=f32:2," in r["problem"] and r["suite"] == "layers.suite"
    if r["outcome"] == "ran":
        assert float(r["time_us"]) > 0 and r["holds"] == "yes" and r["output"] == "y" and r["type"] == "f32"
        assert float(r["relative_l2"]) < 1e-7 and float(r["ratio"]) < 1 and r["reason"] == ""
        assert r["other_differing"] == ("" if r["layer"] == "three" else "0")
    else:
        assert r["layer"] == "three" and "not liked" in r["reason"] and r["max_abs"] == ""' "$tap_dir/a.csv"
}
all_declined() {
    # shellcheck disable=SC2086
    compare 1 $pair "$conv" &&
        says '^anydnn: nothing was compared: faulty:default declined the problem: filters of this height'
}
trespasses() {
    printf '[plugin trespass]\nmodule = %s\nset.do = after\n' "$built/anydnn_trespass.so" >"$tap_dir/trespass.conf"
    json 1 "a['layers'][0]['pairs'][1]['outcome'] == 'failed' and 'wrote outside operand y' in a['layers'][0]['error']" \
        --config "$tap_dir/trespass.conf" cpu_ref trespass transform_tensor x=f32:1,2,3,4
}

# mock_mirror runs cpu_ref in a separate memory space, whose pointers fault on the host.
on_a_device() {
    printf '[plugin mock_mirror]\nmodule = %s\nset.of = %s\n' "$mocks/anydnn_mock_mirror.so" \
        "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" >"$tap_dir/mirror.conf"
    json 0 "s['compared'] == 3 and s['unequal'] == 0 and s['broken'] == 0 and \
        a['layers'][0]['pairs'][1]['device'] == 'mockdev:0' and a['layers'][0]['pairs'][1]['record']['staged'] == 0" \
        --config "$tap_dir/mirror.conf" cpu_ref mock_mirror "$suite"
}

# ---- the reference

# If a fault adds to one element of the reference, both sides differ in the same element.
own_reference() {
    fault wide
    json 1 "s['broken'] == 2 and s['unequal'] == 0 and \
        ' --reference faulty ' in a['layers'][1]['again']" \
        --config "$tap_dir/faulty.conf" --reference faulty cpu_ref cpu_ref "$suite"
}
reference_on_a_device() {
    on_a_device || return 1
    json 0 "s['compared'] == 3 and all(x['bound']['ratio'] < 1 and x['relative_l2'] < 1e-7 for o in e for x in o) and \
        s['broken'] == 0" --config "$tap_dir/mirror.conf" --reference mock_mirror cpu_ref cpu_ref "$suite"
}
reference_declines() {
    fault declines
    compare 1 --config "$tap_dir/faulty.conf" --reference faulty cpu_ref cpu_ref "$suite" &&
        says 'three: the reference, faulty in double: .*: filters of this height'
}

# ---- arguments

batches() {
    json 0 "[l['problem'].split(':')[1].split(',')[0] for l in a['layers']] == ['2'] * 12" \
        --suites "$suites" cpu_ref cpu_ref lenet &&
        json 0 "[l['problem'].split(':')[1].split(',')[0] for l in a['layers']] == ['3'] * 12" --batch 3 \
            --suites "$suites" cpu_ref cpu_ref lenet
}
reads_input() {
    json 0 "[l['layer'] for l in a['layers']] == ['one', 'three', 'pool'] and s['compared'] == 3" cpu_ref cpu_ref - <"$suite"
}
strides_and_aliases() {
    json 0 "s['broken'] == 0 and s['compared'] == 1" cpu_ref cpu_ref \
        activation_forward x=f32:2,3,4,5:90,30,6,1 y=f32:2,3,4,5:90,30,6,1 activation=tanh alias=y:x beta=0.5
}

check 'equal backends are bitwise equal' equal
check 'every operation and type, normal inputs' all_operations normal
check 'every operation and type, uniform inputs' all_operations uniform
check 'every operation and type, whole numbers' all_operations integers
check 'every operation and type, numbers of many sizes' all_operations wide
check 'every operation and type, below the normal numbers' all_operations subnormals
check 'every operation and type, with NaN and infinities' all_operations specials
check 'what the other inputs are' kinds
check 'inputs from files' from_files
check 'a file that is not there' misses_a_file
check 'a missing folder is reported once' misses_a_folder
check 'one rounding has the error of one rounding, by type' rounding
check 'operands rounded to TF32' tf32
check 'truncation: its size and its direction' truncation
check 'the last bit of one element, on whole numbers' last_bit
check 'saturation and overflow are no errors' saturates
check 'inputs are spread as they should' moments
check 'long sums of whole numbers in half' long_sums
check 'the data depend only on the seed' seeds
check 'each value of a sample is summed separately' sampled
check 'a sample reports the values of the whole comparison' sample_of_whole
check 'a sample reports its limit of confidence' says_sample
check 'the growth of the error' grows
check 'a planted fault: the layer is named' names_layer
check 'a planted fault: its line repeats it' repeats
check 'a declined problem is shown' declines
check 'CSV' csv_rows
check 'nothing compared is a failure' all_declined
check 'writing outside an operand is a failure' trespasses
if [ -e "$mocks/anydnn_mock_mirror.so" ]; then
    check 'a side on a device of its own' on_a_device
    check 'a reference on a device of its own' reference_on_a_device
else
    skip 'a side on a device of its own' 'no mock backends'
    skip 'a reference on a device of its own' 'no mock backends'
fi
check 'a reference of the caller, with a fault' own_reference
check 'a reference that declines' reference_declines
check 'suites by name have two samples' batches
check 'problems from standard input' reads_input
check 'strided and in place' strides_and_aliases
check 'no arguments' refuses 'compare requires two BACKEND:MATH and a suite or a problem'
check 'no problem' refuses 'compare requires two BACKEND:MATH and a suite or a problem' cpu_ref cpu_ref
check 'no such backend' refuses 'cpu_reff:default: this backend is not installed' cpu_ref cpu_reff "$suite"
check 'no such mode' refuses 'cpu_ref:quick: unknown math mode .quick.' cpu_ref cpu_ref:quick "$suite"
check 'no such suite' refuses 'no_such_suite: unknown suite' --suites "$suites" cpu_ref cpu_ref no_such_suite
check 'no such reference' refuses 'cpu_reff:default: this backend is not installed' --reference cpu_reff cpu_ref cpu_ref "$suite"
check 'a reference with a mode' refuses '--reference=cpu_ref:split: must be the name of a backend' --reference cpu_ref:split cpu_ref cpu_ref "$suite"
check 'no such inputs' refuses 'must be normal, uniform, integers, wide' --inputs gaussian cpu_ref cpu_ref "$suite"
check 'a sample of no values' refuses '--sample=0: ' --sample 0 cpu_ref cpu_ref "$suite"
check 'a sample that is no number' refuses '--sample=some: ' --sample some cpu_ref cpu_ref "$suite"
check 'no such folder for CSV' refuses '--csv=/nowhere/a.csv: No such file' --csv /nowhere/a.csv cpu_ref cpu_ref "$suite"
check 'an unknown word' refuses 'window. is not part of a problem' cpu_ref cpu_ref pooling_forward x=f32:1,1,4,4 window
check 'a wrong problem' refuses 'unknown operation' cpu_ref cpu_ref pooling_foward x=f32:1,1,4,4
tap_end
