/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_ref as a backend: what it says of itself, what it declines and how, and that its plans hold
 * no data, give the same bits for any number of threads, and survive threads and fork. */
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

static void spoil_presence(struct fixture_conv *c)
{
    c->problem.present &= ~2u;
}

static void spoil_params(struct fixture_conv *c)
{
    c->problem.params = NULL;
}

static void spoil_type(struct fixture_conv *c)
{
    c->x.type = ANYDNN_PLUGIN_INT8X4;
}

static void spoil_types(struct fixture_conv *c)
{
    c->w.type = ANYDNN_PLUGIN_DOUBLE;
}

static void spoil_compute(struct fixture_conv *c)
{
    c->params.compute_type = ANYDNN_PLUGIN_INT32;
}

static void spoil_dim(struct fixture_conv *c)
{
    c->x.dims[3] = 0;
}

static void spoil_stride(struct fixture_conv *c)
{
    c->x.strides[2] = -31;
}

static void spoil_overlap(struct fixture_conv *c)
{
    c->y.strides[2] = 27;
}

static void spoil_ndims(struct fixture_conv *c)
{
    c->w.ndims = 3;
}

static void spoil_spatial(struct fixture_conv *c)
{
    c->params.spatial_dims = 0;
}

static void spoil_pad(struct fixture_conv *c)
{
    c->params.pad[1] = -2;
}

static void spoil_conv_stride(struct fixture_conv *c)
{
    c->params.stride[0] = 0;
}

static void spoil_dilation(struct fixture_conv *c)
{
    c->params.dilation[1] = 0;
}

static void spoil_mode(struct fixture_conv *c)
{
    c->params.mode = 2;
}

static void spoil_groups(struct fixture_conv *c)
{
    c->params.groups = 2;
}

static void spoil_channels(struct fixture_conv *c)
{
    c->w.dims[1] = 4;
}

static void spoil_images(struct fixture_conv *c)
{
    c->y.dims[0] = 2;
}

static void spoil_size(struct fixture_conv *c)
{
    c->y.dims[3] = 27;
}

static void spoil_reach(struct fixture_conv *c)
{
    c->params.dilation[0] = 30;
}

static void spoil_alias(struct fixture_conv *c)
{
    c->problem.alias[2] = 1;
}

static void spoil_z(struct fixture_conv *c)
{
    c->z.dims[2] = 31;
}

static void spoil_in_place(struct fixture_conv *c)
{
    c->problem.alias[4] = 3;
    c->z.strides[0] *= 2;
}

static void spoil_bias(struct fixture_conv *c)
{
    c->bias.dims[1] = 6;
}

static void spoil_activation(struct fixture_conv *c)
{
    c->params.activation = 7;
}

static const struct {
    void (*spoil)(struct fixture_conv *conv);
    int32_t operation;
    int32_t reason;
    const char *part; /* of the sentence */
} declined[] = {
    {spoil_operation, FORWARD, ANYDNN_PLUGIN_REASON_OPERATION, "does not have"},
    {spoil_extension, FORWARD, ANYDNN_PLUGIN_REASON_EXTENSION, "kind 77"},
    {spoil_presence, FORWARD, ANYDNN_PLUGIN_REASON_PARAMETER, "convolution_forward: w is required"},
    {spoil_params, FORWARD, ANYDNN_PLUGIN_REASON_PARAMETER, "parameters"},
    {spoil_type, FORWARD, ANYDNN_PLUGIN_REASON_TYPE, "x is int8x4"},
    {spoil_types, FORWARD, ANYDNN_PLUGIN_REASON_TYPE, "w is double, but x is float"},
    {spoil_compute, FORWARD, ANYDNN_PLUGIN_REASON_TYPE, "compute type is int32"},
    {spoil_dim, FORWARD, ANYDNN_PLUGIN_REASON_SHAPE, "x has dims 3,5,34,0"},
    {spoil_stride, FORWARD, ANYDNN_PLUGIN_REASON_LAYOUT, "x has strides 5270,1054,-31,1"},
    {spoil_overlap, FORWARD, ANYDNN_PLUGIN_REASON_LAYOUT, "y is written and has strides"},
    {spoil_ndims, FORWARD, ANYDNN_PLUGIN_REASON_SHAPE, "w has 3 dimensions"},
    {spoil_spatial, FORWARD, ANYDNN_PLUGIN_REASON_SHAPE, "0 spatial dimensions"},
    {spoil_pad, FORWARD, ANYDNN_PLUGIN_REASON_PARAMETER, "pad is 0,-2"},
    {spoil_conv_stride, FORWARD, ANYDNN_PLUGIN_REASON_PARAMETER, "stride is 0,1"},
    {spoil_dilation, FORWARD, ANYDNN_PLUGIN_REASON_PARAMETER, "dilation is 1,0"},
    {spoil_mode, FORWARD, ANYDNN_PLUGIN_REASON_PARAMETER, "mode is 2"},
    {spoil_groups, FORWARD, ANYDNN_PLUGIN_REASON_GROUPS, "groups is 2, with 5 channels"},
    {spoil_channels, FORWARD, ANYDNN_PLUGIN_REASON_SHAPE, "filter has 4 channels"},
    {spoil_images, BACKWARD_DATA, ANYDNN_PLUGIN_REASON_SHAPE, "dy has 2 images"},
    {spoil_size, BACKWARD_FILTER, ANYDNN_PLUGIN_REASON_SHAPE, "dy has 27 positions"},
    {spoil_reach, FORWARD, ANYDNN_PLUGIN_REASON_SHAPE, "reaches over 61 positions"},
    {spoil_alias, FORWARD, ANYDNN_PLUGIN_REASON_ALIAS, "y may not take the place of x"},
    {spoil_alias, BACKWARD_DATA, ANYDNN_PLUGIN_REASON_ALIAS, "dx may not take the place of w"},
    {spoil_z, FUSED, ANYDNN_PLUGIN_REASON_SHAPE, "z must have the dims of y"},
    {spoil_in_place, FUSED, ANYDNN_PLUGIN_REASON_ALIAS, "strides differ"},
    {spoil_bias, FUSED, ANYDNN_PLUGIN_REASON_SHAPE, "bias has dims 1,6,1,1"},
    {spoil_activation, FUSED, ANYDNN_PLUGIN_REASON_PARAMETER, "activation is 7"},
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

/* A host that is older knows less of a structure; what it does not know is zero. */
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
