#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the small examples: each compiles as its page says, runs, and prints what it promises. python/tests/torch.sh
# tests the one for PyTorch.
# Needs: libanydnn.la examples/hello/hello examples/routes/routes examples/shadow/shadow
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

top=$ANYDNN_TEST_SRCDIR
built=$ANYDNN_TEST_BUILDDIR
libraries=$built/.libs

# prints PATTERN COMMAND...: succeeds if the command succeeds and its output has a line that matches.
prints() {
    pattern=$1
    shift
    "$@" >"$tap_dir/out" 2>"$tap_dir/err" || { cat "$tap_dir/out" "$tap_dir/err"; return 1; }
    says "$pattern"
}

# The edges of the square: its corners have two neighbours of value 0, its sides one, its middle none.
finds_edges() {
    prints '^computed by ' "$built/examples/hello/hello" && [ "$(sed -n 2p "$tap_dir/out" | tr -s ' ')" = ' -9 18 9 18 -9' ] &&
        [ "$(sed -n 3p "$tap_dir/out" | tr -s ' ')" = ' -9 9 0 9 -9' ]
}

# The softmax of 0, 1, 2 is 1, e, e^2 divided by their sum.
explains() {
    prints '^choice: cpu_ref ' "$built/examples/routes/routes" 'cpu_ref' && says '^rule: \[route\] \* = cpu_ref$' &&
        says '^0.090 0.245 0.665, computed by cpu_ref$' && says '^skipped before it: none$'
}

# A route without a usable backend fails with the reason.
declines() {
    "$built/examples/routes/routes" 'no_such_backend, fallback:off' >"$tap_dir/out" 2>"$tap_dir/err" && return 1
    says '^routes: .*no_such_backend'
}

shadows() {
    prints '^compared  *10$' "$built/examples/shadow/shadow" && says '^mismatches  *0$' && says '^reference  *cpu_ref$' &&
        says '^worst_ratio  *0\.[0-9]*$'
}

# The program for cuDNN 7 mentions anydnn in its opening comment alone.
is_unchanged() {
    ! sed '1,/\*\//d' "$top/examples/cudnn7/relu.c" | grep -i anydnn
}

compiles() {
    # shellcheck disable=SC2086 # Each word is a flag.
    ${CC:-cc} -Wall -Wextra -Werror -I"$top/examples/cudnn7/cpu" -I"$top/include/anydnn/cudnn7" -I"$top/include" \
        -I"$built/include" "$top/examples/cudnn7/relu.c" -L"$libraries" -lanydnn -o "$tap_dir/relu"
}

clips() {
    LD_LIBRARY_PATH=$libraries prints '^0 0 0 0 0 1 2 3$' "$tap_dir/relu"
}

arrays() {
    ANYDNN_LIBRARY=$libraries/libanydnn.so.0 ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR PYTHONPATH=$top/python \
        PYTHONDONTWRITEBYTECODE=1 prints '^shape of the result: (2, 8, 8, 8)$' "$python" "$top/examples/python/arrays.py" &&
        says '^route cpu_ref: ran on cpu_ref, in default math$' && says '^error: .*pad is -1' &&
        says '^\[-1.609438 ' && awk '/^largest difference/ { found = $NF < 1e-4 } END { exit !found }' "$tap_dir/out"
}

# short FILE...: succeeds if each file has at most 50 lines.
short() {
    wc -l "$@" | awk '$2 != "total" && $1 > 50 { print $2 ": " $1 " lines"; bad = 1 } END { exit bad }'
}

ANYDNN_DEVICE=cpu
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_DEVICE ANYDNN_PLUGIN_PATH
check "hello finds the edges" finds_edges
check "routes explains and runs" explains
check "routes fails with the reason" declines
check "shadow checks ten calls" shadows
check "the program for cuDNN 7 does not mention anydnn" is_unchanged
if [ -n "${ANYDNN_TEST_SANITIZER-}" ] && [ "$ANYDNN_TEST_SANITIZER" != no ]; then
    skip "the program for cuDNN 7 and Python" "programs of others are built without a sanitizer"
else
    check "the program for cuDNN 7 compiles" compiles
    check "the program for cuDNN 7 runs" clips
    python=python3
    "$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
    if "$python" -c 'import numpy' 2>/dev/null; then
        check "arrays of NumPy" arrays
    else
        skip "arrays of NumPy" "no NumPy"
    fi
fi
check "each example is short" short "$top"/examples/hello/*.c "$top"/examples/cudnn7/*.c "$top"/examples/routes/*.c \
    "$top"/examples/shadow/*.c "$top"/examples/python/*.py "$top"/examples/torch/*.py
tap_end
