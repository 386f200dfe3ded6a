/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which problems cpu_ref declines, and with which reason and sentence. The library rejects
 * most of these problems itself, so only a host made for the test can ask for them. */
#include <string.h>

#include "cpu_ref_fixture.h"

#define F64   ANYDNN_PLUGIN_DOUBLE
#define F32   ANYDNN_PLUGIN_FLOAT
#define F16   ANYDNN_PLUGIN_HALF
#define BF16  ANYDNN_PLUGIN_BFLOAT16
#define S8    ANYDNN_PLUGIN_INT8
#define U8    ANYDNN_PLUGIN_UINT8
#define S32   ANYDNN_PLUGIN_INT32
#define S8X4  ANYDNN_PLUGIN_INT8X4
#define U8X4  ANYDNN_PLUGIN_UINT8X4
#define S8X32 ANYDNN_PLUGIN_INT8X32

#define FORWARD         ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define BACKWARD_DATA   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
#define BACKWARD_FILTER ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
#define FUSED           ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
#define TENSOR          ANYDNN_PLUGIN_TRANSFORM_TENSOR
#define EX              ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX
#define FILTER          ANYDNN_PLUGIN_TRANSFORM_FILTER
#define OP_TENSOR       ANYDNN_PLUGIN_OP_TENSOR
#define REDUCE          ANYDNN_PLUGIN_REDUCE_TENSOR

#define TYPE  ANYDNN_PLUGIN_REASON_TYPE
#define ALIAS ANYDNN_PLUGIN_REASON_ALIAS

static const int32_t all[] = {F64, F32, F16, BF16, S8, U8, S32, S8X4, U8X4, S8X32};
enum { ALL = sizeof all / sizeof all[0] };

/* Checks the answer to a problem: `reason` 0 if it is taken. `part` is a part of the sentence. */
static void expect(const struct anydnn_plugin_problem *problem, int32_t reason, const char *part)
{
    struct anydnn_plugin_context *context = fixture_context();
    struct fixture_answer answer;

    fixture_ask(context, problem, &answer);
    if (answer.reason != reason || (reason && !strstr(answer.sentence, part)))
        fail_msg("operation %d: expected reason %d, \"%s\"; got %d, \"%s\"",
                 (int)problem->operation, reason, part, answer.reason, answer.sentence);
    fixture_plugin()->context_destroy(context);
}

/* Checks the answer to a problem whose operands have these types. The parameters are zeros, except
 * that the compute type is float and that a transform folds nothing. */
static void expect_types(int32_t operation, const int32_t *types, int count, int32_t reason,
                         const char *part)
{
    static const int64_t dims[4] = {1, 32, 1, 1};
    static const struct anydnn_plugin_transform transform = {.struct_size = sizeof transform,
                                                             .fold = {1, 1}};
    static const struct anydnn_plugin_op_tensor op = {.struct_size = sizeof op,
                                                      .compute_type = F32};
    static const struct anydnn_plugin_reduce reduce = {.struct_size = sizeof reduce,
                                                       .compute_type = F32};
    static const uint32_t zeros[80] = {sizeof zeros};
    struct anydnn_plugin_tensor tensor[3];
    struct anydnn_plugin_problem problem = {
        .struct_size = sizeof problem, .operation = operation, .algorithm = -1};

    problem.params = operation == EX || operation == FILTER ? (const void *)&transform
                     : operation == OP_TENSOR               ? (const void *)&op
                     : operation == REDUCE                  ? (const void *)&reduce
                                                            : (const void *)zeros;
    for (int slot = 0; slot < count; slot++) {
        tensor[slot] = fixture_tensor(types[slot], 4, dims);
        problem.tensor[slot] = &tensor[slot];
        problem.present |= UINT32_C(1) << slot;
    }
    expect(&problem, reason, part);
}

/* ------------------------------------------------------------------ conversions */

static int is_unsigned(int32_t type)
{
    return type == U8 || type == U8X4;
}

static int is_vector(int32_t type)
{
    return type == S8X4 || type == U8X4 || type == S8X32;
}

/* Returns 1 if a transform supports both types together. */
static int go_together(int32_t operation, int32_t x, int32_t y)
{
    if (operation == FILTER && (is_vector(x) || is_vector(y) || x == S32 || y == S32))
        return 0;
    if (x == F64 || y == F64 || x == S32 || y == S32)
        return x == y;
    return is_unsigned(x) == is_unsigned(y);
}

/* Returns 1 if the tables of op_tensor and reduce_tensor in anydnn.h permit the output type. */
static int becomes(int32_t from, int32_t to)
{
    uint32_t computed = 1u << F64 | 1u << F32 | 1u << F16 | 1u << BF16 | 1u << S8;

    if (!(computed >> from & 1) || !(computed >> to & 1))
        return 0;
    if (from == F64 || to == F64)
        return from == to;
    return from == to || from == F32 || to == F32;
}

static void types_go_together(void **state)
{
    static const int32_t transforms[] = {TENSOR, EX, FILTER};

    (void)state;
    for (int pair = 0; pair < ALL * ALL; pair++) {
        const int32_t types[] = {all[pair / ALL], all[pair % ALL]};
        const int32_t three[] = {types[0], types[0], types[1]};
        const int32_t unlike[] = {types[0], types[1], types[0]};
        int32_t reason = becomes(types[0], types[1]) ? 0 : TYPE;

        for (int i = 0; i < 3; i++)
            expect_types(transforms[i], types, 2,
                         go_together(transforms[i], types[0], types[1]) ? 0 : TYPE, ": x is ");
        expect_types(REDUCE, types, 2, reason, "reduce_tensor: a is ");
        expect_types(OP_TENSOR, three, 3, reason, "op_tensor: a is ");
        if (types[0] != types[1])
            expect_types(OP_TENSOR, unlike, 3, TYPE, "op_tensor: ");
    }
}

