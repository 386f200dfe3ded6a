/* SPDX-License-Identifier: Apache-2.0 */
/* Tests shadow on a device that copies asynchronously: what its stream carries, and when
 * verdicts arrive. Copies in the test space complete only when the stream or a later mark is
 * waited for. mock_mirror computes what cpu_ref computes. */
#include "shadow/block.h"
#include "shadow/verdict.h"
#include "shadow/watch.h"
#include "tests/dispatch/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 24

static const float one = 1, two = 2;

static int64_t found(anydnnHandle_t handle, const char *key)
{
    int64_t value = -1;

    assert_ok(anydnnGetShadowInfoInt(handle, key, &value));
    return value;
}

/* Sets a key for both backends of the space, whichever serves it. */
static void set_space(const char *key, const char *value)
{
    fixture_set("mock_device", key, value);
    fixture_set("mock_mirror", key, value);
}

struct fixture {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t desc;
    void *x, *y;
};

static void fill(const struct fixture *fixture, int x, int y)
{
    assert_ok(anydnnMemSet(fixture->handle, fixture->x, x, BYTES));
    assert_ok(anydnnMemSet(fixture->handle, fixture->y, y, BYTES));
}

static void open_fixture(struct fixture *fixture, const char *list, const char *shadow)
{
    char text[300];

    assert_ok(anydnnCreateOnDevice(&fixture->handle, "mockdev"));
    assert_ok(anydnnSetRoute(fixture->handle, "*", NULL, list));
    snprintf(text, sizeof(text), "sample=all; budget=none; %s", shadow);
    assert_ok(anydnnSetShadow(fixture->handle, text));
    fixture->desc = fixture_tensor("f32:2,3");
    assert_ok(anydnnMemAlloc(fixture->handle, BYTES, &fixture->x));
    assert_ok(anydnnMemAlloc(fixture->handle, BYTES, &fixture->y));
    fill(fixture, 0x3c, 0x3d);
}

static void close_fixture(const struct fixture *fixture)
{
    assert_ok(anydnnMemFree(fixture->handle, fixture->x));
    assert_ok(anydnnMemFree(fixture->handle, fixture->y));
    assert_ok(anydnnDestroy(fixture->handle));
}

static anydnnStatus_t run(const struct fixture *fixture)
{
    return anydnnTransformTensor(fixture->handle, &two, fixture->desc, fixture->x, &one,
                                 fixture->desc, fixture->y);
}

#define RIGHT "mock_mirror", "reference=cpu_ref"
/* The route and shadow settings of a wrong result: mock_device writes a byte that mock_b does
 * not. */
#define WRONG "mock_device", "reference=mock_b:default; on_mismatch=error"

static void have_wrong_results(void)
{
    fixture_set("mock_device", "fill", "0x3c");
    fixture_set("mock_b", "fill", "0x3d");
}

/* ---- the stream */

static void the_stream_waits_for_copies_alone(void **state)
{
    struct fixture fixture;
    const char *log;

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(run(&fixture));
    fixture_log();
    assert_ok(run(&fixture));
    log = fixture_log();
    /* The four copies are x, y before, y after, and the flag that they have completed. */
    assert_int_equal(fixture_lines(log, "memory_copy_async", " stream=0x0 "), 4);
    assert_int_equal(fixture_lines(log, "memory_copy", ""), 4);
    assert_int_equal(fixture_lines(log, "synchronize", ""), 0);
    assert_int_equal(fixture_lines(log, "mark_elapsed", ""), 0);
    assert_int_equal(found(fixture.handle, "pending"), 2);
    assert_int_equal(found(fixture.handle, "compared"), 2);
    assert_int_equal(found(fixture.handle, "mismatches"), 0);
    assert_int_equal(found(fixture.handle, "pending"), 0);
    assert_true(found(fixture.handle, "spent_us") > 0);
    /* Memory and marks are reused. */
    fixture_log();
    assert_ok(run(&fixture));
    assert_int_equal(fixture_lines(fixture_log(), "host_alloc", ""), 0);
    close_fixture(&fixture);
}

