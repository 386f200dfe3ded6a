#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests cuda_tensorcore compiled for the host's processor (emulator/), including its matrix instructions, by
# anydnn verify and the list of problems in tests/gpu. tests/gpu/run tests what requires a GPU, and
# test_engines.sh what takes longer.
# Needs: tools/anydnn tests/cuda/settled tests/cuda/emulated
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

folder=emulated
. "$ANYDNN_TEST_SRCDIR/tests/cuda/tensorcore.sh"

# listed: the backend runs each problem of the list with the results of cpu_ref.
listed() {
    on "$anydnn" run --repeat 2 --check cpu_ref - <"$list"
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

# settled: calls of one plan may differ in factors and in the addresses of results. Only this backend is on the
# device.
settled() {
    ANYDNN_PLUGIN_PATH=$built:$ANYDNN_TEST_PLUGINDIR ANYDNN_ROUTE=cuda_tensorcore,cpu_ref \
        ANYDNN_FALLBACK=off "$ANYDNN_TEST_BUILDDIR/tests/cuda/settled" cuda_tensorcore
}

# capabilities: each kernel declares the compute capability that its instructions require (docs/kernels.md). wgmma
# and the copy engine require 9.0. cp.async and mma.sync of bfloat16 and TF32 require 8.0. mma.sync of half and
# of integers requires 7.5.
capabilities() {
    "$emulated/list_kernels" >"$tap_dir/declared" && [ -s "$tap_dir/declared" ] || return 1
    awk '{
        family = int($1 / 256)
        is_half = int($1 / 64) % 4 == 0
        wanted = family == 6 ? 90 : family == 5 || (family == 1 && is_half) ? 75 : 80
        if ($2 != wanted) {
            print "kernel " $1 " declares " $2 ", not " wanted
            wrong = 1
        }
    } END { exit wrong }' "$tap_dir/declared"
}

# families: code that chooses a kernel and makes its plan reads the kernel's row and names no family.
families() {
    cd "$ANYDNN_TEST_SRCDIR/plugins/cuda_tensorcore" || return 1
    ! grep -niE 'ampere|hopper|TC_(MMA|AMPERE|FIRST|GROUPS|INT8|HOPPER|NARROW)[^A-Z_]' choice/*.[ch] layout/*.c \
        convolution.cu check.c plugin.c
}

# arranges: each problem is offered engines that copy the operands that 16-byte accesses cannot read. Other
# engines copy both operands, for operands at any address. Bits from 48 on of an engine's number name the copies.
arranges() {
    while read -r wanted problem; do
        on "$anydnn" explain "$problem" </dev/null
        sed -n 's/^ *engine \([0-9]*\):.*/\1/p' "$tap_dir/out" | while read -r number; do
            echo $((number >> 48))
        done | sort -nu | tr '\n' ' ' >"$tap_dir/bits"
        test "$(cat "$tap_dir/bits")" = "$(echo "$wanted" | tr , ' ') " || {
            echo "$problem: arrangements $(cat "$tap_dir/bits"), not $wanted"
            return 1
        }
    done <<'end'
0,3 convolution_forward x=f16:2,16,7,9:nhwc w=f16:8,16,3,3:nhwc y=f16:2,8,5,7:nhwc math=tensor_op
0,1,3 convolution_forward x=f16:2,16,7,9:nchw w=f16:8,16,3,3:nhwc y=f16:2,8,5,7:nchw math=tensor_op
0,2,3 convolution_forward x=f16:2,16,7,9:nhwc w=f16:8,16,3,3:nchw y=f16:2,8,5,7:nhwc math=tensor_op
0,3,7 convolution_forward x=f16:2,9,7,9:nhwc w=f16:8,9,3,3:nhwc y=f16:2,8,5,7:nhwc math=tensor_op
0,2,3 convolution_backward_data w=f16:8,9,3,3:nhwc dy=f16:2,8,5,7:nhwc dx=f16:2,9,7,9:nhwc math=tensor_op
0,2,3 convolution_backward_filter x=f16:2,16,7,9:nhwc dy=f16:2,9,5,7:nhwc dw=f16:9,16,3,3:nhwc math=tensor_op
0,3,34 convolution_backward_data w=f32:68,36,3,2:nhwc dy=f32:2,68,9,8:nhwc dx=f32:2,36,9,9:nhwc pad=1,1 dilation=1,3 math=allow_conversion
end
}

