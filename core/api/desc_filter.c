/* SPDX-License-Identifier: Apache-2.0 */
/* Filter descriptors, which are always packed. The data type precedes the format in the arguments.
 */
#include <anydnn/anydnn.h>

#include <limits.h>

#include "desc/desc.h"
#include "desc/shape.h"
#include "sys/error.h"

anydnnStatus_t anydnnCreateFilterDescriptor(anydnnFilterDescriptor_t *filterDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "filterDesc", filterDesc, ADN_DESC_FILTER,
                                            sizeof(struct anydnnFilterStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *filterDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyFilterDescriptor(anydnnFilterDescriptor_t filterDesc)
{
    return adn_desc_destroy(__func__, "filterDesc", filterDesc, ADN_DESC_FILTER);
}

static anydnnStatus_t set_filter(const char *entry, anydnnFilterDescriptor_t desc, int type,
                                 int format, int ndims, const int *dims)
{
    anydnnStatus_t status = adn_desc_check(entry, "filterDesc", desc, ADN_DESC_FILTER);

    if (status == ANYDNN_STATUS_SUCCESS && ndims < 3)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: nbDims is %d; a filter has 3 to %d dims",
                          entry, ndims, ANYDNN_DIM_MAX);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_fill(entry, &desc->t, format, type, ndims, dims, NULL);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    desc->format = format;
    adn_desc_stamp(&desc->head);
    return status;
}

anydnnStatus_t anydnnSetFilter4dDescriptor(anydnnFilterDescriptor_t filterDesc,
                                           anydnnDataType_t dataType, anydnnTensorFormat_t format,
                                           int k, int c, int h, int w)
{
    const int dims[] = {k, c, h, w};

    return set_filter(__func__, filterDesc, (int)dataType, (int)format, 4, dims);
}

anydnnStatus_t anydnnSetFilterNdDescriptor(anydnnFilterDescriptor_t filterDesc,
                                           anydnnDataType_t dataType, anydnnTensorFormat_t format,
                                           int nbDims, const int filterDimA[])
{
    if (!filterDimA)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: filterDimA is NULL; it must hold nbDims values", __func__);
    return set_filter(__func__, filterDesc, (int)dataType, (int)format, nbDims, filterDimA);
}

anydnnStatus_t anydnnGetFilter4dDescriptor(anydnnFilterDescriptor_t filterDesc,
                                           anydnnDataType_t *dataType, anydnnTensorFormat_t *format,
                                           int *k, int *c, int *h, int *w)
{
    static const char *const names[] = {"dataType", "format", "k", "c", "h", "w"};
    const void *const outputs[] = {dataType, format, k, c, h, w};
    anydnnStatus_t status = adn_desc_check(__func__, "filterDesc", filterDesc, ADN_DESC_FILTER);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 6);
    if (status == ANYDNN_STATUS_SUCCESS && filterDesc->head.set && filterDesc->t.ndims != 4)
        status =
            adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: filterDesc has %d dims; this getter requires 4",
                     __func__, (int)filterDesc->t.ndims);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *dataType = (anydnnDataType_t)filterDesc->t.type;
    *format = (anydnnTensorFormat_t)filterDesc->format;
    *k = (int)filterDesc->t.dims[0];
    *c = (int)filterDesc->t.dims[1];
    *h = (int)filterDesc->t.dims[2];
    *w = (int)filterDesc->t.dims[3];
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetFilterNdDescriptor(anydnnFilterDescriptor_t filterDesc, int nbDimsRequested,
                                           anydnnDataType_t *dataType, anydnnTensorFormat_t *format,
                                           int *nbDims, int filterDimA[])
{
    static const char *const names[] = {"dataType", "format", "nbDims", "filterDimA"};
    const void *const outputs[] = {dataType, format, nbDims, filterDimA};
    anydnnStatus_t status = adn_desc_check(__func__, "filterDesc", filterDesc, ADN_DESC_FILTER);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "nbDimsRequested", nbDimsRequested, 0, INT_MAX,
                                      "it must not be negative");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, nbDimsRequested > 0 ? 4 : 3);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *dataType = (anydnnDataType_t)filterDesc->t.type;
    *format = (anydnnTensorFormat_t)filterDesc->format;
    *nbDims = filterDesc->t.ndims;
    for (int i = 0; i < nbDimsRequested && i < filterDesc->t.ndims; i++)
        filterDimA[i] = (int)filterDesc->t.dims[i];
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetFilterSizeInBytes(anydnnFilterDescriptor_t filterDesc, size_t *size)
{
    static const char *const names[] = {"size"};
    const void *const outputs[] = {size};
    anydnnStatus_t status = adn_desc_check(__func__, "filterDesc", filterDesc, ADN_DESC_FILTER);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 1);
    if (status == ANYDNN_STATUS_SUCCESS)
        *size = (size_t)adn_shape_bytes(&filterDesc->t);
    return status;
}
