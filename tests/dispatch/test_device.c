/* SPDX-License-Identifier: Apache-2.0 */
/* Tests handles of a memory space other than the host's: names, memory, streams, capture, a lost
 * device, and host pointers passed by mistake. */
#include "tests/dispatch/fixture.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/handle/global.h"

static const float one = 1;

static anydnnHandle_t device_handle(void)
{
    return fixture_handle_on("mockdev", "mock_device");
}

static void devices_have_names(void **state)
{
    static const struct {
        const char *asked;
        const char *name;
    } good[] = {{"cpu", "cpu"},
                {"cpu:0", "cpu"},
                {"mockdev", "mockdev:1"},
                {"mockdev:0", "mockdev:0"},
                {"mockdev:2", "mockdev:2"},
                {"auto", "mockdev:1"}};
    static const char *const bad[][2] = {
        {"mockdev:3", "device `mockdev:3`: space `mockdev` has 3 devices"},
        {"mockdev:-1", "is not a device number"},
        {"mockdev:", "is not a device number"},
        {"mockdev:1x", "is not a device number"},
        {"cpu:1", "space `cpu` has 1 devices"},
        {"host", "no usable backend provides this memory space"},
        {"gpu", "device `gpu`: no usable backend provides this memory space"},
        {"", "no usable backend"},
    };
    anydnnHandle_t none = NULL;
    char text[64];

    (void)state;
    fixture_set("mock_device", "devices", "3");
    fixture_set("mock_device", "current", "1");
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_ok(anydnnGetDevice(fixture_handle_on(good[i].asked, NULL), text, sizeof(text)));
        assert_string_equal(text, good[i].name);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_fails(anydnnCreateOnDevice(&none, bad[i][0]), ANYDNN_STATUS_BAD_PARAM, bad[i][1]);
    assert_null(none);
    assert_fails(anydnnCreateOnDevice(&none, NULL), ANYDNN_STATUS_BAD_PARAM, "device is NULL");
    assert_fails(anydnnCreateOnDevice(NULL, "cpu"), ANYDNN_STATUS_BAD_PARAM, "handle is NULL");
    assert_fails(anydnnCreate(NULL), ANYDNN_STATUS_BAD_PARAM, "handle is NULL");
    /* If there is no device, auto selects the host. A user who routed to a device gets one message.
     */
    fixture_set("mock_device", "devices", "0");
    fixture_messages();
    assert_ok(anydnnGetDevice(fixture_handle_on("cpu", NULL), text, sizeof(text)));
    assert_string_equal(fixture_messages(), "");
    assert_ok(anydnnGetDevice(fixture_handle_on("auto", NULL), text, sizeof(text)));
    assert_string_equal(text, "cpu");
    assert_holds(fixture_messages(),
                 "device = auto selects the host: backend mock_device, named by ");
    assert_ok(anydnnGetDevice(fixture_handle_on("auto", NULL), text, sizeof(text)));
    assert_string_equal(fixture_messages(), "");
    assert_fails(anydnnCreateOnDevice(&none, "mockdev"), ANYDNN_STATUS_BAD_PARAM, "has 0 devices");
    assert_ok(anydnnDestroy(NULL));
    assert_fails(anydnnGetDevice(NULL, text, 5), ANYDNN_STATUS_NOT_INITIALIZED, "anydnnGetDevice");
}

/* The status matches cuDNN's without a driver: a caller of anydnnCreate names no device that
 * could be wrong. */
static void a_device_set_that_is_not_there(void **state)
{
    static const char *const set[][2] = {
        {"mockdev", "has 0 devices"},
        {"mockdev:1", "has 0 devices"},
        {"nowhere", "no usable backend provides this memory space"}};
    anydnnHandle_t none = NULL;
    char *before = fixture_settings()->device;

    (void)state;
    fixture_set("mock_device", "devices", "0");
    for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
        fixture_settings()->device = (char *)set[i][0];
        assert_fails(anydnnCreate(&none), ANYDNN_STATUS_NOT_INITIALIZED, set[i][1]);
        assert_null(none);
    }
    fixture_settings()->device = before;
}

