/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_tensor of cpu_ref where operands have different types: results by hand as cuDNN answers,
 * and the combinations that are declined. */
#include "cpu_ref_operand.h"

enum { ADD, MUL, MIN, MAX, AMAX, AVERAGE, NORM1, NORM2, MUL_NO_ZEROS };

static const int32_t types[] = {F64, F32, F16, BF16, S8, U8};
enum { TYPES = sizeof types / sizeof types[0] };

/* What becomes of inputs, in anydnn.h's table. */
static int becomes(int32_t from, int32_t to)
{
    if (from == F64 || to == F64 || from == U8 || to == U8)
        return from == to && from != U8;
    return from == to || from == F32 || to == F32;
}

/* Rows of four to one number each, as cuDNN answers. */
static void reduce_by_hand(void **state)
{
    static const int64_t dims[4] = {3, 1, 1, 4}, c_dims[4] = {3, 1, 1, 1};
    static const double a[12] = {1, 2, 3, 5, -1, -2, -3, -5, 127, 100, -128, -100};
    static const struct {
        int32_t op;
        double alpha, s8[3], f32[3];
    } cases[] = {
        {ADD, 0.5, {6, -6, 0}, {5.5, -5.5, -0.5}},
        {MUL, 0.5, {15, 15, 127}, {15, 15, 81280000}},
        {MIN, 0.5, {0, -2, -64}, {0.5, -2.5, -64}},
        {MAX, 0.5, {2, 0, 64}, {2.5, -0.5, 63.5}},
        {AMAX, 1, {5, 5, 127}, {5, 5, 128}},
        {AVERAGE, 0.5, {1, -1, 0}, {1.375, -1.375, -0.125}},
        {NORM1, 0.5, {6, 6, 127}, {5.5, 5.5, 227.5}},
        {NORM2, 0.5, {3, 3, 115}, {3.1224989891f, 3.1224989891f, 114.5785751f}},
        {MUL_NO_ZEROS, 1, {30, 30, 127}, {30, 30, 162560000}},
    };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        int32_t to = i % 2 ? F32 : S8;
        const struct anydnn_plugin_reduce params = {
            .struct_size = sizeof params, .op = cases[i / 2].op, .compute_type = F32};
        uint64_t seed = 1;
        struct operand as, cs;
        const struct operand_call call = {.operation = ANYDNN_PLUGIN_REDUCE_TENSOR,
                                          .params = &params,
                                          .slot = {&as, &cs},
                                          .scale = {cases[i / 2].alpha, 0}};

        operand_make(&as, S8, 4, dims, OPERAND_GAPS, &seed);
        operand_make(&cs, to, 4, c_dims, OPERAND_GAPS, &seed);
        operand_put(&as, a);
        operand_run(&call, 1u << 1);
        operand_expect(&cs, to == S8 ? cases[i / 2].s8 : cases[i / 2].f32);
        operand_free(&as);
        operand_free(&cs);
    }
}

/* ------------------------------------------------------------------ declining */

static void other_combinations_are_declined(void **state)
{
    static const int64_t dims[1] = {4};
    const struct anydnn_plugin_reduce params = {.struct_size = sizeof params, .compute_type = F32};
    uint64_t seed = 1;

    (void)state;
    for (int pair = 0; pair < TYPES * TYPES; pair++) {
        struct operand a, c;
        const struct operand_call call = {
            .operation = ANYDNN_PLUGIN_REDUCE_TENSOR, .params = &params, .slot = {&a, &c}};

        operand_make(&a, types[pair / TYPES], 1, dims, OPERAND_ROWS, &seed);
        operand_make(&c, types[pair % TYPES], 1, dims, OPERAND_ROWS, &seed);
        if (!becomes(a.tensor.type, c.tensor.type))
            operand_declined(&call, ANYDNN_PLUGIN_REASON_TYPE, "reduce_tensor: a is ");
        operand_free(&a);
        operand_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduce_by_hand),
        cmocka_unit_test(other_combinations_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
