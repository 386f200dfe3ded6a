/* SPDX-License-Identifier: Apache-2.0 */
/* Forward convolution of integers on cpu_ref held to the plain sum, over random shapes, strides,
 * groups and paddings, for every combination of types. */
#include <string.h>

#include "cpu_ref_operand.h"
#include "numerics/numerics.h"

#define PLAIN ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define FUSED ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
#define RELU  1
#define SAME  5

/* x, w, y as anydnn.h lists them. */
static const int32_t combinations[][3] = {
    {S8, S8, S8},       {S8, S8, F32},      {U8, S8, S8},       {U8, S8, F32},
    {S8X4, S8X4, S8X4}, {S8X4, S8X4, F32},  {U8X4, U8X4, U8X4}, {U8X4, U8X4, F32},
    {U8X4, S8X4, U8X4}, {U8X4, S8X4, S8X4}, {U8X4, S8X4, F32},  {S8X32, S8X32, S8X32},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

static struct anydnn_plugin_convolution parameters(int32_t spatial)
{
    return (struct anydnn_plugin_convolution){
        .struct_size = sizeof(struct anydnn_plugin_convolution),
        .spatial_dims = spatial,
        .stride = {1, 1, 1},
        .dilation = {1, 1, 1},
        .groups = 1,
        .mode = 1,
        .compute_type = ANYDNN_PLUGIN_INT32,
        .activation = SAME,
    };
}

struct drawn {
    struct anydnn_plugin_convolution params;
    struct operand x, w, z, bias, y;
};

/* All numbers of the type; of float those of int8. */
static void fill_whole(struct operand *operand, uint64_t *seed)
{
    int32_t type = operand->tensor.type == F32 ? S8 : operand->tensor.type;

    operand_fill(operand, seed, (int64_t)adn_type_lowest(type), (int64_t)adn_type_highest(type), 1);
}

/* Sizes along each spatial dim of x, w and y, behind two others; with `whole` the filter is as
 * large as its input. */
static void draw_window(struct anydnn_plugin_convolution *params, int whole, int64_t *x, int64_t *w,
                        int64_t *y, uint64_t *seed)
{
    for (int32_t d = 0; d < params->spatial_dims; d++) {
        int64_t reach;

        w[d + 2] = operand_random(seed, 1, params->spatial_dims == 2 ? 3 : 2);
        params->pad[d] = whole ? 0 : operand_random(seed, 0, 1);
        params->stride[d] = operand_random(seed, 1, 3);
        params->dilation[d] = whole ? 1 : operand_random(seed, 1, 2);
        reach = (w[d + 2] - 1) * params->dilation[d] + 1;
        x[d + 2] = reach + (whole ? 0 : operand_random(seed, 0, 2));
        y[d + 2] = 1 + (x[d + 2] + 2 * params->pad[d] - reach) / params->stride[d];
    }
}

/* Channels of a group so that x, w and y are whole vectors. */
static void draw(struct drawn *drawn, const int32_t types[3], uint64_t *seed)
{
    int32_t spatial = (int32_t)operand_random(seed, 2, 3), ndims = spatial + 2;
    int whole = operand_random(seed, 0, 3) == 0;
    int64_t groups = whole ? 1 : operand_random(seed, 1, types[0] == S8X32 ? 2 : 3);
    int64_t cg = operand_lanes(types[1]) * operand_random(seed, 1, types[0] == S8X32 ? 1 : 3);
    int64_t k =
        groups * operand_lanes(types[0]) * operand_random(seed, 1, types[0] == S8X32 ? 1 : 2);
    int64_t x[5] = {operand_random(seed, 1, 2), groups * cg}, w[5] = {k, cg}, y[5] = {x[0], k};
    int64_t bias[5] = {1, k, 1, 1, 1};

    drawn->params = parameters(spatial);
    drawn->params.groups = groups;
    drawn->params.mode = (int32_t)operand_random(seed, 0, 1);
    drawn->params.activation = operand_random(seed, 0, 1) ? RELU : SAME;
    draw_window(&drawn->params, whole, x, w, y, seed);
    if (!whole && operand_lanes(types[0]) == 1 && operand_random(seed, 0, 9) == 0) {
        /* A row of more than is kept at a time. */
        x[ndims - 1] += 600 * drawn->params.stride[spatial - 1];
        y[ndims - 1] += 600;
    }
    operand_make(&drawn->x, types[0], ndims, x, operand_any_layout(seed), seed);
    operand_make(&drawn->w, types[1], ndims, w, operand_any_layout(seed), seed);
    operand_make(&drawn->y, types[2], ndims, y, operand_any_layout(seed), seed);
    operand_make(&drawn->z, types[2], ndims, y, operand_any_layout(seed), seed);
    operand_make(&drawn->bias, F32, ndims, bias, OPERAND_GAPS, seed);
    fill_whole(&drawn->x, seed);
    fill_whole(&drawn->w, seed);
    fill_whole(&drawn->y, seed);
    fill_whole(&drawn->z, seed);
    operand_fill(&drawn->bias, seed, -400, 400, 8);
}

static void drop(struct drawn *drawn)
{
    operand_free(&drawn->x);
    operand_free(&drawn->w);
    operand_free(&drawn->y);
    operand_free(&drawn->z);
    operand_free(&drawn->bias);
}

/* The sum behind the output at index `at`, as 32 bits hold it. */
static double plain_sum(const struct drawn *drawn, const int64_t *at)
{
    const struct anydnn_plugin_convolution *params = &drawn->params;
    int64_t kg = drawn->w.tensor.dims[0] / params->groups, cg = drawn->w.tensor.dims[1];
    int64_t tap[ANYDNN_PLUGIN_DIM_MAX] = {0}, sum = 0;

    do {
        int64_t in[ANYDNN_PLUGIN_DIM_MAX] = {at[0], at[1] / kg * cg + tap[1]};
        int64_t w_at[ANYDNN_PLUGIN_DIM_MAX] = {at[1], tap[1]};
        int inside = tap[0] == 0;

        for (int32_t d = 0; d < params->spatial_dims; d++) {
            int64_t size = drawn->w.tensor.dims[d + 2], f = tap[d + 2];

            in[d + 2] = at[d + 2] * params->stride[d] + f * params->dilation[d] - params->pad[d];
            inside = inside && in[d + 2] >= 0 && in[d + 2] < drawn->x.tensor.dims[d + 2];
            w_at[d + 2] = params->mode == 0 ? size - 1 - f : f;
        }
        if (inside)
            sum += (int64_t)operand_get(&drawn->x, in) * (int64_t)operand_get(&drawn->w, w_at);
    } while (operand_next(&drawn->w, tap));
    return (double)(int32_t)(uint32_t)(uint64_t)sum;
}

/* What is expected of every output, in order; returns how many are no saturated bounds. */
static int expected(const struct drawn *drawn, int fused, const double scale[2], double *want)
{
    int64_t at[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int32_t type = drawn->y.tensor.type;
    int inner = 0;

    do {
        double v = scale[0] * plain_sum(drawn, at);

        if (fused) {
            v += scale[1] * operand_get(&drawn->z, at);
            v += operand_get(&drawn->bias, (const int64_t[]){0, at[1], 0, 0, 0});
            v = drawn->params.activation == RELU && v < 0 ? 0 : v;
        } else {
            v += scale[1] * operand_get(&drawn->y, at);
        }
        *want = adn_type_round(type, v);
        inner += *want != 0 && *want < adn_type_highest(type) && *want > adn_type_lowest(type);
        want++;
    } while (operand_next(&drawn->y, at));
    return inner;
}

/* Factors of few bits, so that all is exact until the result is rounded. */
static void held_to_plain_sums(int32_t operation)
{
    static double want[1 << 17];
    uint64_t seed = 20;
    int fused = operation == FUSED;

    for (int i = 0; i < COMBINATIONS; i++) {
        int rounds = combinations[i][0] == S8X32 ? 10 : 60, inner = 0;

        for (int round = 0; round < rounds; round++) {
            const double scale[2] = {(double)operand_random(&seed, 1, 7) / 2048,
                                     (double)operand_random(&seed, -2, 2) / 2};
            struct drawn drawn;
            struct operand_call call = {
                .operation = operation, .params = &drawn.params, .scale = {scale[0], scale[1]}};

            draw(&drawn, combinations[i], &seed);
            memcpy(call.slot,
                   fused ? (struct operand *[OPERAND_SLOTS]){&drawn.x, &drawn.w, &drawn.z,
                                                             &drawn.bias, &drawn.y}
                         : (struct operand *[OPERAND_SLOTS]){&drawn.x, &drawn.w, &drawn.y},
                   sizeof call.slot);
            inner += expected(&drawn, fused, scale, want);
            operand_run(&call, fused ? 1u << 4 : 1u << 2);
            operand_expect(&drawn.y, want);
            drop(&drawn);
        }
        assert_true(inner > 400);
    }
}

static void plain_is_the_plain_sum(void **state)
{
    (void)state;
    held_to_plain_sums(PLAIN);
}

static void fused_is_the_plain_sum(void **state)
{
    (void)state;
    held_to_plain_sums(FUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_is_the_plain_sum),
        cmocka_unit_test(fused_is_the_plain_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
