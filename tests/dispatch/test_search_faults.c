/* SPDX-License-Identifier: Apache-2.0 */
/* Tests searches that fail: arguments, candidates that do not run, devices, recordings, a child. */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/handle/global.h"
#include "settings/settings.h"

#define BAD         ANYDNN_STATUS_BAD_PARAM
#define UNSUPPORTED ANYDNN_STATUS_NOT_SUPPORTED
#define FASTEST     ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST

static search_perf perf[SEARCH_COUNT];
static struct fixture_convolution with;

/* ---- arguments */

static void arguments_of_find(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnTensorDescriptor_t wrong = fixture_tensor("f32:2,4,9,3");
    int count = 7;

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_fails(search_try(NULL, &with, 1, &count, perf), ANYDNN_STATUS_NOT_INITIALIZED,
                 "anydnnFindConvolutionForwardAlgorithm: the handle is NULL");
    assert_fails(search_try(handle, &with, 0, &count, perf), BAD, "requestedAlgoCount is 0");
    assert_fails(search_try(handle, &with, -3, &count, perf), BAD, "requestedAlgoCount is -3");
    assert_fails(search_try(handle, &with, 1, NULL, perf), BAD, "returnedAlgoCount is NULL");
    assert_fails(search_try(handle, &with, 1, &count, NULL), BAD, "perfResults is NULL");
    assert_fails(anydnnFindConvolutionForwardAlgorithm(handle, with.x, with.w, NULL, with.y, 1,
                                                       &count, perf),
                 BAD, "convDesc is NULL");
    assert_fails(anydnnFindConvolutionForwardAlgorithm(handle, with.x, with.w, with.conv, wrong, 1,
                                                       &count, perf),
                 BAD, "anydnnFindConvolutionForwardAlgorithm: y is f32:2,4,9,3");
    assert_fails(anydnnFindConvolutionBackwardDataAlgorithm(
                     handle, with.w, wrong, with.conv, with.x, 1, &count,
                     (anydnnConvolutionBwdDataAlgoPerf_t *)(void *)perf),
                 BAD, "anydnnFindConvolutionBackwardDataAlgorithm: dy is f32:2,4,9,3");
    assert_fails(anydnnFindConvolutionBackwardFilterAlgorithm(
                     handle, with.x, NULL, with.conv, with.w, 1, &count,
                     (anydnnConvolutionBwdFilterAlgoPerf_t *)(void *)perf),
                 BAD, "dyDesc is NULL");
    assert_int_equal(count, 7);
}

static void arguments_of_find_ex(void **state)
{
    static const char *const names[] = {"x is NULL", "w is NULL", "y is NULL"};
    anydnnHandle_t handle = fixture_handle("mock_a");
    int count = 7;

    (void)state;
    for (int i = 0; i < 3; i++) {
        fixture_convolution_make(&with, 8);
        with.data[i] = NULL;
        assert_fails(search_try_ex(handle, &with, &count, perf), BAD, names[i]);
    }
    fixture_convolution_make(&with, 8);
    with.data[2] = with.data[0];
    assert_fails(search_try_ex(handle, &with, &count, perf), BAD, "it has the same address as x");
    with.data[2] = (char *)fixture_data(2) + 2;
    assert_fails(search_try_ex(handle, &with, &count, perf), BAD, "must be aligned to 4 bytes");
    assert_int_equal(fixture_lines(fixture_log(), "plan_", ""), 0);
    assert_fails(anydnnFindConvolutionBackwardDataAlgorithmEx(
                     handle, with.w, with.data[1], with.y, NULL, with.conv, with.x, with.data[0], 1,
                     &count, (anydnnConvolutionBwdDataAlgoPerf_t *)(void *)perf, NULL, 0),
                 BAD, "anydnnFindConvolutionBackwardDataAlgorithmEx: dy is NULL");
    assert_fails(anydnnFindConvolutionBackwardFilterAlgorithmEx(
                     handle, with.x, with.data[0], with.y, with.data[2], with.conv, with.w, NULL, 1,
                     &count, (anydnnConvolutionBwdFilterAlgoPerf_t *)(void *)perf, NULL, 0),
                 BAD, "dw is NULL");
    assert_int_equal(count, 7);
}

