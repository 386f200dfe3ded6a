/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of LRN across channels and of divisive normalization. */
#include "api/call.h"

#include "sys/error.h"

static void lrn_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnLRNStruct *desc = call->descriptor[0];

    params->lrn = desc->n;
}

/* Refuses a mode, unless an earlier argument was refused. */
static anydnnStatus_t bad_mode(const struct adn_entry *entry, const char *argument, int mode,
                               const char *only)
{
    if (!adn_call_accepted(entry))
        return adn_call_report(entry);
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is %d; %s is the only mode",
                    entry->call->entry, argument, mode, only);
}

anydnnStatus_t anydnnLRNCrossChannelForward(anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc,
                                            anydnnLRNMode_t lrnMode, const void *alpha,
                                            anydnnTensorDescriptor_t xDesc, const void *x,
                                            const void *beta, anydnnTensorDescriptor_t yDesc,
                                            void *y)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnLRNCrossChannelForward", ANYDNN_PLUGIN_LRN_FORWARD);
    adn_call_descriptor(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_tensor(&entry, 1, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    if (lrnMode != ANYDNN_LRN_CROSS_CHANNEL_DIM1)
        return bad_mode(&entry, "lrnMode", (int)lrnMode, "ANYDNN_LRN_CROSS_CHANNEL_DIM1");
    call.params = lrn_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnLRNCrossChannelBackward(anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc,
                                             anydnnLRNMode_t lrnMode, const void *alpha,
                                             anydnnTensorDescriptor_t yDesc, const void *y,
                                             anydnnTensorDescriptor_t dyDesc, const void *dy,
                                             anydnnTensorDescriptor_t xDesc, const void *x,
                                             const void *beta, anydnnTensorDescriptor_t dxDesc,
                                             void *dx)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnLRNCrossChannelBackward", ANYDNN_PLUGIN_LRN_BACKWARD);
    adn_call_descriptor(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    /* The gradient is a function of x and dy. */
    adn_call_maybe_unread(&entry, 0, yDesc, y, 1);
    adn_call_tensor(&entry, 1, dyDesc, dy);
    adn_call_tensor(&entry, 2, xDesc, x);
    adn_call_tensor(&entry, 3, dxDesc, dx);
    adn_call_substitute(&entry, 0, 1);
    adn_call_blend(&entry, alpha, beta);
    if (lrnMode != ANYDNN_LRN_CROSS_CHANNEL_DIM1)
        return bad_mode(&entry, "lrnMode", (int)lrnMode, "ANYDNN_LRN_CROSS_CHANNEL_DIM1");
    call.params = lrn_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnDivisiveNormalizationForward(
    anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc, anydnnDivNormMode_t mode,
    const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x, const void *means, void *temp,
    void *temp2, const void *beta, anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnDivisiveNormalizationForward",
                   ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD);
    adn_call_descriptor(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_optional(&entry, 1, call.tensor[0], means);
    adn_call_data(&entry, 2, call.tensor[0], temp);
    adn_call_data(&entry, 3, call.tensor[0], temp2);
    adn_call_tensor(&entry, 4, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    if (mode != ANYDNN_DIVNORM_PRECOMPUTED_MEANS)
        return bad_mode(&entry, "mode", (int)mode, "ANYDNN_DIVNORM_PRECOMPUTED_MEANS");
    call.params = lrn_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnDivisiveNormalizationBackward(
    anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc, anydnnDivNormMode_t mode,
    const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x, const void *means,
    const void *dy, void *temp, void *temp2, const void *beta,
    anydnnTensorDescriptor_t dXdMeansDesc, void *dx, void *dMeans)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnDivisiveNormalizationBackward",
                   ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD);
    adn_call_descriptor(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_optional(&entry, 1, call.tensor[0], means);
    adn_call_data(&entry, 2, call.tensor[0], dy);
    adn_call_data(&entry, 3, call.tensor[0], temp);
    adn_call_data(&entry, 4, call.tensor[0], temp2);
    adn_call_tensor(&entry, 5, dXdMeansDesc, dx);
    adn_call_optional(&entry, 6, call.tensor[5], dMeans);
    adn_call_blend(&entry, alpha, beta);
    if (mode != ANYDNN_DIVNORM_PRECOMPUTED_MEANS)
        return bad_mode(&entry, "mode", (int)mode, "ANYDNN_DIVNORM_PRECOMPUTED_MEANS");
    call.params = lrn_params;
    return adn_call_run(handle, &entry);
}
