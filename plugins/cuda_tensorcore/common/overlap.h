/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programmatic dependent launch (compute capability 9.0 and later; PTX ISA, griddepcontrol): a
 * kernel may begin before the one ahead of it in the stream has ended. Its blocks find their tile
 * and wait. What a kernel does before it waits must touch no memory but its parameters and shared
 * memory. Every kernel that a step launches waits, in every block that touches more, so a kernel
 * that has ended says that all before it have.
 */
#ifndef CUDA_TENSORCORE_COMMON_OVERLAP_H
#define CUDA_TENSORCORE_COMMON_OVERLAP_H

/* The least code that has it. */
#define TC_OVERLAP_CAPABILITY 90

/*
 * From when all blocks of a kernel have said so or ended, the next one's may begin where there is
 * room for them. It is said when a block's sums are done: blocks that come while others still work
 * are not spread evenly over the multiprocessors, and keep the places that they got.
 */
__device__ static inline void tc_launch_dependent_grids()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ / 10 >= TC_OVERLAP_CAPABILITY
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Until the kernel ahead has ended, and what it wrote is seen. */
__device__ static inline void tc_wait_on_dependent_grids()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ / 10 >= TC_OVERLAP_CAPABILITY
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#endif
