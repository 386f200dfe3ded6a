# SPDX-License-Identifier: Apache-2.0
# libcudnn.so.7 on anydnn.

TESTS += tests/cudnn7/exports.sh tests/cudnn7/interface.sh tests/cudnn7/programs.sh tests/cudnn7/tools.sh
dist_check_SCRIPTS += tests/cudnn7/exports.sh tests/cudnn7/interface.sh tests/cudnn7/programs.sh tests/cudnn7/tools.sh
EXTRA_DIST += \
	tests/abi/cudnn7-names \
	tests/cudnn7/cudnn.h.in \
	tests/cudnn7/cudnn7.sh \
	tests/cudnn7/declare.awk \
	tests/cudnn7/imports \
	tests/cudnn7/interface.c

if HAVE_CMOCKA
check_PROGRAMS += tests/cudnn7/test_found
TESTS += tests/cudnn7/test_found
tests_cudnn7_test_found_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cudnn7_test_found_SOURCES = cudnn7/found.c tests/cudnn7/test_found.c
tests_cudnn7_test_found_LDADD = $(CMOCKA_LIBS)
endif
