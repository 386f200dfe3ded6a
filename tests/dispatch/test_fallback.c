/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what happens when the first choice does not run: at selection, at execution, with
 * unaligned operands, and with a small workspace. It also checks what the caller can observe. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

#include "settings/settings.h"

static const float one = 1, zero = 0;

static anydnnStatus_t softmax_at(anydnnHandle_t handle, const void *x, void *y)
{
    static anydnnTensorDescriptor_t desc;

    desc = fixture_tensor("f32:2,3");
    return anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                desc, x, &zero, desc, y);
}

static anydnnStatus_t softmax(anydnnHandle_t handle)
{
    return softmax_at(handle, fixture_data(0), fixture_data(1));
}

static int ran(const char *backend)
{
    return fixture_lines(fixture_log(), backend, "plan_execute");
}

static void selection_falls_back_silently_when_on(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, fallback:on");

    (void)state;
    fixture_set("mock_a", "decline", "*");
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_int_equal(fixture_number(handle, "fallback"), 1);
    assert_int_equal(fixture_number(handle, "fallbacks"), 1);
    assert_null(strstr(fixture_messages(), "warning"));
    assert_ok(softmax(handle));
    assert_int_equal(fixture_number(handle, "fallback"), 1);
    assert_int_equal(fixture_number(handle, "fallbacks"), 1); /* a plan counts once */
}

static void selection_warns_once_a_plan_when_asked_to(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, fallback:warn");

    (void)state;
    fixture_set("mock_a", "decline", "*");
    assert_ok(softmax(handle));
    assert_holds(fixture_messages(),
                 "fell back to mock_b (mock_a: the test backend was told to decline) for "
                 "softmax_forward");
    assert_ok(softmax(handle));
    assert_null(strstr(fixture_messages(), "fell back"));
    fixture_set("mock_a", "decline", NULL);
    handle = fixture_handle("mock_a, mock_b, fallback:warn");
    assert_ok(softmax(handle));
    assert_null(strstr(fixture_messages(), "fell back"));
}

static void selection_does_not_fall_back_when_off(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, fallback:off");

    (void)state;
    fixture_set("mock_a", "decline", "*");
    assert_fails(
        softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED,
        "mock_a: the test backend was told to decline; mock_b: not queried (fallback = off)");
    assert_int_equal(fixture_lines(fixture_log(), "mock_b", ""), 0);
    assert_int_equal(fixture_number(handle, "fallbacks"), 0);
}

static void the_setting_holds_where_the_rule_is_silent(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    fixture_settings()->fallback = ADN_FALLBACK_OFF;
    fixture_set("mock_a", "decline", "*");
    handle = fixture_handle("mock_a, mock_b");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED, "not queried (fallback = off)");
    handle = fixture_handle("mock_a, mock_b, fallback:on");
    assert_ok(softmax(handle));
    fixture_settings()->fallback = ADN_FALLBACK_WARN;
    handle = fixture_handle("mock_a, mock_b");
    assert_ok(softmax(handle));
    assert_holds(fixture_messages(), "fell back to mock_b");
}

/* A backend that refuses before it touches anything passes the call to the next backend, once
 * per plan. */
static void effect_none_runs_the_next_backend(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "execute", "none");
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_int_equal(fixture_number(handle, "fallback"), 1);
    assert_int_equal(fixture_number(handle, "fallbacks"), 1);
    assert_holds(fixture_record(handle, "passed_over"),
                 "mock_a: failed in an earlier run of this problem");
    assert_holds(fixture_messages(), "mock_a refused to run (8): the test backend was told to fail "
                                     "in plan_execute; trying the next backend");
    assert_int_equal(ran("mock_a"), 1);
    /* The plan was rebuilt without the backend permanently. */
    fixture_set("mock_a", "execute", NULL);
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_int_equal(ran("mock_a"), 0);
    assert_int_equal(fixture_number(handle, "plans"), 1);
    /* Another problem and another handle still try the backend. */
    handle = fixture_handle("mock_a, mock_b");
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
}

static void effect_none_on_a_hit(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    struct fixture_convolution with;

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_ok(fixture_convolution_run(handle, &with));
    fixture_set("mock_a", "execute", "none");
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_int_equal(ran("mock_a"), 2);
}

static void all_refuse(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "execute", "none");
    fixture_set("mock_b", "execute", "none");
    fixture_set("mock_b", "status", "9");
    assert_fails(
        softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED,
        "anydnnSoftmaxForward: mock_b failed before it began: the test backend was told to "
        "fail in plan_execute; no other backend runs the problem");
    assert_string_equal(fixture_record(handle, "effect"), "none");
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 2);
}

