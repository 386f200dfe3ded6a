/* SPDX-License-Identifier: Apache-2.0 */
/* Adds steps that convert operands to the layouts of primitives, and results back. oneDNN's
 * reorders are used where they exist, and copies of our own elsewhere. */
#include "build.h"

struct move {
    struct onednn_walk walk;
    struct onednn_place place[3];
    int32_t scale_at;
    int64_t count; /* elements of a conversion */
};

static void run_copy(const struct onednn_call *call, const void *data)
{
    const struct move *move = data;

    onednn_walk_copy(&move->walk, (void *const[]){onednn_at(call, move->place[0]),
                                                  onednn_at(call, move->place[1])});
}

void onednn_copy(struct onednn_build *build, struct onednn_place to,
                 const struct onednn_view *to_view, struct onednn_place from,
                 const struct onednn_view *from_view)
{
    struct move move = {.place = {to, from}};

    onednn_walk_init(&move.walk, (const struct onednn_view *const[]){to_view, from_view}, 2);
    onednn_run_own(build, run_copy, &move, sizeof move);
}

/* ------------------------------------------------------------------ 16 bits */

/* The elements of a piece, which is the work of one thread at a time. */
#define PIECE 65536

struct conversion {
    char *to;
    const char *from;
    int32_t to_type, from_type;
    int64_t count;
};

static void convert_piece(void *arg, int64_t piece)
{
    const struct conversion *work = arg;
    int64_t first = piece * PIECE, left = work->count - first;

    onednn_convert(work->to_type, work->to + first * kit_type_size(work->to_type), work->from_type,
                   work->from + first * kit_type_size(work->from_type),
                   left < PIECE ? left : PIECE);
}

static void run_convert(const struct onednn_call *call, const void *data)
{
    const struct move *move = data;
    struct conversion work = {onednn_at(call, move->place[0]), onednn_at(call, move->place[1]),
                              move->walk.type[0], move->walk.type[1], move->count};

    onednn_share(call, (work.count + PIECE - 1) / PIECE, convert_piece, &work);
}

/* Converts between an operand of 16 bits and floats packed in the same order. */
static void convert(struct onednn_build *build, struct onednn_place to,
                    const struct onednn_view *to_view, struct onednn_place from,
                    const struct onednn_view *from_view)
{
    struct move move = {.place = {to, from},
                        .walk.type = {to_view->type, from_view->type},
                        .count = kit_count(to_view->dims, to_view->ndims)};
    int lies_alike = to_view->first == 0 && from_view->first == 0;

    for (int32_t d = 0; d < to_view->ndims; d++)
        lies_alike &= to_view->strides[d] == from_view->strides[d];
    if (lies_alike)
        onednn_run_own(build, run_convert, &move, sizeof move);
    else
        onednn_copy(build, to, to_view, from, from_view);
}

/* ------------------------------------------------------------------ blends */

static void run_blend(const struct onednn_call *call, const void *data)
{
    const struct move *move = data;
    const double *scale = &call->operands->scale[move->scale_at];

    onednn_walk_blend(&move->walk,
                      (void *const[]){onednn_at(call, move->place[0]),
                                      onednn_at(call, move->place[1]),
                                      onednn_at(call, move->place[2])},
                      scale[0], scale[1]);
}

void onednn_blend(struct onednn_build *build, struct onednn_place to,
                  const struct onednn_view *to_view, struct onednn_place from,
                  const struct onednn_view *from_view, struct onednn_place prior,
                  const struct onednn_view *prior_view, int32_t scale_at)
{
    struct move move = {.place = {to, from, prior}, .scale_at = scale_at};

    onednn_walk_init(&move.walk,
                     (const struct onednn_view *const[]){to_view, from_view, prior_view}, 3);
    onednn_run_own(build, run_blend, &move, sizeof move);
}

/* ------------------------------------------------------------------ reorders */

/* Adds a reorder. Returns 0 and adds nothing if oneDNN has no such reorder. */
static int try_reorder(struct onednn_build *build, int from, onednn_layout has, int to,
                       onednn_layout wanted)
{
    dnnl_primitive_desc_t descriptor =
        onednn_keep_if(build, onednn_describe_reorder(has, wanted, build->attributes));

    if (!descriptor)
        return 0;
    ONEDNN_RUN(build, descriptor, {DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to});
    return 1;
}

