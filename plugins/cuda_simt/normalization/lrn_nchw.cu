/* SPDX-License-Identifier: Apache-2.0 */
/* LRN in NCHW. Neighbouring threads iterate over the channels of neighbouring positions, run by
 * run. The values that one run hands to the next are read and computed once. */
#include "lrn_runs.h"

/* The last tensor of the iteration space: the first channel. */
enum { FORWARD_FIRST = LRN_DY, BACKWARD_FIRST = LRN_TENSORS };

/* A channel at V positions. */
template <class T, int V> union lanes_of {
    typename lrn_word<V * sizeof(T)>::type whole;
    T lane[V];
};

/* Reads the channels first .. first + COUNT - 1, scaled; channels that do not exist are 0. */
template <int COUNT, class T, int V>
__device__ static inline void read_channels(const lrn_runs &p, int tensor, float scale, int64_t at,
                                            int64_t first, float to[][V])
{
    const T *data = (const T *)p.data[tensor] + at + first * p.stride[tensor];
    lanes_of<T, V> read[COUNT];

    if (first >= 0 && first + COUNT <= p.channels) {
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            read[j].whole = ((const lanes_of<T, V> *)(data + j * p.stride[tensor]))->whole;
    } else {
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
            if (first + j >= 0 && first + j < p.channels)
                read[j].whole = ((const lanes_of<T, V> *)(data + j * p.stride[tensor]))->whole;
            else
#pragma unroll
                for (int v = 0; v < V; v++)
                    cuda_store(&read[j].lane[v], 0.0f);
        }
    }
#pragma unroll
    for (int j = 0; j < COUNT * V; j++)
        to[j / V][j % V] = lrn_scaled(read[j / V].lane[j % V], scale);
}

/* Writes those channels of the run that exist. */
template <class T, int V>
__device__ static inline void write_channels(const lrn_runs &p, int64_t at, int64_t first,
                                             const float value[LRN_RUN][V])
{
    T *to = (T *)p.data[LRN_OUT] + at + first * p.stride[LRN_OUT];

    if (lrn_is_plain(p.blend) && first + LRN_RUN <= p.channels) {
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++) {
            lanes_of<T, V> lanes;

#pragma unroll
            for (int v = 0; v < V; v++)
                cuda_store(&lanes.lane[v], value[i][v]);
            ((lanes_of<T, V> *)(to + i * p.stride[LRN_OUT]))->whole = lanes.whole;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        if (first + i < p.channels)
#pragma unroll
            for (int v = 0; v < V; v++)
                cuda_blend_store(to + i * p.stride[LRN_OUT] + v, value[i][v], p.blend);
    }
}

/* Drops the first run of a span. */
template <int SPAN, int V> __device__ static inline void move_on(float span[][V])
{
#pragma unroll
    for (int i = 0; i < (SPAN - LRN_RUN) * V; i++)
        span[i / V][i % V] = span[i / V + LRN_RUN][i % V];
}

__device__ static inline int64_t walk_end(const lrn_runs &p, int64_t begin)
{
    int64_t end = begin + p.walked * LRN_RUN;

    return end < p.channels ? end : p.channels;
}

/* Computes y. Windows reach at most HALO channels ahead or behind; `x` begins HALO channels before
 * the run. */
template <class T, int V, int HALO>
__global__ void __launch_bounds__(CUDA_THREADS) lrn_nchw_forward(lrn_runs p)
{
    int64_t g = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at[FORWARD_FIRST + 1], c, end;
    float x[LRN_RUN + 2 * HALO][V];

    if (g >= p.walk.count)
        return;
    cuda_walk_place<FORWARD_FIRST + 1>(p.walk, g, at);
    c = at[FORWARD_FIRST];
    end = walk_end(p, c);
    at[LRN_OUT] -= c * p.stride[LRN_OUT];
    at[LRN_X] -= c * p.stride[LRN_X];
    read_channels<2 * HALO, T, V>(p, LRN_X, p.f.scale, at[LRN_X], c - HALO, x);
    for (; c < end; c += LRN_RUN) {
        float sum[LRN_RUN][V], power[LRN_RUN][V], inverse[LRN_RUN][V];

        read_channels<LRN_RUN, T, V>(p, LRN_X, p.f.scale, at[LRN_X], c + HALO, x + 2 * HALO);
        lrn_window_sums<V, true, HALO>(x, p.before, p.after, sum);
        lrn_powers<V>(p.f, sum, power, inverse);
#pragma unroll
        for (int i = 0; i < LRN_RUN * V; i++)
            power[i / V][i % V] *= x[HALO + i / V][i % V] * p.f.unscale;
        write_channels<T, V>(p, at[LRN_OUT], c, power);
        move_on<LRN_RUN + 2 * HALO, V>(x);
    }
}

