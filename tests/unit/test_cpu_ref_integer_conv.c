/* SPDX-License-Identifier: Apache-2.0 */
/* Tests forward convolution of integers on cpu_ref with results computed by hand. Sums wrap,
 * results saturate or need rounding, and only some combinations of types are supported. */
#include <math.h>

#include "cpu_ref_operand.h"

#define PLAIN ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define FUSED ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
#define RELU  1
#define SAME  5

static struct anydnn_plugin_convolution parameters(void)
{
    return (struct anydnn_plugin_convolution){
        .struct_size = sizeof(struct anydnn_plugin_convolution),
        .spatial_dims = 2,
        .stride = {1, 1},
        .dilation = {1, 1},
        .groups = 1,
        .mode = 1,
        .compute_type = ANYDNN_PLUGIN_INT32,
        .activation = SAME,
    };
}

/* Runs one output per filter: c channels, every x equal, and filter k filled with w[k]. `y`
 * holds the previous y and receives the new one. */
static void one_pixel(const int32_t types[3], int64_t c, double x, int64_t k, const double *w,
                      const double scale[2], double *y)
{
    const int64_t x_dims[4] = {1, c, 1, 1}, w_dims[4] = {k, c, 1, 1}, y_dims[4] = {1, k, 1, 1};
    struct anydnn_plugin_convolution params = parameters();
    uint64_t seed = 1;
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    struct operand xs, ws, ys;
    struct operand_call call = {.operation = PLAIN,
                                .params = &params,
                                .slot = {&xs, &ws, &ys},
                                .scale = {scale[0], scale[1]}};

    operand_make(&xs, types[0], 4, x_dims, OPERAND_ROWS, &seed);
    operand_make(&ws, types[1], 4, w_dims, OPERAND_ROWS, &seed);
    operand_make(&ys, types[2], 4, y_dims, OPERAND_ROWS, &seed);
    do
        operand_set(&xs, index, x);
    while (operand_next(&xs, index));
    do
        operand_set(&ws, index, w[index[0]]);
    while (operand_next(&ws, index));
    operand_put(&ys, y);
    operand_run(&call, 1u << 2);
    for (int64_t i = 0; i < k; i++)
        y[i] = operand_get(&ys, (const int64_t[]){0, i, 0, 0});
    operand_free(&xs);
    operand_free(&ws);
    operand_free(&ys);
}

#define ONE_PIXEL(x_type, w_type, y_type, c, x, w, alpha, beta, y)                                 \
    one_pixel((const int32_t[]){x_type, w_type, y_type}, c, x, sizeof(w) / sizeof((w)[0]), w,      \
              (const double[]){alpha, beta}, y)

static void expect(const double *got, const double *want, int count)
{
    for (int i = 0; i < count; i++) {
        if (got[i] != want[i])
            fail_msg("number %d is %.17g and not %.17g", i, got[i], want[i]);
    }
}

/* (-128)^2 = 2^14. The sum of 2^17 such products is 2^31, which overflows 32 bits. */
static void sums_wrap(void **state)
{
    const double w[1] = {-128};
    double y[1] = {NAN};

    (void)state;
    ONE_PIXEL(S8, S8, F32, 131072, -128, w, 1, 0, y);
    assert_true(y[0] == -2147483648.0);
    ONE_PIXEL(S8, S8, F32, 131071, -128, w, 1, 0, y);
    assert_true(y[0] == 2147467264.0);
    ONE_PIXEL(S8, S8, S8, 131072, -128, w, 1, 0, y);
    assert_true(y[0] == -128);
    ONE_PIXEL(S8X4, S8X4, F32, 2 * 131072, -128, w, 1, 0, y);
    assert_true(y[0] == 0);
}

static void results_round_to_even(void **state)
{
    static const double w[8] = {1, 3, 5, -1, -3, -5, 7, -7};
    static const double halves[8] = {0, 2, 2, 0, -2, -2, 4, -4};
    static const double whole[8] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5, -3.5};
    double y[8] = {0};

    (void)state;
    ONE_PIXEL(S8, S8, S8, 1, 1, w, 0.5, 0, y);
    expect(y, halves, 8);
    ONE_PIXEL(U8X4, S8X4, S8X4, 4, 1, w, 0.125, 0, y);
    expect(y, halves, 8);
    ONE_PIXEL(S8, S8, F32, 1, 1, w, 0.5, 0, y);
    expect(y, whole, 8);
}