/* Returns 1 if oneDNN has the reorder. */
static int can_reorder(struct onednn_build *build, onednn_layout has, onednn_layout wanted)
{
    return has && wanted &&
           onednn_keep_if(build, onednn_describe_reorder(has, wanted, build->attributes)) != NULL;
}

int onednn_reorder(struct onednn_build *build, int memory, onednn_layout has, onednn_layout wanted)
{
    int made;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return -1;
    if (onednn_same_layout(has, wanted))
        return memory;
    made = onednn_temporary(build, wanted);
    if (made >= 0 && !try_reorder(build, memory, has, made, wanted))
        return onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                                 "oneDNN does not support the reorder between two of its layouts");
    return made;
}

/* Returns the packed tensor between an operand and a primitive's layout. It has the order of the
 * operand if oneDNN has the reorder; otherwise the last dim is the fastest. Only that order can be
 * converted to Winograd's filters. */
static struct onednn_view packed_for(struct onednn_build *build, const struct onednn_view *view,
                                     int32_t type, onednn_layout wanted)
{
    struct onednn_view packed = onednn_packed_like(view, type);
    onednn_layout layout = onednn_layout_of(build, &packed);

    if (onednn_same_layout(layout, wanted) || can_reorder(build, layout, wanted))
        return packed;
    return onednn_packed(view, type);
}

int onednn_load(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                onednn_layout wanted, int32_t type)
{
    onednn_layout has, packed_layout;
    struct onednn_view packed;
    int memory, own;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return -1;
    has = onednn_layout_of(build, view);
    if (onednn_same_layout(has, wanted))
        return onednn_bind(build, slot, has);
    own = view->type == ANYDNN_PLUGIN_HALF && type == ANYDNN_PLUGIN_FLOAT;
    if (!own && can_reorder(build, has, wanted))
        return onednn_reorder(build, onednn_bind(build, slot, has), has, wanted);
    packed = packed_for(build, view, type, wanted);
    packed_layout = onednn_layout_of(build, &packed);
    memory = onednn_temporary(build, packed_layout);
    if (own)
        convert(build, onednn_place_of(build, memory), &packed, (struct onednn_place){.slot = slot},
                view);
    else
        onednn_copy(build, onednn_place_of(build, memory), &packed,
                    (struct onednn_place){.slot = slot}, view);
    return onednn_reorder(build, memory, packed_layout, wanted);
}

int onednn_result(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                  onednn_layout given)
{
    onednn_layout has;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return -1;
    has = onednn_layout_of(build, view);
    if (build->when == ONEDNN_FAST && onednn_same_layout(has, given))
        return onednn_bind(build, slot, has);
    return onednn_temporary(build, given);
}

void onednn_store(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                  int memory, onednn_layout given, int32_t type, int32_t scale_at)
{
    const struct onednn_place operand = {.slot = slot};
    onednn_layout has;
    struct onednn_view packed;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS ||
        onednn_place_of(build, memory).slot == slot)
        return;
    has = onednn_layout_of(build, view);
    /* oneDNN's reorders to bfloat16 flush subnormal numbers to 0, and those to half are slow. */
    if (build->when == ONEDNN_FAST && view->type != ANYDNN_PLUGIN_BFLOAT16 &&
        !(view->type == ANYDNN_PLUGIN_HALF && type == ANYDNN_PLUGIN_FLOAT) &&
        can_reorder(build, given, has)) {
        try_reorder(build, memory, given, onednn_bind(build, slot, has), has);
        return;
    }
    packed = onednn_packed_like(view, type);
    memory = onednn_reorder(build, memory, given, onednn_layout_of(build, &packed));
    if (build->when == ONEDNN_FAST && onednn_converts(view->type, packed.type))
        convert(build, operand, view, onednn_place_of(build, memory), &packed);
    else if (build->when == ONEDNN_FAST)
        onednn_copy(build, operand, view, onednn_place_of(build, memory), &packed);
    else
        onednn_blend(build, operand, view, onednn_place_of(build, memory), &packed, operand, view,
                     scale_at);
}
