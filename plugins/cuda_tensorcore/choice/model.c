/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates the time of a choice as a rough count of cycles, from the shapes and the device
 * only. Kernels that do not process one tile per block have their own count. */
#include "../tensorcore.h"

#include "../../cuda_common/divide.h"

/* The multiply-adds of 16-bit numbers per cycle and multiprocessor with mma.sync, by device
 * generation. They are NVIDIA's rates, except on 9.0, where mma.sync reaches five eighths of the
 * rate. TF32 runs at half of these rates. */
static const struct {
    int32_t generation;
    double rate;
} rates[] = {{.generation = 90, .rate = 1280},
             {.generation = 80, .rate = 1024},
             {.generation = 75, .rate = 512}};

/* The TF32 products per float product. */
#define TF32_PRODUCTS 3

/* The cycles in which a block combines warps that share 4096 results through shared memory, per
 * warp beyond the first. */
#define K_SLICE_CYCLES 300

/* The threads of four warps. */
#define FOUR_WARPS 128

/* The remaining costs, fitted to times measured on an H200. A block of four warps alone on a
 * multiprocessor takes as long as `lone` blocks; for more warps, the factor is smaller. `block`,
 * `launch` and `reduction` are cycles: of a block before and after its sums, of a launch, and of
 * the reduction of split-K besides its bytes. `bytes` and `partials` are bytes per cycle and
 * multiprocessor: of operands and results (0 means they do not count), and of partial sums. */
struct costs {
    double lone, block, launch, reduction, bytes, partials;
};
static const struct costs wgrad_costs = {
    .lone = 1.14, .block = 2700, .launch = 3450, .reduction = 2300, .bytes = 0, .partials = 10.4};
static const struct costs gemm_costs = {
    .lone = 1.21, .block = 4250, .launch = 2850, .reduction = 2250, .bytes = 18, .partials = 9.4};

/* The part of the shorter time, of multiplying or of moving data, that the longer time does not
 * hide. */
#define OVERLAP 0.4
/* The costs of copies: cycles per launch, and bytes per cycle and multiprocessor. The last
 * constant is the cycles per microsecond. */
#define LAUNCH_CYCLES 4000
#define BYTES_A_CYCLE 15
#define CYCLES_A_US   1700

/* Returns the multiply-adds per cycle that the kernel reaches on a multiprocessor. */
static double rate_of(const struct tc_kernel *kernel, const struct tc_target *target)
{
    double rate = 0;

    for (size_t i = 0; i < sizeof rates / sizeof rates[0] && rate == 0; i++)
        rate = target->context->generation >= rates[i].generation ? rates[i].rate : 0;
    if (kernel->type == ANYDNN_PLUGIN_FLOAT)
        rate /= kernel->tf32_split ? 2 * TF32_PRODUCTS : 2;
    return rate * kernel->mma_efficiency;
}

double tc_traffic(const struct conv *conv, int32_t type)
{
    double a = (double)conv->images * conv->groups * conv->channels;
    double results = (double)conv->images * conv->groups * conv->n;
    double filters = (double)conv->groups * conv->n * conv->channels;
    int is_dgrad = conv_is_dgrad(conv);
    double size = cuda_type_size(type);

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];
        int64_t touched = dim->taps == 1 && !is_dgrad ? dim->positions : dim->a_extent;

        a *= (double)touched;
        results *= (double)dim->positions;
        filters *= (double)dim->taps;
    }
    return size * (a + results + filters);
}

/* Returns the cycles of a wave of `blocks` blocks on a multiprocessor. A block alone takes
 * `each` cycles. */
static double wave_cycles(const struct costs *costs, const struct tc_kernel *kernel, double blocks,
                          double each)
{
    double joined = kernel->k_slices > 1 ? kernel->tile_m * kernel->tile_n / 4096.0 : 0;
    double lone = costs->lone * FOUR_WARPS / kernel->threads;

    return costs->block + K_SLICE_CYCLES * joined * (kernel->k_slices - 1) +
           each * (blocks > lone ? blocks : lone);
}

/* Counts the cycles of a choice by waves of blocks. A wave is as many blocks as fit on the
 * device. */
static double cycles_of(const struct tc_choice *choice, const struct conv *conv,
                        const struct tc_target *target, int64_t blocks, double mean)
{
    const struct tc_kernel *kernel = choice->kernel;
    const struct costs *costs = conv_is_wgrad(conv) ? &wgrad_costs : &gemm_costs;
    double tile =
        (double)kernel->tile_m * kernel->tile_n * kernel->tile_k / rate_of(kernel, target);
    int32_t multiprocessors = target->context->cuda.multiprocessors;
    double share = multiprocessors, cycles = 0, moving = 0;
    int64_t slots = (int64_t)multiprocessors * kernel->occupancy;
    int64_t waves = blocks / slots, rest = cuda_ceil_div(blocks % slots, multiprocessors);

    cycles += (double)waves * wave_cycles(costs, kernel, kernel->occupancy, mean * tile);
    if (rest > 0)
        cycles +=
            wave_cycles(costs, kernel, (double)rest, (waves > 0 ? mean : choice->k_tiles) * tile);
    if (costs->bytes > 0)
        moving = tc_traffic(conv, target->type) / (costs->bytes * share);
    cycles = cycles > moving ? cycles + OVERLAP * moving : moving + OVERLAP * cycles;
    if (choice->workspace > 0)
        cycles += costs->reduction + (double)choice->workspace / (costs->partials * share);
    return costs->launch + cycles;
}

double tc_expected_us(const struct tc_choice *choice, const struct conv *conv,
                      const struct tc_target *target, int64_t blocks, double mean)
{
    return (choice->kernel->cycles ? choice->kernel->cycles : cycles_of)(choice, conv, target,
                                                                         blocks, mean) /
           CYCLES_A_US;
}

double tc_memory_us(const struct tc_target *target, int32_t launches, double bytes)
{
    return (launches * LAUNCH_CYCLES +
            bytes / (BYTES_A_CYCLE * (double)target->context->cuda.multiprocessors)) /
           CYCLES_A_US;
}
