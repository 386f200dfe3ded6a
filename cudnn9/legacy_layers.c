/* SPDX-License-Identifier: Apache-2.0 */
/* Layers and arithmetic of cuDNN's older functions. Arguments are those of cuDNN. */
#include "cudnn9/call.h"

#include <string.h>

static const char *const bn_modes[] = {"per_activation", "spatial", "spatial_persistent"};

static void add_factors(struct cudnn9_call *call, const void *alpha, const void *beta)
{
    cudnn9_factor(call, "alpha", alpha);
    cudnn9_factor(call, "beta", beta);
}

static void add_softmax(struct cudnn9_call *call, int algorithm, int mode)
{
    static const char *const algorithms[] = {"fast", "accurate", "log"};
    static const char *const modes[] = {"instance", "channel"};

    cudnn9_word(call, "softmax", algorithms, 3, algorithm);
    cudnn9_word(call, "mode", modes, 2, mode);
}

static int pooling_forward(void *handle, void *desc, const void *alpha, void *x_desc, const void *x,
                           const void *beta, void *y_desc, void *y)
{
    __typeof__(pooling_forward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnPoolingForward, handle, "pooling_forward");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    cudnn9_pooling(&call, desc);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnPoolingForward);
    return cudnn9_forwarded(&call, real(handle, desc, alpha, x_desc, x, beta, y_desc, y));
}

static int pooling_backward(void *handle, void *desc, const void *alpha, void *y_desc,
                            const void *y, void *dy_desc, const void *dy, void *x_desc,
                            const void *x, const void *beta, void *dx_desc, void *dx)
{
    __typeof__(pooling_backward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnPoolingBackward, handle, "pooling_backward");
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_tensor(&call, "dy", dy_desc, dy);
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "dx", dx_desc, dx);
    cudnn9_output(&call);
    cudnn9_pooling(&call, desc);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnPoolingBackward);
    return cudnn9_forwarded(
        &call, real(handle, desc, alpha, y_desc, y, dy_desc, dy, x_desc, x, beta, dx_desc, dx));
}

static int activation_forward(void *handle, void *desc, const void *alpha, void *x_desc,
                              const void *x, const void *beta, void *y_desc, void *y)
{
    __typeof__(activation_forward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnActivationForward, handle, "activation_forward");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    cudnn9_activation(&call, desc);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnActivationForward);
    return cudnn9_forwarded(&call, real(handle, desc, alpha, x_desc, x, beta, y_desc, y));
}

static int activation_backward(void *handle, void *desc, const void *alpha, void *y_desc,
                               const void *y, void *dy_desc, const void *dy, void *x_desc,
                               const void *x, const void *beta, void *dx_desc, void *dx)
{
    __typeof__(activation_backward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnActivationBackward, handle, "activation_backward");
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_tensor(&call, "dy", dy_desc, dy);
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "dx", dx_desc, dx);
    cudnn9_output(&call);
    cudnn9_activation(&call, desc);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnActivationBackward);
    return cudnn9_forwarded(
        &call, real(handle, desc, alpha, y_desc, y, dy_desc, dy, x_desc, x, beta, dx_desc, dx));
}

static int lrn_forward(void *handle, void *desc, int mode, const void *alpha, void *x_desc,
                       const void *x, const void *beta, void *y_desc, void *y)
{
    __typeof__(lrn_forward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnLRNCrossChannelForward, handle, "lrn_forward");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    call.unmapped |= mode != 0;
    cudnn9_lrn(&call, desc);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnLRNCrossChannelForward);
    return cudnn9_forwarded(&call, real(handle, desc, mode, alpha, x_desc, x, beta, y_desc, y));
}

static int lrn_backward(void *handle, void *desc, int mode, const void *alpha, void *y_desc,
                        const void *y, void *dy_desc, const void *dy, void *x_desc, const void *x,
                        const void *beta, void *dx_desc, void *dx)
{
    __typeof__(lrn_backward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnLRNCrossChannelBackward, handle, "lrn_backward");
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_tensor(&call, "dy", dy_desc, dy);
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "dx", dx_desc, dx);
    cudnn9_output(&call);
    call.unmapped |= mode != 0;
    cudnn9_lrn(&call, desc);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnLRNCrossChannelBackward);
    return cudnn9_forwarded(&call, real(handle, desc, mode, alpha, y_desc, y, dy_desc, dy, x_desc,
                                        x, beta, dx_desc, dx));
}

static int softmax_forward(void *handle, int algorithm, int mode, const void *alpha, void *x_desc,
                           const void *x, const void *beta, void *y_desc, void *y)
{
    __typeof__(softmax_forward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnSoftmaxForward, handle, "softmax_forward");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    add_softmax(&call, algorithm, mode);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnSoftmaxForward);
    return cudnn9_forwarded(&call,
                            real(handle, algorithm, mode, alpha, x_desc, x, beta, y_desc, y));
}

static int softmax_backward(void *handle, int algorithm, int mode, const void *alpha, void *y_desc,
                            const void *y, void *dy_desc, const void *dy, const void *beta,
                            void *dx_desc, void *dx)
{
    __typeof__(softmax_backward) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnSoftmaxBackward, handle, "softmax_backward");
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_tensor(&call, "dy", dy_desc, dy);
    cudnn9_tensor(&call, "dx", dx_desc, dx);
    cudnn9_output(&call);
    add_softmax(&call, algorithm, mode);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnSoftmaxBackward);
    return cudnn9_forwarded(
        &call, real(handle, algorithm, mode, alpha, y_desc, y, dy_desc, dy, beta, dx_desc, dx));
}

