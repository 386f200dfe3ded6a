/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch normalization in one kernel, where channels lie side by side: blocks that are all on the
 * device at once, one a multiprocessor, sum what is theirs of x (and of dy), meet, and make the
 * results beginning with what they read last, which is still in their shared memory, and the rest
 * in the opposite order, for what the second-level cache kept.
 *
 * A block has units of a slab, 256 or 128 bytes of channels: rows of one image that follow one
 * another, all of them where an image has few. A warp takes whole units, of which it reads pieces
 * of two or four groups of rows, one group for all the lanes of a row, into a ring of its own; a
 * lane reads there what it wrote itself. Memory takes 256 bytes a row 7 to 15 % faster than 128
 * where it is written (bench/results/trials.md). Bits of the reserve pass through the warp's shared
 * memory, so that lines of them move whole. Units are dealt out by number, so that sums do not
 * depend on who was fast.
 */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_RESIDENT_H

#include "batch_norm_nhwc.h"

#define CUDA_NORM_WARPS (CUDA_THREADS / 32)
/* Slabs at most: a multiprocessor each. */
#define CUDA_NORM_SLABS_MAX 256
/* Channels of a slab at most. */
#define CUDA_NORM_SLAB_MAX 128
/* Rows of an image whose rows are one unit, whatever their number. */
#define CUDA_NORM_WHOLE 256
/* Rows of a group in images of which each is a unit, as long as that divides them well. */
#define CUDA_NORM_GROUP_WHOLE 7
/* From so many positions of an image and bytes of x on little of x stays on the device, and where
 * there are signs kernels in steps are as fast or faster (bench/results/trials.md). */
#define CUDA_NORM_LONG  2048
#define CUDA_NORM_LARGE (INT64_C(128) << 20)
/* Pieces on their way: of x forward, of x and z, of x and dy. */
#define CUDA_NORM_AHEAD        3
#define CUDA_NORM_AHEAD_BESIDE 2
/* Pieces of a ring at most. */
#define CUDA_NORM_RING 7

struct cuda_norm_resident {
    int32_t images, positions, channels;
    int32_t slabs, blocks; /* blocks of a slab */
    int32_t multiprocessors;
    int32_t across, slab;  /* lanes of a row; channels of a slab */
    int32_t group, piece;  /* rows */
    int32_t length, units; /* rows of a unit, units of an image */
    int32_t ring;          /* pieces */
    int32_t words;         /* of a channel's signs in a unit, or of an image's */
    int32_t granule;       /* bytes of them stored at once */
    int32_t each, turns;   /* lanes that move those of a channel; until those of all are moved */
    int32_t shared;        /* bytes of shared memory */
    int32_t is_whole;      /* units are images, whose signs are no whole bytes */
    int32_t is_possible;
};

struct cuda_norm_resident_job {
    cuda_norm_resident shape;
    const void *x, *beside; /* z or NULL; dy */
    void *out, *out_z;      /* y; or dx, and dz or NULL */
    uint8_t *reserve;       /* NULL: no activation */
    double *partial_sums;   /* [slab][block][channel of the slab], pairs; the launch has them */
    const float *scale, *bias;
    float *running_mean, *running_var; /* forward; or NULL */
    float *mean, *inv_std;             /* saved; or NULL */
    float *dscale, *dbias;             /* backward; or NULL */
    double count, epsilon, factor;
    cuda_blend parameters; /* of dscale and dbias */
    cuda_activation f;
};

/* What a plan of one of the operations needs to settle its shape. */
struct cuda_norm_resident_wish {
    const struct anydnn_plugin_tensor *const *alike; /* x and those of its shape, or NULL */
    int tensors;
    const struct anydnn_plugin_tensor *const *params; /* those of a number a channel, or NULL */
    int param_count;
    int rings;        /* 2: z or dy beside x */
    int signs;        /* a reserve is read or written */
    int window;       /* units whose signs a warp has at once */
    int writes_twice; /* dx and dz, which in steps are written at once */
};

/* Fills `shape`, with is_possible where the kernel is right and the faster one for it. */
void cuda_norm_resident_prepare(cuda_norm_resident *shape, const struct anydnn_plugin_plan *plan,
                                const cuda_norm_resident_wish &wish);

/* Whether these pointers can be read by 16 bytes and signs by 4, and x outlives the sums, with
 * which dz is written. */
static inline int cuda_norm_resident_taken(const cuda_norm_resident_job *job)
{
    uintptr_t all =
        (uintptr_t)job->x | (uintptr_t)job->beside | (uintptr_t)job->out | (uintptr_t)job->out_z;

    return job->shape.is_possible && all % sizeof(uint4) == 0 &&
           (uintptr_t)job->reserve % sizeof(uint32_t) == 0 && job->out_z != job->x;
}

/* A status of the two below: the driver has no room for all blocks at once, as where a process has
 * a part of a device, and nothing was enqueued. */
#define CUDA_NORM_NO_ROOM (-1)

/* y of x, beside z or not, with the statistics; dx, and dz, of x and dy, with dscale and dbias. */
int32_t cuda_norm_resident_forward(const cuda_call *call, int32_t type,
                                   cuda_norm_resident_job *job);
int32_t cuda_norm_resident_backward(const cuda_call *call, int32_t type,
                                    cuda_norm_resident_job *job);

#endif
