/* SPDX-License-Identifier: Apache-2.0 */
/* The second step of batch normalization backward in its plain form, for tensors of any strides and
 * types: dx, and dz if present, of each element from its cell. batch_norm_backward.cu explains the
 * names. */
#include "../shared/beside.h"
#include "batch_norm_gradient.h"
#include "batch_norm_plain.h"

/* ------------------------------------------------------------------ elements */

/* The op without activation or with a ReLU. Outputs: dx, or dx and dz; inputs: x, dy; extra: the
 * cells, the index in logical order. */
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

/* A cell of the op without activation, in float: dx = slope * (g - rest - (x - shift) * dscale).
 * `rest` also corrects for the difference between the mean and its float value. The op's extra
 * tensor is the cells. */
struct norm_plain_cell {
    float slope, dscale, shift, rest;
};

template <class E> struct norm_plain_op {
    typedef E T;
    typedef norm_backward_params params;
    typedef norm_plain_cell cell;
    enum { IN = 2, EXTRA = 1 };

    static __device__ cell make_cell(const params &p, const int64_t at[])
    {
        const cuda_norm_cell &from = p.cells[at[0]];
        float shift = (float)from.mean;

        return {(float)from.slope, (float)from.dscale, shift,
                (float)(from.dbias + ((double)shift - from.mean) * from.dscale)};
    }
    static __device__ float compute(const params &, const cell &beside, const float in[])
    {
        return beside.slope * fmaf(beside.shift - in[0], beside.dscale, in[1] - beside.rest);
    }
};

/* The op for other activations. Tensors: dx, dz, x, dy, y, the cells, the index in logical
 * order. */
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

template <class T>
static int32_t run_beside(const norm_plain_backward *plain, const cuda_call *call,
                          const norm_backward_params &params)
{
    void *const *from = call->operands->data;
    cuda_beside_job<norm_plain_op<T>> job = {};

    job.data[0] = from[NORM_BACKWARD(dx)];
    job.data[1] = from[NORM_BACKWARD(x)];
    job.data[2] = from[NORM_BACKWARD(dy)];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    return cuda_beside_run(&plain->map, plain->form, call, &job);
}

template <class T, int OUTPUTS>
static int32_t run_elements(const norm_plain_backward *plain, const cuda_call *call,
                            const norm_backward_params &params)
{
    void *const *from = call->operands->data;
    cuda_map_job<norm_backward_op<T, OUTPUTS>> job;

    job.data[0] = from[NORM_BACKWARD(dx)];
    job.data[OUTPUTS - 1] = OUTPUTS > 1 ? from[NORM_BACKWARD(dz)] : from[NORM_BACKWARD(dx)];
    job.data[OUTPUTS] = from[NORM_BACKWARD(x)];
    job.data[OUTPUTS + 1] = from[NORM_BACKWARD(dy)];
    if constexpr (sizeof(T) < sizeof(double)) {
        if (plain->form != CUDA_BESIDE_NEITHER &&
            cuda_map_aligned(&plain->map, job.data, OUTPUTS + 2))
            return run_beside<T>(plain, call, params);
    }
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    return cuda_map_run(&plain->map, call, &job);
}

template <class T>
static int32_t run_curve(const norm_plain_backward *plain, const cuda_call *call,
                         const norm_backward_params &params)
{
    void *const *from = call->operands->data;
    cuda_map_job<norm_curve_op<T>> job;

    job.data[0] = from[NORM_BACKWARD(dx)];
    job.data[1] = from[NORM_BACKWARD(dz)];
    job.data[2] = from[NORM_BACKWARD(x)];
    job.data[3] = from[NORM_BACKWARD(dy)];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    return cuda_each_run(&plain->map.walk, call, &job);
}

template <class T>
static int32_t launch(const norm_plain_backward *plain, const struct anydnn_plugin_plan *plan,
                      const cuda_call *call, const norm_backward_params &params)
{
    return cuda_norm_is_curved(plan)                 ? run_curve<T>(plain, call, params)
           : call->operands->data[NORM_BACKWARD(dz)] ? run_elements<T, 2>(plain, call, params)
                                                     : run_elements<T, 1>(plain, call, params);
}

/* Prepares the map. If y or dz is absent, x or dx takes its place. */
static void prepare_map(const struct anydnn_plugin_plan *plan, cuda_map_plan *map)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    struct anydnn_plugin_tensor logical = cuda_logical(tensor[NORM_BACKWARD(x)]),
                                grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *one[] = {tensor[NORM_BACKWARD(dx)], tensor[NORM_BACKWARD(x)],
                                                tensor[NORM_BACKWARD(dy)], &grid, &logical};
    const struct anydnn_plugin_tensor *two[] = {tensor[NORM_BACKWARD(dx)],
                                                tensor[NORM_BACKWARD(dz)],
                                                tensor[NORM_BACKWARD(x)],
                                                tensor[NORM_BACKWARD(dy)],
                                                &grid,
                                                &logical};
    const struct anydnn_plugin_tensor *curve[] = {
        tensor[NORM_BACKWARD(dx)],
        tensor[tensor[NORM_BACKWARD(dz)] ? NORM_BACKWARD(dz) : NORM_BACKWARD(dx)],
        tensor[NORM_BACKWARD(x)],
        tensor[NORM_BACKWARD(dy)],
        tensor[tensor[NORM_BACKWARD(y)] ? NORM_BACKWARD(y) : NORM_BACKWARD(x)],
        &grid,
        &logical};

    if (cuda_norm_is_curved(plan)) {
        cuda_walk_make(&map->walk, curve, 7, KIT_WALK_ALL, KIT_WALK_SORTED);
        return;
    }
    switch (cuda_type_size(tensor[NORM_BACKWARD(x)]->type)) {
#define CASE(T)                                                                                    \
    tensor[NORM_BACKWARD(dz)]                                                                      \
        ? cuda_map_prepare<norm_backward_op<T, 2>>(map, two, KIT_WALK_SORTED)                      \
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

void norm_plain_gradient(norm_plain_backward *plain, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;

    prepare_map(plan, &plain->map);
    if (cuda_norm_params(plan)->ops == CUDA_NORM_PLAIN && !tensor[NORM_BACKWARD(dz)])
        plain->form = cuda_beside_form(&plain->map, 2, 1);
    switch (tensor[NORM_BACKWARD(x)]->type) {
#define CASE(T) plain->launch = launch<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}