static int add_tensor(void *handle, const void *alpha, void *x_desc, const void *x,
                      const void *beta, void *y_desc, void *y)
{
    __typeof__(add_tensor) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnAddTensor, handle, "add_tensor");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnAddTensor);
    return cudnn9_forwarded(&call, real(handle, alpha, x_desc, x, beta, y_desc, y));
}

static int transform_tensor(void *handle, const void *alpha, void *x_desc, const void *x,
                            const void *beta, void *y_desc, void *y)
{
    __typeof__(transform_tensor) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnTransformTensor, handle, "transform_tensor");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnTransformTensor);
    return cudnn9_forwarded(&call, real(handle, alpha, x_desc, x, beta, y_desc, y));
}

static int op_tensor(void *handle, void *desc, const void *alpha1, void *a_desc, const void *a,
                     const void *alpha2, void *b_desc, const void *b, const void *beta,
                     void *c_desc, void *c)
{
    __typeof__(op_tensor) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnOpTensor, handle, "op_tensor");
    cudnn9_tensor(&call, "a", a_desc, a);
    cudnn9_tensor(&call, "b", b_desc, b);
    cudnn9_tensor(&call, "c", c_desc, c);
    cudnn9_output(&call);
    cudnn9_op(&call, desc);
    cudnn9_factor(&call, "alpha1", alpha1);
    cudnn9_factor(&call, "alpha2", alpha2);
    cudnn9_factor(&call, "beta", beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnOpTensor);
    return cudnn9_forwarded(
        &call, real(handle, desc, alpha1, a_desc, a, alpha2, b_desc, b, beta, c_desc, c));
}

static int reduce_tensor(void *handle, void *desc, void *indices, size_t indices_bytes,
                         void *workspace, size_t bytes, const void *alpha, void *a_desc,
                         const void *a, const void *beta, void *c_desc, void *c)
{
    __typeof__(reduce_tensor) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnReduceTensor, handle, "reduce_tensor");
    cudnn9_tensor(&call, "a", a_desc, a);
    cudnn9_tensor(&call, "c", c_desc, c);
    cudnn9_output(&call);
    cudnn9_reduction(&call, desc);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, workspace, bytes, &status))
        return status;
    CUDNN9_REAL(real, cudnnReduceTensor);
    return cudnn9_forwarded(&call, real(handle, desc, indices, indices_bytes, workspace, bytes,
                                        alpha, a_desc, a, beta, c_desc, c));
}

static int batch_normalization(void *handle, int mode, const void *alpha, const void *beta,
                               void *x_desc, const void *x, void *y_desc, void *y, void *desc,
                               const void *scale, const void *bias, const void *mean,
                               const void *variance, double epsilon)
{
    __typeof__(batch_normalization) *real = NULL;
    struct cudnn9_call call;
    int status;

    cudnn9_begin(&call, cudnn9_cudnnBatchNormalizationForwardInference, handle,
                 "batch_normalization_inference");
    cudnn9_tensor(&call, "x", x_desc, x);
    cudnn9_tensor(&call, "scale", desc, scale);
    cudnn9_tensor(&call, "bias", desc, bias);
    cudnn9_tensor(&call, "mean", desc, mean);
    cudnn9_tensor(&call, "var", desc, variance);
    cudnn9_tensor(&call, "y", y_desc, y);
    cudnn9_output(&call);
    cudnn9_word(&call, "mode", bn_modes, 3, mode);
    cudnn9_add(&call, " epsilon=%.17g", epsilon);
    add_factors(&call, alpha, beta);
    if (cudnn9_run(&call, NULL, 0, &status))
        return status;
    CUDNN9_REAL(real, cudnnBatchNormalizationForwardInference);
    return cudnn9_forwarded(&call, real(handle, mode, alpha, beta, x_desc, x, y_desc, y, desc,
                                        scale, bias, mean, variance, epsilon));
}

#define TAKE_ADDRESS(function)                                                                     \
    do {                                                                                           \
        __typeof__(function) *pointer = function;                                                  \
        memcpy(&address, &pointer, sizeof(address));                                               \
    } while (0)

void *cudnn9_legacy_layers(size_t index)
{
    void *address = NULL;

    switch (index) {
    case cudnn9_cudnnPoolingForward:
        TAKE_ADDRESS(pooling_forward);
        break;
    case cudnn9_cudnnPoolingBackward:
        TAKE_ADDRESS(pooling_backward);
        break;
    case cudnn9_cudnnActivationForward:
        TAKE_ADDRESS(activation_forward);
        break;
    case cudnn9_cudnnActivationBackward:
        TAKE_ADDRESS(activation_backward);
        break;
    case cudnn9_cudnnLRNCrossChannelForward:
        TAKE_ADDRESS(lrn_forward);
        break;
    case cudnn9_cudnnLRNCrossChannelBackward:
        TAKE_ADDRESS(lrn_backward);
        break;
    case cudnn9_cudnnSoftmaxForward:
        TAKE_ADDRESS(softmax_forward);
        break;
    case cudnn9_cudnnSoftmaxBackward:
        TAKE_ADDRESS(softmax_backward);
        break;
    case cudnn9_cudnnAddTensor:
        TAKE_ADDRESS(add_tensor);
        break;
    case cudnn9_cudnnTransformTensor:
        TAKE_ADDRESS(transform_tensor);
        break;
    case cudnn9_cudnnOpTensor:
        TAKE_ADDRESS(op_tensor);
        break;
    case cudnn9_cudnnReduceTensor:
        TAKE_ADDRESS(reduce_tensor);
        break;
    case cudnn9_cudnnBatchNormalizationForwardInference:
        TAKE_ADDRESS(batch_normalization);
        break;
    default:
        break;
    }
    return address;
}
