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
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnPoolingForward", ANYDNN_PLUGIN_POOLING_FORWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_POOLING, "poolingDesc", poolingDesc, 0);
    ADN_TENSOR(&entry, 0, xDesc, x);
    ADN_TENSOR(&entry, 1, yDesc, y);
    ADN_BLEND(&entry, alpha, beta);
    entry.call.params = pooling_params;
    return adn_call_run(handle, &entry);
}

enum { Y, DY, X, DX };

anydnnStatus_t anydnnPoolingBackward(anydnnHandle_t handle, anydnnPoolingDescriptor_t poolingDesc,
                                     const void *alpha, anydnnTensorDescriptor_t yDesc,
                                     const void *y, anydnnTensorDescriptor_t dyDesc, const void *dy,
                                     anydnnTensorDescriptor_t xDesc, const void *x,
                                     const void *beta, anydnnTensorDescriptor_t dxDesc, void *dx)
{
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;
    int average;

    adn_call_begin(&entry, "anydnnPoolingBackward", ANYDNN_PLUGIN_POOLING_BACKWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_POOLING, "poolingDesc", poolingDesc, 0);
    /* An average's gradient depends on dy alone. */
    average = poolingDesc->p.mode == ANYDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ||
              poolingDesc->p.mode == ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
    ADN_MAYBE_UNREAD(&entry, Y, yDesc, y, average);
    ADN_TENSOR(&entry, DY, dyDesc, dy);
    ADN_MAYBE_UNREAD(&entry, X, xDesc, x, average);
    ADN_TENSOR(&entry, DX, dxDesc, dx);
    if (average) {
        adn_call_stand_in(&entry, Y, DY);
        adn_call_stand_in(&entry, X, DX);
    }
    ADN_BLEND(&entry, alpha, beta);
    entry.call.params = pooling_params;
    return adn_call_run(handle, &entry);
}
