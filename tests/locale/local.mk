# SPDX-License-Identifier: Apache-2.0
# Builds locales of other languages. In all of them, numbers must be written and read as in C.

# If localedef or Debian's package `locales` is missing, the tests that need them are skipped.
check_DATA += tests/locale/.stamp
tests/locale/.stamp:
	$(AM_V_GEN)rm -rf tests/locale/de_DE.UTF-8 tests/locale/tr_TR.ISO-8859-9 && mkdir -p tests/locale && \
	{ localedef -i de_DE -f UTF-8 tests/locale/de_DE.UTF-8 || :; } >/dev/null 2>&1 && \
	{ localedef -i tr_TR -f ISO-8859-9 tests/locale/tr_TR.ISO-8859-9 || :; } >/dev/null 2>&1 && : >$@

check_LTLIBRARIES += tests/locale/foreign.la
tests_locale_foreign_la_SOURCES = tests/locale/foreign.c
tests_locale_foreign_la_CPPFLAGS = -D_GNU_SOURCE
tests_locale_foreign_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_locale_foreign_la_LIBADD = -ldl

TESTS += tests/locale/test_tools.sh
dist_check_SCRIPTS += tests/locale/test_tools.sh