static void no_retry_after(const char *effect, const char *status, anydnnStatus_t answer,
                           const char *sentence)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    fixture_set("mock_a", "execute", effect);
    fixture_set("mock_a", "status", status);
    assert_fails(softmax(handle), answer, sentence);
    assert_holds(fixture_error(), "anydnnSoftmaxForward: mock_a failed: the test backend was told");
    assert_string_equal(fixture_record(handle, "effect"), effect);
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    assert_int_equal(ran("mock_b"), 0);
    /* The plan stays: the next call tries the same backend. */
    fixture_set("mock_a", "execute", NULL);
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
}

static void no_retry_once_work_was_enqueued(void **state)
{
    (void)state;
    no_retry_after("enqueued", "8", ANYDNN_STATUS_EXECUTION_FAILED,
                   "work was enqueued before it failed");
}

static void no_retry_when_the_effect_is_unknown(void **state)
{
    (void)state;
    no_retry_after("unknown", "4", ANYDNN_STATUS_INTERNAL_ERROR, "outputs are undefined");
}

static void no_retry_on_bad_arguments(void **state)
{
    (void)state;
    no_retry_after("none", "3", ANYDNN_STATUS_BAD_PARAM, "outputs are untouched");
}

static void a_status_that_is_none(void **state)
{
    (void)state;
    no_retry_after("unknown", "4711", ANYDNN_STATUS_EXECUTION_FAILED, "outputs are undefined");
    no_retry_after("unknown", "-5", ANYDNN_STATUS_EXECUTION_FAILED, "outputs are undefined");
}

static void no_retry_when_off(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, fallback:off");

    (void)state;
    fixture_set("mock_a", "execute", "none");
    assert_fails(softmax(handle), ANYDNN_STATUS_EXECUTION_FAILED, "outputs are untouched");
    assert_null(strstr(fixture_messages(), "trying the next backend"));
    assert_int_equal(ran("mock_b"), 0);
    fixture_settings()->fallback = ADN_FALLBACK_OFF;
    handle = fixture_handle("mock_a, mock_b");
    assert_fails(softmax(handle), ANYDNN_STATUS_EXECUTION_FAILED, "mock_a failed");
    handle = fixture_handle("mock_a, mock_b, fallback:on");
    assert_ok(softmax(handle));
}

/* A call that fails before its backend begins leaves the record's effect at none. */
static void the_effect_of_a_call_that_nobody_takes(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    anydnnTensorDescriptor_t x = fixture_tensor("f32:2,3,4,5");

    (void)state;
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "effect"), "enqueued");
    fixture_set("mock_a", "decline", "*");
    fixture_set("mock_b", "decline", "*");
    assert_fails(anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                      x, fixture_data(0), &zero, x, fixture_data(1)),
                 ANYDNN_STATUS_NOT_SUPPORTED, "told to decline");
    assert_string_equal(fixture_record(handle, "effect"), "none");
}

/* ---- second plans */

static void unaligned_pointers_run_a_second_plan(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    char *x = fixture_data(0);

    (void)state;
    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "alignment", "64 / 0");
    assert_ok(softmax(handle));
    assert_int_equal(fixture_number(handle, "engine"), 1);
    assert_int_equal(fixture_number(handle, "unaligned"), 0);
    assert_ok(softmax_at(handle, x + 32, fixture_data(1)));
    assert_int_equal(fixture_number(handle, "engine"), 2);
    assert_int_equal(fixture_number(handle, "unaligned"), 1);
    assert_int_equal(fixture_number(handle, "workspace_short"), 0);
    assert_holds(fixture_record(handle, "backend"), "mock_a");
    /* An unaligned output has the same effect; the second plan is kept, and aligned pointers run
     * the first plan again. */
    assert_ok(softmax_at(handle, x, (char *)fixture_data(1) + 4));
    assert_int_equal(fixture_number(handle, "unaligned"), 1);
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 2);
    assert_ok(softmax_at(handle, x + 64, fixture_data(1)));
    assert_int_equal(fixture_number(handle, "engine"), 1);
    assert_int_equal(fixture_number(handle, "unaligned"), 0);
    assert_int_equal(fixture_number(handle, "plans"), 1);
}

static void another_backend_may_run_the_second_plan(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "alignment", "128");
    assert_ok(softmax_at(handle, (char *)fixture_data(0) + 64, fixture_data(1)));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_holds(fixture_record(handle, "passed_over"),
                 "mock_a: needs operand x aligned to 128 bytes");
    fixture_set("mock_b", "alignment", "16");
    handle = fixture_handle("mock_a, mock_b");
    assert_fails(softmax_at(handle, (char *)fixture_data(0) + 64, fixture_data(1)),
                 ANYDNN_STATUS_NOT_SUPPORTED, "mock_b: needs operand x aligned to 16 bytes");
    assert_ok(softmax(handle));
}

