/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the lists of results behind the porting header with answers that no backend of the host
 * gives. */
#include "cudnn7/ported.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { GIVEN = 3 };

static const union cudnn7_answers answers = {
    .Fwd = {{.algo = 1, .mathType = ANYDNN_TENSOR_OP_MATH_SPLIT},
            {.algo = 2,
             .mathType = ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION,
             .status = ANYDNN_STATUS_SPACE_POISONED,
             .backend = 5},
            {.algo = 3, .mathType = ANYDNN_TENSOR_OP_MATH}}};

/* An answer in split math is omitted, and the next one takes its position. */
static void no_number_no_answer(void **state)
{
    anydnnConvolutionFwdAlgoPerf_t results[GIVEN];
    int returned = -1;

    (void)state;
    memset(results, 0, sizeof(results));
    assert_int_equal(
        cudnn7_found(ANYDNN_STATUS_SUCCESS, &answers, GIVEN, GIVEN, &returned, results),
        ANYDNN_STATUS_SUCCESS);
    assert_int_equal(returned, 2);
    assert_int_equal(results[0].algo, 2);
    assert_int_equal(results[0].status, ANYDNN_STATUS_EXECUTION_FAILED);
    assert_int_equal(results[0].backend, 5);
    assert_int_equal(results[1].algo, 3);
    assert_int_equal(results[2].algo, 0);
}

static void no_more_than_requested(void **state)
{
    anydnnConvolutionFwdAlgoPerf_t results[GIVEN];
    int returned = -1;

    (void)state;
    memset(results, 0, sizeof(results));
    assert_int_equal(cudnn7_found(ANYDNN_STATUS_SUCCESS, &answers, GIVEN, 1, &returned, results),
                     ANYDNN_STATUS_SUCCESS);
    assert_int_equal(returned, 1);
    assert_int_equal(results[1].algo, 0);
}

static void a_failure_hands_out_nothing(void **state)
{
    int returned = -1;

    (void)state;
    assert_int_equal(
        cudnn7_found(ANYDNN_STATUS_SHUTTING_DOWN, &answers, GIVEN, GIVEN, &returned, NULL),
        ANYDNN_STATUS_NOT_INITIALIZED);
    assert_int_equal(returned, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_number_no_answer),
        cmocka_unit_test(no_more_than_requested),
        cmocka_unit_test(a_failure_hands_out_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
