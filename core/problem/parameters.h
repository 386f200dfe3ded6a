/* SPDX-License-Identifier: Apache-2.0 */
/* The types of batch normalization's parameters. With an x of half or bfloat16 they are float or
 * x's type; each group of parameters has one type. */
#ifndef ADN_PROBLEM_PARAMETERS_H
#define ADN_PROBLEM_PARAMETERS_H

#include "problem/problem.h"

/* The groups. */
enum adn_parameter_group {
    ADN_PARAMETER_NONE,
    ADN_PARAMETER_SCALE, /* scale, bias and their gradients */
    ADN_PARAMETER_GIVEN, /* mean and var, or the running ones */
    ADN_PARAMETER_SAVED
};

/* The name of the limit by which a backend publishes the types of parameters that it takes in
 * addition to float and double: a set of ANYDNN_PLUGIN_TYPE_BIT. */
#define ADN_PARAMETER_LIMIT "parameter_types"

/* Returns 1 for half and bfloat16. */
static inline int adn_type_is_short_float(int32_t type)
{
    return type == ANYDNN_PLUGIN_HALF || type == ANYDNN_PLUGIN_BFLOAT16;
}

/* Returns the group of an operand, or NONE in other operations and for data and bytes. */
enum adn_parameter_group adn_parameter_group(int32_t operation, int32_t slot);
/* Returns the first present operand before `slot` in its group, or -1. */
int32_t adn_parameter_like(const struct adn_problem *problem, int32_t slot);
/* Returns the type of parameters in half or bfloat16, or -1 if there are none. */
int32_t adn_parameter_short_type(const struct adn_problem *problem);

#endif
