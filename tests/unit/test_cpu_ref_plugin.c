/* SPDX-License-Identifier: Apache-2.0 */
/* Tests cpu_ref as a backend: its description, its types, its settings and its algorithms. */
#include <string.h>

#include "cpu_ref_fixture.h"

#define FORWARD         ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define BACKWARD_DATA   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
#define BACKWARD_FILTER ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
#define FUSED           ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD

static const int64_t x_dims[4] = {3, 5, 34, 31}, w_dims[4] = {7, 5, 3, 4};

/* ------------------------------------------------------------------ description */

static void describes_itself(void **state)
{
    const struct anydnn_plugin *plugin = fixture_plugin();

    (void)state;
    assert_string_equal(plugin->name, "cpu_ref");
    assert_string_equal(plugin->space, "host");
    assert_true(plugin->flags & ANYDNN_PLUGIN_FORK_SAFE);
    assert_null(plugin->space_functions);
    for (uint32_t i = 0; i < plugin->operation_count; i++) {
        const struct anydnn_plugin_operation *operation = plugin->operations[i];

        assert_int_equal(operation->struct_size, sizeof *operation);
        assert_int_equal(operation->maths, 0xf);
        assert_true(operation->layouts & ANYDNN_PLUGIN_LAYOUT_STRIDED);
        assert_true(operation->candidates && operation->plan_create && operation->plan_execute &&
                    operation->plan_destroy);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(operation->operation, plugin->operations[j]->operation);
    }
}

#define BIT(type) ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_##type)
#define FLOATS    (BIT(DOUBLE) | BIT(FLOAT) | BIT(HALF) | BIT(BFLOAT16))
#define INTEGERS  (BIT(INT8) | BIT(UINT8) | BIT(INT32) | BIT(INT8X4) | BIT(UINT8X4) | BIT(INT8X32))

/* The types of the first operand; operations that are not listed have only floating types. */
static const uint32_t published[ANYDNN_PLUGIN_OPERATION_END] = {
    [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = FLOATS | (INTEGERS & ~BIT(INT32)),
    [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] = FLOATS | (INTEGERS & ~BIT(INT32)),
    [ANYDNN_PLUGIN_POOLING_FORWARD] = FLOATS | BIT(INT8) | BIT(INT8X4) | BIT(INT8X32),
    [ANYDNN_PLUGIN_ACTIVATION_FORWARD] = FLOATS | BIT(INT8),
    [ANYDNN_PLUGIN_SOFTMAX_FORWARD] = FLOATS | BIT(INT8),
    [ANYDNN_PLUGIN_LRN_FORWARD] = FLOATS | BIT(INT8),
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE] = FLOATS | BIT(INT8),
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_TRANSFORM_FILTER] = FLOATS | BIT(INT8) | BIT(UINT8),
    [ANYDNN_PLUGIN_ADD_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_SET_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_SCALE_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_OP_TENSOR] = FLOATS | BIT(INT8),
    [ANYDNN_PLUGIN_REDUCE_TENSOR] = FLOATS | BIT(INT8),
};

static void publishes_what_it_takes(void **state)
{
    (void)state;
    for (int32_t number = 1; number < ANYDNN_PLUGIN_OPERATION_END; number++) {
        const struct anydnn_plugin_operation *operation = fixture_operation(number);
        uint32_t want = published[number] ? published[number] : FLOATS;

        if (operation->types != want)
            fail_msg("operation %d has types %#x and not %#x", (int)number, operation->types, want);
        assert_true(!(operation->layouts & ANYDNN_PLUGIN_LAYOUT_VECT_C) == !(want & BIT(INT8X4)));
    }
}

static void refuses_other_devices(void **state)
{
    struct anydnn_plugin_context *context = NULL;

    (void)state;
    assert_int_not_equal(fixture_plugin()->context_create(1, &context), 0);
    assert_non_null(strstr(fixture_error, "device is 1"));
}

static void refuses_bad_settings(void **state)
{
    static const char *const threads[] = {"0", "-1", "two", "2x", "", "1025", "99999999999999999"};
    static const char *const emulate[] = {"yes", "ON", "1", ""};
    struct anydnn_plugin_context *context = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        fixture_threads = threads[i];
        fixture_error[0] = 0;
        assert_int_not_equal(fixture_plugin()->context_create(0, &context), 0);
        assert_non_null(strstr(fixture_error, "set.threads is \""));
    }
    fixture_threads = NULL;
    for (size_t i = 0; i < sizeof emulate / sizeof emulate[0]; i++) {
        fixture_emulate = emulate[i];
        fixture_error[0] = 0;
        assert_int_not_equal(fixture_plugin()->context_create(0, &context), 0);
        assert_non_null(strstr(fixture_error, "set.emulate is \""));
    }
    fixture_emulate = "off";
    fixture_threads = "auto";
    fixture_plugin()->context_destroy(fixture_context());
    fixture_emulate = "on";
    fixture_plugin()->context_destroy(fixture_context());
    fixture_emulate = fixture_threads = NULL;
}

static void offers_the_algorithms(void **state)
{
    static const struct {
        int32_t operation, count, algorithm[4];
    } expected[] = {
        {FORWARD, 4, {0, 1, 2, 3}},
        {FUSED, 4, {0, 1, 2, 3}},
        {BACKWARD_DATA, 2, {1, 0}},
        {BACKWARD_FILTER, 3, {1, 0, 3}},
        {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS, 1, {-1}},
    };
    struct anydnn_plugin_context *context = fixture_context();
    struct fixture_answer answer;
    struct fixture_conv conv;

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        fixture_conv(&conv, expected[i].operation, ANYDNN_PLUGIN_FLOAT, x_dims, w_dims);
        conv.problem.math = ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION;
        conv.problem.deterministic = 1;
        fixture_ask(context, &conv.problem, &answer);
        assert_int_equal(answer.count, expected[i].count);
        assert_memory_equal(answer.algorithm, expected[i].algorithm,
                            (size_t)answer.count * sizeof answer.algorithm[0]);
        assert_int_equal(answer.math, ANYDNN_PLUGIN_MATH_DEFAULT);
        assert_int_equal(answer.workspace, 0);
    }
    fixture_plugin()->context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_itself),        cmocka_unit_test(refuses_other_devices),
        cmocka_unit_test(refuses_bad_settings),    cmocka_unit_test(offers_the_algorithms),
        cmocka_unit_test(publishes_what_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
