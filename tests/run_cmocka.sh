#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a test program and makes one TAP stream of what cmocka prints: one plan where every group
# prints its own, cases numbered throughout. A program that prints no cases is a case itself
# (exit status 77: skipped). Failed cases speak for themselves; any other bad end stays an error.
set -u

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
CMOCKA_MESSAGE_OUTPUT=TAP "$@" >"$scratch/out" 2>"$scratch/err"
code=$?

# shellcheck disable=SC2016
${AWK-awk} -v name="$(basename "$1")" -v code="$code" '
    /^1\.\.[0-9]+/ { planned += substr($1, 4); next }
    /^(not )?ok [0-9]+/ {
        at = index($0, "ok ")
        rest = substr($0, at + 3)
        sub(/^[0-9]+/, "", rest)
        # cmocka calls a skipped case "not ok".
        bad = at > 1 && rest !~ /^ # SKIP/
        failed += bad
        print (bad ? "not ok " : "ok ") ++cases rest
        next
    }
    { print (/^#/ ? "" : "# ") $0 }
    END {
        if (!cases) {
            print "1..1"
            verdict = code == 0 || code == 77 ? "ok" : "not ok"
            print verdict " 1 - " name (code == 77 ? " # SKIP" : "") (code ? " exit status " code : "")
            exit 0
        }
        print "1.." (planned > cases ? planned : cases)
        exit failed && planned <= cases ? 0 : code
    }' "$scratch/out"
verdict=$?
sed 's/^/# /' "$scratch/err"
exit "$verdict"