static void other_types_are_declined(void **state)
{
    static const struct {
        int32_t operation, count, types[2];
        const char *part;
    } cases[] = {
        {ANYDNN_PLUGIN_POOLING_FORWARD, 2, {U8, U8}, "supports only these types: float"},
        {ANYDNN_PLUGIN_POOLING_FORWARD, 2, {U8X4, U8X4}, "supports only these types: float"},
        {ANYDNN_PLUGIN_POOLING_FORWARD, 2, {S32, S32}, "supports only these types: float"},
        {ANYDNN_PLUGIN_ACTIVATION_FORWARD, 2, {S8X4, S8X4}, "supports only these types: float"},
        {ANYDNN_PLUGIN_SOFTMAX_FORWARD, 2, {U8, U8}, "supports only these types: float"},
        {ANYDNN_PLUGIN_LRN_FORWARD, 2, {S32, S32}, "supports only these types: float"},
        {ANYDNN_PLUGIN_ADD_TENSOR, 2, {S8, S8X4}, "y is int8x4, but x is int8"},
        {ANYDNN_PLUGIN_SCALE_TENSOR, 1, {ANYDNN_PLUGIN_INT64}, "y is int64"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_types(cases[i].operation, cases[i].types, cases[i].count, TYPE, cases[i].part);
}

/* ------------------------------------------------------------------ convolutions */

static const int64_t x_dims[4] = {2, 32, 1, 1}, w_dims[4] = {32, 32, 1, 1};

static void convolutions_of_integers(void **state)
{
    static const struct {
        int32_t types[3], compute;
        const char *part;
    } cases[] = {
        {{U8, U8, U8}, S32, "x is uint8, w is uint8"},
        {{U8, S8, U8}, S32, "y is uint8;"},
        {{S8, S8, S8X4}, S32, "y is int8x4;"},
        {{S8, S8, S32}, S32, "y is int32;"},
        {{S8X4, U8X4, S8X4}, S32, "w is uint8x4"},
        {{S8, S8, F16}, S32, "y is half;"},
        {{F32, S8, F32}, S32, "w is int8"},
        {{S8, S8, S8}, F32, "compute type is float"},
    };
    struct fixture_conv conv;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture_conv(&conv, FORWARD, S8, x_dims, w_dims);
        conv.x.type = cases[i].types[0];
        conv.w.type = cases[i].types[1];
        conv.y.type = cases[i].types[2];
        conv.params.compute_type = cases[i].compute;
        expect(&conv.problem, TYPE, cases[i].part);
    }
    fixture_conv(&conv, FUSED, S8, x_dims, w_dims);
    conv.params.compute_type = S32;
    expect(&conv.problem, TYPE, "bias is int8; it must be float for integers");
    conv.z.type = F32;
    expect(&conv.problem, TYPE, "z is float, but y is int8");
}

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
    int32_t operation, reason;
    const char *part;
} spoiled[] = {
    {spoil_operation, FORWARD, ANYDNN_PLUGIN_REASON_OPERATION, "cpu_ref does not provide"},
    {spoil_extension, FORWARD, ANYDNN_PLUGIN_REASON_EXTENSION, "kind 77"},
    {spoil_type, FORWARD, TYPE, "x is int32"},
    {spoil_types, FORWARD, TYPE, "w is double, but x is float"},
    {spoil_compute, FORWARD, TYPE, "compute type is int32"},
    {spoil_alias, FORWARD, ALIAS, "y must not overwrite x"},
    {spoil_alias, BACKWARD_DATA, ALIAS, "dx must not overwrite w"},
};

/* A plan of a problem that is declined must not be made, either. */
static void spoiled_problems_have_no_plan(void **state)
{
    struct anydnn_plugin_context *context = fixture_context();
    struct fixture_conv conv;

    (void)state;
    for (size_t i = 0; i < sizeof spoiled / sizeof spoiled[0]; i++) {
        struct anydnn_plugin_plan *plan = NULL;

        fixture_conv(&conv, spoiled[i].operation, F32, x_dims, w_dims);
        expect(&conv.problem, 0, "");
        spoiled[i].spoil(&conv);
        expect(&conv.problem, spoiled[i].reason, spoiled[i].part);
        assert_int_not_equal(
            fixture_plugin()->operations[0]->plan_create(context, &conv.problem, 1, &plan), 0);
        assert_null(plan);
    }
    fixture_plugin()->context_destroy(context);
}

static void transforms_never_run_in_place(void **state)
{
    static const int64_t dims[4] = {1, 4, 1, 1};
    const struct anydnn_plugin_tensor x = fixture_tensor(S8, 4, dims);
    const struct anydnn_plugin_tensor y = fixture_tensor(S8X4, 4, dims);
    const struct anydnn_plugin_problem problem = {.struct_size = sizeof problem,
                                                  .operation = TENSOR,
                                                  .algorithm = -1,
                                                  .present = 3,
                                                  .tensor = {&x, &y},
                                                  .alias = {0, 1}};

    (void)state;
    expect(&problem, ALIAS, "y must not overwrite x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_go_together),
        cmocka_unit_test(other_types_are_declined),
        cmocka_unit_test(convolutions_of_integers),
        cmocka_unit_test(spoiled_problems_have_no_plan),
        cmocka_unit_test(transforms_never_run_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
