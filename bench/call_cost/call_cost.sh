#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the cost of a call and checks it against its limits (TAP): instructions from the call of the entry to
# the backend's execute, counted by callgrind, and nanoseconds relative to a direct function call. Run by
# `make check`, or by hand: make check TESTS=bench/call_cost/call_cost.sh, then read bench/call_cost/call_cost.log
# Needs: bench/call_cost/call_cost mocks-dir
set -eu
# shellcheck source=tests/tap.sh
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
program=$ANYDNN_TEST_BUILDDIR/bench/call_cost/call_cost
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_MOCKDIR
ANYDNN_ROUTE=mock_noop
export ANYDNN_PLUGIN_PATH ANYDNN_ROUTE

# count DIMS WAY ROUNDS: prints the instructions inside the entry over all calls.
count() {
    "$ANYDNN_TEST_BUILDDIR/libtool" --mode=execute "${VALGRIND:-valgrind}" --tool=callgrind \
        --collect-atstart=no --callgrind-out-file="$tap_dir/callgrind" "$program" run "$1" "$2" "$3" >"$tap_dir/log" 2>&1 || {
        cat "$tap_dir/log" >&2
        return 1
    }
    sed -n 's/^.*Collected : *\([0-9]*\).*$/\1/p' "$tap_dir/log"
}

# instructions DIMS WAY: prints those of one call, from the difference of two runs, which excludes first
# calls. Subtracts the caller's own cost to call a function with as many arguments.
instructions() {
    few=$(count "$1" "$2" 2)
    many=$(count "$1" "$2" 12)
    caller_few=$(count "$1" none 2)
    caller_many=$(count "$1" none 12)
    echo $(((many - few - caller_many + caller_few) / 640))
}

within() {
    [ "$1" -ge 20 ] && [ "$1" -le "$2" ]
}

# The reason why instructions cannot be counted here, or empty.
obstacle=
if [ -n "${ANYDNN_TEST_SANITIZER-}" ] && [ "$ANYDNN_TEST_SANITIZER" != no ]; then
    obstacle="a sanitizer build"
elif ! command -v "${VALGRIND:-valgrind}" >/dev/null 2>&1; then
    obstacle="no valgrind"
elif ! echo '#include <valgrind/callgrind.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
    obstacle="no valgrind/callgrind.h to build with"
elif ! count 4 same 1 >/dev/null 2>&1; then
    obstacle="valgrind cannot read what this compiler made"
fi

for way in same equal; do
    limit=300
    [ "$way" = same ] || limit=2000
    for dims in 4 5; do
        name="$way descriptors, $dims-D"
        times=$("$program" time "$dims" "$way")
        echo "# $name: ${times% *} ns a call, ${times#* } ns for a direct call"
        if [ -n "$obstacle" ]; then
            skip "$name: at most $limit instructions" "$obstacle"
        else
            counted=$(instructions "$dims" "$way")
            echo "# $name: $counted instructions a call, limit $limit"
            check "$name: at most $limit instructions" within "$counted" "$limit"
        fi
    done
done
tap_end
