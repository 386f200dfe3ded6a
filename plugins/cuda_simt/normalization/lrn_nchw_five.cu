/* SPDX-License-Identifier: Apache-2.0 */
/* LRN in NCHW for the usual windows of five channels and beta 3/4. A thread has two positions and
 * iterates over their channels, four at a time. The next four are in flight while it computes. The
 * rest is as in lrn_nchw.cu. */
#include "lrn_runs.h"

#define RUN  4         /* channels of a step */
#define HALO 2         /* channels that a window reaches ahead or behind */
#define SPAN (2 * RUN) /* a step with the reach of its windows */
#define V    2         /* positions of a thread */

/* The last tensor of the iteration space: the first channel. */
enum { FORWARD_FIRST = LRN_DY, BACKWARD_FIRST = LRN_TENSORS };

/* A channel at a thread's positions. */
template <class T> union lrn_pair {
    typename lrn_word<V * sizeof(T)>::type whole;
    T lane[V];
};

/* Reads the channels first .. first + RUN - 1 unscaled; channels that do not exist are 0. */
template <class T>
__device__ static inline void read_run(const lrn_runs &p, int tensor, int64_t at, int first,
                                       lrn_pair<T> to[RUN])
{
    int channels = (int)p.channels;
    const T *from = (const T *)p.data[tensor] + at + first * p.stride[tensor];

    if (first >= 0 && first + RUN <= channels) {
#pragma unroll
        for (int i = 0; i < RUN; i++)
            to[i].whole = ((const lrn_pair<T> *)(from + i * p.stride[tensor]))->whole;
        return;
    }
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        to[i].whole = {};
        if (first + i >= 0 && first + i < channels)
            to[i].whole = ((const lrn_pair<T> *)(from + i * p.stride[tensor]))->whole;
    }
}

template <class T>
__device__ static inline void scaled(const lrn_pair<T> from[RUN], float scale, float to[][V])
{
#pragma unroll
    for (int i = 0; i < RUN * V; i++)
        to[i / V][i % V] = lrn_scaled(from[i / V].lane[i % V], scale);
}

template <class T>
__device__ static inline void write_run(const lrn_runs &p, int64_t at, int first,
                                        const float value[RUN][V])
{
    T *to = (T *)p.data[LRN_OUT] + at + first * p.stride[LRN_OUT];
    int channels = (int)p.channels;

    if (lrn_is_plain(p.blend) && first + RUN <= channels) {
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            lrn_pair<T> lanes;

#pragma unroll
            for (int v = 0; v < V; v++)
                cuda_store(&lanes.lane[v], value[i][v]);
            ((lrn_pair<T> *)(to + i * p.stride[LRN_OUT]))->whole = lanes.whole;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < RUN * V; i++) {
        if (first + i / V < channels)
            cuda_blend_store(to + i / V * p.stride[LRN_OUT] + i % V, value[i / V][i % V], p.blend);
    }
}

/* Drops the first channels of a span. */
template <int COUNT> __device__ static inline void move_on(float span[][V])
{
#pragma unroll
    for (int i = 0; i < (COUNT - RUN) * V; i++)
        span[i / V][i % V] = span[i / V + RUN][i % V];
}

/* Returns t = s^-1/2 of the window that begins at index `i` of `x`. */
__device__ static inline float root_of(const lrn_runs &p, const float x[][V], int i, int v)
{
    float sum = 0;

#pragma unroll
    for (int d = 0; d <= 2 * HALO; d++)
        sum = fmaf(x[i + d][v], x[i + d][v], sum);
    return lrn_reciprocal_root(fmaf(p.f.alpha, sum, p.f.k));
}

__device__ static inline int walk_end(const lrn_runs &p, int begin)
{
    int64_t end = begin + p.walked * LRN_RUN;

    return (int)(end < p.channels ? end : p.channels);
}

/* Computes y. `x` begins HALO channels before the step. */
template <class T> __global__ void __launch_bounds__(CUDA_THREADS, 4) lrn_five_forward(lrn_runs p)
{
    int64_t g = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at[FORWARD_FIRST + 1];
    float x[SPAN][V];
    lrn_pair<T> next[RUN];

    if (g >= p.walk.count)
        return;
    cuda_walk_place<FORWARD_FIRST + 1>(p.walk, g, at);

    int c = (int)at[FORWARD_FIRST], end = walk_end(p, c);

    at[LRN_OUT] -= c * p.stride[LRN_OUT];
    at[LRN_X] -= c * p.stride[LRN_X];
    read_run(p, LRN_X, at[LRN_X], c - HALO, next);
    scaled(next, p.f.scale, x);
    read_run(p, LRN_X, at[LRN_X], c + HALO, next);
    for (; c < end; c += RUN) {
        float y[RUN][V];

        scaled(next, p.f.scale, x + RUN);
        if (c + RUN < end)
            read_run(p, LRN_X, at[LRN_X], c + RUN + HALO, next);
#pragma unroll
        for (int i = 0; i < RUN * V; i++) {
            float t = root_of(p, x, i / V, i % V);

            y[i / V][i % V] = t * lrn_root(t) * (x[HALO + i / V][i % V] * p.f.unscale);
        }
        write_run<T>(p, at[LRN_OUT], c, y);
        move_on<SPAN>(x);
    }
}