/* Later writes of the application to the operands do not affect the comparison. */
static void operands_may_change_at_once(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture, RIGHT);
    for (int i = 0; i < 3; i++) {
        assert_ok(run(&fixture));
        fill(&fixture, 0x11 * i, 0x22);
    }
    /* A call in place overwrites its input. */
    assert_ok(anydnnScaleTensor(fixture.handle, fixture.desc, fixture.y, &two));
    assert_ok(anydnnScaleTensor(fixture.handle, fixture.desc, fixture.y, &two));
    fill(&fixture, 0, 0);
    assert_int_equal(found(fixture.handle, "compared"), 5);
    assert_int_equal(found(fixture.handle, "mismatches"), 0);
    close_fixture(&fixture);
}

/* The reference runs on its own stream. */
static void the_reference_has_its_stream(void **state)
{
    struct fixture fixture;
    const char *log;

    (void)state;
    fixture_set("mock_device", "fill", "0x3c");
    open_fixture(&fixture, "mock_device", "reference=mock_device:default");
    assert_ok(run(&fixture));
    fixture_log();
    assert_int_equal(found(fixture.handle, "compared"), 1);
    log = fixture_log();
    assert_true(fixture_lines(log, "plan_execute", "") > 0);
    assert_int_equal(fixture_lines(log, "plan_execute", " stream=0x0 "), 0);
    assert_true(fixture_lines(log, "memory_copy", "") > 0);
    assert_int_equal(fixture_lines(log, "memory_copy", " stream=0x0 "), 0);
    close_fixture(&fixture);
}

/* ---- the time of verdicts */

static void synchronize_fails_once(void **state)
{
    struct fixture fixture;

    (void)state;
    have_wrong_results();
    open_fixture(&fixture, WRONG);
    assert_ok(run(&fixture));
    assert_ok(run(&fixture));
    assert_fails(anydnnSynchronize(fixture.handle), ANYDNN_STATUS_EXECUTION_FAILED,
                 "anydnnSynchronize: mock_device, engine ");
    assert_ok(anydnnSynchronize(fixture.handle));
    assert_int_equal(found(fixture.handle, "mismatches"), 2);
    assert_ok(run(&fixture));
    close_fixture(&fixture);
}

/* After the application itself has waited, one call finds the copies complete, and the next call
 * fails. */
static void a_later_call_gives_it(void **state)
{
    struct fixture fixture;
    anydnnStatus_t status;

    (void)state;
    have_wrong_results();
    open_fixture(&fixture, WRONG);
    assert_ok(run(&fixture));
    assert_ok(anydnnQueryRuntimeError(fixture.handle, &status, ANYDNN_ERRQUERY_BLOCKING, NULL));
    assert_ok(anydnnSetShadow(fixture.handle, "on_mismatch=count"));
    assert_int_equal(found(fixture.handle, "pending"), 0);
    assert_fails(run(&fixture), ANYDNN_STATUS_EXECUTION_FAILED, "mock_device, engine ");
    assert_ok(anydnnSetShadow(fixture.handle, "on_mismatch=error"));
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "pending"), 1);
    assert_ok(anydnnQueryRuntimeError(fixture.handle, &status, ANYDNN_ERRQUERY_BLOCKING, NULL));
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "pending"), 1);
    assert_fails(run(&fixture), ANYDNN_STATUS_EXECUTION_FAILED, "mock_device, engine ");
    assert_ok(run(&fixture));
    close_fixture(&fixture);
}

/* The budget also counts the expected time of comparisons whose verdict is pending. */
static void a_budget_waits_for_verdicts(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(anydnnSetShadow(fixture.handle, "budget=50 %"));
    assert_ok(run(&fixture));
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "pending"), 1);
    assert_int_equal(found(fixture.handle, "over_budget"), 1);
    close_fixture(&fixture);
}

