/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling in its plain form, for tensors of any strides and types. A thread computes one element:
 * forward from its window, backward from the windows that cover it. */
#include "plain.h"

#include <float.h>

__device__ static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

__device__ static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the largest integer not above a / b, for b > 0. */
__device__ static inline int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Returns the end of the input for windows; a negative pad reduces it. */
template <int S> __device__ static inline int64_t end_of(const pooling_params<S> &p, int s)
{
    return p.x_dims[s] + least(p.pad[s], 0);
}

/* Computes the range of the input that the window of output o covers along spatial dim s. */
template <int S>
__device__ static inline void cover(const pooling_params<S> &p, int s, int64_t o, cuda_box<S> *box)
{
    int64_t begin = o * p.stride[s] - p.pad[s];

    box->begin[s] = most(begin, 0);
    box->end[s] = most(least(begin + p.window[s], end_of(p, s)), box->begin[s]);
}

/* Returns the factor of spatial dim s in the divisor of output o's average. It is end - begin of
 * the window, clipped at the end of the padded input. If padding does not count, it is also clipped
 * to the input. As in cuDNN, it can be 0 or less for a window without elements: 0 / 0 makes the
 * average NaN, otherwise it is 0. */
template <int S>
__device__ static inline double counted(const pooling_params<S> &p, int s, int64_t o)
{
    int64_t begin = o * p.stride[s] - p.pad[s];
    int64_t end = least(begin + p.window[s], p.x_dims[s] + p.pad[s]);

    if (p.mode == POOLING_AVERAGE_INCLUDE)
        return (double)(end - begin);
    return (double)(least(end, p.x_dims[s]) - most(begin, 0));
}

/* ------------------------------------------------------------------ forward */

template <class T> struct pooling_gather {
    const T *x;
    double result;
    int32_t max, nan_propagate;

    /* A maximum skips NaN, or keeps it if NaN propagates. It starts at the lowest finite value, so
     * it skips -Inf too. */
    __device__ int at(int64_t offset)
    {
        double value = (double)cuda_load(x[offset]);

        if (!max)
            result += value;
        else if (value > result || (nan_propagate && isnan(value)))
            result = value;
        return 0;
    }
};

/* The forward op. Tensors: y, x without its spatial dims, the coordinates in y. */
template <class T, int S> struct pooling_forward_op {
    typedef pooling_params<S> params;
    enum { OUT = 1, IN = 1, EXTRA = S };

    static __device__ void run(const cuda_map_job<pooling_forward_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        int max = p.max;
        pooling_gather<T> gather = {(const T *)job.data[1] + at[1], max ? p.lowest : 0, max,
                                    p.nan_propagate};
        double divisor = 1;
        cuda_box<S> box;

        for (int s = 0; s < S; s++) {
            cover(p, s, at[2 + s], &box);
            divisor *= max ? 1 : counted(p, s, at[2 + s]);
        }
        cuda_visit_box<S>(box, p.x_strides, 0, gather);
        cuda_blend_store((T *)job.data[0] + at[0], max ? gather.result : gather.result / divisor,
                         job.blend);
    }
};

/* ------------------------------------------------------------------ backward */

__device__ static inline int same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Finds the first element of a window that equals y. It returns 1 if that is at `mine`, and 2 if it
 * is an earlier one. */
template <class T> struct pooling_first {
    const T *x;
    int64_t mine;
    double y;

    __device__ int at(int64_t offset)
    {
        return offset == mine ? 1 : same_number((double)cuda_load(x[offset]), y) ? 2 : 0;
    }
};

/* The backward op. Tensors: dx; x, y and dy without their spatial dims; the coordinates in dx. */
template <class T, int S> struct pooling_backward_op {
    typedef pooling_params<S> params;
    enum { OUT = 1, IN = 3, EXTRA = S };

    /* Returns the contribution of one output's window; `output_at` is the output's coordinates. */
    static __device__ double share(const cuda_map_job<pooling_backward_op> &job, const int64_t at[],
                                   const int64_t output_at[S])
    {
        const params &p = job.params;
        const T *x = (const T *)job.data[1] + at[1];
        int64_t y_at = at[2], dy_at = at[3], mine = 0;
        pooling_first<T> first;
        double dy, divisor = 1;
        cuda_box<S> box;

        for (int s = 0; s < S; s++) {
            y_at += output_at[s] * p.y_strides[s];
            dy_at += output_at[s] * p.dy_strides[s];
            mine += at[4 + s] * p.x_strides[s];
            divisor *= counted(p, s, output_at[s]);
        }
        dy = (double)cuda_load(((const T *)job.data[3])[dy_at]);
        if (!p.max)
            return dy / divisor;
        first = {x, mine, (double)cuda_load(((const T *)job.data[2])[y_at])};
        if (!same_number((double)cuda_load(x[mine]), first.y))
            return 0;
        for (int s = 0; s < S; s++)
            cover(p, s, output_at[s], &box);
        return cuda_visit_box<S>(box, p.x_strides, 0, first) == 1 ? dy : 0;
    }

    template <int D>
    static __device__ double shares(const cuda_map_job<pooling_backward_op> &job,
                                    const int64_t at[], const cuda_box<S> &over,
                                    int64_t output_at[S])
    {
        double sum = 0;

        if constexpr (D == S) {
            sum = share(job, at, output_at);
        } else {
            for (output_at[D] = over.begin[D]; output_at[D] < over.end[D]; output_at[D]++)
                sum += shares<D + 1>(job, at, over, output_at);
        }
        return sum;
    }

    static __device__ void run(const cuda_map_job<pooling_backward_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        int64_t output_at[S];
        cuda_box<S> over; /* the outputs whose windows cover this element */

        for (int s = 0; s < S; s++) {
            int64_t here = at[4 + s] + p.pad[s];
            int64_t outputs = at[4 + s] < end_of(p, s) ? p.y_dims[s] : 0;

            over.begin[s] = most(floor_of(here - p.window[s], p.stride[s]) + 1, 0);
            over.end[s] = least(floor_of(here, p.stride[s]) + 1, outputs);
        }
        cuda_blend_store((T *)job.data[0] + at[0], shares<0>(job, at, over, output_at), job.blend);
    }
};

