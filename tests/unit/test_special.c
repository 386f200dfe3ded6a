/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the counts of NaN, infinities and zeros of tensors in host memory. plugin.h defines
 * them; the expected counts were computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/handle/special.h"
#include "numerics/numerics.h"

/* Returns a tensor; `numbers` holds the dims, then the strides. */
static struct anydnn_plugin_tensor tensor_of(int32_t type, int32_t ndims, const int64_t *numbers)
{
    struct anydnn_plugin_tensor tensor = {.struct_size = sizeof(tensor), .type = type};

    tensor.ndims = ndims;
    for (int32_t d = 0; d < ndims; d++) {
        tensor.dims[d] = numbers[d];
        tensor.strides[d] = numbers[ndims + d];
    }
    return tensor;
}

static void holds(const struct anydnn_plugin_tensor *tensor, const void *data, uint64_t nan,
                  uint64_t infinite, uint64_t zero)
{
    uint64_t counts[ANYDNN_PLUGIN_SPECIAL_END] = {10, 20, 30};

    assert_int_equal(adn_special_count(tensor, data, counts), 0);
    assert_int_equal(counts[ANYDNN_PLUGIN_SPECIAL_NAN], 10 + nan);
    assert_int_equal(counts[ANYDNN_PLUGIN_SPECIAL_INFINITY], 20 + infinite);
    assert_int_equal(counts[ANYDNN_PLUGIN_SPECIAL_ZERO], 30 + zero);
}

/* The smallest and the largest numbers of a type count as none of the three. */
static void floating_types(void **state)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_HALF,
                                    ANYDNN_PLUGIN_BFLOAT16};
    static const size_t sizes[] = {4, 8, 2, 2};

    (void)state;
    for (int t = 0; t < 4; t++) {
        const double values[] = {NAN,
                                 -INFINITY,
                                 INFINITY,
                                 0,
                                 -0.0,
                                 0,
                                 adn_type_least(types[t]),
                                 -adn_type_least(types[t]),
                                 adn_type_highest(types[t]),
                                 adn_type_lowest(types[t]),
                                 1};
        struct anydnn_plugin_tensor tensor =
            tensor_of(types[t], 2, (const int64_t[]){1, 12, 12, 1});
        char data[12 * 8];

        for (size_t i = 0; i < 11; i++)
            adn_element_store(types[t], data + i * sizes[t], values[i]);
        memset(data + 11 * sizes[t], 0xff, sizes[t]); /* another NaN, with a sign */
        holds(&tensor, data, 2, 2, 3);
    }
}

static void integers_have_only_zeros(void **state)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_UINT8, ANYDNN_PLUGIN_INT32,
                                    ANYDNN_PLUGIN_INT64};
    static const size_t sizes[] = {1, 1, 4, 8};

    (void)state;
    for (int t = 0; t < 4; t++) {
        struct anydnn_plugin_tensor tensor = tensor_of(types[t], 1, (const int64_t[]){3, 1});
        unsigned char data[3 * 8];

        memset(data, 0, sizeof(data));
        memset(data, 0xff, sizes[t]);
        data[2 * sizes[t] - 1] = 0x80; /* the sign bit alone makes a number */
        holds(&tensor, data, 0, 0, 1);
    }
}

/* Gaps hold NaN. The dims are not in memory order, and those of size 1 have any stride. */
static void gaps_do_not_count(void **state)
{
    struct anydnn_plugin_tensor tensor =
        tensor_of(ANYDNN_PLUGIN_FLOAT, 4, (const int64_t[]){2, 1, 3, 2, 2, 1, 13, 5});
    float data[40];

    (void)state;
    for (int i = 0; i < 40; i++)
        data[i] = NAN;
    for (int n = 0; n < 2; n++)
        for (int h = 0; h < 3; h++)
            for (int w = 0; w < 2; w++)
                data[2 * n + 13 * h + 5 * w] = n == 0 ? 0 : INFINITY;
    data[2 + 26 + 5] = NAN;
    holds(&tensor, data, 1, 5, 6);
}

/* There are two vectors of four, with a gap of one vector between them. */
static void vectors_count_their_scalars(void **state)
{
    struct anydnn_plugin_tensor tensor =
        tensor_of(ANYDNN_PLUGIN_INT8X4, 4, (const int64_t[]){1, 8, 1, 1, 4, 2, 1, 1});
    static const int8_t data[12] = {1, 0, 2, 3, 0, 0, 0, 0, 0, -1, 0, 0};

    (void)state;
    holds(&tensor, data, 0, 0, 4);
}

static void indices_are_not_counted(void **state)
{
    struct anydnn_plugin_tensor tensor =
        tensor_of(ANYDNN_PLUGIN_UINT16, 1, (const int64_t[]){1, 1});
    uint64_t counts[ANYDNN_PLUGIN_SPECIAL_END] = {0};

    (void)state;
    assert_int_equal(adn_special_count(&tensor, counts, counts), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floating_types),          cmocka_unit_test(integers_have_only_zeros),
        cmocka_unit_test(gaps_do_not_count),       cmocka_unit_test(vectors_count_their_scalars),
        cmocka_unit_test(indices_are_not_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
