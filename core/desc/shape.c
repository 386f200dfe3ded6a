/* SPDX-License-Identifier: Apache-2.0 */
/* Computes sizes, strides and output dims. */
#include "desc/shape.h"

#include <string.h>

#include <anydnn/anydnn.h>

#include "desc/names.h"

int64_t adn_shape_convolution_out(int64_t in, int64_t pad, int64_t filter, int64_t dilation,
                                  int64_t stride)
{
    int64_t covered;
    int64_t space;

    if (stride < 1 || dilation < 1 || filter < 1)
        return 0;
    if (__builtin_mul_overflow(filter - 1, dilation, &covered) ||
        __builtin_mul_overflow(pad, 2, &space) || __builtin_add_overflow(in, space, &space) ||
        __builtin_sub_overflow(space, covered, &space) || space < 1)
        return 0;
    return 1 + (space - 1) / stride;
}

int64_t adn_shape_pooling_out(int64_t in, int64_t pad, int64_t window, int64_t stride)
{
    return adn_shape_convolution_out(in, pad, window, 1, stride);
}

/* Computes packed strides of extents, dim 1 fastest with `channels_last`. */
static int packed_strides(int32_t ndims, const int64_t *extents, int channels_last,
                          int64_t *strides)
{
    int64_t made[ANYDNN_PLUGIN_DIM_MAX];
    int64_t stride = 1;

    for (int32_t step = 0; step < ndims; step++) {
        int32_t dim = ndims - 1 - step;

        if (channels_last && ndims > 1 && dim > 0)
            dim = step == 0 ? 1 : dim + 1;
        made[dim] = stride;
        if (__builtin_mul_overflow(stride, extents[dim], &stride))
            return -1;
    }
    memcpy(strides, made, (size_t)ndims * sizeof(strides[0]));
    return 0;
}

int adn_shape_strides(int32_t format, int32_t type, int32_t ndims, const int64_t *dims,
                      int64_t *strides)
{
    int vector = format == ANYDNN_TENSOR_NCHW_VECT_C;
    int32_t lanes = adn_type_lanes(type);
    int64_t extents[ANYDNN_PLUGIN_DIM_MAX];

    if (format < ANYDNN_TENSOR_NCHW || format > ANYDNN_TENSOR_NCHW_VECT_C || ndims < 1 ||
        ndims > ANYDNN_PLUGIN_DIM_MAX)
        return -1;
    if (vector && (lanes == 1 || ndims < 2 || dims[1] % lanes != 0))
        return -1;
    memcpy(extents, dims, (size_t)ndims * sizeof(dims[0]));
    if (vector)
        extents[1] /= lanes;
    return packed_strides(ndims, extents, format == ANYDNN_TENSOR_NHWC, strides);
}

int64_t adn_shape_extent(const struct anydnn_plugin_tensor *tensor, int32_t dim)
{
    int32_t lanes = dim == 1 ? adn_type_lanes(tensor->type) : 1;

    return lanes == 1 ? tensor->dims[dim] : (tensor->dims[dim] + lanes - 1) / lanes;
}

int64_t adn_shape_elements(const struct anydnn_plugin_tensor *tensor)
{
    int64_t elements = tensor->ndims > 0;

    for (int32_t i = 0; i < tensor->ndims; i++)
        if (__builtin_mul_overflow(elements, tensor->dims[i], &elements))
            return INT64_MAX;
    return elements;
}

int64_t adn_shape_bit_bytes(const struct anydnn_plugin_tensor *tensor)
{
    int64_t elements = adn_shape_elements(tensor);

    return elements / 8 + (elements % 8 != 0);
}

static int64_t magnitude(int64_t stride)
{
    if (stride == INT64_MIN)
        return INT64_MAX;
    return stride < 0 ? -stride : stride;
}

int64_t adn_shape_span(const struct anydnn_plugin_tensor *tensor)
{
    int64_t span = tensor->ndims > 0;
    int64_t reach;

    for (int32_t i = 0; i < tensor->ndims; i++)
        if (__builtin_mul_overflow(adn_shape_extent(tensor, i) - 1, magnitude(tensor->strides[i]),
                                   &reach) ||
            __builtin_add_overflow(span, reach, &span))
            return -1;
    return span;
}

int64_t adn_shape_bytes(const struct anydnn_plugin_tensor *tensor)
{
    int64_t span = adn_shape_span(tensor);
    int64_t bytes;

    if (span < 0 || __builtin_mul_overflow(span, adn_type_size(tensor->type), &bytes))
        return -1;
    return bytes;
}

void adn_shape_of_bytes(struct anydnn_plugin_tensor *tensor, int64_t bytes)
{
    memset(tensor, 0, sizeof(*tensor));
    tensor->struct_size = sizeof(*tensor);
    tensor->type = ANYDNN_PLUGIN_UINT8;
    tensor->ndims = 1;
    tensor->dims[0] = bytes;
    tensor->strides[0] = 1;
}

int adn_shape_overlaps(const struct anydnn_plugin_tensor *tensor)
{
    int32_t order[ANYDNN_PLUGIN_DIM_MAX];
    int32_t count = 0;
    int64_t below =
        0; /* distance from the first element to the last over the dims with smaller strides */
    int64_t reach;

    for (int32_t i = 0; i < tensor->ndims; i++) {
        int32_t at = count;

        if (adn_shape_extent(tensor, i) == 1)
            continue;
        for (; at > 0 && magnitude(tensor->strides[order[at - 1]]) > magnitude(tensor->strides[i]);
             at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    for (int32_t i = 0; i < count; i++) {
        int64_t stride = magnitude(tensor->strides[order[i]]);

        if (stride <= below)
            return 1;
        if (__builtin_mul_overflow(adn_shape_extent(tensor, order[i]) - 1, stride, &reach) ||
            __builtin_add_overflow(below, reach, &below))
            return 1;
    }
    return 0;
}

int adn_shape_transform(const struct anydnn_plugin_transform *transform, int32_t ndims,
                        const int64_t *dims, int64_t *out)
{
    int unfold = transform->direction == ANYDNN_TRANSFORM_UNFOLD;
    int64_t product = 1;
    int64_t result[ANYDNN_PLUGIN_DIM_MAX];
    int bad = ndims < 2 || ndims > ANYDNN_PLUGIN_DIM_MAX;

    for (int32_t i = 0; !bad && i < ndims - 2; i++)
        bad =
            transform->fold[i] < 1 || __builtin_mul_overflow(product, transform->fold[i], &product);
    for (int32_t i = 0; !bad && i < ndims; i++) {
        int64_t fold = i < 2 ? 1 : transform->fold[i - 2];
        int64_t pads;

        result[i] = dims[i];
        bad = __builtin_add_overflow(transform->pad_before[i], transform->pad_after[i], &pads);
        if (unfold && i == 1) {
            bad |= dims[i] % product != 0;
            result[i] = dims[i] / product;
        } else if (unfold) {
            bad |= __builtin_mul_overflow(dims[i], fold, &result[i]);
        }
        bad = bad || __builtin_add_overflow(result[i], pads, &result[i]) || result[i] < 1;
        if (!unfold && i == 1)
            bad = bad || __builtin_mul_overflow(result[i], product, &result[i]);
        else if (!unfold && !bad)
            result[i] = 1 + (result[i] - 1) / fold;
    }
    if (bad)
        return -1;
    memcpy(out, result, (size_t)ndims * sizeof(out[0]));
    return 0;
}
