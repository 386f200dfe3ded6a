/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that cpu_ref rounds a result in double once to its 16-bit type. Each product lies so close
 * to the middle of two numbers that rounding it to float first would move it onto the middle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/conformance/problem_run.h"

static void expect(const char *type, double alpha, double y, double expected)
{
    anydnnHandle_t handle = prun_handle();
    struct prun run;
    char text[256];
    double got;

    assert_non_null(handle);
    snprintf(text, sizeof(text), "scale_tensor y=%s:1,1,1,1 alpha=%.17g", type, alpha);
    if (prun_open(&run, handle, text, 0))
        fail_msg("%s: %s", text, run.error);
    prun_set(&run.operand[0], &y);
    if (prun_execute(&run, 0))
        fail_msg("%s: %s", text, run.error);
    prun_get(&run.operand[0], &got);
    if (got != expected)
        fail_msg("%s of %a is %a and must be %a", text, y, got, expected);
    prun_close(&run);
    anydnnDestroy(handle);
}

/* The product is the middle, 1 + 2^-10 + 2^-11, less 2^-31. */
static void half_is_rounded_once(void **state)
{
    (void)state;
    expect("f16", 1 + 4092 * 0x1p-23, 1 + 0x1p-10, 1 + 0x1p-10);
}

/* The product is the middle, 1 + 2^-6 + 2^-8, plus 2^-26. */
static void bfloat16_is_rounded_once(void **state)
{
    (void)state;
    expect("bf16", 1 + 32264 * 0x1p-23, 1 + 0x1p-6, 1 + 0x1p-6 + 0x1p-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_is_rounded_once),
        cmocka_unit_test(bfloat16_is_rounded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
