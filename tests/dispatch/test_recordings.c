/* SPDX-License-Identifier: Apache-2.0 */
/* Tests recordings on the host, memory and marks, and every key of the dispatch record. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

static const float one = 1, two = 2;

static int executes(void)
{
    return fixture_lines(fixture_log(), "plan_execute", "");
}

static void recorded_calls_run_at_replay(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnRecording_t recording = NULL;
    float factor = 2;

    (void)state;
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(0), &factor));
    factor = 3;
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(1), &factor));
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_int_equal(executes(), 0);
    factor = 99;
    for (int i = 0; i < 3; i++) {
        const char *log;

        assert_ok(anydnnReplay(handle, recording));
        log = fixture_log();
        assert_int_equal(fixture_lines(log, "plan_execute", " scale=2,0,0,0"), 1);
        assert_int_equal(fixture_lines(log, "plan_execute", " scale=3,0,0,0"), 1);
        assert_true(strstr(log, "scale=2") < strstr(log, "scale=3"));
    }
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(0), &one)); /* not recorded */
    assert_int_equal(executes(), 1);
    assert_ok(anydnnRecordingDestroy(handle, recording));
    assert_ok(anydnnRecordingDestroy(handle, NULL));
}

/* The recording takes set_tensor's value when the call is recorded. */
static void recorded_values(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnRecording_t recording = NULL;
    unsigned char value[4] = {1, 2, 3, 4};

    (void)state;
    assert_ok(anydnnRecordBegin(handle));
    for (int i = 0; i < 40; i++) { /* grows the list more than once */
        value[0] = (unsigned char)(i + 1);
        assert_ok(anydnnSetTensor(handle, y, fixture_data(0), value));
    }
    assert_ok(anydnnRecordEnd(handle, &recording));
    memset(value, 0, sizeof(value));
    assert_ok(anydnnReplay(handle, recording));
    {
        const char *log = fixture_log();

        assert_int_equal(fixture_lines(log, "plan_execute", " value=01020304 "), 1);
        assert_int_equal(fixture_lines(log, "plan_execute", " value=28020304 "), 1);
        assert_int_equal(fixture_lines(log, "plan_execute", " value="), 40);
    }
    assert_ok(anydnnRecordingDestroy(handle, recording));
}

static void a_recording_keeps_its_plans(void **state)
{
    anydnnHandle_t handle;
    anydnnRecording_t recording = NULL;
    struct fixture_convolution with;
    char destroyed[40];
    int plan = 0;

    (void)state;
    fixture_settings()->plan_cache = 2;
    handle = fixture_handle("mock_a");
    fixture_convolution_make(&with, 8);
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_int_equal(sscanf(strstr(fixture_log(), " plan="), " plan=%d", &plan), 1);
    snprintf(destroyed, sizeof(destroyed), "plan_destroy plan=%d\n", plan);
    for (int height = 10; height < 20; height++) {
        struct fixture_convolution other;

        fixture_convolution_make(&other, height);
        assert_ok(fixture_convolution_run(handle, &other));
    }
    assert_ok(anydnnSetDeterministic(handle, 0)); /* drops the remaining plans */
    assert_null(strstr(fixture_log(), destroyed));
    assert_ok(anydnnReplay(handle, recording));
    assert_int_equal(executes(), 1);
    assert_ok(anydnnRecordingDestroy(handle, recording));
    assert_non_null(strstr(fixture_log(), destroyed));
}

static void replay_uses_what_the_arrays_hold_now(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnRecording_t recording = NULL;
    char *from = fixture_data(2), *to = fixture_data(3);

    (void)state;
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(anydnnMemCopy(handle, to, from, 8, ANYDNN_MEMCPY_DEVICE_TO_DEVICE));
    assert_ok(anydnnMemSet(handle, to + 8, 0x1a7, 4));
    assert_ok(anydnnRecordEnd(handle, &recording));
    strcpy(from, "weights");
    memset(to, 0, 16);
    assert_ok(anydnnReplay(handle, recording));
    assert_string_equal(to, "weights");
    assert_int_equal((unsigned char)to[8], 0xa7);
    assert_int_equal((unsigned char)to[11], 0xa7);
    assert_int_equal(to[12], 0);
    strcpy(from, "changed");
    assert_ok(anydnnReplay(handle, recording));
    assert_string_equal(to, "changed");
    assert_ok(anydnnRecordingDestroy(handle, recording));
}

