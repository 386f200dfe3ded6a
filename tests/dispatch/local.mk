# SPDX-License-Identifier: Apache-2.0
# Routes, plans, fallback and what a call tells, over the mock backends of tests/mocks.

dispatch_tests = \
	tests/dispatch/test_arguments \
	tests/dispatch/test_device \
	tests/dispatch/test_device_lost \
	tests/dispatch/test_entries \
	tests/dispatch/test_fallback \
	tests/dispatch/test_get_v2 \
	tests/dispatch/test_objects \
	tests/dispatch/test_pins \
	tests/dispatch/test_plans \
	tests/dispatch/test_process \
	tests/dispatch/test_recordings \
	tests/dispatch/test_routes \
	tests/dispatch/test_search \
	tests/dispatch/test_search_faults \
	tests/dispatch/test_search_limits \
	tests/dispatch/test_search_pins \
	tests/dispatch/test_stage \
	tests/dispatch/test_stage_copies \
	tests/dispatch/test_stage_failures \
	tests/dispatch/test_stage_life \
	tests/dispatch/test_stage_vectors \
	tests/dispatch/test_tuning
check_PROGRAMS += $(dispatch_tests)
TESTS += $(dispatch_tests)

dispatch_fixture = tests/dispatch/fixture.c tests/dispatch/fixture.h \
	tests/dispatch/fixture_make.c tests/dispatch/fixture_private.h

dispatch_searches = $(dispatch_fixture) tests/dispatch/clock.c tests/dispatch/searches.c tests/dispatch/searches.h

dispatch_entries = tests/dispatch/entries.h \
	tests/dispatch/entries_convolution.c \
	tests/dispatch/entries_layer.c \
	tests/dispatch/entries_make.c \
	tests/dispatch/entries_normalization.c \
	tests/dispatch/entries_tensor.c

tests_dispatch_test_arguments_SOURCES = tests/dispatch/test_arguments.c $(dispatch_fixture)
tests_dispatch_test_arguments_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_arguments_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_device_SOURCES = tests/dispatch/test_device.c $(dispatch_fixture)
tests_dispatch_test_device_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_device_LDADD = $(TEST_CORE_LIBS)
tests_dispatch_test_device_lost_SOURCES = tests/dispatch/test_device_lost.c $(dispatch_fixture)
tests_dispatch_test_device_lost_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_device_lost_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_entries_SOURCES = tests/dispatch/test_entries.c $(dispatch_fixture) \
	$(dispatch_entries)
tests_dispatch_test_entries_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_entries_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_fallback_SOURCES = tests/dispatch/test_fallback.c $(dispatch_fixture)
tests_dispatch_test_fallback_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_fallback_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_get_v2_SOURCES = tests/dispatch/test_get_v2.c $(dispatch_searches)
tests_dispatch_test_get_v2_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_get_v2_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_objects_SOURCES = tests/dispatch/test_objects.c $(dispatch_fixture) \
	$(dispatch_entries)
tests_dispatch_test_objects_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_objects_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_pins_SOURCES = tests/dispatch/test_pins.c $(dispatch_fixture)
tests_dispatch_test_pins_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_pins_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_plans_SOURCES = tests/dispatch/test_plans.c $(dispatch_fixture)
tests_dispatch_test_plans_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_plans_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_process_SOURCES = tests/dispatch/test_process.c $(dispatch_fixture)
tests_dispatch_test_process_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_process_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_recordings_SOURCES = tests/dispatch/test_recordings.c $(dispatch_fixture)
tests_dispatch_test_recordings_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_recordings_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_routes_SOURCES = tests/dispatch/test_routes.c $(dispatch_fixture)
tests_dispatch_test_routes_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_routes_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_search_SOURCES = tests/dispatch/test_search.c $(dispatch_searches)
tests_dispatch_test_search_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_search_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_search_faults_SOURCES = tests/dispatch/test_search_faults.c $(dispatch_searches)
tests_dispatch_test_search_faults_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_search_faults_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_search_limits_SOURCES = tests/dispatch/test_search_limits.c $(dispatch_searches)
tests_dispatch_test_search_limits_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_search_limits_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_search_pins_SOURCES = tests/dispatch/test_search_pins.c $(dispatch_searches)
tests_dispatch_test_search_pins_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_search_pins_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_stage_SOURCES = tests/dispatch/test_stage.c $(dispatch_fixture)
tests_dispatch_test_stage_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_stage_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_stage_copies_SOURCES = tests/dispatch/test_stage_copies.c $(dispatch_fixture)
tests_dispatch_test_stage_copies_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_stage_copies_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_stage_failures_SOURCES = tests/dispatch/test_stage_failures.c $(dispatch_fixture)
tests_dispatch_test_stage_failures_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_stage_failures_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_stage_life_SOURCES = tests/dispatch/test_stage_life.c $(dispatch_fixture)
tests_dispatch_test_stage_life_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_stage_life_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_stage_vectors_SOURCES = tests/dispatch/test_stage_vectors.c $(conformance_run) \
	tools/verify/vec_reader.c tools/verify/vec_reader.h $(conformance_types)
tests_dispatch_test_stage_vectors_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_stage_vectors_LDADD = $(TEST_CORE_LIBS)

tests_dispatch_test_tuning_SOURCES = tests/dispatch/test_tuning.c $(dispatch_searches)
tests_dispatch_test_tuning_CPPFLAGS = $(TEST_CPPFLAGS)
tests_dispatch_test_tuning_LDADD = $(TEST_CORE_LIBS)
