/* SPDX-License-Identifier: Apache-2.0 */
/* Creates descriptors of tensors, filters and activations, and checks their shapes for cuDNN. */
#include "backend.h"

#include <limits.h>
#include <string.h>

/* The fewest dims: cuDNN's image operations require two spatial dims. */
#define LEAST_DIMS 4
/* The alignment of copies in scratch memory. */
#define COPY_ALIGNMENT 256

/* Returns the extent of a dim. Channels of vector types are counted in vectors. */
static int64_t extent(const struct anydnn_plugin_tensor *tensor, int32_t d)
{
    return d == 1 ? tensor->dims[1] / kit_lanes(tensor->type) : tensor->dims[d];
}

int32_t cdn_shape_of(struct cdn_shape *shape, const struct anydnn_plugin_tensor *tensor,
                     int32_t most, const char *role, struct kit_refusal *why)
{
    if (tensor->type < 0 || tensor->type >= KIT_TYPES)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "%s has type %d, which cuDNN does not support", role, tensor->type);
    if (tensor->ndims < 1 || tensor->ndims > most)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "%s has %d dims; cuDNN supports at most %d here", role, tensor->ndims,
                          most);
    shape->ndims = tensor->ndims < LEAST_DIMS ? LEAST_DIMS : tensor->ndims;
    for (int32_t d = 0; d < shape->ndims; d++) {
        int there = d < tensor->ndims;

        if (there && (tensor->dims[d] > INT_MAX || tensor->strides[d] > INT_MAX))
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s has a dim of %lld with stride %lld; cuDNN's limit is 31 bits",
                              role, (long long)tensor->dims[d], (long long)tensor->strides[d]);
        shape->dims[d] = there ? (int)tensor->dims[d] : 1;
        shape->strides[d] = there ? (int)tensor->strides[d] : 1;
    }
    return 0;
}

/* Returns dim number `i`, counted from the fastest one. */
static int32_t dim_of(const struct anydnn_plugin_tensor *tensor, int32_t i, int channels_last)
{
    if (channels_last && tensor->ndims > 2)
        return i == 0 ? 1 : i < tensor->ndims - 1 ? tensor->ndims - i : 0;
    return tensor->ndims - 1 - i;
}

void cdn_pack(struct anydnn_plugin_tensor *tensor, int format)
{
    int64_t step = 1;

    for (int32_t i = 0; i < tensor->ndims; i++) {
        int32_t d = dim_of(tensor, i, format == CUDNN_TENSOR_NHWC && kit_lanes(tensor->type) == 1);

        tensor->strides[d] = step;
        step *= extent(tensor, d);
    }
}

/* Returns 1 if the strides are packed in this order of dims. */
static int is_packed(const struct anydnn_plugin_tensor *tensor, int channels_last)
{
    int64_t step = 1;

    for (int32_t i = 0; i < tensor->ndims; i++) {
        int32_t d = dim_of(tensor, i, channels_last);

        if (extent(tensor, d) > 1 && tensor->strides[d] != step)
            return 0;
        step *= extent(tensor, d);
    }
    return 1;
}

int cdn_packed_format(const struct anydnn_plugin_tensor *tensor)
{
    if (kit_lanes(tensor->type) > 1)
        return is_packed(tensor, 0) ? CUDNN_TENSOR_NCHW_VECT_C : -1;
    if (is_packed(tensor, 0))
        return CUDNN_TENSOR_NCHW;
    return is_packed(tensor, 1) ? CUDNN_TENSOR_NHWC : -1;
}

void cdn_settle(struct anydnn_plugin_tensor *tensor)
{
    int format = cdn_packed_format(tensor);
    int64_t step = 1;

    if (format >= 0) {
        cdn_pack(tensor, format);
        return;
    }
    for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
        if (extent(tensor, d) == 1)
            tensor->strides[d] = step;
        step = tensor->strides[d] * extent(tensor, d);
    }
}

int cdn_same_places(const struct anydnn_plugin_tensor *a, const struct anydnn_plugin_tensor *b)
{
    int same = a->ndims == b->ndims;

    for (int32_t d = 0; d < a->ndims && same; d++)
        same = a->dims[d] == b->dims[d] && (extent(a, d) == 1 || a->strides[d] == b->strides[d]);
    return same;
}

size_t cdn_tensor_bytes(const struct anydnn_plugin_tensor *tensor)
{
    int64_t lanes = kit_lanes(tensor->type), last = 0;

    for (int32_t d = 0; d < tensor->ndims; d++)
        last += (tensor->dims[d] / (d == 1 ? lanes : 1) - 1) * tensor->strides[d];
    return (size_t)((last + 1) * lanes * kit_type_size(tensor->type));
}

size_t cdn_copy_bytes(const struct anydnn_plugin_tensor *tensor)
{
    return (cdn_tensor_bytes(tensor) + COPY_ALIGNMENT - 1) / COPY_ALIGNMENT * COPY_ALIGNMENT;
}

size_t cdn_element_bytes(const struct anydnn_plugin_tensor *tensor)
{
    int64_t count = 1;

    for (int32_t d = 0; d < tensor->ndims; d++)
        count *= tensor->dims[d];
    return (size_t)(count * kit_type_size(tensor->type));
}

