/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A problem: one operation on described operands as a plain value. It holds everything that a plan
 * depends on, and no pointers, factors or streams. A handle can therefore keep one plan for many
 * calls (docs/architecture.md, "What always holds"). Other files check, print and parse problems.
 */
#ifndef ADN_PROBLEM_PROBLEM_H
#define ADN_PROBLEM_PROBLEM_H

#include <stdint.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

#include "../../plugins/kit/params.h"
#include "../../plugins/kit/slots.h"

#define ADN_SLOTS         ANYDNN_PLUGIN_OPERAND_MAX
#define ADN_ALGORITHM_ANY (-1)

/* A problem. Only present operands and the parameters of the family are significant. Unused dims
 * and strides are 0, so that equal problems are equal bytes. Absent operands need not be
 * initialised. */
struct adn_problem {
    int32_t operation; /* ANYDNN_PLUGIN_CONVOLUTION_FORWARD, ... */
    int32_t math;
    int32_t algorithm; /* or ADN_ALGORITHM_ANY */
    int32_t deterministic;
    int32_t batch_invariant; /* 1: covered by the mode, and the mode is on */
    int32_t reserved;        /* 0 */
    uint32_t present;
    uint32_t absent; /* present operands that the caller omits; others stand in (unread.h) */
    uint8_t alias[ADN_SLOTS]; /* as in plugin.h */
    union kit_params params;
    struct anydnn_plugin_tensor tensor[ADN_SLOTS];
};

/* The values of a call that are neither in the problem nor in the pointers. */
struct adn_values {
    double scale[4];
    double number[4];
    double value;  /* set_tensor */
    int32_t align; /* known alignment of every operand in bytes; 0 if unstated (256) */
};

/* Returns the type of the first operand, which is the type of the problem. */
static inline int32_t adn_problem_type(const struct adn_problem *problem)
{
    return problem->tensor[0].type;
}

/* Sets default parameters and no operand. */
void adn_problem_init(struct adn_problem *problem, int32_t operation);
/* Sets the default factors of the operation. */
void adn_values_init(struct adn_values *values, int32_t operation);
/* Returns a hash of the significant parts. */
uint64_t adn_problem_hash(const struct adn_problem *problem);
/* Returns 1 if the significant parts are equal. */
int adn_problem_equal(const struct adn_problem *a, const struct adn_problem *b);
/* Copies the significant parts of `from`. The rest of `to` becomes 0. */
void adn_problem_copy(struct adn_problem *to, const struct adn_problem *from);
/* Copies the problem with activation and epsilon set to 0. These apply to each result at the end
 * and do not affect the choice of a backend. Returns 0, without a copy, if the operation has
 * neither.
 */
int adn_problem_broaden(const struct adn_problem *problem, struct adn_problem *broad);
/* Makes the view that a backend gets. It points into `problem`. */
void adn_problem_view(const struct adn_problem *problem, int32_t device,
                      struct anydnn_plugin_problem *view);

#endif