static void recordings_misused(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnHandle_t other = fixture_handle("mock_a");
    anydnnRecording_t recording = NULL;
    anydnnMark_t mark = NULL;

    (void)state;
    assert_fails(anydnnRecordEnd(handle, &recording), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnRecordEnd: no recording is in progress");
    assert_ok(anydnnRecordBegin(handle));
    assert_fails(anydnnRecordBegin(handle), ANYDNN_STATUS_BAD_PARAM, "already in progress");
    assert_fails(anydnnMark(handle, &mark), ANYDNN_STATUS_NOT_SUPPORTED,
                 "marks cannot be recorded");
    assert_fails(anydnnRecordEnd(handle, NULL), ANYDNN_STATUS_BAD_PARAM, "recording is NULL");
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_fails(anydnnReplay(other, recording), ANYDNN_STATUS_BAD_PARAM, "another handle");
    assert_fails(anydnnReplay(handle, NULL), ANYDNN_STATUS_BAD_PARAM, "recording is NULL");
    assert_fails(anydnnRecordingDestroy(other, recording), ANYDNN_STATUS_BAD_PARAM,
                 "another handle");
    assert_ok(anydnnRecordBegin(handle));
    assert_fails(anydnnReplay(handle, recording), ANYDNN_STATUS_BAD_PARAM, "is in progress");
    assert_ok(anydnnRecordingDestroy(handle, recording));
    /* The handle destroys a recording that was begun and not ended. */
}

static void a_replay_that_fails(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnRecording_t recording = NULL;

    (void)state;
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(0), &two));
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(1), &two));
    assert_ok(anydnnRecordEnd(handle, &recording));
    fixture_set("mock_a", "execute", "unknown");
    assert_fails(anydnnReplay(handle, recording), ANYDNN_STATUS_EXECUTION_FAILED,
                 "anydnnReplay: mock_a failed: the test backend was told to fail");
    assert_int_equal(executes(), 1);
    assert_ok(anydnnRecordingDestroy(handle, recording));
}

/* ---- memory and marks */

