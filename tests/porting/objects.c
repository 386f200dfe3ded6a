/* SPDX-License-Identifier: Apache-2.0 */
/* Tests algorithm objects, their measurements and their bytes, in C and C++. Also reorders a filter
 * of int8x32; a convolution must compute the same results with it. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

#define EXPECT(what)                                                                               \
    ((what) ? (void)0 : (void)(wrong++, fprintf(stderr, "line %d: %s\n", __LINE__, #what)))
#define OK(call) EXPECT((call) == CUDNN_STATUS_SUCCESS)

static cudnnAlgorithm_t forward(cudnnConvolutionFwdAlgo_t number)
{
    cudnnAlgorithm_t algorithm;

    algorithm.algo.convFwdAlgo = number;
    return algorithm;
}

static void objects(cudnnHandle_t handle)
{
    cudnnAlgorithmDescriptor_t one = NULL, other = NULL;
    cudnnAlgorithm_t got;
    unsigned char bytes[256];
    size_t size = 0;

    OK(cudnnCreateAlgorithmDescriptor(&one));
    OK(cudnnCreateAlgorithmDescriptor(&other));
    OK(cudnnGetAlgorithmDescriptor(one, &got));
    EXPECT((int)got.algo.convFwdAlgo == 0);
    OK(cudnnSetAlgorithmDescriptor(one, forward(CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING)));
    OK(cudnnCopyAlgorithmDescriptor(one, other));
    OK(cudnnSetAlgorithmDescriptor(one, forward(CUDNN_CONVOLUTION_FWD_ALGO_GEMM)));
    OK(cudnnGetAlgorithmDescriptor(other, &got));
    EXPECT(got.algo.convFwdAlgo == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING);
    OK(cudnnGetAlgorithmSpaceSize(handle, other, &size));
    EXPECT(size > 0 && size <= sizeof(bytes));
    OK(cudnnSaveAlgorithm(handle, other, bytes, size));
    OK(cudnnRestoreAlgorithm(handle, bytes, size, one));
    OK(cudnnGetAlgorithmDescriptor(one, &got));
    EXPECT(got.algo.convFwdAlgo == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING);
    EXPECT(cudnnSaveAlgorithm(handle, one, bytes, 1) == CUDNN_STATUS_BAD_PARAM);
    memset(bytes, 0x55, sizeof(bytes));
    EXPECT(cudnnRestoreAlgorithm(handle, bytes, size, one) != CUDNN_STATUS_SUCCESS);
    OK(cudnnGetAlgorithmDescriptor(one, &got));
    EXPECT(got.algo.convFwdAlgo == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING);
    OK(cudnnDestroyAlgorithmDescriptor(other));
    OK(cudnnDestroyAlgorithmDescriptor(one));
    OK(cudnnDestroyAlgorithmDescriptor(NULL));
}

static void measurements(void)
{
    cudnnAlgorithmPerformance_t several[3] = {NULL, NULL, NULL};
    cudnnAlgorithmDescriptor_t descriptor = NULL, got = NULL;
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    float time = 0;
    size_t memory = 0;

    OK(cudnnCreateAlgorithmDescriptor(&descriptor));
    OK(cudnnCreateAlgorithmPerformance(several, 3));
    EXPECT(several[0] && several[1] && several[2] && several[0] != several[2]);
    OK(cudnnSetAlgorithmPerformance(several[1], descriptor, CUDNN_STATUS_ALLOC_FAILED, 1.5f, 4096));
    OK(cudnnGetAlgorithmPerformance(several[1], &got, &status, &time, &memory));
    EXPECT(got == descriptor && status == CUDNN_STATUS_ALLOC_FAILED && time == 1.5f &&
           memory == 4096);
    OK(cudnnDestroyAlgorithmPerformance(several, 3));
    OK(cudnnCreateAlgorithmPerformance(several, 0));
    OK(cudnnDestroyAlgorithmPerformance(several, 0));
    OK(cudnnDestroyAlgorithmDescriptor(descriptor));
}

/* ---- filters of int8x32 */

enum { N = 1, C = 32, K = 64, H = 6, R = 3 };

