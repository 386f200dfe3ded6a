/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization backward. With g the gradient before the activation, n = (x - mean) * inv_std
 * the normalized x and m elements in a cell:
 *   dz = g, dbias = sum g, dscale = sum g n,
 *   dx = scale * inv_std * (g - dbias / m - n * dscale / m). */
#include "../shared/beside.h"
#include "../table.h"
#include "batch_norm_gradient.h"
#include "batch_norm_nhwc.h"

/* Slots. */
enum { X, DY, Y, SCALE, BIAS, SAVE_MEAN, SAVE_INV_VAR, RESERVE, DX, DZ, DSCALE, DBIAS };

/* ------------------------------------------------------------------ elements */

/* Outputs: dx, or dx and dz; inputs: x, dy; extra: the cells, the place in logical order. Without
 * activation, or with a ReLU. */
template <class E, int OUTPUTS> struct norm_backward_op {
    typedef E T;
    typedef double A;
    typedef norm_backward_params params;
    enum { OUT = OUTPUTS, IN = 2, EXTRA = 2 };

    static __device__ void compute(const params &p, const A in[], const int64_t at[], A out[])
    {
        const cuda_norm_cell &cell = p.cells[at[0]];
        A g = passed(p, at[1], in[1]);

        out[0] = cell.slope * (g - cell.dbias - (in[0] - cell.mean) * cell.dscale);
        if (OUTPUTS > 1)
            out[OUTPUTS - 1] = g;
    }
};

/* Without activation. Extra tensor: the cells. dx = slope * g + by_x * x + rest, which differs from
 * the above by what double rounds. */
struct norm_plain_cell {
    double slope, by_x, rest;
};

template <class E> struct norm_plain_op {
    typedef E T;
    typedef norm_backward_params params;
    typedef norm_plain_cell cell;
    enum { IN = 2, EXTRA = 1 };

    static __device__ cell make_cell(const params &p, const int64_t at[])
    {
        const cuda_norm_cell &from = p.cells[at[0]];

        return {from.slope, -from.slope * from.dscale,
                from.slope * (from.mean * from.dscale - from.dbias)};
    }
    static __device__ float compute(const params &, const cell &beside, const float in[])
    {
        return (float)(beside.slope * (double)in[1] + (beside.by_x * (double)in[0] + beside.rest));
    }
};

/* With another activation. Tensors: dx, dz, x, dy, y, the cells, the place in logical order. */
template <class T> struct norm_curve_op {
    typedef norm_backward_params params;
    enum { OUT = 2, IN = 3, EXTRA = 2 };

    static __device__ void run(const cuda_map_job<norm_curve_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        const cuda_norm_cell &cell = p.cells[at[5]];
        double x = (double)cuda_load(((const T *)job.data[2])[at[2]]);
        double dy = (double)cuda_load(((const T *)job.data[3])[at[3]]);
        double y = p.y ? (double)cuda_load(((const T *)p.y)[at[4]]) : 0;
        double g = before_activation(p, cell, at[6], x, dy, y);

        cuda_blend_store((T *)job.data[0] + at[0],
                         cell.slope * (g - cell.dbias - (x - cell.mean) * cell.dscale), job.blend);
        if (job.data[1])
            cuda_blend_store((T *)job.data[1] + at[1], g, job.blend);
    }
};

/* ------------------------------------------------------------------ plans */

struct backward_state {
    cuda_stats_plan stats;
    cuda_reduce_plan sums;
    cuda_norm_nhwc rows; /* of all that has x's shape */
    cuda_map_plan map;
    int32_t form; /* CUDA_BESIDE_xxx, without activation */
    int32_t (*launch)(const struct anydnn_plugin_plan *plan, const cuda_call *call);
    int64_t cells;
    double count;
};

static const struct anydnn_plugin_batch_normalization *
params_of(const struct anydnn_plugin_plan *plan)
{
    return (const struct anydnn_plugin_batch_normalization *)plan->problem.params;
}

/* Mean and variance of x again, where they were not saved. */
static int32_t run_stats(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                         cuda_norm_cell *cells)
{
    const backward_state *state = (const backward_state *)plan->job;
    void *const *from = call->operands->data;
    void *const data[CUDA_STATS_COUNT] = {from[X], nullptr, from[SCALE], from[BIAS]};
    cuda_stats_params params = {};

    params.cells = cells;
    params.count = state->count;
    params.epsilon = params_of(plan)->epsilon;
    params.factor = 1;
    return cuda_stats_run(&state->stats, plan, call, data, params);
}

