/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions of the kernels of batch_norm_resident.h: the position of a warp, its pieces of
 * memory, and the signs of a unit. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_DEVICE_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_DEVICE_H

#include "../shared/copy_async.h"
#include "batch_norm_element.h"
#include "batch_norm_resident.h"

/* Declares the dynamic shared memory of a block. */
#ifdef __CUDACC__
#define CUDA_SHARED(name) extern __shared__ __align__(16) uint4 name[]
#else
#define CUDA_SHARED(name) uint4 *const name = (uint4 *)emulator_shared()
#endif

/* The position of this thread: vector `x` of the slab's channels, in group `g` of a piece. */
template <class T> struct cuda_norm_lane {
    int32_t lane, warp, x, g;
    int32_t slab, block; /* `block` is its number within the slab */
    int32_t channel;     /* first channel */
};

template <class T>
__device__ static inline cuda_norm_lane<T> cuda_norm_lane_of(const cuda_norm_resident &shape)
{
    cuda_norm_lane<T> at;

    at.lane = (int32_t)threadIdx.x % 32;
    at.warp = (int32_t)threadIdx.x / 32;
    at.x = at.lane & (shape.across - 1);
    at.g = at.lane / shape.across;
    at.slab = (int32_t)blockIdx.x % shape.slabs;
    at.block = (int32_t)blockIdx.x / shape.slabs;
    at.channel = at.slab * shape.slab + at.x * cuda_vector<T>::LANES;
    return at;
}

/* Returns the channel that this thread finishes. The result is a valid channel for every thread. */
template <class T>
__device__ static inline int32_t cuda_norm_finished(const cuda_norm_resident &shape,
                                                    const cuda_norm_lane<T> &lane)
{
    return lane.slab * shape.slab + ((int32_t)threadIdx.x & (shape.slab - 1));
}

/* ------------------------------------------------------------------ units */

/* A warp's units: first, first + apart, ... At any time, all warps of a slab are close together in
 * memory. The numbers of units of two blocks differ by at most one. */
struct cuda_norm_units {
    int32_t first, apart, count;
};

template <class T>
__device__ static inline cuda_norm_units cuda_norm_units_of(const cuda_norm_resident &shape,
                                                            const cuda_norm_lane<T> &lane)
{
    int32_t all = shape.images * shape.units;
    cuda_norm_units of = {lane.warp * shape.blocks + lane.block, shape.blocks * CUDA_NORM_WARPS, 0};

    if (of.first < all)
        of.count = (all - of.first + of.apart - 1) / of.apart;
    return of;
}

/* ------------------------------------------------------------------ pieces */

/* A piece of a unit, as this lane sees it. */
struct cuda_norm_piece {
    int32_t turn;                /* the unit's number among the warp's units; -1 after the last */
    int32_t image, first, count; /* `first` and `count` are rows of the unit */
    int32_t row;                 /* first row of this lane's group, within the unit */
    int64_t at;                  /* offset of its first element */
};

template <bool WHOLE>
__device__ static inline int32_t cuda_norm_group_of(const cuda_norm_resident &shape)
{
    return WHOLE ? shape.group : CUDA_NORM_GROUP;
}

/* Returns the first or the last piece of a unit. */
template <bool WHOLE, class T>
__device__ static inline cuda_norm_piece
cuda_norm_piece_of(const cuda_norm_resident &shape, const cuda_norm_lane<T> &lane,
                   const cuda_norm_units &of, int32_t turn, bool last)
{
    int32_t group = cuda_norm_group_of<WHOLE>(shape), unit = of.first + turn * of.apart;
    cuda_norm_piece piece = {-1, 0, 0, 0, 0, 0};

    if (turn < 0 || turn >= of.count)
        return piece;
    piece.turn = turn;
    piece.image = (int32_t)((uint32_t)unit / (uint32_t)shape.units);
    piece.first = (unit - piece.image * shape.units) * shape.length;
    piece.count = cuda_norm_least(shape.length, shape.positions - piece.first);
    piece.row = lane.g * group;
    if (last)
        piece.row += (int32_t)((uint32_t)(piece.count - 1) / (uint32_t)shape.piece) * shape.piece;
    piece.at = ((int64_t)piece.image * shape.positions + piece.first + piece.row) * shape.channels +
               lane.channel;
    return piece;
}