int32_t cdn_tensor_make(cudnnTensorDescriptor_t *made, const struct anydnn_plugin_tensor *tensor,
                        int32_t most, const char *role, struct kit_refusal *why)
{
    struct cdn_shape shape;
    cudnnStatus_t status;
    int32_t reason = cdn_shape_of(&shape, tensor, most, role, why);

    if (reason)
        return reason;
    if (kit_lanes(tensor->type) > 1 && cdn_packed_format(tensor) < 0)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                          "%s is %s and not packed; cuDNN requires packed vectors of channels",
                          role, kit_type_name(tensor->type));
    status = cudnn.cudnnCreateTensorDescriptor(made);
    if (status == CUDNN_STATUS_SUCCESS && kit_lanes(tensor->type) > 1)
        status = cudnn.cudnnSetTensorNdDescriptorEx(
            *made, CUDNN_TENSOR_NCHW_VECT_C, cdn_type(tensor->type), shape.ndims, shape.dims);
    else if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetTensorNdDescriptor(*made, cdn_type(tensor->type), shape.ndims,
                                                  shape.dims, shape.strides);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_SHAPE, status, role);
}

int32_t cdn_filter_make(cudnnFilterDescriptor_t *made, const struct anydnn_plugin_tensor *tensor,
                        const char *role, struct kit_refusal *why)
{
    struct cdn_shape shape;
    cudnnStatus_t status;
    int format;
    int32_t reason = cdn_shape_of(&shape, tensor, 5, role, why);

    if (reason)
        return reason;
    format = cdn_packed_format(tensor);
    if (format < 0)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                          "%s is not packed; cuDNN requires packed filters", role);
    status = cudnn.cudnnCreateFilterDescriptor(made);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetFilterNdDescriptor(
            *made, cdn_type(tensor->type), (cudnnTensorFormat_t)format, shape.ndims, shape.dims);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_SHAPE, status, role);
}

static void destroy_tensors(const cudnnTensorDescriptor_t made[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (made[i])
            (void)cudnn.cudnnDestroyTensorDescriptor(made[i]);
    }
}

void cdn_descriptors_destroy(struct cdn_descriptors *made)
{
    const cudnnTensorDescriptor_t others[] = {made->behind_y, made->between};

    destroy_tensors(made->tensor, ANYDNN_PLUGIN_OPERAND_MAX);
    destroy_tensors(made->home, ANYDNN_PLUGIN_OPERAND_MAX);
    destroy_tensors(made->copy, ANYDNN_PLUGIN_OPERAND_MAX);
    destroy_tensors(others, sizeof others / sizeof others[0]);
    for (int32_t i = 0; i < 2; i++) {
        if (made->filter[i])
            (void)cudnn.cudnnDestroyFilterDescriptor(made->filter[i]);
    }
    if (made->convolution)
        (void)cudnn.cudnnDestroyConvolutionDescriptor(made->convolution);
    if (made->pooling)
        (void)cudnn.cudnnDestroyPoolingDescriptor(made->pooling);
    if (made->activation)
        (void)cudnn.cudnnDestroyActivationDescriptor(made->activation);
    if (made->behind)
        (void)cudnn.cudnnDestroyActivationDescriptor(made->behind);
    if (made->lrn)
        (void)cudnn.cudnnDestroyLRNDescriptor(made->lrn);
    if (made->transform)
        (void)cudnn.cudnnDestroyTensorTransformDescriptor(made->transform);
    if (made->second)
        (void)cudnn.cudnnDestroyTensorTransformDescriptor(made->second);
    if (made->op_tensor)
        (void)cudnn.cudnnDestroyOpTensorDescriptor(made->op_tensor);
    if (made->reduce)
        (void)cudnn.cudnnDestroyReduceTensorDescriptor(made->reduce);
    memset(made, 0, sizeof *made);
}

int32_t cdn_spatial(int to[], const int64_t *from, int32_t spatial_dims, int neutral)
{
    int32_t count = spatial_dims < LEAST_DIMS - 2 ? LEAST_DIMS - 2 : spatial_dims;

    for (int32_t i = 0; i < count; i++)
        to[i] = i < spatial_dims ? (int)from[i] : neutral;
    return count;
}

static const char *const flushed[] = {[CUDNN_ACTIVATION_SIGMOID] = "sigmoid",
                                      [CUDNN_ACTIVATION_ELU] = "elu",
                                      [CUDNN_ACTIVATION_SWISH] = "swish"};

int cdn_is_flushed(int32_t activation, int32_t type)
{
    return (type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_BFLOAT16) && activation >= 0 &&
           activation < (int32_t)(sizeof flushed / sizeof flushed[0]) && flushed[activation];
}

int32_t cdn_refuse_flushed(int32_t activation, int32_t type, struct kit_refusal *why)
{
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                      "the activation is %s; cuDNN flushes its subnormal results in %s to 0",
                      flushed[activation], kit_type_name(type));
}

int32_t cdn_activation_make(cudnnActivationDescriptor_t *made, int32_t mode, int32_t nan_propagate,
                            double coef, struct kit_refusal *why)
{
    cudnnStatus_t status = cudnn.cudnnCreateActivationDescriptor(made);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetActivationDescriptor(
            *made, (cudnnActivationMode_t)mode,
            nan_propagate ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN, coef);
    if (status == CUDNN_STATUS_SUCCESS && mode == CUDNN_ACTIVATION_SWISH)
        status = cudnn.cudnnSetActivationDescriptorSwishBeta(*made, coef);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the activation");
}