/* The values that a thread keeps while it computes dx of the step at c: x from c on; dy x s^(-b-1)
 * times the scale from c - HALO on; dy s^-b from c on. */
struct lrn_five_step {
    float x[SPAN][V], shared[SPAN][V], direct[RUN + HALO][V];
};

/* Computes the last four of `shared` and `direct`, whose first channel is c. */
template <class T>
__device__ static inline void share(const lrn_runs &p, lrn_five_step *w, const lrn_pair<T> dy[RUN],
                                    int c)
{
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        bool exists = c + i >= 0 && c + i < (int)p.channels;

#pragma unroll
        for (int v = 0; v < V; v++) {
            float t = root_of(p, w->x, i, v);
            float direct = cuda_load(dy[i].lane[v]) * (t * lrn_root(t));

            w->direct[HALO + i][v] = direct;
            w->shared[RUN + i][v] = exists ? direct * (w->x[HALO + i][v] * (t * t)) : 0;
        }
    }
}

template <class T>
__device__ static inline void make_dx(const lrn_runs &p, const lrn_five_step &w, int64_t at, int c)
{
    float dx[RUN][V];

#pragma unroll
    for (int i = 0; i < RUN * V; i++) {
        float sum = 0;

#pragma unroll
        for (int d = 0; d <= 2 * HALO; d++)
            sum += w.shared[i / V + d][i % V];
        dx[i / V][i % V] = w.direct[i / V][i % V] - p.through * w.x[i / V][i % V] * sum;
    }
    write_run<T>(p, at, c, dx);
}

/* Computes dx. It begins one step early, because that step contributes to the first channels. */
template <class T>
__global__ void __launch_bounds__(CUDA_THREADS, sizeof(T) == 4 ? 2 : 3)
    lrn_five_backward(lrn_runs p)
{
    int64_t g = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at[BACKWARD_FIRST + 1];
    lrn_pair<T> x[RUN], dy[RUN];
    lrn_five_step w;

    if (g >= p.walk.count)
        return;
    cuda_walk_place<BACKWARD_FIRST + 1>(p.walk, g, at);

    int begin = (int)at[BACKWARD_FIRST], end = walk_end(p, begin);

#pragma unroll
    for (int t = 0; t < LRN_TENSORS; t++)
        at[t] -= begin * p.stride[t];
#pragma unroll
    for (int i = 0; i < RUN * V; i++)
        w.shared[i / V][i % V] = 0;
    read_run(p, LRN_X, at[LRN_X], begin - RUN, x);
    scaled(x, p.f.scale, w.x);
    read_run(p, LRN_X, at[LRN_X], begin, x);
    read_run(p, LRN_DY, at[LRN_DY], begin - HALO, dy);
    for (int c = begin - RUN; c < end; c += RUN) {
        lrn_pair<T> dy_now[RUN];

        scaled(x, p.f.scale, w.x + RUN);
#pragma unroll
        for (int i = 0; i < RUN; i++)
            dy_now[i] = dy[i];
        if (c + RUN < end) {
            read_run(p, LRN_X, at[LRN_X], c + 2 * RUN, x);
            read_run(p, LRN_DY, at[LRN_DY], c + RUN + HALO, dy);
        }
        share(p, &w, dy_now, c + HALO);
        if (c >= begin)
            make_dx<T>(p, w, at[LRN_OUT], c);
        move_on<SPAN>(w.x);
        move_on<SPAN>(w.shared);
        move_on<RUN + HALO>(w.direct);
    }
}

/* ------------------------------------------------------------------ on the host */

/* Returns 1 if every tensor allows access to two positions at once. */
template <class T> static int are_even(const struct lrn_runs *runs, int tensors)
{
    size_t reached = 0;
    int even = 1;

    for (int t = 0; t < tensors; t++) {
        reached |= (size_t)runs->data[t];
        even = even && runs->stride[t] % V == 0;
    }
    return even && reached % sizeof(lrn_pair<T>) == 0;
}

template <class T>
static int run(const struct lrn_runs *runs, int backward, const cuda_call *call, int32_t *status)
{
    int tensors = backward ? LRN_TENSORS : LRN_DY;
    struct lrn_runs by_two = *runs;

    if (runs->before != HALO || runs->after != HALO || !runs->f.three_quarters ||
        runs->channels > INT32_MAX / 2 || !are_even<T>(runs, tensors) ||
        !cuda_walk_vectors(&by_two.walk, &runs->walk, tensors, V) || by_two.walk.tail)
        return 0;
    *status = cuda_launch(call, backward ? lrn_five_backward<T> : lrn_five_forward<T>,
                          cuda_blocks(by_two.walk.count, CUDA_THREADS), 1, by_two);
    return 1;
}

int lrn_nchw_five_run(const struct lrn_runs *runs, int32_t type, int backward,
                      const cuda_call *call, int32_t *status)
{
    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(runs, backward, call, status)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(runs, backward, call, status)
                                        : run<cuda_bfloat16>(runs, backward, call, status);
}