static void memory_of_the_host(void **state)
{
    anydnnHandle_t handle = fixture_handle(NULL);
    char text[16] = "hello";
    void *memory = NULL, *nothing = NULL;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 1000, &memory));
    assert_int_equal((uintptr_t)memory % 256, 0);
    assert_ok(anydnnMemSet(handle, memory, 256 + 7, 1000));
    assert_int_equal(((char *)memory)[999], 7);
    assert_ok(anydnnMemSet(handle, memory, -1, 2));
    assert_int_equal(((unsigned char *)memory)[1], 255);
    assert_ok(anydnnMemCopy(handle, memory, text, 6, ANYDNN_MEMCPY_HOST_TO_DEVICE));
    assert_ok(anydnnMemCopy(handle, (char *)memory + 2, memory, 6, ANYDNN_MEMCPY_DEVICE_TO_DEVICE));
    assert_ok(anydnnMemCopy(handle, text, memory, 8, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    assert_string_equal(text, "hehello");
    assert_ok(anydnnMemAlloc(handle, 0, &nothing));
    assert_non_null(nothing);
    assert_ok(anydnnMemFree(handle, nothing));
    assert_ok(anydnnMemFree(handle, memory));
    assert_ok(anydnnMemFree(handle, NULL));
    assert_ok(anydnnSynchronize(handle));
    assert_fails(anydnnMemAlloc(handle, 8, NULL), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnMemAlloc: ptr is NULL");
    nothing = text;
    assert_fails(anydnnMemAlloc(handle, SIZE_MAX - 3, &nothing), ANYDNN_STATUS_ALLOC_FAILED,
                 "device cpu cannot allocate");
    assert_ptr_equal(nothing, text);
    assert_fails(anydnnMemCopy(handle, NULL, text, 1, ANYDNN_MEMCPY_HOST_TO_DEVICE),
                 ANYDNN_STATUS_BAD_PARAM, "anydnnMemCopy: dst is NULL");
    assert_fails(anydnnMemCopy(handle, text, NULL, 1, ANYDNN_MEMCPY_HOST_TO_DEVICE),
                 ANYDNN_STATUS_BAD_PARAM, "anydnnMemCopy: src is NULL");
    assert_fails(anydnnMemCopy(handle, text, text, 1, (anydnnMemCopyKind_t)0),
                 ANYDNN_STATUS_BAD_PARAM, "kind is 0");
    assert_fails(anydnnMemSet(handle, NULL, 0, 1), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnMemSet: ptr is NULL");
    assert_fails(anydnnMemFree(NULL, text), ANYDNN_STATUS_NOT_INITIALIZED, "anydnnMemFree");
}

static void marks_of_the_host(void **state)
{
    anydnnHandle_t handle = fixture_handle(NULL);
    anydnnHandle_t other = fixture_handle(NULL);
    anydnnMark_t from = NULL, to = NULL;
    double forth = -1, back = 1;

    (void)state;
    assert_ok(anydnnMark(handle, &from));
    assert_ok(anydnnMark(handle, &to));
    assert_ok(anydnnMarkElapsed(handle, from, to, &forth));
    assert_ok(anydnnMarkElapsed(handle, to, from, &back));
    assert_true(forth >= 0 && back <= 0 && forth == -back);
    assert_fails(anydnnMarkElapsed(other, from, to, &forth), ANYDNN_STATUS_BAD_PARAM,
                 "another handle");
    assert_fails(anydnnMarkElapsed(handle, NULL, to, &forth), ANYDNN_STATUS_BAD_PARAM,
                 "from is NULL");
    assert_fails(anydnnMarkElapsed(handle, from, NULL, &forth), ANYDNN_STATUS_BAD_PARAM,
                 "to is NULL");
    assert_fails(anydnnMarkElapsed(handle, from, to, NULL), ANYDNN_STATUS_BAD_PARAM,
                 "microseconds is NULL");
    assert_fails(anydnnMark(handle, NULL), ANYDNN_STATUS_BAD_PARAM, "mark is NULL");
    assert_fails(anydnnMarkDestroy(other, from), ANYDNN_STATUS_BAD_PARAM, "another handle");
    assert_ok(anydnnMarkDestroy(handle, from));
    assert_ok(anydnnMarkDestroy(handle, to));
    assert_ok(anydnnMarkDestroy(handle, NULL));
}

/* ---- the record */

static const char *const of_a_call[] = {"operation",
                                        "problem",
                                        "backend",
                                        "backend_index",
                                        "engine",
                                        "math",
                                        "math_requested",
                                        "algorithm",
                                        "algorithm_requested",
                                        "workspace",
                                        "deterministic",
                                        "notes",
                                        "plan",
                                        "effect",
                                        "rule",
                                        "rule_origin",
                                        "passed_over",
                                        "unaligned",
                                        "workspace_short",
                                        "staged",
                                        "staged_on",
                                        "staged_bytes",
                                        "fallback"};
static const char *const of_the_handle[] = {
    "calls",     "plan_hits", "plan_equal_hits", "plan_misses",    "plans",        "evictions",
    "fallbacks", "pins",      "pins_dropped",    "config_dropped", "staged_calls", "arena"};
static const char *const only_text[] = {"operation", "problem",     "backend",     "plan",
                                        "rule",      "rule_origin", "passed_over", "staged_on"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void keys_before_and_after_a_call(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    char text[4096];
    int64_t number;

    (void)state;
    for (size_t i = 0; i < COUNT(of_the_handle); i++)
        assert_int_equal(fixture_number(handle, of_the_handle[i]), 0);
    for (size_t i = 0; i < COUNT(of_a_call); i++)
        assert_fails(anydnnGetDispatchInfo(handle, of_a_call[i], text, sizeof(text)),
                     ANYDNN_STATUS_BAD_PARAM, "no call has run on this handle yet");
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(0), &two));
    for (size_t i = 0; i < COUNT(of_a_call); i++) {
        int texts = 0;

        assert_ok(anydnnGetDispatchInfo(handle, of_a_call[i], text, sizeof(text)));
        for (size_t j = 0; j < COUNT(only_text); j++)
            texts |= strcmp(only_text[j], of_a_call[i]) == 0;
        if (texts)
            assert_fails(anydnnGetDispatchInfoInt(handle, of_a_call[i], &number),
                         ANYDNN_STATUS_BAD_PARAM, "is a text, not a number");
        else
            assert_ok(anydnnGetDispatchInfoInt(handle, of_a_call[i], &number));
    }
}

static void what_the_record_says(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_b, mock_a");
    struct fixture_convolution with;
    char name[64], small[5];
    int64_t number = 5;

    (void)state;
    fixture_set("mock_b", "decline", "*");
    fixture_set("mock_a", "algorithms", "1,2");
    fixture_set("mock_a", "workspace", "96");
    fixture_convolution_make(&with, 8);
    assert_ok(anydnnSetConvolutionMathType(with.conv, ANYDNN_TENSOR_OP_MATH_SPLIT));
    with.algorithm = 2;
    with.workspace = fixture_data(20);
    with.bytes = 100;
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "operation"), "convolution_forward");
    assert_string_equal(
        fixture_record(handle, "problem"),
        "convolution_forward x=f32:2,3,8,5:nchw w=f32:4,3,3,3:nchw y=f32:2,4,6,3:nchw pad=0,0 "
        "stride=1,1 dilation=1,1 groups=1 mode=cross compute=f32 math=split algo=gemm");
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    assert_ok(anydnnGetBackendInfo((int)fixture_number(handle, "backend_index"), "name", name,
                                   sizeof(name)));
    assert_string_equal(name, "mock_a");
    assert_string_equal(fixture_record(handle, "engine"), "2");
    assert_string_equal(fixture_record(handle, "math"), "default");
    assert_string_equal(fixture_record(handle, "math_requested"), "split");
    assert_int_equal(fixture_number(handle, "math_requested"), ANYDNN_TENSOR_OP_MATH_SPLIT);
    assert_string_equal(fixture_record(handle, "algorithm"), "gemm");
    assert_string_equal(fixture_record(handle, "algorithm_requested"), "gemm");
    assert_string_equal(fixture_record(handle, "workspace"), "96");
    assert_string_equal(fixture_record(handle, "notes"), "");
    assert_string_equal(fixture_record(handle, "effect"), "enqueued");
    assert_int_equal(fixture_number(handle, "effect"), 1);
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_b: the test backend was told to decline\n");
    assert_string_equal(fixture_record(handle, "fallback"), "1");
    assert_string_equal(fixture_record(handle, "config_dropped"), "0");
    /* The keys are misspelt, cut and missing. */
    assert_fails(anydnnGetDispatchInfo(handle, "bakend", name, sizeof(name)),
                 ANYDNN_STATUS_BAD_PARAM, "did you mean `backend`?");
    assert_fails(anydnnGetDispatchInfoInt(handle, "zzzzzzzzz", &number), ANYDNN_STATUS_BAD_PARAM,
                 "unknown key `zzzzzzzzz`");
    assert_int_equal(number, 5);
    assert_ok(anydnnGetDispatchInfo(handle, "operation", small, sizeof(small)));
    assert_string_equal(small, "conv");
    assert_fails(anydnnGetDispatchInfo(handle, NULL, name, 5), ANYDNN_STATUS_BAD_PARAM,
                 "key is NULL");
    assert_fails(anydnnGetDispatchInfo(handle, "math", NULL, 5), ANYDNN_STATUS_BAD_PARAM,
                 "text is NULL");
    assert_fails(anydnnGetDispatchInfoInt(handle, "math", NULL), ANYDNN_STATUS_BAD_PARAM,
                 "value is NULL");
}