# map_limits: kernels that read by tensor maps (family 6), without copies of operands, are offered within the
# limits of maps and not beyond. At these limits their results are right.
map_limits() {
    : >"$tap_dir/list"
    while read -r wanted problem; do
        on "$anydnn" explain "$problem" </dev/null
        found=$(sed -n 's/^ *engine \([0-9]*\):.*/\1/p' "$tap_dir/out" |
            awk '$1 < 2 ^ 48 && int($1 / 16777216) == 6 { found = 1 } END { print found + 0 }')
        test "$found" = "$wanted" || {
            echo "$problem: kernels by maps: $found, not $wanted"
            return 1
        }
        [ "$wanted" = 0 ] || echo "$problem" >>"$tap_dir/list"
    done <<'end'
1 convolution_backward_filter x=f16:1,64,20,9:nhwc dy=f16:1,64,3,9:nhwc dw=f16:64,64,3,3:nhwc pad=1,1 stride=8,1 math=tensor_op
0 convolution_backward_filter x=f16:1,64,20,9:nhwc dy=f16:1,64,3,9:nhwc dw=f16:64,64,3,3:nhwc pad=1,1 stride=9,1 math=tensor_op
1 convolution_backward_filter x=f16:1,64,4,4:nhwc dy=f16:1,64,258,4:nhwc dw=f16:64,64,1,1:nhwc pad=127,0 math=tensor_op
0 convolution_backward_filter x=f16:1,64,4,4:nhwc dy=f16:1,64,260,4:nhwc dw=f16:64,64,1,1:nhwc pad=128,0 math=tensor_op
1 convolution_backward_filter x=f16:1,64,4,4:nhwc dy=f16:1,64,258,4:nhwc dw=f16:64,64,3,1:nhwc pad=128,0 math=tensor_op
0 convolution_backward_filter x=f16:1,64,4,4:nhwc dy=f16:1,64,258,4:nhwc dw=f16:64,64,5,1:nhwc pad=129,0 math=tensor_op
1 convolution_backward_filter x=f16:1,64,8,3:nhwc dy=f16:1,64,7,3:nhwc dw=f16:64,64,2,1:nhwc pad=127,0 dilation=255,1 math=tensor_op
0 convolution_backward_filter x=f16:1,64,8,3:nhwc dy=f16:1,64,8,3:nhwc dw=f16:64,64,2,1:nhwc pad=128,0 dilation=256,1 math=tensor_op
1 convolution_backward_filter x=f16:2,12,5,7:560,1,112,16 dy=f16:2,16,5,7:nhwc dw=f16:16,12,1,1:nhwc math=tensor_op
1 convolution_backward_filter x=f16:1,84,1,1:nhwc dy=f16:1,10,1,1:nhwc dw=f16:10,84,1,1:nhwc math=tensor_op
0 convolution_backward_filter x=f16:2,10,5,7:560,1,112,16 dy=f16:2,16,5,7:nhwc dw=f16:16,10,1,1:nhwc math=tensor_op
0 convolution_backward_filter x=f16:2,64,5,7:nhwc dy=f16:2,64,5,7:2560,1,512,64 dw=f16:64,64,1,1:nhwc math=tensor_op
1 convolution_backward_data w=f16:64,64,3,3:nhwc dy=f16:1,64,4,5:nhwc dx=f16:1,64,8,10:nhwc pad=1,1 stride=2,2 math=tensor_op
0 convolution_backward_data w=f16:64,64,3,3:nhwc dy=f16:1,64,5,5:nhwc dx=f16:1,64,9,10:nhwc pad=1,1 stride=2,2 math=tensor_op
1 convolution_backward_data w=f16:64,64,3,3:nhwc dy=f16:1,64,2,10:nhwc dx=f16:1,64,8,10:nhwc pad=1,1 stride=4,1 math=tensor_op
0 convolution_backward_data w=f16:64,64,3,3:nhwc dy=f16:1,64,3,5:nhwc dx=f16:1,64,9,10:nhwc pad=1,1 stride=3,2 math=tensor_op
1 convolution_forward x=f32:2,36,5,7:nhwc w=f32:32,36,1,1:nhwc y=f32:2,32,5,7:nhwc math=allow_conversion
0 convolution_forward x=f32:2,34,5,7:nhwc w=f32:32,34,1,1:nhwc y=f32:2,32,5,7:nhwc math=allow_conversion
1 convolution_forward x=f32:2,36,5,7:nhwc w=f32:32,36,1,1:nhwc y=f32:2,32,5,7:nhwc math=split
0 convolution_forward x=f32:2,34,5,7:nhwc w=f32:32,34,1,1:nhwc y=f32:2,32,5,7:nhwc math=split
0 convolution_backward_data w=f32:32,36,3,3:nhwc dy=f32:2,32,5,7:nhwc dx=f32:2,36,5,7:nhwc pad=1,1 math=allow_conversion
1 convolution_backward_data w=f32:32,36,3,3:1,288,96,32 dy=f32:2,32,5,7:nhwc dx=f32:2,36,5,7:nhwc pad=1,1 math=allow_conversion
0 convolution_backward_filter x=f32:2,64,5,7:nhwc dy=f32:2,64,5,7:nhwc dw=f32:64,64,1,1:nhwc math=allow_conversion
1 convolution_forward x=u8:2,144,5,7:nhwc w=s8:32,144,1,1:nhwc y=s8:2,32,5,7:nhwc compute=s32 math=tensor_op
0 convolution_forward x=s8:2,136,5,7:nhwc w=s8:32,136,1,1:nhwc y=s8:2,32,5,7:nhwc compute=s32 math=tensor_op
end
    on "$anydnn" run --check cpu_ref - <"$tap_dir/list"
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

# odd_rows: also with tensor maps, rows of results may end at any byte, and results may begin at any address.
odd_rows() {
    while read -r problem; do
        verified --problem "$problem" || return 1
    done <<'end'
convolution_forward x=f16:1,64,4:nchw w=f16:1,64,2:55,6,2 y=f16:1,1,1:nchw pad=1 stride=5 dilation=5 math=tensor_op
convolution_backward_data w=f16:33,7,1:nchw dy=f16:1,33,3:nchw dx=f16:1,7,1:nchw pad=1 dilation=2 math=tensor_op
convolution_bias_activation_forward x=bf16:1,15,1:32,3,19 w=bf16:1,15,3:39,3,1 z=bf16:1,1,1:82,17,49 bias=bf16:1,1,1:3,3,26 y=bf16:1,1,1:82,17,49 pad=1 activation=relu math=tensor_op alias=y:z
end
}

# block_order: no block waits for one that may not be resident. Blocks run one after another here, in reverse
# order, so a block that waits for an earlier one never ends. The other tests run them in forward order.
block_order() {
    EMULATOR_LAST_BLOCK_FIRST=1 on timeout 120 "$anydnn" run --check cpu_ref - <<'end'
convolution_forward x=f16:3,72,20,18:nhwc w=f16:136,72,1,1:nhwc y=f16:3,136,20,18:nhwc math=tensor_op
convolution_forward x=f16:1,512,4,4:nhwc w=f16:64,512,3,3:nhwc y=f16:1,64,4,4:nhwc pad=1,1 math=tensor_op
convolution_backward_data w=f16:72,40,3,3:nhwc dy=f16:2,72,8,7:nhwc dx=f16:2,40,16,14:nhwc pad=1,1 stride=2,2 math=tensor_op
convolution_backward_filter x=f16:3,72,20,18:nhwc dy=f16:3,136,20,18:nhwc dw=f16:136,72,1,1:nhwc math=tensor_op
convolution_backward_filter x=f32:3,20,9,7:nhwc dy=f32:3,132,9,8:nhwc dw=f32:132,20,3,2:nhwc pad=1,1 math=allow_conversion
convolution_forward x=f32:2,68,9,11:nhwc w=f32:36,68,3,2:nhwc y=f32:2,36,9,6:nhwc pad=1,2 stride=1,2 dilation=1,3 math=split
convolution_backward_filter x=f16:2,64,8,8:nhwc dy=f16:2,64,8,8:nhwc dw=f16:64,8,3,3:nhwc pad=1,1 groups=8 math=tensor_op
end
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

# floats FILE BITS...: writes floats, given by their bits in hexadecimal.
floats() {
    file=$1
    shift
    for bits; do
        for shift in 0 8 16 24; do
            printf %b "\\0$(printf %o $((0x$bits >> shift & 255)))"
        done
    done >"$file"
}

# product MATH CHANNELS: prints the bits of the products of file x, a row of pixels with CHANNELS channels, and
# file w, one filter.
product() {
    positions=$(($(wc -c <"$tap_dir/x") / 4 / $2))
    on "$anydnn" run --in x="$tap_dir/x" --in w="$tap_dir/w" --out y="$tap_dir/y" \
        "convolution_forward x=f32:1,$2,1,$positions:nhwc w=f32:1,$2,1,1:nhwc math=$1" ||
        cat "$tap_dir/out"
    od -An -v -t x4 "$tap_dir/y" | tr -s ' \n' ' '
}

# modes: computes 1.0001 * 1.0001 + 1 * 1. TF32 holds 1.001, and nothing between it and 1.
modes() {
    floats "$tap_dir/x" 3f800347 3f800000
    floats "$tap_dir/w" 3f800347 3f800000
    test "$(product allow_conversion 2)" = " 40000000 " &&
        test "$(product split 2)" = " 40000347 "
}

# exponents: numbers of up to 23 bits and any exponent, multiplied by 1, are unchanged. This holds without
# numbers so large that the step is computed in float, with such numbers, and with infinities.
exponents() {
    few="00000001 80000003 00400001 007fffff 00800000 0d7ffffe 3f800346 52000000"
    large="$few 7f7fffff ff7ff000 7f000000"
    floats "$tap_dir/w" 3f800000 00000000 00000000 00000000
    for numbers in "$few" "$large" "$large 7f800000 ff800000"; do
        zeros=$(printf '%s' "$numbers" | sed 's/[0-9a-f]\{8\}/00000000/g')
        # shellcheck disable=SC2086 # words of a list
        floats "$tap_dir/x" $numbers $zeros $zeros $zeros
        test "$(product split 4)" = " $numbers " || {
            echo "$(product split 4) is not $numbers"
            return 1
        }
    done
    floats "$tap_dir/w" 3f800000 00000000
    floats "$tap_dir/x" 7fc00000 3f800000 00000000 00000000
    case $(product split 2) in
    " "[7f]f[c-f]*" 3f800000 ") ;;
    *) return 1 ;;
    esac
}

