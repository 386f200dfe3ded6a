#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016
# Checks that each gate of abi.sh fails with a message if its rule is broken. It uses copies of the headers and
# of the table, and a library of empty functions made from anydnn.h.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
# shellcheck disable=SC2016,SC2034
abi_root=$ANYDNN_TEST_SRCDIR abi_tmp=$tap_dir
. "$ANYDNN_TEST_SRCDIR/tests/abi/abi.sh"

# fails TEXT COMMAND...: succeeds if COMMAND fails and its output contains TEXT.
fails() {
    text=$1
    shift
    if "$@" >"$tap_dir/said" 2>&1; then
        echo "it passes"
        return 1
    fi
    cat "$tap_dir/said"
    grep -q -e "$text" "$tap_dir/said"
}

# changed FILE COPY SED...: makes a copy with sed, and fails if sed changed nothing.
changed() {
    from=$1 copy=$2
    shift 2
    sed "$@" "$from" >"$copy"
    ! cmp -s "$from" "$copy" || echo "not ok 0 - sed found nothing to change in $from: $*"
}

# empty_library FLAG...: builds a library with an empty function for each declaration of the header, exported
# according to the table. C99 has no static assertions, so structs may be changed.
empty_library() {
    abi_table map >"$tap_dir/empty.map"
    {
        echo "#include <anydnn/anydnn.h>"
        abi_prototypes -std=c99 -DANYDNN_EVERY_FORM | sed -e 's/^[^|]*|[^|]*|//' -e 's/$/ { __builtin_trap(); }/'
    } >"$tap_dir/empty.c"
    # shellcheck disable=SC2086
    $CC -std=c99 -O0 "$@" -fPIC -shared -fvisibility=hidden -DANYDNN_EVERY_FORM -I"$tap_dir/include" \
        -I"$abi_views_folder" "$tap_dir/empty.c" -o "$tap_dir/empty.so" -Wl,-soname,libanydnn.so.0 -Wl,--version-script="$tap_dir/empty.map"
}

mkdir -p "$tap_dir/include/anydnn"
header=$abi_header
abi_header=$tap_dir/include/anydnn/anydnn.h

without_a_symbol() {
    abi_entries=$tap_dir/less.def
    changed "$abi_root/core/abi/entries.def" "$abi_entries" '/anydnnDropoutBackward,/d'
    empty_library -g
    abi_entries=$abi_root/core/abi/entries.def
    abi_gate_library 1 "$tap_dir/empty.so"
}

without_debug_information() {
    empty_library -g0 && abi_gate_library 1 "$tap_dir/empty.so"
}

# broken SED...: compares level 1 with a library of the header that SED changed.
broken() {
    changed "$header" "$abi_header" "$@"
    empty_library -g && abi_gate_library 1 "$tap_dir/empty.so"
}

if command -v abidiff >/dev/null 2>&1; then
    cp "$header" "$abi_header"
    check "a library made from anydnn.h as it is passes" empty_library -g
    check "so does its comparison" abi_gate_library 1 "$tap_dir/empty.so"
    check "a removed symbol fails" fails "'function anydnnStatus_t anydnnDropoutBackward(" without_a_symbol
    check "a grown struct fails" fails "type size changed from 640 to 704" broken 's/int reserved\[10\]/int reserved[11]/'
    check "reordered members fail" fails "'int backend' offset changed from 256 to 288" broken \
        -e 's/^    int backend;/    int moved;/' -e 's/^    int reason;/    int backend;/' -e 's/^    int moved;/    int reason;/'
    check "a changed enumeration value fails" fails "ANYDNN_POOLING_MAX_DETERMINISTIC' from value '3' to '4'" broken \
        's/ANYDNN_POOLING_MAX_DETERMINISTIC = 3/ANYDNN_POOLING_MAX_DETERMINISTIC = 4/'
    check "another meaning behind a symbol, with other arguments, fails" fails "parameter 2 of type 'int\*' was added" broken \
        's/^ANYDNN_API int anydnnGetApiLevel(void);/ANYDNN_API int anydnnGetApiLevel(int library, int *level);/'
    check "a new enumeration value passes" broken \
        's/    ANYDNN_POOLING_MAX_DETERMINISTIC = 3,/&\n    ANYDNN_POOLING_LATER = 4,/'
    cp "$header" "$abi_header"
    check "a library without debug information is refused" fails "has no debug information" \
        without_debug_information
