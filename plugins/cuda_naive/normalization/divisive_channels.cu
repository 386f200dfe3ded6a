/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization without means of packed rows of channels, in windows of 5 x 5: a thread
 * has 4 channels at 2 places beside each other and walks down an image. Sums along w are made of
 * what the threads of a block hand each other in shared memory; those of this row and the four
 * before are in registers. So each tensor is moved once, but for what blocks beside each other
 * share. */
#include "divisive_tile.h"

/* What windows reach, and rows that they have. */
#define REACH 2
#define ROWS  5

#define THREADS  128
#define CHANNELS 4                    /* of a thread */
#define PLACES   (LRN_RUN / CHANNELS) /* of each */
/* Pairs of places that a block has in a row, as exponents; and what its threads hand each other,
 * with a pair of zeros before and behind. */
#define LEAST_PAIRS 2
#define MOST_PAIRS  5
#define ROW_QUADS   (THREADS + 2 * (THREADS >> LEAST_PAIRS))
/* Blocks that a multiprocessor should get, and rows below which an image is not cut for it. */
#define BLOCKS     4
#define LEAST_ROWS 16

struct divisive_channels {
    const void *x, *dy;
    void *out;
    cuda_blend blend;
    lrn_factors f;
    float through;
    int32_t high, wide, channels;
    int32_t log_pairs;
    int32_t halo; /* of the pairs, those on each side that are there for others' windows */
    int32_t rows; /* of dx or y, of a block */
    uint32_t slices, strips, parts; /* blocks along the channels, w and h */
};

struct place {
    int64_t image;
    int begin, end; /* rows */
    int slot, groups;
    int64_t offset;                    /* of row 0 */
    bool there[PLACES], gives[PLACES]; /* whether it is in the image; whether its result is due */
};

/* What two threads hand each other: places of even and odd index apart, so that those of a warp lie
 * side by side. */
typedef float4 shared_row[PLACES][ROW_QUADS];

template <int SIZE> struct quad_words;
template <> struct quad_words<2> {
    typedef uint2 type;
};
template <> struct quad_words<4> {
    typedef uint4 type;
};

template <class T> union quad {
    typename quad_words<sizeof(T)>::type whole;
    T lane[CHANNELS];
};

template <class T> struct pair {
    quad<T> at[PLACES];
};

__device__ static inline place place_of(const divisive_channels &p)
{
    int log_groups = 7 - p.log_pairs, pair = (int)threadIdx.x >> log_groups;
    int group = (int)threadIdx.x & ((1 << log_groups) - 1), pairs = 1 << p.log_pairs;
    uint32_t left = blockIdx.x / p.slices, strip = left % p.strips;
    int channel = (int)((blockIdx.x % p.slices << log_groups) + (uint32_t)group) * CHANNELS;
    int w = ((int)strip * (pairs - 2 * p.halo) + pair - p.halo) * PLACES;
    place at;

    left /= p.strips;
    at.image = left / p.parts;
    at.begin = (int)(left % p.parts) * p.rows;
    at.end = at.begin + p.rows < p.high ? at.begin + p.rows : p.high;
    at.groups = 1 << log_groups;
    at.slot = (int)threadIdx.x + at.groups;
    at.offset = (at.image * p.high * p.wide + w) * p.channels + channel;
#pragma unroll
    for (int i = 0; i < PLACES; i++) {
        at.there[i] = w + i >= 0 && w + i < p.wide && channel < p.channels;
        at.gives[i] = at.there[i] && pair >= p.halo && pair < pairs - p.halo;
    }
    return at;
}

/* Nothing lies before a row's first pair and behind its last. */
__device__ static inline void clear_ends(const place &at, shared_row &row)
{
    if ((int)threadIdx.x < at.groups) {
#pragma unroll
        for (int i = 0; i < PLACES; i++) {
            row[i][threadIdx.x] = {0, 0, 0, 0};
            row[i][THREADS + at.groups + (int)threadIdx.x] = {0, 0, 0, 0};
        }
    }
}

__device__ static inline float4 add_quads(const float4 &a, const float4 &b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

__device__ static inline void spread(const float4 &from, float to[CHANNELS])
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
    to[3] = from.w;
}

/* Sums over the windows along a row. A block comes by another row before it writes this one again.
 */
__device__ static inline void sum_row(const place &at, shared_row &row, const float value[LRN_RUN],
                                      float sum[LRN_RUN])
{
    float4 even = {value[0], value[1], value[2], value[3]}, both,
           odd = {value[4], value[5], value[6], value[7]};
    int before = at.slot - at.groups, behind = at.slot + at.groups;

    row[0][at.slot] = even;
    row[1][at.slot] = odd;
    __syncthreads();
    both = add_quads(add_quads(row[1][before], even), add_quads(odd, row[0][behind]));
    spread(add_quads(row[0][before], both), sum);
    spread(add_quads(both, row[1][behind]), sum + CHANNELS);
}

