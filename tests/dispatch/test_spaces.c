/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what a memory space may have or lack, how several backends share one, and that the library
 * declines for a backend what that does not know. Each case runs in its own process, since the
 * backends read what they publish once. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

#include "settings/settings.h"
#include "tests/must.h"

static const float one = 1, zero = 0;

/* Configures lines for mock_a, mock_device and mock_second, and runs a case in a process. */
static void run(const char *mock_a, const char *device, const char *second, void (*body)(void))
{
    char keys[1000];

    snprintf(keys, sizeof(keys),
             "%s\n[plugin mock_device]\n%s\n[plugin mock_second]\nset.log = %s\n%s\n", mock_a,
             device, fixture_path("log"), second);
    fixture_configure("staging = listed\n", keys);
    fixture_log();
    assert_int_equal(must_child(body, 0), 0);
}

static anydnnHandle_t make(const char *device, const char *list)
{
    anydnnHandle_t handle = NULL;

    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateOnDevice(&handle, device));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetRoute(handle, "*", NULL, list));
    return handle;
}

static anydnnTensorDescriptor_t make_tensor(void)
{
    anydnnTensorDescriptor_t desc = NULL;

    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateTensorDescriptor(&desc));
    must_be(ANYDNN_STATUS_SUCCESS,
            anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 2, 3, 4));
    return desc;
}

static anydnnStatus_t transform(anydnnHandle_t handle, const void *x, void *y)
{
    anydnnTensorDescriptor_t desc = make_tensor();
    anydnnStatus_t status = anydnnTransformTensor(handle, &one, desc, x, &zero, desc, y);

    anydnnDestroyTensorDescriptor(desc);
    return status;
}

static char *memory_of(anydnnHandle_t handle)
{
    void *memory = NULL;

    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemAlloc(handle, 4096, &memory));
    return memory;
}

/* Checks that the last error's sentence contains a text. */
static void must_say(const char *text)
{
    if (!strstr(must_error(), text)) {
        fprintf(stderr, "# \"%s\" is not in: %s\n", text, must_error());
        _exit(1);
    }
}

/* ---- backends of one space */

