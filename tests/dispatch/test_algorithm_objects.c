/* SPDX-License-Identifier: Apache-2.0 */
/* Tests algorithm objects and reordered filters: what they store, and which arguments they
 * accept. */
#include "tests/dispatch/fixture.h"

#include <string.h>

#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

static anydnnAlgorithm_t algorithm(int number)
{
    anydnnAlgorithm_t made;

    made.algo.convFwdAlgo = (anydnnConvolutionFwdAlgo_t)number;
    return made;
}

static int number_of(anydnnAlgorithmDescriptor_t desc)
{
    anydnnAlgorithm_t got;

    assert_ok(anydnnGetAlgorithmDescriptor(desc, &got));
    return (int)got.algo.convBwdDataAlgo;
}

static void descriptors(void **state)
{
    anydnnAlgorithmDescriptor_t one, other;
    anydnnTensorDescriptor_t tensor;
    anydnnAlgorithm_t got;

    (void)state;
    assert_ok(anydnnCreateAlgorithmDescriptor(&one));
    assert_ok(anydnnCreateAlgorithmDescriptor(&other));
    assert_ok(anydnnCreateTensorDescriptor(&tensor));
    assert_int_equal(number_of(one), 0);
    assert_ok(anydnnSetAlgorithmDescriptor(one, algorithm(77)));
    assert_ok(anydnnCopyAlgorithmDescriptor(one, other));
    assert_int_equal(number_of(other), 77);
    assert_fails(anydnnCreateAlgorithmDescriptor(NULL), BAD_PARAM, "algoDesc is NULL");
    assert_fails(anydnnSetAlgorithmDescriptor(NULL, algorithm(1)), BAD_PARAM, "algoDesc is NULL");
    assert_fails(anydnnSetAlgorithmDescriptor((anydnnAlgorithmDescriptor_t)tensor, algorithm(1)),
                 BAD_PARAM, "algoDesc is a tensor descriptor; it must be an algorithm descriptor");
    assert_fails(anydnnGetAlgorithmDescriptor(NULL, &got), BAD_PARAM, "algoDesc is NULL");
    assert_fails(anydnnGetAlgorithmDescriptor(one, NULL), BAD_PARAM, "algorithm is NULL");
    assert_fails(anydnnCopyAlgorithmDescriptor(NULL, one), BAD_PARAM, "src is NULL");
    assert_fails(anydnnCopyAlgorithmDescriptor(one, NULL), BAD_PARAM, "dest is NULL");
    assert_fails(anydnnDestroyAlgorithmDescriptor((anydnnAlgorithmDescriptor_t)tensor), BAD_PARAM,
                 "algoDesc is a tensor descriptor");
    assert_ok(anydnnDestroyTensorDescriptor(tensor));
    assert_ok(anydnnDestroyAlgorithmDescriptor(one));
    assert_ok(anydnnDestroyAlgorithmDescriptor(other));
    assert_ok(anydnnDestroyAlgorithmDescriptor(NULL));
}

