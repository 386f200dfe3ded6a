/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that calls of one plan may differ in their factors and in the address of their results. The
 * convolutions use half, NHWC and each direction, with and without strides. Four threads have a
 * handle each. Every call must leave the same bits as cpu_ref, also around the results. This shows
 * that no call leaves its own values in the plan.
 *
 *   settled BACKEND
 *
 * The host must be able to access device memory, as with a backend that emulator/ builds.
 */
#include <anydnn/anydnn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/must.h"

enum { IMAGES = 2, CHANNELS = 64, SIDE = 8, TAPS = 3, NUMBERS = 40960, THREADS = 4 };
enum { FORWARD, DATA, FILTER, DIRECTIONS };
#define WORKSPACE ((size_t)1 << 22)

static const char *backend;

/* Returns a small integer as half, so that every sum is exact. */
static uint16_t half_of(int number)
{
    static const uint16_t halves[] = {0, 0x3c00, 0x4000};

    return (uint16_t)(number < 0 ? halves[-number] | 0x8000 : halves[number]);
}

static void fill(uint16_t *numbers, int step, int most)
{
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = half_of((i * step + i / 3) % (2 * most + 1) - most);
}

struct side {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t x, y;
    anydnnFilterDescriptor_t w;
    anydnnConvolutionDescriptor_t conv;
    uint16_t *in, *filter, *out;
    void *workspace;
};

static void *memory(struct side *side, size_t bytes)
{
    void *data;

    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemAlloc(side->handle, bytes, &data));
    return data;
}

static void make(struct side *side, const char *device, const char *route, int stride)
{
    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateOnDevice(&side->handle, device));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetRoute(side->handle, "*", NULL, route));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateTensorDescriptor(&side->x));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateTensorDescriptor(&side->y));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateFilterDescriptor(&side->w));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnCreateConvolutionDescriptor(&side->conv));
    must_be(ANYDNN_STATUS_SUCCESS,
            anydnnSetTensor4dDescriptor(side->x, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_HALF, IMAGES,
                                        CHANNELS, SIDE, SIDE));
    must_be(ANYDNN_STATUS_SUCCESS,
            anydnnSetTensor4dDescriptor(side->y, ANYDNN_TENSOR_NHWC, ANYDNN_DATA_HALF, IMAGES,
                                        CHANNELS, SIDE / stride, SIDE / stride));
    must_be(ANYDNN_STATUS_SUCCESS,
            anydnnSetFilter4dDescriptor(side->w, ANYDNN_DATA_HALF, ANYDNN_TENSOR_NHWC, CHANNELS,
                                        CHANNELS, TAPS, TAPS));
    must_be(ANYDNN_STATUS_SUCCESS,
            anydnnSetConvolution2dDescriptor(side->conv, 1, 1, stride, stride, 1, 1,
                                             ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSetConvolutionMathType(side->conv, ANYDNN_TENSOR_OP_MATH));
    side->in = memory(side, NUMBERS * sizeof *side->in);
    side->filter = memory(side, NUMBERS * sizeof *side->filter);
    side->out = memory(side, NUMBERS * sizeof *side->out);
    side->workspace = memory(side, WORKSPACE);
    fill(side->in, 7, 1);
    fill(side->filter, 5, 1);
}

static void drop(struct side *side)
{
    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemFree(side->handle, side->in));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemFree(side->handle, side->filter));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemFree(side->handle, side->out));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnMemFree(side->handle, side->workspace));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroyTensorDescriptor(side->x));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroyTensorDescriptor(side->y));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroyFilterDescriptor(side->w));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroyConvolutionDescriptor(side->conv));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnDestroy(side->handle));
}

static void run(const struct side *side, int direction, float alpha, float beta, int at)
{
    uint16_t *out = side->out + at;

    fill(side->out, 1, 2);
    if (direction == FORWARD)
        must_be(ANYDNN_STATUS_SUCCESS,
                anydnnConvolutionForward(side->handle, &alpha, side->x, side->in, side->w,
                                         side->filter, side->conv,
                                         ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                         side->workspace, WORKSPACE, &beta, side->y, out));
    else if (direction == DATA)
        must_be(ANYDNN_STATUS_SUCCESS, anydnnConvolutionBackwardData(
                                           side->handle, &alpha, side->w, side->filter, side->y,
                                           side->in, side->conv, ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1,
                                           side->workspace, WORKSPACE, &beta, side->x, out));
    else
        must_be(ANYDNN_STATUS_SUCCESS,
                anydnnConvolutionBackwardFilter(side->handle, &alpha, side->x, side->in, side->y,
                                                side->in, side->conv,
                                                ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
                                                side->workspace, WORKSPACE, &beta, side->w, out));
    must_be(ANYDNN_STATUS_SUCCESS, anydnnSynchronize(side->handle));
}

/* Returns the number of calls that left other bytes than cpu_ref. */
static void *work(void *number)
{
    static const struct {
        float alpha, beta;
        int at; /* offset of the results, in elements */
    } calls[] = {{1, 0, 0}, {1, 0, 1}, {0.5, 2, 0}, {1, 0, 0},
                 {2, 0, 4}, {1, 1, 8}, {1, 0, 4},   {1, 0, 0}};
    struct side device, reference;
    intptr_t wrong = 0;
    int stride = (int)(intptr_t)number % 2 + 1;

    make(&device, "cuda", backend, stride);
    make(&reference, "cpu", "cpu_ref", stride);
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
            run(&device, direction, calls[i].alpha, calls[i].beta, calls[i].at);
            run(&reference, direction, calls[i].alpha, calls[i].beta, calls[i].at);
            if (memcmp(device.out, reference.out, NUMBERS * sizeof *device.out) == 0)
                continue;
            fprintf(stderr, "settled: stride %d, direction %d, call %zu differs\n", stride,
                    direction, i);
            wrong++;
        }
    }
    drop(&device);
    drop(&reference);
    return (void *)wrong;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    intptr_t wrong = 0;

    backend = argc > 1 ? argv[1] : "cuda_tensorcore";
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i) != 0)
            return EXIT_FAILURE;
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;

        pthread_join(threads[i], &result);
        wrong += (intptr_t)result;
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