static void both_backends_run(void)
{
    anydnnHandle_t handle = make("mockdev", "mock_device");
    char *memory = memory_of(handle);

    must_be(ANYDNN_STATUS_SUCCESS, transform(handle, memory, memory + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetRoute(handle, "*", NULL, "mock_second"));
    must_be(ANYDNN_STATUS_SUCCESS, transform(handle, memory, memory + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroy(handle));
}

static const char *refused_with; /* what the sentence says of mock_second */

static void second_is_refused(void)
{
    anydnnHandle_t handle = make("mockdev", "mock_device");
    char *memory = memory_of(handle);

    must_be(ANYDNN_STATUS_SUCCESS, transform(handle, memory, memory + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetRoute(handle, "*", NULL, "mock_second, fallback:off"));
    must_be(ANYDNN_STATUS_NOT_SUPPORTED, transform(handle, memory, memory + 1024));
    must_say(refused_with);
}

static void backends_of_one_space_share_its_objects(void **state)
{
    (void)state;
    run("", "set.native = shared", "set.native = shared", both_backends_run);
    assert_int_equal(fixture_lines(fixture_log(), "mock_second plan_execute", ""), 1);
    /* The interface itself shares its objects if the owner publishes none. */
    run("", "", "", both_backends_run);
    assert_int_equal(fixture_lines(fixture_log(), "mock_second plan_execute", ""), 1);
}

static void other_objects_are_refused(void **state)
{
    (void)state;
    refused_with = "its table of the space `mockdev` has another context than that of backend "
                   "mock_device, which owns the space";
    run("", "set.native = own", "set.native = own", second_is_refused);
    run("", "set.native = shared", "", second_is_refused);
    assert_int_equal(fixture_lines(fixture_log(), "mock_second context_create", ""), 0);
}

static void conventions_must_agree(void **state)
{
    (void)state;
    refused_with = "its convention of the space `mockdev` is \"other-2\", but that of the live "
                   "backend mock_device is \"fake-1\"";
    run("", "", "set.convention = other-2", second_is_refused);
}

static void a_backend_may_use_the_owners_table(void **state)
{
    const char *log;

    (void)state;
    run("", "", "set.space = guest", both_backends_run);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_second plan_execute", ""), 1);
    assert_int_equal(fixture_lines(log, "mock_second memory_alloc", ""), 0);
    assert_int_equal(fixture_lines(log, "mock_device memory_alloc", ""), 1);
}

static void guest_alone(void)
{
    anydnnHandle_t handle = make("cpu", "mock_second, fallback:off");
    char *data = fixture_data(0);

    must_be(ANYDNN_STATUS_NOT_SUPPORTED, transform(handle, data, data + 1024));
    must_say("uses memory space `mockdev`, which no live backend owns");
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnCreateOnDevice(&handle, "mockdev"));
}

static void a_space_needs_an_owner(void **state)
{
    (void)state;
    run("", "enable = no", "set.space = guest", guest_alone);
}

/* ---- what a backend knows */

static anydnnStatus_t activate(anydnnHandle_t handle, anydnnActivationMode_t mode, double coef)
{
    anydnnActivationDescriptor_t activation = NULL;
    anydnnTensorDescriptor_t desc = make_tensor();
    char *data = fixture_data(0);

    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateActivationDescriptor(&activation));
    must_be(ANYDNN_STATUS_SUCCESS,
            anydnnSetActivationDescriptor(activation, mode, ANYDNN_NOT_PROPAGATE_NAN, coef));
    return anydnnActivationForward(handle, activation, &one, desc, data, &zero, desc, data + 1024);
}

static void later_parameters(void)
{
    anydnnHandle_t handle = make("cpu", "mock_a, fallback:off");

    must_be(ANYDNN_STATUS_SUCCESS, activate(handle, ANYDNN_ACTIVATION_RELU, 0));
    must_be(ANYDNN_STATUS_NOT_SUPPORTED, activate(handle, ANYDNN_ACTIVATION_ELU, 2));
    must_say("mock_a: knows 16 bytes of the parameters of activation_forward, and this problem has "
             "a later one that is not 0");
}

static void later_operands(void)
{
    anydnnHandle_t handle = make("cpu", "mock_a, fallback:off");
    anydnnTensorDescriptor_t desc = make_tensor();
    char *data = fixture_data(0);

    must_be(ANYDNN_STATUS_SUCCESS, activate(handle, ANYDNN_ACTIVATION_RELU, 0));
    must_be(ANYDNN_STATUS_NOT_SUPPORTED,
            anydnnSoftmaxBackward(handle, ANYDNN_SOFTMAX_FAST, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                  desc, data, desc, data + 256, &zero, desc, data + 1024));
    must_say("mock_a: does not know the operand dx of softmax_backward");
}

static void what_a_backend_cannot_see_is_declined_for_it(void **state)
{
    (void)state;
    run("set.params_size = 16", "", "", later_parameters);
    assert_int_equal(fixture_lines(fixture_log(), "mock_a candidates", ""), 1);
    run("set.slots = 3", "", "", later_operands);
    assert_int_equal(fixture_lines(fixture_log(), "mock_a candidates", ""), 1);
}

/* ---- optional parts of a space */

static void record_a_call(void)
{
    anydnnHandle_t handle = make("mockdev", "mock_device");
    char *memory = memory_of(handle);
    anydnnRecording_t recording = NULL;

    must_be(ANYDNN_STATUS_SUCCESS, anydnnRecordBegin(handle));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemSet(handle, memory, 7, 16));
    must_be(ANYDNN_STATUS_SUCCESS, transform(handle, memory, memory + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnRecordEnd(handle, &recording));
    fixture_log();
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetStream(handle, (anydnnStream_t)0x5000));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnReplay(handle, recording));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnReplay(handle, recording));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnRecordingDestroy(handle, recording));
    must_be(ANYDNN_STATUS_SUCCESS, transform(handle, memory, memory + 1024));
}

