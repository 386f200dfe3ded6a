# SPDX-License-Identifier: Apache-2.0
# The tests of shadow and checks through the public API, with cpu_ref and a copy of it that has a planted fault
# (tests/tools).

if HAVE_CMOCKA
shadow_tests = tests/shadow/test_check tests/shadow/test_shadow
check_PROGRAMS += $(shadow_tests)
TESTS += $(shadow_tests)
tests_shadow_test_check_SOURCES = tests/shadow/test_check.c tests/shadow/fixture.c tests/shadow/fixture.h
tests_shadow_test_check_CPPFLAGS = $(TEST_CPPFLAGS)
tests_shadow_test_check_LDADD = $(TEST_PUBLIC_LIBS) -lm
tests_shadow_test_shadow_SOURCES = tests/shadow/test_shadow.c tests/shadow/fixture.c tests/shadow/fixture.h
tests_shadow_test_shadow_CPPFLAGS = $(TEST_CPPFLAGS)
tests_shadow_test_shadow_LDADD = $(TEST_PUBLIC_LIBS) -lpthread
endif
