/* SPDX-License-Identifier: Apache-2.0 */
/* What an entry knows of a call: the key by which its plan is found, the operands, and what makes
 * the problem when no key does. */
#ifndef ADN_DISPATCH_PLAN_CALL_H
#define ADN_DISPATCH_PLAN_CALL_H

#include <stdint.h>

#include <anydnn/plugin.h>

#include "problem/problem.h"

/* cudaMalloc's promise, and ours for anydnnMemAlloc. */
#define ADN_ASSUMED_ALIGNMENT 256

#define ADN_KEY_WORDS 12

/*
 * What an entry knows. The key holds everything that tells this call's plan from others': the
 * operation, stamps of the descriptors, and every mode and parameter given with the call; dispatch
 * adds presence and aliasing. `tensor` and `operands.data` are indexed by slot.
 */
struct adn_call {
    const char *entry; /* "anydnnConvolutionForward", begins sentences */
    int32_t operation;
    int32_t algorithm; /* or ADN_ALGORITHM_ANY */
    int32_t math;
    uint32_t present;
    uint32_t key_words; /* used of key; [0] and [1] belong to dispatch */
    uint32_t variant;   /* tells entries of one operation apart in the key */
    uint32_t unread;    /* inputs that the operation reads nothing of: none counts as an alias */
    /* Fills the parameters (zeroed before) from `descriptor` and `extra`; NULL when there are none.
     */
    void (*params)(const struct adn_call *call, union kit_params *params);
    const void *descriptor[2];
    const void *extra;
    uint64_t key[ADN_KEY_WORDS];
    uint64_t hash;          /* of the key */
    uintptr_t address_bits; /* set in any operand's pointer */
    const struct anydnn_plugin_tensor *tensor[ADN_SLOTS];
    struct anydnn_plugin_operands operands;
};

/* The problem that the call stands for. */
void adn_call_problem(const struct adn_call *call, int32_t deterministic, uint64_t aliases,
                      struct adn_problem *problem);

#endif
