# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2119,SC2120,SC2154
# Finds an OpenCL device for the tests of the backend opencl, or skips the test with the reason. Source this file after
# tap.sh.

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
# PoCL keeps compiled kernels here, not in the user's home.
POCL_CACHE_DIR=$tap_dir/pocl
export ANYDNN_PLUGIN_PATH POCL_CACHE_DIR
mkdir "$POCL_CACHE_DIR"

if [ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_opencl.so" ]; then
    echo "1..0 # SKIP built without opencl"
    exit 0
fi

# settings LINE...: writes settings that route everything to the backend; the lines go into its section.
settings() {
    printf '%s\n' '[route]' '* = opencl' '[plugin opencl]' "$@" >"$tap_dir/conf"
}

# has_device: succeeds if the backend finds a device. The answer is in $tap_dir/out and err.
has_device() {
    settings
    "$anydnn" explain --config "$tap_dir/conf" --device opencl activation_forward x=f32:2,3 \
        >"$tap_dir/out" 2>"$tap_dir/err"
}

# why: prints the reason why there is no device.
why() {
    sed -n 's/^anydnn: anydnnCreate.* has 0 devices: //p' "$tap_dir/err"
}
