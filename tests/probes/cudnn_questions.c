/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries cuDNN 9 on a GPU about behaviour that its documents leave open and anydnn had to define.
 * Prints the inputs and the outputs of each query; a file in this folder has the results. The
 * README here has the command; the build does not include this program.
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static cudnnHandle_t handle;
static const float one = 1, zero = 0;

static const char *said(cudnnStatus_t status)
{
    return cudnnGetErrorString(status);
}

static void *upload(const void *data, size_t bytes)
{
    void *device = NULL;

    if (cudaMalloc(&device, bytes) != cudaSuccess ||
        cudaMemcpy(device, data, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        fprintf(stderr, "no device memory\n");
        exit(1);
    }
    return device;
}

static void show(const char *name, const void *device, int count)
{
    float values[64];

    cudaDeviceSynchronize();
    cudaMemcpy(values, device, (size_t)count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("  %-10s", name);
    for (int i = 0; i < count; i++)
        printf(" %.9g", (double)values[i]);
    printf("\n");
}

static void given(const char *name, const float *values, int count)
{
    printf("  %-10s", name);
    for (int i = 0; i < count; i++)
        printf(" %.9g", (double)values[i]);
    printf("\n");
}

static cudnnTensorDescriptor_t tensor(cudnnDataType_t type, cudnnTensorFormat_t format, int n,
                                      int c, int h, int w)
{
    cudnnTensorDescriptor_t desc;

    cudnnCreateTensorDescriptor(&desc);
    if (cudnnSetTensor4dDescriptor(desc, format, type, n, c, h, w) != CUDNN_STATUS_SUCCESS)
        fprintf(stderr, "bad tensor %d %d %d %d\n", n, c, h, w);
    return desc;
}

static cudnnTensorDescriptor_t row(int w)
{
    return tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, w);
}

/* ---- activations */

static void activation(const char *name, cudnnActivationMode_t mode,
                       cudnnNanPropagation_t nan_option, double coef)
{
    const float x[] = {-2, -0.5f, 0, 0.5f, 2, 8, NAN, 1, 1, -1};
    const float dy[] = {1, 1, 1, 1, 1, 1, 1, NAN, 1, NAN};
    cudnnActivationDescriptor_t desc;
    cudnnTensorDescriptor_t t = row(COUNT(x));
    void *dev_x = upload(x, sizeof(x)), *dev_y = upload(x, sizeof(x)),
         *dev_dy = upload(dy, sizeof(dy));
    void *dev_dx = upload(x, sizeof(x));
    float flipped[COUNT(x)];
    cudnnStatus_t status;

    for (int i = 0; i < COUNT(x); i++)
        flipped[i] = -x[i];
    printf("activation %s, nan option %s, coef %g\n", name, nan_option ? "propagate" : "not", coef);
    cudnnCreateActivationDescriptor(&desc);
    cudnnSetActivationDescriptor(desc, mode, nan_option, coef);
    status = cudnnActivationForward(handle, desc, &one, t, dev_x, &zero, t, dev_y);
    given("x", x, COUNT(x));
    printf("  forward    %s\n", said(status));
    show("y", dev_y, COUNT(x));
    given("dy", dy, COUNT(x));
    status = cudnnActivationBackward(handle, desc, &one, t, dev_y, t, dev_dy, t, dev_x, &zero, t,
                                     dev_dx);
    printf("  backward   %s\n", said(status));
    show("dx", dev_dx, COUNT(x));
    cudaMemcpy(dev_x, flipped, sizeof(flipped), cudaMemcpyHostToDevice);
    cudnnActivationBackward(handle, desc, &one, t, dev_y, t, dev_dy, t, dev_x, &zero, t, dev_dx);
    show("dx, x := -x", dev_dx, COUNT(x));
}

/* ---- pooling */

static void pooling(const char *name, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan_option,
                    const float *x, int w, int window, int pad, int stride, int out)
{
    cudnnPoolingDescriptor_t desc;
    cudnnTensorDescriptor_t in = row(w), result = row(out);
    float ones[64], junk[64];
    void *dev_x = upload(x, (size_t)w * sizeof(float)), *dev_y, *dev_dy, *dev_dx;
    cudnnStatus_t status;

    for (int i = 0; i < 64; i++) {
        ones[i] = (float)(i + 1);
        junk[i] = -7;
    }
    dev_y = upload(junk, sizeof(junk));
    dev_dy = upload(ones, sizeof(ones));
    dev_dx = upload(junk, sizeof(junk));
    printf("pooling %s, nan option %s, width %d, window %d, pad %d, stride %d, output %d\n", name,
           nan_option ? "propagate" : "not", w, window, pad, stride, out);
    cudnnCreatePoolingDescriptor(&desc);
    status = cudnnSetPooling2dDescriptor(desc, mode, nan_option, 1, window, 0, pad, 1, stride);
    given("x", x, w);
    printf("  set        %s\n", said(status));
    status = cudnnPoolingForward(handle, desc, &one, in, dev_x, &zero, result, dev_y);
    printf("  forward    %s\n", said(status));
    show("y", dev_y, out);
    status = cudnnPoolingBackward(handle, desc, &one, result, dev_y, result, dev_dy, in, dev_x,
                                  &zero, in, dev_dx);
    printf("  backward   %s (dy = 1, 2, 3, ..)\n", said(status));
    show("dx", dev_dx, w);
}

/* Pools in two dims. The last rows and columns lie beyond the padded input. */
static void pooling_plane(const char *name, cudnnPoolingMode_t mode)
{
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    cudnnTensorDescriptor_t in = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 3, 4);
    cudnnTensorDescriptor_t result = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 8, 7);
    cudnnPoolingDescriptor_t desc;
    float junk[56] = {0};
    void *dev_x = upload(x, sizeof(x)), *dev_y = upload(junk, sizeof(junk));

    printf("pooling %s, 3x4, window 2x2, pad 2x1, stride 1x1, output 8x7\n", name);
    cudnnCreatePoolingDescriptor(&desc);
    cudnnSetPooling2dDescriptor(desc, mode, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 2, 1, 1, 1);
    given("x", x, COUNT(x));
    printf("  forward    %s\n",
           said(cudnnPoolingForward(handle, desc, &one, in, dev_x, &zero, result, dev_y)));
    for (int i = 0; i < 8; i++)
        show(i ? "" : "y", (const float *)dev_y + 7 * i, 7);
}

