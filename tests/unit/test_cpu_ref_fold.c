/* SPDX-License-Identifier: Apache-2.0 */
/* Tests transform_tensor_ex and transform_filter of cpu_ref between types: each supported pair
 * preserves the numbers, and other pairs are declined. */
#include "cpu_ref_operand.h"
#include "numerics/numerics.h"

#define EX     ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX
#define FILTER ANYDNN_PLUGIN_TRANSFORM_FILTER

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

/* Returns 1 if a transform supports both types together. */
static int go_together(int32_t operation, int32_t x, int32_t y)
{
    if (operation == FILTER && (is_vector(x) || is_vector(y) || x == S32 || y == S32))
        return 0;
    if (x == F64 || y == F64 || x == S32 || y == S32)
        return x == y;
    return is_unsigned(x) == is_unsigned(y);
}

static void fill_any(struct operand *operand, uint64_t *seed)
{
    int32_t type = operand->tensor.type;
    int whole = adn_type_digits(type) == 0;

    operand_fill(operand, seed, is_unsigned(type) ? 0 : -300, 300, whole ? 1 : 2);
}

/* Returns the result of FOLD with pads: position o of a block of x and channel c map to channel
 * o * C + c. */
static double folded(const struct operand *x, const struct anydnn_plugin_transform *params,
                     const int64_t *at)
{
    int64_t channels = x->tensor.dims[1], o = at[1] / channels, index[ANYDNN_PLUGIN_DIM_MAX];

    index[0] = at[0] - params->pad_before[0];
    index[1] = at[1] % channels;
    index[2] = at[2] * params->fold[0] + o / params->fold[1] - params->pad_before[2];
    index[3] = at[3] * params->fold[1] + o % params->fold[1] - params->pad_before[3];
    for (int d = 0; d < 4; d++) {
        if (index[d] < 0 || index[d] >= x->tensor.dims[d])
            return 0;
    }
    return operand_get(x, index);
}

static void fold_and_pad(int32_t operation, int32_t from, int32_t to, uint64_t *seed)
{
    static double want[1 << 14];
    int64_t lanes = from == S8X32 || to == S8X32 ? 32 : is_vector(from) || is_vector(to) ? 4 : 1;
    int64_t x_dims[4] = {operand_random(seed, 1, 2), lanes * operand_random(seed, 1, 2),
                         operand_random(seed, 1, 4), operand_random(seed, 1, 4)};
    struct anydnn_plugin_transform params = {
        .struct_size = sizeof params,
        .pad_before = {operand_random(seed, 0, 1), 0, operand_random(seed, 0, 2), 1},
        .pad_after = {0, 0, operand_random(seed, 0, 2), operand_random(seed, 0, 1)},
        .fold = {operand_random(seed, 1, 3), operand_random(seed, 1, 2)}};
    int64_t y_dims[4], index[ANYDNN_PLUGIN_DIM_MAX] = {0}, at = 0;
    struct operand x, y;
    const struct operand_call call = {
        .operation = operation, .params = &params, .slot = {&x, &y}, .scale = {0.5, -0.5}};

    for (int d = 0; d < 4; d++)
        y_dims[d] = x_dims[d] + params.pad_before[d] + params.pad_after[d];
    for (int d = 2; d < 4; d++)
        y_dims[d] = (y_dims[d] + params.fold[d - 2] - 1) / params.fold[d - 2];
    y_dims[1] *= params.fold[0] * params.fold[1];
    operand_make(&x, from, 4, x_dims, operand_any_layout(seed), seed);
    operand_make(&y, to, 4, y_dims, operand_any_layout(seed), seed);
    fill_any(&x, seed);
    fill_any(&y, seed);
    do
        want[at++] =
            adn_type_round(to, 0.5 * folded(&x, &params, index) - 0.5 * operand_get(&y, index));
    while (operand_next(&y, index));
    operand_run(&call, 2);
    operand_expect(&y, want);
    operand_free(&x);
    operand_free(&y);
}

static void folds_hold_the_same_numbers(void **state)
{
    uint64_t seed = 4;

    (void)state;
    for (int pair = 0; pair < ALL * ALL; pair++) {
        int32_t from = all[pair / ALL], to = all[pair % ALL];

        for (int round = 0; round < 4; round++) {
            if (go_together(EX, from, to))
                fold_and_pad(EX, from, to, &seed);
            if (go_together(FILTER, from, to))
                fold_and_pad(FILTER, from, to, &seed);
        }
    }
}

/* The transform has no pads, and the dims are divisible by the folds. */
static void unfold_is_the_way_back(void **state)
{
    static const int64_t whole[4] = {2, 32, 4, 6}, blocks[4] = {2, 32 * 6, 2, 2};
    static double numbers[2 * 32 * 4 * 6];
    struct anydnn_plugin_transform params = {.struct_size = sizeof params, .fold = {2, 3}};
    uint64_t seed = 6;

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers[i] = (double)operand_random(&seed, 0, 127);
    for (int pair = 0; pair < ALL * ALL; pair++) {
        struct operand x, y, z;
        struct operand_call call = {
            .operation = EX, .params = &params, .slot = {&x, &y}, .scale = {1, 0}};

        operand_make(&x, all[pair / ALL], 4, whole, operand_any_layout(&seed), &seed);
        operand_make(&y, all[pair % ALL], 4, blocks, operand_any_layout(&seed), &seed);
        operand_make(&z, all[pair / ALL], 4, whole, operand_any_layout(&seed), &seed);
        if (go_together(EX, x.tensor.type, y.tensor.type)) {
            operand_put(&x, numbers);
            params.direction = 0;
            operand_run(&call, 2);
            params.direction = 1;
            call.slot[0] = &y;
            call.slot[1] = &z;
            operand_run(&call, 2);
            operand_expect(&z, numbers);
        }
        operand_free(&x);
        operand_free(&y);
        operand_free(&z);
    }
}

static void other_types_are_declined(void **state)
{
    static const int64_t dims[4] = {1, 32, 1, 1};
    struct anydnn_plugin_transform params = {.struct_size = sizeof params, .fold = {1, 1}};
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 2 * ALL * ALL; i++) {
        struct operand x, y;
        const struct operand_call call = {
            .operation = i % 2 ? EX : FILTER, .params = &params, .slot = {&x, &y}};

        operand_make(&x, all[i / 2 / ALL], 4, dims, OPERAND_ROWS, &seed);
        operand_make(&y, all[i / 2 % ALL], 4, dims, OPERAND_ROWS, &seed);
        if (!go_together(call.operation, x.tensor.type, y.tensor.type))
            operand_declined(&call, ANYDNN_PLUGIN_REASON_TYPE, "x is ");
        operand_free(&x);
        operand_free(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unfold_is_the_way_back),
        cmocka_unit_test(folds_hold_the_same_numbers),
        cmocka_unit_test(other_types_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
