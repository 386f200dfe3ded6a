/* SPDX-License-Identifier: Apache-2.0 */
/* Runs convolutions through anydnn's public API, routed to the backend onednn without fallback. */
#include "direct.h"

#include <anydnn/anydnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The algorithms that round no intermediate transforms. */
#define FORWARD_ALGO         ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM
#define BACKWARD_DATA_ALGO   ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1
#define BACKWARD_FILTER_ALGO ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1

static anydnnHandle_t handle;
static const float one = 1, zero = 0;

struct state {
    const struct measurement *m;
    anydnnTensorDescriptor_t x, y;
    anydnnFilterDescriptor_t w;
    anydnnConvolutionDescriptor_t conv;
    size_t bytes;
    void *workspace;
};

static void try(anydnnStatus_t status)
{
    char text[1024];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof text);
    fail("anydnn: %s", text);
}

/* Writes the settings file, since the number of threads is a setting of the backend. */
static void write_settings(int threads, char path[], size_t size)
{
    const char *folder = getenv("TMPDIR");
    FILE *file;
    int fd;

    snprintf(path, size, "%s/onednn_direct_XXXXXX", folder ? folder : "/tmp");
    fd = mkstemp(path);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        fail("%s: cannot be written", path);
    fprintf(file,
            "[route]\n* = onednn, fallback:off\n"
            "[plugin onednn]\nset.threads = %d\n",
            threads);
    if (fclose(file))
        fail("%s: cannot be written", path);
}

void anydnn_begin(int threads)
{
    char path[512];
    anydnnStatus_t status;

    write_settings(threads, path, sizeof path);
    setenv("ANYDNN_CONFIG", path, 1);
    status = anydnnCreateOnDevice(&handle, "cpu");
    unlink(path);
    try(status);
}

void anydnn_end(void)
{
    try(anydnnDestroy(handle));
}

static void run(void *arg, int set)
{
    const struct state *s = arg;
    const struct measurement *m = s->m;
    float *x = m->data[X][set], *w = m->data[W][set], *y = m->data[Y][set];

    switch (m->direction) {
    case FORWARD:
        try(anydnnConvolutionForward(handle, &one, s->x, x, s->w, w, s->conv, FORWARD_ALGO,
                                     s->workspace, s->bytes, &zero, s->y, y));
        break;
    case BACKWARD_DATA:
        try(anydnnConvolutionBackwardData(handle, &one, s->w, w, s->y, y, s->conv,
                                          BACKWARD_DATA_ALGO, s->workspace, s->bytes, &zero, s->x,
                                          x));
        break;
    default:
        try(anydnnConvolutionBackwardFilter(handle, &one, s->x, x, s->y, y, s->conv,
                                            BACKWARD_FILTER_ALGO, s->workspace, s->bytes, &zero,
                                            s->w, w));
        break;
    }
}

static void query_workspace(struct state *s)
{
    switch (s->m->direction) {
    case FORWARD:
        try(anydnnGetConvolutionForwardWorkspaceSize(handle, s->x, s->w, s->conv, s->y,
                                                     FORWARD_ALGO, &s->bytes));
        break;
    case BACKWARD_DATA:
        try(anydnnGetConvolutionBackwardDataWorkspaceSize(handle, s->w, s->y, s->conv, s->x,
                                                          BACKWARD_DATA_ALGO, &s->bytes));
        break;
    default:
        try(anydnnGetConvolutionBackwardFilterWorkspaceSize(handle, s->x, s->y, s->conv, s->w,
                                                            BACKWARD_FILTER_ALGO, &s->bytes));
        break;
    }
}

static void close_state(void *arg)
{
    struct state *s = arg;

    try(anydnnMemFree(handle, s->workspace));
    try(anydnnDestroyTensorDescriptor(s->x));
    try(anydnnDestroyTensorDescriptor(s->y));
    try(anydnnDestroyFilterDescriptor(s->w));
    try(anydnnDestroyConvolutionDescriptor(s->conv));
    free(s);
}

struct way anydnn_way(const struct measurement *m)
{
    anydnnTensorFormat_t format = m->layout == NHWC ? ANYDNN_TENSOR_NHWC : ANYDNN_TENSOR_NCHW;
    const struct layer *l = m->layer;
    struct state *s = take(sizeof *s);

    s->m = m;
    try(anydnnCreateTensorDescriptor(&s->x));
    try(anydnnCreateTensorDescriptor(&s->y));
    try(anydnnCreateFilterDescriptor(&s->w));
    try(anydnnCreateConvolutionDescriptor(&s->conv));
    try(anydnnSetTensor4dDescriptor(s->x, format, ANYDNN_DATA_FLOAT, l->n, l->c, l->h, l->w));
    try(anydnnSetTensor4dDescriptor(s->y, format, ANYDNN_DATA_FLOAT, l->n, l->k, out_height(l),
                                    out_width(l)));
    try(anydnnSetFilter4dDescriptor(s->w, ANYDNN_DATA_FLOAT, format, l->k, l->c / l->groups, l->r,
                                    l->s));
    try(anydnnSetConvolution2dDescriptor(s->conv, l->pad[0], l->pad[1], l->stride[0], l->stride[1],
                                         l->dilation[0], l->dilation[1], ANYDNN_CROSS_CORRELATION,
                                         ANYDNN_DATA_FLOAT));
    try(anydnnSetConvolutionGroupCount(s->conv, l->groups));
    query_workspace(s);
    if (s->bytes)
        try(anydnnMemAlloc(handle, s->bytes, &s->workspace));
    return (struct way){run, close_state, s};
}