static void measurements(void **state)
{
    anydnnAlgorithmPerformance_t perf[2] = {NULL, NULL};
    anydnnAlgorithmDescriptor_t desc, got;
    anydnnStatus_t status;
    size_t memory;
    float time;

    (void)state;
    assert_ok(anydnnCreateAlgorithmDescriptor(&desc));
    assert_ok(anydnnCreateAlgorithmPerformance(perf, 2));
    assert_ok(anydnnGetAlgorithmPerformance(perf[0], &got, &status, &time, &memory));
    assert_true(!got && status == ANYDNN_STATUS_SUCCESS && time == 0 && memory == 0);
    assert_ok(anydnnSetAlgorithmPerformance(perf[1], desc, ANYDNN_STATUS_NOT_SUPPORTED, -1.0f,
                                            (size_t)1 << 40));
    assert_ok(anydnnGetAlgorithmPerformance(perf[1], &got, &status, &time, &memory));
    assert_true(got == desc && status == ANYDNN_STATUS_NOT_SUPPORTED && time == -1.0f &&
                memory == (size_t)1 << 40);
    assert_fails(anydnnCreateAlgorithmPerformance(NULL, 1), BAD_PARAM, "algoPerf is NULL");
    assert_fails(anydnnCreateAlgorithmPerformance(perf, -1), BAD_PARAM,
                 "numberToCreate is -1; it must not be negative");
    assert_fails(anydnnSetAlgorithmPerformance(NULL, desc, ANYDNN_STATUS_SUCCESS, 0, 0), BAD_PARAM,
                 "algoPerf is NULL");
    assert_fails(anydnnSetAlgorithmPerformance(perf[0], (anydnnAlgorithmDescriptor_t)perf[1],
                                               ANYDNN_STATUS_SUCCESS, 0, 0),
                 BAD_PARAM, "algoDesc is an algorithm performance descriptor");
    assert_fails(anydnnGetAlgorithmPerformance(perf[0], &got, NULL, &time, &memory), BAD_PARAM,
                 "status is NULL");
    assert_fails(anydnnDestroyAlgorithmPerformance(perf, -2), BAD_PARAM, "numberToDestroy is -2");
    /* An invalid object in the list leaves the others alive. */
    got = (anydnnAlgorithmDescriptor_t)perf[1];
    perf[1] = (anydnnAlgorithmPerformance_t)desc;
    assert_fails(anydnnDestroyAlgorithmPerformance(perf, 2), BAD_PARAM,
                 "algoPerf is an algorithm descriptor");
    perf[1] = (anydnnAlgorithmPerformance_t)got;
    assert_ok(anydnnDestroyAlgorithmPerformance(perf, 2));
    assert_ok(anydnnDestroyAlgorithmDescriptor(desc));
}

static void bytes(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("cpu", NULL);
    anydnnAlgorithmDescriptor_t desc;
    unsigned char space[64];
    size_t size = 0;

    (void)state;
    assert_ok(anydnnCreateAlgorithmDescriptor(&desc));
    assert_ok(anydnnSetAlgorithmDescriptor(desc, algorithm(-3)));
    assert_ok(anydnnGetAlgorithmSpaceSize(handle, desc, &size));
    assert_in_range(size, 4, sizeof(space));
    memset(space, 0xa5, sizeof(space));
    assert_ok(anydnnSaveAlgorithm(handle, desc, space + 1, size));
    assert_int_equal(space[0], 0xa5);
    assert_int_equal(space[size + 1], 0xa5);
    assert_ok(anydnnSetAlgorithmDescriptor(desc, algorithm(5)));
    assert_ok(anydnnRestoreAlgorithm(handle, space + 1, size, desc));
    assert_int_equal(number_of(desc), -3);
    space[1] ^= 1;
    assert_fails(anydnnRestoreAlgorithm(handle, space + 1, size, desc), ANYDNN_STATUS_NOT_SUPPORTED,
                 "algoSpace was not written by");
    assert_fails(anydnnSaveAlgorithm(handle, desc, space, size - 1), BAD_PARAM,
                 "algoSpaceSizeInBytes is");
    assert_fails(anydnnRestoreAlgorithm(handle, space, size - 1, desc), BAD_PARAM,
                 "algoSpaceSizeInBytes is");
    assert_fails(anydnnSaveAlgorithm(handle, desc, NULL, size), BAD_PARAM, "algoSpace is NULL");
    assert_fails(anydnnGetAlgorithmSpaceSize(handle, NULL, &size), BAD_PARAM, "algoDesc is NULL");
    assert_fails(anydnnGetAlgorithmSpaceSize(handle, desc, NULL), BAD_PARAM,
                 "algoSpaceSizeInBytes is NULL");
    assert_fails(anydnnSaveAlgorithm(NULL, desc, space, size), ANYDNN_STATUS_NOT_INITIALIZED,
                 "the handle is NULL");
    assert_ok(anydnnDestroyAlgorithmDescriptor(desc));
}