/* The values that a thread keeps while it computes dx of the run at c: x from c on; dy x s^(-b-1)
 * times the scale from c - HALO on; dy s^-b from c on. `shared` and `direct` are computed HALO
 * ahead of dx, and x is read HALO ahead of them. */
template <int HALO> struct walking {
    float x[LRN_RUN + 2 * HALO][1], shared[LRN_RUN + 2 * HALO][1], direct[LRN_RUN + HALO][1];
};

/* Computes the last runs of `shared` and `direct`, whose first channel is c. */
template <class T, int HALO>
__device__ static inline void share(const lrn_runs &p, walking<HALO> *w, int64_t at, int64_t c)
{
    float dy[LRN_RUN][1], sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1];

    read_channels<LRN_RUN, T, 1>(p, LRN_DY, 1, at, c, dy);
    lrn_window_sums<1, true, HALO>(w->x, p.before, p.after, sum);
    lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        float direct = dy[i][0] * power[i][0];

        w->direct[HALO + i][0] = direct;
        w->shared[2 * HALO + i][0] = direct * (w->x[HALO + i][0] * inverse[i][0]);
    }
    if (c >= 0 && c + LRN_RUN <= p.channels)
        return;
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        if (c + i < 0 || c + i >= p.channels)
            w->shared[2 * HALO + i][0] = 0;
    }
}

template <class T, int HALO>
__device__ static inline void make_dx(const lrn_runs &p, const walking<HALO> &w, int64_t at,
                                      int64_t c)
{
    float sum[LRN_RUN][1];

    lrn_window_sums<1, false, HALO>(w.shared, p.after, p.before, sum);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        sum[i][0] = w.direct[i][0] - p.through * w.x[i][0] * sum[i][0];
    write_channels<T, 1>(p, at, c, sum);
}

/* Computes dx. It begins 2 * HALO channels early, so that the first run gets all contributions of
 * its neighbours. */
template <class T, int HALO>
__global__ void __launch_bounds__(CUDA_THREADS, HALO < LRN_HALO ? 3 : 2)
    lrn_nchw_backward(lrn_runs p)
{
    int64_t g = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at[BACKWARD_FIRST + 1], begin;
    int64_t end;
    walking<HALO> w;

    if (g >= p.walk.count)
        return;
    cuda_walk_place<BACKWARD_FIRST + 1>(p.walk, g, at);
    begin = at[BACKWARD_FIRST];
    end = walk_end(p, begin);
#pragma unroll
    for (int t = 0; t < LRN_TENSORS; t++)
        at[t] -= begin * p.stride[t];
#pragma unroll
    for (int i = 0; i < LRN_RUN + 2 * HALO; i++)
        w.shared[i][0] = 0;
    read_channels<2 * HALO, T, 1>(p, LRN_X, p.f.scale, at[LRN_X], begin - 2 * HALO, w.x);
    for (int64_t c = begin - 2 * HALO; c < end; c += LRN_RUN) {
        read_channels<LRN_RUN, T, 1>(p, LRN_X, p.f.scale, at[LRN_X], c + 2 * HALO, w.x + 2 * HALO);
        share<T, HALO>(p, &w, at[LRN_DY], c + HALO);
        if (c >= begin)
            make_dx<T, HALO>(p, w, at[LRN_OUT], c);
        move_on<LRN_RUN + 2 * HALO, 1>(w.x);
        move_on<LRN_RUN + 2 * HALO, 1>(w.shared);
        move_on<LRN_RUN + HALO, 1>(w.direct);
    }
}

