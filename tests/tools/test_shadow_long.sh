#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same with a fault in one of a thousand calls.
set -u
ANYDNN_TEST_RATE=1000 ANYDNN_TEST_IMAGES=20000
export ANYDNN_TEST_RATE ANYDNN_TEST_IMAGES
. "$ANYDNN_TEST_SRCDIR/tests/tools/test_shadow.sh"
