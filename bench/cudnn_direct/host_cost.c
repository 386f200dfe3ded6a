/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the host time to enqueue a call, alternately through cuDNN itself and through anydnn. */
#include "direct.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <time.h>

/* The calls in one round of one way. A stream's queue holds more. */
#define CALLS 200

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/* Returns the microseconds per call. The queue is empty before, so that no call waits for space in
 * it. */
static double enqueue(const struct way *way)
{
    double from, to;

    try_cuda(cudaDeviceSynchronize());
    from = now();
    for (int i = 0; i < CALLS; i++)
        way->run(way->state, 0);
    to = now();
    try_cuda(cudaDeviceSynchronize());
    return (to - from) / CALLS;
}

static void alternate(const char *what, struct way ways[2], int rounds)
{
    double times[2][ROUNDS_MAX], result[2];

    for (int round = -1; round < rounds; round++) {
        for (int i = 0; i < 2; i++) {
            int way = (round + 1 + i) % 2;
            double time = enqueue(&ways[way]);

            if (round >= 0)
                times[way][round] = time;
        }
    }
    for (int way = 0; way < 2; way++) {
        result[way] = median(times[way], rounds);
        ways[way].close(ways[way].state);
    }
    printf("host: %s,forward,%s,1,%.2f,%.2f,%.4f,\n", what, kind_name(FLOAT_NCHW), result[0],
           result[1], result[1] / result[0]);
}

void measure_host(int rounds)
{
    static const struct layer one = {"host", 1, 64, 8, 8, 64, 1, 1, {0, 0}, {1, 1}, {1, 1}, 1};
    static const struct layer small = {"host", 1, 16, 8, 8, 16, 3, 3, {1, 1}, {1, 1}, {1, 1}, 1};
    struct case_ relu = {.layer = &one, .kind = FLOAT_NCHW};
    struct case_ convolution = {.layer = &small, .kind = FLOAT_NCHW};
    struct way ways[2];
    uint64_t engine;

    make_data(&relu);
    ways[0] = anydnn_small(1, &relu);
    ways[1] = cdn_activation(relu.data[X], relu.data[Y]);
    alternate("activation", ways, rounds);
    free_data(&relu);
    make_data(&convolution);
    ways[0] = anydnn_small(0, &convolution);
    ways[1] = cdn_way(&convolution, &engine);
    alternate("convolution", ways, rounds);
    free_data(&convolution);
}