static void results_saturate(void **state)
{
    static const double w[4] = {127, -128, 64, -64};
    static const double want_signed[4] = {127, -128, 127, -128};
    static const double w_unsigned[4] = {0, 1, 2, 255};
    static const double want_unsigned[4] = {0, 255, 255, 255};
    static const double want_cut[4] = {255, 0, 255, 0};
    double y[4] = {0};

    (void)state;
    ONE_PIXEL(S8, S8, S8, 1, 2, w, 1, 0, y);
    expect(y, want_signed, 4);
    ONE_PIXEL(U8X4, S8X4, U8X4, 4, 255, w, 1, 0, y);
    expect(y, want_cut, 4);
    ONE_PIXEL(U8X4, U8X4, U8X4, 4, 255, w_unsigned, 0.25, 0, y);
    expect(y, want_unsigned, 4);
    ONE_PIXEL(S8, S8, S8, 1, 2, w, INFINITY, 0, y);
    expect(y, want_signed, 4);
}

/* The result is alpha * sum + beta * y, rounded once; with beta 0 the previous y is ignored. */
static void results_blend(void **state)
{
    static const double w[4] = {1, 3, -1, 100};
    static const double want[4] = {2, 2, -2, 50}; /* 0.5 + 1, 1.5 + 0.5, -0.5 - 1.5, 50 + 0.5 */
    double y[4] = {2, 1, -3, 1};
    double nan[4] = {NAN, NAN, NAN, NAN};

    (void)state;
    ONE_PIXEL(S8, S8, S8, 1, 1, w, 0.5, 0.5, y);
    expect(y, want, 4);
    ONE_PIXEL(S8, S8, F32, 1, 1, w, 1, 0, nan);
    expect(nan, w, 4);
    ONE_PIXEL(S8, S8, S8, 1, 1, w, NAN, 0, y);
    expect(y, (const double[]){0, 0, 0, 0}, 4);
}

/* Checks y = activation(alpha1 * sum + alpha2 * z + bias) with one input channel and k output
 * channels; sum = 2 w. */
static void fused_pixel(int32_t type, int32_t activation, const double scale[2], const double z[4],
                        const double bias[4], int in_place, const double want[4])
{
    static const int64_t dims[4] = {1, 4, 1, 1};
    static const double twos[4] = {2, 0, 0, 0};
    static const double w_values[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, -4, 0, 0, 0};
    static const int64_t w_dims[4] = {4, 4, 1, 1};
    struct anydnn_plugin_convolution params = parameters();
    struct operand x, w, zs, b, y;
    uint64_t seed = 1;
    struct operand_call call = {.operation = FUSED,
                                .params = &params,
                                .slot = {&x, &w, &zs, &b, in_place ? &zs : &y},
                                .alias = {[4] = in_place ? 3 : 0},
                                .scale = {scale[0], scale[1]}};

    params.activation = activation;
    operand_make(&x, S8X4, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&w, S8X4, 4, w_dims, OPERAND_ROWS, &seed);
    operand_make(&zs, type, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&b, F32, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&y, type, 4, dims, OPERAND_ROWS, &seed);
    operand_put(&x, twos);
    operand_put(&w, w_values);
    operand_put(&zs, z);
    operand_put(&b, bias);
    operand_run(&call, 1u << 4);
    operand_expect(call.slot[4], want);
    operand_free(&x);
    operand_free(&w);
    operand_free(&zs);
    operand_free(&b);
    operand_free(&y);
}

