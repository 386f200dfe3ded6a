/* SPDX-License-Identifier: Apache-2.0 */
/* What every problem is held to: names that exist, strides, and the rules of its family; and the
 * sentences of those rules. */
#include "problem/check.h"

#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "sys/error.h"
#include "sys/text.h"

#define SUCCESS       ANYDNN_STATUS_SUCCESS
#define BAD_PARAM     ANYDNN_STATUS_BAD_PARAM
#define NOT_SUPPORTED ANYDNN_STATUS_NOT_SUPPORTED

anydnnStatus_t adn_check_fail(const struct adn_check *check, anydnnStatus_t status, int32_t slot,
                              const char *rule)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];
    struct adn_text text;
    char dims[200];

    adn_text_begin(&text, dims, sizeof(dims));
    adn_text_list(&text, tensor->dims, tensor->ndims);
    return adn_fail(status, "%s: %s is %s:%s; %s", check->entry, check->info->slot[slot].role,
                    adn_type_name(tensor->type), dims, rule);
}

int32_t adn_check_slot(const struct adn_check *check, const char *role)
{
    for (int32_t i = 0; i < check->info->slot_count; i++)
        if (strcmp(check->info->slot[i].role, role) == 0)
            return check->problem->present >> i & 1 ? i : -1;
    return -1;
}

anydnnStatus_t adn_check_dims(const struct adn_check *check, int32_t slot, const int64_t *dims,
                              const char *rule)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];
    int32_t ndims = check->problem->tensor[0].ndims;
    struct adn_text text;
    char sentence[400];

    if (tensor->ndims == ndims && memcmp(tensor->dims, dims, (size_t)ndims * sizeof(dims[0])) == 0)
        return SUCCESS;
    adn_text_begin(&text, sentence, sizeof(sentence));
    adn_text_add(&text, "its dims must be ");
    adn_text_list(&text, dims, ndims);
    adn_text_add(&text, ", %s", rule);
    return adn_check_fail(check, BAD_PARAM, slot, sentence);
}

anydnnStatus_t adn_check_like(const struct adn_check *check, int32_t slot, int32_t like, int type)
{
    const struct anydnn_plugin_tensor *other = &check->problem->tensor[like];
    char rule[120];

    if (slot < 0)
        return SUCCESS;
    snprintf(rule, sizeof(rule), "its type must be %s, that of %s", adn_type_name(other->type),
             check->info->slot[like].role);
    if (type && check->problem->tensor[slot].type != other->type)
        return adn_check_fail(check, BAD_PARAM, slot, rule);
    if (other->ndims != check->problem->tensor[slot].ndims)
        return adn_check_fail(check, BAD_PARAM, slot,
                              "it must have as many dims as the other operands");
    snprintf(rule, sizeof(rule), "those of %s", check->info->slot[like].role);
    return adn_check_dims(check, slot, other->dims, rule);
}

anydnnStatus_t adn_check_bytes(const struct adn_check *check, int32_t slot, int64_t need,
                               const char *what)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot < 0 ? 0 : slot];
    char rule[160];

    if (slot < 0 || (tensor->type == ANYDNN_PLUGIN_UINT8 && tensor->ndims == 1 &&
                     tensor->strides[0] == 1 && tensor->dims[0] >= need))
        return SUCCESS;
    snprintf(rule, sizeof(rule), "it must be at least u8:%lld, %s", (long long)need, what);
    return adn_check_fail(check, BAD_PARAM, slot, rule);
}

static const adn_check_fn checks[] = {
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
};

/* Strides: all positive; those of outputs give each element a place of its own. And whole vectors.
 */
static anydnnStatus_t check_strides(const struct adn_check *check, int32_t slot)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];

    for (int32_t i = 0; i < tensor->ndims; i++)
        if (tensor->strides[i] <= 0)
            return adn_check_fail(check, NOT_SUPPORTED, slot,
                                  "a stride is not positive; operations need positive ones");
    if (tensor->ndims > 1 ? tensor->dims[1] % adn_type_lanes(tensor->type) != 0
                          : adn_type_lanes(tensor->type) > 1)
        return adn_check_fail(check, BAD_PARAM, slot, "its channels must be whole vectors");
    if ((check->info->slot[slot].flags & ADN_SLOT_OUT) && adn_shape_overlaps(tensor))
        return adn_check_fail(
            check, NOT_SUPPORTED, slot,
            "its strides give two elements one place; an output's elements must not overlap");
    return SUCCESS;
}

/* Enumerations that came with the call or the descriptor name something; so do algorithm and math.
 */
static anydnnStatus_t check_names(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;

    if (strcmp(adn_math_name(problem->math), "?") == 0)
        return adn_fail(BAD_PARAM, "%s: the math type is %d; there is no such mode", check->entry,
                        (int)problem->math);
    if (strcmp(adn_problem_algorithm_name(problem->operation, problem->algorithm), "?") == 0)
        return adn_fail(BAD_PARAM, "%s: algo is %d; this direction has no such algorithm",
                        check->entry, (int)problem->algorithm);
    for (const struct adn_param *param = adn_problem_params(check->info->family); param->key;
         param++) {
        int32_t number;
        int32_t count = 0;

        if (param->kind != ADN_PARAM_NAMES)
            continue;
        memcpy(&number, (const char *)&problem->params + param->offset, sizeof(number));
        while (param->names[count])
            count++;
        if (number < 0 || number >= count)
            return adn_fail(BAD_PARAM, "%s: %s is %d; it must be 0 to %d", check->entry, param->key,
                            (int)number, (int)count - 1);
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
