#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the formulas of docs/formulas.md: NumPy computes them, and cpu_ref must have the same results in double.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

ANYDNN_LIBRARY=$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so.0
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
PYTHONPATH=$ANYDNN_TEST_SRCDIR/python
PYTHONDONTWRITEBYTECODE=1
export ANYDNN_LIBRARY ANYDNN_PLUGIN_PATH PYTHONPATH PYTHONDONTWRITEBYTECODE
formulas=$ANYDNN_TEST_SRCDIR/tests/docs/formulas.py
python=python3
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3

# detects NAME SED_COMMAND: changes a formula. The comparison NAME must then fail.
detects() {
    sed "$2" "$formulas" >"$tap_dir/changed.py"
    cmp -s "$formulas" "$tap_dir/changed.py" && { echo "the sed command changed nothing"; return 1; }
    "$python" "$tap_dir/changed.py" >"$tap_dir/said" 2>&1 && { echo "not detected"; return 1; }
    cat "$tap_dir/said"
    grep -q "^$1:" "$tap_dir/said"
}

if ! "$python" -c 'import numpy' 2>/dev/null; then
    skip "formulas" "no NumPy"
elif [ -n "${ANYDNN_TEST_SANITIZER-}" ] && [ "$ANYDNN_TEST_SANITIZER" != no ]; then
    skip "formulas" "a library with sanitizers is not opened by an interpreter without them"
else
    check "the library computes the formulas" "$python" "$formulas"
    check "another variance is detected" detects "the running variance" 's|var \* m / (m - 1)|var|'
    check "another border is detected" detects "pooling, average_include" 's|(v\[0\] + v\[1\]) / 3|(v[0] + v[1]) / 2|'
    check "another rule for NaN is detected" detects "relu of NaN, ignore" 's|0 if "relu" in name|1 if "relu" in name|'
fi
tap_end
