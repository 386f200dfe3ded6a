/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the CTC loss and the spatial transformer through their entries on cpu_ref, against facts
 * that need no computation. A label has a known number of paths, shares add up to 1, and an
 * identity changes nothing. Independent values are in tests/vectors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <anydnn/anydnn.h>

#define OK ANYDNN_STATUS_SUCCESS

struct fixture {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t tensor;
    anydnnCTCLossDescriptor_t loss;
    anydnnSpatialTransformerDescriptor_t transformer;
};

static int setup(void **state)
{
    static struct fixture made;
    const char *folder = getenv("ANYDNN_TEST_PLUGINDIR");

    if (!folder)
        return -1;
    setenv("ANYDNN_PLUGIN_PATH", folder, 1);
    setenv("ANYDNN_ROUTE", "cpu_ref", 1);
    *state = &made;
    return anydnnCreateOnDevice(&made.handle, "cpu") != OK ||
           anydnnCreateTensorDescriptor(&made.tensor) != OK ||
           anydnnCreateCTCLossDescriptor(&made.loss) != OK ||
           anydnnCreateSpatialTransformerDescriptor(&made.transformer) != OK;
}

static int teardown(void **state)
{
    struct fixture *made = *state;

    return anydnnDestroySpatialTransformerDescriptor(made->transformer) != OK ||
           anydnnDestroyCTCLossDescriptor(made->loss) != OK ||
           anydnnDestroyTensorDescriptor(made->tensor) != OK || anydnnDestroy(made->handle) != OK;
}

/* Returns the logarithm of the number of ways to choose k of n. */
static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* A sequence whose letters are all equally likely. */
struct uniform {
    int steps;
    int letters;
    int labels;
    int repeats; /* equal neighbours among them */
};

static void fill_labels(const struct uniform *with, int *labels)
{
    for (int i = 0; i < with->labels; i++)
        labels[i] = i == 0               ? 1
                    : i <= with->repeats ? labels[i - 1]
                                         : 1 + labels[i - 1] % (with->letters - 1);
}

/* Checks the number of paths of T steps for a label of L letters, R of which equal the previous
 * letter. It is the number of ways to choose 2 L of T + L - R. Each letter has a run of one step
 * or more. L + 1 runs of blanks surround the letters, and R of these have at least one step.
 * (For L = 1, T = 2: aa, a-, -a.) */
static void check_uniform(struct fixture *f, const struct uniform *with)
{
    size_t count = (size_t)with->steps * (size_t)with->letters;
    double *x = calloc(count, sizeof(*x)), *gradients = calloc(count, sizeof(*gradients));
    int *labels = calloc((size_t)with->labels + 1, sizeof(*labels));
    int dims[3] = {with->steps, 1, with->letters}, strides[3] = {with->letters, with->letters, 1};
    double cost = -1, worst = 0;
    double wanted = with->steps * log(with->letters) -
                    log_choose(with->steps + with->labels - with->repeats, 2.0 * with->labels);

    assert_non_null(x);
    assert_non_null(gradients);
    assert_non_null(labels);
    fill_labels(with, labels);
    assert_int_equal(anydnnSetTensorNdDescriptor(f->tensor, ANYDNN_DATA_DOUBLE, 3, dims, strides),
                     OK);
    assert_int_equal(anydnnSetCTCLossDescriptorEx(f->loss, ANYDNN_DATA_DOUBLE,
                                                  ANYDNN_LOSS_NORMALIZATION_SOFTMAX,
                                                  ANYDNN_NOT_PROPAGATE_NAN),
                     OK);
    assert_int_equal(anydnnCTCLoss(f->handle, f->tensor, x, labels, &with->labels, &with->steps,
                                   &cost, f->tensor, gradients, ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC,
                                   f->loss, NULL, 0),
                     OK);
    for (int t = 0; t < with->steps; t++) {
        double sum = 0;

        for (int k = 0; k < with->letters; k++)
            sum += gradients[t * with->letters + k];
        worst = fmax(worst, fabs(sum));
    }
    /* Each step adds a rounding of numbers as large as the cost; a share is an exponential. */
    if (!(fabs(cost - wanted) <= with->steps * 0x1p-52 * (wanted + 1)) ||
        !(worst <= with->steps * 0x1p-50 * (wanted + 1)))
        fail_msg("T=%d A=%d L=%d R=%d: cost %.17g, wanted %.17g; shares are wrong by %g",
                 with->steps, with->letters, with->labels, with->repeats, cost, wanted, worst);
    free(labels);
    free(gradients);
    free(x);
}

