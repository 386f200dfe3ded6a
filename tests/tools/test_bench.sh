#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks anydnn bench: suites and how options change them, tables, CSV, JSON, plots, and the messages of its
# failures. It times whole small runs and does not judge their speed. awk's programs contain dollar signs,
# and lists of options must be split.
# Needs: tools/anydnn mocks-dir
# shellcheck disable=SC2016,SC2086
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/tools/answers.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
suites=$ANYDNN_TEST_SRCDIR/bench/suites
mocks=$ANYDNN_TEST_MOCKDIR
awk=${AWK:-awk}
pool="pooling_forward x=f32:2,3,8,6 window=2,2 stride=2,2"
relu="activation_forward x=f32:1,1,256,256 activation=relu"
quick="--rounds 3 --time 0.02 --cache 64k --peak-flops 1T --peak-bytes 100G"

# The measurement of ceilings and the preparation of data use the routes. These must not depend on what is
# installed.
ANYDNN_ROUTE=cpu_ref
export ANYDNN_ROUTE

bench() {
    keep "$anydnn" bench --suites "$suites" "$@"
}

run() {
    bench "$@"
}

# lists COUNT PATTERN ARGUMENT...: succeeds if --list prints COUNT problems that all match the pattern.
lists() {
    count=$1 pattern=$2
    shift 2
    bench --list "$@"
    [ "$found" -eq 0 ] || return 1
    [ "$(wc -l <"$tap_dir/out")" -eq "$count" ] || { echo "not $count lines"; return 1; }
    [ "$(grep -c -e "$pattern" "$tap_dir/out")" -eq "$count" ] || { echo "not all with: $pattern"; return 1; }
}

# json EXPRESSION: succeeds if the Python expression is true for the last output, `a`.
json() {
    python3 -c 'import json, math, sys
a = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$tap_dir/out" "$1"
}

# ---- suites

check "help" gives 0 "^Usage: anydnn bench \[OPTION...\] SUITE|PROBLEM|- BACKEND\[:MATH\]...\$" --help
check "the list of suites" gives 0 '^resnet50_v1\.5  *23 problems$' --list
suites_and_counts() {
    bench --list >/dev/null
    sed -n 's/^| `\([a-z0-9_.]*\)` | \([0-9]*\).*/\1 \2/p' "$suites/README.md" >"$tap_dir/written"
    sed 's/ \{1,\}\([0-9]*\) problems\{0,1\}$/ \1/' "$tap_dir/out" | sort >"$tap_dir/listed"
    [ -s "$tap_dir/listed" ] && sort "$tap_dir/written" | diff "$tap_dir/listed" -
}
check "the page of suites has them all" suites_and_counts
check "the list as JSON" gives 0 resnet50 --list --json
check "which is right" json "{'suite': 'vgg16', 'problems': 9} in a and len(a) >= 19"

# Each network has its layers with the right counts.
occurrences() {
    bench --list "$1" >/dev/null
    [ "$($awk -F: '{ n = $1; sub(/.*\*/, "", n); total += $1 ~ /\*/ ? n : 1 } END { print total }' \
        "$tap_dir/out")" -eq "$2" ]
}
check "ResNet-50 has 53 convolutions" occurrences resnet50 53
check "VGG-16 has 13" occurrences vgg16 13
check "MobileNet v2 has 52" occurrences mobilenet_v2 52
check "ResNeXt-50 has 53" occurrences resnext50 53

for name in resnet50 ResNet-50 RESNET50_V1.5 resnet50v1.5 resnet; do
    check "$name is ResNet-50" lists 23 'x=f32:256,' $name
done
for name in vgg16 VGG-16 vgg VGG_16; do
    check "$name is VGG-16" lists 9 'x=f32:64,' $name
done
for name in mobilenet_v2 MobileNet-v2 mobilenet; do
    check "$name is MobileNet v2" lists 30 'x=f32:128,' $name
done
for name in resnext50_32x4d ResNeXt-50 resnext; do
    check "$name is ResNeXt-50" lists 24 'x=f32:128,' $name
done
for name in lenet LeNet LeNet-5; do
    check "$name is LeNet" lists 12 ' x=f32:64,' $name
done
aliases_lead_somewhere() {
    sed -n 's/^\([a-z][^ ]*\) = .*/\1/p' "$suites/aliases" >"$tap_dir/spellings"
    [ -s "$tap_dir/spellings" ] || return 1
    while read -r name; do
        bench --list "$name" >/dev/null
        [ "$found" -eq 0 ] || { echo "$name"; return 1; }
    done <"$tap_dir/spellings"
}
check "every alias leads to a suite" aliases_lead_somewhere

