/* SPDX-License-Identifier: Apache-2.0 */
/* Checks LRN, divisive normalization and batch normalization. */
#include "problem/check_normalization.h"

#include <math.h>
#include <stdio.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "problem/parameters.h"
#include "problem/problem.h"
#include "sys/error.h"

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

anydnnStatus_t adn_check_lrn(const struct adn_check *check)
{
    const struct anydnn_plugin_lrn *params = &check->problem->params.lrn;
    anydnnStatus_t status = SUCCESS;

    if (params->n < 1 || params->n > 16 || !(params->k >= 1e-5) || !(params->beta >= 0.01) ||
        !isfinite(params->alpha))
        return adn_fail(BAD_PARAM,
                        "%s: n is %d, alpha is %g, beta is %g, k is %g; n must be 1 to 16, alpha "
                        "finite, beta at least 0.01, k at least 1e-5",
                        check->entry, (int)params->n, params->alpha, params->beta, params->k);
    if (check->problem->tensor[0].ndims < 3)
        return adn_check_fail(check, BAD_PARAM, 0, "it must have n, c and spatial dims");
    for (int32_t i = 1; i < check->info->slot_count && status == SUCCESS; i++)
        if (check->problem->present >> i & 1)
            status = adn_check_like(check, i, 0, 1);
    return status;
}

/* The roles with the dims of x. The others but `reserve` have one element per channel (or per c, h,
 * w). */
static const char *const data_roles[] = {"dy", "y", "dx", "z", "dz"};
/* The pairs of operands that are present together or not at all. */
static const char *const pairs[][2] = {{"running_mean", "running_var"},
                                       {"save_mean", "save_inv_var"}};

/* Checks the type of a parameter: double for an x of double, else float. For an x of half or
 * bfloat16 it may also be x's type, the same in all parameters of a group. */
static anydnnStatus_t check_param_type(const struct adn_check *check, int32_t slot)
{
    const struct adn_problem *problem = check->problem;
    int32_t x = problem->tensor[0].type, type = problem->tensor[slot].type;
    int32_t like = adn_parameter_like(problem, slot);
    char rule[120];

    if (x == ANYDNN_PLUGIN_DOUBLE && type != x)
        return adn_check_fail(check, BAD_PARAM, slot, "its type must be f64, since x is f64");
    if (x == ANYDNN_PLUGIN_DOUBLE)
        return SUCCESS;
    if (type != ANYDNN_PLUGIN_FLOAT && !(type == x && adn_type_is_short_float(x))) {
        snprintf(rule, sizeof(rule), "its type must be f32%s%s",
                 adn_type_is_short_float(x) ? " or x's type, " : "",
                 adn_type_is_short_float(x) ? adn_type_name(x) : "");
        return adn_check_fail(check, BAD_PARAM, slot, rule);
    }
    if (like < 0 || problem->tensor[like].type == type)
        return SUCCESS;
    snprintf(rule, sizeof(rule), "its type must be that of %s, %s", check->info->slot[like].role,
             adn_type_name(problem->tensor[like].type));
    return adn_check_fail(check, BAD_PARAM, slot, rule);
}

static anydnnStatus_t check_param_tensor(const struct adn_check *check, int32_t slot)
{
    const struct adn_problem *problem = check->problem;
    const struct anydnn_plugin_tensor *x = &problem->tensor[0];
    anydnnStatus_t status = check_param_type(check, slot);
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];
    int spatial = problem->params.batch_normalization.mode != 0;

    if (status != SUCCESS)
        return status;
    for (int32_t i = 0; i < x->ndims; i++)
        dims[i] = i == 1 || (!spatial && i > 1) ? x->dims[i] : 1;
    if (problem->tensor[slot].ndims != x->ndims)
        return adn_check_fail(check, BAD_PARAM, slot, "it must have as many dims as x");
    return adn_check_dims(check, slot, dims,
                          "those that mode and x determine (anydnnDeriveBNTensorDescriptor)");
}

static anydnnStatus_t check_operands(const struct adn_check *check)
{
    anydnnStatus_t status = SUCCESS;
    int32_t slot;

    for (size_t i = 0; i < sizeof(data_roles) / sizeof(data_roles[0]) && status == SUCCESS; i++)
        if ((slot = adn_check_slot(check, data_roles[i])) > 0)
            status = adn_check_like(check, slot, 0, 1);
    for (slot = 1; slot < check->info->slot_count && status == SUCCESS; slot++)
        if ((check->problem->present >> slot & 1) &&
            adn_parameter_group(check->problem->operation, slot))
            status = check_param_tensor(check, slot);
    return status;
}

static anydnnStatus_t check_presence(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;
    int32_t ops = problem->params.batch_normalization.ops;
    int training = problem->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING;
    int backward = problem->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if ((adn_check_slot(check, pairs[i][0]) < 0) != (adn_check_slot(check, pairs[i][1]) < 0))
            return adn_fail(BAD_PARAM, "%s: only one of %s and %s is given; give both or neither",
                            check->entry, pairs[i][0], pairs[i][1]);
    if (training && (ops == 2) != (adn_check_slot(check, "z") >= 0))
        return adn_fail(BAD_PARAM,
                        "%s: z is %s; it must be given for bn_add_activation, and only then",
                        check->entry, ops == 2 ? "absent" : "given");
    if (backward && (ops == 2) != (adn_check_slot(check, "dz") >= 0))
        return adn_fail(BAD_PARAM,
                        "%s: dz is %s; it must be given for bn_add_activation, and only then",
                        check->entry, ops == 2 ? "absent" : "given");
    if (ops != 0 && !training && !backward)
        return adn_fail(BAD_PARAM, "%s: ops is %d; inference does not support an activation",
                        check->entry, (int)ops);
    if (ops != 0 && adn_check_slot(check, "reserve") < 0)
        return adn_fail(BAD_PARAM,
                        "%s: the reserve is absent; normalization with activation stores one bit "
                        "per element in it",
                        check->entry);
    return SUCCESS;
}

anydnnStatus_t adn_check_batch_normalization(const struct adn_check *check)
{
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[0];
    double epsilon = check->problem->params.batch_normalization.epsilon;
    int64_t need = adn_shape_bit_bytes(x);
    anydnnStatus_t status;

    if (x->ndims < 2)
        return adn_check_fail(check, BAD_PARAM, 0, "it must have at least the dims n and c");
    if (!(epsilon >= 0) || isinf(epsilon))
        return adn_fail(
            BAD_PARAM,
            "%s: epsilon is %g; it must be at least ANYDNN_BN_MIN_EPSILON (0) and finite",
            check->entry, epsilon);
    status = check_operands(check);
    if (status == SUCCESS)
        status = check_presence(check);
    if (status == SUCCESS)
        status = adn_check_bytes(check, adn_check_slot(check, "reserve"), need,
                                 "one bit for each element of x");
    return status;
}