static void devices_are_listed(void **state)
{
    char text[64];
    int count = 0;

    (void)state;
    fixture_set("mock_device", "devices", "2");
    assert_ok(anydnnGetDeviceCount(&count));
    assert_int_equal(count, 3);
    assert_ok(anydnnGetDeviceInfo(0, "name", text, sizeof(text)));
    assert_string_equal(text, "cpu");
    assert_ok(anydnnGetDeviceInfo(2, "name", text, sizeof(text)));
    assert_string_equal(text, "mockdev:1");
    assert_ok(anydnnGetDeviceInfo(2, "space", text, sizeof(text)));
    assert_string_equal(text, "mockdev");
    assert_ok(anydnnGetDeviceInfo(2, "description", text, sizeof(text)));
    assert_string_equal(text, "mock device 1");
    assert_fails(anydnnGetDeviceInfo(3, "name", text, sizeof(text)), ANYDNN_STATUS_BAD_PARAM,
                 "index 3 is out of range 0..2");
    assert_fails(anydnnGetDeviceInfo(INT_MIN, "name", text, sizeof(text)), ANYDNN_STATUS_BAD_PARAM,
                 "index -2147483648 is out of range 0..2");
    assert_fails(anydnnGetDeviceInfo(0, "nane", text, sizeof(text)), ANYDNN_STATUS_BAD_PARAM,
                 "did you mean `name`?");
}

