/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what candidates and plans of convolutions share: the numbers of the engines, and the
 * state of a plan. */
#ifndef CUDA_SIMT_CONV_ENTRY_H
#define CUDA_SIMT_CONV_ENTRY_H

#include "../../cuda_common/table.h"
#include "depthwise.h"
#include "joined_dgrad.h"
#include "kernels.h"
#include "pipelined.h"

/* The numbers of the engines. CONV_DEPTHWISE_PAIRS gives each thread two channels, which one access
 * reads. CONV_DEPTHWISE_TALL_PAIRS does the same with tiles of more rows. CONV_DEPTHWISE_HALO does
 * it with tiles in shared memory, and CONV_DEPTHWISE_LARGE with those for large filters: it
 * and the DEPTHWISE_LARGE_SHAPES - 1 numbers after it are the shapes, by expected time.
 * CONV_JOINED is dgrad to few channels. Each tile of the pipeline has two numbers from
 * CONV_PIPELINED on: one without splits and one with splits. */
enum {
    CONV_WHOLE = 1,
    CONV_SPLIT = 2,
    CONV_DEPTHWISE_PAIRS = 3,
    CONV_DEPTHWISE = 4,
    CONV_DEPTHWISE_TALL_PAIRS = 5,
    CONV_JOINED = 6,
    CONV_DEPTHWISE_HALO = 7,
    CONV_DEPTHWISE_LARGE = 8,
    CONV_PIPELINED = 16
};

struct convolution_state {
    conv_choice choice;
    int32_t (*tile)(const cuda_call *call, int32_t tile, const conv_job &job);
    conv_job job; /* without pointers and factors */
    depthwise_state depthwise, single;
    pipelined_state pipelined;
    joined_state joined;
};

/* Chooses between the tiled and the plain kernels, with splits or without. */
void conv_choose_for(const struct anydnn_plugin_plan *plan, const conv &conv, int splits,
                     conv_choice *choice);

/* Fills in the state of a depthwise engine, and its is_possible. */
void conv_prepare_depthwise(depthwise_state *state, const struct anydnn_plugin_plan *plan,
                            const conv &conv, uint64_t engine);

/* Lists the engines, as struct cuda_operation specifies. */
int32_t conv_engines(const struct anydnn_plugin_plan *plan,
                     anydnn_plugin_candidate offered[CUDA_ENGINES_MAX]);

#endif
