/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the copies between memory spaces for a staged call: which operands and bytes, in which
 * order and on which stream. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const float one = 1;
static const float zero = 0;
static const float half = 0.5f;

/* Runs y = alpha x + beta y on tensors as given. */
static anydnnStatus_t transform(anydnnHandle_t handle, const char *x_text, const void *x,
                                const float *beta, const char *y_text, void *y)
{
    return anydnnTransformTensor(handle, &one, fixture_tensor(x_text), x, beta,
                                 fixture_tensor(y_text), y);
}

/* Checks that every byte of `block` is 0x3c where `described` has an x, and `rest` elsewhere. */
static void assert_bytes(const unsigned char *block, const char *described, int rest)
{
    for (size_t i = 0; described[i]; i++)
        if (block[i] != (described[i] == 'x' ? 0x3c : rest)) {
            print_error("byte %zu is %#x\n", i, block[i]);
            fail();
        }
}

/* A tensor 2,2 in rows of 5 elements of 4 bytes; a stride of 2 skips every second element. The
 * elements begin 8 bytes into the block. */
#define GAPPED "f32:2,2:5,2"
static const char gapped[] = "........xxxx....xxxx........xxxx....xxxx........";

static void only_described_elements_come_back_to_the_host(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device");
    unsigned char *y = fixture_data(1), *x = fixture_data(0);

    (void)state;
    fixture_set("mock_device", "fill", "0x3c");
    memset(y, 0x11, 64);
    memset(x, 0x22, 64);
    assert_ok(transform(handle, GAPPED, x + 8, &zero, GAPPED, y + 8));
    assert_bytes(y, gapped, 0x11);
    assert_bytes(x, "................................................", 0x22);
    /* These are vectors of 4 channels; a stride skips every second one of a row. */
    memset(y, 0x11, 64);
    assert_ok(transform(handle, "s8x4:1,8,1,2:16,8,4,2", x, &zero, "s8x4:1,8,1,2:16,8,4,2", y + 4));
    assert_bytes(y, "....xxxx....xxxx....................xxxx....xxxx....", 0x11);
}

