/* SPDX-License-Identifier: Apache-2.0 */
/* Which problems go by the one kernel of batch_norm_resident.h, and how they are divided. */
#include "batch_norm_resident.h"

/* Bytes besides the rings and signs: four coefficients of 64 channels, a pair of sums a thread. */
#define REST (1024 + CUDA_THREADS * 16)
/* Bytes in which the warps of a block add their sums, in the place of signs. */
#define JOINED (CUDA_NORM_WARPS * 1024)

/* 0 where the driver does not tell. */
static int32_t attribute_of(int32_t device, enum cudaDeviceAttr attribute)
{
    int value = 0;

    if (cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess)
        return value;
    (void)cudaGetLastError();
    return 0;
}

/* Channels of a slab. */
static int32_t slab_of(const struct anydnn_plugin_tensor *x)
{
    return 128 / (int32_t)cuda_type_size(x->type);
}

static int is_alike(const struct anydnn_plugin_plan *plan, const cuda_norm_resident_wish &wish)
{
    const struct anydnn_plugin_tensor *x = wish.alike[0];

    if (cuda_norm_within(plan) == 1 || cuda_type_size(x->type) > 4 || cuda_tensor_count(x) == 0 ||
        x->dims[1] % slab_of(x) || x->dims[1] / slab_of(x) > CUDA_NORM_SLABS_MAX)
        return 0;
    for (int t = 0; t < wish.tensors; t++) {
        if (wish.alike[t] && !cuda_norm_is_rows(wish.alike[t]))
            return 0;
    }
    for (int t = 0; t < wish.param_count; t++) {
        if (wish.params[t] && wish.params[t]->strides[1] != 1)
            return 0;
    }
    return 1;
}

static int is_large(const struct anydnn_plugin_tensor *x)
{
    int64_t count = cuda_tensor_count(x);

    return count / x->dims[0] / x->dims[1] >= CUDA_NORM_LONG &&
           count * cuda_type_size(x->type) >= CUDA_NORM_LARGE;
}

/* Units of whole pieces; the last one of an image has more than one, so that no warp is two units
 * ahead of its signs. */
static int divide_image(cuda_norm_resident *shape, int signs)
{
    int32_t least = CUDA_NORM_GROUP * 4;

    shape->is_whole = signs && shape->positions % CUDA_NORM_GROUP;
    shape->group = CUDA_NORM_GROUP;
    if (shape->is_whole) {
        shape->group = (shape->positions + CUDA_NORM_GROUP - 1) / CUDA_NORM_GROUP;
        if (shape->group > CUDA_NORM_GROUP_WHOLE)
            shape->group = CUDA_NORM_GROUP_WHOLE;
        shape->length = shape->positions;
        shape->units = 1;
        return shape->positions > 4 * shape->group && shape->positions <= CUDA_NORM_WHOLE;
    }
    for (shape->length = CUDA_NORM_UNIT; shape->length > least; shape->length -= least) {
        int32_t left = shape->positions % shape->length;

        if (shape->positions > least && (left == 0 || left > least)) {
            shape->units = (shape->positions + shape->length - 1) / shape->length;
            return 1;
        }
    }
    return 0;
}

/* Words of signs in shared memory, with one more where two are read for a bit in either. */
static int32_t divide_signs(cuda_norm_resident *shape, const cuda_norm_resident_wish &wish,
                            int32_t slab)
{
    int32_t bytes = shape->positions / 8;

    shape->granule = bytes % 4 == 0 && shape->length % 32 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    shape->words =
        shape->is_whole ? slab * shape->positions / 32 + 2 : (shape->length + 55) / 32 | 1;
    if (!wish.signs)
        return 0;
    return CUDA_NORM_WARPS * wish.window * shape->words * (shape->is_whole ? 1 : slab) *
           (int32_t)sizeof(uint32_t);
}

/* As long a ring as there is room for. */
static int divide_room(cuda_norm_resident *shape, const cuda_norm_resident_wish &wish, int32_t slab,
                       int32_t room)
{
    int32_t piece = CUDA_NORM_WARPS * shape->group * 512 * wish.rings;
    int32_t ahead = wish.rings == 2 ? CUDA_NORM_AHEAD_BESIDE : CUDA_NORM_AHEAD;
    int32_t signs = divide_signs(shape, wish, slab);
    int32_t rest = REST + (signs > JOINED ? signs : JOINED);

    shape->ring = (room - rest) / piece;
    shape->ring = shape->ring < CUDA_NORM_RING ? shape->ring : CUDA_NORM_RING;
    shape->shared = rest + shape->ring * piece;
    /* Two such blocks are never on a multiprocessor, nor two such grids on a device. */
    return shape->ring > ahead && shape->shared > room / 2;
}

void cuda_norm_resident_prepare(cuda_norm_resident *shape, const struct anydnn_plugin_plan *plan,
                                const cuda_norm_resident_wish &wish)
{
    const struct anydnn_plugin_tensor *x = wish.alike[0];
    int32_t device = plan->context->device;
    int64_t rows;

    *shape = {};
    if (!plan->context->has_pools || !attribute_of(device, cudaDevAttrCooperativeLaunch) ||
        cuda_has_oracle(plan) || !is_alike(plan, wish) || (is_large(x) && !wish.writes_twice))
        return;
    rows = cuda_tensor_count(x) / x->dims[1];
    if (rows > INT32_MAX / 2)
        return;
    shape->images = wish.signs ? (int32_t)x->dims[0] : 1;
    shape->positions = (int32_t)(rows / shape->images);
    shape->channels = (int32_t)x->dims[1];
    shape->slabs = shape->channels / slab_of(x);
    shape->blocks = plan->context->multiprocessors / shape->slabs;
    if (shape->blocks < 1 || !divide_image(shape, wish.signs) ||
        !divide_room(shape, wish, slab_of(x),
                     attribute_of(device, cudaDevAttrMaxSharedMemoryPerBlockOptin)))
        return;
    shape->is_possible = 1;
}
