/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling descriptors and the output dims that they compute. */
#include <anydnn/anydnn.h>

#include <limits.h>

#include "desc/desc.h"
#include "desc/shape.h"
#include "sys/error.h"

anydnnStatus_t anydnnCreatePoolingDescriptor(anydnnPoolingDescriptor_t *poolingDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "poolingDesc", poolingDesc, ADN_DESC_POOLING,
                                            sizeof(struct anydnnPoolingStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *poolingDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyPoolingDescriptor(anydnnPoolingDescriptor_t poolingDesc)
{
    return adn_desc_destroy(__func__, "poolingDesc", poolingDesc, ADN_DESC_POOLING);
}

static anydnnStatus_t check_windows(const char *entry, int count, const int *windows,
                                    const int *strides)
{
    for (int i = 0; i < count; i++) {
        if (windows[i] < 1)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: window %d is %d; it must be at least 1",
                            entry, i, windows[i]);
        if (strides[i] < 1)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: stride %d is %d; it must be at least 1",
                            entry, i, strides[i]);
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Sets a pooling descriptor. As in cuDNN, any padding is accepted, including negative padding and
 * padding wider than the window. */
static anydnnStatus_t set_pooling(const char *entry, anydnnPoolingDescriptor_t desc, int mode,
                                  int nan, int count, const int *windows, const int *pads,
                                  const int *strides)
{
    anydnnStatus_t status = adn_desc_check(entry, "poolingDesc", desc, ADN_DESC_POOLING);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(entry, "mode", mode, ANYDNN_POOLING_MAX,
                                      ANYDNN_POOLING_MAX_DETERMINISTIC,
                                      "it must be an ANYDNN_POOLING_xxx mode");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(
            entry, "maxpoolingNanOpt", nan, ANYDNN_NOT_PROPAGATE_NAN, ANYDNN_PROPAGATE_NAN,
            "it must be ANYDNN_NOT_PROPAGATE_NAN or ANYDNN_PROPAGATE_NAN");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(entry, "nbDims", count, 1, INT_MAX, "it must be at least 1");
    if (status == ANYDNN_STATUS_SUCCESS && count > ANYDNN_PLUGIN_SPATIAL_MAX)
        status = adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                          "%s: nbDims is %d; at most %d spatial dims are supported", entry, count,
                          ANYDNN_PLUGIN_SPATIAL_MAX);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = check_windows(entry, count, windows, strides);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    desc->p.struct_size = sizeof(desc->p);
    desc->p.mode = mode;
    desc->p.nan_propagate = nan;
    desc->p.spatial_dims = count;
    for (int i = 0; i < ANYDNN_PLUGIN_SPATIAL_MAX; i++) {
        desc->p.window[i] = i < count ? windows[i] : 0;
        desc->p.pad[i] = i < count ? pads[i] : 0;
        desc->p.stride[i] = i < count ? strides[i] : 0;
    }
    adn_desc_stamp(&desc->head);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnSetPooling2dDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                            anydnnPoolingMode_t mode,
                                            anydnnNanPropagation_t maxpoolingNanOpt,
                                            int windowHeight, int windowWidth, int verticalPadding,
                                            int horizontalPadding, int verticalStride,
                                            int horizontalStride)
{
    const int windows[] = {windowHeight, windowWidth};
    const int pads[] = {verticalPadding, horizontalPadding};
    const int strides[] = {verticalStride, horizontalStride};

    return set_pooling(__func__, poolingDesc, (int)mode, (int)maxpoolingNanOpt, 2, windows, pads,
                       strides);
}

anydnnStatus_t anydnnSetPoolingNdDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                            anydnnPoolingMode_t mode,
                                            anydnnNanPropagation_t maxpoolingNanOpt, int nbDims,
                                            const int windowDimA[], const int paddingA[],
                                            const int strideA[])
{
    static const char *const names[] = {"windowDimA", "paddingA", "strideA"};
    const void *const arrays[] = {windowDimA, paddingA, strideA};

    for (int i = 0; i < 3; i++)
        if (!arrays[i])
            return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL; it must hold nbDims values",
                            __func__, names[i]);
    return set_pooling(__func__, poolingDesc, (int)mode, (int)maxpoolingNanOpt, nbDims, windowDimA,
                       paddingA, strideA);
}

