/* SPDX-License-Identifier: Apache-2.0 */
/* Tests filter descriptors: packed strides in each format, and the order of type and format. */
#include "tests/unit/desc_fixture.h"

#include "desc/desc.h"

static int setup(void **state)
{
    anydnnFilterDescriptor_t desc;

    if (anydnnCreateFilterDescriptor(&desc) != OK)
        return -1;
    *state = desc;
    return 0;
}

static int teardown(void **state)
{
    return anydnnDestroyFilterDescriptor(*state) == OK ? 0 : -1;
}

static void assert_filter(anydnnFilterDescriptor_t desc, const int64_t *strides, size_t wanted)
{
    size_t bytes;

    assert_memory_equal(adn_desc_filter(desc)->strides, strides, 4 * sizeof(strides[0]));
    assert_ok(anydnnGetFilterSizeInBytes(desc, &bytes));
    assert_int_equal(bytes, wanted);
}

static void formats(void **state)
{
    static const int64_t kcrs[] = {60, 20, 5, 1};
    static const int64_t krsc[] = {60, 1, 15, 3};
    static const int64_t vectors[] = {40, 20, 5, 1};

    assert_ok(
        anydnnSetFilter4dDescriptor(*state, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 2, 3, 4, 5));
    assert_filter(*state, kcrs, 480);
    assert_ok(
        anydnnSetFilter4dDescriptor(*state, ANYDNN_DATA_HALF, ANYDNN_TENSOR_NHWC, 2, 3, 4, 5));
    assert_filter(*state, krsc, 240);
    assert_ok(anydnnSetFilter4dDescriptor(*state, ANYDNN_DATA_INT8x4, ANYDNN_TENSOR_NCHW_VECT_C, 2,
                                          8, 4, 5));
    assert_filter(*state, vectors, 320);
}

/* Filters take (type, format), tensors (format, type). A half in NHWC must not become an NCHW of
 * type 1. */
static void type_comes_first(void **state)
{
    anydnnTensorFormat_t format;
    anydnnDataType_t type;
    int v[4];

    assert_ok(
        anydnnSetFilter4dDescriptor(*state, ANYDNN_DATA_HALF, ANYDNN_TENSOR_NHWC, 2, 3, 4, 5));
    assert_ok(anydnnGetFilter4dDescriptor(*state, &type, &format, v, v + 1, v + 2, v + 3));
    assert_int_equal(type, ANYDNN_DATA_HALF);
    assert_int_equal(format, ANYDNN_TENSOR_NHWC);
    assert_int_equal(v[0], 2);
    assert_int_equal(v[1], 3);
    assert_int_equal(v[2], 4);
    assert_int_equal(v[3], 5);
}

static void numbers_of_dims(void **state)
{
    static const int ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

    for (int n = 3; n <= 8; n++)
        assert_ok(
            anydnnSetFilterNdDescriptor(*state, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, n, ones));
    for (int n = -1; n < 3; n++)
        assert_refused(
            anydnnSetFilterNdDescriptor(*state, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, n, ones),
            BAD_PARAM, "a filter has 3 to 8 dims");
    assert_refused(
        anydnnSetFilterNdDescriptor(*state, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 9, ones),
        NOT_SUPPORTED, "nbDims is 9");
    assert_refused(
        anydnnSetFilterNdDescriptor(*state, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 4, NULL),
        BAD_PARAM, "filterDimA is NULL");
}

static void nd_getter(void **state)
{
    static const int dims[] = {7, 3, 2, 4, 5};
    anydnnTensorFormat_t format;
    anydnnDataType_t type;
    int count;
    int d[8];

    memset(d, 0x7f, sizeof(d));
    assert_ok(anydnnSetFilterNdDescriptor(*state, ANYDNN_DATA_DOUBLE, ANYDNN_TENSOR_NHWC, 5, dims));
    assert_ok(anydnnGetFilterNdDescriptor(*state, 3, &type, &format, &count, d));
    assert_int_equal(count, 5);
    assert_int_equal(d[2], 2);
    assert_int_equal(d[3], 0x7f7f7f7f);
    assert_ok(anydnnGetFilterNdDescriptor(*state, 8, &type, &format, &count, d));
    assert_memory_equal(d, dims, sizeof(dims));
    assert_refused(anydnnGetFilter4dDescriptor(*state, &type, &format, d, d + 1, d + 2, d + 3),
                   BAD_PARAM, "filterDesc has 5 dims; this getter requires 4");
    assert_refused(anydnnGetFilterNdDescriptor(*state, 8, &type, NULL, &count, d), BAD_PARAM,
                   "format is NULL");
}

static void bad_values(void **state)
{
    assert_refused(
        anydnnSetFilter4dDescriptor(*state, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 0, 3, 4, 5),
        BAD_PARAM, "anydnnSetFilter4dDescriptor: dim 0 is 0");
    assert_refused(anydnnSetFilter4dDescriptor(*state, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW_VECT_C,
                                               2, 8, 4, 5),
                   BAD_PARAM, "NCHW_VECT_C and dataType is f32");
    assert_refused(anydnnSetFilter4dDescriptor(*state, ANYDNN_DATA_INT8x4,
                                               ANYDNN_TENSOR_NCHW_VECT_C, 2, 6, 4, 5),
                   BAD_PARAM, "multiple of 4");
    assert_refused(
        anydnnSetFilter4dDescriptor(*state, (anydnnDataType_t)-1, ANYDNN_TENSOR_NCHW, 2, 3, 4, 5),
        BAD_PARAM, "dataType is -1");
    assert_refused(anydnnGetFilterSizeInBytes(NULL, NULL), BAD_PARAM, "filterDesc is NULL");
    assert_ok(anydnnDestroyFilterDescriptor(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(formats, setup, teardown),
        cmocka_unit_test_setup_teardown(type_comes_first, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_of_dims, setup, teardown),
        cmocka_unit_test_setup_teardown(nd_getter, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_values, setup, teardown)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
