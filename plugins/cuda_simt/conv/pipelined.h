/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implicit GEMM of float in a multistage pipeline of cp.async (conv/pipelined.cu): what it takes,
 * its tiles, and which one is expected to be the fastest.
 */
#ifndef CUDA_SIMT_CONV_PIPELINED_H
#define CUDA_SIMT_CONV_PIPELINED_H

#include "../../cuda_common/conv_job.h"

/* Tiles, by number. */
#define PIPELINED_TILES 3

/* A conv_job and how operands and results lie: A and B by 16 bytes along M and N, results by 16
 * bytes along N. */
struct pipelined_job : conv_job {
    int32_t a_is_wide, b_is_wide, c_is_wide;
    int32_t k_a, k_b; /* from one k of a step to the next, where they follow each other */
    float one;
};

struct pipelined_state {
    int32_t is_possible, tile, is_linear;
    int32_t is_full;   /* there are blocks for every place of every multiprocessor */
    int64_t workspace; /* bytes of partial sums; 0 for one split */
    double cycles;
    pipelined_job job; /* without pointers and factors */
};

/* Whether offsets have 31 bits, and the taps of a dim fit into a mask. */
bool pipelined_reaches(const conv &conv);

/* Fills a state for a tile, with splits of the sums or without; it is possible or not. */
void pipelined_prepare(pipelined_state *state, const conv_job &job, int32_t tile,
                       int32_t multiprocessors, int splits);

/* Runs it, adding up of splits included. `job` has the pointers and factors. */
int32_t pipelined_run(const pipelined_state *state, const cuda_call *call, const conv_job &job);

#endif
