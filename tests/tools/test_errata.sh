#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks anydnn errata with a copy of cpu_ref that has a planted fault: the list, an entry, checks on this machine, the
# search, and what verify does with errata.
# Needs: tools/anydnn tests/tools/anydnn_faulty.la mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
built=$ANYDNN_TEST_BUILDDIR/tests/tools/.libs
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR:$ANYDNN_TEST_MOCKDIR
ANYDNN_CONFIG=$tap_dir/anydnn.conf
export ANYDNN_PLUGIN_PATH ANYDNN_CONFIG
mkdir "$tap_dir/errata.d"
cp "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" "$tap_dir/copy.so"

# The fault occurs with filters of 3 rows.
wrong='convolution_forward x=f32:1,4,6,6 w=f32:5,4,3,2'
right='convolution_forward x=f32:1,4,6,6 w=f32:5,4,2,3'

# faulty FAULT: makes the settings.
faulty() {
    printf '[anydnn]\ndevice = cpu\n[plugin faulty]\nmodule = %s\nset.copy = %s\nset.fault = %s\nset.rows = 3\n' \
        "$built/anydnn_faulty.so" "$tap_dir/copy.so" "$1" >"$ANYDNN_CONFIG"
    printf '[route]\n* = faulty, cpu_ref\n' >>"$ANYDNN_CONFIG"
}
# entry ID PROBLEM LINE...: appends an erratum of the faulty backend.
entry() {
    printf '[%s]\nbackend = faulty\nproblem = %s\n' "$1" "$2"
    shift 2
    printf '%s\n' "$@"
} >>"$tap_dir/errata.d/one.ini"
# runs STATUS ARGUMENT...: runs the program and compares its status.
runs() {
    status=$1
    shift
    "$anydnn" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] && return 0
    echo "status $found, not $status: anydnn $*"
    cat "$tap_dir/out" "$tap_dir/err"
    return 1
}
says() { grep -q -e "$1" "$tap_dir/out" || { cat "$tap_dir/out" "$tap_dir/err"; return 1; }; }
complains() { grep -q -e "$1" "$tap_dir/err" || { cat "$tap_dir/out" "$tap_dir/err"; return 1; }; }

faulty product
entry rows "$wrong" 'operations = convolution_forward' 'filter = 3' 'verdict = wrong' 'source = this test'
entry bygone "$right" 'operations = convolution_forward' 'filter = 2' 'verdict = wrong'
entry absent "$wrong" 'operations = convolution_forward' 'engine = 12345' 'verdict = wrong'
entry bare '' 'verdict = slow'
sed -i '/^problem = $/d' "$tap_dir/errata.d/one.ini"

listed() {
    runs 0 errata && says '^rows  *wrong  *faulty, .*one.ini:1$' && says '^mock_a-published  *wrong' &&
        says '^[0-9]* errata$'
}
check "the list names each erratum, its verdict and its origin" listed
shown() { runs 0 errata --show rows && says '^\[rows\]$' && says '^filter = 3$' && says '^source = this test$'; }
check "--show prints the entry" shown
unknown() { runs 2 errata --show nothing && complains 'there is no erratum of this id'; }
check "--show of an unknown id is wrong usage" unknown
as_json() {
    runs 0 --json errata 2>/dev/null || runs 0 errata --json || return 1
    python3 - "$tap_dir/out" <<'P'
import json, sys
errata = {e["id"]: e for e in json.load(open(sys.argv[1]))["errata"]}
assert errata["rows"]["verdict"] == "wrong" and errata["rows"]["in_force"]
assert errata["rows"]["problem"].startswith("convolution_forward x=f32:1,4,6,6")
P
}
check "--json has every entry" as_json

checked() {
    runs 0 errata --check && says '^rows  *confirmed: ' && says '^bygone  *not reproduced' &&
        says '^absent  *does not apply: the erratum concerns no engine' && says '^bare  *does not apply'
}
check "--check runs each erratum: confirmed, not reproduced, or does not apply" checked
one_checked() { runs 0 errata --check rows && says '^rows  *confirmed' && ! grep -q bygone "$tap_dir/out"; }
check "--check ID runs that one alone" one_checked

# An erratum that cannot run is not confirmed.
unable() {
    cp "$ANYDNN_CONFIG" "$tap_dir/kept.conf"
    echo 'no module' >"$tap_dir/gone.so"
    printf '[plugin gone]\nmodule = %s\n' "$tap_dir/gone.so" >>"$ANYDNN_CONFIG"
    printf '[gone]\nbackend = gone\nproblem = %s\nverdict = wrong\n' "$wrong" >"$tap_dir/errata.d/two.ini"
    printf '[nonsense]\nbackend = faulty\nproblem = convolution_forward x=1\nverdict = wrong\n' >>"$tap_dir/errata.d/two.ini"
    runs 0 errata --check && says '^gone  *does not apply: .*gone.so' && says '^nonsense  *does not apply: problem text' &&
        says '^rows  *confirmed'
    result=$?
    rm "$tap_dir/errata.d/two.ini"
    cp "$tap_dir/kept.conf" "$ANYDNN_CONFIG"
    return "$result"
}
check "--check does not confirm what cannot run" unable

