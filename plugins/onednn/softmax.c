/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements softmax. Vectors run over c, or over all dims but n. oneDNN's forward primitive
 * differs from anydnn's definition in three cases:
 *   - A vector holds NaN or +Inf (oneDNN gives 0 for the other elements), or only -Inf (NaN instead
 *     of 0). Each call searches x for such a vector. If there is one, our own code computes all
 *     results.
 *   - oneDNN's exponential is 0 where the result should be subnormal. A later step restores such
 *     results.
 *   - oneDNN's logarithm of a sum near 1 has an error of up to 29 units of 2^-23 (2.6.3, AVX-512).
 *     For log softmax, oneDNN computes the softmax, and our own code computes x - max + log(softmax
 *     at the maximum). The softmax at the maximum is 1 / sum.
 * The fast algorithm uses oneDNN's accurate one.
 */
#include "softmax.h"
#include "table.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { INSTANCE, CHANNEL }; /* as in struct anydnn_plugin_softmax */

int32_t onednn_softmax_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_softmax *params = problem->params;

    if (params->algorithm < ONEDNN_SOFTMAX_FAST || params->algorithm > ONEDNN_SOFTMAX_LOG ||
        params->mode < INSTANCE || params->mode > CHANNEL)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "softmax: unknown algorithm %d or mode %d", params->algorithm,
                          params->mode);
    return 0;
}

struct onednn_softmax_shape onednn_softmax_shape_of(const struct onednn_build *build, int32_t slot)
{
    const struct anydnn_plugin_softmax *params = build->problem->params;
    struct onednn_view operand = onednn_operand(build, slot);
    struct onednn_softmax_shape shape = {.dense =
                                             onednn_packed_like(&operand, ANYDNN_PLUGIN_FLOAT)};
    int64_t outer = operand.dims[0], length, inner = 1;
    int64_t count = kit_count(operand.dims, operand.ndims);

    if (params->mode == CHANNEL) {
        length = shape.dense.dims[1];
        inner = shape.dense.strides[1];
        outer = count / (length * inner);
    } else {
        length = count / outer;
        if (shape.dense.strides[0] != length)
            shape.dense = onednn_packed(&operand, ANYDNN_PLUGIN_FLOAT);
    }
    shape.work = (struct onednn_view){.type = ANYDNN_PLUGIN_FLOAT,
                                      .ndims = 3,
                                      .dims = {outer, length, inner},
                                      .strides = {length * inner, inner, 1}};
    if (inner == 1)
        shape.work.ndims = 2;
    return shape;
}

/* ------------------------------------------------------------------ vectors that oneDNN gets
 * wrong */

struct mend {
    int64_t outer, length, inner;
    int32_t algorithm;
    int in_place; /* 1 if the result overwrites x, so that x must be saved */
    struct onednn_place x, kept, p, y;
};

enum { SPECIAL = 1, LOST = 2 };

/* Returns 1 if oneDNN's exponential of x - max is 0 although the result is not. */
static int is_lost(float x, float max)
{
    double argument = (double)x - (double)max;
    return argument < ONEDNN_EXP_LEAST && argument > ONEDNN_EXP_NOTHING;
}

static float greatest_of(const struct mend *mend, const float *x)
{
    float max = x[0];

    for (int64_t c = 1; c < mend->length; c++)
        max = x[c * mend->inner] > max ? x[c * mend->inner] : max;
    return max;
}

/* Classifies a vector without NaN and +Inf. */
static int vector_is(const struct mend *mend, const float *x)
{
    float max = greatest_of(mend, x);
    int lost = 0;

    if (max == -INFINITY)
        return SPECIAL;
    for (int64_t c = 0; c < mend->length; c++)
        lost |= is_lost(x[c * mend->inner], max);
    return lost ? LOST : 0;
}

