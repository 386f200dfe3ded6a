/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding to every type, distances, measures and bounds of core/numerics. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <anydnn/plugin.h>

#include "numerics/numerics.h"

static void same(double got, double want)
{
    if (isnan(want))
        assert_true(isnan(got));
    else
        assert_true(got == want);
}

static void float_rounds_as_the_compiler_does(void **state)
{
    uint64_t bits = 88172645463325252ULL;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double value;

        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        value = ldexp((double)(int64_t)bits, (int)(bits >> 7 & 0x1ff) - 320);
        same(adn_type_round(ANYDNN_PLUGIN_FLOAT, value), (double)(float)value);
    }
    same(adn_type_round(ANYDNN_PLUGIN_FLOAT, 1e-46), 0);
    same(adn_type_round(ANYDNN_PLUGIN_FLOAT, 1e39), INFINITY);
    same(adn_type_round(ANYDNN_PLUGIN_FLOAT, NAN), NAN);
}

/* Values worked out by hand from the formats. */
static void short_types_round_to_even(void **state)
{
    (void)state;
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 2049), 2048);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 2051), 2052);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 65504), 65504);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 65519), 65504);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 65520), INFINITY);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, -65520), -INFINITY);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 0x1p-24), 0x1p-24);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 0x1p-25), 0);
    same(adn_type_round(ANYDNN_PLUGIN_HALF, 0x1.8p-25), 0x1p-24);
    same(adn_type_round(ANYDNN_PLUGIN_BFLOAT16, 257), 256);
    same(adn_type_round(ANYDNN_PLUGIN_BFLOAT16, 259), 260);
    same(adn_type_round(ANYDNN_PLUGIN_BFLOAT16, 1e39), INFINITY);
    same(adn_type_least(ANYDNN_PLUGIN_HALF), 0x1p-24);
    same(adn_type_least(ANYDNN_PLUGIN_FLOAT), 0x1p-149);
    same(adn_type_least(ANYDNN_PLUGIN_DOUBLE), 0x1p-1074);
    same(adn_type_highest(ANYDNN_PLUGIN_HALF), 65504);
    same(adn_type_highest(ANYDNN_PLUGIN_FLOAT), (double)FLT_MAX);
    same(adn_type_lowest(ANYDNN_PLUGIN_DOUBLE), -DBL_MAX);
}

static void integers_round_and_saturate(void **state)
{
    (void)state;
    same(adn_type_round(ANYDNN_PLUGIN_INT8, 2.5), 2);
    same(adn_type_round(ANYDNN_PLUGIN_INT8, 3.5), 4);
    same(adn_type_round(ANYDNN_PLUGIN_INT8, 127.6), 127);
    same(adn_type_round(ANYDNN_PLUGIN_INT8X4, -1000), -128);
    same(adn_type_round(ANYDNN_PLUGIN_UINT8, -3), 0);
    same(adn_type_round(ANYDNN_PLUGIN_INT32, INFINITY), 2147483647.0);
    same(adn_type_round(ANYDNN_PLUGIN_INT8, NAN), 0);
    same(adn_type_ulp(ANYDNN_PLUGIN_INT32, 5), 1);
}

/* Every pattern of a 16-bit type is its own number, and numbers between two go to one of them. */
static void short_types_survive_as_bytes(void **state)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_BFLOAT16};

    (void)state;
    for (int t = 0; t < 2; t++)
        for (uint32_t bits = 0; bits < 65536; bits++) {
            uint16_t word = (uint16_t)bits, back = 0;
            double value = adn_element_load(types[t], &word);

            adn_element_store(types[t], &back, value);
            if (!isnan(value))
                assert_int_equal(back, word);
            else
                assert_true(isnan(adn_element_load(types[t], &back)));
            same(value, adn_type_round(types[t], value));
        }
}

