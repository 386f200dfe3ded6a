/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of kernels and the choice among them; C and CUDA C++ alike.
 *
 * A kernel is one instantiation: what it can run, its tile, what it takes of a multiprocessor.
 * Every file of instantiations ends with a table of them, and kernels.c lists the tables. A choice
 * is a kernel with the number of splits of K; it bears an engine number of both, so that a number
 * once found fast means the same in every process.
 */
#ifndef CUDA_TENSORCORE_H
#define CUDA_TENSORCORE_H

#include "../cuda_common/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an object file with kernels is compiled for: all generations from some capability on, or
 * compute capability 9.0 with the instructions that it alone has (sm_90a). */
enum { TC_CODE_ANY, TC_CODE_90A, TC_CODES };

struct anydnn_plugin_context {
    struct cuda_context cuda;
    int32_t generation;           /* 10 major + minor of the device's compute capability */
    int32_t capability[TC_CODES]; /* the same of the code that runs on it; 0: none does */
    int32_t shared_bytes;         /* shared memory that a block may ask for */
};

static inline const struct anydnn_plugin_context *
tc_context_of(const struct anydnn_plugin_plan *plan)
{
    return (const struct anydnn_plugin_context *)plan->context;
}

/* The geometry of a plan's problem, with which plan->job begins. */
static inline const struct conv *tc_conv_of(const struct anydnn_plugin_plan *plan)
{
    return (const struct conv *)plan->job;
}

/* Families of kernels, the high byte of a kernel's number. */
enum {
    TC_MMA = 1,    /* mma.sync, from compute capability 7.5 on */
    TC_AMPERE = 2, /* the same from 8.0 on, with offsets worked out before the main loop */
    TC_FIRST = 3,  /* first layers, from 8.0 on */
    TC_GROUPS = 4, /* groups of few channels, from 8.0 on */
    TC_INT8 = 5,   /* the family mma for integers of 8 bits, forward */
    TC_HOPPER = 6, /* wgmma and TMA, on compute capability 9.0 alone */
    TC_NARROW = 7  /* layers of few channels, from 8.0 on */
};

/* How operands come to shared memory: by 16 bytes of neighbouring elements, one by one from
 * wherever they lie, or in a way of the kernel's own, from tensors that begin at multiples of 16
 * bytes; by tensor maps, results too. */
enum { TC_LOAD_16_BYTES, TC_LOAD_ELEMENTS, TC_LOAD_OWN, TC_LOAD_TMA };

/* How many splits of K a kernel takes: one or several; one alone, since it stores its results
 * itself; one or several, all of which leave partial sums. */
enum { TC_SPLITS_ANY, TC_SPLITS_ONE, TC_SPLITS_PARTIAL };

struct tc_choice;
struct tc_job;
struct tc_step;
struct tc_target;

/* One kernel, a row of a table. What the choice and the plan have to know of it stands here, so
 * that neither asks which family it belongs to. Members that are 0 or NULL are left out of a row.
 */
struct tc_kernel {
    int32_t number;     /* family * 256 + its own; never given to another kernel */
    int32_t type;       /* of all operands; of integers that of A */
    int32_t direction;  /* as in struct conv; 0: any */
    int32_t load;       /* TC_LOAD_xxx */
    int32_t code;       /* TC_CODE_xxx */
    int32_t capability; /* least of that code */
    int32_t tf32_split; /* 1: floats as sums of two TF32; 0: as they are, or rounded */
    int32_t tile_m, tile_n, tile_k;
    int32_t threads, shared_bytes;
    int32_t tap_bytes;     /* of shared memory besides, for each tap */
    int32_t occupancy;     /* blocks that fit on a multiprocessor, as far as registers go */
    double mma_efficiency; /* share of the matrix units' rate that it reaches where sums are long */
    int32_t groups;        /* that a block works on; 0: one */
    int32_t k_slices;      /* warps that share results, each with a part of a tile's K; 0: none */
    int32_t splits;        /* TC_SPLITS_xxx */
    int32_t k_by_tap;      /* 1: every tap begins with a tile along K; 0: taps follow each other */
    int32_t m_channels;    /* wgrad, M: a tap's channels are rounded up to a multiple; 0: are not */
    /* Whether it runs a problem, beyond the above; NULL: it does. */
    int32_t (*takes)(const struct conv *conv, const struct tc_target *target);
    /* Expected cycles of a choice, arguments as for tc_expected_us; NULL: by blocks and waves. */
    double (*cycles)(const struct tc_choice *choice, const struct conv *conv,
                     const struct tc_target *target, int64_t blocks, double mean);
    /* Completes a plan's job with a tile of the kernel's own; optional. */
    void (*plan)(struct tc_job *job);
    /* Makes the step that runs it, from a plan's job without pointers and factors
     * (common/launch.h). */
    void (*step)(struct tc_step *step, const struct tc_job *job);
    /* Makes the step that adds up the partial sums of split-K; NULL: conv_reduce_splits does. */
    void (*reduce)(struct tc_step *step, const struct tc_job *job);
};

struct tc_table {
    const struct tc_kernel *kernels;
    int32_t count;
};

/* In kernels.c: all tables, and the kernel with a number or NULL. */
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
    int32_t splits, k_tiles; /* of split-K: splits, and tiles along K in each */
    int32_t m_tiles, n_tiles;
    int32_t m;         /* M of the largest class */
    int64_t workspace; /* bytes of partial sums; 0 for one split */
    double expected_us;
};

/* What a choice depends on besides the geometry. */
struct tc_target {
    const struct anydnn_plugin_context *context; /* what is known of the device */
    int32_t type, b_type;                        /* of vectors, that of their lanes */
    int32_t by_16;                               /* operands can be read by 16 bytes */
    int32_t tf32_split; /* as in struct tc_kernel: what math mode split asks for */
};

/* Fills `choices`, best first; returns how many, of at most `most`. A choice without workspace is
 * always among them, unless there is none at all. */
int32_t tc_choose(const struct conv *conv, const struct tc_target *target,
                  struct tc_choice *choices, int32_t most);

/* The choice that bears an engine number; 0 if it cannot run this problem. */
int32_t tc_choice_of(const struct conv *conv, const struct tc_target *target, uint64_t engine,
                     struct tc_choice *choice);

/* ------------------------------------------------------------------ choice/model.c */

/* Time of a choice whose splits, tiles and workspace are filled in: so many blocks that have taps,
 * with a mean of so many tiles along the sum. */
double tc_expected_us(const struct tc_choice *choice, const struct conv *conv,
                      const struct tc_target *target, int64_t blocks, double mean);

/* Returns the bytes of operands and results; of an A with gaps between taps, what they touch. */
double tc_traffic(const struct conv *conv, int32_t type);

/* Time of kernels that move so many bytes. */
double tc_memory_us(const struct tc_target *target, int32_t launches, double bytes);

/* ------------------------------------------------------------------ elsewhere */

/* check.c: 0, or the reason why a problem is declined. */
int32_t tc_check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why);

/* convolution.cu: reads the capability of the code TC_CODE_ANY that the driver takes for the
 * current device. */
int32_t tc_code_capability(int32_t device, int32_t *capability);

/* hopper/params.cu: returns the capability of the code TC_CODE_90A on the current device, which is
 * of that generation, or 0 where that code does not run. */
int32_t tc_code_90a_capability(int32_t generation);

#ifdef __cplusplus
}
#endif

#endif
