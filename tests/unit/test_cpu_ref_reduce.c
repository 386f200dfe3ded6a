/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_tensor of cpu_ref where operands are of different types: each combination that there
 * is, held to the formula over random shapes, and by hand as cuDNN answers. */
#include <math.h>

#include "cpu_ref_operand.h"
#include "numerics/numerics.h"

enum { ADD, MUL, MIN, MAX, AMAX, AVERAGE, NORM1, NORM2, MUL_NO_ZEROS, REDUCTIONS };

static const int32_t types[] = {F64, F32, F16, BF16, S8, U8};
enum { TYPES = sizeof types / sizeof types[0] };

/* What becomes of inputs, in anydnn.h's table. */
static int becomes(int32_t from, int32_t to)
{
    if (from == F64 || to == F64 || from == U8 || to == U8)
        return from == to && from != U8;
    return from == to || from == F32 || to == F32;
}

/* Small numbers of few bits, so that only the last step rounds. */
static void fill_small(struct operand *operand, uint64_t *seed, int64_t most)
{
    operand_fill(operand, seed, -most, most, operand->tensor.type == S8 ? 1 : 4);
}

/* Along every dim in which c has 1; *index is the place of the first element chosen. */
static double reduced(const struct operand *a, const struct operand *c, int32_t op,
                      const int64_t *at, int64_t *chosen)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0}, count = 0;
    double sum = 0, product = 1, best = 0;

    do {
        int belongs = 1;
        double v = operand_get(a, index), size = op == AMAX ? fabs(v) : v;

        for (int32_t d = 0; d < a->tensor.ndims; d++)
            belongs = belongs && (index[d] == at[d] || c->tensor.dims[d] == 1);
        if (!belongs)
            continue;
        if (count == 0 || (op == MIN ? size < best : size > best)) {
            best = size;
            *chosen = count;
        }
        sum += op == NORM1 ? fabs(v) : op == NORM2 ? v * v : v;
        product *= op == MUL_NO_ZEROS && v == 0 ? 1 : v;
        count++;
    } while (operand_next(a, index));
    if (op == MIN || op == MAX || op == AMAX)
        return best;
    if (op == MUL || op == MUL_NO_ZEROS)
        return product;
    return op == AVERAGE ? sum / (double)count : op == NORM2 ? sqrt(sum) : sum;
}

static void reduce_once(int32_t from, int32_t to, int32_t op, int with_indices, uint64_t *seed)
{
    static double want[1 << 10], places[1 << 10];
    int32_t ndims = (int32_t)operand_random(seed, 1, 4);
    int64_t dims[4], c_dims[4], index[ANYDNN_PLUGIN_DIM_MAX] = {0}, at = 0;
    const struct anydnn_plugin_reduce params = {
        .struct_size = sizeof params, .op = op, .compute_type = from == F64 ? F64 : F32};
    struct operand a, c, indices;
    const struct operand_call call = {.operation = ANYDNN_PLUGIN_REDUCE_TENSOR,
                                      .params = &params,
                                      .slot = {&a, &c, with_indices ? &indices : NULL},
                                      .scale = {0.5, (double)operand_random(seed, -1, 1) / 2}};

    for (int32_t d = 0; d < ndims; d++) {
        dims[d] = operand_random(seed, 1, op == MUL || op == MUL_NO_ZEROS ? 2 : 5);
        c_dims[d] = operand_random(seed, 0, 1) ? dims[d] : 1;
    }
    operand_make(&a, from, ndims, dims, operand_any_layout(seed), seed);
    operand_make(&c, to, ndims, c_dims, operand_any_layout(seed), seed);
    operand_make(&indices, ANYDNN_PLUGIN_UINT32, ndims, c_dims, operand_any_layout(seed), seed);
    /* Few different numbers, so that minima and maxima tie; products that stay exact. */
    fill_small(&a, seed, op == MUL || op == MUL_NO_ZEROS ? 4 : 20);
    fill_small(&c, seed, 20);
    do {
        int64_t chosen = 0;
        double v = reduced(&a, &c, op, index, &chosen);

        want[at] = adn_type_round(to, 0.5 * v + call.scale[1] * operand_get(&c, index));
        places[at++] = (double)chosen;
    } while (operand_next(&c, index));
    operand_run(&call, 1u << 1 | 1u << 2);
    operand_expect(&c, want);
    if (with_indices)
        operand_expect(&indices, places);
    operand_free(&a);
    operand_free(&c);
    operand_free(&indices);
}

static void reduce_over_shapes(void **state)
{
    uint64_t seed = 12;

    (void)state;
    for (int pair = 0; pair < TYPES * TYPES; pair++) {
        int32_t from = types[pair / TYPES], to = types[pair % TYPES];

        for (int round = 0; round < 8 * REDUCTIONS && becomes(from, to); round++) {
            int32_t op = round % REDUCTIONS;

            reduce_once(from, to, op, (op == MIN || op == MAX || op == AMAX) && round % 2, &seed);
        }
    }
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
        cmocka_unit_test(reduce_over_shapes),
        cmocka_unit_test(reduce_by_hand),
        cmocka_unit_test(other_combinations_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