/* A thread's elements of row h, or zeros. */
template <class T>
__device__ static inline void read_pair(const divisive_channels &p, const place &at,
                                        const void *data, int h, pair<T> *to)
{
    const T *from = (const T *)data + at.offset + (int64_t)h * p.wide * p.channels;

#pragma unroll
    for (int i = 0; i < PLACES; i++) {
        to->at[i].whole = {};
        if (at.there[i] && h >= 0 && h < p.high)
            to->at[i].whole =
                *(const typename quad_words<sizeof(T)>::type *)(from + (int64_t)i * p.channels);
    }
}

template <class T>
__device__ static inline void write_pair(const divisive_channels &p, const place &at, int h,
                                         const float value[LRN_RUN])
{
    T *to = (T *)p.out + at.offset + (int64_t)h * p.wide * p.channels;
    bool plain = lrn_is_plain(p.blend);

#pragma unroll
    for (int i = 0; i < PLACES; i++) {
        auto *whole = (typename quad_words<sizeof(T)>::type *)(to + (int64_t)i * p.channels);
        quad<T> made;

        if (!at.gives[i])
            continue;
        if (!plain && p.blend.beta != 0)
            made.whole = *whole;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            if (plain)
                cuda_store(&made.lane[c], value[i * CHANNELS + c]);
            else
                cuda_blend_store(&made.lane[c], value[i * CHANNELS + c], p.blend);
        }
        *whole = made.whole;
    }
}

template <class T> __device__ static inline float element_of(const pair<T> &of, int i)
{
    return cuda_load(of.at[i / CHANNELS].lane[i % CHANNELS]);
}

__device__ static inline void sum_rows(const float ring[ROWS][LRN_RUN], float sum[LRN_RUN][1])
{
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        sum[i][0] = ring[0][i] + ring[1][i] + ring[2][i] + ring[3][i] + ring[4][i];
}

/* The squares' sums of a row that comes in, which may lie outside. */
template <class T>
__device__ static inline void take_row(const divisive_channels &p, const place &at, shared_row &row,
                                       const pair<T> &x, float sum[LRN_RUN])
{
    float square[LRN_RUN];

#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        float value = lrn_take(p.f, x.at[i / CHANNELS].lane[i % CHANNELS]);
        square[i] = value * value;
    }
    sum_row(at, row, square, sum);
}

/* y of a row is there two rows after x; the next row of x is under way meanwhile. */
template <class T>
__global__ void __launch_bounds__(THREADS, sizeof(T) == 2 ? 4 : 3)
    divisive_channels_forward(divisive_channels p)
{
    __shared__ shared_row rows[2];
    place at = place_of(p);
    float ring[ROWS][LRN_RUN] = {};
    pair<T> x[ROWS], next;

    clear_ends(at, rows[0]);
    clear_ends(at, rows[1]);
    read_pair(p, at, p.x, at.begin - REACH, &next);
    for (int first = at.begin - REACH; first < at.end + REACH; first += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int h = first + r, to = h - REACH;
            float sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], y[LRN_RUN];
            const pair<T> &here = x[(r + ROWS - REACH) % ROWS];

            x[r] = next;
            read_pair(p, at, p.x, h + 1, &next);
            take_row<T>(p, at, rows[h & 1], x[r], ring[r]);
            if (to < at.begin || to >= at.end)
                continue;
            sum_rows(ring, sum);
            lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                y[i] = element_of(here, i) * power[i][0];
            write_pair<T>(p, at, to, y);
        }
    }
}

/* A thread's own numbers, in shared memory for want of registers. */
__device__ static inline void keep(float4 to[PLACES][THREADS], const float value[LRN_RUN][1])
{
#pragma unroll
    for (int i = 0; i < PLACES; i++) {
        const float(*from)[1] = value + i * CHANNELS;

        to[i][threadIdx.x] = {from[0][0], from[1][0], from[2][0], from[3][0]};
    }
}

__device__ static inline void fetch(const float4 from[PLACES][THREADS], float value[LRN_RUN])
{
#pragma unroll
    for (int i = 0; i < PLACES; i++)
        spread(from[i][threadIdx.x], value + i * CHANNELS);
}

/* dx of a row is there two rows after its sums, which are two rows behind x. Where a place lies
 * outside, dy is zero, and so is what it gives. */
