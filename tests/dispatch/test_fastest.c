/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the route's word `fastest`: what is timed for a problem's first plan, what is chosen,
 * and what the order of the route decides. Time passes only while a mock sleeps (clock.c). */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/settings.h"

#define ROUTE "fastest, mock_a, mock_b"

static struct fixture_convolution with;
static char path[4200];
static int files;

static anydnnHandle_t handle_of(const char *route)
{
    fixture_convolution_make(&with, 8);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    return fixture_handle(route);
}

static void times(const char *a, const char *b)
{
    fixture_set("mock_a", "sleep_us", a);
    fixture_set("mock_b", "sleep_us", b);
}

static int executes(const char *log, const char *backend)
{
    return fixture_lines(log, backend, "plan_execute");
}

static void keep_in_file(void)
{
    char name[40];

    snprintf(name, sizeof(name), "fastest%d", files++);
    snprintf(path, sizeof(path), "%s", fixture_path(name));
    fixture_settings()->tuning = path;
}

static const char *run(anydnnHandle_t handle)
{
    return search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH);
}

/* ---- the choice */

static void the_fastest_is_taken(void **state)
{
    anydnnHandle_t handle = handle_of(ROUTE);
    const char *log;

    (void)state;
    times("3000", "1000");
    assert_string_equal(run(handle), "mock_b 1");
    log = fixture_log();
    assert_true(executes(log, "mock_a") > 1);
    assert_true(executes(log, "mock_b") > 1);
    assert_string_equal(fixture_record(handle, "plan"), "miss");
    assert_string_equal(fixture_record(handle, "notes"), "timed");
    assert_int_equal(fixture_number(handle, "fallbacks"), 0);
    /* One search is enough. */
    times("1000", "3000");
    assert_ok(fixture_convolution_run(handle, &with));
    log = fixture_log();
    assert_int_equal(executes(log, "mock_a"), 0);
    assert_int_equal(executes(log, "mock_b"), 1);
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
}

static void every_engine_stands(void **state)
{
    (void)state;
    fixture_set("mock_a", "algorithms", "0,1,1");
    times("3000 / 2000 / 500", "1000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 3");
}

static void without_the_word_the_order_counts(void **state)
{
    anydnnHandle_t handle = handle_of("mock_a, mock_b");

    (void)state;
    times("3000", "1000");
    assert_string_equal(run(handle), "mock_a 1");
    assert_int_equal(executes(fixture_log(), "mock_b"), 0);
    assert_string_equal(fixture_record(handle, "notes"), "");
}

/* Within 1 %, the earlier one of the list wins. */
static void ties_go_to_the_earlier(void **state)
{
    (void)state;
    times("10050", "10000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 1");
    times("10200", "10000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
}

static void what_fails_is_out(void **state)
{
    anydnnHandle_t handle = handle_of(ROUTE);

    (void)state;
    times("3000", "1000");
    fixture_set("mock_b", "execute", "fail");
    assert_string_equal(run(handle), "mock_a 1");
    fixture_set("mock_b", "execute", NULL);
    fixture_set("mock_b", "fail_plan", "1");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 1");
}

/* Transforms take part only if the call names their number; any other number is ignored. */
static void transforms_must_be_named(void **state)
{
    (void)state;
    fixture_set("mock_b", "algorithms", "4");
    fixture_set("mock_b", "notes", "transform");
    times("3000", "1000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 1");
    assert_string_equal(search_run(handle_of(ROUTE), &with, 4, ANYDNN_DEFAULT_MATH), "mock_b 1");
    fixture_set("mock_b", "notes", NULL);
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
}

/* The reference is chosen for correctness, not speed: it runs only if no other backend remains. */
static void the_reference_is_never_timed(void **state)
{
    anydnnHandle_t handle = handle_of("fastest, cpu_ref, mock_b");

    (void)state;
    times("1", "100000");
    assert_string_equal(run(handle), "mock_b 1");
    fixture_set("mock_b", "decline", "convolution_forward");
    handle = handle_of("fastest, cpu_ref, mock_b");
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "cpu_ref");
}

/* A workspace query decides, and the following call runs that choice. */
static void a_query_decides(void **state)
{
    anydnnHandle_t handle = handle_of(ROUTE);
    size_t bytes = 0;

    (void)state;
    times("3000", "1000");
    fixture_set("mock_b", "workspace", "512");
    assert_ok(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                       ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                       &bytes));
    assert_int_equal(bytes, 512);
    times("1000", "3000");
    assert_string_equal(run(handle), "mock_b 1");
}

