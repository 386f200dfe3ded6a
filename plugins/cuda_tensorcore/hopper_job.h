/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of the family hopper are given: fprop and dgrad of stride 1 as an implicit GEMM
 * of M positions (of all images) x N columns (output channels) x K taps of channels. A is the
 * gathered tensor, B the filters. K goes by blocks of 64 channels of one tap.
 */
#ifndef CUDA_TENSORCORE_HOPPER_JOB_H
#define CUDA_TENSORCORE_HOPPER_JOB_H

#include "hopper_map.h"
#include "job.h"

/* Channels of a block along K: a line of 128 bytes. */
#define TC_HOPPER_DEPTH 64
/* Columns and rows of what goes to memory at once, out of a buffer of so many bytes. */
#define TC_HOPPER_SLAB       64
#define TC_HOPPER_SLAB_BYTES (TC_HOPPER_SLAB * TC_HOPPER_SLAB * 2)

/* Height or width of the walk through A. */
struct tc_hopper_dim {
    int32_t positions, taps;
    int32_t lower;   /* coordinate of the first position under the first tap of the walk */
    int32_t step;    /* from position to position */
    int32_t spacing; /* from tap to tap */
    int32_t flipped; /* 1: the filters' taps lie the other way around */
};

enum { TC_HOPPER_HEIGHT, TC_HOPPER_WIDTH, TC_HOPPER_DIMS };

struct tc_hopper_job {
    tc_map a, b, c;
    int32_t tiles, column_tiles, row_tiles; /* row and column tiles of a group */
    int32_t rows, columns;                  /* M, and N of a group */
    int32_t depth, depth_blocks;            /* channels of a group in A, and blocks of them */
    int32_t is_product;  /* one tap that lies on its position: A is a plain matrix */
    int32_t stores_sums; /* results are the sums, rounded */
    tc_hopper_dim dim[TC_HOPPER_DIMS];
    int64_t pitch; /* elements from row to row of the results */
    int64_t z_step, z_image, z_height, z_width;
    conv_output output;
};

/* hopper.cu: what the family takes, beside types; the job without addresses and factors, 0 where
 * the driver makes no maps of it; whether the device that is current runs the family. */
extern "C" int32_t tc_hopper_takes(const struct conv *conv, const struct tc_wish *wish);
int32_t tc_hopper_prepare(tc_hopper_job *to, const tc_job &job, int32_t rows, int32_t columns);

/* A call's addresses and factors. */
int32_t tc_hopper_give(tc_hopper_job *job, const struct tc_given &given);

#endif