/* The steps by rows, if tensors and pointers allow it. */
static int rows_of(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                   const norm_backward_params &params, cuda_norm_nhwc_job *job)
{
    void *const *from = call->operands->data;

    *job = {};
    job->rows = ((const backward_state *)plan->job)->rows;
    job->x = from[X];
    job->beside = from[DY];
    job->out = from[DX];
    job->out_z = from[DZ];
    job->reserve = (uint8_t *)params.reserve;
    job->cells = params.cells;
    job->mean = params.has_stats ? nullptr : (const float *)from[SAVE_MEAN];
    job->blend = {call->operands->scale[0], call->operands->scale[1]};
    return cuda_norm_nhwc_taken(job);
}

template <class T, bool CURVED>
static int32_t run_sums(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                        const norm_backward_params &params)
{
    const backward_state *state = (const backward_state *)plan->job;
    void *const *from = call->operands->data;
    void *const data[SUM_COUNT] = {from[X],      from[DY],        nullptr,
                                   nullptr,      nullptr,         from[SCALE],
                                   from[BIAS],   from[SAVE_MEAN], from[SAVE_INV_VAR],
                                   from[DSCALE], from[DBIAS]};
    cuda_reduce_job<norm_gradient_op<T, CURVED>> job;
    cuda_norm_nhwc_job rows;

    for (int t = 0; t < SUM_COUNT; t++)
        job.data[t] = data[t];
    job.params = params;
    if (rows_of(plan, call, params, &rows))
        return cuda_norm_nhwc_reduce(&state->sums, call, plan->problem.tensor[X]->type, &rows,
                                     &job);
    return cuda_reduce_run(&state->sums, call, &job);
}

template <class T>
static int32_t run_plain(const backward_state *state, const cuda_call *call,
                         const norm_backward_params &params)
{
    void *const *from = call->operands->data;
    cuda_beside_job<norm_plain_op<T>> job = {};

    job.data[0] = from[DX];
    job.data[1] = from[X];
    job.data[2] = from[DY];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    return cuda_beside_run(&state->map, state->form, call, &job);
}

template <class T, int OUTPUTS>
static int32_t run_elements(const backward_state *state, const cuda_call *call,
                            const norm_backward_params &params)
{
    void *const *from = call->operands->data;
    cuda_map_job<norm_backward_op<T, OUTPUTS>> job;

    job.data[0] = from[DX];
    job.data[OUTPUTS - 1] = OUTPUTS > 1 ? from[DZ] : from[DX];
    job.data[OUTPUTS] = from[X];
    job.data[OUTPUTS + 1] = from[DY];
    if constexpr (sizeof(T) < sizeof(double)) {
        if (state->form != CUDA_BESIDE_NEITHER &&
            cuda_map_aligned(&state->map, job.data, OUTPUTS + 2))
            return run_plain<T>(state, call, params);
    }
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    return cuda_map_run(&state->map, call, &job);
}

template <class T>
static int32_t run_curve(const backward_state *state, const cuda_call *call,
                         const norm_backward_params &params)
{
    void *const *from = call->operands->data;
    cuda_map_job<norm_curve_op<T>> job;

    job.data[0] = from[DX];
    job.data[1] = from[DZ];
    job.data[2] = from[X];
    job.data[3] = from[DY];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    return cuda_each_run(&state->map.walk, call, &job);
}

