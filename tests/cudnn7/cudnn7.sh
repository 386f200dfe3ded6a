# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# Functions that the tests of the shim share; source this file after tests/tap.sh. They provide the library, a link
# library that has only cuDNN 7's names and node, and a header with its binary interface.

cudnn7_folder=$ANYDNN_TEST_BUILDDIR/cudnn7/.libs
cudnn7_here=$ANYDNN_TEST_SRCDIR/tests/cudnn7
cudnn7_import=$tap_dir/import
cudnn7_sanitize=
cc=${CC:-cc} # may be several words
[ -z "${ANYDNN_TEST_SANITIZER-}" ] || [ "$ANYDNN_TEST_SANITIZER" = no ] || cudnn7_sanitize=-fsanitize=$ANYDNN_TEST_SANITIZER

cudnn7_names() {
    grep -v '^#' "$ANYDNN_TEST_SRCDIR/tests/abi/cudnn7-names"
}

# cudnn7_imports PROGRAM: prints the functions that it imports.
cudnn7_imports() {
    # shellcheck disable=SC2016
    ${AWK:-awk} -v section="[$1]" '/^#/ { next } /^\[/ { on = $0 == section; next } on' "$cudnn7_here/imports"
}

# cudnn7_named FILE: builds a library with cuDNN 7's names and empty functions, for the linker or as a decoy.
cudnn7_named() {
    mkdir -p "$(dirname "$1")"
    echo 'libcudnn.so.7 { global: *; };' >"$tap_dir/import.map"
    # shellcheck disable=SC2086
    cudnn7_names | sed 's/.*/int &(void); int &(void) { return 0; }/' |
        $cc -shared -fPIC -Wl,-soname,libcudnn.so.7 -Wl,--version-script="$tap_dir/import.map" -x c - -o "$1"
}

# Writes the header as cudnn.h into the given folder of tap_dir.
cudnn7_header() {
    mkdir -p "$1"
    cudnn7_root=$ANYDNN_TEST_SRCDIR
    ${AWK:-awk} -f "$cudnn7_root/core/abi/table.awk" -f "$cudnn7_root/core/abi/header.awk" \
        -f "$cudnn7_root/core/abi/cudnn7.awk" -f "$cudnn7_here/declare.awk" -f "$cudnn7_root/core/abi/compat.awk" \
        "$cudnn7_root/core/abi/entries.def" "$cudnn7_root/include/anydnn/anydnn.h" "$cudnn7_root/core/abi/cudnn7.def" \
        "$cudnn7_here/cudnn.h.in" >"$1/cudnn.h"
}

# cudnn7_compiles FILE OUT FLAG...: compiles without warnings against the header and the names, with a stub for CUDA's
# memory calls and nothing of anydnn's.
cudnn7_compiles() {
    cudnn7_source=$1 cudnn7_program=$2
    shift 2
    case $cudnn7_source in
    *.cpp) cudnn7_compiler="${CXX:-g++} -std=c++11" ;;
    *) cudnn7_compiler="$cc -std=c11" ;;
    esac
    # shellcheck disable=SC2086
    $cudnn7_compiler $cudnn7_sanitize -Wall -Wextra -Werror -I"$ANYDNN_TEST_SRCDIR/tests/porting/stub" -I"$tap_dir" "$@" \
        "$cudnn7_source" -o "$cudnn7_program" "$cudnn7_import/libcudnn.so.7" -lm
}

# cudnn7_runs COMMAND...: runs it on the shim, with pointers to host memory.
cudnn7_runs() {
    LD_LIBRARY_PATH=$cudnn7_folder ANYDNN_DEVICE=cpu "$@"
}
