/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how cpu_ref reads and writes the 16-bit floating types, over all bit patterns, and how
 * it rounds to TF32. Expected values follow the definitions, computed with ldexp, frexp and
 * nearbyint. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu_ref_fixture.h"
#include "plugins/cpu_ref/element.h"

#define PATTERNS 65536
#define RANDOM   2000000

/* One of the two 16-bit types. */
struct format {
    const char *name;
    int fraction; /* bits */
    int bias;
    double (*load)(uint16_t bits);
    uint16_t (*store)(double value);
};

static double half_load(uint16_t bits)
{
    return cpu_ref_half_load((struct cpu_ref_half){bits});
}

static uint16_t half_store(double value)
{
    return cpu_ref_half_store(value).bits;
}

static double bfloat16_load(uint16_t bits)
{
    return cpu_ref_bfloat16_load((struct cpu_ref_bfloat16){bits});
}

static uint16_t bfloat16_store(double value)
{
    return cpu_ref_bfloat16_store(value).bits;
}

static const struct format formats[] = {
    {"half", 10, 15, half_load, half_store},
    {"bfloat16", 7, 127, bfloat16_load, bfloat16_store},
};

#define FORMATS (sizeof formats / sizeof formats[0])

/* Returns the pattern of infinity, with all exponent bits set. Smaller patterns are the finite
 * numbers in ascending order. */
static uint16_t infinity_of(const struct format *format)
{
    return (uint16_t)((2 * format->bias + 1) << format->fraction);
}

/* Returns the value of a pattern without sign. For infinity it is the power of 2 that would
 * follow. */
static double meaning(const struct format *format, uint16_t bits)
{
    int exponent = bits >> format->fraction;
    int fraction = bits & ((1 << format->fraction) - 1);
    int leading = exponent ? 1 << format->fraction : 0;

    return ldexp(leading + fraction, (exponent ? exponent : 1) - format->bias - format->fraction);
}

static void assert_stores(const struct format *format, double value, uint16_t expected)
{
    uint16_t stored = format->store(value);

    if (stored != expected)
        fail_msg("%s of %a is %04x and must be %04x", format->name, value, stored, expected);
}

/* Checks the stored pattern of a value and of its negative. */
static void assert_stores_both(const struct format *format, double value, uint16_t expected)
{
    assert_stores(format, value, expected);
    assert_stores(format, -value, expected | 0x8000);
}

/* ------------------------------------------------------------------ 16 bits */

static void loads_every_pattern(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMATS; f++) {
        uint16_t infinity = infinity_of(&formats[f]);

        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            uint16_t bits = pattern & 0x7fff;
            double value = formats[f].load((uint16_t)pattern);

            if (bits > infinity) {
                assert_true(isnan(value));
                continue;
            }
            assert_int_equal(signbit(value) != 0, pattern >> 15);
            if (fabs(value) != (bits == infinity ? (double)INFINITY : meaning(&formats[f], bits)))
                fail_msg("%s %04x is read as %a", formats[f].name, pattern, value);
        }
    }
}

static void stores_every_pattern_back(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMATS; f++) {
        uint16_t infinity = infinity_of(&formats[f]);
        uint16_t quiet = (uint16_t)(1 << (formats[f].fraction - 1));

        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            int is_nan = (pattern & 0x7fff) > infinity;
            assert_stores(&formats[f], formats[f].load((uint16_t)pattern),
                          (uint16_t)(is_nan ? pattern | quiet : pattern));
        }
    }
}

/* The midpoint of two neighbours rounds to even, other values to the nearer one. The double next
 * to a midpoint is not a float, so double rounding would show. */
static void rounds_to_the_nearest(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMATS; f++) {
        uint16_t infinity = infinity_of(&formats[f]);

        for (uint16_t low = 0; low < infinity; low++) {
            uint16_t high = (uint16_t)(low + 1);
            double middle = (meaning(&formats[f], low) + meaning(&formats[f], high)) / 2;

            assert_stores_both(&formats[f], middle, low & 1 ? high : low);
            assert_stores_both(&formats[f], nextafter(middle, 0), low);
            assert_stores_both(&formats[f], nextafter(middle, (double)INFINITY), high);
        }
    }
}

