/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalization in its plain form, for tensors of any strides and types: a thread
 * computes one element of y or dx from the channels around it. */
#include "lrn_plain.h"

enum { OUT, X, DY };

/* Returns k + alpha * (sum of x^2 over the window of channel c); x points to channel 0. */
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

/* The forward op. Tensors: y, x without its channels, the channel. */
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

/* The backward op: dx_c = dy_c s_c^-b - 2 a b x_c (sum of dy_j x_j s_j^(-b-1) over the channels j
 * whose window contains c). Tensors: dx, x and dy without their channels, the channel. */
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

/* ------------------------------------------------------------------ on the host */

template <class Op>
static int32_t launch(const lrn_plain *plain, const cuda_call *call, void *const data[])
{
    cuda_map_job<Op> job;

    for (int t = 0; t < Op::OUT + Op::IN; t++)
        job.data[t] = data[t];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = plain->params;
    return cuda_each_run(&plain->walk, call, &job);
}

void lrn_plain_forward(lrn_plain *plain, const struct anydnn_plugin_problem *problem,
                       const struct anydnn_plugin_tensor *const tensor[])
{
    const struct anydnn_plugin_tensor *x = tensor[X];
    struct anydnn_plugin_tensor x_part = cuda_part(x, ~(1u << 1)), channel = cuda_coordinate(x, 1);
    const struct anydnn_plugin_tensor *walked[] = {tensor[OUT], &x_part, &channel};

    cuda_walk_make(&plain->walk, walked, 3, KIT_WALK_ALL, KIT_WALK_SORTED);
    plain->params = {cuda_lrn_of(problem, 1, x->type), x->dims[1], x->strides[1], 0};
    switch (x->type) {
#define CASE(T) plain->launch = launch<lrn_forward_op<T>>
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

void lrn_plain_backward(lrn_plain *plain, const struct anydnn_plugin_problem *problem,
                        const struct anydnn_plugin_tensor *const tensor[])
{
    const struct anydnn_plugin_tensor *x = tensor[X], *dy = tensor[DY];
    struct anydnn_plugin_tensor x_part = cuda_part(x, ~(1u << 1)), channel = cuda_coordinate(x, 1);
    struct anydnn_plugin_tensor dy_part = cuda_part(dy, ~(1u << 1));
    const struct anydnn_plugin_tensor *walked[] = {tensor[OUT], &x_part, &dy_part, &channel};

    cuda_walk_make(&plain->walk, walked, 4, KIT_WALK_ALL, KIT_WALK_SORTED);
    plain->params = {cuda_lrn_of(problem, 1, x->type), x->dims[1], x->strides[1], dy->strides[1]};
    switch (x->type) {
#define CASE(T) plain->launch = launch<lrn_backward_op<T>>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}
