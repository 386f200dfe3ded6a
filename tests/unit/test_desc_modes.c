/* SPDX-License-Identifier: Apache-2.0 */
/* Tests descriptors that hold modes (activation, LRN, op tensor, reduce tensor, transform) and
 * their lifetimes. */
#include "tests/unit/desc_fixture.h"

#include <math.h>

#include "desc/desc.h"

static void activation_modes(void **state)
{
    anydnnActivationDescriptor_t desc;
    anydnnActivationMode_t mode;
    anydnnNanPropagation_t nan;
    double coef;

    (void)state;
    assert_ok(anydnnCreateActivationDescriptor(&desc));
    for (int i = 0; i <= 6; i++) {
        assert_ok(anydnnSetActivationDescriptor(desc, (anydnnActivationMode_t)i,
                                                ANYDNN_PROPAGATE_NAN, -1.5));
        assert_ok(anydnnGetActivationDescriptor(desc, &mode, &nan, &coef));
        assert_int_equal(mode, i);
        assert_int_equal(nan, ANYDNN_PROPAGATE_NAN);
        assert_true(coef == -1.5);
    }
    assert_refused(
        anydnnSetActivationDescriptor(desc, (anydnnActivationMode_t)7, ANYDNN_PROPAGATE_NAN, 0),
        BAD_PARAM, "anydnnSetActivationDescriptor: mode is 7");
    assert_refused(
        anydnnSetActivationDescriptor(desc, ANYDNN_ACTIVATION_RELU, (anydnnNanPropagation_t)2, 0),
        BAD_PARAM, "reluNanOpt is 2");
    assert_refused(anydnnGetActivationDescriptor(desc, &mode, NULL, &coef), BAD_PARAM,
                   "reluNanOpt is NULL");
    assert_ok(anydnnDestroyActivationDescriptor(desc));
}

/* cuDNN stores coef and beta separately; backends receive the one that the mode uses. */
static void activation_coefficients(void **state)
{
    anydnnActivationDescriptor_t desc;
    anydnnActivationMode_t mode;
    anydnnNanPropagation_t nan;
    double value;

    (void)state;
    assert_ok(anydnnCreateActivationDescriptor(&desc));
    assert_ok(anydnnGetActivationDescriptorSwishBeta(desc, &value));
    assert_true(value == 1);
    assert_ok(anydnnSetActivationDescriptorSwishBeta(desc, 2.5));
    assert_false(adn_desc_usable(desc, ADN_DESC_ACTIVATION));
    assert_ok(anydnnSetActivationDescriptor(desc, ANYDNN_ACTIVATION_SWISH, ANYDNN_NOT_PROPAGATE_NAN,
                                            3.5));
    assert_ok(anydnnGetActivationDescriptor(desc, &mode, &nan, &value));
    assert_true(value == 3.5);
    assert_true(desc->a.coef == 2.5);
    assert_ok(
        anydnnSetActivationDescriptor(desc, ANYDNN_ACTIVATION_ELU, ANYDNN_NOT_PROPAGATE_NAN, 3.5));
    assert_true(desc->a.coef == 3.5);
    assert_ok(
        anydnnSetActivationDescriptor(desc, ANYDNN_ACTIVATION_RELU, ANYDNN_NOT_PROPAGATE_NAN, 3.5));
    assert_true(desc->a.coef == 0);
    assert_ok(anydnnGetActivationDescriptorSwishBeta(desc, &value));
    assert_true(value == 2.5);
    assert_ok(anydnnDestroyActivationDescriptor(desc));
}

static void lrn(void **state)
{
    anydnnLRNDescriptor_t desc;
    unsigned n = 0;
    double a = 0, b = 0, k = 0;

    (void)state;
    assert_ok(anydnnCreateLRNDescriptor(&desc));
    assert_ok(anydnnGetLRNDescriptor(desc, &n, &a, &b, &k));
    assert_true(n == 5 && a == 1e-4 && b == 0.75 && k == 2);
    assert_true(adn_desc_usable(desc, ADN_DESC_LRN)); /* the defaults are usable */
    for (unsigned i = 1; i <= 16; i++)                /* also even ones */
        assert_ok(anydnnSetLRNDescriptor(desc, i, -1, 0.01, 1e-5));
    assert_ok(anydnnSetLRNDescriptor(desc, 4, 0, 1, 1));
    assert_refused(anydnnSetLRNDescriptor(desc, 0, 1, 1, 1), BAD_PARAM,
                   "lrnN is 0; it must be from");
    assert_refused(anydnnSetLRNDescriptor(desc, 17, 1, 1, 1), BAD_PARAM, "lrnN is 17");
    assert_refused(anydnnSetLRNDescriptor(desc, 4294967295u, 1, 1, 1), BAD_PARAM,
                   "lrnN is 4294967295");
    assert_refused(anydnnSetLRNDescriptor(desc, 5, 1, 0.0099, 1), BAD_PARAM, "lrnBeta is 0.0099");
    assert_refused(anydnnSetLRNDescriptor(desc, 5, 1, nan(""), 1), BAD_PARAM, "lrnBeta is");
    assert_refused(anydnnSetLRNDescriptor(desc, 5, 1, 1, 9e-6), BAD_PARAM, "lrnK is 9e-06");
    assert_ok(anydnnGetLRNDescriptor(desc, NULL, NULL, NULL, NULL));
    assert_ok(anydnnGetLRNDescriptor(desc, &n, NULL, NULL, &k));
    assert_true(n == 4 && k == 1);
    assert_ok(anydnnDestroyLRNDescriptor(desc));
}

