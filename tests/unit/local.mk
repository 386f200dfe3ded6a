# SPDX-License-Identifier: Apache-2.0
# One program a file, over the core's convenience library.

unit_tests = \
	tests/unit/test_cpu_ref_element \
	tests/unit/test_cpu_ref_fold \
	tests/unit/test_cpu_ref_integer_conv \
	tests/unit/test_cpu_ref_integer_layers \
	tests/unit/test_cpu_ref_integer_sums \
	tests/unit/test_cpu_ref_integer_tensor \
	tests/unit/test_cpu_ref_emulate \
	tests/unit/test_cpu_ref_narrow \
	tests/unit/test_cpu_ref_op_tensor \
	tests/unit/test_cpu_ref_plan \
	tests/unit/test_cpu_ref_plugin \
	tests/unit/test_cpu_ref_reduce \
	tests/unit/test_cpu_ref_transform \
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
	tests/unit/test_problem_types \
	tests/unit/test_settings_keys \
	tests/unit/test_settings_layers \
	tests/unit/test_settings_lines \
	tests/unit/test_settings_random \
	tests/unit/test_settings_route \
	tests/unit/test_sys \
	tests/unit/test_tuning \
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

tests_unit_test_tuning_SOURCES = tests/unit/test_tuning.c
tests_unit_test_tuning_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_tuning_LDADD = $(TEST_CORE_LIBS)

check_PROGRAMS += tests/unit/settings_probe
tests_unit_settings_probe_SOURCES = tests/unit/settings_probe.c
tests_unit_settings_probe_LDADD = core/libanydnn_core.la
TESTS += tests/unit/settings_process.sh
dist_check_SCRIPTS += tests/unit/settings_process.sh

tests_unit_test_cpu_ref_element_SOURCES = tests/unit/test_cpu_ref_element.c \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h
tests_unit_test_cpu_ref_element_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_element_LDADD = $(CMOCKA_LIBS) -ldl -lm

tests_unit_test_cpu_ref_emulate_SOURCES = tests/unit/test_cpu_ref_emulate.c \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h
tests_unit_test_cpu_ref_emulate_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_emulate_LDADD = $(CMOCKA_LIBS) -ldl -lm

cpu_ref_operand_sources = \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h \
	tests/unit/cpu_ref_operand.c \
	tests/unit/cpu_ref_operand.h
cpu_ref_operand_libs = core/libanydnn_base.la $(CMOCKA_LIBS) -ldl -lm

tests_unit_test_cpu_ref_integer_conv_SOURCES = tests/unit/test_cpu_ref_integer_conv.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_integer_conv_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_integer_conv_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_integer_sums_SOURCES = tests/unit/test_cpu_ref_integer_sums.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_integer_sums_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_integer_sums_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_integer_layers_SOURCES = tests/unit/test_cpu_ref_integer_layers.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_integer_layers_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_integer_layers_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_integer_tensor_SOURCES = tests/unit/test_cpu_ref_integer_tensor.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_integer_tensor_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_integer_tensor_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_fold_SOURCES = tests/unit/test_cpu_ref_fold.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_fold_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_fold_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_op_tensor_SOURCES = tests/unit/test_cpu_ref_op_tensor.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_op_tensor_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_op_tensor_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_reduce_SOURCES = tests/unit/test_cpu_ref_reduce.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_reduce_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_reduce_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_transform_SOURCES = tests/unit/test_cpu_ref_transform.c \
	$(cpu_ref_operand_sources)
tests_unit_test_cpu_ref_transform_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_transform_LDADD = $(cpu_ref_operand_libs)

tests_unit_test_cpu_ref_narrow_SOURCES = tests/unit/test_cpu_ref_narrow.c \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h
tests_unit_test_cpu_ref_narrow_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_narrow_LDADD = $(TEST_CORE_LIBS) -lm

tests_unit_test_cpu_ref_plan_SOURCES = tests/unit/test_cpu_ref_plan.c \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h
tests_unit_test_cpu_ref_plan_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_plan_LDADD = $(CMOCKA_LIBS) -ldl -lpthread -lm

tests_unit_test_cpu_ref_plugin_SOURCES = tests/unit/test_cpu_ref_plugin.c \
	tests/unit/cpu_ref_fixture.c \
	tests/unit/cpu_ref_fixture.h
tests_unit_test_cpu_ref_plugin_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_ref_plugin_LDADD = $(CMOCKA_LIBS) -ldl -lpthread -lm

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

check_PROGRAMS += tests/unit/test_statistics
TESTS += tests/unit/test_statistics
tests_unit_test_statistics_SOURCES = tests/unit/test_statistics.c
tests_unit_test_statistics_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_statistics_LDADD = $(TEST_CORE_LIBS) -lm

tests_unit_test_problem_rules_SOURCES = tests/unit/test_problem_rules.c
tests_unit_test_problem_rules_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_problem_rules_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_problem_text_SOURCES = tests/unit/test_problem_text.c
tests_unit_test_problem_text_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_problem_text_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_problem_types_SOURCES = tests/unit/test_problem_types.c
tests_unit_test_problem_types_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_problem_types_LDADD = $(TEST_CORE_LIBS)

tests_unit_test_problem_masks_SOURCES = tests/unit/test_problem_masks.c
tests_unit_test_problem_masks_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_problem_masks_LDADD = $(TEST_CORE_LIBS)
