/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalization across channels, forward and backward: by runs of channels
 * (lrn_runs.h) where channels or positions lie side by side; for other strides, double and integers
 * a thread gathers one element. */
#include "../table.h"
#include "lrn_runs.h"

/* Slots. */
enum { FORWARD_X, FORWARD_Y };
enum { BACKWARD_Y, BACKWARD_DY, BACKWARD_X, BACKWARD_DX };

/* Channels' strides in x and dy. */
struct lrn_params {
    cuda_lrn lrn;
    int64_t channels, stride_x, stride_dy;
};

/* k + alpha * (sum of x^2 over the window of channel c); x points to channel 0. */
template <class T>
__device__ static inline double scale_at(const lrn_params &p, const T *x, int64_t c)
{
    int64_t first = c > p.lrn.before ? c - p.lrn.before : 0;
    int64_t last = c + p.lrn.after < p.channels ? c + p.lrn.after : p.channels - 1;
    double sum = 0;

    for (int64_t j = first; j <= last; j++) {
        double value = (double)cuda_load(x[j * p.stride_x]);
        sum += value * value;
    }
    return p.lrn.k + p.lrn.alpha * sum;
}

template <class T> __device__ static inline double power(double scale, double beta)
{
    typedef typename cuda_arith<T>::type A;
    return (double)pow((A)scale, (A)-beta);
}

/* Tensors: y, x without its channels, the channel. */
template <class T> struct lrn_forward_op {
    typedef lrn_params params;
    enum { OUT = 1, IN = 1, EXTRA = 1 };

    static __device__ void run(const cuda_map_job<lrn_forward_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        const T *x = (const T *)job.data[1] + at[1];
        double value = (double)cuda_load(x[at[2] * p.stride_x]);

        value *= power<T>(scale_at(p, x, at[2]), p.lrn.beta);
        cuda_blend_store((T *)job.data[0] + at[0], value, job.blend);
    }
};

/* dx_c = dy_c s_c^-b - 2 a b x_c (sum of dy_j x_j s_j^(-b-1) over channels j in whose window c
 * lies). Tensors: dx, x and dy without their channels, the channel. */
template <class T> struct lrn_backward_op {
    typedef lrn_params params;
    enum { OUT = 1, IN = 2, EXTRA = 1 };

    static __device__ void run(const cuda_map_job<lrn_backward_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        const T *x = (const T *)job.data[1] + at[1], *dy = (const T *)job.data[2] + at[2];
        int64_t c = at[3], first = c > p.lrn.after ? c - p.lrn.after : 0;
        int64_t last = c + p.lrn.before < p.channels ? c + p.lrn.before : p.channels - 1;
        double sum = 0, direct = 0;

        for (int64_t j = first; j <= last; j++) {
            double s = scale_at(p, x, j), through;

            through = (double)cuda_load(dy[j * p.stride_dy]) * power<T>(s, p.lrn.beta);
            direct = j == c ? through : direct;
            sum += through * (double)cuda_load(x[j * p.stride_x]) / s;
        }
        direct -= 2 * p.lrn.alpha * p.lrn.beta * (double)cuda_load(x[c * p.stride_x]) * sum;
        cuda_blend_store((T *)job.data[0] + at[0], direct, job.blend);
    }
};

/* ------------------------------------------------------------------ plans */

struct lrn_state {
    cuda_walk walk;
    int32_t (*launch)(const lrn_state *state, const cuda_call *call, void *const data[]);
    lrn_params params;
    /* By runs, if not NULL. */
    int32_t (*run)(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call);
    lrn_runs runs;
};

template <class Op>
static int32_t launch(const lrn_state *state, const cuda_call *call, void *const data[])
{
    cuda_map_job<Op> job;

    for (int t = 0; t < Op::OUT + Op::IN; t++)
        job.data[t] = data[t];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = state->params;
    return cuda_each_run(&state->walk, call, &job);
}

/* `tensor`: out, x, backward dy. */
static void runs_prepare(const struct anydnn_plugin_plan *plan, lrn_state *state,
                         const struct anydnn_plugin_tensor *const tensor[], int32_t tensors)
{
    const cuda_lrn &lrn = state->params.lrn;
    lrn_runs *runs = &state->runs;

    if (!lrn_is_float(lrn, tensor[0]->type))
        return;
    runs->f = lrn_factors_of(lrn, tensor[0]->type);
    runs->through = 2 * runs->f.alpha * runs->f.beta;
    runs->channels = tensor[0]->dims[1];
    for (int32_t t = 0; t < tensors; t++)
        runs->stride[t] = tensor[t]->strides[1];
    runs->before = (int32_t)lrn.before;
    runs->after = (int32_t)lrn.after;
    if (lrn_rows_prepare(runs, tensor, tensors))
        state->run = lrn_rows_run;
    else if (lrn_columns_prepare(runs, plan->multiprocessors, tensor, tensors))
        state->run = lrn_columns_run;
}

