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

# ANYDNN_HARDENING: --disable-hardening; ANYDNN_HARDEN_CFLAGS for every C file, ANYDNN_FORTIFY for those that
# are optimised, and ANYDNN_HARDEN_LDFLAGS for programs. Comes behind ANYDNN_SANITIZER, for the sanitizers
# replace the functions that _FORTIFY_SOURCE checks.
AC_DEFUN([ANYDNN_HARDENING],
[AC_ARG_ENABLE([hardening],
    [AS_HELP_STRING([--disable-hardening],
        [build without stack protector, stack-clash protection, control-flow protection, _FORTIFY_SOURCE])],
    [], [enable_hardening=yes])
ANYDNN_HARDEN_CFLAGS=
ANYDNN_HARDEN_LDFLAGS=
ANYDNN_FORTIFY=
AS_IF([test "x$enable_hardening" != xno],
    [ANYDNN_ADD_FLAGS([ANYDNN_HARDEN_CFLAGS],
        [-fstack-protector-strong -fstack-clash-protection -fcf-protection], [CFLAGS])
    ANYDNN_ADD_FLAGS([ANYDNN_HARDEN_LDFLAGS], [-Wl,-z,relro -Wl,-z,now], [LDFLAGS])
    AS_IF([test "x$enable_sanitizer" = xno], [_ANYDNN_FORTIFY])])
AC_SUBST([ANYDNN_HARDEN_CFLAGS])
AC_SUBST([ANYDNN_HARDEN_LDFLAGS])
AC_SUBST([ANYDNN_FORTIFY])
AM_CONDITIONAL([HARDENING], [test "x$enable_hardening" != xno])])

# The highest level that the C library takes without a warning. The flags of who builds come first, and a
# compiler may define it by itself: a second definition would be a warning.
AC_DEFUN([_ANYDNN_FORTIFY],
[AC_MSG_CHECKING([the level of _FORTIFY_SOURCE to add])
anydnn_saved_CFLAGS="$CFLAGS"
CFLAGS="$anydnn_saved_CFLAGS -O2"
AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#ifdef _FORTIFY_SOURCE
#error "it has a level"
#endif
]])],
    [for anydnn_level in 3 2; do
        CFLAGS="$anydnn_saved_CFLAGS -Werror -O2 -D_FORTIFY_SOURCE=$anydnn_level"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>]], [[puts("");]])],
            [ANYDNN_FORTIFY=-D_FORTIFY_SOURCE=$anydnn_level])
        AS_IF([test "x$ANYDNN_FORTIFY" != x], [break])
    done])
CFLAGS="$anydnn_saved_CFLAGS"
AC_MSG_RESULT([${ANYDNN_FORTIFY:-none}])])

# ANYDNN_LINKER: ANYDNN_SO_LDFLAGS for everything that is dlopened or linked as a library.
# clang leaves a sanitizer's symbols to the program, so -z defs stays out there.
AC_DEFUN([ANYDNN_LINKER],
[ANYDNN_SO_LDFLAGS=
ANYDNN_ADD_FLAGS([ANYDNN_SO_LDFLAGS], [-Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro], [LDFLAGS])
AS_IF([test "x$enable_sanitizer" = xno],
    [ANYDNN_ADD_FLAGS([ANYDNN_SO_LDFLAGS], [-Wl,-z,defs], [LDFLAGS])])
AC_SUBST([ANYDNN_SO_LDFLAGS])])
