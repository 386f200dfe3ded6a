/* SPDX-License-Identifier: Apache-2.0 */
/* Views operands as dense arrays, and adds steps of our own over their rows. */
#include "layer.h"

#include "wide.h"

#include <math.h>
#include <string.h>

struct onednn_view onednn_flat(int64_t count)
{
    return (struct onednn_view){
        .type = ANYDNN_PLUGIN_FLOAT, .ndims = 1, .dims = {count}, .strides = {1}};
}

struct onednn_view onednn_around(const struct onednn_view *dense, int32_t along)
{
    int64_t channels = dense->dims[along], inner = dense->strides[along];
    int64_t outer = kit_count(dense->dims, dense->ndims) / (channels * inner);
    struct onednn_view view = {.type = dense->type,
                               .ndims = 4,
                               .dims = {outer, channels, 1, inner},
                               .strides = {channels * inner, inner, inner, 1}};

    if (inner == 1)
        view = (struct onednn_view){.type = dense->type,
                                    .ndims = 4,
                                    .dims = {1, channels, outer, 1},
                                    .strides = {outer * channels, 1, channels, channels}};
    return view;
}

int onednn_load_as(struct onednn_build *build, int32_t slot, const struct onednn_view *dense,
                   const struct onednn_view *work)
{
    struct onednn_view operand = onednn_operand(build, slot);
    int memory =
        onednn_load(build, slot, &operand, onednn_layout_of(build, dense), ANYDNN_PLUGIN_FLOAT);

    return onednn_recast(build, memory, onednn_layout_of(build, work));
}

struct onednn_output onednn_result_as(struct onednn_build *build, int32_t slot,
                                      const struct onednn_view *dense,
                                      const struct onednn_view *work)
{
    struct onednn_view operand = onednn_operand(build, slot);
    struct onednn_output output = {.slot = slot, .dense = *dense};

    output.plain = onednn_result(build, slot, &operand, onednn_layout_of(build, dense));
    output.memory = onednn_recast(build, output.plain, onednn_layout_of(build, work));
    return output;
}

void onednn_store_as(struct onednn_build *build, const struct onednn_output *output,
                     int32_t scale_at)
{
    struct onednn_view operand = onednn_operand(build, output->slot);

    onednn_store(build, output->slot, &operand, output->plain,
                 onednn_layout_of(build, &output->dense), ANYDNN_PLUGIN_FLOAT, scale_at);
}

int onednn_temporary_as(struct onednn_build *build, const struct onednn_view *work)
{
    return onednn_temporary(build, onednn_layout_of(build, work));
}

int onednn_in_place(const struct onednn_build *build, int32_t out, int32_t in)
{
    return onednn_lies_on(build->problem, out, in);
}

int onednn_lies_on(const struct anydnn_plugin_problem *problem, int32_t out, int32_t in)
{
    return problem->alias[out] == in + 1 || problem->alias[in] == out + 1;
}

int32_t onednn_check_apart(const struct anydnn_plugin_problem *problem, int32_t out, int32_t in,
                           struct kit_refusal *why)
{
    if (!onednn_lies_on(problem, out, in))
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                      "the result in operand %d would overwrite operand %d, which is still read",
                      (int)out, (int)in);
}

/* The length of a block. A constant length lets the compiler vectorize. */
#define BLOCK 256

ONEDNN_INLINE int none_beyond(const float *x, int64_t n, float most, int either_way)
{
    int64_t i = 0;

    for (; i + BLOCK <= n; i += BLOCK) {
        int above = 0;

        for (int k = 0; k < BLOCK; k++)
            above |= !((either_way ? fabsf(x[i + k]) : x[i + k]) <= most);
        if (above)
            return 0;
    }
    for (; i < n; i++) {
        if (!((either_way ? fabsf(x[i]) : x[i]) <= most))
            return 0;
    }
    return 1;
}

ONEDNN_INLINE int above_body(const float *x, int64_t n, float most)
{
    return none_beyond(x, n, most, 0);
}

ONEDNN_INLINE int beyond_body(const float *x, int64_t n, float most)
{
    return none_beyond(x, n, most, 1);
}

ONEDNN_WIDE(none_above, above_body, (const float *x, int64_t n, float most), (x, n, most))
ONEDNN_WIDE(none_far, beyond_body, (const float *x, int64_t n, float most), (x, n, most))

int onednn_none_above(const float *x, int64_t n, float most)
{
    return none_above(x, n, most);
}

int onednn_none_beyond(const float *x, int64_t n, float most)
{
    return none_far(x, n, most);
}

struct rows_work {
    const struct onednn_call *call;
    const struct onednn_rows *rows;
};

static void run_piece(void *arg, int64_t piece)
{
    const struct rows_work *work = arg;
    const struct onednn_rows *rows = work->rows;
    struct onednn_row_call row_call = {work->call, rows->data};
    void *place[ONEDNN_WALK_TENSORS] = {NULL};
    int64_t first = piece * rows->piece, end = first + rows->piece;

    for (int32_t t = 0; t < rows->walk.steps.tensors; t++)
        place[t] = (char *)onednn_at(work->call, rows->place[t]) + (size_t)piece * rows->apart[t];
    onednn_walk_range(&rows->walk, place, first,
                      end < rows->walk.steps.count ? end : rows->walk.steps.count, rows->row,
                      &row_call);
}

static void run_rows(const struct onednn_call *call, const void *data)
{
    const struct onednn_rows *rows = data;
    struct rows_work work = {call, rows};

    onednn_share(call, rows->pieces, run_piece, &work);
}

void onednn_share_rows(struct onednn_build *build, onednn_row_fn row, const void *data, size_t size,
                       const struct onednn_view *const view[], const struct onednn_place place[],
                       int32_t tensors, int64_t pieces, const size_t apart[])
{
    struct onednn_rows rows = {.row = row};

    onednn_walk_init(&rows.walk, view, tensors);
    memcpy(rows.place, place, (size_t)tensors * sizeof *place);
    memcpy(rows.data, data, size);
    rows.piece = (rows.walk.steps.count + pieces - 1) / pieces;
    rows.pieces = (rows.walk.steps.count + rows.piece - 1) / rows.piece;
    if (apart)
        memcpy(rows.apart, apart, (size_t)tensors * sizeof *apart);
    onednn_run_own(build, run_rows, &rows, sizeof rows);
}

void onednn_run_rows(struct onednn_build *build, onednn_row_fn row, const void *data, size_t size,
                     const struct onednn_view *const view[], const struct onednn_place place[],
                     int32_t tensors)
{
    onednn_share_rows(build, row, data, size, view, place, tensors, 1, NULL);
}

/* The elements of a piece, which is the work of one thread at a time. */
#define PIECE 32768

int64_t onednn_pieces_of(const struct onednn_view *view)
{
    return (kit_count(view->dims, view->ndims) + PIECE - 1) / PIECE;
}
