/* SPDX-License-Identifier: Apache-2.0 */
/* Tests dropout descriptors: sizes, the 32 bytes of states as documented in anydnn.h, and
 * restoring. */
#include "tests/unit/desc_fixture.h"

#include "desc/desc.h"

struct fixture {
    anydnnHandle_t handle;
    anydnnDropoutDescriptor_t drop;
    void *states;
};

static int setup(void **state)
{
    static struct fixture f;

    *state = &f;
    return anydnnCreateOnDevice(&f.handle, "cpu") != OK ||
           anydnnCreateDropoutDescriptor(&f.drop) != OK ||
           anydnnMemAlloc(f.handle, 32, &f.states) != OK;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    return anydnnMemFree(f->handle, f->states) != OK ||
           anydnnDestroyDropoutDescriptor(f->drop) != OK || anydnnDestroy(f->handle) != OK;
}

static void sizes(void **state)
{
    struct fixture *f = *state;
    anydnnTensorDescriptor_t x;
    size_t bytes;

    assert_ok(anydnnDropoutGetStatesSize(f->handle, &bytes));
    assert_int_equal(bytes, 32);
    assert_refused(anydnnDropoutGetStatesSize(f->handle, NULL), BAD_PARAM, "sizeInBytes is NULL");
    assert_refused(anydnnDropoutGetStatesSize(NULL, &bytes), ANYDNN_STATUS_NOT_INITIALIZED,
                   "anydnnDropoutGetStatesSize");
    assert_ok(anydnnCreateTensorDescriptor(&x));
    assert_refused(anydnnDropoutGetReserveSpaceSize(x, &bytes), BAD_PARAM,
                   "xDesc was created but never set");
    /* The reserve holds one bit per element, whatever the strides. */
    assert_ok(anydnnSetTensor4dDescriptor(x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_DOUBLE, 2, 3, 9, 11));
    assert_ok(anydnnDropoutGetReserveSpaceSize(x, &bytes));
    assert_int_equal(bytes, 75);
    assert_ok(anydnnSetTensor4dDescriptorEx(x, ANYDNN_DATA_HALF, 1, 2, 2, 2, 1000, 100, 10, 1));
    assert_ok(anydnnDropoutGetReserveSpaceSize(x, &bytes));
    assert_int_equal(bytes, 1);
    assert_ok(anydnnDestroyTensorDescriptor(x));
}

static void states_as_documented(void **state)
{
    struct fixture *f = *state;
    uint64_t words[4] = {0};
    unsigned long long seed;
    float probability;
    void *states;

    assert_ok(
        anydnnSetDropoutDescriptor(f->drop, f->handle, 0.3f, f->states, 32, 0x123456789abcdefULL));
    assert_ok(
        anydnnMemCopy(f->handle, words, f->states, sizeof(words), ANYDNN_MEMCPY_DEVICE_TO_HOST));
    assert_memory_equal(words, "anydrop", 8);
    assert_true(words[0] == ANYDNN_DROPOUT_MAGIC && words[1] == ANYDNN_DROPOUT_VERSION);
    assert_true(words[2] == 0x123456789abcdefULL && words[3] == 0);
    assert_ok(anydnnGetDropoutDescriptor(f->drop, f->handle, &probability, &states, &seed));
    assert_true(probability == 0.3f && states == f->states && seed == 0x123456789abcdefULL);
    /* If states are NULL, only the probability changes. */
    assert_ok(anydnnSetDropoutDescriptor(f->drop, f->handle, 0.5f, NULL, 0, 7));
    assert_ok(anydnnGetDropoutDescriptor(f->drop, f->handle, &probability, &states, &seed));
    assert_true(probability == 0.5f && states == f->states && seed == 0x123456789abcdefULL);
}

static void refusals(void **state)
{
    struct fixture *f = *state;

    assert_refused(
        anydnnSetDropoutDescriptor(f->drop, f->handle, 0.5f, f->states, 31, 1), INVALID_VALUE,
        "stateSizeInBytes is 31; it must be at least the 32 of anydnnDropoutGetStatesSize");
    assert_refused(anydnnSetDropoutDescriptor(f->drop, f->handle, -0.1f, f->states, 32, 1),
                   BAD_PARAM, "it must be in the range 0..1");
    assert_refused(anydnnSetDropoutDescriptor(f->drop, f->handle, 1.5f, f->states, 32, 1),
                   BAD_PARAM, "dropout is 1.5;");
    assert_refused(anydnnSetDropoutDescriptor(f->drop, NULL, 0.5f, f->states, 32, 1),
                   ANYDNN_STATUS_NOT_INITIALIZED, "anydnnSetDropoutDescriptor");
    assert_refused(anydnnSetDropoutDescriptor(NULL, f->handle, 0.5f, f->states, 32, 1), BAD_PARAM,
                   "dropoutDesc is NULL");
    assert_false(adn_desc_usable(f->drop, ADN_DESC_DROPOUT));
    assert_ok(anydnnSetDropoutDescriptor(f->drop, f->handle, 0.99f, f->states, 32, 1));
    assert_ok(anydnnSetDropoutDescriptor(f->drop, f->handle, 0.0f, f->states, 32, 1));
    assert_ok(anydnnDestroyDropoutDescriptor(NULL));
}

static void restoring(void **state)
{
    struct fixture *f = *state;
    uint64_t words[4] = {ANYDNN_DROPOUT_MAGIC, ANYDNN_DROPOUT_VERSION, 9, 1000};
    uint64_t seen[4];

    assert_ok(anydnnMemCopy(f->handle, f->states, words, 32, ANYDNN_MEMCPY_HOST_TO_DEVICE));
    assert_ok(anydnnRestoreDropoutDescriptor(f->drop, f->handle, 0.25f, f->states, 32, 9));
    assert_ok(anydnnMemCopy(f->handle, seen, f->states, 32, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    assert_memory_equal(seen, words, 32);
    assert_true(f->drop->d.probability == 0.25);
    words[0]++;
    assert_ok(anydnnMemCopy(f->handle, f->states, words, 32, ANYDNN_MEMCPY_HOST_TO_DEVICE));
    assert_refused(anydnnRestoreDropoutDescriptor(f->drop, f->handle, 0.5f, f->states, 32, 9),
                   BAD_PARAM, "dropout states of this library begin with 0x706f7264796e61");
    assert_true(f->drop->d.probability == 0.25);
    assert_refused(anydnnRestoreDropoutDescriptor(f->drop, f->handle, 0.5f, NULL, 32, 9), BAD_PARAM,
                   "states is NULL");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(sizes), TEST(states_as_documented), TEST(refusals),
                                       TEST(restoring)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