/* Each backend of the list is a first choice, so fallback:off does not exclude it. A call that
 * one refuses to run is not tried elsewhere. */
static void nothing_is_a_fallback(void **state)
{
    anydnnHandle_t handle = handle_of("fastest, mock_a, mock_b, fallback:off");

    (void)state;
    times("3000", "1000");
    assert_string_equal(run(handle), "mock_b 1");
    assert_int_equal(fixture_number(handle, "fallback"), 0);
    fixture_set("mock_b", "execute", "none");
    assert_int_not_equal(fixture_convolution_run(handle, &with), ANYDNN_STATUS_SUCCESS);
}

/* The word also applies to operations without algorithms and to calls in place. */
static void other_operations(void **state)
{
    anydnnHandle_t handle = fixture_handle(ROUTE);
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    const float factor = 2;

    (void)state;
    times("3000", "1000");
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(0), &factor));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_string_equal(fixture_record(handle, "notes"), "timed");
}

/* ---- limits */

/* The best engine of each backend runs first; engines that the limit excludes do not run. */
static void the_time_is_limited(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    fixture_settings()->tune_limit = 100;
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_b", "algorithms", "0,1");
    times("60000 / 1", "50000 / 1");
    handle = handle_of(ROUTE);
    assert_string_equal(run(handle), "mock_a 1");
    assert_int_equal(executes(fixture_log(), "mock_b"), 0);
    fixture_settings()->tune_limit = 400;
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
}

/* An engine that takes more than twice the fastest time is not run again. The other engines of
 * its backend then run after those of the other backends. */
static void time_is_not_spent_on_the_hopeless(void **state)
{
    const char *log;

    (void)state;
    times("1000", "2500");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 1");
    log = fixture_log();
    assert_int_equal(executes(log, "mock_b"), 2);
    assert_int_equal(executes(log, "mock_a"), 2 + 5 + 1);
    times("1000", "1900");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 1");
    assert_int_equal(executes(fixture_log(), "mock_b"), 2 + 5);

    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_b", "algorithms", "0,1");
    times("40000 / 30000", "1000 / 500");
    fixture_settings()->tune_limit = 210; /* 200 for the first, 7 for the second */
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 2");
    assert_int_equal(executes(fixture_log(), "mock_a"), 5);
    /* Such engines run last but still run, and ties still go to the earlier one. */
    fixture_settings()->tune_limit = 2000;
    times("40000 / 500", "1000 / 500");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 2");
}

static void workspace_limits_hold(void **state)
{
    (void)state;
    times("3000", "1000");
    fixture_set("mock_b", "workspace", "512");
    fixture_settings()->workspace_limit = 100;
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 1");
}

/* A recording uses the order of the route, and its plan serves only that recording. */
static void recordings_time_nothing(void **state)
{
    anydnnHandle_t handle = handle_of(ROUTE);
    anydnnRecording_t recording = NULL;

    (void)state;
    times("3000", "1000");
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_int_equal(executes(fixture_log(), "mock_b"), 0);
    assert_ok(anydnnReplay(handle, recording));
    assert_int_equal(executes(fixture_log(), "mock_a"), 1);
    assert_string_equal(run(handle), "mock_b 1");
    fixture_log();
    assert_ok(anydnnReplay(handle, recording));
    assert_int_equal(executes(fixture_log(), "mock_a"), 1);
    assert_ok(anydnnRecordingDestroy(handle, recording));
    /* A recording of a problem that was timed before uses the timed choice. */
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_ok(anydnnRecordingDestroy(handle, recording));
}

/* The same applies to a stream that the application captures, where no mark can be set. */
static void captures_time_nothing(void **state)
{
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    const float factor = 2;
    void *data = NULL;

    (void)state;
    handle = fixture_handle_on("mockdev", "fastest, mock_device");
    assert_ok(anydnnMemAlloc(handle, 4096, &data));
    fixture_set("mock_device", "captured", "yes");
    fixture_log();
    assert_ok(anydnnScaleTensor(handle, y, data, &factor));
    assert_int_equal(executes(fixture_log(), ""), 1);
    assert_string_equal(fixture_record(handle, "notes"), "");
    /* The plan is not kept. */
    assert_ok(anydnnScaleTensor(handle, y, data, &factor));
    assert_string_equal(fixture_record(handle, "plan"), "miss");
    fixture_set("mock_device", "captured", NULL);
    fixture_set("mock_device", "engine_count", "2");
    fixture_log();
    assert_ok(anydnnScaleTensor(handle, y, data, &factor));
    assert_true(executes(fixture_log(), "") > 2);
    assert_ok(anydnnScaleTensor(handle, y, data, &factor));
    assert_string_equal(fixture_record(handle, "plan"), "hit");
    assert_ok(anydnnMemFree(handle, data));
}

