/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of the family hopper are given: fprop and dgrad as an implicit GEMM of M
 * positions (of all images) x N output channels x K taps of channels. A is the tensor
 * that is walked through, B the filters. K goes by blocks of a line of channels of one tap. dgrad
 * with strides is one GEMM for each class of positions that the same taps reach; they share A's
 * map, each has its own taps and its own map of C.
 */
#ifndef CUDA_TENSORCORE_HOPPER_PARAMS_H
#define CUDA_TENSORCORE_HOPPER_PARAMS_H

#include "../common/biased.h"
#include "model.h"
#include "tensor_map.h"

/* The compute capability that has wgmma and TMA as these kernels use them; later ones have not. */
#define TC_HOPPER_CAPABILITY 90

/* Rows of what goes to memory at once, a line of columns each, out of a buffer of so many bytes. */
#define TC_HOPPER_SLAB       64
#define TC_HOPPER_SLAB_BYTES (TC_HOPPER_SLAB * TC_LINE_BYTES)

/* Classes at most: strides of 2 by 2. */
#define TC_HOPPER_CLASSES 4

/* Height or width of the walk through A. */
struct tc_hopper_dim {
    int32_t positions; /* of a class */
    int32_t lower;     /* coordinate of the first position under the first tap of the walk */
    int32_t step;      /* from position to position */
};

/* Taps along a dim in the order of the walk: offsets in A, coordinates in the filters. */
struct tc_hopper_taps {
    int32_t count;
    int32_t offset, spacing;
    int32_t filter, filter_step;
};

enum { TC_HOPPER_HEIGHT, TC_HOPPER_WIDTH, TC_HOPPER_DIMS };

/* What results are: blended, by threads; or sums, rounded, alone or with a bias and a ReLU, which
 * the copy engine stores. */
enum { TC_HOPPER_BLENDED, TC_HOPPER_ROUNDED, TC_HOPPER_BIASED };

/* Without blocks where no tap reaches the class. */
struct tc_hopper_class {
    tc_hopper_taps taps[TC_HOPPER_DIMS];
    int32_t channel_blocks; /* of a tap */
    int32_t blocks;         /* of all taps */
    int64_t first;          /* its first position in C */
};

struct tc_hopper_params {
    tc_tensor_map a, b;
    int32_t tiles, n_tiles, m_tiles; /* all; of a group and class */
    int32_t class_tiles;             /* of a class */
    int32_t classes;
    int32_t m, n;       /* of a class; of a group */
    int32_t channels;   /* of a group in A */
    int32_t is_product; /* one tap that lies on its position: A is a plain matrix */
    int32_t results;    /* TC_HOPPER_xxx */
    tc_bounds bounds;   /* of biased ones */
    int32_t size;       /* bytes of an element */
    tc_hopper_dim dim[TC_HOPPER_DIMS];
    int64_t pitch; /* elements from row to row of the results; of classes there is none */
    int64_t z_step, z_image, z_height, z_width; /* of z; of classes, of C */
    conv_output output;
};

/* With up to so many classes, those with many taps first. */
template <int CLASSES> struct tc_hopper_params_of : tc_hopper_params {
    tc_tensor_map c[CLASSES];
    tc_hopper_class of[CLASSES];
};

/* hopper/params.cu: what the kernels of one class and of several take, beside types. */
extern "C" int32_t tc_hopper_takes(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_hopper_takes_classes(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_hopper_takes_signed(const struct conv *conv, const struct tc_target *target);

/* The job without addresses and factors, `of` and `c` by classes; `rounds` as in struct
 * tc_tiled_map. 0 where the driver makes no maps of it. */
int32_t tc_hopper_prepare(tc_hopper_params *to, tc_hopper_class *of, tc_tensor_map *c,
                          const tc_job &job, int32_t tile_m, int32_t tile_n, int32_t rounds);

/* A call's addresses and factors. */
int32_t tc_hopper_bind(tc_hopper_params *job, const tc_hopper_class *of, tc_tensor_map *c,
                       const struct tc_arguments &args);

#endif
