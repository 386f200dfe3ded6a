/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of softmax. */
#include "api/call.h"

struct modes {
    int32_t algorithm;
    int32_t mode;
};

static void softmax_params(const struct adn_call *call, union kit_params *params)
{
    const struct modes *modes = call->extra;

    params->softmax.algorithm = modes->algorithm;
    params->softmax.mode = modes->mode;
}

static void take_modes(struct adn_entry *entry, const struct modes *modes)
{
    adn_call_key(entry, (uint64_t)(uint32_t)modes->algorithm << 32 | (uint32_t)modes->mode);
    entry->call->extra = modes;
    entry->call->params = softmax_params;
}

anydnnStatus_t anydnnSoftmaxForward(anydnnHandle_t handle, anydnnSoftmaxAlgorithm_t algo,
                                    anydnnSoftmaxMode_t mode, const void *alpha,
                                    anydnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                    anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_FLOAT_SCOPE;
    struct modes modes = {(int32_t)algo, (int32_t)mode};
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnSoftmaxForward", ANYDNN_PLUGIN_SOFTMAX_FORWARD);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_tensor(&entry, 1, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    take_modes(&entry, &modes);
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnSoftmaxBackward(anydnnHandle_t handle, anydnnSoftmaxAlgorithm_t algo,
                                     anydnnSoftmaxMode_t mode, const void *alpha,
                                     anydnnTensorDescriptor_t yDesc, const void *y,
                                     anydnnTensorDescriptor_t dyDesc, const void *dy,
                                     const void *beta, anydnnTensorDescriptor_t dxDesc, void *dx)
{
    ADN_FLOAT_SCOPE;
    struct modes modes = {(int32_t)algo, (int32_t)mode};
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnSoftmaxBackward", ANYDNN_PLUGIN_SOFTMAX_BACKWARD);
    adn_call_tensor(&entry, 0, yDesc, y);
    adn_call_tensor(&entry, 1, dyDesc, dy);
    adn_call_tensor(&entry, 2, dxDesc, dx);
    adn_call_blend(&entry, alpha, beta);
    take_modes(&entry, &modes);
    return adn_call_run(handle, &entry);
}
