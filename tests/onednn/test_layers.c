/* SPDX-License-Identifier: Apache-2.0 */
/* Tests cases in which oneDNN's own primitives differ from anydnn.h, on numbers that `anydnn
 * verify` does not draw: NaN and infinities, operands of gradients that no forward call gave,
 * logarithms of sums near 1. The expected values follow from anydnn.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anydnn/anydnn.h>

#define COUNT_MAX  16
#define INPUTS_MAX 3

#define LOWEST (-0x1.fffffep127f)

/* A problem of floats: its inputs in their order, and its output. Each value must be within `units`
 * of 2^-24. */
struct example {
    const char *problem;
    float input[INPUTS_MAX][COUNT_MAX];
    int outputs;
    double output[COUNT_MAX];
    double units;
};

static anydnnHandle_t handle;

static const struct example examples[] = {
    /* A NaN makes its whole vector NaN, as does +Inf. A vector of -Inf alone gives 0, -Inf or
     * NaN. */
    {"softmax_forward x=f32:4,2,1,1 softmax=accurate",
     {{NAN, 1, INFINITY, 1, -INFINITY, -INFINITY, 0, -INFINITY}},
     8,
     {NAN, NAN, NAN, NAN, 0, 0, 1, 0},
     0},
    {"softmax_forward x=f32:4,2,1,1 softmax=accurate alias=y:x",
     {{NAN, 1, INFINITY, 1, -INFINITY, -INFINITY, 0, -INFINITY}},
     8,
     {NAN, NAN, NAN, NAN, 0, 0, 1, 0},
     0},
    {"softmax_forward x=f32:2,2,1,1 softmax=log",
     {{-INFINITY, -INFINITY, 0, -INFINITY}},
     4,
     {-INFINITY, -INFINITY, 0, -INFINITY},
     0},
    {"softmax_forward x=f32:2,2,1,1 softmax=fast",
     {{-INFINITY, -INFINITY, 0, -INFINITY}},
     4,
     {NAN, NAN, 1, 0},
     0},
    /* Results below 2^-126, where oneDNN's exponential is 0: of -88 and of -90. */
    {"activation_forward x=f32:1,1,1,2 activation=sigmoid",
     {{-88, -90}},
     2,
     {(double)6.0546018954e-39F, (double)8.1940126240e-40F},
     0},
    {"softmax_forward x=f32:1,2,1,1 softmax=accurate",
     {{0, -88}},
     2,
     {1, (double)6.0546018954e-39F},
     0},
    {"softmax_backward y=f32:1,2,1,1 softmax=log",
     {{-90, 0}, {0, -1}},
     2,
     {(double)8.1940126240e-40F, 0},
     0},
    /* oneDNN's own logarithm gives -0.0462752. */
    {"softmax_forward x=f32:1,2,1,1 softmax=log",
     {{0, -3.05f}},
     2,
     {-0.04627168751479916, -3.0962716398310834},
     8},
    /* exp(x) - 1 in float loses 13 bits for -0.001. */
    {"activation_forward x=f32:1,1,1,4 activation=elu coef=1",
     {{-0.001f, -0.01f, 2, NAN}},
     4,
     {-0.000999500214074986, -0.009950166029538562, 2, NAN},
     0.01},
    {"activation_forward x=f32:1,1,1,3 activation=relu nan=propagate",
     {{NAN, -1, INFINITY}},
     3,
     {NAN, 0, INFINITY},
     0},
    {"activation_forward x=f32:1,1,1,3 activation=relu nan=ignore",
     {{NAN, -1, INFINITY}},
     3,
     {0, 0, INFINITY},
     0},
    {"activation_forward x=f32:1,1,1,3 activation=clipped_relu coef=2 nan=propagate",
     {{NAN, 3, -INFINITY}},
     3,
     {NAN, 2, 0},
     0},
    /* A slope of 0 gives 0 for every dy; ELU's slope is 1 where y is 0. Inputs: y, dy, x. */
    {"activation_backward y=f32:1,1,1,4 activation=relu",
     {{0, NAN, -1, 2}, {INFINITY, 5, NAN, 7}, {0}},
     4,
     {0, 0, 0, 7},
     0},
    {"activation_backward y=f32:1,1,1,3 activation=elu coef=0.25",
     {{0, -0.125f, 1}, {8, 8, 8}, {0}},
     3,
     {8, 1, 8},
     0},
    /* Windows of -Inf or NaN alone give the lowest finite number, unless NaN propagates. */
    {"pooling_forward x=f32:1,1,2,4 window=2,2 stride=2,2 nan=ignore",
     {{-INFINITY, -INFINITY, NAN, 3, -INFINITY, -INFINITY, NAN, NAN}},
     2,
     {LOWEST, 3},
     0},
    {"pooling_forward x=f32:1,1,2,4 window=2,2 stride=2,2 nan=propagate",
     {{-INFINITY, 1, NAN, 3, -INFINITY, -INFINITY, 5, 6}},
     2,
     {1, NAN},
     0},
    /* Windows beyond the input: y has 3 rows, and the window of the first has only padding. */
    {"pooling_forward x=f32:1,1,2,2 y=f32:1,1,3,1 window=1,2 stride=1,2 pad=1,0",
     {{1, 2, 3, 4}},
     3,
     {LOWEST, 2, 4},
     0},
    {"pooling_forward x=f32:1,1,2,2 y=f32:1,1,3,1 window=1,2 stride=1,2 pad=1,0 "
     "mode=average_include",
     {{1, 2, 3, 4}},
     3,
     {0, 1.5, 3.5},
     0},
    /* The gradient goes to the first element that equals y, or to none. Inputs: y, dy, x. */
    {"pooling_backward y=f32:1,1,1,3 x=f32:1,1,1,6 window=1,2 stride=1,2 nan=propagate",
     {{2, 9, NAN}, {10, 20, 30}, {2, 2, 3, 4, 1, NAN}},
     6,
     {10, 0, 0, 0, 0, 30},
     0},
    /* Windows of an even n reach one channel further up than down; k + x^2 is summed, alpha / n =
     * 1. */
    {"lrn_forward x=f32:1,3,1,1 n=2 lrn_alpha=2 lrn_beta=1 k=1",
     {{1, 2, 4}},
     3,
     {1.0 / 6, 2.0 / 21, 4.0 / 17},
     4},
    /* One element per channel: the variance is 0, so y is the bias. Inputs: x, scale, bias. */
    {"batch_normalization_training x=f32:1,2,1,1",
     {{5, -7}, {2, 3}, {0.5f, -0.25f}},
     2,
     {0.5, -0.25},
     0},
    /* The same for sets of equal elements, and for a set with an infinity. Inputs: x, bias. */
    {"normalization_forward x=f32:3,2 bias=f32:1,2 kind=layer axes=1 "
     "without=scale,z,sum,save_mean,save_inv_dev",
     {{5, 5, -7, -7, INFINITY, 1}, {2, 3}},
     6,
     {2, 3, 2, 3, NAN, NAN},
     0},
    /* The factor 0 keeps c unread, and a NaN of a or b propagates through ReLU. */
    {"matmul a=f32:1,2 b=f32:2,2 c=f32:1,2 activation=relu nan=propagate "
     "without=bias,scale_a,scale_b,scale_d,zero_a,zero_b,aux,amax",
     {{2, 3}, {1, -1, 4, NAN}, {NAN, NAN}},
     2,
     {14, NAN},
     0},
};

