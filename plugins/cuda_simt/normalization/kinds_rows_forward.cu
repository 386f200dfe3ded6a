/* SPDX-License-Identifier: Apache-2.0 */
/* Implements layer, group and RMS normalization of sets that fit into the registers of a block.
 * A group of threads, which is a part of a warp or several warps, holds a set. */
#include "kinds_rows.h"

/* Reads v = x + z. If the sum is an output, it is rounded and stored, and v is what was stored. */
template <class T, int LANES>
__device__ static inline void read(float (&v)[LANES], const cuda_kinds_job &job,
                                   const cuda_kinds_set &set, const cuda_kinds_place &place)
{
    float z[LANES];

    cuda_kinds_get<T, LANES>(v, job.data[KINDS_X],
                             cuda_kinds_at(job, set, KINDS_X) +
                                 cuda_kinds_offset(job, place, KINDS_X));
    if (!job.data[KINDS_SECOND])
        return;
    cuda_kinds_get<T, LANES>(z, job.data[KINDS_SECOND],
                             cuda_kinds_at(job, set, KINDS_SECOND) +
                                 cuda_kinds_offset(job, place, KINDS_SECOND));
#pragma unroll
    for (int i = 0; i < LANES; i++)
        v[i] += z[i];
    if (job.data[KINDS_THIRD]) {
        T *to = (T *)job.data[KINDS_THIRD] + cuda_kinds_at(job, set, KINDS_THIRD) +
                cuda_kinds_offset(job, place, KINDS_THIRD);
        cuda_vector<T, LANES> sum;

        cuda_vector_round(sum, v);
        *(typename cuda_whole<T, LANES>::type *)to = sum.whole;
        cuda_vector_numbers(sum, v);
    }
}

template <class T, int LANES>
__device__ static inline void write(float (&v)[LANES], const cuda_kinds_job &job,
                                    const cuda_kinds_set &set, const cuda_kinds_place &place,
                                    const cuda_kinds_cell &cell)
{
    float scale[LANES], bias[LANES];

    cuda_kinds_scales<T, LANES>(scale, job, cuda_kinds_at(job, set, KINDS_SCALE), place.element,
                                place.within);
    cuda_kinds_factors<T, LANES>(bias, job, KINDS_BIAS, cuda_kinds_at(job, set, KINDS_BIAS),
                                 place.element, place.within, 0);
#pragma unroll
    for (int i = 0; i < LANES; i++)
        v[i] = scale[i] * ((v[i] - cell.mean - cell.shift) * cell.inv_dev) + bias[i];
    cuda_kinds_activate<LANES>(job.f, v);
    cuda_vector_put((T *)job.data[KINDS_OUT] + cuda_kinds_at(job, set, KINDS_OUT) +
                        cuda_kinds_offset(job, place, KINDS_OUT),
                    v);
}

template <class T, int LANES, int STEPS>
__global__ void __launch_bounds__(KINDS_THREADS, 3) kinds_rows(cuda_kinds_job job)
{
    __shared__ cuda_kinds_pair slots[2][KINDS_WARP];
    cuda_kinds_thread in_set = cuda_kinds_thread_of(job);
    bool inside = in_set.set < job.sets;
    cuda_kinds_set set = cuda_kinds_set_of(job, in_set.set);
    int32_t length = inside ? (int32_t)job.size : 0;
    float v[STEPS][LANES];
    cuda_kinds_cell cell;
    auto element = [&](int s) { return (s * in_set.size + in_set.member) * LANES; };

#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (element(s) < length) {
            read<T, LANES>(v[s], job, set, cuda_kinds_place_of(job, element(s)));
        } else {
#pragma unroll
            for (int i = 0; i < LANES; i++)
                v[s][i] = 0;
        }
    }
    cell = cuda_kinds_statistics<STEPS, LANES>(
        job, v, in_set.size, [&](int s) { return element(s) < length; }, slots);
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (element(s) < length)
            write<T, LANES>(v[s], job, set, cuda_kinds_place_of(job, element(s)), cell);
    }
    if (!inside || in_set.member != 0)
        return;
    if (job.data[KINDS_MEAN])
        ((float *)job.data[KINDS_MEAN])[cuda_kinds_at(job, set, KINDS_MEAN)] =
            cell.mean + cell.shift;
    if (job.data[KINDS_DEVIATION])
        ((float *)job.data[KINDS_DEVIATION])[cuda_kinds_at(job, set, KINDS_DEVIATION)] =
            cell.inv_dev;
}

/* ------------------------------------------------------------------ on the host */

template <class T> static cuda_kinds_kernel choose(int wide)
{
    enum { LANES = 16 / sizeof(T) };

    return wide ? kinds_rows<T, LANES, KINDS_HELD / LANES> : kinds_rows<T, 1, KINDS_HELD>;
}

cuda_kinds_kernel cuda_kinds_rows_kernel(int32_t type, int wide)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return choose<float>(wide);
    case ANYDNN_PLUGIN_HALF:
        return choose<cuda_half>(wide);
    case ANYDNN_PLUGIN_BFLOAT16:
        return choose<cuda_bfloat16>(wide);
    default:
        return nullptr;
    }
}