/* Advances to the next piece in the order of the sums. */
template <bool WHOLE, class T>
__device__ static inline void
cuda_norm_forth(cuda_norm_piece &piece, const cuda_norm_resident &shape,
                const cuda_norm_lane<T> &lane, const cuda_norm_units &of)
{
    int32_t group = cuda_norm_group_of<WHOLE>(shape);

    piece.row += shape.piece;
    piece.at += (int64_t)shape.piece * shape.channels;
    if (piece.row - lane.g * group >= piece.count)
        piece = cuda_norm_piece_of<WHOLE>(shape, lane, of, piece.turn + 1, false);
}

/* Advances to the next piece in the order of the results, which is the opposite. */
template <bool WHOLE, class T>
__device__ static inline void
cuda_norm_back(cuda_norm_piece &piece, const cuda_norm_resident &shape,
               const cuda_norm_lane<T> &lane, const cuda_norm_units &of)
{
    piece.row -= shape.piece;
    piece.at -= (int64_t)shape.piece * shape.channels;
    if (piece.row < 0)
        piece = cuda_norm_piece_of<WHOLE>(shape, lane, of, piece.turn - 1, true);
}

/* The rows of each lane in a full piece. */
template <bool WHOLE> struct cuda_norm_full {
    enum { ROWS = WHOLE ? CUDA_NORM_GROUP_WHOLE : CUDA_NORM_GROUP };
};

/* Returns the number of this lane's rows in the piece. The next two functions return true if the
 * piece is full, and if it is the unit's first. */
template <bool WHOLE>
__device__ static inline int32_t cuda_norm_rows_of(const cuda_norm_piece &piece,
                                                   const cuda_norm_resident &shape)
{
    int32_t left = cuda_norm_least(piece.count - piece.row, cuda_norm_group_of<WHOLE>(shape));

    return left > 0 ? left : 0;
}

template <bool WHOLE>
__device__ static inline bool cuda_norm_is_full(const cuda_norm_piece &piece,
                                                const cuda_norm_resident &shape, int32_t g)
{
    enum { ROWS = cuda_norm_full<WHOLE>::ROWS };

    return (!WHOLE || shape.group == ROWS) && piece.count - (piece.row - g * ROWS) >= shape.piece;
}

template <bool WHOLE>
__device__ static inline bool cuda_norm_is_first(const cuda_norm_piece &piece,
                                                 const cuda_norm_resident &shape, int32_t g)
{
    return piece.row == g * cuda_norm_group_of<WHOLE>(shape);
}

/* A warp's ring: rows of all lanes' vectors. `at` points to this lane's vector in the first row. */
template <class T> struct cuda_norm_ring {
    cuda_vector<T> *at;
    int32_t size, pieces; /* `size` is the vectors of a piece */
};

template <class T>
__device__ static inline cuda_norm_ring<T>
cuda_norm_ring_of(const cuda_norm_resident &shape, uint4 *shared, const cuda_norm_lane<T> &lane,
                  int32_t which)
{
    int32_t size = shape.group * 32;
    int64_t before = (int64_t)(which * CUDA_NORM_WARPS + lane.warp) * shape.ring * size;

    return {(cuda_vector<T> *)shared + before + lane.lane, size, shape.ring};
}

template <class T>
__device__ static inline cuda_vector<T> *cuda_norm_ring_at(const cuda_norm_ring<T> &ring,
                                                           int32_t slot)
{
    return ring.at + slot * ring.size;
}

__device__ static inline int32_t cuda_norm_turn(int32_t slot, int32_t pieces)
{
    return slot + 1 == pieces ? 0 : slot + 1;
}

__device__ static inline int32_t cuda_norm_turn_back(int32_t slot, int32_t pieces)
{
    return slot == 0 ? pieces - 1 : slot - 1;
}

