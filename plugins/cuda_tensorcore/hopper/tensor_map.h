/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensor maps: what Hopper's copy engine (TMA) is told of a tensor in memory. They are made with a
 * plan, by the driver's entries and with no address; a call puts the address in. C and CUDA C++
 * alike. Limits: the CUDA driver API's text of cuTensorMapEncodeTiled and ...EncodeIm2col.
 */
#ifndef CUDA_TENSORCORE_HOPPER_TENSOR_MAP_H
#define CUDA_TENSORCORE_HOPPER_TENSOR_MAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As opaque and as large as CUtensorMap. */
typedef struct tc_tensor_map {
#ifdef __cplusplus
    alignas(64) uint64_t opaque[16];
#else
    _Alignas(64) uint64_t opaque[16];
#endif
} tc_tensor_map;

#define TC_MAP_DIMS 4

/* Bytes of a line of a box, within which the 128-byte swizzle turns around. */
#define TC_LINE_BYTES 128
/* Channels of 16 bits in it. */
#define TC_LINE_CHANNELS (TC_LINE_BYTES / 2)

/* What both kinds of maps ask of strides in bytes: multiples of this, below TC_MAP_STRIDES; and of
 * the address. */
#define TC_MAP_ALIGNMENT 16
#define TC_MAP_STRIDES   (INT64_C(1) << 40)

/* Dims and strides fastest first, the first stride 1 and not given; boxes of 128-byte lines,
 * swizzled. What a box has outside the tensor reads as 0. */
struct tc_tiled_map {
    int32_t type;   /* ANYDNN_PLUGIN_HALF, _BFLOAT16, _FLOAT, _INT8 or _UINT8 */
    int32_t rounds; /* floats, to TF32 (nearest, ties to even) as they come to shared memory */
    int32_t rank;
    int64_t dims[TC_MAP_DIMS];
    int64_t strides[TC_MAP_DIMS - 1]; /* bytes */
    int32_t box[TC_MAP_DIMS];
};

/*
 * Pixels in the order of an output's positions: the copy walks through x by `step`, along W from
 * `lower` to the extent - 1 + `upper`, then along H, then over images; a tap moves every pixel by
 * its offset. Dims are C, W, H, N; corners and steps W, H.
 */
struct tc_im2col_map {
    struct tc_tiled_map tensor; /* without its box */
    int32_t lower[2], upper[2], step[2];
    int32_t channels, pixels; /* of a box */
};

/* Whether the driver has the entries. */
int32_t tc_tensor_maps_exist(void);

/* 0 where the driver refuses. */
int32_t tc_make_tiled_map(tc_tensor_map *map, const struct tc_tiled_map *of);
int32_t tc_make_im2col_map(tc_tensor_map *map, const struct tc_im2col_map *of);

/* Puts the address in. */
int32_t tc_bind_map(tc_tensor_map *map, const void *address);

#ifdef __cplusplus
}
#endif

#endif
