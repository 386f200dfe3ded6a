/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements forward convolution of 8-bit integers, plain and fused. oneDNN sums in 32 bits but
 * returns the sums through float, which is exact for integers up to 2^24. So the channels are cut
 * into parts whose sums stay below this limit, and our own code adds the parts. Without VNNI,
 * oneDNN adds pairs of products in 16 bits, which saturate.
 */
#include "conv_integer.h"

int onednn_conv_of_integers(const struct anydnn_plugin_problem *problem)
{
    return ONEDNN_INTEGERS >> problem->tensor[0]->type & 1;
}

/* Returns the channels of a part, in whole vectors. Returns 0 if even one vector is too many. */
static int64_t channels_of_part(const struct anydnn_plugin_tensor *w, int64_t lanes)
{
    int64_t taps = kit_count(&w->dims[2], w->ndims - 2);
    int64_t channels = ONEDNN_PRODUCTS_MAX / taps;

    if (channels >= w->dims[1])
        return w->dims[1];
    return channels / lanes * lanes;
}

static int64_t lanes_of_filter(const struct anydnn_plugin_tensor *w)
{
    return w->type == ANYDNN_PLUGIN_INT8X32 ? 32 : 4;
}

static int32_t check_types(const struct anydnn_plugin_problem *problem,
                           const struct onednn_conv_roles *roles, struct kit_refusal *why)
{
    int32_t w = problem->tensor[roles->w]->type;

    if (kit_lane_type(w) != ANYDNN_PLUGIN_INT8)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "w is %s; oneDNN's 8-bit convolutions require signed filters",
                          kit_type_name(w));
    if (!onednn_isa_has_vnni())
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "this processor does not have VNNI; without it oneDNN's sums of 8-bit "
                          "products saturate at 16 bits");
    return 0;
}

/* Refuses groups for which oneDNN is wrong. Signed x uses oneDNN's gemm if the filters per group
 * are no multiple of 4. With several groups, its sums were wrong in 186 of 1500 random problems
 * (2.6.3, AVX-512 VNNI). These had at least 17 filters, no multiple of 4, and sums of a multiple of
 * 64 products, or 8 filters with sums of 8 products. One group, multiples of 4 and unsigned x gave
 * no error in 900 more problems. */
static int32_t check_groups(const struct anydnn_plugin_problem *problem,
                            const struct onednn_conv_roles *roles, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    int64_t filters = problem->tensor[roles->w]->dims[0] / params->groups;

    if (params->groups == 1 || filters % 4 == 0 ||
        kit_lane_type(problem->tensor[roles->x]->type) != ANYDNN_PLUGIN_INT8)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_GROUPS,
                      "the %lld filters of a group are not a multiple of 4; oneDNN's int8 sums in "
                      "groups are wrong for some of these",
                      (long long)filters);
}

int32_t onednn_conv_integer_check(const struct anydnn_plugin_problem *problem,
                                  const struct onednn_conv_roles *roles, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *w = problem->tensor[roles->w];
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t reason = check_types(problem, roles, why);
    int64_t part;

    if (!reason)
        reason = check_groups(problem, roles, why);
    if (reason)
        return reason;
    if (params->spatial_dims > ONEDNN_SPATIAL_MAX)
        return onednn_conv_check(problem, roles, why);
    part = channels_of_part(w, lanes_of_filter(w));
    if (part > 0 && (w->dims[1] + part - 1) / part <= ONEDNN_PARTS_MAX)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                      "an output is the sum of %lld products; oneDNN converts its 32-bit sums to "
                      "float, which is exact for %d products, and onednn adds at most %d such sums",
                      (long long)kit_count(&w->dims[1], w->ndims - 1), ONEDNN_PRODUCTS_MAX,
                      ONEDNN_PARTS_MAX);
}

/* ------------------------------------------------------------------ parts */

/* The values that all parts share. */
struct integer {
    const struct onednn_conv_roles *roles;
    int64_t groups;
    struct onednn_view x, w, y; /* channels of x and w split into groups, vectors and lanes */
    struct onednn_view sums;    /* packed, channels last, without vectors */
    struct onednn_convolution description;
};

static struct onednn_view last_of(const struct onednn_view *apart, int32_t type, int64_t channels)
{
    struct onednn_view last = {.type = type, .ndims = apart->ndims - 2};
    int64_t stride = channels;

    last.dims[0] = apart->dims[0];
    last.dims[1] = channels;
    last.strides[1] = 1;
    for (int32_t d = last.ndims - 1; d >= 2; d--) {
        last.dims[d] = apart->dims[d + 2];
        last.strides[d] = stride;
        stride *= last.dims[d];
    }
    last.strides[0] = stride;
    return last;
}

/* Returns a view of `channels` channels of each group, starting at `first`. */
static struct onednn_view cut(const struct onednn_view *apart, int64_t first, int64_t channels)
{
    struct onednn_view part = *apart;

    part.dims[2] = channels / part.dims[3];
    part.first += first / part.dims[3] * part.strides[2];
    return part;
}

