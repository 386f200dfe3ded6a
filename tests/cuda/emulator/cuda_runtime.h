/* SPDX-License-Identifier: Apache-2.0 */
/* Emulates CUDA C++ on the host's processor: the parts of the language that our kernels use, and
 * launches. */
#ifndef EMULATOR_CUDA_RUNTIME_H
#define EMULATOR_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>
#include <functional>
#include <math.h>
#include <string.h>

#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __noinline__
#define __launch_bounds__(...)
/* Blocks run one after another, so that they can share this memory. */
#define __shared__ static

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(8) float2 {
    float x, y;
};

struct dim3 {
    unsigned x, y, z;
    explicit dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};

/* The coordinates of the running thread. */
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

/* Ends the program where a GPU would hang or return undefined values. */
[[noreturn]] void emulator_fault(const char *what);

/* Runs the other threads of the block until the event occurs. */
void emulator_wait_until(const std::function<bool()> &event);

/* The threads of a warp. */
#define EMULATOR_WARP 32u

void __syncthreads();

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}

static inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

/* A GPU computes these functions less exactly. */
#define __expf(x) expf(x) /* the host's library has a function of this name */

static inline float __fdividef(float x, float y)
{
    return x / y;
}

/* ------------------------------------------------------------------ within a warp */

/* Waits for the threads of the warp in `mask`. All of them must call it with the same mask. */
void __syncwarp(unsigned mask = UINT32_MAX);

/* Returns the value that the thread in lane `from` of the warp offers. All threads in `mask` must
 * call it together. */
uint64_t emulator_exchange(unsigned mask, uint64_t offered, unsigned from);

/* These functions combine the predicates of the threads in the mask. */
unsigned __ballot_sync(unsigned mask, int predicate);
int __any_sync(unsigned mask, int predicate);
int __all_sync(unsigned mask, int predicate);

template <class T> T emulator_shuffle(unsigned mask, T value, unsigned from)
{
    uint64_t bits = 0;

    static_assert(sizeof value == 4 || sizeof value == 8, "no type of a shuffle");
    memcpy(&bits, &value, sizeof value);
    bits = emulator_exchange(mask, bits, from);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* These functions work in groups of `width` threads, a power of two. A thread that selects a lane
 * beyond its group gets its own value. */
template <class T> T __shfl_sync(unsigned mask, T value, int from, int width = EMULATOR_WARP)
{
    unsigned lane = threadIdx.x % EMULATOR_WARP, size = (unsigned)width;
    return emulator_shuffle(mask, value, lane / size * size + (unsigned)from % size);
}

template <class T> T __shfl_xor_sync(unsigned mask, T value, int by, int width = EMULATOR_WARP)
{
    unsigned lane = threadIdx.x % EMULATOR_WARP, size = (unsigned)width, from = lane ^ (unsigned)by;
    return emulator_shuffle(mask, value, from / size > lane / size ? lane : from);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = EMULATOR_WARP)
{
    unsigned lane = threadIdx.x % EMULATOR_WARP, size = (unsigned)width;
    return emulator_shuffle(mask, value, lane % size + by < size ? lane + by : lane);
}

template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = EMULATOR_WARP)
{
    unsigned lane = threadIdx.x % EMULATOR_WARP, size = (unsigned)width;
    return emulator_shuffle(mask, value, lane % size >= by ? lane - by : lane);
}

/* Blocks run one after another, but two host threads may launch at once. */
static inline void atomicAdd(unsigned long long *to, unsigned long long value)
{
    __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

static inline unsigned atomicAdd(unsigned *to, unsigned value)
{
    return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

static inline unsigned atomicOr(unsigned *to, unsigned value)
{
    return __atomic_fetch_or(to, value, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ launches */

void emulator_run_grid(const std::function<void()> &thread, dim3 grid, dim3 block);
cudaError_t emulator_launch(std::function<void()> thread, dim3 grid, dim3 block,
                            cudaStream_t stream);

/* These functions do the same for blocks that wait for one another. */
void emulator_run_together(const std::function<void()> &thread, dim3 grid, dim3 block);
cudaError_t emulator_enqueue_together(std::function<void()> thread, dim3 grid, dim3 block,
                                      cudaStream_t stream);

/* These functions return the number of the running block among the concurrent blocks, and the
 * dynamic shared memory of that block. */
unsigned emulator_block();
void *emulator_shared();

/* Functions accept every attribute. They have no image, so ptxVersion is the capability of the
 * device. */
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaFuncAttributes {
    int ptxVersion;
};

static inline cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int)
{
    return cudaSuccess;
}

template <class P> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*)(P))
{
    attributes->ptxVersion = EMULATOR_CAPABILITY;
    return cudaSuccess;
}

/* Launches a kernel. The parameter is copied at the launch, as on a GPU. */
template <class P>
cudaError_t cudaLaunchKernel(void (*kernel)(P), dim3 grid, dim3 block, void **arguments, size_t,
                             cudaStream_t stream)
{
    P parameter = *(P *)arguments[0];
    return emulator_launch([=] { kernel(parameter); }, grid, block, stream);
}

template <class P>
cudaError_t emulator_launch_together(void (*kernel)(P), dim3 grid, dim3 block, void **arguments,
                                     size_t, cudaStream_t stream)
{
    P parameter = *(P *)arguments[0];
    return emulator_enqueue_together([=] { kernel(parameter); }, grid, block, stream);
}

#endif
