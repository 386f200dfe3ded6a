/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization forward, with statistics given (inference) or taken from x (training):
 * y = act(scale * (x - mean) / sqrt(var + epsilon) + bias + z). */
#include "../shared/beside.h"
#include "../table.h"
#include "batch_norm_nhwc.h"

/* Slots. */
enum { INFERENCE_X, INFERENCE_SCALE, INFERENCE_BIAS, INFERENCE_MEAN, INFERENCE_VAR, INFERENCE_Y };
enum {
    TRAINING_X,
    TRAINING_SCALE,
    TRAINING_BIAS,
    TRAINING_Z,
    TRAINING_RUNNING_MEAN,
    TRAINING_RUNNING_VAR,
    TRAINING_Y,
    TRAINING_SAVE_MEAN,
    TRAINING_SAVE_INV_VAR,
    TRAINING_RESERVE
};

/* ------------------------------------------------------------------ elements */

struct inference_params {
    const void *scale, *bias, *mean, *var;
    double epsilon;
    cuda_activation f;
    int32_t ops;
};

/* Extra tensors: the four parameters. */
template <class E> struct norm_inference_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef inference_params params;
    enum { OUT = 1, IN = 1, EXTRA = 4 };

    typedef cuda_norm_numbers<A> cell;

    static __device__ cell make_cell(const params &p, const int64_t at[])
    {
        double var = cuda_norm_load<T>(p.var, at[3]);

        return {(A)cuda_norm_load<T>(p.mean, at[2]), 1 / sqrt((A)(var + p.epsilon)),
                (A)cuda_norm_load<T>(p.scale, at[0]), (A)cuda_norm_load<T>(p.bias, at[1])};
    }
    static __device__ A compute(const params &p, const cell &beside, const A in[])
    {
        A v = cuda_normalize(beside, in[0]);

        return p.ops == CUDA_NORM_PLAIN ? v : cuda_activate(p.f, v);
    }
    static __device__ void compute(const params &p, const A in[], const int64_t at[], A out[])
    {
        out[0] = compute(p, make_cell(p, at), in);
    }
};

struct training_params {
    const void *numbers; /* cuda_norm_numbers of each cell */
    cuda_activation f;
    uint8_t *reserve;
    int32_t with_z;
};

/* Without activation. Extra tensor: the cells. */
template <class E> struct norm_training_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef training_params params;
    enum { OUT = 1, IN = 1, EXTRA = 1 };

    typedef cuda_norm_numbers<A> cell;

    static __device__ cell make_cell(const params &p, const int64_t at[])
    {
        return ((const cell *)p.numbers)[at[0]];
    }
    static __device__ A compute(const params &, const cell &beside, const A in[])
    {
        return cuda_normalize(beside, in[0]);
    }
    static __device__ void compute(const params &p, const A in[], const int64_t at[], A out[])
    {
        out[0] = compute(p, make_cell(p, at), in);
    }
};

/* With it: eight elements, in logical order, and their byte of the reserve. Tensors: y, x, z, the
 * cells. */
template <class T>
__global__ void __launch_bounds__(CUDA_THREADS) norm_activate(cuda_map_job<norm_training_op<T>> job)
{
    typedef typename cuda_arith<T>::type A;
    const training_params &p = job.params;
    int64_t byte = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at[4];
    unsigned bits = 0;

    if (byte * 8 >= job.walk.count)
        return;
    for (int i = 0; i < 8 && byte * 8 + i < job.walk.count; i++) {
        A v;

        cuda_walk_place<4>(job.walk, byte * 8 + i, at);
        v = cuda_normalize(((const cuda_norm_numbers<A> *)p.numbers)[at[3]],
                           (A)cuda_load(((const T *)job.data[1])[at[1]]));
        if (p.with_z)
            v += cuda_load(((const T *)job.data[2])[at[2]]);
        bits |= (unsigned)cuda_norm_passes(p.f, v) << i;
        cuda_blend_store((T *)job.data[0] + at[0], cuda_activate(p.f, v), job.blend);
    }
    p.reserve[byte] = (uint8_t)bits;
}

/* ------------------------------------------------------------------ plans */

struct forward_state {
    cuda_stats_plan stats;
    cuda_norm_nhwc rows; /* of all that has x's shape */
    cuda_map_plan map;
    int32_t form; /* CUDA_BESIDE_xxx */
    int32_t (*launch)(const struct anydnn_plugin_plan *plan, const cuda_call *call);
    int64_t cells;
    double count;
};

