/* SPDX-License-Identifier: Apache-2.0 */
/* Runs convolutions and activations through anydnn's public API, routed to the backend cudnn. */
#include "direct.h"

#include <anydnn/anydnn.h>
#include <stdlib.h>

static anydnnHandle_t handle;
static const float one = 1, zero = 0;

struct state {
    enum direction direction;
    anydnnTensorDescriptor_t x, y;
    anydnnFilterDescriptor_t w;
    anydnnConvolutionDescriptor_t conv;
    anydnnActivationDescriptor_t relu;
    size_t bytes;
    void *workspace, *data[OPERAND_END];
};

static void try(anydnnStatus_t status)
{
    char text[1024];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof text);
    fail("anydnn: %s", text);
}

void anydnn_direct_begin(void)
{
    try(anydnnCreateOnDevice(&handle, "cuda"));
    try(anydnnSetRoute(handle, "*", NULL, "cudnn"));
}

void anydnn_direct_end(void)
{
    try(anydnnDestroy(handle));
}

void *anydnn_memory(size_t bytes)
{
    void *memory = NULL;

    try(anydnnMemAlloc(handle, bytes, &memory));
    try(anydnnMemSet(handle, memory, 0, bytes));
    return memory;
}

void anydnn_release(void *memory)
{
    try(anydnnMemFree(handle, memory));
}

uint64_t anydnn_engine(void)
{
    int64_t engine = 0;

    try(anydnnGetDispatchInfoInt(handle, "engine", &engine));
    return (uint64_t)engine;
}

static void run(void *arg, int set)
{
    const struct state *s = arg;

    (void)set;
    if (s->direction == FORWARD)
        try(anydnnConvolutionForward(handle, &one, s->x, s->data[X], s->w, s->data[W], s->conv,
                                     ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                     s->workspace, s->bytes, &zero, s->y, s->data[Y]));
    else if (s->direction == BACKWARD_DATA)
        try(anydnnConvolutionBackwardData(handle, &one, s->w, s->data[W], s->y, s->data[Y], s->conv,
                                          ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1, s->workspace,
                                          s->bytes, &zero, s->x, s->data[X]));
    else
        try(anydnnConvolutionBackwardFilter(handle, &one, s->x, s->data[X], s->y, s->data[Y],
                                            s->conv, ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
                                            s->workspace, s->bytes, &zero, s->w, s->data[W]));
}

static void query_workspace(struct state *s)
{
    if (s->direction == FORWARD)
        try(anydnnGetConvolutionForwardWorkspaceSize(
            handle, s->x, s->w, s->conv, s->y, ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
            &s->bytes));
    else if (s->direction == BACKWARD_DATA)
        try(anydnnGetConvolutionBackwardDataWorkspaceSize(
            handle, s->w, s->y, s->conv, s->x, ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1, &s->bytes));
    else
        try(anydnnGetConvolutionBackwardFilterWorkspaceSize(
            handle, s->x, s->y, s->conv, s->w, ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1, &s->bytes));
}

static void run_activation(void *arg, int set)
{
    const struct state *s = arg;

    (void)set;
    try(anydnnActivationForward(handle, s->relu, &one, s->x, s->data[X], &zero, s->x, s->data[Y]));
}

static void close_state(void *arg)
{
    struct state *s = arg;

    try(anydnnSynchronize(handle));
    if (s->workspace)
        anydnn_release(s->workspace);
    try(anydnnDestroyTensorDescriptor(s->x));
    try(anydnnDestroyTensorDescriptor(s->y));
    try(anydnnDestroyFilterDescriptor(s->w));
    try(anydnnDestroyConvolutionDescriptor(s->conv));
    try(anydnnDestroyActivationDescriptor(s->relu));
    free(s);
}

static struct state *make_state(const struct case_ *c)
{
    int half = c->kind == HALF_NHWC;
    anydnnTensorFormat_t format = half ? ANYDNN_TENSOR_NHWC : ANYDNN_TENSOR_NCHW;
    anydnnDataType_t type = half ? ANYDNN_DATA_HALF : ANYDNN_DATA_FLOAT;
    const struct layer *l = c->layer;
    struct state *s = take(sizeof *s);

    s->direction = c->direction;
    for (int i = 0; i < OPERAND_END; i++)
        s->data[i] = c->data[i];
    try(anydnnCreateTensorDescriptor(&s->x));
    try(anydnnCreateTensorDescriptor(&s->y));
    try(anydnnCreateFilterDescriptor(&s->w));
    try(anydnnCreateConvolutionDescriptor(&s->conv));
    try(anydnnCreateActivationDescriptor(&s->relu));
    try(anydnnSetActivationDescriptor(s->relu, ANYDNN_ACTIVATION_RELU, ANYDNN_NOT_PROPAGATE_NAN,
                                      0));
    try(anydnnSetTensor4dDescriptor(s->x, format, type, l->n, l->c, l->h, l->w));
    try(anydnnSetTensor4dDescriptor(s->y, format, type, l->n, l->k, out_height(l), out_width(l)));
    try(anydnnSetFilter4dDescriptor(s->w, type, format, l->k, l->c / l->groups, l->r, l->s));
    try(anydnnSetConvolution2dDescriptor(s->conv, l->pad[0], l->pad[1], l->stride[0], l->stride[1],
                                         l->dilation[0], l->dilation[1], ANYDNN_CROSS_CORRELATION,
                                         ANYDNN_DATA_FLOAT));
    try(anydnnSetConvolutionGroupCount(s->conv, l->groups));
    try(anydnnSetConvolutionMathType(s->conv, half ? ANYDNN_TENSOR_OP_MATH : ANYDNN_DEFAULT_MATH));
    return s;
}

static struct way convolution_of(struct state *s)
{
    query_workspace(s);
    if (s->bytes)
        s->workspace = anydnn_memory(s->bytes);
    return (struct way){run, close_state, s};
}

struct way anydnn_convolution(const struct case_ *c)
{
    return convolution_of(make_state(c));
}

struct way anydnn_small(int activation, const struct case_ *c)
{
    struct state *s = make_state(c);

    return activation ? (struct way){run_activation, close_state, s} : convolution_of(s);
}
