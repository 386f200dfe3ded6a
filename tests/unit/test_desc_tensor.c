/* SPDX-License-Identifier: Apache-2.0 */
/* Tests tensor descriptors: cuDNN's rules and their sentences. */
#include "tests/unit/desc_fixture.h"

#include "desc/desc.h"

static int setup(void **state)
{
    anydnnTensorDescriptor_t desc;

    if (anydnnCreateTensorDescriptor(&desc) != OK)
        return -1;
    *state = desc;
    return 0;
}

static int teardown(void **state)
{
    return anydnnDestroyTensorDescriptor(*state) == OK ? 0 : -1;
}

static void assert_4d(anydnnTensorDescriptor_t desc, anydnnDataType_t type, const int *wanted)
{
    anydnnDataType_t seen;
    int v[8];

    assert_ok(anydnnGetTensor4dDescriptor(desc, &seen, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6,
                                          v + 7));
    assert_int_equal(seen, type);
    assert_memory_equal(v, wanted, sizeof(v));
}

static void assert_bytes(anydnnTensorDescriptor_t desc, size_t wanted)
{
    size_t bytes;

    assert_ok(anydnnGetTensorSizeInBytes(desc, &bytes));
    assert_int_equal(bytes, wanted);
}

static void formats(void **state)
{
    static const int nchw[] = {2, 3, 4, 5, 60, 20, 5, 1};
    static const int nhwc[] = {2, 3, 4, 5, 60, 1, 15, 3};
    static const int vectors[] = {2, 8, 4, 5, 40, 20, 5, 1};

    assert_ok(
        anydnnSetTensor4dDescriptor(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 4, 5));
    assert_4d(*state, ANYDNN_DATA_FLOAT, nchw);
    assert_bytes(*state, 480);
    assert_ok(
        anydnnSetTensor4dDescriptor(*state, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_HALF, 2, 3, 4, 5));
    assert_4d(*state, ANYDNN_DATA_HALF, nhwc);
    assert_bytes(*state, 240);
    assert_ok(anydnnSetTensor4dDescriptor(*state, ANYDNN_TENSOR_NCHW_VECT_C, ANYDNN_DATA_INT8x4, 2,
                                          8, 4, 5));
    assert_4d(*state, ANYDNN_DATA_INT8x4, vectors);
    assert_bytes(*state, 320);
}

static void vector_types(void **state)
{
    anydnnTensorDescriptor_t desc = *state;

    assert_refused(
        anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW_VECT_C, ANYDNN_DATA_FLOAT, 2, 8, 4, 5),
        BAD_PARAM, "NCHW_VECT_C and dataType is f32");
    assert_refused(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW_VECT_C, ANYDNN_DATA_INT8x4,
                                               2, 7, 4, 5),
                   BAD_PARAM, "dim 1 is 7; for dataType s8x4 it must be a multiple of 4");
    assert_refused(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW_VECT_C, ANYDNN_DATA_INT8x32,
                                               2, 16, 4, 5),
                   BAD_PARAM, "multiple of 32");
    /* Like cuDNN, the setter accepts a vector type in a plain format. */
    assert_ok(
        anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_INT8x4, 2, 8, 4, 5));
    assert_ok(anydnnSetTensor4dDescriptorEx(desc, ANYDNN_DATA_UINT8x4, 2, 8, 4, 5, 40, 20, 5, 1));
    assert_bytes(desc, 320);
}

static void bad_dims(void **state)
{
    const int at[4][4] = {{0, 3, 4, 5}, {2, -1, 4, 5}, {2, 3, 0, 5}, {2, 3, 4, -7}};
    static const char *const words[] = {
        "anydnnSetTensor4dDescriptor: dim 0 is 0; a dim must be at least 1", "dim 1 is -1",
        "dim 2 is 0", "dim 3 is -7"};

    for (int i = 0; i < 4; i++)
        assert_refused(anydnnSetTensor4dDescriptor(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT,
                                                   at[i][0], at[i][1], at[i][2], at[i][3]),
                       BAD_PARAM, words[i]);
}

