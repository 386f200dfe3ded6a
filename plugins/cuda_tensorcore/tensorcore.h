/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the list of kernels and the choice among them. It compiles as C and as CUDA C++.
 *
 * A kernel is one instantiation. Its row in a table describes the supported problems, its tile,
 * and its use of a multiprocessor. Every file of instantiations ends with such a table, and
 * kernels.c lists the tables. A choice is a kernel with a number of splits of K. The engine
 * number encodes both, so it means the same in every process. */
#ifndef CUDA_TENSORCORE_H
#define CUDA_TENSORCORE_H

#include "../cuda_common/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The targets of object files with kernels: all generations from some capability on, or only
 * compute capability 9.0 with its specific instructions (sm_90a). */
enum { TC_CODE_ANY, TC_CODE_90A, TC_CODES };

struct anydnn_plugin_context {
    struct cuda_context cuda;
    int32_t generation;           /* 10 * major + minor of the device's compute capability */
    int32_t capability[TC_CODES]; /* the same for the code of each target; 0 if it cannot run */
    int32_t shared_bytes;         /* largest shared memory of a block */
};

static inline const struct anydnn_plugin_context *
tc_context_of(const struct anydnn_plugin_plan *plan)
{
    return (const struct anydnn_plugin_context *)plan->context;
}

/* Returns the geometry of a plan's problem, which is the first member of plan->job. */
static inline const struct conv *tc_conv_of(const struct anydnn_plugin_plan *plan)
{
    return (const struct conv *)plan->job;
}

/* The families of kernels. A family is the high byte of a kernel's number. */
enum {
    TC_MMA = 1,    /* mma.sync, from compute capability 7.5 on */
    TC_AMPERE = 2, /* like mma, from 8.0 on; offsets are computed before the main loop */
    TC_FIRST = 3,  /* first layers, from 8.0 on */
    TC_GROUPS = 4, /* groups with few channels, from 8.0 on */
    TC_INT8 = 5,   /* the family mma for 8-bit integers, fprop only */
    TC_HOPPER = 6, /* wgmma and TMA, only on compute capability 9.0 */
    TC_NARROW = 7  /* layers with few channels, from 8.0 on */
};

/* The ways to load operands into shared memory. TC_LOAD_16_BYTES loads 16 contiguous bytes;
 * TC_LOAD_ELEMENTS loads single elements of any layout. TC_LOAD_OWN is a kernel's own way, from
 * tensors aligned to 16 bytes. TC_LOAD_TMA uses tensor maps, also for results. */
enum { TC_LOAD_16_BYTES, TC_LOAD_ELEMENTS, TC_LOAD_OWN, TC_LOAD_TMA };

/* The numbers of splits of K that a kernel supports. TC_SPLITS_ANY permits one or more.
 * TC_SPLITS_ONE permits only one, because the kernel stores its results itself.
 * TC_SPLITS_PARTIAL permits one or more, and always stores partial sums. */
enum { TC_SPLITS_ANY, TC_SPLITS_ONE, TC_SPLITS_PARTIAL };

struct tc_choice;
struct tc_job;
struct tc_step;
struct tc_target;

/* A kernel, which is one row of a table. It holds everything that the choice and the plan need,
 * so that neither depends on the family. A row omits members that are 0 or NULL. */
struct tc_kernel {
    int32_t number;     /* family * 256 + index in the family; never reused */
    int32_t type;       /* type of all operands; type of A for integers */
    int32_t direction;  /* as in struct conv; 0 means any */
    int32_t load;       /* TC_LOAD_xxx */
    int32_t code;       /* TC_CODE_xxx */
    int32_t capability; /* lowest capability of that code */
    int32_t tf32_split; /* 1: floats are sums of two TF32; 0: unchanged or rounded */
    int32_t tile_m, tile_n, tile_k;
    int32_t threads, shared_bytes;
    int32_t tap_bytes;     /* additional shared memory per tap */
    int32_t occupancy;     /* resident blocks per multiprocessor, limited by registers */
    double mma_efficiency; /* share of the matrix units' rate, for long sums */
    int32_t groups;        /* groups per block; 0 means 1 */
    int32_t k_slices;      /* warps that share results, each with part of a tile's K; or 0 */
    int32_t splits;        /* TC_SPLITS_xxx */
    int32_t k_by_tap;      /* 1: every tap begins a new tile along K; 0: taps follow directly */
    int32_t m_channels;    /* wgrad: M rounds a tap's channels up to this multiple; 0: none */
    /* Returns 1 if the kernel supports a problem that meets the members above. If NULL, it
     * supports all of them. */
    int32_t (*takes)(const struct conv *conv, const struct tc_target *target);
    /* Returns the expected cycles of a choice, with the arguments of tc_expected_us. If NULL,
     * the model counts blocks and waves. */
    double (*cycles)(const struct tc_choice *choice, const struct conv *conv,
                     const struct tc_target *target, int64_t blocks, double mean);
    /* Optional. Completes a plan's job with a tile of the kernel's own. */
    void (*plan)(struct tc_job *job);
    /* Makes the step that runs the kernel, from a plan's job without pointers and factors
     * (common/launch.h). */
    void (*step)(struct tc_step *step, const struct tc_job *job);
    /* Makes the step that adds the partial sums of split-K. If NULL, conv_reduce_splits adds
     * them. */
    void (*reduce)(struct tc_step *step, const struct tc_job *job);
};

