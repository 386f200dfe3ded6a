/* SPDX-License-Identifier: Apache-2.0 */
/* Tests handles of a device that the process no longer has: an error lost it, the process is a
 * child, or the process is exiting. */
#include "tests/dispatch/fixture.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/handle/global.h"

static const float one = 1;

static anydnnHandle_t device_handle(void)
{
    return fixture_handle_on("mockdev", "mock_device");
}

/* A recording detects an error that lost the device. Later requests fail, also for a new handle
 * and for callers that let the library choose the device. */
static void a_recording_finds_it_lost(void **state)
{
    static const char *const devices[] = {"mockdev", "mockdev:0", "auto"};
    anydnnHandle_t handle = device_handle(), none = NULL;
    struct adn_global *global;

    (void)state;
    fixture_set("mock_device", "fail_space", "record_begin");
    fixture_set("mock_device", "poisoned", "yes");
    assert_fails(anydnnRecordBegin(handle), ANYDNN_STATUS_SPACE_POISONED,
                 "anydnnRecordBegin: an error made device mockdev:0 unusable");
    fixture_set("mock_device", "fail_space", NULL);
    fixture_log();
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        assert_fails(anydnnCreateOnDevice(&none, devices[i]), ANYDNN_STATUS_SPACE_POISONED,
                     "anydnnCreateOnDevice: an error made device mockdev:0 unusable");
    assert_null(none);
    assert_fails(anydnnSetStream(handle, NULL), ANYDNN_STATUS_SPACE_POISONED, "anydnnSetStream");
    assert_int_equal(fixture_lines(fixture_log(), "mock_device", ""), 0);
    assert_ok(anydnnCreateOnDevice(&none, "cpu"));
    assert_ok(anydnnDestroy(none));
    assert_int_equal(adn_global_get("test", &global), 0);
    adn_global_space(global, "mockdev")->poisoned = 0;
}

/* Uses the handle in a child. Device memory and pending work belong to the parent. */
static void child_uses(anydnnHandle_t handle, char *memory)
{
    const anydnnStatus_t refused = ANYDNN_STATUS_NOT_INITIALIZED;
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnMark_t mark = NULL;
    void *more = NULL;
    char bytes[8];

    fixture_log();
    assert_fails(anydnnMemAlloc(handle, 8, &more), refused, "does not survive fork()");
    assert_fails(anydnnMemFree(handle, memory), refused, "anydnnMemFree: device mockdev:0");
    assert_fails(anydnnMemCopy(handle, bytes, memory, 8, ANYDNN_MEMCPY_DEVICE_TO_HOST), refused,
                 "fork()");
    assert_fails(anydnnMemSet(handle, memory, 0, 8), refused, "fork()");
    assert_fails(anydnnSynchronize(handle), refused, "fork()");
    assert_fails(anydnnMark(handle, &mark), refused, "fork()");
    assert_fails(anydnnRecordBegin(handle), refused, "fork()");
    assert_fails(anydnnSetStream(handle, NULL), refused, "fork()");
    assert_fails(anydnnScaleTensor(handle, y, memory, &one), refused, "fork()");
    assert_int_equal(fixture_lines(fixture_log(), "mock_device", ""), 0);
}

static void a_child_does_not_have_it(void **state)
{
    anydnnHandle_t handle = device_handle();
    void *memory = NULL;
    int seen = 0;
    pid_t pid;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 64, &memory));
    pid = fork();
    if (pid == 0) {
        child_uses(handle, memory);
        _exit(7);
    }
    assert_int_equal(waitpid(pid, &seen, 0), pid);
    assert_true(WIFEXITED(seen) && WEXITSTATUS(seen) == 7);
    assert_ok(anydnnMemFree(handle, memory));
}

static anydnnHandle_t late;

static void destroy_late(void)
{
    if (anydnnDestroy(late) != ANYDNN_STATUS_SUCCESS ||
        fixture_lines(fixture_log(), "mock_device", "") != 0)
        _exit(1);
    _exit(7);
}

/* Destroys a recording handle after exit() has begun; its space must not be called. The handler
 * is registered before the library's own, in a process that has not used the library. */
static void record_and_exit(void)
{
    atexit(destroy_late);
    late = device_handle();
    assert_ok(anydnnRecordBegin(late));
    fixture_log();
    exit(0);
}

static void exit_leaves_a_recording_alone(void **state)
{
    int seen = 0;
    pid_t pid;

    (void)state;
    pid = fork();
    if (pid == 0)
        record_and_exit();
    assert_int_equal(waitpid(pid, &seen, 0), pid);
    assert_true(WIFEXITED(seen) && WEXITSTATUS(seen) == 7);
}

#define device_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_leaves_a_recording_alone), /* must run first */
        device_test(a_recording_finds_it_lost),
        device_test(a_child_does_not_have_it),
    };

    return cmocka_run_group_tests_name("device_lost", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
