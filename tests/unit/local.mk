# SPDX-License-Identifier: Apache-2.0
# One program a file, over the core's convenience library.

unit_tests = \
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
	tests/unit/test_problem_masks \
	tests/unit/test_problem_rules \
	tests/unit/test_problem_text \
	tests/unit/test_settings_keys \
	tests/unit/test_settings_layers \
	tests/unit/test_settings_lines \
	tests/unit/test_settings_random \
	tests/unit/test_settings_route \
	tests/unit/test_sys \
	tests/unit/test_version
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

tests_unit_test_settings_keys_SOURCES = tests/unit/test_settings_keys.c \
	tests/unit/settings_fixture.c \
	tests/unit/settings_fixture.h
tests_unit_test_settings_keys_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_settings_keys_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_settings_lines_SOURCES = tests/unit/test_settings_lines.c \
	tests/unit/settings_fixture.c \
	tests/unit/settings_fixture.h
tests_unit_test_settings_lines_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_settings_lines_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_settings_route_SOURCES = tests/unit/test_settings_route.c \
	tests/unit/settings_fixture.c \
	tests/unit/settings_fixture.h
tests_unit_test_settings_route_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_settings_route_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_settings_layers_SOURCES = tests/unit/test_settings_layers.c \
	tests/unit/settings_fixture.c \
	tests/unit/settings_fixture.h
tests_unit_test_settings_layers_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_settings_layers_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_settings_random_SOURCES = tests/unit/test_settings_random.c \
	tests/unit/settings_fixture.c \
	tests/unit/settings_fixture.h
tests_unit_test_settings_random_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_settings_random_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_sys_SOURCES = tests/unit/test_sys.c \
	tests/unit/settings_fixture.c \
	tests/unit/settings_fixture.h
tests_unit_test_sys_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_sys_LDADD = $(TEST_CORE_LIBS)

check_PROGRAMS += tests/unit/settings_probe
tests_unit_settings_probe_SOURCES = tests/unit/settings_probe.c
tests_unit_settings_probe_LDADD = core/libanydnn_core.la
TESTS += tests/unit/settings_process.sh
dist_check_SCRIPTS += tests/unit/settings_process.sh

tests_unit_test_cpu_ref_plan_SOURCES = tests/unit/test_cpu_ref_plan.c \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h
tests_unit_test_cpu_ref_plan_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_plan_LDADD = $(CMOCKA_LIBS) -ldl -lpthread

tests_unit_test_cpu_ref_plugin_SOURCES = tests/unit/test_cpu_ref_plugin.c \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h
tests_unit_test_cpu_ref_plugin_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_plugin_LDADD = $(CMOCKA_LIBS) -ldl -lpthread

tests_unit_test_desc_names_SOURCES = tests/unit/test_desc_names.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_names_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_names_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_desc_shape_SOURCES = tests/unit/test_desc_shape.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_shape_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_shape_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_desc_tensor_SOURCES = tests/unit/test_desc_tensor.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_tensor_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_tensor_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_desc_convolution_SOURCES = tests/unit/test_desc_convolution.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_convolution_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_convolution_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_desc_dropout_SOURCES = tests/unit/test_desc_dropout.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_dropout_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_dropout_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_desc_filter_SOURCES = tests/unit/test_desc_filter.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_filter_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_filter_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_desc_modes_SOURCES = tests/unit/test_desc_modes.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_modes_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_modes_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_desc_pooling_SOURCES = tests/unit/test_desc_pooling.c \
	tests/unit/desc_fixture.h
tests_unit_test_desc_pooling_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_desc_pooling_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_version_SOURCES = tests/unit/test_version.c \
	tests/unit/desc_fixture.h
tests_unit_test_version_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_version_LDADD = $(TEST_CORE_LIBS)

check_PROGRAMS += tests/unit/test_numerics
TESTS += tests/unit/test_numerics
tests_unit_test_numerics_SOURCES = tests/unit/test_numerics.c
tests_unit_test_numerics_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_numerics_LDADD = $(TEST_CORE_LIBS) -lm

tests_unit_test_problem_rules_SOURCES = tests/unit/test_problem_rules.c
tests_unit_test_problem_rules_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_problem_rules_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_problem_text_SOURCES = tests/unit/test_problem_text.c
tests_unit_test_problem_text_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_problem_text_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_problem_masks_SOURCES = tests/unit/test_problem_masks.c
tests_unit_test_problem_masks_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_problem_masks_LDADD = $(TEST_CORE_LIBS)
