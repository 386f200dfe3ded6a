/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a call: the key that finds its plan, its operands, and what makes the problem when no
 * key matches. */
#ifndef ADN_DISPATCH_PLAN_CALL_H
#define ADN_DISPATCH_PLAN_CALL_H

#include <stdint.h>

#include <anydnn/plugin.h>

#include "problem/masks.h"
#include "problem/problem.h"

/* cudaMalloc guarantees this alignment, and so does anydnnMemAlloc */
#define ADN_ASSUMED_ALIGNMENT 256

#define ADN_KEY_WORDS 12

/* A call as its entry describes it. The key holds everything that distinguishes this call's plan
 * from others: the operation, stamps of the descriptors, and each mode and parameter of the call.
 * Dispatch adds presence and aliasing. `tensor` and `operands.data` are indexed by slot. */
struct adn_call {
    const char *entry; /* for example "anydnnConvolutionForward"; messages begin with it */
    int32_t operation;
    int32_t algorithm; /* or ADN_ALGORITHM_ANY */
    int32_t math;
    uint32_t present;
    uint32_t key_words; /* used words of key; words 0 and 1 belong to dispatch */
    uint32_t variant;   /* distinguishes entries of one operation in the key */
    uint32_t unread;    /* inputs that the operation does not read; they never count as aliases */
    /* Fills in the parameters, which are zeroed before, from `descriptor` and `extra`. NULL if
     * there are none. */
    void (*params)(const struct adn_call *call, union kit_params *params);
    const void *descriptor[2];
    const void *extra;
    struct adn_aliases aliases;
    uint64_t key[ADN_KEY_WORDS];
    uint64_t hash;          /* of the key */
    uintptr_t address_bits; /* the OR of all operands' pointers */
    const struct anydnn_plugin_tensor *tensor[ADN_SLOTS];
    struct anydnn_plugin_operands operands;
};

/* The modes of a handle that a problem depends on. */
struct adn_modes {
    int32_t deterministic;
    int32_t batch_invariant;
};

/* Builds the problem that the call describes. NULL for no aliases. */
void adn_call_problem(const struct adn_call *call, struct adn_modes modes,
                      const struct adn_aliases *aliases, struct adn_problem *problem);
/* Applies the modes to a problem that states its own. */
void adn_modes_apply(struct adn_modes modes, struct adn_problem *problem);

#endif
