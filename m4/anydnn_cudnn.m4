# SPDX-License-Identifier: Apache-2.0
# cuDNN: its headers alone; the backend opens the library when it first needs it.

# ANYDNN_CUDNN, after ANYDNN_CUDA: --with-cudnn=auto|yes|no; sets CUDNN_CFLAGS and the conditional
# HAVE_CUDNN. Asked for and not there is an error; otherwise it is left out.
AC_DEFUN([ANYDNN_CUDNN],
[AC_REQUIRE([ANYDNN_CUDA])
AC_ARG_WITH([cudnn],
    [AS_HELP_STRING([--with-cudnn=auto|yes|no],
        [build the backend for cuDNN 9; needs CUDA and cuDNN's headers (default: auto)])],
    [], [with_cudnn=auto])
AC_ARG_VAR([CUDNN_CFLAGS], [where cuDNN's headers are, if not in the CUDA toolkit, such as -I/opt/cudnn/include])
anydnn_cudnn_summary="no (switched off)"
anydnn_have_cudnn=no
AS_CASE([$with_cudnn],
    [no], [],
    [auto|yes], [AS_IF([test $anydnn_have_cuda = yes], [_ANYDNN_CUDNN_FIND],
        [anydnn_cudnn_summary="no (no CUDA)"])],
    [AC_MSG_ERROR([--with-cudnn=$with_cudnn: it must be auto, yes or no])])
AS_IF([test "x$with_cudnn" = xyes && test $anydnn_have_cudnn = no],
    [AC_MSG_ERROR([--with-cudnn=yes: $anydnn_cudnn_summary; install cuDNN 9's headers, or name their folder by CUDNN_CFLAGS=-I...])])
AM_CONDITIONAL([HAVE_CUDNN], [test $anydnn_have_cudnn = yes])])

# Compiles against the toolkit's headers or those of CUDNN_CFLAGS.
AC_DEFUN([_ANYDNN_CUDNN_FIND],
[AC_MSG_CHECKING([for cuDNN's headers])
anydnn_saved_CPPFLAGS="$CPPFLAGS"
CPPFLAGS="$CPPFLAGS $CUDNN_CFLAGS $CUDA_CPPFLAGS"
AC_COMPILE_IFELSE(
    [AC_LANG_PROGRAM([[#include <cudnn.h>
#if CUDNN_MAJOR != 9
#error another version
#endif
]], [[return CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE == 0;]])],
    [anydnn_have_cudnn=yes
    AC_COMPUTE_INT([anydnn_cudnn_minor], [CUDNN_MINOR], [[#include <cudnn.h>]])
    anydnn_cudnn_summary="9.$anydnn_cudnn_minor"],
    [anydnn_cudnn_summary="no (no headers of cuDNN 9)"])
CPPFLAGS="$anydnn_saved_CPPFLAGS"
AC_MSG_RESULT([$anydnn_cudnn_summary])])
