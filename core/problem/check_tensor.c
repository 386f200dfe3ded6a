/* SPDX-License-Identifier: Apache-2.0 */
/* Checks operations on plain tensors: bias gradient, add, op, reduce, transforms. */
#include "problem/check_tensor.h"

#include <stdio.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "problem/params.h"
#include "problem/problem.h"
#include "sys/error.h"

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

/* Checks that each dim of `slot` is that of `whole` or 1. */
static anydnnStatus_t check_broadcast(const struct adn_check *check, int32_t slot, int32_t whole)
{
    const struct anydnn_plugin_tensor *part = &check->problem->tensor[slot];
    const struct anydnn_plugin_tensor *all = &check->problem->tensor[whole];
    char rule[100];

    snprintf(rule, sizeof(rule), "each of its dims must be that of %s or 1",
             check->info->slot[whole].role);
    if (part->ndims != all->ndims)
        return adn_check_fail(check, BAD_PARAM, slot,
                              "it must have as many dims as the other operands");
    for (int32_t i = 0; i < part->ndims; i++)
        if (part->dims[i] != all->dims[i] && part->dims[i] != 1)
            return adn_check_fail(check, BAD_PARAM, slot, rule);
    return SUCCESS;
}

static anydnnStatus_t check_backward_bias(const struct adn_check *check)
{
    const struct anydnn_plugin_tensor *dy = &check->problem->tensor[0];
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];

    if (dy->ndims < 2)
        return adn_check_fail(check, BAD_PARAM, 0, "it needs at least the dims n and k");
    for (int32_t i = 0; i < dy->ndims; i++)
        dims[i] = i == 1 ? dy->dims[1] : 1;
    if (check->problem->tensor[1].type != dy->type)
        return adn_check_fail(check, BAD_PARAM, 1, "its type must be that of dy");
    if (check->problem->tensor[1].ndims != dy->ndims)
        return adn_check_fail(check, BAD_PARAM, 1, "it must have as many dims as dy");
    return adn_check_dims(check, 1, dims, "one element for each channel of dy");
}

anydnnStatus_t adn_check_plain(const struct adn_check *check)
{
    switch (check->problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS:
        return check_backward_bias(check);
    case ANYDNN_PLUGIN_ADD_TENSOR:
        if (check->problem->tensor[0].type != check->problem->tensor[1].type)
            return adn_check_fail(check, BAD_PARAM, 0, "its type must be that of y");
        return check_broadcast(check, 0, 1);
    case ANYDNN_PLUGIN_TRANSFORM_TENSOR:
        return adn_check_like(check, 1, 0, 0);
    default:
        return SUCCESS;
    }
}

/* Checks the compute type. cuDNN's OpTensor and ReduceTensor compute in double for double and in
 * float for all others. */
static anydnnStatus_t check_compute(const struct adn_check *check, int32_t compute)
{
    int32_t type = adn_problem_type(check->problem);
    int32_t wants = adn_problem_compute_default(check->info->family, type);

    if (compute == wants)
        return SUCCESS;
    return adn_fail(BAD_PARAM, "%s: the compute type is %s; for operand a of type %s it must be %s",
                    check->entry, adn_type_name(compute), adn_type_name(type),
                    adn_type_name(wants));
}

anydnnStatus_t adn_check_op_tensor(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;
    anydnnStatus_t status = adn_check_like(check, 2, 0, 0);

    if (status == SUCCESS && problem->tensor[1].type != problem->tensor[0].type)
        status = adn_check_fail(check, BAD_PARAM, 1, "its type must be that of a");
    if (status == SUCCESS)
        status = check_broadcast(check, 1, 0);
    return status == SUCCESS ? check_compute(check, problem->params.op_tensor.compute_type)
                             : status;
}

static int is_index(int32_t type)
{
    return type == ANYDNN_PLUGIN_UINT8 || type == ANYDNN_PLUGIN_UINT16 ||
           type == ANYDNN_PLUGIN_UINT32 || type == ANYDNN_PLUGIN_UINT64;
}

/* Checks that an index can hold the number of the last element among which a result chooses. */
static anydnnStatus_t check_index_range(const struct adn_check *check, int32_t indices)
{
    const struct adn_problem *problem = check->problem;
    int32_t type = problem->tensor[indices].type;
    int64_t chosen =
        adn_shape_elements(&problem->tensor[0]) / adn_shape_elements(&problem->tensor[1]);
    int64_t most = type == ANYDNN_PLUGIN_UINT8    ? INT64_C(1) << 8
                   : type == ANYDNN_PLUGIN_UINT16 ? INT64_C(1) << 16
                   : type == ANYDNN_PLUGIN_UINT32 ? INT64_C(1) << 32
                                                  : INT64_MAX;
    char rule[120];

    if (chosen <= most)
        return SUCCESS;
    snprintf(rule, sizeof(rule),
             "its type is too narrow for indices up to %lld, the elements of a result",
             (long long)chosen);
    return adn_check_fail(check, ANYDNN_STATUS_NOT_SUPPORTED, indices, rule);
}

anydnnStatus_t adn_check_reduce(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;
    int32_t op = problem->params.reduce.op;
    int32_t indices = adn_check_slot(check, "indices");
    anydnnStatus_t status = check_broadcast(check, 1, 0);

    if (status == SUCCESS)
        status = check_compute(check, problem->params.reduce.compute_type);
    if (status == SUCCESS && indices >= 0 && !(op == 2 || op == 3 || op == 4))
        status =
            adn_fail(BAD_PARAM, "%s: indices are requested; only min, max and amax return them",
                     check->entry);
    if (status == SUCCESS && indices >= 0 && !is_index(problem->tensor[indices].type))
        status = adn_check_fail(check, BAD_PARAM, indices, "its type must be u8, u16, u32 or u64");
    if (status == SUCCESS && indices >= 0)
        status = adn_check_like(check, indices, 1, 0);
    return status == SUCCESS && indices >= 0 ? check_index_range(check, indices) : status;
}

anydnnStatus_t adn_check_transform(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;
    const struct anydnn_plugin_tensor *x = &problem->tensor[0];
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX] = {0};

    if (x->ndims < 3 || x->ndims != problem->tensor[1].ndims)
        return adn_check_fail(check, BAD_PARAM, 0,
                              "a transform needs n, c and spatial dims, as many as y has");
    if (adn_shape_transform(&problem->params.transform, x->ndims, x->dims, dims) != 0)
        return adn_check_fail(
            check, BAD_PARAM, 0,
            "its pads and folds leave no elements, or its channels are not divisible by the folds");
    return adn_check_dims(check, 1, dims,
                          "those that the transform of x gives (anydnnInitTransformDest)");
}
