/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how entries treat wrong, ignored and alternative arguments, size queries, and the number
 * of algorithms. */
#include "tests/dispatch/fixture.h"

#include <string.h>

#define BAD ANYDNN_STATUS_BAD_PARAM

static const float one = 1, zero = 0, half = 0.5f;

struct things {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t x, p;
    void *d[12];
};

static struct things make(void)
{
    struct things made = {.handle = fixture_handle("mock_a"),
                          .x = fixture_tensor("f32:2,3,4,5"),
                          .p = fixture_tensor("f32:1,3,1,1")};

    for (int i = 0; i < 12; i++)
        made.d[i] = fixture_data(i);
    return made;
}

static void modes_that_are_none(void **state)
{
    struct things t = make();
    anydnnLRNDescriptor_t lrn = NULL;

    (void)state;
    assert_fails(anydnnSoftmaxForward(t.handle, (anydnnSoftmaxAlgorithm_t)3,
                                      ANYDNN_SOFTMAX_MODE_CHANNEL, &one, t.x, t.d[0], &zero, t.x,
                                      t.d[1]),
                 BAD, "anydnnSoftmaxForward: softmax is 3; it is out of range 0..2");
    assert_fails(anydnnSoftmaxForward(t.handle, ANYDNN_SOFTMAX_LOG, (anydnnSoftmaxMode_t)-1, &one,
                                      t.x, t.d[0], &zero, t.x, t.d[1]),
                 BAD, "mode is -1; it is out of range 0..1");
    assert_ok(anydnnCreateLRNDescriptor(&lrn));
    assert_fails(anydnnLRNCrossChannelForward(t.handle, lrn, (anydnnLRNMode_t)1, &one, t.x, t.d[0],
                                              &zero, t.x, t.d[1]),
                 BAD, "lrnMode is 1; ANYDNN_LRN_CROSS_CHANNEL_DIM1 is the only mode");
    assert_fails(anydnnDivisiveNormalizationForward(t.handle, lrn, (anydnnDivNormMode_t)1, &one,
                                                    t.x, t.d[0], NULL, t.d[2], t.d[3], &zero, t.x,
                                                    t.d[4]),
                 BAD, "mode is 1; ANYDNN_DIVNORM_PRECOMPUTED_MEANS is the only mode");
    assert_ok(anydnnDestroyLRNDescriptor(lrn));
    assert_fails(anydnnBatchNormalizationForwardInference(t.handle, (anydnnBatchNormMode_t)3, &one,
                                                          &zero, t.x, t.d[0], t.x, t.d[1], t.p,
                                                          t.d[2], t.d[3], t.d[4], t.d[5], 1e-5),
                 BAD, "mode is 3; it is out of range 0..2");
}

/* If several arguments are bad, the sentence names the first in the entry's order. Rules that
 * the entry checks itself come later. */
static void the_first_bad_argument_is_named(void **state)
{
    struct things t = make();
    anydnnLRNDescriptor_t lrn = NULL;
    anydnnDropoutDescriptor_t dropout = NULL;

    (void)state;
    assert_fails(anydnnPoolingForward(t.handle, NULL, NULL, NULL, NULL, NULL, NULL, NULL), BAD,
                 "anydnnPoolingForward: poolingDesc is NULL");
    assert_fails(anydnnPoolingBackward(t.handle, NULL, &one, t.x, NULL, t.x, NULL, t.x, NULL, &zero,
                                       t.x, NULL),
                 BAD, "anydnnPoolingBackward: poolingDesc is NULL");
    assert_fails(anydnnSoftmaxForward(t.handle, ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                      NULL, t.x, NULL, NULL, NULL, t.d[1]),
                 BAD, "anydnnSoftmaxForward: x is NULL");
    assert_fails(anydnnSoftmaxForward(t.handle, ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                      &one, t.x, t.d[0], NULL, t.x, t.d[1]),
                 BAD, "anydnnSoftmaxForward: beta is NULL");
    assert_ok(anydnnCreateLRNDescriptor(&lrn));
    assert_fails(anydnnLRNCrossChannelForward(t.handle, lrn, (anydnnLRNMode_t)1, &one, t.x, NULL,
                                              &zero, t.x, t.d[1]),
                 BAD, "anydnnLRNCrossChannelForward: x is NULL");
    assert_ok(anydnnDestroyLRNDescriptor(lrn));
    assert_ok(anydnnCreateDropoutDescriptor(&dropout));
    assert_fails(anydnnDropoutForward(t.handle, dropout, t.x, NULL, t.x, t.d[1], t.d[2], 8), BAD,
                 "anydnnDropoutForward: dropoutDesc");
    assert_ok(anydnnDestroyDropoutDescriptor(dropout));
    assert_fails(anydnnBatchNormalizationForwardTraining(
                     t.handle, ANYDNN_BATCHNORM_SPATIAL, &one, NULL, t.x, t.d[0], t.x, t.d[1], t.p,
                     t.d[2], t.d[3], 2, NULL, NULL, 1e-5, NULL, NULL),
                 BAD, "anydnnBatchNormalizationForwardTraining: beta is NULL");
}

