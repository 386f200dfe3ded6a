/* SPDX-License-Identifier: Apache-2.0 */
/* Copies an operand with contiguous positions, as in NCHW, to a layout with contiguous channels.
 * Tiles are transposed in shared memory, so that both reads and writes are contiguous. */
#include "transpose.h"

/* The side of a tile in channels and positions, and the number of ways to read rows. A gap of
 * one bank follows each row of positions. */
#define TC_TRANSPOSE_SIDE 64
#define TC_TRANSPOSE_WAYS 3

/* The parameters of the kernel. The matrix [channel][position] of an image or a filter becomes
 * [position][lane]. */
struct tc_transpose_params {
    tc_copy copy;
    const void *from;
    void *to;
    int64_t positions;
    int32_t lanes;  /* lanes of all groups */
    int32_t extent; /* positions per tile */
    int32_t lane_tiles, position_tiles;
    cuda_divisor by_lane_tiles, by_position_tiles, by_inner, by_group;
    /* The reads per row of a tile, for each way to read rows: 16 bytes, 4 elements, or 1
     * element. The divisor is unset if the way is impossible. */
    cuda_divisor by_vectors_of[TC_TRANSPOSE_WAYS];
    cuda_divisor by_vectors;
    int32_t bytes[TC_TRANSPOSE_WAYS]; /* required alignment of rows; 0 if the way is impossible */
};

static inline void tc_bind(tc_transpose_params *job, const tc_arguments &args)
{
    job->from = args.a;
    job->to = args.output;
}

/* Selects the first possible way. The last way is always possible. */
static inline int32_t tc_settle(tc_transpose_params *job)
{
    int32_t way = 0;

    while (way < TC_TRANSPOSE_WAYS - 1 &&
           (!job->bytes[way] || (uintptr_t)job->from % (size_t)job->bytes[way] != 0))
        way++;
    job->by_vectors = job->by_vectors_of[way];
    return way;
}

/* Reads a tile, V elements of a row at a time. A thread issues all loads of a batch before it
 * uses them. */
template <class T, int V>
__device__ static inline void tc_transpose_read(const tc_transpose_params &job, T *tile,
                                                const T *from, int32_t first_lane,
                                                int32_t positions)
{
    enum {
        PITCH = TC_TRANSPOSE_SIDE + 4 / sizeof(T),
        STEPS = TC_TRANSPOSE_SIDE * TC_TRANSPOSE_SIDE / V / CUDA_THREADS,
        BATCH = STEPS < 8 ? STEPS : 8
    };
    struct alignas(V * sizeof(T)) vector {
        T element[V];
    };
    int32_t vectors = job.extent / V;

    for (int before = 0; before < STEPS; before += BATCH) {
        vector in[BATCH];

#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            int32_t at = (int)threadIdx.x + (before + i) * CUDA_THREADS;
            int32_t line = (int32_t)cuda_divide((uint32_t)at, job.by_vectors);
            int32_t position = (at - line * vectors) * V, lane = first_lane + line;
            int32_t group = (int32_t)cuda_divide((uint32_t)lane, job.by_group);
            int32_t channel = lane - group * job.copy.lanes;

            in[i] = {};
            if (line < TC_TRANSPOSE_SIDE && lane < job.lanes && channel < job.copy.channels &&
                position < positions)
                in[i] = *(const vector *)(from + group * job.copy.strides[TC_GROUP] +
                                          channel * job.copy.channel + position);
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            int32_t at = (int)threadIdx.x + (before + i) * CUDA_THREADS;
            int32_t line = (int32_t)cuda_divide((uint32_t)at, job.by_vectors);
            T *to = tile + line * PITCH + (at - line * vectors) * V;

            if (line >= TC_TRANSPOSE_SIDE)
                continue;
#pragma unroll
            for (int e = 0; e < V; e++)
                to[e] = in[i].element[e];
        }
    }
}

template <class T>
__device__ static inline void tc_transpose_write(const tc_transpose_params &job, const T *tile,
                                                 T *to, int32_t first_lane, int32_t positions)
{
    enum {
        PITCH = TC_TRANSPOSE_SIDE + 4 / sizeof(T),
        EACH = 16 / sizeof(T),
        CHUNKS = TC_TRANSPOSE_SIDE / EACH
    };
    int32_t lane = (int)threadIdx.x % CHUNKS * EACH;

    if (first_lane + lane >= job.lanes)
        return;
    for (int32_t p = (int)threadIdx.x / CHUNKS; p < positions; p += CUDA_THREADS / CHUNKS) {
        union {
            uint4 whole;
            T element[EACH];
        } chunk;

#pragma unroll
        for (int e = 0; e < EACH; e++)
            chunk.element[e] = tile[(lane + e) * PITCH + p];
        *(uint4 *)(to + (int64_t)p * job.lanes + lane) = chunk.whole;
    }
}

