/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of OpTensor's operation. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"

anydnnStatus_t anydnnCreateOpTensorDescriptor(anydnnOpTensorDescriptor_t *opTensorDesc)
{
    void *made = NULL;
    anydnnStatus_t status =
        adn_desc_create(__func__, "opTensorDesc", opTensorDesc, ADN_DESC_OP_TENSOR,
                        sizeof(struct anydnnOpTensorStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *opTensorDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyOpTensorDescriptor(anydnnOpTensorDescriptor_t opTensorDesc)
{
    return adn_desc_destroy(__func__, "opTensorDesc", opTensorDesc, ADN_DESC_OP_TENSOR);
}

anydnnStatus_t anydnnSetOpTensorDescriptor(anydnnOpTensorDescriptor_t opTensorDesc,
                                           anydnnOpTensorOp_t opTensorOp,
                                           anydnnDataType_t opTensorCompType,
                                           anydnnNanPropagation_t opTensorNanOpt)
{
    anydnnStatus_t status =
        adn_desc_check(__func__, "opTensorDesc", opTensorDesc, ADN_DESC_OP_TENSOR);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "opTensorOp", (int)opTensorOp, ANYDNN_OP_TENSOR_ADD,
                                      ANYDNN_OP_TENSOR_NOT,
                                      "it must be an ANYDNN_OP_TENSOR_xxx operation");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "opTensorCompType", (int)opTensorCompType,
                                      ANYDNN_DATA_FLOAT, ANYDNN_DATA_HALF,
                                      "it must be float, double or half");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(
            __func__, "opTensorNanOpt", (int)opTensorNanOpt, ANYDNN_NOT_PROPAGATE_NAN,
            ANYDNN_PROPAGATE_NAN, "it must be ANYDNN_NOT_PROPAGATE_NAN or ANYDNN_PROPAGATE_NAN");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    opTensorDesc->o.struct_size = sizeof(opTensorDesc->o);
    opTensorDesc->o.op = (int)opTensorOp;
    opTensorDesc->o.compute_type = (int)opTensorCompType;
    opTensorDesc->o.nan_propagate = (int)opTensorNanOpt;
    adn_desc_stamp(&opTensorDesc->head);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetOpTensorDescriptor(anydnnOpTensorDescriptor_t opTensorDesc,
                                           anydnnOpTensorOp_t *opTensorOp,
                                           anydnnDataType_t *opTensorCompType,
                                           anydnnNanPropagation_t *opTensorNanOpt)
{
    static const char *const names[] = {"opTensorOp", "opTensorCompType", "opTensorNanOpt"};
    const void *const outputs[] = {opTensorOp, opTensorCompType, opTensorNanOpt};
    anydnnStatus_t status =
        adn_desc_check(__func__, "opTensorDesc", opTensorDesc, ADN_DESC_OP_TENSOR);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 3);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *opTensorOp = (anydnnOpTensorOp_t)opTensorDesc->o.op;
    *opTensorCompType = (anydnnDataType_t)opTensorDesc->o.compute_type;
    *opTensorNanOpt = (anydnnNanPropagation_t)opTensorDesc->o.nan_propagate;
    return ANYDNN_STATUS_SUCCESS;
}
