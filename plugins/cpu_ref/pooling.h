/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the geometry that pooling forward and backward share: windows over up to three spatial
 * dims. Missing dims come first, with length 1. */
#ifndef CPU_REF_POOLING_H
#define CPU_REF_POOLING_H

#include "image.h"

/* The modes of struct anydnn_plugin_pooling. */
enum {
    POOLING_MAX = 0,
    POOLING_AVERAGE_INCLUDE = 1,
    POOLING_AVERAGE_EXCLUDE = 2,
    POOLING_MAX_DETERMINISTIC = 3,
    POOLING_MODE_END = 4
};

/* The state of a plan of either direction; forward leaves dy and dx empty. */
struct pooling_state {
    struct image x, y, dy, dx;
    int64_t window[IMAGE_SPATIAL];
    int64_t pad[IMAGE_SPATIAL];
    int64_t stride[IMAGE_SPATIAL];
    int64_t lanes;      /* of x and y, which have the same type */
    double window_size; /* may exceed any integer */
    int32_t mode;
    int32_t nan_propagate;
};

/* A half-open range. */
struct pooling_range {
    int64_t begin, end;
};

static inline int pooling_is_max(int32_t mode)
{
    return mode == POOLING_MAX || mode == POOLING_MAX_DETERMINISTIC;
}

/* Returns the largest integer not above a / b, for b > 0. */
static inline int64_t pooling_floor(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline struct pooling_range pooling_clip(int64_t begin, int64_t end,
                                                struct pooling_range bounds)
{
    struct pooling_range range = {cpu_ref_max(begin, bounds.begin), cpu_ref_min(end, bounds.end)};
    if (range.end < range.begin)
        range.end = range.begin;
    return range;
}

/* Returns the end of the input along spatial dim s; a negative pad crops the input. */
static inline int64_t pooling_end(const struct pooling_state *state, int32_t s)
{
    return state->x.dims[2 + s] + cpu_ref_min(state->pad[s], 0);
}

/* Returns the part of the input along spatial dim s that the window of output o covers. */
static inline struct pooling_range pooling_window(const struct pooling_state *state, int32_t s,
                                                  int64_t o)
{
    int64_t begin = o * state->stride[s] - state->pad[s];
    return pooling_clip(begin, begin + state->window[s],
                        (struct pooling_range){0, pooling_end(state, s)});
}

/* Returns the outputs whose window covers any of the inputs first..last. There are none if `first`
 * is cropped. */
static inline struct pooling_range pooling_windows_over(const struct pooling_state *state,
                                                        int32_t s, int64_t first, int64_t last)
{
    int64_t begin = pooling_floor(first + state->pad[s] - state->window[s], state->stride[s]) + 1;
    int64_t end = pooling_floor(last + state->pad[s], state->stride[s]) + 1;
    int64_t outputs = first < pooling_end(state, s) ? state->y.dims[2 + s] : 0;
    return pooling_clip(begin, end, (struct pooling_range){0, outputs});
}

static inline int64_t pooling_length(struct pooling_range range)
{
    return range.end - range.begin;
}

/* Returns the factor of spatial dim s in the divisor of output o's average: end - begin of the
 * window. The window ends with the padded input and, if padding does not count, is clipped to the
 * input. As in cuDNN, the factor may be 0 or less if the window has no element: the average is then
 * NaN (0 / 0) or 0. */
static inline double pooling_counted(const struct pooling_state *state, int32_t s, int64_t o)
{
    int64_t begin = o * state->stride[s] - state->pad[s];
    int64_t end = cpu_ref_min(begin + state->window[s], state->x.dims[2 + s] + state->pad[s]);

    if (state->mode == POOLING_AVERAGE_INCLUDE)
        return (double)(end - begin);
    return (double)(cpu_ref_min(end, state->x.dims[2 + s]) - cpu_ref_max(begin, 0));
}

#endif