static void below_an_element_nobody_can(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    anydnnTensorDescriptor_t wide = fixture_tensor("f64:2,3");
    const double both[] = {1, 0};

    (void)state;
    assert_fails(softmax_at(handle, (char *)fixture_data(0) + 2, fixture_data(1)),
                 ANYDNN_STATUS_BAD_PARAM, "anydnnSoftmaxForward: operand x is at ");
    assert_holds(fixture_error(), "elements of type f32 must be aligned to 4 bytes");
    assert_fails(anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                      &both[0], wide, fixture_data(0), &both[1], wide,
                                      (char *)fixture_data(1) + 4),
                 ANYDNN_STATUS_BAD_PARAM, "operand y is at ");
    assert_holds(fixture_error(), "elements of type f64 must be aligned to 8 bytes");
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 0);
    assert_ok(softmax_at(handle, (char *)fixture_data(0) + 4, fixture_data(1)));
}

static void run_with(anydnnHandle_t handle, void *workspace, size_t bytes, int engine, int is_short)
{
    struct fixture_convolution with;

    fixture_convolution_make(&with, 8);
    with.workspace = workspace;
    with.bytes = bytes;
    assert_ok(fixture_convolution_run(handle, &with));
    assert_int_equal(fixture_number(handle, "engine"), engine);
    assert_int_equal(fixture_number(handle, "workspace_short"), is_short);
    assert_int_equal(fixture_number(handle, "unaligned"), 0);
}

static void too_little_workspace_runs_a_second_plan(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    char *workspace = fixture_data(20);

    (void)state;
    fixture_set("mock_a", "engine_count", "3");
    fixture_set("mock_a", "workspace", "3000 / 1000 / 0");
    run_with(handle, workspace, 3000, 1, 0);
    run_with(handle, workspace, 4000, 1, 0);
    run_with(handle, workspace, 2999, 2, 1);
    run_with(handle, workspace, 1000, 2, 1);
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 2); /* both plans are kept */
    run_with(handle, workspace, 999, 3, 1);
    run_with(handle, workspace, 2000, 2, 1);
    run_with(handle, NULL, 0, 3, 1);
    run_with(handle, NULL, 5000, 3, 1);           /* a size without memory */
    run_with(handle, workspace + 16, 3000, 3, 1); /* memory that lacks the promised alignment */
    run_with(handle, workspace, 3000, 1, 0);
}

static void a_second_plan_with_the_wish(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    struct fixture_convolution with;

    (void)state;
    fixture_set("mock_a", "algorithms", "2");
    fixture_set("mock_a", "workspace", "3000");
    fixture_set("mock_b", "algorithms", "1,2");
    fixture_convolution_make(&with, 8);
    with.algorithm = 2;
    /* mock_a needs more workspace than the call gives, so the first backend with algorithm 2 is
     * mock_b. */
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_int_equal(fixture_number(handle, "engine"), 2);
    assert_int_equal(fixture_number(handle, "workspace_short"), 1);
    with.workspace = fixture_data(20);
    with.bytes = 3000;
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    assert_int_equal(fixture_number(handle, "workspace_short"), 0);
}

static void a_second_plan_that_nobody_has(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, fallback:off");
    struct fixture_convolution with;

    (void)state;
    fixture_set("mock_a", "workspace", "3000");
    fixture_convolution_make(&with, 8);
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_a: needs 3000 bytes of workspace; the limit is 0");
}

/* The backend of the second plan refuses. The first plan is rebuilt without it and gets a new
 * second plan. */
static void rule_b_on_a_second_plan(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, mock_noop");

    (void)state;
    fixture_set("mock_a", "alignment", "64");
    fixture_set("mock_b", "execute", "none");
    assert_ok(softmax_at(handle, (char *)fixture_data(0) + 4, fixture_data(1)));
    assert_string_equal(fixture_record(handle, "backend"), "mock_noop");
    assert_int_equal(fixture_number(handle, "unaligned"), 1);
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
}

#define fallback_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        fallback_test(selection_falls_back_silently_when_on),
        fallback_test(selection_warns_once_a_plan_when_asked_to),
        fallback_test(selection_does_not_fall_back_when_off),
        fallback_test(the_setting_holds_where_the_rule_is_silent),
        fallback_test(effect_none_runs_the_next_backend),
        fallback_test(effect_none_on_a_hit),
        fallback_test(all_refuse),
        fallback_test(no_retry_once_work_was_enqueued),
        fallback_test(no_retry_when_the_effect_is_unknown),
        fallback_test(no_retry_on_bad_arguments),
        fallback_test(a_status_that_is_none),
        fallback_test(no_retry_when_off),
        fallback_test(the_effect_of_a_call_that_nobody_takes),
        fallback_test(unaligned_pointers_run_a_second_plan),
        fallback_test(another_backend_may_run_the_second_plan),
        fallback_test(below_an_element_nobody_can),
        fallback_test(too_little_workspace_runs_a_second_plan),
        fallback_test(a_second_plan_with_the_wish),
        fallback_test(a_second_plan_that_nobody_has),
        fallback_test(rule_b_on_a_second_plan),
    };

    return cmocka_run_group_tests_name("fallback", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
