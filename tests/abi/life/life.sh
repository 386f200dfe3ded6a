#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks a small library through six levels. The scripts that make anydnn's own views and export map make it.
# Programs for every view compile or are refused as docs/levels.md specifies. A program that was built against a
# release runs unchanged on every later one.
# Needs: nothing
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

here=$ANYDNN_TEST_SRCDIR/tests/abi/life
abi=$ANYDNN_TEST_SRCDIR/core/abi
first=2
last=6

# from_table SCRIPT LEVEL: prints the output of SCRIPT for the table of the time when LEVEL was the newest.
from_table() {
    $AWK -v newest="$2" -f "$abi/table.awk" -f "$abi/$1.awk" "$here/life.def"
}

# shellcheck disable=SC2086
build_library() {
    to=$tap_dir/$1
    mkdir -p "$to/anydnn"
    from_table views "$1" >"$to/anydnn/views.h" || return 1
    from_table map "$1" >"$to/life.map" || return 1
    $CC -std=c11 -O1 -g -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -DANYDNN_EVERY_FORM \
        -I"$to" -I"$here" -I"$ANYDNN_TEST_SRCDIR/core" "$here/life.c" -o "$to/liblife.so.0" \
        -Wl,-soname,liblife.so.0 -Wl,--version-script="$to/life.map" || return 1
    ln -s liblife.so.0 "$to/liblife.so"
}

# build_program RELEASE VIEW NAME FLAGS...: builds the program for a view with the header of a release.
# shellcheck disable=SC2086
build_program() {
    to=$tap_dir/$1 level=$2 name=$3
    shift 3
    $CC -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -pedantic -Wundef -Wredundant-decls -Wno-deprecated-declarations \
        -DANYDNN_API_LEVEL="$level" "$@" -I"$to" -I"$here" "$here/program.c" -o "$to/$name" \
        -L"$to" -llife -ldl
}

# The expected output of a program for the view: names follow the table of levels, meanings follow life.c.
expected() {
    echo "same 10005"
    case $1 in
    1 | 2) printf '%s\n' "scale 21005 21005" "twice 31005" ;;
    3) printf '%s\n' "scale 21005 21005" "scale_v3 23035" "twice 31005" "twice_v3 33035" \
        "late 43005" "late_changed 53005" ;;
    4) printf '%s\n' "scale 23035 23035" "scale_v3 23035" "scale_v1 21005" "twice 33035" \
        "twice_v1 31005" "twice_v3 33035" "twice_v4 34044" "late 43005" "late_changed 53005" ;;
    5) printf '%s\n' "scale 23035 23035" "twice 34044" "twice_v3 33035" "twice_v4 34044" \
        "late 43005" "late_changed 53005" "late_changed_v5 55035" ;;
    6) printf '%s\n' "scale 23035 23035" "twice 34044" "late 43005" "late_changed 55035" \
        "late_changed_v3 53005" "late_changed_v5 55035" ;;
    esac
    echo "by symbol 21005 31005"
}

# runs NAME VIEW RELEASE...: succeeds if the program of the first release prints the same on all of them.
runs() {
    name=$1 built=$3
    expected "$2" >"$tap_dir/expected"
    shift 2
    for with in "$@"; do
        LD_LIBRARY_PATH=$tap_dir/$with "$tap_dir/$built/$name" >"$tap_dir/printed" || return 1
        diff "$tap_dir/expected" "$tap_dir/printed" || {
            echo "built against release $built, run with release $with"
            return 1
        }
    done
}

refused() {
    if "$@" 2>"$tap_dir/refusal"; then
        echo "it compiles"
        return 1
    fi
    cat "$tap_dir/refusal"
    grep -q "ANYDNN_API_LEVEL names a view that this anydnn.h does not have" "$tap_dir/refusal"
}

release=$first
while [ "$release" -le "$last" ]; do
    check "release $release builds" build_library "$release"
    release=$((release + 1))
done

# lives RELEASE FLAG...: succeeds if a program for each view of the release builds and runs with it and with
# every later one.
lives() {
    since=$1
    shift
    view=1
    while [ "$view" -le "$since" ]; do
        echo "the program of view $view"
        build_program "$since" "$view" "view$view" "$@" || return 1
        # shellcheck disable=SC2046
        runs "view$view" "$view" $(seq "$since" "$last") || return 1
        view=$((view + 1))
    done
}