static void poolings(void)
{
    const float ties[] = {3, 3, 1, 3, 2, 2};
    const float nans[] = {1, NAN, 2, NAN, NAN, 3};
    const float infs[] = {-INFINITY, -INFINITY, 1, 2, 3, 4};
    const float ends[] = {1, 2, 4, 8, 16, 32};

    pooling("max", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, ties, 6, 2, 0, 2, 3);
    pooling("max", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, ties, 6, 3, 1, 1, 6);
    pooling("max deterministic", CUDNN_POOLING_MAX_DETERMINISTIC, CUDNN_NOT_PROPAGATE_NAN, ties, 6,
            3, 1, 1, 6);
    pooling("max", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, nans, 6, 2, 0, 1, 5);
    pooling("max", CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, nans, 6, 2, 0, 1, 5);
    pooling("max deterministic", CUDNN_POOLING_MAX_DETERMINISTIC, CUDNN_PROPAGATE_NAN, nans, 6, 2,
            0, 1, 5);
    pooling("max", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, infs, 6, 2, 0, 2, 3);
    pooling("max, empty window", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, ties, 6, 2, 2, 2, 5);
    pooling("average include, empty", CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
            CUDNN_NOT_PROPAGATE_NAN, ties, 6, 2, 2, 2, 5);
    pooling("average exclude, empty", CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
            CUDNN_NOT_PROPAGATE_NAN, ties, 6, 2, 2, 2, 5);
    pooling("max, output longer", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, ties, 6, 2, 0, 2, 5);
    pooling("average exclude, output longer", CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
            CUDNN_NOT_PROPAGATE_NAN, ties, 6, 4, 0, 2, 4);
    pooling("average include, output longer", CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
            CUDNN_NOT_PROPAGATE_NAN, ties, 6, 4, 0, 2, 4);
    pooling("max, negative pad", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, ties, 6, 2, -1, 1, 3);
    pooling("max, far windows", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, ends, 6, 2, 4, 2, 9);
    pooling("average include, far windows", CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
            CUDNN_NOT_PROPAGATE_NAN, ends, 6, 2, 4, 2, 9);
    pooling("average exclude, far windows", CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
            CUDNN_NOT_PROPAGATE_NAN, ends, 6, 2, 4, 2, 9);
    pooling_plane("average include", CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING);
    pooling_plane("average exclude", CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING);
    pooling("average include, pad cut by the end", CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
            CUDNN_NOT_PROPAGATE_NAN, ends, 6, 4, 1, 3, 3);
    pooling("max, negative pad, output longer", CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, ends, 6,
            2, -1, 1, 6);
    pooling("average include, negative pad, output longer",
            CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING, CUDNN_NOT_PROPAGATE_NAN, ends, 6, 2, -1, 1,
            6);
    pooling("average exclude, negative pad, output longer",
            CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, CUDNN_NOT_PROPAGATE_NAN, ends, 6, 2, -1, 1,
            6);
}

