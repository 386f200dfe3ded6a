/* SPDX-License-Identifier: Apache-2.0 */
/* Tests shape arithmetic: output sizes, strides, spans, overlaps and transforms, at small and
 * huge sizes. */
#include "tests/unit/desc_fixture.h"

#include "desc/shape.h"

#define F32 ANYDNN_PLUGIN_FLOAT

/* Returns a tensor of up to 5 dims; unused dims are 0. */
static struct anydnn_plugin_tensor tensor_of(int32_t type, int32_t ndims, const int64_t *dims,
                                             const int64_t *strides)
{
    struct anydnn_plugin_tensor tensor = {
        .struct_size = sizeof(tensor), .type = type, .ndims = ndims};

    memcpy(tensor.dims, dims, (size_t)ndims * sizeof(dims[0]));
    memcpy(tensor.strides, strides, (size_t)ndims * sizeof(strides[0]));
    return tensor;
}

/* Counts by brute force how many positions fit, to check the formula. */
static int64_t positions(int64_t in, int64_t pad, int64_t filter, int64_t dilation, int64_t stride)
{
    int64_t count = 0;

    for (int64_t at = -pad; at + (filter - 1) * dilation < in + pad; at += stride)
        count++;
    return count;
}

static void convolution_out_counts_positions(void **state)
{
    (void)state;
    for (int64_t in = 1; in < 9; in++)
        for (int64_t pad = 0; pad < 4; pad++)
            for (int64_t filter = 1; filter < 5; filter++)
                for (int64_t dilation = 1; dilation < 4; dilation++)
                    for (int64_t stride = 1; stride < 4; stride++)
                        assert_int_equal(
                            adn_shape_convolution_out(in, pad, filter, dilation, stride),
                            positions(in, pad, filter, dilation, stride));
}

static void convolution_out_never_overflows(void **state)
{
    (void)state;
    assert_int_equal(adn_shape_convolution_out(INT64_MAX, 0, 1, 1, 1), INT64_MAX);
    assert_int_equal(adn_shape_convolution_out(INT64_MAX, 1, 3, 1, 1), 0);
    assert_int_equal(adn_shape_convolution_out(5, INT64_MAX, 3, 1, 1), 0);
    assert_int_equal(adn_shape_convolution_out(5, 0, INT64_MAX, 2, 1), 0);
    assert_int_equal(adn_shape_convolution_out(5, 0, 3, 1, 0), 0);
    assert_int_equal(adn_shape_convolution_out(5, 0, 3, 0, 1), 0);
    assert_int_equal(adn_shape_convolution_out(5, 0, 0, 1, 1), 0);
}

/* The values were measured on cuDNN 9.19. */
static void pooling_out_takes_any_padding(void **state)
{
    (void)state;
    assert_int_equal(adn_shape_pooling_out(9, 1, 3, 2), 5);
    assert_int_equal(adn_shape_pooling_out(11, 1, 3, 2), 6);
    assert_int_equal(adn_shape_pooling_out(9, -1, 3, 2), 3);
    assert_int_equal(adn_shape_pooling_out(11, -1, 3, 2), 4);
    assert_int_equal(adn_shape_pooling_out(9, 2, 2, 2), 6);
    assert_int_equal(adn_shape_pooling_out(11, 2, 2, 2), 7);
    assert_int_equal(adn_shape_pooling_out(9, 0, 30, 2), 0);
    assert_int_equal(adn_shape_pooling_out(9, 0, 10, 2), 0);
    assert_int_equal(adn_shape_pooling_out(9, 0, 9, 2), 1);
    assert_int_equal(adn_shape_pooling_out(3, -2, 1, 1), 0);
}

static void strides_of_each_format(void **state)
{
    static const int64_t dims[] = {2, 3, 4, 5, 6};
    static const struct {
        int format;
        int ndims;
        int64_t strides[5];
    } cases[] = {{ANYDNN_TENSOR_NCHW, 4, {60, 20, 5, 1}},
                 {ANYDNN_TENSOR_NHWC, 4, {60, 1, 15, 3}},
                 {ANYDNN_TENSOR_NHWC, 3, {12, 1, 3}},
                 {ANYDNN_TENSOR_NHWC, 5, {360, 1, 90, 18, 3}},
                 {ANYDNN_TENSOR_NCHW, 5, {360, 120, 30, 6, 1}},
                 {ANYDNN_TENSOR_NHWC, 2, {3, 1}},
                 {ANYDNN_TENSOR_NHWC, 1, {1}},
                 {ANYDNN_TENSOR_NCHW, 1, {1}}};
    int64_t strides[8];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(adn_shape_strides(cases[i].format, F32, cases[i].ndims, dims, strides), 0);
        assert_memory_equal(strides, cases[i].strides, (size_t)cases[i].ndims * sizeof(strides[0]));
    }
}

