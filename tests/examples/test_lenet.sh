#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests examples/lenet: its messages for wrong input, that it learns, and that the number of threads does not matter.
# Needs: examples/lenet/lenet
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

lenet=$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet

# folder: makes a folder of IDX files with three images and labels each for training and for test.
header() {
    printf '\000\000\010'
    # shellcheck disable=SC2059
    printf "$1"
}
zeros() {
    head -c "$1" /dev/zero
}
images() {
    header '\003\000\000\000\003\000\000\000\034\000\000\000\034'
    zeros $((3 * 784))
}
labels() {
    header '\001\000\000\000\003'
    printf '\000\001\002'
}
folder() {
    rm -rf "$tap_dir/data"
    mkdir "$tap_dir/data"
    for set in train t10k; do
        images >"$tap_dir/data/$set-images-idx3-ubyte"
        labels | gzip -c >"$tap_dir/data/$set-labels-idx1-ubyte.gz"
    done
}

# refuses STATUS PATTERN ARGUMENT...: succeeds if the program exits with STATUS and one message that matches the
# pattern. The library's warnings of refused calls may precede it.
refuses() {
    status=$1 pattern=$2
    shift 2
    "$lenet" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    cat "$tap_dir/out" "$tap_dir/err"
    [ "$found" -eq "$status" ] || { echo "exit status $found, not $status"; return 1; }
    [ "$(grep -vc '^anydnn: warning: ' "$tap_dir/err")" -eq 1 ] || { echo "not one line"; return 1; }
    grep -q "^lenet: .*$pattern.*[.?]\$" "$tap_dir/err" || { echo "no sentence with: $pattern"; return 1; }
}

folder
data=$tap_dir/data
check "takes plain and gzipped files" "$lenet" --data "$data" --epochs 1
check "takes names with a dot" sh -c "mv '$data/train-images-idx3-ubyte' '$data/train-images.idx3-ubyte' &&
    '$lenet' --data '$data' --epochs 1"

check "a missing folder" refuses 1 "$tap_dir/none: cannot be opened" --data "$tap_dir/none"
check "a file for a folder" refuses 1 ": not a folder; --data requires" --data "$lenet"
folder
rm "$data/t10k-labels-idx1-ubyte.gz"
check "a missing file" refuses 1 "holds neither t10k-labels-idx1-ubyte nor" --data "$data"

folder
images | head -c 2000 >"$data/train-images-idx3-ubyte"
check "a plain file cut short" refuses 1 \
    "train-images-idx3-ubyte: truncated after 1984 of the 2352 bytes of its items" --data "$data"
images | head -c 9 >"$data/train-images-idx3-ubyte"
check "the sizes cut short" refuses 1 "truncated after 5 of the 12 bytes of its sizes" --data "$data"
: >"$data/train-images-idx3-ubyte"
check "an empty file" refuses 1 "truncated after 0 of the 4 bytes of its header" --data "$data"

folder
images | gzip -c | head -c 40 >"$data/t10k-images-idx3-ubyte.gz"
rm "$data/t10k-images-idx3-ubyte"
check "a gzipped file cut short" refuses 1 "t10k-images-idx3-ubyte.gz: truncated" --data "$data"
images | gzip -c >"$tap_dir/whole.gz"
head -c $(($(wc -c <"$tap_dir/whole.gz") - 4)) "$tap_dir/whole.gz" >"$data/t10k-images-idx3-ubyte.gz"
check "a gzipped file without its check sum" refuses 1 "truncated: .*check sum" --data "$data"
{
    head -c 10 "$tap_dir/whole.gz"
    head -c 60 "$lenet"
} >"$data/t10k-images-idx3-ubyte.gz"
check "a damaged gzip file" refuses 1 "not a valid gzip file" --data "$data"

folder
labels >"$data/train-images-idx3-ubyte"
check "labels for images" refuses 1 "begins with 00 00 08 01; .* 00 00 08 03" --data "$data"
{
    images
    zeros 5
} >"$data/train-images-idx3-ubyte"
check "bytes after the last item" refuses 1 "too long: more bytes follow the 3 items" --data "$data"
{
    header '\003\000\000\000\003\000\000\000\040\000\000\000\040'
    zeros $((3 * 1024))
} >"$data/train-images-idx3-ubyte"
check "images of another size" refuses 1 "images of 32 x 32; this network requires 28 x 28" --data "$data"
{
    header '\003\377\377\377\377\000\000\000\034\000\000\000\034'
} >"$data/train-images-idx3-ubyte"
check "more items than can be" refuses 1 "announces 4294967295 items" --data "$data"

folder
{
    header '\001\000\000\000\002'
    printf '\000\001'
} | gzip -c >"$data/train-labels-idx1-ubyte.gz"
check "fewer labels than images" refuses 1 "holds 2 labels for the 3 images of" --data "$data"
{
    header '\001\000\000\000\003'
    printf '\000\012\001'
} | gzip -c >"$data/train-labels-idx1-ubyte.gz"
check "a label that is no digit" refuses 1 "item 1 is 10; labels are 0 to 9" --data "$data"

