/* SPDX-License-Identifier: Apache-2.0 */
/* Tests staged plans over time: changing pointers, the handle's arenas, recordings, fork. */
#include "tests/dispatch/stage.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const float one = 1;
static const float zero = 0;

static void misaligned_pointers_cost_nothing(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device");
    struct fixture_convolution with;
    const char *log;

    (void)state;
    fixture_set("mock_device", "alignment", "256");
    fixture_convolution_make(&with, 9);
    for (int i = 0; i < 3; i++)
        with.data[i] = (char *)fixture_data(i) + 4;
    fixture_log();
    assert_ok(fixture_convolution_run(handle, &with));
    assert_int_equal(fixture_number(handle, "unaligned"), 0);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_create", ""), 1);
    assert_int_equal(fixture_lines(log, "plan_execute", "00 d1="), 1);
    assert_int_equal(fixture_lines(log, "plan_execute", "00 d2="), 1);
    assert_int_equal(fixture_lines(log, "plan_execute", "00 scale="), 1);
    with.data[1] = (char *)fixture_data(1) + 2;
    assert_fails(fixture_convolution_run(handle, &with), ANYDNN_STATUS_BAD_PARAM,
                 "operand w is at");
}

/* The arena is one block of the largest need; the old block is freed before the new one is
 * allocated. */
static void the_arena_grows_to_the_largest_need(void **state)
{
    anydnnHandle_t handle = NULL;
    static char x[200 * 1000 * 12], y[200 * 1000 * 12];
    const char *log;

    (void)state;
    assert_ok(anydnnCreateOnDevice(&handle, "cpu"));
    assert_ok(anydnnSetRoute(handle, "*", NULL, "mock_device"));
    assert_int_equal(fixture_number(handle, "arena"), 0);
    assert_ok(stage_transform(handle, 2, x, y));
    assert_int_equal(fixture_number(handle, "arena"), 65536);
    assert_ok(stage_transform(handle, 1000, x, y)); /* twice 12,000, rounded up to 12,032 */
    assert_int_equal(fixture_number(handle, "arena"), 65536);
    fixture_log();
    assert_ok(stage_transform(handle, 200 * 1000, x, y));
    assert_int_equal(fixture_number(handle, "arena"), 74 * 65536);
    log = fixture_log();
    assert_non_null(strstr(log, "memory_free"));
    assert_true(strstr(log, "memory_free") < strstr(log, "memory_alloc"));
    assert_ok(stage_transform(handle, 2, x, y));
    assert_int_equal(fixture_number(handle, "arena"), 74 * 65536);
    assert_int_equal(fixture_lines(fixture_log(), "memory_", "alloc"), 0);
    assert_ok(anydnnSetRoute(handle, "im2col", NULL, "mock_device"));
    assert_int_equal(fixture_number(handle, "arena"), 0);
    assert_ok(stage_transform(handle, 2, x, y));
    assert_ok(anydnnDestroy(handle));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "memory_alloc", " answer=0"), 1);
    assert_int_equal(fixture_lines(log, "memory_free", " answer=0"), 2);
    assert_true(strstr(log, "plan_destroy") < strstr(log, "context_destroy"));
}

/* Each replay copies the current contents of the arrays. */
static void recorded_on_the_host(void **state)
{
    anydnnHandle_t handle = stage_handle("mock_device");
    anydnnRecording_t recording = NULL;

    (void)state;
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(stage_transform(handle, 2, fixture_data(0), fixture_data(1)));
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_true(stage_untouched());
    assert_ok(anydnnSetRoute(handle, "*", NULL, "mock_a")); /* drops plans and arenas */
    fixture_log();
    for (int i = 0; i < 2; i++) {
        assert_ok(anydnnReplay(handle, recording));
        assert_int_equal(fixture_lines(fixture_log(), "memory_copy", ""), 2);
        assert_int_equal(*(unsigned char *)fixture_data(1), 0x3c);
        memset(fixture_data(1), 0x11, 64);
    }
    assert_int_equal(fixture_number(handle, "staged_calls"), 2);
    fixture_set("mock_device", "execute", "none");
    assert_fails(anydnnReplay(handle, recording), ANYDNN_STATUS_EXECUTION_FAILED,
                 "anydnnReplay: mock_device failed: the test backend was told to fail");
    assert_true(stage_untouched());
    assert_ok(anydnnRecordingDestroy(handle, recording));
}

static void not_captured_by_a_device(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "mock_b");
    anydnnRecording_t recording = NULL;
    char *memory = NULL;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 128, (void **)&memory));
    assert_ok(anydnnRecordBegin(handle));
    fixture_log();
    for (int i = 0; i < 2; i++) /* a miss, then a hit by value */
        assert_fails(stage_transform(handle, 2, memory, memory + 64), ANYDNN_STATUS_NOT_SUPPORTED,
                     "anydnnTransformTensor: a recording is in progress on device mockdev:0, and "
                     "mock_b would run the call staged on cpu");
    assert_int_equal(fixture_lines(fixture_log(), "memory_copy", ""), 0);
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_ok(anydnnRecordingDestroy(handle, recording));
    assert_ok(stage_transform(handle, 2, memory, memory + 64));
    assert_ok(anydnnMemFree(handle, memory));
}

