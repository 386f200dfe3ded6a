/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling by our own code, over dense arrays of float. */
#include "pooling.h"

#include <math.h>
#include <string.h>

/* Offsets of a whole window's elements from its first, where they are few. */
#define TAPS_MAX 64
struct taps {
    int64_t count; /* 0: too many */
    int64_t offset[TAPS_MAX];
};

/* One window: where in the input, and what an average of it is divided by. */
struct window {
    struct onednn_range at[ONEDNN_SPATIAL_MAX];
    double divisor;
    const struct taps *taps;
};

/* The arrays of a call, each at the beginning of a plane or, of y and dy, at an element. */
struct arrays {
    const float *x;
    float *y, *dx;
    const float *dy;
};

typedef void (*window_fn)(const struct onednn_pool *pool, const struct window *window,
                          const struct arrays *at);

/* ------------------------------------------------------------------ windows */

struct onednn_range onednn_pool_window(const struct onednn_pool *pool, int s, int64_t o)
{
    int64_t in = pool->x_dims[2 + s] + (pool->pad[s] < 0 ? pool->pad[s] : 0);
    struct onednn_range range = {o * pool->stride[s] - pool->pad[s], 0};

    range.end = range.begin + pool->window[s];
    range.begin = range.begin < 0 ? 0 : range.begin;
    range.end = range.end > in ? in : range.end;
    if (range.end < range.begin)
        range.end = range.begin;
    return range;
}

/* What dim s gives to the divisor: the window cut at the end of the padded input, or to the input.
 * It may be 0 or less where the window has no element, as anydnn.h says. */
static double counted(const struct onednn_pool *pool, int s, int64_t o)
{
    int64_t in = pool->x_dims[2 + s], begin = o * pool->stride[s] - pool->pad[s];
    int64_t end = begin + pool->window[s];

    end = end > in + pool->pad[s] ? in + pool->pad[s] : end;
    if (pool->mode == ONEDNN_POOLING_AVERAGE_INCLUDE)
        return (double)(end - begin);
    return (double)((end > in ? in : end) - (begin < 0 ? 0 : begin));
}

/* Sets dim s of a window to output o; `before` is the divisor of the dims before. */
static double set_dim(const struct onednn_pool *pool, struct window *window, int s, int64_t o,
                      double before)
{
    window->at[s] = onednn_pool_window(pool, s, o);
    if (onednn_pool_is_max(pool->mode))
        return 1;
    return before * counted(pool, s, o);
}

static struct arrays move(const struct arrays *from, int64_t x, int64_t y)
{
    struct arrays to = *from;

    to.x += x;
    to.dx += x;
    to.y += y;
    to.dy += y;
    return to;
}

/* Every output of some channels of an image. */
static void each_output(const struct onednn_pool *pool, const struct arrays *image, window_fn work,
                        const struct taps *taps, struct onednn_range channels)
{
    struct window window = {.taps = taps};

    for (int64_t d = 0; d < pool->y_dims[2]; d++) {
        double by_d = set_dim(pool, &window, 0, d, 1);

        for (int64_t h = 0; h < pool->y_dims[3]; h++) {
            double by_h = set_dim(pool, &window, 1, h, by_d);

            for (int64_t w = 0; w < pool->y_dims[4]; w++) {
                int64_t y =
                    d * pool->y_strides[2] + h * pool->y_strides[3] + w * pool->y_strides[4];

                window.divisor = set_dim(pool, &window, 2, w, by_h);
                for (int64_t c = channels.begin; c < channels.end; c++) {
                    struct arrays at =
                        move(image, c * pool->x_strides[1], y + c * pool->y_strides[1]);
                    work(pool, &window, &at);
                }
            }
        }
    }
}

static struct taps compute_taps(const struct onednn_pool *pool)
{
    struct taps taps = {.count = 0};
    int64_t count = 1;

    for (int s = 0; s < ONEDNN_SPATIAL_MAX && count <= TAPS_MAX; s++)
        count *= pool->window[s] <= TAPS_MAX ? pool->window[s] : TAPS_MAX + 1;
    if (count > TAPS_MAX)
        return taps;
    for (int64_t d = 0; d < pool->window[0]; d++)
        for (int64_t h = 0; h < pool->window[1]; h++)
            for (int64_t w = 0; w < pool->window[2]; w++)
                taps.offset[taps.count++] =
                    d * pool->x_strides[2] + h * pool->x_strides[3] + w * pool->x_strides[4];
    return taps;
}

/* In the order of memory. Arrays that a direction does not have stand at y, which each has. */
static void each(const struct onednn_pool *pool, const struct onednn_call *call, int backward,
                 window_fn work)
{
    int64_t step = pool->channels_last ? pool->x_dims[1] : 1;
    struct taps taps = compute_taps(pool);
    struct arrays arrays;

    arrays.x = onednn_at(call, pool->x);
    arrays.y = onednn_at(call, pool->y);
    arrays.dy = backward ? onednn_at(call, pool->dy) : arrays.y;
    arrays.dx = backward ? onednn_at(call, pool->dx) : arrays.y;
    for (int64_t n = 0; n < pool->x_dims[0]; n++) {
        struct arrays image = move(&arrays, n * pool->x_strides[0], n * pool->y_strides[0]);

        for (int64_t c = 0; c < pool->x_dims[1]; c += step)
            each_output(pool, &image, work, &taps, (struct onednn_range){c, c + step});
    }
}

