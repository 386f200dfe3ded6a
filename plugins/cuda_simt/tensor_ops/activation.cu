/* SPDX-License-Identifier: Apache-2.0 */
/* Activation forward and backward. The gradient is a function of y and dy; only swish reads x. */
#include "../../cuda_common/activate.h"
#include "../../cuda_common/table.h"
#include "../shared/map.h"

template <class E> struct activation_forward_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef cuda_activation params;
    enum { OUT = 1, IN = 1, EXTRA = 0 };

    static __device__ void compute(const params &f, const A in[], const int64_t *, A out[])
    {
        out[0] = cuda_activate(f, in[0]);
    }
};

/* Selects the function once for all lanes; the most frequent functions are inlined here. */
template <class E> struct cuda_map_lanes<activation_forward_op<E>> {
    typedef typename cuda_arith<E>::type A;
    enum { LANES = cuda_vector<E>::LANES };

    static __device__ void compute(const cuda_activation &f, const A in[][LANES], const int64_t *,
                                   const int64_t *, A out[][LANES])
    {
        if (f.mode == CUDA_RELU) {
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                out[0][lane] =
                    in[0][lane] > 0 || (f.nan_propagate && isnan(in[0][lane])) ? in[0][lane] : 0;
        } else if (f.mode == CUDA_TANH) {
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                out[0][lane] = cuda_tanh(in[0][lane]);
        } else {
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                out[0][lane] = cuda_activate(f, in[0][lane]);
        }
    }
};

template <class E> struct activation_backward_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef cuda_activation params;
    enum { OUT = 1, IN = 2, EXTRA = 0 };

    static __device__ void compute(const params &f, const A in[], const int64_t *, A out[])
    {
        out[0] = cuda_activation_gradient(f, in[0], in[1], (A)0);
    }
};

template <class E> struct activation_swish_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef cuda_activation params;
    enum { OUT = 1, IN = 3, EXTRA = 0 };

    static __device__ void compute(const params &f, const A in[], const int64_t *, A out[])
    {
        out[0] = cuda_activation_gradient(f, in[0], in[1], in[2]);
    }
};

/* ------------------------------------------------------------------ plans */

struct activation_state {
    cuda_map_plan map;
    int32_t (*launch)(const activation_state *state, const cuda_call *call, void *const data[]);
    cuda_activation f;
};

template <class Op>
static int32_t launch(const activation_state *state, const cuda_call *call, void *const data[])
{
    const double *scale = call->operands->scale;
    cuda_map_job<Op> job;

    for (int t = 0; t < Op::OUT + Op::IN; t++)
        job.data[t] = data[t];
    job.blend = {scale[0], scale[1]};
    job.params = state->f;
    return cuda_map_run(&state->map, call, &job);
}

template <class Op>
static void prepare(activation_state *state, const struct anydnn_plugin_tensor *const tensor[])
{
    cuda_map_prepare<Op>(&state->map, tensor, KIT_WALK_SORTED);
    state->launch = launch<Op>;
}

static cuda_activation activation_of(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_activation *params =
        (const struct anydnn_plugin_activation *)plan->problem.params;
    return {params->mode, params->nan_propagate, params->coef};
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *mapped[] = {tensor[slot_activation_forward_y],
                                                   tensor[slot_activation_forward_x]};
    activation_state *state = (activation_state *)plan->job;

    state->f = activation_of(plan);
    switch (tensor[slot_activation_forward_x]->type) {
#define CASE(T) prepare<activation_forward_op<T>>(state, mapped)
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const activation_state *state = (const activation_state *)plan->job;
    void *const *data = call->operands->data;
    void *const mapped[] = {data[slot_activation_forward_y], data[slot_activation_forward_x]};

    return state->launch(state, call, mapped);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *mapped[] = {
        tensor[slot_activation_backward_dx], tensor[slot_activation_backward_y],
        tensor[slot_activation_backward_dy], tensor[slot_activation_backward_x]};
    activation_state *state = (activation_state *)plan->job;
    int swish;

    state->f = activation_of(plan);
    swish = state->f.mode == CUDA_SWISH;
    switch (tensor[slot_activation_backward_dy]->type) {
#define CASE(T)                                                                                    \
    swish ? prepare<activation_swish_op<T>>(state, mapped)                                         \
          : prepare<activation_backward_op<T>>(state, mapped)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const activation_state *state = (const activation_state *)plan->job;
    void *const *data = call->operands->data;
    void *const mapped[] = {data[slot_activation_backward_dx], data[slot_activation_backward_y],
                            data[slot_activation_backward_dy], data[slot_activation_backward_x]};

    return state->launch(state, call, mapped);
}

CUDA_OPERATION(activation_forward, ACTIVATION_FORWARD, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .job_size = sizeof(activation_state),
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .prepare = forward_prepare,
               .run = forward_run);
CUDA_OPERATION(activation_backward, ACTIVATION_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(activation_state),
               .prepare = backward_prepare, .run = backward_run);
