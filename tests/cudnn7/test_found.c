/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the shim's lists of results with answers that no backend of the host gives. */
#include "cudnn7/shim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 6 };

/* Fills a list and checks that the result after the last one stays unchanged. */
static int hand_out(const union cudnn7_answers *answers, int count, int requested,
                    struct cudnn7_perf *results)
{
    int returned = -1;

    memset(results, 0xa5, COUNT * sizeof(*results));
    assert_int_equal(
        cudnn7_found(ANYDNN_STATUS_SUCCESS, answers, count, requested, &returned, results),
        ANYDNN_STATUS_SUCCESS);
    assert_in_range(returned, 0, requested);
    for (size_t i = (size_t)returned * sizeof(*results); i < COUNT * sizeof(*results); i++)
        assert_int_equal(((const unsigned char *)results)[i], 0xa5);
    return returned;
}

static void members_are_kept(void **state)
{
    union cudnn7_answers answers = {.BwdFilter = {{(anydnnConvolutionBwdFilterAlgo_t)5,
                                                   ANYDNN_STATUS_SUCCESS,
                                                   0.25f,
                                                   (size_t)1 << 33,
                                                   ANYDNN_DETERMINISTIC,
                                                   ANYDNN_TENSOR_OP_MATH,
                                                   3,
                                                   0,
                                                   {0}}}};
    struct cudnn7_perf results[COUNT];

    (void)state;
    assert_int_equal(hand_out(&answers, 1, 4, results), 1);
    assert_int_equal(results[0].algo, 5);
    assert_int_equal(results[0].status, 0);
    assert_true(results[0].time == 0.25f);
    assert_int_equal(results[0].memory, (size_t)1 << 33);
    assert_int_equal(results[0].determinism, 1);
    assert_int_equal(results[0].mathType, 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(results[0].reserved[i], 0);
}

/* The answers after one in split math move up, within the requested count. */
static void no_number_no_answer(void **state)
{
    static const anydnnMathType_t maths[] = {ANYDNN_TENSOR_OP_MATH_SPLIT, ANYDNN_DEFAULT_MATH,
                                             ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION,
                                             ANYDNN_TENSOR_OP_MATH_SPLIT, ANYDNN_TENSOR_OP_MATH};
    union cudnn7_answers answers;
    struct cudnn7_perf results[COUNT];

    (void)state;
    memset(&answers, 0, sizeof(answers));
    for (int i = 0; i < 5; i++) {
        answers.Fwd[i].algo = (anydnnConvolutionFwdAlgo_t)i;
        answers.Fwd[i].mathType = maths[i];
    }
    assert_int_equal(hand_out(&answers, 5, 5, results), 3);
    assert_int_equal(results[0].algo, 1);
    assert_int_equal(results[1].algo, 2);
    assert_int_equal(results[2].algo, 4);
    assert_int_equal(hand_out(&answers, 5, 1, results), 1);
    assert_int_equal(results[0].algo, 1);
}

static void statuses_are_cudnn_7s(void **state)
{
    static const int pairs[][2] = {{0, 0},   {9, 9},   {13, 13}, {100, 1},
                                   {101, 1}, {102, 8}, {103, 4}, {-1, 4}};
    struct cudnn7_perf results[COUNT];
    union cudnn7_answers answers;
    int returned = -1;

    (void)state;
    memset(&answers, 0, sizeof(answers));
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_int_equal(cudnn7_status((anydnnStatus_t)pairs[i][0]), pairs[i][1]);
        answers.Fwd[0].status = (anydnnStatus_t)pairs[i][0];
        assert_int_equal(hand_out(&answers, 1, 1, results), 1);
        assert_int_equal(results[0].status, pairs[i][1]);
    }
    assert_int_equal(cudnn7_found(ANYDNN_STATUS_SPACE_POISONED, &answers, 1, 1, &returned, results),
                     ANYDNN_STATUS_EXECUTION_FAILED);
    assert_int_equal(returned, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_kept),
        cmocka_unit_test(no_number_no_answer),
        cmocka_unit_test(statuses_are_cudnn_7s),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
