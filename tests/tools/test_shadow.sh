#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks shadow with a rare fault in the training of LeNet: it finds the fault and keeps the call. The call is
# then run again and reduced, with the commands of a user. One call in ANYDNN_TEST_RATE has the fault.
# Needs: tools/anydnn examples/lenet/lenet tests/tools/anydnn_faulty.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
lenet=$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet
built=$ANYDNN_TEST_BUILDDIR/tests/tools/.libs
rate=${ANYDNN_TEST_RATE-11}
images=${ANYDNN_TEST_IMAGES-160}
wrong=$tap_dir/wrong/calls
mkdir "$tap_dir/wrong"

cp "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" "$tap_dir/copy.so"
cat >"$tap_dir/rare.conf" <<END
[anydnn]
plugin_path = $ANYDNN_TEST_PLUGINDIR
[plugin faulty]
module = $built/anydnn_faulty.so
set.copy = $tap_dir/copy.so
set.fault = rare
set.rate = $rate
set.rows = 5
[route]
* = onednn, cpu_ref
convolution_bias_activation_forward = faulty, cpu_ref
END
sed 's/^set.fault = rare/set.fault = none/' "$tap_dir/rare.conf" >"$tap_dir/right.conf"

# train CONF IMAGES SETTING...: trains LeNet with these variables and keeps shadow's summary.
train() {
    conf=$1
    drawn=$2
    shift 2
    env "$@" ANYDNN_SHADOW_SUMMARY=yes ANYDNN_SHADOW_BUDGET=none "$lenet" --config "$conf" --device cpu --epochs 1 \
        --batch 4 --train-images "$drawn" --test-images 8 >"$tap_dir/out" 2>"$tap_dir/err"
}

# count PATTERN: prints the number before PATTERN in the summary.
count() {
    sed -n "s/.*shadow: of .* \([0-9]*\) $1.*/\1/p" "$tap_dir/err"
}

right_is_right() {
    train "$tap_dir/right.conf" "$images" ANYDNN_SHADOW_SAMPLE=every:10 || return 1
    cat "$tap_dir/err"
    [ "$(count compared)" -gt 10 ] && [ "$(count 'of them beyond')" -eq 0 ] && [ "$(count skipped)" -eq 0 ]
}

# Each call of the layer is compared; the first mismatch is reported, all are kept.
fault_is_found() {
    train "$tap_dir/rare.conf" "$images" ANYDNN_SHADOW_SAMPLE=all ANYDNN_SHADOW_OPERATIONS=convolution_bias_activation_forward \
        ANYDNN_SHADOW_ON_MISMATCH=dump ANYDNN_SHADOW_FILE="$wrong" || return 1
    cat "$tap_dir/err"
    found=$(count 'of them beyond')
    [ "$found" -gt 0 ] && [ "$found" -lt "$(count compared)" ] &&
        grep -q 'shadow: faulty, engine .*, against cpu_ref: y\[0,0,0,0\] is .*; 1 of ' "$tap_dir/err" &&
        [ "$(grep -c '	mismatch$' "$wrong")" -eq "$found" ] &&
        [ "$(stat -c %a "$wrong")" = 600 ] && [ "$(stat -c %a "$tap_dir/wrong/1")" = 700 ] &&
        [ "$(stat -c %a "$tap_dir/wrong/1/0.npy")" = 600 ]
}

replayed() {
    "$anydnn" replay --config "$tap_dir/rare.conf" "$wrong" >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says 'faulty:default: 1 of [0-9]* values of y are wrong; \[0,0,0,0\] is' &&
        says 'on the data of dump 1' && says 'repeat it with `anydnn replay .* --line '
}

# Generated numbers do not show the fault; the kept data does.
random_numbers_are_right() {
    [ "$rate" -ge 1000 ] || return 0
    sed 's/	[0-9]*	mismatch$/	-	mismatch/' "$wrong" >"$tap_dir/without"
    "$anydnn" replay --config "$tap_dir/rare.conf" "$tap_dir/without" >"$tap_dir/out" 2>"$tap_dir/err"
}

# One sample, channel, filter and position remain, and the printed command shows the fault again.
reduced() {
    "$anydnn" replay --reduce --config "$tap_dir/rare.conf" "$wrong" >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says '^reduced in [0-9]* runs to: convolution_bias_activation_forward x=f32:1,1,[0-9]*,[0-9]*:.* y=f32:1,1,1,1:' ||
        return 1
    command=$(sed -n 's/^  repeat it with: anydnn \(.*\)$/\1/p' "$tap_dir/out")
    eval "\"$anydnn\" $command" >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says '^1 calls, 1 of them distinct.*; 1 problems beyond'
}

# damage COMMAND...: changes the first dump's x with COMMAND, in $file; replay must name the file and continue.
damaged() {
    rm -rf "$tap_dir/damaged"
    cp -R "$tap_dir/wrong" "$tap_dir/damaged"
    # shellcheck disable=SC2034
    file=$tap_dir/damaged/1/0.npy
    eval "$1" || return 1
    "$anydnn" replay --config "$tap_dir/rare.conf" --line 2 "$tap_dir/damaged/calls" >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says "/damaged/1/0.npy: $2"
}

check "results of right backends are within their bounds" right_is_right
check "a rare fault is found, reported and stored" fault_is_found
check "replay shows it on the stored data" replayed
check "it does not show on generated numbers" random_numbers_are_right
check "it is reduced, and the printed command repeats it" reduced
# shellcheck disable=SC2016
{
    check "a dump that is missing" damaged 'rm "$file"' 'No such file'
    check "a dump that is cut" damaged 'truncate -s -1 "$file"' 'must hold an array with the type and size of operand x'
    check "a dump that is longer" damaged 'printf x >>"$file"' 'must hold an array with the type and size of operand x'
    check "a dump that is empty" damaged ': >"$file"' 'must hold an array with the type and size of operand x'
    check "a dump of another type" damaged 'cp "$file" "$file.new" && sed s/f4/i4/ "$file.new" >"$file"' 'must hold an array with the type and size of operand x'
    check "a dump that is a link" damaged 'mv "$file" "$file.new" && ln -s "$file.new" "$file"' 'Too many levels'
    check "a dump that is a FIFO" damaged 'rm "$file" && mkfifo "$file"' 'must hold an array with the type and size of operand x'
    check "a dump that is a folder" damaged 'rm "$file" && mkdir "$file"' 'must hold an array with the type and size of operand x'
}
tap_end