struct tc_table {
    const struct tc_kernel *kernels;
    int32_t count;
};

/* The list of all tables (kernels.c). tc_kernel_find returns the kernel with a number, or NULL. */
extern const struct tc_table *const tc_tables[];
extern const int32_t tc_table_count;
const struct tc_kernel *tc_kernel_find(int32_t number);

extern const struct tc_table tc_mma_half, tc_mma_bfloat16, tc_mma_tf32, tc_mma_split, tc_mma_int8;
extern const struct tc_table tc_ampere_half, tc_ampere_bfloat16, tc_ampere_tf32, tc_ampere_split;
extern const struct tc_table tc_first_half, tc_first_bfloat16;
extern const struct tc_table tc_groups_half, tc_groups_bfloat16;
extern const struct tc_table tc_hopper_half, tc_hopper_bfloat16, tc_hopper_tf32, tc_hopper_int8;
extern const struct tc_table tc_hopper_split;
extern const struct tc_table tc_narrow_half, tc_narrow_bfloat16;

/* ------------------------------------------------------------------ choice/choice.c */

struct tc_choice {
    const struct tc_kernel *kernel;
    uint64_t engine;
    int32_t splits, k_tiles; /* split-K: splits, and tiles along K per split */
    int32_t m_tiles, n_tiles;
    int32_t m;         /* M of the largest class */
    int64_t workspace; /* bytes of the partial sums; 0 for one split */
    double expected_us;
};

/* The values besides the geometry on which a choice depends. */
struct tc_target {
    const struct anydnn_plugin_context *context; /* properties of the device */
    int32_t type, b_type;                        /* lane types for vector types */
    int32_t by_16;                               /* 1 if operands can be loaded by 16 bytes */
    int32_t tf32_split; /* required kernel.tf32_split; 1 for math mode split */
};

/* Fills `choices`, best first, and returns their number, at most `most`. They include a choice
 * without workspace if one exists. */
int32_t tc_choose(const struct conv *conv, const struct tc_target *target,
                  struct tc_choice *choices, int32_t most);

/* Fills in the choice of an engine number. Returns 0 if that engine cannot run the problem. */
int32_t tc_choice_of(const struct conv *conv, const struct tc_target *target, uint64_t engine,
                     struct tc_choice *choice);

/* ------------------------------------------------------------------ choice/model.c */

/* Returns the expected time of a choice whose splits, tiles and workspace are set. `blocks` is
 * the number of blocks with taps, and `mean` their mean number of tiles along K. */
double tc_expected_us(const struct tc_choice *choice, const struct conv *conv,
                      const struct tc_target *target, int64_t blocks, double mean);

/* Returns the bytes of operands and results. If A has gaps between taps, only the bytes that
 * taps read are counted. */
double tc_traffic(const struct conv *conv, int32_t type);

/* Returns the time of `launches` kernels that move `bytes` bytes in total. */
double tc_memory_us(const struct tc_target *target, int32_t launches, double bytes);

/* ------------------------------------------------------------------ elsewhere */

/* Returns 0, or the reason why a problem is declined (check.c). */
int32_t tc_check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why);

/* Reads the capability of the TC_CODE_ANY code that the driver loads for the current device
 * (convolution.cu). */
int32_t tc_code_capability(int32_t device, int32_t *capability);

/* Returns the capability of the TC_CODE_90A code on the current device, which is of that
 * generation. Returns 0 if that code does not run there (hopper/params.cu). */
int32_t tc_code_90a_capability(int32_t generation);

#ifdef __cplusplus
}
#endif

#endif
