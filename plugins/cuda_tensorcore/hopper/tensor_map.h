/* SPDX-License-Identifier: Apache-2.0 */
/* Declares tensor maps: descriptions of a tensor in memory for Hopper's copy engine (TMA). The
 * driver makes them without an address when a plan is made, and a call fills in the address. The
 * limits are those that the CUDA driver API documents for cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col. The file compiles as C and as CUDA C++. */
#ifndef CUDA_TENSORCORE_HOPPER_TENSOR_MAP_H
#define CUDA_TENSORCORE_HOPPER_TENSOR_MAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A map, which is as opaque and as large as CUtensorMap. */
typedef struct tc_tensor_map {
#ifdef __cplusplus
    alignas(64) uint64_t opaque[16];
#else
    _Alignas(64) uint64_t opaque[16];
#endif
} tc_tensor_map;

#define TC_MAP_DIMS 4

/* The bytes of a line of a box, within which the 128-byte swizzle permutes chunks. */
#define TC_LINE_BYTES 128
/* The 16-bit channels in a line. */
#define TC_LINE_CHANNELS (TC_LINE_BYTES / 2)

/* The limits of both kinds of maps. Addresses and strides in bytes are multiples of
 * TC_MAP_ALIGNMENT, and strides are below TC_MAP_STRIDES. */
#define TC_MAP_ALIGNMENT 16
#define TC_MAP_STRIDES   (INT64_C(1) << 40)

/* A tiled map. Dims and strides begin with the fastest dim; its stride is 1 and not listed.
 * Boxes consist of swizzled 128-byte lines. Elements of a box outside the tensor read as 0. */
struct tc_tiled_map {
    int32_t type;   /* ANYDNN_PLUGIN_HALF, _BFLOAT16, _FLOAT, _INT8 or _UINT8 */
    int32_t rounds; /* 1 if floats are rounded to TF32 (nearest, ties to even) by loads */
    int32_t rank;
    int64_t dims[TC_MAP_DIMS];
    int64_t strides[TC_MAP_DIMS - 1]; /* bytes */
    int32_t box[TC_MAP_DIMS];
};

/* An im2col map, which loads pixels in the order of an output's positions. A copy traverses x by
 * `step`: along W from `lower` to the extent - 1 + `upper`, then along H, then over images. A
 * tap shifts every pixel by its offset. Dims are C, W, H, N; corners and steps are W, H. */
struct tc_im2col_map {
    struct tc_tiled_map tensor; /* its box is unused */
    int32_t lower[2], upper[2], step[2];
    int32_t channels, pixels; /* size of a box */
};

/* Returns 1 if the driver has the entry points. */
int32_t tc_tensor_maps_exist(void);

/* These functions make a map. They return 0 if the driver refuses. */
int32_t tc_make_tiled_map(tc_tensor_map *map, const struct tc_tiled_map *of);
int32_t tc_make_im2col_map(tc_tensor_map *map, const struct tc_im2col_map *of);

/* Sets the address. Returns 0 if the driver refuses. */
int32_t tc_bind_map(tc_tensor_map *map, const void *address);

#ifdef __cplusplus
}
#endif

#endif
