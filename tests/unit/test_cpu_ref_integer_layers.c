/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the forward layers of cpu_ref that accept int8. Pooling also accepts vectors.
 * Activation, softmax, LRN and batch normalization inference have one type for input and output. */
#include <math.h>

#include "cpu_ref_operand.h"
#include "numerics/numerics.h"

enum { MAX, INCLUDE, EXCLUDE, DETERMINISTIC };

/* Runs with x and y of one type and these numbers; y has dims y_dims and gaps. */
static void one_in_one_out(int32_t operation, const void *params, int32_t type,
                           const int64_t x_dims[4], const double *x, const int64_t y_dims[4],
                           const double *prior, const double scale[2], const double *want)
{
    struct operand xs, ys;
    uint64_t seed = 5;
    const struct operand_call call = {.operation = operation,
                                      .params = params,
                                      .slot = {&xs, &ys},
                                      .scale = {scale[0], scale[1]}};

    operand_make(&xs, type, 4, x_dims, OPERAND_ROWS, &seed);
    operand_make(&ys, type, 4, y_dims, OPERAND_GAPS, &seed);
    operand_put(&xs, x);
    operand_put(&ys, prior);
    operand_run(&call, 2);
    operand_expect(&ys, want);
    operand_free(&xs);
    operand_free(&ys);
}

/* ------------------------------------------------------------------ pooling */

static struct anydnn_plugin_pooling pairs(int32_t mode, int64_t pad)
{
    return (struct anydnn_plugin_pooling){.struct_size = sizeof(struct anydnn_plugin_pooling),
                                          .spatial_dims = 2,
                                          .mode = mode,
                                          .window = {1, 2},
                                          .pad = {0, pad},
                                          .stride = {1, 2}};
}

