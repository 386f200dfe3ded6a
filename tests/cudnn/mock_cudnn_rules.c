/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's older calls that compare descriptors, with the rules that cuDNN 9.19 was observed to
 * have: strides are compared by value, even those of dims of size 1. The mock refuses calls that
 * cuDNN runs with wrong results. */
#include "mock.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)

void mock_cudnn_count(int live, int adds, int fused);
void mock_cudnn_call(const char *name);

static cudnnStatus_t ran(const char *name, int permitted, cudnnStatus_t refused)
{
    mock_cudnn_call(name);
    return permitted ? CUDNN_STATUS_SUCCESS : refused;
}

/* ------------------------------------------------------------------ descriptors */

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *made)
{
    *made = calloc(1, sizeof(struct mock_tensor));
    mock_cudnn_count(1, 0, 0);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t made)
{
    free(made);
    mock_cudnn_count(-1, 0, 0);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                         int ndims, const int dims[], const int strides[])
{
    struct mock_tensor *of = (struct mock_tensor *)tensor;

    of->type = type;
    of->ndims = ndims;
    memcpy(of->dims, dims, (size_t)ndims * sizeof dims[0]);
    memcpy(of->strides, strides, (size_t)ndims * sizeof strides[0]);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor,
                                           cudnnTensorFormat_t format, cudnnDataType_t type,
                                           int ndims, const int dims[])
{
    struct mock_tensor *of = (struct mock_tensor *)tensor;

    of->type = type;
    of->ndims = ndims;
    of->vectors = format == CUDNN_TENSOR_NCHW_VECT_C;
    memcpy(of->dims, dims, (size_t)ndims * sizeof dims[0]);
    return CUDNN_STATUS_SUCCESS;
}

static int same(const cudnnTensorDescriptor_t a, const cudnnTensorDescriptor_t b)
{
    return memcmp(a, b, sizeof(struct mock_tensor)) == 0;
}

static int is_rows(const cudnnTensorDescriptor_t tensor)
{
    const struct mock_tensor *of = (const struct mock_tensor *)tensor;
    int step = 1, rows = 1;

    for (int d = of->ndims - 1; d >= 0; d--) {
        rows &= of->strides[d] == step;
        step *= of->dims[d];
    }
    return rows;
}

cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void *alpha,
                                           const cudnnTensorDescriptor_t dy_desc, const void *dy,
                                           const void *beta, const cudnnTensorDescriptor_t db_desc,
                                           void *db)
{
    (void)handle, (void)alpha, (void)dy, (void)beta, (void)db;
    return ran("cudnnConvolutionBackwardBias", is_rows(dy_desc) && is_rows(db_desc),
               CUDNN_STATUS_EXECUTION_FAILED);
}

/* ------------------------------------------------------------------ pooling */

cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *made)
{
    *made = calloc(1, sizeof(cudnnPoolingMode_t));
    mock_cudnn_count(1, 0, 0);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t made)
{
    free(made);
    mock_cudnn_count(-1, 0, 0);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t pooling,
                                          const cudnnPoolingMode_t mode,
                                          const cudnnNanPropagation_t nan, int ndims,
                                          const int window[], const int pad[], const int stride[])
{
    (void)nan, (void)ndims, (void)window, (void)pad, (void)stride;
    memcpy(pooling, &mode, sizeof mode);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t pooling,
                                  const void *alpha, const cudnnTensorDescriptor_t x_desc,
                                  const void *x, const void *beta,
                                  const cudnnTensorDescriptor_t y_desc, void *y)
{
    const struct mock_tensor *of = (const struct mock_tensor *)x_desc;

    (void)handle, (void)pooling, (void)alpha, (void)x, (void)beta, (void)y_desc, (void)y;
    return ran("cudnnPoolingForward", !of->vectors || of->ndims <= 4, CUDNN_STATUS_INTERNAL_ERROR);
}

cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t pooling,
                                   const void *alpha, const cudnnTensorDescriptor_t y_desc,
                                   const void *y, const cudnnTensorDescriptor_t dy_desc,
                                   const void *dy, const cudnnTensorDescriptor_t x_desc,
                                   const void *x, const void *beta,
                                   const cudnnTensorDescriptor_t dx_desc, void *dx)
{
    cudnnPoolingMode_t mode;

    (void)handle, (void)alpha, (void)y, (void)dy, (void)x, (void)beta, (void)dx;
    memcpy(&mode, pooling, sizeof mode);
    return ran("cudnnPoolingBackward",
               (mode != CUDNN_POOLING_MAX && mode != CUDNN_POOLING_MAX_DETERMINISTIC) ||
                   (same(y_desc, dy_desc) && same(x_desc, dx_desc)),
               CUDNN_STATUS_BAD_PARAM);
}

/* ------------------------------------------------------------------ element by element, rows */

cudnnStatus_t cudnnActivationBackward(cudnnHandle_t handle, cudnnActivationDescriptor_t activation,
                                      const void *alpha, const cudnnTensorDescriptor_t y_desc,
                                      const void *y, const cudnnTensorDescriptor_t dy_desc,
                                      const void *dy, const cudnnTensorDescriptor_t x_desc,
                                      const void *x, const void *beta,
                                      const cudnnTensorDescriptor_t dx_desc, void *dx)
{
    (void)handle, (void)activation, (void)alpha, (void)y, (void)dy, (void)x, (void)beta, (void)dx;
    return ran("cudnnActivationBackward",
               same(y_desc, dy_desc) && same(x_desc, dx_desc) && same(y_desc, dx_desc),
               CUDNN_STATUS_NOT_SUPPORTED);
}

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm,
                                  cudnnSoftmaxMode_t mode, const void *alpha,
                                  const cudnnTensorDescriptor_t x_desc, const void *x,
                                  const void *beta, const cudnnTensorDescriptor_t y_desc, void *y)
{
    (void)handle, (void)algorithm, (void)alpha, (void)x, (void)beta, (void)y;
    return ran("cudnnSoftmaxForward", mode != CUDNN_SOFTMAX_MODE_INSTANCE || same(x_desc, y_desc),
               CUDNN_STATUS_BAD_PARAM);
}

cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm,
                                   cudnnSoftmaxMode_t mode, const void *alpha,
                                   const cudnnTensorDescriptor_t y_desc, const void *y,
                                   const cudnnTensorDescriptor_t dy_desc, const void *dy,
                                   const void *beta, const cudnnTensorDescriptor_t dx_desc,
                                   void *dx)
{
    (void)handle, (void)algorithm, (void)mode, (void)alpha, (void)y, (void)dy, (void)beta, (void)dx;
    return ran("cudnnSoftmaxBackward", same(y_desc, dy_desc) && same(y_desc, dx_desc),
               CUDNN_STATUS_BAD_PARAM);
}

/* ------------------------------------------------------------------ normalizations */

static int is_packed_for(cudnnBatchNormMode_t mode, const cudnnTensorDescriptor_t parameters)
{
    return mode != CUDNN_BATCHNORM_PER_ACTIVATION || is_rows(parameters);
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t x_desc, const void *x, const cudnnTensorDescriptor_t y_desc,
    void *y, const cudnnTensorDescriptor_t parameters, const void *scale, const void *bias,
    const void *mean, const void *variance, double epsilon)
{
    (void)handle, (void)alpha, (void)beta, (void)x_desc, (void)x, (void)y_desc, (void)y;
    (void)scale, (void)bias, (void)mean, (void)variance, (void)epsilon;
    return ran("cudnnBatchNormalizationForwardInference", is_packed_for(mode, parameters),
               CUDNN_STATUS_BAD_PARAM);
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t x_desc, const void *x, const cudnnTensorDescriptor_t y_desc,
    void *y, const cudnnTensorDescriptor_t parameters, const void *scale, const void *bias,
    double factor, void *running_mean, void *running_var, double epsilon, void *save_mean,
    void *save_inv_var)
{
    (void)handle, (void)alpha, (void)beta, (void)x_desc, (void)x, (void)y_desc, (void)y;
    (void)scale, (void)bias, (void)factor, (void)running_mean, (void)running_var, (void)epsilon;
    (void)save_mean, (void)save_inv_var;
    return ran("cudnnBatchNormalizationForwardTraining", is_packed_for(mode, parameters),
               CUDNN_STATUS_BAD_PARAM);
}

cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha_data, const void *beta_data,
    const void *alpha_param, const void *beta_param, const cudnnTensorDescriptor_t x_desc,
    const void *x, const cudnnTensorDescriptor_t dy_desc, const void *dy,
    const cudnnTensorDescriptor_t dx_desc, void *dx, const cudnnTensorDescriptor_t parameters,
    const void *scale, void *dscale, void *dbias, double epsilon, const void *save_mean,
    const void *save_inv_var)
{
    (void)handle, (void)alpha_data, (void)beta_data, (void)alpha_param, (void)beta_param;
    (void)x_desc, (void)x, (void)dy_desc, (void)dy, (void)dx_desc, (void)dx, (void)scale;
    (void)dscale, (void)dbias, (void)epsilon, (void)save_mean, (void)save_inv_var;
    return ran("cudnnBatchNormalizationBackward", is_packed_for(mode, parameters),
               CUDNN_STATUS_BAD_PARAM);
}

cudnnStatus_t cudnnDivisiveNormalizationForward(cudnnHandle_t handle, cudnnLRNDescriptor_t lrn,
                                                cudnnDivNormMode_t mode, const void *alpha,
                                                const cudnnTensorDescriptor_t x_desc, const void *x,
                                                const void *means, void *temp, void *temp2,
                                                const void *beta,
                                                const cudnnTensorDescriptor_t y_desc, void *y)
{
    (void)handle, (void)lrn, (void)mode, (void)alpha, (void)x, (void)means, (void)temp;
    (void)temp2, (void)beta, (void)y;
    return ran("cudnnDivisiveNormalizationForward", same(x_desc, y_desc),
               CUDNN_STATUS_NOT_SUPPORTED);
}

cudnnStatus_t cudnnDivisiveNormalizationBackward(cudnnHandle_t handle, cudnnLRNDescriptor_t lrn,
                                                 cudnnDivNormMode_t mode, const void *alpha,
                                                 const cudnnTensorDescriptor_t x_desc,
                                                 const void *x, const void *means, const void *dy,
                                                 void *temp, void *temp2, const void *beta,
                                                 const cudnnTensorDescriptor_t dx_desc, void *dx,
                                                 void *dmeans)
{
    (void)handle, (void)lrn, (void)mode, (void)alpha, (void)x, (void)means, (void)dy, (void)temp;
    (void)temp2, (void)beta, (void)dx, (void)dmeans;
    return ran("cudnnDivisiveNormalizationBackward", same(x_desc, dx_desc),
               CUDNN_STATUS_NOT_SUPPORTED);
}

/* ------------------------------------------------------------------ op */

/* C may alias B only if A does too. */
cudnnStatus_t cudnnOpTensor(cudnnHandle_t handle, const cudnnOpTensorDescriptor_t op,
                            const void *alpha1, const cudnnTensorDescriptor_t a, const void *A,
                            const void *alpha2, const cudnnTensorDescriptor_t b, const void *B,
                            const void *beta, const cudnnTensorDescriptor_t c, void *C)
{
    (void)handle, (void)op, (void)alpha1, (void)a, (void)alpha2, (void)b, (void)beta, (void)c;
    return ran("cudnnOpTensor", B != C || A == C, CUDNN_STATUS_BAD_PARAM);
}

#pragma GCC visibility pop
