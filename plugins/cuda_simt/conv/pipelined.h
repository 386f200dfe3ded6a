/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines implicit GEMM of float in a multistage pipeline of cp.async (conv/pipelined.cu): which
 * problems it accepts, its tiles, and their expected time.
 */
#ifndef CUDA_SIMT_CONV_PIPELINED_H
#define CUDA_SIMT_CONV_PIPELINED_H

#include "../../cuda_common/conv_job.h"

/* Number of tiles. */
#define PIPELINED_TILES 3

/* The arguments of the kernels: a conv_job and the layout of operands and results. A is wide if 16
 * bytes hold adjacent m. B and C are wide if 16 bytes hold adjacent n. */
struct pipelined_job : conv_job {
    int32_t a_is_wide, b_is_wide, c_is_wide;
    int32_t k_a, k_b; /* LINEAR: strides from one k of a step to the next */
    float one;
};

struct pipelined_state {
    int32_t is_possible, tile, is_linear;
    int32_t is_full;   /* 1 if the blocks fill every multiprocessor */
    int64_t workspace; /* bytes of partial sums; 0 for one split */
    double cycles;
    pipelined_job job; /* without pointers and factors */
};

/* Returns true if offsets fit into 31 bits and the taps of a dim fit into a mask. */
bool pipelined_reaches(const conv &conv);

/* Fills in the state for a tile, with splits or without. Sets is_possible to 1 if the tile accepts
 * the problem. */
void pipelined_prepare(pipelined_state *state, const conv_job &job, int32_t tile,
                       int32_t multiprocessors, int splits);

/* Runs the kernel and adds up the splits. `job` has the pointers and factors. */
int32_t pipelined_run(const pipelined_state *state, const cuda_call *call, const conv_job &job);

#endif
