# SPDX-License-Identifier: Apache-2.0
# Libraries from elsewhere: one sentence with the Debian package where one is missing.

# ANYDNN_PKG(PREFIX, PKG-CONFIG MODULE, DEBIAN PACKAGE)
AC_DEFUN([ANYDNN_PKG],
[PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 not found: install it (Debian: apt-get install $3, or run scripts/setup)])])])

# ANYDNN_PKG_OPTIONAL(PREFIX, PKG-CONFIG MODULE, DEBIAN PACKAGE, WHAT HAPPENS WITHOUT IT): defines
# HAVE_PREFIX where it is there.
AC_DEFUN([ANYDNN_PKG_OPTIONAL],
[PKG_CHECK_MODULES([$1], [$2],
    [AC_DEFINE([HAVE_$1], [1], [Whether $2 is there.])],
    [AC_MSG_NOTICE([$2 not found ($3): $4])])])

# ANYDNN_LIB(PREFIX, LIBRARY, HEADER, FUNCTION, DEBIAN PACKAGE): for those without a .pc file.
AC_DEFUN([ANYDNN_LIB],
[anydnn_saved_LIBS="$LIBS"
anydnn_found=yes
AC_CHECK_HEADER([$3], [], [anydnn_found=no])
AC_SEARCH_LIBS([$4], [$2], [], [anydnn_found=no])
LIBS="$anydnn_saved_LIBS"
AS_IF([test $anydnn_found = no],
    [AC_MSG_ERROR([$3 or lib$2 not found: install it (Debian: apt-get install $5, or run scripts/setup)])])
AC_SUBST([$1_CFLAGS], [])
AC_SUBST([$1_LIBS], [-l$2])])

# ANYDNN_READ_PLUGIN_ABI: the plugin ABI's number, out of plugin.h, for anydnn.pc.
AC_DEFUN([ANYDNN_READ_PLUGIN_ABI],
[AC_MSG_CHECKING([the plugin ABI's version])
ANYDNN_PLUGIN_ABI=`$AWK '$[1] == "@%:@define" && $[2] == "ANYDNN_PLUGIN_ABI_MAJOR" { major = $[3] }
    $[1] == "@%:@define" && $[2] == "ANYDNN_PLUGIN_ABI_MINOR" { minor = $[3] }
    END { if (major != "" && minor != "") print major "." minor }' "$srcdir/include/anydnn/plugin.h"`
AC_MSG_RESULT([$ANYDNN_PLUGIN_ABI])
AS_IF([test "x$ANYDNN_PLUGIN_ABI" = x],
    [AC_MSG_ERROR([include/anydnn/plugin.h does not define ANYDNN_PLUGIN_ABI_MAJOR and _MINOR])])
AC_SUBST([ANYDNN_PLUGIN_ABI])])
