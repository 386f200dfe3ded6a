/* SPDX-License-Identifier: Apache-2.0 */
/* Checks matrix products. */
#include "problem/check_matmul.h"

#include <string.h>

#include "desc/names.h"
#include "problem/check_layer.h"
#include "problem/problem.h"
#include "sys/error.h"

#define SUCCESS       ANYDNN_STATUS_SUCCESS
#define BAD_PARAM     ANYDNN_STATUS_BAD_PARAM
#define NOT_SUPPORTED ANYDNN_STATUS_NOT_SUPPORTED

#define SLOT(name) slot_matmul_##name

/* Checks that no operand of a later version is given. */
static anydnnStatus_t check_reserved(const struct adn_check *check)
{
    static const int32_t reserved[] = {SLOT(scale_a), SLOT(scale_b), SLOT(scale_d),
                                       SLOT(zero_a),  SLOT(zero_b),  SLOT(amax)};

    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
        if (check->problem->present >> reserved[i] & 1)
            return adn_fail(NOT_SUPPORTED,
                            "%s: %s is given; this version has no scales, zero points and maxima",
                            check->entry, check->info->slot[reserved[i]].role);
    return SUCCESS;
}

/* Checks the three dims of the product, and that the batch dims of an input are those of d or 1. */
static anydnnStatus_t check_product(const struct adn_check *check)
{
    const struct anydnn_plugin_tensor *a = &check->problem->tensor[SLOT(a)];
    const struct anydnn_plugin_tensor *b = &check->problem->tensor[SLOT(b)];
    const struct anydnn_plugin_tensor *d = &check->problem->tensor[SLOT(d)];
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];

    if (a->ndims < 2)
        return adn_check_fail(check, BAD_PARAM, SLOT(a), "a matrix has at least two dims");
    for (int32_t slot = SLOT(b); slot <= SLOT(d); slot += SLOT(d) - SLOT(b))
        if (check->problem->tensor[slot].ndims != a->ndims)
            return adn_check_fail(check, BAD_PARAM, slot, "it must have as many dims as a");
    for (int32_t i = 0; i < a->ndims - 2; i++) {
        if (a->dims[i] != b->dims[i] && a->dims[i] != 1 && b->dims[i] != 1)
            return adn_check_fail(check, BAD_PARAM, SLOT(b),
                                  "each dim before its last two must be that of a, or one of both "
                                  "must be 1");
        dims[i] = a->dims[i] > b->dims[i] ? a->dims[i] : b->dims[i];
    }
    if (b->dims[b->ndims - 2] != a->dims[a->ndims - 1])
        return adn_check_fail(check, BAD_PARAM, SLOT(b),
                              "it must have as many rows as a has columns");
    dims[a->ndims - 2] = a->dims[a->ndims - 2];
    dims[a->ndims - 1] = b->dims[b->ndims - 1];
    if (memcmp(d->dims, dims, (size_t)a->ndims * sizeof(dims[0])) != 0)
        return adn_check_fail(check, BAD_PARAM, SLOT(d),
                              "it must have the rows of a, the columns of b and the larger of each "
                              "other dim");
    return SUCCESS;
}

/* Checks that an operand has the type of d or is f32, if present. */
static anydnnStatus_t check_type(const struct adn_check *check, int32_t slot)
{
    int32_t type = check->problem->tensor[slot].type, d = check->problem->tensor[SLOT(d)].type;

    if (!(check->problem->present >> slot & 1) || type == d ||
        (type == ANYDNN_PLUGIN_FLOAT && d != ANYDNN_PLUGIN_DOUBLE))
        return SUCCESS;
    return adn_check_fail(check, NOT_SUPPORTED, slot,
                          "its type must be that of d, or f32 unless d is f64");
}

static anydnnStatus_t check_bias(const struct adn_check *check)
{
    const struct anydnn_plugin_tensor *bias = &check->problem->tensor[SLOT(bias)];
    const struct anydnn_plugin_tensor *d = &check->problem->tensor[SLOT(d)];

    if (!(check->problem->present >> SLOT(bias) & 1))
        return SUCCESS;
    if (bias->ndims != d->ndims)
        return adn_check_fail(check, BAD_PARAM, SLOT(bias), "it must have as many dims as d");
    for (int32_t i = 0; i < d->ndims; i++)
        if (bias->dims[i] != d->dims[i] && bias->dims[i] != 1)
            return adn_check_fail(check, BAD_PARAM, SLOT(bias),
                                  "each of its dims must be that of d, or 1 where it is constant");
    return SUCCESS;
}

static anydnnStatus_t check_params(const struct adn_check *check)
{
    const struct anydnn_plugin_matmul *params = &check->problem->params.matmul;
    int32_t type = adn_problem_type(check->problem);
    int32_t compute = type == ANYDNN_PLUGIN_DOUBLE ? type : ANYDNN_PLUGIN_FLOAT;

    if (params->compute_type != compute)
        return adn_fail(NOT_SUPPORTED, "%s: the compute type is %s; for a of type %s it must be %s",
                        check->entry, adn_type_name(params->compute_type), adn_type_name(type),
                        adn_type_name(compute));
    return adn_check_coef(check, params->activation, params->coef);
}

anydnnStatus_t adn_check_matmul(const struct adn_check *check)
{
    static const int32_t typed[] = {SLOT(c), SLOT(bias), SLOT(aux)};
    anydnnStatus_t status = check_reserved(check);

    if (status == SUCCESS)
        status = check_product(check);
    if (status == SUCCESS &&
        check->problem->tensor[SLOT(b)].type != check->problem->tensor[SLOT(a)].type)
        status = adn_check_fail(check, NOT_SUPPORTED, SLOT(b), "its type must be that of a");
    for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]) && status == SUCCESS; i++)
        status = check_type(check, typed[i]);
    if (status == SUCCESS && (check->problem->present >> SLOT(c) & 1))
        status = adn_check_like(check, SLOT(c), SLOT(d), 0);
    if (status == SUCCESS && (check->problem->present >> SLOT(aux) & 1))
        status = adn_check_like(check, SLOT(aux), SLOT(d), 0);
    if (status == SUCCESS)
        status = check_bias(check);
    return status == SUCCESS ? check_params(check) : status;
}
