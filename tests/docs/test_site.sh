#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the site that scripts/docs makes, and that its check of links finds faults.
# Needs: nothing
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

top=$ANYDNN_TEST_SRCDIR
site=$tap_dir/site

# faulty PATTERN LINE: adds a line to a page of a copy; the check must name it.
faulty() {
    rm -rf "$tap_dir/copy" && cp -R "$site" "$tap_dir/copy" && echo "$2" >>"$tap_dir/copy/index.html" || return 1
    python3 "$top/docs/site/links.py" "$tap_dir/copy" >"$tap_dir/said" && { echo "not detected"; return 1; }
    cat "$tap_dir/said"
    grep -q -e "$1" "$tap_dir/said"
}

# has PAGE TEXT: succeeds if a page of the site has the text.
has() {
    grep -q -e "$2" "$site/$1"
}

# Each page of the tree is a page of the site.
complete() {
    (cd "$top" && ls docs/*.md docs/tutorials/*.md) | grep -v entries.md | while read -r page; do
        [ -e "$site/${page%.md}.html" ] || echo "$page"
    done >"$tap_dir/missing"
    cat "$tap_dir/missing"
    [ ! -s "$tap_dir/missing" ]
}

if ! command -v doxygen >/dev/null 2>&1 || ! /usr/bin/python3 -c 'import sphinx, furo, myst_parser, breathe' 2>/dev/null; then
    skip "the site" "doxygen or sphinx with its extensions is missing"
elif [ ! -w "$top" ]; then
    skip "the site" "the sources cannot be written"
else
    check "scripts/docs makes the site" "$top/scripts/docs" "$site"
    check "every page is there" complete
    check "an entry has its comment" has docs/reference/anydnn_handles.html 'takes precedence over every file and variable'
    check "a section has its text" has docs/reference/anydnn_pooling.html 'A maximum is over the window'
    check "a structure of plugin.h has its members" has docs/reference/plugin_candidates.html 'expected_us'
    check "the search finds entries" has searchindex.js anydnnsetroute
    check "a link that leads nowhere is found" faulty 'index.html links to nowhere.html' '<a href="nowhere.html">x</a>'
    check "a missing anchor is found" faulty 'links to docs/using.html#nowhere' '<a href="docs/using.html#nowhere">x</a>'
    check "a file of another host is found" faulty 'loads https://example.org/x.js' '<script src="https://example.org/x.js"></script>'
fi
tap_end
