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
    "$prefix/include/anydnn/views.h" "$prefix/include/anydnn/cudnn_compat.h" \
    "$prefix/include/anydnn/cudnn7/cudnn.h" "$prefix/include/anydnn/cudnn7/include/cudnn.h" \
    "$prefix/include/anydnn/cudnn7/lib/libcudnn.so" "$prefix/include/anydnn/cudnn7/lib64/libcudnn.so" \
    "$prefix/include/anydnn/cudnn7/lib64/libanydnn.so" "$prefix/include/anydnn/cudnn7/lib64/libanydnn.so.0" \
    "$libdir/cmake/anydnn/anydnn-config.cmake" "$libdir/cmake/anydnn/anydnn-config-version.cmake" \
    "$docdir/template/Makefile" "$docdir/docs/tutorials/README.md" "$docdir/docs/entries.md" "$docdir/README.md"; do
    [ -e "$DESTDIR$file" ] || fail "$DESTDIR$file is not installed"
done
for file in "$srcdir"/examples/*/*.[ch] "$srcdir"/examples/*/*.py "$srcdir"/examples/cudnn7/cpu/*.h; do
    cmp -s "$file" "$DESTDIR$docdir/examples/${file#"$srcdir"/examples/}" || fail "$file is not installed in $docdir/examples"
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
[ -e "$($PKG_CONFIG --variable=kitdir anydnn)/problem.h" ] || fail "anydnn.pc names no folder with the kit"
# shellcheck disable=SC2046,SC2086
$CC $CFLAGS $($PKG_CONFIG --cflags anydnn) "$docdir/examples/hello/hello.c" -o "$scratch/hello" \
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
if [ -e "$libdir/anydnn/cudnn7/libcudnn.so.7" ]; then
    "$bindir/anydnn" exec --device cpu "$bindir/anydnn" info || fail "anydnn exec fails"
fi

if [ -e "$libdir/anydnn/cudnn9/libcudnn.so.9" ]; then
    "$bindir/anydnn" exec --cudnn 9 --device cpu "$bindir/anydnn" info || fail "anydnn exec --cudnn 9 fails"
fi

# use_root FOLDER: builds a cuDNN 7 program with this folder alone, which has the layout of an installed cuDNN.
use_root() {
    cat >"$scratch/root.c" <<'EOF'
#include <cudnn.h>
#include <stdio.h>
int main(void)
{
    int count = 0;

    printf("%d.%d\n", CUDNN_MAJOR, CUDNN_MINOR);
    return anydnnGetBackendCount(&count) != ANYDNN_STATUS_SUCCESS || count < 1 || cudnnGetVersion() != CUDNN_VERSION;
}
EOF
    for lib in lib lib64; do
        # shellcheck disable=SC2086
        $CC $CFLAGS -I"$1/include" "$scratch/root.c" -o "$scratch/root" -L"$1/$lib" -lcudnn -Wl,-rpath,"$1/$lib" &&
            [ "$(env -u LD_LIBRARY_PATH HOME="$scratch" XDG_CONFIG_HOME="$scratch" "$scratch/root")" = 7.6 ] || return 1
    done
}
root=$($PKG_CONFIG --variable=cudnncompatdir anydnn)
use_root "$root" || fail "a program built by $root alone fails"

# use_cmake PREFIX LIBDIR: builds a CMake project that finds the installation.
use_cmake() {
    rm -rf "$scratch/cmake"
    mkdir -p "$scratch/cmake"
    cat >"$scratch/cmake/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.13)
project(use C)
find_package(anydnn 0.9 REQUIRED)
if(NOT EXISTS "\${anydnn_PLUGINDIR}/anydnn_cpu_ref.so" OR NOT anydnn_PLUGIN_ABI OR NOT EXISTS "\${anydnn_KITDIR}/problem.h")
  message(FATAL_ERROR "plugins: \${anydnn_PLUGINDIR}, their ABI: \${anydnn_PLUGIN_ABI}, kit: \${anydnn_KITDIR}")
endif()
add_executable(hello "$srcdir/examples/hello/hello.c")
target_link_libraries(hello anydnn::anydnn)
EOF
    cmake -S "$scratch/cmake" -B "$scratch/cmake/build" -DCMAKE_PREFIX_PATH="$1" \
        -Danydnn_DIR="$2/cmake/anydnn" -DCMAKE_C_FLAGS="$CFLAGS" &&
        cmake --build "$scratch/cmake/build" &&
        HOME=$scratch XDG_CONFIG_HOME=$scratch "$scratch/cmake/build/hello"
}
try_cmake() {
    if ! command -v cmake >/dev/null 2>&1; then
        echo "installcheck: no cmake, so the CMake files are not tested"
    elif ! use_cmake "$@" >"$scratch/cmake.log" 2>&1; then
        tail -n 20 "$scratch/cmake.log" >&2
        fail "a CMake project that uses $1 fails"
    fi
}
try_cmake "$prefix" "$libdir"

# Moves the installation. The old prefix does not exist meanwhile, so any reference to it fails.
case $libdir/ in
"$prefix"/*)
    moved=$scratch/moved
    trap 'mv "$moved" "$prefix"; rm -rf "$scratch"' EXIT
    mv "$prefix" "$moved"
    program=$moved/${bindir#"$prefix"/}/anydnn
    HOME=$scratch "$program" info >"$scratch/info" || fail "the moved program fails"
    grep -q "live.*$moved/" "$scratch/info" || fail "the moved program does not find its backend"
    HOME=$scratch "$program" verify --quick --op scale_tensor cpu_ref >"$scratch/verify" ||
        fail "the moved program fails to verify"
    grep -q golden "$scratch/verify" || fail "the moved program does not find its golden vectors"
    "$program" bench --list resnet50 >"$scratch/suite" || fail "the moved program does not find its suites"
    [ "$(wc -l <"$scratch/suite")" -eq 23 ] || fail "ResNet-50 does not have its 23 distinct layers"
    try_cmake "$moved" "$moved/${libdir#"$prefix"/}"
    use_root "$moved/${root#"$prefix"/}" || fail "a program built by the moved $root alone fails"
    mv "$moved" "$prefix"
    trap 'rm -rf "$scratch"' EXIT
    ;;
esac
"$srcdir/tests/template/test_template.sh" "$srcdir" "$docdir/template" "$bindir/anydnn" >"$scratch/template" ||
    fail "the test of the template fails"
if grep -A20 '^not ok' "$scratch/template"; then
    fail "the template of $docdir/template does not build or run"
fi
