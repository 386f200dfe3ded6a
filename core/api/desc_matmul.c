/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of matrix products. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"
#include "sys/error.h"

anydnnStatus_t anydnnCreateMatMulDescriptor(anydnnMatMulDescriptor_t *matmulDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "matmulDesc", matmulDesc, ADN_DESC_MATMUL,
                                            sizeof(struct anydnnMatMulStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *matmulDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyMatMulDescriptor(anydnnMatMulDescriptor_t matmulDesc)
{
    return adn_desc_destroy(__func__, "matmulDesc", matmulDesc, ADN_DESC_MATMUL);
}

anydnnStatus_t anydnnSetMatMulDescriptor(anydnnMatMulDescriptor_t matmulDesc,
                                         anydnnDataType_t computeType, anydnnMathType_t mathType)
{
    anydnnStatus_t status = adn_desc_check(__func__, "matmulDesc", matmulDesc, ADN_DESC_MATMUL);
    int math = (int)mathType;

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "computeType", (int)computeType, ANYDNN_DATA_FLOAT,
                                      ANYDNN_DATA_DOUBLE, "it must be float or double");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if ((math < ANYDNN_DEFAULT_MATH || math > ANYDNN_FMA_MATH) &&
        math != ANYDNN_TENSOR_OP_MATH_SPLIT)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: mathType is %d; it must be one of ANYDNN_DEFAULT_MATH, "
                        "ANYDNN_TENSOR_OP_MATH, ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, "
                        "ANYDNN_FMA_MATH and ANYDNN_TENSOR_OP_MATH_SPLIT",
                        __func__, math);
    matmulDesc->m.struct_size = sizeof(matmulDesc->m);
    matmulDesc->m.compute_type = (int)computeType;
    matmulDesc->math_type = math;
    adn_desc_stamp(&matmulDesc->head);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetMatMulDescriptor(anydnnMatMulDescriptor_t matmulDesc,
                                         anydnnDataType_t *computeType, anydnnMathType_t *mathType)
{
    static const char *const names[] = {"computeType", "mathType"};
    const void *const outputs[] = {computeType, mathType};
    anydnnStatus_t status = adn_desc_check(__func__, "matmulDesc", matmulDesc, ADN_DESC_MATMUL);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 2);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *computeType = (anydnnDataType_t)matmulDesc->m.compute_type;
    *mathType = (anydnnMathType_t)matmulDesc->math_type;
    return ANYDNN_STATUS_SUCCESS;
}
