/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a convolution by descriptors, as anydnnFind... wants it, and names what that found. */
#include "find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

struct convolution {
    anydnnTensorDescriptor_t tensor[2]; /* of the data's and the result's side: x or dx, y or dy */
    anydnnFilterDescriptor_t filter;
    anydnnConvolutionDescriptor_t convolution;
};

struct search {
    const char *operation;
    const char *roles[3]; /* of the data, the filter, the result's side */
    const char *names[9]; /* by the algorithm's number */
    int (*find)(anydnnHandle_t handle, const struct convolution *c, int *algo);
};

/* ---- the three searches */

static int find_forward(anydnnHandle_t handle, const struct convolution *c, int *algo)
{
    anydnnConvolutionFwdAlgoPerf_t perf;
    int count = 0;

    if (anydnnFindConvolutionForwardAlgorithm(handle, c->tensor[0], c->filter, c->convolution,
                                              c->tensor[1], 1, &count, &perf) != SUCCESS)
        return 0;
    *algo = (int)perf.algo;
    return count == 1 && perf.status == SUCCESS;
}

static int find_data(anydnnHandle_t handle, const struct convolution *c, int *algo)
{
    anydnnConvolutionBwdDataAlgoPerf_t perf;
    int count = 0;

    if (anydnnFindConvolutionBackwardDataAlgorithm(handle, c->filter, c->tensor[1], c->convolution,
                                                   c->tensor[0], 1, &count, &perf) != SUCCESS)
        return 0;
    *algo = (int)perf.algo;
    return count == 1 && perf.status == SUCCESS;
}

static int find_filter(anydnnHandle_t handle, const struct convolution *c, int *algo)
{
    anydnnConvolutionBwdFilterAlgoPerf_t perf;
    int count = 0;

    if (anydnnFindConvolutionBackwardFilterAlgorithm(handle, c->tensor[0], c->tensor[1],
                                                     c->convolution, c->filter, 1, &count,
                                                     &perf) != SUCCESS)
        return 0;
    *algo = (int)perf.algo;
    return count == 1 && perf.status == SUCCESS;
}

static const struct search searches[] = {
    {"convolution_forward",
     {"x", "w", "y"},
     {"implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling", "winograd",
      "winograd_nonfused", NULL},
     find_forward},
    {"convolution_backward_data",
     {"dx", "w", "dy"},
     {"0", "1", "fft", "fft_tiling", "winograd", "winograd_nonfused", NULL, NULL, NULL},
     find_data},
    {"convolution_backward_filter",
     {"x", "dw", "dy"},
     {"0", "1", "fft", "3", "winograd", "winograd_nonfused", "fft_tiling", NULL, NULL},
     find_filter},
};

/* ---- descriptors */

/* The operand of the role goes to `tensor`. */
static int take_tensor(anydnnProblem_t problem, const char *role, anydnnTensorDescriptor_t tensor)
{
    const char *found;
    int count = 0;

    anydnnProblemGetOperandCount(problem, &count);
    for (int i = 0; i < count; i++)
        if (anydnnProblemGetOperand(problem, i, &found, tensor, NULL) == SUCCESS &&
            strcmp(found, role) == 0)
            return 1;
    return 0;
}

/* A filter descriptor has a format, not strides; a filter in another layout cannot be asked for. */
static int take_filter(anydnnProblem_t problem, const struct words *words, const char *role,
                       anydnnFilterDescriptor_t filter)
{
    const char *word = words_get(words, role);
    const char *layout = word != NULL ? strrchr(word, ':') + 1 : "";
    anydnnTensorDescriptor_t tensor = NULL;
    anydnnTensorFormat_t format = ANYDNN_TENSOR_NCHW;
    anydnnDataType_t type;
    int dims[ANYDNN_DIM_MAX];
    int strides[ANYDNN_DIM_MAX];
    int ndims = 0;
    int fine;

    if (strcmp(layout, "nhwc") == 0)
        format = ANYDNN_TENSOR_NHWC;
    else if (strcmp(layout, "nchw_vect_c") == 0)
        format = ANYDNN_TENSOR_NCHW_VECT_C;
    else if (strcmp(layout, "nchw") != 0)
        return 0;
    fine = anydnnCreateTensorDescriptor(&tensor) == SUCCESS && take_tensor(problem, role, tensor) &&
           anydnnGetTensorNdDescriptor(tensor, ANYDNN_DIM_MAX, &type, &ndims, dims, strides) ==
               SUCCESS &&
           anydnnSetFilterNdDescriptor(filter, type, format, ndims, dims) == SUCCESS;
    anydnnDestroyTensorDescriptor(tensor);
    return fine;
}

