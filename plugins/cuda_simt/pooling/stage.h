/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling of NCHW: copies parts of planes to shared memory and back, 16 bytes at a time. */
#ifndef CUDA_SIMT_POOLING_STAGE_H
#define CUDA_SIMT_POOLING_STAGE_H

#include "device.h"

/* A part in shared memory: a box of one plane, or several whole planes. */
template <class T> struct pooling_part {
    enum { LANES = 16 / sizeof(T) };
    pooling_box box;
    int planes, plane; /* planes; elements of one plane */
    int lead;          /* elements before the first one in its 16 bytes */
    int64_t start;     /* offset of the first element in the tensor */
};

template <class T>
__device__ static inline void pooling_begin(pooling_part<T> *part, const T *data,
                                            const int32_t dims[], int64_t plane)
{
    part->plane = pooling_volume(dims);
    part->start = plane * part->plane +
                  pooling_offset(dims, part->box.begin[0], part->box.begin[1], part->box.begin[2]);
    part->lead = (int)((uintptr_t)(data + part->start) / sizeof(T) % pooling_part<T>::LANES);
}

/* Returns the index in shared memory at which row (d, h) of the box begins. */
template <class T>
__device__ static inline int pooling_row(const pooling_part<T> &part, const pooling_store &store,
                                         const int32_t dims[], int plane, int d, int h)
{
    int offset = pooling_offset(dims, d - part.box.begin[0], h - part.box.begin[1], 0);

    if (store.one_run)
        return part.lead + plane * part.plane + offset;
    return ((d - part.box.begin[0]) * store.rows + h - part.box.begin[1]) * store.pitch +
           ((part.lead + offset) & (pooling_part<T>::LANES - 1));
}

/* Returns the same for planes of two spatial dims without a branch; h counts from the box. */
template <class T>
__device__ static inline int pooling_flat_row(const pooling_part<T> &part,
                                              const pooling_store &store, const int32_t dims[],
                                              int plane, int h)
{
    int pitch = store.one_run ? dims[2] : store.pitch, skew = store.one_run ? 0 : dims[2];

    return plane * part.plane + h * pitch + ((part.lead + h * skew) & (pooling_part<T>::LANES - 1));
}

/* Iterates over the elements at .. end - 1 of shared memory, the first of which has offset `there`
 * in the tensor. It calls whole(at, there) for 16 bytes, and one(at, there) for an element of an
 * incomplete 16 bytes. */
template <class T, class Whole, class One>
__device__ static inline void pooling_each_chunk(int at, int end, int64_t there, Whole whole,
                                                 One one)
{
    enum { LANES = 16 / sizeof(T) };
    int inner = pooling_least((at + LANES - 1) / LANES * LANES, end);
    int outer = pooling_most(end / LANES * LANES, inner), thread = (int)threadIdx.x;

    if (thread < inner - at)
        one(at + thread, there + thread);
    if (thread < end - outer)
        one(outer + thread, there + (outer - at) + thread);
    for (int i = inner + thread * LANES; i < outer; i += CUDA_THREADS * LANES)
        whole(i, there + (i - at));
}

/* Iterates in the same way over separate rows; a thread handles 16 bytes of any row. */
template <class T, class Whole, class One>
__device__ static inline void pooling_each_row_chunk(const pooling_part<T> &part,
                                                     const pooling_store &store,
                                                     const int32_t dims[], Whole whole, One one)
{
    enum { LANES = pooling_part<T>::LANES };
    const pooling_box &box = part.box;
    int wide = box.end[2] - box.begin[2], high = box.end[1] - box.begin[1];
    int items = (box.end[0] - box.begin[0]) * store.rows * (store.pitch / LANES);

    for (int i = (int)threadIdx.x; i < items; i += CUDA_THREADS) {
        int row = (int)cuda_divide((unsigned)i, store.by_row_chunks);
        int d = (int)cuda_divide((unsigned)row, store.by_rows), h = row - d * store.rows;
        int offset = pooling_offset(dims, d, h, 0);
        int lead = (part.lead + offset) & (LANES - 1);
        int at = i * LANES - row * store.pitch, end = lead + wide;
        int64_t there = part.start + offset + (at - lead);

        if (h >= high || at >= end)
            continue;
        if (at >= lead && at + LANES <= end) {
            whole(row * store.pitch + at, there);
            continue;
        }
        for (int e = pooling_most(lead - at, 0); e < pooling_least(end - at, LANES); e++)
            one(row * store.pitch + at + e, there + e);
    }
}

template <class T, class Whole, class One>
__device__ static inline void pooling_each(const pooling_part<T> &part, const pooling_store &store,
                                           const int32_t dims[], Whole whole, One one)
{
    const pooling_box &box = part.box;

    if (store.one_run)
        pooling_each_chunk<T>(part.lead,
                              part.lead + part.planes * (box.end[0] - box.begin[0]) *
                                              (box.end[1] - box.begin[1]) *
                                              (box.end[2] - box.begin[2]),
                              part.start, whole, one);
    else
        pooling_each_row_chunk<T>(part, store, dims, whole, one);
}

/* Copies 16 bytes to shared memory. From compute capability 8.0 on, the copy is asynchronous until
 * pooling_wait. */
__device__ static inline void pooling_copy(void *to, const void *from)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *(uint4 *)to = *(const uint4 *)from;
#endif
}

__device__ static inline void pooling_wait()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/* Copies elements of the tensor to shared memory. They are visible after pooling_wait and a
 * barrier. */
template <class T>
__device__ static inline void pooling_stage(uint4 *to, const T *from, const pooling_part<T> &part,
                                            const pooling_store &store, const int32_t dims[])
{
    T *elements = (T *)to;

    pooling_each(
        part, store, dims,
        [=](int at, int64_t there) { pooling_copy(elements + at, from + there); },
        [=](int at, int64_t there) { elements[at] = from[there]; });
}

/* Stores sums from shared memory in the tensor. */
template <class T>
__device__ static inline void pooling_unstage(T *to, const float *from, const pooling_part<T> &part,
                                              const pooling_store &store, const int32_t dims[],
                                              const cuda_blend &blend)
{
    pooling_each(
        part, store, dims,
        [=](int at, int64_t there) {
            cuda_vector<T> out;

            if (blend.beta != 0)
                out.whole = *(const uint4 *)(to + there);
            pooling_blend_lanes<T, pooling_part<T>::LANES>(out.lane, from + at, blend);
            *(uint4 *)(to + there) = out.whole;
        },
        [=](int at, int64_t there) { cuda_blend_store(to + there, from[at], blend); });
}

#endif
