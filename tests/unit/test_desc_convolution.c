/* SPDX-License-Identifier: Apache-2.0 */
/* Tests convolution descriptors: defaults, the effect of a second Set, output dims, and each
 * refusal. */
#include "tests/unit/desc_fixture.h"

#include "desc/desc.h"

struct fixture {
    anydnnConvolutionDescriptor_t conv;
    anydnnTensorDescriptor_t x;
    anydnnFilterDescriptor_t w;
};

static int setup(void **state)
{
    static struct fixture f;

    *state = &f;
    return anydnnCreateConvolutionDescriptor(&f.conv) != OK ||
           anydnnCreateTensorDescriptor(&f.x) != OK || anydnnCreateFilterDescriptor(&f.w) != OK;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    return anydnnDestroyConvolutionDescriptor(f->conv) != OK ||
           anydnnDestroyTensorDescriptor(f->x) != OK || anydnnDestroyFilterDescriptor(f->w) != OK;
}

/* Sets up N 2, C 3, 9x11; K 5, 3x4; pads 1,2, strides 2,3. */
static void usual(struct fixture *f)
{
    assert_ok(anydnnSetConvolution2dDescriptor(f->conv, 1, 2, 2, 3, 1, 1, ANYDNN_CROSS_CORRELATION,
                                               ANYDNN_DATA_FLOAT));
    assert_ok(
        anydnnSetTensor4dDescriptor(f->x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 9, 11));
    assert_ok(anydnnSetFilter4dDescriptor(f->w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 5, 3, 3, 4));
}

static void defaults(void **state)
{
    struct fixture *f = *state;
    anydnnReorderType_t reorder;
    anydnnConvolutionMode_t mode;
    anydnnMathType_t math;
    anydnnDataType_t type;
    int groups;
    int v[6];

    assert_ok(anydnnGetConvolutionGroupCount(f->conv, &groups));
    assert_int_equal(groups, 1);
    assert_ok(anydnnGetConvolutionMathType(f->conv, &math));
    assert_int_equal(math, ANYDNN_DEFAULT_MATH);
    assert_ok(anydnnGetConvolutionReorderType(f->conv, &reorder));
    assert_int_equal(reorder, ANYDNN_DEFAULT_REORDER);
    assert_ok(anydnnGetConvolution2dDescriptor(f->conv, v, v + 1, v + 2, v + 3, v + 4, v + 5, &mode,
                                               &type));
    assert_null(adn_desc_convolution(f->conv));
}

static void there_and_back(void **state)
{
    static const int wanted[] = {1, 2, 3, 4, 5, 6};
    struct fixture *f = *state;
    anydnnConvolutionMode_t mode;
    anydnnDataType_t type;
    int v[6];

    assert_ok(anydnnSetConvolution2dDescriptor(f->conv, 1, 2, 3, 4, 5, 6, ANYDNN_CONVOLUTION,
                                               ANYDNN_DATA_DOUBLE));
    assert_ok(anydnnGetConvolution2dDescriptor(f->conv, v, v + 1, v + 2, v + 3, v + 4, v + 5, &mode,
                                               &type));
    assert_memory_equal(v, wanted, sizeof(v));
    assert_int_equal(mode, ANYDNN_CONVOLUTION);
    assert_int_equal(type, ANYDNN_DATA_DOUBLE);
}

static void set_again_keeps_groups_math_and_reorder(void **state)
{
    struct fixture *f = *state;
    anydnnReorderType_t reorder;
    anydnnMathType_t math;
    int groups;

    assert_ok(anydnnSetConvolutionGroupCount(f->conv, 7));
    assert_ok(anydnnSetConvolutionMathType(f->conv, ANYDNN_TENSOR_OP_MATH));
    assert_ok(anydnnSetConvolutionReorderType(f->conv, ANYDNN_NO_REORDER));
    usual(f);
    usual(f);
    assert_ok(anydnnGetConvolutionGroupCount(f->conv, &groups));
    assert_int_equal(groups, 7);
    assert_ok(anydnnGetConvolutionMathType(f->conv, &math));
    assert_int_equal(math, ANYDNN_TENSOR_OP_MATH);
    assert_ok(anydnnGetConvolutionReorderType(f->conv, &reorder));
    assert_int_equal(reorder, ANYDNN_NO_REORDER);
}

static void math_types(void **state)
{
    static const int good[] = {0, 1, 2, 3, 1000};
    static const int bad[] = {-1, 4, 999, 1001, 0x7fffffff};
    struct fixture *f = *state;
    anydnnMathType_t math;

    for (size_t i = 0; i < 5; i++) {
        assert_ok(anydnnSetConvolutionMathType(f->conv, (anydnnMathType_t)good[i]));
        assert_refused(anydnnSetConvolutionMathType(f->conv, (anydnnMathType_t)bad[i]), BAD_PARAM,
                       "anydnnSetConvolutionMathType: mathType is ");
        assert_ok(anydnnGetConvolutionMathType(f->conv, &math));
        assert_int_equal(math, good[i]);
    }
    assert_null(adn_desc_convolution(f->conv)); /* still without shape */
}

