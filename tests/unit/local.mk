# SPDX-License-Identifier: Apache-2.0
# Each file is one program, linked with the core's convenience library and this folder's fixtures. To add a test, add
# its name to unit_tests: tests/local.mk has the rule.

unit_tests = \
	tests/unit/test_batch \
	tests/unit/test_cpu_ref_declines \
	tests/unit/test_cpu_ref_element \
	tests/unit/test_cpu_ref_emulate \
	tests/unit/test_cpu_ref_parallel \
	tests/unit/test_cpu_ref_plan \
	tests/unit/test_cpu_ref_plugin \
	tests/unit/test_desc_convolution \
	tests/unit/test_desc_dropout \
	tests/unit/test_desc_filter \
	tests/unit/test_desc_modes \
	tests/unit/test_desc_names \
	tests/unit/test_desc_pooling \
	tests/unit/test_desc_shape \
	tests/unit/test_desc_tensor \
	tests/unit/test_errata \
	tests/unit/test_guarantees \
	tests/unit/test_kit \
	tests/unit/test_numerics \
	tests/unit/test_problem_masks \
	tests/unit/test_problem_rules \
	tests/unit/test_problem_text \
	tests/unit/test_problem_types \
	tests/unit/test_sampled \
	tests/unit/test_settings_keys \
	tests/unit/test_settings_layers \
	tests/unit/test_settings_lines \
	tests/unit/test_settings_random \
	tests/unit/test_settings_route \
	tests/unit/test_special \
	tests/unit/test_statistics \
	tests/unit/test_sys \
	tests/unit/test_tuning \
	tests/unit/test_version
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
folder_tests += $(unit_tests)
noinst_HEADERS += tests/unit/desc_fixture.h

tests_unit_test_kit_SOURCES = tests/unit/test_kit.c $(KIT_SOURCES)
tests_unit_test_cpu_ref_parallel_SOURCES = tests/unit/test_cpu_ref_parallel.c plugins/cpu_ref/parallel.c
tests_unit_test_cpu_ref_parallel_CPPFLAGS = $(TEST_CPPFLAGS) $(PTHREADPOOL_CFLAGS)
tests_unit_test_cpu_ref_parallel_LDADD = $(CMOCKA_LIBS) $(PTHREADPOOL_LIBS) -lpthread -lm

check_LTLIBRARIES += tests/unit/libfixtures.la
tests_unit_libfixtures_la_SOURCES = \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h \
	tests/unit/settings_fixture.c \
	tests/unit/settings_fixture.h
tests/unit/%: private FOLDER_LIBS = tests/unit/libfixtures.la
$(unit_tests): tests/unit/libfixtures.la

check_PROGRAMS += tests/unit/settings_probe
tests_unit_settings_probe_LDADD = core/libanydnn_core.la
TESTS += tests/unit/settings_process.sh
dist_check_SCRIPTS += tests/unit/settings_process.sh