# halves FILE FIRST BITS REST MORE: writes FIRST halves with the bits BITS, then REST halves with the bits MORE.
halves() {
    awk -v n="$2" -v m="$4" 'BEGIN { while (n-- > 0) print "a"; while (m-- > 0) print "b" }' |
        sed "s/a/\\\\0000\\\\0$3/; s/b/\\\\0000\\\\0$5/" | while read -r half; do
        printf %b "$half"
    done >"$1"
}

# apart ROLE FIRST OTHERS OUT BYTES PROBLEM: the FIRST numbers of an operand belong to the first group. If they
# are infinities instead of ones, the last BYTES of the output, those of the other groups, do not change.
apart() {
    role=$1 first=$2 others=$3 out=$4 bytes=$5 problem=$6
    halves "$tap_dir/ones" "$first" 074 "$others" 074
    halves "$tap_dir/infinities" "$first" 174 "$others" 074
    for file in ones infinities; do
        on "$anydnn" run --in "$role=$tap_dir/$file" --out "$out=$tap_dir/$file.out" "$problem" || {
            cat "$tap_dir/out"
            return 1
        }
        tail -c "$bytes" "$tap_dir/$file.out" >"$tap_dir/$file.rest"
    done
    cmp "$tap_dir/ones.rest" "$tap_dir/infinities.rest" && ! cmp -s "$tap_dir/ones.out" "$tap_dir/infinities.out"
}

