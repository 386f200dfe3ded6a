/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements backward softmax. For log softmax, dx = dy - exp(y) * sum(dy). oneDNN is wrong for two
 * kinds of vectors. If y or dy holds NaN or infinities, it omits products of 0 and infinity, which
 * are NaN. And its exp(y) is 0 where it should be subnormal. Each call searches for such vectors,
 * and our own code computes them.
 */
#include "softmax.h"
#include "table.h"

#include <math.h>
#include <string.h>

/* The steps of our own, for log softmax. Our results are stored apart until oneDNN has finished,
 * since dx may lie on y or dy. */
struct mend {
    int64_t outer, length, inner;
    struct onednn_place y, dy, dx;
    struct onednn_place kept,
        marks; /* vectors like dx; one number per vector, not 0 if it is ours */
};

static int is_special(const struct mend *mend, const float *y, const float *dy)
{
    double sum = 0; /* sum of terms that are 0 for finite numbers, and NaN otherwise */
    int lost = 0;

    for (int64_t c = 0; c < mend->length; c++) {
        double v = (double)y[c * mend->inner];

        sum += 0 * v + 0 * (double)dy[c * mend->inner];
        lost |= (v < ONEDNN_EXP_LEAST) & (v > ONEDNN_EXP_NOTHING);
    }
    return lost || isnan(sum);
}

static void own_vector(const struct mend *mend, const float *y, const float *dy, float *dx)
{
    double sum = 0;

    for (int64_t c = 0; c < mend->length; c++)
        sum += (double)dy[c * mend->inner];
    for (int64_t c = 0; c < mend->length; c++)
        dx[c * mend->inner] =
            (float)((double)dy[c * mend->inner] - exp((double)y[c * mend->inner]) * sum);
}

static void keep_special(const struct onednn_call *call, const void *data)
{
    const struct mend *mend = data;
    const float *y = onednn_at(call, mend->y), *dy = onednn_at(call, mend->dy);
    float *kept = onednn_at(call, mend->kept), *marks = onednn_at(call, mend->marks);

    for (int64_t o = 0; o < mend->outer; o++)
        for (int64_t i = 0; i < mend->inner; i++) {
            int64_t at = o * mend->length * mend->inner + i;
            int special = is_special(mend, y + at, dy + at);

            marks[o * mend->inner + i] = (float)special;
            if (special)
                own_vector(mend, y + at, dy + at, kept + at);
        }
}

static void put_special(const struct onednn_call *call, const void *data)
{
    const struct mend *mend = data;
    const float *kept = onednn_at(call, mend->kept), *marks = onednn_at(call, mend->marks);
    float *dx = onednn_at(call, mend->dx);

    for (int64_t o = 0; o < mend->outer; o++)
        for (int64_t i = 0; i < mend->inner; i++)
            for (int64_t c = 0; marks[o * mend->inner + i] > 0 && c < mend->length; c++) {
                int64_t at = (o * mend->length + c) * mend->inner + i;

                dx[at] = kept[at];
            }
}

/* Refuses dx on y. oneDNN allows dx to overwrite dy, but not y. */
static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t reason = onednn_softmax_check(problem, why);

    return reason ? reason
                  : onednn_check_apart(problem, slot_softmax_backward_dx, slot_softmax_backward_y,
                                       why);
}

static void prepare(struct onednn_build *build, struct mend *mend, int y, int dy)
{
    struct onednn_view kept = onednn_flat(mend->outer * mend->length * mend->inner);
    struct onednn_view marks = onednn_flat(mend->outer * mend->inner);

    mend->y = onednn_place_of(build, y);
    mend->dy = onednn_place_of(build, dy);
    mend->kept = onednn_place_of(build, onednn_temporary_as(build, &kept));
    mend->marks = onednn_place_of(build, onednn_temporary_as(build, &marks));
    onednn_run_own(build, keep_special, mend, sizeof *mend);
}

static void build_backward(struct onednn_build *build)
{
    const struct anydnn_plugin_softmax *params = build->problem->params;
    int is_log = params->algorithm == ONEDNN_SOFTMAX_LOG;
    struct onednn_softmax_shape shape = onednn_softmax_shape_of(build, slot_softmax_backward_dx);
    onednn_layout layout = onednn_layout_of(build, &shape.work);
    struct onednn_softmax softmax = {.direction = dnnl_forward_training,
                                     .algorithm = is_log ? dnnl_softmax_log : dnnl_softmax_accurate,
                                     .x = layout,
                                     .y = layout,
                                     .dx = layout,
                                     .dy = layout,
                                     .axis = 1};
    struct mend mend = {.outer = shape.work.dims[0],
                        .length = shape.work.dims[1],
                        .inner = shape.work.ndims == 3 ? shape.work.dims[2] : 1};
    dnnl_primitive_desc_t descriptor;
    int y, dy;

    softmax.hint = onednn_keep(build, onednn_describe_softmax(&softmax, build->attributes),
                               "softmax of these sizes");
    softmax.direction = dnnl_backward_data;
    descriptor = onednn_keep(build, onednn_describe_softmax(&softmax, build->attributes),
                             "backward softmax of these sizes");
    y = onednn_load_as(build, slot_softmax_backward_y, &shape.dense, &shape.work);
    dy = onednn_load_as(build, slot_softmax_backward_dy, &shape.dense, &shape.work);
    if (is_log)
        prepare(build, &mend, y, dy);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output dx;

        build->when = mode;
        dx = onednn_result_as(build, slot_softmax_backward_dx, &shape.dense, &shape.work);
        ONEDNN_RUN(build, descriptor, {DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, dy},
                   {DNNL_ARG_DIFF_SRC, dx.memory});
        mend.dx = onednn_place_of(build, dx.memory);
        if (is_log)
            onednn_run_own(build, put_special, &mend, sizeof mend);
        onednn_store_as(build, &dx, 0);
    }
}

const struct onednn_operation onednn_softmax_backward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_BACKWARD,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check,
    .build = build_backward,
};