static void arguments_of_get(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnConvolutionFwdAlgo_t algorithm = ANYDNN_CONVOLUTION_FWD_ALGO_COUNT;

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_fails(search_try_get(handle, &with, FASTEST, 0, NULL), BAD, "algo is NULL");
    assert_fails(search_try_get(handle, &with, (anydnnConvolutionFwdPreference_t)3, 0, &algorithm),
                 BAD, "preference is 3");
    assert_fails(search_try_get(handle, &with, (anydnnConvolutionFwdPreference_t)-1, 0, &algorithm),
                 BAD, "preference is -1");
    assert_fails(search_try_get(NULL, &with, FASTEST, 0, &algorithm), ANYDNN_STATUS_NOT_INITIALIZED,
                 "anydnnGetConvolutionForwardAlgorithm: ");
    assert_fails(anydnnGetConvolutionBackwardDataAlgorithm(
                     handle, with.w, with.y, with.conv, with.x,
                     ANYDNN_CONVOLUTION_BWD_DATA_NO_WORKSPACE, 0, NULL),
                 BAD, "algo is NULL");
    assert_fails(anydnnGetConvolutionBackwardFilterAlgorithm(
                     handle, with.x, with.y, with.conv, with.w,
                     (anydnnConvolutionBwdFilterPreference_t)9, 0,
                     (anydnnConvolutionBwdFilterAlgo_t *)(void *)&algorithm),
                 BAD, "anydnnGetConvolutionBackwardFilterAlgorithm: preference is 9");
    assert_int_equal(algorithm, ANYDNN_CONVOLUTION_FWD_ALGO_COUNT);
}

/* ---- candidates that do not run */

static void nobody_offers_anything(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, nowhere");
    anydnnConvolutionFwdAlgo_t algorithm;
    int count = 7;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "decline", "*");
    fixture_set("mock_a", "sentence", "no shapes with an 8");
    fixture_set("mock_b", "garbage", "notes");
    assert_fails(search_try(handle, &with, 1, &count, perf), UNSUPPORTED,
                 "mock_a: no shapes with an 8; mock_b: offered a malformed candidate");
    assert_holds(fixture_error(), "nowhere: not installed");
    assert_holds(fixture_error(), "anydnnFindConvolutionForwardAlgorithm: no backend");
    assert_fails(search_try_get(handle, &with, FASTEST, 0, &algorithm), UNSUPPORTED,
                 "mock_a: no shapes with an 8");
    assert_int_equal(count, 7);
}

/* The offers that a backend made before its error do not count either. */
static void garbage_takes_the_rest_along(void **state)
{
    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,77");
    fixture_set("mock_b", "algorithms", "1");
    assert_string_equal(
        search_list(perf, search_find(fixture_handle("mock_a, mock_b"), &with, perf)),
        "1/0/mock_b");
}

static void failures_come_last(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    const char *before;
    int count = 7;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1,2");
    fixture_set("mock_b", "algorithms", "0");
    fixture_set("mock_a", "fail_plan", "2");
    fixture_set("mock_a", "execute", "unknown");
    fixture_set("mock_a", "execute_engines", "1");
    assert_fails(search_try(handle, &with, 0, &count, perf), BAD, "requestedAlgoCount is 0");
    before = strdup(fixture_error());
    /* Under number 0, mock_b replaces the engine that fails. */
    count = search_find(handle, &with, perf);
    assert_int_equal(count, 3);
    assert_string_equal(search_list(perf + 2, 1), "1/0/mock_a:9");
    assert_int_equal(perf[2].reason, ANYDNN_REASON_OTHER);
    assert_true(perf[2].time == -1);
    assert_string_equal(search_backend(perf[0].algo == 0 ? &perf[0] : &perf[1]), "mock_b");
    assert_int_equal(fixture_number(handle, "pins"), 2);
    /* A search that succeeds keeps the sentence of the last failure. */
    assert_string_equal(fixture_error(), before);
    free((void *)before);
    fixture_set("mock_a", "fail_plan", "");
    count = search_find(fixture_handle("mock_a"), &with, perf);
    assert_string_equal(search_list(perf + 2, 1), "0/0/mock_a:8");
    /* A candidate that fails does not become a pin. If all fail, the search fails. */
    fixture_set("mock_a", "algorithms", "0");
    fixture_set("mock_a", "status", "2");
    handle = fixture_handle("mock_a");
    assert_fails(search_try(handle, &with, 1, &count, perf), ANYDNN_STATUS_ALLOC_FAILED,
                 "mock_a failed: the test backend was told to fail in plan_execute");
    assert_int_equal(fixture_number(handle, "pins"), 0);
    assert_int_equal(fixture_number(handle, "plans"), 0);
    assert_int_equal(count, 3);
}

