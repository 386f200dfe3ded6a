#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package on the library of the build tree; cases that want NumPy are skipped where it is missing.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

ANYDNN_LIBRARY=$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so.0
ANYDNN_TOOL=$ANYDNN_TEST_BUILDDIR/tools/anydnn
ANYDNN_INCLUDE=$ANYDNN_TEST_SRCDIR/include:$ANYDNN_TEST_BUILDDIR/include
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
PYTHONDONTWRITEBYTECODE=1
export ANYDNN_LIBRARY ANYDNN_TOOL ANYDNN_INCLUDE ANYDNN_PLUGIN_PATH PYTHONDONTWRITEBYTECODE

# Another python3 may come before Debian's, which has Debian's NumPy.
python=python3
"$python" -c 'import numpy' 2>/dev/null || ! /usr/bin/python3 -c 'import numpy' 2>/dev/null || python=/usr/bin/python3

if ! command -v "$python" >/dev/null 2>&1; then
    skip "the package anydnn" "no python3"
elif nm -D "$ANYDNN_LIBRARY" | grep -q ' __[atu]*san_'; then
    skip "the package anydnn" "a library with sanitizers is not opened by an interpreter without them"
else
    check "the package anydnn" "$python" "$ANYDNN_TEST_SRCDIR/python/tests/test_anydnn.py"
fi
tap_end