/* There are four channels with four pairs each; the values match cuDNN. */
static void pooling_of_pairs(void **state)
{
    static const int64_t x_dims[4] = {1, 4, 1, 4}, y_dims[4] = {1, 4, 1, 2};
    static const double x[16] = {1, 2, 2, 3, -1, -2, -2, -3, 127, 126, -128, -127, 0, -1, 0, 1};
    static const double prior[8] = {1, 2, 3, 100, 1, 2, 3, 100};
    static const struct {
        int32_t mode;
        double scale[2], want[8];
    } cases[] = {
        {MAX, {1, 0}, {2, 3, -1, -2, 127, -127, 0, 1}},
        {DETERMINISTIC, {2, 0}, {4, 6, -2, -4, 127, -128, 0, 2}},
        {MAX, {0.5, 0}, {1, 2, 0, -1, 64, -64, 0, 0}},
        {MAX, {0.5, 0.5}, {2, 2, 1, 49, 64, -62, 2, 50}},
        {MAX, {1, 1}, {3, 5, 2, 98, 127, -125, 3, 101}},
        {INCLUDE, {1, 0}, {2, 2, -2, -2, 126, -128, 0, 0}},
        {EXCLUDE, {2, 0}, {3, 5, -3, -5, 127, -128, -1, 1}},
        {INCLUDE, {0.5, 0}, {1, 1, -1, -1, 63, -64, 0, 0}},
        {EXCLUDE, {0.5, 0.5}, {1, 2, 1, 49, 64, -63, 1, 50}},
        {INCLUDE, {1, 1}, {2, 4, 2, 98, 127, -126, 2, 100}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct anydnn_plugin_pooling params = pairs(cases[i].mode, 0);

        for (int vectors = 0; vectors <= 1; vectors++)
            one_in_one_out(ANYDNN_PLUGIN_POOLING_FORWARD, &params, vectors ? S8X4 : S8, x_dims, x,
                           y_dims, prior, cases[i].scale, cases[i].want);
    }
}

/* A window that covers only padding gives the lowest number, 0. */
static void pooling_of_nothing(void **state)
{
    static const int64_t x_dims[4] = {1, 4, 1, 2}, y_dims[4] = {1, 4, 1, 3};
    static const double x[8] = {1, 2, -1, -2, 127, 126, -128, -127}, prior[12] = {0};
    static const double max[12] = {-128, 2,   -128, -128, -1,   -128,
                                   -128, 127, -128, -128, -127, -128};
    static const double average[12] = {0, 2, 0, 0, -2, 0, 0, 126, 0, 0, -128, 0};

    (void)state;
    for (int32_t mode = MAX; mode <= DETERMINISTIC; mode++) {
        struct anydnn_plugin_pooling params = pairs(mode, 2);
        const double *want = mode == MAX || mode == DETERMINISTIC ? max : average;

        for (int vectors = 0; vectors <= 1; vectors++)
            one_in_one_out(ANYDNN_PLUGIN_POOLING_FORWARD, &params, vectors ? S8X4 : S8, x_dims, x,
                           y_dims, prior, (double[]){1, 0}, want);
    }
}

/* Pools the window of one output, without padding, which the window might not reach. */
static double pooled(const struct operand *x, const struct anydnn_plugin_pooling *params,
                     const int64_t *at)
{
    int64_t index[5] = {at[0], at[1]}, tap[3] = {0}, taps = 1, inside = 0;
    double max = -128, sum = 0;

    for (int32_t d = 0; d < params->spatial_dims; d++)
        taps *= params->window[d];
    for (int64_t t = 0; t < taps; t++) {
        int fits = 1;

        for (int32_t d = 0; d < params->spatial_dims; d++) {
            index[d + 2] = at[d + 2] * params->stride[d] - params->pad[d] + tap[d];
            fits = fits && index[d + 2] >= 0 && index[d + 2] < x->tensor.dims[d + 2];
        }
        if (fits) {
            max = fmax(max, operand_get(x, index));
            sum += operand_get(x, index);
            inside++;
        }
        for (int32_t d = params->spatial_dims - 1; d >= 0 && ++tap[d] == params->window[d]; d--)
            tap[d] = 0;
    }
    if (params->mode == MAX || params->mode == DETERMINISTIC)
        return max;
    return sum / (double)(params->mode == INCLUDE ? taps : inside);
}

/* Draws the sizes after n and c. */
static void draw_windows(struct anydnn_plugin_pooling *params, int64_t *x, int64_t *y,
                         uint64_t *seed)
{
    for (int32_t d = 0; d < params->spatial_dims; d++) {
        int64_t window = operand_random(seed, 1, 3);

        params->window[d] = window;
        params->pad[d] = operand_random(seed, 0, window - 1);
        params->stride[d] = operand_random(seed, 1, 3);
        x[d + 2] = window + operand_random(seed, 0, 3);
        y[d + 2] = 1 + (x[d + 2] + 2 * params->pad[d] - window) / params->stride[d];
    }
}

static void pooling_over_shapes(void **state)
{
    static const int32_t types[] = {S8, S8X4, S8X32};
    static double want[1 << 14];
    uint64_t seed = 9;

    (void)state;
    for (int round = 0; round < 240; round++) {
        int32_t type = types[round % 3], spatial = (int32_t)operand_random(&seed, 1, 3);
        int64_t n = operand_random(&seed, 1, 2), c = operand_random(&seed, 1, 2);
        int64_t x_dims[5] = {n, c * operand_lanes(type)}, y_dims[5] = {n, c * operand_lanes(type)};
        int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0}, at = 0;
        struct anydnn_plugin_pooling params = {.struct_size = sizeof params,
                                               .spatial_dims = spatial,
                                               .mode = (int32_t)operand_random(&seed, 0, 3)};
        struct operand x, y;
        const struct operand_call call = {.operation = ANYDNN_PLUGIN_POOLING_FORWARD,
                                          .params = &params,
                                          .slot = {&x, &y},
                                          .scale = {1.5, -0.5}};

        draw_windows(&params, x_dims, y_dims, &seed);
        operand_make(&x, type, spatial + 2, x_dims, operand_any_layout(&seed), &seed);
        operand_make(&y, type, spatial + 2, y_dims, operand_any_layout(&seed), &seed);
        operand_fill(&x, &seed, -128, 127, 1);
        operand_fill(&y, &seed, -128, 127, 1);
        do
            want[at++] = adn_type_round(type, 1.5 * pooled(&x, &params, index) -
                                                  0.5 * operand_get(&y, index));
        while (operand_next(&y, index));
        operand_run(&call, 2);
        operand_expect(&y, want);
        operand_free(&x);
        operand_free(&y);
    }
}

/* ------------------------------------------------------------------ the others */

static const int64_t eight[4] = {1, 4, 1, 2};