static void host_pointers_are_refused(void **state)
{
    anydnnHandle_t handle = device_handle();
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    void *memory = NULL;

    (void)state;
    assert_fails(anydnnScaleTensor(handle, y, fixture_data(0), &one), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnScaleTensor: operand y (0x");
    assert_holds(fixture_error(), "is host memory, but the handle's device is mockdev:0");
    assert_holds(fixture_error(), "anydnnMemAlloc");
    assert_holds(fixture_error(), "anydnnCreateOnDevice(&handle, \"cpu\")");
    assert_ok(anydnnMemAlloc(handle, 256, &memory));
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_string_equal(fixture_record(handle, "backend"), "mock_device");
    /* The owner of a pointer is queried only at a miss. */
    fixture_log();
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_int_equal(fixture_lines(fixture_log(), "pointer_owner", ""), 0);
    assert_ok(anydnnMemFree(handle, memory));
}

static void memory_and_streams_of_a_device(void **state)
{
    anydnnHandle_t handle = device_handle();
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnStream_t stream = (anydnnStream_t)fixture_data(7), seen = NULL;
    char text[16] = "on the device";
    void *memory = NULL;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 64, &memory));
    assert_ok(anydnnSetStream(handle, stream));
    assert_ok(anydnnGetStream(handle, &seen));
    assert_ptr_equal(seen, stream);
    assert_ok(anydnnMemCopy(handle, memory, text, 14, ANYDNN_MEMCPY_HOST_TO_DEVICE));
    memset(text, 0, sizeof(text));
    assert_ok(anydnnMemCopy(handle, text, memory, 14, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    assert_string_equal(text, "on the device");
    fixture_log();
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_ok(anydnnMemSet(handle, memory, 1, 64));
    assert_ok(anydnnSynchronize(handle));
    {
        char want[64];
        const char *log = fixture_log();

        snprintf(want, sizeof(want), " stream=%p", (void *)stream);
        assert_int_equal(fixture_lines(log, "plan_execute", want), 1);
        assert_int_equal(fixture_lines(log, "memory_set", want), 1);
        assert_int_equal(fixture_lines(log, "synchronize", want), 1);
    }
    assert_ok(anydnnSetStream(handle, NULL));
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_string_equal(fixture_record(handle, "plan"),
                        "hit"); /* the stream is not part of the key */
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", " stream=0x0"), 1);
    fixture_set("mock_device", "fail_space", "stream_check");
    assert_fails(anydnnSetStream(handle, stream), ANYDNN_STATUS_MAPPING_ERROR,
                 "is not a stream of device mockdev:0: the test backend was told to fail");
    fixture_set("mock_device", "fail_space", "memory_alloc");
    assert_fails(anydnnMemAlloc(handle, 64, &memory), ANYDNN_STATUS_ALLOC_FAILED,
                 "the test device has no memory left");
    fixture_set("mock_device", "fail_space", "synchronize");
    assert_fails(anydnnSynchronize(handle), ANYDNN_STATUS_INTERNAL_ERROR,
                 "anydnnSynchronize: device mockdev:0: the test backend was told to fail");
    fixture_set("mock_device", "fail_space", NULL);
    assert_ok(anydnnMemFree(handle, memory));
    assert_fails(anydnnMemFree(handle, fixture_data(0)), ANYDNN_STATUS_BAD_PARAM, "no memory of");
}

static void the_host_has_no_streams(void **state)
{
    anydnnHandle_t handle = fixture_handle(NULL);
    anydnnStream_t stream = (anydnnStream_t)fixture_data(7);

    (void)state;
    assert_ok(anydnnSetStream(handle, NULL));
    assert_fails(anydnnSetStream(handle, stream), ANYDNN_STATUS_MAPPING_ERROR,
                 "is not a stream of device cpu");
    assert_ok(anydnnGetStream(handle, &stream));
    assert_null(stream);
    assert_fails(anydnnGetStream(handle, NULL), ANYDNN_STATUS_BAD_PARAM, "streamId is NULL");
}

static void a_device_captures(void **state)
{
    anydnnHandle_t handle = device_handle();
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnRecording_t recording = NULL;
    void *memory = NULL;
    const char *log;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 64, &memory));
    fixture_set("mock_device", "fail_space", "record_begin");
    fixture_set("mock_device", "status", "9");
    assert_fails(anydnnRecordBegin(handle), ANYDNN_STATUS_NOT_SUPPORTED,
                 "anydnnRecordBegin: device mockdev:0: the test backend was told to fail");
    fixture_set("mock_device", "status", NULL);
    assert_fails(anydnnRecordBegin(handle), ANYDNN_STATUS_INTERNAL_ERROR, "anydnnRecordBegin");
    fixture_set("mock_device", "fail_space", NULL);
    fixture_log();
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_ok(anydnnMemSet(handle, memory, 0, 64));
    assert_ok(anydnnRecordEnd(handle, &recording));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_execute", ""), 1); /* the device records the call */
    assert_true(strstr(log, "record_begin") < strstr(log, "plan_execute"));
    assert_true(strstr(log, "memory_set") < strstr(log, "record_end"));
    assert_ok(anydnnReplay(handle, recording));
    assert_int_equal(fixture_lines(fixture_log(), "record_replay", "recording=1"), 1);
    fixture_set("mock_device", "fail_space", "record_replay");
    assert_fails(anydnnReplay(handle, recording), ANYDNN_STATUS_INTERNAL_ERROR,
                 "anydnnReplay: device mockdev:0: the test backend was told to fail");
    fixture_set("mock_device", "fail_space", NULL);
    assert_ok(anydnnRecordingDestroy(handle, recording));
    assert_int_equal(fixture_lines(fixture_log(), "record_destroy", ""), 1);
    assert_ok(anydnnRecordBegin(handle));
    fixture_set("mock_device", "fail_space", "record_end");
    fixture_set("mock_device", "status", "9");
    assert_fails(anydnnRecordEnd(handle, &recording), ANYDNN_STATUS_NOT_SUPPORTED,
                 "anydnnRecordEnd: device mockdev:0: the test backend was told to fail");
    fixture_set("mock_device", "status", NULL);
    fixture_set("mock_device", "fail_space", NULL);
    assert_ok(anydnnMemFree(handle, memory));
}

static void destroy_waits_for_the_device(void **state)
{
    anydnnHandle_t handle = NULL;
    const char *log;

    (void)state;
    assert_ok(anydnnCreateOnDevice(&handle, "mockdev"));
    assert_ok(anydnnRecordBegin(handle)); /* never ended */
    fixture_log();
    assert_ok(anydnnDestroy(handle));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "synchronize", ""), 1);
    assert_int_equal(fixture_lines(log, "record_destroy", ""), 1);
}

static void host_backends_are_no_choice_there(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "mock_a, mock_device");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    void *memory = NULL;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 64, &memory));
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_string_equal(fixture_record(handle, "backend"), "mock_device");
    assert_holds(fixture_record(handle, "passed_over"),
                 "mock_a: uses memory space `host`, and this handle uses `mockdev`");
    assert_ok(anydnnMemFree(handle, memory));
}