/* A replay would copy the states from the memory of a call that returned long ago. */
static void dropout_is_set_outside(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnDropoutDescriptor_t dropout = NULL;
    anydnnRecording_t recording = NULL;

    (void)state;
    assert_ok(anydnnCreateDropoutDescriptor(&dropout));
    assert_ok(anydnnRecordBegin(handle));
    assert_fails(anydnnSetDropoutDescriptor(dropout, handle, 0.5f, fixture_data(0), 32, 1),
                 ANYDNN_STATUS_NOT_SUPPORTED, "a recording is in progress on this handle");
    assert_fails(anydnnRestoreDropoutDescriptor(dropout, handle, 0.5f, fixture_data(0), 32, 1),
                 ANYDNN_STATUS_NOT_SUPPORTED, "a recording is in progress on this handle");
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_ok(anydnnSetDropoutDescriptor(dropout, handle, 0.5f, fixture_data(0), 32, 1));
    assert_ok(anydnnRecordingDestroy(handle, recording));
    assert_ok(anydnnDestroyDropoutDescriptor(dropout));
}

#define recordings_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        recordings_test(recorded_calls_run_at_replay),
        recordings_test(recorded_values),
        recordings_test(a_recording_keeps_its_plans),
        recordings_test(replay_uses_what_the_arrays_hold_now),
        recordings_test(recordings_misused),
        recordings_test(a_replay_that_fails),
        recordings_test(dropout_is_set_outside),
        recordings_test(memory_of_the_host),
        recordings_test(marks_of_the_host),
        recordings_test(keys_before_and_after_a_call),
        recordings_test(what_the_record_says),
    };

    return cmocka_run_group_tests_name("recordings", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
