/* SPDX-License-Identifier: Apache-2.0 */
/* Tests batch invariance: only candidates with the note are chosen, the choice does not depend on
 * the batch, and a chosen engine that cannot run a call is an error. */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/settings.h"

#define ROUTE "mock_a, mock_b"
#define NOTED "batch_invariant"

static struct fixture_convolution with;
static char explained[16384];

/* Makes the convolution with a batch of that size. A sample of x has 480 bytes, one of y 288, so
 * every sample is aligned to 32 bytes. */
static void make(int batch)
{
    char text[64];

    fixture_convolution_make(&with, 8);
    snprintf(text, sizeof(text), "f32:%d,3,8,5", batch);
    with.x = fixture_tensor(text);
    snprintf(text, sizeof(text), "f32:%d,4,6,3", batch);
    with.y = fixture_tensor(text);
}

static anydnnHandle_t invariant(const char *route)
{
    anydnnHandle_t handle = fixture_handle(route);

    assert_ok(anydnnSetBatchInvariant(handle, 1));
    return handle;
}

/* Runs a batch of that size and returns "backend engine". */
static const char *run(anydnnHandle_t handle, int batch)
{
    make(batch);
    return search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH);
}

static void two_engines(const char *notes)
{
    fixture_set("mock_a", "algorithms", "1");
    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "notes", notes);
}

static const char *explain(anydnnHandle_t handle, const char *text)
{
    anydnnProblem_t problem;
    size_t needed;

    assert_ok(anydnnProblemParse(text, &problem));
    assert_ok(anydnnProblemExplain(handle, problem, explained, sizeof(explained), &needed));
    anydnnProblemDestroy(problem);
    return explained;
}

static void the_handle_has_the_mode(void **state)
{
    anydnnHandle_t handle = fixture_handle(ROUTE);
    int value = -1;

    (void)state;
    assert_ok(anydnnGetBatchInvariant(handle, &value));
    assert_int_equal(value, 0);
    assert_ok(anydnnSetBatchInvariant(handle, 1));
    assert_ok(anydnnGetBatchInvariant(handle, &value));
    assert_int_equal(value, 1);
    assert_fails(anydnnSetBatchInvariant(handle, 2), ANYDNN_STATUS_BAD_PARAM,
                 "batchInvariant is 2; it must be 0 or 1");
    assert_fails(anydnnGetBatchInvariant(handle, NULL), ANYDNN_STATUS_BAD_PARAM, "batchInvariant");
    fixture_settings()->batch_invariant = 1;
    assert_ok(anydnnGetBatchInvariant(fixture_handle(ROUTE), &value));
    assert_int_equal(value, 1);
}

static void only_noted_candidates_run(void **state)
{
    anydnnHandle_t handle = fixture_handle(ROUTE);

    (void)state;
    two_engines("none / " NOTED);
    assert_string_equal(run(handle, 2), "mock_a 1");
    assert_int_equal(fixture_number(handle, "batch_invariant"), 0);
    assert_ok(anydnnSetBatchInvariant(handle, 1));
    assert_string_equal(run(handle, 2), "mock_a 2");
    assert_int_equal(fixture_number(handle, "batch_invariant"), 1);
    assert_ok(anydnnSetBatchInvariant(handle, 0));
    assert_string_equal(run(handle, 2), "mock_a 1");
}

static void the_record_and_explain_name_the_reason(void **state)
{
    anydnnHandle_t handle = invariant(ROUTE);

    (void)state;
    two_engines("none");
    fixture_set("mock_b", "notes", NOTED);
    assert_string_equal(run(handle, 2), "mock_b 1");
    assert_non_null(strstr(fixture_record(handle, "passed_over"),
                           "mock_a: is not batch-invariant, but the handle permits only"));
    assert_non_null(strstr(explain(handle, "convolution_forward x=f32:2,3,8,5 w=f32:4,3,3,3"),
                           "batch invariant: chosen as for a batch of 64\n"));
    assert_non_null(strstr(explained, "engine 1: default math, algorithm implicit_precomp_gemm, "
                                      "workspace 0: not chosen: is not batch-invariant"));
    fixture_set("mock_b", "notes", NULL);
    make(3);
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_b: is not batch-invariant");
}

