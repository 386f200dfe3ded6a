# SPDX-License-Identifier: Apache-2.0
# The test of memory and file descriptors that run out, at every place in turn.

TESTS += tests/shortage/test_shortage.sh
dist_check_SCRIPTS += tests/shortage/test_shortage.sh

check_PROGRAMS += tests/shortage/shortage
tests_shortage_shortage_SOURCES = tests/shortage/allocator.c tests/shortage/allocator.h \
	tests/shortage/shortage.c tests/shortage/use.c tests/shortage/use.h
tests_shortage_shortage_CPPFLAGS = $(AM_CPPFLAGS) -DANYDNN_EVERY_FORM -I$(top_srcdir)
tests_shortage_shortage_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_shortage_shortage_LDADD = libanydnn.la -ldl
