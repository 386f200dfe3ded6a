/* SPDX-License-Identifier: Apache-2.0 */
/* Slots that operations read and write, as bits: operation.c's flags in a form that the compiler
 * can fold in the entries. A test compares the two. */
#ifndef ADN_PROBLEM_MASKS_H
#define ADN_PROBLEM_MASKS_H

#include <stdint.h>

#include <anydnn/plugin.h>

struct adn_slot_masks {
    uint32_t ins;
    uint32_t outs;
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

/* The aliases of a call, 5 bits a slot and 12 slots a word. An output has 1 + slot of the first
 * input at its address. A further input there has 1 + slot of the output. No operation has a slot
 * whose number needs a sixth bit, which a test checks. */
#define ADN_ALIAS_BITS  5
#define ADN_ALIAS_SLOTS 12
#define ADN_ALIAS_WORDS 3

struct adn_aliases {
    uint64_t word[ADN_ALIAS_WORDS];
};

static inline __attribute__((always_inline)) uint32_t
adn_alias_get(const struct adn_aliases *aliases, int slot)
{
    return (uint32_t)(aliases->word[slot / ADN_ALIAS_SLOTS] >>
                      (ADN_ALIAS_BITS * (slot % ADN_ALIAS_SLOTS))) &
           31;
}

static inline __attribute__((always_inline)) void adn_alias_set(struct adn_aliases *aliases,
                                                                int slot, int other)
{
    int shift = ADN_ALIAS_BITS * (slot % ADN_ALIAS_SLOTS);
    uint64_t *word = &aliases->word[slot / ADN_ALIAS_SLOTS];

    *word = (*word & ~(UINT64_C(31) << shift)) | (uint64_t)(other + 1) << shift;
}

/* Records that an output and an input have one address. */
static inline __attribute__((always_inline)) void
adn_alias_join(struct adn_aliases *aliases, struct adn_slot_masks masks, int out, int in)
{
    if (adn_alias_get(aliases, out) == 0)
        adn_alias_set(aliases, out, in);
    else if (!(masks.outs >> in & 1))
        adn_alias_set(aliases, in, out);
}

/* Returns 1 if the operation has more slots than the first word holds. */
static inline __attribute__((always_inline)) int adn_aliases_are_wide(struct adn_slot_masks masks)
{
    return (masks.ins | masks.outs) >> ADN_ALIAS_SLOTS != 0;
}

/* Finds the aliases of an operation of any number of slots. */
static inline void adn_aliases_wide(struct adn_slot_masks masks, uint32_t present,
                                    void *const *data, struct adn_aliases *aliases)
{
    for (int out = 0; out < ANYDNN_PLUGIN_OPERAND_MAX; out++)
        for (int in = 0; in < ANYDNN_PLUGIN_OPERAND_MAX; in++)
            if (in != out && ((masks.outs & present) >> out & 1) &&
                ((masks.ins & present) >> in & 1) && data[in] == data[out])
                adn_alias_join(aliases, masks, out, in);
}

/* Returns the aliases. Absent operands are NULL. The compiler folds nearly all of it where the
 * operation is constant. */
static inline __attribute__((always_inline)) struct adn_aliases
adn_aliases_of(struct adn_slot_masks masks, uint32_t present, void *const *data)
{
    struct adn_aliases aliases = {{0, 0, 0}};

    if (adn_aliases_are_wide(masks)) {
        adn_aliases_wide(masks, present, data, &aliases);
        return aliases;
    }
#pragma GCC unroll 12
    for (int out = 0; out < ADN_ALIAS_SLOTS; out++) {
        if (!((masks.outs & present) >> out & 1))
            continue;
#pragma GCC unroll 12
        for (int in = 0; in < ADN_ALIAS_SLOTS; in++)
            if (in != out && ((masks.ins & present) >> in & 1) && data[in] == data[out])
                adn_alias_join(&aliases, masks, out, in);
    }
    return aliases;
}

#endif