static void op_tensor(void **state)
{
    anydnnOpTensorDescriptor_t desc;
    anydnnNanPropagation_t nan;
    anydnnOpTensorOp_t op;
    anydnnDataType_t type;

    (void)state;
    assert_ok(anydnnCreateOpTensorDescriptor(&desc));
    for (int i = 0; i <= 5; i++)
        assert_ok(anydnnSetOpTensorDescriptor(desc, (anydnnOpTensorOp_t)i, ANYDNN_DATA_DOUBLE,
                                              ANYDNN_PROPAGATE_NAN));
    assert_refused(anydnnSetOpTensorDescriptor(desc, (anydnnOpTensorOp_t)6, ANYDNN_DATA_FLOAT,
                                               ANYDNN_PROPAGATE_NAN),
                   BAD_PARAM, "opTensorOp is 6");
    assert_refused(anydnnSetOpTensorDescriptor(desc, ANYDNN_OP_TENSOR_ADD, ANYDNN_DATA_INT32,
                                               ANYDNN_PROPAGATE_NAN),
                   BAD_PARAM, "opTensorCompType is 4; it must be float, double or half");
    assert_refused(anydnnSetOpTensorDescriptor(desc, ANYDNN_OP_TENSOR_ADD, ANYDNN_DATA_FLOAT,
                                               (anydnnNanPropagation_t)-1),
                   BAD_PARAM, "opTensorNanOpt is -1");
    assert_ok(anydnnGetOpTensorDescriptor(desc, &op, &type, &nan));
    assert_true(op == ANYDNN_OP_TENSOR_NOT && type == ANYDNN_DATA_DOUBLE &&
                nan == ANYDNN_PROPAGATE_NAN);
    assert_ok(anydnnDestroyOpTensorDescriptor(desc));
}

static anydnnStatus_t set_reduce(anydnnReduceTensorDescriptor_t desc, int op, int type, int nan,
                                 int indices, int indices_type)
{
    return anydnnSetReduceTensorDescriptor(
        desc, (anydnnReduceTensorOp_t)op, (anydnnDataType_t)type, (anydnnNanPropagation_t)nan,
        (anydnnReduceTensorIndices_t)indices, (anydnnIndicesType_t)indices_type);
}

static void reduce_tensor(void **state)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_UINT32, ANYDNN_PLUGIN_UINT64,
                                    ANYDNN_PLUGIN_UINT16, ANYDNN_PLUGIN_UINT8};
    anydnnReduceTensorDescriptor_t desc;
    anydnnReduceTensorIndices_t indices;
    anydnnIndicesType_t indices_type;
    anydnnNanPropagation_t nan;
    anydnnReduceTensorOp_t op;
    anydnnDataType_t type;

    (void)state;
    assert_ok(anydnnCreateReduceTensorDescriptor(&desc));
    for (int i = 0; i <= 8; i++)
        assert_ok(set_reduce(desc, i, 0, 0, 0, 0));
    for (int i = 0; i <= 3; i++) {
        assert_ok(set_reduce(desc, ANYDNN_REDUCE_TENSOR_MAX, ANYDNN_DATA_HALF, 1, 1, i));
        assert_int_equal(adn_desc_indices_type(i), types[i]);
    }
    assert_refused(set_reduce(desc, 9, 0, 0, 0, 0), BAD_PARAM, "reduceTensorOp is 9");
    assert_refused(set_reduce(desc, 0, 4, 0, 0, 0), BAD_PARAM, "reduceTensorCompType is 4");
    assert_refused(set_reduce(desc, 0, 0, 2, 0, 0), BAD_PARAM, "reduceTensorNanOpt is 2");
    assert_refused(set_reduce(desc, 0, 0, 0, 2, 0), BAD_PARAM, "reduceTensorIndices is 2");
    assert_refused(set_reduce(desc, 0, 0, 0, 1, 4), BAD_PARAM, "reduceTensorIndicesType is 4");
    assert_ok(anydnnGetReduceTensorDescriptor(desc, &op, &type, &nan, &indices, &indices_type));
    assert_true(op == ANYDNN_REDUCE_TENSOR_MAX && type == ANYDNN_DATA_HALF &&
                nan == ANYDNN_PROPAGATE_NAN && indices == ANYDNN_REDUCE_TENSOR_FLATTENED_INDICES &&
                indices_type == ANYDNN_8BIT_INDICES);
    assert_ok(anydnnDestroyReduceTensorDescriptor(desc));
}