static void every_setter_stamps(void **state)
{
    struct fixture *f = *state;
    uint64_t stamp;

    usual(f);
    stamp = f->conv->head.stamp;
    assert_ok(anydnnSetConvolutionMathType(f->conv, ANYDNN_TENSOR_OP_MATH_SPLIT));
    assert_true(f->conv->head.stamp != stamp);
    stamp = f->conv->head.stamp;
    assert_ok(anydnnSetConvolutionGroupCount(f->conv, 3));
    assert_true(f->conv->head.stamp != stamp);
    stamp = f->conv->head.stamp;
    assert_refused(anydnnSetConvolutionGroupCount(f->conv, 0), BAD_PARAM, "groupCount is 0");
    assert_refused(anydnnSetConvolutionGroupCount(f->conv, -1), BAD_PARAM, "groupCount is -1");
    assert_true(f->conv->head.stamp == stamp);
    assert_int_equal(f->conv->c.groups, 3);
}

static anydnnStatus_t set_2d(struct fixture *f, int pad, int stride, int dilation, int mode,
                             int type)
{
    return anydnnSetConvolution2dDescriptor(f->conv, 0, pad, 1, stride, 1, dilation,
                                            (anydnnConvolutionMode_t)mode, (anydnnDataType_t)type);
}

static void refusals(void **state)
{
    static const int types[] = {ANYDNN_DATA_INT8, ANYDNN_DATA_BFLOAT16, ANYDNN_DATA_INT64, 99};
    struct fixture *f = *state;

    assert_refused(set_2d(f, -1, 1, 1, 1, 0), BAD_PARAM,
                   "pad 1 is -1; padding must not be negative");
    assert_refused(set_2d(f, 0, 0, 1, 1, 0), BAD_PARAM, "stride 1 is 0; it must be at least 1");
    assert_refused(set_2d(f, 0, -2, 1, 1, 0), BAD_PARAM, "stride 1 is -2");
    assert_refused(set_2d(f, 0, 1, 0, 1, 0), BAD_PARAM, "dilation 1 is 0; it must be at least 1");
    assert_refused(set_2d(f, 0, 1, 1, 2, 0), BAD_PARAM, "mode is 2");
    for (size_t i = 0; i < 4; i++)
        assert_refused(set_2d(f, 0, 1, 1, 1, types[i]), BAD_PARAM, "computeType is ");
    assert_ok(set_2d(f, 0, 1, 1, 1, ANYDNN_DATA_INT32));
    assert_ok(set_2d(f, 0, 1, 1, 1, ANYDNN_DATA_HALF));
    assert_refused(anydnnSetConvolutionReorderType(f->conv, (anydnnReorderType_t)2), BAD_PARAM,
                   "reorderType is 2");
}

static anydnnStatus_t set_nd(struct fixture *f, int count, const int *pads)
{
    static const int ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

    return anydnnSetConvolutionNdDescriptor(f->conv, count, pads, ones, ones,
                                            ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT);
}

static void spatial_dims(void **state)
{
    static const int pads[9] = {3, 1, 2, 4, 5, 6, 7, 8, 9};
    struct fixture *f = *state;
    anydnnConvolutionMode_t mode;
    anydnnDataType_t type;
    int count;
    int v[3][8];

    for (int n = 1; n <= 6; n++)
        assert_ok(set_nd(f, n, pads));
    assert_refused(set_nd(f, 0, pads), BAD_PARAM, "arrayLength is 0");
    assert_refused(set_nd(f, 7, pads), NOT_SUPPORTED, "arrayLength is 7; at most 6 spatial dims");
    assert_refused(set_nd(f, 2, NULL), BAD_PARAM, "padA is NULL");
    assert_ok(set_nd(f, 3, pads));
    memset(v, 0x7f, sizeof(v));
    assert_ok(anydnnGetConvolutionNdDescriptor(f->conv, 2, &count, v[0], v[1], v[2], &mode, &type));
    assert_int_equal(count, 3);
    assert_int_equal(v[0][1], 1);
    assert_int_equal(v[0][2], 0x7f7f7f7f);
    assert_ok(anydnnGetConvolutionNdDescriptor(f->conv, 8, &count, v[0], v[1], v[2], &mode, &type));
    assert_int_equal(v[0][2], 2);
    assert_refused(
        anydnnGetConvolution2dDescriptor(f->conv, v[0], v[0], v[0], v[0], v[0], v[0], &mode, &type),
        BAD_PARAM, "convDesc has 3 spatial dims; this getter requires 2");
    /* Values of a longer earlier Set are cleared. */
    assert_ok(set_nd(f, 1, pads));
    assert_int_equal(f->conv->c.pad[1], 0);
    assert_int_equal(f->conv->c.stride[1], 0);
}

