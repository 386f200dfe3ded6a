#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares long sums of onednn with cpu_ref's: gradients of filters in parts (plugins/onednn/conv_parts.c), and
# sums of batch normalization in the processor's vectors (batch_norm_sums.c). Also checks
# normalizations over other sets, and matrix products in any layout.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

if [ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    echo "1..0 # SKIP built without onednn"
    exit 0
fi
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn

# settings THREADS: writes settings for a run on onednn.
settings() {
    printf '%s\n' '[anydnn]' "plugin_path = $ANYDNN_TEST_PLUGINDIR" 'fallback = off' '[plugin onednn]' \
        "set.threads = $1" '[route]' '* = onednn' >"$tap_dir/conf"
}

# compare OPERATION OPTION...: runs the problems of standard input, each the rest of a line.
compare() {
    sed "s/^/$1 /" >"$tap_dir/problems"
    shift
    ANYDNN_CONFIG="$tap_dir/conf" "$anydnn" run --check cpu_ref "$@" - <"$tap_dir/problems" >"$tap_dir/out" 2>"$tap_dir/err" ||
        says 'nothing like this'
}

# Sums of multiples of 1/8, and their parts, are exact, so a missing or repeated term is detected. Sums are divided by
# images, by rows and by both. Rows without input have no part, and the last part may be shorter.
exact() {
    compare convolution_backward_filter --tolerance 0 <<'EOF'
x=f32:3,5,67,61 dy=f32:3,4,68,61 dw=f32:4,5,2,1 pad=1,0
x=f32:1,3,330,330 dy=f32:1,4,328,328 dw=f32:4,3,3,3
x=f32:2,3,2600 dy=f32:2,4,2602 dw=f32:4,3,3 pad=2
x=f32:1,1,9000,3 dy=f32:1,2,9000,1 dw=f32:2,1,3,3 pad=1,0
x=f32:1,2,90,90 dy=f32:1,3,286,286 dw=f32:3,2,5,5 pad=100,100
x=f32:3,16,150,151:nhwc dy=f32:3,16,75,76:nhwc dw=f32:16,16,3,3:nhwc pad=1,1 stride=2,2 mode=convolution
x=bf16:2,8,100,100 dy=bf16:2,12,92,92 dw=bf16:12,4,3,3 dilation=4,4 groups=2
x=f16:5,8,50,50:nhwc dy=f16:5,8,50,50:nhwc dw=f16:8,1,3,3:nhwc groups=8 pad=1,1 alpha=0.5 beta=-1
x=f32:1,3,30,31,32 dy=f32:1,4,30,31,32 dw=f32:4,3,3,3,3 pad=1,1,1
x=f32:2,3,5,90,91:nhwc dy=f32:2,16,5,90,91 dw=f32:16,3,3,3,3 pad=1,1,1
x=f32:6000,8,2,2 dy=f32:6000,8,1,1 dw=f32:8,8,2,2
EOF
}

# A part has at most 32,768 terms, so its relative error is 0.3 * 2^-24 * sqrt(32768) = 3.2e-6. Undivided sums of
# 394,272 terms have 1.06e-5.
rounded() {
    compare convolution_backward_filter --inputs normal --tolerance 4e-6 <<'EOF'
x=f32:8,12,224,224 dy=f32:8,4,222,222 dw=f32:4,12,3,3
x=f32:8,12,224,224:nhwc dy=f32:8,4,222,222:nhwc dw=f32:4,12,3,3:nhwc
x=f32:1,2,9,220,220 dy=f32:1,3,9,220,220 dw=f32:3,2,1,3,3 pad=0,1,1
EOF
}

# The mean and the variance are sums in double, so y has only its own few rounding errors. The cases have 37 channels
# (two vectors of 16 and a part of one), rows of several blocks, and runs that fill no whole number of vectors.
normalized() {
    compare batch_normalization_training --inputs normal --tolerance 2e-7 <<'EOF'
x=f32:3,37,7,5:nhwc epsilon=1e-5
x=f32:3,37,7,5 epsilon=1e-5
x=f32:40,16,1,1:nhwc epsilon=1e-5
x=f32:2,3,3,5 epsilon=1e-5
x=f32:5,33,2,3:nhwc mode=per_activation epsilon=1e-5
EOF
}

# The statistics of a set are sums in double, too. The sets are rows, groups of neighbouring channels, and dims that
# are not adjacent in memory.
sets() {
    compare normalization_forward --inputs normal --tolerance 2e-7 <<'EOF'
x=f32:2,300000 kind=layer axes=1 epsilon=1e-5
x=f32:2,24,17,19 kind=group groups=8 epsilon=1e-5
x=f32:2,24,17,19:nhwc kind=group groups=8 epsilon=1e-5
x=f32:3,37,7,5 kind=layer axes=1 epsilon=1e-5
x=f32:3,37,7,5 kind=layer axes=0,3 epsilon=1e-5
EOF
}

# Gradients of scale and bias are sums in double, in pieces that threads share. That of x is a sum of at most 12,285
# terms in float, with an error of 0.3 * 2^-24 * sqrt(12285) = 2e-6.
set_gradients() {
    compare normalization_backward --inputs normal --tolerance 2e-6 <<'EOF'
x=f32:5000,64 scale=f32:1,64 dscale=f32:1,64 dbias=f32:1,64 kind=layer axes=1 epsilon=1e-5 without=bias,dsum
x=f32:8,24,65,63 scale=f32:1,24,1,1 dscale=f32:1,24,1,1 dbias=f32:1,24,1,1 kind=group groups=8 epsilon=1e-5 without=bias,dsum
EOF
}

# Rows and columns of one element may have any stride, which oneDNN's gemm refuses to run in some layouts. Products of
# whole numbers are exact.
products() {
    compare matmul --tolerance 0 <<'EOF'
a=f32:2,1,17:nhwc b=f32:1,17,8:nhwc
a=f32:1,9:3,4 b=f32:9,1:4,3
a=f32:9,1:1,1 b=f32:1,5:1,1
a=f32:3,1,9:nhwc b=f32:3,9,33:621,69,2
a=f32:1,1,1 b=f32:2,1,7:7,1,1
a=f32:3,1,4,5 b=f32:1,2,5,6:60,30,1,5 d=f32:3,2,4,6:48,24,1,4 activation=relu
a=f16:65,130 b=f16:130,67:1,130 bias=f32:1,67 d=f32:65,67
EOF
}

# Sums of int8 in groups: oneDNN's gemm was wrong if the filters were not a multiple of 4. Accepted cases must be right.
integers() {
    sed -i 's/^fallback = off/fallback = on/; s/^\* = onednn$/* = onednn, cpu_ref/' "$tap_dir/conf"
    compare convolution_forward --tolerance 0 <<'EOF'
x=s8:1,192,2 w=s8:21,64,4 pad=2 groups=3 mode=convolution compute=s32
x=s8:2,32,6 w=s8:8,8,1 groups=4 compute=s32
x=s8:1,128,4,5:nhwc w=s8:18,64,2,2:nhwc pad=1,1 groups=2 compute=s32
x=s8:1,128,4,5:nhwc w=s8:24,64,2,2:nhwc pad=1,1 groups=2 compute=s32
x=u8:1,192,2 w=s8:21,64,4 pad=2 groups=3 compute=s32
EOF
}

for threads in 1 2; do
    settings $threads
    check "divided sums are exact, $threads threads" exact
    check "long sums have the error of short ones, $threads threads" rounded
    check "channels in vectors have their mean and variance, $threads threads" normalized
    check "sets have their mean and variance, $threads threads" sets
    check "gradients of parameters of sets, $threads threads" set_gradients
    check "products in any layout, $threads threads" products
    check "int8 in groups, $threads threads" integers
done
tap_end
