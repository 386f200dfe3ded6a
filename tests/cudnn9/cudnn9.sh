# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# Functions that the tests of libcudnn.so.9 share; source this file after tests/tap.sh.

cudnn9_folder=$ANYDNN_TEST_BUILDDIR/cudnn9/.libs
cudnn9_here=$ANYDNN_TEST_SRCDIR/tests/cudnn9
cudnn9_sanitize=
cc=${CC:-cc} # may be several words
[ -z "${ANYDNN_TEST_SANITIZER-}" ] || [ "$ANYDNN_TEST_SANITIZER" = no ] || cudnn9_sanitize=-fsanitize=$ANYDNN_TEST_SANITIZER

# A sanitizer's library must be loaded first.
cudnn9_preload=
case $cudnn9_sanitize in
*address*) cudnn9_preload=$($cc -print-file-name=libasan.so): ;;
*thread*) cudnn9_preload=$($cc -print-file-name=libtsan.so): ;;
esac

# No setting of the caller counts.
unset ANYDNN_CUDNN9_LIBRARY ANYDNN_CUDNN9_COUNTERS CUDA_HOME CUDA_PATH VIRTUAL_ENV

cudnn9_names() {
    sed -n 's/^ENTRY(\(.*\), .*)$/\1/p' "$ANYDNN_TEST_SRCDIR/cudnn9/names.def"
}

# cudnn9_callable: prints the functions whose result is a status or number, not an address or nothing.
cudnn9_callable() {
    cudnn9_names | grep -vE 'ErrorString|Backdoor'
}

# cudnn9_newer: prints the functions that cuDNN 9.19 lacks.
cudnn9_newer() {
    cudnn9_names | grep -E 'CausalConv1d|cudnnGnn|Subquadratic|ExecutionPlanWorkspaceSize'
}

# cudnn9_mock FOLDER FLAG...: builds the mock with the functions of 9.19.
cudnn9_mock() {
    cudnn9_to=$1
    shift
    mkdir -p "$cudnn9_to"
    echo 'libcudnn.so.9 { global: cudnn*; local: *; };' >"$tap_dir/mock.map"
    cudnn9_newer >"$tap_dir/newer"
    cat "$cudnn9_here"/mock*.c >"$tap_dir/mock.c"
    # shellcheck disable=SC2086
    $cc -c -fPIC -O1 -Wall "$@" "$tap_dir/mock.c" -o "$tap_dir/mock.o" || return 1
    # shellcheck disable=SC2016
    ${NM:-nm} -g --defined-only "$tap_dir/mock.o" | ${AWK:-awk} '{ print $3 }' >>"$tap_dir/newer"
    cudnn9_names | grep -vxFf "$tap_dir/newer" | sed 's/.*/int &(void); int &(void) { return 0; }/' >"$tap_dir/rest.c"
    # shellcheck disable=SC2086,SC2016
    $cc -shared -fPIC -Wl,--enable-new-dtags '-Wl,-rpath,$ORIGIN' -Wl,-soname,libcudnn.so.9 -Wl,--version-script="$tap_dir/mock.map" "$tap_dir/mock.o" "$tap_dir/rest.c" \
        -o "$cudnn9_to/libcudnn.so.9" -lm -ldl || return 1
    for cudnn9_part in graph ops cnn adv heuristic engines_precompiled engines_runtime_compiled; do
        echo 'int unused_part;' |
            $cc -shared -fPIC -Wl,-soname,libcudnn_$cudnn9_part.so.9 -x c - -o "$cudnn9_to/libcudnn_$cudnn9_part.so.9" || return 1
    done
}

# cudnn9_compiles: builds the program that calls.
cudnn9_compiles() {
    # shellcheck disable=SC2086
    $cc $cudnn9_sanitize -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror "$cudnn9_here/calls.c" -o "$tap_dir/calls" -ldl -lpthread
}

# calls COMMAND...: runs the program on the front, and keeps what it prints.
calls() {
    "$tap_dir/calls" "$cudnn9_folder/libcudnn.so.9" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
}

# Prints the folder of the real library if this machine has one, or nothing.
cudnn9_real() {
    for cudnn9_at in ${ANYDNN_TEST_CUDNN9-} /usr/local/cuda/lib /usr/local/cuda/lib64 /usr/lib/x86_64-linux-gnu \
        "$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))' 2>/dev/null)/nvidia/cudnn/lib"; do
        [ ! -e "$cudnn9_at/libcudnn.so.9" ] || { echo "$cudnn9_at"; return; }
    done
}