static int child_refuses(anydnnHandle_t handle)
{
    int seen = 0;
    pid_t pid = fork();

    if (pid == 0) {
        anydnnStatus_t known = stage_transform(handle, 2, fixture_data(0), fixture_data(1));
        int good = known == ANYDNN_STATUS_NOT_INITIALIZED &&
                   strstr(fixture_error(), "anydnnTransformTensor: the call is staged on mockdev:0 "
                                           "by mock_device; device memory does not survive fork()");
        anydnnStatus_t anew;

        /* The handle has not used mock_mirror before, but the arena holds the parent's memory. */
        fixture_messages();
        anew = stage_transform(handle, 3, fixture_data(0), fixture_data(1));
        good = good && anew == ANYDNN_STATUS_SUCCESS &&
               strcmp(fixture_record(handle, "backend"), "mock_a") == 0 &&
               strstr(fixture_messages(),
                      "mock_mirror refused to run (1): the memory for staging was allocated "
                      "before fork()");
        anydnnDestroy(handle); /* frees nothing of the parent's */
        _exit(good ? 0 : 1);
    }
    waitpid(pid, &seen, 0);
    return WIFEXITED(seen) ? WEXITSTATUS(seen) : -1;
}

static void refused_in_a_child(void **state)
{
    anydnnHandle_t handle = stage_handle("mock_device, mock_mirror, mock_a");

    (void)state;
    assert_ok(stage_transform(handle, 2, fixture_data(0), fixture_data(1)));
    fixture_log();
    assert_int_equal(child_refuses(handle), 0);
    assert_int_equal(fixture_lines(fixture_log(), "memory_", ""), 0);
    assert_ok(stage_transform(handle, 2, fixture_data(0), fixture_data(1)));
    assert_string_equal(fixture_record(handle, "backend"), "mock_device");
}

/* The host's backend may survive a fork; the device memory that it is staged from does not. */
static void refused_in_a_child_of_a_device(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "mock_b");
    char *memory = NULL;
    int seen = 0;
    pid_t pid;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 128, (void **)&memory));
    assert_ok(stage_transform(handle, 2, memory, memory + 64));
    pid = fork();
    if (pid == 0)
        _exit(stage_transform(handle, 2, memory, memory + 64) == ANYDNN_STATUS_NOT_INITIALIZED &&
                      strstr(fixture_error(), "the call is staged on cpu by mock_b; device memory")
                  ? 0
                  : 1);
    waitpid(pid, &seen, 0);
    assert_int_equal(seen, 0);
    assert_ok(anydnnMemFree(handle, memory));
}

static void searches_do_not_stage(void **state)
{
    anydnnHandle_t handle = stage_handle("mock_device, mock_a");
    anydnnConvolutionFwdAlgoPerf_t perf[8];
    struct fixture_convolution with;
    char name[40];
    int count = 0;

    (void)state;
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_device", "algorithms", "1,2");
    fixture_convolution_make(&with, 9);
    assert_ok(anydnnFindConvolutionForwardAlgorithm(handle, with.x, with.w, with.conv, with.y, 8,
                                                    &count, perf));
    assert_int_equal(count, 2);
    for (int i = 0; i < count; i++) {
        assert_ok(anydnnGetBackendInfo(perf[i].backend, "name", name, sizeof(name)));
        assert_string_equal(name, "mock_a");
    }
    assert_int_equal(fixture_lines(fixture_log(), "mock_device candidates", ""), 0);
    handle = stage_handle("mock_device");
    assert_fails(anydnnFindConvolutionForwardAlgorithm(handle, with.x, with.w, with.conv, with.y, 8,
                                                       &count, perf),
                 ANYDNN_STATUS_NOT_SUPPORTED, "mock_device: uses memory space `mockdev`");
}

enum { THREADS = 4, ROUNDS = 20 };

struct worker {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t desc;
    void *x;
    unsigned char *y;
    int good;
};

static void *work(void *arg)
{
    struct worker *worker = arg;

    for (int i = 0; i < ROUNDS; i++) {
        memset(worker->y, 0, 24);
        worker->good += anydnnTransformTensor(worker->handle, &one, worker->desc, worker->x, &zero,
                                              worker->desc, worker->y) == ANYDNN_STATUS_SUCCESS &&
                        worker->y[0] == 0x3c && worker->y[23] == 0x3c;
    }
    return NULL;
}

static void handles_stage_at_once(void **state)
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){stage_handle("mock_device"), fixture_tensor("f32:2,3"),
                                     fixture_data(2 * i), fixture_data(2 * i + 1), 0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].good, ROUNDS);
        assert_int_equal(fixture_number(workers[i].handle, "staged_calls"), ROUNDS);
    }
}

#define life_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        life_test(misaligned_pointers_cost_nothing),
        life_test(the_arena_grows_to_the_largest_need),
        life_test(recorded_on_the_host),
        life_test(not_captured_by_a_device),
        life_test(refused_in_a_child),
        life_test(refused_in_a_child_of_a_device),
        life_test(searches_do_not_stage),
        life_test(handles_stage_at_once),
    };

    return cmocka_run_group_tests_name("stage_life", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
