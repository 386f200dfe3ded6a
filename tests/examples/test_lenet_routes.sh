#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests a route: two lines of INI run LeNet's convolutions on onednn and all other operations on cpu_ref. The same
# program must run without oneDNN's library, and without the backend.
# Needs: examples/lenet/lenet tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

backend=$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so
[ -e "$backend" ] || {
    skip "a route at work" "the backend onednn is not built (libdnnl-dev)"
    tap_end
    exit 0
}

# Makes a separate prefix, whose plugins can be removed.
mkdir -p "$tap_dir/bin" "$tap_dir/lib/anydnn/plugins"
cp "$ANYDNN_TEST_BUILDDIR"/.libs/libanydnn.so.* "$tap_dir/lib"
for name in tools/.libs/anydnn examples/lenet/.libs/lenet; do
    cp "$ANYDNN_TEST_BUILDDIR/$name" "$tap_dir/bin"
done
for name in cpu_ref onednn; do
    cp -L "$ANYDNN_TEST_PLUGINDIR/anydnn_$name.so" "$tap_dir/lib/anydnn/plugins"
done
LD_LIBRARY_PATH=$tap_dir/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
ANYDNN_CONFIG=$tap_dir/route.conf
export LD_LIBRARY_PATH ANYDNN_CONFIG

routes() {
    printf '[route]\n* = cpu_ref\nconvolution_* = onednn, cpu_ref\n'
}

# lenet: trains LeNet for one epoch, with its output in $tap_dir/out and its warnings in $tap_dir/err.
lenet() {
    "$tap_dir/bin/lenet" --device cpu --epochs 1 --train-images 640 --test-images 100 \
        >"$tap_dir/out" 2>"$tap_dir/err"
}

# table PATTERN BACKEND: succeeds if there are rows of matching operations, and all of them name that backend.
table() {
    sed -n '/^operation /,/^$/p' "$tap_dir/out" | grep -E "^($1) " >"$tap_dir/rows"
    cat "$tap_dir/out" "$tap_dir/err"
    [ -s "$tap_dir/rows" ] && ! grep -vE "^[a-z_]+ +$2 " "$tap_dir/rows"
}

convolutions='convolution_[a-z_]*'
others='pooling_[a-z]*|softmax_[a-z]*|activation_backward|add_tensor'

routes >"$ANYDNN_CONFIG"
check "LeNet trains" lenet
check "its convolutions run on onednn" table "$convolutions" onednn
check "all else runs on cpu_ref" table "$others" cpu_ref
check "without a warning" test ! -s "$tap_dir/err"
cp "$tap_dir/out" "$tap_dir/with"

{
    routes
    printf '[plugin onednn]\nset.library = /nonexistent/libdnnl.so.0\n'
} >"$ANYDNN_CONFIG"
check "without oneDNN's library LeNet trains" lenet
check "its convolutions run on cpu_ref" table "$convolutions" cpu_ref
check "one warning names the library" sh -c "cat '$tap_dir/err'
    [ \$(wc -l <'$tap_dir/err') -eq 1 ] && grep -q /nonexistent/libdnnl.so.0 '$tap_dir/err'"
check "the record names it too" grep -q 'skipped: onednn: .*/nonexistent/libdnnl.so.0' "$tap_dir/out"

routes >"$ANYDNN_CONFIG"
rm "$tap_dir/lib/anydnn/plugins/anydnn_onednn.so"
check "without the backend LeNet trains" lenet
check "its convolutions run on cpu_ref as well" table "$convolutions" cpu_ref
check "explain names the missing backend" sh -c "'$tap_dir/bin/anydnn' explain --device cpu \
    convolution_forward x=f32:1,2,5,5 w=f32:3,2,3,3 | tee '$tap_dir/explained'
    grep -A 1 '^  onednn\$' '$tap_dir/explained' | grep -q 'skipped: not installed'"

tap_end
