/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization in its plain form, for tensors of any strides and types. A thread computes
 * one element from the window around it: y_i = x_i s_i^-b with s_i = k + a * (sum of (x_j -
 * means_i)^2 over the window around i in all spatial dims). The temps are not used. Backward keeps
 * each element's contributions to its neighbours between its two kernels, in double. */
#include "divisive_plain.h"

#define S CUDA_MANY_DIMS

/* The tensors of the iteration: out; x, the means and the index in logical order, without their
 * spatial dims; dy; dmeans; the coordinates. */
enum { OUT_AT, X_AT, MEANS_AT, LOGICAL_AT, DY_AT, DMEANS_AT, COORDINATES_AT };
#define WALKED (COORDINATES_AT + S)

/* Sets the box from `before` positions before to `after` positions after, clipped to the image. */
__device__ static inline void box_around(const divisive_params &p, const int64_t at[],
                                         int64_t before, int64_t after, cuda_box<S> *box)
{
    for (int s = 0; s < S; s++) {
        int64_t here = at[COORDINATES_AT + s];

        box->begin[s] = here > before ? here - before : 0;
        box->end[s] = here + after + 1 < p.dims[s] ? here + after + 1 : p.dims[s];
    }
}

__device__ static inline int64_t offset_of(const int64_t strides[], const int64_t at[])
{
    int64_t offset = 0;

    for (int s = 0; s < S; s++)
        offset += at[COORDINATES_AT + s] * strides[s];
    return offset;
}

/* The sums of x_j - means_i and of its square over the window of an element. */
template <class T> struct divisive_sums {
    const T *x;
    double mean, sum, squares;

    __device__ int at(int64_t offset)
    {
        double v = (double)cuda_load(x[offset]) - mean;

        sum += v;
        squares += v * v;
        return 0;
    }
};

template <class T, class Job>
__device__ static inline divisive_sums<T> sums_around(const Job &job, const int64_t at[])
{
    const divisive_params &p = job.params;
    divisive_sums<T> sums = {(const T *)job.data[X_AT] + at[X_AT], 0, 0, 0};
    cuda_box<S> box;

    if (p.with_means)
        sums.mean = (double)cuda_load(
            ((const T *)job.data[MEANS_AT])[at[MEANS_AT] + offset_of(p.means, at)]);
    box_around(p, at, p.lrn.before, p.lrn.after, &box);
    cuda_visit_box<S>(box, p.x, 0, sums);
    return sums;
}

template <class T, class Job>
__device__ static inline double x_at(const Job &job, const int64_t at[])
{
    return (double)cuda_load(((const T *)job.data[X_AT])[at[X_AT] + offset_of(job.params.x, at)]);
}

template <class T> struct divisive_forward_op {
    typedef divisive_params params;
    enum { OUT = 1, IN = 0, EXTRA = WALKED - 1 };

    static __device__ void run(const cuda_map_job<divisive_forward_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        divisive_sums<T> sums = sums_around<T>(job, at);
        double s = p.lrn.k + p.lrn.alpha * sums.squares;

        cuda_blend_store((T *)job.data[OUT_AT] + at[OUT_AT], x_at<T>(job, at) * pow(s, -p.lrn.beta),
                         job.blend);
    }
};

/* Computes the contributions of an element's y to its own dx, to the dx of its window, and to
 * dmeans: dmeans = 2 a b dy x s^(-b-1) (sum of x_j - means over the window). */
template <class T> struct divisive_factors_op {
    typedef divisive_params params;
    enum { OUT = 1, IN = 0, EXTRA = WALKED - 1 };

    static __device__ void run(const cuda_map_job<divisive_factors_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        int64_t logical = at[LOGICAL_AT] + offset_of(p.logical, at);
        divisive_sums<T> sums = sums_around<T>(job, at);
        double s = p.lrn.k + p.lrn.alpha * sums.squares;
        double direct = (double)cuda_load(((const T *)job.data[DY_AT])[at[DY_AT]]), shared;

        direct *= pow(s, -p.lrn.beta);
        shared = direct * x_at<T>(job, at) / s;
        p.direct[logical] = direct;
        p.shared[logical] = shared;
        if (p.with_dmeans)
            cuda_blend_store((T *)job.data[DMEANS_AT] + at[DMEANS_AT],
                             2 * p.lrn.alpha * p.lrn.beta * shared * sums.sum, job.blend);
    }
};

/* The sum of shared_i (x - means_i) over a box. The offsets are indices in logical order; the
 * offsets of the means advance with them. */
template <class T> struct divisive_gather {
    const double *shared;
    const T *means; /* NULL if the means are 0 */
    double x, sum;

    template <int D>
    __device__ void over(const divisive_params &p, const cuda_box<S> &box, int64_t logical,
                         int64_t means_at)
    {
        if constexpr (D == S) {
            sum += shared[logical] * (means ? x - (double)cuda_load(means[means_at]) : x);
        } else {
            for (int64_t i = box.begin[D]; i < box.end[D]; i++)
                over<D + 1>(p, box, logical + i * p.logical[D], means_at + i * p.means[D]);
        }
    }
};

/* The backward op: dx_j = dy_j s_j^-b - 2 a b (sum of dy_i x_i s_i^(-b-1) (x_j - means_i) over the
 * elements i whose window contains j). */
