/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/kinds.h"

#include "problem/operation.h"

void adn_normalization_settle_kind(struct anydnn_plugin_normalization *params,
                                   const struct anydnn_plugin_tensor *x)
{
    int32_t axis = params->channel_axis;

    if (params->kind != ANYDNN_PLUGIN_NORMALIZATION_INSTANCE || axis < 1 || axis >= x->ndims ||
        params->groups != 1)
        return;
    params->kind = ANYDNN_PLUGIN_NORMALIZATION_GROUP;
    params->groups = x->dims[axis];
}

void adn_problem_settle_kind(struct adn_problem *problem)
{
    if (adn_problem_operation(problem->operation)->family == ADN_FAMILY_NORMALIZATION)
        adn_normalization_settle_kind(&problem->params.normalization, &problem->tensor[0]);
}

void adn_normalization_statistics(const struct anydnn_plugin_normalization *params,
                                  const struct anydnn_plugin_tensor *x, int64_t *dims)
{
    int group = params->kind == ANYDNN_PLUGIN_NORMALIZATION_GROUP;

    for (int32_t i = 0; i < x->ndims; i++)
        if (group)
            dims[i] = i == 0 ? x->dims[0] : i == params->channel_axis ? params->groups : 1;
        else
            dims[i] = params->axes >> i & 1 ? 1 : x->dims[i];
}
