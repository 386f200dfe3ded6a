/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of the kernels of the family hopper for fprop and dgrad. They run an
 * implicit GEMM: M counts positions of all images, N output channels, and K taps and channels. A
 * is the tensor that is traversed, and B the filters. A block of K is one line of channels of
 * one tap. dgrad with strides is one GEMM for each class of positions that the same taps reach.
 * Classes share A's map; each has its own taps and its own map of C. */
#ifndef CUDA_TENSORCORE_HOPPER_PARAMS_H
#define CUDA_TENSORCORE_HOPPER_PARAMS_H

#include "../common/biased.h"
#include "model.h"
#include "tensor_map.h"

/* The only compute capability with wgmma and TMA as these kernels use them; later ones lack
 * wgmma. */
#define TC_HOPPER_CAPABILITY 90

/* The rows that are stored at once, with a line of columns each, and the bytes of their buffer. */
#define TC_HOPPER_SLAB       64
#define TC_HOPPER_SLAB_BYTES (TC_HOPPER_SLAB * TC_LINE_BYTES)

/* The most classes: strides of 2 by 2. */
#define TC_HOPPER_CLASSES 4

/* The height or the width of the traversal of A. */
struct tc_hopper_dim {
    int32_t positions; /* per class */
    int32_t lower;     /* coordinate of the first position under its first tap */
    int32_t step;      /* from position to position */
};

/* The taps along a dim in the order of the traversal: offsets in A, and coordinates in the
 * filters. */
struct tc_hopper_taps {
    int32_t count;
    int32_t offset, spacing;
    int32_t filter, filter_step;
};

enum { TC_HOPPER_HEIGHT, TC_HOPPER_WIDTH, TC_HOPPER_DIMS };

/* The forms of results. Threads store blended results. The copy engine stores rounded sums,
 * unchanged or with a bias and a ReLU. */
enum { TC_HOPPER_BLENDED, TC_HOPPER_ROUNDED, TC_HOPPER_BIASED };

/* A class of positions. It has no blocks if no tap reaches it. */
struct tc_hopper_class {
    tc_hopper_taps taps[TC_HOPPER_DIMS];
    int32_t channel_blocks; /* per tap */
    int32_t blocks;         /* all taps */
    int64_t first;          /* offset of its first position in C */
};

struct tc_hopper_params {
    tc_tensor_map a, b;
    int32_t tiles, n_tiles, m_tiles; /* n_tiles and m_tiles: per group and class */
    int32_t class_tiles;             /* tiles per class */
    int32_t classes;
    int32_t m, n;       /* m: per class; n: per group */
    int32_t channels;   /* per group in A */
    int32_t is_product; /* 1 for one tap at its position: A is a plain matrix */
    int32_t results;    /* TC_HOPPER_xxx */
    tc_bounds bounds;   /* for biased results */
    int32_t size;       /* bytes per element */
    tc_hopper_dim dim[TC_HOPPER_DIMS];
    int64_t pitch; /* elements from row to row of the results; unused with classes */
    int64_t z_step, z_image, z_height, z_width; /* strides of z; with several classes, of C */
    conv_output output;
};

/* The parameters with up to CLASSES classes. Classes with many taps come first. */
template <int CLASSES> struct tc_hopper_params_of : tc_hopper_params {
    tc_tensor_map c[CLASSES];
    tc_hopper_class of[CLASSES];
};

/* These functions return 1 if the kernels of one class, or of several, support a problem, apart
 * from types (hopper/params.cu). */
extern "C" int32_t tc_hopper_takes(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_hopper_takes_classes(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_hopper_takes_signed(const struct conv *conv, const struct tc_target *target);

/* Fills in the job without addresses and factors. `of` and `c` have one element per class;
 * `rounds` is as in struct tc_tiled_map. Returns 0 if the driver makes no maps of it. */
int32_t tc_hopper_prepare(tc_hopper_params *to, tc_hopper_class *of, tc_tensor_map *c,
                          const tc_job &job, int32_t tile_m, int32_t tile_n, int32_t rounds);

/* Fills in a call's addresses and factors. Returns 0 if the driver refuses. */
int32_t tc_hopper_bind(tc_hopper_params *job, const tc_hopper_class *of, tc_tensor_map *c,
                       const struct tc_arguments &args);

#endif