static void answers_that_cannot_be(void **state)
{
    static const char *const counts[] = {"-1", "-2147483648", "1025", "2147483647"};
    static const char *const currents[] = {"-1", "2", "2147483647", "-2147483648"};
    char text[64];
    int count = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        anydnnHandle_t none = NULL;

        fixture_set("mock_device", "devices", counts[i]);
        assert_ok(anydnnGetDeviceCount(&count));
        assert_int_equal(count, 1); /* only the host */
        assert_fails(anydnnGetDeviceInfo(1, "name", text, sizeof(text)), ANYDNN_STATUS_BAD_PARAM,
                     "index 1 is out of range");
        assert_fails(anydnnCreateOnDevice(&none, "mockdev"), ANYDNN_STATUS_BAD_PARAM,
                     "has 0 devices: its space `mockdev` reports ");
        assert_ok(anydnnGetDevice(fixture_handle_on("auto", NULL), text, sizeof(text)));
        assert_string_equal(text, "cpu");
    }
    fixture_set("mock_device", "devices", "2");
    for (size_t i = 0; i < sizeof(currents) / sizeof(currents[0]); i++) {
        fixture_set("mock_device", "current", currents[i]);
        assert_ok(anydnnGetDevice(fixture_handle_on("auto", NULL), text, sizeof(text)));
        assert_string_equal(text, "mockdev:0");
        assert_ok(anydnnGetDevice(fixture_handle_on("mockdev", NULL), text, sizeof(text)));
        assert_string_equal(text, "mockdev:0");
    }
}

/* The backend returns success but delivers nothing. */
static void success_with_nothing(void **state)
{
    anydnnHandle_t handle = device_handle();
    anydnnConvolutionFwdAlgoPerf_t perf;
    struct fixture_convolution made;
    anydnnRecording_t recording = NULL;
    anydnnMark_t mark = NULL;
    void *memory = NULL;
    int count = 0;

    (void)state;
    fixture_convolution_make(&made, 7);
    fixture_set("mock_device", "nothing", "memory_alloc");
    assert_fails(anydnnMemAlloc(handle, 64, &memory), ANYDNN_STATUS_ALLOC_FAILED,
                 "its space `mockdev` reports success but provides no memory");
    assert_null(memory);
    assert_fails(anydnnFindConvolutionForwardAlgorithm(handle, made.x, made.w, made.conv, made.y, 1,
                                                       &count, &perf),
                 ANYDNN_STATUS_ALLOC_FAILED, "provides no memory");
    fixture_set("mock_device", "nothing", "mark_create");
    assert_fails(anydnnMark(handle, &mark), ANYDNN_STATUS_ALLOC_FAILED, "provides no mark");
    assert_fails(anydnnFindConvolutionForwardAlgorithm(handle, made.x, made.w, made.conv, made.y, 1,
                                                       &count, &perf),
                 ANYDNN_STATUS_ALLOC_FAILED, "provides no mark");
    fixture_set("mock_device", "nothing", "record_end");
    assert_ok(anydnnRecordBegin(handle));
    assert_fails(anydnnRecordEnd(handle, &recording), ANYDNN_STATUS_ALLOC_FAILED,
                 "provides no recording");
    assert_null(recording);
}

/* This test is the last one. The flag of a lost space belongs to the process, so the test resets
 * it by hand. */