/* Two blocks of 776 bytes fit: x, y before and y after in steps of 256, plus eight bytes. */
static void the_cap_counts_what_waits(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(anydnnSetShadow(fixture.handle, "memory=1600"));
    for (int i = 0; i < 5; i++)
        assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "pending"), 2);
    assert_int_equal(found(fixture.handle, "compared"), 5);
    /* This suffices for the comparison but not for the copies. */
    assert_ok(anydnnSetShadow(fixture.handle, "memory=600"));
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "over_memory"), 1);
    assert_ok(anydnnSetShadow(fixture.handle, "memory=780"));
    assert_ok(run(&fixture));
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "pending"), 1);
    assert_int_equal(found(fixture.handle, "compared"), 7);
    assert_int_equal(found(fixture.handle, "mismatches"), 0);
    close_fixture(&fixture);
}

/* ---- ends */

static void assert_pairs(const char *log, const char *made, const char *ended)
{
    if (fixture_lines(log, made, "") != fixture_lines(log, ended, ""))
        fail_msg("%d times %s, %d times %s", fixture_lines(log, made, ""), made,
                 fixture_lines(log, ended, ""), ended);
}

static void a_handle_ends_with_verdicts(void **state)
{
    struct fixture fixture;
    const char *log;

    (void)state;
    fixture_set("mock_device", "fill", "0x3c");
    fixture_set("mock_b", "fill", "0x3d");
    fixture_log();
    open_fixture(&fixture, "mock_device", "reference=mock_b:default; on_mismatch=warn");
    assert_ok(run(&fixture));
    assert_ok(run(&fixture));
    fixture_messages();
    close_fixture(&fixture);
    assert_holds(fixture_messages(), "shadow: mock_device, engine ");
    log = fixture_log();
    assert_pairs(log, "host_alloc", "host_free");
    assert_pairs(log, "mark_create", "mark_destroy");
    assert_pairs(log, "stream_create", "stream_destroy");
    assert_pairs(log, "memory_alloc", "memory_free");
    assert_pairs(log, "plan_create", "plan_destroy");
}

/* The backend aborts the process if it is called with the stream. */
static void a_stream_may_be_gone(void **state)
{
    struct fixture fixture;
    char address[32];

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(anydnnSetStream(fixture.handle, (anydnnStream_t)fixture_data(7)));
    assert_ok(run(&fixture));
    assert_ok(run(&fixture));
    snprintf(address, sizeof(address), "%p", fixture_data(7));
    set_space("dead_stream", address);
    assert_int_equal(found(fixture.handle, "compared"), 2);
    assert_int_equal(found(fixture.handle, "mismatches"), 0);
    assert_ok(anydnnSetStream(fixture.handle, NULL));
    close_fixture(&fixture);
}

static void a_stream_may_be_gone_at_the_end(void **state)
{
    struct fixture fixture;
    char address[32];

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(anydnnSetStream(fixture.handle, (anydnnStream_t)fixture_data(7)));
    assert_ok(run(&fixture));
    snprintf(address, sizeof(address), "%p", fixture_data(7));
    set_space("dead_stream", address);
    close_fixture(&fixture);
}

/* A child discards what the parent waits for. */
static void a_child_drops_it(void **state)
{
    struct fixture fixture;
    int status = -1;
    pid_t child;

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "compared"), 1);
    assert_ok(run(&fixture));
    fixture_log();
    child = fork();
    if (child == 0) {
        int64_t failed = -1, compared = -1;

        if (anydnnGetShadowInfoInt(fixture.handle, "failed", &failed) != ANYDNN_STATUS_SUCCESS ||
            anydnnGetShadowInfoInt(fixture.handle, "compared", &compared) != ANYDNN_STATUS_SUCCESS)
            _exit(9);
        anydnnDestroy(fixture.handle);
        _exit(failed == 1 && compared == 1 && fixture_lines(fixture_log(), "mock", "") == 0 ? 0
                                                                                            : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(found(fixture.handle, "compared"), 2);
    assert_int_equal(found(fixture.handle, "failed"), 0);
    close_fixture(&fixture);
}

/* ---- captures */

/* While the application captures the stream, shadow must add nothing to it. */
static void the_applications_captures(void **state)
{
    struct fixture fixture;
    anydnnStatus_t status;
    const char *log;

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(run(&fixture));
    assert_ok(anydnnQueryRuntimeError(fixture.handle, &status, ANYDNN_ERRQUERY_BLOCKING, NULL));
    set_space("captured", "yes");
    fixture_log();
    assert_ok(run(&fixture));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "memory_copy", ""), 0);
    assert_int_equal(fixture_lines(log, "mark_elapsed", ""), 0);
    set_space("captured", NULL);
    assert_int_equal(found(fixture.handle, "pending"), 1);
    assert_int_equal(found(fixture.handle, "recorded"), 1);
    assert_int_equal(found(fixture.handle, "compared"), 1);
    close_fixture(&fixture);
}

