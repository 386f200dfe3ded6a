/* SPDX-License-Identifier: Apache-2.0 */
/* Defines a lane: problems for all kinds of kernels, with a handle and a stream of their own, that
 * run beside other work. */
#ifndef TESTS_GPU_LANE_H
#define TESTS_GPU_LANE_H

#include <anydnn/anydnn.h>
#include <cuda_runtime_api.h>

#define LANE_INPUTS   3 /* most inputs of a problem */
#define LANE_PROBLEMS 20

/* A problem of a lane. The last operand is the result. */
struct work {
    anydnnProblem_t problem;
    void *data[LANE_INPUTS + 1];
    int result;
    size_t bytes;       /* of the result */
    void *quiet, *last; /* its contents, on the host */
    void *workspace;
    size_t workspace_bytes;
};

struct lane {
    int device;
    anydnnHandle_t handle;
    cudaStream_t stream;
    struct work work[LANE_PROBLEMS];
    anydnnRecording_t recording;
};

/* Makes a lane with numbers of its own, and runs it once without other work (the quiet run). This
 * loads all code and allocates all memory. */
void lane_make(struct lane *lane, int device, int number, int is_recorded);
/* Enqueues all problems, or their recording. */
void lane_start(const struct lane *lane);
/* Enqueues the problems themselves. */
void lane_enqueue(const struct lane *lane);
/* Waits, and ends the program if a result has other bits than in the quiet run. */
void lane_compare(const struct lane *lane);

#endif
