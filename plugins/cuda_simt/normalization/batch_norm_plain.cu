/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization forward in its plain form: one element at a time, with its cell, for tensors
 * of any strides and types. */
#include "../shared/beside.h"
#include "batch_norm.h"
#include "batch_norm_plain.h"

/* ------------------------------------------------------------------ elements */

struct inference_params {
    const void *scale, *bias, *mean, *var;
    double epsilon;
    cuda_activation f;
    int32_t ops;
    uint32_t shorts; /* the parameters that are short, as bits in their order */
};

/* The op of inference. Its extra tensors are the four parameters. */
template <class E> struct norm_inference_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef inference_params params;
    enum { OUT = 1, IN = 1, EXTRA = 4 };

    typedef cuda_norm_numbers<A> cell;

    static __device__ cell make_cell(const params &p, const int64_t at[])
    {
        double var = cuda_norm_load<T>(p.var, at[3], p.shorts & 8);

        return {(A)cuda_norm_load<T>(p.mean, at[2], p.shorts & 4), 1 / sqrt((A)(var + p.epsilon)),
                (A)cuda_norm_load<T>(p.scale, at[0], p.shorts & 1),
                (A)cuda_norm_load<T>(p.bias, at[1], p.shorts & 2)};
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

/* The op of training without activation. Its extra tensor is the cells. */
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

/* Computes eight elements, in logical order, with activation, and their byte of the reserve. The
 * tensors are y, x, z, the cells. */
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

/* Computes y from x in the fastest form that accepts the tensors. */
template <class Op>
static int32_t run_plain(const norm_plain_forward *plain, const cuda_call *call, void *y, void *x,
                         const typename Op::params &params)
{
    void *const data[] = {y, x};
    cuda_blend blend = {call->operands->scale[0], call->operands->scale[1]};
    cuda_map_job<Op> job;

    if constexpr (sizeof(typename Op::T) < sizeof(double)) {
        if (plain->form != CUDA_BESIDE_NEITHER && cuda_map_aligned(&plain->map, data, 2)) {
            cuda_beside_job<Op> beside = {};

            beside.data[0] = y;
            beside.data[1] = x;
            beside.blend = blend;
            beside.params = params;
            return cuda_beside_run(&plain->map, plain->form, call, &beside);
        }
    }
    job.data[0] = y;
    job.data[1] = x;
    job.blend = blend;
    job.params = params;
    return cuda_map_run(&plain->map, call, &job);
}

template <class T>
static int32_t inference_launch(const norm_plain_forward *plain,
                                const struct anydnn_plugin_plan *plan, const cuda_call *call,
                                const void *)
{
    void *const *data = call->operands->data;
    const inference_params params = {
        data[NORM_INFERENCE(scale)],
        data[NORM_INFERENCE(bias)],
        data[NORM_INFERENCE(mean)],
        data[NORM_INFERENCE(var)],
        cuda_norm_params(plan)->epsilon,
        cuda_norm_activation(plan),
        cuda_norm_params(plan)->ops,
        cuda_norm_shorts(plan->problem.tensor + NORM_INFERENCE(scale), 4)};

    return run_plain<norm_inference_op<T>>(plain, call, data[NORM_INFERENCE(y)],
                                           data[NORM_INFERENCE(x)], params);
}

template <class T>
static void prepare_inference(norm_plain_forward *plain, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *mapped[] = {
        tensor[NORM_INFERENCE(y)],    tensor[NORM_INFERENCE(x)],    tensor[NORM_INFERENCE(scale)],
        tensor[NORM_INFERENCE(bias)], tensor[NORM_INFERENCE(mean)], tensor[NORM_INFERENCE(var)]};

    cuda_map_prepare<norm_inference_op<T>>(&plain->map, mapped, KIT_WALK_SORTED);
    plain->form = cuda_beside_form(&plain->map, 1, 4);
    plain->launch = inference_launch<T>;
}

void norm_plain_inference(norm_plain_forward *plain, const struct anydnn_plugin_plan *plan)
{
    switch (plan->problem.tensor[NORM_INFERENCE(x)]->type) {
#define CASE(T) prepare_inference<T>(plain, plan)
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

template <class T>
static int32_t training_launch(const norm_plain_forward *plain,
                               const struct anydnn_plugin_plan *plan, const cuda_call *call,
                               const void *numbers)
{
    void *const *data = call->operands->data;
    int with_z = cuda_norm_params(plan)->ops == CUDA_NORM_ADD_ACTIVATION;
    const training_params params = {numbers, cuda_norm_activation(plan),
                                    (uint8_t *)data[NORM_TRAINING(reserve)], with_z};
    cuda_map_job<norm_training_op<T>> job;

    if (cuda_norm_params(plan)->ops == CUDA_NORM_PLAIN)
        return run_plain<norm_training_op<T>>(plain, call, data[NORM_TRAINING(y)],
                                              data[NORM_TRAINING(x)], params);
    job.data[0] = data[NORM_TRAINING(y)];
    job.data[1] = data[NORM_TRAINING(x)];
    job.data[2] = data[with_z ? NORM_TRAINING(z) : NORM_TRAINING(x)];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    job.walk = plain->map.walk;
    return cuda_launch(call, norm_activate<T>, cuda_blocks(job.walk.count, CUDA_THREADS * 8), 1,
                       job);
}

template <class T>
static void prepare_training(norm_plain_forward *plain, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *z =
        tensor[tensor[NORM_TRAINING(z)] ? NORM_TRAINING(z) : NORM_TRAINING(x)];
    struct anydnn_plugin_tensor grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *mapped[] = {tensor[NORM_TRAINING(y)],
                                                   tensor[NORM_TRAINING(x)], &grid};
    const struct anydnn_plugin_tensor *active[] = {tensor[NORM_TRAINING(y)],
                                                   tensor[NORM_TRAINING(x)], z, &grid};

    if (cuda_norm_params(plan)->ops == CUDA_NORM_PLAIN) {
        cuda_map_prepare<norm_training_op<T>>(&plain->map, mapped, KIT_WALK_SORTED);
        plain->form = cuda_beside_form(&plain->map, 1, 1);
    } else {
        cuda_walk_make(&plain->map.walk, active, 4, KIT_WALK_ALL, KIT_WALK_LOGICAL);
    }
    plain->size = sizeof(cuda_norm_numbers<typename cuda_arith<T>::type>);
    plain->launch = training_launch<T>;
}

void norm_plain_training(norm_plain_forward *plain, const struct anydnn_plugin_plan *plan)
{
    switch (plan->problem.tensor[NORM_TRAINING(x)]->type) {
#define CASE(T) prepare_training<T>(plain, plan)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}