/* ---- devices */

static anydnnHandle_t device_handle(void)
{
    return fixture_handle_on("mockdev", "mock_device");
}

/* Checks that everything allocated on the device was freed. */
static void assert_balance(const char *log)
{
    assert_int_equal(fixture_lines(log, "memory_alloc", "answer=0"),
                     fixture_lines(log, "memory_free", "answer=0"));
    assert_int_equal(fixture_lines(log, "mark_create", "answer=0"),
                     fixture_lines(log, "mark_destroy", ""));
}

static void a_device_is_timed_by_its_marks(void **state)
{
    anydnnHandle_t handle = device_handle();
    char wanted[64];
    const char *log;
    int count, runs;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_device", "algorithms", "0,1");
    fixture_set("mock_device", "workspace", "512 / 2048");
    fixture_set("mock_device", "sleep_us", "30000 / 200");
    assert_ok(anydnnSetStream(handle, (anydnnStream_t)fixture_data(7)));
    fixture_log();
    count = search_find(handle, &with, perf);
    assert_string_equal(search_list(perf, count), "1/0/mock_device 0/0/mock_device");
    assert_true(perf[1].time >= 30);
    log = fixture_log();
    snprintf(wanted, sizeof(wanted), "stream=0x%lx", (unsigned long)fixture_data(7));
    runs = fixture_lines(log, "plan_execute", wanted);
    assert_in_range(runs, 4, 12);
    assert_int_equal(fixture_lines(log, "plan_execute", ""), runs);
    assert_int_equal(fixture_lines(log, "mark_record", wanted), 2 * runs);
    assert_int_equal(fixture_lines(log, "mark_elapsed", ""), runs);
    assert_int_equal(fixture_lines(log, "synchronize", wanted), 1);
    /* Each runs in a workspace of its size. */
    assert_int_equal(fixture_lines(log, "memory_alloc", "bytes=512 "), 1);
    assert_int_equal(fixture_lines(log, "memory_alloc", "bytes=2048 "), 1);
    assert_int_equal(fixture_lines(log, "bytes=512 ", "engine=1 ") +
                         fixture_lines(log, "bytes=2048 ", "engine=2 "),
                     runs);
    assert_int_equal(fixture_lines(log, "plan_execute", "workspace=0x0 "), 0);
    /* The blocks are x, w and y; inputs are initialized. */
    assert_int_equal(fixture_lines(log, "memory_alloc", "bytes=960 "), 1);
    assert_int_equal(fixture_lines(log, "memory_alloc", "bytes=432 "), 1);
    assert_int_equal(fixture_lines(log, "memory_alloc", "bytes=576 "), 1);
    assert_int_equal(fixture_lines(log, "memory_set", "bytes=960 "), 1);
    assert_int_equal(fixture_lines(log, "memory_set", "bytes=432 "), 1);
    assert_int_equal(fixture_lines(log, "memory_set", ""), 2);
    assert_balance(log);
}

static void devices_without_memory_or_marks(void **state)
{
    static const struct {
        const char *function;
        anydnnStatus_t status;
        const char *sentence;
    } rows[] = {
        {"memory_alloc", ANYDNN_STATUS_ALLOC_FAILED,
         "device mockdev:0 cannot allocate 960 bytes for operand x"},
        {"memory_set", ANYDNN_STATUS_INTERNAL_ERROR, "device mockdev:0 cannot fill an operand"},
        {"mark_create", ANYDNN_STATUS_INTERNAL_ERROR, "device mockdev:0 cannot create a mark"},
        {"mark_record", ANYDNN_STATUS_INTERNAL_ERROR, "told to fail in a function of its space"},
        {"mark_elapsed", ANYDNN_STATUS_INTERNAL_ERROR, "told to fail in a function of its space"},
    };
    anydnnHandle_t handle = device_handle();
    int count = 7;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_device", "algorithms", "0,1");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fixture_set("mock_device", "fail_space", rows[i].function);
        fixture_log();
        assert_fails(search_try(handle, &with, 3, &count, perf), rows[i].status, rows[i].sentence);
        assert_int_equal(count, 7);
        assert_balance(fixture_log());
    }
    fixture_set("mock_device", "fail_space", "");
    assert_int_equal(search_find(handle, &with, perf), 2);
}

