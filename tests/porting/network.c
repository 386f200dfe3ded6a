/* SPDX-License-Identifier: Apache-2.0 */
/* A program in the style of cuDNN 7, in C. It trains a small network with a grouped convolution for
 * some steps. It uses nothing of anydnn; it is compiled against cuDNN and against anydnn's cudnn.h,
 * and must print the same numbers. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#if CUDNN_MAJOR < 7
#error "this program needs cuDNN 7"
#endif

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

enum { N = 6, C = 4, H = 10, W = 9, K1 = 8, GROUPS = 2, CLASSES = 5, STEPS = 8 };

static unsigned seed = 12345;

static float draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 16777216.0f - 0.5f;
}

static size_t length(const int *dims, int n)
{
    size_t count = 1;

    for (int i = 0; i < n; i++)
        count *= (size_t)dims[i];
    return count;
}

static float *device(const float *host, size_t count)
{
    float *pointer;

    CUDA(cudaMalloc((void **)&pointer, count * sizeof(float)));
    if (host)
        CUDA(cudaMemcpy(pointer, host, count * sizeof(float), cudaMemcpyHostToDevice));
    else
        CUDA(cudaMemset(pointer, 0, count * sizeof(float)));
    return pointer;
}

static float *random_device(size_t count, float scale)
{
    float *host = (float *)malloc(count * sizeof(float));
    float *pointer;

    for (size_t i = 0; i < count; i++)
        host[i] = scale * draw();
    pointer = device(host, count);
    free(host);
    return pointer;
}

struct tensor {
    cudnnTensorDescriptor_t desc;
    int dims[4];
    float *data, *grad;
};

static struct tensor make_tensor(int n, int c, int h, int w)
{
    struct tensor t = {NULL, {n, c, h, w}, NULL, NULL};

    CHECK(cudnnCreateTensorDescriptor(&t.desc));
    CHECK(
        cudnnSetTensor4dDescriptorEx(t.desc, CUDNN_DATA_FLOAT, n, c, h, w, c * h * w, h * w, w, 1));
    t.data = device(NULL, length(t.dims, 4));
    t.grad = device(NULL, length(t.dims, 4));
    return t;
}

static void free_tensor(struct tensor *t)
{
    CHECK(cudnnDestroyTensorDescriptor(t->desc));
    CUDA(cudaFree(t->data));
    CUDA(cudaFree(t->grad));
}

/* A convolution with its bias, the algorithms found for it, its gradients, and a step of
 * descent. */
struct layer {
    cudnnConvolutionDescriptor_t conv;
    cudnnFilterDescriptor_t filter;
    cudnnTensorDescriptor_t bias_desc, flat_w, flat_b;
    cudnnConvolutionFwdAlgoPerf_t forward;
    cudnnConvolutionBwdDataAlgoPerf_t backward_data;
    cudnnConvolutionBwdFilterAlgoPerf_t backward_filter;
    float *w, *dw, *b, *db;
    size_t count;
};

static void find_algorithms(cudnnHandle_t handle, struct layer *l, const struct tensor *x,
                            const struct tensor *y)
{
    int found = 0;

    CHECK(cudnnFindConvolutionForwardAlgorithm(handle, x->desc, l->filter, l->conv, y->desc, 1,
                                               &found, &l->forward));
    if (found != 1 || l->forward.status != CUDNN_STATUS_SUCCESS)
        exit(1);
    CHECK(cudnnFindConvolutionBackwardDataAlgorithm(handle, l->filter, y->desc, l->conv, x->desc, 1,
                                                    &found, &l->backward_data));
    CHECK(cudnnFindConvolutionBackwardFilterAlgorithm(handle, x->desc, y->desc, l->conv, l->filter,
                                                      1, &found, &l->backward_filter));
}

