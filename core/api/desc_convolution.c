/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution descriptors: their setters and getters. */
#include <anydnn/anydnn.h>

#include <limits.h>

#include "desc/desc.h"
#include "desc/names.h"
#include "desc/shape.h"
#include "sys/error.h"

anydnnStatus_t anydnnCreateConvolutionDescriptor(anydnnConvolutionDescriptor_t *convDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "convDesc", convDesc, ADN_DESC_CONVOLUTION,
                                            sizeof(struct anydnnConvolutionStruct), &made);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *convDesc = made;
    (*convDesc)->c.struct_size = sizeof((*convDesc)->c);
    (*convDesc)->c.groups = 1;
    return status;
}

anydnnStatus_t anydnnDestroyConvolutionDescriptor(anydnnConvolutionDescriptor_t convDesc)
{
    return adn_desc_destroy(__func__, "convDesc", convDesc, ADN_DESC_CONVOLUTION);
}

/* Gives the descriptor a new stamp and keeps `set`. The math type, groups and reorder type may be
 * set before the shape. */
static anydnnStatus_t restamp(anydnnConvolutionDescriptor_t desc)
{
    uint32_t set = desc->head.set;

    adn_desc_stamp(&desc->head);
    desc->head.set = set;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnSetConvolutionMathType(anydnnConvolutionDescriptor_t convDesc,
                                            anydnnMathType_t mathType)
{
    anydnnStatus_t status = adn_desc_check(__func__, "convDesc", convDesc, ADN_DESC_CONVOLUTION);
    int math = (int)mathType;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if ((math < ANYDNN_DEFAULT_MATH || math > ANYDNN_FMA_MATH) &&
        math != ANYDNN_TENSOR_OP_MATH_SPLIT)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "%s: mathType is %d; it must be one of ANYDNN_DEFAULT_MATH, ANYDNN_TENSOR_OP_MATH, "
            "ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, ANYDNN_FMA_MATH, ANYDNN_TENSOR_OP_MATH_SPLIT",
            __func__, math);
    convDesc->math_type = math;
    return restamp(convDesc);
}

anydnnStatus_t anydnnSetConvolutionGroupCount(anydnnConvolutionDescriptor_t convDesc,
                                              int groupCount)
{
    anydnnStatus_t status = adn_desc_check(__func__, "convDesc", convDesc, ADN_DESC_CONVOLUTION);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "groupCount", groupCount, 1, INT_MAX,
                                      "it must be at least 1");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    convDesc->c.groups = groupCount;
    return restamp(convDesc);
}

anydnnStatus_t anydnnSetConvolutionReorderType(anydnnConvolutionDescriptor_t convDesc,
                                               anydnnReorderType_t reorderType)
{
    anydnnStatus_t status = adn_desc_check(__func__, "convDesc", convDesc, ADN_DESC_CONVOLUTION);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "reorderType", (int)reorderType,
                                      ANYDNN_DEFAULT_REORDER, ANYDNN_NO_REORDER,
                                      "it must be ANYDNN_DEFAULT_REORDER or ANYDNN_NO_REORDER");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    convDesc->reorder = (int)reorderType;
    return restamp(convDesc);
}

static anydnnStatus_t check_get(const char *entry, anydnnConvolutionDescriptor_t desc,
                                const char *name, const void *output)
{
    anydnnStatus_t status = adn_desc_check(entry, "convDesc", desc, ADN_DESC_CONVOLUTION);

    return status == ANYDNN_STATUS_SUCCESS ? adn_desc_check_outputs(entry, &name, &output, 1)
                                           : status;
}

anydnnStatus_t anydnnGetConvolutionMathType(anydnnConvolutionDescriptor_t convDesc,
                                            anydnnMathType_t *mathType)
{
    anydnnStatus_t status = check_get(__func__, convDesc, "mathType", mathType);

    if (status == ANYDNN_STATUS_SUCCESS)
        *mathType = (anydnnMathType_t)convDesc->math_type;
    return status;
}

