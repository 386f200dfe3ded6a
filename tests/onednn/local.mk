# SPDX-License-Identifier: Apache-2.0
# Tests that `anydnn verify onednn` cannot cover: a missing library, threads, several handles, fork, results that
# are flushed to 0.

onednn_tests = tests/onednn/test_layers tests/onednn/test_modes tests/onednn/test_onednn \
	tests/onednn/test_subnormal
check_PROGRAMS += $(onednn_tests)
TESTS += $(onednn_tests)
folder_tests += $(onednn_tests)
if HAVE_ONEDNN_HEADERS
check_PROGRAMS += tests/onednn/test_declarations
TESTS += tests/onednn/test_declarations
endif
TESTS += tests/onednn/test_half.sh tests/onednn/test_offers.sh tests/onednn/test_sums.sh tests/onednn/test_windows.sh
dist_check_SCRIPTS += tests/onednn/test_half.sh tests/onednn/test_offers.sh tests/onednn/test_sums.sh tests/onednn/test_windows.sh
EXTRA_DIST += tests/onednn/lenet_threads.sh tests/onednn/refusing.c tests/onednn/wheels.in tests/onednn/wheels.sh tests/onednn/wheels.txt

tests_onednn_test_declarations_SOURCES = \
	tests/onednn/declarations.h \
	tests/onednn/declared.inc \
	tests/onednn/installed.c \
	tests/onednn/test_declarations.c
tests_onednn_test_declarations_CPPFLAGS = $(TEST_CPPFLAGS) $(ONEDNN_CFLAGS)

tests_onednn_test_onednn_SOURCES = tests/onednn/test_onednn.c
tests_onednn_test_onednn_CPPFLAGS = $(TEST_CPPFLAGS)
tests_onednn_test_onednn_LDADD = $(TEST_PUBLIC_LIBS) -ldl -lpthread -lm

tests_onednn_test_layers_SOURCES = tests/onednn/test_layers.c
tests_onednn_test_layers_CPPFLAGS = $(TEST_CPPFLAGS)
tests_onednn_test_layers_LDADD = $(TEST_PUBLIC_LIBS) -lm

tests_onednn_test_subnormal_SOURCES = tests/onednn/test_subnormal.c
tests_onednn_test_subnormal_CPPFLAGS = $(TEST_CPPFLAGS)
tests_onednn_test_subnormal_LDADD = $(TEST_PUBLIC_LIBS) -lm

tests_onednn_test_modes_SOURCES = tests/onednn/test_modes.c
tests_onednn_test_modes_CPPFLAGS = $(TEST_CPPFLAGS)
tests_onednn_test_modes_LDADD = $(TEST_PUBLIC_LIBS) -lpthread -lm
