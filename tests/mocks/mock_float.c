/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend that meddles with the floating-point environment: as it is opened, as a file linked
 * with -ffast-math does, and in the function that the variable MOCK_FLOAT_CHANGES names. Its one
 * operation, activation_forward, writes into y what it found: y[0] the rounding mode, y[1] a
 * subnormal number times 1, y[2] the factor alpha, y[3] the bits of a long double's fraction.
 */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "mocks/fake.h"

static void change(void)
{
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
#endif
    feraiseexcept(FE_INVALID | FE_OVERFLOW);
}

static void change_in(const char *function)
{
    const char *named = getenv("MOCK_FLOAT_CHANGES");

    if (named && strcmp(named, function) == 0)
        change();
}

__attribute__((constructor)) static void opened(void)
{
    change();
}

/* Bits until adding half a unit makes no difference. */
static float fraction_bits(void)
{
    volatile long double unit = 1, sum;
    int bits = 0;

    do {
        unit /= 2;
        sum = 1 + unit;
        bits++;
    } while (sum != 1 && bits < 200);
    return (float)bits;
}

static int32_t execute(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    volatile float tiny = 0x1p-140f;
    float *y = operands->data[1];

    (void)plan;
    (void)effect;
    y[0] = (float)fegetround();
    y[1] = tiny * 1;
    y[2] = (float)operands->scale[0];
    y[3] = fraction_bits();
    change_in("plan_execute");
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static const struct fake_operation operations[] = {
    {ANYDNN_PLUGIN_ACTIVATION_FORWARD, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)}};

struct fake fake = {
    .name = "mock_float",
    .flags = ANYDNN_PLUGIN_FORK_SAFE,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .maths = KIT_EVERY_MATH,
    .operations = operations,
    .operation_count = 1,
    .enter = change_in,
    .execute = execute,
};
