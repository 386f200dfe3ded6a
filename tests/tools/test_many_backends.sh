#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks more than 64 backends: only the one that failed is skipped, even if 64 more precede it.
# Needs: tools/anydnn tests/verify/wrong/anydnn_wrong.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
wrong=$ANYDNN_TEST_BUILDDIR/tests/verify/wrong/.libs/anydnn_wrong.so

# wrong_fails fails when it runs; the other 79 succeed. All are copies of one file.
make_all() {
    mkdir "$tap_dir/plugins" && cp "$wrong" "$tap_dir/plugins/anydnn_wrong_fails.so" || return 1
    number=1
    while [ $number -lt 80 ]; do
        name=$(printf 'many_%02d' $number)
        cp "$wrong" "$tap_dir/plugins/anydnn_$name.so" || return 1
        number=$((number + 1))
    done
}

# falls_back_to FIRST LAST: checks that each of these backends runs if it is next in the route.
falls_back_to() {
    number=$1
    while [ "$number" -le "$2" ]; do
        name=$(printf 'many_%02d' "$number")
        ANYDNN_ROUTE=wrong_fails,$name ANYDNN_PLUGIN_PATH=$tap_dir/plugins "$anydnn" run 'scale_tensor y=f32:2,3 alpha=2' \
            >"$tap_dir/out" 2>&1
        if ! grep -q "^backend: *$name," "$tap_dir/out"; then
            echo "wrong_fails, then $name:"
            cat "$tap_dir/out"
            return 1
        fi
        number=$((number + 1))
    done
}

# 80 backends are opened.
named_by_rules() {
    {
        echo '[route]'
        echo '* = wrong_fails, many_64'
        number=1
        for operation in activation_forward activation_backward add_tensor op_tensor reduce_tensor set_tensor; do
            list=
            for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
                list=$list${list:+, }$(printf 'many_%02d' $number)
                number=$((number + 1))
            done
            echo "$operation = $list"
        done
    } >"$tap_dir/conf"
    ANYDNN_CONFIG=$tap_dir/conf ANYDNN_PLUGIN_PATH=$tap_dir/plugins "$anydnn" run 'scale_tensor y=f32:2,3 alpha=2' \
        >"$tap_dir/out" 2>&1
    grep -q '^backend: *many_64,' "$tap_dir/out" && return 0
    cat "$tap_dir/out"
    return 1
}

check '80 backends' make_all
check 'each of the last 24 runs after the first has failed' falls_back_to 56 79
check 'also if rules name them all' named_by_rules
tap_end
