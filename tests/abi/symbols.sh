#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libanydnn exports exactly the entries of core/abi/entries.def, and anydnn.h declares exactly these;
# a plugin exports its two symbols; every entry keeps the version node of its level.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

library=$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so
entries=$ANYDNN_TEST_SRCDIR/core/abi/entries.def
map_awk=$ANYDNN_TEST_SRCDIR/core/abi/map.awk

# The dynamic symbols that an object defines, without the version nodes themselves.
# shellcheck disable=SC2016
exports() {
    $NM -D --defined-only "$1" | $AWK '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

# Nothing in the first list that the second lacks.
none_missing() {
    comm -23 "$1" "$2" >"$tap_dir/missing"
    [ ! -s "$tap_dir/missing" ] || { cat "$tap_dir/missing"; return 1; }
}

$AWK -v list=1 -f "$map_awk" "$entries" | sort >"$tap_dir/entries"
exports "$library" >"$tap_dir/exports"
echo '#include <anydnn/anydnn.h>' >"$tap_dir/header.c"
# shellcheck disable=SC2086
$CC -E -P -I"$ANYDNN_TEST_SRCDIR/include" "$tap_dir/header.c" | tr '\n' ' ' |
    grep -oE '[^A-Za-z0-9_"]anydnn[A-Za-z0-9_]+ *\(' | tr -d ' (*' | sort -u >"$tap_dir/declared"

check "the table of entries is not empty" test -s "$tap_dir/entries"
check "every entry of the table is exported" none_missing "$tap_dir/entries" "$tap_dir/exports"
check "nothing but the table's entries is exported" none_missing "$tap_dir/exports" "$tap_dir/entries"
check "every function that anydnn.h declares is in the table" none_missing "$tap_dir/declared" "$tap_dir/entries"
check "every entry of the table is declared in anydnn.h" none_missing "$tap_dir/entries" "$tap_dir/declared"

cat >"$tap_dir/plugin" <<'EOF'
anydnn_plugin_abi
anydnn_plugin_main
EOF
for plugin in "$ANYDNN_TEST_PLUGINDIR"/anydnn_*.so; do
    exports "$plugin" >"$tap_dir/found"
    check "$(basename "$plugin") exports a plugin's two symbols alone" diff "$tap_dir/plugin" "$tap_dir/found"
done

cat >"$tap_dir/two.def" <<'EOF'
ENTRY(anydnnOld, 1, current)
ENTRY(anydnnNew_v2, 2, current)
EOF
cat >"$tap_dir/two.map" <<'EOF'
ANYDNN_1 {
    global:
        anydnnOld;
    local:
        *;
};
ANYDNN_2 {
    global:
        anydnnNew_v2;
} ANYDNN_1;
EOF
$AWK -f "$map_awk" "$tap_dir/two.def" >"$tap_dir/made.map"
check "a later level's entries get a node on top of the one before" diff "$tap_dir/two.map" "$tap_dir/made.map"

refused() {
    printf '%s\n' "$1" >"$tap_dir/bad.def"
    if $AWK -f "$map_awk" "$tap_dir/bad.def" 2>"$tap_dir/sentence"; then
        return 1
    fi
    cat "$tap_dir/sentence"
    grep -q "$2" "$tap_dir/sentence"
}
check "a malformed entry is refused with its line" refused 'ENTRY(anydnnFoo, x, current)' 'bad.def:1: not ENTRY'
check "an entry listed twice is refused with its line" \
    refused "$(printf 'ENTRY(anydnnA, 1, current)\nENTRY(anydnnA, 1, current)')" 'bad.def:2: anydnnA is listed twice'
check "an empty table is refused" refused '/* none */' 'no ENTRY'
tap_end
