/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptors, including the one that batch normalization derives. */
#include <anydnn/anydnn.h>

#include <limits.h>

#include "desc/desc.h"
#include "desc/layout.h"
#include "desc/shape.h"
#include "sys/error.h"

anydnnStatus_t anydnnCreateTensorDescriptor(anydnnTensorDescriptor_t *tensorDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "tensorDesc", tensorDesc, ADN_DESC_TENSOR,
                                            sizeof(struct anydnnTensorStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *tensorDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyTensorDescriptor(anydnnTensorDescriptor_t tensorDesc)
{
    return adn_desc_destroy(__func__, "tensorDesc", tensorDesc, ADN_DESC_TENSOR);
}

static anydnnStatus_t set_tensor(const char *entry, anydnnTensorDescriptor_t desc, int format,
                                 int type, int ndims, const int *dims, const int *strides)
{
    anydnnStatus_t status = adn_desc_check(entry, "tensorDesc", desc, ADN_DESC_TENSOR);

    if (status == ANYDNN_STATUS_SUCCESS && ndims < 2)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: nbDims is %d; a tensor has 2 to %d dims",
                          entry, ndims, ANYDNN_DIM_MAX);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_fill(entry, &desc->t, format, type, ndims, dims, strides);
    if (status == ANYDNN_STATUS_SUCCESS)
        adn_desc_stamp(&desc->head);
    return status;
}

anydnnStatus_t anydnnSetTensor4dDescriptor(anydnnTensorDescriptor_t tensorDesc,
                                           anydnnTensorFormat_t format, anydnnDataType_t dataType,
                                           int n, int c, int h, int w)
{
    const int dims[] = {n, c, h, w};

    return set_tensor(__func__, tensorDesc, (int)format, (int)dataType, 4, dims, NULL);
}

anydnnStatus_t anydnnSetTensor4dDescriptorEx(anydnnTensorDescriptor_t tensorDesc,
                                             anydnnDataType_t dataType, int n, int c, int h, int w,
                                             int nStride, int cStride, int hStride, int wStride)
{
    const int dims[] = {n, c, h, w};
    const int strides[] = {nStride, cStride, hStride, wStride};

    return set_tensor(__func__, tensorDesc, ANYDNN_TENSOR_NCHW, (int)dataType, 4, dims, strides);
}

anydnnStatus_t anydnnSetTensorNdDescriptor(anydnnTensorDescriptor_t tensorDesc,
                                           anydnnDataType_t dataType, int nbDims, const int dimA[],
                                           const int strideA[])
{
    static const char *const names[] = {"dimA", "strideA"};
    const void *const arrays[] = {dimA, strideA};

    for (int i = 0; i < 2; i++)
        if (!arrays[i])
            return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL; it must hold nbDims values",
                            __func__, names[i]);
    return set_tensor(__func__, tensorDesc, ANYDNN_TENSOR_NCHW, (int)dataType, nbDims, dimA,
                      strideA);
}

anydnnStatus_t anydnnSetTensorNdDescriptorEx(anydnnTensorDescriptor_t tensorDesc,
                                             anydnnTensorFormat_t format, anydnnDataType_t dataType,
                                             int nbDims, const int dimA[])
{
    if (!dimA)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: dimA is NULL; it must hold nbDims values",
                        __func__);
    return set_tensor(__func__, tensorDesc, (int)format, (int)dataType, nbDims, dimA, NULL);
}

