# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# cuda_tensorcore compiled for the host's processor, as tests use it: source it with the folder of that
# build, of tests/cuda in the build tree, in `folder`. Ends the test where there is none.

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

# make has built it, or has said why not.
compiled() {
    test -e "$built/anydnn_cuda_tensorcore.so" || {
        cat "$emulated.log"
        return 1
    }
}

# on COMMAND...: the backend alone on the device.
on() {
    ANYDNN_PLUGIN_PATH=$built:$ANYDNN_TEST_PLUGINDIR ANYDNN_DEVICE=cuda \
        ANYDNN_ROUTE=cuda_tensorcore ANYDNN_FALLBACK=off "$@" >"$tap_dir/out" 2>&1
}

# verified OPTION...: anydnn verify passes it.
verified() {
    on "$anydnn" verify --case-limit 300 "$@" "$built/anydnn_cuda_tensorcore.so" </dev/null
    status=$?
    tail -n 40 "$tap_dir/out"
    return $status
}