anydnnStatus_t anydnnGetConvolutionGroupCount(anydnnConvolutionDescriptor_t convDesc,
                                              int *groupCount)
{
    anydnnStatus_t status = check_get(__func__, convDesc, "groupCount", groupCount);

    if (status == ANYDNN_STATUS_SUCCESS)
        *groupCount = (int)convDesc->c.groups;
    return status;
}

anydnnStatus_t anydnnGetConvolutionReorderType(anydnnConvolutionDescriptor_t convDesc,
                                               anydnnReorderType_t *reorderType)
{
    anydnnStatus_t status = check_get(__func__, convDesc, "reorderType", reorderType);

    if (status == ANYDNN_STATUS_SUCCESS)
        *reorderType = (anydnnReorderType_t)convDesc->reorder;
    return status;
}

static int compute_type_known(int type)
{
    return type == ANYDNN_DATA_FLOAT || type == ANYDNN_DATA_DOUBLE || type == ANYDNN_DATA_HALF ||
           type == ANYDNN_DATA_INT32;
}

static anydnnStatus_t check_window(const char *entry, int dim, int pad, int stride, int dilation)
{
    if (pad < 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: pad %d is %d; padding must not be negative",
                        entry, dim, pad);
    if (stride < 1)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: stride %d is %d; it must be at least 1",
                        entry, dim, stride);
    if (dilation < 1)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: dilation %d is %d; it must be at least 1 (1: no dilation)", entry, dim,
                        dilation);
    return ANYDNN_STATUS_SUCCESS;
}

/* Sets the shape, mode and type, and keeps the group count, math type and reorder type. */
static anydnnStatus_t set_convolution(const char *entry, anydnnConvolutionDescriptor_t desc,
                                      int count, const int *pads, const int *strides,
                                      const int *dilations, int mode, int type)
{
    anydnnStatus_t status = adn_desc_check(entry, "convDesc", desc, ADN_DESC_CONVOLUTION);

    if (status == ANYDNN_STATUS_SUCCESS)
        status =
            adn_desc_check_range(entry, "arrayLength", count, 1, INT_MAX, "it must be at least 1");
    if (status == ANYDNN_STATUS_SUCCESS && count > ANYDNN_PLUGIN_SPATIAL_MAX)
        status = adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                          "%s: arrayLength is %d; at most %d spatial dims are supported", entry,
                          count, ANYDNN_PLUGIN_SPATIAL_MAX);
    for (int i = 0; i < count && status == ANYDNN_STATUS_SUCCESS; i++)
        status = check_window(entry, i, pads[i], strides[i], dilations[i]);
    if (status == ANYDNN_STATUS_SUCCESS)
        status =
            adn_desc_check_range(entry, "mode", mode, ANYDNN_CONVOLUTION, ANYDNN_CROSS_CORRELATION,
                                 "it must be ANYDNN_CONVOLUTION or ANYDNN_CROSS_CORRELATION");
    if (status == ANYDNN_STATUS_SUCCESS && !compute_type_known(type))
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: computeType is %d (%s); it must be float, double, half or int32",
                          entry, type, adn_type_name(type));
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    for (int i = 0; i < ANYDNN_PLUGIN_SPATIAL_MAX; i++) {
        desc->c.pad[i] = i < count ? pads[i] : 0;
        desc->c.stride[i] = i < count ? strides[i] : 0;
        desc->c.dilation[i] = i < count ? dilations[i] : 0;
    }
    desc->c.spatial_dims = count;
    desc->c.mode = mode;
    desc->c.compute_type = type;
    adn_desc_stamp(&desc->head);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnSetConvolution2dDescriptor(anydnnConvolutionDescriptor_t convDesc, int pad_h,
                                                int pad_w, int u, int v, int dilation_h,
                                                int dilation_w, anydnnConvolutionMode_t mode,
                                                anydnnDataType_t computeType)
{
    const int pads[] = {pad_h, pad_w};
    const int strides[] = {u, v};
    const int dilations[] = {dilation_h, dilation_w};

    return set_convolution(__func__, convDesc, 2, pads, strides, dilations, (int)mode,
                           (int)computeType);
}

