#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The time of the first anydnnCreate in 20 processes, with every built backend opened: the median, and
# the smallest, which is held to 20 ms (TAP), for it alone has nothing in it of the machine's other work.
# Run by `make check`, or by hand as bench/call_cost/call_cost.sh says.
set -eu
# shellcheck source=tests/tap.sh
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
program=$ANYDNN_TEST_BUILDDIR/bench/create_time/create_time
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
ANYDNN_ROUTE=$(cd "$ANYDNN_TEST_PLUGINDIR" && for so in anydnn_*.so; do
    name=${so#anydnn_}
    printf '%s, ' "${name%.so}"
done | sed 's/, $//')
export ANYDNN_PLUGIN_PATH ANYDNN_ROUTE

"$program" >/dev/null
i=0
while [ $i -lt 20 ]; do
    "$program"
    i=$((i + 1))
done >"$tap_dir/times"
sort -n -o "$tap_dir/times" "$tap_dir/times"
smallest=$(head -n 1 "$tap_dir/times")
echo "# backends $ANYDNN_ROUTE: smallest $smallest ms, median $(sed -n 10p "$tap_dir/times") ms," \
    "largest $(tail -n 1 "$tap_dir/times") ms"
below() {
    "${AWK:-awk}" -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}
if [ -n "${ANYDNN_TEST_SANITIZER-}" ] && [ "$ANYDNN_TEST_SANITIZER" != no ]; then
    skip "the first anydnnCreate takes less than 20 ms" "a sanitizer build"
else
    check "the first anydnnCreate takes less than 20 ms" below "$smallest" 20
fi
tap_end
