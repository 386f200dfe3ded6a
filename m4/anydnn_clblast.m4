# SPDX-License-Identifier: Apache-2.0
# CLBlast: the backend opens the library when it first needs it. The headers are needed to compile it, and no library.

# ANYDNN_CLBLAST: --with-clblast=auto|yes|no; sets the conditional HAVE_CLBLAST. `auto` is yes where the headers are. It
# comes after ANYDNN_OPENCL, whose headers the backend needs, too.
AC_DEFUN([ANYDNN_CLBLAST],
[AC_ARG_WITH([clblast],
    [AS_HELP_STRING([--with-clblast=auto|yes|no],
        [build the backend over CLBlast, for OpenCL devices; auto: where its headers are installed (default: auto)])],
    [], [with_clblast=auto])
anydnn_clblast_summary="no (switched off)"
anydnn_have_clblast=no
AS_CASE([$with_clblast],
    [no], [],
    [auto|yes], [_ANYDNN_CLBLAST_FIND],
    [AC_MSG_ERROR([--with-clblast=$with_clblast: it must be auto, yes or no])])
AS_IF([test "x$with_clblast" = xyes && test $anydnn_have_clblast = no],
    [AC_MSG_ERROR([--with-clblast=yes: there are no headers of CLBlast or OpenCL; Debian: libclblast-dev, opencl-c-headers])])
AM_CONDITIONAL([HAVE_CLBLAST], [test $anydnn_have_clblast = yes])])

AC_DEFUN([_ANYDNN_CLBLAST_FIND],
[AC_MSG_CHECKING([for CLBlast's headers])
anydnn_saved_CPPFLAGS="$CPPFLAGS"
CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS"
AC_COMPILE_IFELSE(
    [AC_LANG_PROGRAM([[#define CL_TARGET_OPENCL_VERSION 200
#include <clblast_c.h>
]], [[return CLBlastSim2col == 0;]])],
    [anydnn_have_clblast=yes
    anydnn_clblast_summary="yes"],
    [anydnn_clblast_summary="no (no headers; Debian: libclblast-dev)"])
CPPFLAGS="$anydnn_saved_CPPFLAGS"
AC_MSG_RESULT([$anydnn_clblast_summary])])