template <class T> struct divisive_backward_op {
    typedef divisive_params params;
    enum { OUT = 1, IN = 0, EXTRA = WALKED - 1 };

    static __device__ void run(const cuda_map_job<divisive_backward_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        const T *means = p.with_means ? (const T *)job.data[MEANS_AT] + at[MEANS_AT] : nullptr;
        divisive_gather<T> gather = {p.shared + at[LOGICAL_AT], means, x_at<T>(job, at), 0};
        cuda_box<S> box;
        double direct = p.direct[at[LOGICAL_AT] + offset_of(p.logical, at)];

        box_around(p, at, p.lrn.after, p.lrn.before, &box);
        gather.template over<0>(p, box, 0, 0);
        cuda_blend_store((T *)job.data[OUT_AT] + at[OUT_AT],
                         direct - 2 * p.lrn.alpha * p.lrn.beta * gather.sum, job.blend);
    }
};

/* ------------------------------------------------------------------ on the host */

/* Prepares the iteration and the parameters. An absent operand takes x's layout; its data is never
 * read. */
static_assert(KIT_SAME_SLOT(divisive_normalization_forward, divisive_normalization_backward, x) &&
                  KIT_SAME_SLOT(divisive_normalization_forward, divisive_normalization_backward,
                                means),
              "divisive_normalization_forward and divisive_normalization_backward share functions");

static void prepare(divisive_plain *plain, const struct anydnn_plugin_problem *problem, int out,
                    int dy, int dmeans)
{
    const struct anydnn_plugin_tensor *const *tensor = problem->tensor;
    const struct anydnn_plugin_tensor *x = tensor[DIVISIVE_FORWARD(x)];
    const struct anydnn_plugin_tensor *means =
        tensor[tensor[DIVISIVE_FORWARD(means)] ? DIVISIVE_FORWARD(means) : DIVISIVE_FORWARD(x)];
    struct anydnn_plugin_tensor logical = cuda_logical(x), coordinates[S];
    struct anydnn_plugin_tensor outer[] = {cuda_part(x, CUDA_OUTER_DIMS),
                                           cuda_part(means, CUDA_OUTER_DIMS),
                                           cuda_part(&logical, CUDA_OUTER_DIMS)};
    const struct anydnn_plugin_tensor *walked[WALKED] = {
        tensor[out], &outer[0],  &outer[1],
        &outer[2],   tensor[dy], tensor[tensor[dmeans] ? dmeans : DIVISIVE_FORWARD(x)]};
    divisive_params *params = &plain->params;

    cuda_spatial_coordinates(x, S, coordinates, walked + COORDINATES_AT);
    cuda_walk_make(&plain->walk, walked, WALKED, KIT_WALK_ALL, KIT_WALK_SORTED);
    params->lrn = cuda_lrn_of(problem, x->ndims - 2, x->type);
    cuda_spatial_dims(x, S, params->dims);
    cuda_spatial_strides(x, S, params->x);
    cuda_spatial_strides(means, S, params->means);
    cuda_spatial_strides(&logical, S, params->logical);
    params->with_means = tensor[DIVISIVE_FORWARD(means)] != nullptr;
    params->with_dmeans = tensor[dmeans] != nullptr && dmeans == DIVISIVE_BACKWARD(dmeans);
    plain->elements = cuda_tensor_count(x);
}

template <class Op>
static int32_t launch_op(const divisive_plain *plain, const cuda_call *call,
                         const divisive_params &params, void *const data[])
{
    cuda_map_job<Op> job;

    for (int t = 0; t <= DMEANS_AT; t++)
        job.data[t] = data[t];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = params;
    return cuda_each_run(&plain->walk, call, &job);
}

template <class T> static int32_t forward_launch(const divisive_plain *plain, const cuda_call *call)
{
    void *const *from = call->operands->data;
    void *const data[] = {from[DIVISIVE_FORWARD(y)],
                          from[DIVISIVE_FORWARD(x)],
                          from[DIVISIVE_FORWARD(means)],
                          nullptr,
                          nullptr,
                          nullptr};

    return launch_op<divisive_forward_op<T>>(plain, call, plain->params, data);
}

template <class T>
static int32_t backward_launch(const divisive_plain *plain, const cuda_call *call)
{
    void *const *from = call->operands->data;
    void *const data[] = {from[DIVISIVE_BACKWARD(dx)],    from[DIVISIVE_BACKWARD(x)],
                          from[DIVISIVE_BACKWARD(means)], nullptr,
                          from[DIVISIVE_BACKWARD(dy)],    from[DIVISIVE_BACKWARD(dmeans)]};
    divisive_params params = plain->params;
    void *scratch;
    int32_t dropped,
        status = cuda_scratch_take(call->device, call->stream,
                                   2 * (size_t)plain->elements * sizeof(double), &scratch);

    if (status)
        return status;
    params.shared = (double *)scratch;
    params.direct = params.shared + plain->elements;
    status = launch_op<divisive_factors_op<T>>(plain, call, params, data);
    if (!status)
        status = launch_op<divisive_backward_op<T>>(plain, call, params, data);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

void divisive_plain_forward(divisive_plain *plain, const struct anydnn_plugin_problem *problem)
{
    prepare(plain, problem, DIVISIVE_FORWARD(y), DIVISIVE_FORWARD(x), DIVISIVE_FORWARD(x));
    switch (problem->tensor[DIVISIVE_FORWARD(x)]->type) {
#define CASE(T) plain->launch = forward_launch<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

void divisive_plain_backward(divisive_plain *plain, const struct anydnn_plugin_problem *problem)
{
    prepare(plain, problem, DIVISIVE_BACKWARD(dx), DIVISIVE_BACKWARD(dy),
            DIVISIVE_BACKWARD(dmeans));
    switch (problem->tensor[DIVISIVE_BACKWARD(x)]->type) {
#define CASE(T) plain->launch = backward_launch<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}