/* A query during a recording returns what is known so far and ends nothing. */
static void the_librarys_recordings(void **state)
{
    struct fixture fixture;
    anydnnRecording_t recording;

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(run(&fixture));
    assert_ok(anydnnRecordBegin(fixture.handle));
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "compared"), 0);
    assert_int_equal(found(fixture.handle, "pending"), 1);
    assert_ok(anydnnRecordEnd(fixture.handle, &recording));
    assert_int_equal(found(fixture.handle, "compared"), 1);
    assert_int_equal(found(fixture.handle, "recorded"), 1);
    assert_ok(anydnnRecordingDestroy(fixture.handle, recording));
    close_fixture(&fixture);
}

/* ---- failures */

/* If any request of shadow fails, the call still runs, and later calls work as before. */
static void failures_pass_calls_over(void **state)
{
    static const char *const functions[] = {"memory_copy_async", "host_alloc",   "mark_create",
                                            "mark_record",       "mark_elapsed", "stream_create",
                                            "memory_set",        "memory_alloc"};

    (void)state;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        struct fixture fixture;

        open_fixture(&fixture, RIGHT);
        set_space("fail_space", functions[i]);
        assert_ok(run(&fixture));
        if (found(fixture.handle, "failed") != 1)
            fail_msg("%s is not missed", functions[i]);
        set_space("fail_space", NULL);
        assert_ok(run(&fixture));
        assert_int_equal(found(fixture.handle, "compared"), 1);
        assert_int_equal(found(fixture.handle, "mismatches"), 0);
        close_fixture(&fixture);
    }
}

/* The objects that are then never freed; leak checkers find them here. */
static void *left[6];

static void keep_what_is_left(anydnnHandle_t handle)
{
    const struct adn_backlog *backlog =
        &((const struct adn_watch *)(const void *)handle->hook[ADN_HOOK_SHADOW])->backlog;

    for (int i = 0; i < 4; i++)
        left[i] = backlog->first->block->mark[i];
    left[4] = backlog->first->block->memory;
    left[5] = backlog->probe;
}

/* Nothing is called on a lost device. */
static void a_lost_device(void **state)
{
    struct fixture fixture;
    struct adn_space *space;
    const char *log;

    (void)state;
    open_fixture(&fixture, RIGHT);
    assert_ok(run(&fixture));
    keep_what_is_left(fixture.handle);
    space = fixture.handle->space;
    space->poisoned = 1;
    fixture_log();
    assert_int_equal(found(fixture.handle, "failed"), 1);
    assert_ok(anydnnDestroy(fixture.handle));
    log = fixture_log();
    for (size_t i = 0; i < 3; i++) {
        static const char *const functions[] = {"mark_", "host_free", "memory_"};

        assert_int_equal(fixture_lines(log, functions[i], ""), 0);
    }
    space->poisoned = 0;
}

/* ---- spaces with fewer functions */

static void without_such_copies_it_waits(void **state)
{
    struct fixture fixture;
    struct anydnn_plugin_space less;
    const struct anydnn_plugin_space *whole;

    (void)state;
    open_fixture(&fixture, RIGHT);
    whole = fixture.handle->space->functions;
    less = *whole;
    less.memory_copy_async = NULL;
    fixture.handle->space->functions = &less;
    fixture_messages();
    assert_ok(run(&fixture));
    assert_ok(run(&fixture));
    assert_int_equal(found(fixture.handle, "pending"), 0);
    assert_int_equal(found(fixture.handle, "compared"), 2);
    assert_int_equal(fixture_lines(fixture_messages(), "has no asynchronous copies", "mockdev:0"),
                     1);
    fixture.handle->space->functions = whole;
    close_fixture(&fixture);
}