/* Starts copying the lane's rows of a piece. */
template <bool WHOLE, class T>
__device__ static inline void cuda_norm_fetch(cuda_vector<T> *to, const void *data,
                                              const cuda_norm_piece &piece,
                                              const cuda_norm_resident &shape, int32_t g)
{
    const T *from = (const T *)data + piece.at;
    int32_t count = cuda_norm_rows_of<WHOLE>(piece, shape);

    if (cuda_norm_is_full<WHOLE>(piece, shape, g)) {
#pragma unroll
        for (int r = 0; r < cuda_norm_full<WHOLE>::ROWS; r++, from += shape.channels)
            copy_async<16>(to + r * 32, from, true);
        return;
    }
#pragma unroll
    for (int r = 0; r < CUDA_NORM_GROUP; r++, from += shape.channels) {
        if (r < count)
            copy_async<16>(to + r * 32, from, true);
    }
}

/* Stores results past the caches, because this kernel does not read them again soon. */
template <class T>
__device__ static inline void cuda_norm_give_whole(T *to, const cuda_vector<T> &out)
{
#ifdef __CUDA_ARCH__
    __stcs((uint4 *)to, out.whole);
#else
    *(uint4 *)to = out.whole;
#endif
}

template <class T, int N>
__device__ static inline void cuda_norm_give(T *to, const float (&result)[N])
{
    cuda_vector<T> out;

    cuda_vector_round(out, result);
    cuda_norm_give_whole(to, out);
}

/* ------------------------------------------------------------------ signs */

/* Returns the words of a warp's window of signs, which holds one unit. If units are images, a
 * slab's bits are contiguous in the reserve and in the window; else each channel has its own
 * words. */
template <bool WHOLE>
__device__ static inline int32_t cuda_norm_window(const cuda_norm_resident &shape)
{
    return WHOLE ? shape.words : shape.words * shape.slab;
}

/* Returns the bit of the unit's first row and the slab's first channel. */
__device__ static inline int64_t cuda_norm_first_bit(const cuda_norm_piece &piece,
                                                     const cuda_norm_resident &shape, int32_t slab)
{
    return ((int64_t)piece.image * shape.channels + slab * shape.slab) * shape.positions +
           piece.first;
}

/* Starts copying the signs of a piece's unit. If a channel's signs do not begin at a word, the copy
 * begins at the word that contains their first bit. */
template <bool WHOLE, class T>
__device__ static inline void
cuda_norm_fetch_signs(uint32_t *to, const uint8_t *reserve, const cuda_norm_piece &piece,
                      const cuda_norm_resident &shape, const cuda_norm_lane<T> &lane)
{
    int64_t bit = cuda_norm_first_bit(piece, shape, lane.slab);

    if (WHOLE) {
        const uint32_t *from = (const uint32_t *)(reserve + bit / 8);

        for (int32_t i = lane.lane; i < shape.words - 2; i += 32)
            copy_async<4>(to + i, from + i, true);
        return;
    }
    int32_t word = lane.lane & (shape.each - 1), c = lane.lane / shape.each;
    int32_t apart = 32 / shape.each;
    const uint32_t *from = (const uint32_t *)reserve + bit / 32 + word;
    uint32_t at = (uint32_t)(bit % 32) + (uint32_t)(c * shape.positions);

    to += c * shape.words + word;
#pragma unroll 8
    for (int32_t i = 0; i < shape.turns; i++) {
        if (word < ((int32_t)(at % 32) + piece.count + 31) / 32)
            copy_async<4>(to, from + at / 32, true);
        at += (uint32_t)(apart * shape.positions);
        to += apart * shape.words;
    }
}

