/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of activations. */
#include "api/call.h"

static void activation_params(const struct adn_call *call, union kit_params *params)
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
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnActivationForward", ANYDNN_PLUGIN_ACTIVATION_FORWARD);
    adn_call_descriptor(&entry, ADN_DESC_ACTIVATION, "activationDesc", activationDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_tensor(&entry, 1, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    call.params = activation_params;
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
    struct adn_call call;
    struct adn_entry entry;
    const struct anydnnActivationStruct *desc;
    int mode, swish, by_x;

    adn_call_begin(&entry, &call, "anydnnActivationBackward", ANYDNN_PLUGIN_ACTIVATION_BACKWARD);
    desc = adn_call_descriptor(&entry, ADN_DESC_ACTIVATION, "activationDesc", activationDesc, 0);
    /* Swish's gradient is a function of x; that of other modes is a function of y. For the ReLUs,
     * cuDNN reads x in place of y, with equal results: both are on the same side of the bounds. */
    mode = desc->a.mode;
    swish = mode == ANYDNN_ACTIVATION_SWISH;
    by_x = mode == ANYDNN_ACTIVATION_RELU || mode == ANYDNN_ACTIVATION_CLIPPED_RELU;
    adn_call_maybe_unread(&entry, slot_activation_backward_y, yDesc, y, swish || by_x);
    adn_call_tensor(&entry, slot_activation_backward_dy, dyDesc, dy);
    adn_call_maybe_unread(&entry, slot_activation_backward_x, xDesc, x, !swish && (!by_x || y));
    adn_call_tensor(&entry, slot_activation_backward_dx, dxDesc, dx);
    if (swish)
        adn_call_substitute(&entry, slot_activation_backward_y, slot_activation_backward_dy);
    else if (!y)
        adn_call_put(&entry, slot_activation_backward_y, call.tensor[slot_activation_backward_x],
                     x);
    if (!swish)
        adn_call_substitute(&entry, slot_activation_backward_x, slot_activation_backward_dx);
    adn_call_blend(&entry, alpha, beta);
    call.params = activation_params;
    return adn_call_run(handle, &entry);
}