/* The dims 2 5 5 4 were measured on cuDNN 9.19. */
static void output_dims(void **state)
{
    static const int wanted[] = {2, 5, 5, 4};
    struct fixture *f = *state;
    int v[8] = {-7, -7, -7, -7, -7};

    usual(f);
    assert_ok(anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v + 1, v + 2, v + 3));
    assert_memory_equal(v, wanted, sizeof(wanted));
    memset(v, 0x7f, sizeof(v));
    assert_ok(anydnnGetConvolutionNdForwardOutputDim(f->conv, f->x, f->w, 3, v));
    assert_memory_equal(v, wanted, 3 * sizeof(int));
    assert_int_equal(v[3], 0x7f7f7f7f);
    assert_refused(anydnnGetConvolutionNdForwardOutputDim(f->conv, f->x, f->w, 5, v), BAD_PARAM,
                   "nbDims is 5");
    assert_refused(anydnnGetConvolutionNdForwardOutputDim(f->conv, f->x, f->w, 0, v), BAD_PARAM,
                   "nbDims is 0");
}

static void filter_must_fit(void **state)
{
    struct fixture *f = *state;
    int v[4] = {-7, -7, -7, -7};

    usual(f);
    assert_ok(
        anydnnSetFilter4dDescriptor(f->w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 5, 3, 11, 4));
    assert_ok(anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v + 1, v + 2, v + 3));
    assert_int_equal(v[2], 1);
    v[2] = -7;
    assert_ok(
        anydnnSetFilter4dDescriptor(f->w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 5, 3, 12, 4));
    assert_refused(
        anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v + 1, v + 2, v + 3),
        BAD_PARAM, "in dim 2, the dilated filter covers 12 elements and the padded input has 11");
    assert_int_equal(v[2], -7);
}

static void channels_and_groups(void **state)
{
    struct fixture *f = *state;
    int v[4];

    usual(f);
    assert_ok(
        anydnnSetTensor4dDescriptor(f->x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 6, 9, 11));
    assert_refused(
        anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v + 1, v + 2, v + 3),
        BAD_PARAM, "the filter has 3 channels in each of 1 groups and the input 6");
    /* K 5 is not divisible by 2. Like cuDNN, this function does not check that. */
    assert_ok(anydnnSetConvolutionGroupCount(f->conv, 2));
    assert_ok(anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v + 1, v + 2, v + 3));
    assert_int_equal(v[1], 5);
    /* It does not check the types either. */
    assert_ok(anydnnSetFilter4dDescriptor(f->w, ANYDNN_DATA_HALF, ANYDNN_TENSOR_NCHW, 5, 3, 3, 4));
    assert_ok(anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v + 1, v + 2, v + 3));
}

static void output_dims_refusals(void **state)
{
    static const int ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct fixture *f = *state;
    int v[4];

    assert_refused(anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v, v, v),
                   BAD_PARAM, "convDesc was created but never set");
    usual(f);
    assert_refused(anydnnGetConvolution2dForwardOutputDim(f->conv, NULL, f->w, v, v, v, v),
                   BAD_PARAM, "inputTensorDesc is NULL");
    assert_refused(anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v, NULL, v),
                   BAD_PARAM, "h is NULL");
    assert_ok(set_nd(f, 3, ones));
    assert_refused(anydnnGetConvolution2dForwardOutputDim(f->conv, f->x, f->w, v, v, v, v),
                   BAD_PARAM, "convDesc has 3 spatial dims; this entry requires 2");
    assert_refused(
        anydnnGetConvolutionNdForwardOutputDim(f->conv, f->x, f->w, 4, v), BAD_PARAM,
        "convDesc has 3 spatial dims, inputTensorDesc 4 dims and filterDesc 4; both must have 5");
}

static void output_in_three_dims(void **state)
{
    static const int pads[] = {1, 2, 0};
    static const int strides[] = {1, 2, 3};
    static const int dilations[] = {2, 1, 3};
    static const int in[] = {2, 4, 5, 7, 11};
    static const int filter[] = {6, 2, 3, 4, 2};
    static const int wanted[] = {2, 6, 3, 4, 3};
    struct fixture *f = *state;
    int v[5];

    assert_ok(anydnnSetConvolutionNdDescriptor(f->conv, 3, pads, strides, dilations,
                                               ANYDNN_CONVOLUTION, ANYDNN_DATA_FLOAT));
    assert_ok(anydnnSetConvolutionGroupCount(f->conv, 2));
    assert_ok(anydnnSetTensorNdDescriptorEx(f->x, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_FLOAT, 5, in));
    assert_ok(anydnnSetFilterNdDescriptor(f->w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NHWC, 5, filter));
    assert_ok(anydnnGetConvolutionNdForwardOutputDim(f->conv, f->x, f->w, 5, v));
    assert_memory_equal(v, wanted, sizeof(wanted));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(defaults),
                                       TEST(there_and_back),
                                       TEST(set_again_keeps_groups_math_and_reorder),
                                       TEST(math_types),
                                       TEST(every_setter_stamps),
                                       TEST(refusals),
                                       TEST(spatial_dims),
                                       TEST(output_dims),
                                       TEST(filter_must_fit),
                                       TEST(channels_and_groups),
                                       TEST(output_dims_refusals),
                                       TEST(output_in_three_dims)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