static void a_refused_call_leaves_the_record(void **state)
{
    struct things t = make();

    (void)state;
    assert_ok(anydnnScaleTensor(t.handle, t.x, t.d[0], &half));
    assert_fails(anydnnSoftmaxForward(t.handle, (anydnnSoftmaxAlgorithm_t)3,
                                      ANYDNN_SOFTMAX_MODE_CHANNEL, &one, t.x, t.d[0], &zero, t.x,
                                      t.d[1]),
                 BAD, "softmax is 3");
    assert_string_equal(fixture_record(t.handle, "operation"), "scale_tensor");
}

static anydnnStatus_t train(const struct things *t, double factor, double epsilon, int running_mean,
                            int running_var, int save_mean, int save_inv_var)
{
    return anydnnBatchNormalizationForwardTraining(
        t->handle, ANYDNN_BATCHNORM_SPATIAL, &one, &zero, t->x, t->d[0], t->x, t->d[1], t->p,
        t->d[2], t->d[3], factor, running_mean ? t->d[4] : NULL, running_var ? t->d[5] : NULL,
        epsilon, save_mean ? t->d[6] : NULL, save_inv_var ? t->d[7] : NULL);
}

static void batch_normalization_pairs_and_numbers(void **state)
{
    struct things t = make();

    (void)state;
    assert_ok(train(&t, 1, 1e-5, 1, 1, 1, 1));
    assert_ok(train(&t, 0, 0, 0, 0, 1, 1));
    assert_ok(train(&t, 0.5, 0, 1, 1, 0, 0));
    assert_fails(train(&t, 1, 1e-5, 1, 0, 1, 1), BAD,
                 "only one of running_mean and running_var is given");
    assert_fails(train(&t, 1, 1e-5, 0, 1, 1, 1), BAD, "both or neither");
    assert_fails(train(&t, 1, 1e-5, 1, 1, 1, 0), BAD,
                 "only one of save_mean and save_inv_var is given");
    assert_fails(train(&t, 1.5, 1e-5, 1, 1, 1, 1), BAD, "exponentialAverageFactor is 1.5");
    assert_fails(train(&t, -0.1, 1e-5, 1, 1, 1, 1), BAD, "it must be 0 to 1");
    assert_fails(train(&t, 1, -1, 1, 1, 1, 1), BAD, "epsilon is -1");
}

static anydnnStatus_t fuse(const struct things *t, const float *alpha2, anydnnTensorDescriptor_t z,
                           const void *zData, void *y)
{
    anydnnActivationDescriptor_t relu = NULL;
    anydnnStatus_t status;

    assert_ok(anydnnCreateActivationDescriptor(&relu));
    assert_ok(
        anydnnSetActivationDescriptor(relu, ANYDNN_ACTIVATION_RELU, ANYDNN_NOT_PROPAGATE_NAN, 0));
    status = anydnnConvolutionBiasActivationForward(
        t->handle, &one, t->x, t->d[0], fixture_filter("f32:4,3,1,1"), t->d[1],
        fixture_convolution("0,0;1,1;1,1;1;cross;f32"), ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
        NULL, 0, alpha2, z, zData, fixture_tensor("f32:1,4,1,1"), t->d[3], relu,
        fixture_tensor("f32:2,4,4,5"), y);
    anydnnDestroyActivationDescriptor(relu);
    return status;
}

