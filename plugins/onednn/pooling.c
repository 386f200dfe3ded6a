/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements pooling. oneDNN's primitives compute windows that lie within the padded input and
 * cover at least one element. Our own code computes the others. It also computes windows with far
 * more positions than the input has, since oneDNN iterates over the padding, too. oneDNN's maxima
 * skip NaN, and their gradient needs positions that its own forward pass stored. anydnn's gradient
 * is a function of x, y and dy, so our own code computes it.
 */
#include "pooling.h"
#include "table.h"

#include <float.h>

static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_pooling *params = problem->params;

    if (params->mode < 0 || params->mode >= ONEDNN_POOLING_MODE_END)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER, "unknown pooling mode %d",
                          params->mode);
    if (params->spatial_dims > ONEDNN_SPATIAL_MAX)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "the pooling has %d spatial dimensions; oneDNN supports 1 to %d",
                          params->spatial_dims, ONEDNN_SPATIAL_MAX);
    return 0;
}

/* ------------------------------------------------------------------ geometry */

/* The tensors x and y, dense in an order for which oneDNN has kernels. */
struct images {
    struct onednn_view x, y;
    int channels_last;
};

static struct onednn_view last_channels(const struct onednn_view *view)
{
    struct onednn_view packed = onednn_packed(view, ANYDNN_PLUGIN_FLOAT);

    for (int32_t d = 0; d < view->ndims; d++)
        packed.strides[d] = d == 1 ? 1 : packed.strides[d] * (d ? view->dims[1] : 1);
    return packed;
}

static struct images images_of(const struct onednn_build *build, int32_t x_slot, int32_t y_slot)
{
    struct onednn_view x = onednn_operand(build, x_slot), y = onednn_operand(build, y_slot);
    struct images images = {.x = onednn_packed(&x, ANYDNN_PLUGIN_FLOAT),
                            .y = onednn_packed(&y, ANYDNN_PLUGIN_FLOAT)};

    images.channels_last = x.dims[1] > 1 && x.strides[1] == 1;
    if (images.channels_last) {
        images.x = last_channels(&x);
        images.y = last_channels(&y);
    }
    return images;
}

/* Returns the lowest finite number of a type. */
static float lowest_of(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_HALF:
        return -65504;
    case ANYDNN_PLUGIN_BFLOAT16:
        return -0x1.fep127f;
    case ANYDNN_PLUGIN_INT8:
        return INT8_MIN;
    default:
        return -FLT_MAX;
    }
}

static struct onednn_pool pool_of(const struct onednn_build *build, const struct images *images)
{
    const struct anydnn_plugin_pooling *params = build->problem->params;
    int32_t missing = ONEDNN_SPATIAL_MAX - params->spatial_dims;
    struct onednn_pool pool = {.mode = params->mode,
                               .nan_propagate = params->nan_propagate,
                               .channels_last = images->channels_last,
                               .lowest = lowest_of(build->problem->tensor[0]->type)};

    for (int32_t d = 0; d < ONEDNN_IMAGE; d++) {
        int32_t from = d < 2 ? d : d - missing, s = d - 2 - missing;
        int there = d < 2 || s >= 0;

        pool.x_dims[d] = there ? images->x.dims[from] : 1;
        pool.y_dims[d] = there ? images->y.dims[from] : 1;
        pool.x_strides[d] = there ? images->x.strides[from] : 0;
        pool.y_strides[d] = there ? images->y.strides[from] : 0;
        if (d < 2)
            continue;
        pool.window[d - 2] = there ? params->window[s] : 1;
        pool.pad[d - 2] = there ? params->pad[s] : 0;
        pool.stride[d - 2] = there ? params->stride[s] : 1;
    }
    return pool;
}

/* Returns the most positions that a window may have along one dim: a few times those of the
 * input. */
static int64_t most_places(int64_t in)
{
    return in > INT32_MAX ? in : 4 * in + 16;
}

/* Returns 1 if oneDNN gives these windows the same meaning. Each must hold an element, and the
 * output must have as many windows as fit. None may be cut at the end of the padding, where an
 * average would divide by less. */
static int is_regular(const struct onednn_pool *pool)
{
    for (int s = 0; s < ONEDNN_SPATIAL_MAX; s++) {
        int64_t in = pool->x_dims[2 + s], last = pool->y_dims[2 + s] - 1;
        int64_t end = last * pool->stride[s] - pool->pad[s] + pool->window[s];
        struct onednn_range final = onednn_pool_window(pool, s, last);
        struct onednn_range first = onednn_pool_window(pool, s, 0);

        if (pool->pad[s] < 0 || first.begin == first.end || final.begin == final.end ||
            end > in + pool->pad[s] || end + pool->stride[s] <= in ||
            pool->window[s] > most_places(in))
            return 0;
    }
    return 1;
}

