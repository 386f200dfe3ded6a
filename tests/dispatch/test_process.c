/* SPDX-License-Identifier: Apache-2.0 */
/* Tests handles and the process: concurrent creation, fork and exit. Each case runs in its own
 * process, since a process reads its settings once. */
#include "tests/dispatch/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/must.h"

#define THREADS 8

static const float one = 1;
static anydnnHandle_t kept; /* where a leak checker finds it */
static anydnnTensorDescriptor_t kept_desc;

static anydnnTensorDescriptor_t make_desc(void)
{
    anydnnTensorDescriptor_t desc = NULL;

    must(anydnnCreateTensorDescriptor(&desc) == ANYDNN_STATUS_SUCCESS);
    must(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 2, 3, 4) ==
         ANYDNN_STATUS_SUCCESS);
    return desc;
}

static void make_kept(void)
{
    must(anydnnCreateOnDevice(&kept, "cpu") == ANYDNN_STATUS_SUCCESS);
    kept_desc = make_desc();
}

static anydnnStatus_t scale(anydnnHandle_t handle)
{
    return anydnnScaleTensor(handle, kept_desc, fixture_data(0), &one);
}

/* ---- threads */

static pthread_barrier_t barrier;

static void *first_handle(void *cookie)
{
    anydnnHandle_t *handle = cookie;

    pthread_barrier_wait(&barrier);
    must(anydnnCreate(handle) == ANYDNN_STATUS_SUCCESS);
    must(scale(*handle) == ANYDNN_STATUS_SUCCESS);
    return NULL;
}

static void first_handles_at_once(void)
{
    anydnnHandle_t handles[THREADS];
    pthread_t threads[THREADS];

    kept_desc = make_desc();
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, first_handle, &handles[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        must(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        for (int j = 0; j < i; j++)
            must(handles[i] != handles[j]);
        must(anydnnDestroy(handles[i]) == ANYDNN_STATUS_SUCCESS);
    }
    anydnnDestroyTensorDescriptor(kept_desc);
}

static void *many_handles(void *cookie)
{
    int count = *(int *)cookie;
    anydnnTensorDescriptor_t mine = make_desc();

    for (int i = 0; i < count; i++) {
        anydnnHandle_t handle = NULL;

        must(anydnnCreateOnDevice(&handle, "cpu") == ANYDNN_STATUS_SUCCESS);
        must(anydnnSetRoute(handle, "*", NULL, "mock_noop") == ANYDNN_STATUS_SUCCESS);
        must(scale(handle) == ANYDNN_STATUS_SUCCESS);
        must(anydnnScaleTensor(handle, mine, fixture_data(1), &one) == ANYDNN_STATUS_SUCCESS);
        must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
    }
    anydnnDestroyTensorDescriptor(mine);
    return NULL;
}

static void in_threads(int count)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, many_handles, &count) == 0);
    for (int i = 0; i < THREADS; i++)
        must(pthread_join(threads[i], NULL) == 0);
}

