/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that kernels make progress whatever multiprocessors other work holds, since no block waits
 * for one that may not be resident. The cases run calls on two streams at once, and two recordings
 * at once. They also run calls beside a kernel that holds up to all multiprocessors but one.
 * progress_nccl.c uses two devices under NCCL. Every case must end in time and give the bits of a
 * quiet run.
 *
 *   progress [CASE ...]
 *
 * It prints TAP. The exit status is 77 if there is no CUDA device.
 */
#include "progress.h"
#include "hold.h"
#include "lane.h"
#include "work.h"

#include <cuda_runtime_api.h>
#include <time.h>

#define LANES  2
#define ROUNDS 8

/* ------------------------------------------------------------------ the watch */

int progress_ends_in(cudaStream_t stream, double seconds)
{
    const struct timespec pause = {0, 200000};
    struct timespec begin, now;
    cudaError_t error;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    while ((error = cudaStreamQuery(stream)) == cudaErrorNotReady) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) >
            seconds)
            return 0;
        nanosleep(&pause, NULL);
    }
    must(error == cudaSuccess);
    return 1;
}

/* Runs rounds on `lanes` lanes at once, beside a kernel that holds `held` multiprocessors. */
static void run(int lanes, int held, int is_recorded)
{
    static struct lane lane[LANES];

    for (int i = 0; i < lanes; i++)
        lane_make(&lane[i], 0, i, is_recorded);
    for (int round = 0; round < ROUNDS; round++) {
        struct hold *hold = held > 0 ? hold_begin(held) : NULL;
        int ended = 1;

        for (int i = 0; i < lanes; i++)
            lane_start(&lane[i]);
        for (int i = 0; i < lanes; i++)
            ended &= progress_ends_in(lane[i].stream, HOLD_IS_WAITING);
        if (!ended)
            fprintf(stderr, "# round %d waits, %d multiprocessors held\n", round, held);
        must(!hold || hold_lasts(hold));
        if (hold)
            hold_end(hold);
        must(ended);
        for (int i = 0; i < lanes; i++)
            lane_compare(&lane[i]);
    }
}

/* ------------------------------------------------------------------ cases */

static void two_streams(void)
{
    run(2, 0, 0);
}

static void two_replays(void)
{
    run(2, 0, 1);
}

static void few_held(void)
{
    run(1, 16, 0);
}

static void half_held(void)
{
    run(1, hold_multiprocessors() / 2, 0);
}

static void all_but_one_held(void)
{
    run(1, hold_multiprocessors() - 1, 0);
}

static void two_streams_held(void)
{
    run(2, hold_multiprocessors() - 1, 0);
}

static void two_replays_held(void)
{
    run(2, hold_multiprocessors() - 1, 1);
}

/* Checks that the watch detects a wait. A kernel whose blocks wait for all others continues only
 * when the held multiprocessors are released. */
static void meeting(void)
{
    struct hold *meets = hold_make(hold_multiprocessors(), 1), *hold = hold_begin(16);

    hold_start(meets);
    must(!hold_ended_in(meets, 0.5));
    hold_end(hold);
    must(hold_ended_in(meets, HOLD_IS_WAITING));
    hold_end(meets);
}

static const struct gpu_case cases[] = {
    {"what waits for all of its blocks is seen", meeting, 0},
    {"two streams", two_streams, 0},
    {"two replays", two_replays, 0},
    {"16 multiprocessors held", few_held, 0},
    {"half of the multiprocessors held", half_held, 0},
    {"all multiprocessors but one held", all_but_one_held, 0},
    {"two streams, all multiprocessors but one held", two_streams_held, 0},
    {"two replays, all multiprocessors but one held", two_replays_held, 0},
    {"two devices under NCCL", progress_nccl, 0},
};

int main(int argc, char **argv)
{
    return gpu_run(cases, sizeof cases / sizeof cases[0], argc, argv);
}