check "an unknown option" refuses 2 "--bogus: unknown option" --bogus
check "an option without its value" refuses 2 "--batch: requires a value" --batch
check "an argument" refuses 2 "mnist: arguments are not supported" mnist
check "batch 0" refuses 2 "--batch=0: must be an integer from 1" --batch 0
check "epochs that are no number" refuses 2 "--epochs=three" --epochs three
check "a negative learning rate" refuses 2 "--learning-rate=-1" --learning-rate=-1
check "momentum 1" refuses 2 "--momentum=1: must be a number of at least 0 and below 1" --momentum 1
check "dropout 1" refuses 2 "--dropout=1: must be a number of at least 0 and below 1" --dropout 1
check "a negative seed" refuses 2 "--seed=-1" --seed=-1
check "an unknown type" refuses 2 "--type=quad: must be float" --type quad
check "an unknown math mode" refuses 2 "--math=fast: must be default" --math fast
check "a settings file that is not there" refuses 1 "$tap_dir/none.conf" --config "$tap_dir/none.conf" \
    --train-images 10 --test-images 10
printf '[anydnn]\nlogg = warn\n' >"$tap_dir/wrong.conf"
check "a settings file with a wrong key" refuses 1 "wrong.conf:2: .*logg" --config "$tap_dir/wrong.conf" \
    --train-images 10 --test-images 10
check "a recording with a rate that falls" refuses 2 "--record: requires --schedule constant" --record --schedule cosine
check "a recording in half" refuses 2 "--record: does not support half" --record --type half
check "a recording of half among others" refuses 2 "--record: does not support half" --record --compare default half:tensor_op
check "a device that is not there" refuses 1 "nonesuch" --device nonesuch --train-images 10 \
    --test-images 10
check "help" sh -c "'$lenet' --help | grep -q -e --learning-rate"

# A loss below ln 2 means that fewer than two of the ten digits remain possible on average (guessing has ln 10). With
# these settings the loss reaches half of ln 2.
learns() {
    "$lenet" --device cpu --train-images 2000 --test-images 500 --batch 16 --epochs 3 \
        --learning-rate 0.02 "$@" >"$tap_dir/out" || return 1
    cat "$tap_dir/out"
    # shellcheck disable=SC2016
    $AWK '/^final loss/ { low = $3 < log(2) }
        /^epoch 3\/3: loss/ { right = $6 > 80 }
        END { exit !(low && right) }' "$tap_dir/out"
}
check "it learns to read drawn digits" learns
check "the table names what ran" grep -qE "^convolution_backward_filter .*(onednn|cpu_ref) .*conv1" "$tap_dir/out"
check "a parameter update is one operation on all of them" \
    grep -q "^add_tensor .*update" "$tap_dir/out"
check "it learns with dropout, too" learns --dropout 0.3
check "whose calls are in the table" grep -q "^dropout_backward .*cpu_ref .*dropout" "$tap_dir/out"

# Replayed steps must give the same bits. A short batch and the last batch, whose calls are reported, are not replayed.
replays() {
    "$lenet" --device cpu --train-images 600 --test-images 100 --epochs 2 "$@" >"$tap_dir/calls" &&
        "$lenet" --device cpu --train-images 600 --test-images 100 --epochs 2 "$@" --record >"$tap_dir/replayed" || return 1
    sed -n 's/^final loss //p' "$tap_dir/calls" | tee "$tap_dir/loss"
    [ -s "$tap_dir/loss" ] && grep -F "$(cat "$tap_dir/loss")" "$tap_dir/replayed"
}
check "a step that is recorded and replayed gives the same bits" replays
check "with a batch that divides the images" replays --batch 100
check "with dropout, whose states go on" replays --dropout 0.3
check "in bfloat16" replays --type bfloat16

# 600 images leave a short batch of 24.
final_loss() {
    printf '[anydnn]\nschema = 1\n[plugin cpu_ref]\nset.threads = %s\n[route]\n* = cpu_ref\n' "$1" \
        >"$tap_dir/threads.conf"
    "$lenet" --device cpu --config "$tap_dir/threads.conf" --train-images 600 --test-images 100 \
        --epochs 1 --type "$2" >"$tap_dir/out" || { cat "$tap_dir/out"; return 1; }
    grep '^final loss' "$tap_dir/out"
}
same_for_threads() {
    one=$(final_loss 1 "$1") && two=$(final_loss 2 "$1") && three=$(final_loss 3 "$1") || return 1
    echo "$one / $two / $three"
    [ -n "$one" ] && [ "$one" = "$two" ] && [ "$one" = "$three" ]
}
check "float: the same loss, bit for bit, for 1, 2 and 3 threads" same_for_threads float
check "double: the same loss, bit for bit, for 1, 2 and 3 threads" same_for_threads double
tap_end
