#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that docs/backends.md lists what the backends of the build tree publish, and that the script that writes it
# detects differences. The backquotes are Markdown's.
# Needs: tools/anydnn
# shellcheck disable=SC2016
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
page=$ANYDNN_TEST_SRCDIR/docs/backends.md
writer=$ANYDNN_TEST_SRCDIR/scripts/backends-table

# spoilt SED_COMMAND PATTERN: changes the section of cpu_ref. The script must report a line that matches the pattern,
# and then restore the page.
spoilt() {
    sed -e "/cpu_ref: begin/,/cpu_ref: end/ $1" "$page" >"$tap_dir/page.md"
    cmp -s "$page" "$tap_dir/page.md" && { echo "the sed command changed nothing"; return 1; }
    python3 "$writer" --check "$anydnn" "$tap_dir/page.md" >"$tap_dir/said" 2>&1 &&
        { echo "the fault was not detected"; return 1; }
    cat "$tap_dir/said"
    grep -q -e "$2" "$tap_dir/said" && grep -q "make backends-page" "$tap_dir/said" &&
        python3 "$writer" "$anydnn" "$tap_dir/page.md" && diff "$page" "$tap_dir/page.md"
}

without_section() {
    sed '/cpu_ref: begin/,$d' "$page" >"$tap_dir/page.md"
    python3 "$writer" "$anydnn" "$tap_dir/page.md" || return 1
    sed -n '/cpu_ref: begin/,$p' "$tap_dir/page.md" >"$tap_dir/section"
    [ "$(grep -c 'cpu_ref: ' "$tap_dir/section")" -eq 2 ] &&
        grep -q '^| `pooling_forward` |' "$tap_dir/section"
}

every_operation() {
    "$anydnn" info --operations cpu_ref | sed -n 's/^  \([a-z0-9_]*\)  *f.*/\1/p' >"$tap_dir/offered"
    [ "$(wc -l <"$tap_dir/offered")" -ge 29 ] || return 1
    while read -r operation; do
        grep -q "^| \`$operation\` | f" "$page" || { echo "$operation"; return 1; }
    done <"$tap_dir/offered"
}

check "the page lists what the backends publish" python3 "$writer" --check "$anydnn" "$page"
check "a missing type is detected" spoilt 's/^\(| `pooling_forward` | f64.*\) s8x4/\1/' '^+.*pooling_forward.* s8x4 '
check "a missing row is detected" spoilt '{ /^| `im2col` | f64/d }' '^+| `im2col`'
check "an extra row is detected" spoilt 's/^\(| `im2\)\(col` | f64.*\)/&\n\1\2/' '^-| `im2col`'
check "a page without the section gets one" without_section
check "each operation has its row" every_operation
check "a missing page is an error" sh -c "! python3 '$writer' --check '$anydnn' '$tap_dir/none.md'"
tap_end
