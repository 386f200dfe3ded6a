#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that the files of a CUDA backend, with cuda_common and the kit, define each type and each kernel in one file. If two
# files define different types of one name, the linker merges the template instances that have such a type. It merges two
# such kernels, too. Neither the compiler nor the linker reports this.
# Needs: nothing
set -u
# shellcheck source=tests/tap.sh
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

# definitions FILE...: prints "KIND NAME FILE" for each type at the beginning of a line and each kernel with external linkage.
# A specialization is not a definition of its template's name.
definitions() {
    awk '
        # Removes what may stand before the name of a type or a kernel.
        function bare(text) {
            gsub(/alignas\([^()]*\) |__launch_bounds__\(([^()]|\([^()]*\))*\)/, "", text)
            sub(/^template <[^{};]*> *(struct|union)/, "struct", text)
            return text
        }
        FNR == 1 { kernel = "" }
        { text = bare($0) }
        text ~ /^(struct|union|class|enum) [A-Za-z_0-9]+( :.*| final.*| \{.*)?$/ {
            split(text, word, " ")
            print "type", word[2], FILENAME
        }
        # The bounds of a kernel and its name may be on further lines.
        /^([^ ].* )?__global__ / { kernel = " " }
        kernel != "" {
            kernel = kernel $0 " "
            text = bare(kernel)
        }
        kernel != "" && text !~ /__launch_bounds__/ && match(text, /[A-Za-z_0-9]+\(/) {
            if (text !~ /^ *static /)
                print "kernel", substr(text, RSTART, RLENGTH - 1), FILENAME
            kernel = ""
        }' "$@" | sort -u
}

# included TREE BACKEND: prints the files of cuda_common, without headers that neither the backend nor cuda_common includes.
included() {
    cd "$1" && for file in plugins/cuda_common/*.cu plugins/cuda_common/*.h; do
        case $file in
        *.h) grep -rqsF "cuda_common/${file##*/}\"" "plugins/$2" || grep -qsF "\"${file##*/}\"" plugins/cuda_common/* || continue ;;
        esac
        [ ! -e "$file" ] || echo "$file"
    done
}

# twice TREE BACKEND: prints the names that two files of the backend define.
twice() {
    {
        (cd "$1" && find "plugins/$2" plugins/kit -name '*.cu' -o -name '*.h')
        (included "$1" "$2")
    } | sort >"$tap_dir/files"
    # shellcheck disable=SC2046 # Each word is a file.
    (cd "$1" && definitions $(cat "$tap_dir/files")) | awk '
        { key = $1 " " $2; count[key]++; files[key] = files[key] " " $3 }
        END { for (key in count) if (count[key] > 1) print key ":" files[key] }'
}

# once BACKEND: no name is defined twice, and the backend defines types and kernels.
once() {
    twice "$ANYDNN_TEST_SRCDIR" "$1" >"$tap_dir/twice"
    cat "$tap_dir/twice"
    [ ! -s "$tap_dir/twice" ] || return 1
    # shellcheck disable=SC2046 # Each word is a file.
    (cd "$ANYDNN_TEST_SRCDIR" && definitions $(grep "/$1/" "$tap_dir/files")) >"$tap_dir/names"
    for kind in type kernel; do
        [ "$(grep -c "^$kind " "$tap_dir/names")" -gt 10 ] || { echo "too few of the kind $kind"; return 1; }
    done
}

# found LINE TEXT: a second definition is found in a copy of the tree.
found() {
    rm -rf "$tap_dir/tree"
    mkdir -p "$tap_dir/tree/plugins"
    cp -R "$ANYDNN_TEST_SRCDIR/plugins/cuda_naive" "$ANYDNN_TEST_SRCDIR/plugins/cuda_common" "$ANYDNN_TEST_SRCDIR/plugins/kit" \
        "$tap_dir/tree/plugins"
    printf '%b\n' "$2" >"$tap_dir/tree/plugins/cuda_naive/planted.cu"
    twice "$tap_dir/tree" cuda_naive >"$tap_dir/twice"
    cat "$tap_dir/twice"
    [ "$(wc -l <"$tap_dir/twice")" -eq 1 ] && grep -q "^$1: .*plugins/cuda_naive/planted.cu" "$tap_dir/twice"
}

for backend in cuda_naive cuda_simt cuda_tensorcore; do
    check "$backend defines each type and kernel in one file" once "$backend"
done
check "a type of cuda_common's name is found" found 'type conv_job' 'struct conv_job {\n    int n;\n};'
check "so is a template" found 'type reduce_part' 'template <class T, int N> struct reduce_part {\n    T at[N];\n};'
check "so is a kernel" found 'kernel lrn_forward' 'template <class T> __global__ void lrn_forward(job_of_lrn job)\n{\n}'
check "so is a kernel with bounds" found 'kernel lrn_forward' \
    'template <class T>\n__global__ void __launch_bounds__(THREADS, sizeof(T) == 4 ? 2 : 3)\n    lrn_forward(int n)\n{\n}'
tap_end