static void only_described_elements_come_back_to_a_device(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "mock_b");
    unsigned char block[64];
    char *memory = NULL;
    const char *log;

    (void)state;
    fixture_set("mock_b", "fill", "0x3c");
    assert_ok(anydnnMemAlloc(handle, 128, (void **)&memory));
    assert_ok(anydnnMemSet(handle, memory, 0x11, 128));
    fixture_log();
    assert_ok(transform(handle, GAPPED, memory + 64, &zero, GAPPED, memory + 8));
    assert_ok(anydnnMemCopy(handle, block, memory, 64, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    assert_bytes(block, gapped, 0x11);
    log = fixture_log();
    /* A gap is not written, not even with its old contents. */
    assert_int_equal(fixture_lines(log, "memory_copy", " bytes=4 kind=1"), 4);
    assert_int_equal(fixture_lines(log, "memory_copy", " kind=1"), 4);
    assert_int_equal(fixture_lines(log, "memory_copy", " bytes=32 kind=2"), 1);
    assert_int_equal(fixture_number(handle, "staged_bytes"), 32 + 16);
    assert_ok(transform(handle, "f32:2,2,3", memory + 64, &zero, "f32:2,2,3:10,3,1", memory));
    assert_int_equal(fixture_lines(fixture_log(), "memory_copy", " bytes=24 kind=1"), 2);
    assert_ok(anydnnMemFree(handle, memory));
}

/* A gap in host memory is not even read: here its page has no access rights. */
static void gaps_need_not_be_memory(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device");
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char text[40], *x;

    (void)state;
    x = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(x, MAP_FAILED);
    assert_int_equal(mprotect(x + page, page, PROT_NONE), 0);
    snprintf(text, sizeof(text), "f32:2,2:%d,1", (int)(page / 2)); /* a row stride of two pages */
    assert_ok(transform(handle, text, x, &one, text, x + 64));
    munmap(x, 3 * page);
}

/* Checks the number of copies to and from the device since the last call. */
static void assert_copies(int to, int from)
{
    const char *log = fixture_log();

    assert_int_equal(fixture_lines(log, "mock_device memory_copy", " kind=1"), to);
    assert_int_equal(fixture_lines(log, "mock_device memory_copy", " kind=2"), from);
}

static void what_is_read_goes_there(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device");
    anydnnTensorDescriptor_t y = fixture_tensor("f32:2,3");
    anydnnStatus_t status;

    (void)state;
    fixture_log();
    assert_ok(transform(handle, "f32:2,3", fixture_data(0), &zero, "f32:2,3", fixture_data(1)));
    assert_copies(1, 1);
    assert_ok(transform(handle, "f32:2,3", fixture_data(0), &half, "f32:2,3", fixture_data(1)));
    assert_copies(2, 1);
    /* The plan is the same, since the factor is not part of its key. */
    assert_string_equal(fixture_record(handle, "plan"), "equal");
    assert_ok(transform(handle, GAPPED, fixture_data(0), &zero, GAPPED, fixture_data(1)));
    assert_copies(1, 1);
    assert_ok(anydnnScaleTensor(handle, y, fixture_data(0), &half));
    assert_copies(1, 1);
    assert_ok(anydnnSetTensor(handle, y, fixture_data(0), &half));
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", " value=0000003f "), 1);
    assert_ok(anydnnSetTensor(handle, y, fixture_data(0), &half));
    assert_copies(0, 1);
    status = anydnnAddTensor(handle, &one, y, fixture_data(0), &one, y, fixture_data(0));
    assert_ok(status);
    assert_copies(1, 1); /* in place */
}

/* Bytes of opaque formats that a backend does not write keep their values. Gradients of
 * parameters have their own factor. */
static void states_reserves_and_gradients(void **state)
{
    static const struct {
        const char *problem;
        int to;
        int from;
    } cases[] = {
        {"dropout_forward x=f32:2,3", 3, 3}, /* x states= | y reserve */
        {"dropout_backward dy=f32:2,3", 2, 1},
        {"reduce_tensor a=f32:2,3 c=f32:1,3 op=max indices=u32:1,3", 2,
         2}, /* indices keep their values, too */
        {"batch_normalization_backward x=f32:2,3,4,5 without=y,bias,save_mean,save_inv_var,"
         "reserve,dz",
         3, 3},
        {"batch_normalization_backward x=f32:2,3,4,5 beta_data=1 without=y,bias,save_mean,"
         "save_inv_var,reserve,dz",
         4, 3},
        {"batch_normalization_backward x=f32:2,3,4,5 beta_param=1 without=y,bias,save_mean,"
         "save_inv_var,reserve,dz",
         5, 3},
        {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2 beta_data=1", 4, 2},
        {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2 beta_grid=1", 4, 2},
        {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2", 3, 2},
        {"matmul a=f32:2,3 b=f32:3,4 c=f32:2,4 aux=f32:2,4 beta=0.5", 3, 2}, /* a b c | d aux */
        {"matmul a=f32:2,3 b=f32:3,4 c=f32:2,4 aux=f32:2,4", 2, 2}, /* beta 0: c is not read */
        {"matmul a=f32:2,3 b=f32:3,4 beta=0.5", 2, 1},
    };
    anydnnHandle_t handle = fixture_handle("mock_device");

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        anydnnProblem_t problem = NULL;
        void *pointers[12];

        for (int k = 0; k < 12; k++)
            pointers[k] = fixture_data(k);
        assert_ok(anydnnProblemParse(cases[i].problem, &problem));
        fixture_log();
        assert_ok(anydnnProblemExecute(handle, problem, pointers, NULL, 0));
        assert_copies(cases[i].to, cases[i].from);
        assert_ok(anydnnProblemDestroy(problem));
    }
}

static uintptr_t pointer_in(const char *log, const char *verb, const char *key)
{
    const char *line = strstr(log, verb);
    const char *at = line ? strstr(line, key) : NULL;

    assert_non_null(at);
    return (uintptr_t)strtoull(at + strlen(key), NULL, 16);
}

static void in_place_stays_in_place(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device");
    anydnnTensorDescriptor_t x = fixture_tensor("f32:2,3,1,1");
    const char *log;

    (void)state;
    assert_ok(anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_FAST, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                   x, fixture_data(3), &zero, x, fixture_data(3)));
    log = fixture_log();
    assert_int_equal(pointer_in(log, "plan_execute", " d0="),
                     pointer_in(log, "plan_execute", " d1="));
    assert_int_not_equal(pointer_in(log, "plan_execute", " d0="), (uintptr_t)fixture_data(3));
    assert_ok(anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_FAST, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                   x, fixture_data(3), &zero, x, fixture_data(4)));
    log = fixture_log();
    assert_int_not_equal(pointer_in(log, "plan_execute", " d0="),
                         pointer_in(log, "plan_execute", " d1="));
}

/* Checks that lines of `log` contain the texts one after another. */
static void assert_order(const char *log, const char *const *texts, int count)
{
    for (int i = 0; i < count; i++) {
        const char *at = strstr(log, texts[i]);

        if (!at)
            print_error("`%s` does not follow in\n%s", texts[i], log);
        assert_non_null(at);
        log = at + strlen(texts[i]);
    }
}

static void streams_and_order(void **state)
{
    static const char *const to_device[] = {"mock_device memory_copy",
                                            " stream=0x0 ",
                                            " kind=1",
                                            "mock_device plan_execute",
                                            " stream=0x0 ",
                                            "mock_device synchronize",
                                            " stream=0x0 ",
                                            "mock_device memory_copy",
                                            " stream=0x0 ",
                                            " kind=2"};
    anydnnHandle_t handle = fixture_handle("mock_device");
    char stream[40];
    const char *to_host[] = {
        "mock_device memory_copy", stream, " kind=2", "mock_b plan_execute", " stream=0x0 ",
        "mock_device memory_copy", stream, " kind=1"};
    char *memory = NULL;

    (void)state;
    snprintf(stream, sizeof(stream), " stream=%p ", fixture_data(9));
    assert_ok(transform(handle, "f32:2,3", fixture_data(0), &zero, "f32:2,3", fixture_data(1)));
    assert_order(fixture_log(), to_device, 10);
    handle = fixture_handle_on("mockdev", "mock_b");
    assert_ok(anydnnMemAlloc(handle, 128, (void **)&memory));
    assert_ok(anydnnSetStream(handle, fixture_data(9)));
    fixture_log();
    assert_ok(transform(handle, "f32:2,3", memory, &zero, "f32:2,3", memory + 64));
    assert_order(fixture_log(), to_host, 8);
    assert_ok(anydnnMemFree(handle, memory));
}

/* Copies between two devices pass through the host. */
static void from_one_device_to_another(void **state)
{
    static const char *const order[] = {"mock_far memory_copy",
                                        " kind=2",
                                        "mock_device memory_copy",
                                        " kind=1",
                                        "mock_device plan_execute",
                                        " answer=0",
                                        "mock_device synchronize",
                                        "mock_device memory_copy",
                                        " kind=2",
                                        "mock_far memory_copy",
                                        " bytes=4 kind=1"};
    anydnnHandle_t handle;
    unsigned char block[64];
    char *memory = NULL;

    (void)state;
    fixture_handle("mock_far");
    assert_ok(anydnnSetTensor(fixture_handle("mock_far"), fixture_tensor("f32:1,1"),
                              fixture_data(0), &one));
    handle = fixture_handle_on("mockfar", "mock_device");
    fixture_set("mock_device", "fill", "0x3c");
    assert_ok(anydnnMemAlloc(handle, 128, (void **)&memory));
    assert_ok(anydnnMemSet(handle, memory, 0x11, 128));
    fixture_log();
    assert_ok(transform(handle, "f32:2,2", memory + 64, &zero, GAPPED, memory + 8));
    assert_order(fixture_log(), order, 11);
    assert_ok(anydnnMemCopy(handle, block, memory, 64, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    assert_bytes(block, gapped, 0x11);
    assert_ok(anydnnMemFree(handle, memory));
}

#define copies_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        copies_test(only_described_elements_come_back_to_the_host),
        copies_test(only_described_elements_come_back_to_a_device),
        copies_test(gaps_need_not_be_memory),
        copies_test(what_is_read_goes_there),
        copies_test(states_reserves_and_gradients),
        copies_test(in_place_stays_in_place),
        copies_test(streams_and_order),
        copies_test(from_one_device_to_another),
    };

    return cmocka_run_group_tests_name("stage_copies", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
