/* SPDX-License-Identifier: Apache-2.0 */
/* Which operations run in place, and on which input. */
#include "problem/check.h"

#include <stdio.h>
#include <string.h>

static const struct {
    int32_t operation;
    const char *out;
    const char *in;
} in_place[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, "y", "z"},
    {ANYDNN_PLUGIN_ACTIVATION_FORWARD, "y", "x"},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, "dx", "dy"},
    {ANYDNN_PLUGIN_SOFTMAX_FORWARD, "y", "x"},
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, "dx", "dy"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, "y", "x"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, "y", "x"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, "y", "z"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dx", "dy"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "dz", "dy"},
    {ANYDNN_PLUGIN_DROPOUT_FORWARD, "y", "x"},
    {ANYDNN_PLUGIN_DROPOUT_BACKWARD, "dx", "dy"},
    {ANYDNN_PLUGIN_ADD_TENSOR, "y", "x"},
    /* b only if a is c, too, and then the alias names a, which comes first. */
    {ANYDNN_PLUGIN_OP_TENSOR, "c", "a"},
};

anydnnStatus_t adn_check_alias(const struct adn_check *check, int32_t slot)
{
    const struct adn_problem *problem = check->problem;
    int32_t input = problem->alias[slot] - 1;
    const char *out = check->info->slot[slot].role;
    const char *in = check->info->slot[input].role;
    char rule[200];
    int allowed = 0;

    for (size_t i = 0; i < sizeof(in_place) / sizeof(in_place[0]); i++)
        allowed |= in_place[i].operation == problem->operation &&
                   strcmp(in_place[i].out, out) == 0 && strcmp(in_place[i].in, in) == 0;
    for (int32_t i = 0; i < slot; i++)
        if (problem->alias[i] == problem->alias[slot])
            return adn_check_fail(check, ANYDNN_STATUS_BAD_PARAM, slot,
                                  "it has the same address as another output");
    if (allowed &&
        memcmp(&problem->tensor[slot], &problem->tensor[input], sizeof(problem->tensor[0])) == 0)
        return ANYDNN_STATUS_SUCCESS;
    snprintf(rule, sizeof(rule), "it has the same address as %s; %s", in,
             allowed ? "in place both need the same descriptor"
                     : "this operation cannot run in place of it");
    return adn_check_fail(check, ANYDNN_STATUS_BAD_PARAM, slot, rule);
}
