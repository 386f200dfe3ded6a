/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of pooling. */
#include "api/call.h"

static void pooling_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnPoolingStruct *desc = call->descriptor[0];

    params->pooling = desc->p;
}

anydnnStatus_t anydnnPoolingForward(anydnnHandle_t handle, anydnnPoolingDescriptor_t poolingDesc,
                                    const void *alpha, anydnnTensorDescriptor_t xDesc,
                                    const void *x, const void *beta, anydnnTensorDescriptor_t yDesc,
                                    void *y)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnPoolingForward", ANYDNN_PLUGIN_POOLING_FORWARD);
    adn_call_descriptor(&entry, ADN_DESC_POOLING, "poolingDesc", poolingDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_tensor(&entry, 1, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    call.params = pooling_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnPoolingBackward(anydnnHandle_t handle, anydnnPoolingDescriptor_t poolingDesc,
                                     const void *alpha, anydnnTensorDescriptor_t yDesc,
                                     const void *y, anydnnTensorDescriptor_t dyDesc, const void *dy,
                                     anydnnTensorDescriptor_t xDesc, const void *x,
                                     const void *beta, anydnnTensorDescriptor_t dxDesc, void *dx)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;
    const struct anydnnPoolingStruct *desc;
    int average;

    adn_call_begin(&entry, &call, "anydnnPoolingBackward", ANYDNN_PLUGIN_POOLING_BACKWARD);
    desc = adn_call_descriptor(&entry, ADN_DESC_POOLING, "poolingDesc", poolingDesc, 0);
    /* The gradient of an average depends only on dy. */
    average = desc->p.mode == ANYDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ||
              desc->p.mode == ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
    adn_call_maybe_unread(&entry, slot_pooling_backward_y, yDesc, y, average);
    adn_call_tensor(&entry, slot_pooling_backward_dy, dyDesc, dy);
    adn_call_maybe_unread(&entry, slot_pooling_backward_x, xDesc, x, average);
    adn_call_tensor(&entry, slot_pooling_backward_dx, dxDesc, dx);
    if (average) {
        adn_call_substitute(&entry, slot_pooling_backward_y, slot_pooling_backward_dy);
        adn_call_substitute(&entry, slot_pooling_backward_x, slot_pooling_backward_dx);
    }
    adn_call_blend(&entry, alpha, beta);
    call.params = pooling_params;
    return adn_call_run(handle, &entry);
}