static void recordings_are_lists_where_a_space_has_none(void **state)
{
    const char *log;

    (void)state;
    run("", "set.space = unrecorded", "", record_a_call);
    log = fixture_log();
    /* Nothing ran before the replays, which use the stream that the handle then had. */
    assert_int_equal(fixture_lines(log, "mock_device plan_execute", " stream=0x5000 "), 3);
    assert_int_equal(fixture_lines(log, "mock_device plan_execute", ""), 3);
    assert_int_equal(fixture_lines(log, "mock_device memory_set", " stream=0x5000 "), 2);
    assert_int_equal(fixture_lines(log, "mock_device memory_set", ""), 2);
    assert_int_equal(fixture_lines(log, "plan_execute", " flags="), 0);
}

static void a_recorded_call_is_marked(void **state)
{
    const char *log;

    (void)state;
    run("", "", "", record_a_call);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_device plan_execute", " flags=1 "), 1);
    assert_int_equal(fixture_lines(log, "mock_device plan_execute", ""), 2);
    assert_int_equal(fixture_lines(log, "mock_device record_replay", ""), 2);
}

static void no_default_stream(void)
{
    anydnnHandle_t handle = make("mockdev", "mock_device"), other = make("mockdev", "mock_device");
    anydnnHandle_t staged = make("cpu", "mock_device");
    anydnnStream_t stream = NULL, again = NULL;
    char *memory = memory_of(handle), *data = fixture_data(0);

    must_be(ANYDNN_STATUS_SUCCESS, anydnnGetStream(handle, &stream));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnGetStream(other, &again));
    must(stream != NULL && stream == again);
    must_be(ANYDNN_STATUS_SUCCESS, transform(handle, memory, memory + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetStream(handle, (anydnnStream_t)0x5000));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetStream(handle, NULL));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnGetStream(handle, &again));
    must(stream == again);
    must_be(ANYDNN_STATUS_SUCCESS, transform(handle, memory, memory + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, transform(staged, data, data + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroy(staged));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroy(other));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroy(handle));
}

static void a_space_may_lack_a_default_stream(void **state)
{
    const char *log;

    (void)state;
    run("", "set.space = streams", "", no_default_stream);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_device stream_create", ""), 1);
    assert_int_equal(fixture_lines(log, "mock_device plan_execute", ""), 3);
    assert_int_equal(fixture_lines(log, "mock_device", " stream=0x0"), 0);
    assert_int_equal(fixture_lines(log, "mock_device memory_copy", ""), 2);
}

static void stage_both_ways(void)
{
    anydnnHandle_t staged = make("cpu", "mock_device"), device = make("mockdev", "mock_b");
    char *data = fixture_data(0), *memory = memory_of(device);

    must_be(ANYDNN_STATUS_SUCCESS, transform(staged, data, data + 1024));
    must_be(ANYDNN_STATUS_SUCCESS, transform(device, memory, memory + 1024));
    /* Operands at less than 256 bytes are copied: a backend may assume more. */
    must_be(ANYDNN_STATUS_SUCCESS, transform(staged, data + 4, data + 1024));
}

static void memory_of_both_sides_is_not_copied(void **state)
{
    const char *log;

    (void)state;
    run("", "set.space = both\nset.owner = both", "", stage_both_ways);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_device memory_copy", " kind=1"), 1);
    assert_int_equal(fixture_lines(log, "mock_device memory_copy", ""), 1);
    /* The host's backend begins when the device's work on the operands is done. */
    assert_true(fixture_lines(log, "mock_device synchronize", " stream=0x0") >= 3);
    run("", "set.space = both", "", stage_both_ways);
    assert_int_equal(fixture_lines(fixture_log(), "mock_device memory_copy", ""), 6);
}

