#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that build systems which search for cuDNN find anydnn's folder. It follows the recipes of
# docs/porting-from-cudnn.md, with typical projects for CMake, make and Autotools.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
source_include=$ANYDNN_TEST_SRCDIR/include
built_include=$ANYDNN_TEST_BUILDDIR/include
libraries=$ANYDNN_TEST_BUILDDIR/.libs
if [ -n "${ANYDNN_TEST_SANITIZER-}" ] && [ "$ANYDNN_TEST_SANITIZER" != no ]; then
    skip "build systems" "programs of others are built without a sanitizer"
    tap_end
    exit 0
fi

# The layout of an installation, with links to the headers and the library of the build tree.
root=$tap_dir/include/anydnn/cudnn7
mkdir -p "$root/include" "$root/lib" "$tap_dir/project" "$tap_dir/lib"
cp "$source_include/anydnn/cudnn7/cudnn.h" "$root"
cp "$source_include/anydnn/cudnn7/cudnn.h" "$root/include"
cp "$source_include/anydnn/cudnn7/lib/libcudnn.so" "$root/lib"
cp "$source_include/anydnn/anydnn.h" "$built_include/anydnn/views.h" "$built_include/anydnn/cudnn_compat.h" "$tap_dir/include/anydnn"
cp -P "$libraries"/libanydnn.so* "$tap_dir/lib"
make -s -C "$ANYDNN_TEST_BUILDDIR" cudnncompat-install-hook DESTDIR= cudnncompatdir="$root" libdir="$tap_dir/lib" || exit 1
# A newer cuDNN in CUDA's folder.
mkdir -p "$tap_dir/cuda/include"
echo '#define CUDNN_MAJOR 9' >"$tap_dir/cuda/include/cudnn.h"
# Only the folder leads to anydnn.
CPATH=$tap_dir/cuda/include
LD_LIBRARY_PATH=$root/lib64
export CPATH LD_LIBRARY_PATH
unset LIBRARY_PATH
cd "$tap_dir/project" || exit 1

cat >program.c <<'EOF'
#include <cudnn.h>
#include <stdio.h>
int main(void)
{
    cudnnTensorDescriptor_t x;

    if (cudnnCreateTensorDescriptor(&x) != CUDNN_STATUS_SUCCESS)
        return 1;
    printf("%d.%d.%d\n", CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL);
    return cudnnDestroyTensorDescriptor(x) != CUDNN_STATUS_SUCCESS;
}
EOF
cp program.c program.cpp

runs() {
    [ "$("$1")" = 7.6.5 ]
}

# ---- CMake: a typical find module, which reads the version from the header

cat >FindCUDNN.cmake <<'EOF'
find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDNN_ROOT} PATH_SUFFIXES include)
find_library(CUDNN_LIBRARY cudnn HINTS ${CUDNN_ROOT} PATH_SUFFIXES lib lib64)
file(READ "${CUDNN_INCLUDE_DIR}/cudnn.h" text)
foreach(part MAJOR MINOR PATCHLEVEL)
  string(REGEX MATCH "#define CUDNN_${part} ([0-9]+)" found "${text}")
  set(CUDNN_${part} "${CMAKE_MATCH_1}")
endforeach()
set(CUDNN_VERSION "${CUDNN_MAJOR}.${CUDNN_MINOR}.${CUDNN_PATCHLEVEL}")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDNN REQUIRED_VARS CUDNN_LIBRARY CUDNN_INCLUDE_DIR VERSION_VAR CUDNN_VERSION)
EOF
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.13)
project(ported C CXX)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR})
find_package(CUDNN 7.6 REQUIRED)
add_executable(from_c program.c)
add_executable(from_cpp program.cpp)
foreach(name from_c from_cpp)
  target_include_directories(${name} PRIVATE ${CUDNN_INCLUDE_DIR})
  target_link_libraries(${name} PRIVATE ${CUDNN_LIBRARY})
