/* SPDX-License-Identifier: Apache-2.0 */
/* transform_tensor_ex and transform_filter. FOLD pads, then moves each block of fold[0] x fold[1]..
 * positions into channels; UNFOLD moves them back, then pads. Channel c and index o within the
 * block become channel o * (channels of x) + c. The index counts like an index tuple, the last
 * spatial dim fastest. */
#include "../../cuda_common/table.h"
#include "../shared/map.h"

/* The directions of struct anydnn_plugin_transform. */
enum { FOLD, UNFOLD };

#define DIMS ANYDNN_PLUGIN_DIM_MAX

struct transform_params {
    int32_t direction;
    int32_t ndims;
    int32_t x_type, y_type;
    int32_t x_lanes;
    int64_t channels; /* channels of the unfolded tensor */
    int64_t pad_before[DIMS];
    int64_t padded[DIMS]; /* dims of the padded tensor */
    int64_t inner[DIMS];  /* dims without padding */
    int64_t fold[DIMS];   /* fold of each dim; 1 for n and c */
    int64_t strides[DIMS];
};

/* Replaces an index in a folded tensor by that in the unfolded one. */
__device__ static inline void unfolded_index(const transform_params &p, int64_t index[])
{
    int64_t within = index[1] / p.channels;

    index[1] %= p.channels;
    for (int32_t d = p.ndims - 1; d >= 2; d--) {
        index[d] = index[d] * p.fold[d] + within % p.fold[d];
        within /= p.fold[d];
    }
}

/* Replaces an index in an unfolded tensor by that in the folded one. */
__device__ static inline void folded_index(const transform_params &p, int64_t index[])
{
    int64_t within = 0;

    for (int32_t d = 2; d < p.ndims; d++) {
        within = within * p.fold[d] + index[d] % p.fold[d];
        index[d] /= p.fold[d];
    }
    index[1] += within * p.channels;
}

/* Replaces an index in a padded tensor by that without padding. Returns 0 if the index is in the
 * padding or in the incomplete part of a block. */
__device__ static inline int unpadded_index(const transform_params &p, int64_t index[])
{
    int inside = 1;

    for (int32_t d = 0; d < p.ndims; d++) {
        inside = inside && index[d] < p.padded[d];
        index[d] -= p.pad_before[d];
        inside = inside && index[d] >= 0 && index[d] < p.inner[d];
    }
    return inside;
}

/* The op of both operations. Tensors: y, the index along each of its dims. */
struct transform_op {
    typedef transform_params params;
    enum { OUT = 1, IN = 0, EXTRA = DIMS };

    static __device__ void run(const cuda_map_job<transform_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        int64_t index[DIMS], offset = 0;
        double value = 0;
        int inside;

        for (int32_t d = 0; d < DIMS; d++)
            index[d] = at[1 + d];
        if (p.direction == FOLD)
            unfolded_index(p, index);
        inside = unpadded_index(p, index);
        if (inside) {
            if (p.direction == UNFOLD)
                folded_index(p, index);
            for (int32_t d = 0; d < p.ndims; d++) {
                int64_t lanes = d == 1 ? p.x_lanes : 1;
                offset += index[d] / lanes * p.x_lanes * p.strides[d] + index[d] % lanes;
            }
            value = cuda_load_any(p.x_type, job.data[1], offset);
        }
        cuda_blend_store_any(p.y_type, job.data[0], at[0], value, job.blend);
    }
};

/* ------------------------------------------------------------------ plans */

struct transform_state {
    cuda_walk walk;
    transform_params params;
};

static_assert(KIT_SAME_SLOT(transform_tensor_ex, transform_filter, x) &&
                  KIT_SAME_SLOT(transform_tensor_ex, transform_filter, y),
              "transform_tensor_ex and transform_filter share functions");

static void fill_params(const struct anydnn_plugin_plan *plan, transform_params *to)
{
    const struct anydnn_plugin_transform *from =
        (const struct anydnn_plugin_transform *)plan->problem.params;
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_transform_tensor_ex_x],
                                      *y = plan->problem.tensor[slot_transform_tensor_ex_y];
    int64_t block = 1;

    for (int32_t d = 2; d < x->ndims; d++)
        block *= from->fold[d - 2];
    to->direction = from->direction;
    to->ndims = x->ndims;
    to->x_type = x->type;
    to->y_type = y->type;
    to->x_lanes = (int32_t)kit_lanes(x->type);
    to->channels = (from->direction == FOLD ? y : x)->dims[1] / block;
    for (int32_t d = 0; d < x->ndims; d++) {
        to->fold[d] = d < 2 ? 1 : from->fold[d - 2];
        to->inner[d] = x->dims[d];
        if (from->direction == UNFOLD)
            to->inner[d] = d == 1 ? to->channels : x->dims[d] * to->fold[d];
        to->pad_before[d] = from->pad_before[d];
        to->padded[d] = from->pad_before[d] + to->inner[d] + from->pad_after[d];
        to->strides[d] = x->strides[d];
    }
}

static void transform_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *y = plan->problem.tensor[slot_transform_tensor_ex_y];
    const struct anydnn_plugin_tensor *walked[1 + DIMS] = {y};
    struct anydnn_plugin_tensor coordinates[DIMS];
    transform_state *state = (transform_state *)plan->job;

    for (int32_t d = 0; d < DIMS; d++) {
        coordinates[d] = d < y->ndims ? cuda_coordinate(y, d) : cuda_part(y, 0);
        coordinates[d].type = ANYDNN_PLUGIN_DOUBLE;
        walked[1 + d] = &coordinates[d];
    }
    cuda_walk_make(&state->walk, walked, 1 + DIMS, KIT_WALK_ALL, KIT_WALK_SORTED);
    fill_params(plan, &state->params);
}

static int32_t transform_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const transform_state *state = (const transform_state *)plan->job;
    cuda_map_job<transform_op> job;

    job.data[0] = call->operands->data[slot_transform_tensor_ex_y];
    job.data[1] = call->operands->data[slot_transform_tensor_ex_x];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    job.params = state->params;
    return cuda_each_run(&state->walk, call, &job);
}

CUDA_OPERATION(transform_tensor_ex, TRANSFORM_TENSOR_EX,
               .types = CUDA_FLOATS | CUDA_INTEGERS | CUDA_VECTORS,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .job_size = sizeof(transform_state),
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .prepare = transform_prepare,
               .run = transform_run);
CUDA_OPERATION(transform_filter, TRANSFORM_FILTER,
               .types = CUDA_FLOATS | CUDA_TYPE(INT8) | CUDA_TYPE(UINT8), .layouts = KIT_LAYOUTS,
               .job_size = sizeof(transform_state), .prepare = transform_prepare,
               .run = transform_run);