static void strides_of_vectors(void **state)
{
    static const int64_t dims[] = {2, 8, 4, 5};
    static const int64_t vectors[] = {40, 20, 5, 1};
    static const int64_t plain[] = {160, 20, 5, 1};
    static const int64_t odd[] = {2, 6, 4, 5};
    int64_t strides[8];

    (void)state;
    assert_int_equal(adn_shape_strides(2, ANYDNN_PLUGIN_INT8X4, 4, dims, strides), 0);
    assert_memory_equal(strides, vectors, sizeof(vectors));
    assert_int_equal(adn_shape_strides(0, ANYDNN_PLUGIN_INT8X4, 4, dims, strides), 0);
    assert_memory_equal(strides, plain, sizeof(plain));
    assert_int_equal(adn_shape_strides(2, F32, 4, dims, strides), -1);
    assert_int_equal(adn_shape_strides(2, ANYDNN_PLUGIN_INT8X4, 4, odd, strides), -1);
    assert_int_equal(adn_shape_strides(2, ANYDNN_PLUGIN_INT8X32, 4, dims, strides), -1);
    assert_int_equal(adn_shape_strides(3, F32, 4, dims, strides), -1);
    assert_int_equal(adn_shape_strides(-1, F32, 4, dims, strides), -1);
}

static void strides_that_do_not_fit(void **state)
{
    static const int64_t dims[] = {1, INT64_C(1) << 32, INT64_C(1) << 31, 2};
    int64_t strides[8] = {7, 7, 7, 7};

    (void)state;
    assert_int_equal(adn_shape_strides(0, F32, 4, dims, strides), -1);
    assert_int_equal(strides[0], 7);
}

static void span_counts_gaps(void **state)
{
    static const int64_t dims[] = {2, 3, 4, 5};
    static const int64_t gappy[] = {100, 30, 7, 1};
    static const int64_t reversed[] = {-60, 20, 5, 1};
    static const int64_t same[] = {1, 1, 1, 1};
    struct anydnn_plugin_tensor tensor = tensor_of(F32, 4, dims, gappy);

    (void)state;
    assert_int_equal(adn_shape_elements(&tensor), 120);
    assert_int_equal(adn_shape_span(&tensor), 100 + 60 + 21 + 4 + 1);
    assert_int_equal(adn_shape_bytes(&tensor), 186 * 4);
    tensor = tensor_of(F32, 4, dims, reversed);
    assert_int_equal(adn_shape_bytes(&tensor), 480);
    tensor = tensor_of(F32, 4, dims, same);
    assert_int_equal(adn_shape_bytes(&tensor), 44);
    assert_true(adn_shape_overlaps(&tensor));
    tensor.ndims = 0;
    assert_int_equal(adn_shape_span(&tensor), 0);
    assert_int_equal(adn_shape_elements(&tensor), 0);
}

static void span_of_vectors(void **state)
{
    static const int64_t dims[] = {2, 8, 4, 5};
    static const int64_t strides[] = {40, 20, 5, 1};
    struct anydnn_plugin_tensor tensor = tensor_of(ANYDNN_PLUGIN_INT8X4, 4, dims, strides);

    (void)state;
    assert_int_equal(adn_shape_extent(&tensor, 1), 2);
    assert_int_equal(adn_shape_extent(&tensor, 2), 4);
    assert_int_equal(adn_shape_span(&tensor), 80);
    assert_int_equal(adn_shape_bytes(&tensor), 320);
    assert_int_equal(adn_shape_elements(&tensor), 320);
}

static void sizes_that_do_not_fit(void **state)
{
    static const int64_t dims[] = {INT64_C(1) << 31, INT64_C(1) << 31, 2, 2};
    static const int64_t strides[] = {INT64_C(1) << 33, 4, 2, 1};
    struct anydnn_plugin_tensor tensor = tensor_of(F32, 4, dims, strides);

    (void)state;
    assert_int_equal(adn_shape_elements(&tensor), INT64_MAX);
    assert_int_equal(adn_shape_span(&tensor), -1);
    assert_int_equal(adn_shape_bytes(&tensor), -1);
    tensor.strides[0] = INT64_MIN;
    assert_int_equal(adn_shape_span(&tensor), -1);
    tensor.strides[0] = INT64_C(1) << 30;
    assert_int_equal(adn_shape_span(&tensor),
                     (INT64_C(1) << 61) - (INT64_C(1) << 30) + 4 * ((INT64_C(1) << 31) - 1) + 4);
    assert_int_equal(adn_shape_bytes(&tensor), -1);
}

