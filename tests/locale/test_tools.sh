#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the program anydnn again, in a process whose locale writes 0,5.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

if [ "${ANYDNN_TEST_SANITIZER:-no}" != no ]; then
    skip "the program in another locale" "the sanitizer must be loaded first"
    tap_end
    exit 0
fi
if [ ! -d "$LOCPATH/de_DE.UTF-8" ]; then
    skip "the program in another locale" "there is no localedef, or no source of de_DE"
    tap_end
    exit 0
fi
LD_PRELOAD=$ANYDNN_TEST_BUILDDIR/tests/locale/.libs/foreign.so
ANYDNN_TEST_LOCALE=de_DE.UTF-8
export LD_PRELOAD ANYDNN_TEST_LOCALE

# passes TEST: checks that it succeeds and has cases, none of which failed.
passes() {
    sh "$ANYDNN_TEST_SRCDIR/tests/tools/$1.sh" >"$tap_dir/told" 2>"$tap_dir/said"
    status=$?
    grep -A 30 '^not ok' "$tap_dir/told"
    [ "$status" -eq 0 ] && grep -q '^ok' "$tap_dir/told" && ! grep -q '^not ok' "$tap_dir/told"
}

for name in test_anydnn test_bench test_compare test_many_backends test_replay test_report test_run_types test_shadow; do
    check "$name" passes "$name"
done
tap_end