static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size = 0, resident = 0;

    must(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Creates 10,000 handles in all. A sanitizer's own memory grows, so only its verdict counts
 * then. */
static void ten_thousand_handles(void)
{
    const char *sanitizer = getenv("ANYDNN_TEST_SANITIZER");
    long before, after;

    make_kept();
    in_threads(250);
    before = resident_kib();
    in_threads(1000);
    after = resident_kib();
    if (!sanitizer || sanitizer[0] == '\0' || strcmp(sanitizer, "no") == 0) {
        if (after > before + 2048)
            fprintf(stderr, "resident memory grew from %ld to %ld KiB\n", before, after);
        must(after <= before + 2048);
    }
    anydnnDestroyTensorDescriptor(kept_desc);
    must(anydnnDestroy(kept) == ANYDNN_STATUS_SUCCESS);
}

/* ---- fork */

static void a_forked_child(void)
{
    int status;
    pid_t pid;

    make_kept();
    must(scale(kept) == ANYDNN_STATUS_SUCCESS);
    pid = fork();
    if (pid == 0) {
        anydnnHandle_t fresh = NULL;
        anydnnRecording_t none = NULL;
        int safe = getenv("FORK_SAFE") != NULL;

        if (safe) {
            must(scale(kept) == ANYDNN_STATUS_SUCCESS);
        } else {
            must(scale(kept) == ANYDNN_STATUS_NOT_INITIALIZED);
            must(strstr(fixture_error(),
                        "anydnnScaleTensor: backend mock_a does not survive fork()"));
            /* A problem without a plan does not bypass the rule. */
            must(anydnnAddTensor(kept, &one, kept_desc, fixture_data(0), &one, kept_desc,
                                 fixture_data(1)) == ANYDNN_STATUS_SUCCESS);
            must(strstr(fixture_record(kept, "passed_over"),
                        "mock_a: does not survive fork(), and this handle used it before that"));
        }
        must(anydnnRecordBegin(kept) == ANYDNN_STATUS_SUCCESS);
        must(anydnnRecordEnd(kept, &none) == ANYDNN_STATUS_SUCCESS);
        must(anydnnRecordingDestroy(kept, none) == ANYDNN_STATUS_SUCCESS);
        /* A handle that the child creates belongs to the child. */
        must(anydnnCreateOnDevice(&fresh, "cpu") == ANYDNN_STATUS_SUCCESS);
        must(scale(fresh) == ANYDNN_STATUS_SUCCESS);
        must(strcmp(fixture_record(fresh, "backend"), "mock_a") == 0);
        must(anydnnDestroy(fresh) == ANYDNN_STATUS_SUCCESS);
        must(anydnnDestroy(kept) == ANYDNN_STATUS_SUCCESS);
        _exit(0);
    }
    must(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    must(scale(kept) == ANYDNN_STATUS_SUCCESS);
    must(anydnnDestroy(kept) == ANYDNN_STATUS_SUCCESS);
    anydnnDestroyTensorDescriptor(kept_desc);
}

static _Atomic(anydnnHandle_t) theirs;

static void *only_create(void *cookie)
{
    anydnnHandle_t handle = NULL;

    must(anydnnCreateOnDevice(&handle, "cpu") == ANYDNN_STATUS_SUCCESS);
    theirs = handle;
    return cookie;
}

/* Forks while another thread is in a backend that loads slowly. */
static void fork_in_the_middle_of_the_first_handle(void)
{
    pthread_t thread;
    int status;
    pid_t pid;

    must(pthread_create(&thread, NULL, only_create, NULL) == 0);
    /* tests/loader/test_life.c does the same. */
    must(pthread_detach(thread) == 0);
    for (int i = 0; i < 1000 && access(getenv("ANYDNN_MOCK_MARKER"), F_OK) != 0; i++)
        usleep(1000);
    pid = fork();
    if (pid == 0) {
        alarm(20);
        make_kept();
        must(scale(kept) == ANYDNN_STATUS_SUCCESS);
        must(anydnnSetRoute(kept, "*", NULL, "slow, mock_a") == ANYDNN_STATUS_SUCCESS);
        must(scale(kept) == ANYDNN_STATUS_SUCCESS);
        must(anydnnDestroy(kept) == ANYDNN_STATUS_SUCCESS);
        _exit(0);
    }
    must(waitpid(pid, &status, 0) == pid);
    must(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    while (!theirs)
        usleep(1000);
    must(anydnnDestroy(theirs) == ANYDNN_STATUS_SUCCESS);
}

static void a_recording_in_a_forked_child(void)
{
    anydnnRecording_t recording = NULL;
    int status;
    pid_t pid;

    make_kept();
    must(anydnnRecordBegin(kept) == ANYDNN_STATUS_SUCCESS);
    must(scale(kept) == ANYDNN_STATUS_SUCCESS);
    must(anydnnRecordEnd(kept, &recording) == ANYDNN_STATUS_SUCCESS);
    pid = fork();
    if (pid == 0) {
        must(anydnnReplay(kept, recording) == ANYDNN_STATUS_NOT_INITIALIZED);
        must(strstr(fixture_error(), "anydnnReplay: backend mock_a does not survive fork()"));
        _exit(0);
    }
    must(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    must(anydnnReplay(kept, recording) == ANYDNN_STATUS_SUCCESS);
    must(anydnnRecordingDestroy(kept, recording) == ANYDNN_STATUS_SUCCESS);
    must(anydnnDestroy(kept) == ANYDNN_STATUS_SUCCESS);
    anydnnDestroyTensorDescriptor(kept_desc);
}

/* ---- exit */

static void exit_with_live_handles(void)
{
    make_kept();
    must(scale(kept) == ANYDNN_STATUS_SUCCESS);
    exit(0);
}

/* Destroys a handle late. It is registered before the library's own handler, so it runs after
 * that. */
static void late_destroy(void)
{
    anydnnHandle_t another = NULL;

    must(scale(kept) == ANYDNN_STATUS_SHUTTING_DOWN);
    must(anydnnCreate(&another) == ANYDNN_STATUS_SHUTTING_DOWN);
    must(anydnnDestroy(kept) == ANYDNN_STATUS_SUCCESS);
    /* Exits before a leak checker reports what the backend holds, which is not called any more. */
    _exit(0);
}

static void destroy_after_exit_began(void)
{
    atexit(late_destroy);
    make_kept();
    must(scale(kept) == ANYDNN_STATUS_SUCCESS);
    exit(0);
}

static void early_destroy(void)
{
    must(scale(kept) == ANYDNN_STATUS_SUCCESS);
    must(anydnnDestroy(kept) == ANYDNN_STATUS_SUCCESS);
}

static void destroy_before_the_library_learns_of_exit(void)
{
    make_kept();
    atexit(early_destroy);
    exit(0);
}

/* ---- the cases */

static void threads_make_the_first_handle(void **state)
{
    (void)state;
    fixture_configure("", "");
    assert_int_equal(must_child(first_handles_at_once, 0), 0);
    assert_int_equal(fixture_lines(fixture_log(), "mock_a context_create", ""), THREADS);
}

static void threads_make_ten_thousand_handles(void **state)
{
    (void)state;
    fixture_configure("", "");
    assert_int_equal(must_child(ten_thousand_handles, 0), 0);
}

static void fork_with_a_backend_that_does_not_survive(void **state)
{
    (void)state;
    fixture_configure("", "set.fork_safe = no");
    assert_int_equal(must_child(a_forked_child, 0), 0);
    /* Only the parent frees what the parent created. */
    assert_int_equal(fixture_lines(fixture_log(), "mock_a context_destroy context=1", ""), 1);
}

static void fork_with_a_backend_that_survives(void **state)
{
    (void)state;
    fixture_configure("", "");
    setenv("FORK_SAFE", "1", 1);
    assert_int_equal(must_child(a_forked_child, 0), 0);
    unsetenv("FORK_SAFE");
}

static void fork_while_another_thread_makes_the_first_handle(void **state)
{
    (void)state;
    fixture_configure("", "");
    setenv("ANYDNN_MOCK_MARKER", fixture_path("marker"), 1);
    setenv("ANYDNN_ROUTE_IM2COL", "slow", 1);
    assert_int_equal(must_child(fork_in_the_middle_of_the_first_handle, 0), 0);
    unsetenv("ANYDNN_ROUTE_IM2COL");
    unlink(getenv("ANYDNN_MOCK_MARKER"));
}

static void fork_with_a_recording(void **state)
{
    (void)state;
    fixture_configure("", "set.fork_safe = no");
    assert_int_equal(must_child(a_recording_in_a_forked_child, 0), 0);
}

static void exit_leaves_backends_alone(void **state)
{
    (void)state;
    fixture_configure("", "");
    fixture_log();
    assert_int_equal(must_child(exit_with_live_handles, 0), 0);
    assert_int_equal(fixture_lines(fixture_log(), "destroy", ""), 0);
    assert_int_equal(must_child(destroy_after_exit_began, 0), 0);
    assert_int_equal(fixture_lines(fixture_log(), "destroy", ""), 0);
    assert_int_equal(must_child(destroy_before_the_library_learns_of_exit, 0), 0);
    assert_int_equal(fixture_lines(fixture_log(), "mock_a context_destroy", ""), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_make_the_first_handle),
        cmocka_unit_test(threads_make_ten_thousand_handles),
        cmocka_unit_test(fork_with_a_backend_that_does_not_survive),
        cmocka_unit_test(fork_with_a_backend_that_survives),
        cmocka_unit_test(fork_while_another_thread_makes_the_first_handle),
        cmocka_unit_test(fork_with_a_recording),
        cmocka_unit_test(exit_leaves_backends_alone),
    };

    return cmocka_run_group_tests_name("process", tests, NULL, fixture_group_teardown);
}