static void bad_constants(void **state)
{
    anydnnTensorDescriptor_t desc = *state;

    assert_refused(
        anydnnSetTensor4dDescriptor(desc, (anydnnTensorFormat_t)3, ANYDNN_DATA_FLOAT, 2, 3, 4, 5),
        BAD_PARAM, "format is 3");
    assert_refused(
        anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, (anydnnDataType_t)11, 2, 3, 4, 5),
        BAD_PARAM, "dataType is 11");
    assert_refused(
        anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, (anydnnDataType_t)1000, 2, 3, 4, 5),
        BAD_PARAM, "dataType is 1000");
    /* Types that are reserved for cuDNN 9's numbers */
    for (int type = 12; type < 32; type++)
        assert_refused(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, (anydnnDataType_t)type,
                                                   2, 3, 4, 5),
                       BAD_PARAM, "it must be an ANYDNN_DATA_xxx");
}

static void strides(void **state)
{
    static const int reversed[] = {2, 3, 4, 5, -60, 20, 5, 1};
    anydnnTensorDescriptor_t desc = *state;

    assert_refused(anydnnSetTensor4dDescriptorEx(desc, ANYDNN_DATA_FLOAT, 2, 3, 4, 5, 60, 0, 5, 1),
                   BAD_PARAM, "stride 1 is 0; strides must not be 0");
    assert_ok(anydnnSetTensor4dDescriptorEx(desc, ANYDNN_DATA_FLOAT, 2, 3, 4, 5, -60, 20, 5, 1));
    assert_4d(desc, ANYDNN_DATA_FLOAT, reversed);
    assert_bytes(desc, 480);
    assert_ok(anydnnSetTensor4dDescriptorEx(desc, ANYDNN_DATA_FLOAT, 2, 3, 4, 5, 1, 1, 1, 1));
    assert_bytes(desc, 44);
    assert_ok(anydnnSetTensor4dDescriptorEx(desc, ANYDNN_DATA_DOUBLE, 2, 3, 4, 5, 100, 30, 7, 1));
    assert_bytes(desc, 186 * 8);
}

static void numbers_of_dims(void **state)
{
    static const int ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

    for (int n = 2; n <= 8; n++) {
        assert_ok(anydnnSetTensorNdDescriptor(*state, ANYDNN_DATA_FLOAT, n, ones, ones));
        assert_ok(
            anydnnSetTensorNdDescriptorEx(*state, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_FLOAT, n, ones));
    }
    for (int n = -1; n < 2; n++)
        assert_refused(anydnnSetTensorNdDescriptor(*state, ANYDNN_DATA_FLOAT, n, ones, ones),
                       BAD_PARAM, "a tensor has 2 to 8 dims");
    assert_refused(anydnnSetTensorNdDescriptor(*state, ANYDNN_DATA_FLOAT, 9, ones, ones),
                   NOT_SUPPORTED, "nbDims is 9");
    assert_refused(
        anydnnSetTensorNdDescriptorEx(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 9, ones),
        NOT_SUPPORTED, "at most ANYDNN_DIM_MAX (8)");
    assert_refused(anydnnSetTensorNdDescriptor(*state, ANYDNN_DATA_FLOAT, 4, NULL, ones), BAD_PARAM,
                   "dimA is NULL");
    assert_refused(anydnnSetTensorNdDescriptor(*state, ANYDNN_DATA_FLOAT, 4, ones, NULL), BAD_PARAM,
                   "strideA is NULL");
    assert_refused(
        anydnnSetTensorNdDescriptorEx(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 4, NULL),
        BAD_PARAM, "dimA is NULL");
}

static void nd_getter_counts(void **state)
{
    static const int dims[] = {2, 3, 4, 5, 6};
    anydnnDataType_t type;
    int count = 0;
    int d[8];
    int s[8];

    assert_ok(
        anydnnSetTensorNdDescriptorEx(*state, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_BFLOAT16, 5, dims));
    memset(d, 0x7f, sizeof(d));
    memset(s, 0x7f, sizeof(s));
    assert_ok(anydnnGetTensorNdDescriptor(*state, 3, &type, &count, d, s));
    assert_int_equal(count, 5);
    assert_int_equal(type, ANYDNN_DATA_BFLOAT16);
    assert_int_equal(d[2], 4);
    assert_int_equal(s[2], 90);
    assert_int_equal(d[3], 0x7f7f7f7f);
    assert_int_equal(s[3], 0x7f7f7f7f);
    assert_ok(anydnnGetTensorNdDescriptor(*state, 8, &type, &count, d, s));
    assert_int_equal(d[4], 6);
    assert_int_equal(s[4], 3);
    assert_int_equal(d[5], 0x7f7f7f7f);
    assert_ok(anydnnGetTensorNdDescriptor(*state, 0, &type, &count, NULL, NULL));
    assert_int_equal(count, 5);
    assert_refused(anydnnGetTensorNdDescriptor(*state, -1, &type, &count, d, s), BAD_PARAM,
                   "nbDimsRequested is -1");
    assert_refused(anydnnGetTensorNdDescriptor(*state, 5, &type, &count, d, NULL), BAD_PARAM,
                   "strideA is NULL");
}

