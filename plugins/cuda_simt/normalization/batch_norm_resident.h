/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch normalization in one kernel, in NHWC. All blocks are on the device at once, one per
 * multiprocessor. They sum their parts of x (and dy), synchronize, and then compute the results in
 * the opposite order. They begin with the last data read, which is still in shared memory; the
 * second-level cache still holds part of the rest.
 *
 * A block has units of a slab, which is 256 or 128 bytes of channels. A unit is consecutive rows of
 * one image, or all rows of a small image. A warp takes whole units. It reads them into its own
 * ring in pieces of two or four groups of rows, one group for all the lanes of a row. A lane reads
 * there only what it wrote itself.
 *
 * Memory takes writes of 256 bytes a row 7 to 15 % faster than of 128 (bench/results/trials.md).
 * Bits of the reserve pass through the warp's shared memory, so that whole lines move. Units are
 * assigned by number, so that sums do not depend on timing.
 */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_H

#include "batch_norm_nhwc.h"

#define CUDA_NORM_WARPS (CUDA_THREADS / 32)
/* The maximum number of slabs; each needs a multiprocessor. */
#define CUDA_NORM_SLABS_MAX 256
/* The maximum channels of a slab. */
#define CUDA_NORM_SLAB_MAX 128
/* The maximum rows of an image that is always one unit. */
#define CUDA_NORM_WHOLE 256
/* The maximum rows of a group in images that are one unit each. */
#define CUDA_NORM_GROUP_WHOLE 7
/* The positions of an image and the bytes of x from which little of x stays on the device. If there
 * are signs too, the kernels in steps are as fast or faster (bench/results/trials.md). */
#define CUDA_NORM_LONG  2048
#define CUDA_NORM_LARGE (INT64_C(128) << 20)
/* The pieces in flight: of x in the forward pass, and of x with z or dy. */
#define CUDA_NORM_AHEAD        3
#define CUDA_NORM_AHEAD_BESIDE 2
/* The maximum pieces of a ring. */
#define CUDA_NORM_RING 7

struct cuda_norm_resident {
    int32_t images, positions, channels;
    int32_t slabs, blocks; /* blocks of a slab */
    int32_t multiprocessors;
    int32_t across, slab;  /* lanes of a row; channels of a slab */
    int32_t group, piece;  /* rows */
    int32_t length, units; /* rows of a unit; units of an image */
    int32_t ring;          /* pieces */
    int32_t words;         /* words of signs: of one channel in a unit, or of a whole image */
    int32_t granule;       /* bytes of signs that one store writes */
    int32_t each, turns;   /* lanes per channel of signs; steps for all channels */
    int32_t shared;        /* bytes of shared memory */
    int32_t is_whole;      /* 1 if units are images whose signs are not whole bytes */
    int32_t is_possible;
};

struct cuda_norm_resident_job {
    cuda_norm_resident shape;
    const void *x, *beside; /* `beside` is z or NULL; or dy */
    void *out, *out_z;      /* y; or dx, and dz or NULL */
    uint8_t *reserve;       /* NULL without activation */
    double *partial_sums; /* [slab][block][channel of the slab], pairs; the launch allocates them */
    const float *scale, *bias;
    float *running_mean, *running_var; /* forward only; NULL if absent */
    float *mean, *inv_std;             /* saved values; NULL if absent */
    float *dscale, *dbias;             /* backward only; NULL if absent */
    double count, epsilon, factor;
    cuda_blend parameters; /* scaling factors of dscale and dbias */
    cuda_activation f;
};

/* The inputs from which a plan determines its shape. */
struct cuda_norm_resident_request {
    const struct anydnn_plugin_tensor *const *alike; /* x and others of its shape; may be NULL */
    int tensors;
    const struct anydnn_plugin_tensor *const *params; /* one value per channel; may be NULL */
    int param_count;
    int rings;        /* 2 if z or dy is read besides x */
    int signs;        /* 1 if a reserve is read or written */
    int window;       /* units whose signs a warp holds at once */
    int writes_twice; /* 1 if both dx and dz are written */
};

/* Fills `shape`, with is_possible set if the kernel accepts the problem and is faster. */
void cuda_norm_resident_prepare(cuda_norm_resident *shape, const struct anydnn_plugin_plan *plan,
                                const cuda_norm_resident_request &request);

/* Returns 1 if the pointers are aligned to 16 bytes and the signs to 4, and dz is not x. dz is
 * written with the sums, when x is still needed. */
static inline int cuda_norm_resident_taken(const cuda_norm_resident_job *job)
{
    uintptr_t all =
        (uintptr_t)job->x | (uintptr_t)job->beside | (uintptr_t)job->out | (uintptr_t)job->out_z;

    return job->shape.is_possible && all % sizeof(uint4) == 0 &&
           (uintptr_t)job->reserve % sizeof(uint32_t) == 0 && job->out_z != job->x;
}

/* A status of the two functions below: the driver cannot run all blocks at once, for example if the
 * process has only a part of the device. Nothing was enqueued. */
#define CUDA_NORM_NO_CAPACITY (-1)

/* Each function runs one pass: y from x and optional z, with the statistics; or dx, and optional
 * dz, from x and dy, with dscale and dbias. */
int32_t cuda_norm_resident_forward(const cuda_call *call, int32_t type,
                                   cuda_norm_resident_job *job);
int32_t cuda_norm_resident_backward(const cuda_call *call, int32_t type,
                                    cuda_norm_resident_job *job);

#endif
