#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that calls survive a failure of the Nth allocation and a lack of file descriptors: statuses are right, nothing
# leaks, and nothing stays broken. For onednn the short run tests every 24th of the project's own allocations, which
# take a second each. ANYDNN_TEST_SHORTAGE=all tests all of them and all of oneDNN's, some of which end the process.
# Needs: tests/shortage/shortage
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
all=${ANYDNN_TEST_SHORTAGE:-}

# shortage BACKEND OURS [ALL]: runs the program and prints its output, also on success.
shortage() {
    ANYDNN_TEST_SHORTAGE_FOLDER=$tap_dir "$ANYDNN_TEST_BUILDDIR/tests/shortage/shortage" "$@" >"$tap_dir/told" 2>&1
    status=$?
    cat "$tap_dir/told"
    [ -z "$all" ] || sed 's/^/# /' "$tap_dir/told" >&3
    return $status
}

if [ "${ANYDNN_TEST_SANITIZER:-no}" != no ]; then
    skip "memory runs out" "the sanitizer has an allocator of its own"
    tap_end
    exit 0
fi
exec 3>&1
check "cpu_ref: each allocation fails once" shortage cpu_ref 1 1
if [ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    skip "onednn: allocations fail" "it was not built"
elif [ "$all" = all ]; then
    check "onednn: each allocation fails once" shortage onednn 1 1
else
    check "onednn: allocations fail" shortage onednn 24
fi
tap_end