/* Makes a packed copy of a part of an operand, in oneDNN's dims. Sets *layout to its layout. */
static int copy_part(struct onednn_build *build, int32_t slot, const struct onednn_view *part,
                     const struct onednn_view *packed, onednn_layout *layout)
{
    struct onednn_view apart = onednn_lanes_of(packed, part->dims[1], part->dims[3]);
    int memory;

    *layout = onednn_layout_of(build, packed);
    memory = onednn_temporary(build, *layout);
    onednn_copy(build, onednn_place_of(build, memory), &apart, (struct onednn_place){.slot = slot},
                part);
    return memory;
}

/* Returns a packed filter [k, channels...] with an extra leading dim for the groups. */
static struct onednn_view in_groups(const struct onednn_view *filter, int64_t groups)
{
    struct onednn_view split = *filter;

    if (groups == 1)
        return split;
    for (int32_t d = filter->ndims; d > 0; d--) {
        split.dims[d] = filter->dims[d - 1];
        split.strides[d] = filter->strides[d - 1];
    }
    split.ndims++;
    split.dims[0] = groups;
    split.dims[1] /= groups;
    split.strides[0] = split.dims[1] * split.strides[1];
    return split;
}

/* Adds the steps of one part, and returns the memory of its sums. */
static int run_part(struct onednn_build *build, struct integer *integer, int64_t first,
                    int64_t channels)
{
    struct onednn_view x = cut(&integer->x, first, channels);
    struct onednn_view w = cut(&integer->w, first, channels);
    struct onednn_view x_packed = last_of(&x, x.type, integer->groups * channels);
    struct onednn_view w_packed = last_of(&w, w.type, channels), w_split;
    onednn_layout x_layout, w_layout;
    dnnl_primitive_desc_t descriptor;
    int x_memory, w_memory, y_memory;

    x_memory = copy_part(build, integer->roles->x, &x, &x_packed, &x_layout);
    w_memory = copy_part(build, integer->roles->w, &w, &w_packed, &w_layout);
    w_split = in_groups(&w_packed, integer->groups);
    w_layout = onednn_layout_of(build, &w_split);
    w_memory = onednn_recast(build, w_memory, w_layout);
    integer->description.x = x_layout;
    integer->description.w = onednn_layout_any(build, &w_split);
    integer->description.y = onednn_layout_of(build, &integer->sums);
    descriptor =
        onednn_keep(build, onednn_describe_convolution(&integer->description, build->attributes),
                    "8-bit convolution of these sizes");
    if (!descriptor)
        return -1;
    w_memory =
        onednn_reorder(build, w_memory, w_layout, onednn_chosen(descriptor, dnnl_query_weights_md));
    y_memory = onednn_temporary(build, integer->description.y);
    ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, x_memory}, {DNNL_ARG_WEIGHTS, w_memory},
               {DNNL_ARG_DST, y_memory});
    return y_memory;
}

struct addition {
    struct onednn_place sums, part;
    int64_t count;
};

/* Adds the sums of a part, modulo 2^32. */
static void run_addition(const struct onednn_call *call, const void *data)
{
    const struct addition *addition = data;
    uint32_t *sums = onednn_at(call, addition->sums);
    const uint32_t *part = onednn_at(call, addition->part);

    for (int64_t i = 0; i < addition->count; i++)
        sums[i] += part[i];
}

/* ------------------------------------------------------------------ the whole */

static void prepare(struct onednn_build *build, struct integer *integer)
{
    const struct anydnn_plugin_convolution *params = build->problem->params;
    struct onednn_convolution *c = &integer->description;

    integer->groups = params->groups;
    integer->x = onednn_lanes(build, integer->roles->x, params->groups);
    integer->w = onednn_lanes(build, integer->roles->w, 1);
    integer->y = onednn_lanes(build, integer->roles->y, 1);
    integer->sums =
        last_of(&integer->y, ANYDNN_PLUGIN_INT32, integer->y.dims[2] * integer->y.dims[3]);
    if (params->mode == 0)
        onednn_turn_round(&integer->w, 4);
    c->direction = dnnl_forward_inference;
    c->algorithm = dnnl_convolution_direct;
    onednn_conv_windows(c, params);
}

void onednn_conv_integer_build(struct onednn_build *build, const struct onednn_conv_roles *roles)
{
    const struct anydnn_plugin_tensor *w = build->problem->tensor[roles->w];
    int64_t size = channels_of_part(w, lanes_of_filter(w)), channels = w->dims[1];
    struct integer integer = {.roles = roles};
    struct onednn_place sums = {.slot = -1}, y = {.slot = roles->y};
    struct onednn_view apart;

    prepare(build, &integer);
    for (int64_t first = 0; first < channels && build->status == ANYDNN_PLUGIN_STATUS_SUCCESS;
         first += size) {
        int part =
            run_part(build, &integer, first, channels - first < size ? channels - first : size);
        struct addition addition = {.sums = sums, .part = onednn_place_of(build, part)};

        if (first == 0) {
            sums = addition.part;
            continue;
        }
        addition.count = kit_count(integer.sums.dims, integer.sums.ndims);
        onednn_run_own(build, run_addition, &addition, sizeof addition);
    }
    if (build->problem->operation != ANYDNN_PLUGIN_CONVOLUTION_FORWARD) {
        onednn_conv_finish(build, sums, &integer.sums);
        return;
    }
    apart = onednn_lanes_of(&integer.sums, 1, integer.y.dims[3]);
    onednn_blend(build, y, &integer.y, sums, &apart, y, &integer.y, 0);
}
