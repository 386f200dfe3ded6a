/* SPDX-License-Identifier: Apache-2.0 */
/* Checks layer, group and RMS normalization. Instance normalization is group normalization here. */
#include "problem/check_norm_kinds.h"

#include <math.h>
#include <stdio.h>

#include "desc/names.h"
#include "problem/check_layer.h"
#include "problem/kinds.h"
#include "problem/problem.h"
#include "sys/error.h"

#define SUCCESS       ANYDNN_STATUS_SUCCESS
#define BAD_PARAM     ANYDNN_STATUS_BAD_PARAM
#define NOT_SUPPORTED ANYDNN_STATUS_NOT_SUPPORTED

/* Operands with the dims of x, and those whose dims may be 1 instead. */
static const char *const data_roles[] = {"z", "y", "sum", "dy", "dsum", "dx"};
static const char *const part_roles[] = {"scale", "bias", "dscale", "dbias"};
static const char *const saved_roles[] = {"save_mean", "save_inv_dev"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int is_float(int32_t type)
{
    return type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_HALF ||
           type == ANYDNN_PLUGIN_BFLOAT16;
}

/* Checks that operands are double beside an x of double, and else any shorter floating type. */
static anydnnStatus_t check_type(const struct adn_check *check, int32_t slot)
{
    int32_t type = check->problem->tensor[slot].type;

    if (adn_problem_type(check->problem) == ANYDNN_PLUGIN_DOUBLE)
        return type == ANYDNN_PLUGIN_DOUBLE
                   ? SUCCESS
                   : adn_check_fail(check, NOT_SUPPORTED, slot,
                                    "its type must be f64 beside an x of f64");
    return is_float(type) ? SUCCESS
                          : adn_check_fail(check, NOT_SUPPORTED, slot,
                                           "its type must be f32, f16 or bf16, unless x is f64");
}

/* Checks that each dim is that of x or 1. */
static anydnnStatus_t check_part(const struct adn_check *check, int32_t slot)
{
    const struct anydnn_plugin_tensor *part = &check->problem->tensor[slot];
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[0];

    if (part->ndims != x->ndims)
        return adn_check_fail(check, BAD_PARAM, slot, "it must have as many dims as x");
    for (int32_t i = 0; i < x->ndims; i++)
        if (part->dims[i] != x->dims[i] && part->dims[i] != 1)
            return adn_check_fail(check, BAD_PARAM, slot,
                                  "each of its dims must be that of x, or 1 where it is constant");
    return SUCCESS;
}

static anydnnStatus_t check_saved(const struct adn_check *check, int32_t slot)
{
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[0];
    int32_t type = x->type == ANYDNN_PLUGIN_DOUBLE ? x->type : ANYDNN_PLUGIN_FLOAT;
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];

    if (check->problem->tensor[slot].type != type)
        return adn_check_fail(check, BAD_PARAM, slot,
                              "its type must be f32, or f64 beside an x of f64");
    if (check->problem->tensor[slot].ndims != x->ndims)
        return adn_check_fail(check, BAD_PARAM, slot, "it must have as many dims as x");
    adn_normalization_statistics(&check->problem->params.normalization, x, dims);
    return adn_check_dims(check, slot, dims, "one element for each mean and deviation");
}

static anydnnStatus_t check_gradient(const struct adn_check *check, const char *gradient,
                                     const char *of)
{
    int32_t slot = adn_check_slot(check, gradient), like = adn_check_slot(check, of);

    return slot >= 0 && like >= 0 ? adn_check_like(check, slot, like, 0) : SUCCESS;
}

static anydnnStatus_t check_operands(const struct adn_check *check)
{
    anydnnStatus_t status = SUCCESS;
    int32_t slot;

    for (size_t i = 0; i < COUNT(data_roles) && status == SUCCESS; i++)
        if ((slot = adn_check_slot(check, data_roles[i])) > 0) {
            status = check_type(check, slot);
            if (status == SUCCESS)
                status = adn_check_like(check, slot, 0, 0);
        }
    for (size_t i = 0; i < COUNT(part_roles) && status == SUCCESS; i++)
        if ((slot = adn_check_slot(check, part_roles[i])) > 0) {
            status = check_type(check, slot);
            if (status == SUCCESS)
                status = check_part(check, slot);
        }
    for (size_t i = 0; i < COUNT(saved_roles) && status == SUCCESS; i++)
        if ((slot = adn_check_slot(check, saved_roles[i])) > 0)
            status = check_saved(check, slot);
    if (status == SUCCESS)
        status = check_gradient(check, "dscale", "scale");
    return status == SUCCESS ? check_gradient(check, "dbias", "bias") : status;
}

