/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA C++ on the host's processor: the words of the language that our kernels use, and launches.
 */
#ifndef EMULATOR_CUDA_RUNTIME_H
#define EMULATOR_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>
#include <functional>

#define __host__
#define __device__
#define __global__
#define __noinline__
#define __launch_bounds__(...)
/* Blocks run one after another. */
#define __shared__ static

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) float4 {
    float x, y, z, w;
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

/* Of the thread that runs just now. */
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

void __syncthreads();

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}

cudaError_t emulator_launch(const void *kernel, std::function<void()> thread, dim3 grid, dim3 block,
                            cudaStream_t stream);

/* The parameter is copied at the launch, as it is on a GPU. */
template <class P>
cudaError_t cudaLaunchKernel(void (*kernel)(P), dim3 grid, dim3 block, void **arguments, size_t,
                             cudaStream_t stream)
{
    P parameter = *(P *)arguments[0];
    return emulator_launch((const void *)kernel, [=] { kernel(parameter); }, grid, block, stream);
}

#endif
