/* SPDX-License-Identifier: Apache-2.0 */
/* Tests results below 2^-126, the least normal number of float and bfloat16, which have the same
 * exponents. anydnn.h promises IEEE arithmetic, which flushes nothing to 0, but many parts of
 * oneDNN do. Every operation of the backend runs on such numbers and is compared with cpu_ref,
 * which computes in double and rounds once. */
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

#define OPERANDS 16
#define DIMS     8

/* The cases. $ stands for the type, @ for the layout. Inputs are uniformly distributed in their
 * range. */
static const struct {
    const char *problem;
    struct {
        double from, to;
    } input[6];
} cases[] = {
    {"convolution_forward x=$:2,16,8,8@ w=$:16,16,3,3@ pad=1,1", {{1e-30, 2e-30}, {1e-10, 2e-10}}},
    {"convolution_forward x=$:2,3,8,8@ w=$:16,3,3,3@ pad=1,1", {{1e-40, 2e-40}, {1, 2}}},
    {"convolution_forward x=$:2,16,8,8@ w=$:16,16,1,1@", {{1, 2}, {1e-40, 2e-40}}},
    {"convolution_forward x=$:2,16,8,8@ w=$:16,1,3,3@ groups=16", {{1, 2}, {1e-40, 2e-40}}},
    {"convolution_forward x=$:2,16,8,8@ w=$:10,16,8,8@ alpha=1e-20", {{1e-20, 2e-20}, {1, 2}}},
    {"convolution_backward_data dx=$:2,16,8,8@ w=$:16,16,3,3@ dy=$:2,16,8,8@ pad=1,1",
     {{1, 2}, {1e-41, 2e-41}}},
    {"convolution_backward_data dx=$:2,7,8,8@ w=$:5,7,3,3@ dy=$:2,5,6,6@",
     {{1e-40, 2e-40}, {1, 2}}},
    {"convolution_backward_filter x=$:2,16,8,8@ dw=$:16,16,3,3@ dy=$:2,16,8,8@ pad=1,1",
     {{1, 2}, {1e-41, 2e-41}}},
    {"convolution_backward_filter x=$:2,16,8,8@ dw=$:10,16,8,8@ dy=$:2,10,1,1@",
     {{1e-40, 2e-40}, {1, 2}}},
    {"convolution_backward_bias dy=$:2,16,8,8@", {{1e-41, 2e-41}}},
    {"convolution_bias_activation_forward x=$:2,16,8,8@ w=$:16,16,3,3@ pad=1,1 without=z "
     "activation=relu",
     {{1e-30, 2e-30}, {1e-11, 2e-11}, {1e-40, 2e-40}}},
    {"convolution_bias_activation_forward x=$:2,16,8,8@ w=$:16,16,3,3@ pad=1,1 without=z "
     "activation=sigmoid",
     {{1, 2}, {1e-20, 2e-20}, {-100, -80}}},
    {"pooling_forward x=$:1,16,8,8@ window=2,2 stride=2,2", {{-2e-40, 2e-40}}},
    {"pooling_forward x=$:1,16,8,8@ window=2,2 stride=2,2 mode=average_include", {{1e-40, 2e-40}}},
    {"pooling_forward x=$:1,16,8,8@ window=2,2 stride=2,2 mode=average_exclude", {{1e-38, 2e-38}}},
    {"pooling_backward y=$:1,16,4,4@ x=$:1,16,8,8@ window=2,2 stride=2,2",
     {{1, 1}, {1e-40, 2e-40}, {1, 1}}},
    {"pooling_backward y=$:1,16,4,4@ x=$:1,16,8,8@ window=2,2 stride=2,2 mode=average_include",
     {{1, 1}, {2e-38, 4e-38}, {1, 1}}},
    {"activation_forward x=$:2,16,8,8@ activation=relu nan=ignore", {{-1e-40, 1e-40}}},
    {"activation_forward x=$:2,16,8,8@ activation=clipped_relu coef=1 nan=ignore",
     {{-1e-40, 1e-40}}},
    {"activation_forward x=$:2,16,8,8@ activation=sigmoid", {{-105, -80}}},
    {"activation_forward x=$:2,16,8,8@ activation=sigmoid alias=y:x", {{-105, -80}}},
    {"activation_forward x=$:2,16,8,8@ activation=tanh", {{-2e-38, 2e-38}}},
    {"activation_forward x=$:2,16,8,8@ activation=elu coef=1", {{-2e-38, 2e-38}}},
    {"activation_forward x=$:2,16,8,8@ activation=swish coef=1", {{-2e-38, 2e-38}}},
    {"activation_forward x=$:2,16,8,8@ activation=swish coef=1", {{-110, -80}}},
    {"activation_forward x=$:2,16,8,8@ activation=swish coef=0.5 alias=y:x", {{-220, -160}}},
    {"activation_forward x=$:2,16,8,8@ activation=swish coef=0.5 alpha=2 beta=1", {{-220, -160}}},
    {"activation_forward x=$:16,64,8,9@ activation=swish coef=1", {{-110, -80}}},
    {"activation_backward y=$:2,16,8,8@ activation=relu", {{1, 1}, {1e-40, 2e-40}, {1, 1}}},
    {"activation_backward y=$:2,16,8,8@ activation=sigmoid", {{1e-39, 1e-38}, {1, 2}, {1, 1}}},
    {"activation_backward y=$:2,16,8,8@ activation=tanh", {{0.5, 0.75}, {1e-39, 1e-38}, {1, 1}}},
    {"activation_backward y=$:2,16,8,8@ activation=elu coef=1",
     {{-0.75, -0.5}, {1e-39, 1e-38}, {-1, -1}}},
    {"activation_backward y=$:2,16,8,8@ activation=swish coef=1", {{1, 1}, {1e-39, 1e-38}, {0, 1}}},
    {"activation_backward y=$:2,16,8,8@ activation=swish coef=1", {{0, 0}, {1, 2}, {-110, -80}}},
    {"activation_backward y=$:2,16,8,8@ activation=swish coef=1 alias=dx:dy",
     {{0, 0}, {1, 2}, {-110, -80}}},
    {"lrn_forward x=$:2,16,8,8@ n=5 lrn_alpha=1 lrn_beta=0.75 k=1", {{1e-39, 1e-38}}},
    {"lrn_forward x=$:2,16,8,8@ n=4 lrn_alpha=1 lrn_beta=0.75 k=1", {{1e-39, 1e-38}}},
    {"lrn_backward y=$:2,16,8,8@ n=5 lrn_alpha=1 lrn_beta=1 k=1",
     {{1, 1}, {1e-39, 1e-38}, {1e-3, 2e-3}}},
    {"softmax_forward x=$:4,10,1,1@ softmax=accurate", {{-105, 0}}},
    {"softmax_forward x=$:4,64,3,3@ softmax=accurate mode=channel", {{-105, 0}}},
    {"softmax_forward x=$:4,64,3,3@ softmax=accurate mode=channel alias=y:x", {{-105, 0}}},
    {"softmax_forward x=$:4,10,1,1@ softmax=fast", {{-105, 0}}},
    {"softmax_backward y=$:4,10,1,1@ softmax=accurate", {{1e-39, 1e-38}, {-1, 1}}},
    {"softmax_backward y=$:4,10,3,3@ softmax=accurate mode=channel", {{0, 0.2}, {1e-39, 1e-38}}},
    {"softmax_backward y=$:4,2,1,1@ softmax=log", {{-105, -80}, {1e-39, 1e-38}}},
    {"softmax_backward y=$:4,10,3,3@ softmax=log mode=channel", {{-3, -2}, {1e-39, 1e-38}}},
    {"batch_normalization_inference x=$:4,16,5,5@",
     {{1e-39, 1e-38}, {1, 1}, {0, 0}, {0, 0}, {1, 1}}},
    {"batch_normalization_inference x=$:4,16,5,5@",
     {{1, 1}, {1, 1}, {1e-39, 1e-38}, {1, 1}, {1, 1}}},
    {"batch_normalization_training x=$:4,16,5,5@", {{-1, 1}, {1e-39, 1e-38}, {0, 0}}},
    {"batch_normalization_backward x=$:4,16,5,5@", {{-1, 1}, {-1e-38, 1e-38}, {1, 1}}},
};