/* Weight gradients sum over the batch, so the mode does not concern them. */
static void other_operations_run_unchanged(void **state)
{
    anydnnHandle_t handle = invariant(ROUTE);
    anydnnProblem_t problem;

    (void)state;
    two_engines("none");
    assert_non_null(
        strstr(explain(handle, "convolution_backward_filter x=f32:2,3,8,5 dy=f32:2,4,6,3 "
                               "dw=f32:4,3,3,3"),
               "choice: mock_a engine 1"));
    assert_fails(anydnnProblemParse("convolution_backward_filter x=f32:2,3,8,5 dy=f32:2,4,6,3 "
                                    "dw=f32:4,3,3,3 batch_invariant=1",
                                    &problem),
                 ANYDNN_STATUS_BAD_PARAM, "does not cover this operation");
}

/* A problem may state the mode itself, and its text keeps it. */
static void a_problem_states_the_mode(void **state)
{
    anydnnHandle_t handle = fixture_handle(ROUTE);
    char text[256];
    anydnnProblem_t problem;
    size_t needed;

    (void)state;
    two_engines("none / " NOTED);
    assert_non_null(
        strstr(explain(handle, "convolution_forward x=f32:2,3,8,5 w=f32:4,3,3,3 batch_invariant=1"),
               "choice: mock_a engine 2"));
    assert_ok(anydnnProblemParse("activation_forward x=f32:2,3 batch_invariant=1", &problem));
    assert_ok(anydnnProblemPrint(problem, text, sizeof(text), &needed));
    anydnnProblemDestroy(problem);
    assert_non_null(strstr(text, " batch_invariant=1"));
}

/* Backends see one batch when the choice is made, whatever the call's is, and its other strides. */
static void the_choice_sees_a_fixed_batch(void **state)
{
    anydnnHandle_t handle = invariant("mock_a");
    const char *log;

    (void)state;
    two_engines(NOTED);
    run(handle, 1);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_a candidates", "t0=f32:64,3,8,5:120,40,5,1"), 1);
    run(handle, 7);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_a candidates", "t0=f32:64,3,8,5:120,40,5,1"), 1);
    assert_int_equal(fixture_lines(log, "mock_a plan_create", "t0=f32:7,3,8,5"), 1);
    make(1);
    with.x = fixture_tensor("f32:1,3,8,5:77777,40,5,1");
    assert_ok(fixture_convolution_run(handle, &with));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_a candidates", "t0=f32:64,3,8,5:120,40,5,1"), 1);
}

/* The first contest decides for every batch, even if another one would be faster later. */
static void one_contest_decides(void **state)
{
    anydnnHandle_t handle = invariant("fastest, mock_a");

    (void)state;
    two_engines(NOTED);
    fixture_set("mock_a", "sleep_us", "2000 / 100");
    assert_string_equal(run(handle, 2), "mock_a 2");
    assert_true(fixture_lines(fixture_log(), "plan_create", "t0=f32:64,3,8,5") >= 2);
    fixture_set("mock_a", "sleep_us", "100 / 2000");
    assert_string_equal(run(handle, 5), "mock_a 2");
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", "engine=1"), 0);
    assert_string_equal(run(fixture_handle("fastest, mock_a"), 5), "mock_a 1");
}

/* The record in the tuning file serves every batch. */
static void the_tuning_file_has_no_batch(void **state)
{
    char path[4200], text[32768] = "";
    FILE *file;

    (void)state;
    snprintf(path, sizeof(path), "%s", fixture_path("tuned"));
    fixture_settings()->tuning = path;
    two_engines(NOTED);
    fixture_set("mock_a", "sleep_us", "2000 / 100");
    assert_string_equal(run(invariant("fastest, mock_a"), 2), "mock_a 2");
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "x=f32:64,3,8,5:nchw"));
    assert_non_null(strstr(text, " batch_invariant=1"));
    assert_null(strstr(text, "x=f32:2,"));
    fixture_set("mock_a", "sleep_us", "100 / 2000");
    fixture_log();
    assert_string_equal(run(invariant("fastest, mock_a"), 7), "mock_a 2");
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 1);
    unlink(path);
}