static void activation_rounds_once(void **state)
{
    static const double x[8] = {1, 3, -1, -3, 5, 127, -128, 0}, prior[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct anydnn_plugin_activation params = {.struct_size = sizeof params, .mode = 1};

    (void)state;
    one_in_one_out(ANYDNN_PLUGIN_ACTIVATION_FORWARD, &params, S8, eight, x, eight, prior,
                   (double[]){0.5, 0}, (double[]){0, 2, 0, 0, 2, 64, 0, 0});
    one_in_one_out(ANYDNN_PLUGIN_ACTIVATION_FORWARD, &params, S8, eight, x, eight, prior,
                   (double[]){2, 0.5}, (double[]){2, 6, 1, 2, 12, 127, 3, 4});
    params.mode = 2; /* tanh */
    one_in_one_out(ANYDNN_PLUGIN_ACTIVATION_FORWARD, &params, S8, eight, x, eight, prior,
                   (double[]){100, 0}, (double[]){76, 100, -76, -100, 100, 100, -100, 0});
}

/* Softmax over channels: two equal numbers and two far below, whose shares are halves; and a
 * difference of 3, with shares 0.953 and 0.047. The logarithms are -0.69, -105.69, -0.05, -3.05,
 * -255.05. */
static void softmax_rounds_once(void **state)
{
    static const double x[8] = {5, 127, 5, 124, -100, -128, -100, -128}, prior[8] = {0};
    struct anydnn_plugin_softmax params = {.struct_size = sizeof params, .algorithm = 1, .mode = 1};

    (void)state;
    one_in_one_out(ANYDNN_PLUGIN_SOFTMAX_FORWARD, &params, S8, eight, x, eight, prior,
                   (double[]){100, 0}, (double[]){50, 95, 50, 5, 0, 0, 0, 0});
    params.algorithm = 2;
    one_in_one_out(ANYDNN_PLUGIN_SOFTMAX_FORWARD, &params, S8, eight, x, eight, prior,
                   (double[]){1, 0}, (double[]){-1, 0, -1, -3, -106, -128, -106, -128});
    one_in_one_out(ANYDNN_PLUGIN_SOFTMAX_FORWARD, &params, S8, eight, x, eight, prior,
                   (double[]){2, 0}, (double[]){-1, 0, -1, -6, -128, -128, -128, -128});
}

/* The formula is x / (1 + x^2), with a window of one channel. */
static void lrn_rounds_once(void **state)
{
    static const double x[8] = {1, 2, -3, 7, 0, -7, 3, -1}, prior[8] = {0};
    struct anydnn_plugin_lrn params = {
        .struct_size = sizeof params, .n = 1, .alpha = 1, .beta = 1, .k = 1};

    (void)state;
    one_in_one_out(ANYDNN_PLUGIN_LRN_FORWARD, &params, S8, eight, x, eight, prior,
                   (double[]){100, 0}, (double[]){50, 40, -30, 14, 0, -14, 30, -50});
    one_in_one_out(ANYDNN_PLUGIN_LRN_FORWARD, &params, S8, eight, x, eight, prior, (double[]){5, 0},
                   (double[]){2, 2, -2, 1, 0, -1, 2, -2});
}

/* The formula is scale * (x - 2) / sqrt(3 + 1) + bias, with float parameters. */
static void batch_norm_rounds_once(void **state)
{
    static const int64_t cell[4] = {1, 4, 1, 1};
    static const double x[8] = {3, 4, 8, 6, 127, -128, 2, 0};
    static const double scale[4] = {0.5, 1, 100, -1}, bias[4] = {1, 0.5, 0, 0};
    static const double mean[4] = {2, 2, 2, 2}, var[4] = {3, 3, 3, 3};
    struct anydnn_plugin_batch_normalization params = {
        .struct_size = sizeof params, .mode = 1, .epsilon = 1};
    const double *const numbers[4] = {scale, bias, mean, var};
    struct operand xs, ys, cells[4];
    uint64_t seed = 1;
    const struct operand_call call = {
        .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE,
        .params = &params,
        .slot = {&xs, &cells[0], &cells[1], &cells[2], &cells[3], &ys},
        .scale = {1, 0}};

    (void)state;
    operand_make(&xs, S8, 4, eight, OPERAND_ROWS, &seed);
    operand_make(&ys, S8, 4, eight, OPERAND_GAPS, &seed);
    operand_put(&xs, x);
    for (int i = 0; i < 4; i++) {
        operand_make(&cells[i], F32, 4, cell, OPERAND_ROWS, &seed);
        operand_put(&cells[i], numbers[i]);
    }
    operand_run(&call, 1u << 5);
    /* The exact results are 1.25, 1.5; 3.5, 2.5; out of range; 0, 1. */
    operand_expect(&ys, (const double[]){1, 2, 4, 2, 127, -128, 0, 1});
    operand_free(&xs);
    operand_free(&ys);
    for (int i = 0; i < 4; i++)
        operand_free(&cells[i]);
}

static void other_integers_are_declined(void **state)
{
    static const struct {
        int32_t operation, type;
    } cases[] = {
        {ANYDNN_PLUGIN_POOLING_FORWARD, U8},  {ANYDNN_PLUGIN_POOLING_FORWARD, U8X4},
        {ANYDNN_PLUGIN_POOLING_FORWARD, S32}, {ANYDNN_PLUGIN_ACTIVATION_FORWARD, S8X4},
        {ANYDNN_PLUGIN_SOFTMAX_FORWARD, U8},  {ANYDNN_PLUGIN_LRN_FORWARD, S32},
    };
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t params[80] = {sizeof params};
        struct operand x, y;
        const struct operand_call call = {
            .operation = cases[i].operation, .params = params, .slot = {&x, &y}};

        operand_make(&x, cases[i].type, 4, eight, OPERAND_ROWS, &seed);
        operand_make(&y, cases[i].type, 4, eight, OPERAND_ROWS, &seed);
        operand_declined(&call, ANYDNN_PLUGIN_REASON_TYPE,
                         "cpu_ref supports only these types: float");
        operand_free(&x);
        operand_free(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pooling_of_pairs),       cmocka_unit_test(pooling_of_nothing),
        cmocka_unit_test(pooling_over_shapes),    cmocka_unit_test(activation_rounds_once),
        cmocka_unit_test(softmax_rounds_once),    cmocka_unit_test(lrn_rounds_once),
        cmocka_unit_test(batch_norm_rounds_once), cmocka_unit_test(other_integers_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
