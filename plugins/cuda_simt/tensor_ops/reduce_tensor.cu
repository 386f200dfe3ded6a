/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_tensor: c = alpha * (a reduced along every dim in which c has size 1) + beta * c, with the
 * indices of minima and maxima on request. */
#include "../../cuda_common/table.h"
#include "../shared/reduce.h"

/* The operators of struct anydnn_plugin_reduce. */
enum { ADD, MUL, MIN, MAX, AMAX, AVERAGE, NORM1, NORM2, MUL_NO_ZEROS };

struct reduce_params {
    int32_t op;
    int32_t nan_propagate;
    int32_t c_type;
    int32_t indices_type; /* -1 without indices */
    double count;         /* elements of a result */
};

/* A sum, a product, or the element chosen so far; index -1 means that none is chosen. */
struct reduce_sum {
    double value;
    int64_t index;
};

CUDA_BOTH int multiplies(int32_t op)
{
    return op == MUL || op == MUL_NO_ZEROS;
}

CUDA_BOTH int chooses(int32_t op)
{
    return op == MIN || op == MAX || op == AMAX;
}

/* Returns 1 if v replaces `best`. If NaN propagates, a NaN replaces every number and stays.
 * Otherwise it replaces none, and any number replaces it. */
CUDA_BOTH int beats(const reduce_params &p, double v, double best)
{
    if (isnan(v))
        return p.nan_propagate && !isnan(best);
    if (isnan(best))
        return !p.nan_propagate;
    return p.op == MIN ? v < best : v > best;
}

/* Replaces the chosen element if `from` beats it. The first of equal elements wins. */
CUDA_BOTH void choose(const reduce_params &p, reduce_sum *to, const reduce_sum &from)
{
    if (from.index < 0)
        return;
    if (to->index < 0 || beats(p, from.value, to->value) ||
        (!beats(p, to->value, from.value) && from.index < to->index))
        *to = from;
}

__device__ static void store_index(int32_t type, void *data, int64_t at, int64_t index)
{
    switch (type) {
    case ANYDNN_PLUGIN_UINT8:
        ((uint8_t *)data)[at] = (uint8_t)index;
        break;
    case ANYDNN_PLUGIN_UINT16:
        ((uint16_t *)data)[at] = (uint16_t)index;
        break;
    case ANYDNN_PLUGIN_UINT32:
        ((uint32_t *)data)[at] = (uint32_t)index;
        break;
    default:
        ((uint64_t *)data)[at] = (uint64_t)index;
    }
}

template <class E> struct reduce_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef reduce_params params;
    typedef cuda_nothing cell;
    typedef reduce_sum sum;
    enum { IN = 1, EXTRA = 0, OUT = 2, BY_VECTORS = 1, RUNS = 0 };

    static __device__ cell make_cell(const cuda_reduce_job<reduce_op> &, const int64_t[])
    {
        return {};
    }
    static __device__ sum start(const params &p)
    {
        return {multiplies(p.op) ? 1.0 : 0.0, -1};
    }
    static __device__ void add(const params &p, const cell &, sum *to, const A in[],
                               const int64_t[], int64_t i)
    {
        double v = (double)in[0];

        switch (p.op) {
        case ADD:
        case AVERAGE:
            to->value += v;
            break;
        case NORM1:
            to->value += fabs(v);
            break;
        case NORM2:
            to->value += v * v;
            break;
        case MUL:
            to->value *= v;
            break;
        case MUL_NO_ZEROS:
            to->value *= v == 0 ? 1 : v;
            break;
        default:
            choose(p, to, {p.op == AMAX ? fabs(v) : v, i});
        }
    }
    static __device__ void join(const params &p, sum *to, const sum &from)
    {
        if (chooses(p.op))
            choose(p, to, from);
        else if (multiplies(p.op))
            to->value *= from.value;
        else
            to->value += from.value;
    }
    static __device__ void finish(const cuda_reduce_job<reduce_op> &job, const int64_t at[],
                                  int64_t, const sum &from)
    {
        const params &p = job.params;
        double value = p.op == AVERAGE ? from.value / p.count
                       : p.op == NORM2 ? sqrt(from.value)
                                       : from.value;

        cuda_blend_store_any(p.c_type, job.data[1], at[1], value, job.blend);
        if (p.indices_type >= 0)
            store_index(p.indices_type, job.data[2], at[2], from.index);
    }
};

