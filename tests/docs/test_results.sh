#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the tables in bench/results: each is cited outside the folder, the folder's README.md has its command, and pages
# cite only tables that exist. The backquotes are Markdown's.
# Needs: nothing
# shellcheck disable=SC2016
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

top=$ANYDNN_TEST_SRCDIR

# Names and patterns of tables, as in h200_layers_*.csv.
name='[a-z][a-z0-9]*_[a-z0-9_*]*\.csv'

# These files may cite a table. This script is excluded, because it plants names.
find "$top/README.md" "$top/NEWS" "$top/conf/anydnn.conf" "$top/docs" "$top/core" "$top/plugins" "$top/include" "$top/tools" \
    "$top/tests" -type f \( -name '*.md' -o -name NEWS -o -name '*.conf' -o -name '*.[ch]' -o -name '*.cu' -o -name '*.sh' \) \
    ! -name test_results.sh -exec cat {} + | grep -o "$name" | sort -u >"$tap_dir/cited"

# tables FOLDER: prints the files of the folder, without the pages, the list for make, and the plot program.
tables() {
    for file in "$1"/*; do
        case ${file##*/} in
        README.md | trials.md | local.mk | plot.awk) ;;
        *) echo "${file##*/}" ;;
        esac
    done
}

# cited FOLDER: succeeds if a file outside the folder cites each table, otherwise prints the tables that none cites.
cited() {
    tables "$1" | while read -r table; do
        while read -r pattern; do
            # shellcheck disable=SC2254
            case $table in
            $pattern) continue 2 ;;
            esac
        done <"$tap_dir/cited"
        echo "$table: nothing cites it"
    done >"$tap_dir/faults"
    cat "$tap_dir/faults"
    [ ! -s "$tap_dir/faults" ]
}

# described FOLDER: succeeds if each table has a row in the folder's README.md.
described() {
    tables "$1" | while read -r table; do
        grep -qF "\`$table\`" "$1/README.md" || echo "$table: no row in README.md"
    done >"$tap_dir/faults"
    cat "$tap_dir/faults"
    [ ! -s "$tap_dir/faults" ]
}

# present FOLDER PAGE...: succeeds if each table that a page names exists. A name with an asterisk after the backquote
# is in the history only.
present() {
    folder=$1
    shift
    cat "$@" | grep -o "\`$name\`[*]\{0,1\}" | sort -u | while read -r quoted; do
        case $quoted in
        *'*') continue ;;
        esac
        table=${quoted#?}
        found=no
        # A name may be a pattern for several files.
        # shellcheck disable=SC2231
        for file in "$folder"/${table%?}; do
            [ ! -e "$file" ] || found=yes
        done
        [ "$found" = yes ] || echo "$quoted: no such table"
    done >"$tap_dir/faults"
    cat "$tap_dir/faults"
    [ ! -s "$tap_dir/faults" ]
}

# planted CHECK PATTERN FILE LINE: adds LINE to FILE in a copy of the folder; CHECK must fail with output that matches
# PATTERN.
planted() {
    rm -rf "$tap_dir/results" && cp -r "$top/bench/results" "$tap_dir/results" && chmod -R u+w "$tap_dir/results" || return 1
    echo "$4" >>"$tap_dir/results/$3"
    "$1" "$tap_dir/results" "$tap_dir/results/README.md" >"$tap_dir/said" && { echo "the fault was not detected"; return 1; }
    cat "$tap_dir/said"
    grep -q -e "$2" "$tap_dir/said"
}

check "each table is cited outside its folder" cited "$top/bench/results"
check "each table has its command" described "$top/bench/results"
check "each table that a page names exists" present "$top/bench/results" "$top/README.md" "$top"/docs/*.md "$top/bench/results/README.md"
check "a table that nothing cites is found" planted cited '^h200_planted.csv: nothing cites it' h200_planted.csv layer
check "a page for a browser is found" planted cited '^planted.html: nothing cites it' planted.html '<p>'
check "a table without its command is found" planted described '^h200_planted.csv: no row' h200_planted.csv layer
check "a missing table is detected" planted present 'h200_planted.csv.: no such table' README.md '`h200_planted.csv`'
tap_end
