/* SPDX-License-Identifier: Apache-2.0 */
/* The queries about convolutions: which types of x, w, y, bias, z and computation can be combined.
 * Only successful combinations are printed. */
#include "cudnn_types.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKSPACE_BYTES ((size_t)1 << 26)

static const int all[] = {F32, F64, F16, BF16, S8, U8, S32, S8X4, U8X4, S8X32};
static const int computes[] = {F32, F64, F16, BF16, S32};
static const int biases[] = {F32, F64, F16, BF16};
static const int inputs[][2] = {
    {F32, F32}, {F16, F16},   {BF16, BF16}, {F64, F64},   {S8, S8},       {U8, U8},   {U8, S8},
    {S8, U8},   {S8X4, S8X4}, {U8X4, S8X4}, {U8X4, U8X4}, {S8X32, S8X32}, {F16, F32}, {F32, F16}};
static const double values[] = {1, 2, 3, 1, 2, 0, 1};

static cudnnConvolutionDescriptor_t convolution(int compute)
{
    cudnnConvolutionDescriptor_t conv;

    cudnnCreateConvolutionDescriptor(&conv);
    cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                    (cudnnDataType_t)compute);
    cudnnSetConvolutionMathType(conv, CUDNN_TENSOR_OP_MATH);
    return conv;
}

static cudnnActivationDescriptor_t activation(int mode)
{
    cudnnActivationDescriptor_t desc;

    cudnnCreateActivationDescriptor(&desc);
    cudnnSetActivationDescriptor(desc, (cudnnActivationMode_t)mode, CUDNN_NOT_PROPAGATE_NAN, 0);
    return desc;
}

static void stop_at_error(void)
{
    cudaError_t error = cudaDeviceSynchronize();

    if (error == cudaSuccess)
        return;
    printf("  then CUDA: %s\n", cudaGetErrorString(error));
    exit(2);
}

/* Returns a bit for each algorithm that succeeds. */
static unsigned forward(struct array *x, struct array *w, struct array *y, int compute, int fused,
                        int bias_type, struct array *z)
{
    const int bias_dims[4] = {1, y->dims[1], 1, 1};
    cudnnConvolutionDescriptor_t conv = convolution(compute);
    struct array *bias = array(bias_type, format_of(bias_type), bias_dims, values, 1);
    unsigned found = 0;

    for (int algo = 0; algo < 2; algo++) {
        cudnnConvolutionFwdAlgo_t which = (cudnnConvolutionFwdAlgo_t)algo;
        cudnnStatus_t status;

        if (fused)
            status = cudnnConvolutionBiasActivationForward(
                handle, factor(y->type, 1), x->desc, x->data, w->filter, w->data, conv, which,
                workspace(WORKSPACE_BYTES), WORKSPACE_BYTES, factor(y->type, 0), z->desc, z->data,
                bias->desc, bias->data,
                activation(algo == 0 ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY), y->desc,
                y->data);
        else
            status = cudnnConvolutionForward(
                handle, factor(y->type, 1), x->desc, x->data, w->filter, w->data, conv, which,
                workspace(WORKSPACE_BYTES), WORKSPACE_BYTES, factor(y->type, 0), y->desc, y->data);
        if (status == CUDNN_STATUS_SUCCESS)
            found |= 1U << algo;
    }
    stop_at_error();
    return found;
}

static const char *algorithms(unsigned found)
{
    return found == 3 ? "IMPLICIT_GEMM, PRECOMP" : found == 2 ? "PRECOMP" : "IMPLICIT_GEMM";
}

static int layout(int type, int format)
{
    return lanes(type) > 1 ? VECT : format == VECT ? NCHW : format;
}

static void forward_table(int pair, int format, int y_format, int fused)
{
    const int dims[4] = {1, 32, 2, 2}, w_dims[4] = {32, 32, 1, 1};
    int x_type = inputs[pair][0], w_type = inputs[pair][1];
    struct array *x, *w;

    if (!ask("convolution forward%s, x %s w %s %s, y %s: y, compute (bias) and algorithms taken",
             fused ? " fused" : "", type_name(x_type), type_name(w_type), format_name(format),
             format_name(y_format)))
        return;
    x = array(x_type, format, dims, values, 7);
    w = array(w_type, layout(w_type, format), w_dims, values, 7);
    for (int i = 0; i < COUNT(all); i++)
        for (int c = 0; c < COUNT(computes); c++) {
            struct array *y;
            unsigned found;

            if ((lanes(all[i]) > 1) != (y_format == VECT))
                continue;
            y = array(all[i], y_format, dims, values, 1);
            for (int b = 0; b < (fused ? COUNT(biases) : 1); b++) {
                found = forward(x, w, y, computes[c], fused, biases[b], y);
                if (found && fused)
                    printf("  %s, %s (%s): %s\n", type_name(all[i]), type_name(computes[c]),
                           type_name(biases[b]), algorithms(found));
                else if (found)
                    printf("  %s, %s: %s\n", type_name(all[i]), type_name(computes[c]),
                           algorithms(found));
            }
        }
}

static void forwards(void)
{
    static const int layouts[] = {NCHW, NHWC, VECT};

    for (int fused = 0; fused < 2; fused++)
        for (int p = 0; p < COUNT(inputs); p++)
            for (int f = 0; f < COUNT(layouts); f++)
                for (int g = 0; g < COUNT(layouts); g++)
                    if ((lanes(inputs[p][0]) > 1) == (layouts[f] == VECT) &&
                        (lanes(inputs[p][0]) > 1 || layouts[f] == layouts[g] || layouts[g] == VECT))
                        forward_table(p, layouts[f], layouts[g], fused);
}

