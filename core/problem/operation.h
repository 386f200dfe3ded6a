/* SPDX-License-Identifier: Apache-2.0 */
/* Each operation as data: its operands, factors, algorithms and family of parameters. */
#ifndef ADN_PROBLEM_OPERATION_H
#define ADN_PROBLEM_OPERATION_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

#define ADN_SLOT_OUT      1u /* written */
#define ADN_SLOT_IN       2u /* read (an output with beta is not an input) */
#define ADN_SLOT_OPTIONAL 4u
#define ADN_SLOT_HOST     8u /* in host memory, whatever space the handle has */

/* One operand of an operation. */
struct adn_slot {
    const char *role; /* "x" */
    uint32_t flags;
};

/* The families of parameters. */
enum adn_family {
    ADN_FAMILY_NONE,
    ADN_FAMILY_CONVOLUTION,
    ADN_FAMILY_FUSED, /* convolution with activation */
    ADN_FAMILY_IM2COL,
    ADN_FAMILY_POOLING,
    ADN_FAMILY_ACTIVATION,
    ADN_FAMILY_SOFTMAX,
    ADN_FAMILY_LRN,
    ADN_FAMILY_BATCH_NORMALIZATION,
    ADN_FAMILY_DROPOUT,
    ADN_FAMILY_TRANSFORM,
    ADN_FAMILY_OP_TENSOR,
    ADN_FAMILY_REDUCE,
    ADN_FAMILY_SPATIAL,
    ADN_FAMILY_CTC,
    ADN_FAMILY_NORMALIZATION,
    ADN_FAMILY_MATMUL
};

/* A factor of a call. */
struct adn_factor {
    const char *name;
    double initial;
};

/* An operation. */
struct adn_operation {
    enum adn_family family;
    int32_t slot_count;
    struct adn_slot slot[ANYDNN_PLUGIN_OPERAND_MAX];
    struct adn_factor scale[4];    /* ends with a NULL name */
    const char *number;            /* "average_factor", or NULL */
    const char *const *algorithms; /* names by number, NULL-terminated; or NULL */
};

/* Returns the operation's description, or NULL if no operation has the number. */
const struct adn_operation *adn_problem_operation(int32_t operation);
/* Returns the bytes of the parameters of a family; 0 for ADN_FAMILY_NONE. */
size_t adn_problem_params_size(enum adn_family family);
/* Returns the name of an algorithm: "any" for ADN_ALGORITHM_ANY, "?" for an unknown one. */
const char *adn_problem_algorithm_name(int32_t operation, int32_t algorithm);
/* Returns the number of the algorithm with that name, or -2. */
int32_t adn_problem_algorithm_parse(int32_t operation, const char *name);

#endif