static const struct anydnn_plugin_batch_normalization *
params_of(const struct anydnn_plugin_plan *plan)
{
    return (const struct anydnn_plugin_batch_normalization *)plan->problem.params;
}

/* y of x, in the form that takes the tensors. */
template <class Op>
static int32_t run_plain(const forward_state *state, const cuda_call *call, void *y, void *x,
                         const typename Op::params &params)
{
    void *const data[] = {y, x};
    cuda_blend blend = {call->operands->scale[0], call->operands->scale[1]};
    cuda_map_job<Op> job;

    if constexpr (sizeof(typename Op::T) < sizeof(double)) {
        if (state->form != CUDA_BESIDE_NEITHER && cuda_map_aligned(&state->map, data, 2)) {
            cuda_beside_job<Op> beside = {};

            beside.data[0] = y;
            beside.data[1] = x;
            beside.blend = blend;
            beside.params = params;
            return cuda_beside_run(&state->map, state->form, call, &beside);
        }
    }
    job.data[0] = y;
    job.data[1] = x;
    job.blend = blend;
    job.params = params;
    return cuda_map_run(&state->map, call, &job);
}

template <class T>
static int32_t inference_launch(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const forward_state *state = (const forward_state *)plan->job;
    void *const *data = call->operands->data;
    const inference_params params = {data[INFERENCE_SCALE],    data[INFERENCE_BIAS],
                                     data[INFERENCE_MEAN],     data[INFERENCE_VAR],
                                     params_of(plan)->epsilon, cuda_norm_activation(plan),
                                     params_of(plan)->ops};

    return run_plain<norm_inference_op<T>>(state, call, data[INFERENCE_Y], data[INFERENCE_X],
                                           params);
}

template <class T> static void prepare_inference(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *mapped[] = {tensor[INFERENCE_Y],     tensor[INFERENCE_X],
                                                   tensor[INFERENCE_SCALE], tensor[INFERENCE_BIAS],
                                                   tensor[INFERENCE_MEAN],  tensor[INFERENCE_VAR]};
    forward_state *state = (forward_state *)plan->job;

    cuda_map_prepare<norm_inference_op<T>>(&state->map, mapped, KIT_WALK_SORTED);
    state->form = cuda_beside_form(&state->map, 1, 4);
    state->launch = inference_launch<T>;
}