/* ---- softmax */

static void softmax(const char *name, cudnnSoftmaxAlgorithm_t algorithm)
{
    const float x[] = {-INFINITY, -INFINITY, -INFINITY, 1, 2, -INFINITY, 100, 88, INFINITY};
    const float dy[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    cudnnTensorDescriptor_t t = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 3, 1, 1);
    void *dev_x = upload(x, sizeof(x)), *dev_y = upload(x, sizeof(x)),
         *dev_dy = upload(dy, sizeof(dy));
    void *dev_dx = upload(x, sizeof(x));

    printf("softmax %s, three rows of three channels\n", name);
    given("x", x, 9);
    printf("  forward    %s\n",
           said(cudnnSoftmaxForward(handle, algorithm, CUDNN_SOFTMAX_MODE_CHANNEL, &one, t, dev_x,
                                    &zero, t, dev_y)));
    show("y", dev_y, 9);
    printf("  backward   %s\n",
           said(cudnnSoftmaxBackward(handle, algorithm, CUDNN_SOFTMAX_MODE_CHANNEL, &one, t, dev_y,
                                     t, dev_dy, &zero, t, dev_dx)));
    show("dx", dev_dx, 9);
}

/* ---- batch normalization of m elements a channel */

static void batch_normalization(int m, double factor)
{
    const float x[] = {1, 3, 8, 4}, params[] = {2}, biases[] = {0.5f}, mean[] = {10}, var[] = {20};
    const float dy[] = {1, -2, 3, 0.5f};
    cudnnTensorDescriptor_t t = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, m);
    cudnnTensorDescriptor_t p = row(1);
    void *dev_x = upload(x, sizeof(x)), *dev_y = upload(x, sizeof(x)),
         *scale = upload(params, sizeof(params));
    void *bias = upload(biases, sizeof(biases)), *running_mean = upload(mean, sizeof(mean));
    void *running_var = upload(var, sizeof(var)), *save_mean = upload(mean, sizeof(mean));
    void *save_inv = upload(mean, sizeof(mean)), *dev_dy = upload(dy, sizeof(dy)),
         *dev_dx = upload(dy, sizeof(dy));
    void *dscale = upload(mean, sizeof(mean)), *dbias = upload(mean, sizeof(mean));

    printf(
        "batch normalization, spatial, %d elements, factor %g, epsilon 0.001, running 10 and 20\n",
        m, factor);
    given("x", x, m);
    printf("  training   %s\n",
           said(cudnnBatchNormalizationForwardTraining(
               handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, t, dev_x, t, dev_y, p, scale, bias,
               factor, running_mean, running_var, 0.001, save_mean, save_inv)));
    show("y", dev_y, m);
    show("run mean", running_mean, 1);
    show("run var", running_var, 1);
    show("save mean", save_mean, 1);
    show("save inv", save_inv, 1);
    printf("  backward   %s\n",
           said(cudnnBatchNormalizationBackward(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, &one,
                                                &zero, t, dev_x, t, dev_dy, t, dev_dx, p, scale,
                                                dscale, dbias, 0.001, save_mean, save_inv)));
    show("dx", dev_dx, m);
    show("dscale", dscale, 1);
    show("dbias", dbias, 1);
}

