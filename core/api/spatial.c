/* SPDX-License-Identifier: Apache-2.0 */
/* The entries that run a spatial transformer. */
#include "api/call.h"

static void spatial_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnSpatialTransformerStruct *desc = call->descriptor[0];

    params->spatial = desc->s;
}

anydnnStatus_t anydnnSpatialTfGridGeneratorForward(anydnnHandle_t handle,
                                                   anydnnSpatialTransformerDescriptor_t stDesc,
                                                   const void *theta, void *grid)
{
    ADN_FLOAT_SCOPE;
    const struct anydnnSpatialTransformerStruct *desc;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnSpatialTfGridGeneratorForward",
                   ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD);
    desc = adn_call_descriptor(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    adn_call_data(&entry, 0, &desc->theta, theta);
    adn_call_data(&entry, 1, &desc->grid, grid);
    call.params = spatial_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnSpatialTfGridGeneratorBackward(anydnnHandle_t handle,
                                                    anydnnSpatialTransformerDescriptor_t stDesc,
                                                    const void *dgrid, void *dtheta)
{
    ADN_FLOAT_SCOPE;
    const struct anydnnSpatialTransformerStruct *desc;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnSpatialTfGridGeneratorBackward",
                   ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD);
    desc = adn_call_descriptor(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    adn_call_data(&entry, 0, &desc->grid, dgrid);
    adn_call_data(&entry, 1, &desc->theta, dtheta);
    call.params = spatial_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnSpatialTfSamplerForward(anydnnHandle_t handle,
                                             anydnnSpatialTransformerDescriptor_t stDesc,
                                             const void *alpha, anydnnTensorDescriptor_t xDesc,
                                             const void *x, const void *grid, const void *beta,
                                             anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_FLOAT_SCOPE;
    const struct anydnnSpatialTransformerStruct *desc;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnSpatialTfSamplerForward",
                   ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD);
    desc = adn_call_descriptor(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_data(&entry, 1, &desc->grid, grid);
    adn_call_tensor(&entry, 2, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    call.params = spatial_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t
anydnnSpatialTfSamplerBackward(anydnnHandle_t handle, anydnnSpatialTransformerDescriptor_t stDesc,
                               const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x,
                               const void *beta, anydnnTensorDescriptor_t dxDesc, void *dx,
                               const void *alphaDgrid, anydnnTensorDescriptor_t dyDesc,
                               const void *dy, const void *grid, const void *betaDgrid, void *dgrid)
{
    ADN_FLOAT_SCOPE;
    const struct anydnnSpatialTransformerStruct *desc;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnSpatialTfSamplerBackward",
                   ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD);
    desc = adn_call_descriptor(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_data(&entry, 1, &desc->grid, grid);
    adn_call_tensor(&entry, 2, dyDesc, dy);
    adn_call_tensor(&entry, 3, dxDesc, dx);
    adn_call_data(&entry, 4, &desc->grid, dgrid);
    adn_call_blend(&entry, alpha, beta);
    adn_call_scale(&entry, 2, alphaDgrid);
    adn_call_scale(&entry, 3, betaDgrid);
    call.params = spatial_params;
    return adn_call_run(handle, &entry);
}