static void overlaps(void **state)
{
    static const struct {
        int ndims;
        int64_t dims[4];
        int64_t strides[4];
        int answer;
    } cases[] = {{4, {2, 3, 4, 5}, {60, 20, 5, 1}, 0},
                 {4, {2, 3, 4, 5}, {60, 1, 15, 3}, 0},
                 {4, {2, 3, 4, 5}, {1, 2, 6, 24}, 0},
                 {4, {2, 3, 4, 5}, {100, 33, 8, 1}, 0},
                 {4, {2, 3, 4, 5}, {59, 20, 5, 1}, 1},
                 {4, {2, 3, 4, 5}, {60, 20, 4, 1}, 1},
                 {4, {2, 3, 4, 5}, {-60, -20, 5, 1}, 0},
                 {4, {2, 3, 4, 5}, {60, 20, -4, 1}, 1},
                 {4, {1, 3, 1, 5}, {1, 5, 1, 1}, 0}, /* strides of dims of size 1 are ignored */
                 {2, {2, 3}, {0, 1}, 1},
                 {2, {1, 3}, {0, 1}, 0},
                 {2, {2, 3}, {1, 1}, 1},
                 {2, {2, 3}, {3, 2}, 1}, /* interleaved, which counts as an overlap */
                 {1, {7}, {3}, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct anydnn_plugin_tensor tensor =
            tensor_of(F32, cases[i].ndims, cases[i].dims, cases[i].strides);

        assert_int_equal(adn_shape_overlaps(&tensor), cases[i].answer);
    }
}

/* The dims were measured on cuDNN 9.19 with cudnnInitTransformDest. */
static void transform_as_measured(void **state)
{
    static const struct {
        int direction;
        int64_t before[4];
        int64_t after[4];
        int64_t in[4];
        int64_t out[4];
    } cases[] = {{0, {0, 1, 0, 0}, {0, 1, 0, 0}, {2, 3, 8, 10}, {2, 20, 4, 5}},
                 {0, {0, 1, 0, 0}, {0, 1, 0, 0}, {2, 3, 9, 11}, {2, 20, 5, 6}},
                 {1, {0}, {0}, {2, 12, 9, 11}, {2, 3, 18, 22}},
                 {1, {0, 1, 0, 0}, {0, 1, 0, 0}, {2, 12, 9, 11}, {2, 5, 18, 22}},
                 {1, {0, 0, 1, 2}, {0, 0, 3, 2}, {2, 12, 9, 11}, {2, 3, 22, 26}},
                 {0, {0, 0, 1, 2}, {0, 0, 3, 2}, {2, 12, 9, 11}, {2, 48, 7, 8}}};
    int64_t out[8];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct anydnn_plugin_transform transform = {.direction = cases[i].direction,
                                                    .fold = {2, 2}};

        memcpy(transform.pad_before, cases[i].before, sizeof(cases[i].before));
        memcpy(transform.pad_after, cases[i].after, sizeof(cases[i].after));
        assert_int_equal(adn_shape_transform(&transform, 4, cases[i].in, out), 0);
        assert_memory_equal(out, cases[i].out, sizeof(cases[i].out));
    }
}

static void transform_that_cannot_be(void **state)
{
    struct anydnn_plugin_transform transform = {.direction = 1, .fold = {2, 3}};
    static const int64_t dims[] = {2, 9, 4, 5};
    int64_t out[8] = {7};

    (void)state;
    assert_int_equal(adn_shape_transform(&transform, 4, dims, out), -1); /* 9 by 6 */
    transform.direction = 0;
    transform.pad_before[2] = -4;
    assert_int_equal(adn_shape_transform(&transform, 4, dims, out), -1); /* nothing remains of 4 */
    transform.pad_before[2] = INT64_MAX;
    assert_int_equal(adn_shape_transform(&transform, 4, dims, out), -1);
    transform.pad_before[2] = 0;
    transform.fold[0] = 0;
    assert_int_equal(adn_shape_transform(&transform, 4, dims, out), -1);
    assert_int_equal(out[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(convolution_out_counts_positions),
                                       cmocka_unit_test(convolution_out_never_overflows),
                                       cmocka_unit_test(pooling_out_takes_any_padding),
                                       cmocka_unit_test(strides_of_each_format),
                                       cmocka_unit_test(strides_of_vectors),
                                       cmocka_unit_test(strides_that_do_not_fit),
                                       cmocka_unit_test(span_counts_gaps),
                                       cmocka_unit_test(span_of_vectors),
                                       cmocka_unit_test(sizes_that_do_not_fit),
                                       cmocka_unit_test(overlaps),
                                       cmocka_unit_test(transform_as_measured),
                                       cmocka_unit_test(transform_that_cannot_be)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
