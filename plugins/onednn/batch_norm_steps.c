/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the steps of batch normalization in our own code. */
#include "batch_norm.h"

#include <math.h>
#include <string.h>

/* The number of elements processed at a time. */
#define CHUNK 256

/* ------------------------------------------------------------------ cells */

/* Returns the offset of element `number`, counted with the last dim fastest. */
static int64_t offset_of(const struct onednn_view *view, int32_t ndims, int64_t number)
{
    int64_t offset = view->first;

    for (int32_t d = ndims - 1; d >= 0; d--) {
        offset += number % view->dims[d] * view->strides[d];
        number /= view->dims[d];
    }
    return offset;
}

/* Sets cell = factor * value + (1 - factor) * cell, if the operand is present. With factor 1, the
 * old cell is not read. */
static void put_cell(const struct onednn_call *call, const struct onednn_norm_cells *cells,
                     int64_t cell, double factor, double value)
{
    int32_t type = cells->view.type;
    double prior;
    char *place;

    if (cells->slot < 0)
        return;
    place = (char *)call->operands->data[cells->slot] +
            offset_of(&cells->view, cells->view.ndims, cell) * kit_type_size(type);
    value *= factor;
    if (factor != 1) {
        onednn_row_load(&prior, type, place, 0, 1);
        value += (1 - factor) * prior;
    }
    onednn_row_store(type, place, 0, &value, 1);
}

void onednn_norm_keep(const struct onednn_call *call, const void *data)
{
    const struct onednn_norm_statistics *s = data;
    const float *means = onednn_at(call, s->mean), *variances = onednn_at(call, s->variance);
    double factor = call->operands->number[0], m = (double)s->count;

    for (int64_t i = 0; i < s->cells; i++) {
        double mean = (double)means[i], variance = (double)variances[i];
        /* The running variance is unbiased, so it is undefined (NaN) for a single element. */
        double sample = s->count > 1 ? variance * (m / (m - 1)) : (double)NAN;

        put_cell(call, &s->running_mean, i, factor, mean);
        put_cell(call, &s->running_variance, i, factor, sample);
        put_cell(call, &s->save_mean, i, 1, mean);
        put_cell(call, &s->save_inv_variance, i, 1, 1 / sqrt(variance + s->epsilon));
    }
}

void onednn_norm_restore(const struct onednn_call *call, const void *data)
{
    const struct onednn_norm_restore *restore = data;
    const float *inverse = onednn_at(call, restore->inv_variance);
    float *variance = onednn_at(call, restore->variance);

    for (int64_t i = 0; i < restore->cells; i++)
        variance[i] = (float)(1 / ((double)inverse[i] * (double)inverse[i]) - restore->epsilon);
}

/* ------------------------------------------------------------------ elements */

/* Processes n elements of a row in logical order. `number` is the index of the first one. */
typedef void (*piece_fn)(const struct onednn_call *call, const struct onednn_norm_elements *e,
                         int64_t number, int64_t n);

static void each_piece(const struct onednn_call *call, const struct onednn_norm_elements *e,
                       piece_fn work)
{
    int64_t length = e->dense.dims[e->dense.ndims - 1];
    int64_t count = kit_count(e->dense.dims, e->dense.ndims);

    for (int64_t row = 0; row < count; row += length)
        for (int64_t i = 0; i < length; i += CHUNK)
            work(call, e, row + i, length - i < CHUNK ? length - i : CHUNK);
}

static void load(double *to, const struct onednn_call *call, struct onednn_place place,
                 const struct onednn_view *view, int64_t number, int64_t n)
{
    int64_t size = kit_type_size(view->type);
    const char *from =
        (const char *)onednn_at(call, place) + offset_of(view, view->ndims, number) * size;

    onednn_row_load(to, view->type, from, view->strides[view->ndims - 1] * size, n);
}

static void store(const struct onednn_call *call, const struct onednn_norm_elements *e,
                  const double *from, int64_t number, int64_t n)
{
    float *to = (float *)onednn_at(call, e->out) + offset_of(&e->dense, e->dense.ndims, number);

    onednn_row_store(ANYDNN_PLUGIN_FLOAT, (char *)to,
                     e->dense.strides[e->dense.ndims - 1] * (int64_t)sizeof(float), from, n);
}

static void activate_piece(const struct onednn_call *call, const struct onednn_norm_elements *e,
                           int64_t number, int64_t n)
{
    uint8_t *bits = e->reserve_slot < 0 ? NULL : call->operands->data[e->reserve_slot];
    double v[CHUNK], z[CHUNK];

    load(v, call, e->v, &e->dense, number, n);
    if (e->z_slot >= 0) {
        load(z, call, (struct onednn_place){.slot = e->z_slot}, &e->z, number, n);
        for (int64_t i = 0; i < n; i++)
            v[i] += z[i];
    }
    for (int64_t i = 0; bits && i < n; i++) {
        uint64_t at = (uint64_t)(number + i);
        unsigned bit = (unsigned)onednn_passes(&e->activation, v[i]);

        bits[at / 8] = (uint8_t)(bits[at / 8] | bit << at % 8);
    }
    onednn_activate_row(&e->activation, v, n);
    store(call, e, v, number, n);
}

void onednn_norm_activate(const struct onednn_call *call, const void *data)
{
    const struct onednn_norm_elements *e = data;

    if (e->reserve_slot >= 0)
        memset(call->operands->data[e->reserve_slot], 0,
               (size_t)((kit_count(e->dense.dims, e->dense.ndims) + 7) / 8));
    each_piece(call, e, activate_piece);
}

/* Recomputes the arguments of swish by normalizing x again. */
static void arguments(const struct onednn_call *call, const struct onednn_norm_elements *e,
                      int64_t number, int64_t n, double *v)
{
    const float *mean = onednn_at(call, e->mean), *variance = onednn_at(call, e->variance);
    const float *scale = onednn_at(call, e->scale), *bias = onednn_at(call, e->bias);
    int64_t image = kit_count(e->dense.dims + 1, e->dense.ndims - 1);
    int64_t run = e->per_activation ? 1 : image / e->dense.dims[1];

    load(v, call, e->x, &e->dense, number, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t cell = (number + i) % image / run;
        double normal = (v[i] - (double)mean[cell]) / sqrt((double)variance[cell] + e->epsilon);

        v[i] = (double)scale[cell] * normal + (double)bias[cell];
    }
}

static void gradient_piece(const struct onednn_call *call, const struct onednn_norm_elements *e,
                           int64_t number, int64_t n)
{
    const uint8_t *bits = e->reserve_slot < 0 ? NULL : call->operands->data[e->reserve_slot];
    double g[CHUNK], y[CHUNK] = {0}, v[CHUNK] = {0};

    load(g, call, (struct onednn_place){.slot = e->dy_slot}, &e->dy, number, n);
    if (!e->plain && e->y_slot >= 0)
        load(y, call, (struct onednn_place){.slot = e->y_slot}, &e->y, number, n);
    if (!e->plain && e->activation.mode == ONEDNN_SWISH)
        arguments(call, e, number, n, v);
    for (int64_t i = 0; i < n && !e->plain && !onednn_is_relu(&e->activation); i++)
        g[i] = onednn_gradient(&e->activation, y[i], g[i], v[i]);
    for (int64_t i = 0; bits && i < n; i++) {
        uint64_t at = (uint64_t)(number + i);
        g[i] = bits[at / 8] >> at % 8 & 1 ? g[i] : 0;
    }
    store(call, e, g, number, n);
}

void onednn_norm_gradient(const struct onednn_call *call, const void *data)
{
    each_piece(call, data, gradient_piece);
}
