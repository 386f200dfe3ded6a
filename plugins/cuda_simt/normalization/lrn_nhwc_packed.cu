/* SPDX-License-Identifier: Apache-2.0 */
/* LRN of packed NHWC for the usual small windows. Runs are contiguous in memory, so a run's number
 * gives its position. A thread reads and computes only those neighbouring channels that windows
 * reach. The rest is as in lrn_nhwc.cu. */
#include "lrn_runs.h"

/* The reach of windows of at most 9 channels. */
#define NEAR 4

/* Four consecutive elements. */
template <class T> union few {
    typename lrn_word<4 * sizeof(T)>::type whole;
    T lane[NEAR];
};

/* The position of a thread's run in its row. */
struct run_ends {
    bool is_first, is_last;
};

__device__ static inline run_ends run_ends_of(const lrn_runs &p, unsigned g)
{
    unsigned run = g - cuda_divide(g, p.walk.divide[1]) * (unsigned)p.walk.dims[1];

    return {run == 0, run == (unsigned)p.walk.dims[1] - 1};
}

/* Reads four elements, scaled, or zeros if they do not exist. */
template <class T>
__device__ static inline void read_few(const lrn_factors &f, const T *from, bool exist,
                                       float to[][1])
{
    few<T> raw;

    if (exist)
        raw.whole = ((const few<T> *)from)->whole;
#pragma unroll
    for (int i = 0; i < NEAR; i++)
        to[i][0] = exist ? lrn_take(f, raw.lane[i]) : 0;
}

/* Reads a run with the reach of its windows. */
template <class T>
__device__ static inline void read_near(const lrn_runs &p, const T *x, const run_ends &at,
                                        float to[LRN_RUN + 2 * NEAR][1])
{
    lrn_run<T> run;

#pragma unroll
    for (int v = 0; v < lrn_run<T>::VECTORS; v++)
        run.whole[v] = ((const uint4 *)x)[v];
    read_few(p.f, x - NEAR, !at.is_first, to);
    read_few(p.f, x + LRN_RUN, !at.is_last, to + NEAR + LRN_RUN);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        to[NEAR + i][0] = lrn_take(p.f, run.lane[i]);
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) lrn_packed_forward(lrn_runs p)
{
    unsigned g = blockIdx.x * CUDA_THREADS + threadIdx.x;
    float x[LRN_RUN + 2 * NEAR][1], sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1];
    float y[LRN_RUN];

    if (g >= p.walk.count)
        return;
    read_near(p, (const T *)p.data[LRN_X] + (int64_t)g * LRN_RUN, run_ends_of(p, g), x);
    lrn_window_sums<1, true, NEAR>(x, p.before, p.after, sum);
    lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        y[i] = x[NEAR + i][0] * p.f.unscale * power[i][0];
    lrn_write_run((T *)p.data[LRN_OUT] + (int64_t)g * LRN_RUN, 0, LRN_RUN, 1, y, p.blend);
}

/* The runs of a block whose dx it computes; its first and its last thread only send. */
#define MADE (CUDA_THREADS - 2)

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) lrn_packed_backward(lrn_runs p)
{
    __shared__ float4 sent[2][CUDA_THREADS];
    int64_t run = (int64_t)blockIdx.x * MADE + threadIdx.x - 1;
    bool exists = run >= 0 && run < p.walk.count;
    float x[LRN_RUN + 2 * NEAR][1], shared[LRN_RUN + 2 * NEAR][1], sum[LRN_RUN][1];
    float direct[LRN_RUN];
    run_ends at = {};

    if (exists) {
        float power[LRN_RUN][1], inverse[LRN_RUN][1];
        lrn_run<T> dy;

        at = run_ends_of(p, (unsigned)run);
        read_near(p, (const T *)p.data[LRN_X] + run * LRN_RUN, at, x);
        lrn_read_run((const T *)p.data[LRN_DY] + run * LRN_RUN, 0, LRN_RUN, 1, &dy);
        lrn_window_sums<1, true, NEAR>(x, p.before, p.after, sum);
        lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++) {
            direct[i] = cuda_load(dy.lane[i]) * power[i][0];
            shared[NEAR + i][0] = direct[i] * (x[NEAR + i][0] * inverse[i][0]);
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float(*four)[1] = shared + NEAR + h * (LRN_RUN - NEAR);

            sent[h][threadIdx.x] = {four[0][0], four[1][0], four[2][0], four[3][0]};
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 || threadIdx.x == CUDA_THREADS - 1 || !exists)
        return;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float4 four = {0, 0, 0, 0};
        float(*to)[1] = shared + h * (NEAR + LRN_RUN);

        if (h ? !at.is_last : !at.is_first)
            four = sent[1 - h][threadIdx.x + 2 * h - 1];
        to[0][0] = four.x;
        to[1][0] = four.y;
        to[2][0] = four.z;
        to[3][0] = four.w;
    }
    lrn_window_sums<1, false, NEAR>(shared, p.after, p.before, sum);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        direct[i] -= p.through * x[NEAR + i][0] * sum[i][0];
    lrn_write_run((T *)p.data[LRN_OUT] + run * LRN_RUN, 0, LRN_RUN, 1, direct, p.blend);
}

/* ------------------------------------------------------------------ on the host */

int lrn_packed_takes(const struct lrn_runs *runs, int tensors)
{
    const cuda_walk *walk = &runs->walk;
    int takes = walk->ndims == 2 && walk->count <= INT32_MAX - CUDA_THREADS &&
                runs->channels % LRN_RUN == 0 && runs->before <= NEAR && runs->after <= NEAR;

    for (int t = 0; t < tensors && takes; t++)
        takes = walk->strides[1][t] == LRN_RUN && walk->strides[0][t] == runs->channels;
    return takes;
}

template <class T>
static int32_t run(const struct lrn_runs *runs, int backward, const cuda_call *call)
{
    return backward ? cuda_launch(call, lrn_packed_backward<T>, cuda_blocks(runs->walk.count, MADE),
                                  1, *runs)
                    : cuda_launch(call, lrn_packed_forward<T>,
                                  cuda_blocks(runs->walk.count, CUDA_THREADS), 1, *runs);
}

int32_t lrn_packed_run(const struct lrn_runs *runs, int32_t type, int backward,
                       const cuda_call *call)
{
    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(runs, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(runs, backward, call)
                                        : run<cuda_bfloat16>(runs, backward, call);
}
