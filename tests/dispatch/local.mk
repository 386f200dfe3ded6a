# SPDX-License-Identifier: Apache-2.0
# The tests of routes, plans, fallback and reports, with the mock backends of tests/mocks. To add a test, add its name
# to dispatch_tests, or to search_tests if time may pass only in mocks (clock.c).

dispatch_tests = $(search_tests) \
	tests/dispatch/test_algorithm_objects \
	tests/dispatch/test_arguments \
	tests/dispatch/test_callbacks \
	tests/dispatch/test_device \
	tests/dispatch/test_device_lost \
	tests/dispatch/test_entries \
	tests/dispatch/test_fallback \
	tests/dispatch/test_float_mode \
	tests/dispatch/test_host_operands \
	tests/dispatch/test_log_levels \
	tests/dispatch/test_objects \
	tests/dispatch/test_pins \
	tests/dispatch/test_plans \
	tests/dispatch/test_process \
	tests/dispatch/test_recordings \
	tests/dispatch/test_refusals \
	tests/dispatch/test_routes \
	tests/dispatch/test_spaces \
	tests/dispatch/test_stage \
	tests/dispatch/test_stage_copies \
	tests/dispatch/test_stage_failures \
	tests/dispatch/test_stage_life \
	tests/dispatch/test_stage_vectors \
	tests/dispatch/test_stream_gone \
	tests/dispatch/test_trace \
	tests/dispatch/test_watch \
	tests/dispatch/test_watch_later
search_tests = \
	tests/dispatch/test_batch \
	tests/dispatch/test_choosers \
	tests/dispatch/test_device_reference \
	tests/dispatch/test_errata \
	tests/dispatch/test_fastest \
	tests/dispatch/test_fastest_device \
	tests/dispatch/test_fastest_recorded \
	tests/dispatch/test_get_v2 \
	tests/dispatch/test_search \
	tests/dispatch/test_search_faults \
	tests/dispatch/test_search_limits \
	tests/dispatch/test_search_pins \
	tests/dispatch/test_suspects \
	tests/dispatch/test_trials \
	tests/dispatch/test_tuning
check_PROGRAMS += $(dispatch_tests)
TESTS += $(dispatch_tests)
folder_tests += $(dispatch_tests)

check_LTLIBRARIES += tests/dispatch/libfixtures.la tests/dispatch/libsearches.la
tests_dispatch_libfixtures_la_SOURCES = \
	tests/dispatch/entries.h \
	tests/dispatch/entries_convolution.c \
	tests/dispatch/entries_layer.c \
	tests/dispatch/entries_make.c \
	tests/dispatch/entries_normalization.c \
	tests/dispatch/entries_product.c \
	tests/dispatch/entries_sequence.c \
	tests/dispatch/entries_tensor.c \
	tests/dispatch/fixture.c \
	tests/dispatch/fixture.h \
	tests/dispatch/fixture_make.c \
	tests/dispatch/fixture_private.h \
	tests/dispatch/stage.h
tests_dispatch_libsearches_la_SOURCES = \
	tests/dispatch/clock.c \
	tests/dispatch/searches.c \
	tests/dispatch/searches.h
tests/dispatch/%: private FOLDER_LIBS = tests/dispatch/libfixtures.la
$(search_tests): private FOLDER_LIBS = tests/dispatch/libsearches.la tests/dispatch/libfixtures.la
$(dispatch_tests): tests/dispatch/libfixtures.la tests/mocks/anydnn_cuda_naive.la tests/mocks/anydnn_cuda_simt.la
$(search_tests): tests/dispatch/libsearches.la

tests_dispatch_test_float_mode_LDADD = $(TEST_PUBLIC_LIBS) -lm
tests_dispatch_test_stage_vectors_LDADD = tests/conformance/libfixtures.la $(TEST_CORE_LIBS) $(JANSSON_LIBS)
