/* SPDX-License-Identifier: Apache-2.0 */
/* A program in the style of cuDNN 7, in C. Two handles on separate streams run a convolution, an
 * activation and pooling. They are destroyed after their streams, the second with work still
 * queued. The program uses nothing of anydnn; it is compiled against cuDNN and against anydnn's
 * cudnn.h. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudnnStatus_t status_ = (call);                                                            \
        if (status_ != CUDNN_STATUS_SUCCESS) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudnnGetErrorString(status_));      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define CUDA(call)                                                                                 \
    do {                                                                                           \
        if ((call) != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: CUDA fails\n", __FILE__, __LINE__);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { N = 4, C = 3, H = 12, W = 10, K = 6 };
enum { INPUT = N * C * H * W, FILTER = K * C * 3 * 3, OUTPUT = N * K * H * W, POOLED = OUTPUT / 4 };

static float *device(int count, int step)
{
    float *host = (float *)malloc((size_t)count * sizeof(float)), *pointer;

    for (int i = 0; i < count; i++)
        host[i] = (float)((i * step + i / 5) % 7 - 3);
    CUDA(cudaMalloc((void **)&pointer, (size_t)count * sizeof(float)));
    CUDA(cudaMemcpy(pointer, host, (size_t)count * sizeof(float), cudaMemcpyHostToDevice));
    free(host);
    return pointer;
}

static void print(const char *name, const float *pointer, int count)
{
    float *host = (float *)malloc((size_t)count * sizeof(float));
    double sum = 0, squares = 0;

    CUDA(cudaMemcpy(host, pointer, (size_t)count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        sum += host[i];
        squares += host[i] * host[i];
    }
    printf("%s %.6g %.6g\n", name, sum, sqrt(squares));
    free(host);
}

struct descriptors {
    cudnnTensorDescriptor_t x, y, z;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnActivationDescriptor_t relu;
    cudnnPoolingDescriptor_t pool;
};

static void describe(struct descriptors *d)
{
    CHECK(cudnnCreateTensorDescriptor(&d->x));
    CHECK(cudnnCreateTensorDescriptor(&d->y));
    CHECK(cudnnCreateTensorDescriptor(&d->z));
    CHECK(cudnnCreateFilterDescriptor(&d->w));
    CHECK(cudnnCreateConvolutionDescriptor(&d->conv));
    CHECK(cudnnCreateActivationDescriptor(&d->relu));
    CHECK(cudnnCreatePoolingDescriptor(&d->pool));
    CHECK(cudnnSetTensor4dDescriptor(d->x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, C, H, W));
    CHECK(cudnnSetTensor4dDescriptor(d->y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, K, H, W));
    CHECK(
        cudnnSetTensor4dDescriptor(d->z, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, K, H / 2, W / 2));
    CHECK(cudnnSetFilter4dDescriptor(d->w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, K, C, 3, 3));
    CHECK(cudnnSetConvolution2dDescriptor(d->conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT));
    CHECK(cudnnSetActivationDescriptor(d->relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
    CHECK(cudnnSetPooling2dDescriptor(d->pool, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0,
                                      0, 2, 2));
}

static void drop(struct descriptors *d)
{
    CHECK(cudnnDestroyTensorDescriptor(d->x));
    CHECK(cudnnDestroyTensorDescriptor(d->y));
    CHECK(cudnnDestroyTensorDescriptor(d->z));
    CHECK(cudnnDestroyFilterDescriptor(d->w));
    CHECK(cudnnDestroyConvolutionDescriptor(d->conv));
    CHECK(cudnnDestroyActivationDescriptor(d->relu));
    CHECK(cudnnDestroyPoolingDescriptor(d->pool));
}

struct network {
    cudnnHandle_t handle;
    cudaStream_t stream;
    float *x, *w, *y, *z;
    void *workspace;
    size_t bytes;
};

static void make(struct network *n, const struct descriptors *d, int step)
{
    CUDA(cudaStreamCreate(&n->stream));
    CHECK(cudnnCreate(&n->handle));
    CHECK(cudnnSetStream(n->handle, n->stream));
    n->x = device(INPUT, step);
    n->w = device(FILTER, step + 2);
    n->y = device(OUTPUT, 1);
    n->z = device(POOLED, 1);
    CHECK(cudnnGetConvolutionForwardWorkspaceSize(n->handle, d->x, d->w, d->conv, d->y,
                                                  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                                  &n->bytes));
    CUDA(cudaMalloc((void **)&n->workspace, n->bytes + 1));
}

static void run(const struct network *n, const struct descriptors *d)
{
    const float one = 1, zero = 0;

    CHECK(cudnnConvolutionForward(n->handle, &one, d->x, n->x, d->w, n->w, d->conv,
                                  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, n->workspace,
                                  n->bytes, &zero, d->y, n->y));
    CHECK(cudnnActivationForward(n->handle, d->relu, &one, d->y, n->y, &zero, d->y, n->y));
    CHECK(cudnnPoolingForward(n->handle, d->pool, &one, d->y, n->y, &zero, d->z, n->z));
}

static void release(const struct network *n)
{
    CUDA(cudaFree(n->x));
    CUDA(cudaFree(n->w));
    CUDA(cudaFree(n->y));
    CUDA(cudaFree(n->z));
    CUDA(cudaFree(n->workspace));
}

int main(void)
{
    struct network first, second;
    struct descriptors d;

    describe(&d);
    make(&first, &d, 2);
    make(&second, &d, 4);
    run(&first, &d);
    run(&second, &d);
    CUDA(cudaStreamSynchronize(first.stream));
    CUDA(cudaStreamDestroy(first.stream));
    for (int i = 0; i < 50; i++)
        run(&second, &d);
    CUDA(cudaStreamDestroy(second.stream));
    drop(&d);
    CHECK(cudnnDestroy(first.handle));
    CHECK(cudnnDestroy(second.handle));
    print("first.y", first.y, OUTPUT);
    print("first.z", first.z, POOLED);
    print("second.y", second.y, OUTPUT);
    print("second.z", second.z, POOLED);
    release(&first);
    release(&second);
    return 0;
}