static void numbers(const struct words *words, const char *key, int missing, int *values)
{
    const char *at = words_get(words, key);

    for (int i = 0; i < ANYDNN_DIM_MAX; i++)
        values[i] = missing;
    for (int i = 0; at != NULL && i < ANYDNN_DIM_MAX; i++) {
        values[i] = atoi(at);
        at = strchr(at, ',');
        at += at != NULL;
    }
}

static int number_of(const char *name, const char *const *names, const int *values)
{
    for (; name != NULL && *names != NULL; names++, values++)
        if (strcmp(*names, name) == 0)
            return *values;
    return *values; /* behind the last */
}

static int take_convolution(const struct words *words, const char *data,
                            anydnnConvolutionDescriptor_t convolution)
{
    static const char *const types[] = {"f64", "f16", "s32", "bf16", NULL};
    static const int type_numbers[] = {ANYDNN_DATA_DOUBLE, ANYDNN_DATA_HALF, ANYDNN_DATA_INT32,
                                       ANYDNN_DATA_BFLOAT16, ANYDNN_DATA_FLOAT};
    static const char *const modes[] = {"convolution", NULL};
    static const int mode_numbers[] = {ANYDNN_CONVOLUTION, ANYDNN_CROSS_CORRELATION};
    static const char *const maths[] = {"tensor_op", "allow_conversion", "split", NULL};
    static const int math_numbers[] = {ANYDNN_TENSOR_OP_MATH,
                                       ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION,
                                       ANYDNN_TENSOR_OP_MATH_SPLIT, ANYDNN_DEFAULT_MATH};
    const char *x = words_get(words, data);
    const char *groups = words_get(words, "groups");
    int pad[ANYDNN_DIM_MAX];
    int stride[ANYDNN_DIM_MAX];
    int dilation[ANYDNN_DIM_MAX];

    numbers(words, "pad", 0, pad);
    numbers(words, "stride", 1, stride);
    numbers(words, "dilation", 1, dilation);
    return x != NULL &&
           anydnnSetConvolutionNdDescriptor(
               convolution, operand_dims(x) - 2, pad, stride, dilation,
               (anydnnConvolutionMode_t)number_of(words_get(words, "mode"), modes, mode_numbers),
               (anydnnDataType_t)number_of(words_get(words, "compute"), types, type_numbers)) ==
               SUCCESS &&
           anydnnSetConvolutionGroupCount(convolution, groups != NULL ? atoi(groups) : 1) ==
               SUCCESS &&
           anydnnSetConvolutionMathType(convolution,
                                        (anydnnMathType_t)number_of(words_get(words, "math"), maths,
                                                                    math_numbers)) == SUCCESS;
}

static int describe(anydnnProblem_t problem, const struct words *words, const struct search *search,
                    struct convolution *c)
{
    return anydnnCreateTensorDescriptor(&c->tensor[0]) == SUCCESS &&
           anydnnCreateTensorDescriptor(&c->tensor[1]) == SUCCESS &&
           anydnnCreateFilterDescriptor(&c->filter) == SUCCESS &&
           anydnnCreateConvolutionDescriptor(&c->convolution) == SUCCESS &&
           take_tensor(problem, search->roles[0], c->tensor[0]) &&
           take_tensor(problem, search->roles[2], c->tensor[1]) &&
           take_filter(problem, words, search->roles[1], c->filter) &&
           take_convolution(words, search->roles[0], c->convolution);
}

int find_algorithm(anydnnHandle_t handle, anydnnProblem_t problem, const char *text, char *name,
                   size_t size)
{
    struct convolution c = {{NULL, NULL}, NULL, NULL};
    struct words words;
    int algo = -1;
    int found = 0;

    if (words_read(&words, text) == 0)
        for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]); i++) {
            const struct search *search = &searches[i];

            if (strcmp(search->operation, words.operation) != 0)
                continue;
            found = describe(problem, &words, search, &c) && search->find(handle, &c, &algo) &&
                    algo >= 0 && algo < 9 && search->names[algo] != NULL;
            if (found)
                snprintf(name, size, "%s", search->names[algo]);
        }
    words_free(&words);
    anydnnDestroyTensorDescriptor(c.tensor[0]);
    anydnnDestroyTensorDescriptor(c.tensor[1]);
    anydnnDestroyFilterDescriptor(c.filter);
    anydnnDestroyConvolutionDescriptor(c.convolution);
    return found;
}