static void inference_prepare(struct anydnn_plugin_plan *plan)
{
    switch (plan->problem.tensor[INFERENCE_X]->type) {
#define CASE(T) prepare_inference<T>(plan)
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

/* The second step by rows, if tensors and pointers allow it. */
static int rows_of(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                   const cuda_norm_cell *cells, cuda_norm_nhwc_job *job)
{
    void *const *data = call->operands->data;
    int active = params_of(plan)->ops != CUDA_NORM_PLAIN;

    *job = {};
    job->rows = ((const forward_state *)plan->job)->rows;
    job->x = data[TRAINING_X];
    job->beside = params_of(plan)->ops == CUDA_NORM_ADD_ACTIVATION ? data[TRAINING_Z] : nullptr;
    job->out = data[TRAINING_Y];
    job->reserve = active ? (uint8_t *)data[TRAINING_RESERVE] : nullptr;
    job->cells = cells;
    job->blend = {call->operands->scale[0], call->operands->scale[1]};
    job->f = cuda_norm_activation(plan);
    return cuda_norm_nhwc_taken(job);
}

/* The second step, once the cells are made. */
template <class T>
static int32_t training_elements(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                                 const void *numbers)
{
    const forward_state *state = (const forward_state *)plan->job;
    void *const *data = call->operands->data;
    int with_z = params_of(plan)->ops == CUDA_NORM_ADD_ACTIVATION;
    const training_params params = {numbers, cuda_norm_activation(plan),
                                    (uint8_t *)data[TRAINING_RESERVE], with_z};
    cuda_map_job<norm_training_op<T>> job;

    if (params_of(plan)->ops == CUDA_NORM_PLAIN)
        return run_plain<norm_training_op<T>>(state, call, data[TRAINING_Y], data[TRAINING_X],
                                              params);
    job.data[0] = data[TRAINING_Y];
    job.data[1] = data[TRAINING_X];
    job.data[2] = data[with_z ? TRAINING_Z : TRAINING_X];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    job.walk = state->map.walk;
    return cuda_launch(call, norm_activate<T>, cuda_blocks(job.walk.count, CUDA_THREADS * 8), 1,
                       job);
}

template <class T>
static int32_t training_launch(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const forward_state *state = (const forward_state *)plan->job;
    void *const *from = call->operands->data;
    void *const data[CUDA_STATS_COUNT] = {from[TRAINING_X],
                                          nullptr,
                                          from[TRAINING_SCALE],
                                          from[TRAINING_BIAS],
                                          from[TRAINING_RUNNING_MEAN],
                                          from[TRAINING_RUNNING_VAR],
                                          from[TRAINING_SAVE_MEAN],
                                          from[TRAINING_SAVE_INV_VAR]};
    typedef cuda_norm_numbers<typename cuda_arith<T>::type> numbers;
    size_t bytes = (size_t)state->cells * (sizeof(cuda_norm_cell) + sizeof(numbers));
    void *scratch;
    int32_t dropped, status = cuda_scratch_take(call->device, call->stream, bytes, &scratch);
    cuda_stats_params params = {};
    cuda_norm_nhwc_job rows;

    if (status)
        return status;
    params.cells = (cuda_norm_cell *)scratch;
    params.numbers = params.cells + state->cells;
    params.count = state->count;
    params.epsilon = params_of(plan)->epsilon;
    params.factor = call->operands->number[0];
    status = cuda_stats_run(&state->stats, plan, call, data, params);
    if (!status)
        status = rows_of(plan, call, params.cells, &rows)
                     ? cuda_norm_nhwc_forward(call, plan->problem.tensor[TRAINING_X]->type, &rows)
                     : training_elements<T>(plan, call, params.numbers);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

template <class T> static void prepare_training(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *stats[CUDA_STATS_COUNT] = {tensor[TRAINING_X],
                                                                  nullptr,
                                                                  tensor[TRAINING_SCALE],
                                                                  tensor[TRAINING_BIAS],
                                                                  tensor[TRAINING_RUNNING_MEAN],
                                                                  tensor[TRAINING_RUNNING_VAR],
                                                                  tensor[TRAINING_SAVE_MEAN],
                                                                  tensor[TRAINING_SAVE_INV_VAR]};
    struct anydnn_plugin_tensor grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *z = tensor[tensor[TRAINING_Z] ? TRAINING_Z : TRAINING_X];
    const struct anydnn_plugin_tensor *plain[] = {tensor[TRAINING_Y], tensor[TRAINING_X], &grid};
    const struct anydnn_plugin_tensor *active[] = {tensor[TRAINING_Y], tensor[TRAINING_X], z,
                                                   &grid};
    const struct anydnn_plugin_tensor *alike[] = {tensor[TRAINING_X], tensor[TRAINING_Y],
                                                  tensor[TRAINING_Z]};
    forward_state *state = (forward_state *)plan->job;

    if (!cuda_norm_is_curved(plan))
        cuda_norm_nhwc_prepare(&state->rows, plan, params_of(plan)->ops != CUDA_NORM_PLAIN, alike,
                               3);
    cuda_stats_prepare(&state->stats, plan, stats);
    if (params_of(plan)->ops == CUDA_NORM_PLAIN) {
        cuda_map_prepare<norm_training_op<T>>(&state->map, plain, KIT_WALK_SORTED);
        state->form = cuda_beside_form(&state->map, 1, 1);
    } else {
        cuda_walk_make(&state->map.walk, active, 4, KIT_WALK_ALL, KIT_WALK_LOGICAL);
    }
    state->cells = cuda_tensor_count(&grid);
    state->count = (double)(cuda_tensor_count(tensor[TRAINING_X]) / state->cells);
    state->launch = training_launch<T>;
}

static void training_prepare(struct anydnn_plugin_plan *plan)
{
    switch (plan->problem.tensor[TRAINING_X]->type) {
#define CASE(T) prepare_training<T>(plan)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    return ((const forward_state *)plan->job)->launch(plan, call);
}

CUDA_OPERATION(batch_normalization_inference, BATCH_NORMALIZATION_INFERENCE,
               .types = CUDA_FLOATS | CUDA_TYPE(INT8), .layouts = KIT_LAYOUTS,
               .job_size = sizeof(forward_state), .prepare = inference_prepare, .run = run);
CUDA_OPERATION(batch_normalization_training, BATCH_NORMALIZATION_TRAINING, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(forward_state), .scratch = 1,
               .prepare = training_prepare, .run = run);
