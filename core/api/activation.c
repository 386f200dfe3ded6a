/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of activations. */
#include "api/call.h"

static void activation_params(const struct adn_call *call, union adn_params *params)
{
    const struct anydnnActivationStruct *desc = call->descriptor[0];

    params->activation = desc->a;
}

anydnnStatus_t anydnnActivationForward(anydnnHandle_t handle,
                                       anydnnActivationDescriptor_t activationDesc,
                                       const void *alpha, anydnnTensorDescriptor_t xDesc,
                                       const void *x, const void *beta,
                                       anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_FLOAT_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnActivationForward", ANYDNN_PLUGIN_ACTIVATION_FORWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_ACTIVATION, "activationDesc", activationDesc, 0);
    ADN_TENSOR(&entry, 0, xDesc, x);
    ADN_TENSOR(&entry, 1, yDesc, y);
    ADN_BLEND(&entry, alpha, beta);
    entry.call.params = activation_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnActivationBackward(anydnnHandle_t handle,
                                        anydnnActivationDescriptor_t activationDesc,
                                        const void *alpha, anydnnTensorDescriptor_t yDesc,
                                        const void *y, anydnnTensorDescriptor_t dyDesc,
                                        const void *dy, anydnnTensorDescriptor_t xDesc,
                                        const void *x, const void *beta,
                                        anydnnTensorDescriptor_t dxDesc, void *dx)
{
    ADN_FLOAT_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnActivationBackward", ANYDNN_PLUGIN_ACTIVATION_BACKWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_ACTIVATION, "activationDesc", activationDesc, 0);
    ADN_TENSOR(&entry, 0, yDesc, y);
    ADN_TENSOR(&entry, 1, dyDesc, dy);
    ADN_TENSOR(&entry, 2, xDesc, x);
    ADN_TENSOR(&entry, 3, dxDesc, dx);
    ADN_BLEND(&entry, alpha, beta);
    entry.call.params = activation_params;
    return adn_call_run(handle, &entry);
}
