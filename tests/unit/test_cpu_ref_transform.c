/* SPDX-License-Identifier: Apache-2.0 */
/* Tests transform_tensor of cpu_ref between types: the positions of vector elements, rounding,
 * and that every pair of types preserves the numbers. */
#include <math.h>

#include "cpu_ref_operand.h"
#include "numerics/numerics.h"

#define TENSOR ANYDNN_PLUGIN_TRANSFORM_TENSOR

static const int32_t all[] = {F64, F32, F16, BF16, S8, U8, S32, S8X4, U8X4, S8X32};
enum { ALL = sizeof all / sizeof all[0] };

static int is_unsigned(int32_t type)
{
    return type == U8 || type == U8X4;
}

static int is_vector(int32_t type)
{
    return type == S8X4 || type == U8X4 || type == S8X32;
}

/* Returns 1 if the operation supports both types together. */
static int go_together(int32_t x, int32_t y)
{
    if (x == F64 || y == F64 || x == S32 || y == S32)
        return x == y;
    return is_unsigned(x) == is_unsigned(y);
}

/* ------------------------------------------------------------------ by hand */

/* Element c, w of 1,8,1,2 is at ((c / 4) * 2 + w) * 4 + c % 4. */
static void vectors_hold_neighbouring_channels(void **state)
{
    static const int64_t dims[4] = {1, 8, 1, 2};
    static const signed char want[16] = {0,  10, 20, 30, 1,  11, 21, 31,
                                         40, 50, 60, 70, 41, 51, 61, 71};
    struct operand x, y;
    uint64_t seed = 1;
    const struct operand_call call = {.operation = TENSOR, .slot = {&x, &y}, .scale = {1, 0}};

    (void)state;
    operand_make(&x, S8, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&y, S8X4, 4, dims, OPERAND_ROWS, &seed);
    assert_int_equal(y.bytes, sizeof want);
    for (int i = 0; i < 16; i++)
        x.data[i] = (unsigned char)(i / 2 * 10 + i % 2);
    operand_run(&call, 2);
    assert_memory_equal(y.data, want, sizeof want);
    operand_free(&x);
    operand_free(&y);
}

/* Element c, w of 1,64,1,2 is at ((c / 32) * 2 + w) * 32 + c % 32 in vectors of 32. */
static void vectors_become_longer(void **state)
{
    static const int64_t dims[4] = {1, 64, 1, 2};
    struct operand x, y;
    uint64_t seed = 1;
    const struct operand_call call = {.operation = TENSOR, .slot = {&x, &y}, .scale = {1, 0}};

    (void)state;
    operand_make(&x, S8X4, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&y, S8X32, 4, dims, OPERAND_ROWS, &seed);
    for (int c = 0; c < 64; c++) {
        x.data[(c / 4 * 2 + 0) * 4 + c % 4] = (unsigned char)c;
        x.data[(c / 4 * 2 + 1) * 4 + c % 4] = (unsigned char)(c + 64);
    }
    operand_run(&call, 2);
    for (int c = 0; c < 64; c++) {
        assert_int_equal(y.data[(c / 32 * 2 + 0) * 32 + c % 32], c);
        assert_int_equal(y.data[(c / 32 * 2 + 1) * 32 + c % 32], c + 64);
    }
    operand_free(&x);
    operand_free(&y);
}

static void transform_eight(int32_t from, int32_t to, const double scale[2], const double x[8],
                            const double prior[8], const double want[8])
{
    static const int64_t dims[4] = {1, 4, 1, 2};
    struct operand xs, ys;
    uint64_t seed = 1;
    const struct operand_call call = {
        .operation = TENSOR, .slot = {&xs, &ys}, .scale = {scale[0], scale[1]}};

    operand_make(&xs, from, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&ys, to, 4, dims, OPERAND_GAPS, &seed);
    operand_put(&xs, x);
    operand_put(&ys, prior);
    operand_run(&call, 2);
    operand_expect(&ys, want);
    operand_free(&xs);
    operand_free(&ys);
}