/* The addend z is read only if alpha2 is not 0. */
static void the_fused_addend(void **state)
{
    struct things t = make();
    anydnnTensorDescriptor_t z = fixture_tensor("f32:2,4,4,5");

    (void)state;
    assert_ok(fuse(&t, &zero, NULL, NULL, t.d[4]));
    assert_holds(fixture_record(t.handle, "problem"), "without=z");
    assert_ok(fuse(&t, &zero, z, t.d[4], t.d[4]));
    assert_holds(fixture_record(t.handle, "problem"), "without=z");
    assert_ok(fuse(&t, &half, z, t.d[2], t.d[4]));
    assert_holds(fixture_record(t.handle, "problem"), "z=f32:2,4,4,5:nchw");
    assert_null(strstr(fixture_record(t.handle, "problem"), "alias"));
    assert_ok(fuse(&t, &half, z, t.d[4], t.d[4]));
    assert_holds(fixture_record(t.handle, "problem"), "alias=y:z");
    assert_fails(fuse(&t, &half, z, NULL, t.d[4]), BAD, "z is NULL");
    assert_fails(fuse(&t, &half, NULL, t.d[2], t.d[4]), BAD, "zDesc is NULL");
    assert_fails(fuse(&t, &half, z, t.d[2], t.d[0]), BAD, "same address as x");
}

static anydnnStatus_t op(const struct things *t, anydnnOpTensorOp_t kind,
                         anydnnTensorDescriptor_t b, const void *B, void *C)
{
    anydnnOpTensorDescriptor_t desc = NULL;
    anydnnStatus_t status;

    assert_ok(anydnnCreateOpTensorDescriptor(&desc));
    assert_ok(anydnnSetOpTensorDescriptor(desc, kind, ANYDNN_DATA_FLOAT, ANYDNN_NOT_PROPAGATE_NAN));
    status = anydnnOpTensor(t->handle, desc, &one, t->x, t->d[0], B ? &half : NULL, b, B, &zero,
                            t->x, C);
    anydnnDestroyOpTensorDescriptor(desc);
    return status;
}

/* The rule is "C may be A in place, and B only if A is C, too". SQRT and NOT use A alone. */
static void op_tensor_in_place_and_of_one(void **state)
{
    struct things t = make();
    const struct things same = {t.handle, t.x, t.p, {t.d[2]}};

    (void)state;
    assert_ok(op(&t, ANYDNN_OP_TENSOR_ADD, t.x, t.d[1], t.d[2]));
    assert_ok(op(&t, ANYDNN_OP_TENSOR_ADD, t.x, t.d[1], t.d[0]));
    assert_holds(fixture_record(t.handle, "problem"), "alias=c:a");
    assert_ok(op(&same, ANYDNN_OP_TENSOR_ADD, t.x, t.d[2], t.d[2]));
    assert_fails(op(&t, ANYDNN_OP_TENSOR_ADD, t.x, t.d[2], t.d[2]), BAD, "same address as b");
    assert_fails(op(&same, ANYDNN_OP_TENSOR_ADD, t.p, t.d[2], t.d[2]), BAD,
                 "same address as b; in-place operands need the same descriptor");
    assert_ok(op(&t, ANYDNN_OP_TENSOR_SQRT, NULL, NULL, t.d[2]));
    assert_ok(op(&t, ANYDNN_OP_TENSOR_NOT, NULL, NULL, t.d[0]));
    assert_fails(op(&t, ANYDNN_OP_TENSOR_MUL, NULL, t.d[1], t.d[2]), BAD, "bDesc is NULL");
}