/* ---- LRN and divisive normalization */

static void lrn(unsigned n)
{
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    cudnnTensorDescriptor_t t = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 8, 1, 1);
    void *dev_x = upload(x, sizeof(x)), *dev_y = upload(x, sizeof(x)),
         *dev_dx = upload(x, sizeof(x));
    cudnnLRNDescriptor_t desc;

    cudnnCreateLRNDescriptor(&desc);
    cudnnSetLRNDescriptor(desc, n, 0.5, 0.75, 2);
    printf("lrn n %u, alpha 0.5, beta 0.75, k 2, eight channels; backward with dy = x\n", n);
    given("x", x, 8);
    printf("  forward    %s\n",
           said(cudnnLRNCrossChannelForward(handle, desc, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, t,
                                            dev_x, &zero, t, dev_y)));
    show("y", dev_y, 8);
    printf("  backward   %s\n",
           said(cudnnLRNCrossChannelBackward(handle, desc, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, t,
                                             dev_y, t, dev_x, t, dev_x, &zero, t, dev_dx)));
    show("dx", dev_dx, 8);
}

static void divisive(const float *means, unsigned n)
{
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const float dy[] = {1, 0, 0, 0, 1, 0, 0, 0, 2};
    cudnnTensorDescriptor_t t = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 3, 3);
    void *dev_x = upload(x, sizeof(x)), *dev_y = upload(x, sizeof(x)), *temp = upload(x, sizeof(x));
    void *temp2 = upload(x, sizeof(x)), *dev_dx = upload(x, sizeof(x)),
         *dev_dm = upload(x, sizeof(x));
    void *dev_dy = upload(dy, sizeof(dy)), *dev_m = means ? upload(means, 9 * sizeof(float)) : NULL;
    cudnnLRNDescriptor_t desc;

    cudnnCreateLRNDescriptor(&desc);
    cudnnSetLRNDescriptor(desc, n, 0.5, 0.75, 2);
    printf("divisive normalization 3x3, n %u, alpha 0.5, beta 0.75, k 2, means %s\n", n,
           means ? "given" : "NULL");
    given("x", x, 9);
    if (means)
        given("means", means, 9);
    printf("  forward    %s\n", said(cudnnDivisiveNormalizationForward(
                                    handle, desc, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &one, t, dev_x,
                                    dev_m, temp, temp2, &zero, t, dev_y)));
    show("y", dev_y, 9);
    given("dy", dy, 9);
    printf("  backward   %s\n",
           said(cudnnDivisiveNormalizationBackward(handle, desc, CUDNN_DIVNORM_PRECOMPUTED_MEANS,
                                                   &one, t, dev_x, dev_m, dev_dy, temp, temp2,
                                                   &zero, t, dev_dx, means ? dev_dm : NULL)));
    show("dx", dev_dx, 9);
    if (means)
        show("dmeans", dev_dm, 9);
}

/* ---- tensor operations */

static void op_tensor(const char *name, cudnnOpTensorOp_t op, cudnnNanPropagation_t nan_option)
{
    const float a[] = {0.25f, -1, 4, NAN, 2, NAN}, b[] = {3, NAN, 1, 1, 2, NAN}, alpha1 = 2,
                alpha2 = 0.5f;
    cudnnTensorDescriptor_t t = row(6);
    void *dev_a = upload(a, sizeof(a)), *dev_b = upload(b, sizeof(b)),
         *dev_c = upload(a, sizeof(a));
    cudnnOpTensorDescriptor_t desc;

    cudnnCreateOpTensorDescriptor(&desc);
    cudnnSetOpTensorDescriptor(desc, op, CUDNN_DATA_FLOAT, nan_option);
    printf("op tensor %s, nan option %s, alpha1 2, alpha2 0.5\n", name,
           nan_option ? "propagate" : "not");
    given("a", a, 6);
    given("b", b, 6);
    printf("  result     %s\n", said(cudnnOpTensor(handle, desc, &alpha1, t, dev_a, &alpha2, t,
                                                   dev_b, &zero, t, dev_c)));
    show("c", dev_c, 6);
}