static void numbers_round_and_saturate(void **state)
{
    static const double halves[8] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 127.5, -128.5};
    static const double nan[8] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    static const double odd[8] = {NAN, INFINITY, -INFINITY, 1e30, -1e30, 255, -255, 0.25};
    static const double small[8] = {1, 3, 5, -1, -3, -5, 127, -128};
    static const double wide[8] = {2147483647, -2147483648.0, 1, 3, -3, 5, 1073741824, 7};
    static const double prior[8] = {2, 2, 4, 2, 2, 4, 100, -100};

    (void)state;
    transform_eight(F32, S8, (double[]){1, 0}, halves, nan,
                    (double[]){0, 2, 2, 0, -2, -2, 127, -128});
    transform_eight(F32, S8X4, (double[]){1, 0}, odd, nan,
                    (double[]){0, 127, -128, 127, -128, 127, -128, 0});
    transform_eight(S8, S8X4, (double[]){0.5, 0}, small, nan,
                    (double[]){0, 2, 2, 0, -2, -2, 64, -64});
    transform_eight(S8X4, S8, (double[]){0.5, 0.5}, small, prior,
                    (double[]){2, 2, 4, 0, 0, 0, 114, -114});
    transform_eight(S8X4, F16, (double[]){0.5, 0}, small, nan,
                    (double[]){0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 63.5, -64});
    transform_eight(U8, U8X4, (double[]){-1, 1}, (double[]){1, 2, 3, 4, 255, 254, 0, 9},
                    (double[]){0, 2, 255, 5, 255, 255, 7, 8}, (double[]){0, 0, 252, 1, 0, 1, 7, 0});
    transform_eight(S32, S32, (double[]){0.5, 0}, wide, nan,
                    (double[]){1073741824, -1073741824, 0, 2, -2, 2, 536870912, 4});
    transform_eight(S32, S32, (double[]){2, 0}, wide, nan,
                    (double[]){2147483647, -2147483648.0, 2, 6, -6, 10, 2147483647, 14});
    transform_eight(F32, F16, (double[]){1, 0},
                    (double[]){65519, 65520, 2049, 2051, 0x1p-25, 0x1.8p-25, -65520, NAN}, nan,
                    (double[]){65504, INFINITY, 2048, 2052, 0, 0x1p-24, -INFINITY, NAN});
}

/* ------------------------------------------------------------------ over random shapes */

static void fill_any(struct operand *operand, uint64_t *seed)
{
    int32_t type = operand->tensor.type;
    int whole = adn_type_digits(type) == 0;

    operand_fill(operand, seed, is_unsigned(type) ? 0 : -300, 300, whole ? 1 : 2);
}

/* The test covers all pairs of types, 1 to 8 dims and every layout. */
static void tensors_hold_the_same_numbers(void **state)
{
    static double want[1 << 15];
    uint64_t seed = 3;

    (void)state;
    for (int pair = 0; pair < ALL * ALL; pair++) {
        int32_t from = all[pair / ALL], to = all[pair % ALL];

        for (int round = 0; round < 12 && go_together(from, to); round++) {
            int32_t ndims = round == 0 ? 8 : (int32_t)operand_random(&seed, 2, round == 1 ? 2 : 5);
            int64_t dims[ANYDNN_PLUGIN_DIM_MAX], index[ANYDNN_PLUGIN_DIM_MAX] = {0}, at = 0;
            const double scale[2] = {(double)operand_random(&seed, -3, 3) / 2,
                                     (double)operand_random(&seed, -1, 1) / 2};
            struct operand x, y;
            const struct operand_call call = {
                .operation = TENSOR, .slot = {&x, &y}, .scale = {scale[0], scale[1]}};

            for (int32_t d = 0; d < ndims; d++)
                dims[d] = operand_random(&seed, 1, ndims > 5 ? 2 : 3);
            if (round == 1) /* rows longer than one conversion block */
                dims[0] = 300;
            if (is_vector(from) || is_vector(to))
                dims[1] *= from == S8X32 || to == S8X32 ? 32 : 4;
            operand_make(&x, from, ndims, dims, operand_any_layout(&seed), &seed);
            operand_make(&y, to, ndims, dims, operand_any_layout(&seed), &seed);
            fill_any(&x, &seed);
            fill_any(&y, &seed);
            do
                want[at++] = adn_type_round(to, scale[0] * operand_get(&x, index) +
                                                    scale[1] * operand_get(&y, index));
            while (operand_next(&x, index));
            operand_run(&call, 2);
            operand_expect(&y, want);
            operand_free(&x);
            operand_free(&y);
        }
    }
}

/* ------------------------------------------------------------------ declining */

static void other_types_are_declined(void **state)
{
    static const int64_t dims[4] = {1, 32, 1, 1};
    uint64_t seed = 1;

    (void)state;
    for (int pair = 0; pair < ALL * ALL; pair++) {
        struct operand x, y;
        const struct operand_call call = {.operation = TENSOR, .slot = {&x, &y}};

        operand_make(&x, all[pair / ALL], 4, dims, OPERAND_ROWS, &seed);
        operand_make(&y, all[pair % ALL], 4, dims, OPERAND_ROWS, &seed);
        if (!go_together(x.tensor.type, y.tensor.type))
            operand_declined(&call, ANYDNN_PLUGIN_REASON_TYPE, "transform_tensor: x is ");
        operand_free(&x);
        operand_free(&y);
    }
}

static void nothing_runs_in_place(void **state)
{
    static const int64_t dims[4] = {1, 4, 1, 1};
    struct operand x, y;
    uint64_t seed = 1;
    const struct operand_call call = {.operation = TENSOR, .slot = {&x, &y}, .alias = {0, 1}};

    (void)state;
    operand_make(&x, S8, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&y, S8X4, 4, dims, OPERAND_ROWS, &seed);
    operand_declined(&call, ANYDNN_PLUGIN_REASON_ALIAS, "y must not overwrite x");
    operand_free(&x);
    operand_free(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_hold_neighbouring_channels),
        cmocka_unit_test(vectors_become_longer),
        cmocka_unit_test(numbers_round_and_saturate),
        cmocka_unit_test(tensors_hold_the_same_numbers),
        cmocka_unit_test(other_types_are_declined),
        cmocka_unit_test(nothing_runs_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
