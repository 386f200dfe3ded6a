#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests programs with cuDNN 7's binary interface. Results and messages have its structs, statuses are its own, and calls
# that anydnn lacks do not crash a program. It also tests when a handle is refused, and which library is loaded.
# Needs: cudnn7/built/.stamp
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn7/cudnn7.sh"

program=$tap_dir/interface

# answers STATUS ARGUMENT...: checks the status that cudnnCreate returns.
answers() {
    status=$1
    shift
    LD_LIBRARY_PATH=$cudnn7_folder "$program" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    says "^CUDNN_STATUS_$status$"
}

names_each_once() {
    for name in cudnnCreateRNNDescriptor cudnnGetRNNWorkspaceSize cudnnRNNForwardInference cudnnCreateFusedOpsPlan; do
        [ "$(grep -c "warning: $name: anydnn does not implement it" "$tap_dir/all")" = 1 ] || {
            cat "$tap_dir/all"
            return 1
        }
    done
}

all_is_well() {
    cudnn7_runs "$program" 2>"$tap_dir/all" && return 0
    cat "$tap_dir/all"
    return 1
}

# ---- no device

without_a_device() {
    ANYDNN_ROUTE=cpu_ref answers NOT_INITIALIZED create && says 'device = auto finds no device'
}

named_in_a_file() {
    printf '[anydnn]\ndevice = cpu\n' >"$tap_dir/cpu.conf"
    ANYDNN_CONFIG=$tap_dir/cpu.conf answers SUCCESS create
}

without_settings() {
    ANYDNN_CONFIG=$tap_dir/missing.conf answers NOT_INITIALIZED create
}

# ---- another library in the process

beside_cudnn_7() {
    cudnn7_named "$tap_dir/real/libcudnn.so.7.6.5" || return 1
    ANYDNN_DEVICE=cpu answers NOT_INITIALIZED beside "$tap_dir/real/libcudnn.so.7.6.5" &&
        says "cudnnCreate: cuDNN 7 is also loaded in this process: $tap_dir/real/libcudnn.so.7.6.5"
}

beside_cudnn_9() {
    mkdir -p "$tap_dir/nine"
    echo 'libcudnn.so.9 { global: *; };' >"$tap_dir/nine/map"
    # shellcheck disable=SC2086
    cudnn7_names | sed 's/.*/int &(void); int &(void) { return 0; }/' | $cc -shared -fPIC \
        -Wl,-soname,libcudnn.so.9 -Wl,--version-script="$tap_dir/nine/map" -x c - -o "$tap_dir/nine/libcudnn.so.9" || return 1
    ANYDNN_DEVICE=cpu answers SUCCESS beside "$tap_dir/nine/libcudnn.so.9"
}

# Python modules and TensorFlow open the library by name or by path; this must give the same library again.
beside_itself() {
    for name in libcudnn.so.7 libcudnn.so "$cudnn7_folder/libcudnn.so.7"; do
        ANYDNN_DEVICE=cpu answers SUCCESS beside "$name" || return 1
    done
}

# LD_PRELOAD precedes the RPATH of a program, even if that leads to a library with cuDNN 7's name.
before_an_rpath() {
    cudnn7_named "$tap_dir/real/libcudnn.so.7" || return 1
    cudnn7_compiles "$cudnn7_here/interface.c" "$tap_dir/with_rpath" -ldl -Wl,--disable-new-dtags -Wl,-rpath,"$tap_dir/real" || return 1
    LD_LIBRARY_PATH=$cudnn7_folder "$tap_dir/with_rpath" create && return 1
    LD_PRELOAD=$preload$cudnn7_folder/libcudnn.so.7 ANYDNN_DEVICE=cpu "$tap_dir/with_rpath" create >"$tap_dir/out" 2>"$tap_dir/err"
    says '^CUDNN_STATUS_SUCCESS$'
}

# A sanitizer's library must be loaded first.
preload=
case $cudnn7_sanitize in
*address*) preload=$($cc -print-file-name=libasan.so): ;;
*thread*) preload=$($cc -print-file-name=libtsan.so): ;;
esac

cudnn7_header "$tap_dir"
check "a library of the names alone can be linked" cudnn7_named "$cudnn7_import/libcudnn.so.7"
check "the program compiles" cudnn7_compiles "$cudnn7_here/interface.c" "$program" -ldl
check "structs, lists, status names, messages, missing functions" all_is_well
check "the log names each missing function once" names_each_once
check "no device and device = auto: NOT_INITIALIZED, and why" without_a_device
check "device = cpu in a file: a handle on the host" named_in_a_file
check "a settings file that is missing: a status of cuDNN 7" without_settings
check "cuDNN 7 itself in the process: a refusal that names it" beside_cudnn_7
check "a newer cuDNN in the process causes no conflict" beside_cudnn_9
check "the same library by another name causes no conflict" beside_itself
check "LD_PRELOAD comes before RPATH" before_an_rpath
tap_end
