/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the backward passes of average pooling and of activations as programs for cuDNN call them:
 * dx aliases an input that is not read, or such inputs are absent. The result must be the same each
 * time. Max pooling requires all inputs. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 2 * 3 * 8 * 8, BUFFERS_MOST = 64 };

static cudnnHandle_t handle;
static cudnnTensorDescriptor_t desc;
static const float one = 1, half = 0.5f, zero = 0;
static void *buffers[BUFFERS_MOST]; /* freed at the end */
static int buffer_count;

static cudnnPoolingDescriptor_t window_of(cudnnPoolingMode_t mode)
{
    cudnnPoolingDescriptor_t pooling = NULL;

    if (cudnnCreatePoolingDescriptor(&pooling) != CUDNN_STATUS_SUCCESS ||
        cudnnSetPooling2dDescriptor(pooling, mode, CUDNN_NOT_PROPAGATE_NAN, 3, 3, 1, 1, 1, 1) !=
            CUDNN_STATUS_SUCCESS)
        fprintf(stderr, "no pooling descriptor\n");
    return pooling;
}

static float *on_device(const float *from)
{
    void *to = NULL;

    if (cudaMalloc(&to, ELEMENTS * sizeof(float)) != cudaSuccess ||
        cudaMemcpy(to, from, ELEMENTS * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess)
        fprintf(stderr, "no memory\n");
    if (buffer_count < BUFFERS_MOST)
        buffers[buffer_count++] = to;
    return (float *)to;
}

/* Runs pooling backward and copies dx to `result`. All operands have one shape, and dx initially
 * holds x. */
static cudnnStatus_t backward(cudnnPoolingDescriptor_t pooling, const float *y, const float *dy,
                              const float *x, float *dx, float *result)
{
    cudnnStatus_t status = cudnnPoolingBackward(handle, pooling, &one, y ? desc : NULL, y, desc, dy,
                                                x ? desc : NULL, x, &half, desc, dx);

    if (status == CUDNN_STATUS_SUCCESS &&
        cudaMemcpy(result, dx, ELEMENTS * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
        return CUDNN_STATUS_EXECUTION_FAILED;
    return status;
}

static int same(const char *what, cudnnStatus_t status, const float *got, const float *want)
{
    if (status == CUDNN_STATUS_SUCCESS && memcmp(got, want, ELEMENTS * sizeof(float)) == 0)
        return 1;
    fprintf(stderr, "%s: %s\n", what,
            status == CUDNN_STATUS_SUCCESS ? "another result" : cudnnGetErrorString(status));
    return 0;
}

static int average(cudnnPoolingMode_t mode, const float *values, const float *gradients)
{
    cudnnPoolingDescriptor_t pooling = window_of(mode);
    float *x = on_device(values), *y = on_device(values), *dy = on_device(gradients);
    float *dx = on_device(values), *again = on_device(values);
    float want[ELEMENTS], got[ELEMENTS];
    int good = backward(pooling, y, dy, x, dx, want) == CUDNN_STATUS_SUCCESS;

    good &= same("x and y NULL", backward(pooling, NULL, dy, NULL, again, got), got, want);
    good &= same("dx on x", backward(pooling, y, dy, x, x, got), got, want);
    good &= same("dx on y", backward(pooling, y, dy, dx, y, got), got, want);
    x = on_device(values);
    good &= same("dx on x and y", backward(pooling, x, dy, x, x, got), got, want);
    x = on_device(values);
    good &= same("dx on x, y NULL", backward(pooling, NULL, dy, x, x, got), got, want);
    cudnnDestroyPoolingDescriptor(pooling);
    return good;
}

static cudnnStatus_t slope(cudnnActivationDescriptor_t act, const float *y, const float *dy,
                           const float *x, float *dx, float *result)
{
    cudnnStatus_t status = cudnnActivationBackward(handle, act, &one, y ? desc : NULL, y, desc, dy,
                                                   x ? desc : NULL, x, &half, desc, dx);

    if (status == CUDNN_STATUS_SUCCESS &&
        cudaMemcpy(result, dx, ELEMENTS * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
        return CUDNN_STATUS_EXECUTION_FAILED;
    return status;
}

static int activation(cudnnActivationMode_t mode, const float *values, const float *gradients)
{
    int by_x = mode == CUDNN_ACTIVATION_RELU || mode == CUDNN_ACTIVATION_CLIPPED_RELU;
    float *x = on_device(values), *y = on_device(values), *dy = on_device(gradients);
    float *dx = on_device(values);
    float want[ELEMENTS], got[ELEMENTS];
    cudnnActivationDescriptor_t act = NULL;
    int good = cudnnCreateActivationDescriptor(&act) == CUDNN_STATUS_SUCCESS &&
               cudnnSetActivationDescriptor(act, mode, CUDNN_NOT_PROPAGATE_NAN, 5) ==
                   CUDNN_STATUS_SUCCESS &&
               cudnnActivationForward(handle, act, &one, desc, x, &zero, desc, y) ==
                   CUDNN_STATUS_SUCCESS &&
               slope(act, y, dy, x, dx, want) == CUDNN_STATUS_SUCCESS;

    if (by_x)
        good &= same("y NULL", slope(act, NULL, dy, x, on_device(values), got), got, want);
    else
        good &= same("x NULL", slope(act, y, dy, NULL, on_device(values), got), got, want);
    good &= slope(act, NULL, dy, NULL, dx, got) != CUDNN_STATUS_SUCCESS;
    good &= same("dx on x", slope(act, y, dy, x, x, got), got, want);
    cudnnDestroyActivationDescriptor(act);
    return good;
}

int main(void)
{
    float values[ELEMENTS], gradients[ELEMENTS], got[ELEMENTS];
    cudnnPoolingDescriptor_t maximum;
    float *x, *dy;
    int i, good;

    for (i = 0; i < ELEMENTS; i++) {
        values[i] = (float)(i * 7 % 31) / 4 - 2;
        gradients[i] = (float)(i * 11 % 17) / 2 - 3;
    }
    if (cudnnCreate(&handle) != CUDNN_STATUS_SUCCESS ||
        cudnnCreateTensorDescriptor(&desc) != CUDNN_STATUS_SUCCESS ||
        cudnnSetTensor4dDescriptor(desc, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 8, 8) !=
            CUDNN_STATUS_SUCCESS)
        return 1;
    good = average(CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING, values, gradients);
    good &= average(CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, values, gradients);
    good &= activation(CUDNN_ACTIVATION_SIGMOID, values, gradients);
    good &= activation(CUDNN_ACTIVATION_RELU, values, gradients);
    good &= activation(CUDNN_ACTIVATION_TANH, values, gradients);
    good &= activation(CUDNN_ACTIVATION_CLIPPED_RELU, values, gradients);
    good &= activation(CUDNN_ACTIVATION_ELU, values, gradients);
    x = on_device(values);
    dy = on_device(gradients);
    maximum = window_of(CUDNN_POOLING_MAX);
    if (backward(maximum, NULL, dy, x, on_device(values), got) == CUDNN_STATUS_SUCCESS) {
        fprintf(stderr, "a maximum without y\n");
        good = 0;
    }
    cudnnDestroyPoolingDescriptor(maximum);
    cudnnDestroyTensorDescriptor(desc);
    cudnnDestroy(handle);
    while (buffer_count > 0)
        cudaFree(buffers[--buffer_count]);
    return !good;
}
