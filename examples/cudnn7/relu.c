/* SPDX-License-Identifier: Apache-2.0 */
/* A program for cuDNN 7, which does not mention anydnn: it clips negative numbers on the GPU.
 * With anydnn's cudnn.h it compiles unchanged and runs on any backend. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <stdio.h>
#include <stdlib.h>

static void try(cudnnStatus_t status)
{
    if (status == CUDNN_STATUS_SUCCESS)
        return;
    fprintf(stderr, "relu: %s\n", cudnnGetErrorString(status));
    exit(EXIT_FAILURE);
}

int main(void)
{
    const float one = 1, zero = 0;
    float *x, *y;
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t shape;
    cudnnActivationDescriptor_t relu;

    if (cudaMallocManaged((void **)&x, 8 * sizeof(float), cudaMemAttachGlobal) != cudaSuccess ||
        cudaMallocManaged((void **)&y, 8 * sizeof(float), cudaMemAttachGlobal) != cudaSuccess)
        return EXIT_FAILURE;
    for (int i = 0; i < 8; i++)
        x[i] = (float)(i - 4);
    try(cudnnCreate(&handle));
    try(cudnnCreateTensorDescriptor(&shape));
    try(cudnnSetTensor4dDescriptor(shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 2, 4));
    try(cudnnCreateActivationDescriptor(&relu));
    try(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
    try(cudnnActivationForward(handle, relu, &one, shape, x, &zero, shape, y));
    if (cudaDeviceSynchronize() != cudaSuccess)
        return EXIT_FAILURE;
    for (int i = 0; i < 8; i++)
        printf("%g%c", (double)y[i], i < 7 ? ' ' : '\n');
    try(cudnnDestroyActivationDescriptor(relu));
    try(cudnnDestroyTensorDescriptor(shape));
    try(cudnnDestroy(handle));
    cudaFree(x);
    cudaFree(y);
    return EXIT_SUCCESS;
}
