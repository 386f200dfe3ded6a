/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the geometry of a convolution, in one form for all directions, and index arithmetic on
 * it. */
#ifndef CPU_REF_CONV_H
#define CPU_REF_CONV_H

#include "cpu_ref.h"

#define CONV_SPATIAL_MAX ANYDNN_PLUGIN_SPATIAL_MAX

/* The accumulators kept at a time; longer rows are processed in pieces of this length. */
#define CONV_ROW 512
/* The number of partial sums of a row: element i goes to sum i % CONV_LANES. */
#define CONV_LANES 8

/* The strides in elements of a tensor [n, c, spatial...] or a filter [k, c / groups, spatial...].
 * For a vector type, c is the stride between vectors of `lanes` adjacent channels. */
struct conv_strides {
    int64_t n;
    int64_t c;
    int64_t s[CONV_SPATIAL_MAX];
    int64_t lanes;
};

/*
 * The geometry of a convolution. in, out and filter are sizes. Position i of the input, position p
 * of the output and tap f of the filter meet if i = p * stride + f * dilation - pad. A flipped
 * filter has negative strides s[] and begins at w_first. If `by_channel` is set, the inner loops
 * run over the channels, otherwise over the last spatial dimension.
 */
struct conv {
    int32_t spatial;
    int32_t by_channel;
    int64_t n, c, k;
    int64_t groups;
    int64_t cg, kg; /* channels and filters of one group */
    int64_t in[CONV_SPATIAL_MAX];
    int64_t out[CONV_SPATIAL_MAX];
    int64_t filter[CONV_SPATIAL_MAX];
    int64_t pad[CONV_SPATIAL_MAX];
    int64_t stride[CONV_SPATIAL_MAX];
    int64_t dilation[CONV_SPATIAL_MAX];
    struct conv_strides x, w, y, z; /* x serves as dx, and so on; z is y if absent */
    int64_t w_first;
};

/* The slots of x, w and y, or of their gradients. */
struct conv_roles {
    int32_t x, w, y;
};

/* Refuses a compute type that does not match the operands. Returns 0 or the reason. */
int32_t cpu_ref_conv_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
void cpu_ref_conv_prepare(const struct anydnn_plugin_problem *problem,
                          const struct conv_roles *roles, const struct anydnn_plugin_tensor *z,
                          struct conv *conv);

/* Returns the offset of channel c. */
static inline int64_t conv_channel(const struct conv_strides *strides, int64_t c)
{
    return c / strides->lanes * strides->c + c % strides->lanes;
}

/* Advances to the next index of dims[0..n-1]. The first index follows the last. */
static inline void conv_advance(const int64_t *dims, int32_t n, int64_t *index)
{
    for (int32_t d = n - 1; d >= 0; d--) {
        if (++index[d] < dims[d])
            return;
        index[d] = 0;
    }
}

/* Computes the offset of the input position that meets `tap` at output position `out`, over the
 * first n spatial dimensions. Returns 0 if it lies in the padding. */
static inline int conv_input_offset(const struct conv *conv, int32_t n, const int64_t *out,
                                    const int64_t *tap, int64_t *offset)
{
    *offset = 0;
    for (int32_t d = 0; d < n; d++) {
        int64_t i = out[d] * conv->stride[d] + tap[d] * conv->dilation[d] - conv->pad[d];
        if (i < 0 || i >= conv->in[d])
            return 0;
        *offset += i * conv->x.s[d];
    }
    return 1;
}

/* Computes the offset of the output position at which `tap` meets input position `in`. Returns 0 if
 * there is none. */
static inline int conv_output_offset(const struct conv *conv, int32_t n, const int64_t *in,
                                     const int64_t *tap, int64_t *offset)
{
    *offset = 0;
    for (int32_t d = 0; d < n; d++) {
        int64_t p = in[d] + conv->pad[d] - tap[d] * conv->dilation[d];
        if (p < 0 || p % conv->stride[d])
            return 0;
        p /= conv->stride[d];
        if (p >= conv->out[d])
            return 0;
        *offset += p * conv->y.s[d];
    }
    return 1;
}

/* Returns the least p >= 0 with p * stride >= a. */
static inline int64_t conv_first(int64_t a, int64_t stride)
{
    if (a <= 0)
        return 0;
    return stride == 1 ? a : (a + stride - 1) / stride;
}

/* Computes the output positions [*begin, *end) within [0, out) of the last dimension at which tap
 * `f` meets an input position in [low, high). */
static inline void conv_row_range(const struct conv *conv, int64_t f, int64_t low, int64_t high,
                                  int64_t *begin, int64_t *end)
{
    int32_t d = conv->spatial - 1;
    int64_t shift = conv->pad[d] - f * conv->dilation[d];

    *begin = conv_first(low + shift, conv->stride[d]);
    *end = cpu_ref_min(conv->out[d], conv_first(high + shift, conv->stride[d]));
}

#endif
