#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles programs for cuDNN 7 unchanged against anydnn's cudnn.h and runs them on the host, with a
# stub for CUDA's memory calls. They must print the same numbers as with the real cuDNN, which are in
# cudnn9_h200.txt.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
here=$ANYDNN_TEST_SRCDIR/tests/porting
source_include=$ANYDNN_TEST_SRCDIR/include
built_include=$ANYDNN_TEST_BUILDDIR/include
libraries=$ANYDNN_TEST_BUILDDIR/.libs
sanitize=
cc=${CC:-cc} # may be several words
[ -z "${ANYDNN_TEST_SANITIZER-}" ] || [ "$ANYDNN_TEST_SANITIZER" = no ] || sanitize=-fsanitize=$ANYDNN_TEST_SANITIZER

# compiles FILE COMPILER FLAG...: succeeds if there is no warning.
compiles() {
    compiled=$1
    shift
    # shellcheck disable=SC2086
    "$@" $sanitize -Wall -Wextra -Werror -pedantic -I"$here/stub" -I"$source_include" -I"$built_include" \
        -I"$source_include/anydnn/cudnn7" "$compiled" -x none -o "$tap_dir/program" -L"$libraries" -lanydnn -lm
}

# prints_the_same SECTION: compares the program's numbers with cuDNN's.
prints_the_same() {
    LD_LIBRARY_PATH=$libraries "$tap_dir/program" >"$tap_dir/got" || return 1
    awk -v section="[$1]" '/^#/ { next } /^\[/ { on = $0 == section; next } on' \
        "$here/cudnn9_h200.txt" >"$tap_dir/want"
    paste -d ' ' "$tap_dir/got" "$tap_dir/want" | awk -f "$here/same.awk"
}

runs() {
    LD_LIBRARY_PATH=$libraries "$tap_dir/program"
}

# Sets a settings file that does not exist: the status must be one of cuDNN's, not anydnn's own.
runs_without_settings() {
    ANYDNN_CONFIG=$tap_dir/missing.conf LD_LIBRARY_PATH=$libraries "$tap_dir/program"
}

# Prints the functions that the header declares with these flags, one per line.
declared() {
    # shellcheck disable=SC2086
    printf '#include <cudnn.h>\n' | $cc -E "$@" -I"$here/stub" -I"$source_include" -I"$built_include" \
        -I"$source_include/anydnn/cudnn7" - | grep -o '^.*[* ]cudnn[A-Z][A-Za-z0-9_]*(' |
        sed 's/.*[* ]\(cudnn[A-Za-z0-9_]*\)($/\1/' | grep -v '_t$' | sort -u
}

# Checks that the header declares exactly the functions of cuDNN 7.6.5.
declares_all() {
    grep -v '^#\|Backdoor' "$ANYDNN_TEST_SRCDIR/tests/abi/cudnn7-names" | sort >"$tap_dir/all"
    declared >"$tap_dir/declared"
    [ "$(wc -l <"$tap_dir/all")" = 231 ] && diff "$tap_dir/all" "$tap_dir/declared"
}

# Checks that the macro leaves only the functions that work, and that the former macro has no effect.
declares_only_what_runs() {
    sed -n 's/^{"\(.*\)", 1},$/\1/p' "$ANYDNN_TEST_BUILDDIR/cudnn7/names.def" | sort >"$tap_dir/run"
    declared -DANYDNN_CUDNN_DECLARE_ONLY_IMPLEMENTED >"$tap_dir/declared"
    [ -s "$tap_dir/run" ] && diff "$tap_dir/run" "$tap_dir/declared" &&
        declared -DANYDNN_CUDNN_DECLARE_ALL | diff "$tap_dir/all" -
}

# Writes a program with the plain prototypes of cuDNN 7.6.5 after the header's own, then a table of the addresses.
writes_prototypes() {
    (cd "$ANYDNN_TEST_SRCDIR" && "${AWK:-awk}" -f core/abi/table.awk -f core/abi/header.awk -f core/abi/cudnn7.awk \
        -f tests/cudnn7/declare.awk -f core/abi/compat.awk core/abi/entries.def include/anydnn/anydnn.h core/abi/cudnn7.def \
        tests/cudnn7/cudnn.h.in) >"$tap_dir/plain.h" || return 1
    {
        printf '#include <cudnn.h>\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
        # shellcheck disable=SC2016
        "${AWK:-awk}" '/^(cudnnStatus_t|size_t|const char \*) ?cudnn[A-Z][A-Za-z0-9_]*\(/ { on = 1 } on; /;$/ { on = 0 }' "$tap_dir/plain.h"
        printf '#ifdef __cplusplus\n}\n#endif\ntypedef void (*function)(void);\nfunction const functions[] = {\n'
        sed 's/.*/    (function)&,/' "$tap_dir/all"
        printf '};\nint main(void)\n{\n    int i, count = 0;\n    for (i = 0; i < 231; i++)\n        count += functions[i] != 0;\n'
        printf '    return count != 231;\n}\n'
    } >"$tap_dir/prototypes.c"
    [ "$(grep -c '^\(cudnnStatus_t\|size_t\|const char \*\) *cudnn[A-Z].*(' "$tap_dir/prototypes.c")" = 231 ]
}