/* Reads the signs of this lane's rows, for each of its channels. */
template <bool WHOLE, class T>
__device__ static inline void
cuda_norm_signs_of(unsigned (&to)[cuda_vector<T>::LANES], const uint32_t *window,
                   const cuda_norm_piece &piece, const cuda_norm_resident &shape,
                   const cuda_norm_lane<T> &lane)
{
    enum { LANES = cuda_vector<T>::LANES };

    if (WHOLE) {
        int32_t bit = lane.x * LANES * shape.positions + piece.row;

#pragma unroll
        for (int l = 0; l < LANES; l++, bit += shape.positions)
            to[l] =
                (unsigned)(((uint64_t)window[bit / 32 + 1] << 32 | window[bit / 32]) >> bit % 32);
    } else {
        uint32_t apart = (uint32_t)shape.positions / 8;
        uint32_t byte = (uint32_t)(cuda_norm_first_bit(piece, shape, lane.slab) / 8) +
                        (uint32_t)(lane.x * LANES) * apart;
        const uint8_t *from =
            (const uint8_t *)(window + lane.x * LANES * shape.words) + piece.row / 8;

#pragma unroll
        for (int l = 0; l < LANES; l++, byte += apart, from += 4 * shape.words)
            to[l] = from[byte % 4];
    }
}

/* Sets the signs of this lane's rows in the window. The window must be zeros if units are
 * images. */
template <bool WHOLE, class T>
__device__ static inline void
cuda_norm_put_signs(uint32_t *window, const unsigned (&signs)[cuda_vector<T>::LANES],
                    const cuda_norm_piece &piece, const cuda_norm_resident &shape,
                    const cuda_norm_lane<T> &lane)
{
    enum { LANES = cuda_vector<T>::LANES };

    if (piece.row >= piece.count)
        return;
    if (WHOLE) {
        int32_t bit = lane.x * LANES * shape.positions + piece.row;

#pragma unroll
        for (int l = 0; l < LANES; l++, bit += shape.positions) {
            uint64_t both = (uint64_t)signs[l] << bit % 32;

            atomicOr(window + bit / 32, (uint32_t)both);
            if (both >> 32)
                atomicOr(window + bit / 32 + 1, (uint32_t)(both >> 32));
        }
    } else {
        uint8_t *to = (uint8_t *)(window + lane.x * LANES * shape.words) + piece.row / 8;

#pragma unroll
        for (int l = 0; l < LANES; l++, to += 4 * shape.words)
            *to = (uint8_t)signs[l];
    }
}

/* Stores the signs of each channel in units of G. Neighbouring lanes store neighbouring units. */
template <class G>
__device__ static inline void give_channels(uint8_t *to, const uint32_t *window, int32_t bytes,
                                            const cuda_norm_resident &shape, int32_t lane)
{
    int32_t i = lane & (shape.each - 1), channel = lane / shape.each, together = 32 / shape.each;
    int64_t apart = shape.positions / 8;

    if (i * (int32_t)sizeof(G) >= bytes)
        return;
    to += channel * apart + i * (int32_t)sizeof(G);
    window += channel * shape.words;
#pragma unroll 8
    for (int32_t t = 0; t < shape.turns; t++) {
        *(G *)to = ((const G *)window)[i];
        to += together * apart;
        window += together * shape.words;
    }
}

/* Stores a unit's signs in the reserve, after all lanes have set theirs. */
template <bool WHOLE, class T>
__device__ static inline void
cuda_norm_give_signs(uint8_t *reserve, uint32_t *window, const cuda_norm_piece &piece,
                     const cuda_norm_resident &shape, const cuda_norm_lane<T> &lane)
{
    uint8_t *to = reserve + cuda_norm_first_bit(piece, shape, lane.slab) / 8;

    __syncwarp();
    if (WHOLE) {
        for (int32_t i = lane.lane; i < shape.words - 2; i += 32) {
            ((uint32_t *)to)[i] = window[i];
            window[i] = 0;
        }
    } else if (shape.granule == 4) {
        give_channels<uint32_t>(to, window, piece.count / 8, shape, lane.lane);
    } else if (shape.granule == 2) {
        give_channels<uint16_t>(to, window, piece.count / 8, shape, lane.lane);
    } else {
        give_channels<uint8_t>(to, window, piece.count / 8, shape, lane.lane);
    }
    __syncwarp();
}

#endif
