# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# Defines functions for tests of cuda_tensorcore compiled for the host's processor. Source it with `folder` set
# to the folder of that build in tests/cuda of the build tree. It ends the test if that build is impossible.

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
list=$ANYDNN_TEST_SRCDIR/tests/gpu/smallest_tensorcore.txt
emulated=$ANYDNN_TEST_BUILDDIR/tests/cuda/$folder
built=$emulated/tensorcore

if ! command -v "${CXX:-c++}" >/dev/null; then
    skip "cuda_tensorcore on the host's processor" "no C++ compiler"
    tap_end
    exit 0
fi
if [ "${ANYDNN_TEST_SANITIZER:-no}" != no ]; then
    skip "cuda_tensorcore on the host's processor" "coroutines are beyond the sanitizers"
    tap_end
    exit 0
fi

# compiled: the build exists; otherwise it shows the build's log.
compiled() {
    test -e "$built/anydnn_cuda_tensorcore.so" || {
        cat "$emulated.log"
        return 1
    }
}

# on COMMAND...: runs a command with this backend alone on the device.
on() {
    ANYDNN_PLUGIN_PATH=$built:$ANYDNN_TEST_PLUGINDIR ANYDNN_DEVICE=cuda \
        ANYDNN_ROUTE=cuda_tensorcore ANYDNN_FALLBACK=off "$@" >"$tap_dir/out" 2>&1
}

# verified OPTION...: the backend passes anydnn verify.
verified() {
    on "$anydnn" verify --case-limit 300 "$@" "$built/anydnn_cuda_tensorcore.so" </dev/null
    status=$?
    tail -n 40 "$tap_dir/out"
    return $status
}

# every_kernel: the list reaches every kernel by the engines that tests/gpu/every_kernel finds, and the tuning
# file makes the dispatch choose each of them.
every_kernel() {
    mkdir -p "$tap_dir/bin" "$tap_dir/every"
    ln -sf "$anydnn" "$tap_dir/bin/anydnn"
    on env PATH="$tap_dir/bin:$PATH" sh "$ANYDNN_TEST_SRCDIR/tests/gpu/every_kernel" "$list" "$tap_dir/every" || {
        cat "$tap_dir/out"
        return 1
    }
    "$emulated/list_kernels" | cut -d" " -f1 | sort -n >"$tap_dir/kernels"
    while read -r engine; do
        echo $((engine >> 16 & 0xffffffff))
    done <"$tap_dir/every/engines" | sort -nu >"$tap_dir/reached"
    sort "$tap_dir/kernels" >"$tap_dir/sorted"
    sort "$tap_dir/reached" | comm -23 "$tap_dir/sorted" - | sed 's/^/not reached: kernel /' >"$tap_dir/left"
    cat "$tap_dir/left"
    ANYDNN_TUNING=$tap_dir/every/tuning
    export ANYDNN_TUNING
    on "$anydnn" explain - <"$tap_dir/every/problems"
    unset ANYDNN_TUNING
    sed -n 's/^choice: .* engine \([0-9]*\),.*(measured before)$/\1/p' "$tap_dir/out" | diff - "$tap_dir/every/engines" &&
        [ -s "$tap_dir/kernels" ] && [ ! -s "$tap_dir/left" ]
}

# kernels TIMES: runs each kernel TIMES times, by the engines that every_kernel found.
kernels() {
    ANYDNN_TUNING=$tap_dir/every/tuning
    export ANYDNN_TUNING
    on "$anydnn" run --repeat "$1" --check cpu_ref - <"$tap_dir/every/problems"
    status=$?
    unset ANYDNN_TUNING
    tail -n 20 "$tap_dir/out"
    return $status
}