static void reduce(const char *name, cudnnReduceTensorOp_t op, cudnnNanPropagation_t nan_option,
                   const float *a)
{
    cudnnTensorDescriptor_t from = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 2, 1, 2, 3);
    cudnnTensorDescriptor_t to = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 2, 1, 1, 1);
    const float junk[] = {-7, -7};
    void *dev_a = upload(a, 12 * sizeof(float)), *dev_c = upload(junk, sizeof(junk));
    int indexed = op == CUDNN_REDUCE_TENSOR_MIN || op == CUDNN_REDUCE_TENSOR_MAX ||
                  op == CUDNN_REDUCE_TENSOR_AMAX;
    void *indices = upload(junk, sizeof(junk)), *workspace = NULL;
    cudnnReduceTensorDescriptor_t desc;
    size_t workspace_size = 0, indices_size = 0;
    unsigned found[2] = {0, 0};

    cudnnCreateReduceTensorDescriptor(&desc);
    cudnnSetReduceTensorDescriptor(desc, op, CUDNN_DATA_FLOAT, nan_option,
                                   indexed ? CUDNN_REDUCE_TENSOR_FLATTENED_INDICES
                                           : CUDNN_REDUCE_TENSOR_NO_INDICES,
                                   CUDNN_32BIT_INDICES);
    cudnnGetReductionWorkspaceSize(handle, desc, from, to, &workspace_size);
    cudnnGetReductionIndicesSize(handle, desc, from, to, &indices_size);
    cudaMalloc(&workspace, workspace_size + 256);
    printf("reduce %s, nan option %s, 2,1,2,3 to 2,1,1,1; indices %zu bytes\n", name,
           nan_option ? "propagate" : "not", indices_size);
    given("a", a, 12);
    printf("  result     %s\n",
           said(cudnnReduceTensor(handle, desc, indices, indices_size, workspace, workspace_size,
                                  &one, from, dev_a, &zero, to, dev_c)));
    show("c", dev_c, 2);
    cudaMemcpy(found, indices, sizeof(found), cudaMemcpyDeviceToHost);
    if (indexed)
        printf("  indices    %u %u\n", found[0], found[1]);
}

static void transform(cudnnFoldingDirection_t direction)
{
    float x[32], junk[64];
    const int32_t none[4] = {0, 0, 0, 0};
    const uint32_t fold[2] = {2, 2};
    cudnnTensorTransformDescriptor_t desc;
    cudnnTensorDescriptor_t from, to;
    void *dev_x, *dev_y;
    size_t bytes = 0;

    for (int i = 0; i < 32; i++)
        x[i] = (float)i;
    for (int i = 0; i < 64; i++)
        junk[i] = -7;
    from = direction == CUDNN_TRANSFORM_FOLD
               ? tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 2, 4, 4)
               : tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 8, 2, 2);
    cudnnCreateTensorDescriptor(&to);
    cudnnCreateTensorTransformDescriptor(&desc);
    cudnnSetTensorTransformDescriptor(desc, 4, CUDNN_TENSOR_NCHW, none, none, fold, direction);
    cudnnInitTransformDest(desc, from, to, &bytes);
    dev_x = upload(x, sizeof(x));
    dev_y = upload(junk, sizeof(junk));
    printf("transform ex, %s by 2,2 of %s, x = 0, 1, 2, ..; destination %zu bytes\n",
           direction == CUDNN_TRANSFORM_FOLD ? "fold" : "unfold",
           direction == CUDNN_TRANSFORM_FOLD ? "1,2,4,4" : "1,8,2,2", bytes);
    printf("  result     %s\n",
           said(cudnnTransformTensorEx(handle, desc, &one, from, dev_x, &zero, to, dev_y)));
    show("y", dev_y, 32);
}

/* ---- convolutions: im2col's order, alpha 0 with NaN, int8 rounding and wrapping */

