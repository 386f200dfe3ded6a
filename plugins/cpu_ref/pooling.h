/* SPDX-License-Identifier: Apache-2.0 */
/* The geometry that pooling forward and backward share: windows over up to three spatial dims, a
 * missing one standing as a dim of 1 at the front. */
#ifndef CPU_REF_POOLING_H
#define CPU_REF_POOLING_H

#include "image.h"

/* Modes of struct anydnn_plugin_pooling. */
enum {
    POOLING_MAX = 0,
    POOLING_AVERAGE_INCLUDE = 1,
    POOLING_AVERAGE_EXCLUDE = 2,
    POOLING_MAX_DETERMINISTIC = 3,
    POOLING_MODE_END = 4
};

/* What a plan of either direction keeps; forward leaves dy and dx empty. */
struct pooling_state {
    struct image x, y, dy, dx;
    int64_t window[IMAGE_SPATIAL];
    int64_t pad[IMAGE_SPATIAL];
    int64_t stride[IMAGE_SPATIAL];
    int64_t lanes;      /* of x and y, both of one type */
    double window_size; /* may be beyond any integer */
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

/* Largest integer not above a / b, b > 0. */
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

/* Where the input ends along spatial dim s for windows: a negative pad cuts it. */
static inline int64_t pooling_end(const struct pooling_state *state, int32_t s)
{
    return state->x.dims[2 + s] + cpu_ref_min(state->pad[s], 0);
}

/* What the window of output o covers of the input, along spatial dim s. */
static inline struct pooling_range pooling_window(const struct pooling_state *state, int32_t s,
                                                  int64_t o)
{
    int64_t begin = o * state->stride[s] - state->pad[s];
    return pooling_clip(begin, begin + state->window[s],
                        (struct pooling_range){0, pooling_end(state, s)});
}

/* The outputs whose window reaches over any of the inputs first..last; none where the first is cut.
 */
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

/* What spatial dim s gives to the divisor of output o's average: end - begin of the window, cut at
 * the end of the padded input and, where padding does not count, to the input. As in cuDNN it may
 * be 0 or less, where the window has no element: 0 / 0 makes that average NaN, else it is 0. */
static inline double pooling_counted(const struct pooling_state *state, int32_t s, int64_t o)
{
    int64_t begin = o * state->stride[s] - state->pad[s];
    int64_t end = cpu_ref_min(begin + state->window[s], state->x.dims[2 + s] + state->pad[s]);

    if (state->mode == POOLING_AVERAGE_INCLUDE)
        return (double)(end - begin);
    return (double)(cpu_ref_min(end, state->x.dims[2 + s]) - cpu_ref_max(begin, 0));
}

#endif
