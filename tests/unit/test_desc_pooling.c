/* SPDX-License-Identifier: Apache-2.0 */
/* Tests pooling descriptors: any padding is accepted, windows must fit, and each refusal. */
#include "tests/unit/desc_fixture.h"

#include "desc/desc.h"

struct fixture {
    anydnnPoolingDescriptor_t pool;
    anydnnTensorDescriptor_t x;
};

static int setup(void **state)
{
    static struct fixture f;

    *state = &f;
    return anydnnCreatePoolingDescriptor(&f.pool) != OK ||
           anydnnCreateTensorDescriptor(&f.x) != OK ||
           anydnnSetTensor4dDescriptor(f.x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 9, 11) !=
               OK;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    return anydnnDestroyPoolingDescriptor(f->pool) != OK ||
           anydnnDestroyTensorDescriptor(f->x) != OK;
}

static void there_and_back(void **state)
{
    static const int wanted[] = {3, 4, 1, 2, 5, 6};
    struct fixture *f = *state;
    anydnnPoolingMode_t mode;
    anydnnNanPropagation_t nan;
    int v[6];

    assert_ok(anydnnSetPooling2dDescriptor(f->pool, ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                                           ANYDNN_PROPAGATE_NAN, 3, 4, 1, 2, 5, 6));
    assert_ok(
        anydnnGetPooling2dDescriptor(f->pool, &mode, &nan, v, v + 1, v + 2, v + 3, v + 4, v + 5));
    assert_memory_equal(v, wanted, sizeof(v));
    assert_int_equal(mode, ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING);
    assert_int_equal(nan, ANYDNN_PROPAGATE_NAN);
}

/* The columns are windows, pads and strides, equal for both dims, and cuDNN 9.19's results for
 * 9x11. */
static void output_dims(void **state)
{
    static const int cases[][5] = {
        {3, 1, 2, 5, 6}, {3, -1, 2, 3, 4}, {2, 2, 2, 6, 7}, {9, 0, 2, 1, 2}};
    struct fixture *f = *state;
    int v[5] = {-7, -7, -7, -7, -7};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int *c = cases[i];

        assert_ok(anydnnSetPooling2dDescriptor(f->pool, ANYDNN_POOLING_MAX,
                                               ANYDNN_NOT_PROPAGATE_NAN, c[0], c[0], c[1], c[1],
                                               c[2], c[2]));
        assert_ok(anydnnGetPooling2dForwardOutputDim(f->pool, f->x, v, v + 1, v + 2, v + 3));
        assert_int_equal(v[0], 2);
        assert_int_equal(v[1], 3);
        assert_int_equal(v[2], c[3]);
        assert_int_equal(v[3], c[4]);
        assert_ok(anydnnGetPoolingNdForwardOutputDim(f->pool, f->x, 4, v));
        assert_int_equal(v[3], c[4]);
        assert_int_equal(v[4], -7);
    }
    assert_refused(anydnnGetPoolingNdForwardOutputDim(f->pool, f->x, 5, v), BAD_PARAM,
                   "nbDims is 5");
}

static void window_must_fit(void **state)
{
    struct fixture *f = *state;
    int v[4] = {-7, -7, -7, -7};

    assert_ok(anydnnSetPooling2dDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_NOT_PROPAGATE_NAN,
                                           10, 3, 0, 0, 2, 2));
    assert_refused(anydnnGetPooling2dForwardOutputDim(f->pool, f->x, v, v + 1, v + 2, v + 3),
                   BAD_PARAM, "in dim 2, the window has 10 elements and the padded input has 9");
    assert_int_equal(v[0], -7);
}

static void refusals(void **state)
{
    struct fixture *f = *state;

    assert_refused(anydnnSetPooling2dDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_PROPAGATE_NAN,
                                                0, 3, 0, 0, 1, 1),
                   BAD_PARAM, "window 0 is 0");
    assert_refused(anydnnSetPooling2dDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_PROPAGATE_NAN,
                                                3, 3, 0, 0, 1, 0),
                   BAD_PARAM, "stride 1 is 0");
    assert_refused(anydnnSetPooling2dDescriptor(f->pool, (anydnnPoolingMode_t)4,
                                                ANYDNN_PROPAGATE_NAN, 3, 3, 0, 0, 1, 1),
                   BAD_PARAM, "mode is 4");
    assert_refused(anydnnSetPooling2dDescriptor(f->pool, ANYDNN_POOLING_MAX,
                                                (anydnnNanPropagation_t)2, 3, 3, 0, 0, 1, 1),
                   BAD_PARAM, "maxpoolingNanOpt is 2");
    assert_ok(anydnnSetPooling2dDescriptor(f->pool, ANYDNN_POOLING_MAX_DETERMINISTIC,
                                           ANYDNN_PROPAGATE_NAN, 1, 1, -2147483647, 2147483647, 1,
                                           1));
}

static void spatial_dims(void **state)
{
    static const int ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct fixture *f = *state;
    anydnnPoolingMode_t mode;
    anydnnNanPropagation_t nan;
    int count;
    int v[8];

    for (int n = 1; n <= 6; n++)
        assert_ok(anydnnSetPoolingNdDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_PROPAGATE_NAN, n,
                                               ones, ones, ones));
    assert_refused(anydnnSetPoolingNdDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_PROPAGATE_NAN,
                                                0, ones, ones, ones),
                   BAD_PARAM, "nbDims is 0");
    assert_refused(anydnnSetPoolingNdDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_PROPAGATE_NAN,
                                                7, ones, ones, ones),
                   NOT_SUPPORTED, "nbDims is 7");
    assert_refused(anydnnSetPoolingNdDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_PROPAGATE_NAN,
                                                3, ones, NULL, ones),
                   BAD_PARAM, "paddingA is NULL");
    assert_ok(anydnnSetPoolingNdDescriptor(f->pool, ANYDNN_POOLING_MAX, ANYDNN_PROPAGATE_NAN, 3,
                                           ones, ones, ones));
    assert_ok(anydnnGetPoolingNdDescriptor(f->pool, 0, &mode, &nan, &count, NULL, NULL, NULL));
    assert_int_equal(count, 3);
    assert_refused(anydnnGetPooling2dDescriptor(f->pool, &mode, &nan, v, v, v, v, v, v), BAD_PARAM,
                   "poolingDesc has 3 spatial dims; this getter requires 2");
    assert_refused(anydnnGetPooling2dForwardOutputDim(f->pool, f->x, v, v, v, v), BAD_PARAM,
                   "poolingDesc has 3 spatial dims and inputTensorDesc 4 dims; it must have 5");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(there_and_back), TEST(output_dims),
                                       TEST(window_must_fit), TEST(refusals), TEST(spatial_dims)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