/* ---- host operands */

/* The application may change its labels once the call has returned. */
static void labels_may_change_at_once(void **state)
{
    anydnnHandle_t handle;
    anydnnCTCLossDescriptor_t loss;
    anydnnTensorDescriptor_t probs = fixture_tensor("f32:5,2,4");
    int labels[] = {3, 1, 2}, label_lengths[] = {2, 1}, input_lengths[] = {5, 4};
    void *memory[3];

    (void)state;
    assert_ok(anydnnCreateOnDevice(&handle, "mockdev"));
    assert_ok(anydnnSetRoute(handle, "*", NULL, "mock_mirror"));
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none; reference=cpu_ref"));
    assert_ok(anydnnCreateCTCLossDescriptor(&loss));
    assert_ok(anydnnSetCTCLossDescriptor(loss, ANYDNN_DATA_FLOAT));
    for (int i = 0; i < 3; i++) {
        assert_ok(anydnnMemAlloc(handle, 256, &memory[i]));
        assert_ok(anydnnMemSet(handle, memory[i], 0x3c, 256));
    }
    assert_ok(anydnnCTCLoss(handle, probs, memory[0], labels, label_lengths, input_lengths,
                            memory[1], probs, memory[2], ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC, loss,
                            NULL, 0));
    memset(labels, 0, sizeof(labels));
    memset(label_lengths, 0, sizeof(label_lengths));
    memset(input_lengths, 0, sizeof(input_lengths));
    assert_int_equal(found(handle, "compared"), 1);
    assert_int_equal(found(handle, "mismatches"), 0);
    for (int i = 0; i < 3; i++)
        assert_ok(anydnnMemFree(handle, memory[i]));
    assert_ok(anydnnDestroyCTCLossDescriptor(loss));
    assert_ok(anydnnDestroy(handle));
}

/* ---- threads */

static void *run_thread(void *cookie)
{
    struct fixture *fixture = cookie;

    for (int i = 0; i < 30; i++)
        if (anydnnScaleTensor(fixture->handle, fixture->desc, fixture->y, i % 2 ? &two : &one) !=
            ANYDNN_STATUS_SUCCESS)
            return NULL;
    return anydnnSynchronize(fixture->handle) == ANYDNN_STATUS_SUCCESS ? cookie : NULL;
}

/* Two handles of one device share a stream. */
static void threads(void **state)
{
    struct fixture fixture[2];
    pthread_t thread[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        open_fixture(&fixture[i], RIGHT);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_thread, &fixture[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *result = NULL;

        pthread_join(thread[i], &result);
        assert_non_null(result);
        assert_int_equal(found(fixture[i].handle, "compared"), 30);
        assert_int_equal(found(fixture[i].handle, "mismatches"), 0);
        close_fixture(&fixture[i]);
    }
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(the_stream_waits_for_copies_alone),
        WITH_FIXTURE(operands_may_change_at_once),
        WITH_FIXTURE(the_reference_has_its_stream),
        WITH_FIXTURE(synchronize_fails_once),
        WITH_FIXTURE(a_later_call_gives_it),
        WITH_FIXTURE(a_budget_waits_for_verdicts),
        WITH_FIXTURE(the_cap_counts_what_waits),
        WITH_FIXTURE(a_handle_ends_with_verdicts),
        WITH_FIXTURE(a_stream_may_be_gone),
        WITH_FIXTURE(a_stream_may_be_gone_at_the_end),
        WITH_FIXTURE(a_child_drops_it),
        WITH_FIXTURE(the_applications_captures),
        WITH_FIXTURE(the_librarys_recordings),
        WITH_FIXTURE(failures_pass_calls_over),
        WITH_FIXTURE(a_lost_device),
        WITH_FIXTURE(without_such_copies_it_waits),
        WITH_FIXTURE(labels_may_change_at_once),
        WITH_FIXTURE(threads),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
