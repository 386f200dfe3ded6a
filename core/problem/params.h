/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of each family as data, for the text form. */
#ifndef ADN_PROBLEM_PARAMS_H
#define ADN_PROBLEM_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#include "problem/operation.h"

/* The kinds of parameters. */
enum adn_param_kind {
    ADN_PARAM_SPATIAL, /* int64_t list, one a spatial dim */
    ADN_PARAM_DIMS,    /* int64_t list, one a dim */
    ADN_PARAM_INT64,
    ADN_PARAM_INT32,
    ADN_PARAM_NAMES, /* int32_t with names */
    ADN_PARAM_TYPE,  /* int32_t element type */
    ADN_PARAM_AXES,  /* int32_t with a bit for each dim; text lists the dims, `none` for 0 */
    ADN_PARAM_DOUBLE
};

/* A parameter. */
/* The first number of a name that cuDNN lacks. */
#define ADN_PARAM_OURS 1000

struct adn_param {
    const char *key;
    enum adn_param_kind kind;
    size_t offset; /* in union kit_params */
    double initial;
    const char *const *names; /* by number, NULL-terminated; after "" from ADN_PARAM_OURS on */
    int always;               /* printed even with its default */
};

/* Returns the parameters of a family, ended by a NULL key. */
const struct adn_param *adn_problem_params(enum adn_family family);
/* Returns the number of the name at an index among the parameter's names, or -1 after the last. */
int32_t adn_param_number(const struct adn_param *param, int32_t index);
/* Returns the name of a number, or NULL. */
const char *adn_param_name(const struct adn_param *param, int32_t number);
/* Returns 1 for types of data that hold integers, vectors of them included. */
int adn_problem_is_integer(int32_t type);
/* Returns the type of the fused convolution's bias for a y of type `type`. */
int32_t adn_problem_bias_type(int32_t type);
/* Returns the compute type that text may omit: double, int32 or float by the type of the operands.
 */
int32_t adn_problem_compute_default(enum adn_family family, int32_t type);

#endif