/* Computes sums of four channels times alpha, plus beta times the prior output. */
static void integer_values(int x_type, int w_type, int y_type, int format, double alpha,
                           double beta, int fused)
{
    static const double ones[] = {1}, zeros[] = {0}, sums[] = {1, 2, 3, 5, 30, 100, 9, 7};
    static const double priors[] = {1, 2, 3, 100}, flags[] = {1, 1, 1, 1, 0, 0, 0, 0};
    const int c = 4 > lanes(x_type) ? 4 : lanes(x_type);
    const int dims[4] = {1, c, 1, 8}, w_dims[4] = {c, c, 1, 1}, bias_dims[4] = {1, c, 1, 1};
    int y_format = lanes(y_type) > 1 ? VECT : format == VECT ? NCHW : format;
    struct array *x, *w, *y, *bias;
    cudnnConvolutionDescriptor_t conv = convolution(S32);
    cudnnStatus_t status;

    if (!ask("convolution%s x %s w %s y %s %s, %d channels, alpha %g, beta %g",
             fused ? " fused" : "", type_name(x_type), type_name(w_type), type_name(y_type),
             format_name(format), c, alpha, beta))
        return;
    x = array(x_type, format, dims, sums, 8);
    w = array(w_type, format, w_dims, fused ? flags : ones, fused ? 8 : 1);
    y = array(y_type, y_format, dims, priors, 4);
    bias = array(F32, NCHW, bias_dims, zeros, 1);
    if (fused)
        status = cudnnConvolutionBiasActivationForward(
            handle, factor(y_type, alpha), x->desc, x->data, w->filter, w->data, conv,
            CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, workspace(WORKSPACE_BYTES),
            WORKSPACE_BYTES, factor(y_type, beta), y->desc, y->data, bias->desc, bias->data,
            activation(CUDNN_ACTIVATION_IDENTITY), y->desc, y->data);
    else
        status = cudnnConvolutionForward(
            handle, factor(y_type, alpha), x->desc, x->data, w->filter, w->data, conv,
            CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, workspace(WORKSPACE_BYTES),
            WORKSPACE_BYTES, factor(y_type, beta), y->desc, y->data);
    if (answer("forward", status)) {
        show("x", x, 8);
        show("y", y, 16);
    }
}

static void integers(void)
{
    static const int types[][3] = {{S8, S8, S8},      {S8, S8, F32},         {S8, S8, S32},
                                   {U8, S8, S8},      {U8, U8, U8},          {S8X4, S8X4, S8X4},
                                   {S8X4, S8X4, F32}, {U8X4, S8X4, U8X4},    {U8X4, S8X4, S8X4},
                                   {U8X4, U8X4, F32}, {S8X32, S8X32, S8X32}, {S8X32, S8X32, F32}};
    static const double blends[][2] = {{1, 0}, {0.125, 0}, {0.5, 0.5}, {0.125, 1}};

    for (int t = 0; t < COUNT(types); t++)
        for (int b = 0; b < COUNT(blends); b++)
            for (int fused = 0; fused < 2; fused++) {
                int vector = lanes(types[t][0]) > 1;

                integer_values(types[t][0], types[t][1], types[t][2], vector ? VECT : NHWC,
                               blends[b][0], blends[b][1], fused);
            }
}

static void backward_table(int type, int w_type, int format)
{
    const int dims[4] = {1, 32, 2, 2}, w_dims[4] = {32, 32, 1, 1}, bias_dims[4] = {1, 32, 1, 1};
    struct array *x, *y, *w;

    if (!ask("convolution backward, x, y %s w %s %s: compute taken", type_name(type),
             type_name(w_type), format_name(format)))
        return;
    x = array(type, format, dims, values, 7);
    y = array(type, format, dims, values, 7);
    w = array(w_type, format, w_dims, values, 7);
    for (int c = 0; c < COUNT(computes); c++)
        for (int algo = 0; algo < 2; algo++) {
            cudnnConvolutionDescriptor_t conv = convolution(computes[c]);

            if (cudnnConvolutionBackwardData(
                    handle, factor(type, 1), w->filter, w->data, y->desc, y->data, conv,
                    (cudnnConvolutionBwdDataAlgo_t)algo, workspace(WORKSPACE_BYTES),
                    WORKSPACE_BYTES, factor(type, 0), x->desc, x->data) == CUDNN_STATUS_SUCCESS)
                printf("  data, %s, algorithm %d\n", type_name(computes[c]), algo);
            if (cudnnConvolutionBackwardFilter(
                    handle, factor(type, 1), x->desc, x->data, y->desc, y->data, conv,
                    (cudnnConvolutionBwdFilterAlgo_t)algo, workspace(WORKSPACE_BYTES),
                    WORKSPACE_BYTES, factor(type, 0), w->filter, w->data) == CUDNN_STATUS_SUCCESS)
                printf("  filter, %s, algorithm %d\n", type_name(computes[c]), algo);
            stop_at_error();
        }
    for (int b = 0; b < COUNT(all); b++) {
        struct array *bias = array(all[b], format_of(all[b]), bias_dims, values, 1);

        if (cudnnConvolutionBackwardBias(handle, factor(type, 1), y->desc, y->data, factor(type, 0),
                                         bias->desc, bias->data) == CUDNN_STATUS_SUCCESS)
            printf("  bias %s\n", type_name(all[b]));
        stop_at_error();
    }
}

void ask_convolutions(void)
{
    integers();
    for (int i = 0; i < COUNT(inputs); i++) {
        int vector = lanes(inputs[i][0]) > 1;

        backward_table(inputs[i][0], inputs[i][1], vector ? VECT : NCHW);
        if (!vector)
            backward_table(inputs[i][0], inputs[i][1], NHWC);
    }
    forwards();
}
