/* SPDX-License-Identifier: Apache-2.0 */
/* A lane: problems of all kinds of kernels with a handle and a stream of their own, to be run
 * beside others. */
#ifndef TESTS_GPU_LANE_H
#define TESTS_GPU_LANE_H

#include <anydnn/anydnn.h>
#include <cuda_runtime_api.h>

#define LANE_INPUTS   3 /* of any problem, at most */
#define LANE_PROBLEMS 20

/* A problem on a lane: the last operand is the result. */
struct work {
    anydnnProblem_t problem;
    void *data[LANE_INPUTS + 1];
    int result;
    size_t bytes;       /* of the result */
    void *quiet, *last; /* what it was, on the host */
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

/* Its numbers are its own; all code is loaded, and all memory taken, when the quiet run is over. */
void lane_make(struct lane *lane, int device, int number, int is_recorded);
/* Puts all problems on the stream, or the recording of them. */
void lane_start(const struct lane *lane);
/* Puts the problems themselves there. */
void lane_enqueue(const struct lane *lane);
/* Waits, and ends the program where a result has other bits than in the quiet run. */
void lane_compare(const struct lane *lane);

#endif