/* Bytes worked out by hand. */
static void elements_as_bytes(void **state)
{
    static const struct {
        int32_t type;
        double value;
        double back;
        unsigned char bytes[9]; /* lowest first, ends with 0xee */
    } rows[] = {
        {ANYDNN_PLUGIN_HALF, 1, 1, {0x00, 0x3c, 0xee}},
        {ANYDNN_PLUGIN_HALF, -2.5, -2.5, {0x00, 0xc1, 0xee}},
        {ANYDNN_PLUGIN_HALF, 65520, INFINITY, {0x00, 0x7c, 0xee}},
        {ANYDNN_PLUGIN_HALF, 0x1p-24, 0x1p-24, {0x01, 0x00, 0xee}},
        {ANYDNN_PLUGIN_HALF, 0x1.ffcp-15, 0x1p-14, {0x00, 0x04, 0xee}},
        {ANYDNN_PLUGIN_HALF, 2049, 2048, {0x00, 0x68, 0xee}},
        {ANYDNN_PLUGIN_BFLOAT16, 1.00390625, 1, {0x80, 0x3f, 0xee}},
        {ANYDNN_PLUGIN_BFLOAT16, 1.01171875, 1.015625, {0x82, 0x3f, 0xee}},
        {ANYDNN_PLUGIN_BFLOAT16, -INFINITY, -INFINITY, {0x80, 0xff, 0xee}},
        {ANYDNN_PLUGIN_FLOAT, 16777217, 16777216, {0x00, 0x00, 0x80, 0x4b, 0xee}},
        {ANYDNN_PLUGIN_DOUBLE, 0.1, 0.1, {0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0x3f, 0xee}},
        {ANYDNN_PLUGIN_INT8, -2.5, -2, {0xfe, 0xee}},
        {ANYDNN_PLUGIN_INT8X4, 300, 127, {0x7f, 0xee}},
        {ANYDNN_PLUGIN_INT8X32, -300, -128, {0x80, 0xee}},
        {ANYDNN_PLUGIN_INT8, NAN, 0, {0x00, 0xee}},
        {ANYDNN_PLUGIN_UINT8, 254.5, 254, {0xfe, 0xee}},
        {ANYDNN_PLUGIN_UINT8X4, -1, 0, {0x00, 0xee}},
        {ANYDNN_PLUGIN_INT32, -1e10, -2147483648.0, {0x00, 0x00, 0x00, 0x80, 0xee}},
        {ANYDNN_PLUGIN_INT64, -2, -2, {0xfe, 255, 255, 255, 255, 255, 255, 255, 0xee}},
        {ANYDNN_PLUGIN_UINT16, 65534, 65534, {0xfe, 0xff, 0xee}},
        {ANYDNN_PLUGIN_UINT32, 4294967294.0, 4294967294.0, {0xfe, 0xff, 0xff, 0xff, 0xee}},
        {ANYDNN_PLUGIN_UINT64, 258, 258, {2, 1, 0, 0, 0, 0, 0, 0, 0xee}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned char bytes[9];
        size_t size = 0;

        while (rows[i].bytes[size] != 0xee)
            size++;
        memset(bytes, 0xee, sizeof(bytes));
        adn_element_store(rows[i].type, bytes, rows[i].value);
        assert_memory_equal(bytes, rows[i].bytes, size + 1);
        same(adn_element_load(rows[i].type, bytes), rows[i].back);
    }
}

static void distances_count_last_places(void **state)
{
    (void)state;
    same(adn_ulp_distance(ANYDNN_PLUGIN_FLOAT, 1, 1), 0);
    same(adn_ulp_distance(ANYDNN_PLUGIN_FLOAT, 1 + 0x1p-22, 1), 2);
    same(adn_ulp_distance(ANYDNN_PLUGIN_DOUBLE, 1 + 0x1p-52, 1), 1);
    same(adn_ulp_distance(ANYDNN_PLUGIN_HALF, 0, 0x1p-23), 2);
    same(adn_ulp_distance(ANYDNN_PLUGIN_FLOAT, -0.0, 0), 0);
    same(adn_ulp_distance(ANYDNN_PLUGIN_FLOAT, NAN, NAN), 0);
    same(adn_ulp_distance(ANYDNN_PLUGIN_FLOAT, NAN, 1), INFINITY);
    same(adn_ulp_distance(ANYDNN_PLUGIN_FLOAT, INFINITY, INFINITY), 0);
    same(adn_ulp_distance(ANYDNN_PLUGIN_FLOAT, INFINITY, -INFINITY), INFINITY);
}

static void measures_add_up(void **state)
{
    struct adn_measure measure;

    (void)state;
    adn_measure_begin(&measure);
    same(adn_measure_relative_l2(&measure), 0);
    adn_measure_add(&measure, ANYDNN_PLUGIN_FLOAT, 3, 3);
    adn_measure_add(&measure, ANYDNN_PLUGIN_FLOAT, 4.5, 4);
    adn_measure_add(&measure, ANYDNN_PLUGIN_FLOAT, NAN, 7);
    assert_int_equal(measure.count, 3);
    assert_int_equal(measure.mismatches, 1);
    assert_int_equal(measure.worst_at, 1);
    same(measure.max_abs, 0.5);
    same(adn_measure_mean_abs(&measure), 0.25);
    same(adn_measure_relative_l2(&measure), 0.1);
    same(adn_measure_mean_ulp(&measure), 0x1p20 / 2);
    adn_measure_begin(&measure);
    adn_measure_add(&measure, ANYDNN_PLUGIN_FLOAT, 1, 0);
    same(adn_measure_relative_l2(&measure), INFINITY);
}

/* The bound of numerics.h with K = 64: u |want| + 12 eps S + least, and half of the least for each
 * term, which shows where the terms are below the least normal number alone. */
static void bounds_follow_the_formula(void **state)
{
    struct adn_bound bound = {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_FLOAT, 64, 0, 0};

    (void)state;
    same(adn_bound_error(&bound, 2, 10, 0), 0x1p-23 + 120 * 0x1p-23 + 0x1p-149);
    same(adn_bound_error(&bound, 0x1p-140, 0x1p-139, 0),
         0x1p-164 + 12 * 0x1p-162 + 0x1p-149 + 32 * 0x1p-149);
    bound.type = ANYDNN_PLUGIN_HALF;
    same(adn_bound_error(&bound, 2, 10, 0), 0x1p-10 + 120 * 0x1p-23 + 0x1p-24);
    bound.rounding = 0x1p-11;
    same(adn_bound_error(&bound, 2, 10, 9) - adn_bound_error(&bound, 2, 10, 0), 12 * 0x1p-11);
    bound = (struct adn_bound){ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT32, 64, 0, 0};
    assert_true(adn_bound_holds(&bound, 2, 2.5, 0, 0));
    assert_false(adn_bound_holds(&bound, 3, 2.5, 0, 0));
    assert_true(adn_bound_holds(&bound, 3, 2.5, 2.5, 0));
    assert_false(adn_bound_holds(&bound, 4, 2.5, 2.5, 0));
    assert_false(adn_bound_holds(&bound, 1, 2.5, 2.5, 0));
    assert_false(adn_bound_holds(&bound, 2, 2.51, 2.51, 0));
    assert_true(adn_bound_holds(&bound, 127, 300, 300, 0));
    assert_true(adn_bound_holds(&bound, 0, NAN, 0, 0));
    assert_false(adn_bound_holds(&bound, 1, NAN, 0, 0));
}

static void bounds_take_special_values(void **state)
{
    struct adn_bound bound = {ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_FLOAT, 4, 0, 0};

    (void)state;
    assert_true(adn_bound_holds(&bound, NAN, NAN, 1, 0));
    assert_false(adn_bound_holds(&bound, 0, NAN, 1, 0));
    assert_false(adn_bound_holds(&bound, NAN, 0, 1, 0));
    assert_true(adn_bound_holds(&bound, INFINITY, INFINITY, 1, 0));
    assert_false(adn_bound_holds(&bound, -INFINITY, INFINITY, 1, 0));
    assert_true(adn_bound_holds(&bound, INFINITY, 65519.99, 65519.99, 0));
    assert_true(adn_bound_holds(&bound, 65504, 65520.01, 65520.01, 0));
    assert_false(adn_bound_holds(&bound, INFINITY, 65510, 65510, 0));
    assert_false(adn_bound_holds(&bound, 65504, 65530, 65530, 0));
    assert_false(adn_bound_holds(&bound, 65504, 65520, 0, 0));
    assert_false(adn_bound_holds(&bound, INFINITY, 60000, 60000, 0));
    assert_false(adn_bound_holds(&bound, 65504, INFINITY, 1, 0));
}

static void transforms_grow_with_positions(void **state)
{
    (void)state;
    same(adn_bound_transform(ANYDNN_PLUGIN_FLOAT, 0), 2e-5);
    same(adn_bound_transform(ANYDNN_PLUGIN_FLOAT, 8), 2e-5);
    same(adn_bound_transform(ANYDNN_PLUGIN_HALF, 0), 7e-3);
    assert_float_equal(adn_bound_transform(ANYDNN_PLUGIN_FLOAT, 8000), 2e-5 * pow(1000, 0.4), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_rounds_as_the_compiler_does),
        cmocka_unit_test(short_types_round_to_even),
        cmocka_unit_test(integers_round_and_saturate),
        cmocka_unit_test(short_types_survive_as_bytes),
        cmocka_unit_test(elements_as_bytes),
        cmocka_unit_test(distances_count_last_places),
        cmocka_unit_test(measures_add_up),
        cmocka_unit_test(bounds_follow_the_formula),
        cmocka_unit_test(bounds_take_special_values),
        cmocka_unit_test(transforms_grow_with_positions),
    };

    return cmocka_run_group_tests_name("numerics", tests, NULL, NULL);
}
