/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the plain getters of cuDNN 7, which return one algorithm for a preference and a limit.
 * cuDNN 8 dropped them, so only anydnn still compiles such source. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <stdio.h>

static int failed(cudnnStatus_t status, const char *what)
{
    if (status != CUDNN_STATUS_SUCCESS)
        fprintf(stderr, "%s: %s\n", what, cudnnGetErrorString(status));
    return status != CUDNN_STATUS_SUCCESS;
}

int main(void)
{
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnConvolutionFwdAlgo_t forward;
    cudnnConvolutionBwdDataAlgo_t data;
    cudnnConvolutionBwdFilterAlgo_t filter;
    int n, c, h, width;

    if (failed(cudnnCreate(&handle), "create") || failed(cudnnCreateTensorDescriptor(&x), "x") ||
        failed(cudnnCreateTensorDescriptor(&y), "y") ||
        failed(cudnnCreateFilterDescriptor(&w), "w") ||
        failed(cudnnCreateConvolutionDescriptor(&conv), "conv") ||
        failed(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 8, 7),
               "x") ||
        failed(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, 3, 3, 3),
               "w") ||
        failed(cudnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                               CUDNN_DATA_FLOAT),
               "conv") ||
        failed(cudnnGetConvolution2dForwardOutputDim(conv, x, w, &n, &c, &h, &width), "dims") ||
        failed(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, width),
               "y"))
        return 1;
    if (failed(cudnnGetConvolutionForwardAlgorithm(handle, x, w, conv, y,
                                                   CUDNN_CONVOLUTION_FWD_NO_WORKSPACE, 0, &forward),
               "forward") ||
        failed(cudnnGetConvolutionBackwardDataAlgorithm(
                   handle, w, y, conv, x, CUDNN_CONVOLUTION_BWD_DATA_PREFER_FASTEST, 0, &data),
               "data") ||
        failed(cudnnGetConvolutionBackwardFilterAlgorithm(
                   handle, x, y, conv, w, CUDNN_CONVOLUTION_BWD_FILTER_SPECIFY_WORKSPACE_LIMIT,
                   1 << 20, &filter),
               "filter"))
        return 1;
    printf("%d %d %d\n", forward >= 0 && forward < CUDNN_CONVOLUTION_FWD_ALGO_COUNT,
           data >= 0 && data < CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT,
           filter >= 0 && filter < CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);
    if (failed(cudnnDestroyConvolutionDescriptor(conv), "conv") ||
        failed(cudnnDestroyFilterDescriptor(w), "w") ||
        failed(cudnnDestroyTensorDescriptor(x), "x") ||
        failed(cudnnDestroyTensorDescriptor(y), "y") || failed(cudnnDestroy(handle), "destroy"))
        return 1;
    return 0;
}
