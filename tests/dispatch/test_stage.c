/* SPDX-License-Identifier: Apache-2.0 */
/* Tests backends of a space other than the handle's. The tests cover when they are queried, what
 * is reported, and which device they get. Rules on workspace and alignment still apply. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

#include "settings/settings.h"

static const float one = 1;
static const float zero = 0;

static anydnnStatus_t softmax(anydnnHandle_t handle)
{
    anydnnTensorDescriptor_t x = fixture_tensor("f32:2,3,1,1");

    return anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                x, fixture_data(0), &zero, x, fixture_data(1));
}

#define assert_ran(handle, name) assert_string_equal(fixture_record(handle, "backend"), name)

/* Counts the matching warnings since the last call. */
static int warnings(const char *text)
{
    return fixture_lines(fixture_messages(), "staged: ", text);
}

static void last_asks_others_when_all_declined(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device, mock_a, mock_b");

    (void)state;
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
    assert_int_equal(fixture_number(handle, "staged"), 0);
    assert_string_equal(fixture_record(handle, "staged_on"), "");
    assert_int_equal(fixture_number(handle, "staged_bytes"), 0);
    assert_int_equal(fixture_number(handle, "fallback"), 0); /* it is the first in this order */
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_device: uses memory space `mockdev`, and this handle uses "
                        "`host`; with staging = last it is queried after all others\n");
    assert_int_equal(fixture_lines(fixture_log(), "mock_device candidates", ""), 0);
    assert_int_equal(warnings(""), 0);
    handle = fixture_handle("mock_device, mock_a, mock_b");
    fixture_set("mock_a", "decline", "*");
    fixture_set("mock_a", "sentence", "mock_a has no softmax");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    fixture_set("mock_b", "decline", "*");
    handle = fixture_handle("mock_device, mock_a, mock_b");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_device");
    assert_int_equal(fixture_number(handle, "staged"), 1);
    assert_string_equal(fixture_record(handle, "staged_on"), "mockdev:0");
    assert_int_equal(fixture_number(handle, "staged_bytes"), 2 * 24);
    assert_int_equal(fixture_number(handle, "fallback"), 1);
    assert_int_equal(fixture_number(handle, "fallbacks"), 1);
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_a: mock_a has no softmax\n"
                        "mock_b: the test backend was told to decline\n");
}

static void one_warning_a_problem(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_device, fallback:warn");
    const char *told;

    (void)state;
    fixture_set("mock_a", "decline", "*");
    fixture_set("mock_a", "sentence", "mock_a has no softmax");
    fixture_messages();
    assert_ok(softmax(handle));
    told = fixture_messages();
    assert_holds(told, "staged: operands are copied from cpu to mockdev:0 and back for mock_device,"
                       " since mock_a: mock_a has no softmax: softmax_forward x=f32:2,3,1,1");
    assert_int_equal(fixture_lines(told, "fell back", ""), 0);
    assert_ok(softmax(handle)); /* equal descriptors */
    assert_string_equal(fixture_record(handle, "plan"), "equal");
    assert_int_equal(warnings(""), 0);
    assert_int_equal(fixture_number(handle, "staged_calls"), 2);
    handle = fixture_handle("mock_device");
    assert_ok(softmax(handle));
    assert_int_equal(warnings("since the route names no backend of the handle's own memory space"),
                     1);
    fixture_settings()->staging = ADN_STAGING_LISTED;
    handle = fixture_handle("mock_device, mock_b");
    assert_ok(softmax(handle));
    assert_int_equal(warnings("since staging = listed, and the route names it first"), 1);
}

static void listed_asks_in_order(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device, mock_a");

    (void)state;
    fixture_settings()->staging = ADN_STAGING_LISTED;
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_device");
    assert_int_equal(fixture_number(handle, "fallback"), 0);
    assert_string_equal(fixture_record(handle, "passed_over"), "");
    assert_int_equal(fixture_lines(fixture_log(), "mock_a candidates", ""), 0);
    handle = fixture_handle("mock_a, mock_device");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
    handle = fixture_handle("mock_device, mock_a");
    fixture_set("mock_device", "decline", "*");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_device: the test backend was told to decline\n");
    assert_int_equal(fixture_number(handle, "fallback"), 1);
}

static void off_asks_never(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device, mock_a");

    (void)state;
    fixture_settings()->staging = ADN_STAGING_OFF;
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_device: uses memory space `mockdev`, and this handle uses "
                        "`host`, and staging = off\n");
    handle = fixture_handle("mock_device");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED, "and staging = off");
    assert_int_equal(fixture_lines(fixture_log(), "mock_device candidates", ""), 0);
}

static void fallback_off_keeps_the_first_choice(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device, mock_a, fallback:off");

    (void)state;
    assert_ok(softmax(handle)); /* mock_a is now the first */
    assert_ran(handle, "mock_a");
    fixture_set("mock_a", "decline", "*");
    handle = fixture_handle("mock_device, mock_a, fallback:off");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_device: not queried (fallback = off); mock_a: the test backend was told");
    handle = fixture_handle("mock_device, mock_far, fallback:off");
    assert_ok(softmax(handle)); /* it has no own device, so the first that is named is used */
    assert_ran(handle, "mock_device");
    fixture_set("mock_device", "decline", "*");
    handle = fixture_handle("mock_device, mock_far, fallback:off");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED, "mock_far: not queried");
    fixture_settings()->staging = ADN_STAGING_LISTED;
    handle = fixture_handle("mock_device, mock_a, fallback:off");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED, "mock_a: not queried");
}

