#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs test_shadow.sh with a fault in one of a thousand calls.
# Needs: tools/anydnn examples/lenet/lenet tests/tools/anydnn_faulty.la
set -u
if [ "${ANYDNN_TEST_SANITIZER:-no}" != no ]; then
    . "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
    skip "one of a thousand calls" "test_shadow.sh runs the same code, and this would take many minutes"
    tap_end
    exit 0
fi
ANYDNN_TEST_RATE=1000 ANYDNN_TEST_IMAGES=20000
export ANYDNN_TEST_RATE ANYDNN_TEST_IMAGES
. "$ANYDNN_TEST_SRCDIR/tests/tools/test_shadow.sh"
