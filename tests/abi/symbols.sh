#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that libanydnn exports exactly the symbols of core/abi/entries.def, and that each view of anydnn.h
# declares exactly the names of the table. The library also exports every function of the porting header, and a
# plugin exports its two symbols. Every symbol keeps its version node.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
# shellcheck disable=SC2034
abi_root=$ANYDNN_TEST_SRCDIR abi_tmp=$tap_dir
. "$ANYDNN_TEST_SRCDIR/tests/abi/abi.sh"

library=$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so

# Prints the dynamic symbols that an object defines, without the version nodes themselves.
# shellcheck disable=SC2016
exports() {
    $NM -D --defined-only "$1" | $AWK '$2 != "A" { sub(/@/, " "); sub(/@/, ""); print $3, $4 }' | sort
}

# Succeeds if the second list has everything of the first.
none_missing() {
    comm -23 "$1" "$2" >"$tap_dir/missing"
    [ ! -s "$tap_dir/missing" ] || { cat "$tap_dir/missing"; return 1; }
}

abi_table map -v list=node | sort >"$tap_dir/symbols"
exports "$library" >"$tap_dir/all_exports"
grep ' ANYDNN_CUDNN7$' "$tap_dir/all_exports" >"$tap_dir/ported"
grep -v ' ANYDNN_CUDNN7$' "$tap_dir/all_exports" >"$tap_dir/exports"
grep -v '^#\|Backdoor' "$ANYDNN_TEST_SRCDIR/tests/abi/cudnn7-names" | sed 's/^cudnn\(.*\)/anydnnCudnn7\1 ANYDNN_CUDNN7/' |
    sort >"$tap_dir/of_cudnn7"
abi_prototypes -DANYDNN_EVERY_FORM >"$tap_dir/prototypes"
cut -d'|' -f1 "$tap_dir/prototypes" | sort >"$tap_dir/declared"
cut -d' ' -f1 "$tap_dir/symbols" >"$tap_dir/names"

check "the table of entries is not empty" test -s "$tap_dir/symbols"
check "every symbol of the table is exported, in its version node" none_missing "$tap_dir/symbols" "$tap_dir/exports"
check "nothing but the table's symbols is exported" none_missing "$tap_dir/exports" "$tap_dir/symbols"
check "the functions behind the porting header are those that cuDNN 7.6.5 declares" diff "$tap_dir/of_cudnn7" "$tap_dir/ported"
check "every function that anydnn.h declares is in the table" none_missing "$tap_dir/declared" "$tap_dir/names"
check "every symbol of the table is declared in anydnn.h" none_missing "$tap_dir/names" "$tap_dir/declared"

newest=$(sed -n 's/^#define ANYDNN_API_LEVEL_NEWEST //p' "$abi_views_folder/anydnn/views.h")
level=1
while [ "$level" -le "$newest" ]; do
    abi_table views -v list="$level" | cut -d' ' -f1 | sort >"$tap_dir/shown"
    abi_prototypes -DANYDNN_API_LEVEL="$level" | cut -d'|' -f1 | sort -u >"$tap_dir/declared"
    check "view $level declares exactly the table's names" diff "$tap_dir/shown" "$tap_dir/declared"
    level=$((level + 1))
done

cat >"$tap_dir/plugin" <<'EOT'
anydnn_plugin_abi
anydnn_plugin_main
EOT
for plugin in "$ANYDNN_TEST_PLUGINDIR"/anydnn_*.so; do
    exports "$plugin" | sed 's/ .*//' >"$tap_dir/found"
    check "$(basename "$plugin") exports a plugin's two symbols alone" diff "$tap_dir/plugin" "$tap_dir/found"
done

# ---- the scripts that read the table

table_of() {
    printf '%s\n' "$@" >"$tap_dir/some.def"
    abi_entries=$tap_dir/some.def
}

table_of 'ENTRY(anydnnOld, 1)' 'ENTRY(anydnnNew, 2)' 'ENTRY(anydnnChanged, 1, 2)' 'ENTRY(anydnnAdded, 1.10)' \
    'ENTRY(anydnnAddedBefore, 1.2)'
cat >"$tap_dir/some.map" <<'EOT'
ANYDNN_1 {
    global:
        anydnnOld;
        anydnnChanged;
    local:
        *;
};
ANYDNN_1.2 {
    global:
        anydnnAddedBefore;
} ANYDNN_1;
ANYDNN_1.10 {
    global:
        anydnnAdded;
} ANYDNN_1.2;
ANYDNN_2 {
    global:
        anydnnNew;
        anydnnChanged_v1;
        anydnnChanged_v2;
} ANYDNN_1.10;
EOT
abi_table map >"$tap_dir/made.map"
check "each level and each addition gets a node on top of the one before" diff "$tap_dir/some.map" "$tap_dir/made.map"

refused() {
    table_of "$1"
    if abi_table map 2>"$tap_dir/sentence"; then
        return 1
    fi
    cat "$tap_dir/sentence"
    grep -q "$2" "$tap_dir/sentence"
}
check "a malformed entry is refused with its line" refused 'ENTRY(anydnnFoo, x)' 'some.def:1: not ENTRY'
check "an entry over two lines is refused" refused 'ENTRY(anydnnFoo,' 'some.def:1: .* does not end on its line'
check "an entry listed twice is refused with its line" \
    refused "$(printf 'ENTRY(anydnnA, 1)\nENTRY(anydnnA, 1)')" 'some.def:2: anydnnA is listed twice'
check "an entry that changed before it was there is refused" refused 'ENTRY(anydnnA, 2, 2)' 'some.def:1: anydnnA: the levels'
check "a changed form as an entry of its own is refused" refused 'ENTRY(anydnnA_v2, 2)' 'some.def:1: anydnnA_v2: a name'
check "an empty table is refused" refused '/* none */' 'no ENTRY'
tap_end