static void fused_adds_and_activates(void **state)
{
    static const double z[4] = {1, 3, 5, 7}, bias[4] = {0, 0.25, -0.5, 100};
    static const double unread[4] = {NAN, NAN, NAN, NAN};
    static const double halves[2] = {0.5, 0.5}, no_z[2] = {0.5, 0}, ones[2] = {1, 1};

    (void)state;
    /* The sums 1 + 0.5, 2 + 1.5 + 0.25, 3 + 2.5 - 0.5 and -4 + 3.5 + 100 are rounded once. */
    fused_pixel(S8X4, SAME, halves, z, bias, 0, (const double[]){2, 4, 5, 100});
    fused_pixel(S8X4, SAME, halves, z, bias, 1, (const double[]){2, 4, 5, 100});
    fused_pixel(F32, SAME, halves, z, bias, 0, (const double[]){1.5, 3.75, 5, 99.5});
    fused_pixel(F32, SAME, no_z, unread, bias, 0, (const double[]){1, 2.25, 2.5, 96});
    /* 2 + 1, 4 + 3 + 0.25, 6 + 5 - 0.5, -8 + 7 - 20. */
    fused_pixel(S8X4, RELU, ones, z, (const double[]){0, 0.25, -0.5, -20}, 0,
                (const double[]){3, 7, 10, 0});
    fused_pixel(S8X4, SAME, ones, z, (const double[]){0, 300, -0.5, -500}, 0,
                (const double[]){3, 127, 10, -128});
}

/* ------------------------------------------------------------------ declining */

enum { TYPE = ANYDNN_PLUGIN_REASON_TYPE };

/* A valid problem with one change: types, compute type, channels or strides of y. */
struct spoiled {
    int32_t types[3];
    int32_t compute;
    const char *part;
};

static void other_combinations_are_declined(void **state)
{
    static const struct spoiled cases[] = {
        {{U8, U8, U8}, S32, "x is uint8, w is uint8"},
        {{U8, S8, U8}, S32, "y is uint8;"},
        {{S8, S8, S8X4}, S32, "y is int8x4;"},
        {{S8, S8, S32}, S32, "y is int32;"},
        {{S8X4, U8X4, S8X4}, S32, "w is uint8x4"},
        {{S8, S8, F16}, S32, "y is half;"},
        {{F32, S8, F32}, S32, "w is int8"},
        {{S8, S8, S8}, F32, "compute type is float"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t dims[4] = {2, 8, 1, 1}, w_dims[4] = {8, 8, 1, 1};
        struct anydnn_plugin_convolution params = parameters();
        uint64_t seed = 1;
        struct operand x, w, y;
        const struct operand_call call = {
            .operation = PLAIN, .params = &params, .slot = {&x, &w, &y}};

        params.compute_type = cases[i].compute;
        operand_make(&x, cases[i].types[0], 4, dims, OPERAND_ROWS, &seed);
        operand_make(&w, cases[i].types[1], 4, w_dims, OPERAND_ROWS, &seed);
        operand_make(&y, cases[i].types[2], 4, dims, OPERAND_ROWS, &seed);
        operand_declined(&call, TYPE, cases[i].part);
        operand_free(&x);
        operand_free(&w);
        operand_free(&y);
    }
}

static void fused_wants_float_bias_and_z_like_y(void **state)
{
    const int64_t dims[4] = {1, 4, 1, 1}, w_dims[4] = {4, 4, 1, 1};
    struct anydnn_plugin_convolution params = parameters();
    uint64_t seed = 1;
    struct operand x, w, z, bias, y;
    const struct operand_call call = {
        .operation = FUSED, .params = &params, .slot = {&x, &w, &z, &bias, &y}};

    (void)state;
    operand_make(&x, S8, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&w, S8, 4, w_dims, OPERAND_ROWS, &seed);
    operand_make(&z, S8, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&bias, S8, 4, dims, OPERAND_ROWS, &seed);
    operand_make(&y, S8, 4, dims, OPERAND_ROWS, &seed);
    operand_declined(&call, TYPE, "bias is int8; it must be float for integers");
    z.tensor.type = F32;
    operand_declined(&call, TYPE, "z is float, but y is int8");
    operand_free(&x);
    operand_free(&w);
    operand_free(&z);
    operand_free(&bias);
    operand_free(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_wrap),
        cmocka_unit_test(results_round_to_even),
        cmocka_unit_test(results_saturate),
        cmocka_unit_test(results_blend),
        cmocka_unit_test(fused_adds_and_activates),
        cmocka_unit_test(other_combinations_are_declined),
        cmocka_unit_test(fused_wants_float_bias_and_z_like_y),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
