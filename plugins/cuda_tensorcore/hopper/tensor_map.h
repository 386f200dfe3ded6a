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
typedef struct tc_map {
#ifdef __cplusplus
    alignas(64) uint64_t opaque[16];
#else
    _Alignas(64) uint64_t opaque[16];
#endif
} tc_map;

#define TC_MAP_DIMS 4

/* Bytes of a line of a box, within which the 128-byte swizzle turns around. */
#define TC_LINE_BYTES 128

/* What both kinds of maps ask of strides in bytes: multiples of this, below TC_MAP_STRIDES; and of
 * the address. */
#define TC_MAP_ALIGNMENT 16
#define TC_MAP_STRIDES   (INT64_C(1) << 40)

/* Dims and strides fastest first, the first stride 1 and not given; boxes of 128-byte lines,
 * swizzled. What a box has outside the tensor reads as 0. */
struct tc_map_tensor {
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
struct tc_map_pixels {
    struct tc_map_tensor tensor; /* without its box */
    int32_t lower[2], upper[2], step[2];
    int32_t channels, pixels; /* of a box */
};

/* Whether the driver has the entries. */
int32_t tc_map_can(void);

/* 0 where the driver refuses. */
int32_t tc_map_make(tc_map *map, const struct tc_map_tensor *of);
int32_t tc_map_make_pixels(tc_map *map, const struct tc_map_pixels *of);

/* Puts the address in. */
int32_t tc_map_place(tc_map *map, const void *address);

#ifdef __cplusplus
}
#endif

#endif