static void filters(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("cpu", NULL);
    unsigned char from[64 * 32], to[64 * 32 + 1];
    float bias[64], biases[65];
    anydnnFilterDescriptor_t filter;

    (void)state;
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (unsigned char)(i * 7);
    for (int i = 0; i < 64; i++)
        bias[i] = (float)i;
    memset(to, 0xa5, sizeof(to));
    biases[64] = -1.0f;
    assert_ok(anydnnCreateFilterDescriptor(&filter));
    assert_fails(
        anydnnReorderFilterAndBias(handle, filter, ANYDNN_DEFAULT_REORDER, from, to, 0, NULL, NULL),
        BAD_PARAM, "filterDesc was created but never set");
    assert_ok(anydnnSetFilter4dDescriptor(filter, ANYDNN_DATA_INT8x32, ANYDNN_TENSOR_NCHW_VECT_C,
                                          64, 32, 1, 1));
    assert_ok(anydnnReorderFilterAndBias(handle, filter, ANYDNN_DEFAULT_REORDER, from, to, 1, bias,
                                         biases));
    assert_memory_equal(from, to, sizeof(from));
    assert_int_equal(to[sizeof(from)], 0xa5);
    assert_memory_equal(bias, biases, sizeof(bias));
    assert_true(biases[64] == -1.0f);
    /* The call may work in place and without biases. */
    assert_ok(anydnnReorderFilterAndBias(handle, filter, ANYDNN_NO_REORDER, to, to, 0, NULL, NULL));
    assert_memory_equal(from, to, sizeof(from));
    assert_fails(
        anydnnReorderFilterAndBias(NULL, filter, ANYDNN_DEFAULT_REORDER, from, to, 0, NULL, NULL),
        ANYDNN_STATUS_NOT_INITIALIZED, "the handle is NULL");
    assert_fails(
        anydnnReorderFilterAndBias(handle, filter, (anydnnReorderType_t)2, from, to, 0, NULL, NULL),
        BAD_PARAM, "reorderType is 2");
    assert_fails(
        anydnnReorderFilterAndBias(handle, filter, ANYDNN_DEFAULT_REORDER, NULL, to, 0, NULL, NULL),
        BAD_PARAM, "filterData is NULL");
    assert_fails(anydnnReorderFilterAndBias(handle, filter, ANYDNN_DEFAULT_REORDER, from, NULL, 0,
                                            NULL, NULL),
                 BAD_PARAM, "reorderedFilterData is NULL");
    assert_fails(anydnnReorderFilterAndBias(handle, filter, ANYDNN_DEFAULT_REORDER, from, to, 1,
                                            NULL, biases),
                 BAD_PARAM, "biasData is NULL");
    assert_fails(
        anydnnReorderFilterAndBias(handle, filter, ANYDNN_DEFAULT_REORDER, from, to, 1, bias, NULL),
        BAD_PARAM, "reorderedBiasData is NULL");
    assert_ok(
        anydnnSetFilter4dDescriptor(filter, ANYDNN_DATA_INT8, ANYDNN_TENSOR_NHWC, 64, 32, 1, 1));
    assert_fails(
        anydnnReorderFilterAndBias(handle, filter, ANYDNN_DEFAULT_REORDER, from, to, 0, NULL, NULL),
        ANYDNN_STATUS_NOT_SUPPORTED, "only ANYDNN_DATA_INT8x32 filters");
    assert_ok(anydnnDestroyFilterDescriptor(filter));
}

#define OBJECT_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBJECT_TEST(descriptors),
        OBJECT_TEST(measurements),
        OBJECT_TEST(bytes),
        OBJECT_TEST(filters),
    };

    return cmocka_run_group_tests_name("algorithm objects", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
