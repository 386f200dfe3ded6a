/* SPDX-License-Identifier: Apache-2.0 */
/* Implements what all descriptors share: creation, checks, stamps, and the sentences about a bad
 * descriptor. */
#include "desc/desc.h"

#include <limits.h>
#include <stdlib.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "sys/error.h"
#include "sys/process.h"

/* The names with their article, by kind. */
static const char *const kind_names[] = {
    "a tensor",        "a filter",         "a convolution",         "a pooling",
    "an activation",   "an LRN",           "an op tensor",          "a reduce tensor",
    "a transform",     "a dropout",        "a spatial transformer", "a CTC loss",
    "a normalization", "a matrix product", "an algorithm",          "an algorithm performance"};

static const char *kind_name(uint32_t kind)
{
    return kind_names[kind - ADN_DESC_TENSOR];
}

anydnnStatus_t adn_desc_complain(const char *entry, const char *argument, const void *desc,
                                 enum adn_desc_kind kind)
{
    uint32_t seen;

    if (!desc)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL; it must be %s descriptor", entry,
                        argument, kind_name(kind));
    seen = ((const struct adn_desc *)desc)->kind;
    if (seen == (uint32_t)kind)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s was created but never set", entry,
                        argument);
    if (seen >= ADN_DESC_TENSOR && seen < ADN_DESC_END)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: %s is %s descriptor; it must be %s descriptor", entry, argument,
                        kind_name(seen), kind_name(kind));
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is an invalid or destroyed descriptor", entry,
                    argument);
}

anydnnStatus_t adn_desc_check(const char *entry, const char *argument, const void *desc,
                              enum adn_desc_kind kind)
{
    return adn_desc_is(desc, kind) ? ANYDNN_STATUS_SUCCESS
                                   : adn_desc_complain(entry, argument, desc, kind);
}

anydnnStatus_t adn_desc_check_outputs(const char *entry, const char *const *names,
                                      const void *const *outputs, int count)
{
    for (int i = 0; i < count; i++)
        if (!outputs[i])
            return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL; it must point to the result",
                            entry, names[i]);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_desc_check_range(const char *entry, const char *argument, int64_t value,
                                    int64_t lowest, int64_t highest, const char *rule)
{
    if (value >= lowest && value <= highest)
        return ANYDNN_STATUS_SUCCESS;
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is %lld; %s", entry, argument,
                    (long long)value, rule);
}

anydnnStatus_t adn_desc_check_int(const char *entry, const char *what, int64_t value)
{
    if (value >= INT_MIN && value <= INT_MAX)
        return ANYDNN_STATUS_SUCCESS;
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                    "%s: %s is %lld, which does not fit this getter's int", entry, what,
                    (long long)value);
}

anydnnStatus_t adn_desc_create(const char *entry, const char *argument, const void *out,
                               enum adn_desc_kind kind, size_t size, void **made)
{
    struct adn_desc *head;

    if (!out)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: %s is NULL; it must point to the new descriptor", entry, argument);
    head = calloc(1, size);
    if (!head)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: could not allocate %zu bytes", entry,
                        size);
    head->kind = kind;
    *made = head;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_desc_destroy(const char *entry, const char *argument, void *desc,
                                enum adn_desc_kind kind)
{
    if (!desc)
        return ANYDNN_STATUS_SUCCESS;
    if (!adn_desc_is(desc, kind))
        return adn_desc_complain(entry, argument, desc, kind);
    /* The store is volatile, so that it happens before free, for callers that still hold the
     * pointer. */
    ((volatile struct adn_desc *)desc)->kind = 0;
    free(desc);
    return ANYDNN_STATUS_SUCCESS;
}

void adn_desc_stamp(struct adn_desc *head)
{
    head->set = 1;
    head->stamp = adn_process_stamp();
}

static anydnnStatus_t fill_check_counts(const char *entry, int format, int type, int ndims,
                                        const int *dims)
{
    if (type < ANYDNN_DATA_FLOAT || type > ANYDNN_DATA_INT64)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: dataType is %d; it must be an ANYDNN_DATA_xxx", entry, type);
    if (format < ANYDNN_TENSOR_NCHW || format > ANYDNN_TENSOR_NCHW_VECT_C)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: format is %d; it must be an ANYDNN_TENSOR_xxx", entry, format);
    if (format == ANYDNN_TENSOR_NCHW_VECT_C && adn_type_lanes(type) == 1)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "%s: format is NCHW_VECT_C and dataType is %s; it must be INT8x4, UINT8x4 or INT8x32",
            entry, adn_type_name(type));
    if (ndims > ANYDNN_DIM_MAX)
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                        "%s: nbDims is %d; at most ANYDNN_DIM_MAX (%d) are supported", entry, ndims,
                        ANYDNN_DIM_MAX);
    for (int i = 0; i < ndims; i++)
        if (dims[i] < 1)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: dim %d is %d; a dim must be at least 1",
                            entry, i, dims[i]);
    if (dims[1] % adn_type_lanes(type) != 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: dim 1 is %d; for dataType %s it must be a multiple of %d", entry,
                        dims[1], adn_type_name(type), (int)adn_type_lanes(type));
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_desc_fill(const char *entry, struct anydnn_plugin_tensor *to, int format,
                             int type, int ndims, const int *dims, const int *strides)
{
    struct anydnn_plugin_tensor tensor = {
        .struct_size = sizeof(tensor), .type = type, .ndims = ndims};
    anydnnStatus_t status = fill_check_counts(entry, format, type, ndims, dims);
    int fits = 1;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    for (int i = 0; i < ndims; i++) {
        if (strides && strides[i] == 0)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: stride %d is 0; strides must not be 0 (broadcasting by strides is "
                            "not supported)",
                            entry, i);
        tensor.dims[i] = dims[i];
        tensor.strides[i] = strides ? strides[i] : 0;
    }
    if (!strides)
        fits = adn_shape_strides(format, type, ndims, tensor.dims, tensor.strides) == 0;
    if (!fits || adn_shape_bytes(&tensor) < 0 || adn_shape_elements(&tensor) == INT64_MAX)
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                        "%s: the size of the tensor in bytes exceeds 64 bits", entry);
    *to = tensor;
    return ANYDNN_STATUS_SUCCESS;
}

void adn_desc_assign(anydnnTensorDescriptor_t desc, const struct anydnn_plugin_tensor *tensor)
{
    desc->t = *tensor;
    adn_desc_stamp(&desc->head);
}

int32_t adn_desc_indices_type(int32_t indices_type)
{
    static const int32_t types[] = {[ANYDNN_32BIT_INDICES] = ANYDNN_PLUGIN_UINT32,
                                    [ANYDNN_64BIT_INDICES] = ANYDNN_PLUGIN_UINT64,
                                    [ANYDNN_16BIT_INDICES] = ANYDNN_PLUGIN_UINT16,
                                    [ANYDNN_8BIT_INDICES] = ANYDNN_PLUGIN_UINT8};

    return types[indices_type];
}
