/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of LRN across channels and of divisive normalization. */
#include "api/call.h"

#include "sys/error.h"

static void lrn_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnLRNStruct *desc = call->descriptor[0];

    params->lrn = desc->n;
}

static anydnnStatus_t bad_mode(const struct adn_entry *entry, const char *argument, int mode,
                               const char *only)
{
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is %d; %s is the only mode", entry->call.entry,
                    argument, mode, only);
}

anydnnStatus_t anydnnLRNCrossChannelForward(anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc,
                                            anydnnLRNMode_t lrnMode, const void *alpha,
                                            anydnnTensorDescriptor_t xDesc, const void *x,
                                            const void *beta, anydnnTensorDescriptor_t yDesc,
                                            void *y)
{
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnLRNCrossChannelForward", ANYDNN_PLUGIN_LRN_FORWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    ADN_TENSOR(&entry, 0, xDesc, x);
    ADN_TENSOR(&entry, 1, yDesc, y);
    ADN_BLEND(&entry, alpha, beta);
    if (lrnMode != ANYDNN_LRN_CROSS_CHANNEL_DIM1)
        return bad_mode(&entry, "lrnMode", (int)lrnMode, "ANYDNN_LRN_CROSS_CHANNEL_DIM1");
    entry.call.params = lrn_params;
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
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnLRNCrossChannelBackward", ANYDNN_PLUGIN_LRN_BACKWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    /* The gradient is a function of x and dy. */
    ADN_MAYBE_UNREAD(&entry, 0, yDesc, y, 1);
    ADN_TENSOR(&entry, 1, dyDesc, dy);
    ADN_TENSOR(&entry, 2, xDesc, x);
    ADN_TENSOR(&entry, 3, dxDesc, dx);
    adn_call_stand_in(&entry, 0, 1);
    ADN_BLEND(&entry, alpha, beta);
    if (lrnMode != ANYDNN_LRN_CROSS_CHANNEL_DIM1)
        return bad_mode(&entry, "lrnMode", (int)lrnMode, "ANYDNN_LRN_CROSS_CHANNEL_DIM1");
    entry.call.params = lrn_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnDivisiveNormalizationForward(
    anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc, anydnnDivNormMode_t mode,
    const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x, const void *means, void *temp,
    void *temp2, const void *beta, anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnDivisiveNormalizationForward",
                   ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    ADN_TENSOR(&entry, 0, xDesc, x);
    ADN_OPTIONAL(&entry, 1, &xDesc->t, means);
    ADN_DATA(&entry, 2, &xDesc->t, temp);
    ADN_DATA(&entry, 3, &xDesc->t, temp2);
    ADN_TENSOR(&entry, 4, yDesc, y);
    ADN_BLEND(&entry, alpha, beta);
    if (mode != ANYDNN_DIVNORM_PRECOMPUTED_MEANS)
        return bad_mode(&entry, "mode", (int)mode, "ANYDNN_DIVNORM_PRECOMPUTED_MEANS");
    entry.call.params = lrn_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnDivisiveNormalizationBackward(
    anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc, anydnnDivNormMode_t mode,
    const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x, const void *means,
    const void *dy, void *temp, void *temp2, const void *beta,
    anydnnTensorDescriptor_t dXdMeansDesc, void *dx, void *dMeans)
{
    ADN_ENTRY_SCOPE;
    struct adn_entry entry;

    adn_call_begin(&entry, "anydnnDivisiveNormalizationBackward",
                   ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD);
    ADN_DESCRIPTOR(&entry, ADN_DESC_LRN, "normDesc", normDesc, 0);
    ADN_TENSOR(&entry, 0, xDesc, x);
    ADN_OPTIONAL(&entry, 1, &xDesc->t, means);
    ADN_DATA(&entry, 2, &xDesc->t, dy);
    ADN_DATA(&entry, 3, &xDesc->t, temp);
    ADN_DATA(&entry, 4, &xDesc->t, temp2);
    ADN_TENSOR(&entry, 5, dXdMeansDesc, dx);
    ADN_OPTIONAL(&entry, 6, &dXdMeansDesc->t, dMeans);
    ADN_BLEND(&entry, alpha, beta);
    if (mode != ANYDNN_DIVNORM_PRECOMPUTED_MEANS)
        return bad_mode(&entry, "mode", (int)mode, "ANYDNN_DIVNORM_PRECOMPUTED_MEANS");
    entry.call.params = lrn_params;
    return adn_call_run(handle, &entry);
}
