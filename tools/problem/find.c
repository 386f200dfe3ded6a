/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a convolution with descriptors for anydnnFind..., and names the results. */
#include "tools/problem/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

struct convolution {
    anydnnTensorDescriptor_t tensor[2]; /* data and result: x or dx, y or dy */
    anydnnFilterDescriptor_t filter;
    anydnnConvolutionDescriptor_t convolution;
};

/* The result of Find for one algorithm, as numbers. */
struct found {
    int algo;
    anydnnMathType_t math;
    anydnnStatus_t status;
};

struct search {
    const char *operation;
    const char *roles[3]; /* of the data, the filter and the result */
    const char *names[9]; /* indexed by the algorithm's number */
    int (*find)(anydnnHandle_t handle, const struct convolution *c, int most, struct found *found);
};

static const char *const maths[] = {"tensor_op", "allow_conversion", "split", "default", NULL};
static const int math_numbers[] = {ANYDNN_TENSOR_OP_MATH, ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION,
                                   ANYDNN_TENSOR_OP_MATH_SPLIT, ANYDNN_DEFAULT_MATH,
                                   ANYDNN_DEFAULT_MATH};

/* ---- the three searches */

static int find_forward(anydnnHandle_t handle, const struct convolution *c, int most,
                        struct found *found)
{
    anydnnConvolutionFwdAlgoPerf_t perf[FIND_CHOICES];
    int count = 0;

    if (anydnnFindConvolutionForwardAlgorithm(handle, c->tensor[0], c->filter, c->convolution,
                                              c->tensor[1], most, &count, perf) != SUCCESS)
        return 0;
    for (int i = 0; i < count; i++)
        found[i] = (struct found){(int)perf[i].algo, perf[i].mathType, perf[i].status};
    return count;
}

static int find_data(anydnnHandle_t handle, const struct convolution *c, int most,
                     struct found *found)
{
    anydnnConvolutionBwdDataAlgoPerf_t perf[FIND_CHOICES];
    int count = 0;

    if (anydnnFindConvolutionBackwardDataAlgorithm(handle, c->filter, c->tensor[1], c->convolution,
                                                   c->tensor[0], most, &count, perf) != SUCCESS)
        return 0;
    for (int i = 0; i < count; i++)
        found[i] = (struct found){(int)perf[i].algo, perf[i].mathType, perf[i].status};
    return count;
}

static int find_filter(anydnnHandle_t handle, const struct convolution *c, int most,
                       struct found *found)
{
    anydnnConvolutionBwdFilterAlgoPerf_t perf[FIND_CHOICES];
    int count = 0;

    if (anydnnFindConvolutionBackwardFilterAlgorithm(handle, c->tensor[0], c->tensor[1],
                                                     c->convolution, c->filter, most, &count,
                                                     perf) != SUCCESS)
        return 0;
    for (int i = 0; i < count; i++)
        found[i] = (struct found){(int)perf[i].algo, perf[i].mathType, perf[i].status};
    return count;
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

/* Sets `tensor` from the operand of this role. */
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

/* Sets the filter descriptor. It has a format instead of strides, so filters in other layouts
 * cannot be described. */
static int take_filter(anydnnProblem_t problem, const struct words *words, const char *role,
                       anydnnFilterDescriptor_t filter)
{
    const char *word = words_get(words, role);
    const char *layout = word != NULL ? strrchr(word, ':') + 1 : "";
    anydnnTensorDescriptor_t tensor = NULL;
    anydnnTensorFormat_t format = ANYDNN_TENSOR_NCHW;
    anydnnDataType_t type = ANYDNN_DATA_FLOAT;
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
    return *values; /* past the last */
}

static int take_convolution(const struct words *words, const char *data,
                            anydnnConvolutionDescriptor_t convolution)
{
    static const char *const types[] = {"f64", "f16", "s32", "bf16", NULL};
    static const int type_numbers[] = {ANYDNN_DATA_DOUBLE, ANYDNN_DATA_HALF, ANYDNN_DATA_INT32,
                                       ANYDNN_DATA_BFLOAT16, ANYDNN_DATA_FLOAT};
    static const char *const modes[] = {"convolution", NULL};
    static const int mode_numbers[] = {ANYDNN_CONVOLUTION, ANYDNN_CROSS_CORRELATION};
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

static const struct search *search_of(const char *operation)
{
    for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]); i++)
        if (strcmp(searches[i].operation, operation) == 0)
            return &searches[i];
    return NULL;
}

/* Stores the names of the algorithms that ran. Returns their number. */
static int name_all(const struct search *search, const struct found *found, int count,
                    struct find_choice *choice)
{
    int named = 0;

    for (int i = 0; i < count; i++) {
        int math = 0;

        while (maths[math] != NULL && math_numbers[math] != (int)found[i].math)
            math++;
        if (found[i].status == SUCCESS && found[i].algo >= 0 && found[i].algo < 9 &&
            search->names[found[i].algo] != NULL && maths[math] != NULL)
            choice[named++] = (struct find_choice){search->names[found[i].algo], maths[math]};
    }
    return named;
}

int find_algorithms(anydnnHandle_t handle, anydnnProblem_t problem, const char *text,
                    struct find_choice choice[], int most)
{
    struct convolution c = {{NULL, NULL}, NULL, NULL};
    struct found found[FIND_CHOICES];
    const struct search *search;
    struct words words;
    int count = 0;

    if (words_read(&words, text) == 0) {
        search = search_of(words.operation);
        if (search != NULL && describe(problem, &words, search, &c))
            count = search->find(handle, &c, most, found);
        if (search != NULL)
            count = name_all(search, found, count, choice);
    }
    words_free(&words);
    anydnnDestroyTensorDescriptor(c.tensor[0]);
    anydnnDestroyTensorDescriptor(c.tensor[1]);
    anydnnDestroyFilterDescriptor(c.filter);
    anydnnDestroyConvolutionDescriptor(c.convolution);
    return count;
}

int find_is_transform(const char *algorithm)
{
    return strncmp(algorithm, "fft", 3) == 0 || strncmp(algorithm, "winograd", 8) == 0;
}

const char *const *find_names(const char *text)
{
    char operation[64] = "";
    const struct search *search;

    snprintf(operation, sizeof(operation), "%.*s", (int)strcspn(text, " "), text);
    search = search_of(operation);
    return search != NULL ? search->names : NULL;
}