anydnnStatus_t anydnnSetConvolutionNdDescriptor(anydnnConvolutionDescriptor_t convDesc,
                                                int arrayLength, const int padA[],
                                                const int filterStrideA[], const int dilationA[],
                                                anydnnConvolutionMode_t mode,
                                                anydnnDataType_t computeType)
{
    static const char *const names[] = {"padA", "filterStrideA", "dilationA"};
    const void *const arrays[] = {padA, filterStrideA, dilationA};

    for (int i = 0; i < 3; i++)
        if (!arrays[i])
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: %s is NULL; it must hold arrayLength values", __func__, names[i]);
    return set_convolution(__func__, convDesc, arrayLength, padA, filterStrideA, dilationA,
                           (int)mode, (int)computeType);
}

anydnnStatus_t anydnnGetConvolution2dDescriptor(anydnnConvolutionDescriptor_t convDesc, int *pad_h,
                                                int *pad_w, int *u, int *v, int *dilation_h,
                                                int *dilation_w, anydnnConvolutionMode_t *mode,
                                                anydnnDataType_t *computeType)
{
    static const char *const names[] = {"pad_h",      "pad_w",      "u",    "v",
                                        "dilation_h", "dilation_w", "mode", "computeType"};
    const void *const outputs[] = {pad_h, pad_w, u, v, dilation_h, dilation_w, mode, computeType};
    int *const values[] = {pad_h, pad_w, u, v, dilation_h, dilation_w};
    anydnnStatus_t status = adn_desc_check(__func__, "convDesc", convDesc, ADN_DESC_CONVOLUTION);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 8);
    if (status == ANYDNN_STATUS_SUCCESS && convDesc->head.set && convDesc->c.spatial_dims != 2)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: convDesc has %d spatial dims; this getter requires 2", __func__,
                          (int)convDesc->c.spatial_dims);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    for (int i = 0; i < 2; i++) {
        *values[i] = (int)convDesc->c.pad[i];
        *values[2 + i] = (int)convDesc->c.stride[i];
        *values[4 + i] = (int)convDesc->c.dilation[i];
    }
    *mode = (anydnnConvolutionMode_t)convDesc->c.mode;
    *computeType = (anydnnDataType_t)convDesc->c.compute_type;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetConvolutionNdDescriptor(anydnnConvolutionDescriptor_t convDesc,
                                                int arrayLengthRequested, int *arrayLength,
                                                int padA[], int strideA[], int dilationA[],
                                                anydnnConvolutionMode_t *mode,
                                                anydnnDataType_t *computeType)
{
    static const char *const names[] = {"arrayLength", "mode",    "computeType",
                                        "padA",        "strideA", "dilationA"};
    const void *const outputs[] = {arrayLength, mode, computeType, padA, strideA, dilationA};
    anydnnStatus_t status = adn_desc_check(__func__, "convDesc", convDesc, ADN_DESC_CONVOLUTION);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "arrayLengthRequested", arrayLengthRequested, 0,
                                      INT_MAX, "it must not be negative");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, arrayLengthRequested > 0 ? 6 : 3);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *arrayLength = convDesc->c.spatial_dims;
    *mode = (anydnnConvolutionMode_t)convDesc->c.mode;
    *computeType = (anydnnDataType_t)convDesc->c.compute_type;
    for (int i = 0; i < arrayLengthRequested && i < convDesc->c.spatial_dims; i++) {
        padA[i] = (int)convDesc->c.pad[i];
        strideA[i] = (int)convDesc->c.stride[i];
        dilationA[i] = (int)convDesc->c.dilation[i];
    }
    return ANYDNN_STATUS_SUCCESS;
}
