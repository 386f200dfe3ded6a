/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of reductions. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"

anydnnStatus_t anydnnCreateReduceTensorDescriptor(anydnnReduceTensorDescriptor_t *reduceTensorDesc)
{
    void *made = NULL;
    anydnnStatus_t status =
        adn_desc_create(__func__, "reduceTensorDesc", reduceTensorDesc, ADN_DESC_REDUCE_TENSOR,
                        sizeof(struct anydnnReduceTensorStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *reduceTensorDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyReduceTensorDescriptor(anydnnReduceTensorDescriptor_t reduceTensorDesc)
{
    return adn_desc_destroy(__func__, "reduceTensorDesc", reduceTensorDesc, ADN_DESC_REDUCE_TENSOR);
}

struct rule {
    const char *argument;
    int highest;
    const char *sentence;
};

static const struct rule rules[] = {
    {"reduceTensorOp", ANYDNN_REDUCE_TENSOR_MUL_NO_ZEROS,
     "it must be an ANYDNN_REDUCE_TENSOR_xxx operation"},
    {"reduceTensorCompType", ANYDNN_DATA_HALF, "it must be float, double or half"},
    {"reduceTensorNanOpt", ANYDNN_PROPAGATE_NAN,
     "it must be ANYDNN_NOT_PROPAGATE_NAN or ANYDNN_PROPAGATE_NAN"},
    {"reduceTensorIndices", ANYDNN_REDUCE_TENSOR_FLATTENED_INDICES,
     "it must be ANYDNN_REDUCE_TENSOR_NO_INDICES or ANYDNN_REDUCE_TENSOR_FLATTENED_INDICES"},
    {"reduceTensorIndicesType", ANYDNN_8BIT_INDICES, "it must be an ANYDNN_xxBIT_INDICES"}};

anydnnStatus_t anydnnSetReduceTensorDescriptor(anydnnReduceTensorDescriptor_t reduceTensorDesc,
                                               anydnnReduceTensorOp_t reduceTensorOp,
                                               anydnnDataType_t reduceTensorCompType,
                                               anydnnNanPropagation_t reduceTensorNanOpt,
                                               anydnnReduceTensorIndices_t reduceTensorIndices,
                                               anydnnIndicesType_t reduceTensorIndicesType)
{
    const int values[] = {(int)reduceTensorOp, (int)reduceTensorCompType, (int)reduceTensorNanOpt,
                          (int)reduceTensorIndices, (int)reduceTensorIndicesType};
    anydnnStatus_t status =
        adn_desc_check(__func__, "reduceTensorDesc", reduceTensorDesc, ADN_DESC_REDUCE_TENSOR);

    for (int i = 0; i < 5 && status == ANYDNN_STATUS_SUCCESS; i++)
        status = adn_desc_check_range(__func__, rules[i].argument, values[i], 0, rules[i].highest,
                                      rules[i].sentence);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    reduceTensorDesc->r.struct_size = sizeof(reduceTensorDesc->r);
    reduceTensorDesc->r.op = values[0];
    reduceTensorDesc->r.compute_type = values[1];
    reduceTensorDesc->r.nan_propagate = values[2];
    reduceTensorDesc->indices = values[3];
    reduceTensorDesc->indices_type = values[4];
    adn_desc_stamp(&reduceTensorDesc->head);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetReduceTensorDescriptor(anydnnReduceTensorDescriptor_t reduceTensorDesc,
                                               anydnnReduceTensorOp_t *reduceTensorOp,
                                               anydnnDataType_t *reduceTensorCompType,
                                               anydnnNanPropagation_t *reduceTensorNanOpt,
                                               anydnnReduceTensorIndices_t *reduceTensorIndices,
                                               anydnnIndicesType_t *reduceTensorIndicesType)
{
    static const char *const names[] = {"reduceTensorOp", "reduceTensorCompType",
                                        "reduceTensorNanOpt", "reduceTensorIndices",
                                        "reduceTensorIndicesType"};
    const void *const outputs[] = {reduceTensorOp, reduceTensorCompType, reduceTensorNanOpt,
                                   reduceTensorIndices, reduceTensorIndicesType};
    anydnnStatus_t status =
        adn_desc_check(__func__, "reduceTensorDesc", reduceTensorDesc, ADN_DESC_REDUCE_TENSOR);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 5);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *reduceTensorOp = (anydnnReduceTensorOp_t)reduceTensorDesc->r.op;
    *reduceTensorCompType = (anydnnDataType_t)reduceTensorDesc->r.compute_type;
    *reduceTensorNanOpt = (anydnnNanPropagation_t)reduceTensorDesc->r.nan_propagate;
    *reduceTensorIndices = (anydnnReduceTensorIndices_t)reduceTensorDesc->indices;
    *reduceTensorIndicesType = (anydnnIndicesType_t)reduceTensorDesc->indices_type;
    return ANYDNN_STATUS_SUCCESS;
}