/* ---- the tuning file */

static void a_later_handle_times_nothing(void **state)
{
    (void)state;
    keep_in_file();
    times("3000", "1000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
    times("1000", "3000");
    fixture_log();
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
    assert_int_equal(executes(fixture_log(), "mock_a"), 0);
}

/* One record serves every algorithm number that a call names, except a transform's, which is
 * another contest. */
static void a_record_serves_every_number(void **state)
{
    (void)state;
    keep_in_file();
    times("3000", "1000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
    times("1000", "3000");
    assert_string_equal(search_run(handle_of(ROUTE), &with, 1, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_string_equal(search_run(handle_of(ROUTE), &with, 6, ANYDNN_DEFAULT_MATH), "mock_a 1");
}

/* A read-only file decides without the note, and problems that it does not contain are not
 * timed. */
static void a_frozen_file(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    keep_in_file();
    times("3000", "1000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
    fixture_settings()->tuning_mode = ADN_TUNING_READ;
    handle = handle_of(ROUTE);
    assert_string_equal(run(handle), "mock_b 1");
    assert_string_equal(fixture_record(handle, "notes"), "");
    fixture_convolution_make(&with, 9);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    fixture_log();
    assert_string_equal(run(handle), "mock_a 1");
    assert_int_equal(executes(fixture_log(), "mock_b"), 0);
}

static void without_a_file_each_handle_times(void **state)
{
    (void)state;
    times("3000", "1000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_b 1");
    times("1000", "3000");
    assert_string_equal(run(handle_of(ROUTE)), "mock_a 1");
}

/* ---- words of the route */

static void the_word_stands_first(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    assert_fails(anydnnSetRoute(handle, "*", NULL, "mock_a, fastest"), ANYDNN_STATUS_BAD_PARAM,
                 "`fastest` must be the first word");
    assert_fails(anydnnSetRoute(handle, "*", NULL, "fastest, fastest, mock_a"),
                 ANYDNN_STATUS_BAD_PARAM, "`fastest` must be the first word");
    assert_fails(anydnnSetRoute(handle, "*", NULL, "fastest"), ANYDNN_STATUS_BAD_PARAM,
                 "`fastest` must be followed");
    assert_fails(anydnnSetRoute(handle, "*", NULL, "fastest, fallback:on"), ANYDNN_STATUS_BAD_PARAM,
                 "`fastest` must be followed");
    assert_ok(anydnnSetRoute(handle, "*", NULL, "fastest, mock_a, fallback:on"));
}

static void explained(void **state)
{
    anydnnHandle_t handle = handle_of(ROUTE);
    anydnnProblem_t problem = NULL;
    char lines[4096];

    (void)state;
    assert_ok(anydnnProblemParse("convolution_forward x=f32:2,3,8,5 w=f32:4,3,3,3 y=f32:2,4,6,3",
                                 &problem));
    assert_ok(anydnnProblemExplain(handle, problem, lines, sizeof(lines), NULL));
    assert_ok(anydnnProblemDestroy(problem));
    assert_holds(lines, "* = fastest, mock_a, mock_b\n");
    assert_holds(lines, "not timed yet");
    assert_int_equal(executes(fixture_log(), ""), 0);
}

static int group_teardown(void **state)
{
    for (int i = 0; i < files; i++) {
        char name[40];

        snprintf(name, sizeof(name), "fastest%d", i);
        unlink(fixture_path(name));
    }
    return fixture_group_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_fastest_is_taken),
        TEST(every_engine_stands),
        TEST(without_the_word_the_order_counts),
        TEST(ties_go_to_the_earlier),
        TEST(what_fails_is_out),
        TEST(transforms_must_be_named),
        TEST(the_reference_is_never_timed),
        TEST(a_query_decides),
        TEST(nothing_is_a_fallback),
        TEST(other_operations),
        TEST(the_time_is_limited),
        TEST(time_is_not_spent_on_the_hopeless),
        TEST(workspace_limits_hold),
        TEST(recordings_time_nothing),
        TEST(captures_time_nothing),
        TEST(a_later_handle_times_nothing),
        TEST(a_record_serves_every_number),
        TEST(a_frozen_file),
        TEST(without_a_file_each_handle_times),
        TEST(the_word_stands_first),
        TEST(explained),
    };

    return cmocka_run_group_tests(tests, search_group_setup, group_teardown);
}
