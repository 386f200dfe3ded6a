/* SPDX-License-Identifier: Apache-2.0 */
/* Tests set_tensor, scale_tensor and add_tensor of integers on cpu_ref, and the types that every
 * operation publishes. */
#include "cpu_ref_operand.h"
#include "numerics/numerics.h"

#define SET   ANYDNN_PLUGIN_SET_TENSOR
#define SCALE ANYDNN_PLUGIN_SCALE_TENSOR
#define ADD   ANYDNN_PLUGIN_ADD_TENSOR

static const int32_t types[] = {S8, U8, S32, S8X4, U8X4, S8X32};
enum { TYPES = sizeof types / sizeof types[0] };

/* The value is one element of y's type; for vector types it is a whole vector. */
static void set_fills_all_elements(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < 4 * TYPES; round++) {
        int32_t type = types[round % TYPES];
        int64_t dims[4] = {2, 2 * operand_lanes(type), 3, 2}, index[ANYDNN_PLUGIN_DIM_MAX] = {0};
        double number = type == S32 ? -2000000000 : adn_type_lowest(type) + 3;
        unsigned char value[32];
        struct operand y;
        const struct operand_call call = {.operation = SET, .slot = {&y}, .value = value};

        for (int64_t lane = 0; lane < operand_lanes(type); lane++)
            adn_element_store(type, value + lane, number + (double)lane);
        operand_make(&y, type, 4, dims, operand_any_layout(&seed), &seed);
        operand_run(&call, 1);
        do
            assert_true(operand_get(&y, index) ==
                        number + (double)(index[1] % operand_lanes(type)));
        while (operand_next(&y, index));
        operand_free(&y);
    }
}

static void scale_twelve(int32_t type, double alpha, const double y[12], const double want[12])
{
    static const int64_t dims[4] = {1, 4, 1, 3};
    uint64_t seed = 1;
    struct operand ys;
    const struct operand_call call = {.operation = SCALE, .slot = {&ys}, .scale = {alpha}};

    operand_make(&ys, type, 4, dims, OPERAND_GAPS, &seed);
    operand_put(&ys, y);
    operand_run(&call, 1);
    operand_expect(&ys, want);
    operand_free(&ys);
}

/* The first three results match cuDNN. */
static void scale_rounds_and_saturates(void **state)
{
    static const double y[12] = {1, 2, 3, 5, -1, -2, -3, -5, 127, 100, -128, -100};
    static const double half[12] = {0, 1, 2, 2, 0, -1, -2, -2, 64, 50, -64, -50};
    static const double twice[12] = {2, 4, 6, 10, -2, -4, -6, -10, 127, 127, -128, -128};
    static const double fives[12] = {-1, -2, -4, -6, 1, 2, 4, 6, -128, -125, 127, 125};
    static const double u[12] = {1, 3, 5, 7, 255, 254, 0, 128, 2, 4, 6, 8};
    static const double u_half[12] = {0, 2, 2, 4, 128, 127, 0, 64, 1, 2, 3, 4};
    static const double u_twice[12] = {2, 6, 10, 14, 255, 255, 0, 255, 4, 8, 12, 16};
    static const double zeros[12] = {0};
    static const double wide[12] = {2147483647, -2147483648.0, 1, 3, 5, -1, -3, -5, 0, 7, 9, 11};
    static const double wide_half[12] = {1073741824, -1073741824, 0, 2, 2, 0, -2, -2, 0, 4, 4, 6};
    static const double wide_twice[12] = {2147483647, -2147483648.0, 2, 6,  10, -2,
                                          -6,         -10,           0, 14, 18, 22};

    (void)state;
    scale_twelve(S8, 0.5, y, half);
    scale_twelve(S8, 2, y, twice);
    scale_twelve(S8, -1.25, y, fives);
    scale_twelve(S8X4, 0.5, y, half);
    scale_twelve(S8X4, -1.25, y, fives);
    scale_twelve(U8, 0.5, u, u_half);
    scale_twelve(U8X4, 2, u, u_twice);
    scale_twelve(U8, -1, u, zeros);
    scale_twelve(S32, 0.5, wide, wide_half);
    scale_twelve(S32, 2, wide, wide_twice);
}

/* The formula is y = alpha * a + beta * y; the results match cuDNN. */
static void add_rounds_once(void **state)
{
    static const int64_t dims[4] = {1, 4, 1, 3}, channels[4] = {1, 4, 1, 1};
    static const double a[12] = {1, 2, 3, 5, -1, -2, -3, -5, 127, 100, -128, -100};
    static const double prior[12] = {1, 1, 2, 2, 1, 1, 2, 2, 100, 100, -100, -100};
    static const double want[2][12] = {{2, 3, 5, 7, 0, -1, -1, -3, 127, 127, -128, -128},
                                       {1, 2, 2, 4, 0, 0, 0, -2, 114, 100, -114, -100}};
    static const double bias[4] = {10, 20, 30, 40};
    static const double want_bias[12] = {11, 11, 12, 22, 21, 21, 32, 32, 127, 127, -60, -60};
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 4; i++) {
        int32_t type = i < 2 ? S8 : S8X4;
        double factor = i % 2 ? 0.5 : 1;
        struct operand x, b, y;
        struct operand_call call = {.operation = ADD, .slot = {&x, &y}, .scale = {factor, factor}};

        operand_make(&x, type, 4, dims, OPERAND_GAPS, &seed);
        operand_make(&b, type, 4, channels, OPERAND_ROWS, &seed);
        operand_make(&y, type, 4, dims, OPERAND_GAPS, &seed);
        operand_put(&x, a);
        operand_put(&b, bias);
        operand_put(&y, prior);
        operand_run(&call, 2);
        operand_expect(&y, want[i % 2]);
        call.slot[0] = &b;
        call.scale[0] = call.scale[1] = 1;
        operand_put(&y, prior);
        operand_run(&call, 2);
        operand_expect(&y, want_bias);
        operand_free(&x);
        operand_free(&b);
        operand_free(&y);
    }
}