# An entry that another one replaces is not checked any more.
replaced() {
    printf '[rows]\nbackend = faulty\nproblem = %s\nengine = 12345\nverdict = wrong\n' "$wrong" >"$tap_dir/errata.d/two.ini"
    runs 0 errata --check && says '^rows  *does not apply' && ! grep -q '^rows  *confirmed' "$tap_dir/out"
    result=$?
    rm "$tap_dir/errata.d/two.ini"
    return "$result"
}
check "--check takes the engines of the entry in force" replaced

# The library and verify leave out what errata forbid.
avoided() { runs 0 explain "$wrong" && says 'has the erratum rows (wrong)' && says '^choice: cpu_ref'; }
check "explain names the erratum, and the next backend is chosen" avoided
taken() { rm "$tap_dir/errata.d/one.ini" && runs 0 explain "$wrong" && says '^choice: faulty'; }
verified() { runs 0 verify faulty --problem "$wrong" && says 'every engine that it offers has an erratum'; }
check "verify does not judge what the library would not take" verified
check "without the entry the backend is chosen" taken
fails() { runs 1 verify faulty --problem "$wrong"; }
check "without the entry verify fails" fails

# The search: the first engine of mock_a treats the border wrong. What is found is a file of errata.
cat >"$ANYDNN_CONFIG" <<'C'
[anydnn]
device = cpu
[plugin mock_a]
set.compute = border / right
set.engine_count = 2
set.words = engine=5 tile=2 / engine=6 tile=2
C
printf 'a: convolution_forward x=f32:2,3,9,7 w=f32:4,3,3,3 pad=1,1\nb: convolution_forward x=f32:2,3,9,7 w=f32:4,3,3,3\n' \
    >"$tap_dir/two.suite"
found() {
    runs 1 errata --find mock_a "$tap_dir/two.suite" && says '^\[found-[0-9a-f]\{16\}\]$' && says '^engine = 5$' &&
        says '^knobs = tile=2$' && says '^verdict = wrong$' && says '^problem = convolution_forward x=f32:2,3,9,7' &&
        says '^# 2 problems, 1 engines with wrong results$'
}
check "--find prints an entry for each engine with wrong results" found
closed() {
    cp "$tap_dir/out" "$tap_dir/errata.d/found.ini" && runs 0 errata --find mock_a "$tap_dir/two.suite" &&
        says '^# 2 problems, 0 engines' && runs 0 errata && says '^found-[0-9a-f]*  *wrong  *mock_a, engine 5,'
}
check "what --find prints is a file of errata" closed
# A second search adds a file beside the first one.
beside() {
    rm "$tap_dir/errata.d/found.ini"
    for problem in x=f32:2,3,9,7 x=f32:2,3,11,7; do
        line="convolution_forward $problem w=f32:4,3,3,3 pad=1,1"
        runs 1 errata --find mock_a "$line" || return 1
        cp "$tap_dir/out" "$tap_dir/$problem"
    done
    cp "$tap_dir/x=f32:2,3,9,7" "$tap_dir/errata.d/first.ini"
    cp "$tap_dir/x=f32:2,3,11,7" "$tap_dir/errata.d/second.ini"
    runs 0 errata && [ "$(grep -c '^found-' "$tap_dir/out")" -eq 2 ] && ! grep -q 'not in force' "$tap_dir/out"
    result=$?
    rm "$tap_dir/errata.d/first.ini" "$tap_dir/errata.d/second.ini"
    return "$result"
}
check "what two searches find stands beside each other" beside
twice() {
    printf 'a: %s\nb: %s\n' "$border" "$border" >"$tap_dir/twice.suite"
    runs 1 errata --find mock_a "$tap_dir/twice.suite" && [ "$(grep -c '^\[' "$tap_dir/out")" -eq 1 ]
}
border='convolution_forward x=f32:2,3,9,7 w=f32:4,3,3,3 pad=1,1'
check "a problem that occurs twice is found once" twice
no_suite() { runs 2 errata --json --find mock_a nothing.suite; [ ! -s "$tap_dir/out" ]; }
check "--find --json of no suite prints no result" no_suite
nobody() { runs 2 errata --find nobody "$tap_dir/two.suite" && complains 'no backend of this name is installed'; }
check "--find of an unknown backend is wrong usage" nobody
aimless() { runs 2 errata --find mock_a && complains 'takes a suite'; }
check "--find without a suite is wrong usage" aimless

tap_end
