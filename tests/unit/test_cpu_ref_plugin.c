/* SPDX-License-Identifier: Apache-2.0 */
/* Tests cpu_ref as a backend: its description and its refusals. Its plans hold no data, give the
 * same bits for any number of threads, and survive threads and fork. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
        assert_true(operation->types & ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT));
        assert_true(operation->types & ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_DOUBLE));
        assert_true(operation->types & ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_HALF));
        assert_true(operation->types & ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_BFLOAT16));
        assert_int_equal(operation->maths, 0xf);
        assert_true(operation->layouts & ANYDNN_PLUGIN_LAYOUT_STRIDED);
        assert_true(operation->candidates && operation->plan_create && operation->plan_execute &&
                    operation->plan_destroy);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(operation->operation, plugin->operations[j]->operation);
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

/* ------------------------------------------------------------------ declining */

static const struct anydnn_plugin_extension unknown_extension = {
    .struct_size = sizeof unknown_extension, .kind = 77, .must_understand = 1};

static void spoil_operation(struct fixture_conv *c)
{
    c->problem.operation = ANYDNN_PLUGIN_OPERATION_END;
}

static void spoil_extension(struct fixture_conv *c)
{
    c->problem.extension = &unknown_extension;
}

static void spoil_type(struct fixture_conv *c)
{
    c->x.type = ANYDNN_PLUGIN_INT32;
}

static void spoil_types(struct fixture_conv *c)
{
    c->w.type = ANYDNN_PLUGIN_DOUBLE;
}

static void spoil_compute(struct fixture_conv *c)
{
    c->params.compute_type = ANYDNN_PLUGIN_INT32;
}

static void spoil_alias(struct fixture_conv *c)
{
    c->problem.alias[2] = 1;
}

static const struct {
    void (*spoil)(struct fixture_conv *conv);
    int32_t operation;
    int32_t reason;
    const char *part; /* a part of the sentence */
} declined[] = {
    {spoil_operation, FORWARD, ANYDNN_PLUGIN_REASON_OPERATION, "cpu_ref does not provide"},
    {spoil_extension, FORWARD, ANYDNN_PLUGIN_REASON_EXTENSION, "kind 77"},
    {spoil_type, FORWARD, ANYDNN_PLUGIN_REASON_TYPE, "x is int32"},
    {spoil_types, FORWARD, ANYDNN_PLUGIN_REASON_TYPE, "w is double, but x is float"},
    {spoil_compute, FORWARD, ANYDNN_PLUGIN_REASON_TYPE, "compute type is int32"},
    {spoil_alias, FORWARD, ANYDNN_PLUGIN_REASON_ALIAS, "y must not overwrite x"},
    {spoil_alias, BACKWARD_DATA, ANYDNN_PLUGIN_REASON_ALIAS, "dx must not overwrite w"},
};

static void declines_with_a_sentence(void **state)
{
    struct anydnn_plugin_context *context = fixture_context();
    struct fixture_answer answer;
    struct fixture_conv conv;

    (void)state;
    for (size_t i = 0; i < sizeof declined / sizeof declined[0]; i++) {
        struct anydnn_plugin_plan *plan = NULL;

        fixture_conv(&conv, declined[i].operation, ANYDNN_PLUGIN_FLOAT, x_dims, w_dims);
        fixture_ask(context, &conv.problem, &answer);
        assert_int_equal(answer.reason, 0);
        declined[i].spoil(&conv);
        fixture_ask(context, &conv.problem, &answer);
        if (answer.reason != declined[i].reason || !strstr(answer.sentence, declined[i].part))
            fail_msg("expected reason %d, \"%s\"; got %d, \"%s\"", declined[i].reason,
                     declined[i].part, answer.reason, answer.sentence);
        assert_int_not_equal(
            fixture_plugin()->operations[0]->plan_create(context, &conv.problem, 1, &plan), 0);
        assert_null(plan);
    }
    fixture_plugin()->context_destroy(context);
}

/* An older host knows fewer fields of a structure; the missing ones are zero. */
static void takes_shorter_structures(void **state)
{
    struct anydnn_plugin_context *context = fixture_context();
    struct fixture_answer answer;
    struct fixture_conv conv;

    (void)state;
    fixture_conv(&conv, FORWARD, ANYDNN_PLUGIN_FLOAT, x_dims, w_dims);
    conv.params.activation = 99;
    conv.params.struct_size = offsetof(struct anydnn_plugin_convolution, activation);
    conv.problem.extension = &unknown_extension;
    conv.problem.struct_size = offsetof(struct anydnn_plugin_problem, extension);
    fixture_ask(context, &conv.problem, &answer);
    assert_int_equal(answer.reason, 0);
    fixture_plugin()->context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_itself),         cmocka_unit_test(refuses_other_devices),
        cmocka_unit_test(refuses_bad_settings),     cmocka_unit_test(offers_the_algorithms),
        cmocka_unit_test(declines_with_a_sentence), cmocka_unit_test(takes_shorter_structures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
