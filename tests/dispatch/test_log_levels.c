/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what the log contains at each level: info has a line per plan, debug per choice, trace
 * per call. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

#include "sys/log.h"

static const float one = 1, zero = 0;

static int setup(void **state)
{
    return fixture_setup(state) || adn_log_target(fixture_path("told"));
}

static int teardown(void **state)
{
    adn_log_level_set(ADN_LOG_WARN);
    adn_log_target("stderr");
    return fixture_teardown(state);
}

static anydnnStatus_t softmax(anydnnHandle_t handle)
{
    anydnnTensorDescriptor_t desc = fixture_tensor("f32:2,3");

    return anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                desc, fixture_data(0), &zero, desc, fixture_data(1));
}

/* Returns the log of three calls; the second finds an equal problem. */
static const char *told(int level)
{
    anydnnHandle_t handle;

    adn_log_level_set(level);
    handle = fixture_handle("mock_a, mock_b, cpu_ref");
    fixture_set("mock_a", "decline", "*");
    fixture_messages();
    for (int i = 0; i < 3; i++)
        assert_ok(softmax(handle));
    return fixture_messages();
}

static void info_tells_plans(void **state)
{
    const char *messages = told(ADN_LOG_INFO);

    (void)state;
    assert_int_equal(fixture_lines(messages, "info: plan: mock_b", "softmax_forward"), 1);
    assert_int_equal(fixture_lines(messages, "debug:", ""), 0);
    assert_int_equal(fixture_lines(messages, "trace:", ""), 0);
}

static void debug_tells_choices(void **state)
{
    const char *messages = told(ADN_LOG_DEBUG);

    (void)state;
    assert_int_equal(fixture_lines(messages, "info: plan: mock_b", "softmax_forward"), 1);
    assert_int_equal(fixture_lines(messages, "debug: queried mock_a: skipped: the test backend",
                                   "softmax_forward x=f32:2,3"),
                     1);
    assert_int_equal(fixture_lines(messages, "debug: queried mock_b: chosen", "softmax_forward"),
                     1);
    assert_int_equal(fixture_lines(messages, "asked cpu_ref", ""), 0);
    assert_int_equal(fixture_lines(messages, "trace:", ""), 0);
}

static void debug_tells_why_nobody_was_chosen(void **state)
{
    anydnnHandle_t handle;
    const char *messages;

    (void)state;
    adn_log_level_set(ADN_LOG_DEBUG);
    handle = fixture_handle("mock_a");
    fixture_set("mock_a", "decline", "*");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED, "mock_a");
    messages = fixture_messages();
    assert_int_equal(fixture_lines(messages, "debug: queried mock_a: skipped:", ""), 1);
}

static void trace_tells_calls(void **state)
{
    const char *messages = told(ADN_LOG_TRACE);

    (void)state;
    assert_int_equal(fixture_lines(messages, "debug: queried mock_b: chosen", ""), 1);
    assert_int_equal(fixture_lines(messages, "trace: call: mock_b engine", "softmax_forward x="),
                     3);
}

/* The record, and the fallback after a backend that refuses to run, equal those of other plans. */
static void trace_changes_nothing_else(void **state)
{
    anydnnHandle_t handle;
    const char *messages;

    (void)state;
    adn_log_level_set(ADN_LOG_TRACE);
    handle = fixture_handle("mock_a, mock_b");
    fixture_set("mock_a", "execute", "none");
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_string_equal(fixture_record(handle, "effect"), "enqueued");
    assert_string_equal(fixture_record(handle, "staged_on"), "");
    messages = fixture_messages();
    assert_int_equal(fixture_lines(messages, "trace: call: mock_a", "status 8"), 1);
    assert_int_equal(fixture_lines(messages, "trace: call: mock_b", "status 0"), 1);
}

#define level_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        level_test(info_tells_plans),
        level_test(debug_tells_choices),
        level_test(debug_tells_why_nobody_was_chosen),
        level_test(trace_tells_calls),
        level_test(trace_changes_nothing_else),
    };

    return cmocka_run_group_tests_name("log_levels", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
