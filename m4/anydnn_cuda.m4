# SPDX-License-Identifier: Apache-2.0
# CUDA: nvcc, the static runtime, and the GPU generations that this nvcc can build for.

# ANYDNN_CUDA: --with-cuda[=DIR|no]; sets NVCC, NVCC_CCFLAGS, CUDA_GENCODE, CUDA_CPPFLAGS, CUDA_LIBS
# and the conditional HAVE_CUDA. Asked for and not there is an error; otherwise it is left out.
AC_DEFUN([ANYDNN_CUDA],
[AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR|no@:>@],
        [build the CUDA backends with the toolkit in DIR (default: if nvcc is found)])],
    [], [with_cuda=guess])
AC_ARG_WITH([nvcc-gencode],
    [AS_HELP_STRING([--with-nvcc-gencode=FLAGS], [nvcc's -gencode flags (default: probed)])],
    [], [with_nvcc_gencode=probe])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [flags for the CUDA compiler])
AS_IF([test "x$NVCCFLAGS" = x], [NVCCFLAGS="-O3 -g"])
anydnn_cuda_why=
AS_IF([test "x$with_cuda" = xno], [anydnn_cuda_why="switched off"], [_ANYDNN_CUDA_FIND])
AS_IF([test "x$anydnn_cuda_why" = x], [_ANYDNN_CUDA_GENCODE])
AS_IF([test "x$anydnn_cuda_why" = x], [_ANYDNN_CUDA_TRY])
AS_IF([test "x$anydnn_cuda_why" = x], [_ANYDNN_CUDA_HARDEN])
AS_IF([test "x$anydnn_cuda_why" = x],
    [anydnn_have_cuda=yes
    anydnn_cuda_summary="$NVCC"],
    [anydnn_have_cuda=no
    anydnn_cuda_summary="no ($anydnn_cuda_why)"
    AS_CASE([$with_cuda], [guess|no], [],
        [AC_MSG_ERROR([--with-cuda=$with_cuda: $anydnn_cuda_why])])])
AC_SUBST([CUDA_GENCODE])
AC_SUBST([CUDA_HARDEN])
AC_SUBST([CUDA_PTX])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_LIBS])
AM_CONDITIONAL([HAVE_CUDA], [test $anydnn_have_cuda = yes])])

# nvcc and the toolkit's folder, which is found from nvcc where it is not given.
AC_DEFUN([_ANYDNN_CUDA_FIND],
[AS_CASE([$with_cuda],
    [yes|guess], [AC_PATH_PROG([NVCC], [nvcc], [], [$PATH:/usr/local/cuda/bin])],
    [AC_PATH_PROG([NVCC], [nvcc], [], [$with_cuda/bin])])
AS_IF([test "x$NVCC" = x],
    [anydnn_cuda_why="no nvcc"],
    [AC_MSG_CHECKING([for the CUDA toolkit's folder])
    anydnn_cuda_dir=`"$NVCC" --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | $SED -n 's/^@%:@\$ TOP=//p'`
    AS_IF([test "x$anydnn_cuda_dir" = x], [anydnn_cuda_why="$NVCC does not run"])
    AC_MSG_RESULT([$anydnn_cuda_dir])
    CUDA_CPPFLAGS="-I$anydnn_cuda_dir/include"
    CUDA_LIBS="-L$anydnn_cuda_dir/lib64 -lcudart_static -lstdc++ -ldl -lrt -lpthread"])])

# Machine code of 7.5, of 8.0, which 8.6 and 8.9 run as well, and of 9.0, as far as this nvcc knows
# them, and PTX for those to come. One pass of the compiler for 8.0 serves the newer, for few sources
# ask for more than 8.0 (plugins/make/cuda.mk); a pass is half of the time that a source takes.
AC_DEFUN([_ANYDNN_CUDA_GENCODE],
[AC_MSG_CHECKING([nvcc's -gencode flags])
CUDA_GENCODE=
AS_IF([test "x$with_nvcc_gencode" != xprobe], [CUDA_GENCODE="$with_nvcc_gencode"],
    [anydnn_known=" `"$NVCC" --list-gpu-code 2>/dev/null | tr '\n' ' '`"
    anydnn_pass=
    for anydnn_arch in 75 80 90; do
        AS_IF([test $anydnn_arch -le 80], [anydnn_wanted=$anydnn_arch], [anydnn_wanted=80])
        AS_CASE([$anydnn_known], [*" sm_$anydnn_arch "*],
            [anydnn_pass=$anydnn_wanted
            CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$anydnn_pass,code=sm_$anydnn_arch"])
    done
    CUDA_PTX="-gencode arch=compute_$anydnn_pass,code=compute_$anydnn_pass"
    CUDA_GENCODE="$CUDA_GENCODE $CUDA_PTX"
    AS_IF([test "x$anydnn_pass" = x], [anydnn_cuda_why="$NVCC knows no GPU of compute capability 7.5 or later"])])
AC_MSG_RESULT([$CUDA_GENCODE])])

# Compiles a kernel and links it the way the plugins are: by the C compiler, cudart static.
AC_DEFUN([_ANYDNN_CUDA_TRY],
[AC_MSG_CHECKING([whether a CUDA kernel compiles and links])
cat >conftest.cu <<'_EOF'
#include <cuda_runtime.h>
__global__ void k(float *x) { x[[0]] = 1; }
int main(void) { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() == cudaSuccess; }
_EOF
AS_IF(["$NVCC" $NVCCFLAGS -Xcompiler -fPIC -c conftest.cu -o conftest_cu.o >&AS_MESSAGE_LOG_FD 2>&1 &&
        $CC $LDFLAGS conftest_cu.o -o conftest_cu $CUDA_LIBS >&AS_MESSAGE_LOG_FD 2>&1],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
    anydnn_cuda_why="$NVCC cannot compile and link a kernel, see config.log"])
rm -f conftest.cu conftest_cu.o conftest_cu])

# Which hardening the host compiler behind nvcc takes, which may be another than $CC. The code of devices has none
# of it. _FORTIFY_SOURCE stays out, since nvcc reads the C library's headers for the device, too.
AC_DEFUN([_ANYDNN_CUDA_HARDEN],
[CUDA_HARDEN=
echo '__global__ void k(float *x) { x[[0]] = 1; }' >conftest.cu
for anydnn_flag in $ANYDNN_HARDEN_CFLAGS; do
    AC_MSG_CHECKING([whether nvcc's host compiler accepts $anydnn_flag])
    AS_IF(["$NVCC" $NVCCFLAGS -Xcompiler -Werror -Xcompiler "$anydnn_flag" -c conftest.cu -o conftest_cu.o >&AS_MESSAGE_LOG_FD 2>&1],
        [AC_MSG_RESULT([yes])
        CUDA_HARDEN="$CUDA_HARDEN $anydnn_flag"],
        [AC_MSG_RESULT([no])])
done
rm -f conftest.cu conftest_cu.o])
