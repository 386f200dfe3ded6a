/* SPDX-License-Identifier: Apache-2.0 */
/* Implements transform_tensor, add_tensor, scale_tensor and set_tensor: y = alpha * x + beta * y
 * and its special cases. The types may differ; the arithmetic is double. */
#include "../naive.h"

/* The bytes of the longest vector. */
#define VALUE_MAX 32

struct blend_job {
    naive_tensor x, y;
    cuda_blend blend;
};

struct set_job {
    naive_tensor y;
    int32_t size; /* bytes of a lane */
    unsigned char value[VALUE_MAX];
};

/* Stores alpha * x + beta * y; x may be broadcast. */
static __global__ void blend_elements(blend_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS];

    if (i >= job.y.count)
        return;
    naive_unravel(job.y.dims, job.y.ndims, i, at);
    naive_store(job.y, naive_offset(job.y, at), naive_load_any(job.x, naive_offset(job.x, at)),
                job.blend);
}

/* Copies the bits of the value to each element. A value of a vector type provides the bits of
 * the element's lane. */
static __global__ void set_elements(set_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS], lane;

    if (i >= job.y.count)
        return;
    naive_unravel(job.y.dims, job.y.ndims, i, at);
    lane = job.y.lanes > 1 ? at[1] % job.y.lanes : 0;
    memcpy((unsigned char *)job.y.data + naive_offset(job.y, at) * job.size,
           job.value + lane * job.size, (size_t)job.size);
}

/* ------------------------------------------------------------------ on the host */

static_assert(KIT_SAME_SLOT(transform_tensor, add_tensor, x) &&
                  KIT_SAME_SLOT(transform_tensor, add_tensor, y),
              "transform_tensor and add_tensor share functions");

static int32_t two_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    blend_job job = {naive_tensor_of(plan, call, slot_transform_tensor_x),
                     naive_tensor_of(plan, call, slot_transform_tensor_y), naive_blend(call, 0)};

    return naive_launch(call, blend_elements, job.y.count, job);
}

static int32_t scale_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    naive_tensor y = naive_tensor_of(plan, call, slot_scale_tensor_y);
    blend_job job = {y, y, {call->operands->scale[0], 0}};

    return naive_launch(call, blend_elements, job.y.count, job);
}

static int32_t set_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    set_job job = {naive_tensor_of(plan, call, slot_set_tensor_y), 0, {0}};

    if (!call->operands->value)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "set_tensor: value is a NULL pointer");
    job.size = cuda_type_size(job.y.type);
    memcpy(job.value, call->operands->value, (size_t)(job.size * job.y.lanes));
    return naive_launch(call, set_elements, job.y.count, job);
}

#define TYPES (CUDA_FLOATS | CUDA_INTEGERS | CUDA_VECTORS)

CUDA_OPERATION(transform_tensor, TRANSFORM_TENSOR, .types = TYPES,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT,
               .run = two_run);
CUDA_OPERATION(add_tensor, ADD_TENSOR, .types = TYPES, .layouts = CUDA_LAYOUTS_AND_VECTORS,
               .run = two_run);
CUDA_OPERATION(scale_tensor, SCALE_TENSOR, .types = TYPES, .layouts = CUDA_LAYOUTS_AND_VECTORS,
               .run = scale_run);
CUDA_OPERATION(set_tensor, SET_TENSOR, .types = TYPES, .layouts = CUDA_LAYOUTS_AND_VECTORS,
               .run = set_run);