template <class T>
static int32_t backward_launch(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const backward_state *state = (const backward_state *)plan->job;
    void *const *from = call->operands->data;
    norm_backward_params params = {};
    cuda_norm_nhwc_job rows;
    void *scratch;
    int32_t dropped,
        status = cuda_scratch_take(call->device, call->stream,
                                   (size_t)state->cells * sizeof(cuda_norm_cell), &scratch);

    if (status)
        return status;
    params.cells = (cuda_norm_cell *)scratch;
    if (params_of(plan)->ops != CUDA_NORM_PLAIN)
        params.reserve = (const uint8_t *)from[RESERVE];
    params.y = cuda_norm_is_curved(plan) ? from[Y] : nullptr;
    params.f = cuda_norm_activation(plan);
    params.count = state->count;
    params.alpha_param = call->operands->scale[2];
    params.beta_param = call->operands->scale[3];
    params.has_stats = !plan->problem.tensor[SAVE_MEAN];
    if (params.has_stats)
        status = run_stats(plan, call, params.cells);
    if (!status)
        status = cuda_norm_is_curved(plan) ? run_sums<T, true>(plan, call, params)
                                           : run_sums<T, false>(plan, call, params);
    if (!status)
        status = rows_of(plan, call, params, &rows)
                     ? cuda_norm_nhwc_backward(call, plan->problem.tensor[X]->type, &rows)
                 : cuda_norm_is_curved(plan) ? run_curve<T>(state, call, params)
                 : from[DZ]                  ? run_elements<T, 2>(state, call, params)
                                             : run_elements<T, 1>(state, call, params);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

/* Where y or dz is absent, x or dx stands in its place. */
static void prepare_map(struct anydnn_plugin_plan *plan, cuda_map_plan *map)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    struct anydnn_plugin_tensor places = cuda_places(tensor[X]), grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *one[] = {tensor[DX], tensor[X], tensor[DY], &grid, &places};
    const struct anydnn_plugin_tensor *two[] = {tensor[DX], tensor[DZ], tensor[X],
                                                tensor[DY], &grid,      &places};
    const struct anydnn_plugin_tensor *curve[] = {
        tensor[DX], tensor[tensor[DZ] ? DZ : DX], tensor[X],
        tensor[DY], tensor[tensor[Y] ? Y : X],    &grid,
        &places};

    if (cuda_norm_is_curved(plan)) {
        cuda_walk_make(&map->walk, curve, 7, KIT_WALK_ALL, KIT_WALK_SORTED);
        return;
    }
    switch (cuda_type_size(tensor[X]->type)) {
#define CASE(T)                                                                                    \
    tensor[DZ] ? cuda_map_prepare<norm_backward_op<T, 2>>(map, two, KIT_WALK_SORTED)               \
               : cuda_map_prepare<norm_backward_op<T, 1>>(map, one, KIT_WALK_SORTED)
    case 8:
        CASE(double);
        break;
    case 4:
        CASE(float);
        break;
    default:
        CASE(cuda_half);
#undef CASE
    }
}

template <class T> static void prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    struct anydnn_plugin_tensor places = cuda_places(tensor[X]), grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *sums[SUM_COUNT] = {tensor[X],
                                                          tensor[DY],
                                                          tensor[tensor[Y] ? Y : X],
                                                          &places,
                                                          &grid,
                                                          tensor[SCALE],
                                                          tensor[BIAS],
                                                          tensor[SAVE_MEAN],
                                                          tensor[SAVE_INV_VAR],
                                                          tensor[DSCALE],
                                                          tensor[DBIAS]};
    const struct anydnn_plugin_tensor *stats[CUDA_STATS_COUNT] = {tensor[X], nullptr, tensor[SCALE],
                                                                  tensor[BIAS]};
    const struct anydnn_plugin_tensor *alike[] = {tensor[X], tensor[DY], tensor[DX], tensor[DZ]};
    backward_state *state = (backward_state *)plan->job;

    if (!cuda_norm_is_curved(plan) && (!tensor[SAVE_MEAN] || tensor[SAVE_MEAN]->strides[1] == 1))
        cuda_norm_nhwc_prepare(&state->rows, plan, params_of(plan)->ops != CUDA_NORM_PLAIN, alike,
                               4);
    for (int t = 0; t < SUM_COUNT; t++)
        sums[t] = sums[t] ? sums[t] : &grid;
    cuda_stats_prepare(&state->stats, plan, stats);
    cuda_reduce_prepare<norm_gradient_op<T, false>>(&state->sums, plan, sums,
                                                    cuda_norm_within(plan), KIT_WALK_SORTED);
    prepare_map(plan, &state->map);
    if (params_of(plan)->ops == CUDA_NORM_PLAIN && !tensor[DZ])
        state->form = cuda_beside_form(&state->map, 2, 1);
    state->cells = cuda_tensor_count(&grid);
    state->count = (double)(cuda_tensor_count(tensor[X]) / state->cells);
    state->launch = backward_launch<T>;
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    switch (plan->problem.tensor[X]->type) {
#define CASE(T) prepare<T>(plan)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    return ((const backward_state *)plan->job)->launch(plan, call);
}

CUDA_OPERATION(batch_normalization_backward, BATCH_NORMALIZATION_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(backward_state), .scratch = 1,
               .prepare = backward_prepare, .run = backward_run);