/* Find times at the fixed batch, and its answer holds for every batch. */
static void find_decides_for_every_batch(void **state)
{
    anydnnHandle_t handle = invariant("mock_a");
    search_perf perf[SEARCH_COUNT];
    const char *log;

    (void)state;
    two_engines(NOTED);
    run(handle, 3);
    fixture_set("mock_a", "sleep_us", "2000 / 100");
    make(2);
    assert_int_equal(search_find(handle, &with, perf), 1);
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", "t0=f32:2,3,8,5"), 0);
    assert_string_equal(run(handle, 2), "mock_a 2");
    assert_string_equal(run(handle, 3), "mock_a 2");
    make(5);
    assert_int_equal(search_find_ex(handle, &with, perf), 1);
    log = fixture_log();
    assert_true(fixture_lines(log, "plan_create", "t0=f32:64,3,8,5") > 0);
    assert_int_equal(fixture_lines(log, "plan_create", "t0=f32:5,3,8,5"), 0);
    assert_string_equal(run(handle, 5), "mock_a 2");
}

/* Candidates need no more alignment than every sample has. Pointers with less are an error. */
static void unaligned_pointers_fail(void **state)
{
    anydnnHandle_t handle = invariant(ROUTE);

    (void)state;
    two_engines(NOTED);
    fixture_set("mock_a", "alignment", "64 / 16");
    fixture_set("mock_b", "notes", NOTED);
    assert_string_equal(run(handle, 2), "mock_a 2");
    with.data[0] = (char *)with.data[0] + 4;
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_a engine 2 is chosen for every batch and cannot run this call");
    assert_non_null(strstr(fixture_error(), "operand x aligned to"));
}

static void short_workspace_fails(void **state)
{
    anydnnHandle_t handle = invariant(ROUTE);
    static char workspace[1024] __attribute__((aligned(256)));

    (void)state;
    two_engines(NOTED);
    fixture_set("mock_a", "workspace", "1024 / 0");
    fixture_set("mock_b", "notes", NOTED);
    make(2);
    with.algorithm = 1;
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_a engine 1 is chosen for every batch");
    with.workspace = workspace;
    with.bytes = sizeof(workspace);
    assert_ok(fixture_convolution_run(handle, &with));
}

/* A limit of workspace excludes the choice, and does not replace it by another one. */
static void a_limit_does_not_choose(void **state)
{
    anydnnHandle_t handle = invariant(ROUTE);
    anydnnConvolutionFwdAlgo_t algorithm;

    (void)state;
    two_engines(NOTED);
    fixture_set("mock_a", "workspace", "1024 / 0");
    make(2);
    assert_fails(search_try_get(handle, &with, ANYDNN_CONVOLUTION_FWD_NO_WORKSPACE, 0, &algorithm),
                 ANYDNN_STATUS_NOT_SUPPORTED, "within the workspace limit of 0 bytes");
    assert_ok(search_try_get(handle, &with, ANYDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT, 1024,
                             &algorithm));
    assert_int_equal(algorithm, 1);
}

/* A choice that a recording prevents from being timed could differ from later ones. */
static void a_recording_does_not_choose(void **state)
{
    anydnnHandle_t handle = invariant("fastest, mock_a");
    anydnnRecording_t recording;

    (void)state;
    two_engines(NOTED);
    make(2);
    assert_ok(anydnnRecordBegin(handle));
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_NOT_SUPPORTED,
                 "run the problem once before");
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_ok(anydnnRecordingDestroy(handle, recording));
    assert_ok(fixture_convolution_run(handle, &with));
    make(3);
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_ok(anydnnRecordingDestroy(handle, recording));
}

static void a_refusal_is_no_fallback(void **state)
{
    anydnnHandle_t handle = invariant(ROUTE);

    (void)state;
    two_engines(NOTED);
    fixture_set("mock_b", "notes", NOTED);
    assert_string_equal(run(handle, 2), "mock_a 1");
    fixture_set("mock_a", "execute", "none");
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_EXECUTION_FAILED, "mock_a");
    assert_ok(anydnnSetBatchInvariant(handle, 0));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_handle_has_the_mode),
        TEST(only_noted_candidates_run),
        TEST(the_record_and_explain_name_the_reason),
        TEST(other_operations_run_unchanged),
        TEST(a_problem_states_the_mode),
        TEST(the_choice_sees_a_fixed_batch),
        TEST(one_contest_decides),
        TEST(the_tuning_file_has_no_batch),
        TEST(find_decides_for_every_batch),
        TEST(unaligned_pointers_fail),
        TEST(short_workspace_fails),
        TEST(a_limit_does_not_choose),
        TEST(a_recording_does_not_choose),
        TEST(a_refusal_is_no_fallback),
    };

    return cmocka_run_group_tests(tests, search_group_setup, fixture_group_teardown);
}