# groups_apart: tests 16 channels of 3 x 3 pixels with filters of 3 x 3.
groups_apart() {
    for channels in 4 8; do
        tensors="groups=$((16 / channels)) pad=1,1 math=tensor_op"
        rest=$((16 - channels))
        x=f16:1,16,3,3:nhwc w=f16:16,$channels,3,3:nhwc
        apart x $((channels * 9)) $((rest * 9)) y $((rest * 18)) \
            "convolution_forward x=$x w=$w y=$x $tensors" &&
            apart dy $((channels * 9)) $((rest * 9)) dx $((rest * 18)) \
                "convolution_backward_data w=$w dy=$x dx=$x $tensors" &&
            apart x $((channels * 9)) $((rest * 9)) dw $((rest * channels * 18)) \
                "convolution_backward_filter x=$x dy=$x dw=$w $tensors" || return 1
    done
}

# declined_products: products without a kernel are declined, each with its reason.
declined_products() {
    while IFS='|' read -r reason problem; do
        on "$anydnn" run "matmul $problem" && return 1
        grep -q "$reason" "$tap_dir/out" || {
            cat "$tap_dir/out"
            return 1
        }
    done <<'EOS'
have no GELU|a=f16:8,16 b=f16:16,8 bias=f16:1,8 activation=gelu math=tensor_op
does not store aux|a=f16:8,16 b=f16:16,8 aux=f16:8,8 math=tensor_op
only beside a bias|a=f16:8,16 b=f16:16,8 activation=relu math=tensor_op
a bias that is a row|a=f16:8,16 b=f16:16,8 bias=f16:8,1 math=tensor_op
matrices of one type|a=f16:8,16 b=f16:16,8 d=f32:8,8 math=tensor_op
up to 128; there are 129|a=f16:129,8,16 b=f16:129,16,8 math=tensor_op
multiples of 16 bytes|a=f16:3,7,7 b=f16:3,7,7 math=tensor_op
default math|a=f16:8,16 b=f16:16,8
EOS
}

check "it compiles for the host's processor" compiled
check "verify --small passes a sixth of its cases" verified --small --shard 1/6 --op 'convolution_*'
check "verify --quick passes its matrix products" verified --quick --op matmul
check "products without a kernel are declined" declined_products
check "the problems of tests/gpu/smallest_tensorcore.txt run" listed
check "blocks run in either order" block_order
check "calls of one plan may differ in factors and addresses" settled
check "1.0001 in allow_conversion and in split" modes
check "split: the whole range of float" exponents
check "groups do not mix" groups_apart
check "arranged operands: operands are copied only if they cannot be read" arranges
check "by tensor maps: problems beyond the limits of maps get other kernels" map_limits
check "by tensor maps: rows of any length, results anywhere" odd_rows
check "each kernel declares the capability that it needs" capabilities
check "the choice of a kernel names no family" families
check "the list reaches every kernel" every_kernel
check "every kernel is right" kernels 1
tap_end
