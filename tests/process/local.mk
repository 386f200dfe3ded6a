# SPDX-License-Identifier: Apache-2.0
# The tests of processes without standard streams, with small limits, and in other locales.

TESTS += tests/process/test_process.sh
dist_check_SCRIPTS += tests/process/test_process.sh

check_PROGRAMS += tests/process/calls
tests_process_calls_SOURCES = tests/process/calls.c
tests_process_calls_CPPFLAGS = $(AM_CPPFLAGS) -DANYDNN_EVERY_FORM
tests_process_calls_LDADD = libanydnn.la -lpthread
