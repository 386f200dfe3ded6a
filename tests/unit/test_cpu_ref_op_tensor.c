/* SPDX-License-Identifier: Apache-2.0 */
/* op_tensor of cpu_ref where operands have different types: results by hand as cuDNN answers, and
 * the combinations that are declined. */
#include <math.h>

#include "cpu_ref_operand.h"

enum { ADD, MUL, MIN, MAX, SQRT, NOT };

static const int32_t types[] = {F64, F32, F16, BF16, S8, U8};
enum { TYPES = sizeof types / sizeof types[0] };

/* What becomes of inputs, in anydnn.h's table. */
static int becomes(int32_t from, int32_t to)
{
    if (from == F64 || to == F64 || from == U8 || to == U8)
        return from == to && from != U8;
    return from == to || from == F32 || to == F32;
}

static void op_tensor_of_six(int32_t from, int32_t to, int32_t op, int32_t propagate,
                             const double scale[3], const double a[6], const double b[6],
                             const double want[6])
{
    static const int64_t dims[4] = {1, 2, 1, 3};
    static const double before[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    const struct anydnn_plugin_op_tensor params = {
        .struct_size = sizeof params, .op = op, .compute_type = F32, .nan_propagate = propagate};
    uint64_t seed = 1;
    struct operand as, bs, cs;
    const struct operand_call call = {.operation = ANYDNN_PLUGIN_OP_TENSOR,
                                      .params = &params,
                                      .slot = {&as, &bs, &cs},
                                      .scale = {scale[0], scale[1], scale[2]}};

    operand_make(&as, from, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&bs, from, 4, dims, OPERAND_CHANNELS, &seed);
    operand_make(&cs, to, 4, dims, OPERAND_GAPS, &seed);
    operand_put(&as, a);
    operand_put(&bs, b);
    operand_put(&cs, before);
    operand_run(&call, 1u << 2);
    operand_expect(&cs, want);
    operand_free(&as);
    operand_free(&bs);
    operand_free(&cs);
}

static void op_tensor_by_hand(void **state)
{
    static const double a[6] = {1, 5, -1, -5, 127, -128}, b[6] = {1, 2, 1, 2, 3, 4};
    static const double plain[3] = {1, 1, 0}, half[3] = {0.5, 0, 0};
    static const double odd[6] = {0.25, NAN, 4, INFINITY, 300, -0.5};
    static const double wide[6] = {65519, 65520, 2049, -2051, 0x1p-25, -65520};
    static const double zeros[6] = {0};

    (void)state;
    op_tensor_of_six(S8, S8, ADD, 0, plain, a, b, (double[]){2, 7, 0, -3, 127, -124});
    op_tensor_of_six(S8, S8, ADD, 0, half, a, b, (double[]){0, 2, 0, -2, 64, -64});
    op_tensor_of_six(S8, F32, ADD, 0, half, a, b, (double[]){0.5, 2.5, -0.5, -2.5, 63.5, -64});
    op_tensor_of_six(S8, S8, MUL, 0, plain, a, b, (double[]){1, 10, -1, -10, 127, -128});
    op_tensor_of_six(S8, S8, SQRT, 0, plain, a, b, (double[]){1, 2, 0, 0, 11, 0});
    op_tensor_of_six(S8, S8, NOT, 0, plain, a, b, (double[]){0, -4, 2, 6, -126, 127});
    op_tensor_of_six(F32, S8, ADD, 0, plain, odd, b, (double[]){1, 0, 5, 127, 127, 4});
    op_tensor_of_six(F32, S8, MAX, 0, plain, odd, b, (double[]){1, 2, 4, 127, 127, 4});
    op_tensor_of_six(F32, F16, MAX, 1, plain, odd, b, (double[]){1, NAN, 4, INFINITY, 300, 4});
    op_tensor_of_six(F32, F16, ADD, 0, plain, wide, zeros,
                     (double[]){65504, INFINITY, 2048, -2052, 0, -INFINITY});
    op_tensor_of_six(F32, BF16, ADD, 0, plain, (double[]){256, 257, 258, 259, -261, NAN}, zeros,
                     (double[]){256, 256, 258, 260, -260, NAN});
}

/* ------------------------------------------------------------------ declining */

static void other_combinations_are_declined(void **state)
{
    static const int64_t dims[1] = {4};
    const struct anydnn_plugin_op_tensor params = {.struct_size = sizeof params,
                                                   .compute_type = F32};
    uint64_t seed = 1;

    (void)state;
    for (int pair = 0; pair < TYPES * TYPES; pair++) {
        struct operand a, other;
        const struct operand_call call = {
            .operation = ANYDNN_PLUGIN_OP_TENSOR, .params = &params, .slot = {&a, &a, &other}};
        const struct operand_call unlike = {
            .operation = ANYDNN_PLUGIN_OP_TENSOR, .params = &params, .slot = {&a, &other, &a}};

        operand_make(&a, types[pair / TYPES], 1, dims, OPERAND_ROWS, &seed);
        operand_make(&other, types[pair % TYPES], 1, dims, OPERAND_ROWS, &seed);
        if (!becomes(a.tensor.type, other.tensor.type))
            operand_declined(&call, ANYDNN_PLUGIN_REASON_TYPE, "op_tensor: a is ");
        if (a.tensor.type != other.tensor.type && a.tensor.type != U8)
            operand_declined(&unlike, ANYDNN_PLUGIN_REASON_TYPE, "op_tensor: b is ");
        operand_free(&a);
        operand_free(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(op_tensor_by_hand),
        cmocka_unit_test(other_combinations_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