struct operand {
    anydnnDirection_t direction;
    anydnnDataType_t type;
    size_t bytes;
};

static anydnnHandle_t tried, reference;
static uint64_t state;

static double drawn(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

static double value_at(const void *array, anydnnDataType_t type, size_t i)
{
    uint32_t bits;
    float value;

    if (type == ANYDNN_DATA_FLOAT)
        return (double)((const float *)array)[i];
    bits = (uint32_t)((const uint16_t *)array)[i] << 16;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Stores a number; bfloat16 is truncated, because an input may be any number. */
static void put(void *array, anydnnDataType_t type, size_t i, double number)
{
    float value = (float)number;
    uint32_t bits;

    if (type == ANYDNN_DATA_FLOAT) {
        ((float *)array)[i] = value;
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    ((uint16_t *)array)[i] = (uint16_t)(bits >> 16);
}

static size_t count_of(const struct operand *operand)
{
    return operand->bytes / (operand->type == ANYDNN_DATA_FLOAT ? 4 : 2);
}

static void spell(char *text, const char *problem, const char *type, const char *layout)
{
    for (; *problem; problem++) {
        const char *put_in = *problem == '$' ? type : *problem == '@' ? layout : NULL;

        if (put_in) {
            strcpy(text, put_in);
            text += strlen(put_in);
        } else {
            *text++ = *problem;
        }
    }
    *text = '\0';
}

static int find_operands(anydnnProblem_t problem, struct operand operand[OPERANDS])
{
    anydnnTensorDescriptor_t desc;
    int count = 0, ndims, dims[DIMS], strides[DIMS];

    assert_int_equal(anydnnCreateTensorDescriptor(&desc), ANYDNN_STATUS_SUCCESS);
    assert_int_equal(anydnnProblemGetOperandCount(problem, &count), ANYDNN_STATUS_SUCCESS);
    assert_in_range(count, 1, OPERANDS);
    for (int i = 0; i < count; i++) {
        assert_int_equal(anydnnProblemGetOperand(problem, i, NULL, desc, &operand[i].direction),
                         ANYDNN_STATUS_SUCCESS);
        anydnnGetTensorNdDescriptor(desc, DIMS, &operand[i].type, &ndims, dims, strides);
        anydnnGetTensorSizeInBytes(desc, &operand[i].bytes);
    }
    anydnnDestroyTensorDescriptor(desc);
    return count;
}

/* Runs the problem on a handle with the same numbers each time. In place, the first output shares
 * the array of the operand with that number. */
static void run(anydnnHandle_t handle, size_t c, const char *text, const struct operand *operand,
                int count, void *array[OPERANDS])
{
    anydnnProblem_t problem;
    int shared = strstr(text, "alias=dx:dy") ? 1 : strstr(text, "alias=") ? 0 : -1, out = 0;
    char said[1000] = "";

    state = c + 1;
    for (int i = 0; i < count; i++) {
        array[i] = calloc(1, operand[i].bytes);
        assert_non_null(array[i]);
        if (operand[i].direction != ANYDNN_DIRECTION_INPUT) {
            out = out ? out : i;
            continue;
        }
        for (size_t k = 0; k < count_of(&operand[i]); k++)
            put(array[i], operand[i].type, k,
                cases[c].input[i].from + (cases[c].input[i].to - cases[c].input[i].from) * drawn());
    }
    if (shared >= 0) {
        free(array[out]);
        array[out] = array[shared];
    }
    assert_int_equal(anydnnProblemParse(text, &problem), ANYDNN_STATUS_SUCCESS);
    if (anydnnProblemExecute(handle, problem, array, NULL, 0) != ANYDNN_STATUS_SUCCESS)
        anydnnGetLastErrorString(said, sizeof said);
    assert_string_equal(said, "");
    anydnnProblemDestroy(problem);
    if (shared >= 0)
        array[shared] = NULL;
}

/* Compares two results. Both are rounded, so they may differ by a unit of the type. Cancellation
 * gives errors relative to the largest result. Each of some hundred products may lose half the
 * least number. */
static int compare(const char *text, const struct operand *operand, const void *got,
                   const void *want)
{
    double unit = operand->type == ANYDNN_DATA_FLOAT ? 0x1p-19 : 0x1p-7;
    double least = operand->type == ANYDNN_DATA_FLOAT ? 0x1p-149 : 0x1p-133;
    double most = 0;
    int wrong = 0;

    for (size_t i = 0; i < count_of(operand); i++)
        most = fmax(most, fabs(value_at(want, operand->type, i)));
    for (size_t i = 0; i < count_of(operand); i++) {
        double g = value_at(got, operand->type, i), w = value_at(want, operand->type, i);

        if (fabs(g - w) <= unit * fabs(w) + 0x1p-18 * most + 2 * least + 128 * 0x1p-149)
            continue;
        if (wrong++ == 0)
            print_error("%s: element %zu is %.9g, not %.9g\n", text, i, g, w);
    }
    return wrong;
}

static int try(size_t c, const char *type, const char *layout)
{
    struct operand operand[OPERANDS];
    void *got[OPERANDS], *want[OPERANDS];
    anydnnProblem_t problem;
    char text[400];
    int count, wrong = 0;

    spell(text, cases[c].problem, type, layout);
    assert_int_equal(anydnnProblemParse(text, &problem), ANYDNN_STATUS_SUCCESS);
    count = find_operands(problem, operand);
    anydnnProblemDestroy(problem);
    run(tried, c, text, operand, count, got);
    run(reference, c, text, operand, count, want);
    for (int i = 0; i < count; i++) {
        if (operand[i].direction != ANYDNN_DIRECTION_INPUT)
            wrong += compare(text, &operand[i], got[i], want[i]);
        free(got[i]);
        free(want[i]);
    }
    return wrong;
}

static void nothing_is_flushed(void **unused)
{
    static const char *const types[] = {"f32", "bf16"};
    static const char *const layouts[] = {"", ":nhwc"};
    char path[4096];
    int wrong = 0;

    (void)unused;
    snprintf(path, sizeof path, "%s/anydnn_onednn.so", getenv("ANYDNN_TEST_PLUGINDIR"));
    if (access(path, F_OK) != 0)
        skip();
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t t = 0; t < 2; t++)
            for (size_t l = 0; l < 2; l++)
                wrong += try(c, types[t], layouts[l]);
    assert_int_equal(wrong, 0);
}

static anydnnHandle_t handle_on(const char *route)
{
    anydnnHandle_t handle;

    if (anydnnCreateOnDevice(&handle, "cpu") != ANYDNN_STATUS_SUCCESS)
        return NULL;
    return anydnnSetRoute(handle, "*", NULL, route) == ANYDNN_STATUS_SUCCESS ? handle : NULL;
}

static int set_up(void **unused)
{
    (void)unused;
    tried = handle_on("onednn, fallback:off");
    reference = handle_on("cpu_ref, fallback:off");
    return tried && reference ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    return anydnnDestroy(tried) == ANYDNN_STATUS_SUCCESS &&
                   anydnnDestroy(reference) == ANYDNN_STATUS_SUCCESS
               ? 0
               : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_flushed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