static void transform_set_and_get(void **state)
{
    static const int32_t before[] = {0, 1, -2, 3};
    static const int32_t after[] = {0, 4, 5, 6};
    static const uint32_t fold[] = {2, 3};
    anydnnTensorTransformDescriptor_t desc;
    anydnnFoldingDirection_t direction;
    anydnnTensorFormat_t format;
    int32_t b[4], a[4];
    uint32_t f[2];

    (void)state;
    assert_ok(anydnnCreateTensorTransformDescriptor(&desc));
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 4, ANYDNN_TENSOR_NHWC, before, after, fold,
                                                 ANYDNN_TRANSFORM_UNFOLD));
    assert_ok(anydnnGetTensorTransformDescriptor(desc, 4, &format, b, a, f, &direction));
    assert_memory_equal(b, before, sizeof(b));
    assert_memory_equal(a, after, sizeof(a));
    assert_memory_equal(f, fold, sizeof(f));
    assert_true(format == ANYDNN_TENSOR_NHWC && direction == ANYDNN_TRANSFORM_UNFOLD);
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 5, ANYDNN_TENSOR_NCHW, NULL, NULL, NULL,
                                                 ANYDNN_TRANSFORM_FOLD));
    assert_ok(anydnnGetTensorTransformDescriptor(desc, 4, &format, b, NULL, f, &direction));
    assert_true(b[2] == 0 && f[0] == 1 && f[1] == 1);
    assert_ok(anydnnDestroyTensorTransformDescriptor(desc));
}

static void transform_refusals(void **state)
{
    static const uint32_t zero[] = {1, 0};
    anydnnTensorTransformDescriptor_t desc;

    (void)state;
    assert_ok(anydnnCreateTensorTransformDescriptor(&desc));
    assert_refused(anydnnSetTensorTransformDescriptor(desc, 1, ANYDNN_TENSOR_NCHW, NULL, NULL, NULL,
                                                      ANYDNN_TRANSFORM_FOLD),
                   BAD_PARAM, "nbDims is 1");
    assert_refused(anydnnSetTensorTransformDescriptor(desc, 9, ANYDNN_TENSOR_NCHW, NULL, NULL, NULL,
                                                      ANYDNN_TRANSFORM_FOLD),
                   NOT_SUPPORTED, "nbDims is 9");
    assert_refused(anydnnSetTensorTransformDescriptor(desc, 4, (anydnnTensorFormat_t)3, NULL, NULL,
                                                      NULL, ANYDNN_TRANSFORM_FOLD),
                   BAD_PARAM, "destFormat is 3");
    assert_refused(anydnnSetTensorTransformDescriptor(desc, 4, ANYDNN_TENSOR_NCHW, NULL, NULL, NULL,
                                                      (anydnnFoldingDirection_t)2),
                   BAD_PARAM, "direction is 2");
    assert_refused(anydnnSetTensorTransformDescriptor(desc, 4, ANYDNN_TENSOR_NCHW, NULL, NULL, zero,
                                                      ANYDNN_TRANSFORM_FOLD),
                   BAD_PARAM, "fold 1 is 0");
    assert_ok(anydnnDestroyTensorTransformDescriptor(desc));
}