template <class T, int V>
__global__ void __launch_bounds__(CUDA_THREADS)
    tc_transpose(const __grid_constant__ tc_transpose_params job)
{
    __shared__ T tile[TC_TRANSPOSE_SIDE * (TC_TRANSPOSE_SIDE + 4 / sizeof(T))];
    uint32_t rest = cuda_divide(blockIdx.x, job.by_lane_tiles);
    uint32_t image = cuda_divide(rest, job.by_position_tiles);
    uint32_t outer = cuda_divide(image, job.by_inner);
    int32_t inner = (int32_t)(image - outer * (uint32_t)job.copy.dims[TC_INNER]);
    int32_t lane = (int32_t)(blockIdx.x - rest * (uint32_t)job.lane_tiles) * TC_TRANSPOSE_SIDE;
    int64_t first = (int64_t)(rest - image * (uint32_t)job.position_tiles) * job.extent;
    int64_t left = job.positions - first;
    int32_t positions = left < job.extent ? (int32_t)left : job.extent;
    const T *from = (const T *)job.from + job.copy.first + outer * job.copy.strides[TC_OUTER] +
                    inner * job.copy.strides[TC_INNER] + first;

    tc_wait_on_dependent_grids();
    tc_transpose_read<T, V>(job, tile, from, lane, inner < job.copy.inner ? positions : 0);
    __syncthreads();
    tc_transpose_write(job, tile, (T *)job.to + (image * job.positions + first) * job.lanes + lane,
                       lane, positions);
}

/* Returns the positions of one channel of an image if they are contiguous. Returns 0 if they are
 * not, or if transposing is not worthwhile. */
static int64_t packed_positions(const tc_copy &copy)
{
    int64_t positions = 1;

    for (int i = 0; i < 2; i++) {
        const tc_window &window = copy.window[i];

        if (window.taps != 1 || window.step != 1 || window.begin != 0 ||
            window.extent != copy.dims[TC_HEIGHT + i])
            return 0;
    }
    if (copy.channel == 1 || copy.channels < 8)
        return 0;
    for (int d = TC_WIDTH; d >= TC_DEPTH; d--) {
        if (copy.dims[d] > 1 && copy.strides[d] != positions)
            return 0;
        positions *= copy.dims[d];
    }
    return positions >= 4 ? positions : 0;
}

/* Returns true if rows, and tiles in them, begin at multiples of `elements` elements, provided
 * that the tensor does. */
static bool begin_at(const tc_transpose_params &job, int32_t elements)
{
    const int64_t *strides = job.copy.strides;

    return job.copy.first % elements == 0 && job.positions % elements == 0 &&
           job.extent % elements == 0 && job.copy.channel % elements == 0 &&
           strides[TC_OUTER] % elements == 0 && strides[TC_INNER] % elements == 0 &&
           strides[TC_GROUP] % elements == 0;
}

static tc_transpose_params transpose_of(const tc_copy &copy, int64_t positions)
{
    const int64_t side = TC_TRANSPOSE_SIDE;
    int64_t tiles = cuda_blocks(positions, side);
    tc_transpose_params job = {};

    job.copy = copy;
    job.positions = positions;
    job.lanes = (int32_t)(copy.lanes * copy.dims[TC_GROUP]);
    /* Tiles have about equal lengths. They begin at multiples of 16 bytes if rows do. */
    job.extent =
        (int32_t)(positions < side ? positions : (cuda_blocks(positions, tiles) + 7) / 8 * 8);
    job.lane_tiles = (int32_t)cuda_blocks(job.lanes, side);
    job.position_tiles = (int32_t)cuda_blocks(positions, job.extent);
    job.by_lane_tiles = cuda_divisor_of(job.lane_tiles);
    job.by_position_tiles = cuda_divisor_of(job.position_tiles);
    job.by_inner = cuda_divisor_of(copy.dims[TC_INNER]);
    job.by_group = cuda_divisor_of(copy.lanes);
    return job;
}

template <class T> static void step_transpose(tc_step *step, tc_transpose_params job)
{
    const int32_t elements[TC_TRANSPOSE_WAYS] = {16 / (int32_t)sizeof(T), 4, 1};
    int64_t images = job.copy.dims[TC_OUTER] * job.copy.dims[TC_INNER];

    for (int way = 0; way < TC_TRANSPOSE_WAYS; way++) {
        if (!begin_at(job, elements[way]))
            continue;
        job.bytes[way] = elements[way] * (int32_t)sizeof(T);
        job.by_vectors_of[way] = cuda_divisor_of(job.extent / elements[way]);
    }
    tc_step_make(step, tc_transpose<T, 16 / sizeof(T)>, nullptr, CUDA_THREADS, 0,
                 images * job.lane_tiles * job.position_tiles, job);
    tc_step_or(step, 1, tc_transpose<T, 4>, nullptr);
    tc_step_or(step, 2, tc_transpose<T, 1>, nullptr);
}

/* ------------------------------------------------------------------ the step */

bool tc_transpose_step(struct tc_step *step, const tc_copy &copy)
{
    int64_t positions = packed_positions(copy);

    if (!positions || (copy.size != 2 && copy.size != 4))
        return false;
    if (copy.size == 2)
        step_transpose<uint16_t>(step, transpose_of(copy, positions));
    else
        step_transpose<uint32_t>(step, transpose_of(copy, positions));
    return true;
}