/* ------------------------------------------------------------------ on the host */

/* Fills `walk` with steps of `walked` runs. Returns 1 if every tensor has unit stride in the
 * innermost dimension. */
static int make_walk(struct lrn_runs *runs, const struct anydnn_plugin_tensor *const tensor[],
                     int32_t tensors)
{
    struct anydnn_plugin_tensor by_runs[LRN_TENSORS + 1];
    const struct anydnn_plugin_tensor *walked[LRN_TENSORS + 1];
    int64_t by = runs->walked * LRN_RUN;
    int columns = 1;

    for (int32_t t = 0; t <= tensors; t++) {
        by_runs[t] = t < tensors ? *tensor[t] : cuda_coordinate(tensor[0], 1);
        by_runs[t].strides[1] *= by;
        by_runs[t].dims[1] = cuda_blocks(by_runs[t].dims[1], by);
        walked[t] = &by_runs[t];
    }
    cuda_walk_make(&runs->walk, walked, tensors + 1, KIT_WALK_ALL, KIT_WALK_SORTED);
    for (int32_t t = 0; t < tensors; t++)
        columns = columns && cuda_walk_unit(&runs->walk, t);
    return columns;
}

/* The waves of threads that a division must leave, so that the last wave costs little; and the
 * threads of 80 registers that a multiprocessor holds. */
#define WAVES 6
#define HELD  768

/* Halves the runs per thread until there are enough threads, but keeps at least four. A thread with
 * few runs would read, and backward also compute, too many of its neighbours' values. */
int lrn_nchw_prepare(struct lrn_runs *runs, int32_t multiprocessors,
                     const struct anydnn_plugin_tensor *const tensor[], int32_t tensors)
{
    int64_t wanted = (int64_t)WAVES * HELD * multiprocessors;
    int columns;

    runs->walked = cuda_blocks(tensor[0]->dims[1], LRN_RUN);
    columns = make_walk(runs, tensor, tensors);
    while (runs->walked > 4 && runs->walk.count < wanted) {
        runs->walked = cuda_blocks(runs->walked, 2);
        columns = make_walk(runs, tensor, tensors);
    }
    return columns;
}

/* Returns 1 if a thread can take two positions; `walk` then has steps of two. */
template <class T> static int by_two(struct lrn_runs *runs)
{
    cuda_walk whole = runs->walk;
    size_t reached = (size_t)runs->data[LRN_OUT] | (size_t)runs->data[LRN_X];
    int even = runs->stride[LRN_OUT] % 2 == 0 && runs->stride[LRN_X] % 2 == 0;

    if (even && reached % sizeof(lanes_of<T, 2>) == 0 &&
        cuda_walk_vectors(&runs->walk, &whole, LRN_DY, 2) && runs->walk.tail == 0)
        return 1;
    runs->walk = whole;
    return 0;
}

/* The reach of most windows: those of at most 9 channels. */
#define NEAR 4

/* Launches the kernel for the windows' reach. Forward, near windows use two positions where
 * possible; backward lacks the registers for that. */
template <class T> static int32_t run(struct lrn_runs *runs, int backward, const cuda_call *call)
{
    int near = runs->before <= NEAR && runs->after <= NEAR;
    void (*kernel)(lrn_runs) = lrn_nchw_forward<T, 1, LRN_HALO>;

    if (backward)
        kernel = near ? lrn_nchw_backward<T, NEAR> : lrn_nchw_backward<T, LRN_HALO>;
    else if (near && by_two<T>(runs))
        kernel = lrn_nchw_forward<T, 2, NEAR>;
    return cuda_launch(call, kernel, cuda_blocks(runs->walk.count, CUDA_THREADS), 1, *runs);
}

int32_t lrn_nchw_run(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call)
{
    int32_t status;

    if (lrn_nchw_five_run(runs, type, backward, call, &status))
        return status;
    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(runs, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(runs, backward, call)
                                        : run<cuda_bfloat16>(runs, backward, call);
}
