/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling backward that halves planes of NCHW. */
#include "halving_nchw.h"

/* The stores of a thread. A thread's two vectors are contiguous, so storing the first vector of
 * each thread would fill only half of every 32 bytes. Two threads of a row therefore store the
 * first two of their four vectors together, then the other two. */
struct row_store {
    bool odd, first,
        second; /* number in the pair; 1 if the pair's vectors exist, or else the thread's own */
    bool is_paired;
};

__device__ static inline row_store row_store_of(const pooling_packed &p,
                                                const halving_row_thread &in_plane, bool may_pair)
{
    bool is_paired = may_pair && p.halving.log_threads > 0, there = in_plane.plane < p.outer;
    bool odd = is_paired && in_plane.t % 2 == 1;

    return {odd, there && in_plane.t - odd < p.halving.row_threads,
            there && in_plane.t + (is_paired && !odd) < p.halving.row_threads, is_paired};
}

template <class T>
__device__ static inline void store_pair(const row_store &store, T *to,
                                         const float (&half)[2][cuda_vector<T>::LANES], bool inside)
{
    enum { LANES = cuda_vector<T>::LANES };
    cuda_vector<T> vector[2];

    cuda_vector_round(vector[0], half[0]);
    cuda_vector_round(vector[1], half[1]);
    uint4 sent = store.odd ? vector[0].whole : vector[1].whole, received;

    received.x = __shfl_xor_sync(HALVING_ALL_LANES, sent.x, 1);
    received.y = __shfl_xor_sync(HALVING_ALL_LANES, sent.y, 1);
    received.z = __shfl_xor_sync(HALVING_ALL_LANES, sent.z, 1);
    received.w = __shfl_xor_sync(HALVING_ALL_LANES, sent.w, 1);
    to -= store.odd ? LANES : 0;
    if (inside && store.first)
        *(uint4 *)to = store.odd ? received : vector[0].whole;
    if (inside && store.second)
        *(uint4 *)(to + 2 * LANES) = store.odd ? vector[1].whole : received;
}

/* Stores two vectors of a row of dx if the row is inside. All threads of a warp must call it. */
template <class T>
__device__ static inline void store_row(const row_store &store, T *to, const float *sum,
                                        const cuda_blend &blend, bool inside)
{
    enum { LANES = cuda_vector<T>::LANES };
    float half[2][LANES];

#pragma unroll
    for (int c = 0; c < 2 * LANES; c++)
        half[c / LANES][c % LANES] = sum[c];
    if (store.is_paired) {
        store_pair(store, to, half, inside);
    } else if (inside && store.first) {
        cuda_vector_store(to, half[0], blend);
        cuda_vector_store(to + LANES, half[1], blend);
    }
}

/* ------------------------------------------------------------------ averages */

/* Computes the contributions of row o of y to a row of dx: column 2 j from window j, and the
 * columns between two windows from both. */
template <class T, int K>
__device__ static inline void shares_of(const T *dy, const pooling_shape &shape, int t, int columns,
                                        int o, bool there, float to[])
{
    enum { LANES = cuda_vector<T>::LANES };
    cuda_vector<T> raw;

    there = there && o < shape.y_dims[1];
    raw.whole = {0, 0, 0, 0};
    if (there)
        cuda_vector_get(raw, dy + o * shape.y_dims[2]);
    float first = there ? halving_share(shape, o, columns) : 0;
    float inner = there ? halving_share(shape, o, columns + 1) : 0;

#pragma unroll
    for (int j = 0; j < LANES; j++)
        to[2 * j] = cuda_load(raw.lane[j]) * (j ? inner : first);
    float behind = K == 3 ? __shfl_down_sync(HALVING_ALL_LANES, to[0], 1) : 0;

#pragma unroll
    for (int j = 0; j < LANES; j++) {
        float next = j < LANES - 1                       ? to[(2 * j + 2) % (2 * LANES)]
                     : columns + LANES < shape.y_dims[2] ? behind
                                                         : 0;

        to[2 * j + 1] = K == 3 ? to[2 * j] + next : to[2 * j];
    }
}

/* Computes dx. Rows 2 o of dx are under the windows of row o of y; the rows after them are under
 * those of two rows. */
template <class T, int K>
__global__ void __launch_bounds__(CUDA_THREADS, 3) pooling_nchw_halving_average(pooling_job job)
{
    enum { LANES = cuda_vector<T>::LANES };
    const pooling_shape &shape = job.packed.shape;
    halving_row_thread in_plane = halving_row_thread_of(job.packed);
    row_store store = row_store_of(job.packed, in_plane, cuda_is_plain(job.blend));
    int high = shape.x_dims[1], wide = shape.x_dims[2], columns = in_plane.t * LANES;
    const T *dy =
        (const T *)job.data.dy + in_plane.plane * shape.y_dims[1] * shape.y_dims[2] + columns;
    T *dx = (T *)job.data.out + in_plane.plane * high * wide + 2 * columns;
    float here[2 * LANES];

    shares_of<T, K>(dy, shape, in_plane.t, columns, in_plane.first, in_plane.there, here);
#pragma unroll 2
    for (int i = 0; i < job.packed.halving.rows; i++) {
        int o = in_plane.first + i, h = 2 * o;
        float next[2 * LANES];

        shares_of<T, K>(dy, shape, in_plane.t, columns, o + 1, in_plane.there, next);
        store_row(store, dx + h * wide, here, job.blend, h < high);
        if (K == 3) {
#pragma unroll
            for (int c = 0; c < 2 * LANES; c++)
                here[c] += next[c];
        }
        store_row(store, dx + (h + 1) * wide, here, job.blend, h + 1 < high);
#pragma unroll
        for (int c = 0; c < 2 * LANES; c++)
            here[c] = next[c];
    }
}

