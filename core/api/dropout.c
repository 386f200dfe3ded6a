/* SPDX-License-Identifier: Apache-2.0 */
/* The entries that run dropout. */
#include "api/call.h"

#include "desc/shape.h"
#include "sys/error.h"

#define STATES_BYTES 32

static void dropout_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnDropoutStruct *desc = call->descriptor[0];

    params->dropout = desc->d;
}

anydnnStatus_t anydnnDropoutForward(anydnnHandle_t handle, anydnnDropoutDescriptor_t dropoutDesc,
                                    anydnnTensorDescriptor_t xDesc, const void *x,
                                    anydnnTensorDescriptor_t yDesc, void *y, void *reserveSpace,
                                    size_t reserveSpaceSizeInBytes)
{
    ADN_FLOAT_SCOPE;
    const struct anydnnDropoutStruct *desc;
    struct anydnn_plugin_tensor states;
    struct anydnn_plugin_tensor reserve;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnDropoutForward", ANYDNN_PLUGIN_DROPOUT_FORWARD);
    adn_shape_of_bytes(&states, STATES_BYTES);
    adn_shape_of_bytes(&reserve, (int64_t)reserveSpaceSizeInBytes);
    desc = adn_call_descriptor(&entry, ADN_DESC_DROPOUT, "dropoutDesc", dropoutDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    if (!desc->states && adn_call_accepted(&entry))
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnDropoutForward: dropoutDesc has no states; "
                                                 "set them with anydnnSetDropoutDescriptor");
    adn_call_put(&entry, 1, &states, desc->states);
    adn_call_tensor(&entry, 2, yDesc, y);
    adn_call_data(&entry, 3, &reserve, reserveSpace);
    adn_call_key(&entry, reserveSpaceSizeInBytes);
    call.params = dropout_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnDropoutBackward(anydnnHandle_t handle, anydnnDropoutDescriptor_t dropoutDesc,
                                     anydnnTensorDescriptor_t dyDesc, const void *dy,
                                     anydnnTensorDescriptor_t dxDesc, void *dx, void *reserveSpace,
                                     size_t reserveSpaceSizeInBytes)
{
    ADN_FLOAT_SCOPE;
    struct anydnn_plugin_tensor reserve;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnDropoutBackward", ANYDNN_PLUGIN_DROPOUT_BACKWARD);
    adn_shape_of_bytes(&reserve, (int64_t)reserveSpaceSizeInBytes);
    adn_call_descriptor(&entry, ADN_DESC_DROPOUT, "dropoutDesc", dropoutDesc, 0);
    adn_call_tensor(&entry, 0, dyDesc, dy);
    adn_call_data(&entry, 1, &reserve, reserveSpace);
    adn_call_tensor(&entry, 2, dxDesc, dx);
    adn_call_key(&entry, reserveSpaceSizeInBytes);
    call.params = dropout_params;
    return adn_call_run(handle, &entry);
}
