#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make installcheck: the installed tree is whole, and a program of somebody else builds against it
# with nothing but pkg-config and runs without any variable set.
set -eu
srcdir=$1 prefix=$2 libdir=$3 bindir=$4 pluginsdir=$5 confdir=$6 docdir=$7

fail() {
    echo "installcheck: $*" >&2
    exit 1
}
for file in "$libdir/libanydnn.so" "$bindir/anydnn" "$pluginsdir/anydnn_cpu_ref.so" "$confdir/anydnn.conf" \
    "$libdir/pkgconfig/anydnn.pc" "$prefix/include/anydnn/anydnn.h" \
    "$prefix/include/anydnn/views.h" \
    "$docdir/template/Makefile"; do
    [ -e "$DESTDIR$file" ] || fail "$DESTDIR$file is not installed"
done
[ ! -e "$DESTDIR$pluginsdir/anydnn_cpu_ref.la" ] || fail "$pluginsdir holds a libtool file"
if [ -n "$DESTDIR" ]; then
    exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
[ "$($PKG_CONFIG --variable=plugindir anydnn)" = "$pluginsdir" ] || fail "anydnn.pc names another plugindir"
# shellcheck disable=SC2046,SC2086
$CC $CFLAGS $($PKG_CONFIG --cflags anydnn) "$srcdir/examples/hello/hello.c" -o "$scratch/hello" \
    $($PKG_CONFIG --libs anydnn) -Wl,-rpath,"$libdir"
# shellcheck disable=SC2046,SC2086
$CC $CFLAGS -DANYDNN_API_LEVEL=1 $($PKG_CONFIG --cflags anydnn) "$srcdir/tests/abi/levels.c" -o "$scratch/level1" \
    $($PKG_CONFIG --libs anydnn) -Wl,-rpath,"$libdir"
for name in $(env | sed -n 's/^\(ANYDNN_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
HOME=$scratch XDG_CONFIG_HOME=$scratch "$scratch/hello" || fail "the program built with pkg-config fails"
HOME=$scratch XDG_CONFIG_HOME=$scratch "$scratch/level1" || fail "the program of level 1 fails"
"$bindir/anydnn" info || fail "anydnn info fails"
"$srcdir/tests/template/test_template.sh" "$srcdir" "$docdir/template" "$bindir/anydnn" >"$scratch/template" ||
    fail "the test of the template fails"
if grep -A20 '^not ok' "$scratch/template"; then
    fail "the template of $docdir/template does not build or run"
fi