static void getter_of_4_dims(void **state)
{
    static const int dims[] = {2, 3, 4, 5, 6};
    anydnnDataType_t type = ANYDNN_DATA_INT64;
    int v[8] = {-7};

    assert_ok(
        anydnnSetTensorNdDescriptorEx(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 5, dims));
    assert_refused(anydnnGetTensor4dDescriptor(*state, &type, v, v + 1, v + 2, v + 3, v + 4, v + 5,
                                               v + 6, v + 7),
                   BAD_PARAM, "tensorDesc has 5 dims; this getter requires 4");
    assert_int_equal(v[0], -7);
    assert_int_equal(type, ANYDNN_DATA_INT64);
    assert_refused(anydnnGetTensor4dDescriptor(*state, &type, v, v + 1, NULL, v + 3, v + 4, v + 5,
                                               v + 6, v + 7),
                   BAD_PARAM, "h is NULL");
}

/* The library has no limit at 2^31; the int getters fail for values that they cannot represent. */
static void large_tensors(void **state)
{
    static const int huge[] = {2147483647, 2147483647, 2147483647};
    anydnnDataType_t type;
    int v[8];

    assert_ok(anydnnSetTensor4dDescriptor(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 65536,
                                          65536, 3, 1));
    assert_bytes(*state, (size_t)65536 * 65536 * 3 * 4);
    assert_ok(anydnnSetTensor4dDescriptor(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 65536,
                                          65536, 1));
    assert_refused(anydnnGetTensor4dDescriptor(*state, &type, v, v + 1, v + 2, v + 3, v + 4, v + 5,
                                               v + 6, v + 7),
                   NOT_SUPPORTED, "nStride is 4294967296");
    assert_refused(
        anydnnSetTensorNdDescriptorEx(*state, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 3, huge),
        NOT_SUPPORTED, "64 bits");
}

static void failure_leaves_the_descriptor(void **state)
{
    anydnnTensorDescriptor_t desc = *state;
    struct anydnnTensorStruct before;

    assert_ok(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 4, 5));
    before = *desc;
    assert_int_equal(
        anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_HALF, 2, 3, 4, 0),
        BAD_PARAM);
    assert_memory_equal(desc, &before, sizeof(before));
}

static void stamps(void **state)
{
    anydnnTensorDescriptor_t desc = *state;
    anydnnTensorDescriptor_t other;
    uint64_t first;

    assert_ok(anydnnCreateTensorDescriptor(&other));
    assert_false(desc->head.set);
    assert_ok(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 4, 5));
    first = desc->head.stamp;
    assert_ok(
        anydnnSetTensor4dDescriptor(other, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 4, 5));
    assert_ok(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 4, 5));
    assert_true(first != 0 && other->head.stamp != first && desc->head.stamp != first &&
                desc->head.stamp != other->head.stamp);
    assert_memory_equal(&desc->t, &other->t, sizeof(desc->t));
    assert_ok(anydnnDestroyTensorDescriptor(other));
}

/* cuDNN gives the same answers for a fresh descriptor. */
static void never_set(void **state)
{
    static const int zeros[8];
    anydnnDataType_t type;
    int count = -1;

    assert_4d(*state, ANYDNN_DATA_FLOAT, zeros);
    assert_bytes(*state, 0);
    assert_ok(anydnnGetTensorNdDescriptor(*state, 0, &type, &count, NULL, NULL));
    assert_int_equal(count, 0);
    assert_null(adn_desc_tensor(*state));
    assert_refused(anydnnDeriveBNTensorDescriptor(*state, *state, ANYDNN_BATCHNORM_SPATIAL),
                   BAD_PARAM, "xDesc was created but never set");
}