/* A tensor descriptor that was never set reads as all 0, as in cuDNN. */
anydnnStatus_t anydnnGetTensor4dDescriptor(anydnnTensorDescriptor_t tensorDesc,
                                           anydnnDataType_t *dataType, int *n, int *c, int *h,
                                           int *w, int *nStride, int *cStride, int *hStride,
                                           int *wStride)
{
    static const char *const names[] = {"dataType", "n",       "c",       "h",      "w",
                                        "nStride",  "cStride", "hStride", "wStride"};
    const void *const outputs[] = {dataType, n, c, h, w, nStride, cStride, hStride, wStride};
    int *const values[] = {n, c, h, w, nStride, cStride, hStride, wStride};
    anydnnStatus_t status = adn_desc_check(__func__, "tensorDesc", tensorDesc, ADN_DESC_TENSOR);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 9);
    if (status == ANYDNN_STATUS_SUCCESS && tensorDesc->head.set && tensorDesc->t.ndims != 4)
        status =
            adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: tensorDesc has %d dims; this getter requires 4",
                     __func__, (int)tensorDesc->t.ndims);
    for (int i = 0; i < 4 && status == ANYDNN_STATUS_SUCCESS; i++)
        status = adn_desc_check_int(__func__, names[1 + i], tensorDesc->t.dims[i]);
    for (int i = 0; i < 4 && status == ANYDNN_STATUS_SUCCESS; i++)
        status = adn_desc_check_int(__func__, names[5 + i], tensorDesc->t.strides[i]);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *dataType = (anydnnDataType_t)tensorDesc->t.type;
    for (int i = 0; i < 4; i++) {
        *values[i] = (int)tensorDesc->t.dims[i];
        *values[4 + i] = (int)tensorDesc->t.strides[i];
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetTensorNdDescriptor(anydnnTensorDescriptor_t tensorDesc, int nbDimsRequested,
                                           anydnnDataType_t *dataType, int *nbDims, int dimA[],
                                           int strideA[])
{
    static const char *const names[] = {"dataType", "nbDims", "dimA", "strideA"};
    const void *const outputs[] = {dataType, nbDims, dimA, strideA};
    anydnnStatus_t status = adn_desc_check(__func__, "tensorDesc", tensorDesc, ADN_DESC_TENSOR);
    int count;

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "nbDimsRequested", nbDimsRequested, 0, INT_MAX,
                                      "it must not be negative");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, nbDimsRequested > 0 ? 4 : 2);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    count = nbDimsRequested < tensorDesc->t.ndims ? nbDimsRequested : tensorDesc->t.ndims;
    for (int i = 0; i < count && status == ANYDNN_STATUS_SUCCESS; i++) {
        status = adn_desc_check_int(__func__, "a dim", tensorDesc->t.dims[i]);
        if (status == ANYDNN_STATUS_SUCCESS)
            status = adn_desc_check_int(__func__, "a stride", tensorDesc->t.strides[i]);
    }
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *dataType = (anydnnDataType_t)tensorDesc->t.type;
    *nbDims = tensorDesc->t.ndims;
    for (int i = 0; i < count; i++) {
        dimA[i] = (int)tensorDesc->t.dims[i];
        strideA[i] = (int)tensorDesc->t.strides[i];
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetTensorSizeInBytes(anydnnTensorDescriptor_t tensorDesc, size_t *size)
{
    static const char *const names[] = {"size"};
    const void *const outputs[] = {size};
    anydnnStatus_t status = adn_desc_check(__func__, "tensorDesc", tensorDesc, ADN_DESC_TENSOR);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 1);
    if (status == ANYDNN_STATUS_SUCCESS)
        *size = (size_t)adn_shape_bytes(&tensorDesc->t);
    return status;
}

anydnnStatus_t anydnnDeriveBNTensorDescriptor(anydnnTensorDescriptor_t derivedBnDesc,
                                              anydnnTensorDescriptor_t xDesc,
                                              anydnnBatchNormMode_t mode)
{
    anydnnStatus_t status =
        adn_desc_check(__func__, "derivedBnDesc", derivedBnDesc, ADN_DESC_TENSOR);
    const struct anydnn_plugin_tensor *x = adn_desc_tensor(xDesc);
    struct anydnn_plugin_tensor derived;

    if (status == ANYDNN_STATUS_SUCCESS && !x)
        status = adn_desc_complain(__func__, "xDesc", xDesc, ADN_DESC_TENSOR);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "mode", (int)mode, ANYDNN_BATCHNORM_PER_ACTIVATION,
                                      ANYDNN_BATCHNORM_SPATIAL_PERSISTENT,
                                      "it must be an ANYDNN_BATCHNORM_xxx mode");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    derived = *x;
    derived.type = x->type == ANYDNN_DATA_DOUBLE ? ANYDNN_DATA_DOUBLE : ANYDNN_DATA_FLOAT;
    for (int i = 0; i < x->ndims; i++)
        if (i == 0 || (i > 1 && mode != ANYDNN_BATCHNORM_PER_ACTIVATION))
            derived.dims[i] = 1;
    adn_layout_set(&derived, "nchw");
    adn_desc_assign(derivedBnDesc, &derived);
    return ANYDNN_STATUS_SUCCESS;
}
