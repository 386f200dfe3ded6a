/* SPDX-License-Identifier: Apache-2.0 */
/* Tests quantiles without stored values, and the direction of errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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

static int by_size(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

/* Quantiles are compared with the definition on sorted values from 2^-20 to 2^20: never below,
 * at most a step above. */
static void quantiles_are_near_the_true_ones(void **state)
{
    static const double parts[] = {0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
    enum { COUNT = 5000 };
    static struct adn_spread spread;
    static double values[COUNT];
    uint64_t bits = 88172645463325252ULL;

    (void)state;
    memset(&spread, 0, sizeof(spread));
    for (int i = 0; i < COUNT; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        values[i] = ldexp(1 + (double)(bits >> 32) * 0x1p-32, (int)(bits % 40) - 20);
        adn_spread_add(&spread, values[i]);
    }
    qsort(values, COUNT, sizeof(values[0]), by_size);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        double want = values[(int)ceil(parts[i] * COUNT) - 1];
        double got = adn_spread_quantile(&spread, parts[i]);

        assert_true(got >= want && got <= want * (1 + 1.0 / ADN_SPREAD_STEPS));
    }
    same(adn_spread_quantile(&spread, 1), values[COUNT - 1]);
}

static void quantiles_at_the_ends(void **state)
{
    static struct adn_spread spread;

    (void)state;
    memset(&spread, 0, sizeof(spread));
    same(adn_spread_quantile(&spread, 0.99), 0);
    for (int i = 0; i < 99; i++)
        adn_spread_add(&spread, 0);
    adn_spread_add(&spread, 3);
    same(adn_spread_quantile(&spread, 0.99), 0);
    same(adn_spread_quantile(&spread, 0.991), 3);
    adn_spread_add(&spread, 0x1p-1074);
    same(adn_spread_quantile(&spread, 1), 3);
    adn_spread_add(&spread, 0x1p1000);
    same(adn_spread_quantile(&spread, 1), 0x1p1000);
    assert_int_equal(spread.count, 102);
    assert_int_equal(spread.zeros, 99);
}

/* The results 1 for 2 and -1 for -2 are both too small in magnitude, and the errors cancel. */
static void directions(void **state)
{
    static struct adn_statistics statistics;

    (void)state;
    adn_statistics_begin(&statistics);
    same(adn_statistics_bias(&statistics), 0);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_FLOAT, 1, 2);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_FLOAT, -1, -2);
    same(adn_statistics_bias(&statistics), 0);
    same(adn_statistics_outward(&statistics), -0.5);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_FLOAT, -3, -4);
    same(adn_statistics_bias(&statistics), 0.125);
    same(adn_statistics_outward(&statistics), -0.375);
    adn_statistics_begin(&statistics);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_FLOAT, -1, 0);
    same(adn_statistics_bias(&statistics), -INFINITY);
}

/* The values were derived by hand: at 1, a unit of float is 2^-23, of half 2^-10, of bfloat16
 * 2^-7, of double 2^-52. */
static void units_of_each_type(void **state)
{
    static const struct {
        int32_t type;
        double unit;
    } rows[] = {{ANYDNN_PLUGIN_FLOAT, 0x1p-23},
                {ANYDNN_PLUGIN_HALF, 0x1p-10},
                {ANYDNN_PLUGIN_BFLOAT16, 0x1p-7},
                {ANYDNN_PLUGIN_DOUBLE, 0x1p-52}};
    static struct adn_statistics statistics;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        adn_statistics_begin(&statistics);
        adn_statistics_add(&statistics, rows[i].type, 1 + 3 * rows[i].unit, 1);
        adn_statistics_add(&statistics, rows[i].type, -1 - rows[i].unit, -1);
        same(statistics.measure.max_ulp, 3);
        same(adn_measure_mean_ulp(&statistics.measure), 2);
        same(adn_spread_quantile(&statistics.ulps, 1), 3);
        same(statistics.measure.max_abs, 3 * rows[i].unit);
    }
}

/* Integers must be exact. A correct infinity is no error; a NaN is one. */
static void special_results(void **state)
{
    static struct adn_statistics statistics;

    (void)state;
    adn_statistics_begin(&statistics);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_INT8, 127, 3000.25);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_INT8, 2, 2.5);
    same(statistics.measure.max_abs, 0);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_INT8, 3, 2.5);
    same(statistics.measure.max_abs, 1);
    adn_statistics_begin(&statistics);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_HALF, INFINITY, 65520);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_HALF, NAN, NAN);
    assert_int_equal(statistics.measure.mismatches, 0);
    assert_int_equal(statistics.not_finite, 2);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_HALF, NAN, 1);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_HALF, INFINITY, 65504);
    adn_statistics_add(&statistics, ANYDNN_PLUGIN_HALF, 1, NAN);
    assert_int_equal(statistics.measure.mismatches, 3);
    assert_int_equal(statistics.not_finite, 4);
    assert_int_equal(statistics.ulps.count, 0);
    same(statistics.measure.max_abs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_near_the_true_ones),
        cmocka_unit_test(quantiles_at_the_ends),
        cmocka_unit_test(directions),
        cmocka_unit_test(units_of_each_type),
        cmocka_unit_test(special_results),
    };

    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
