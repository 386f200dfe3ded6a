#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that scripts and tests install pinned versions, each file by its hash.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
cd "$ANYDNN_TEST_SRCDIR" || exit 1

# The package of this build is installed from its file, without its dependencies.
installs_by_hash() {
    for folder in scripts tests python bench examples; do
        find "$folder" -type f ! -name test_pinned.sh -exec grep -HnE '(pip"?|-m pip) (install|download)' {} +
    done | grep -vE '^[^:]*:[0-9]*: *#' >"$tap_dir/all"
    [ -s "$tap_dir/all" ] || { echo "no script installs anything: is the pattern right?"; return 1; }
    # shellcheck disable=SC2016
    ! grep -vE -- '--require-hashes|--no-deps "\$build"/python-wheel/|--no-index --no-deps "\$1"' "$tap_dir/all"
}

# is_pinned FILE: succeeds if each requirement has one version and a hash, and no line names an index.
is_pinned() {
    grep -q '^[a-z]' "$1" && ! grep -nE '^[a-zA-Z]' "$1" | grep -vE '^[0-9]+:[a-zA-Z0-9._-]+==[0-9a-z.!+-]+ ' || return 1
    ! grep -nE '^ *-' "$1" | grep -vE '^[0-9]+:    --hash=sha256:[0-9a-f]{64}( \\)?$' || return 1
    awk '/^[a-zA-Z]/ { if (waiting) exit bad = 1; waiting = $NF == "\\" ? 1 : bad = 1 } /--hash=/ { waiting = 0 } END { exit bad || waiting }' "$1"
}

# has_all LIST PINNED: succeeds if the pinned list has all packages of the list.
has_all() {
    grep -v '^#' "$1" | sed -e 's/[<>=].*//' -e 's/_/-/g' | while read -r name; do
        grep -q "^$name==" "$2" || { echo "$2 lacks $name"; exit 1; }
    done
}

check "whatever pip installs is pinned by hashes" installs_by_hash
for list in scripts/wheel tests/onednn/wheels python/tests/requirements; do
    check "$list.txt: one version and its hashes each" is_pinned "$list.txt"
    check "$list.txt has what $list.in asks for" has_all "$list.in" "$list.txt"
done
tap_end
