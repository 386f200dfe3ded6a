/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronizes the blocks of a slab and computes the totals of its channels
 * (batch_norm_resident.h). */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_JOIN_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_JOIN_H

#include "../../cuda_common/together.h"
#include "batch_norm_resident_device.h"

/* The barrier of a slab's blocks. `arrived` is 0 before and after a launch, because the last block
 * resets it; `turn` only increases. A launch has a block on every multiprocessor, with more than
 * half of its shared memory. Two launches are therefore never on a device at once. */
struct alignas(64) cuda_norm_gate {
    uint32_t arrived, turn;
};

static __device__ cuda_norm_gate cuda_norm_gates[CUDA_NORM_SLABS_MAX];

#ifdef __CUDACC__
__device__ static inline uint32_t cuda_norm_turn_of(const cuda_norm_gate *gate)
{
    return *(volatile const uint32_t *)&gate->turn;
}

/* Waits until all blocks of the slab have arrived; one thread of each block calls it. Their earlier
 * writes are then visible. */
__device__ static inline void cuda_norm_meet(cuda_norm_gate *gate, int32_t blocks)
{
#ifdef __CUDA_ARCH__
    uint32_t turn = cuda_norm_turn_of(gate);

    __threadfence();
    if (atomicAdd(&gate->arrived, 1u) == (uint32_t)blocks - 1) {
        gate->arrived = 0;
        __threadfence();
        atomicAdd(&gate->turn, 1u);
    } else {
        while (cuda_norm_turn_of(gate) == turn)
            ;
    }
    __threadfence();
#endif
}
#else
static inline void cuda_norm_meet(cuda_norm_gate *gate, int32_t blocks)
{
    uint32_t turn = gate->turn;

    if (++gate->arrived == (uint32_t)blocks) {
        gate->arrived = 0;
        gate->turn++;
    }
    emulator_wait_until([=] { return gate->turn != turn; });
}
#endif

/* Reads a pair past the first-level cache, which is not coherent with other blocks' writes. */
__device__ static inline double2 cuda_norm_read_pair(const double2 *from)
{
#ifdef __CUDA_ARCH__
    return __ldcg(from);
#else
    return *from;
#endif
}

/* Adds up a sum over the lanes that have the same channels in other groups of rows. */
__device__ static inline double cuda_norm_over_groups(double sum, int32_t across)
{
    if (across == 8)
        sum += __shfl_xor_sync(UINT32_MAX, sum, 8);
    return sum + __shfl_xor_sync(UINT32_MAX, sum, 16);
}

/* Adds up a block's sums of each channel in the order of its warps, and stores them in the partial
 * sums. `joined` has space for a pair per warp and channel, and is free afterwards. */
template <class T>
__device__ static inline void cuda_norm_give_partial(const cuda_norm_resident_job &job,
                                                     double2 *joined, const cuda_norm_lane<T> &lane,
                                                     double (&first)[cuda_vector<T>::LANES],
                                                     double (&second)[cuda_vector<T>::LANES])
{
    enum { LANES = cuda_vector<T>::LANES };
    int32_t channel = (int32_t)threadIdx.x, slab = job.shape.slab, across = job.shape.across;
    double2 sum = {0, 0};

#pragma unroll
    for (int l = 0; l < LANES; l++) {
        double2 pair = {cuda_norm_over_groups(first[l], across),
                        cuda_norm_over_groups(second[l], across)};

        if (lane.g == 0)
            joined[lane.warp * slab + lane.x * LANES + l] = pair;
    }
    __syncthreads();
    if (channel < slab) {
        for (int32_t w = 0; w < CUDA_NORM_WARPS; w++) {
            sum.x += joined[w * slab + channel].x;
            sum.y += joined[w * slab + channel].y;
        }
        ((double2 *)job
             .partial_sums)[((int64_t)lane.slab * job.shape.blocks + lane.block) * slab + channel] =
            sum;
#ifdef __CUDA_ARCH__
        __threadfence();
#endif
    }
    __syncthreads();
}

/* Returns the totals of the slab's channels after all blocks have stored their partial sums. Every
 * block adds in the same order. Thread i < slab returns channel i. `joined` has a pair for each
 * thread. */
template <class T>
__device__ static inline double2 cuda_norm_join_blocks(const cuda_norm_resident_job &job,
                                                       double2 *joined,
                                                       const cuda_norm_lane<T> &lane)
{
    enum { AT_ONCE = 12 };
    int32_t blocks = job.shape.blocks, slab = job.shape.slab, shares = CUDA_THREADS / slab;
    int32_t channel = (int32_t)threadIdx.x & (slab - 1), share = (int32_t)threadIdx.x / slab;
    const double2 *from =
        (const double2 *)job.partial_sums + (int64_t)lane.slab * blocks * slab + channel;
    double2 sum = {0, 0}, total = {0, 0};

    if (threadIdx.x == 0)
        cuda_norm_meet(&cuda_norm_gates[lane.slab], blocks);
    __syncthreads();
    for (int32_t b = share; b < blocks; b += AT_ONCE * shares) {
        double2 pair[AT_ONCE];

#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            pair[i] = b + i * shares < blocks
                          ? cuda_norm_read_pair(from + (int64_t)(b + i * shares) * slab)
                          : double2{0, 0};
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            sum.x += pair[i].x;
            sum.y += pair[i].y;
        }
    }
    joined[share * slab + channel] = sum;
    __syncthreads();
    for (int32_t s = 0; s < shares && (int32_t)threadIdx.x < slab; s++) {
        total.x += joined[s * slab + channel].x;
        total.y += joined[s * slab + channel].y;
    }
    return total;
}

/* ------------------------------------------------------------------ on the host */

static inline cudaError_t cuda_norm_resident_begin(const cuda_call *call,
                                                   void (*kernel)(cuda_norm_resident_job),
                                                   const cuda_norm_resident_job *job)
{
    const cuda_norm_resident &shape = job->shape;
    unsigned blocks = (unsigned)shape.multiprocessors;
    void *arguments[] = {(void *)job};

#ifdef __CUDACC__
    return cuda_launch_together((const void *)kernel, blocks, CUDA_THREADS, (size_t)shape.shared,
                                arguments, call->stream);
#else
    return emulator_launch_together(kernel, dim3(blocks), dim3(CUDA_THREADS), arguments,
                                    (size_t)shape.shared, call->stream);
#endif
}

/* Launches all blocks at once, or returns CUDA_NORM_NO_CAPACITY and launches none. */
static inline int32_t cuda_norm_resident_launch(const cuda_call *call,
                                                void (*kernel)(cuda_norm_resident_job),
                                                cuda_norm_resident_job *job)
{
    size_t pairs = (size_t)job->shape.blocks * (size_t)job->shape.channels;
    cudaError_t error = cudaFuncSetAttribute(
        (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, job->shape.shared);
    int32_t status = cuda_check(call->device, error, "requesting shared memory"), dropped;
    void *scratch;

    if (!status)
        status = cuda_scratch_take(call->device, call->stream, pairs * sizeof(double2), &scratch);
    if (status)
        return status;
    job->partial_sums = (double *)scratch;
    error = cuda_norm_resident_begin(call, kernel, job);
    if (error == cudaErrorCooperativeLaunchTooLarge) {
        (void)cudaGetLastError();
        status = CUDA_NORM_NO_CAPACITY;
    } else {
        status = cuda_check(call->device, error, "launching a kernel");
    }
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

#endif