/* Returns SPECIAL if x has a vector with NaN or +Inf, or with only -Inf. Otherwise returns LOST if
 * oneDNN loses results of a vector, else 0. x <= FLT_MAX is false for NaN and +Inf. */
static int search_mistakes(const struct mend *mend, const float *x)
{
    int64_t stride = mend->length * mend->inner;
    int found = 0;

    /* Nearly all inputs end here: no two of their numbers are so far apart. */
    if (onednn_none_beyond(x, mend->outer * stride, (float)(-ONEDNN_EXP_LEAST / 2)))
        return 0;
    if (!onednn_none_above(x, mend->outer * stride, FLT_MAX))
        return SPECIAL;
    for (int64_t o = 0; o < mend->outer && found != SPECIAL; o++)
        for (int64_t i = 0; i < mend->inner && found != SPECIAL; i++) {
            int is = vector_is(mend, x + o * stride + i);

            found = is ? is : found;
        }
    return mend->algorithm == ONEDNN_SOFTMAX_LOG && found == LOST ? 0 : found;
}

/* The flag precedes the copy of x. */
#define FLAG_BYTES 64

static void look(const struct onednn_call *call, const void *data)
{
    const struct mend *mend = data;
    const float *x = onednn_at(call, mend->x);
    char *kept = onednn_at(call, mend->kept);
    int mistakes = search_mistakes(mend, x);

    memcpy(kept, &mistakes, sizeof mistakes);
    if (mistakes && mend->in_place)
        memcpy(kept + FLAG_BYTES, x,
               (size_t)(mend->outer * mend->length * mend->inner) * sizeof *x);
}

/* Computes y = x - max - log(sum) of one vector. p is its softmax, which is 1 / sum where x
 * is max. */
static void log_vector(const struct mend *mend, const float *x, const float *p, float *y)
{
    float max = x[0], most = p[0];
    double log_sum;

    for (int64_t c = 1; c < mend->length; c++) {
        float v = x[c * mend->inner], q = p[c * mend->inner];

        max = v > max ? v : max;
        most = q > most ? q : most;
    }
    log_sum = -log((double)most);
    for (int64_t c = 0; c < mend->length; c++)
        y[c * mend->inner] = (float)((double)x[c * mend->inner] - (double)max - log_sum);
}

static void take_logarithms(const struct onednn_call *call, const void *data)
{
    const struct mend *mend = data;
    const float *x = onednn_at(call, mend->x), *p = onednn_at(call, mend->p);
    float *y = onednn_at(call, mend->y);
    int64_t stride = mend->length * mend->inner;

    for (int64_t o = 0; o < mend->outer; o++)
        for (int64_t i = 0; i < mend->inner; i++)
            log_vector(mend, x + o * stride + i, p + o * stride + i, y + o * stride + i);
}

/* Computes one vector as anydnn defines it: the maximum starts at the lowest finite value and skips
 * NaN. */
static void own_vector(const struct mend *mend, const float *x, float *y)
{
    double max = mend->algorithm == ONEDNN_SOFTMAX_FAST ? 0 : -DBL_MAX, sum = 0, log_sum;

    for (int64_t c = 0; c < mend->length && mend->algorithm != ONEDNN_SOFTMAX_FAST; c++) {
        double v = (double)x[c * mend->inner];
        max = v > max ? v : max;
    }
    for (int64_t c = 0; c < mend->length; c++)
        sum += exp((double)x[c * mend->inner] - max);
    if (mend->algorithm != ONEDNN_SOFTMAX_FAST && sum == 0)
        sum = 1; /* all elements are -Inf */
    log_sum = log(sum);
    for (int64_t c = 0; c < mend->length; c++) {
        double v = (double)x[c * mend->inner] - max;
        y[c * mend->inner] =
            (float)(mend->algorithm == ONEDNN_SOFTMAX_LOG ? v - log_sum : exp(v) / sum);
    }
}

