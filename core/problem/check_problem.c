/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the rules that hold for every problem: valid enumerations and strides. The family checks
 * the rest. */
#include "problem/check_problem.h"

#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "problem/check_alias.h"
#include "problem/check_convolution.h"
#include "problem/check_ctc.h"
#include "problem/check_layer.h"
#include "problem/check_matmul.h"
#include "problem/check_norm_kinds.h"
#include "problem/check_normalization.h"
#include "problem/check_operands.h"
#include "problem/check_spatial.h"
#include "problem/check_tensor.h"
#include "problem/check_types.h"
#include "problem/operation.h"
#include "problem/params.h"
#include "sys/error.h"

#define SUCCESS       ANYDNN_STATUS_SUCCESS
#define BAD_PARAM     ANYDNN_STATUS_BAD_PARAM
#define NOT_SUPPORTED ANYDNN_STATUS_NOT_SUPPORTED

typedef anydnnStatus_t (*check_fn)(const struct adn_check *check);

static const check_fn checks[] = {
    [ADN_FAMILY_NONE] = adn_check_plain,
    [ADN_FAMILY_CONVOLUTION] = adn_check_convolution,
    [ADN_FAMILY_FUSED] = adn_check_convolution,
    [ADN_FAMILY_IM2COL] = adn_check_im2col,
    [ADN_FAMILY_POOLING] = adn_check_pooling,
    [ADN_FAMILY_ACTIVATION] = adn_check_activation,
    [ADN_FAMILY_SOFTMAX] = adn_check_softmax,
    [ADN_FAMILY_LRN] = adn_check_lrn,
    [ADN_FAMILY_BATCH_NORMALIZATION] = adn_check_batch_normalization,
    [ADN_FAMILY_DROPOUT] = adn_check_dropout,
    [ADN_FAMILY_TRANSFORM] = adn_check_transform,
    [ADN_FAMILY_OP_TENSOR] = adn_check_op_tensor,
    [ADN_FAMILY_REDUCE] = adn_check_reduce,
    [ADN_FAMILY_SPATIAL] = adn_check_spatial,
    [ADN_FAMILY_CTC] = adn_check_ctc,
    [ADN_FAMILY_NORMALIZATION] = adn_check_norm_kinds,
    [ADN_FAMILY_MATMUL] = adn_check_matmul,
};

/* Checks that strides are positive, that elements of an output do not overlap, and that vectors are
 * whole. */
static anydnnStatus_t check_strides(const struct adn_check *check, int32_t slot)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];

    for (int32_t i = 0; i < tensor->ndims; i++)
        if (tensor->strides[i] <= 0)
            return adn_check_fail(check, NOT_SUPPORTED, slot,
                                  "a stride is not positive; operations require positive strides");
    if (tensor->ndims > 1 ? tensor->dims[1] % adn_type_lanes(tensor->type) != 0
                          : adn_type_lanes(tensor->type) > 1)
        return adn_check_fail(check, BAD_PARAM, slot,
                              "its channels must be a multiple of the vector length");
    if ((check->info->slot[slot].flags & ADN_SLOT_OUT) && adn_shape_overlaps(tensor))
        return adn_check_fail(check, NOT_SUPPORTED, slot,
                              "its strides place two elements at one address; elements of an "
                              "output must not overlap");
    return SUCCESS;
}

/* Checks that enumerations of the call or the descriptor, the algorithm and the math have a
 * name. */
static anydnnStatus_t check_names(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;

    if (strcmp(adn_math_name(problem->math), "?") == 0)
        return adn_fail(BAD_PARAM, "%s: the math type %d does not exist", check->entry,
                        (int)problem->math);
    if (strcmp(adn_problem_algorithm_name(problem->operation, problem->algorithm), "?") == 0)
        return adn_fail(BAD_PARAM, "%s: algo is %d; this direction does not have that algorithm",
                        check->entry, (int)problem->algorithm);
    for (const struct adn_param *param = adn_problem_params(check->info->family); param->key;
         param++) {
        int32_t number;
        int32_t last = 0;

        if (param->kind != ADN_PARAM_NAMES)
            continue;
        memcpy(&number, (const char *)&problem->params + param->offset, sizeof(number));
        if (adn_param_name(param, number))
            continue;
        if (strcmp(param->key, "activation") == 0 && (number == ANYDNN_PLUGIN_ACTIVATION_GELU ||
                                                      number == ANYDNN_PLUGIN_ACTIVATION_GELU_TANH))
            return adn_fail(BAD_PARAM,
                            "%s: the activation is %s; only the operations normalization_* and "
                            "matmul have it",
                            check->entry,
                            number == ANYDNN_PLUGIN_ACTIVATION_GELU ? "gelu" : "gelu_tanh");
        while (adn_param_name(param, last + 1))
            last++;
        return adn_fail(BAD_PARAM, "%s: %s is %d; it is out of range 0..%d%s", check->entry,
                        param->key, (int)number, (int)last,
                        adn_param_name(param, ADN_PARAM_OURS) ? " and is none of anydnn's own"
                                                              : "");
    }
    return SUCCESS;
}

anydnnStatus_t adn_problem_check(const struct adn_problem *problem, const char *entry)
{
    struct adn_check check = {problem, adn_problem_operation(problem->operation), entry};
    anydnnStatus_t status = check_names(&check);

    if (status == SUCCESS)
        status = adn_check_types(&check);
    if (status == SUCCESS)
        status = checks[check.info->family](&check);

    for (int32_t i = 0; i < check.info->slot_count && status == SUCCESS; i++)
        if (problem->present >> i & 1) {
            status = check_strides(&check, i);
            if (status == SUCCESS && problem->alias[i] > 0 &&
                (check.info->slot[i].flags & ADN_SLOT_OUT))
                status = adn_check_alias(&check, i);
        }
    return status;
}
