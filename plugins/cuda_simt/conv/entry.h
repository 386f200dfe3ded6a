/* SPDX-License-Identifier: Apache-2.0 */
/* What candidates and plans of convolutions both know: the numbers of the engines, a plan's state.
 */
#ifndef CUDA_SIMT_CONV_ENTRY_H
#define CUDA_SIMT_CONV_ENTRY_H

#include "../table.h"
#include "depthwise.h"
#include "joined_dgrad.h"
#include "kernels.h"
#include "pipelined.h"

/* Numbers of the engines. CONV_DEPTHWISE_PAIRS has two channels a thread, which lie in one access,
 * and CONV_DEPTHWISE_TALL_PAIRS tiles of more rows besides, CONV_DEPTHWISE_HALO those of shared
 * memory. CONV_JOINED is dgrad to few channels. From CONV_PIPELINED on, each tile's, with one split
 * and with several. */
enum {
    CONV_WHOLE = 1,
    CONV_SPLIT = 2,
    CONV_DEPTHWISE_PAIRS = 3,
    CONV_DEPTHWISE = 4,
    CONV_DEPTHWISE_TALL_PAIRS = 5,
    CONV_JOINED = 6,
    CONV_DEPTHWISE_HALO = 7,
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

/* Chooses among the kernels of tiles and the plain ones, with splits or without. */
void conv_choose_for(const struct anydnn_plugin_plan *plan, const conv &conv, int splits,
                     conv_choice *choice);

/* Fills the state of one of the depthwise engines; it is possible or not. */
void conv_prepare_depthwise(depthwise_state *state, const struct anydnn_plugin_plan *plan,
                            const conv &conv, uint64_t engine);

/* As struct cuda_operation has it. */
int32_t conv_engines(const struct anydnn_plugin_plan *plan,
                     anydnn_plugin_candidate offered[CUDA_ENGINES_MAX]);

#endif
