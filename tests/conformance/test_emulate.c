/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the setting set.emulate of cpu_ref in an application. The record names the emulated math
 * mode, and the result is that of operands rounded to TF32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <anydnn/anydnn.h>

/* The value 1 + 2^-11 + 2^-23 is slightly nearer to 1 + 2^-10 than to 1. */
#define BESIDE_MIDDLE 0x1.002002p0f

static const char settings[] = "[plugin cpu_ref]\nset.emulate = on\n";

/* Writes the settings, which the first handle of the process reads. */
static int make_settings(void **state)
{
    static char path[] = "/tmp/anydnn_emulate_XXXXXX";
    const char *folder = getenv("ANYDNN_TEST_PLUGINDIR");
    int file = mkstemp(path);

    if (!folder || file < 0 || write(file, settings, sizeof settings - 1) != sizeof settings - 1 ||
        close(file))
        return -1;
    setenv("ANYDNN_CONFIG", path, 1);
    setenv("ANYDNN_PLUGIN_PATH", folder, 1);
    setenv("ANYDNN_ROUTE", "cpu_ref", 1);
    *state = path;
    return 0;
}

static int remove_settings(void **state)
{
    return unlink(*state);
}

/* Checks y = 2 * BESIDE_MIDDLE in the mode. */
static void expect(const char *math, const char *notes, float expected)
{
    float x = BESIDE_MIDDLE, w = 2, y = 0;
    void *pointers[] = {&x, &w, &y};
    anydnnProblem_t problem;
    anydnnHandle_t handle;
    char text[256];

    assert_int_equal(anydnnCreateOnDevice(&handle, "cpu"), 0);
    snprintf(text, sizeof text, "convolution_forward x=f32:1,1,1,1 w=f32:1,1,1,1 math=%s", math);
    assert_int_equal(anydnnProblemParse(text, &problem), 0);
    assert_int_equal(anydnnProblemExecute(handle, problem, pointers, NULL, 0), 0);
    assert_true(y == expected);
    assert_int_equal(anydnnGetDispatchInfo(handle, "math", text, sizeof text), 0);
    assert_string_equal(text, math);
    assert_int_equal(anydnnGetDispatchInfo(handle, "notes", text, sizeof text), 0);
    assert_string_equal(text, notes);
    anydnnProblemDestroy(problem);
    anydnnDestroy(handle);
}

static void default_math_rounds_nothing(void **state)
{
    (void)state;
    expect("default", "", 2 * BESIDE_MIDDLE);
}

static void tensor_op_rounds_no_floats(void **state)
{
    (void)state;
    expect("tensor_op", "", 2 * BESIDE_MIDDLE);
}

static void allow_conversion_rounds_to_tf32(void **state)
{
    (void)state;
    expect("allow_conversion", "reduced_precision", 0x1.004p1f);
}

/* The second term, -(2^-11 - 2^-23), is rounded to -2^-11. */
static void split_keeps_two_terms(void **state)
{
    (void)state;
    expect("split", "", 0x1.002p1f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_math_rounds_nothing),
        cmocka_unit_test(tensor_op_rounds_no_floats),
        cmocka_unit_test(allow_conversion_rounds_to_tf32),
        cmocka_unit_test(split_keeps_two_terms),
    };
    return cmocka_run_group_tests(tests, make_settings, remove_settings);
}
