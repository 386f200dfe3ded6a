/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how a handle finds its plans: what a plan depends on, hits by stamp and by value, and
 * the cost of 100,000 problems. */
#include "tests/dispatch/fixture.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const float one = 1, zero = 0;

static anydnnStatus_t run(anydnnHandle_t handle, int height)
{
    struct fixture_convolution with;

    fixture_convolution_make(&with, height);
    with.workspace = fixture_data(21);
    with.bytes = 4096;
    return fixture_convolution_run(handle, &with);
}

#define assert_how(handle, how) assert_string_equal(fixture_record((handle), "plan"), (how))

static void hit_equal_and_miss(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    struct fixture_convolution with, same;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_convolution_make(&same, 8);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "miss");
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "hit");
    assert_ok(fixture_convolution_run(handle, &same));
    assert_how(handle, "equal");
    assert_ok(fixture_convolution_run(handle, &same));
    assert_how(handle, "hit");
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "hit");
    assert_ok(run(handle, 9));
    assert_how(handle, "miss");
    assert_int_equal(fixture_number(handle, "calls"), 6);
    assert_int_equal(fixture_number(handle, "plan_hits"), 3);
    assert_int_equal(fixture_number(handle, "plan_equal_hits"), 1);
    assert_int_equal(fixture_number(handle, "plan_misses"), 2);
    assert_int_equal(fixture_number(handle, "plans"), 2);
    assert_int_equal(fixture_number(handle, "evictions"), 0);
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 2);
}

/* A descriptor that is set again counts as new, even with the same values. */
static void a_set_descriptor_is_another(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    struct fixture_convolution with;
    const int ones[] = {1, 1}, none[] = {0, 0}, two[] = {2, 1};

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ok(anydnnSetConvolutionNdDescriptor(with.conv, 2, none, ones, ones,
                                               ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "equal");
    assert_ok(anydnnSetConvolutionNdDescriptor(with.conv, 2, two, ones, ones,
                                               ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT));
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_BAD_PARAM,
                 "its dims must be 2,4,10,5");
    /* A setter that fails leaves the descriptor unchanged. */
    assert_ok(anydnnSetConvolutionNdDescriptor(with.conv, 2, none, ones, ones,
                                               ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_fails(anydnnSetConvolutionNdDescriptor(with.conv, 2, none, none, ones,
                                                  ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT),
                 ANYDNN_STATUS_BAD_PARAM, "");
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "hit");
}

/* The address of a destroyed descriptor does not identify a new one. */
static void a_new_descriptor_at_an_old_address(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    for (int i = 0; i < 50; i++) {
        anydnnTensorDescriptor_t x = NULL;
        char want[64];

        assert_ok(anydnnCreateTensorDescriptor(&x));
        assert_ok(
            anydnnSetTensor4dDescriptor(x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 1 + i, 2, 2));
        assert_ok(anydnnScaleTensor(handle, x, fixture_data(0), &one));
        assert_how(handle, "miss");
        snprintf(want, sizeof(want), "y=f32:1,%d,2,2:nchw", 1 + i);
        assert_holds(fixture_record(handle, "problem"), want);
        assert_ok(anydnnDestroyTensorDescriptor(x));
    }
}

static void what_a_plan_does_not_depend_on(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    struct fixture_convolution with;
    const float half = 0.5f;

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_ok(fixture_convolution_run(handle, &with));
    for (int i = 0; i < 3; i++)
        with.data[i] = fixture_data(10 + i);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "hit");
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "hit");
    assert_ok(anydnnConvolutionForward(handle, &half, with.x, with.data[0], with.w, with.data[1],
                                       with.conv, ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL,
                                       0, &half, with.y, with.data[2]));
    assert_how(handle, "hit");
    assert_ok(anydnnSetStream(handle, NULL));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "hit");
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 1);
}

