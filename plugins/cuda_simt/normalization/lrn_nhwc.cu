/* SPDX-License-Identifier: Apache-2.0 */
/* LRN in NHWC: neighbouring threads have neighbouring runs of a row. The channels that windows
 * reach beyond a run come from the first-level cache. Backward must compute values there, so it
 * exchanges them through shared memory. */
#include "lrn_runs.h"

/* The last tensor of the iteration space: the first channel. */
enum { FORWARD_FIRST = LRN_DY, BACKWARD_FIRST = LRN_TENSORS };

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) lrn_nhwc_forward(lrn_runs p)
{
    int64_t g = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at[FORWARD_FIRST + 1], c;
    float x[LRN_SPAN][1], sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], y[LRN_RUN];

    if (g >= p.walk.count)
        return;
    cuda_walk_place<FORWARD_FIRST + 1>(p.walk, g, at);
    c = at[FORWARD_FIRST];
    lrn_read_span(p.f, (const T *)p.data[LRN_X] + at[LRN_X] - c, c, p.channels, p.vectors, x);
    lrn_window_sums<1, true>(x, p.before, p.after, sum);
    lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        y[i] = x[LRN_HALO + i][0] * p.f.unscale * power[i][0];
    lrn_write_run((T *)p.data[LRN_OUT] + at[LRN_OUT] - c, c, p.channels, p.vectors, y, p.blend);
}

/* The contributions of a block's runs to their neighbours' dx: dy x s^(-b-1) times the scale, in
 * halves of four channels. */
typedef float4 sent_runs[LRN_RUN / 4][CUDA_THREADS];

__device__ static inline void send(sent_runs sent, const float run[])
{
#pragma unroll
    for (int h = 0; h < LRN_RUN / 4; h++)
        sent[h][threadIdx.x] = {run[4 * h], run[4 * h + 1], run[4 * h + 2], run[4 * h + 3]};
}

/* Receives the contributions of a neighbouring run, or zeros if it does not exist. */
__device__ static inline void receive(sent_runs sent, int thread, bool exists, float run[][1])
{
#pragma unroll
    for (int h = 0; h < LRN_RUN / 4; h++) {
        float4 four = {0, 0, 0, 0};

        if (exists)
            four = sent[h][thread];
        run[4 * h][0] = four.x;
        run[4 * h + 1][0] = four.y;
        run[4 * h + 2][0] = four.z;
        run[4 * h + 3][0] = four.w;
    }
}

/* The runs of a block whose dx it computes; its first and its last thread only send. */
#define MADE (CUDA_THREADS - 2)

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) lrn_nhwc_backward(lrn_runs p)
{
    __shared__ sent_runs sent;
    int64_t g = (int64_t)blockIdx.x * MADE + threadIdx.x - 1, at[BACKWARD_FIRST + 1], c = 0;
    float x[LRN_SPAN][1], direct[LRN_RUN], shared[LRN_SPAN][1], sum[LRN_RUN][1];

    if (g >= 0 && g < p.walk.count) {
        float power[LRN_RUN][1], inverse[LRN_RUN][1], sends[LRN_RUN];
        lrn_run<T> dy;

        cuda_walk_place<BACKWARD_FIRST + 1>(p.walk, g, at);
        c = at[BACKWARD_FIRST];
        lrn_read_span(p.f, (const T *)p.data[LRN_X] + at[LRN_X] - c, c, p.channels, p.vectors, x);
        lrn_read_run((const T *)p.data[LRN_DY] + at[LRN_DY] - c, c, p.channels, p.vectors, &dy);
        lrn_window_sums<1, true>(x, p.before, p.after, sum);
        lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++) {
            direct[i] = cuda_load(dy.lane[i]) * power[i][0];
            sends[i] = c + i < p.channels ? direct[i] * (x[LRN_HALO + i][0] * inverse[i][0]) : 0;
            shared[LRN_HALO + i][0] = sends[i];
        }
        send(sent, sends);
    }
    __syncthreads();
    if (threadIdx.x == 0 || threadIdx.x == CUDA_THREADS - 1 || g >= p.walk.count)
        return;
    receive(sent, (int)threadIdx.x - 1, c > 0, shared);
    receive(sent, (int)threadIdx.x + 1, c + LRN_RUN < p.channels, shared + LRN_HALO + LRN_RUN);
    lrn_window_sums<1, false>(shared, p.after, p.before, sum);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        direct[i] -= p.through * x[LRN_HALO + i][0] * sum[i][0];
    lrn_write_run((T *)p.data[LRN_OUT] + at[LRN_OUT] - c, c, p.channels, p.vectors, direct,
                  p.blend);
}

/* ------------------------------------------------------------------ on the host */

/* Fills `walk` with the runs of one row after another. Returns 1 if the tensors have rows of
 * channels. */
int lrn_nhwc_prepare(struct lrn_runs *runs, const struct anydnn_plugin_tensor *const tensor[],
                     int32_t tensors)
{
    struct anydnn_plugin_tensor by_runs[LRN_TENSORS + 1];
    const struct anydnn_plugin_tensor *walked[LRN_TENSORS + 1];
    int rows = 1;

    for (int32_t t = 0; t <= tensors; t++) {
        by_runs[t] = t < tensors ? *tensor[t] : cuda_coordinate(tensor[0], 1);
        rows = rows && (by_runs[t].strides[1] == 1 || by_runs[t].dims[1] == 1);
        by_runs[t].strides[1] = LRN_RUN;
        by_runs[t].dims[1] = cuda_blocks(by_runs[t].dims[1], LRN_RUN);
        walked[t] = &by_runs[t];
    }
    cuda_walk_make(&runs->walk, walked, tensors + 1, KIT_WALK_ALL, KIT_WALK_SORTED);
    return rows && (by_runs[0].dims[1] == 1 ||
                    runs->walk.strides[runs->walk.ndims - 1][tensors] == LRN_RUN);
}

static int has_vectors(const struct lrn_runs *runs, size_t size, int tensors)
{
    int has = 1;

    for (int t = 0; t < tensors; t++) {
        int64_t strides[CUDA_WALK_DIMS];

        for (int d = 0; d < runs->walk.ndims; d++)
            strides[d] = runs->walk.strides[d][t];
        has = has && lrn_has_vectors(runs->data[t], strides, runs->walk.ndims, size);
    }
    return has;
}

template <class T>
static int32_t run(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call)
{
    int tensors = backward ? LRN_TENSORS : LRN_DY;

    runs->vectors = has_vectors(runs, sizeof(T), tensors);
    if (runs->vectors && lrn_packed_takes(runs, tensors))
        return lrn_packed_run(runs, type, backward, call);
    return backward ? cuda_launch(call, lrn_nhwc_backward<T>, cuda_blocks(runs->walk.count, MADE),
                                  1, *runs)
                    : cuda_launch(call, lrn_nhwc_forward<T>,
                                  cuda_blocks(runs->walk.count, CUDA_THREADS), 1, *runs);
}

int32_t lrn_nhwc_run(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call)
{
    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(runs, type, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(runs, type, backward, call)
                                        : run<cuda_bfloat16>(runs, type, backward, call);
}
