/* SPDX-License-Identifier: Apache-2.0 */
/* Counts special values by their bits. Without its sign, a NaN is greater than infinity. */
#include "dispatch/handle/special.h"

#include <string.h>

#define DIMS_MAX (ANYDNN_PLUGIN_DIM_MAX + 1)

/* Counts `count` elements that are `step` bytes apart. */
typedef void (*count_fn)(const char *at, int64_t count, int64_t step, uint64_t *counts);

#define COUNT_FLOATS(name, word, infinity)                                                         \
    static void name(const char *at, int64_t count, int64_t step, uint64_t *counts)                \
    {                                                                                              \
        const word magnitude = (word) ~((word)1 << (8 * sizeof(word) - 1));                        \
        uint64_t nan = 0, infinite = 0, zero = 0;                                                  \
                                                                                                   \
        for (int64_t i = 0; i < count; i++) {                                                      \
            word bits;                                                                             \
                                                                                                   \
            memcpy(&bits, at + i * step, sizeof(bits));                                            \
            bits &= magnitude;                                                                     \
            nan += bits > (infinity);                                                              \
            infinite += bits == (infinity);                                                        \
            zero += bits == 0;                                                                     \
        }                                                                                          \
        counts[ANYDNN_PLUGIN_SPECIAL_NAN] += nan;                                                  \
        counts[ANYDNN_PLUGIN_SPECIAL_INFINITY] += infinite;                                        \
        counts[ANYDNN_PLUGIN_SPECIAL_ZERO] += zero;                                                \
    }

#define COUNT_INTEGERS(name, word)                                                                 \
    static void name(const char *at, int64_t count, int64_t step, uint64_t *counts)                \
    {                                                                                              \
        uint64_t zero = 0;                                                                         \
                                                                                                   \
        for (int64_t i = 0; i < count; i++) {                                                      \
            word bits;                                                                             \
                                                                                                   \
            memcpy(&bits, at + i * step, sizeof(bits));                                            \
            zero += bits == 0;                                                                     \
        }                                                                                          \
        counts[ANYDNN_PLUGIN_SPECIAL_ZERO] += zero;                                                \
    }

COUNT_FLOATS(count_float, uint32_t, 0x7f800000)
COUNT_FLOATS(count_double, uint64_t, 0x7ff0000000000000)
COUNT_FLOATS(count_half, uint16_t, 0x7c00)
COUNT_FLOATS(count_bfloat16, uint16_t, 0x7f80)
COUNT_INTEGERS(count_8, uint8_t)
COUNT_INTEGERS(count_32, uint32_t)
COUNT_INTEGERS(count_64, uint64_t)

static const struct {
    count_fn count;
    int32_t bytes, lanes; /* bytes of a scalar; scalars in a vector */
} types[] = {
    [ANYDNN_PLUGIN_FLOAT] = {count_float, 4, 1}, [ANYDNN_PLUGIN_DOUBLE] = {count_double, 8, 1},
    [ANYDNN_PLUGIN_HALF] = {count_half, 2, 1},   [ANYDNN_PLUGIN_INT8] = {count_8, 1, 1},
    [ANYDNN_PLUGIN_INT32] = {count_32, 4, 1},    [ANYDNN_PLUGIN_INT8X4] = {count_8, 1, 4},
    [ANYDNN_PLUGIN_UINT8] = {count_8, 1, 1},     [ANYDNN_PLUGIN_UINT8X4] = {count_8, 1, 4},
    [ANYDNN_PLUGIN_INT8X32] = {count_8, 1, 32},  [ANYDNN_PLUGIN_BFLOAT16] = {count_bfloat16, 2, 1},
    [ANYDNN_PLUGIN_INT64] = {count_64, 8, 1},
};

/* The dims and strides in scalars. The channels of a vectorized tensor become two dims: its
 * vectors, and the scalars in a vector. */
struct shape {
    int32_t ndims;
    int64_t dims[DIMS_MAX], strides[DIMS_MAX];
};

static void add_dim(struct shape *shape, int64_t dim, int64_t stride)
{
    shape->dims[shape->ndims] = dim;
    shape->strides[shape->ndims++] = stride;
}

/* Returns the dim of the inner loop: the one with the smallest stride among those with more than
 * one step. */
static int32_t inner_of(const struct shape *shape)
{
    int32_t inner = 0;

    for (int32_t d = 1; d < shape->ndims; d++)
        if (shape->dims[inner] == 1 ||
            (shape->dims[d] > 1 && shape->strides[d] < shape->strides[inner]))
            inner = d;
    return inner;
}

/* Moves to the next index of all dims but `inner`. Returns 0 after the last. */
static int step(const struct shape *shape, int32_t inner, int64_t *index, int64_t *at)
{
    for (int32_t d = 0; d < shape->ndims; d++) {
        if (d == inner)
            continue;
        *at += shape->strides[d];
        if (++index[d] < shape->dims[d])
            return 1;
        *at -= index[d] * shape->strides[d];
        index[d] = 0;
    }
    return 0;
}

int adn_special_count(const struct anydnn_plugin_tensor *tensor, const void *data, uint64_t *counts)
{
    struct shape shape = {.ndims = 0};
    int64_t index[DIMS_MAX] = {0}, at = 0;
    int32_t inner, lanes, bytes;

    if (tensor->type < 0 || (size_t)tensor->type >= sizeof(types) / sizeof(types[0]))
        return -1;
    lanes = types[tensor->type].lanes;
    bytes = types[tensor->type].bytes;
    add_dim(&shape, lanes, 1);
    for (int32_t d = 0; d < tensor->ndims; d++)
        add_dim(&shape, d == 1 ? tensor->dims[d] / lanes : tensor->dims[d],
                tensor->strides[d] * lanes);
    inner = inner_of(&shape);
    do
        types[tensor->type].count((const char *)data + at * bytes, shape.dims[inner],
                                  shape.strides[inner] * bytes, counts);
    while (step(&shape, inner, index, &at));
    return 0;
}
