/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of the CTC loss. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"

anydnnStatus_t anydnnCreateCTCLossDescriptor(anydnnCTCLossDescriptor_t *ctcLossDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "ctcLossDesc", ctcLossDesc, ADN_DESC_CTC_LOSS,
                                            sizeof(struct anydnnCTCLossStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *ctcLossDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyCTCLossDescriptor(anydnnCTCLossDescriptor_t ctcLossDesc)
{
    return adn_desc_destroy(__func__, "ctcLossDesc", ctcLossDesc, ADN_DESC_CTC_LOSS);
}

static anydnnStatus_t set(const char *entry, anydnnCTCLossDescriptor_t desc, int type,
                          int normalization, int nan)
{
    anydnnStatus_t status = adn_desc_check(entry, "ctcLossDesc", desc, ADN_DESC_CTC_LOSS);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(entry, "compType", type, ANYDNN_DATA_FLOAT,
                                      ANYDNN_DATA_DOUBLE, "it must be float or double");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(
            entry, "normMode", normalization, ANYDNN_LOSS_NORMALIZATION_NONE,
            ANYDNN_LOSS_NORMALIZATION_SOFTMAX, "it must be an ANYDNN_LOSS_NORMALIZATION_xxx");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(
            entry, "gradMode", nan, ANYDNN_NOT_PROPAGATE_NAN, ANYDNN_PROPAGATE_NAN,
            "it must be ANYDNN_NOT_PROPAGATE_NAN or ANYDNN_PROPAGATE_NAN");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    desc->l.struct_size = sizeof(desc->l);
    desc->l.normalization = normalization;
    desc->l.nan_propagate = nan;
    desc->compute_type = type;
    adn_desc_stamp(&desc->head);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnSetCTCLossDescriptor(anydnnCTCLossDescriptor_t ctcLossDesc,
                                          anydnnDataType_t compType)
{
    return set(__func__, ctcLossDesc, (int)compType, ANYDNN_LOSS_NORMALIZATION_NONE,
               ANYDNN_NOT_PROPAGATE_NAN);
}

anydnnStatus_t anydnnSetCTCLossDescriptorEx(anydnnCTCLossDescriptor_t ctcLossDesc,
                                            anydnnDataType_t compType,
                                            anydnnLossNormalizationMode_t normMode,
                                            anydnnNanPropagation_t gradMode)
{
    return set(__func__, ctcLossDesc, (int)compType, (int)normMode, (int)gradMode);
}

anydnnStatus_t anydnnGetCTCLossDescriptor(anydnnCTCLossDescriptor_t ctcLossDesc,
                                          anydnnDataType_t *compType)
{
    static const char *const names[] = {"compType"};
    const void *const outputs[] = {compType};
    anydnnStatus_t status = adn_desc_check(__func__, "ctcLossDesc", ctcLossDesc, ADN_DESC_CTC_LOSS);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 1);
    if (status == ANYDNN_STATUS_SUCCESS)
        *compType = (anydnnDataType_t)ctcLossDesc->compute_type;
    return status;
}

anydnnStatus_t anydnnGetCTCLossDescriptorEx(anydnnCTCLossDescriptor_t ctcLossDesc,
                                            anydnnDataType_t *compType,
                                            anydnnLossNormalizationMode_t *normMode,
                                            anydnnNanPropagation_t *gradMode)
{
    static const char *const names[] = {"compType", "normMode", "gradMode"};
    const void *const outputs[] = {compType, normMode, gradMode};
    anydnnStatus_t status = adn_desc_check(__func__, "ctcLossDesc", ctcLossDesc, ADN_DESC_CTC_LOSS);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 3);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *compType = (anydnnDataType_t)ctcLossDesc->compute_type;
    *normMode = (anydnnLossNormalizationMode_t)ctcLossDesc->l.normalization;
    *gradMode = (anydnnNanPropagation_t)ctcLossDesc->l.nan_propagate;
    return ANYDNN_STATUS_SUCCESS;
}
