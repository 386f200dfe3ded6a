/* SPDX-License-Identifier: Apache-2.0 */
/* Slots that operations read and write, as bits: operation.c's flags in a form that the compiler
 * can fold in the entries. A test compares the two. */
#ifndef ADN_PROBLEM_MASKS_H
#define ADN_PROBLEM_MASKS_H

#include <stdint.h>

#include <anydnn/plugin.h>

struct adn_slot_masks {
    uint16_t ins;
    uint16_t outs;
};

static const struct adn_slot_masks adn_slot_masks[ANYDNN_PLUGIN_OPERATION_END] = {
    [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = {0x3, 0x4},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA] = {0x3, 0x4},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER] = {0x3, 0x4},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS] = {0x1, 0x2},
    [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] = {0xf, 0x10},
    [ANYDNN_PLUGIN_POOLING_FORWARD] = {0x1, 0x2},
    [ANYDNN_PLUGIN_POOLING_BACKWARD] = {0x7, 0x8},
    [ANYDNN_PLUGIN_ACTIVATION_FORWARD] = {0x1, 0x2},
    [ANYDNN_PLUGIN_ACTIVATION_BACKWARD] = {0x7, 0x8},
    [ANYDNN_PLUGIN_LRN_FORWARD] = {0x1, 0x2},
    [ANYDNN_PLUGIN_LRN_BACKWARD] = {0x7, 0x8},
    [ANYDNN_PLUGIN_SOFTMAX_FORWARD] = {0x1, 0x2},
    [ANYDNN_PLUGIN_SOFTMAX_BACKWARD] = {0x3, 0x4},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD] = {0xf, 0x1c},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD] = {0x1f, 0x78},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE] = {0x1f, 0x20},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING] = {0x3f, 0x3f0},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD] = {0xff, 0xf00},
    [ANYDNN_PLUGIN_DROPOUT_FORWARD] = {0x3, 0xe},
    [ANYDNN_PLUGIN_DROPOUT_BACKWARD] = {0x3, 0x4},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR] = {0x1, 0x2},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX] = {0x1, 0x2},
    [ANYDNN_PLUGIN_TRANSFORM_FILTER] = {0x1, 0x2},
    [ANYDNN_PLUGIN_ADD_TENSOR] = {0x1, 0x2},
    [ANYDNN_PLUGIN_OP_TENSOR] = {0x3, 0x4},
    [ANYDNN_PLUGIN_REDUCE_TENSOR] = {0x1, 0x6},
    [ANYDNN_PLUGIN_SET_TENSOR] = {0x0, 0x1},
    [ANYDNN_PLUGIN_SCALE_TENSOR] = {0x1, 0x1},
    [ANYDNN_PLUGIN_IM2COL] = {0x1, 0x2},
    [ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD] = {0x1, 0x2},
    [ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD] = {0x1, 0x2},
    [ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD] = {0x3, 0x4},
    [ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD] = {0x7, 0x18},
    [ANYDNN_PLUGIN_CTC_LOSS] = {0xf, 0x30},
    [ANYDNN_PLUGIN_NORMALIZATION_FORWARD] = {0xf, 0xf0},
    [ANYDNN_PLUGIN_NORMALIZATION_BACKWARD] = {0x7f, 0x380},
    [ANYDNN_PLUGIN_MATMUL] = {0x1ff, 0xe00},
};

/* Returns the aliases, 4 bits a slot. An output has 1 + slot of the first input at its address. A
 * further input there has 1 + slot of the output. Absent operands are NULL. */
static inline __attribute__((always_inline)) uint64_t
adn_aliases_of(struct adn_slot_masks masks, uint32_t present, void *const *data)
{
    uint64_t aliases = 0;

#pragma GCC unroll 12
    for (int out = 0; out < 12; out++) {
        if (!((masks.outs & present) >> out & 1))
            continue;
#pragma GCC unroll 12
        for (int in = 0; in < 12; in++) {
            if (in == out || !((masks.ins & present) >> in & 1) || data[in] != data[out])
                continue;
            if ((aliases >> (4 * out) & 15) == 0)
                aliases |= (uint64_t)(in + 1) << (4 * out);
            else if (!(masks.outs >> in & 1))
                aliases = (aliases & ~(UINT64_C(15) << (4 * in))) | (uint64_t)(out + 1) << (4 * in);
        }
    }
    return aliases;
}

#endif
