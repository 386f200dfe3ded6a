/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders filters and biases for int8x32 convolutions. In anydnn, the reordered form is the plain
 * one, so the entry copies. */
#include "dispatch/handle/handle.h"

#include "desc/desc.h"
#include "desc/shape.h"
#include "sys/callback.h"
#include "sys/error.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

static anydnnStatus_t check_data(const char *argument, const void *data)
{
    if (data)
        return SUCCESS;
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnReorderFilterAndBias: %s is NULL", argument);
}

static anydnnStatus_t check_filter(anydnnFilterDescriptor_t desc)
{
    if (!adn_desc_filter(desc))
        return adn_desc_complain("anydnnReorderFilterAndBias", "filterDesc", desc, ADN_DESC_FILTER);
    if (desc->t.type == ANYDNN_PLUGIN_INT8X32)
        return SUCCESS;
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                    "anydnnReorderFilterAndBias: filterDesc has type %d; only ANYDNN_DATA_INT8x32 "
                    "filters are reordered",
                    (int)desc->t.type);
}

static anydnnStatus_t copy(anydnnHandle_t handle, void *to, const void *from, size_t bytes)
{
    return to == from ? SUCCESS
                      : anydnnMemCopy(handle, to, from, bytes, ANYDNN_MEMCPY_DEVICE_TO_DEVICE);
}

anydnnStatus_t anydnnReorderFilterAndBias(anydnnHandle_t handle,
                                          anydnnFilterDescriptor_t filterDesc,
                                          anydnnReorderType_t reorderType, const void *filterData,
                                          void *reorderedFilterData, int reorderBias,
                                          const void *biasData, void *reorderedBiasData)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_handle_check(handle, __func__);
    size_t bytes = 0;

    if (status == SUCCESS)
        status = check_filter(filterDesc);
    if (status == SUCCESS)
        status = adn_desc_check_range(__func__, "reorderType", (int)reorderType,
                                      ANYDNN_DEFAULT_REORDER, ANYDNN_NO_REORDER,
                                      "it must be ANYDNN_DEFAULT_REORDER or ANYDNN_NO_REORDER");
    if (status == SUCCESS)
        status = check_data("filterData", filterData);
    if (status == SUCCESS)
        status = check_data("reorderedFilterData", reorderedFilterData);
    if (status == SUCCESS && reorderBias)
        status = check_data("biasData", biasData);
    if (status == SUCCESS && reorderBias)
        status = check_data("reorderedBiasData", reorderedBiasData);
    if (status == SUCCESS)
        status = anydnnGetFilterSizeInBytes(filterDesc, &bytes);
    if (status == SUCCESS)
        status = copy(handle, reorderedFilterData, filterData, bytes);
    if (status == SUCCESS && reorderBias)
        status = copy(handle, reorderedBiasData, biasData,
                      (size_t)filterDesc->t.dims[0] * sizeof(float));
    return status;
}
