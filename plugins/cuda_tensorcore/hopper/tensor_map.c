/* SPDX-License-Identifier: Apache-2.0 */
/* Makes tensor maps by the driver's entry points. The runtime provides them, so libcuda is not
 * linked. */
#include "tensor_map.h"

#include "../../cuda_common/cuda_common.h"

#include <cuda.h>
#include <pthread.h>
#include <string.h>

_Static_assert(sizeof(tc_tensor_map) == sizeof(CUtensorMap), "the driver's map fits");

typedef CUresult (*encode_tiled_fn)(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                    void *address, const cuuint64_t *dims,
                                    const cuuint64_t *strides, const cuuint32_t *box,
                                    const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                    CUtensorMapFloatOOBfill fill);
typedef CUresult (*encode_im2col_fn)(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                     void *address, const cuuint64_t *dims,
                                     const cuuint64_t *strides, const int *lower, const int *upper,
                                     cuuint32_t channels, cuuint32_t pixels,
                                     const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                     CUtensorMapFloatOOBfill fill);
typedef CUresult (*replace_address_fn)(CUtensorMap *map, void *address);

static encode_tiled_fn encode_tiled;
static encode_im2col_fn encode_im2col;
static replace_address_fn replace_address;

/* The address in maps that have no address yet. */
#define NOWHERE ((void *)(uintptr_t)256)

static void find_entries(void)
{
    *(void **)&encode_tiled = cuda_driver_entry("cuTensorMapEncodeTiled");
    *(void **)&encode_im2col = cuda_driver_entry("cuTensorMapEncodeIm2col");
    *(void **)&replace_address = cuda_driver_entry("cuTensorMapReplaceAddress");
}

int32_t tc_tensor_maps_exist(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_entries);
    return encode_tiled && encode_im2col && replace_address;
}

/* The driver's form of a tensor's dims and strides. */
struct shape {
    CUtensorMapDataType type;
    cuuint64_t dims[TC_MAP_DIMS], strides[TC_MAP_DIMS - 1];
};

static CUtensorMapDataType type_of(const struct tc_tiled_map *of)
{
    switch (of->type) {
    case ANYDNN_PLUGIN_HALF:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case ANYDNN_PLUGIN_BFLOAT16:
        return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ANYDNN_PLUGIN_INT8:
    case ANYDNN_PLUGIN_UINT8:
        return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    default:
        return of->rounds ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    }
}

static struct shape shape_of(const struct tc_tiled_map *of)
{
    struct shape shape = {.type = type_of(of)};

    for (int32_t d = 0; d < of->rank; d++)
        shape.dims[d] = (cuuint64_t)of->dims[d];
    for (int32_t d = 0; d < of->rank - 1; d++)
        shape.strides[d] = (cuuint64_t)of->strides[d];
    return shape;
}

int32_t tc_make_tiled_map(tc_tensor_map *map, const struct tc_tiled_map *of)
{
    struct shape shape = shape_of(of);
    cuuint32_t box[TC_MAP_DIMS], steps[TC_MAP_DIMS];

    for (int32_t d = 0; d < of->rank; d++) {
        box[d] = (cuuint32_t)of->box[d];
        steps[d] = 1;
    }
    return tc_tensor_maps_exist() &&
           encode_tiled((CUtensorMap *)map, shape.type, (cuuint32_t)of->rank, NOWHERE, shape.dims,
                        shape.strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

int32_t tc_make_im2col_map(tc_tensor_map *map, const struct tc_im2col_map *of)
{
    struct shape shape = shape_of(&of->tensor);
    cuuint32_t steps[TC_MAP_DIMS] = {1, (cuuint32_t)of->step[0], (cuuint32_t)of->step[1], 1};

    return tc_tensor_maps_exist() &&
           encode_im2col((CUtensorMap *)map, shape.type, TC_MAP_DIMS, NOWHERE, shape.dims,
                         shape.strides, of->lower, of->upper, (cuuint32_t)of->channels,
                         (cuuint32_t)of->pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

int32_t tc_bind_map(tc_tensor_map *map, const void *address)
{
    return replace_address((CUtensorMap *)map, (void *)(uintptr_t)address) == CUDA_SUCCESS;
}
