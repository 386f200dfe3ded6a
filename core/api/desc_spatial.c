/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of spatial transformers. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"
#include "sys/error.h"

/* n, c, h and w */
#define DIMS 4

anydnnStatus_t
anydnnCreateSpatialTransformerDescriptor(anydnnSpatialTransformerDescriptor_t *stDesc)
{
    void *made = NULL;
    anydnnStatus_t status =
        adn_desc_create(__func__, "stDesc", stDesc, ADN_DESC_SPATIAL_TRANSFORMER,
                        sizeof(struct anydnnSpatialTransformerStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *stDesc = made;
    return status;
}

anydnnStatus_t
anydnnDestroySpatialTransformerDescriptor(anydnnSpatialTransformerDescriptor_t stDesc)
{
    return adn_desc_destroy(__func__, "stDesc", stDesc, ADN_DESC_SPATIAL_TRANSFORMER);
}

static anydnnStatus_t check_type(const char *entry, anydnnDataType_t type)
{
    static const anydnnDataType_t taken[] = {ANYDNN_DATA_FLOAT, ANYDNN_DATA_DOUBLE,
                                             ANYDNN_DATA_HALF, ANYDNN_DATA_BFLOAT16};

    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        if (taken[i] == type)
            return ANYDNN_STATUS_SUCCESS;
    return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                    "%s: dataType is %d; it must be float, double, half or bfloat16", entry,
                    (int)type);
}

static anydnnStatus_t check_dims(const char *entry, int count, const int *dims)
{
    if (count > DIMS && count <= ANYDNN_DIM_MAX)
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                        "%s: nbDims is %d; spatial transformers require images of 4 dims", entry,
                        count);
    if (count != DIMS)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: nbDims is %d; it must be 4: n, c, h, w",
                        entry, count);
    return dims ? ANYDNN_STATUS_SUCCESS
                : adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: dimA is NULL; it must hold n, c, h, w",
                           entry);
}

anydnnStatus_t anydnnSetSpatialTransformerNdDescriptor(anydnnSpatialTransformerDescriptor_t stDesc,
                                                       anydnnSamplerType_t samplerType,
                                                       anydnnDataType_t dataType, int nbDims,
                                                       const int dimA[])
{
    struct anydnn_plugin_tensor theta;
    struct anydnn_plugin_tensor grid;
    anydnnStatus_t status =
        adn_desc_check(__func__, "stDesc", stDesc, ADN_DESC_SPATIAL_TRANSFORMER);

    if (status == ANYDNN_STATUS_SUCCESS)
        status =
            adn_desc_check_range(__func__, "samplerType", (int)samplerType, ANYDNN_SAMPLER_BILINEAR,
                                 ANYDNN_SAMPLER_BILINEAR, "it must be ANYDNN_SAMPLER_BILINEAR");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = check_type(__func__, dataType);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = check_dims(__func__, nbDims, dimA);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_fill(__func__, &grid, ANYDNN_TENSOR_NCHW, (int)dataType, 4,
                               (const int[]){dimA[0], dimA[2], dimA[3], 2}, NULL);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_fill(__func__, &theta, ANYDNN_TENSOR_NCHW, (int)dataType, 3,
                               (const int[]){dimA[0], 2, 3}, NULL);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    stDesc->s.struct_size = sizeof(stDesc->s);
    stDesc->s.sampler = (int)samplerType;
    stDesc->theta = theta;
    stDesc->grid = grid;
    adn_desc_stamp(&stDesc->head);
    return ANYDNN_STATUS_SUCCESS;
}
