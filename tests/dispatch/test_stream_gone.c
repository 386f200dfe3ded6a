/* SPDX-License-Identifier: Apache-2.0 */
/* Tests streams that the application destroyed before its handle, as programs for cuDNN do. No
 * entry that frees something may touch such a stream. The backend aborts the process if it is
 * called with a destroyed stream. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

static const float one = 1;

/* A handle with every kind of dependent object; its calls ran on a stream of the application. */
struct user {
    anydnnHandle_t handle;
    anydnnStream_t stream;
    anydnnTensorDescriptor_t x;
    anydnnDropoutDescriptor_t dropout;
    anydnnRecording_t recording;
    anydnnMark_t mark;
    void *memory, *states;
};

/* The objects that outlive their handle. Such marks and recordings are never freed, as
 * documented; leak checkers find them here. */
#define LEFT_MOST 16
static struct user left[LEFT_MOST];
static int left_count;

static void use(struct user *user, const char *route)
{
    size_t bytes = 0;

    assert_ok(anydnnCreateOnDevice(&user->handle, "mockdev"));
    assert_ok(anydnnSetRoute(user->handle, "*", NULL, route));
    user->stream = (anydnnStream_t)fixture_data(7);
    assert_ok(anydnnSetStream(user->handle, user->stream));
    user->x = fixture_tensor("f32:2,3");
    assert_ok(anydnnMemAlloc(user->handle, 64, &user->memory));
    assert_ok(anydnnScaleTensor(user->handle, user->x, user->memory, &one));
    assert_ok(anydnnCreateDropoutDescriptor(&user->dropout));
    assert_ok(anydnnDropoutGetStatesSize(user->handle, &bytes));
    assert_ok(anydnnMemAlloc(user->handle, bytes, &user->states));
    assert_ok(
        anydnnSetDropoutDescriptor(user->dropout, user->handle, 0.5f, user->states, bytes, 1));
    assert_ok(anydnnMark(user->handle, &user->mark));
    assert_ok(anydnnRecordBegin(user->handle));
    assert_ok(anydnnMemSet(user->handle, user->memory, 0, 64));
    assert_ok(anydnnRecordEnd(user->handle, &user->recording));
    assert_ok(anydnnReplay(user->handle, user->recording));
    left[left_count++ % LEFT_MOST] = *user;
}

/* Marks the stream as destroyed; the backend aborts on any later use. */
static void lose(const struct user *user)
{
    char address[32];

    snprintf(address, sizeof(address), "%p", (void *)user->stream);
    fixture_set("mock_device", "dead_stream", address);
    fixture_log();
}

static void every_entry_that_frees(void **state)
{
    static const char *const routes[] = {"mock_device", "mock_a"}; /* the second is staged */
    struct user user = {NULL};

    (void)state;
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        fixture_set("mock_device", "dead_stream", NULL);
        use(&user, routes[i]);
        lose(&user);
        assert_ok(anydnnMarkDestroy(user.handle, user.mark));
        assert_ok(anydnnRecordingDestroy(user.handle, user.recording));
        assert_ok(anydnnSetDeterministic(user.handle, 0)); /* drops the plans */
        assert_ok(anydnnSetRoute(user.handle, "*", NULL, "mock_device"));
        assert_ok(anydnnMemFree(user.handle, user.states));
        assert_ok(anydnnMemFree(user.handle, user.memory));
        assert_ok(anydnnDestroyDropoutDescriptor(user.dropout));
        assert_ok(anydnnDestroy(user.handle));
    }
}

/* Plans, a mark, a recording and states are alive. */
static void the_handle_alone(void **state)
{
    struct user user = {NULL};
    const char *log;

    (void)state;
    use(&user, "mock_device");
    lose(&user);
    assert_ok(anydnnDestroy(user.handle));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_destroy", ""), 1);
    assert_int_equal(fixture_lines(log, "context_destroy", ""), 1);
    assert_int_equal(fixture_lines(log, "synchronize", ""), 0);
    assert_ok(anydnnDestroyDropoutDescriptor(user.dropout));
}

/* A capture ends with its stream. */
static void a_recording_under_way(void **state)
{
    struct user user = {NULL};

    (void)state;
    use(&user, "mock_device");
    assert_ok(anydnnRecordBegin(user.handle));
    assert_ok(anydnnScaleTensor(user.handle, user.x, user.memory, &one));
    lose(&user);
    assert_ok(anydnnDestroy(user.handle));
    assert_int_equal(fixture_lines(fixture_log(), "record_end", ""), 0);
    assert_ok(anydnnDestroyDropoutDescriptor(user.dropout));
}

/* A new stream replaces the destroyed one. */
static void another_stream(void **state)
{
    struct user user = {NULL};

    (void)state;
    use(&user, "mock_device");
    lose(&user);
    assert_ok(anydnnSetStream(user.handle, (anydnnStream_t)fixture_data(8)));
    assert_ok(anydnnScaleTensor(user.handle, user.x, user.memory, &one));
    assert_ok(anydnnSynchronize(user.handle));
    assert_ok(anydnnSetStream(user.handle, NULL));
    assert_ok(anydnnDestroy(user.handle));
    assert_int_equal(fixture_lines(fixture_log(), "synchronize", "stream=0x0"), 1);
    assert_ok(anydnnDestroyDropoutDescriptor(user.dropout));
}

#define gone_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        gone_test(every_entry_that_frees),
        gone_test(the_handle_alone),
        gone_test(a_recording_under_way),
        gone_test(another_stream),
    };

    return cmocka_run_group_tests_name("stream_gone", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
