/* SPDX-License-Identifier: Apache-2.0 */
/* LRN descriptors, which divisive normalization uses too. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"
#include "sys/callback.h"
#include "sys/error.h"

anydnnStatus_t anydnnCreateLRNDescriptor(anydnnLRNDescriptor_t *normDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "normDesc", normDesc, ADN_DESC_LRN,
                                            sizeof(struct anydnnLRNStruct), &made);
    struct anydnnLRNStruct *desc = made;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    desc->n = (struct anydnn_plugin_lrn){
        .struct_size = sizeof(desc->n), .n = 5, .alpha = 1e-4, .beta = 0.75, .k = 2};
    adn_desc_stamp(&desc->head);
    *normDesc = desc;
    return status;
}

anydnnStatus_t anydnnDestroyLRNDescriptor(anydnnLRNDescriptor_t lrnDesc)
{
    return adn_desc_destroy(__func__, "lrnDesc", lrnDesc, ADN_DESC_LRN);
}

anydnnStatus_t anydnnSetLRNDescriptor(anydnnLRNDescriptor_t normDesc, unsigned lrnN,
                                      double lrnAlpha, double lrnBeta, double lrnK)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_desc_check(__func__, "normDesc", normDesc, ADN_DESC_LRN);

    if (status == ANYDNN_STATUS_SUCCESS)
        status =
            adn_desc_check_range(__func__, "lrnN", lrnN, ANYDNN_LRN_MIN_N, ANYDNN_LRN_MAX_N,
                                 "it must be from ANYDNN_LRN_MIN_N (1) to ANYDNN_LRN_MAX_N (16)");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!(lrnBeta >= ANYDNN_LRN_MIN_BETA))
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: lrnBeta is %g; it must be at least ANYDNN_LRN_MIN_BETA (0.01)",
                        __func__, lrnBeta);
    if (!(lrnK >= ANYDNN_LRN_MIN_K))
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: lrnK is %g; it must be at least ANYDNN_LRN_MIN_K (1e-5)", __func__,
                        lrnK);
    normDesc->n.n = (int32_t)lrnN;
    normDesc->n.alpha = lrnAlpha;
    normDesc->n.beta = lrnBeta;
    normDesc->n.k = lrnK;
    adn_desc_stamp(&normDesc->head);
    return ANYDNN_STATUS_SUCCESS;
}

/* As in cuDNN, an unwanted output may be NULL. */
anydnnStatus_t anydnnGetLRNDescriptor(anydnnLRNDescriptor_t normDesc, unsigned *lrnN,
                                      double *lrnAlpha, double *lrnBeta, double *lrnK)
{
    anydnnStatus_t status = adn_desc_check(__func__, "normDesc", normDesc, ADN_DESC_LRN);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (lrnN)
        *lrnN = (unsigned)normDesc->n.n;
    if (lrnAlpha)
        *lrnAlpha = normDesc->n.alpha;
    if (lrnBeta)
        *lrnBeta = normDesc->n.beta;
    if (lrnK)
        *lrnK = normDesc->n.k;
    return ANYDNN_STATUS_SUCCESS;
}