static void im2col(void)
{
    float x[18], junk[64];
    cudnnTensorDescriptor_t t = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 2, 3, 3);
    cudnnTensorDescriptor_t t2 = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 2, 1, 3, 3);
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    void *dev_x, *col;

    for (int i = 0; i < 18; i++)
        x[i] = (float)i;
    for (int i = 0; i < 64; i++)
        junk[i] = -7;
    dev_x = upload(x, sizeof(x));
    col = upload(junk, sizeof(junk));
    cudnnCreateFilterDescriptor(&filter);
    cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 2, 2, 2);
    cudnnCreateConvolutionDescriptor(&conv);
    cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                    CUDNN_DATA_FLOAT);
    printf("im2col of x 1,2,3,3 = 0, 1, 2, .., filter 2x2, cross-correlation\n");
    printf("  result     %s\n", said(cudnnIm2Col(handle, t, dev_x, filter, conv, col)));
    show("col", col, 32);
    cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT);
    printf("im2col of the same, true convolution\n");
    printf("  result     %s\n", said(cudnnIm2Col(handle, t, dev_x, filter, conv, col)));
    show("col", col, 32);
    cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 2, 2);
    cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                    CUDNN_DATA_FLOAT);
    printf("im2col of x 2,1,3,3, filter 2x2\n");
    printf("  result     %s\n", said(cudnnIm2Col(handle, t2, dev_x, filter, conv, col)));
    show("col", col, 32);
}

static void conv_alpha_zero(void)
{
    const float x[] = {1, NAN, 2}, w[] = {1}, prior[] = {5, 5, 5};
    cudnnTensorDescriptor_t t = row(3);
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    void *dev_x = upload(x, sizeof(x)), *dev_w = upload(w, sizeof(w)),
         *dev_y = upload(prior, sizeof(prior));

    cudnnCreateFilterDescriptor(&filter);
    cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, 1);
    cudnnCreateConvolutionDescriptor(&conv);
    cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                    CUDNN_DATA_FLOAT);
    printf("convolution 1x1 of 1 NaN 2 with alpha 0, beta 1, prior 5\n");
    printf("  result     %s\n",
           said(cudnnConvolutionForward(handle, &zero, t, dev_x, filter, dev_w, conv,
                                        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &one, t,
                                        dev_y)));
    show("y", dev_y, 3);
}

/* Convolves one pixel of `c` channels to four outputs, with y in int8 and in float. */
static void conv_int8(const char *what, int c, int x_value, int w_value, float alpha)
{
    cudnnTensorDescriptor_t xt = tensor(CUDNN_DATA_INT8, CUDNN_TENSOR_NHWC, 1, c, 1, 1);
    cudnnDataType_t types[] = {CUDNN_DATA_INT8, CUDNN_DATA_FLOAT};
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    cudnnActivationDescriptor_t identity;
    cudnnTensorDescriptor_t bt = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, 1, 4, 1, 1);
    signed char *x = malloc((size_t)c), *w = malloc((size_t)c * 4);
    const float no_bias[4] = {0, 0, 0, 0};
    void *workspace = NULL;

    memset(x, x_value, (size_t)c);
    memset(w, w_value, (size_t)c * 4);
    cudaMalloc(&workspace, 1 << 24);
    cudnnCreateFilterDescriptor(&filter);
    cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_INT8, CUDNN_TENSOR_NHWC, 4, c, 1, 1);
    cudnnCreateConvolutionDescriptor(&conv);
    cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                    CUDNN_DATA_INT32);
    cudnnCreateActivationDescriptor(&identity);
    cudnnSetActivationDescriptor(identity, CUDNN_ACTIVATION_IDENTITY, CUDNN_NOT_PROPAGATE_NAN, 0);
    for (int i = 0; i < 2; i++) {
        cudnnTensorDescriptor_t yt = tensor(types[i], CUDNN_TENSOR_NHWC, 1, 4, 1, 1);
        signed char bytes[16] = {0};
        void *dev_x = upload(x, (size_t)c), *dev_w = upload(w, (size_t)c * 4),
             *dev_y = upload(bytes, 16);
        void *bias = upload(no_bias, sizeof(no_bias));
        cudnnStatus_t status = cudnnConvolutionForward(
            handle, &alpha, xt, dev_x, filter, dev_w, conv,
            CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, workspace, 1 << 24, &zero, yt, dev_y);

        printf("int8 convolution, %s: %d channels of %d * %d, alpha %g, y %s\n  plain      %s",
               what, c, x_value, w_value, (double)alpha, i == 0 ? "int8" : "float", said(status));
        cudaDeviceSynchronize();
        cudaMemcpy(bytes, dev_y, 16, cudaMemcpyDeviceToHost);
        printf(": %.9g\n", i == 0 ? (double)bytes[0] : (double)*(float *)(void *)bytes);
        status = cudnnConvolutionBiasActivationForward(
            handle, &alpha, xt, dev_x, filter, dev_w, conv,
            CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, workspace, 1 << 24, &zero, yt, dev_y,
            bt, bias, identity, yt, dev_y);
        cudaDeviceSynchronize();
        cudaMemcpy(bytes, dev_y, 16, cudaMemcpyDeviceToHost);
        printf("  fused      %s: %.9g\n", said(status),
               i == 0 ? (double)bytes[0] : (double)*(float *)(void *)bytes);
    }
    free(x);
    free(w);
}

