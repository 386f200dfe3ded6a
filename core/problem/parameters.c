/* SPDX-License-Identifier: Apache-2.0 */
/* Groups the parameters of batch normalization by the type that they share. */
#include "problem/parameters.h"

#include <string.h>

#include "problem/operation.h"

static const struct {
    const char *role;
    enum adn_parameter_group group;
} groups[] = {
    {"scale", ADN_PARAMETER_SCALE},        {"bias", ADN_PARAMETER_SCALE},
    {"dscale", ADN_PARAMETER_SCALE},       {"dbias", ADN_PARAMETER_SCALE},
    {"mean", ADN_PARAMETER_GIVEN},         {"var", ADN_PARAMETER_GIVEN},
    {"running_mean", ADN_PARAMETER_GIVEN}, {"running_var", ADN_PARAMETER_GIVEN},
    {"save_mean", ADN_PARAMETER_SAVED},    {"save_inv_var", ADN_PARAMETER_SAVED},
};

enum adn_parameter_group adn_parameter_group(int32_t operation, int32_t slot)
{
    const struct adn_operation *info = adn_problem_operation(operation);

    if (info->family != ADN_FAMILY_BATCH_NORMALIZATION)
        return ADN_PARAMETER_NONE;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (strcmp(groups[i].role, info->slot[slot].role) == 0)
            return groups[i].group;
    return ADN_PARAMETER_NONE;
}

int32_t adn_parameter_like(const struct adn_problem *problem, int32_t slot)
{
    enum adn_parameter_group group = adn_parameter_group(problem->operation, slot);

    for (int32_t i = 0; i < slot && group != ADN_PARAMETER_NONE; i++)
        if ((problem->present >> i & 1) && adn_parameter_group(problem->operation, i) == group)
            return i;
    return -1;
}

int32_t adn_parameter_short_type(const struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    if (info->family != ADN_FAMILY_BATCH_NORMALIZATION ||
        !adn_type_is_short_float(adn_problem_type(problem)))
        return -1;
    for (int32_t i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) && adn_type_is_short_float(problem->tensor[i].type) &&
            adn_parameter_group(problem->operation, i) != ADN_PARAMETER_NONE)
            return problem->tensor[i].type;
    return -1;
}