else
    skip "what abidiff must see" "no abidiff (abigail-tools)"
fi

broken_constant() {
    changed "$header" "$abi_header" "$@"
    abi_gate_constants 1
}
check "a changed macro fails" fails "ANYDNN_DIM_MAX 8" broken_constant 's/ANYDNN_DIM_MAX  *8/ANYDNN_DIM_MAX 9/'
check "a lost enumerator fails" fails "ANYDNN_SEV_INFO 3" broken_constant '/ANYDNN_SEV_INFO = 3/d'
check "a new enumerator passes" broken_constant 's/    ANYDNN_SEV_INFO = 3,/&\n    ANYDNN_SEV_DEBUG = 4,/'
abi_header=$header

entries=$abi_entries
broken_table() {
    gate=$1
    shift
    abi_entries=$tap_dir/broken.def
    changed "$entries" "$abi_entries" "$@"
    verdict=0
    "$gate" 1 || verdict=1
    abi_entries=$entries
    return $verdict
}
check "an entry taken out of the table fails" fails "^anydnnIm2Col ANYDNN_1" broken_table abi_gate_symbols /anydnnIm2Col/d
check "an entry moved to another level fails" fails "^anydnnIm2Col ANYDNN_1" broken_table abi_gate_symbols \
    's/anydnnIm2Col, 1/anydnnIm2Col, 2/'
check "a frozen version node that gains a symbol fails" fails \
    "anydnnForgotten is in the version node ANYDNN_1, which is frozen" broken_table abi_gate_symbols \
    '$ a ENTRY(anydnnForgotten, 1)'
check "an addition to the level passes" broken_table abi_gate_symbols '$ a ENTRY(anydnnAdded, 1.1)'
check "a new form passes" broken_table abi_gate_symbols 's/anydnnIm2Col, 1/anydnnIm2Col, 1, 7/'
check "a view that loses a name fails" fails "^1 anydnnIm2Col anydnnIm2Col -" broken_table abi_gate_views \
    's/anydnnIm2Col, 1/anydnnIm2Col, 2/'

plugin_header=$abi_plugin_header
broken_plugin() {
    abi_plugin_header=$tap_dir/plugin.h
    changed "$plugin_header" "$abi_plugin_header" "$@"
    verdict=0
    abi_gate_plugin || verdict=1
    abi_plugin_header=$plugin_header
    return $verdict
}
check "a new member of plugin.h under the old number fails" fails "raise ANYDNN_PLUGIN_ABI_MINOR" broken_plugin \
    's/^    const char \*vendor;/&\n    const char *home;/'
check "reordered members of plugin.h fail" fails "raise ANYDNN_PLUGIN_ABI_MINOR" broken_plugin \
    -e 's/const char \*vendor;/const char *moved;/' -e 's/const char \*version;/const char *vendor;/' \
    -e 's/const char \*moved;/const char *version;/'
check "a changed number of plugin.h fails" fails "raise ANYDNN_PLUGIN_ABI_MINOR" broken_plugin \
    's/ANYDNN_PLUGIN_POINTER_DEVICE = 2/ANYDNN_PLUGIN_POINTER_DEVICE = 3/'
check "a new number that was not recorded fails" fails "run scripts/abi-baseline plugin" broken_plugin \
    's/\(ANYDNN_PLUGIN_ABI_MINOR\) .*/\1 1000/'
check "another comment, another wrapping pass" broken_plugin \
    -e 's|/\* Kinds of a copy\. \*/|/* Ways to copy. */|' -e 's/(int32_t device, void \*stream, /(int32_t device,\n void *stream,\n /'
tap_end
