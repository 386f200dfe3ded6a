/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the rows of the steps around a layer or group normalization, in double. */
#include "layer_norm.h"

/* Calls `body` for each chunk of at most ONEDNN_CHUNK elements, with the chunk's places in `at`. */
typedef void (*chunk_fn)(const struct onednn_norm_act *act, const struct onednn_walk *walk,
                         char *const at[], const int64_t stride[], int64_t n);

static void each_chunk(void *arg, const struct onednn_walk *walk, char *const place[],
                       const int64_t stride[], int64_t n, chunk_fn body)
{
    const struct onednn_row_call *row_call = arg;
    char *at[ONEDNN_WALK_TENSORS] = {NULL};

    for (int64_t i = 0; i < n; i += ONEDNN_CHUNK) {
        for (int32_t t = 0; t < walk->steps.tensors; t++)
            at[t] = place[t] + i * stride[t];
        body(row_call->data, walk, at, stride, n - i < ONEDNN_CHUNK ? n - i : ONEDNN_CHUNK);
    }
}

/* ------------------------------------------------------------------ forward */

enum { ADD_V, ADD_X, ADD_Z, ADD_SUM };

/* Computes v = x + z, rounded to the type of sum if that is stored. */
static void add_chunk(const struct onednn_norm_act *act, const struct onednn_walk *walk,
                      char *const at[], const int64_t stride[], int64_t n)
{
    double v[ONEDNN_CHUNK], z[ONEDNN_CHUNK];

    (void)act;
    onednn_row_load(v, walk->type[ADD_X], at[ADD_X], stride[ADD_X], n);
    onednn_row_load(z, walk->type[ADD_Z], at[ADD_Z], stride[ADD_Z], n);
    for (int64_t i = 0; i < n; i++)
        v[i] += z[i];
    if (walk->steps.tensors > ADD_SUM) {
        onednn_row_store(walk->type[ADD_SUM], at[ADD_SUM], stride[ADD_SUM], v, n);
        onednn_row_load(v, walk->type[ADD_SUM], at[ADD_SUM], stride[ADD_SUM], n);
    }
    onednn_row_store(walk->type[ADD_V], at[ADD_V], stride[ADD_V], v, n);
}

void onednn_norm_add_row(void *arg, const struct onednn_walk *walk, char *const place[],
                         const int64_t stride[], int64_t n)
{
    each_chunk(arg, walk, place, stride, n, add_chunk);
}

static void center_chunk(const struct onednn_norm_act *act, const struct onednn_walk *walk,
                         char *const at[], const int64_t stride[], int64_t n)
{
    double factor[ONEDNN_CHUNK];

    (void)act;
    onednn_row_load(factor, walk->type[1], at[1], stride[1], n);
    for (int64_t i = 0; i < n; i++)
        factor[i] += 1;
    onednn_row_store(walk->type[0], at[0], stride[0], factor, n);
}

void onednn_norm_center_row(void *arg, const struct onednn_walk *walk, char *const place[],
                            const int64_t stride[], int64_t n)
{
    each_chunk(arg, walk, place, stride, n, center_chunk);
}

/* Loads n factors. */
static void load_factors(const struct onednn_norm_act *act, const struct onednn_walk *walk,
                         char *const at[], const int64_t stride[], int32_t scale, int64_t n,
                         double *factor)
{
    if (act->has_scale)
        onednn_row_load(factor, walk->type[scale], at[scale], stride[scale], n);
    for (int64_t i = 0; i < n; i++)
        factor[i] = !act->has_scale ? 1 : act->is_centered + factor[i];
}

enum { FINISH_Y, FINISH_N, FINISH_SCALE, FINISH_BIAS };

