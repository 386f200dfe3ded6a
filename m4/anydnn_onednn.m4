# SPDX-License-Identifier: Apache-2.0
# oneDNN: the backend declares what it uses and opens the library when it first needs it. Headers are
# wanted by a test of these declarations and by bench/onednn_direct, and say that there may be a library.

# ANYDNN_ONEDNN: --with-onednn=auto|yes|no; sets ONEDNN_CFLAGS and the conditionals HAVE_ONEDNN, for the
# backend, and HAVE_ONEDNN_HEADERS. `auto` is yes where the headers are.
AC_DEFUN([ANYDNN_ONEDNN],
[AC_ARG_WITH([onednn],
    [AS_HELP_STRING([--with-onednn=auto|yes|no],
        [build the backend for oneDNN 2.6 or later, 3.x included; auto: where its headers are installed (default: auto)])],
    [], [with_onednn=auto])
AC_ARG_VAR([ONEDNN_CFLAGS], [where oneDNN's headers are, such as -I/opt/onednn/include])
anydnn_onednn_summary="no (switched off)"
anydnn_have_onednn=no
AS_CASE([$with_onednn],
    [no], [],
    [auto|yes], [_ANYDNN_ONEDNN_FIND],
    [AC_MSG_ERROR([--with-onednn=$with_onednn: it must be auto, yes or no])])
AM_CONDITIONAL([HAVE_ONEDNN_HEADERS], [test $anydnn_have_onednn = yes])
AS_IF([test "x$with_onednn" = xyes && test $anydnn_have_onednn = no],
    [anydnn_have_onednn=yes
    anydnn_onednn_summary="yes (without headers)"])
AM_CONDITIONAL([HAVE_ONEDNN], [test $anydnn_have_onednn = yes])])

# fpmath modes, which hold oneDNN to float's precision, came with 2.6.
AC_DEFUN([_ANYDNN_ONEDNN_FIND],
[AC_MSG_CHECKING([for oneDNN's headers])
anydnn_saved_CPPFLAGS="$CPPFLAGS"
CPPFLAGS="$CPPFLAGS $ONEDNN_CFLAGS"
AC_COMPILE_IFELSE(
    [AC_LANG_PROGRAM([[#include <oneapi/dnnl/dnnl.h>
#if DNNL_VERSION_MAJOR < 2 || (DNNL_VERSION_MAJOR == 2 && DNNL_VERSION_MINOR < 6)
#error too old
#endif
]], [[return dnnl_fpmath_mode_strict;]])],
    [anydnn_have_onednn=yes
    AC_COMPUTE_INT([anydnn_onednn_major], [DNNL_VERSION_MAJOR], [[#include <oneapi/dnnl/dnnl.h>]])
    AC_COMPUTE_INT([anydnn_onednn_minor], [DNNL_VERSION_MINOR], [[#include <oneapi/dnnl/dnnl.h>]])
    anydnn_onednn_summary="$anydnn_onednn_major.$anydnn_onednn_minor"],
    [anydnn_onednn_summary="no (no headers of 2.6 or later; Debian: libdnnl-dev)"])
CPPFLAGS="$anydnn_saved_CPPFLAGS"
AC_MSG_RESULT([$anydnn_onednn_summary])])