static void transforms_that_pad_do_not_blend(void **state)
{
    struct things t = make();
    anydnnTensorTransformDescriptor_t desc = NULL;
    const int32_t pad[] = {0, 0, 1, 0};

    (void)state;
    assert_ok(anydnnCreateTensorTransformDescriptor(&desc));
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 4, ANYDNN_TENSOR_NCHW, NULL, NULL, NULL,
                                                 ANYDNN_TRANSFORM_FOLD));
    assert_ok(anydnnTransformTensorEx(t.handle, desc, &half, t.x, t.d[0], &half, t.x, t.d[1]));
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 4, ANYDNN_TENSOR_NCHW, pad, NULL, NULL,
                                                 ANYDNN_TRANSFORM_FOLD));
    assert_fails(anydnnTransformTensorEx(t.handle, desc, &half, t.x, t.d[0], &zero,
                                         fixture_tensor("f32:2,3,5,5"), t.d[1]),
                 BAD, "alpha is 0.5 and beta is 0; with padding or folding they must be 1 and 0");
    assert_ok(anydnnSetTensorTransformDescriptor(desc, 3, ANYDNN_TENSOR_NCHW, NULL, NULL, NULL,
                                                 ANYDNN_TRANSFORM_FOLD));
    assert_fails(anydnnTransformTensorEx(t.handle, desc, &one, t.x, t.d[0], &zero, t.x, t.d[1]),
                 BAD, "transDesc has 3 dims and the source 4");
    assert_ok(anydnnDestroyTensorTransformDescriptor(desc));
}

static void reductions_and_their_sizes(void **state)
{
    struct things t = make();
    anydnnReduceTensorDescriptor_t desc = NULL;
    anydnnTensorDescriptor_t c = fixture_tensor("f32:2,3,1,1");
    size_t bytes = 77;

    (void)state;
    fixture_set("mock_a", "workspace", "640");
    assert_ok(anydnnCreateReduceTensorDescriptor(&desc));
    assert_ok(anydnnSetReduceTensorDescriptor(
        desc, ANYDNN_REDUCE_TENSOR_MAX, ANYDNN_DATA_FLOAT, ANYDNN_PROPAGATE_NAN,
        ANYDNN_REDUCE_TENSOR_FLATTENED_INDICES, ANYDNN_64BIT_INDICES));
    assert_ok(anydnnGetReductionIndicesSize(t.handle, desc, t.x, c, &bytes));
    assert_int_equal(bytes, 2 * 3 * 8);
    assert_ok(anydnnGetReductionWorkspaceSize(t.handle, desc, t.x, c, &bytes));
    assert_int_equal(bytes, 640);
    assert_int_equal(fixture_number(t.handle, "pins"), 1);
    assert_fails(anydnnReduceTensor(t.handle, desc, t.d[2], 47, t.d[3], 640, &one, t.x, t.d[0],
                                    &zero, c, t.d[1]),
                 BAD, "indicesSizeInBytes is 47; it must be at least 48");
    assert_ok(anydnnReduceTensor(t.handle, desc, t.d[2], 48, t.d[3], 640, &one, t.x, t.d[0], &zero,
                                 c, t.d[1]));
    assert_string_equal(fixture_record(t.handle, "plan"), "equal"); /* equal to the query's plan */
    assert_ok(anydnnSetReduceTensorDescriptor(desc, ANYDNN_REDUCE_TENSOR_ADD, ANYDNN_DATA_FLOAT,
                                              ANYDNN_PROPAGATE_NAN, ANYDNN_REDUCE_TENSOR_NO_INDICES,
                                              ANYDNN_32BIT_INDICES));
    assert_ok(anydnnGetReductionIndicesSize(t.handle, desc, t.x, c, &bytes));
    assert_int_equal(bytes, 0);
    assert_ok(anydnnReduceTensor(t.handle, desc, NULL, 0, t.d[3], 640, &one, t.x, t.d[0], &zero, c,
                                 t.d[1]));
    assert_fails(anydnnGetReductionWorkspaceSize(t.handle, desc, t.x, c, NULL), BAD,
                 "sizeInBytes is NULL");
    assert_fails(anydnnGetReductionIndicesSize(t.handle, desc, t.x, NULL, &bytes), BAD,
                 "cDesc is NULL");
    assert_ok(anydnnDestroyReduceTensorDescriptor(desc));
}

