#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that the frozen parts of the two ABIs still exist: every level of the application ABI, and the plugin
# ABI of plugin.h's number.
# Needs: libanydnn.la cudnn7/built/.stamp
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
# shellcheck disable=SC2034
abi_root=$ANYDNN_TEST_SRCDIR abi_tmp=$tap_dir
. "$ANYDNN_TEST_SRCDIR/tests/abi/abi.sh"

library=$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so

newest=$(abi_table views | sed -n 's/^#define ANYDNN_API_LEVEL_NEWEST //p')
level=1
while [ "$level" -le "$newest" ]; do
    check "level $level is frozen: scripts/abi-baseline did it" test -s "$abi_frozen/level-$level/library.abi"
    check "level $level: every symbol is in its version node" abi_gate_symbols "$level"
    check "level $level: every constant has its value" abi_gate_constants "$level"
    check "level $level: its views are unchanged" abi_gate_views "$level"
    if command -v abidiff >/dev/null 2>&1; then
        check "level $level: symbols, arguments and types are unchanged" \
            abi_gate_library "$level" "$library"
    elif [ -n "${ANYDNN_TEST_STRICT-}" ]; then
        check "level $level: there is no abidiff to compare with; install abigail-tools (scripts/setup)" false
    else
        skip "level $level: symbols, arguments and types are unchanged" "no abidiff (abigail-tools)"
    fi
    level=$((level + 1))
done
cudnn7=$ANYDNN_TEST_BUILDDIR/cudnn7/.libs/libcudnn.so.7
if command -v abidiff >/dev/null 2>&1; then
    check "libcudnn.so.7: functions, arguments and types are unchanged" abi_gate_cudnn7 "$cudnn7"
elif [ -n "${ANYDNN_TEST_STRICT-}" ]; then
    check "libcudnn.so.7: there is no abidiff to compare with; install abigail-tools (scripts/setup)" false
else
    skip "libcudnn.so.7: functions, arguments and types are unchanged" "no abidiff (abigail-tools)"
fi
check "plugin.h equals the text recorded under its number" abi_gate_plugin
check "plugin.h has anydnn.h's numbers" abi_gate_numbers
tap_end
