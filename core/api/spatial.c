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
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnSpatialTfGridGeneratorForward",
                   ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    ADN_DATA(&entry, 0, &stDesc->theta, theta);
    ADN_DATA(&entry, 1, &stDesc->grid, grid);
    entry.call.params = spatial_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnSpatialTfGridGeneratorBackward(anydnnHandle_t handle,
                                                    anydnnSpatialTransformerDescriptor_t stDesc,
                                                    const void *dgrid, void *dtheta)
{
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnSpatialTfGridGeneratorBackward",
                   ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    ADN_DATA(&entry, 0, &stDesc->grid, dgrid);
    ADN_DATA(&entry, 1, &stDesc->theta, dtheta);
    entry.call.params = spatial_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnSpatialTfSamplerForward(anydnnHandle_t handle,
                                             anydnnSpatialTransformerDescriptor_t stDesc,
                                             const void *alpha, anydnnTensorDescriptor_t xDesc,
                                             const void *x, const void *grid, const void *beta,
                                             anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnSpatialTfSamplerForward", ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    ADN_TENSOR(&entry, 0, xDesc, x);
    ADN_DATA(&entry, 1, &stDesc->grid, grid);
    ADN_TENSOR(&entry, 2, yDesc, y);
    ADN_BLEND(&entry, alpha, beta);
    entry.call.params = spatial_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t
anydnnSpatialTfSamplerBackward(anydnnHandle_t handle, anydnnSpatialTransformerDescriptor_t stDesc,
                               const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x,
                               const void *beta, anydnnTensorDescriptor_t dxDesc, void *dx,
                               const void *alphaDgrid, anydnnTensorDescriptor_t dyDesc,
                               const void *dy, const void *grid, const void *betaDgrid, void *dgrid)
{
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnSpatialTfSamplerBackward",
                   ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_SPATIAL_TRANSFORMER, "stDesc", stDesc, 0);
    ADN_TENSOR(&entry, 0, xDesc, x);
    ADN_DATA(&entry, 1, &stDesc->grid, grid);
    ADN_TENSOR(&entry, 2, dyDesc, dy);
    ADN_TENSOR(&entry, 3, dxDesc, dx);
    ADN_DATA(&entry, 4, &stDesc->grid, dgrid);
    ADN_BLEND(&entry, alpha, beta);
    ADN_SCALE(&entry, 2, alphaDgrid);
    ADN_SCALE(&entry, 3, betaDgrid);
    entry.call.params = spatial_params;
    return adn_call_run(handle, &entry);
}
