/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the layers without weights: activation, pooling, softmax, dropout. */
#include "problem/check_layer.h"

#include <math.h>

#include "desc/shape.h"
#include "problem/problem.h"
#include "sys/error.h"

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

#define STATES_BYTES 32

/* Checks that all present operands are like the first. */
static anydnnStatus_t check_same(const struct adn_check *check)
{
    anydnnStatus_t status = SUCCESS;

    for (int32_t i = 1; i < check->info->slot_count && status == SUCCESS; i++)
        if (check->problem->present >> i & 1)
            status = adn_check_like(check, i, 0, 1);
    return status;
}

anydnnStatus_t adn_check_coef(const struct adn_check *check, int32_t mode, double coef)
{
    if (isfinite(coef) || mode == 1 || mode == 0 || mode == 2)
        return SUCCESS;
    return adn_fail(BAD_PARAM, "%s: the activation's coefficient is %g; it must be finite",
                    check->entry, coef);
}

anydnnStatus_t adn_check_activation(const struct adn_check *check)
{
    const struct anydnn_plugin_activation *params = &check->problem->params.activation;
    anydnnStatus_t status = check_same(check);

    if (status == SUCCESS && params->mode == 5)
        return adn_fail(BAD_PARAM,
                        "%s: the mode is identity, which only the fused convolution supports, as "
                        "in cuDNN (use anydnnTransformTensor to copy)",
                        check->entry);
    return status == SUCCESS ? adn_check_coef(check, params->mode, params->coef) : status;
}

anydnnStatus_t adn_check_pooling(const struct adn_check *check)
{
    const struct anydnn_plugin_pooling *params = &check->problem->params.pooling;
    int backward = check->problem->operation == ANYDNN_PLUGIN_POOLING_BACKWARD;
    int32_t x = adn_check_slot(check, "x");
    int32_t y = adn_check_slot(check, "y");
    const struct anydnn_plugin_tensor *in = &check->problem->tensor[x];
    const struct anydnn_plugin_tensor *out = &check->problem->tensor[y];
    anydnnStatus_t status = SUCCESS;

    if (in->ndims < 3)
        return adn_check_fail(check, BAD_PARAM, x, "it must have n, c and spatial dims");
    if (in->ndims != params->spatial_dims + 2)
        return adn_fail(
            BAD_PARAM,
            "%s: x has %d dims and the pooling descriptor has %d spatial dims; x must have %d",
            check->entry, (int)in->ndims, (int)params->spatial_dims, (int)params->spatial_dims + 2);
    for (int32_t i = 0; i < params->spatial_dims; i++)
        if (params->window[i] < 1 || params->stride[i] < 1)
            return adn_fail(BAD_PARAM,
                            "%s: in spatial dim %d, the window is %lld and the stride is %lld; "
                            "both must be at least 1",
                            check->entry, (int)i, (long long)params->window[i],
                            (long long)params->stride[i]);
    if (out->ndims != in->ndims || out->dims[0] != in->dims[0] || out->dims[1] != in->dims[1])
        return adn_check_fail(check, BAD_PARAM, y,
                              "its number of dims, n and c must be those of x");
    if (out->type != in->type)
        return adn_check_fail(check, BAD_PARAM, y, "its type must be that of x");
    if (backward) {
        status = adn_check_like(check, adn_check_slot(check, "dy"), y, 1);
        if (status == SUCCESS)
            status = adn_check_like(check, adn_check_slot(check, "dx"), x, 1);
    }
    return status;
}

anydnnStatus_t adn_check_softmax(const struct adn_check *check)
{
    if (check->problem->tensor[0].ndims < 2)
        return adn_check_fail(check, BAD_PARAM, 0, "a softmax needs at least the dims n and c");
    return check_same(check);
}

anydnnStatus_t adn_check_dropout(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;
    double probability = problem->params.dropout.probability;
    int64_t need = adn_shape_bit_bytes(&problem->tensor[0]);
    anydnnStatus_t status = adn_check_like(check, 2, 0, 1);

    if (status == SUCCESS && !(probability >= 0 && probability <= 1))
        status = adn_fail(BAD_PARAM, "%s: the probability is %g; it must be 0 to 1", check->entry,
                          probability);
    if (status == SUCCESS)
        status = adn_check_bytes(check, adn_check_slot(check, "states"), STATES_BYTES,
                                 "the size of the dropout states");
    if (status == SUCCESS)
        status = adn_check_bytes(check, adn_check_slot(check, "reserve"), need,
                                 "one bit for each element");
    return status;
}
