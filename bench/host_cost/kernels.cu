/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do nothing, with parameters of several sizes, and a kernel that waits. */
#include "kernels.h"

template <int BYTES> struct block {
    char bytes[BYTES];
};

template <int BYTES> __global__ void nothing(block<BYTES>)
{
}

static __global__ void wait_for(unsigned long long nanoseconds)
{
    unsigned long long begin, now;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
}

const void *const host_cost_wait = (const void *)wait_for;

const struct host_cost_kernel host_cost_kernels[] = {
    {16, (const void *)nothing<16>},     {64, (const void *)nothing<64>},
    {256, (const void *)nothing<256>},   {512, (const void *)nothing<512>},
    {1024, (const void *)nothing<1024>}, {1536, (const void *)nothing<1536>},
    {4096, (const void *)nothing<4096>},
};

const int host_cost_kernel_count = sizeof host_cost_kernels / sizeof host_cost_kernels[0];