release=$first
while [ "$release" -le "$last" ]; do
    check "programs of release $release, of every view, run from then on" lives "$release"
    check "release $release: a view above it is refused" refused build_program "$release" $((release + 1)) none
    release=$((release + 1))
done
check "programs of every view run without labels" lives "$last" -DANYDNN_NO_LABELS
check "view 0 is refused" refused build_program "$last" 0 none

same_or_more() {
    abidiff --no-added-syms "$tap_dir/$1/liblife.so.0" "$tap_dir/$2/liblife.so.0"
}
release=$first
while [ "$release" -lt "$last" ]; do
    if command -v abidiff >/dev/null 2>&1; then
        check "release $((release + 1)) has all that release $release has" \
            same_or_more "$release" $((release + 1))
    else
        skip "release $((release + 1)) has all that release $release has" "no abidiff"
    fi
    release=$((release + 1))
done

# verdicts COMPILER FLAG CALL VERDICT...: checks how CALL compiles in view 1, 2, ...: + means success, - an
# error, ! a warning that the form is old.
verdicts() {
    compiler=$1 flag=$2 call=$3
    shift 3
    printf '#include "life.h"\nint f(void);\nint f(void)\n{\n    return %s;\n}\n' "$call" >"$tap_dir/call.c"
    level=0
    for wanted in "$@"; do
        level=$((level + 1))
        found=+
        # shellcheck disable=SC2086
        $compiler -std=c99 -pedantic -Wall -fsyntax-only -Werror=implicit-function-declaration "$flag" \
            -DANYDNN_API_LEVEL=$level -I"$tap_dir/$last" -I"$here" "$tap_dir/call.c" 2>"$tap_dir/said" || found=-
        [ $found = - ] || ! grep -q "deprecated.*is the new form" "$tap_dir/said" || found=!
        [ $found = "$wanted" ] || {
            echo "view $level: wanted $wanted, found $found"
            cat "$tap_dir/said"
            return 1
        }
    done
}

# The table of docs/levels.md, call by call. A program without labels also sees the suffixed name to which the
# plain name expands.
calls() {
    check "$1 $2: the old call of a changed entry" verdicts "$1" "$2" "anydnnScale(1)" + + ! - - -
    check "$1 $2: the new call of a changed entry" verdicts "$1" "$2" "anydnnScale(1, 2)" - - - + + +
    check "$1 $2: the old form by its suffix" verdicts "$1" "$2" "anydnnScale_v1(1)" - - - ! - -
    check "$1 $2: the new form by its suffix" verdicts "$1" "$2" "anydnnScale_v3(1, 2)" - - + + "$3" "$3"
    check "$1 $2: the first call of an entry that changed twice" verdicts "$1" "$2" "anydnnTwice(1)" + + ! - - -
    check "$1 $2: its second call" verdicts "$1" "$2" "anydnnTwice(1, 2)" - - - ! - -
    check "$1 $2: its third call" verdicts "$1" "$2" "anydnnTwice(1, 2, 3)" - - - - + +
    check "$1 $2: its first form by its suffix" verdicts "$1" "$2" "anydnnTwice_v1(1)" - - - ! - -
    check "$1 $2: its second form by its suffix" verdicts "$1" "$2" "anydnnTwice_v3(1, 2)" - - + ! ! -
    check "$1 $2: its third form by its suffix" verdicts "$1" "$2" "anydnnTwice_v4(1, 2, 3)" - - - + + "$3"
    check "$1 $2: an entry that came later" verdicts "$1" "$2" "anydnnLate(1)" - - + + + +
    check "$1 $2: an entry that came later and changed" verdicts "$1" "$2" "anydnnLateChanged(1)" - - + + ! -
    check "$1 $2: its old form by its suffix" verdicts "$1" "$2" "anydnnLateChanged_v3(1)" - - - - - !
}

calls "$CC" -DWITH_LABELS -
calls "$CC" -DANYDNN_NO_LABELS +
case $CC in
*clang*) other=gcc ;;
*) other=clang ;;
esac
if command -v $other >/dev/null 2>&1; then
    calls $other -DWITH_LABELS -
else
    skip "what compiles in which view with $other" "no $other"
fi
tap_end