static void the_device_has_the_handles_number_where_there_is_one(void **state)
{
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnHandle_t handle;
    void *memory = NULL;

    (void)state;
    fixture_handle("mock_far, mock_device"); /* opens no device yet */
    assert_ok(softmax(fixture_handle("mock_far")));
    fixture_set("mock_far", "devices", "3");
    fixture_set("mock_device", "devices", "3");
    handle = fixture_handle_on("mockfar:2", "mock_device");
    assert_ok(anydnnMemAlloc(handle, 64, &memory));
    fixture_log();
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_string_equal(fixture_record(handle, "staged_on"), "mockdev:2");
    {
        const char *log = fixture_log();

        assert_int_equal(fixture_lines(log, "mock_device context_create", " device=2 "), 1);
        assert_int_equal(fixture_lines(log, "mock_device candidates", " device=2 "), 1);
        assert_int_equal(fixture_lines(log, "mock_device plan_create", " device=2 "), 1);
        assert_int_equal(fixture_lines(log, "mock_device memory_copy", " device=2 "), 2);
        assert_int_equal(fixture_lines(log, "mock_far memory_copy", " device=2 "), 2);
    }
    assert_ok(anydnnMemFree(handle, memory));
    fixture_set("mock_device", "devices", "2");
    handle = fixture_handle_on("mockfar:2", "mock_device");
    assert_ok(anydnnMemAlloc(handle, 64, &memory));
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_string_equal(fixture_record(handle, "staged_on"), "mockdev:0");
    assert_ok(anydnnMemFree(handle, memory));
    fixture_set("mock_device", "devices", "0");
    assert_fails(softmax(fixture_handle("mock_device")), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_device: its memory space has no device");
    fixture_set("mock_device", "devices", NULL);
    fixture_set("mock_device", "fail_context", "yes");
    assert_fails(softmax(fixture_handle("mock_device")), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_device: the test backend was told to fail in context_create");
}

/* The workspace belongs to the handle; the limits of the settings still apply. */
static void workspace_is_not_the_callers(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device");
    struct fixture_convolution with;
    size_t bytes = 77;
    const char *log;

    (void)state;
    fixture_set("mock_device", "workspace", "5000");
    fixture_convolution_make(&with, 9);
    assert_ok(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                       ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                       &bytes));
    assert_int_equal(bytes, 0);
    fixture_log();
    assert_ok(fixture_convolution_run(handle, &with));
    assert_int_equal(fixture_number(handle, "workspace"), 0);
    assert_int_equal(fixture_number(handle, "workspace_short"), 0);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_execute", " bytes=5000 "), 1);
    assert_int_equal(fixture_lines(log, "plan_execute", "00 bytes=5000 "),
                     1); /* a multiple of 256 */
    assert_int_equal(fixture_lines(log, "plan_execute", " workspace=0x0 "), 0);
    fixture_settings()->workspace_limit = 4999;
    handle = fixture_handle("mock_device");
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_device: needs 5000 bytes of workspace; the limit is 4999");
}

/* If the handle's own backend cannot use the given pointers or workspace, a backend of another
 * space may run. */
static void a_second_plan_may_be_staged(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_device");
    struct fixture_convolution with;

    (void)state;
    fixture_set("mock_a", "alignment", "64");
    fixture_set("mock_device", "alignment", "256");
    fixture_set("mock_device", "workspace", "300");
    fixture_convolution_make(&with, 9);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ran(handle, "mock_a");
    with.data[0] = (char *)fixture_data(0) + 4;
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ran(handle, "mock_device");
    assert_int_equal(fixture_number(handle, "unaligned"), 1);
    assert_int_equal(fixture_number(handle, "staged"), 1);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "plan"), "hit");
    assert_ran(handle, "mock_device");
    with.data[0] = fixture_data(0);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ran(handle, "mock_a");
    with.data[0] = (char *)fixture_data(0) + 2;
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_BAD_PARAM,
                 "elements of type f32 must be aligned to 4 bytes");
}

static void explained(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device, mock_a");
    anydnnProblem_t problem = NULL;
    char text[4096];

    (void)state;
    fixture_set("mock_device", "workspace", "4096");
    fixture_set("mock_a", "decline", "*");
    assert_ok(anydnnProblemParse("softmax_forward x=f32:2,3", &problem));
    assert_ok(anydnnProblemExplain(handle, problem, text, sizeof(text), NULL));
    assert_holds(text, "    staged: operands are copied from cpu to mockdev:0 and back; queried if "
                       "no backend of the handle's own memory space runs the problem\n");
    assert_holds(text, "choice: mock_device engine 1, default math, algorithm none, workspace 0, "
                       "staged on mockdev:0\n");
    fixture_settings()->staging = ADN_STAGING_OFF;
    assert_ok(anydnnProblemExplain(handle, problem, text, sizeof(text), NULL));
    assert_holds(text, "skipped: uses memory space `mockdev`, and this handle uses "
                       "`host`, and staging = off\n");
    assert_holds(text, "choice: none");
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 0);
    assert_ok(anydnnProblemDestroy(problem));
}

#define stage_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        stage_test(last_asks_others_when_all_declined),
        stage_test(one_warning_a_problem),
        stage_test(listed_asks_in_order),
        stage_test(off_asks_never),
        stage_test(fallback_off_keeps_the_first_choice),
        stage_test(the_device_has_the_handles_number_where_there_is_one),
        stage_test(workspace_is_not_the_callers),
        stage_test(a_second_plan_may_be_staged),
        stage_test(explained),
    };

    return cmocka_run_group_tests_name("stage", tests, fixture_group_setup, fixture_group_teardown);
}