/* `data`: out, x, backward dy. */
static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call, void *const data[],
                   int32_t tensors)
{
    const lrn_state *state = (const lrn_state *)plan->job;
    lrn_runs runs;

    if (!state->run)
        return state->launch(state, call, data);
    runs = state->runs;
    for (int32_t t = 0; t < tensors; t++)
        runs.data[t] = data[t];
    runs.blend = {call->operands->scale[0], call->operands->scale[1]};
    return state->run(&runs, plan->problem.tensor[0]->type, tensors == LRN_TENSORS, call);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[FORWARD_X];
    struct anydnn_plugin_tensor x_part = cuda_part(x, ~(1u << 1)), channel = cuda_coordinate(x, 1);
    const struct anydnn_plugin_tensor *walked[] = {plan->problem.tensor[FORWARD_Y], &x_part,
                                                   &channel};
    const struct anydnn_plugin_tensor *tensor[] = {walked[0], x};
    lrn_state *state = (lrn_state *)plan->job;

    cuda_walk_make(&state->walk, walked, 3, KIT_WALK_ALL, KIT_WALK_SORTED);
    state->params = {cuda_lrn_of(&plan->problem, 1, x->type), x->dims[1], x->strides[1], 0};
    runs_prepare(plan, state, tensor, 2);
    switch (x->type) {
#define CASE(T) state->launch = launch<lrn_forward_op<T>>
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    void *const data[] = {call->operands->data[FORWARD_Y], call->operands->data[FORWARD_X]};

    return run(plan, call, data, 2);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[BACKWARD_X];
    const struct anydnn_plugin_tensor *dy = plan->problem.tensor[BACKWARD_DY];
    struct anydnn_plugin_tensor x_part = cuda_part(x, ~(1u << 1)), channel = cuda_coordinate(x, 1);
    struct anydnn_plugin_tensor dy_part = cuda_part(dy, ~(1u << 1));
    const struct anydnn_plugin_tensor *walked[] = {plan->problem.tensor[BACKWARD_DX], &x_part,
                                                   &dy_part, &channel};
    const struct anydnn_plugin_tensor *tensor[] = {walked[0], x, dy};
    lrn_state *state = (lrn_state *)plan->job;

    cuda_walk_make(&state->walk, walked, 4, KIT_WALK_ALL, KIT_WALK_SORTED);
    state->params = {cuda_lrn_of(&plan->problem, 1, x->type), x->dims[1], x->strides[1],
                     dy->strides[1]};
    runs_prepare(plan, state, tensor, 3);
    switch (x->type) {
#define CASE(T) state->launch = launch<lrn_backward_op<T>>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    void *const data[] = {call->operands->data[BACKWARD_DX], call->operands->data[BACKWARD_X],
                          call->operands->data[BACKWARD_DY]};

    return run(plan, call, data, 3);
}

/* A thread reads the channels around those that it writes, which are other threads'. */
static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int out = plan->problem.operation == ANYDNN_PLUGIN_LRN_FORWARD ? FORWARD_Y : BACKWARD_DX;

    if (!plan->problem.alias[out])
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                      "the result in operand %d would be written over operand %d, whose "
                      "channels neighbours still read",
                      out, plan->problem.alias[out] - 1);
}

const struct cuda_operation cuda_lrn_forward = {ANYDNN_PLUGIN_LRN_FORWARD,
                                                CUDA_FLOATS | CUDA_TYPE(INT8),
                                                KIT_LAYOUTS,
                                                sizeof(lrn_state),
                                                NO_SCRATCH,
                                                0,
                                                0,
                                                check,
                                                forward_prepare,
                                                forward_run,
                                                nullptr,
                                                nullptr};
const struct cuda_operation cuda_lrn_backward = {ANYDNN_PLUGIN_LRN_BACKWARD,
                                                 CUDA_FLOATS,
                                                 KIT_LAYOUTS,
                                                 sizeof(lrn_state),
                                                 NO_SCRATCH,
                                                 0,
                                                 0,
                                                 check,
                                                 backward_prepare,
                                                 backward_run,
                                                 nullptr,
                                                 nullptr};
