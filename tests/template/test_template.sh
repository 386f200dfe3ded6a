#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests plugins/template, copied out of the tree. It must build with pkg-config, the header and the kit, and be found
# through a settings file. It must run what it offers as cpu_ref does, and decline the rest with a sentence.
#   test_template.sh                       in make check: the build tree, from ANYDNN_TEST_...
#   test_template.sh SRCDIR FOLDER PROGRAM for an installed tree, which PKG_CONFIG_PATH finds
# Needs: tools/anydnn
set -u
if [ $# -eq 3 ]; then
    ANYDNN_TEST_SRCDIR=$1 folder=$2 program=$3
else
    folder=$ANYDNN_TEST_SRCDIR/plugins/template
    program=$ANYDNN_TEST_BUILDDIR/tools/anydnn
fi
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
: "${PKG_CONFIG:=pkg-config}" "${MAKE:=make}"
# The flags of an outer make must not apply to this one.
unset MAKEFLAGS MAKELEVEL MFLAGS
export PKG_CONFIG

# Describes the build tree as if it were installed.
if [ $# -ne 3 ]; then
    sed -e "s|^includedir=.*|includedir=$ANYDNN_TEST_SRCDIR/include|" \
        -e "s|^plugindir=.*|plugindir=/nowhere/plugins|" \
        -e "s|^kitdir=.*|kitdir=$ANYDNN_TEST_SRCDIR/plugins/kit|" \
        "$ANYDNN_TEST_BUILDDIR/conf/anydnn.pc" >"$tap_dir/anydnn.pc"
    PKG_CONFIG_PATH=$tap_dir
fi
export PKG_CONFIG_PATH
ANYDNN_CONFIG=$tap_dir/anydnn.conf
XDG_CONFIG_HOME=$tap_dir
export ANYDNN_CONFIG XDG_CONFIG_HOME
unset ANYDNN_ROUTE ANYDNN_PLUGIN_PATH

# settings NAME LIST: uses the copied folder's backends, and LIST for all operations that NAME offers.
settings() {
    cat >"$ANYDNN_CONFIG" <<END
[anydnn]
device = cpu
plugin_path = $tap_dir/$1
[route]
* = cpu_ref
activation_forward = $2
scale_tensor = $2
END
}

# copy NAME: copies the folder as a backend author would.
copy() {
    cp -r "$folder" "$tap_dir/$1" && chmod -R u+w "$tap_dir/$1"
}

in_copy() {
    name=$1
    shift
    $MAKE -C "$tap_dir/$name" CC="${CC:-cc}" "$@"
}

# answers STATUS PATTERN COMMAND...: checks that anydnn COMMAND exits with STATUS and prints PATTERN.
answers() {
    wanted=$1 pattern=$2
    shift 2
    "$program" "$@" >"$tap_dir/answer" 2>&1
    status=$?
    cat "$tap_dir/answer"
    [ $status -eq "$wanted" ] || { echo "exit status $status, not $wanted"; return 1; }
    grep -q -e "$pattern" "$tap_dir/answer" || { echo "nothing like: $pattern"; return 1; }
}

# alike PROBLEM...: checks that template runs it, within half a unit in the last place of cpu_ref, and with equal
# results each time.
alike() {
    answers 0 '"backend": *"template"' run --json --repeat 3 --check cpu_ref --tolerance 6e-8 "$@"
}

nan_file() {
    printf '\000\000\300\177\000\000\200\277\000\000\200\177\000\000\000\100' >"$tap_dir/nan"
}

installs() {
    in_copy template install DESTDIR="$tap_dir/root" &&
        test -f "$tap_dir/root$($PKG_CONFIG --variable=plugindir anydnn)/anydnn_template.so"
}

renamed() {
    copy mine && sed -i 's/^NAME = .*/NAME = mine/' "$tap_dir/mine/Makefile" && in_copy mine &&
        settings mine "mine, fallback:off" &&
        answers 0 '^choice: mine engine 1' explain scale_tensor y=f32:4,5
}

if ! command -v "$PKG_CONFIG" >/dev/null 2>&1; then
    skip "the template is built out of the tree" "no pkg-config"
    tap_end
    exit 0
fi

check "the folder can be copied" copy template
check "it builds without warnings" in_copy template CFLAGS='-O2 -g -Werror'
check "it exports its two names alone and does not need libanydnn" in_copy template symbols
check "it installs where anydnn.pc says" installs

# The number that make prints is that of the header in use, which CPPFLAGS may name.
prints_abi_of_header() {
    include=$($PKG_CONFIG --variable=includedir anydnn)
    mkdir -p "$tap_dir/other/anydnn" && copy numbered || return 1
    sed 's/^\(#define ANYDNN_PLUGIN_ABI_MINOR\) .*/\1 4711/' "$include/anydnn/plugin.h" >"$tap_dir/other/anydnn/plugin.h"
    in_copy numbered CPPFLAGS="-I$tap_dir/other" >"$tap_dir/printed" || return 1
    cat "$tap_dir/printed"
    grep -q '^anydnn_template.so: plugin ABI 0\.4711, ' "$tap_dir/printed" &&
        settings numbered "template, cpu_ref" && answers 0 'was built for plugin ABI 0\.4711' info template
}

check "CPPFLAGS name another header, whose ABI is printed" prints_abi_of_header
settings template "template, cpu_ref"
check "it is live" answers 0 '^ *template .*live' info
check "it runs ReLU" answers 0 '^choice: template engine 1' explain activation_forward x=f32:2,3,4,5
check "it runs scaling" answers 0 '^choice: template engine 1' explain scale_tensor y=f32:2,3,4,5

check "packed" alike activation_forward x=f32:2,3,4,5
check "blended" alike activation_forward x=f32:2,3,4,5 alpha=-0.75 beta=1.5
check "one dimension" alike activation_forward x=f32:7
check "eight dimensions" alike activation_forward x=f32:2,1,3,1,2,2,1,3
check "channels last to channels first" alike activation_forward x=f32:2,3,4,5:nhwc y=f32:2,3,4,5:nchw
check "gaps" alike activation_forward x=f32:2,3,4,5:200,60,13,2 y=f32:2,3,4,5:1,130,30,6 beta=0.5
check "in place" alike activation_forward x=f32:2,3,4,5:200,60,13,2 alias=y:x
check "aligned only to elements" alike activation_forward x=f32:2,3,4,5 align=4
check "scaled" alike scale_tensor y=f32:2,3,4,5 alpha=-0.3
check "scaled between gaps" alike scale_tensor y=f32:3,2,5,4:115,57,11,2 alpha=1.7
nan_file
check "NaN is dropped" alike activation_forward x=f32:4 --in x="$tap_dir/nan"
check "NaN is propagated" alike activation_forward x=f32:4 nan=propagate --in x="$tap_dir/nan"

check "it declines other operations with a sentence" answers 0 'this backend supports only the activation ReLU' \
    explain activation_forward x=f32:2,3,4,5 activation=tanh
check "cpu_ref runs that" answers 0 '"backend": *"cpu_ref"' \
    run --json activation_forward x=f32:2,3,4,5 activation=tanh
check "and other types" answers 0 '^choice: cpu_ref' explain scale_tensor y=f64:2,3,4,5
settings template "template, fallback:off"
check "without fallback, the call fails" answers 1 'this backend supports only the activation ReLU' \
    run activation_forward x=f32:2,3,4,5 activation=tanh
check "under another name it is another backend" renamed
tap_end
