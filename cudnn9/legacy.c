/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of cuDNN's older functions. Arguments are those of cuDNN. */
#include "cudnn9/call.h"

#include <string.h>

/* Adds the two factors of most operations. */
static void add_factors(struct cudnn9_call *call, const void *alpha, const void *beta)
{
    cudnn9_factor(call, "alpha", alpha);
    cudnn9_factor(call, "beta", beta);
}

static int convolution_forward(void *handle, const void *alpha, void *x_desc, const void *x,
                               void *w_desc, const void *w, void *desc, int algorithm,
                               void *workspace, size_t bytes, const void *beta, void *y_desc,
                               void *y)
{
    __typeof__(convolution_forward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnConvolutionForward, handle, "convolution_forward");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_filter(&call, "w", w_desc, w);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    cudnn9_convolution(&call, desc, algorithm, CUDNN9_FORWARD);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, workspace, bytes, &status))
        return status;
    CUDNN9_REAL(real, cudnnConvolutionForward);
    return cudnn9_forwarded(&call, real(handle, alpha, x_desc, x, w_desc, w, desc, algorithm,
                                        workspace, bytes, beta, y_desc, y));
}

static int convolution_backward_data(void *handle, const void *alpha, void *w_desc, const void *w,
                                     void *dy_desc, const void *dy, void *desc, int algorithm,
                                     void *workspace, size_t bytes, const void *beta, void *dx_desc,
                                     void *dx)
{
    __typeof__(convolution_backward_data) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnConvolutionBackwardData, handle, "convolution_backward_data");
    cudnn9_filter(&call, "w", w_desc, w);
    cudnn9_tensor(&call, "dy", dy_desc, dy);
    cudnn9_tensor(&call, "dx", dx_desc, dx);
    cudnn9_output(&call);
    cudnn9_convolution(&call, desc, algorithm, CUDNN9_BACKWARD_DATA);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, workspace, bytes, &status))
        return status;
    CUDNN9_REAL(real, cudnnConvolutionBackwardData);
    return cudnn9_forwarded(&call, real(handle, alpha, w_desc, w, dy_desc, dy, desc, algorithm,
                                        workspace, bytes, beta, dx_desc, dx));
}

static int convolution_backward_filter(void *handle, const void *alpha, void *x_desc, const void *x,
                                       void *dy_desc, const void *dy, void *desc, int algorithm,
                                       void *workspace, size_t bytes, const void *beta,
                                       void *dw_desc, void *dw)
{
    __typeof__(convolution_backward_filter) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnConvolutionBackwardFilter, handle,
                 "convolution_backward_filter");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "dy", dy_desc, dy);
    cudnn9_filter(&call, "dw", dw_desc, dw);
    cudnn9_output(&call);
    cudnn9_convolution(&call, desc, algorithm, CUDNN9_BACKWARD_FILTER);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, workspace, bytes, &status))
        return status;
    CUDNN9_REAL(real, cudnnConvolutionBackwardFilter);
    return cudnn9_forwarded(&call, real(handle, alpha, x_desc, x, dy_desc, dy, desc, algorithm,
                                        workspace, bytes, beta, dw_desc, dw));
}

static int convolution_backward_bias(void *handle, const void *alpha, void *dy_desc, const void *dy,
                                     const void *beta, void *db_desc, void *db)
{
    __typeof__(convolution_backward_bias) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnConvolutionBackwardBias, handle, "convolution_backward_bias");
    cudnn9_tensor(&call, "dy", dy_desc, dy);
    cudnn9_tensor(&call, "db", db_desc, db);
    cudnn9_output(&call);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnConvolutionBackwardBias);
    return cudnn9_forwarded(&call, real(handle, alpha, dy_desc, dy, beta, db_desc, db));
}

static int convolution_fused(void *handle, const void *alpha1, void *x_desc, const void *x,
                             void *w_desc, const void *w, void *desc, int algorithm,
                             void *workspace, size_t bytes, const void *alpha2, void *z_desc,
                             const void *z, void *bias_desc, const void *bias, void *activation,
                             void *y_desc, void *y)
{
    __typeof__(convolution_fused) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnConvolutionBiasActivationForward, handle,
                 "convolution_bias_activation_forward");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_filter(&call, "w", w_desc, w);
    cudnn9_tensor(&call, "z", z_desc, z);
    cudnn9_tensor(&call, "bias", bias_desc, bias);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    cudnn9_convolution(&call, desc, algorithm, CUDNN9_FORWARD);
    cudnn9_activation(&call, activation);
    cudnn9_factor(&call, "alpha1", alpha1);
    cudnn9_factor(&call, "alpha2", alpha2);
    if (cudnn9_run(&call, workspace, bytes, &status))
        return status;
    CUDNN9_REAL(real, cudnnConvolutionBiasActivationForward);
    return cudnn9_forwarded(&call,
                            real(handle, alpha1, x_desc, x, w_desc, w, desc, algorithm, workspace,
                                 bytes, alpha2, z_desc, z, bias_desc, bias, activation, y_desc, y));
}

static int destroy(void *handle)
{
    int (*real)(void *handle) = NULL;

    cudnn9_forget(handle);
    CUDNN9_REAL(real, cudnnDestroy);
    return real(handle);
}

/* Stores a function's address as a slot holds it. */
#define TAKE_ADDRESS(function)                                                                     \
    do {                                                                                           \
        __typeof__(function) *pointer = function;                                                  \
        memcpy(&address, &pointer, sizeof(address));                                               \
    } while (0)

void *cudnn9_legacy(size_t index)
{
    void *address = NULL;

    switch (index) {
    case cudnn9_cudnnDestroy:
        TAKE_ADDRESS(destroy);
        break;
    case cudnn9_cudnnConvolutionForward:
        TAKE_ADDRESS(convolution_forward);
        break;
    case cudnn9_cudnnConvolutionBackwardData:
        TAKE_ADDRESS(convolution_backward_data);
        break;
    case cudnn9_cudnnConvolutionBackwardFilter:
        TAKE_ADDRESS(convolution_backward_filter);
        break;
    case cudnn9_cudnnConvolutionBackwardBias:
        TAKE_ADDRESS(convolution_backward_bias);
        break;
    case cudnn9_cudnnConvolutionBiasActivationForward:
        TAKE_ADDRESS(convolution_fused);
        break;
    default:
        return cudnn9_legacy_layers(index);
    }
    return address;
}