static int set_up(void **state)
{
    (void)state;
    if (anydnnCreateOnDevice(&handle, "cpu") != ANYDNN_STATUS_SUCCESS)
        return -1;
    return anydnnSetRoute(handle, "*", NULL, "onednn, fallback:off") == ANYDNN_STATUS_SUCCESS ? 0
                                                                                              : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS ? 0 : -1;
}

static int right(double got, double want, double units)
{
    if (isnan(want))
        return isnan(got);
    return got == want || fabs(got - want) <= units * 0x1p-24;
}

/* Computes the problem's output. Inputs come first; an output in place shares the input's array. */
static void run(const struct example *example, float output[COUNT_MAX])
{
    float array[INPUTS_MAX + 3][COUNT_MAX];
    void *pointers[INPUTS_MAX + 3];
    int in_place = strstr(example->problem, "alias=") != NULL, count = 0, out = -1;
    anydnnProblem_t problem;
    char text[1000] = "";

    if (anydnnProblemParse(example->problem, &problem) != ANYDNN_STATUS_SUCCESS)
        anydnnGetLastErrorString(text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(anydnnProblemGetOperandCount(problem, &count), ANYDNN_STATUS_SUCCESS);
    assert_in_range(count, 1, INPUTS_MAX + 3);
    for (int i = 0; i < count; i++) {
        anydnnDirection_t direction;

        anydnnProblemGetOperand(problem, i, NULL, NULL, &direction);
        memset(array[i], 0xff, sizeof array[i]);
        if (direction == ANYDNN_DIRECTION_INPUT)
            memcpy(array[i], example->input[i], sizeof array[i]);
        else
            out = out < 0 ? i : out;
        pointers[i] = array[in_place && i == out ? 0 : i];
    }
    if (anydnnProblemExecute(handle, problem, pointers, NULL, 0) != ANYDNN_STATUS_SUCCESS)
        anydnnGetLastErrorString(text, sizeof text);
    assert_string_equal(text, "");
    memcpy(output, pointers[out], sizeof array[0]);
    anydnnProblemDestroy(problem);
}

static void test_examples(void **state)
{
    char path[4096];
    int wrong = 0;

    (void)state;
    snprintf(path, sizeof path, "%s/anydnn_onednn.so", getenv("ANYDNN_TEST_PLUGINDIR"));
    if (access(path, F_OK) != 0)
        skip();
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        const struct example *example = &examples[e];
        float output[COUNT_MAX];

        run(example, output);
        for (int i = 0; i < example->outputs; i++) {
            if (right((double)output[i], example->output[i], example->units))
                continue;
            print_error("%s: element %d is %.9g, not %.9g\n", example->problem, i,
                        (double)output[i], example->output[i]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_examples, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