/* Offsets of the rows of a window. */
#define EACH_ROW(pool, window, row)                                                                \
    for (int64_t d = (window)->at[0].begin; d < (window)->at[0].end; d++)                          \
        for (int64_t h = (window)->at[1].begin,                                                    \
                     row = d * (pool)->x_strides[2] + h * (pool)->x_strides[3];                    \
             h < (window)->at[1].end; h++, row += (pool)->x_strides[3])

/* ------------------------------------------------------------------ forward */

static double maximum(const struct onednn_pool *pool, const struct window *window, const float *x)
{
    float most = pool->lowest;

    EACH_ROW(pool, window, row)
    {
        for (int64_t w = window->at[2].begin; w < window->at[2].end; w++) {
            float v = x[row + w * pool->x_strides[4]];

            if (pool->nan_propagate && isnan(v))
                return (double)v;
            most = v > most ? v : most;
        }
    }
    return (double)most;
}

static double average(const struct onednn_pool *pool, const struct window *window, const float *x)
{
    double sum = 0;

    EACH_ROW(pool, window, row)
    {
        for (int64_t w = window->at[2].begin; w < window->at[2].end; w++)
            sum += (double)x[row + w * pool->x_strides[4]];
    }
    return pool->nan_is_zero && isnan(sum / window->divisor) ? 0 : sum / window->divisor;
}

static void forward_window(const struct onednn_pool *pool, const struct window *window,
                           const struct arrays *at)
{
    *at->y = (float)(onednn_pool_is_max(pool->mode) ? maximum(pool, window, at->x)
                                                    : average(pool, window, at->x));
}

void onednn_pool_forward(const struct onednn_call *call, const void *data)
{
    const struct onednn_pool *pool = data;
    each(pool, call, 0, forward_window);
}

static int64_t count_of(const int64_t dims[ONEDNN_IMAGE])
{
    return kit_count(dims, ONEDNN_IMAGE);
}

void onednn_pool_mend(const struct onednn_call *call, const void *data)
{
    const struct onednn_pool *pool = data;
    int64_t n = count_of(pool->y_dims);
    float *y = onednn_at(call, pool->y);

    if (pool->nan_propagate &&
        !onednn_none_above(onednn_at(call, pool->x), count_of(pool->x_dims), INFINITY)) {
        onednn_pool_forward(call, data);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = y[i] < pool->lowest ? pool->lowest : y[i];
}

/* ------------------------------------------------------------------ backward */

static int64_t elements_of(const struct window *window)
{
    int64_t count = 1;

    for (int s = 0; s < ONEDNN_SPATIAL_MAX; s++)
        count *= window->at[s].end - window->at[s].begin;
    return count;
}

/* Offset in the plane of the window's first element that equals y, or -1. From the last one back,
 * so that no branch depends on the data. */
static int64_t first_equal(const struct onednn_pool *pool, const struct window *window,
                           const float *x, float y)
{
    const struct taps *taps = window->taps;
    int64_t found = -1;

    if (elements_of(window) == taps->count) {
        int64_t begin = window->at[0].begin * pool->x_strides[2] +
                        window->at[1].begin * pool->x_strides[3] +
                        window->at[2].begin * pool->x_strides[4];

        for (int64_t k = taps->count - 1; k >= 0; k--) {
            int64_t at = begin + taps->offset[k];
            found = x[at] == y ? at : found;
        }
        return found;
    }
    for (int64_t d = window->at[0].end - 1; d >= window->at[0].begin; d--) {
        for (int64_t h = window->at[1].end - 1; h >= window->at[1].begin; h--) {
            int64_t row = d * pool->x_strides[2] + h * pool->x_strides[3];

            for (int64_t w = window->at[2].end - 1; w >= window->at[2].begin; w--) {
                int64_t at = row + w * pool->x_strides[4];
                found = x[at] == y ? at : found;
            }
        }
    }
    return found;
}

static int64_t first_nan(const struct onednn_pool *pool, const struct window *window,
                         const float *x)
{
    EACH_ROW(pool, window, row)
    {
        for (int64_t w = window->at[2].begin; w < window->at[2].end; w++) {
            if (isnan(x[row + w * pool->x_strides[4]]))
                return row + w * pool->x_strides[4];
        }
    }
    return -1;
}

static void max_gradient(const struct onednn_pool *pool, const struct window *window,
                         const struct arrays *at)
{
    int64_t place =
        isnan(*at->y) ? first_nan(pool, window, at->x) : first_equal(pool, window, at->x, *at->y);

    if (place >= 0)
        at->dx[place] += *at->dy;
}

static void average_gradient(const struct onednn_pool *pool, const struct window *window,
                             const struct arrays *at)
{
    float gradient = (float)((double)*at->dy / window->divisor);

    EACH_ROW(pool, window, row)
    {
        for (int64_t w = window->at[2].begin; w < window->at[2].end; w++)
            at->dx[row + w * pool->x_strides[4]] += gradient;
    }
}

void onednn_pool_backward(const struct onednn_call *call, const void *data)
{
    const struct onednn_pool *pool = data;

    memset(onednn_at(call, pool->dx), 0, (size_t)count_of(pool->x_dims) * sizeof(float));
    each(pool, call, 1, onednn_pool_is_max(pool->mode) ? max_gradient : average_gradient);
}