static void finish_chunk(const struct onednn_norm_act *act, const struct onednn_walk *walk,
                         char *const at[], const int64_t stride[], int64_t n)
{
    double y[ONEDNN_CHUNK], factor[ONEDNN_CHUNK], bias[ONEDNN_CHUNK];

    onednn_row_load(y, walk->type[FINISH_N], at[FINISH_N], stride[FINISH_N], n);
    load_factors(act, walk, at, stride, FINISH_SCALE, n, factor);
    for (int64_t i = 0; i < n; i++)
        y[i] *= factor[i];
    if (act->has_bias) {
        onednn_row_load(bias, walk->type[FINISH_BIAS], at[FINISH_BIAS], stride[FINISH_BIAS], n);
        for (int64_t i = 0; i < n; i++)
            y[i] += bias[i];
    }
    onednn_activate_row(&act->activation, y, n);
    onednn_row_store(walk->type[FINISH_Y], at[FINISH_Y], stride[FINISH_Y], y, n);
}

void onednn_norm_finish_row(void *arg, const struct onednn_walk *walk, char *const place[],
                            const int64_t stride[], int64_t n)
{
    each_chunk(arg, walk, place, stride, n, finish_chunk);
}

/* ------------------------------------------------------------------ backward */

enum {
    UNDO_W,
    UNDO_DY,
    UNDO_V,
    UNDO_MEAN,
    UNDO_INVERSE,
    UNDO_SCALE,
    UNDO_BIAS,
    UNDO_DSCALE,
    UNDO_DBIAS
};

/* Adds n numbers to elements that may be one and the same. */
static void add_to(char *to, int64_t stride, const double *term, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        *(double *)(void *)(to + i * stride) += term[i];
}

/* Computes w = factor g, where g is the gradient before the activation. Adds g and g times the
 * normalized element to the gradients of bias and scale. */
static void undo_chunk(const struct onednn_norm_act *act, const struct onednn_walk *walk,
                       char *const at[], const int64_t stride[], int64_t n)
{
    double g[ONEDNN_CHUNK], v[ONEDNN_CHUNK], other[ONEDNN_CHUNK], factor[ONEDNN_CHUNK];
    int is_plain = act->activation.mode == ONEDNN_IDENTITY;

    onednn_row_load(g, walk->type[UNDO_DY], at[UNDO_DY], stride[UNDO_DY], n);
    onednn_row_load(v, walk->type[UNDO_V], at[UNDO_V], stride[UNDO_V], n);
    onednn_row_load(other, walk->type[UNDO_MEAN], at[UNDO_MEAN], stride[UNDO_MEAN], n);
    for (int64_t i = 0; i < n; i++)
        v[i] -= other[i];
    onednn_row_load(other, walk->type[UNDO_INVERSE], at[UNDO_INVERSE], stride[UNDO_INVERSE], n);
    for (int64_t i = 0; i < n; i++)
        v[i] *= other[i];
    load_factors(act, walk, at, stride, UNDO_SCALE, n, factor);
    if (act->has_bias && !is_plain)
        onednn_row_load(other, walk->type[UNDO_BIAS], at[UNDO_BIAS], stride[UNDO_BIAS], n);
    for (int64_t i = 0; i < n && !is_plain; i++) {
        double argument = factor[i] * v[i] + (act->has_bias ? other[i] : 0);

        g[i] = onednn_gradient(&act->activation, onednn_activate(&act->activation, argument), g[i],
                               argument);
    }
    if (act->sums_bias)
        add_to(at[UNDO_DBIAS], stride[UNDO_DBIAS], g, n);
    for (int64_t i = 0; i < n; i++)
        v[i] *= g[i];
    if (act->sums_scale)
        add_to(at[UNDO_DSCALE], stride[UNDO_DSCALE], v, n);
    for (int64_t i = 0; i < n; i++)
        g[i] *= factor[i];
    onednn_row_store(walk->type[UNDO_W], at[UNDO_W], stride[UNDO_W], g, n);
}

void onednn_norm_undo_row(void *arg, const struct onednn_walk *walk, char *const place[],
                          const int64_t stride[], int64_t n)
{
    each_chunk(arg, walk, place, stride, n, undo_chunk);
}