/* The op for sums and averages only; it does not test the operator for each element. */
template <class E> struct reduce_add_op : cuda_plain_runs<reduce_params> {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef reduce_params params;
    typedef cuda_nothing cell;
    typedef double sum;
    enum { IN = 1, EXTRA = 0, OUT = 2, BY_VECTORS = 1, RUNS = sizeof(A) == sizeof(float) };

    static __device__ cell make_cell(const cuda_reduce_job<reduce_add_op> &, const int64_t[])
    {
        return {};
    }
    static __device__ sum start(const params &)
    {
        return 0;
    }
    static __device__ void add(const params &, const cell &, sum *to, const A in[], const int64_t[],
                               int64_t)
    {
        *to += (double)in[0];
    }
    static __device__ void join(const params &, sum *to, const sum &from)
    {
        *to += from;
    }
    static __device__ void finish(const cuda_reduce_job<reduce_add_op> &job, const int64_t at[],
                                  int64_t, const sum &from)
    {
        cuda_blend_store_any(job.params.c_type, job.data[1], at[1],
                             job.params.op == AVERAGE ? from / job.params.count : from, job.blend);
    }
};

/* ------------------------------------------------------------------ plans */

struct reduce_state {
    cuda_reduce_plan reduce;
    int32_t (*launch)(const reduce_state *state, const cuda_call *call);
    reduce_params params;
};

template <class Op> static int32_t launch(const reduce_state *state, const cuda_call *call)
{
    cuda_reduce_job<Op> job;

    job.data[0] = call->operands->data[slot_reduce_tensor_a];
    job.data[1] = call->operands->data[slot_reduce_tensor_c];
    job.data[2] = call->operands->data[slot_reduce_tensor_indices];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = state->params;
    return cuda_reduce_run(&state->reduce, call, &job);
}

/* Returns the dims that are reduced (size 1 in c but not in a), as bits. */
static uint32_t reduced_dims(const struct anydnn_plugin_tensor *a,
                             const struct anydnn_plugin_tensor *c)
{
    uint32_t reduced = 0;

    for (int32_t d = 0; d < a->ndims; d++) {
        if (a->dims[d] != c->dims[d])
            reduced |= 1u << d;
    }
    return reduced;
}

/* Prepares a plan. If indices are requested, elements are counted in logical order. */
template <class Op> static void prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *walked[] = {
        tensor[slot_reduce_tensor_a], tensor[slot_reduce_tensor_c],
        tensor[tensor[slot_reduce_tensor_indices] ? slot_reduce_tensor_indices
                                                  : slot_reduce_tensor_c]};
    reduce_state *state = (reduce_state *)plan->job;

    cuda_reduce_prepare<Op>(
        &state->reduce, plan, walked,
        reduced_dims(tensor[slot_reduce_tensor_a], tensor[slot_reduce_tensor_c]),
        tensor[slot_reduce_tensor_indices] ? KIT_WALK_LOGICAL : KIT_WALK_SORTED);
    state->launch = launch<Op>;
}

static void reduce_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_reduce *params =
        (const struct anydnn_plugin_reduce *)plan->problem.params;
    reduce_state *state = (reduce_state *)plan->job;
    int adds = (params->op == ADD || params->op == AVERAGE) && !tensor[slot_reduce_tensor_indices];

    state->params = {params->op, params->nan_propagate, tensor[slot_reduce_tensor_c]->type,
                     tensor[slot_reduce_tensor_indices] ? tensor[slot_reduce_tensor_indices]->type
                                                        : -1,
                     (double)(cuda_tensor_count(tensor[slot_reduce_tensor_a]) /
                              cuda_tensor_count(tensor[slot_reduce_tensor_c]))};
    switch (tensor[slot_reduce_tensor_a]->type) {
#define CASE(T) adds ? prepare<reduce_add_op<T>>(plan) : prepare<reduce_op<T>>(plan)
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

static int32_t reduce_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const reduce_state *state = (const reduce_state *)plan->job;
    return state->launch(state, call);
}

CUDA_OPERATION(reduce_tensor, REDUCE_TENSOR, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .job_size = sizeof(reduce_state), .prepare = reduce_prepare,
               .run = reduce_run);
