# SPDX-License-Identifier: Apache-2.0
# OpenCL: the backend opens the loader when it first needs it. The headers are needed to compile it, and no library.

# ANYDNN_OPENCL: --with-opencl=auto|yes|no; sets OPENCL_CFLAGS and the conditional HAVE_OPENCL. `auto` is yes where the
# headers are.
AC_DEFUN([ANYDNN_OPENCL],
[AC_ARG_WITH([opencl],
    [AS_HELP_STRING([--with-opencl=auto|yes|no],
        [build the backend for OpenCL devices; auto: where the headers of OpenCL 2.0 or later are installed (default: auto)])],
    [], [with_opencl=auto])
AC_ARG_VAR([OPENCL_CFLAGS], [where OpenCL's headers are, such as -I/opt/opencl/include])
anydnn_opencl_summary="no (switched off)"
anydnn_have_opencl=no
AS_CASE([$with_opencl],
    [no], [],
    [auto|yes], [_ANYDNN_OPENCL_FIND],
    [AC_MSG_ERROR([--with-opencl=$with_opencl: it must be auto, yes or no])])
AS_IF([test "x$with_opencl" = xyes && test $anydnn_have_opencl = no],
    [AC_MSG_ERROR([--with-opencl=yes: there are no headers of OpenCL 2.0 or later; Debian: opencl-c-headers])])
AM_CONDITIONAL([HAVE_OPENCL], [test $anydnn_have_opencl = yes])])

AC_DEFUN([_ANYDNN_OPENCL_FIND],
[AC_MSG_CHECKING([for OpenCL's headers])
anydnn_saved_CPPFLAGS="$CPPFLAGS"
CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS"
AC_COMPILE_IFELSE(
    [AC_LANG_PROGRAM([[#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#ifndef CL_VERSION_2_0
#error too old
#endif
]], [[return CL_DEVICE_SVM_COARSE_GRAIN_BUFFER == 0;]])],
    [anydnn_have_opencl=yes
    anydnn_opencl_summary="yes"],
    [anydnn_opencl_summary="no (no headers of 2.0 or later; Debian: opencl-c-headers)"])
CPPFLAGS="$anydnn_saved_CPPFLAGS"
AC_MSG_RESULT([$anydnn_opencl_summary])])
