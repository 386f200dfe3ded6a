#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that the first anydnnCreate takes at most 20 ms with every built backend opened (TAP). The time is the
# median over 20 processes. Run by `make check`, or by hand as bench/call_cost/call_cost.sh says. The backend opencl is
# left out: its loader loads the drivers of the machine, which takes 30 ms with PoCL's compiler.
# Needs: bench/create_time/create_time
set -eu
# shellcheck source=tests/tap.sh
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
program=$ANYDNN_TEST_BUILDDIR/bench/create_time/create_time
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
ANYDNN_ROUTE=$(cd "$ANYDNN_TEST_PLUGINDIR" && for so in anydnn_*.so; do
    name=${so#anydnn_}
    [ "$name" = opencl.so ] || printf '%s, ' "${name%.so}"
done | sed 's/, $//')
export ANYDNN_PLUGIN_PATH ANYDNN_ROUTE

"$program" >/dev/null
i=0
while [ $i -lt 20 ]; do
    "$program"
    i=$((i + 1))
done >"$tap_dir/times"
median=$(sort -n "$tap_dir/times" | sed -n 10p)
echo "# backends $ANYDNN_ROUTE: median $median ms, largest $(sort -n "$tap_dir/times" | tail -n 1) ms"
below() {
    "${AWK:-awk}" -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}
if [ -n "${ANYDNN_TEST_SANITIZER-}" ] && [ "$ANYDNN_TEST_SANITIZER" != no ]; then
    skip "the first anydnnCreate takes less than 20 ms" "a sanitizer build"
else
    check "the first anydnnCreate takes less than 20 ms" below "$median" 20
fi
tap_end