/* The shapes are random, with x broadcast along any dim that a vector does not use. */
static void add_over_shapes(void **state)
{
    static double want[1 << 12];
    uint64_t seed = 7;

    (void)state;
    for (int round = 0; round < 40 * TYPES; round++) {
        int32_t type = types[round % TYPES], ndims = (int32_t)operand_random(&seed, 2, 5);
        int64_t dims[5], x_dims[5], index[ANYDNN_PLUGIN_DIM_MAX] = {0}, at = 0;
        int64_t most = type == S32 ? 2000000000 : 255;
        const double scale[2] = {(double)operand_random(&seed, -2, 2) / 2,
                                 (double)operand_random(&seed, -2, 2) / 2};
        struct operand x, y;
        const struct operand_call call = {
            .operation = ADD, .slot = {&x, &y}, .scale = {scale[0], scale[1]}};

        for (int32_t d = 0; d < ndims; d++) {
            dims[d] = operand_random(&seed, 1, 3) * (d == 1 ? operand_lanes(type) : 1);
            x_dims[d] =
                (d == 1 && operand_lanes(type) > 1) || operand_random(&seed, 0, 2) ? dims[d] : 1;
        }
        operand_make(&x, type, ndims, x_dims, operand_any_layout(&seed), &seed);
        operand_make(&y, type, ndims, dims, operand_any_layout(&seed), &seed);
        operand_fill(&x, &seed, -most, most, 1);
        operand_fill(&y, &seed, -most, most, 1);
        do {
            int64_t from[ANYDNN_PLUGIN_DIM_MAX];

            for (int32_t d = 0; d < ndims; d++)
                from[d] = x_dims[d] == 1 ? 0 : index[d];
            want[at++] = adn_type_round(type, scale[0] * operand_get(&x, from) +
                                                  scale[1] * operand_get(&y, index));
        } while (operand_next(&y, index));
        operand_run(&call, 2);
        operand_expect(&y, want);
        operand_free(&x);
        operand_free(&y);
    }
}

static void declines_what_does_not_fit(void **state)
{
    static const int64_t dims[4] = {1, 8, 1, 1};
    uint64_t seed = 1;
    struct operand x, y;
    struct operand_call call = {.operation = ADD, .slot = {&x, &y}};

    (void)state;
    operand_make(&x, S8, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&y, S8X4, 4, dims, OPERAND_ROWS, &seed);
    operand_declined(&call, ANYDNN_PLUGIN_REASON_TYPE, "y is int8x4, but x is int8");
    call.operation = SCALE;
    call.slot[0] = &y;
    call.slot[1] = NULL;
    y.tensor.type = ANYDNN_PLUGIN_INT64;
    operand_declined(&call, ANYDNN_PLUGIN_REASON_TYPE, "y is int64");
    operand_free(&x);
    operand_free(&y);
}

/* ------------------------------------------------------------------ description */

#define BIT(type) ANYDNN_PLUGIN_TYPE_BIT(type)
#define FLOATS    (BIT(F64) | BIT(F32) | BIT(F16) | BIT(BF16))
#define INTEGERS  (BIT(S8) | BIT(U8) | BIT(S32) | BIT(S8X4) | BIT(U8X4) | BIT(S8X32))

/* The types of the first operand; operations that are not listed have only floating types. */
static const uint32_t published[ANYDNN_PLUGIN_OPERATION_END] = {
    [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = FLOATS | (INTEGERS & ~BIT(S32)),
    [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] = FLOATS | (INTEGERS & ~BIT(S32)),
    [ANYDNN_PLUGIN_POOLING_FORWARD] = FLOATS | BIT(S8) | BIT(S8X4) | BIT(S8X32),
    [ANYDNN_PLUGIN_ACTIVATION_FORWARD] = FLOATS | BIT(S8),
    [ANYDNN_PLUGIN_SOFTMAX_FORWARD] = FLOATS | BIT(S8),
    [ANYDNN_PLUGIN_LRN_FORWARD] = FLOATS | BIT(S8),
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE] = FLOATS | BIT(S8),
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_TRANSFORM_FILTER] = FLOATS | BIT(S8) | BIT(U8),
    [ANYDNN_PLUGIN_ADD_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_SET_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_SCALE_TENSOR] = FLOATS | INTEGERS,
    [ANYDNN_PLUGIN_OP_TENSOR] = FLOATS | BIT(S8),
    [ANYDNN_PLUGIN_REDUCE_TENSOR] = FLOATS | BIT(S8),
};

static void publishes_what_it_takes(void **state)
{
    (void)state;
    for (int32_t number = 1; number < ANYDNN_PLUGIN_OPERATION_END; number++) {
        const struct anydnn_plugin_operation *operation = fixture_operation(number);
        uint32_t want = published[number] ? published[number] : FLOATS;

        if (operation->types != want)
            fail_msg("operation %d has types %#x and not %#x", (int)number, operation->types, want);
        assert_true(!(operation->layouts & ANYDNN_PLUGIN_LAYOUT_VECT_C) == !(want & BIT(S8X4)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_fills_all_elements),  cmocka_unit_test(scale_rounds_and_saturates),
        cmocka_unit_test(add_rounds_once),         cmocka_unit_test(add_over_shapes),
        cmocka_unit_test(publishes_what_it_takes), cmocka_unit_test(declines_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