anydnnStatus_t anydnnGetPooling2dDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                            anydnnPoolingMode_t *mode,
                                            anydnnNanPropagation_t *maxpoolingNanOpt,
                                            int *windowHeight, int *windowWidth,
                                            int *verticalPadding, int *horizontalPadding,
                                            int *verticalStride, int *horizontalStride)
{
    static const char *const names[] = {"mode",           "maxpoolingNanOpt", "windowHeight",
                                        "windowWidth",    "verticalPadding",  "horizontalPadding",
                                        "verticalStride", "horizontalStride"};
    const void *const outputs[] = {mode,           maxpoolingNanOpt, windowHeight,
                                   windowWidth,    verticalPadding,  horizontalPadding,
                                   verticalStride, horizontalStride};
    anydnnStatus_t status = adn_desc_check(__func__, "poolingDesc", poolingDesc, ADN_DESC_POOLING);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 8);
    if (status == ANYDNN_STATUS_SUCCESS && poolingDesc->head.set &&
        poolingDesc->p.spatial_dims != 2)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: poolingDesc has %d spatial dims; this getter requires 2", __func__,
                          (int)poolingDesc->p.spatial_dims);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *mode = (anydnnPoolingMode_t)poolingDesc->p.mode;
    *maxpoolingNanOpt = (anydnnNanPropagation_t)poolingDesc->p.nan_propagate;
    *windowHeight = (int)poolingDesc->p.window[0];
    *windowWidth = (int)poolingDesc->p.window[1];
    *verticalPadding = (int)poolingDesc->p.pad[0];
    *horizontalPadding = (int)poolingDesc->p.pad[1];
    *verticalStride = (int)poolingDesc->p.stride[0];
    *horizontalStride = (int)poolingDesc->p.stride[1];
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetPoolingNdDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                            int nbDimsRequested, anydnnPoolingMode_t *mode,
                                            anydnnNanPropagation_t *maxpoolingNanOpt, int *nbDims,
                                            int windowDimA[], int paddingA[], int strideA[])
{
    static const char *const names[] = {"mode",       "maxpoolingNanOpt", "nbDims",
                                        "windowDimA", "paddingA",         "strideA"};
    const void *const outputs[] = {mode, maxpoolingNanOpt, nbDims, windowDimA, paddingA, strideA};
    anydnnStatus_t status = adn_desc_check(__func__, "poolingDesc", poolingDesc, ADN_DESC_POOLING);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "nbDimsRequested", nbDimsRequested, 0, INT_MAX,
                                      "it must not be negative");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, nbDimsRequested > 0 ? 6 : 3);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *mode = (anydnnPoolingMode_t)poolingDesc->p.mode;
    *maxpoolingNanOpt = (anydnnNanPropagation_t)poolingDesc->p.nan_propagate;
    *nbDims = poolingDesc->p.spatial_dims;
    for (int i = 0; i < nbDimsRequested && i < poolingDesc->p.spatial_dims; i++) {
        windowDimA[i] = (int)poolingDesc->p.window[i];
        paddingA[i] = (int)poolingDesc->p.pad[i];
        strideA[i] = (int)poolingDesc->p.stride[i];
    }
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t output_dims(const char *entry, anydnnPoolingDescriptor_t desc,
                                  anydnnTensorDescriptor_t input, int64_t *dims, int *count)
{
    const struct anydnn_plugin_pooling *pool = adn_desc_pooling(desc);
    const struct anydnn_plugin_tensor *x = adn_desc_tensor(input);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    if (!pool)
        return adn_desc_complain(entry, "poolingDesc", desc, ADN_DESC_POOLING);
    if (!x)
        return adn_desc_complain(entry, "inputTensorDesc", input, ADN_DESC_TENSOR);
    if (x->ndims != pool->spatial_dims + 2)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "%s: poolingDesc has %d spatial dims and inputTensorDesc %d dims; it must have %d",
            entry, (int)pool->spatial_dims, (int)x->ndims, (int)pool->spatial_dims + 2);
    *count = x->ndims;
    for (int i = 0; i < x->ndims && status == ANYDNN_STATUS_SUCCESS; i++) {
        dims[i] = i < 2 ? x->dims[i]
                        : adn_shape_pooling_out(x->dims[i], pool->pad[i - 2], pool->window[i - 2],
                                                pool->stride[i - 2]);
        if (dims[i] < 1)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: in dim %d, the window has %lld elements and the padded input has "
                            "%lld; the window must fit",
                            entry, i, (long long)pool->window[i - 2],
                            (long long)(x->dims[i] + 2 * pool->pad[i - 2]));
        status = adn_desc_check_int(entry, "an output dim", dims[i]);
    }
    return status;
}

anydnnStatus_t anydnnGetPooling2dForwardOutputDim(anydnnPoolingDescriptor_t poolingDesc,
                                                  anydnnTensorDescriptor_t inputTensorDesc, int *n,
                                                  int *c, int *h, int *w)
{
    static const char *const names[] = {"n", "c", "h", "w"};
    const void *const outputs[] = {n, c, h, w};
    anydnnStatus_t status = adn_desc_check_outputs(__func__, names, outputs, 4);
    int64_t dims[ANYDNN_DIM_MAX];
    int count = 0;

    if (status == ANYDNN_STATUS_SUCCESS)
        status = output_dims(__func__, poolingDesc, inputTensorDesc, dims, &count);
    if (status == ANYDNN_STATUS_SUCCESS && count != 4)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: poolingDesc has %d spatial dims; this entry requires 2", __func__,
                          count - 2);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *n = (int)dims[0];
    *c = (int)dims[1];
    *h = (int)dims[2];
    *w = (int)dims[3];
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetPoolingNdForwardOutputDim(anydnnPoolingDescriptor_t poolingDesc,
                                                  anydnnTensorDescriptor_t inputTensorDesc,
                                                  int nbDims, int outputTensorDimA[])
{
    static const char *const names[] = {"outputTensorDimA"};
    const void *const outputs[] = {outputTensorDimA};
    anydnnStatus_t status = adn_desc_check_outputs(__func__, names, outputs, 1);
    int64_t dims[ANYDNN_DIM_MAX];
    int count = 0;

    if (status == ANYDNN_STATUS_SUCCESS)
        status = output_dims(__func__, poolingDesc, inputTensorDesc, dims, &count);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "nbDims", nbDims, 1, count,
                                      "it must be from 1 to the number of dims of inputTensorDesc");
    for (int i = 0; i < nbDims && status == ANYDNN_STATUS_SUCCESS; i++)
        outputTensorDimA[i] = (int)dims[i];
    return status;
}