/* Restores the lost results of a vector. The largest y is 1 / sum. */
static void mend_lost(const struct mend *mend, const float *x, float *y)
{
    float max = greatest_of(mend, x), most = greatest_of(mend, y);

    for (int64_t c = 0; c < mend->length; c++)
        if (is_lost(x[c * mend->inner], max))
            y[c * mend->inner] =
                (float)(exp((double)x[c * mend->inner] - (double)max) * (double)most);
}

static void mend_vectors(const struct onednn_call *call, const void *data)
{
    const struct mend *mend = data;
    const char *kept = onednn_at(call, mend->kept);
    const float *x = mend->in_place ? (const float *)(const void *)(kept + FLAG_BYTES)
                                    : (const float *)onednn_at(call, mend->x);
    float *y = onednn_at(call, mend->y);
    int64_t stride = mend->length * mend->inner;
    int mistakes;

    memcpy(&mistakes, kept, sizeof mistakes);
    for (int64_t o = 0; mistakes && o < mend->outer; o++)
        for (int64_t i = 0; i < mend->inner; i++)
            (mistakes == SPECIAL ? own_vector : mend_lost)(mend, x + o * stride + i,
                                                           y + o * stride + i);
}

/* ------------------------------------------------------------------ plans */

/* Adds the steps of softmax, or of its logarithm, from x to y. */
static void run_forward(struct onednn_build *build, dnnl_primitive_desc_t descriptor, int x, int y,
                        const struct onednn_view *work, const struct mend *base)
{
    struct mend mend = *base;
    int p = mend.algorithm == ONEDNN_SOFTMAX_LOG ? onednn_temporary_as(build, work) : y;

    ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DST, p});
    mend.p = onednn_place_of(build, p);
    mend.y = onednn_place_of(build, y);
    if (mend.algorithm == ONEDNN_SOFTMAX_LOG)
        onednn_run_own(build, take_logarithms, &mend, sizeof mend);
    onednn_run_own(build, mend_vectors, &mend, sizeof mend);
}

static void build_forward(struct onednn_build *build)
{
    const struct anydnn_plugin_softmax *params = build->problem->params;
    struct onednn_softmax_shape shape = onednn_softmax_shape_of(build, slot_softmax_forward_x);
    onednn_layout layout = onednn_layout_of(build, &shape.work);
    struct onednn_softmax softmax = {.direction = dnnl_forward_training,
                                     .algorithm = dnnl_softmax_accurate,
                                     .x = layout,
                                     .y = layout,
                                     .axis = 1};
    dnnl_primitive_desc_t descriptor = onednn_keep(
        build, onednn_describe_softmax(&softmax, build->attributes), "softmax of these sizes");
    struct mend mend = {.outer = shape.work.dims[0],
                        .length = shape.work.dims[1],
                        .inner = shape.work.ndims == 3 ? shape.work.dims[2] : 1,
                        .algorithm = params->algorithm,
                        .in_place =
                            onednn_in_place(build, slot_softmax_forward_y, slot_softmax_forward_x)};
    struct onednn_view kept = onednn_flat(FLAG_BYTES / (int64_t)sizeof(float));
    int x = onednn_load_as(build, slot_softmax_forward_x, &shape.dense, &shape.work);

    if (mend.in_place)
        kept.dims[0] += mend.outer * mend.length * mend.inner;
    mend.x = onednn_place_of(build, x);
    mend.kept = onednn_place_of(build, onednn_temporary_as(build, &kept));
    onednn_run_own(build, look, &mend, sizeof mend);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output y;

        build->when = mode;
        y = onednn_result_as(build, slot_softmax_forward_y, &shape.dense, &shape.work);
        run_forward(build, descriptor, x, y.memory, &shape.work, &mend);
        onednn_store_as(build, &y, 0);
    }
}

const struct onednn_operation onednn_softmax_forward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_FORWARD,
    .types = ONEDNN_FLOATS_INT8,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = onednn_softmax_check,
    .build = build_forward,
};