static struct onednn_pooling describe(struct onednn_build *build, const struct images *images)
{
    static const dnnl_alg_kind_t algorithms[ONEDNN_POOLING_MODE_END] = {
        dnnl_pooling_max, dnnl_pooling_avg_include_padding, dnnl_pooling_avg_exclude_padding,
        dnnl_pooling_max};
    const struct anydnn_plugin_pooling *params = build->problem->params;
    struct onednn_pooling pooling = {.direction = dnnl_forward_inference,
                                     .algorithm = algorithms[params->mode],
                                     .x = onednn_layout_of(build, &images->x),
                                     .y = onednn_layout_of(build, &images->y)};

    for (int32_t s = 0; s < params->spatial_dims; s++) {
        int64_t after = (images->y.dims[2 + s] - 1) * params->stride[s] + params->window[s] -
                        images->x.dims[2 + s] - params->pad[s];

        pooling.stride[s] = params->stride[s];
        pooling.window[s] = params->window[s];
        pooling.pad_before[s] = params->pad[s];
        pooling.pad_after[s] = after > 0 ? after : 0;
    }
    return pooling;
}

/* ------------------------------------------------------------------ plans */

static void build_forward(struct onednn_build *build)
{
    struct images images = images_of(build, slot_pooling_forward_x, slot_pooling_forward_y);
    struct onednn_pool pool = pool_of(build, &images);
    struct onednn_pooling pooling = describe(build, &images);
    int regular = is_regular(&pool);
    int mends = onednn_pool_is_max(pool.mode) && (pool.nan_propagate || pool.lowest > -FLT_MAX);
    dnnl_primitive_desc_t descriptor = NULL;
    int x = onednn_load_as(build, slot_pooling_forward_x, &images.x, &images.x);

    if (regular)
        descriptor = onednn_keep(build, onednn_describe_pooling(&pooling, build->attributes),
                                 "pooling of these sizes");
    pool.x = onednn_place_of(build, x);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output y;

        build->when = mode;
        /* The fast mode ends in oneDNN's conversion to integers, which turns NaN into a large
         * number. */
        pool.nan_is_zero =
            mode == ONEDNN_FAST &&
            build->problem->tensor[slot_pooling_forward_y]->type == ANYDNN_PLUGIN_INT8;
        y = onednn_result_as(build, slot_pooling_forward_y, &images.y, &images.y);
        pool.y = onednn_place_of(build, y.memory);
        if (regular)
            ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y.memory});
        if (!regular)
            onednn_run_own(build, onednn_pool_forward, &pool, sizeof pool);
        else if (mends)
            onednn_run_own(build, onednn_pool_mend, &pool, sizeof pool);
        onednn_store_as(build, &y, 0);
    }
}

/* Returns the descriptor of the gradient, for averages. */
static dnnl_primitive_desc_t describe_backward(struct onednn_build *build,
                                               const struct images *images)
{
    struct onednn_pooling pooling = describe(build, images);

    pooling.direction = dnnl_forward_training;
    pooling.hint = onednn_keep(build, onednn_describe_pooling(&pooling, build->attributes),
                               "pooling of these sizes");
    pooling.direction = dnnl_backward_data;
    return onednn_keep(build, onednn_describe_pooling(&pooling, build->attributes),
                       "backward pooling of these sizes");
}

static void build_backward(struct onednn_build *build)
{
    struct images images = images_of(build, slot_pooling_backward_x, slot_pooling_backward_y);
    struct onednn_pool pool = pool_of(build, &images);
    int is_max = onednn_pool_is_max(pool.mode), own = is_max || !is_regular(&pool);
    dnnl_primitive_desc_t descriptor = own ? NULL : describe_backward(build, &images);
    int dy = onednn_load_as(build, slot_pooling_backward_dy, &images.y, &images.y);

    pool.dy = onednn_place_of(build, dy);
    if (is_max) {
        pool.x = onednn_place_of(
            build, onednn_load_as(build, slot_pooling_backward_x, &images.x, &images.x));
        pool.y = onednn_place_of(
            build, onednn_load_as(build, slot_pooling_backward_y, &images.y, &images.y));
    }
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output dx;

        build->when = mode;
        dx = onednn_result_as(build, slot_pooling_backward_dx, &images.x, &images.x);
        pool.dx = onednn_place_of(build, dx.memory);
        if (own)
            onednn_run_own(build, onednn_pool_backward, &pool, sizeof pool);
        else
            ONEDNN_RUN(build, descriptor, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx.memory});
        onednn_store_as(build, &dx, 0);
    }
}

const struct onednn_operation onednn_pooling_forward = {
    .operation = ANYDNN_PLUGIN_POOLING_FORWARD,
    .types = ONEDNN_FLOATS_INT8,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check,
    .build = build_forward,
};

const struct onednn_operation onednn_pooling_backward = {
    .operation = ANYDNN_PLUGIN_POOLING_BACKWARD,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check,
    .build = build_backward,
};
