#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trainings in several modes beside each other: what they print and write, and what is refused; ResNet-20 and
# its images.
# Needs: examples/lenet/lenet examples/resnet/resnet
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

lenet=$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet
resnet=$ANYDNN_TEST_BUILDDIR/examples/resnet/resnet
ANYDNN_CONFIG=$tap_dir/anydnn.conf
export ANYDNN_CONFIG
printf '[anydnn]\nschema = 1\n[route]\n* = cpu_ref\n' >"$ANYDNN_CONFIG"

compare() {
    "$lenet" --device cpu --train-images 192 --test-images 100 --batch 16 --epochs 2 --seeds 2 --csv "$tap_dir/csv" \
        --html "$tap_dir/page.html" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    status=$?
    cat "$tap_dir/out" "$tap_dir/err"
    return $status
}

check "three modes are compared" compare --compare default split bfloat16:default
cp "$tap_dir/out" "$tap_dir/trained"
check "equal bits are named" grep -q '^split leaves the same bits as default in all 2 trainings\.$' "$tap_dir/out"
check "a mode that does not train is named, or a difference" grep -qE '^bfloat16:default( differs from default by|: no difference from default was found:| does not train).*\.$' \
    "$tap_dir/out"
check "each run has its line" test "$(grep -c '^seed [34], ' "$tap_dir/out")" -eq 6

# Each of the 6 runs has 24 points (one per step), 2 epochs, and a line each for the last loss, the omitted steps and
# the seconds. Each of the 2 modes has 5 layers, and the number of equal seeds.
check "the table has each point" test "$(grep -c . "$tap_dir/csv")" -eq $((1 + 6 * (24 + 2 + 3) + 2 * (5 + 1)))
check "equal bits have no distance" sh -c "! grep '^lenet,split,,distance' '$tap_dir/csv' | grep -v ',0\$'"
# shellcheck disable=SC2016
check "others have one, and small" "$AWK" -F, '/^lenet,bfloat16:default,,distance/ { n++; if (!($6 > 0 && $6 < 10)) bad = 1 }
    END { exit bad || n != 5 }' "$tap_dir/csv"
check "a training equals one of its mode alone" sh -c "
    alone=\$('$lenet' --device cpu --train-images 192 --test-images 100 --batch 16 --epochs 2 --seed 4 |
        sed -n 's/^epoch 2.*: loss \([0-9.]*\),.*/\1/p')
    # The seed also draws the images, so only the first seed has the same ones.
    one=\$('$lenet' --device cpu --train-images 192 --test-images 100 --batch 16 --epochs 2 --seed 3 |
        sed -n 's/^epoch 2.*: loss \([0-9.]*\),.*/\1/p')
    grep -q \"^seed 3, default: loss \$one,\" '$tap_dir/out' && test \"\$alone\" != \"\$one\""

check "another process can train the second seed on the same images" sh -c "
    second=\$('$lenet' --device cpu --train-images 192 --test-images 100 --batch 16 --epochs 2 --seed 4 --draw-seed 3 |
        sed -n 's/^epoch 2.*: loss \([0-9.]*\),.*/\1/p')
    grep -q \"^seed 4, default: loss \$second,\" '$tap_dir/trained'"

if command -v gnuplot >/dev/null 2>&1; then
    check "the page has its four figures" test "$(grep -o 'data:image/svg' "$tap_dir/page.html" | wc -l)" -eq 4
else
    skip "the page has its four figures" "no gnuplot"
fi
check "the page says the verdict" grep -q 'split leaves the same bits as default in all 2 trainings' "$tap_dir/page.html"
check "the page is well-formed" python3 -c "import xml.dom.minidom, sys; xml.dom.minidom.parse('$tap_dir/page.html')"

# The redrawn verdict and page equal those of the trainings, except for the lines before the verdict.
redrawn() {
    "$lenet" --redraw "$tap_dir/csv" --html "$tap_dir/again.html" >"$tap_dir/again" 2>&1 || { cat "$tap_dir/again"; return 1; }
    sed -n '/^mode /,$p' "$tap_dir/trained" | diff - "$tap_dir/again" && cmp "$tap_dir/page.html" "$tap_dir/again.html"
}
check "its table gives the same verdict and page again" redrawn
sed 's/,loss,1,/,loss,/' "$tap_dir/csv" >"$tap_dir/wrong"

refuses() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    cat "$tap_dir/out" "$tap_dir/err"
    [ "$found" -eq "$status" ] && [ "$(grep -c . "$tap_dir/err")" -eq 1 ] && grep -q -e "$pattern" "$tap_dir/err"
}
check "a damaged table" refuses 1 "wrong:2: a line without six fields" "$lenet" --redraw "$tap_dir/wrong"
check "a table of another network" refuses 1 "csv:2: a table of another network" "$resnet" --redraw "$tap_dir/csv"
check "an empty table" refuses 1 "null: not a table of a comparison" "$lenet" --redraw /dev/null
check "one mode" refuses 2 "--compare=default: requires at least two modes" "$lenet" --compare default
check "an unknown mode" refuses 2 "--compare=fast: must be default" "$lenet" --compare default fast
check "an unknown type" refuses 2 "--compare=quad: must be float" "$lenet" --compare default quad:default
check "a page of one training" refuses 2 "--html: requires --compare with the modes" "$lenet" --html "$tap_dir/x"
check "a page that cannot be written" refuses 1 "$tap_dir/none/x: cannot be written" "$lenet" --train-images 10 \
    --test-images 10 --compare default split --html "$tap_dir/none/x"

train() {
    "$resnet" --device cpu --train-images 16 --test-images 4 --batch 8 --epochs 1 "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    status=$?
    cat "$tap_dir/out" "$tap_dir/err"
    return $status
}
check "ResNet-20 takes a step on drawn images" train
check "with normalizations" grep -q '^batch_normalization_backward .* 3.3b ' "$tap_dir/out"
check "in half" train --type half

records() {
    # shellcheck disable=SC2016
    $AWK -v n="$1" -v label="$2" 'BEGIN { for (i = 0; i < n; i++) { printf "%c", label; for (k = 0; k < 3072; k++) printf "x" } }'
}
mkdir "$tap_dir/cifar"
records 16 3 >"$tap_dir/cifar/data_batch_1.bin"
records 4 7 >"$tap_dir/cifar/test_batch.bin"
check "it reads CIFAR-10" train --data "$tap_dir/cifar"
check "a missing file" refuses 1 "data_batch_1.bin: cannot be opened" "$resnet" --data "$tap_dir"
check "a file cut short" refuses 1 "truncated in record 16 of 10000" "$resnet" --data "$tap_dir/cifar"
records 4 12 >"$tap_dir/cifar/test_batch.bin"
check "an invalid label" refuses 1 "the label of record 0 is 12" "$resnet" --data "$tap_dir/cifar" --train-images 16 \
    --test-images 4
tap_end
