/* SPDX-License-Identifier: Apache-2.0 */
/* Adds what descriptors other than those of tensors contain to the text of a call. */
#include "cudnn9/call.h"

#include <string.h>

/* The real getters refuse a larger number of spatial dims. */
enum { SPATIAL = 6 };

#define COUNT(words) (int)(sizeof(words) / sizeof((words)[0]))

static const char *const nan_words[] = {"ignore", "propagate"};

static void add_list(struct cudnn9_call *call, const char *key, const int *values, int count)
{
    for (int i = 0; i < count; i++)
        cudnn9_add(call, "%s%s%s%d", i == 0 ? " " : "", i == 0 ? key : "", i == 0 ? "=" : ",",
                   values[i]);
}

static void add_compute(struct cudnn9_call *call, int type)
{
    const char *name = cudnn9_type(type);

    if (name == NULL)
        call->unmapped = 1;
    else
        cudnn9_add(call, " compute=%s", name);
}

/* Adds the algorithm that the application names, as of each direction. */
static void add_algorithm(struct cudnn9_call *call, int algorithm, enum cudnn9_direction direction)
{
    static const char *const forward[] = {
        "implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
        "winograd",      "winograd_nonfused"};
    static const char *const data[] = {"0",          "1",        "fft",
                                       "fft_tiling", "winograd", "winograd_nonfused"};
    static const char *const filter[] = {
        "0", "1", "fft", "3", "winograd", "winograd_nonfused", "fft_tiling"};

    if (direction == CUDNN9_FORWARD)
        cudnn9_word(call, "algo", forward, COUNT(forward), algorithm);
    else if (direction == CUDNN9_BACKWARD_DATA)
        cudnn9_word(call, "algo", data, COUNT(data), algorithm);
    else
        cudnn9_word(call, "algo", filter, COUNT(filter), algorithm);
}

void cudnn9_convolution(struct cudnn9_call *call, void *desc, int algorithm,
                        enum cudnn9_direction direction)
{
    static const char *const modes[] = {"convolution", "cross"};
    /* cuDNN 9 may round float operands to TF32 in default math. anydnn's default math does not. The
     * last one is FMA_MATH. */
    static const char *const maths[] = {"default", "tensor_op", "allow_conversion", "default"};
    int (*get)(void *desc, int room, int *dims, int *pad, int *stride, int *dilation, int *mode,
               int *type) = NULL;
    int (*get_groups)(void *desc, int *groups) = NULL;
    int (*get_math)(void *desc, int *math) = NULL;
    int dims = 0, mode = -1, type = -1, groups = 1, math = -1;
    int pad[SPATIAL], stride[SPATIAL], dilation[SPATIAL];

    CUDNN9_REAL(get, cudnnGetConvolutionNdDescriptor);
    CUDNN9_REAL(get_groups, cudnnGetConvolutionGroupCount);
    CUDNN9_REAL(get_math, cudnnGetConvolutionMathType);
    if (desc == NULL ||
        get(desc, SPATIAL, &dims, pad, stride, dilation, &mode, &type) != CUDNN9_SUCCESS ||
        dims > SPATIAL || get_groups(desc, &groups) != CUDNN9_SUCCESS ||
        get_math(desc, &math) != CUDNN9_SUCCESS) {
        call->unmapped = 1;
        return;
    }
    add_list(call, "pad", pad, dims);
    add_list(call, "stride", stride, dims);
    add_list(call, "dilation", dilation, dims);
    cudnn9_add(call, " groups=%d", groups);
    cudnn9_word(call, "mode", modes, COUNT(modes), mode);
    add_compute(call, type);
    cudnn9_word(call, "math", maths, COUNT(maths), math);
    add_algorithm(call, algorithm, direction);
}

