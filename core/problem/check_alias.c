/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which operations run in place, and on which input: those that cuDNN 9 accepts and
 * computes correctly (tests/probes/README.md), and of ours those that read an element before they
 * write it. Outputs may overwrite an input that the mode does not read. */
#include "problem/check_alias.h"

#include <stdio.h>
#include <string.h>

#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/unread.h"

static const struct in_place {
    int32_t operation;
    const char *out;
    const char *in;
    const char *with; /* an earlier input that must have the same address too, or NULL */
} in_place[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, "y", "z", NULL},
    {ANYDNN_PLUGIN_ACTIVATION_FORWARD, "y", "x", NULL},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, "dx", "y", NULL},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, "dx", "dy", NULL},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, "dx", "x", NULL},
    {ANYDNN_PLUGIN_LRN_FORWARD, "y", "x", NULL},
    {ANYDNN_PLUGIN_LRN_BACKWARD, "dx", "dy", NULL},
    {ANYDNN_PLUGIN_SOFTMAX_FORWARD, "y", "x", NULL},
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, "dx", "y", NULL},
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, "dx", "dy", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, "y", "x", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, "y", "x", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, "y", "z", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dx", "x", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dx", "dy", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dx", "y", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dz", "x", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dz", "dy", NULL},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dz", "y", NULL},
    {ANYDNN_PLUGIN_DROPOUT_FORWARD, "y", "x", NULL},
    {ANYDNN_PLUGIN_DROPOUT_BACKWARD, "dx", "dy", NULL},
    {ANYDNN_PLUGIN_ADD_TENSOR, "y", "x", NULL},
    {ANYDNN_PLUGIN_OP_TENSOR, "c", "a", NULL},
    {ANYDNN_PLUGIN_OP_TENSOR, "c", "b", "a"},
    {ANYDNN_PLUGIN_NORMALIZATION_FORWARD, "y", "x", NULL},
    {ANYDNN_PLUGIN_NORMALIZATION_FORWARD, "y", "z", NULL},
    {ANYDNN_PLUGIN_NORMALIZATION_FORWARD, "sum", "x", NULL},
    {ANYDNN_PLUGIN_NORMALIZATION_FORWARD, "sum", "z", NULL},
    {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD, "dx", "x", NULL},
    {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD, "dx", "dy", NULL},
    {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD, "dx", "dsum", NULL},
    {ANYDNN_PLUGIN_MATMUL, "d", "c", NULL},
};

static int is_allowed(const struct adn_check *check, int32_t slot, int32_t input)
{
    const struct adn_slot *slots = check->info->slot;
    const char *first = slots[check->problem->alias[slot] - 1].role;

    if (adn_problem_unread(check->problem) >> input & 1)
        return 1;
    for (size_t i = 0; i < sizeof(in_place) / sizeof(in_place[0]); i++)
        if (in_place[i].operation == check->problem->operation &&
            strcmp(in_place[i].out, slots[slot].role) == 0 &&
            strcmp(in_place[i].in, slots[input].role) == 0 &&
            (!in_place[i].with || strcmp(in_place[i].with, first) == 0))
            return 1;
    return 0;
}

static anydnnStatus_t check_input(const struct adn_check *check, int32_t slot, int32_t input)
{
    const struct adn_problem *problem = check->problem;
    int allowed = is_allowed(check, slot, input);
    char rule[200];

    if (allowed &&
        memcmp(&problem->tensor[slot], &problem->tensor[input], sizeof(problem->tensor[0])) == 0)
        return ANYDNN_STATUS_SUCCESS;
    snprintf(rule, sizeof(rule), "it has the same address as %s; %s", check->info->slot[input].role,
             allowed ? "in-place operands need the same descriptor"
                     : "this operation cannot overwrite it in place");
    return adn_check_fail(check, ANYDNN_STATUS_BAD_PARAM, slot, rule);
}

anydnnStatus_t adn_check_alias(const struct adn_check *check, int32_t slot)
{
    const struct adn_problem *problem = check->problem;
    int32_t home = adn_problem_home(problem, slot);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    for (int32_t i = 0; i < slot; i++)
        if ((check->info->slot[i].flags & ADN_SLOT_OUT) && problem->alias[i] > 0 &&
            adn_problem_home(problem, i) == home)
            return adn_check_fail(check, ANYDNN_STATUS_BAD_PARAM, slot,
                                  "it has the same address as another output");
    for (int32_t i = 0; i < check->info->slot_count && status == ANYDNN_STATUS_SUCCESS; i++)
        if (problem->alias[slot] == i + 1 || problem->alias[i] == slot + 1)
            status = check_input(check, slot, i);
    return status;
}