static void *device(size_t bytes, const void *host)
{
    void *pointer = NULL;

    EXPECT(cudaMalloc(&pointer, bytes) == cudaSuccess);
    EXPECT(cudaMemcpy(pointer, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    return pointer;
}

static void convolve(cudnnHandle_t handle, cudnnTensorDescriptor_t x, const void *x_data,
                     cudnnFilterDescriptor_t w, const void *w_data, cudnnReorderType_t reorder,
                     cudnnTensorDescriptor_t y, signed char *result)
{
    cudnnConvolutionDescriptor_t conv = NULL;
    const float alpha = 1.0f, beta = 0.0f;
    void *y_data = device(N * K * H * H, result);
    void *space = NULL;
    size_t bytes = 0;

    OK(cudnnCreateConvolutionDescriptor(&conv));
    OK(cudnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                       CUDNN_DATA_INT32));
    OK(cudnnSetConvolutionMathType(conv, CUDNN_TENSOR_OP_MATH));
    OK(cudnnSetConvolutionReorderType(conv, reorder));
    OK(cudnnGetConvolutionForwardWorkspaceSize(
        handle, x, w, conv, y, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, &bytes));
    if (bytes > 0)
        EXPECT(cudaMalloc(&space, bytes) == cudaSuccess);
    OK(cudnnConvolutionForward(handle, &alpha, x, x_data, w, w_data, conv,
                               CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, space, bytes,
                               &beta, y, y_data));
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cudaMemcpy(result, y_data, N * K * H * H, cudaMemcpyDeviceToHost) == cudaSuccess);
    OK(cudnnDestroyConvolutionDescriptor(conv));
    cudaFree(y_data);
    cudaFree(space);
}

static void reordered(cudnnHandle_t handle)
{
    static signed char x_host[N * C * H * H], w_host[K * C * R * R], zeros[K * C * R * R];
    static signed char plain[N * K * H * H], again[N * K * H * H];
    float bias_host[K], bias_back[K];
    cudnnTensorDescriptor_t x = NULL, y = NULL;
    cudnnFilterDescriptor_t w = NULL;
    void *x_data, *w_data, *w_new, *bias, *bias_new;
    int different = 0;

    for (size_t i = 0; i < sizeof(x_host); i++)
        x_host[i] = (signed char)((int)(i * 7 % 5) - 2);
    for (size_t i = 0; i < sizeof(w_host); i++)
        w_host[i] = (signed char)((int)(i * 11 % 3) - 1);
    for (int i = 0; i < K; i++)
        bias_host[i] = (float)i;
    memset(bias_back, 0, sizeof(bias_back));
    x_data = device(sizeof(x_host), x_host);
    w_data = device(sizeof(w_host), w_host);
    w_new = device(sizeof(zeros), zeros);
    bias = device(sizeof(bias_host), bias_host);
    bias_new = device(sizeof(bias_host), bias_back);
    OK(cudnnCreateTensorDescriptor(&x));
    OK(cudnnCreateTensorDescriptor(&y));
    OK(cudnnCreateFilterDescriptor(&w));
    OK(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x32, N, C, H, H));
    OK(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x32, N, K, H, H));
    OK(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_INT8x32, CUDNN_TENSOR_NCHW_VECT_C, K, C, R, R));
    OK(cudnnReorderFilterAndBias(handle, w, CUDNN_DEFAULT_REORDER, w_data, w_new, 1, bias,
                                 bias_new));
    convolve(handle, x, x_data, w, w_data, CUDNN_DEFAULT_REORDER, y, plain);
    convolve(handle, x, x_data, w, w_new, CUDNN_NO_REORDER, y, again);
    EXPECT(memcmp(plain, again, sizeof(plain)) == 0);
    for (size_t i = 1; i < sizeof(plain); i++)
        different += plain[i] != plain[0];
    EXPECT(different > 0);
    EXPECT(cudaMemcpy(bias_back, bias_new, sizeof(bias_back), cudaMemcpyDeviceToHost) ==
           cudaSuccess);
    for (int i = 0; i < K; i++)
        EXPECT(bias_back[i] == bias_host[i]);
    OK(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, K, C, R, R));
    EXPECT(cudnnReorderFilterAndBias(handle, w, CUDNN_DEFAULT_REORDER, w_data, w_new, 0, NULL,
                                     NULL) == CUDNN_STATUS_NOT_SUPPORTED);
    OK(cudnnDestroyFilterDescriptor(w));
    OK(cudnnDestroyTensorDescriptor(y));
    OK(cudnnDestroyTensorDescriptor(x));
    cudaFree(x_data);
    cudaFree(w_data);
    cudaFree(w_new);
    cudaFree(bias);
    cudaFree(bias_new);
}

int main(void)
{
    cudnnHandle_t handle = NULL;

    OK(cudnnCreate(&handle));
    objects(handle);
    measurements();
    reordered(handle);
    OK(cudnnDestroy(handle));
    return wrong != 0;
}
