/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which problems use the single kernel of batch_norm_resident.h, and how they are
 * divided. */
#include "batch_norm_resident.h"

/* Bytes of shared memory in addition to rings and signs: four coefficients per channel, and a pair
 * of sums per thread. */
#define REST (16 * CUDA_NORM_SLAB_MAX + CUDA_THREADS * 16)
/* The maximum rows of a unit: with rows of 128 bytes, of 256 bytes, and of 256 bytes with two
 * windows of signs. */
#define UNIT           160
#define UNIT_WIDE      128
#define UNIT_WIDE_BOTH 64
/* Lanes of a row of 128 bytes and of 256 bytes. */
#define NARROW 8
#define WIDE   16

/* Returns an attribute of the device, or 0 if the driver does not report it. */
static int32_t attribute_of(int32_t device, enum cudaDeviceAttr attribute)
{
    int value = 0;

    if (cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess)
        return value;
    (void)cudaGetLastError();
    return 0;
}

static int is_alike(const struct anydnn_plugin_plan *plan,
                    const cuda_norm_resident_request &request)
{
    const struct anydnn_plugin_tensor *x = request.alike[0];

    if (cuda_norm_within(plan) == 1 || cuda_type_size(x->type) > 4 || cuda_tensor_count(x) == 0)
        return 0;
    for (int t = 0; t < request.tensors; t++) {
        if (request.alike[t] && !cuda_norm_is_rows(request.alike[t]))
            return 0;
    }
    for (int t = 0; t < request.param_count; t++) {
        if (request.params[t] &&
            (request.params[t]->strides[1] != 1 || request.params[t]->type != ANYDNN_PLUGIN_FLOAT))
            return 0;
    }
    return 1;
}

static int is_large(const cuda_norm_resident_request &request)
{
    const struct anydnn_plugin_tensor *x = request.alike[0];
    int64_t count = cuda_tensor_count(x);

    return request.signs && !request.writes_twice &&
           count / x->dims[0] / x->dims[1] >= CUDA_NORM_LONG &&
           count * cuda_type_size(x->type) >= CUDA_NORM_LARGE;
}

/* Divides an image into units of whole pieces. With two windows of signs and two pieces in flight,
 * an image's last unit must have more than one piece. Otherwise a warp could be two units ahead of
 * its signs. */
static int divide_image(cuda_norm_resident *shape, const cuda_norm_resident_request &request)
{
    int32_t groups = 32 / shape->across, most = UNIT;
    int is_ahead = request.signs && request.window == 2 && !request.writes_twice;

    shape->is_whole = request.signs && shape->positions % CUDA_NORM_GROUP;
    shape->group = CUDA_NORM_GROUP;
    if (shape->is_whole) {
        shape->group = (shape->positions + CUDA_NORM_GROUP - 1) / CUDA_NORM_GROUP;
        if (shape->group > CUDA_NORM_GROUP_WHOLE)
            shape->group = CUDA_NORM_GROUP_WHOLE;
    }
    shape->piece = groups * shape->group;
    if (shape->positions <= shape->piece)
        return 0;
    if (shape->is_whole) {
        shape->length = shape->positions;
        shape->units = 1;
        return shape->positions <= CUDA_NORM_WHOLE;
    }
    if (shape->across == WIDE)
        most = request.window == 2 ? UNIT_WIDE_BOTH : UNIT_WIDE;
    for (shape->length = most; shape->length > shape->piece; shape->length -= shape->piece) {
        int32_t left = shape->positions % shape->length;

        if (left == 0 || left > shape->piece || !is_ahead) {
            shape->units = (shape->positions + shape->length - 1) / shape->length;
            return 1;
        }
    }
    return 0;
}

static int32_t power_from(int32_t least)
{
    int32_t power = 1;

    while (power < least)
        power *= 2;
    return power;
}

/* Divides the signs and returns their bytes in shared memory. A channel has one extra word if two
 * words are read to get a bit from either. */