# Checks that an operation replaces its stub once it exists: one more entry in the table, and no stub.
replaces_stubs() {
    echo 'ENTRY(anydnnMultiHeadAttnForward, 2.1)' | cat "$ANYDNN_TEST_SRCDIR/core/abi/entries.def" - >"$tap_dir/entries.def"
    sed 's/^ANYDNN_FORM(anydnnStatus_t, anydnnNotImplemented.*/&\nANYDNN_FORM(anydnnStatus_t, anydnnMultiHeadAttnForward, 2, (anydnnHandle_t handle));/' \
        "$source_include/anydnn/anydnn.h" >"$tap_dir/anydnn.h"
    (cd "$ANYDNN_TEST_SRCDIR/core/abi" && "${AWK:-awk}" -f table.awk -f header.awk -f cudnn7.awk -f compat.awk "$tap_dir/entries.def" \
        "$tap_dir/anydnn.h" cudnn7.def cudnn_compat.h.in) >"$tap_dir/compat.h" &&
        (cd "$ANYDNN_TEST_SRCDIR/core/abi" && "${AWK:-awk}" -f table.awk -f header.awk -f cudnn7.awk -f ../../cudnn7/forward.awk \
            "$tap_dir/entries.def" "$tap_dir/anydnn.h" cudnn7.def) >"$tap_dir/forward.c" || return 1
    [ "$(grep -c 'cudnnStatus_t cudnnMultiHeadAttnForward(' "$tap_dir/compat.h")" = 1 ] &&
        grep -q 'cudnnStatus_t cudnnMultiHeadAttnForward(cudnnHandle_t handle)$' "$tap_dir/compat.h" &&
        grep -q 'cudnn7_status(anydnnMultiHeadAttnForward(handle))' "$tap_dir/forward.c" &&
        ! grep -q 'MISSING(MultiHeadAttnForward)' "$tap_dir/forward.c" &&
        grep -q 'MISSING(GetMultiHeadAttnBuffers)' "$tap_dir/forward.c"
}

# Checks that the compiler names a missing function if the program requests that.
names_what_is_missing() {
    printf '#include <cudnn.h>\nint main(void) { cudnnRNNDescriptor_t d; return d != 0; }\n' >"$tap_dir/lacks.c"
    # shellcheck disable=SC2086
    ! compiles "$tap_dir/lacks.c" $cc -DANYDNN_CUDNN_DECLARE_ONLY_IMPLEMENTED 2>"$tap_dir/message" &&
        grep -q cudnnRNNDescriptor_t "$tap_dir/message"
}

# Checks that the header has cuDNN's name for every shared constant, and all entries but anydnn's own.
names_everything() {
    # shellcheck disable=SC2086
    printf '#include <cudnn.h>\n' | $cc -E -dD -I"$here/stub" -I"$source_include" -I"$built_include" \
        -I"$source_include/anydnn/cudnn7" - >"$tap_dir/names" || return 1
    for name in STATUS_NOT_SUPPORTED DATA_INT8x32 TENSOR_NCHW_VECT_C OP_TENSOR_MUL OP_TENSOR_NOT \
        REDUCE_TENSOR_MUL_NO_ZEROS 8BIT_INDICES CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING POOLING_MAX_DETERMINISTIC \
        SOFTMAX_LOG LRN_MIN_BETA BN_MIN_EPSILON DIM_MAX SEV_ERROR_EN ERRQUERY_BLOCKING NON_DETERMINISTIC \
        BATCHNORM_OPS_BN_ADD_ACTIVATION TRANSFORM_UNFOLD; do
        grep -q "^\(#define\| *\) CUDNN_$name " "$tap_dir/names" || {
            echo "CUDNN_$name is missing"
            return 1
        }
    done
    ! grep '^\(#define\| *\) CUDNN_[A-Z0-9_]*\(SPLIT\|FORCE_32\|DROPOUT_MAGIC\|SPACE_POISONED\) ' "$tap_dir/names" || return 1
    sed -n 's/^ENTRY(anydnn\([A-Za-z0-9]*\),.*/cudnn\1/p' "$ANYDNN_TEST_SRCDIR/core/abi/entries.def" >"$tap_dir/entries"
    [ "$(wc -l <"$tap_dir/entries")" -gt 100 ] || return 1
    while read -r entry; do
        grep -q "\\b$entry\\b" "$built_include/anydnn/cudnn_compat.h" || {
            echo "$entry is missing"
            return 1
        }
    done <"$tap_dir/entries"
    ! grep -w 'cudnnMemAlloc\|cudnnSetRoute\|cudnnProblemParse' "$built_include/anydnn/cudnn_compat.h"
}

