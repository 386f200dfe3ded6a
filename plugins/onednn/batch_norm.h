/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the batch normalizations share: shapes, and the steps in our own code. These steps
 * compute the running and saved statistics, and the addition and activation forward and
 * backward. */
#ifndef ONEDNN_BATCH_NORM_H
#define ONEDNN_BATCH_NORM_H

#include "activate.h"
#include "layer.h"

/* The values of struct anydnn_plugin_batch_normalization. */
enum { ONEDNN_PER_ACTIVATION, ONEDNN_SPATIAL, ONEDNN_PERSISTENT };
enum { ONEDNN_NORM_PLAIN, ONEDNN_NORM_ACTIVATION, ONEDNN_NORM_ADD_ACTIVATION };

/* The shape of a normalization. A cell is the set of elements that share one mean and one variance:
 * one channel, or in mode per-activation one position over all images. oneDNN normalizes channels
 * only, so in that mode each position becomes a channel. */
struct onednn_norm {
    struct onednn_view dense, work; /* views of x and of all tensors of its shape */
    int64_t cells;
    int64_t count; /* elements per cell */
};
struct onednn_norm onednn_norm_of(const struct onednn_build *build);

/* Checks mode, ops and activation. */
int32_t onednn_norm_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
struct onednn_activation onednn_norm_activation(const struct anydnn_plugin_problem *problem);

/* Loads a parameter in oneDNN's form: an array with one float per cell. */
int onednn_load_cells(struct onednn_build *build, const struct onednn_norm *norm, int32_t slot);
int onednn_temporary_cells(struct onednn_build *build, const struct onednn_norm *norm);
struct onednn_output onednn_result_cells(struct onednn_build *build, const struct onednn_norm *norm,
                                         int32_t slot);

/* Describes the forward or backward primitive. The hint is required for backward. */
dnnl_primitive_desc_t onednn_norm_describe(struct onednn_build *build,
                                           const struct onednn_norm *norm,
                                           dnnl_prop_kind_t direction, unsigned flags,
                                           dnnl_primitive_desc_t hint);

/* Adds a step that computes the mean and the biased variance of each cell of x. The sums are
 * double, each result is rounded once: cells are too long for float sums. */
void onednn_norm_measure(struct onednn_build *build, const struct onednn_norm *norm, int x,
                         int mean, int variance);

/* Computes the same for one cell at once, without adding a step. The cell is a run of `length`
 * elements in each image. */
void onednn_norm_measure_runs(const float *x, int64_t images, int64_t stride, int64_t length,
                              float *mean, float *variance);

/* The operands of a normalization in our own code, for cells that are runs in every image. */
struct onednn_norm_runs {
    struct onednn_view work;
    int measures; /* 1 if mean and variance are computed from x and written */
    double epsilon;
    struct onednn_place x, mean, variance, scale, bias, y;
};
static inline int onednn_norm_has_runs(const struct onednn_norm *norm)
{
    return norm->work.dims[3] != 1;
}
void onednn_norm_run_runs(struct onednn_build *build, const struct onednn_norm_runs *runs);

/* The sums over columns of (x - shift) and (x - shift)^2. */
#define ONEDNN_NORM_COLUMNS 16
struct onednn_norm_columns {
    double shift[ONEDNN_NORM_COLUMNS], sum[ONEDNN_NORM_COLUMNS], square[ONEDNN_NORM_COLUMNS];
};
/* Adds `rows` rows of ONEDNN_NORM_COLUMNS numbers. Rows are `stride` numbers apart. */
void onednn_norm_add(const float *x, int64_t stride, int64_t rows,
                     struct onednn_norm_columns *columns);

/* The conversion of a mean and a biased variance to the running and saved pairs. Absent operands
 * are skipped. */
struct onednn_norm_statistics {
    int64_t cells, count;
    double epsilon;
    struct onednn_place mean, variance;
    struct onednn_norm_cells {
        int32_t slot; /* -1 if absent */
        struct onednn_view view;
    } running_mean, running_variance, save_mean, save_inv_variance;
};
void onednn_norm_keep(const struct onednn_call *call, const void *data);

/* The inverse conversion: the variance whose 1 / sqrt(variance + epsilon) is given. */
struct onednn_norm_restore {
    int64_t cells;
    double epsilon;
    struct onednn_place inv_variance, variance;
};
void onednn_norm_restore(const struct onednn_call *call, const void *data);

/* The operands of y = act(v + z) with its reserve, and of its gradient. v, out and x are arrays
 * like `dense`; the others are operands. */
struct onednn_norm_elements {
    struct onednn_activation activation;
    int plain; /* 1 without activation */
    struct onednn_view dense, z, y, dy;
    struct onednn_place v, out;
    int32_t z_slot, y_slot, dy_slot, reserve_slot; /* -1 if absent */
    /* The following members serve the gradient of swish, which recomputes its argument. */
    int per_activation;
    double epsilon;
    struct onednn_place x, mean, variance, scale, bias;
};
void onednn_norm_activate(const struct onednn_call *call, const void *data);
/* Computes out = gradient with respect to v. */
void onednn_norm_gradient(const struct onednn_call *call, const void *data);

#endif