static void rounds_the_very_small_and_large(void **state)
{
    static const double large[] = {1e39, 0x1p1000, DBL_MAX, (double)INFINITY};
    static const double small[] = {0, DBL_TRUE_MIN, DBL_MIN, 0x1p-200, 0x1p-135};
    double signalling;

    (void)state;
    for (size_t f = 0; f < FORMATS; f++) {
        for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
            assert_stores_both(&formats[f], large[i], infinity_of(&formats[f]));
        for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
            assert_stores_both(&formats[f], small[i], 0);
        /* The payload of this signalling NaN fits no 16-bit type. */
        memcpy(&signalling, &(uint64_t){UINT64_C(0x7ff0000000000001)}, sizeof signalling);
        assert_stores(&formats[f], signalling,
                      (uint16_t)(infinity_of(&formats[f]) | 1 << (formats[f].fraction - 1)));
    }
    assert_stores_both(&formats[0], 65519.999999999993, 0x7bff);
    assert_stores_both(&formats[0], 65520, 0x7c00);
}

/* ------------------------------------------------------------------ TF32 */

static uint64_t draw(void)
{
    static uint64_t state = 20;

    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) ^ state << 31;
}

static float draw_float(void)
{
    return cpu_ref_float_of((uint32_t)draw());
}

static void rounds_to_tf32(void **state)
{
    (void)state;
    for (int i = 0; i < RANDOM; i++) {
        float value = draw_float();

        if (isfinite(value) && (double)cpu_ref_tf32(value) != fixture_round((double)value, 11))
            fail_msg("TF32 of %a is %a", (double)value, (double)cpu_ref_tf32(value));
    }
    /* 1 + 2^-11 is a midpoint. */
    assert_true(cpu_ref_tf32(0x1.002p0f) == 1);
    assert_true(cpu_ref_tf32(0x1.002002p0f) == 0x1.004p0f);
    assert_true(cpu_ref_tf32(0x1.006p0f) == 0x1.008p0f);
    assert_true(cpu_ref_tf32(-0x1.004p0f) == -0x1.004p0f);
    assert_true(cpu_ref_tf32(FLT_MAX) == INFINITY);
    assert_true(cpu_ref_tf32(-INFINITY) == -INFINITY);
    assert_true(isnan(cpu_ref_tf32(cpu_ref_float_of(0x7f800001))));
    assert_true(signbit(cpu_ref_tf32(-0.0f)));
}

static void splits_into_two_terms(void **state)
{
    (void)state;
    for (int i = 0; i < RANDOM; i++) {
        float value = draw_float();
        double high = fixture_round((double)value, 11);

        if (!isfinite(value) || isinf(high))
            continue;
        if ((double)cpu_ref_split(value) != high + fixture_round((double)value - high, 11))
            fail_msg("split of %a is %a", (double)value, (double)cpu_ref_split(value));
    }
    /* The significand is 24 ones. The high term is 2, and the remainder -2^-23 fits the low
     * term. */
    assert_true(cpu_ref_split(0x1.fffffep0f) == 0x1.fffffep0f);
    /* 1 + 2^-11 (1 - 2^-12): the high term is 1, and the low one has 12 bits. */
    assert_true(cpu_ref_split(0x1.001ffep0f) == 0x1.002p0f);
    assert_true(cpu_ref_split(FLT_MAX) == FLT_MAX);
    assert_true(cpu_ref_split(-INFINITY) == -INFINITY);
    assert_true(isnan(cpu_ref_split(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_every_pattern),   cmocka_unit_test(stores_every_pattern_back),
        cmocka_unit_test(rounds_to_the_nearest), cmocka_unit_test(rounds_the_very_small_and_large),
        cmocka_unit_test(rounds_to_tf32),        cmocka_unit_test(splits_into_two_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
