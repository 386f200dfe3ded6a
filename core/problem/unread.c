/* SPDX-License-Identifier: Apache-2.0 */
/* States which inputs an operation does not read in some of its modes, what stands in for them, and
 * where operands lie that share memory. */
#include "problem/unread.h"

#define BIT(slot) (UINT32_C(1) << (slot))

#define SLOT(name) slot_pooling_backward_##name
#define HAS_SLOTS(op)                                                                              \
    (KIT_SAME_SLOT(op, pooling_backward, y) && KIT_SAME_SLOT(op, pooling_backward, dy) &&          \
     KIT_SAME_SLOT(op, pooling_backward, x) && KIT_SAME_SLOT(op, pooling_backward, dx))
_Static_assert(HAS_SLOTS(activation_backward) && HAS_SLOTS(lrn_backward),
               "choice_of serves pooling, activation and LRN backward");

uint32_t adn_problem_unread(const struct adn_problem *problem)
{
    const union kit_params *params = &problem->params;

    switch (problem->operation) {
    case ANYDNN_PLUGIN_POOLING_BACKWARD:
        return params->pooling.mode == ANYDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ||
                       params->pooling.mode == ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING
                   ? BIT(slot_pooling_backward_y) | BIT(slot_pooling_backward_x)
                   : 0;
    case ANYDNN_PLUGIN_ACTIVATION_BACKWARD:
        return params->activation.mode == ANYDNN_ACTIVATION_SWISH ? BIT(slot_activation_backward_y)
                                                                  : BIT(slot_activation_backward_x);
    case ANYDNN_PLUGIN_LRN_BACKWARD:
        return BIT(slot_lrn_backward_y);
    case ANYDNN_PLUGIN_OP_TENSOR:
        return params->op_tensor.op == ANYDNN_OP_TENSOR_SQRT ||
                       params->op_tensor.op == ANYDNN_OP_TENSOR_NOT
                   ? BIT(slot_op_tensor_b)
                   : 0;
    default:
        return 0;
    }
}

/* Returns the stand-in of preference `choice` (0 is the best), or -1. The dims of pooling's y and x
 * differ, so that only one operand can stand in. */
static int32_t choice_of(const struct adn_problem *problem, int32_t slot, int choice)
{
    static const int32_t for_y[] = {SLOT(dy), SLOT(x), SLOT(dx)};
    static const int32_t for_x[] = {SLOT(dx), SLOT(dy), SLOT(y)};

    if (problem->operation == ANYDNN_PLUGIN_OP_TENSOR)
        return choice == 0 ? slot_op_tensor_a : -1;
    if (problem->operation == ANYDNN_PLUGIN_POOLING_BACKWARD && choice > 0)
        return -1;
    return choice < 3 ? (slot == SLOT(x) ? for_x : for_y)[choice] : -1;
}

int32_t adn_problem_substitute(const struct adn_problem *problem, int32_t slot)
{
    int32_t other;

    for (int choice = 0; (other = choice_of(problem, slot, choice)) >= 0; choice++)
        if ((problem->present & ~problem->absent) >> other & 1)
            return other;
    return -1;
}

int32_t adn_problem_home(const struct adn_problem *problem, int32_t slot)
{
    for (int steps = 0; problem->alias[slot] > 0 && steps < ADN_SLOTS; steps++)
        slot = problem->alias[slot] - 1;
    return slot;
}