static anydnnStatus_t check_presence(const struct adn_check *check)
{
    int rms = check->problem->params.normalization.kind == ANYDNN_PLUGIN_NORMALIZATION_RMS;
    int mean = adn_check_slot(check, "save_mean") >= 0;
    int deviation = adn_check_slot(check, "save_inv_dev") >= 0;

    if (rms && mean)
        return adn_fail(BAD_PARAM, "%s: save_mean is given; an RMS normalization has no mean",
                        check->entry);
    if (!rms && mean != deviation)
        return adn_fail(BAD_PARAM,
                        "%s: of save_mean and save_inv_dev one is given; both or neither must be",
                        check->entry);
    if (adn_check_slot(check, "sum") >= 0 && adn_check_slot(check, "z") < 0)
        return adn_fail(BAD_PARAM, "%s: sum is given and z is not; it holds x + z", check->entry);
    return SUCCESS;
}

static anydnnStatus_t check_group(const struct adn_check *check)
{
    const struct anydnn_plugin_normalization *params = &check->problem->params.normalization;
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[0];

    if (params->axes != 0)
        return adn_fail(BAD_PARAM, "%s: axes is 0x%x; it must be 0 for groups", check->entry,
                        (unsigned)params->axes);
    if (x->ndims < 2)
        return adn_check_fail(check, BAD_PARAM, 0,
                              "groups need a dim of samples and one of channels");
    if (params->channel_axis < 1 || params->channel_axis >= x->ndims)
        return adn_fail(BAD_PARAM, "%s: channel_axis is %d; x has %d dims, so it must be 1 to %d",
                        check->entry, (int)params->channel_axis, (int)x->ndims, (int)x->ndims - 1);
    if (params->groups < 1 || x->dims[params->channel_axis] % params->groups != 0)
        return adn_fail(BAD_PARAM, "%s: groups is %lld; it must divide the %lld channels of x",
                        check->entry, (long long)params->groups,
                        (long long)x->dims[params->channel_axis]);
    return SUCCESS;
}

static anydnnStatus_t check_axes(const struct adn_check *check)
{
    const struct anydnn_plugin_normalization *params = &check->problem->params.normalization;
    int32_t ndims = check->problem->tensor[0].ndims;

    if (params->axes == 0 || params->axes >> ndims != 0)
        return adn_fail(BAD_PARAM,
                        "%s: axes is 0x%x; it must have a bit for each dim to sum over, of the %d "
                        "that x has",
                        check->entry, (unsigned)params->axes, (int)ndims);
    if (params->groups != 1 || params->channel_axis != 1)
        return adn_fail(BAD_PARAM,
                        "%s: groups is %lld and channel_axis %d; without groups both must be 1",
                        check->entry, (long long)params->groups, (int)params->channel_axis);
    return SUCCESS;
}

static anydnnStatus_t check_numbers(const struct adn_check *check)
{
    const struct anydnn_plugin_normalization *params = &check->problem->params.normalization;
    int32_t type = adn_problem_type(check->problem);
    int32_t compute = type == ANYDNN_PLUGIN_DOUBLE ? type : ANYDNN_PLUGIN_FLOAT;

    if (!(params->epsilon >= 0) || isinf(params->epsilon))
        return adn_fail(BAD_PARAM, "%s: epsilon is %g; it must be at least 0 and finite",
                        check->entry, params->epsilon);
    if (params->compute_type != compute)
        return adn_fail(NOT_SUPPORTED, "%s: the compute type is %s; for x of type %s it must be %s",
                        check->entry, adn_type_name(params->compute_type), adn_type_name(type),
                        adn_type_name(compute));
    return adn_check_coef(check, params->activation, params->coef);
}

anydnnStatus_t adn_check_norm_kinds(const struct adn_check *check)
{
    int32_t kind = check->problem->params.normalization.kind;
    anydnnStatus_t status = SUCCESS;

    /* An instance normalization that could not become one of groups has a bad axis or groups. */
    if (kind == ANYDNN_PLUGIN_NORMALIZATION_INSTANCE &&
        check->problem->params.normalization.groups != 1)
        return adn_fail(BAD_PARAM,
                        "%s: groups is %lld; it must be 1 for instances, whose groups are the "
                        "channels",
                        check->entry, (long long)check->problem->params.normalization.groups);
    if (kind == ANYDNN_PLUGIN_NORMALIZATION_GROUP || kind == ANYDNN_PLUGIN_NORMALIZATION_INSTANCE)
        status = check_group(check);
    else
        status = check_axes(check);
    if (status == SUCCESS)
        status = check_numbers(check);
    if (status == SUCCESS)
        status = check_presence(check);
    return status == SUCCESS ? check_operands(check) : status;
}
