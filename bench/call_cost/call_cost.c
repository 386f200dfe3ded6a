/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the cost of a call beyond the backend's work: 64 convolutions on one handle in turn, on
 * a backend that returns at once.
 *   call_cost time DIMS WAY          nanoseconds per call, and per direct call of a function
 *   call_cost run DIMS WAY ROUNDS    that many rounds of 64 calls, for callgrind
 * DIMS is 4 or 5. WAY `same` keeps the descriptors, and `equal` makes new ones with equal values
 * for each call. `none` calls a function that does nothing, which gives the caller's own cost.
 */
#include <anydnn/anydnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_TOGGLE_COLLECT
#endif

#define PROBLEMS 64

struct problem {
    anydnnTensorDescriptor_t x;
    anydnnFilterDescriptor_t w;
    anydnnConvolutionDescriptor_t conv;
    anydnnTensorDescriptor_t y;
};

static _Alignas(256) float memory[3][64];

static void try(anydnnStatus_t status)
{
    char text[1024];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof(text));
    fprintf(stderr, "call_cost: %s\n", text);
    exit(1);
}

/* Makes x n,16,h,14[,12], w 8,4,3,3[,3] with four groups. Problem `i` differs in n. */
static void make(struct problem *problem, int dims, int i)
{
    const int x[] = {i + 1, 16, 10, 14, 12};
    const int w[] = {8, 4, 3, 3, 3};
    const int pad[] = {1, 1, 1}, stride[] = {1, 2, 1}, dilation[] = {1, 1, 1};
    int y[5];

    try(anydnnCreateTensorDescriptor(&problem->x));
    try(anydnnCreateTensorDescriptor(&problem->y));
    try(anydnnCreateFilterDescriptor(&problem->w));
    try(anydnnCreateConvolutionDescriptor(&problem->conv));
    try(anydnnSetTensorNdDescriptorEx(problem->x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, dims, x));
    try(anydnnSetFilterNdDescriptor(problem->w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, dims, w));
    try(anydnnSetConvolutionNdDescriptor(problem->conv, dims - 2, pad, stride, dilation,
                                         ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT));
    try(anydnnSetConvolutionGroupCount(problem->conv, 4));
    try(anydnnGetConvolutionNdForwardOutputDim(problem->conv, problem->x, problem->w, dims, y));
    try(anydnnSetTensorNdDescriptorEx(problem->y, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, dims, y));
}

static void destroy(struct problem *problem)
{
    anydnnDestroyTensorDescriptor(problem->x);
    anydnnDestroyTensorDescriptor(problem->y);
    anydnnDestroyFilterDescriptor(problem->w);
    anydnnDestroyConvolutionDescriptor(problem->conv);
}

static __typeof__(&anydnnConvolutionForward) volatile callee = anydnnConvolutionForward;

static anydnnStatus_t call(anydnnHandle_t handle, const struct problem *problem)
{
    const float one = 1, zero = 0;

    return callee(handle, &one, problem->x, memory[0], problem->w, memory[1], problem->conv,
                  ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, problem->y, memory[2]);
}

/* Serves as the callee of an empty call with the same arguments. */
static anydnnStatus_t nothing(anydnnHandle_t handle, const void *alpha, anydnnTensorDescriptor_t x,
                              const void *xd, anydnnFilterDescriptor_t w, const void *wd,
                              anydnnConvolutionDescriptor_t conv, anydnnConvolutionFwdAlgo_t algo,
                              void *workspace, size_t bytes, const void *beta,
                              anydnnTensorDescriptor_t y, void *yd)
{
    (void)handle, (void)alpha, (void)x, (void)xd, (void)w, (void)wd, (void)conv, (void)algo;
    (void)workspace, (void)bytes, (void)beta, (void)y, (void)yd;
    return ANYDNN_STATUS_SUCCESS;
}

/* Does the same, and ends the counting as the backend's execute does. */
static anydnnStatus_t nothing_counted(anydnnHandle_t handle, const void *alpha,
                                      anydnnTensorDescriptor_t x, const void *xd,
                                      anydnnFilterDescriptor_t w, const void *wd,
                                      anydnnConvolutionDescriptor_t conv,
                                      anydnnConvolutionFwdAlgo_t algo, void *workspace,
                                      size_t bytes, const void *beta, anydnnTensorDescriptor_t y,
                                      void *yd)
{
    CALLGRIND_TOGGLE_COLLECT;
    return nothing(handle, alpha, x, xd, w, wd, conv, algo, workspace, bytes, beta, y, yd);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void rounds(anydnnHandle_t handle, struct problem *problems, int dims, int equal, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < PROBLEMS; j++) {
            if (equal) {
                destroy(&problems[j]);
                make(&problems[j], dims, j);
            }
            CALLGRIND_TOGGLE_COLLECT; /* until the backend's execute, which toggles it back */
            try(call(handle, &problems[j]));
        }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Prints medians over 21 batches: of calls, and of direct calls. New descriptors are made outside
 * the timing. */
static void measure(anydnnHandle_t handle, struct problem *problems, int dims, int equal)
{
    __typeof__(&nothing) volatile direct = nothing;
    const float one = 1, zero = 0;
    double calls[21], directs[21];
    int repeat = equal ? 1 : 200;

    for (int batch = 0; batch < 21; batch++) {
        double begin;

        for (int j = 0; equal && j < PROBLEMS; j++) {
            destroy(&problems[j]);
            make(&problems[j], dims, j);
        }
        begin = seconds();
        for (int i = 0; i < repeat; i++)
            for (int j = 0; j < PROBLEMS; j++)
                call(handle, &problems[j]);
        calls[batch] = (seconds() - begin) * 1e9 / (repeat * PROBLEMS);
        begin = seconds();
        for (int i = 0; i < 200; i++)
            for (int j = 0; j < PROBLEMS; j++)
                direct(handle, &one, problems[j].x, memory[0], problems[j].w, memory[1],
                       problems[j].conv, ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero,
                       problems[j].y, memory[2]);
        directs[batch] = (seconds() - begin) * 1e9 / (200 * PROBLEMS);
    }
    qsort(calls, 21, sizeof(double), compare);
    qsort(directs, 21, sizeof(double), compare);
    printf("%.1f %.1f\n", calls[10], directs[10]);
}

int main(int argc, char **argv)
{
    struct problem problems[PROBLEMS];
    anydnnHandle_t handle;
    int dims = argc > 2 ? atoi(argv[2]) : 0;
    int equal = argc > 3 && strcmp(argv[3], "equal") == 0;

    if (argc < 4 || (dims != 4 && dims != 5) || (strcmp(argv[1], "run") == 0 && argc != 5)) {
        fprintf(
            stderr,
            "usage: call_cost time 4|5 same|equal, or call_cost run 4|5 same|equal|none ROUNDS\n");
        return 2;
    }
    try(anydnnCreateOnDevice(&handle, "cpu"));
    for (int i = 0; i < PROBLEMS; i++)
        make(&problems[i], dims, i);
    rounds(handle, problems, dims, equal, 2);
    if (strcmp(argv[3], "none") == 0)
        callee = nothing_counted;
    if (strcmp(argv[1], "run") == 0)
        rounds(handle, problems, dims, equal, atoi(argv[4]));
    else
        measure(handle, problems, dims, equal);
    for (int i = 0; i < PROBLEMS; i++)
        destroy(&problems[i]);
    try(anydnnDestroy(handle));
    return 0;
}