static int32_t divide_signs(cuda_norm_resident *shape, const cuda_norm_resident_request &request)
{
    int32_t bytes = shape->positions / 8, words = (shape->length + 55) / 32;

    shape->granule = bytes % 4 == 0 && shape->length % 32 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    shape->each = power_from(request.window == 2 ? words : shape->length / 8 / shape->granule);
    shape->turns = shape->slab * shape->each / 32;
    shape->words = shape->is_whole ? shape->slab * shape->positions / 32 + 2 : words | 1;
    if (!request.signs)
        return 0;
    return CUDA_NORM_WARPS * request.window * shape->words * (shape->is_whole ? 1 : shape->slab) *
           (int32_t)sizeof(uint32_t);
}

/* Makes the ring as long as shared memory allows. The warps' sums reuse the memory of the signs. */
static int divide_shared(cuda_norm_resident *shape, const cuda_norm_resident_request &request,
                         int32_t capacity)
{
    int32_t piece = CUDA_NORM_WARPS * shape->group * 512 * request.rings;
    int32_t ahead = request.rings == 2 ? CUDA_NORM_AHEAD_BESIDE : CUDA_NORM_AHEAD;
    int32_t signs = divide_signs(shape, request), joined = CUDA_NORM_WARPS * shape->slab * 16;
    int32_t rest = REST + (signs > joined ? signs : joined);

    shape->ring = (capacity - rest) / piece;
    shape->ring = shape->ring < CUDA_NORM_RING ? shape->ring : CUDA_NORM_RING;
    shape->shared = rest + shape->ring * piece;
    /* More than half of the shared memory ensures that neither two blocks share a multiprocessor
     * nor two such grids a device. */
    return shape->ring > ahead && shape->shared > capacity / 2;
}

/* Returns the division for `across` lanes per row. */
static cuda_norm_resident divided(const cuda_norm_resident_request &request,
                                  int32_t multiprocessors, int32_t capacity, int32_t across)
{
    const struct anydnn_plugin_tensor *x = request.alike[0];
    cuda_norm_resident shape = {};
    int64_t rows = cuda_tensor_count(x) / x->dims[1];

    shape.multiprocessors = multiprocessors;
    shape.across = across;
    shape.slab = across * 16 / (int32_t)cuda_type_size(x->type);
    shape.images = request.signs ? (int32_t)x->dims[0] : 1;
    shape.positions = (int32_t)(rows / shape.images);
    shape.channels = (int32_t)x->dims[1];
    shape.slabs = shape.channels / shape.slab;
    if (rows > INT32_MAX / 2 || shape.channels % shape.slab || shape.slabs > CUDA_NORM_SLABS_MAX ||
        shape.slabs > multiprocessors)
        return shape;
    shape.blocks = multiprocessors / shape.slabs;
    shape.is_possible = divide_image(&shape, request) && divide_shared(&shape, request, capacity);
    return shape;
}

/* Returns the share of all warps' turns that have a unit, in percent. */
static int64_t share_at_work(const cuda_norm_resident &shape)
{
    int64_t units = (int64_t)shape.images * shape.units;
    int64_t warps = (int64_t)shape.blocks * CUDA_NORM_WARPS;

    return units * 100 / ((units + warps - 1) / warps * warps);
}

/* Replaces `shape` by `wide` if that is faster. Memory accepts writes of 256 bytes faster, with
 * three costs (bench/results/trials.md). Fewer slabs have more blocks each, and every block reads
 * the sums of all. More warps may lack a unit. If signs are written channel by channel, that takes
 * longer than the wide writes save. */
static void choose_wide(cuda_norm_resident *shape, const cuda_norm_resident_request &request,
                        const cuda_norm_resident &wide)
{
    int is_scattered = request.signs && request.window == 1 && !wide.is_whole;

    if (!wide.is_possible)
        return;
    if (!shape->is_possible ||
        (!is_scattered && share_at_work(wide) * 5 > share_at_work(*shape) * 4))
        *shape = wide;
}

void cuda_norm_resident_prepare(cuda_norm_resident *shape, const struct anydnn_plugin_plan *plan,
                                const cuda_norm_resident_request &request)
{
    int32_t device = plan->context->device, multiprocessors = plan->context->multiprocessors;
    int32_t capacity = attribute_of(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);

    *shape = {};
    if (!plan->context->has_pools || !attribute_of(device, cudaDevAttrCooperativeLaunch) ||
        !is_alike(plan, request) || is_large(request))
        return;
    *shape = divided(request, multiprocessors, capacity, NARROW);
    choose_wide(shape, request, divided(request, multiprocessors, capacity, WIDE));
}
