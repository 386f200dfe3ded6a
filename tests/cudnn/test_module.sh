#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the module on a machine without a driver or cuDNN: its exports and needs, and that it loads
# and declines with a sentence.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

module=$ANYDNN_TEST_BUILDDIR/plugins/cudnn/.libs/anydnn_cudnn.so
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn

two_symbols() {
    nm -D --defined-only "$module" | awk '{ print $3 }' | sort >"$tap_dir/symbols"
    cat "$tap_dir/symbols"
    printf 'anydnn_plugin_abi\nanydnn_plugin_main\n' | cmp - "$tap_dir/symbols"
}

links_no_vendor() {
    ! readelf -d "$module" | grep -E 'NEEDED.*lib(cuda|cudart|cudnn)'
}

is_live() {
    "$anydnn" info --operations cudnn >"$tap_dir/info" || return 1
    cat "$tap_dir/info"
    grep -q '^cudnn  *live' "$tap_dir/info" && grep -q '^  convolution_forward ' "$tap_dir/info"
}

# declines DEVICE PATTERN: the refusal matches the pattern. With a GPU, the reason is the missing library; without one, it
# is the driver.
declines() {
    printf '[plugin cudnn]\nset.library = /nowhere/libcudnn.so.9\n' >"$tap_dir/settings"
    ANYDNN_CONFIG=$tap_dir/settings ANYDNN_ROUTE=cudnn \
        "$anydnn" explain --device "$1" 'activation_forward x=f32:2,3,4,5 activation=relu' >"$tap_dir/said" 2>&1 &&
        return 1
    cat "$tap_dir/said"
    grep -q "$2" "$tap_dir/said"
}

check "it exports two symbols" two_symbols
check "it links no library of CUDA's" links_no_vendor
check "it loads" is_live
if "$anydnn" info | grep -q '^cuda:0 '; then
    check "it declines without cuDNN" declines cuda "cannot load cuDNN's library: /nowhere"
else
    check "it declines without a device" declines cpu "cudnn"
    check "there is no device for a handle" declines cuda "has 0 devices"
fi
tap_end