keeps_apart() {
    printf '#define CUDNN_MAJOR 9\n#include <anydnn/cudnn_compat.h>\nint main(void) { return 0; }\n' >"$tap_dir/both.c"
    # shellcheck disable=SC2086
    ! compiles "$tap_dir/both.c" $cc 2>"$tap_dir/message" && grep -q 'cudnn.h of cuDNN itself' "$tap_dir/message"
}

# usable WHAT COMPILER: if it fails, one skipped case reports the reason.
usable() {
    if ! command -v "$2" >/dev/null 2>&1; then
        skip "$1 with $2" "no $2"
        return 1
    fi
    case $sanitize/$2 in
    /* | */gcc | */g++) return 0 ;;
    esac
    skip "$1 with $2" "the library's sanitizer is another compiler's"
    return 1
}

check "every function of cuDNN 7.6.5 is declared" declares_all
check "a macro omits the functions that anydnn lacks" declares_only_what_runs
check "a program with a prototype and the address of every function" writes_prototypes
for compiler in gcc clang; do
    usable "C programs" "$compiler" || continue
    for flags in "-std=c99" "-std=c17 -DANYDNN_API_LEVEL=1" "-std=c11 -DANYDNN_NO_LABELS"; do
        # shellcheck disable=SC2086
        check "network.c compiles: $compiler $flags" compiles "$here/network.c" $compiler $flags
        check "network.c prints cuDNN's numbers: $compiler $flags" prints_the_same network
        # shellcheck disable=SC2086
        check "getters.c compiles: $compiler $flags" compiles "$here/getters.c" $compiler $flags
        check "getters.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "unread.c compiles: $compiler $flags" compiles "$here/unread.c" $compiler $flags
        check "unread.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "in_place.c compiles: $compiler $flags" compiles "$here/in_place.c" $compiler $flags
        check "in_place.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "enumerations.c compiles: $compiler $flags" compiles "$here/enumerations.c" $compiler -Wswitch $flags
        check "enumerations.c runs: $compiler $flags" runs_without_settings
        # shellcheck disable=SC2086
        check "lacking.c compiles: $compiler $flags" compiles "$here/lacking.c" $compiler $flags
        check "lacking.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "objects.c compiles: $compiler $flags" compiles "$here/objects.c" $compiler $flags
        check "objects.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "streams.c compiles: $compiler $flags" compiles "$here/streams.c" $compiler $flags
        check "streams.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "groups.c compiles: $compiler $flags" compiles "$here/groups.c" $compiler $flags
        check "groups.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "prototypes of every function compile: $compiler $flags" compiles "$tap_dir/prototypes.c" $compiler $flags
        check "the address of every function is there: $compiler $flags" runs
    done
done
for compiler in g++ clang++; do
    usable "C++ programs" "$compiler" || continue
    for flags in "-std=c++11" "-std=c++17 -DANYDNN_API_LEVEL=1" "-std=c++17 -DANYDNN_NO_LABELS"; do
        # shellcheck disable=SC2086
        check "layers.cpp compiles: $compiler $flags" compiles "$here/layers.cpp" $compiler $flags
        check "layers.cpp prints cuDNN's numbers: $compiler $flags" prints_the_same layers
        # shellcheck disable=SC2086
        check "enumerations.c compiles: $compiler $flags" \
            compiles "$here/enumerations.c" $compiler -Wswitch $flags -x c++
        check "enumerations.c runs: $compiler $flags" runs_without_settings
        # shellcheck disable=SC2086
        check "lacking.c compiles: $compiler $flags" compiles "$here/lacking.c" $compiler $flags -x c++
        check "lacking.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "in_place.c compiles: $compiler $flags" compiles "$here/in_place.c" $compiler $flags -x c++
        check "in_place.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "objects.c compiles: $compiler $flags" compiles "$here/objects.c" $compiler $flags -x c++
        check "objects.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "unread.c compiles: $compiler $flags" compiles "$here/unread.c" $compiler $flags -x c++
        check "unread.c runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "owners.cpp compiles: $compiler $flags" compiles "$here/owners.cpp" $compiler $flags
        check "owners.cpp runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "names.cpp compiles: $compiler $flags" compiles "$here/names.cpp" $compiler $flags
        check "names.cpp runs: $compiler $flags" runs
        # shellcheck disable=SC2086
        check "prototypes of every function compile: $compiler $flags" compiles "$tap_dir/prototypes.c" $compiler $flags -x c++
        check "the address of every function is there: $compiler $flags" runs
    done
done
check "every constant and entry of cuDNN's has its name, anydnn's own have none" names_everything
check "the compiler names missing functions" names_what_is_missing
check "a new entry replaces its stub" replaces_stubs
check "cuDNN's own header before it is refused" keeps_apart
tap_end