static void stage_a_failure(void)
{
    anydnnHandle_t staged = make("cpu", "mock_device, mock_a");
    char *data = fixture_data(0);

    must_be(ANYDNN_STATUS_EXECUTION_FAILED, transform(staged, data, data + 1024));
}

/* The output may hold a part of the result, so that no other backend may run the call. */
static void a_failure_on_the_callers_memory_has_an_effect(void **state)
{
    (void)state;
    run("", "set.space = both\nset.owner = both\nset.execute = enqueued", "", stage_a_failure);
    assert_int_equal(fixture_lines(fixture_log(), "mock_a plan_execute", ""), 0);
}

/* ---- native objects */

static void use_natives(void)
{
    char context, queue;
    anydnnHandle_t handle = NULL, cpu = make("cpu", "mock_a");
    anydnnStream_t stream = NULL;
    void *object = NULL, *memory = NULL;

    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateOnNative(&handle, "mockdev", &context, &queue));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetRoute(handle, "*", NULL, "mock_device"));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnGetStream(handle, &stream));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnGetNative(handle, ANYDNN_NATIVE_STREAM, &object));
    must(stream && (void *)stream == object);
    must_be(ANYDNN_STATUS_SUCCESS, anydnnGetNative(handle, ANYDNN_NATIVE_CONTEXT, &object));
    must(object == (void *)0x1000);
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnGetNative(handle, (anydnnNative_t)4, &object));
    must_say("kind is 4; it must be an anydnnNative_t, 1 to 3");
    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemImport(handle, &context, 1, &memory));
    must((uintptr_t)memory == (uintptr_t)&context + 0x1000);
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnMemImport(handle, &context, 0, &memory));
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnMemImport(handle, NULL, 1, &memory));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetStream(handle, (anydnnStream_t)0x5000));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetStream(handle, NULL));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroy(handle));

    must_be(ANYDNN_STATUS_NOT_SUPPORTED, anydnnGetNative(cpu, ANYDNN_NATIVE_STREAM, &object));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemImport(cpu, &context, 1, &memory));
    must(memory == &context);
    must_be(ANYDNN_STATUS_NOT_SUPPORTED, anydnnCreateOnNative(&handle, "host", &context, NULL));
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnCreateOnNative(&handle, "none", &context, NULL));
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnCreateOnNative(&handle, "mockdev", NULL, NULL));
    must_say("anydnnCreateOnNative: context is NULL");
}

static void handles_work_on_native_objects(void **state)
{
    const char *log;

    (void)state;
    run("", "set.native = shared", "", use_natives);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_device stream_create", ""), 1);
    assert_int_equal(fixture_lines(log, "mock_device stream_destroy", ""), 1);
}

static void refuse_natives(void)
{
    anydnnHandle_t handle = NULL;
    char context;

    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnCreateOnNative(&handle, "mockdev", &context, NULL));
    must_say("anydnnCreateOnNative: device mockdev does not take over the native objects: the test "
             "backend was told to fail");
    must(!handle);
}

static void refused_objects_make_no_handle(void **state)
{
    (void)state;
    run("", "set.native = shared\nset.fail_space = adopt\nset.status = 3", "", refuse_natives);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backends_of_one_space_share_its_objects),
        cmocka_unit_test(other_objects_are_refused),
        cmocka_unit_test(conventions_must_agree),
        cmocka_unit_test(a_backend_may_use_the_owners_table),
        cmocka_unit_test(a_space_needs_an_owner),
        cmocka_unit_test(what_a_backend_cannot_see_is_declined_for_it),
        cmocka_unit_test(recordings_are_lists_where_a_space_has_none),
        cmocka_unit_test(a_recorded_call_is_marked),
        cmocka_unit_test(a_space_may_lack_a_default_stream),
        cmocka_unit_test(memory_of_both_sides_is_not_copied),
        cmocka_unit_test(a_failure_on_the_callers_memory_has_an_effect),
        cmocka_unit_test(handles_work_on_native_objects),
        cmocka_unit_test(refused_objects_make_no_handle),
    };

    return cmocka_run_group_tests_name("spaces", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