/* The test covers every word that an entry puts into the key beside stamps. */
static void modes_and_parameters_of_the_call(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnTensorDescriptor_t x = fixture_tensor("f32:2,3,4,5");
    anydnnTensorDescriptor_t p = fixture_tensor("f32:1,3,1,1");
    void *d[6];
    int misses = 0;

    (void)state;
    for (int i = 0; i < 6; i++)
        d[i] = fixture_data(i);
    for (int algorithm = 0; algorithm < 3; algorithm++)
        for (int mode = 0; mode < 2; mode++) {
            assert_ok(anydnnSoftmaxForward(handle, (anydnnSoftmaxAlgorithm_t)algorithm,
                                           (anydnnSoftmaxMode_t)mode, &one, x, d[0], &zero, x,
                                           d[1]));
            assert_int_equal(fixture_number(handle, "plan_misses"), ++misses);
        }
    for (int i = 0; i < 3; i++) {
        static const double epsilons[] = {1e-5, 1e-4, 1e-5};

        assert_ok(anydnnBatchNormalizationForwardInference(
            handle, i < 2 ? ANYDNN_BATCHNORM_SPATIAL : ANYDNN_BATCHNORM_SPATIAL_PERSISTENT, &one,
            &zero, x, d[0], x, d[1], p, d[2], d[3], d[4], d[5], epsilons[i]));
        assert_int_equal(fixture_number(handle, "plan_misses"), ++misses);
    }
    for (int saved = 0; saved < 2; saved++) { /* optional operands that are present */
        assert_ok(anydnnBatchNormalizationForwardTraining(
            handle, ANYDNN_BATCHNORM_SPATIAL, &one, &zero, x, d[0], x, d[1], p, d[2], d[3], 0.5,
            NULL, NULL, 1e-5, saved ? d[4] : NULL, saved ? d[5] : NULL));
        assert_int_equal(fixture_number(handle, "plan_misses"), ++misses);
    }
    for (int in_place = 0; in_place < 2; in_place++) { /* outputs that alias inputs */
        assert_ok(anydnnSoftmaxBackward(handle, ANYDNN_SOFTMAX_FAST, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                        &one, x, d[0], x, d[1], &zero, x, d[in_place ? 1 : 2]));
        assert_int_equal(fixture_number(handle, "plan_misses"), ++misses);
    }
    assert_holds(fixture_record(handle, "problem"), "alias=dx:dy");
    for (int algorithm = 0; algorithm < 8; algorithm++) {
        struct fixture_convolution with;

        fixture_convolution_make(&with, 8);
        with.algorithm = algorithm;
        assert_ok(fixture_convolution_run(handle, &with));
        assert_int_equal(fixture_number(handle, "plan_misses"), ++misses);
        with.algorithm = (algorithm + 7) % 8;
        assert_ok(fixture_convolution_run(handle, &with));
        misses += algorithm == 0;
        assert_int_equal(fixture_number(handle, "plan_misses"), misses);
        if (algorithm == 6)
            break;
    }
}

static void algorithms_that_are_none(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    struct fixture_convolution with;
    size_t bytes;

    (void)state;
    fixture_convolution_make(&with, 8);
    with.algorithm = 8;
    assert_fails(
        fixture_convolution_run(handle, &with), ANYDNN_STATUS_BAD_PARAM,
        "anydnnConvolutionForward: algo is 8; this direction does not have that algorithm");
    with.algorithm = -1;
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_BAD_PARAM, "algo is -1");
    assert_fails(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                          (anydnnConvolutionFwdAlgo_t)-1, &bytes),
                 ANYDNN_STATUS_BAD_PARAM, "algo is -1");
}

/* ---- many problems */

/* Returns the processor time of this thread, which other load on the machine does not affect. */
static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double time_of(anydnnHandle_t handle, anydnnTensorDescriptor_t y, int from, int count)
{
    double began = seconds();

    for (int i = from; i < from + count; i++) {
        anydnnSetTensor4dDescriptor(y, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1 + i % 1000,
                                    1 + i / 1000, 2, 3);
        if (anydnnScaleTensor(handle, y, fixture_data(0), &one) != ANYDNN_STATUS_SUCCESS)
            fail_msg("%s", fixture_error());
    }
    return seconds() - began;
}

/* Times a new handle and one that has seen 100,000 problems in turn, so that a change of the
 * machine's speed affects both. Each keeps its shortest round, since disturbances only add time. */
static void look_up_time_stays(anydnnHandle_t old, anydnnTensorDescriptor_t y)
{
    anydnnHandle_t young = fixture_handle("mock_noop");
    double least[2] = {1e9, 1e9};

    time_of(young, y, 0, 1000); /* warm-up: 256 plans */
    for (int round = 0; round < 7; round++) {
        double took[2] = {time_of(young, y, 1000 + 1000 * round, 1000),
                          time_of(old, y, 100000 + 1000 * round, 1000)};

        for (int i = 0; i < 2; i++)
            least[i] = took[i] < least[i] ? took[i] : least[i];
    }
    if (least[1] > 2 * least[0])
        fail_msg("1,000 problems take %.6f s on a new handle and %.6f s after 100,000", least[0],
                 least[1]);
}

static void a_hundred_thousand_problems(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_noop");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:1,1,1,1");
    size_t before, after;

    (void)state;
    time_of(handle, y, 0, 10000); /* warm-up: tables and heap reach their size */
    before = mallinfo2().uordblks;
    time_of(handle, y, 10000, 90000);
    after = mallinfo2().uordblks;
    assert_int_equal(fixture_number(handle, "plans"), 256);
    assert_int_equal(fixture_number(handle, "plan_misses"), 100000);
    assert_int_equal(fixture_number(handle, "evictions"), 100000 - 256);
    assert_true(after < before + 65536);
    look_up_time_stays(handle, y);
}

#define plans_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        plans_test(hit_equal_and_miss),
        plans_test(a_set_descriptor_is_another),
        plans_test(a_new_descriptor_at_an_old_address),
        plans_test(what_a_plan_does_not_depend_on),
        plans_test(modes_and_parameters_of_the_call),
        plans_test(algorithms_that_are_none),
        plans_test(a_hundred_thousand_problems),
    };

    return cmocka_run_group_tests_name("plans", tests, fixture_group_setup, fixture_group_teardown);
}
