#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests README.md: the backends that run its cuDNN 7 program, the output of `anydnn explain`, the ratios in
# bench/results, and the data of the picture. Links of all pages must lead to files that exist. The backquotes are
# Markdown's.
# Needs: tools/anydnn
# shellcheck disable=SC2016
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

top=$ANYDNN_TEST_SRCDIR
readme=$top/README.md
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
libraries=$ANYDNN_TEST_BUILDDIR/.libs
results=$top/bench/results

# block PATTERN: prints README's first block between ``` that matches the pattern.
block() {
    awk -v pattern="$1" '
        /^```/ { if (inside && found) { printf "%s", text; exit } inside = !inside; text = ""; found = 0; next }
        inside { text = text $0 "\n"; if ($0 ~ pattern) found = 1 }' "$readme"
}

# Runs the program with README's settings. Each forward operation must run on the backend that README shows.
program_runs() {
    # shellcheck disable=SC2086
    ${CC:-cc} -I"$top/tests/porting/stub" -I"$top/include" -I"$ANYDNN_TEST_BUILDDIR/include" \
        -I"$top/include/anydnn/cudnn7" "$top/tests/porting/network.c" -L"$libraries" -lanydnn -lm \
        -o "$tap_dir/network" || return 1
    block '^convolution_forward = ' >"$tap_dir/layers.conf"
    ANYDNN_CONFIG=$tap_dir/layers.conf ANYDNN_DEVICE=cpu ANYDNN_LOG=info LD_LIBRARY_PATH=$libraries \
        "$tap_dir/network" 2>&1 >/dev/null |
        sed -n 's/^anydnn: info: \(plan: .* for [a-z_]*_forward\) .*/\1/p' | sort -u >"$tap_dir/plans"
    block '^plan: ' | diff - "$tap_dir/plans"
}

explains() {
    block '^[$] .*anydnn explain' >"$tap_dir/shown"
    command=$(sed -n '1s/^[$] //p' "$tap_dir/shown")
    (PATH=$(dirname "$anydnn"):$PATH; export PATH; ANYDNN_DEVICE=cpu sh -c "$command") >"$tap_dir/got" || return 1
    sed 1d "$tap_dir/shown" | diff - "$tap_dir/got"
}

# The other examples must be valid problems, too.
examples_parse() {
    grep '^anydnn explain' "$readme" >"$tap_dir/commands" || return 1
    while read -r _ rest; do
        # shellcheck disable=SC2086
        "$anydnn" $rest >"$tap_dir/got" 2>&1 || { cat "$tap_dir/got"; return 1; }
    done <"$tap_dir/commands"
}

# ratios CSV OURS THEIRS: prints "forward | data | filter", the geometric mean ratios over the layers that both ran.
ratios() {
    awk -v ours="$2" -v theirs="$3" '
        BEGIN { FS = "," }
        FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["outcome"] == "ran" { time[$c["operation"], $c["layer"], $c["backend"] ":" $c["math"]] = $c["time_us"]
                                 layer[$c["operation"] SUBSEP $c["layer"]] = $c["operation"] }
        END {
            for (key in layer)
                if (((key SUBSEP ours) in time) && ((key SUBSEP theirs) in time)) {
                    sum[layer[key]] += log(time[key SUBSEP theirs] / time[key SUBSEP ours])
                    count[layer[key]]++
                }
            split("forward backward_data backward_filter", way, " ")
            for (i = 1; i <= 3; i++)
                printf "%.2f%s", exp(sum["convolution_" way[i]] / count["convolution_" way[i]]), i < 3 ? " | " : "\n"
        }' "$results/$1"
}

# says ROW CSV OURS THEIRS: succeeds if README's row that begins with ROW has the file's ratios.
says() {
    want=$(ratios "$2" "$3" "$4")
    grep -F "| $1" "$readme" >"$tap_dir/row" || { echo "no row $1"; return 1; }
    grep -qF " $want |" "$tap_dir/row" || { echo "measured: $want"; cat "$tap_dir/row"; return 1; }
}

# The first table has the medians of the run `third`, in the order of its lines without the one that is not in the table.
medians() {
    want=$(sed -n 's/^third,resnet50,\("[^"]*"\|[^,]*\),//p' "$results/h200_pytorch_models_third.csv" | while IFS=, read -r a b c d e f g _; do
        printf '%s\n' "$a" "$b" "$c" "$d" "$e" "$f" "$g" | sort -n | sed -n 4p | sed 's/\(.*\)\(...\)$/\1,\2/'
    done | tr '\n' '|' | sed 's/|$//; s/|/ | /g')
    grep -qF "| training in half, images a second | $want |" "$readme" || { echo "measured: $want"; return 1; }
}

# milliseconds DIRECTION: succeeds if the second table has the file's milliseconds, with three digits or as whole numbers.
milliseconds() {
    awk -F, -v operation="convolution_$(echo "$1" | tr ' ' _)" -v row="| $1 |" '
        function short(ms) {
            if (ms < 10) return sprintf("%.2f", ms)
            if (ms < 100) return sprintf("%.1f", ms)
            return ms < 1000 ? sprintf("%.0f", ms) : sprintf("%d,%03d", int(ms / 1000), int(ms + 0.5) % 1000)
        }
        $2 == "f16" && $3 == "nhwc" && $4 == operation { time[$5] = $8 }
        END { print row, short(time["cuda_naive"]), "|", short(time["cuda_simt"]), "|", short(time["cuda_tensorcore"]), "|",
                    short(time["cudnn"]), "|" }' "$results/h200_four_backends.csv" >"$tap_dir/want"
    grep -qxF -f "$tap_dir/want" "$readme" || { echo "measured:"; cat "$tap_dir/want"; return 1; }
}

# The plot script must have the times of the file's first layer, forward, on both backends.
picture() {
    first=$(awk -F, 'NR == 2 { cudnn = $20 } NR == 3 { printf "\"%s\" %s %s\n", $2, cudnn, $20 }' \
        "$results/h200_tensorcore_f16.csv")
    awk -f "$results/plot.awk" "$results/h200_tensorcore_f16.csv" >"$tap_dir/script" &&
        [ "$(grep -c '^set title' "$tap_dir/script")" = 3 ] && grep -qxF "$first" "$tap_dir/script" &&
        grep -q 'cuda_tensorcore:tensor_op' "$top/docs/resnet50.svg"
}

# Links are relative to the folder of their page. The build makes entries.md.
links() {
    for page in "$top"/*.md "$top"/docs/*.md "$top"/docs/tutorials/*.md "$top"/bench/results/*.md "$top"/bench/suites/*.md; do
        grep -o '](\([^)#: ]*\)[^):]*)' "$page" | sed 's/^](//; s/[#)].*//' | sort -u | while read -r link; do
            [ -z "$link" ] || [ "$link" = entries.md ] || [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done >"$tap_dir/broken"
    cat "$tap_dir/broken"
    [ ! -s "$tap_dir/broken" ]
}

if [ -e "$ANYDNN_TEST_BUILDDIR/plugins/built/anydnn_onednn.so" ]; then
    check "anydnn explain prints what README shows" explains
    if [ -z "${ANYDNN_TEST_SANITIZER-}" ] || [ "$ANYDNN_TEST_SANITIZER" = no ]; then
        check "the program for cuDNN 7 runs where README says" program_runs
    else
        skip "the program for cuDNN 7 runs where README says" "tests/porting compiles it with the sanitizer"
    fi
else
    skip "README's examples" "the backend onednn was not built"
fi
check "problems that README explains" examples_parse
check "ratios: half" says "ResNet-50, half, batch 256" h200_tensorcore_f16.csv cuda_tensorcore:tensor_op cudnn:tensor_op
check "ratios: half, batch 64" says "ResNet-50, half, batch 64" h200_tensorcore_f16_b64.csv cuda_tensorcore:tensor_op cudnn:tensor_op
check "ratios: bfloat16" says "ResNet-50, bfloat16" h200_tensorcore_bf16.csv cuda_tensorcore:tensor_op cudnn:tensor_op
check "ratios: TF32" says "ResNet-50, float by TF32" h200_tensorcore_tf32.csv cuda_tensorcore:allow_conversion cudnn:allow_conversion
check "ratios: DeepBench" says "DeepBench" h200_tensorcore_deepbench.csv cuda_tensorcore:tensor_op cudnn:tensor_op
check "ratios: groups" says "ResNeXt-50" h200_tensorcore_groups.csv cuda_tensorcore:tensor_op cudnn:tensor_op
check "ratios: split" says "ResNet-50, float by split" h200_tensorcore_split.csv cuda_tensorcore:split cudnn:default
for layout in NHWC:nhwc NCHW:nchw; do
    check "ratios: float, ${layout%:*}" says "ResNet-50, float, ${layout%:*}" "h200_resnet50_f32_${layout#*:}.csv" \
        cuda_simt:default cudnn:default
done
check "images a second" medians
for direction in forward 'backward data' 'backward filter'; do
    check "milliseconds: $direction" milliseconds "$direction"
done
check "the picture's data" picture
check "every link leads to a file" links
tap_end