template <class T>
__global__ void __launch_bounds__(THREADS, sizeof(T) == 2 ? 3 : 2)
    divisive_channels_backward(divisive_channels p)
{
    __shared__ shared_row squares, gifts;
    __shared__ float4 direct[ROWS][PLACES][THREADS];
    place at = place_of(p);
    float ring[ROWS][LRN_RUN] = {}, shared[ROWS][LRN_RUN] = {};
    pair<T> x[ROWS] = {}, next, dy;

    clear_ends(at, squares);
    clear_ends(at, gifts);
    read_pair(p, at, p.x, at.begin - 2 * REACH, &next);
    read_pair(p, at, p.dy, at.begin - 3 * REACH, &dy);
    for (int first = at.begin - 2 * REACH; first < at.end + 2 * REACH; first += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int h = first + r, middle = h - REACH, to = middle - REACH;
            float sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], give[LRN_RUN];
            const pair<T> &here = x[(r + ROWS - REACH) % ROWS], &back = x[(r + 1) % ROWS];

            x[r] = next;
            read_pair(p, at, p.x, h + 1, &next);
            take_row<T>(p, at, squares, x[r], ring[r]);
            sum_rows(ring, sum);
            lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++) {
                power[i][0] *= element_of(dy, i);
                give[i] = power[i][0] * (element_of(here, i) * inverse[i][0]);
            }
            keep(direct[r], power);
            read_pair(p, at, p.dy, middle + 1, &dy);
            sum_row(at, gifts, give, shared[r]);
            if (to < at.begin || to >= at.end)
                continue;
            sum_rows(shared, sum);
            fetch(direct[(r + ROWS - REACH) % ROWS], give);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                give[i] -= p.through * element_of(back, i) * sum[i][0];
            write_pair<T>(p, at, to, give);
        }
    }
}

/* ------------------------------------------------------------------ on the host */

int divisive_channels_take(const struct divisive_tiles *tiles, int backward)
{
    uintptr_t addresses = (uintptr_t)tiles->x | (uintptr_t)tiles->out;

    if (backward)
        addresses |= (uintptr_t)tiles->dy;
    return !tiles->along_rows && tiles->dims[DIVISIVE_DEPTH] == 1 &&
           addresses % sizeof(uint4) == 0 && tiles->dims[DIVISIVE_ROW] % CHANNELS == 0 &&
           tiles->dims[DIVISIVE_ACROSS] < INT32_MAX / 2 &&
           tiles->dims[DIVISIVE_ALONG] < INT32_MAX / 2 &&
           tiles->dims[DIVISIVE_ROW] < INT32_MAX / 2 && tiles->before[DIVISIVE_ALONG] == REACH &&
           tiles->after[DIVISIVE_ALONG] == REACH && tiles->out != tiles->x &&
           tiles->out != tiles->dy;
}

/* Cuts rows into strips, which share pairs where they are several, channels into slices and, where
 * these are too few blocks, images into parts. Returns how many blocks there are. */
static int64_t shape_blocks(struct divisive_channels *channels, int64_t images, int backward,
                            int32_t multiprocessors)
{
    int64_t blocks;
    int pairs;

    channels->log_pairs = LEAST_PAIRS;
    while (channels->log_pairs < MOST_PAIRS && PLACES << channels->log_pairs < channels->wide)
        channels->log_pairs++;
    pairs = 1 << channels->log_pairs;
    channels->halo = PLACES * pairs >= channels->wide ? 0 : (1 + backward) * REACH / PLACES;
    channels->strips = (uint32_t)cuda_blocks(channels->wide, PLACES * (pairs - 2 * channels->halo));
    channels->slices = (uint32_t)cuda_blocks(channels->channels, CHANNELS * (THREADS / pairs));
    channels->rows = channels->high;
    blocks = images * channels->strips * channels->slices;
    while (channels->rows >= 2 * LEAST_ROWS &&
           blocks * cuda_blocks(channels->high, channels->rows) < (int64_t)BLOCKS * multiprocessors)
        channels->rows = (channels->rows + 1) / 2;
    channels->parts = (uint32_t)cuda_blocks(channels->high, channels->rows);
    return blocks * channels->parts;
}

template <class T>
static int32_t run(const struct divisive_channels *channels, int64_t blocks, int backward,
                   const cuda_call *call)
{
    return cuda_launch_threads(
        call, backward ? divisive_channels_backward<T> : divisive_channels_forward<T>, blocks, 1,
        THREADS, *channels);
}

int32_t divisive_channels_run(const struct divisive_tiles *tiles, int32_t type, int backward,
                              const cuda_call *call)
{
    struct divisive_channels channels = {tiles->x,
                                         tiles->dy,
                                         tiles->out,
                                         tiles->blend,
                                         tiles->f,
                                         tiles->through,
                                         (int32_t)tiles->dims[DIVISIVE_ACROSS],
                                         (int32_t)tiles->dims[DIVISIVE_ALONG],
                                         (int32_t)tiles->dims[DIVISIVE_ROW]};
    int64_t blocks =
        shape_blocks(&channels, tiles->dims[DIVISIVE_IMAGE], backward, tiles->multiprocessors);

    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(&channels, blocks, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(&channels, blocks, backward, call)
                                        : run<cuda_bfloat16>(&channels, blocks, backward, call);
}