/* The dims, strides and bytes were measured on cuDNN 9.19. */
static void transform_destination(void **state)
{
    static const int32_t pads[] = {0, 1, 0, 0};
    static const uint32_t fold[] = {2, 2};
    static const int wanted[] = {2, 20, 4, 5, 400, 20, 5, 1};
    static const int unfolded[] = {2, 3, 18, 22, 1188, 1, 66, 3};
    anydnnTensorTransformDescriptor_t desc;
    anydnnTensorDescriptor_t from, to;
    anydnnDataType_t type;
    size_t bytes = 7;
    int v[8];

    (void)state;
    assert_ok(anydnnCreateTensorTransformDescriptor(&desc));
    assert_ok(anydnnCreateTensorDescriptor(&from));
    assert_ok(anydnnCreateTensorDescriptor(&to));
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 4, ANYDNN_TENSOR_NCHW, pads, pads, fold,
                                                 ANYDNN_TRANSFORM_FOLD));
    assert_ok(
        anydnnSetTensor4dDescriptor(from, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_FLOAT, 2, 3, 8, 10));
    assert_ok(anydnnInitTransformDest(desc, from, to, &bytes));
    assert_int_equal(bytes, 3200);
    assert_ok(
        anydnnGetTensor4dDescriptor(to, &type, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7));
    assert_memory_equal(v, wanted, sizeof(v));
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 4, ANYDNN_TENSOR_NHWC, NULL, NULL, fold,
                                                 ANYDNN_TRANSFORM_UNFOLD));
    assert_refused(anydnnInitTransformDest(desc, from, to, &bytes), BAD_PARAM,
                   "its 3 channels are not divisible");
    assert_int_equal(bytes, 3200);
    assert_ok(
        anydnnSetTensor4dDescriptor(from, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_HALF, 2, 12, 9, 11));
    assert_ok(anydnnInitTransformDest(desc, from, to, &bytes));
    assert_int_equal(bytes, 2376 * 2);
    assert_ok(
        anydnnGetTensor4dDescriptor(to, &type, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7));
    assert_memory_equal(v, unfolded, sizeof(v));
    assert_int_equal(type, ANYDNN_DATA_HALF);
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 5, ANYDNN_TENSOR_NHWC, NULL, NULL, NULL,
                                                 ANYDNN_TRANSFORM_UNFOLD));
    assert_refused(anydnnInitTransformDest(desc, from, to, &bytes), BAD_PARAM,
                   "transformDesc has 5 dims and srcDesc has 4");
    assert_ok(anydnnDestroyTensorDescriptor(from));
    assert_ok(anydnnDestroyTensorDescriptor(to));
    assert_ok(anydnnDestroyTensorTransformDescriptor(desc));
}

static void every_kind_refuses_null(void **state)
{
    (void)state;
    assert_refused(anydnnCreateActivationDescriptor(NULL), BAD_PARAM, "activationDesc is NULL");
    assert_refused(anydnnCreateLRNDescriptor(NULL), BAD_PARAM, "normDesc is NULL");
    assert_refused(anydnnCreateOpTensorDescriptor(NULL), BAD_PARAM, "opTensorDesc is NULL");
    assert_refused(anydnnCreateReduceTensorDescriptor(NULL), BAD_PARAM, "reduceTensorDesc is NULL");
    assert_refused(anydnnCreateTensorTransformDescriptor(NULL), BAD_PARAM, "transformDesc is NULL");
    assert_refused(anydnnSetLRNDescriptor(NULL, 5, 1, 1, 1), BAD_PARAM,
                   "it must be an LRN descriptor");
    assert_ok(anydnnDestroyActivationDescriptor(NULL));
    assert_ok(anydnnDestroyLRNDescriptor(NULL));
    assert_ok(anydnnDestroyOpTensorDescriptor(NULL));
    assert_ok(anydnnDestroyReduceTensorDescriptor(NULL));
    assert_ok(anydnnDestroyTensorTransformDescriptor(NULL));
}

/* A pointer to something other than a descriptor is detected, too. */
static void strangers(void **state)
{
    uint64_t words[16] = {0};

    (void)state;
    assert_refused(anydnnDestroyLRNDescriptor((anydnnLRNDescriptor_t)(void *)words), BAD_PARAM,
                   "lrnDesc is an invalid or destroyed descriptor");
    assert_refused(anydnnSetLRNDescriptor((anydnnLRNDescriptor_t)(void *)words, 5, 1, 1, 1),
                   BAD_PARAM, "normDesc is an invalid or destroyed descriptor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(activation_modes),
                                       cmocka_unit_test(activation_coefficients),
                                       cmocka_unit_test(lrn),
                                       cmocka_unit_test(op_tensor),
                                       cmocka_unit_test(reduce_tensor),
                                       cmocka_unit_test(transform_set_and_get),
                                       cmocka_unit_test(transform_refusals),
                                       cmocka_unit_test(transform_destination),
                                       cmocka_unit_test(every_kind_refuses_null),
                                       cmocka_unit_test(strangers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