/* ------------------------------------------------------------------ maxima */

/* Adds the rest of the windows' gradients to a row of dx; sum[0] is the column before the
 * thread's. */
template <int K, int LANES, bool NANS>
__device__ static inline void give_row(const float x[], const float y[], float left[], bool inside,
                                       bool has_left, float sum[])
{
#pragma unroll
    for (int j = 0; j < LANES; j++)
#pragma unroll
        for (int k = 0; k < K; k++)
            halving_give<NANS>(sum[2 * j + k], left[j], x[2 * j + k], y[j],
                               inside && (K == 2 || j + k > 0 || has_left));
}

template <class T, int K> struct nchw_windows {
    enum { LANES = cuda_vector<T>::LANES, LEAD = K - 2, COLUMNS = 2 * LANES + LEAD };
    float y[LANES], left[LANES];
    bool nans;

    /* Loads the windows of row o of y. */
    __device__ void begin(const pooling_job &job, int64_t at, bool there)
    {
        cuda_vector<T> vector;

        vector.whole = {0, 0, 0, 0};
        if (there)
            cuda_vector_get(vector, (const T *)job.data.y + at);
        nans = halving_has_nan(vector);
        cuda_vector_numbers(vector, y);
        vector.whole = {0, 0, 0, 0};
        if (there)
            cuda_vector_get(vector, (const T *)job.data.dy + at);
        cuda_vector_numbers(vector, left);
    }

    /* Adds the windows' contributions to a row of dx. The previous thread gets the contributions to
     * the column before this thread's. */
    __device__ void give(const float x[], bool inside, const halving_row_thread &in_plane,
                         bool is_last, float sum[])
    {
        sum[0] = LEAD ? 0 : sum[0];
        if (nans)
            give_row<K, LANES, true>(x, y, left, inside, in_plane.t > 0, sum);
        else
            give_row<K, LANES, false>(x, y, left, inside, in_plane.t > 0, sum);
        if (LEAD) {
            float behind = __shfl_down_sync(HALVING_ALL_LANES, sum[0], 1);

            sum[COLUMNS - 1] += is_last ? 0 : behind;
        }
    }
};

/* Computes dx; a thread computes rows 2 o and 2 o + 1. The first is covered by the windows of row o
 * (for K 3, by their middle row). The second is covered by their last row and by the first row of
 * the next windows. Paired stores help only if stores are the limit; in 16 bits, instructions
 * are. */
template <class T, int K>
__global__ void __launch_bounds__(CUDA_THREADS, 2) pooling_nchw_halving_max(pooling_job job)
{
    enum { LANES = cuda_vector<T>::LANES, LEAD = K - 2, COLUMNS = 2 * LANES + LEAD };
    constexpr bool PAIRS = sizeof(T) == sizeof(float);
    const pooling_shape &shape = job.packed.shape;
    halving_row_thread in_plane = halving_row_thread_of(job.packed);
    row_store store = row_store_of(job.packed, in_plane, PAIRS && cuda_is_plain(job.blend));
    int high = shape.x_dims[1], wide = shape.x_dims[2], columns = in_plane.t * LANES;
    bool is_last = columns + LANES >= shape.y_dims[2];
    int64_t plane = in_plane.plane * high * wide + 2 * columns;
    int64_t windows = in_plane.plane * shape.y_dims[1] * shape.y_dims[2] + columns;
    const T *x = (const T *)job.data.x + plane;
    T *dx = (T *)job.data.out + plane;
    float above[COLUMNS], sum[COLUMNS];
    int rows = job.packed.halving.rows;

    if (K == 3) {
        halving_raw<T> raw;
        int h = 2 * in_plane.first - LEAD;

        halving_read(raw, x + h * wide, in_plane.there && h >= 0 && h < high, NAN);
        halving_numbers<T, K>(raw, in_plane.t, NAN, above);
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
        sum[c] = 0;
    for (int i = 0; i < rows + LEAD; i++) {
        int o = in_plane.first + i, h = 2 * o;
        bool own = i < rows && in_plane.there;
        halving_raw<T> raw[2];
        nchw_windows<T, K> walk;

        halving_read(raw[0], x + h * wide, own && h < high, NAN);
        halving_read(raw[1], x + (h + 1) * wide, own && h + 1 < high, NAN);
        walk.begin(job, windows + o * shape.y_dims[2], in_plane.there && o < shape.y_dims[1]);
        if (K == 3) {
            walk.give(above, h > 0, in_plane, is_last, sum);
            if (i > 0)
                store_row(store, dx + (h - 1) * wide, sum + LEAD, job.blend, h - 1 < high);
        }
        if (i == rows)
            break;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            halving_numbers<T, K>(raw[r], in_plane.t, NAN, above);
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sum[c] = 0;
            walk.give(above, h + r < high, in_plane, is_last, sum);
            if (K == 2 || r == 0)
                store_row(store, dx + (h + r) * wide, sum + LEAD, job.blend,
                          i < rows && h + r < high);
        }
    }
}

template <class T, int K, bool MAX>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    void (*kernel)(pooling_job) = pooling_nchw_halving_average<T, K>;

    if constexpr (MAX)
        kernel = pooling_nchw_halving_max<T, K>;
    return cuda_launch(call, kernel, packed->blocks, 1, pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nchw_halving_backward_launch(int32_t type, int32_t window, int max)
{
    switch (type) {
#define CASE(T)                                                                                    \
    return window == 3 ? max ? launch<T, 3, true> : launch<T, 3, false>                            \
           : max ? launch<T, 2, true>                                                              \
                       : launch<T, 2, false>
        POOLING_CASES(CASE);
#undef CASE
    }
}
