# SPDX-License-Identifier: Apache-2.0
# Compiler and linker flags: warnings, sanitizers, hardening.

# ANYDNN_ADD_FLAGS(VARIABLE, FLAGS, KIND): appends each of FLAGS that the compiler takes.
# KIND is CFLAGS or LDFLAGS. -Werror makes clang refuse what it would only warn of.
AC_DEFUN([ANYDNN_ADD_FLAGS],
[for anydnn_flag in $2; do
    AC_MSG_CHECKING([whether $CC accepts $anydnn_flag])
    anydnn_saved_$3="$$3"
    $3="$$3 -Werror $anydnn_flag"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [anydnn_ok=yes], [anydnn_ok=no])
    $3="$anydnn_saved_$3"
    AC_MSG_RESULT([$anydnn_ok])
    AS_IF([test $anydnn_ok = yes], [$1="$$1 $anydnn_flag"])
done])

# ANYDNN_COMPILER: ANYDNN_CFLAGS for every C file. Tables leave out what is zero, so a missing
# initializer is no warning.
AC_DEFUN([ANYDNN_COMPILER],
[AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--disable-werror], [let warnings pass, for builders with other compilers])],
    [], [enable_werror=yes])
ANYDNN_CFLAGS=
ANYDNN_ADD_FLAGS([ANYDNN_CFLAGS],
    [-std=c11 -fvisibility=hidden -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes dnl
-Wwrite-strings -Wvla -Wimplicit-fallthrough -Wno-missing-field-initializers], [CFLAGS])
AS_IF([test "x$enable_werror" = xyes], [ANYDNN_CFLAGS="$ANYDNN_CFLAGS -Werror"])
AC_SUBST([ANYDNN_CFLAGS])])

# ANYDNN_SANITIZER: --enable-sanitizer=address,undefined or thread.
AC_DEFUN([ANYDNN_SANITIZER],
[AC_ARG_ENABLE([sanitizer],
    [AS_HELP_STRING([--enable-sanitizer=LIST],
        [build with -fsanitize=LIST (address,undefined or thread); a finding ends the program])],
    [], [enable_sanitizer=no])
ANYDNN_SANITIZE=
AS_CASE([$enable_sanitizer],
    [no], [],
    [yes], [enable_sanitizer=address,undefined])
AS_IF([test "x$enable_sanitizer" != xno],
    [ANYDNN_ADD_FLAGS([ANYDNN_SANITIZE],
        [-fsanitize=$enable_sanitizer -fno-sanitize-recover=all -fno-omit-frame-pointer], [CFLAGS])
    AS_CASE([$ANYDNN_SANITIZE],
        [*-fsanitize=*], [],
        [AC_MSG_ERROR([--enable-sanitizer=$enable_sanitizer: $CC cannot link with it; known: address,undefined and thread])])])
AC_SUBST([ANYDNN_SANITIZE])
AC_SUBST([enable_sanitizer])
AM_CONDITIONAL([SANITIZE], [test "x$enable_sanitizer" != xno])
AM_CONDITIONAL([SANITIZE_THREAD], [test "x$enable_sanitizer" = xthread])])

# ANYDNN_LINKER: ANYDNN_SO_LDFLAGS for everything that is dlopened or linked as a library.
# clang leaves a sanitizer's symbols to the program, so -z defs stays out there.
AC_DEFUN([ANYDNN_LINKER],
[ANYDNN_SO_LDFLAGS=
ANYDNN_ADD_FLAGS([ANYDNN_SO_LDFLAGS], [-Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro], [LDFLAGS])
AS_IF([test "x$enable_sanitizer" = xno],
    [ANYDNN_ADD_FLAGS([ANYDNN_SO_LDFLAGS], [-Wl,-z,defs], [LDFLAGS])])
AC_SUBST([ANYDNN_SO_LDFLAGS])])