void cudnn9_pooling(struct cudnn9_call *call, void *desc)
{
    static const char *const modes[] = {"max", "average_include", "average_exclude",
                                        "max_deterministic"};
    int (*get)(void *desc, int room, int *mode, int *nan, int *dims, int *window, int *pad,
               int *stride) = NULL;
    int dims = 0, mode = -1, nan = -1;
    int window[SPATIAL], pad[SPATIAL], stride[SPATIAL];

    CUDNN9_REAL(get, cudnnGetPoolingNdDescriptor);
    if (desc == NULL ||
        get(desc, SPATIAL, &mode, &nan, &dims, window, pad, stride) != CUDNN9_SUCCESS ||
        dims > SPATIAL) {
        call->unmapped = 1;
        return;
    }
    cudnn9_word(call, "mode", modes, COUNT(modes), mode);
    cudnn9_word(call, "nan", nan_words, COUNT(nan_words), nan);
    add_list(call, "window", window, dims);
    add_list(call, "pad", pad, dims);
    add_list(call, "stride", stride, dims);
}

void cudnn9_activation(struct cudnn9_call *call, void *desc)
{
    static const char *const modes[] = {"sigmoid", "relu",     "tanh", "clipped_relu",
                                        "elu",     "identity", "swish"};
    enum { SWISH = 6 };
    int (*get)(void *desc, int *mode, int *nan, double *coefficient) = NULL;
    int (*get_beta)(void *desc, double *beta) = NULL;
    int mode = -1, nan = -1;
    double coefficient = 0;

    CUDNN9_REAL(get, cudnnGetActivationDescriptor);
    CUDNN9_REAL(get_beta, cudnnGetActivationDescriptorSwishBeta);
    if (desc == NULL || get(desc, &mode, &nan, &coefficient) != CUDNN9_SUCCESS ||
        (mode == SWISH && get_beta(desc, &coefficient) != CUDNN9_SUCCESS)) {
        call->unmapped = 1;
        return;
    }
    cudnn9_word(call, "activation", modes, COUNT(modes), mode);
    cudnn9_word(call, "nan", nan_words, COUNT(nan_words), nan);
    cudnn9_add(call, " coef=%.17g", coefficient);
}

void cudnn9_lrn(struct cudnn9_call *call, void *desc)
{
    int (*get)(void *desc, unsigned *n, double *alpha, double *beta, double *k) = NULL;
    double alpha = 0, beta = 0, k = 0;
    unsigned n = 0;

    CUDNN9_REAL(get, cudnnGetLRNDescriptor);
    if (desc == NULL || get(desc, &n, &alpha, &beta, &k) != CUDNN9_SUCCESS)
        call->unmapped = 1;
    else
        cudnn9_add(call, " n=%u lrn_alpha=%.17g lrn_beta=%.17g k=%.17g", n, alpha, beta, k);
}

void cudnn9_op(struct cudnn9_call *call, void *desc)
{
    static const char *const ops[] = {"add", "mul", "min", "max", "sqrt", "not"};
    int (*get)(void *desc, int *op, int *type, int *nan) = NULL;
    int op = -1, type = -1, nan = -1;

    CUDNN9_REAL(get, cudnnGetOpTensorDescriptor);
    if (desc == NULL || get(desc, &op, &type, &nan) != CUDNN9_SUCCESS) {
        call->unmapped = 1;
        return;
    }
    cudnn9_word(call, "op", ops, COUNT(ops), op);
    cudnn9_word(call, "nan", nan_words, COUNT(nan_words), nan);
    add_compute(call, type);
}

void cudnn9_reduction(struct cudnn9_call *call, void *desc)
{
    static const char *const ops[] = {"add", "mul",   "min",   "max",         "amax",
                                      "avg", "norm1", "norm2", "mul_no_zeros"};
    int (*get)(void *desc, int *op, int *type, int *nan, int *indices, int *indices_type) = NULL;
    int op = -1, type = -1, nan = -1, indices = -1, indices_type = -1;

    CUDNN9_REAL(get, cudnnGetReduceTensorDescriptor);
    if (desc == NULL || get(desc, &op, &type, &nan, &indices, &indices_type) != CUDNN9_SUCCESS ||
        indices != 0) {
        call->unmapped = 1;
        return;
    }
    cudnn9_word(call, "op", ops, COUNT(ops), op);
    cudnn9_word(call, "nan", nan_words, COUNT(nan_words), nan);
    add_compute(call, type);
    cudnn9_add(call, " without=indices");
}