endforeach()
EOF
with_cmake() {
    cmake -S . -B build -DCUDNN_ROOT="$root" && cmake --build build && runs build/from_c && runs build/from_cpp
}
if command -v cmake >/dev/null 2>&1; then
    check "CMake finds it, reads its version, links C and C++" with_cmake
else
    skip "CMake finds it" "no cmake"
fi

# ---- make

cat >Makefile.ported <<'EOF'
CUDNN = /usr/local/cuda
program: program.c
	$(CC) -Wall -Wextra -Werror -I$(CUDNN)/include -I$(CUDA)/include $< -o $@ -L$(CUDNN)/lib -lcudnn
EOF
with_make() {
    make -f Makefile.ported CC="${CC:-cc}" CUDNN="$root" CUDA="$tap_dir/cuda" && runs ./program
}
check "make with -lcudnn, before a newer header in CUDA's folder" with_make

# newer_first: if the order is reversed, the newer header wins, and the library lacks its functions.
newer_first() {
    ! ${CC:-cc} -I"$tap_dir/cuda/include" -I"$root/include" program.c -o newer -L"$root/lib" -lcudnn 2>message &&
        cat message
}
check "the order of -I decides" newer_first

# ---- a makefile for CUDA's layout: CUDA's folders come first, the library's folder is lib64

cat >Makefile.cuda <<'EOF'
program64: program.cpp
	$(CC) $< -o $@ -I$(CUDA)/include -I$(CUDNN_ROOT)/include -L$(CUDNN_ROOT)/lib64 -lcudnn -Wl,-rpath,$(CUDNN_ROOT)/lib64
EOF
with_lib64() {
    make -f Makefile.cuda CC="${CXX:-c++} -I$root/include -L$root/lib64" CUDNN_ROOT="$root" CUDA="$tap_dir/cuda" &&
        (unset LD_LIBRARY_PATH && runs ./program64)
}
check "flags in CC come before CUDA's folder; lib64 and a run path are enough" with_lib64
with_nvcc() {
    NVCC_PREPEND_FLAGS="-I$root/include -L$root/lib64" "$NVCC" -I"$tap_dir/cuda/include" program.cpp -o by_nvcc -lcudnn &&
        runs ./by_nvcc
}
if [ -n "${NVCC-}" ] && command -v "$NVCC" >/dev/null 2>&1; then
    check "NVCC_PREPEND_FLAGS come before CUDA's folder" with_nvcc
else
    skip "NVCC_PREPEND_FLAGS come before CUDA's folder" "no nvcc"
fi

# ---- Autotools

cat >configure.ac <<'EOF'
AC_INIT([ported], [1])
AC_PROG_CC
AC_CHECK_HEADER([cudnn.h], [], [AC_MSG_ERROR([no cudnn.h])])
AC_COMPUTE_INT([major], [CUDNN_MAJOR], [[#include <cudnn.h>]])
AS_IF([test "$major" -ne 7], [AC_MSG_ERROR([cuDNN $major])])
LIBS="-lcudnn $LIBS"
AC_MSG_CHECKING([for cudnnCreate])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cudnn.h>]], [[cudnnHandle_t h; return cudnnCreate(&h);]])],
  [AC_MSG_RESULT([yes])], [AC_MSG_ERROR([cudnnCreate does not link])])
AC_CHECK_LIB([cudnn], [cudnnCreate], [:], [AC_MSG_ERROR([the symbol cudnnCreate does not link])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
EOF
cat >Makefile.in <<'EOF'
from_autotools: program.c
	@CC@ @CPPFLAGS@ @CFLAGS@ program.c -o $@ @LDFLAGS@ @LIBS@
EOF
with_autotools() {
    autoconf && ./configure CC="${CC:-cc}" CPPFLAGS="-I$root/include" LDFLAGS="-L$root/lib" ac_cv_lib_cudnn_cudnnCreate=yes &&
        make from_autotools && runs ./from_autotools
}
if command -v autoconf >/dev/null 2>&1; then
    check "Autotools find and link it" with_autotools
else
    skip "Autotools find and link it" "no autoconf"
fi
tap_end