static void paths_are_counted(void **state)
{
    static const struct uniform cases[] = {
        {2, 2, 1, 0},       {3, 3, 2, 1},          {4, 3, 2, 1},      {9, 4, 3, 0},
        {60, 5, 20, 7},     {300, 30, 255, 0},     {300, 30, 256, 0}, {700, 30, 257, 100},
        {2500, 9, 1200, 3}, {3000, 4, 1500, 1499},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_uniform(*state, &cases[i]);
}

/* A recording copies the labels of the call, which may change or be freed before the replay. */
static void recordings_keep_labels(void **state)
{
    struct fixture *f = *state;
    int dims[3] = {4, 1, 3}, strides[3] = {3, 3, 1};
    int labels[1] = {1}, length = 1, steps = 4;
    float x[12] = {0.5f, 0.25f, 0.25f, 0.5f, 0.25f, 0.25f, 0.5f, 0.25f, 0.25f, 0.5f, 0.25f, 0.25f};
    float now = 0, later = 0;
    anydnnRecording_t recording = NULL;

    assert_int_equal(anydnnSetTensorNdDescriptor(f->tensor, ANYDNN_DATA_FLOAT, 3, dims, strides),
                     OK);
    assert_int_equal(anydnnSetCTCLossDescriptor(f->loss, ANYDNN_DATA_FLOAT), OK);
    assert_int_equal(anydnnCTCLoss(f->handle, f->tensor, x, labels, &length, &steps, &now, NULL,
                                   NULL, ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC, f->loss, NULL, 0),
                     OK);
    assert_int_equal(anydnnRecordBegin(f->handle), OK);
    assert_int_equal(anydnnCTCLoss(f->handle, f->tensor, x, labels, &length, &steps, &later, NULL,
                                   NULL, ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC, f->loss, NULL, 0),
                     OK);
    assert_int_equal(anydnnRecordEnd(f->handle, &recording), OK);
    labels[0] = 1000000;
    length = 77;
    steps = -3;
    assert_int_equal(anydnnReplay(f->handle, recording), OK);
    assert_true(now > 0 && now == later);
    assert_int_equal(anydnnRecordingDestroy(f->handle, recording), OK);
}

/* The identity's grid maps each pixel to its own position, so y equals x and dx equals dy. */
static void the_identity_changes_nothing(void **state)
{
    struct fixture *f = *state;
    const int dims[4] = {1, 2, 3, 5};
    const float theta[6] = {1, 0, 0, 0, 1, 0}, one = 1, zero = 0;
    float x[30], y[30], dx[30], grid[30], dgrid[30];

    for (int i = 0; i < 30; i++)
        x[i] = (float)(i * 7 % 11);
    assert_int_equal(anydnnSetSpatialTransformerNdDescriptor(
                         f->transformer, ANYDNN_SAMPLER_BILINEAR, ANYDNN_DATA_FLOAT, 4, dims),
                     OK);
    assert_int_equal(
        anydnnSetTensor4dDescriptor(f->tensor, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 2, 3, 5),
        OK);
    assert_int_equal(anydnnSpatialTfGridGeneratorForward(f->handle, f->transformer, theta, grid),
                     OK);
    assert_true(grid[0] == -1 && grid[1] == -1 && grid[28] == 1 && grid[29] == 1 && grid[4] == 0);
    assert_int_equal(anydnnSpatialTfSamplerForward(f->handle, f->transformer, &one, f->tensor, x,
                                                   grid, &zero, f->tensor, y),
                     OK);
    assert_memory_equal(x, y, sizeof(x));
    assert_int_equal(anydnnSpatialTfSamplerBackward(f->handle, f->transformer, &one, f->tensor, x,
                                                    &zero, f->tensor, dx, &one, f->tensor, y, grid,
                                                    &zero, dgrid),
                     OK);
    assert_memory_equal(dx, y, sizeof(y));
}

static void descriptors_keep_what_they_are_given(void **state)
{
    struct fixture *f = *state;
    anydnnDataType_t type = ANYDNN_DATA_HALF;
    anydnnLossNormalizationMode_t normalization = ANYDNN_LOSS_NORMALIZATION_SOFTMAX;
    anydnnNanPropagation_t nan = ANYDNN_PROPAGATE_NAN;
    const int dims[5] = {2, 3, 4, 5, 6};

    assert_int_equal(anydnnSetCTCLossDescriptor(f->loss, ANYDNN_DATA_FLOAT), OK);
    assert_int_equal(anydnnGetCTCLossDescriptorEx(f->loss, &type, &normalization, &nan), OK);
    assert_true(type == ANYDNN_DATA_FLOAT && normalization == ANYDNN_LOSS_NORMALIZATION_NONE &&
                nan == ANYDNN_NOT_PROPAGATE_NAN);
    assert_int_equal(anydnnSetCTCLossDescriptorEx(f->loss, ANYDNN_DATA_DOUBLE,
                                                  ANYDNN_LOSS_NORMALIZATION_SOFTMAX,
                                                  ANYDNN_PROPAGATE_NAN),
                     OK);
    assert_int_equal(anydnnGetCTCLossDescriptorEx(f->loss, &type, &normalization, &nan), OK);
    assert_true(type == ANYDNN_DATA_DOUBLE && normalization == ANYDNN_LOSS_NORMALIZATION_SOFTMAX &&
                nan == ANYDNN_PROPAGATE_NAN);
    type = ANYDNN_DATA_HALF;
    assert_int_equal(anydnnGetCTCLossDescriptor(f->loss, &type), OK);
    assert_int_equal(type, ANYDNN_DATA_DOUBLE);
    assert_int_equal(anydnnSetCTCLossDescriptor(f->loss, ANYDNN_DATA_HALF),
                     ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnGetCTCLossDescriptor(f->loss, NULL), ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnSetSpatialTransformerNdDescriptor(
                         f->transformer, ANYDNN_SAMPLER_BILINEAR, ANYDNN_DATA_FLOAT, 5, dims),
                     ANYDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(anydnnSetSpatialTransformerNdDescriptor(
                         f->transformer, ANYDNN_SAMPLER_BILINEAR, ANYDNN_DATA_FLOAT, 3, dims),
                     ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnSetSpatialTransformerNdDescriptor(
                         f->transformer, ANYDNN_SAMPLER_BILINEAR, ANYDNN_DATA_INT8, 4, dims),
                     ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnSetSpatialTransformerNdDescriptor(
                         f->transformer, ANYDNN_SAMPLER_BILINEAR, ANYDNN_DATA_FLOAT, 4, NULL),
                     ANYDNN_STATUS_BAD_PARAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_counted),
        cmocka_unit_test(recordings_keep_labels),
        cmocka_unit_test(the_identity_changes_nothing),
        cmocka_unit_test(descriptors_keep_what_they_are_given),
    };

    return cmocka_run_group_tests_name("sequences", tests, setup, teardown);
}
