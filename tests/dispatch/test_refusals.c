/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the log of refused calls: the first is a warning, later ones are information. Failures
 * on the way to a success are not logged. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

static const float one = 1, zero = 0;

static anydnnStatus_t softmax(anydnnHandle_t handle, const float *alpha, void *y)
{
    anydnnTensorDescriptor_t x = fixture_tensor("f32:2,3");

    return anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL, alpha,
                                x, fixture_data(0), &zero, x, y);
}

/* Checks that there is one line of that severity for the entry, and none of the other severity. */
static void assert_told(anydnnSeverity_t severity, const char *entry)
{
    const char *told = fixture_messages();
    char warning[100], info[100];

    snprintf(warning, sizeof(warning), "warning: %s: ", entry);
    snprintf(info, sizeof(info), "info: %s: ", entry);
    assert_int_equal(fixture_lines(told, warning, ""), severity == ANYDNN_SEV_WARNING);
    assert_int_equal(fixture_lines(told, info, ""), severity == ANYDNN_SEV_INFO);
    assert_holds(told, "(ANYDNN_STATUS_");
}

static void a_refusal_is_a_warning_once(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_messages();
    assert_fails(softmax(handle, NULL, fixture_data(1)), ANYDNN_STATUS_BAD_PARAM, "alpha is NULL");
    assert_told(ANYDNN_SEV_WARNING, "anydnnSoftmaxForward");
    assert_fails(softmax(handle, NULL, fixture_data(1)), ANYDNN_STATUS_BAD_PARAM, "alpha is NULL");
    assert_told(ANYDNN_SEV_INFO, "anydnnSoftmaxForward");
    /* Another rule and another entry each get their own warning. */
    assert_fails(softmax(handle, &one, NULL), ANYDNN_STATUS_BAD_PARAM, "y is NULL");
    assert_told(ANYDNN_SEV_WARNING, "anydnnSoftmaxForward");
    assert_fails(anydnnScaleTensor(handle, fixture_tensor("f32:2,3"), fixture_data(0), NULL),
                 ANYDNN_STATUS_BAD_PARAM, "alpha is NULL");
    assert_told(ANYDNN_SEV_WARNING, "anydnnScaleTensor");
    assert_fails(anydnnSetStream(NULL, NULL), ANYDNN_STATUS_NOT_INITIALIZED, "the handle is NULL");
    assert_told(ANYDNN_SEV_WARNING, "anydnnSetStream");
}

/* Programs query what is available, so such a refusal is no warning; a call that no backend runs
 * is one. */
static void no_is_an_answer(void **state)
{
    anydnnHandle_t handle = fixture_handle("nobody_at_all");
    struct fixture_convolution with;
    anydnnConvolutionFwdAlgoPerf_t found;
    anydnnProblem_t problem;
    size_t bytes;
    int count;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_messages();
    assert_fails(anydnnFindConvolutionForwardAlgorithm(handle, with.x, with.w, with.conv, with.y, 1,
                                                       &count, &found),
                 ANYDNN_STATUS_NOT_SUPPORTED, "nobody_at_all");
    assert_told(ANYDNN_SEV_INFO, "anydnnFindConvolutionForwardAlgorithm");
    assert_fails(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                          ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                          &bytes),
                 ANYDNN_STATUS_NOT_SUPPORTED, "nobody_at_all");
    assert_told(ANYDNN_SEV_INFO, "anydnnGetConvolutionForwardWorkspaceSize");
    assert_fails(anydnnProblemParse("nonsense", &problem), ANYDNN_STATUS_BAD_PARAM, "nonsense");
    assert_told(ANYDNN_SEV_INFO, "problem text");
    assert_fails(softmax(handle, &one, fixture_data(1)), ANYDNN_STATUS_NOT_SUPPORTED,
                 "nobody_at_all");
    assert_told(ANYDNN_SEV_WARNING, "anydnnSoftmaxForward");
}

/* Failures before an entry succeeds are not refusals. */
static void a_success_is_silent(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    struct fixture_convolution with;
    anydnnConvolutionFwdAlgoPerf_t found[4];
    int count;

    (void)state;
    fixture_set("mock_a", "execute", "none");
    fixture_convolution_make(&with, 8);
    fixture_messages();
    assert_ok(anydnnFindConvolutionForwardAlgorithm(handle, with.x, with.w, with.conv, with.y, 4,
                                                    &count, found));
    assert_ok(softmax(handle, &one, fixture_data(1)));
    assert_int_equal(fixture_lines(fixture_messages(), "(ANYDNN_STATUS_", ""), 0);
}

/* Makes a call of its own in the application's callback; the sentence must remain the entry's. */
static void call_again(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                       const char *message)
{
    (void)severity;
    (void)user;
    (void)debug;
    (void)message;
    anydnnGetStream(NULL, NULL);
}

static void a_callback_that_fails_changes_nothing(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    assert_ok(anydnnSetCallback(ANYDNN_SEV_INFO_EN | ANYDNN_SEV_WARNING_EN, NULL, call_again));
    assert_fails(softmax(handle, NULL, fixture_data(1)), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnSoftmaxForward: alpha is NULL");
}

static void a_misspelt_backend_is_told_once(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_messages();
    for (int i = 0; i < 3; i++)
        assert_ok(anydnnSetRoute(handle, "softmax_forward", NULL, "mock_bb, cudnn, mock_a"));
    assert_int_equal(fixture_lines(fixture_messages(),
                                   "warning: anydnnSetRoute: backend `mock_bb` "
                                   "is not installed; did you mean `mock_b`?",
                                   ""),
                     1);
    assert_ok(anydnnSetRoute(handle, "softmax_forward", NULL, "cudnn, mock_a"));
    assert_string_equal(fixture_messages(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_refusal_is_a_warning_once, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(no_is_an_answer, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_success_is_silent, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_callback_that_fails_changes_nothing, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_misspelt_backend_is_told_once, fixture_setup,
                                        fixture_teardown),
    };

    return cmocka_run_group_tests_name("refusals", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