static void a_device_that_is_lost(void **state)
{
    anydnnHandle_t handle = device_handle();
    anydnnHandle_t other = fixture_handle_on("mockdev", "mock_device");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnStatus_t seen = ANYDNN_STATUS_SUCCESS;
    struct adn_global *global;
    void *memory = NULL;
    size_t bytes;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 64, &memory));
    assert_ok(anydnnScaleTensor(handle, y, memory, &one));
    assert_ok(anydnnQueryRuntimeError(handle, &seen, ANYDNN_ERRQUERY_BLOCKING, NULL));
    assert_int_equal(seen, ANYDNN_STATUS_SUCCESS);
    fixture_set("mock_device", "execute", "none");
    fixture_set("mock_device", "poisoned", "yes");
    assert_fails(
        anydnnScaleTensor(handle, y, memory, &one), ANYDNN_STATUS_SPACE_POISONED,
        "an error made device mockdev:0 unusable for this process; use it in a new process");
    fixture_set("mock_device", "execute", NULL);
    fixture_set("mock_device", "poisoned", NULL);
    fixture_log();
    /* The status applies to every handle of the space, and no backend is called any more. */
    assert_fails(anydnnScaleTensor(other, y, memory, &one), ANYDNN_STATUS_SPACE_POISONED,
                 "unusable");
    assert_fails(anydnnMemAlloc(other, 8, &memory), ANYDNN_STATUS_SPACE_POISONED, "unusable");
    assert_fails(anydnnSynchronize(other), ANYDNN_STATUS_SPACE_POISONED, "unusable");
    assert_ok(anydnnQueryRuntimeError(other, &seen, ANYDNN_ERRQUERY_NONBLOCKING, NULL));
    assert_int_equal(seen, ANYDNN_STATUS_SPACE_POISONED);
    {
        anydnnProblem_t problem = NULL;

        assert_ok(anydnnProblemParse("scale_tensor y=f32:7", &problem));
        assert_fails(anydnnProblemGetWorkspaceSize(other, problem, &bytes),
                     ANYDNN_STATUS_SPACE_POISONED, "unusable");
        assert_ok(anydnnProblemDestroy(problem));
    }
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 0);
    /* The host continues to work. */
    assert_ok(anydnnScaleTensor(fixture_handle("mock_a"), y, fixture_data(0), &one));
    assert_int_equal(adn_global_get("test", &global), 0);
    adn_global_space(global, "mockdev")->poisoned = 0;
    assert_ok(anydnnMemFree(handle, memory));
    assert_fails(anydnnQueryRuntimeError(handle, &seen, (anydnnErrQueryMode_t)9, NULL),
                 ANYDNN_STATUS_BAD_PARAM, "mode is 9");
    assert_fails(anydnnQueryRuntimeError(handle, NULL, ANYDNN_ERRQUERY_BLOCKING, NULL),
                 ANYDNN_STATUS_BAD_PARAM, "rstatus is NULL");
}

/* A memory call detects the same loss. */
static void a_memory_call_finds_it_lost(void **state)
{
    anydnnHandle_t handle = device_handle();
    struct adn_global *global;

    (void)state;
    fixture_set("mock_device", "fail_space", "synchronize");
    fixture_set("mock_device", "poisoned", "yes");
    assert_fails(anydnnSynchronize(handle), ANYDNN_STATUS_SPACE_POISONED, "anydnnSynchronize");
    assert_int_equal(adn_global_get("test", &global), 0);
    adn_global_space(global, "mockdev")->poisoned = 0;
}

#define device_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

/* The backend stays open, so the tests that count devices precede this one. */
static void auto_uses_spaces_of_rules_only(void **state)
{
    char text[64];

    (void)state;
    fixture_set("mock_device", "devices", "0");
    assert_ok(anydnnScaleTensor(fixture_handle("mock_far"), fixture_tensor("f32:2,3"),
                                fixture_data(0), &one));
    assert_ok(anydnnGetDevice(fixture_handle_on("mockfar", NULL), text, sizeof(text)));
    assert_string_equal(text, "mockfar:0");
    assert_ok(anydnnGetDevice(fixture_handle_on("auto", NULL), text, sizeof(text)));
    assert_string_equal(text, "cpu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(devices_have_names),
        device_test(devices_are_listed),
        device_test(a_device_set_that_is_not_there),
        device_test(host_pointers_are_refused),
        device_test(memory_and_streams_of_a_device),
        device_test(the_host_has_no_streams),
        device_test(a_device_captures),
        device_test(destroy_waits_for_the_device),
        device_test(host_backends_are_no_choice_there),
        device_test(answers_that_cannot_be),
        device_test(success_with_nothing),
        device_test(auto_uses_spaces_of_rules_only),
        device_test(a_device_that_is_lost),
        device_test(a_memory_call_finds_it_lost),
    };

    return cmocka_run_group_tests_name("device", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