/* ------------------------------------------------------------------ on the host */

template <class Op>
static int32_t launch(const pooling_plain *plain, const cuda_call *call, void *const data[])
{
    cuda_map_job<Op> job;

    for (int t = 0; t < Op::OUT + Op::IN; t++)
        job.data[t] = data[t];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    memcpy(&job.params, &plain->params, sizeof job.params);
    return cuda_each_run(&plain->walk, call, &job);
}

static double lowest_of(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return -FLT_MAX;
    case ANYDNN_PLUGIN_DOUBLE:
        return -DBL_MAX;
    case ANYDNN_PLUGIN_HALF:
        return -65504.0;
    case ANYDNN_PLUGIN_BFLOAT16:
        return -0x1.fep127;
    default:
        return -128;
    }
}

template <int S>
static void fill_params(pooling_plain *plain, const struct anydnn_plugin_plan *plan,
                        const struct anydnn_plugin_tensor *x, const struct anydnn_plugin_tensor *y,
                        const struct anydnn_plugin_tensor *dy)
{
    const struct anydnn_plugin_pooling *from =
        (const struct anydnn_plugin_pooling *)plan->problem.params;
    int32_t missing = S - from->spatial_dims;
    pooling_params<S> made = {};

    for (int32_t s = 0; s < S; s++) {
        made.window[s] = s < missing ? 1 : from->window[s - missing];
        made.pad[s] = s < missing ? 0 : from->pad[s - missing];
        made.stride[s] = s < missing ? 1 : from->stride[s - missing];
    }
    cuda_spatial_dims(x, S, made.x_dims);
    cuda_spatial_dims(y, S, made.y_dims);
    cuda_spatial_strides(x, S, made.x_strides);
    cuda_spatial_strides(y, S, made.y_strides);
    cuda_spatial_strides(dy, S, made.dy_strides);
    made.lowest = lowest_of(kit_lane_type(x->type));
    made.mode = from->mode;
    made.max = pooling_is_max(from->mode);
    made.nan_propagate = from->nan_propagate;
    memcpy(&plain->params, &made, sizeof made);
}

template <int S>
static void forward_walk(pooling_plain *plain, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_pooling_forward_x];
    const struct anydnn_plugin_tensor *y = plan->problem.tensor[slot_pooling_forward_y];
    struct anydnn_plugin_tensor x_part = cuda_part(x, CUDA_OUTER_DIMS), coordinates[S];
    const struct anydnn_plugin_tensor *walked[2 + S] = {y, &x_part};

    /* The spatial dims iterate over y's extents. */
    memcpy(x_part.dims, y->dims, sizeof x_part.dims);
    cuda_spatial_coordinates(y, S, coordinates, walked + 2);
    cuda_walk_make(&plain->walk, walked, 2 + S, KIT_WALK_ALL, KIT_WALK_SORTED);
    fill_params<S>(plain, plan, x, y, y);
}

void pooling_plain_forward(pooling_plain *plain, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_pooling_forward_x];
    int few = x->ndims <= 2 + CUDA_FEW_DIMS;

    few ? forward_walk<CUDA_FEW_DIMS>(plain, plan) : forward_walk<CUDA_MANY_DIMS>(plain, plan);
    switch (kit_lane_type(x->type)) {
#define CASE(T)                                                                                    \
    plain->launch = few ? launch<pooling_forward_op<T, CUDA_FEW_DIMS>>                             \
                        : launch<pooling_forward_op<T, CUDA_MANY_DIMS>>
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

template <int S>
static void backward_walk(pooling_plain *plain, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *dx = tensor[slot_pooling_backward_dx];
    const struct anydnn_plugin_tensor *from[] = {tensor[slot_pooling_backward_x],
                                                 tensor[slot_pooling_backward_y],
                                                 tensor[slot_pooling_backward_dy]};
    struct anydnn_plugin_tensor outer[3], coordinates[S];
    const struct anydnn_plugin_tensor *walked[4 + S] = {dx, &outer[0], &outer[1], &outer[2]};

    for (int t = 0; t < 3; t++) {
        outer[t] = cuda_part(from[t], CUDA_OUTER_DIMS);
        memcpy(outer[t].dims, dx->dims, sizeof outer[t].dims);
    }
    cuda_spatial_coordinates(dx, S, coordinates, walked + 4);
    cuda_walk_make(&plain->walk, walked, 4 + S, KIT_WALK_ALL, KIT_WALK_SORTED);
    fill_params<S>(plain, plan, from[0], from[1], from[2]);
}

void pooling_plain_backward(pooling_plain *plain, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_pooling_backward_x];
    int few = x->ndims <= 2 + CUDA_FEW_DIMS;

    few ? backward_walk<CUDA_FEW_DIMS>(plain, plan) : backward_walk<CUDA_MANY_DIMS>(plain, plan);
    switch (x->type) {
#define CASE(T)                                                                                    \
    plain->launch = few ? launch<pooling_backward_op<T, CUDA_FEW_DIMS>>                            \
                        : launch<pooling_backward_op<T, CUDA_MANY_DIMS>>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}