# All layers of all suites give valid problems in every direction, with another batch, type and layout.
all_read() {
    for file in "$suites"/*.suite; do
        name=$(basename "$file" .suite)
        bench --list --direction all --batch 3 --type f16 --layout nhwc "$name" >/dev/null
        [ "$found" -eq 0 ] || { echo "$name"; return 1; }
        layers=$(grep -c '^[^#]' "$file")
        convolutions=$(grep -cE '^[^#].*: convolution_(forward|backward_data|backward_filter) ' "$file")
        for operation in forward backward_data backward_filter; do
            [ "$(grep -c ": convolution_$operation " "$tap_dir/out")" -eq "$convolutions" ] ||
                { echo "$name: $operation"; return 1; }
        done
        # Matrix products have neither layouts nor gradients; layer normalizations keep their layouts.
        [ "$name" != products ] || continue
        # Transforms give their layouts themselves. Parameters of batch normalization are float and have
        # one layout. Several operations of these two have no backward operation.
        [ "$name" = layers ] || [ "$name" = networks_rest ] || [ "$(wc -l <"$tap_dir/out")" -ge $((2 * layers)) ] ||
            { echo "$name"; return 1; }
        grep -vE ': (transform_tensor|(batch_)?normalization_[a-z]*) ' "$tap_dir/out" | grep -q 'f32:.* compute\|:nchw ' && { echo "$name: not all f16 and nhwc"; return 1; }
    done
    return 0
}
check "every suite in every direction" all_read

# reads PATTERN ARGUMENT...: succeeds if the only problem of the arguments becomes one that matches the pattern.
reads() {
    pattern=$1
    shift
    bench --list "$@" cpu_ref
    grep -q -e "^[^:]*: $pattern" "$tap_dir/out" || { echo "no $pattern"; return 1; }
}
check "a batch reaches every operand of op_tensor" reads \
    'op_tensor a=f32:3,4,5,6:nchw b=f32:3,4,5,6:nchw c=f32:3,4,5,6:nchw ' --batch 3 op_tensor a=f32:2,4,5,6 b=f32:2,4,5,6 op=mul
check "but none that is spread over the samples" reads \
    'op_tensor a=f32:3,4,5,6:nchw b=f32:1,4,1,1:nchw c=f32:3,4,5,6:nchw ' --batch 3 op_tensor a=f32:2,4,5,6 b=f32:1,4,1,1 op=mul
check "nor a bias" reads 'add_tensor x=f32:1,4,1,1:nchw y=f32:3,4,5,6:nchw' --batch 3 add_tensor x=f32:1,4,1,1 y=f32:2,4,5,6
check "nor a sum over the samples" reads 'reduce_tensor a=f32:3,4,5,6:nchw c=f32:1,4,1,1:nchw ' --batch 3 \
    reduce_tensor a=f32:2,4,5,6 c=f32:1,4,1,1 op=add without=indices
check "one sample everywhere becomes many" reads 'add_tensor x=f32:3,4,5,6:nchw y=f32:3,4,5,6:nchw' --batch 3 \
    add_tensor x=f32:1,4,5,6 y=f32:1,4,5,6
layer="normalization_forward x=f32:1,7,8 scale=f32:1,1,8 bias=f32:1,1,8 save_mean=f32:1,7,1 save_inv_dev=f32:1,7,1 kind=layer axes=2"
check "a batch reaches the statistics of a layer, not its parameters" reads \
    'normalization_forward x=f16:3,7,8:nchw scale=f16:1,1,8:nchw bias=f16:1,1,8:nchw y=f16:3,7,8:nchw save_mean=f32:3,7,1:nchw ' \
    --batch 3 --type f16 --layout nhwc $layer
check "and those of its gradients" reads \
    'normalization_backward x=f32:3,7,8:nchw dy=f32:3,7,8:nchw .*save_mean=f32:3,7,1:nchw save_inv_dev=f32:3,7,1:nchw dx=f32:3,7,8:nchw dscale=f32:1,1,8:nchw ' \
    --batch 3 --direction data $layer
check "groups have a layout" reads 'normalization_forward x=f32:2,4,5,6:nhwc y=f32:2,4,5,6:nhwc kind=group groups=2 ' \
    --layout nhwc normalization_forward x=f32:2,4,5,6 kind=group groups=2
check "matrix products stay as they are" reads 'matmul a=f32:2,3,4:nchw b=f32:2,4,5:nchw d=f32:2,3,5:nchw ' --batch 7 \
    --layout nhwc matmul a=f32:2,3,4 b=f32:2,4,5
move="transform_tensor x=f32:2,4,5,6 y=f32:2,4,5,6:nhwc"
check "a change of layout begins with the requested layout" reads \
    'transform_tensor x=f32:2,4,5,6:nhwc y=f32:2,4,5,6:nchw' --layout nhwc $move
check "and remains a change of layout" reads 'transform_tensor x=f32:2,4,5,6:nchw y=f32:2,4,5,6:nhwc' --layout nchw $move
check "a copy stays a copy" reads 'transform_tensor x=f32:2,4,5,6:nhwc y=f32:2,4,5,6:nhwc' --layout nhwc \
    transform_tensor x=f32:2,4,5,6 y=f32:2,4,5,6

# ---- options that change problems

one="convolution_forward x=f32:4,8,9,7 w=f32:6,4,3,3 pad=1,0 stride=2,1 groups=2"
whole="pad=1,0 stride=2,1 dilation=1,1 groups=2 mode=cross compute=f32 math=default\$"
check "as it stands" lists 1 \
    "^problem: convolution_forward x=f32:4,8,9,7:nchw w=f32:6,4,3,3:nchw y=f32:4,6,5,5:nchw $whole" "$one"
check "another batch" lists 1 'x=f32:17,8,9,7:nchw w=f32:6,4,3,3:nchw y=f32:17,6,5,5:nchw ' "$one" --batch 17
check "another type" lists 1 'x=bf16:4,8,9,7:nchw w=bf16:6,4,3,3:nchw y=bf16:4,6,5,5:nchw .*compute=f32' "$one" \
    --type bf16
check "another layout" lists 1 'x=f32:4,8,9,7:nhwc w=f32:6,4,3,3:nhwc y=f32:4,6,5,5:nhwc ' "$one" --layout nhwc
check "another type to compute in" lists 1 'x=f16:4.*compute=f16 ' "$one" --type f16 --compute f16
check "words instead of one argument" lists 1 "x=f32:4,8,9,7.*groups=2 " $one
check "the gradient of the data" lists 1 \
    "convolution_backward_data w=f32:6,4,3,3:nchw dy=f32:4,6,5,5:nchw dx=f32:4,8,9,7:nchw $whole" "$one" \
    --direction data
check "the gradient of the filter" lists 1 \
    "convolution_backward_filter x=f32:4,8,9,7:nchw dy=f32:4,6,5,5:nchw dw=f32:6,4,3,3:nchw $whole" "$one" \
    --direction filter
check "two directions" lists 2 ': convolution_\(forward\|backward_filter\) ' "$one" --direction filter,forward
check "all directions" lists 3 ': convolution_' "$one" --direction all
check "forward of what is listed as a gradient" lists 1 'convolution_forward x=f32:2,1,4,4:nchw w=f32:3,1,2,2:nchw' \
    "convolution_backward_data w=f32:3,1,2,2 dy=f32:2,3,3,3 dx=f32:2,1,4,4" --direction forward
check "the gradient of a pooling" lists 1 \
    'pooling_backward y=f32:2,3,4,3:nchw dy=f32:2,3,4,3:nchw x=f32:2,3,8,6:nchw dx=f32:2,3,8,6:nchw .*window=2,2 .*stride=2,2' \
    "$pool" --direction data
check "half parameters of a batch normalization follow the data" lists 1 'x=bf16:2,3,4,5.* scale=bf16:1,3,1,1' \
    "batch_normalization_training x=f16:2,3,4,5 scale=f16:1,3,1,1" --type bf16
check "half parameters are float beside float data" lists 1 'x=f32:2,3,4,5.* scale=f32:1,3,1,1' \
    "batch_normalization_training x=f16:2,3,4,5 scale=f16:1,3,1,1" --type f32
check "the gradient keeps the type of the scale" lists 1 'x=f16:2,3,4,5.* scale=f16:1,3,1,1.* dscale=f16:1,3,1,1' \
    "batch_normalization_training x=f16:2,3,4,5 scale=f16:1,3,1,1" --direction data
check "the gradient of a batch normalization" lists 1 'batch_normalization_backward x=f16:2,3,4,5.*epsilon=0.25' \
    "batch_normalization_training x=f32:2,3,4,5 epsilon=0.25" --direction data --type f16
check "whose parameters stay float" lists 1 ' scale=f32:1,3,1,1' \
    "batch_normalization_training x=f32:2,3,4,5 scale=f32:1,3,1,1" --type f16
check "a direction that no problem has" refuses 2 "no problem has the requested --direction" "$pool" \
    --direction filter --list
# The output of --list is a suite.
listed_again() {
    bench --list lenet --batch 2 --direction all >/dev/null
    cp "$tap_dir/out" "$tap_dir/own.suite"
    lists 29 : "$tap_dir/own.suite" && diff "$tap_dir/out" "$tap_dir/own.suite"
}
check "a list is a suite" listed_again
printf '# mine\n\n%s\nnamed*3: %s\n' "$pool" "$relu" >"$tap_dir/mine.suite"
check "lines without a name" lists 2 '^line3: pooling\|^named\*3: activation' "$tap_dir/mine.suite"
from_input() {
    lists 2 '^line3: pooling\|^named\*3: activation' - <"$tap_dir/mine.suite"
}
check "standard input" from_input

# ---- wrong usage

check "nothing" refuses 2 "missing suite or problem, such as"
check "no pair" refuses 2 "missing BACKEND:MATH, such as cpu_ref:default" "$pool"
check "a missing suite" refuses 2 \
    "resnet51: unknown suite; similar names: .*resnet50_v1.5.*--list" resnet51 cpu_ref
check "a name that resembles no suite" refuses 2 "qqq: unknown suite; .anydnn bench --list" qqq cpu_ref
check "no suites" refuses 2 "lenet: no suites in $tap_dir" lenet cpu_ref --suites "$tap_dir/none"
check "a missing file" refuses 2 "none.suite: No such file" "$tap_dir/none.suite" cpu_ref
printf 'a: %s\nb: pooling_forward x=f32:2,3\n' "$pool" >"$tap_dir/bad.suite"
check "a bad line" refuses 2 "line 2: problem text: x is f32:2,3" "$tap_dir/bad.suite" cpu_ref
: >"$tap_dir/empty.suite"
check "an empty suite" refuses 2 "no problem in it" "$tap_dir/empty.suite" cpu_ref
check "a bad problem" refuses 2 "window" "pooling_forward x=f32:2,3,8,6 windov=2,2" cpu_ref
for name in + cpu_ref+ +cpu_ref cpu_ref++cpu_ref cpu_ref+:default; do
    check "no backend in $name" refuses 2 "\`$name\` is not a BACKEND:MATH" "$pool" $name
done
check "a missing backend among several" refuses 2 "cpu_raf: this backend is not installed" "$pool" cpu_ref+cpu_raf
check "a missing backend" refuses 2 "cpu_raf:default: this backend is not installed" "$pool" cpu_raf
check "an unknown math mode" refuses 2 "cpu_ref:fast: unknown math mode .fast.; available: default, tensor_op" \
    "$pool" cpu_ref:fast
check "no backend at all" refuses 2 "is not a BACKEND:MATH" "$pool" :default
check "batch" refuses 2 "--batch=0: must be an integer from 1" "$pool" cpu_ref --batch 0
check "type" refuses 2 "--type=float: must be f64, f32, " "$pool" cpu_ref --type float
check "layout" refuses 2 "--layout=chwn: must be nchw, nhwc or nchw_vect_c" "$pool" cpu_ref --layout chwn
check "compute" refuses 2 "--compute=s8: must be f64, f32, f16 or s32" "$one" cpu_ref --compute s8
check "direction" refuses 2 "--direction=back: must be all, or forward, data and filter" "$pool" cpu_ref --direction back
check "no direction" refuses 2 "--direction=: must be all, or forward, data and filter" "$pool" cpu_ref --direction ""
check "rounds" refuses 2 "--rounds=0: must be an integer from 1" "$pool" cpu_ref --rounds 0
check "time" refuses 2 "--time=-1: must be a number above 0" "$pool" cpu_ref --time=-1
check "no-transforms without find" refuses 2 "--no-transforms: requires --find" \
    "$pool" cpu_ref --no-transforms
check "cache" refuses 2 "--cache=big: must be a number above 0" "$pool" cpu_ref --cache big
check "peak-flops" refuses 2 "--peak-flops=0: must be a number above 0" "$pool" cpu_ref --peak-flops 0
check "peak-bytes" refuses 2 "--peak-bytes=4.2X: must be a number above 0" "$pool" cpu_ref --peak-bytes 4.2X
check "csv" refuses 2 "--csv=$tap_dir/no/a.csv: No such file" "$pool" cpu_ref --csv "$tap_dir/no/a.csv"
check "plot" refuses 2 "--plot=a.jpg: the name must end in .png, .svg or .gp" "$pool" cpu_ref --plot a.jpg

# ---- timing

# quickly ARGUMENT...: runs bench with little time and given ceilings.
quickly() {
    bench $quick "$@"
    [ "$found" -eq 0 ]
}
run_lenet() {
    quickly lenet --batch 2 --direction all --csv "$tap_dir/a.csv" --plot "$tap_dir/a.gp" \
        cpu_ref cpu_ref:default --json && [ ! -s "$tap_dir/err" ]
}
check "a suite on two pairs, and nothing on standard error" run_lenet
# Only the columns after `algorithm` may contain commas.
rows() {
    $awk -F, 'NR == 1 { columns = NF; if ($1 != "suite" || $26 != "problem") exit 1; next }
        { n[$4 "," $2]++; if ($8 != "ran" || $9 != 1 || $13 <= 0 || $14 > $13 || $16 < 1 || $16 > 3 ||
            $15 < 0 || $10 < 1 || $17 < 1 || NF < columns) bad = 1 }
        END { for (k in n) { rows++; if (n[k] != 2) bad = 1 } exit bad || rows != 29 }' "$tap_dir/a.csv"
}
check "the CSV has a row for each layer and pair" rows
# The other columns follow from time, operations and bytes: the ceilings are 1e12 and 1e11.
columns() {
    $awk -F, 'function off(a, b) { return a > b * 1.0001 || a < b * 0.9999 }
        NR == 1 { next }
        { floor = $11 / 1e12; if ($12 / 1e11 > floor) floor = $12 / 1e11
          if ($11 > 0 && off($18, $11 / $13 / 1e6)) bad = 1
          if (off($19, $12 / $13 / 1e3) || off($20, floor * 1e6 / $13)) bad = 1
          if (NR % 2 == 0) { first = $13; if ($21 != 1) bad = 1 } else if (off($21, first / $13)) bad = 1 }
        END { exit bad }' "$tap_dir/a.csv"
}
check "rates, roofline and ratio follow from the time" columns
# The means of the answer, computed again from the CSV by awk.
means() {
    $awk -F, 'function add(k) { n[k]++; time[k] += log($13); ratio[k] += log($21); roof[k] += log($20)
            total[k] += $13 * $3 }
        NR > 1 && $9 { add($4 "," NR % 2); add("all operations," NR % 2) }
        END { for (k in n) print k "," n[k] "," exp(time[k] / n[k]) "," exp(ratio[k] / n[k]) "," \
            exp(roof[k] / n[k]) "," total[k] }' "$tap_dir/a.csv" >"$tap_dir/means"
    [ "$(wc -l <"$tap_dir/means")" -eq 20 ] && cat "$tap_dir/means" && python3 - "$tap_dir" <<'EOP'
import json, math, sys
answer = json.load(open(sys.argv[1] + "/out"))
summary = {s["operation"]: s for s in answer["summary"]}
for line in open(sys.argv[1] + "/means"):
    operation, odd, count, *values = line.split(",")
    pair = summary[operation]["pairs"][int(odd)]
    assert summary[operation]["counted"] == summary[operation]["distinct"] == int(count), line
    for key, value in zip(("time_us", "ratio", "roofline", "total_us"), values):
        assert math.isclose(pair[key], float(value), rel_tol=1e-4), (line, key, pair[key])
EOP
}
check "awk finds the same means and totals" means
check "the JSON shows which backend ran on which device" json \
    "[p['pair'] for p in a['pairs']] == 2 * ['cpu_ref:default'] and a['pairs'][0]['device'] == 'cpu' and a['suite'] == 'lenet' and len(a['layers']) == 29"
check "the worst layers are named" json \
    "all(len(p['worst']) == min(3, s['counted']) and (p['worst'][0]['layer'] == min((l for l in a['layers'] if s['operation'] in (l['operation'], 'all operations')), key=lambda l: l['pairs'][i]['ratio' if i else 'roofline'])['layer']) for s in a['summary'] for i, p in enumerate(s['pairs']))"
plotted() {
    grep -q "set multiplot layout 9,1 title 'lenet'" "$tap_dir/a.gp" &&
        [ "$(grep -c '^plot ' "$tap_dir/a.gp")" -eq 9 ] &&
        [ "$(grep -c '^"conv[12]" [0-9.e-]* [0-9.e-]*$' "$tap_dir/a.gp")" -eq 6 ] &&
        grep -q "^set output '$tap_dir/a.svg'" "$tap_dir/a.gp"
}
check "the plot's script has a panel for each operation" plotted
# gnuplot ends a line at a newline even inside quotes, and runs a name that begins with `|` as a command.
newline_in_name() {
    name=$(printf '%s/a\nsystem "touch pwned"\n.gp' "$tap_dir")
    bench $quick "$pool" cpu_ref --plot "$name"
    [ "$found" -eq 2 ] && says 'the name must not contain control characters' && [ ! -e "$name" ]
}
bar_in_name() {
    (cd "$tap_dir" && quickly "$pool" cpu_ref --plot '|touch pwned;.gp') && [ -e "$tap_dir/|touch pwned;.gp" ] &&
        grep -q "^set output './|touch pwned;.svg'" "$tap_dir/|touch pwned;.gp"
}
check "a newline in the plot's name is refused" newline_in_name
check "a bar in the plot's name runs no command" bar_in_name
if command -v gnuplot >/dev/null; then
    draws() {
        quickly "$pool" cpu_ref --plot "$tap_dir/b.$1" && [ -s "$tap_dir/b.$1" ] &&
            grep -a -q "$2" "$tap_dir/b.$1"
    }
    check "gnuplot draws it as svg" draws svg '</svg>'
    check "gnuplot draws it as png" draws png PNG
    check "gnuplot takes the script" gnuplot "$tap_dir/a.gp"
else
    skip "gnuplot draws it" "no gnuplot"
fi
# The program itself, because libtool's wrapper script needs a path.
no_gnuplot() {
    program=$ANYDNN_TEST_BUILDDIR/tools/.libs/anydnn
    [ -e "$program" ] || program=$anydnn
    (
        PATH=$tap_dir
        LD_LIBRARY_PATH=$ANYDNN_TEST_BUILDDIR/.libs
        export PATH LD_LIBRARY_PATH
        "$program" bench --suites "$suites" "$pool" cpu_ref --plot "$tap_dir/b.svg"
    ) >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && /bin/grep -q "gnuplot is not installed; use a name ending in .gp" "$tap_dir/err"
}
check "no gnuplot" no_gnuplot

check "the table" quickly "$pool" cpu_ref
check "has a line for the layer" grep -q '^problem  *cpu_ref:default  *[0-9.]* .* 1\.000$' "$tap_dir/out"
check "and the mean" grep -q '^geometric mean  *cpu_ref:default ' "$tap_dir/out"
check "and the total" grep -q '^total  *cpu_ref:default .* ms,' "$tap_dir/out"
check "and the ceilings" grep -q '^ceilings  *any device: 1 TFLOP/s in any math .*as given' "$tap_dir/out"
measured() {
    bench "$one" cpu_ref --rounds 1 --time 0.01 --json
    json "all(any(c.get(key, 0) > 0 and c['source'] == 'measured' for c in a['ceilings']) for key in ('flops', 'bytes')) and a['layers'][0]['pairs'][0]['roofline'] > 0"
}
check "ceilings that are measured" measured
# One set of operands has 512 KiB.
sets() {
    quickly "$relu" cpu_ref --csv "$tap_dir/b.csv" "$@" &&
        $awk -F, -v sets="$want" 'NR == 2 { exit $10 != sets || ($17 > sets && $17 % sets != 0) }' "$tap_dir/b.csv"
}
want=4
check "operands rotate beyond the cache" sets --cache 1048576 --time 0.2
want=1
check "or stay in it" sets --hot
same_twice() {
    printf 'a: %s\nb: %s\nc*2: %s\n' "$pool" "$pool" "$relu" >"$tap_dir/twice.suite"
    quickly "$tap_dir/twice.suite" cpu_ref --json &&
        json "[l['counted'] for l in a['layers']] == [True, False, True] and a['summary'][0]['distinct'] == 1 and math.isclose(a['summary'][0]['pairs'][0]['total_us'], sum(l['pairs'][0]['time_us'] for l in a['layers'][:2])) and math.isclose(a['summary'][1]['pairs'][0]['total_us'], 2 * a['layers'][2]['pairs'][0]['time_us'])"
}
check "a repeated problem counts once in means, and twice in totals" same_twice
check "a search for the algorithm" quickly "$one" cpu_ref --find
# Find does not cover the fused call, so oneDNN's Winograd runs only if it is named.
shape="x=f32:1,32,12,12 w=f32:32,32,3,3 pad=1,1 algo=winograd"
fused="convolution_bias_activation_forward $shape bias=f32:1,32,1,1 activation=relu without=z"
without_winograd() {
    quickly "$fused" onednn --find --json && json "a['layers'][0]['pairs'][0]['algorithm'] == 'winograd'" || return 1
    for problem in "$fused" "convolution_forward $shape"; do
        quickly "$problem" onednn --find --no-transforms --json &&
            json "a['layers'][0]['pairs'][0]['algorithm'] in ('implicit_gemm', 'implicit_precomp_gemm', 'gemm', 'direct')" || return 1
    done
}
if ANYDNN_ROUTE=onednn "$anydnn" explain "$fused" 2>/dev/null | grep -q '^choice: onednn .* algorithm winograd,'; then
    check "no Winograd of oneDNN's" without_winograd
else
    skip "no Winograd of oneDNN's" "there is none on this machine"
fi
in_types() {
    for type in f64 f16 bf16; do
        quickly lenet --batch 2 --type $type --layout nhwc --direction all cpu_ref || return 1
    done
    quickly "convolution_forward x=s8:1,4,5,5 w=s8:4,4,3,3" cpu_ref
}
check "other types" in_types
others() {
    for problem in "batch_normalization_training x=f32:2,3,4,5" "dropout_forward x=f32:2,3,4,5" \
        "divisive_normalization_forward x=f32:2,3,4,5" "lrn_forward x=f32:2,7,4,5" \
        "transform_tensor x=f32:2,3,4,5 y=f16:2,3,4,5:nhwc" "softmax_forward x=f32:2,3,4,5"; do
        quickly "$problem" cpu_ref || return 1
        grep -q '^problem .* 1\.000$' "$tap_dir/out" || return 1
        case $problem in transform*) ;; *)
            quickly "$problem" cpu_ref --direction data || return 1
            grep -q '_backward$' "$tap_dir/out" || return 1
            ;;
        esac
    done
}
check "operations that memory bounds, and their gradients" others

# ---- problems that a pair does not run

declined() {
    quickly lenet --batch 2 cpu_ref cpu_ref:tensor_op --csv "$tap_dir/a.csv" --json || return 1
    json "all(('declined' in l['pairs'][1]) == l['operation'].startswith('convolution') and l['counted'] != l['operation'].startswith('convolution') for l in a['layers'])" || return 1
    json "a['layers'][0]['pairs'][1]['declined'] == 'it runs this only in default math' and a['layers'][0]['pairs'][0]['time_us'] > 0" || return 1
    json "[(s['distinct'], s['counted']) for s in a['summary']] == [(5, 0), (4, 4), (2, 2), (1, 1), (12, 7)] and a['summary'][0]['pairs'][1]['declined'] == 5 and a['summary'][0]['pairs'][0]['time_us'] is None" || return 1
    json "[p['ran'] for p in a['summary'][4]['pairs']] == [12, 7] and math.isclose(a['summary'][4]['pairs'][1]['roofline_of_ran'], a['summary'][4]['pairs'][1]['roofline'], rel_tol=1e-9) and math.isclose(math.log(a['summary'][4]['pairs'][0]['roofline_of_ran']) * 12, sum(math.log(l['pairs'][0]['roofline']) for l in a['layers']), rel_tol=1e-9)" || return 1
    [ "$(grep -c ',declined,0,.*,"it runs this only in default math",' "$tap_dir/a.csv")" -eq 5 ] &&
        [ "$($awk -F, '$8 == "ran" && $9 == 0' "$tap_dir/a.csv" | wc -l)" -eq 5 ]
}
check "the means exclude layers that a pair declines" declined
check "the mode of a pair is that of a matrix product, too" gives 1 \
    "cpu_ref:tensor_op  *declined: it runs this only in default math" $quick matmul a=f32:2,3,4 b=f32:2,4,5 cpu_ref:tensor_op
check "the table shows the reason" gives 0 "cpu_ref:tensor_op  *declined: it runs this only in default math" $quick lenet \
    --batch 2 cpu_ref cpu_ref:tensor_op
check "and their number" grep -q '^convolution_forward: means over 0 of 5 distinct layers; the others are excluded' \
    "$tap_dir/out"
check "nothing runs at all" refuses 1 "none of the pairs runs any of the problems" "$one" cpu_ref:tensor_op

if [ -e "$mocks/anydnn_mock_mirror.so" ]; then
    printf '[anydnn]\nplugin_path = %s\nlog = error\n[plugin mock_mirror]\nset.of = %s\n' "$mocks" \
        "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" >"$tap_dir/mirror.conf"
    on_device() {
        quickly lenet --batch 2 --direction all cpu_ref mock_mirror --config "$tap_dir/mirror.conf" --json &&
            json "[p['device'] for p in a['pairs']] == ['cpu', 'mockdev:0'] and all(l['counted'] for l in a['layers'])"
    }
    check "a device's memory" on_device
else
    skip "a device's memory" "no mock backends"
fi

# ---- backends of a known speed: mock_a takes the time that is set, mock_b 1 ms. Times that are compared
# differ by tens of milliseconds, because a busy machine may delay a sleeping process by some.

# mocks SETTING...: sets mock_a's settings; both mocks keep a log of their calls. They compute nothing that could be
# judged.
mocks() {
    {
        printf '[anydnn]\nplugin_path = %s\nlog = error\ntune_check = no\n' "$mocks"
        printf '[plugin mock_b]\nset.sleep_us = 1000\nset.log = %s\n' "$tap_dir/calls"
        printf '[plugin mock_a]\nset.log = %s\n' "$tap_dir/calls"
        printf '%s\n' "$@"
    } >"$tap_dir/mocks.conf"
    rm -f "$tap_dir/calls"
}
executed() {
    sed -n 's/^\(mock_[ab]\) plan_execute .*/\1/p' "$tap_dir/calls"
}
known_times() {
    mocks "set.sleep_us = 40000"
    quickly "$one" mock_b mock_a --time 20 --config "$tap_dir/mocks.conf" --json &&
        json "[p['rounds'] for p in a['layers'][0]['pairs']] == [3, 3] and a['layers'][0]['pairs'][1]['calls'] == 1 and 1000 <= a['layers'][0]['pairs'][0]['min_us'] < a['layers'][0]['pairs'][1]['min_us'] and 40000 <= a['layers'][0]['pairs'][1]['min_us'] <= a['layers'][0]['pairs'][1]['time_us']"
}
# A sample lasts at least 2 ms, so it has many calls of 100 us; the reported time is that of one call.
many_calls() {
    for attempt in 1 2 3; do # a busy machine may make one call last 2 ms
        echo "attempt $attempt"
        calls_of_100_us && return 0
    done
    return 1
}
calls_of_100_us() {
    mocks "set.sleep_us = 100"
    quickly "$one" mock_a --time 2 --config "$tap_dir/mocks.conf" --json &&
        json "a['layers'][0]['pairs'][0]['calls'] >= 2 and 100 <= a['layers'][0]['pairs'][0]['min_us'] < 2000"
}
in_turn() {
    mocks "set.sleep_us = 4000"
    sed -i 's/sleep_us = 1000/sleep_us = 5000/' "$tap_dir/mocks.conf"
    quickly "$one" mock_a mock_b --time 20 --config "$tap_dir/mocks.conf" || return 1
    # Each counted call follows one that is not counted.
    [ "$(executed | tail -n 8 | uniq | tr '\n' ' ')" = "mock_a mock_b mock_a mock_b " ]
}
# Sets of 512 KiB with 1 MiB of cache: each fifth call uses the first one's operands again.
go_round() {
    mocks "set.sleep_us = 4000"
    quickly "$relu" mock_a --cache 1048576 --rounds 6 --time 20 --config "$tap_dir/mocks.conf" || return 1
    sed -n 's/.* plan_execute .* d0=\(0x[0-9a-f]*\) .*/\1/p' "$tap_dir/calls" >"$tap_dir/places"
    [ "$(wc -l <"$tap_dir/places")" -eq 8 ] && [ "$(sort -u "$tap_dir/places" | wc -l)" -eq 4 ] &&
        [ "$(head -n 4 "$tap_dir/places")" = "$(tail -n 4 "$tap_dir/places")" ]
}
# y of a maximum's gradient is the forward result of the route's first backend, in each set of operands.
true_maxima() {
    mocks "set.sleep_us = 4000"
    (
        ANYDNN_ROUTE=mock_b
        quickly "pooling_forward x=f32:1,1,256,256 window=2,2 stride=2,2" mock_a --direction data \
            --rounds 4 --time 20 --cache 1M --config "$tap_dir/mocks.conf"
    ) || return 1
    sed -n 's/^mock_b plan_execute .* d0=\(0x[0-9a-f]*\) d1=\(0x[0-9a-f]*\) .*/\1 \2/p' "$tap_dir/calls" |
        sort -u >"$tap_dir/forward"
    sed -n 's/^mock_a plan_execute .* d0=\(0x[0-9a-f]*\) d1=[^ ]* d2=\(0x[0-9a-f]*\) .*/\2 \1/p' "$tap_dir/calls" |
        sort -u >"$tap_dir/backward"
    [ "$(wc -l <"$tap_dir/forward")" -eq 4 ] && diff "$tap_dir/forward" "$tap_dir/backward"
}
# A pair may name several backends and then runs the fastest. The output shows the backend that ran, not the first one
# named.
fastest_of_two() {
    mocks "set.sleep_us = 40000"
    quickly "$one" mock_a mock_a+mock_b --time 20 --config "$tap_dir/mocks.conf" --csv "$tap_dir/choice.csv" --json &&
        json "a['pairs'][1]['pair'] == 'mock_a+mock_b:default' and a['pairs'][1]['version'] == '1.0 and 1.0' and 'chosen' not in a['layers'][0]['pairs'][0] and a['layers'][0]['pairs'][1]['chosen'] == 'mock_b' and 1000 <= a['layers'][0]['pairs'][1]['min_us'] < a['layers'][0]['pairs'][0]['min_us']" &&
        grep -q ',mock_a+mock_b,default,.*,"mock_b",' "$tap_dir/choice.csv" || return 1
    mocks "set.sleep_us = 1000"
    sed -i '0,/sleep_us = 1000/s//sleep_us = 40000/' "$tap_dir/mocks.conf"
    quickly "$one" mock_b mock_b+mock_a --time 20 --config "$tap_dir/mocks.conf" --json &&
        json "a['layers'][0]['pairs'][1]['chosen'] == 'mock_a'"
}
not_of_one_space() {
    printf '[anydnn]\nplugin_path = %s\nlog = error\n[plugin mock_mirror]\nset.of = %s\n' "$mocks" \
        "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" >"$tap_dir/mirror.conf"
    refuses 2 'mock_a+mock_mirror:default: `mock_mirror` has the memory space mockdev, but the first backend has host' $quick \
        "$one" mock_a+mock_mirror --config "$tap_dir/mirror.conf"
}
limit_holds() {
    mocks "set.sleep_us = 50000"
    quickly "$one" mock_a --rounds 1000 --time 0.3 --config "$tap_dir/mocks.conf" --json &&
        json "1 <= a['layers'][0]['pairs'][0]['rounds'] <= 6"
}
breaks() {
    mocks "set.execute = enqueued"
    refuses 1 "mock_a:default: " $quick "$one" mock_b mock_a --config "$tap_dir/mocks.conf" --json &&
        json "'failed' in a['layers'][0]['pairs'][1] and a['layers'][0]['pairs'][0]['time_us'] > 0 and not a['layers'][0]['counted']"
}
finds() {
    mocks "set.algorithms = 0, 1" "set.sleep_us = 60000 / 1000" "set.workspace = 4096 / 512"
    quickly "$one" mock_a --config "$tap_dir/mocks.conf" --json &&
        json "a['layers'][0]['pairs'][0]['engine'] == 1 and a['layers'][0]['pairs'][0]['workspace'] == 4096" || return 1
    quickly "$one" mock_a --find --config "$tap_dir/mocks.conf" --json &&
        json "a['layers'][0]['pairs'][0]['engine'] == 2 and a['layers'][0]['pairs'][0]['algorithm'] == 'implicit_precomp_gemm' and a['layers'][0]['pairs'][0]['workspace'] == 512"
}
finds_backward() {
    mocks "set.algorithms = 1, 0" "set.sleep_us = 60000 / 1000"
    quickly "$one" mock_a --direction data,filter --find --config "$tap_dir/mocks.conf" --json &&
        json "[l['pairs'][0]['algorithm'] for l in a['layers']] == ['0', '0'] and all(l['pairs'][0]['engine'] == 2 for l in a['layers'])"
}
# mock_a has the algorithms 1 and 6 (winograd); the latter, a transform, is much faster. mock_b is slow.
plain_and_transform() {
    mocks "set.algorithms = 1, 6" "set.notes = none / transform" "set.sleep_us = 60000 / 1000"
    sed -i 's/sleep_us = 1000$/sleep_us = 120000/' "$tap_dir/mocks.conf"
}
no_transforms() {
    plain_and_transform
    quickly "$one" mock_a --find --config "$tap_dir/mocks.conf" --json &&
        json "a['layers'][0]['pairs'][0]['engine'] == 2 and a['layers'][0]['pairs'][0]['algorithm'] == 'winograd'" || return 1
    for problem in "$one" "$one algo=winograd"; do
        quickly "$problem" mock_a --find --no-transforms --config "$tap_dir/mocks.conf" --json &&
            json "a['layers'][0]['pairs'][0]['engine'] == 1 and a['layers'][0]['pairs'][0]['algorithm'] == 'implicit_precomp_gemm'" || return 1
    done
}
# A pair of several backends runs a transform if the problem names it.
no_named_transforms() {
    plain_and_transform
    quickly "$one algo=winograd" mock_b+mock_a --find --rounds 1 --config "$tap_dir/mocks.conf" --json &&
        json "a['layers'][0]['pairs'][0]['algorithm'] == 'winograd'" || return 1
    quickly "$one algo=winograd" mock_b+mock_a --find --no-transforms --rounds 1 --config "$tap_dir/mocks.conf" --json &&
        json "a['layers'][0]['pairs'][0]['chosen'] == 'mock_a' and a['layers'][0]['pairs'][0]['engine'] == 1"
}
# The only candidate is a transform. In the second case it has the number of a plain algorithm, and only the record
# shows that it is a transform.
nothing_but_transforms() {
    mocks "set.algorithms = 6" "set.notes = transform"
    refuses 1 "none of the pairs runs any" $quick "$one" mock_a --find --no-transforms --config "$tap_dir/mocks.conf" &&
        grep -q "declined: is a transform algorithm (winograd), which must be requested by name" "$tap_dir/out" || return 1
    mocks "set.algorithms = 1" "set.notes = transform"
    refuses 1 "none of the pairs runs any" $quick "$one" mock_a --find --no-transforms --config "$tap_dir/mocks.conf" &&
        grep -q "declined: it runs this as a transform, which is excluded" "$tap_dir/out" || return 1
    quickly "$one" mock_a --find --config "$tap_dir/mocks.conf"
}
lesser_math() {
    mocks "set.math = default"
    refuses 1 "none of the pairs runs any" $quick "$one" mock_a:split --config "$tap_dir/mocks.conf" &&
        grep -q "declined: it runs this only in default math" "$tap_dir/out" || return 1
    mocks "set.math = problem"
    quickly "$one" mock_a:split --config "$tap_dir/mocks.conf"
}
if [ -e "$mocks/anydnn_mock_a.so" ] && [ -e "$mocks/anydnn_mock_b.so" ]; then
    check "times are those of the backends" known_times
    check "short calls are recorded and replayed together" many_calls
    check "pairs are timed in turn" in_turn
    check "each call has operands of its own" go_round
    check "the gradient of a maximum gets the forward results" true_maxima
    check "the fastest of two" fastest_of_two
    check "only backends of one memory space can be combined" not_of_one_space
    check "the limit of time holds" limit_holds
    check "a pair that fails" breaks
    check "--find takes the fastest algorithm" finds
    check "also of the gradients" finds_backward
    check "--no-transforms excludes transforms" no_transforms
    check "also if a problem names one" no_named_transforms
    check "and declines problems without another candidate" nothing_but_transforms
    check "less math than requested is reported" lesser_math
else
    skip "backends of a known speed" "no mock backends"
fi

# ---- the bar

on_terminal() {
    python3 - "$anydnn" bench --suites "$suites" $quick lenet --batch 2 cpu_ref >"$tap_dir/out" <<'EOP'
import os, pty, subprocess, sys
master, slave = pty.openpty()
done = subprocess.run(sys.argv[1:], stderr=slave, stdout=subprocess.PIPE)
os.close(slave)
seen = b""
try:
    while piece := os.read(master, 65536):
        seen += piece
except OSError:
    pass
assert done.returncode == 0
assert b"] 0/12 conv1" in seen and b"] 11/12 loss" in seen and seen.endswith(b"\r\x1b[K")
assert b"\x1b" not in done.stdout and b"/12" not in done.stdout
EOP
}
check "a terminal gets a bar on standard error" on_terminal
tap_end