static void batch_normalization_sizes(void **state)
{
    struct things t = make();
    anydnnActivationDescriptor_t relu = NULL;
    size_t bytes = 77;

    (void)state;
    fixture_set("mock_a", "workspace", "640");
    assert_ok(anydnnCreateActivationDescriptor(&relu));
    assert_ok(anydnnSetActivationDescriptor(relu, ANYDNN_ACTIVATION_RELU, ANYDNN_PROPAGATE_NAN, 0));
    assert_ok(anydnnGetBatchNormalizationTrainingExReserveSpaceSize(
        t.handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN_ACTIVATION, relu, t.x, &bytes));
    assert_int_equal(bytes, 15);
    assert_ok(anydnnGetBatchNormalizationTrainingExReserveSpaceSize(
        t.handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN, NULL, t.x, &bytes));
    assert_int_equal(bytes, 0);
    assert_ok(anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
        t.handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN, t.x, NULL, t.x, t.p, NULL,
        &bytes));
    assert_int_equal(bytes, 640);
    assert_ok(anydnnGetBatchNormalizationBackwardExWorkspaceSize(
        t.handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION, t.x, t.x, t.x,
        t.x, t.x, t.p, relu, &bytes));
    assert_int_equal(bytes, 640);
    assert_fails(anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                     t.handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION,
                     t.x, NULL, t.x, t.p, relu, &bytes),
                 BAD, "zDesc is NULL");
    assert_fails(anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                     t.handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN_ACTIVATION, t.x,
                     NULL, t.x, t.p, NULL, &bytes),
                 BAD, "activationDesc is NULL");
    assert_fails(anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                     t.handle, (anydnnBatchNormMode_t)5, ANYDNN_BATCHNORM_OPS_BN, t.x, NULL, t.x,
                     t.p, NULL, &bytes),
                 BAD, "mode is 5");
    assert_fails(anydnnGetBatchNormalizationBackwardExWorkspaceSize(
                     t.handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN, t.x, NULL, t.x,
                     NULL, t.x, NULL, NULL, &bytes),
                 BAD, "dBnScaleBiasDesc is NULL");
    assert_fails(
        anydnnGetBatchNormalizationTrainingExReserveSpaceSize(
            t.handle, ANYDNN_BATCHNORM_SPATIAL, (anydnnBatchNormOps_t)3, relu, t.x, &bytes),
        BAD, "bnOps is 3");
    assert_ok(anydnnDestroyActivationDescriptor(relu));
}

static void as_many_answers_as_there_can_be(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    int count = 0;

    (void)state;
    assert_ok(anydnnGetConvolutionForwardAlgorithmMaxCount(handle, &count));
    assert_int_equal(count, 8 * 4);
    assert_ok(anydnnGetConvolutionBackwardDataAlgorithmMaxCount(handle, &count));
    assert_int_equal(count, 6 * 4);
    assert_ok(anydnnGetConvolutionBackwardFilterAlgorithmMaxCount(handle, &count));
    assert_int_equal(count, 7 * 4);
    assert_fails(anydnnGetConvolutionForwardAlgorithmMaxCount(handle, NULL), BAD, "count is NULL");
}

#define arguments_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        arguments_test(modes_that_are_none),
        arguments_test(the_first_bad_argument_is_named),
        arguments_test(a_refused_call_leaves_the_record),
        arguments_test(batch_normalization_pairs_and_numbers),
        arguments_test(the_fused_addend),
        arguments_test(op_tensor_in_place_and_of_one),
        arguments_test(transforms_that_pad_do_not_blend),
        arguments_test(reductions_and_their_sizes),
        arguments_test(batch_normalization_sizes),
        arguments_test(as_many_answers_as_there_can_be),
    };

    return cmocka_run_group_tests_name("arguments", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