static void wrong_descriptors(void **state)
{
    anydnnFilterDescriptor_t filter;
    size_t bytes;

    (void)state;
    assert_ok(anydnnCreateFilterDescriptor(&filter));
    assert_refused(anydnnGetTensorSizeInBytes((anydnnTensorDescriptor_t)(void *)filter, &bytes),
                   BAD_PARAM, "tensorDesc is a filter descriptor; it must be a tensor descriptor");
    assert_refused(anydnnDestroyTensorDescriptor((anydnnTensorDescriptor_t)(void *)filter),
                   BAD_PARAM, "is a filter descriptor");
    assert_refused(anydnnGetTensorSizeInBytes(NULL, &bytes), BAD_PARAM, "tensorDesc is NULL");
    assert_refused(
        anydnnSetTensor4dDescriptor(NULL, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 1, 1, 1),
        BAD_PARAM, "anydnnSetTensor4dDescriptor: tensorDesc is NULL");
    assert_refused(anydnnCreateTensorDescriptor(NULL), BAD_PARAM, "tensorDesc is NULL");
    assert_refused(anydnnGetTensorSizeInBytes(*state, NULL), BAD_PARAM, "size is NULL");
    assert_ok(anydnnDestroyTensorDescriptor(NULL));
    assert_ok(anydnnDestroyFilterDescriptor(filter));
}

/* The types and dims were measured on cuDNN 9.19. */
static void derived_for_batch_normalization(void **state)
{
    static const int spatial[] = {1, 3, 1, 1, 3, 1, 1, 1};
    static const int each[] = {1, 3, 9, 11, 297, 99, 11, 1};
    static const struct {
        anydnnDataType_t x;
        anydnnDataType_t derived;
    } types[] = {{ANYDNN_DATA_FLOAT, ANYDNN_DATA_FLOAT},
                 {ANYDNN_DATA_DOUBLE, ANYDNN_DATA_DOUBLE},
                 {ANYDNN_DATA_HALF, ANYDNN_DATA_FLOAT},
                 {ANYDNN_DATA_BFLOAT16, ANYDNN_DATA_FLOAT},
                 {ANYDNN_DATA_INT8, ANYDNN_DATA_FLOAT}};
    anydnnTensorDescriptor_t x;

    assert_ok(anydnnCreateTensorDescriptor(&x));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        assert_ok(anydnnSetTensor4dDescriptor(x, ANYDNN_TENSOR_NHWC, types[i].x, 2, 3, 9, 11));
        assert_ok(anydnnDeriveBNTensorDescriptor(*state, x, ANYDNN_BATCHNORM_SPATIAL));
        assert_4d(*state, types[i].derived, spatial);
        assert_ok(anydnnDeriveBNTensorDescriptor(*state, x, ANYDNN_BATCHNORM_SPATIAL_PERSISTENT));
        assert_4d(*state, types[i].derived, spatial);
        assert_ok(anydnnDeriveBNTensorDescriptor(*state, x, ANYDNN_BATCHNORM_PER_ACTIVATION));
        assert_4d(*state, types[i].derived, each);
    }
    assert_refused(anydnnDeriveBNTensorDescriptor(*state, x, (anydnnBatchNormMode_t)3), BAD_PARAM,
                   "mode is 3");
    /* The destination may be the source. */
    assert_ok(anydnnDeriveBNTensorDescriptor(x, x, ANYDNN_BATCHNORM_SPATIAL));
    assert_4d(x, ANYDNN_DATA_FLOAT, spatial);
    assert_ok(anydnnDestroyTensorDescriptor(x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(formats, setup, teardown),
        cmocka_unit_test_setup_teardown(vector_types, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_dims, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_constants, setup, teardown),
        cmocka_unit_test_setup_teardown(strides, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_of_dims, setup, teardown),
        cmocka_unit_test_setup_teardown(nd_getter_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(getter_of_4_dims, setup, teardown),
        cmocka_unit_test_setup_teardown(large_tensors, setup, teardown),
        cmocka_unit_test_setup_teardown(failure_leaves_the_descriptor, setup, teardown),
        cmocka_unit_test_setup_teardown(stamps, setup, teardown),
        cmocka_unit_test_setup_teardown(never_set, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_descriptors, setup, teardown),
        cmocka_unit_test_setup_teardown(derived_for_batch_normalization, setup, teardown)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