static void host_pointers_are_refused(void **state)
{
    anydnnHandle_t handle = device_handle();
    int count = 0;

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_fails(search_try_ex(handle, &with, &count, perf), BAD,
                 "anydnnFindConvolutionForwardAlgorithmEx: operand x (0x");
    assert_holds(fixture_error(), "is host memory, but the handle's device is mockdev:0");
}

/* A search excludes backends of another space, although a call would be staged. */
static void other_spaces_are_not_searched(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device, mock_a");
    int count = 0;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_settings()->staging = ADN_STAGING_LISTED;
    fixture_set("mock_a", "algorithms", "0");
    fixture_set("mock_device", "algorithms", "0,1");
    assert_string_equal(search_list(perf, search_find(handle, &with, perf)), "0/0/mock_a");
    assert_fails(search_try(fixture_handle("mock_device"), &with, 1, &count, perf), UNSUPPORTED,
                 "mock_device: uses memory space `mockdev`");
}

static void a_device_that_is_lost(void **state)
{
    anydnnHandle_t handle = device_handle();
    anydnnConvolutionFwdAlgo_t algorithm;
    struct adn_global *global = NULL;
    int count = 7;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_device", "algorithms", "0,1");
    fixture_set("mock_device", "execute", "enqueued");
    fixture_set("mock_device", "poisoned", "yes");
    fixture_log();
    assert_fails(search_try(handle, &with, 3, &count, perf), ANYDNN_STATUS_SPACE_POISONED,
                 "anydnnFindConvolutionForwardAlgorithm: an error made device mockdev:0 unusable");
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 1);
    assert_fails(search_try(handle, &with, 3, &count, perf), ANYDNN_STATUS_SPACE_POISONED,
                 "unusable");
    assert_fails(search_try_get(handle, &with, FASTEST, 0, &algorithm),
                 ANYDNN_STATUS_SPACE_POISONED, "unusable");
    assert_int_equal(count, 7);
    assert_int_equal(adn_global_get("test", &global), ANYDNN_STATUS_SUCCESS);
    adn_global_space(global, "mockdev")->poisoned = 0;
}

/* ---- recordings, children */

static void recordings_take_no_search(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnRecording_t recording = NULL;
    int count = 7;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0");
    assert_ok(anydnnRecordBegin(handle));
    assert_fails(search_try(handle, &with, 1, &count, perf), UNSUPPORTED,
                 "anydnnFindConvolutionForwardAlgorithm: a recording is in progress");
    assert_fails(search_try_ex(handle, &with, &count, perf), UNSUPPORTED,
                 "a recording is in progress");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 0);
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_ok(anydnnRecordingDestroy(handle, recording));
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 0);
    assert_int_equal(count, 7);
}

/* mock_a's section declares that it does not survive a fork. */
static void a_child_searches_with_what_survives(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    int count = 0, status = -1, right;
    pid_t pid;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0");
    assert_int_equal(search_find(handle, &with, perf), 1);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        right = search_try(handle, &with, 1, &count, perf) == UNSUPPORTED &&
                strstr(fixture_error(), "mock_a: does not survive fork()") != NULL;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static int faults_setup(void **state)
{
    (void)state;
    fixture_configure("", "set.fork_safe = no");
    return 0;
}

#define faults_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        faults_test(arguments_of_find),
        faults_test(arguments_of_find_ex),
        faults_test(arguments_of_get),
        faults_test(nobody_offers_anything),
        faults_test(garbage_takes_the_rest_along),
        faults_test(failures_come_last),
        faults_test(a_device_is_timed_by_its_marks),
        faults_test(devices_without_memory_or_marks),
        faults_test(host_pointers_are_refused),
        faults_test(other_spaces_are_not_searched),
        faults_test(a_device_that_is_lost),
        faults_test(recordings_take_no_search),
        faults_test(a_child_searches_with_what_survives),
    };

    return cmocka_run_group_tests_name("search_faults", tests, faults_setup,
                                       fixture_group_teardown);
}
