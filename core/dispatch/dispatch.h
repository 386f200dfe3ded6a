/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one road of every operation. An entry of the API fills a call and hands it to
 * adn_dispatch_run; the plan is found by the descriptors' stamps, else by the problem's value, else
 * made by walking the route. Nothing here knows one operation from another.
 */
#ifndef ADN_DISPATCH_DISPATCH_H
#define ADN_DISPATCH_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

#include "problem/problem.h"

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
    void (*params)(const struct adn_call *call, union adn_params *params);
    const void *descriptor[2];
    const void *extra;
    uint64_t key[ADN_KEY_WORDS];
    uint64_t hash;          /* of the key */
    uintptr_t address_bits; /* set in any operand's pointer */
    const struct anydnn_plugin_tensor *tensor[ADN_SLOTS];
    struct anydnn_plugin_operands operands;
};

/* Runs the call on the handle, which was checked. */
anydnnStatus_t adn_dispatch_run(anydnnHandle_t handle, struct adn_call *call);

/* Workspace bytes of the plan chosen for the call under the assumption of aligned operands; pins
 * the choice. Needs no pointers but those of optional operands, which tell presence. */
anydnnStatus_t adn_dispatch_workspace(anydnnHandle_t handle, struct adn_call *call, size_t *bytes);

/* The same for a problem as a value. */
anydnnStatus_t adn_dispatch_problem_run(anydnnHandle_t handle, const char *entry,
                                        const struct adn_problem *problem,
                                        struct anydnn_plugin_operands *operands);
anydnnStatus_t adn_dispatch_problem_workspace(anydnnHandle_t handle, const char *entry,
                                              const struct adn_problem *problem, size_t *bytes);

/* What would be done with the problem, in lines; the length needed goes to *needed. */
anydnnStatus_t adn_dispatch_explain(anydnnHandle_t handle, const char *entry,
                                    const struct adn_problem *problem, char *text, size_t size,
                                    size_t *needed);

/* The dispatch record of the last call. */
anydnnStatus_t adn_record_text(anydnnHandle_t handle, const char *key, char *text, size_t size);
anydnnStatus_t adn_record_int(anydnnHandle_t handle, const char *key, int64_t *value);

#endif