static struct layer make_layer(cudnnHandle_t handle, const struct tensor *x, int k, int r, int s,
                               int groups, int pad, struct tensor *y)
{
    struct layer l;
    int filter[4] = {k, x->dims[1] / groups, r, s}, out[4], bias[4] = {1, k, 1, 1};
    int bias_stride[4] = {k, 1, 1, 1};
    int pads[2] = {pad, pad}, strides[2] = {1, 1}, dilations[2] = {1, 1};

    CHECK(cudnnCreateConvolutionDescriptor(&l.conv));
    CHECK(cudnnSetConvolutionNdDescriptor(l.conv, 2, pads, strides, dilations,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CHECK(cudnnSetConvolutionGroupCount(l.conv, groups));
    CHECK(cudnnSetConvolutionMathType(l.conv, CUDNN_DEFAULT_MATH));
    CHECK(cudnnCreateFilterDescriptor(&l.filter));
    CHECK(cudnnSetFilterNdDescriptor(l.filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, filter));
    CHECK(cudnnGetConvolutionNdForwardOutputDim(l.conv, x->desc, l.filter, 4, out));
    *y = make_tensor(out[0], out[1], out[2], out[3]);
    CHECK(cudnnCreateTensorDescriptor(&l.bias_desc));
    CHECK(cudnnSetTensorNdDescriptor(l.bias_desc, CUDNN_DATA_FLOAT, 4, bias, bias_stride));
    l.count = length(filter, 4);
    CHECK(cudnnCreateTensorDescriptor(&l.flat_w));
    CHECK(cudnnSetTensor4dDescriptor(l.flat_w, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1,
                                     (int)l.count));
    CHECK(cudnnCreateTensorDescriptor(&l.flat_b));
    CHECK(cudnnSetTensor4dDescriptor(l.flat_b, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, k));
    l.w = random_device(l.count, 1.0f);
    l.dw = device(NULL, l.count);
    l.b = random_device((size_t)k, 0.2f);
    l.db = device(NULL, (size_t)k);
    find_algorithms(handle, &l, x, y);
    return l;
}

static void *workspace(size_t bytes)
{
    void *pointer = NULL;

    if (bytes)
        CUDA(cudaMalloc((void **)&pointer, bytes));
    return pointer;
}

static void layer_forward(cudnnHandle_t handle, struct layer *l, struct tensor *x, struct tensor *y)
{
    float one = 1.0f, zero = 0.0f;
    size_t bytes;
    void *space;

    CHECK(cudnnSetConvolutionMathType(l->conv, l->forward.mathType));
    CHECK(cudnnGetConvolutionForwardWorkspaceSize(handle, x->desc, l->filter, l->conv, y->desc,
                                                  l->forward.algo, &bytes));
    space = workspace(bytes);
    CHECK(cudnnConvolutionForward(handle, &one, x->desc, x->data, l->filter, l->w, l->conv,
                                  l->forward.algo, space, bytes, &zero, y->desc, y->data));
    CHECK(cudnnAddTensor(handle, &one, l->bias_desc, l->b, &one, y->desc, y->data));
    CUDA(cudaDeviceSynchronize());
    if (space)
        CUDA(cudaFree(space));
}

static void layer_backward(cudnnHandle_t handle, struct layer *l, struct tensor *x,
                           struct tensor *y, float rate)
{
    float one = 1.0f, zero = 0.0f, step = -rate;
    size_t bytes, more;
    void *space;

    CHECK(cudnnConvolutionBackwardBias(handle, &one, y->desc, y->grad, &zero, l->bias_desc, l->db));
    CHECK(cudnnSetConvolutionMathType(l->conv, l->backward_filter.mathType));
    CHECK(cudnnGetConvolutionBackwardFilterWorkspaceSize(
        handle, x->desc, y->desc, l->conv, l->filter, l->backward_filter.algo, &bytes));
    CHECK(cudnnGetConvolutionBackwardDataWorkspaceSize(handle, l->filter, y->desc, l->conv, x->desc,
                                                       l->backward_data.algo, &more));
    bytes = more > bytes ? more : bytes;
    space = workspace(bytes);
    CHECK(cudnnConvolutionBackwardFilter(handle, &one, x->desc, x->data, y->desc, y->grad, l->conv,
                                         l->backward_filter.algo, space, bytes, &zero, l->filter,
                                         l->dw));
    CHECK(cudnnSetConvolutionMathType(l->conv, l->backward_data.mathType));
    CHECK(cudnnConvolutionBackwardData(handle, &one, l->filter, l->w, y->desc, y->grad, l->conv,
                                       l->backward_data.algo, space, bytes, &zero, x->desc,
                                       x->grad));
    CHECK(cudnnAddTensor(handle, &step, l->flat_w, l->dw, &one, l->flat_w, l->w));
    CHECK(cudnnAddTensor(handle, &step, l->flat_b, l->db, &one, l->flat_b, l->b));
    CUDA(cudaDeviceSynchronize());
    if (space)
        CUDA(cudaFree(space));
}

static void free_layer(struct layer *l)
{
    CHECK(cudnnDestroyConvolutionDescriptor(l->conv));
    CHECK(cudnnDestroyFilterDescriptor(l->filter));
    CHECK(cudnnDestroyTensorDescriptor(l->bias_desc));
    CHECK(cudnnDestroyTensorDescriptor(l->flat_w));
    CHECK(cudnnDestroyTensorDescriptor(l->flat_b));
    CUDA(cudaFree(l->w));
    CUDA(cudaFree(l->dw));
    CUDA(cudaFree(l->b));
    CUDA(cudaFree(l->db));
}

/* Returns the cross entropy of the probabilities in y, and stores its gradient before the softmax
 * in `grad`. */
static float loss_of(const struct tensor *y, float *grad)
{
    float p[N * CLASSES], g[N * CLASSES], loss = 0.0f;

    CUDA(cudaMemcpy(p, y->data, sizeof p, cudaMemcpyDeviceToHost));
    for (int n = 0; n < N; n++)
        for (int c = 0; c < CLASSES; c++) {
            int hit = c == n % CLASSES;

            if (hit)
                loss -= logf(p[n * CLASSES + c]) / N;
            g[n * CLASSES + c] = hit ? -1.0f / (p[n * CLASSES + c] * N) : 0.0f;
        }
    CUDA(cudaMemcpy(grad, g, sizeof g, cudaMemcpyHostToDevice));
    return loss;
}

static void print_sum(const char *name, const float *pointer, size_t count)
{
    float *host = (float *)malloc(count * sizeof(float));
    double sum = 0, square = 0;

    CUDA(cudaMemcpy(host, pointer, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        sum += host[i];
        square += (double)host[i] * host[i];
    }
    printf("%s %.6g %.6g\n", name, sum, sqrt(square));
    free(host);
}

int main(void)
{
    cudnnHandle_t handle;
    cudnnActivationDescriptor_t relu;
    cudnnPoolingDescriptor_t pool;
    struct tensor x, a, r, p, y, q;
    struct layer first, last;
    float one = 1.0f, zero = 0.0f;
    int out[4];

    if (cudnnGetVersion() < 7000)
        return 1;
    CHECK(cudnnCreate(&handle));
    x = make_tensor(N, C, H, W);
    CUDA(cudaFree(x.data));
    x.data = random_device(length(x.dims, 4), 2.0f);
    first = make_layer(handle, &x, K1, 3, 3, GROUPS, 1, &a);
    r = make_tensor(a.dims[0], a.dims[1], a.dims[2], a.dims[3]);
    CHECK(cudnnCreateActivationDescriptor(&relu));
    CHECK(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0.0));
    CHECK(cudnnCreatePoolingDescriptor(&pool));
    CHECK(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0,
                                      2, 2));
    CHECK(cudnnGetPoolingNdForwardOutputDim(pool, r.desc, 4, out));
    p = make_tensor(out[0], out[1], out[2], out[3]);
    last = make_layer(handle, &p, CLASSES, out[2], out[3], 1, 0, &y);
    q = make_tensor(N, CLASSES, 1, 1);
    for (int step = 0; step < STEPS; step++) {
        layer_forward(handle, &first, &x, &a);
        CHECK(cudnnActivationForward(handle, relu, &one, a.desc, a.data, &zero, r.desc, r.data));
        CHECK(cudnnPoolingForward(handle, pool, &one, r.desc, r.data, &zero, p.desc, p.data));
        layer_forward(handle, &last, &p, &y);
        CHECK(cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one,
                                  y.desc, y.data, &zero, q.desc, q.data));
        printf("loss %d %.6g\n", step, loss_of(&q, q.grad));
        CHECK(cudnnSoftmaxBackward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one,
                                   q.desc, q.data, q.desc, q.grad, &zero, y.desc, y.grad));
        layer_backward(handle, &last, &p, &y, 0.05f);
        CHECK(cudnnPoolingBackward(handle, pool, &one, p.desc, p.data, p.desc, p.grad, r.desc,
                                   r.data, &zero, r.desc, r.grad));
        CHECK(cudnnActivationBackward(handle, relu, &one, r.desc, r.data, r.desc, r.grad, a.desc,
                                      a.data, &zero, a.desc, a.grad));
        layer_backward(handle, &first, &x, &a, 0.05f);
    }
    print_sum("first", first.w, first.count);
    print_sum("last", last.w, last.count);
    print_sum("dx", x.grad, length(x.dims, 4));
    free_layer(&first);
    free_layer(&last);
    CHECK(cudnnDestroyActivationDescriptor(relu));
    CHECK(cudnnDestroyPoolingDescriptor(pool));
    struct tensor *all[] = {&x, &a, &r, &p, &y, &q};
    for (int i = 0; i < 6; i++)
        free_tensor(all[i]);
    CHECK(cudnnDestroy(handle));
    return 0;
}
