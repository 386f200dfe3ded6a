/* SPDX-License-Identifier: Apache-2.0 */
/* What the batch normalizations share: shapes, and the steps that are our own: running and saved
 * statistics, activation and addition with the reserve's bits, and the way back. */
#ifndef ONEDNN_BATCH_NORM_H
#define ONEDNN_BATCH_NORM_H

#include "activate.h"
#include "layer.h"

/* Numbers of struct anydnn_plugin_batch_normalization. */
enum { ONEDNN_PER_ACTIVATION, ONEDNN_SPATIAL, ONEDNN_PERSISTENT };
enum { ONEDNN_NORM_PLAIN, ONEDNN_NORM_ACTIVATION, ONEDNN_NORM_ADD_ACTIVATION };

/* A cell is what has one mean and one variance: a channel, or per activation one place of all
 * images. oneDNN knows channels only; per activation each place is one. */
struct onednn_norm {
    struct onednn_view dense, work; /* of x and what has its shape */
    int64_t cells;
    int64_t count; /* elements of a cell */
};
struct onednn_norm onednn_norm_of(const struct onednn_build *build);

/* Mode, ops and activation. */
int32_t onednn_norm_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
struct onednn_activation onednn_norm_activation(const struct anydnn_plugin_problem *problem);

/* A parameter as oneDNN wants it: an array of a float for each cell. */
int onednn_load_cells(struct onednn_build *build, const struct onednn_norm *norm, int32_t slot);
int onednn_temporary_cells(struct onednn_build *build, const struct onednn_norm *norm);
struct onednn_output onednn_result_cells(struct onednn_build *build, const struct onednn_norm *norm,
                                         int32_t slot);

/* The forward or backward primitive; hint for backward. */
dnnl_primitive_desc_t onednn_norm_describe(struct onednn_build *build,
                                           const struct onednn_norm *norm,
                                           dnnl_prop_kind_t direction, unsigned flags,
                                           dnnl_primitive_desc_t hint);

/* Mean and biased variance of each cell of x, in double, each rounded once: float sums of a cell
 * are too long. Adds the step. */
void onednn_norm_measure(struct onednn_build *build, const struct onednn_norm *norm, int x,
                         int mean, int variance);

/* The same of one cell, a run of so many elements in each image, without a step. */
void onednn_norm_measure_runs(const float *x, int64_t images, int64_t stride, int64_t length,
                              float *mean, float *variance);

/* Normalization of cells that are runs in every image, by our own code. */
struct onednn_norm_runs {
    struct onednn_view work;
    int measures; /* mean and variance are x's own, and written */
    double epsilon;
    struct onednn_place x, mean, variance, scale, bias, y;
};
static inline int onednn_norm_has_runs(const struct onednn_norm *norm)
{
    return norm->work.dims[3] != 1;
}
void onednn_norm_run_runs(struct onednn_build *build, const struct onednn_norm_runs *runs);

/* Of columns of numbers: sums of what they exceed a shift by, and of its squares. */
#define ONEDNN_NORM_COLUMNS 16
struct onednn_norm_columns {
    double shift[ONEDNN_NORM_COLUMNS], sum[ONEDNN_NORM_COLUMNS], square[ONEDNN_NORM_COLUMNS];
};
/* Adds rows of so many numbers; from one row to the next it is `stride` numbers. */
void onednn_norm_add(const float *x, int64_t stride, int64_t rows,
                     struct onednn_norm_columns *columns);

/* From a mean and a biased variance to the running and the saved pair; absent operands are passed
 * over. */
struct onednn_norm_statistics {
    int64_t cells, count;
    double epsilon;
    struct onednn_place mean, variance;
    struct onednn_norm_cells {
        int32_t slot; /* -1: absent */
        struct onednn_view view;
    } running_mean, running_variance, save_mean, save_inv_variance;
};
void onednn_norm_keep(const struct onednn_call *call, const void *data);

/* The other way: the variance that makes 1 / sqrt(variance + epsilon). */
struct onednn_norm_restore {
    int64_t cells;
    double epsilon;
    struct onednn_place inv_variance, variance;
};
void onednn_norm_restore(const struct onednn_call *call, const void *data);

/* y = act(v + z), and the reserve. v, g and x are arrays like `dense`, the others operands. */
struct onednn_norm_elements {
    struct onednn_activation activation;
    int plain; /* no activation */
    struct onednn_view dense, z, y, dy;
    struct onednn_place v, out;
    int32_t z_slot, y_slot, dy_slot, reserve_slot; /* -1: absent */
    /* For the gradient of swish, which needs the argument again. */
    int per_activation;
    double epsilon;
    struct onednn_place x, mean, variance, scale, bias;
};
void onednn_norm_activate(const struct onednn_call *call, const void *data);
/* out = gradient of v. */
void onednn_norm_gradient(const struct onednn_call *call, const void *data);

#endif
