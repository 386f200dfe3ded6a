/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the gradient of a convolution with respect to its bias: sums over dy. oneDNN's reduction
 * has kernels for the innermost dims only, and its convolution computes the bias gradient only
 * together with dw. So this is our own code, in double. */
#include "build.h"
#include "table.h"

#include <string.h>

/* The partial sums of a row, so that additions do not wait for one another. */
#define LANES 8

struct bias {
    struct onednn_walk walk;  /* dy, and its sums: one double per channel */
    struct onednn_walk blend; /* db, sums */
    struct onednn_place sums;
    int64_t channels;
};

static double sum_of(const double *value, int64_t n)
{
    double lane[LANES] = {0}, sum = 0;
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += value[i + l];
    for (; i < n; i++)
        lane[0] += value[i];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

/* Adds one row. A row along the channels has one sum per element, any other row has one in all. */
static void add_row(void *arg, const struct onednn_walk *walk, char *const place[],
                    const int64_t stride[], int64_t n)
{
    double value[ONEDNN_CHUNK];

    (void)arg;
    for (int64_t i = 0; i < n; i += ONEDNN_CHUNK) {
        int64_t count = n - i < ONEDNN_CHUNK ? n - i : ONEDNN_CHUNK;
        double *sum = (double *)(void *)(place[1] + i * stride[1]);

        onednn_row_load(value, walk->type[0], place[0] + i * stride[0], stride[0], count);
        if (stride[1] == 0)
            *sum += sum_of(value, count);
        else
            for (int64_t k = 0; k < count; k++)
                sum[k] += value[k];
    }
}

static void run_bias(const struct onednn_call *call, const void *data)
{
    const struct bias *bias = data;
    double *sums = onednn_at(call, bias->sums);

    memset(sums, 0, (size_t)bias->channels * sizeof *sums);
    onednn_walk_run(&bias->walk,
                    (void *const[]){call->operands->data[slot_convolution_backward_bias_dy], sums},
                    add_row, NULL);
    onednn_walk_blend(&bias->blend,
                      (void *const[]){call->operands->data[slot_convolution_backward_bias_db], sums,
                                      call->operands->data[slot_convolution_backward_bias_db]},
                      call->operands->scale[0], call->operands->scale[1]);
}

static void build_bias(struct onednn_build *build)
{
    struct onednn_view dy = onednn_operand(build, slot_convolution_backward_bias_dy),
                       db = onednn_operand(build, slot_convolution_backward_bias_db), spread = dy;
    struct onednn_view sums = {.type = ANYDNN_PLUGIN_DOUBLE, .ndims = 1};
    struct bias bias = {.channels = dy.dims[1]};

    spread.type = ANYDNN_PLUGIN_DOUBLE;
    for (int32_t d = 0; d < dy.ndims; d++)
        spread.strides[d] = d == 1 ? 1 : 0;
    db.ndims = 1;
    db.dims[0] = sums.dims[0] = dy.dims[1];
    db.strides[0] = db.strides[1];
    sums.strides[0] = 1;
    bias.sums = onednn_reserve(build, kit_bytes(bias.channels, sizeof(double)));
    onednn_walk_init(&bias.walk, (const struct onednn_view *const[]){&dy, &spread}, 2);
    onednn_walk_init(&bias.blend, (const struct onednn_view *const[]){&db, &sums, &db}, 3);
    onednn_run_own(build, run_bias, &bias, sizeof bias);
}

static int32_t check_bias(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    (void)problem;
    (void)why;
    return 0;
}

const struct onednn_operation onednn_convolution_backward_bias = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check_bias,
    .build = build_bias,
};
