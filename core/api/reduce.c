/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of reduction: the operation, and the sizes of its indices and workspace. */
#include "api/call.h"

#include "desc/names.h"
#include "desc/shape.h"
#include "sys/error.h"

static void reduce_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnReduceTensorStruct *desc = call->descriptor[0];

    params->reduce = desc->r;
}

static int asks_indices(const struct anydnnReduceTensorStruct *desc)
{
    return desc->indices == ANYDNN_REDUCE_TENSOR_FLATTENED_INDICES &&
           (desc->r.op == ANYDNN_REDUCE_TENSOR_MIN || desc->r.op == ANYDNN_REDUCE_TENSOR_MAX ||
            desc->r.op == ANYDNN_REDUCE_TENSOR_AMAX);
}

/* Makes the tensor of indices: one for each element of c, packed in c's order. */
static void indices_tensor(const struct anydnnReduceTensorStruct *desc,
                           const struct anydnn_plugin_tensor *c,
                           struct anydnn_plugin_tensor *indices)
{
    *indices = *c;
    indices->type = adn_desc_indices_type(desc->indices_type);
    adn_shape_strides(ANYDNN_TENSOR_NCHW, indices->type, indices->ndims, indices->dims,
                      indices->strides);
}

/* Begins a query for a size. Fails if an argument is bad. */
static anydnnStatus_t begin_size(anydnnHandle_t handle, const char *name,
                                 anydnnReduceTensorDescriptor_t reduceTensorDesc,
                                 anydnnTensorDescriptor_t aDesc, anydnnTensorDescriptor_t cDesc,
                                 const size_t *sizeInBytes, struct adn_entry *entry,
                                 struct adn_call *call)
{
    anydnnStatus_t status = adn_handle_check(handle, name);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(entry, call, name, ANYDNN_PLUGIN_REDUCE_TENSOR);
    adn_call_descriptor(entry, ADN_DESC_REDUCE_TENSOR, "reduceTensorDesc", reduceTensorDesc, 0);
    adn_call_shape(entry, 0, aDesc);
    adn_call_shape(entry, 1, cDesc);
    call->params = reduce_params;
    if (!adn_call_accepted(entry))
        return adn_call_report(entry);
    return sizeInBytes ? ANYDNN_STATUS_SUCCESS
                       : adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: sizeInBytes is NULL", name);
}

anydnnStatus_t anydnnGetReductionIndicesSize(anydnnHandle_t handle,
                                             anydnnReduceTensorDescriptor_t reduceTensorDesc,
                                             anydnnTensorDescriptor_t aDesc,
                                             anydnnTensorDescriptor_t cDesc, size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct anydnn_plugin_tensor indices;
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status =
        begin_size(handle, __func__, reduceTensorDesc, aDesc, cDesc, sizeInBytes, &entry, &call);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *sizeInBytes = 0;
    if (asks_indices(reduceTensorDesc)) {
        indices_tensor(reduceTensorDesc, &cDesc->t, &indices);
        *sizeInBytes = (size_t)adn_shape_bytes(&indices);
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetReductionWorkspaceSize(anydnnHandle_t handle,
                                               anydnnReduceTensorDescriptor_t reduceTensorDesc,
                                               anydnnTensorDescriptor_t aDesc,
                                               anydnnTensorDescriptor_t cDesc, size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct anydnn_plugin_tensor indices;
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status =
        begin_size(handle, __func__, reduceTensorDesc, aDesc, cDesc, sizeInBytes, &entry, &call);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (asks_indices(reduceTensorDesc)) {
        indices_tensor(reduceTensorDesc, &cDesc->t, &indices);
        adn_call_put(&entry, 2, &indices, NULL);
    }
    return adn_call_query_workspace(handle, &entry, sizeInBytes);
}

anydnnStatus_t anydnnReduceTensor(anydnnHandle_t handle,
                                  anydnnReduceTensorDescriptor_t reduceTensorDesc, void *indices,
                                  size_t indicesSizeInBytes, void *workspace,
                                  size_t workspaceSizeInBytes, const void *alpha,
                                  anydnnTensorDescriptor_t aDesc, const void *A, const void *beta,
                                  anydnnTensorDescriptor_t cDesc, void *C)
{
    ADN_FLOAT_SCOPE;
    const struct anydnnReduceTensorStruct *desc;
    struct anydnn_plugin_tensor tensor;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnReduceTensor", ANYDNN_PLUGIN_REDUCE_TENSOR);
    desc = adn_call_descriptor(&entry, ADN_DESC_REDUCE_TENSOR, "reduceTensorDesc", reduceTensorDesc,
                               0);
    adn_call_tensor(&entry, 0, aDesc, A);
    adn_call_tensor(&entry, 1, cDesc, C);
    adn_call_blend(&entry, alpha, beta);
    if (asks_indices(desc)) {
        indices_tensor(desc, call.tensor[1], &tensor);
        adn_call_data(&entry, 2, &tensor, indices);
        if ((int64_t)indicesSizeInBytes < adn_shape_bytes(&tensor) && adn_call_accepted(&entry))
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "anydnnReduceTensor: indicesSizeInBytes is %zu; it must be at least "
                            "%lld (anydnnGetReductionIndicesSize)",
                            indicesSizeInBytes, (long long)adn_shape_bytes(&tensor));
    }
    call.params = reduce_params;
    adn_call_workspace(&entry, workspace, workspaceSizeInBytes);
    return adn_call_run(handle, &entry);
}
