/* SPDX-License-Identifier: Apache-2.0 */
/* Implements programmatic dependent launch (compute capability 9.0 and later; PTX ISA,
 * griddepcontrol). A kernel may begin before the preceding kernel in the stream has ended. Its
 * blocks find their tile and wait. Before it waits, a kernel may access only its parameters and
 * shared memory. Every kernel of a step waits in every block that accesses more. Therefore the
 * end of a kernel implies the end of all kernels before it. */
#ifndef CUDA_TENSORCORE_COMMON_OVERLAP_H
#define CUDA_TENSORCORE_COMMON_OVERLAP_H

/* The lowest capability of code that supports it. */
#define TC_OVERLAP_CAPABILITY 90

/* Permits the next kernel's blocks to begin when all blocks of this kernel have called it or
 * ended. A block calls it when its sums are complete. Blocks that begin earlier are not spread
 * evenly over the multiprocessors: they go where space is free, and stay there. */
__device__ static inline void tc_launch_dependent_grids()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ / 10 >= TC_OVERLAP_CAPABILITY
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Waits until the preceding kernel has ended and its writes are visible. */
__device__ static inline void tc_wait_on_dependent_grids()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ / 10 >= TC_OVERLAP_CAPABILITY
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#endif