int main(void)
{
    const float ordered[] = {1, 5, 5, -9, 2, 0, 3, NAN, 1, 4, NAN, 2};
    const float means[] = {1, 1, 1, 2, 2, 2, 3, 3, 3};

    if (cudnnCreate(&handle) != CUDNN_STATUS_SUCCESS) {
        fprintf(stderr, "cudnnCreate failed\n");
        return 1;
    }
    printf("cuDNN %zu\n", cudnnGetVersion());
    for (int propagate = 0; propagate < 2; propagate++) {
        cudnnNanPropagation_t option = propagate ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN;

        activation("sigmoid", CUDNN_ACTIVATION_SIGMOID, option, 0);
        activation("relu", CUDNN_ACTIVATION_RELU, option, 0);
        activation("tanh", CUDNN_ACTIVATION_TANH, option, 0);
        activation("clipped relu", CUDNN_ACTIVATION_CLIPPED_RELU, option, 2);
        activation("elu", CUDNN_ACTIVATION_ELU, option, 0.5);
        activation("swish", CUDNN_ACTIVATION_SWISH, option, 0);
        op_tensor("min", CUDNN_OP_TENSOR_MIN, option);
        op_tensor("max", CUDNN_OP_TENSOR_MAX, option);
        op_tensor("sqrt", CUDNN_OP_TENSOR_SQRT, option);
        op_tensor("not", CUDNN_OP_TENSOR_NOT, option);
        reduce("add", CUDNN_REDUCE_TENSOR_ADD, option, ordered);
        reduce("min", CUDNN_REDUCE_TENSOR_MIN, option, ordered);
        reduce("max", CUDNN_REDUCE_TENSOR_MAX, option, ordered);
        reduce("amax", CUDNN_REDUCE_TENSOR_AMAX, option, ordered);
        reduce("mul no zeros", CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS, option, ordered);
        reduce("norm2", CUDNN_REDUCE_TENSOR_NORM2, option, ordered);
    }
    poolings();
    softmax("fast", CUDNN_SOFTMAX_FAST);
    softmax("accurate", CUDNN_SOFTMAX_ACCURATE);
    softmax("log", CUDNN_SOFTMAX_LOG);
    batch_normalization(1, 0.25);
    batch_normalization(4, 0.25);
    lrn(5);
    lrn(4);
    divisive(NULL, 3);
    divisive(means, 3);
    divisive(means, 2);
    transform(CUDNN_TRANSFORM_FOLD);
    transform(CUDNN_TRANSFORM_UNFOLD);
    im2col();
    conv_alpha_zero();
    conv_int8("ties", 4, 1, 1, 0.125f);
    conv_int8("ties", 4, 3, 1, 0.125f);
    conv_int8("ties", 4, 5, 1, 0.125f);
    conv_int8("negative ties", 4, -5, 1, 0.125f);
    conv_int8("saturation", 4, 100, 100, 1);
    conv_int8("negative saturation", 4, -100, 100, 1);
    conv_int8("wrap of the sum", 133152, 127, 127, 1);
    return 0;
}
