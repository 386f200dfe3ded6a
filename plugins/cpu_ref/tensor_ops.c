/* SPDX-License-Identifier: Apache-2.0 */
/* Implements transform_tensor, add_tensor, scale_tensor and set_tensor: y = alpha*x + beta*y and
 * its special cases. */
#include "mixed.h"
#include "table.h"
#include "walk.h"

#include <string.h>

struct tensor_ops_job {
    double alpha, beta;
    const void *value;
    int64_t size;                      /* bytes of a vector */
    const struct cpu_ref_mixed *x, *y; /* if the types differ */
};

/* The cost of converting an element to double and back by function pointers, in multiply-adds for
 * distribution over threads. */
#define CONVERSION_COST 4

#define CPU_REF_TEMPLATE "tensor_ops.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "tensor_ops.inc"
#include "each_integer.inc"

#define EACH_TYPE(f) CPU_REF_EACH_FLOAT(f), CPU_REF_EACH_INTEGER(f), CPU_REF_EACH_VECTOR(f)

/* ------------------------------------------------------------------ transform_tensor */

_Static_assert(KIT_SAME_SLOT(transform_tensor, add_tensor, x) &&
                   KIT_SAME_SLOT(transform_tensor, add_tensor, y),
               "transform_tensor and add_tensor share functions");

static const cpu_ref_run_fn blend_run[KIT_TYPES] = {EACH_TYPE(blend_run)};

static void convert_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct tensor_ops_job *job = arg;
    const char *x = place[slot_transform_tensor_x];
    char *y = place[slot_transform_tensor_y];
    double value[CPU_REF_MIXED_ROW], prior[CPU_REF_MIXED_ROW];

    for (int64_t begin = 0; begin < n; begin += CPU_REF_MIXED_ROW) {
        int64_t m = cpu_ref_min(n - begin, CPU_REF_MIXED_ROW);
        char *to = y + begin * stride[slot_transform_tensor_y] * job->y->size;

        job->x->load(value, x + begin * stride[slot_transform_tensor_x] * job->x->size,
                     stride[slot_transform_tensor_x], m);
        for (int64_t i = 0; i < m; i++)
            value[i] *= job->alpha;
        if (job->beta != 0) {
            job->y->load(prior, to, stride[slot_transform_tensor_y], m);
            for (int64_t i = 0; i < m; i++)
                value[i] += job->beta * prior[i];
        }
        job->y->store(to, stride[slot_transform_tensor_y], value, m);
    }
}

static int32_t transform_run(const struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands)
{
    int32_t x = plan->problem.tensor[slot_transform_tensor_x]->type,
            y = plan->problem.tensor[slot_transform_tensor_y]->type;
    struct tensor_ops_job job = {.alpha = operands->scale[0],
                                 .beta = operands->scale[1],
                                 .x = cpu_ref_mixed(x),
                                 .y = cpu_ref_mixed(y)};

    if (kit_lane_type(x) == kit_lane_type(y))
        return blend_run[x](plan, operands);
    cpu_ref_walk_parallel(plan->state, operands->data, CONVERSION_COST, convert_row, &job);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t transform_check_types(const struct anydnn_plugin_problem *problem,
                                     struct kit_refusal *why)
{
    return cpu_ref_check_conversion(problem, slot_transform_tensor_x, slot_transform_tensor_y,
                                    &cpu_ref_transform_conversions, why);
}

/* ------------------------------------------------------------------ other operations */

static void blend_prepare(struct anydnn_plugin_plan *plan)
{
    cpu_ref_walk_init(plan->state, plan->problem.tensor, 2, KIT_WALK_ALL);
}

static void alone_prepare(struct anydnn_plugin_plan *plan)
{
    cpu_ref_walk_init(plan->state, plan->problem.tensor, 1, KIT_WALK_ALL);
}

/* ------------------------------------------------------------------ set_tensor of vectors */

/* Prepares set_tensor. It treats a vector as one element. */
static void set_prepare(struct anydnn_plugin_plan *plan)
{
    struct anydnn_plugin_tensor vectors = *plan->problem.tensor[0];
    int64_t lanes = kit_lanes(vectors.type);
    struct kit_walk *walk = plan->state;

    if (lanes > 1)
        vectors.dims[1] /= lanes;
    vectors.type = kit_lane_type(vectors.type);
    cpu_ref_walk_init(walk, (const struct anydnn_plugin_tensor *const[]){&vectors}, 1,
                      KIT_WALK_ALL);
    walk->element_size[0] *= lanes;
}

static void set_vectors(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct tensor_ops_job *job = arg;
    char *y = place[0];

    for (int64_t i = 0; i < n; i++)
        memcpy(y + i * stride[0] * job->size, job->value, (size_t)job->size);
}

static int32_t set_vectors_run(const struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands)
{
    const struct kit_walk *walk = plan->state;
    struct tensor_ops_job job = {.value = operands->value, .size = walk->element_size[0]};

    if (!job.value)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "set_tensor: value is a NULL pointer");
    cpu_ref_walk_parallel(walk, operands->data, 1, set_vectors, &job);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ table entries */

const struct cpu_ref_kernel cpu_ref_transform_tensor = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = slot_transform_tensor_x,
    .apart = 1u << slot_transform_tensor_y,
    .state_size = sizeof(struct kit_walk),
    .check_types = transform_check_types,
    .prepare = blend_prepare,
    .run = {CPU_REF_ANY_FLOAT(transform_run),
            CPU_REF_ANY_8BIT(transform_run), [ANYDNN_PLUGIN_INT32] = transform_run},
};

const struct cpu_ref_kernel cpu_ref_add_tensor = {
    .operation = ANYDNN_PLUGIN_ADD_TENSOR,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = slot_add_tensor_x,
    .uniform = 1u << slot_add_tensor_x | 1u << slot_add_tensor_y,
    .state_size = sizeof(struct kit_walk),
    .prepare = blend_prepare,
    .run = {EACH_TYPE(blend_run)},
};

const struct cpu_ref_kernel cpu_ref_scale_tensor = {
    .operation = ANYDNN_PLUGIN_SCALE_TENSOR,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = slot_scale_tensor_y,
    .uniform = 1u << slot_scale_tensor_y,
    .state_size = sizeof(struct kit_walk),
    .prepare = alone_prepare,
    .run = {EACH_TYPE(scale_run)},
};

const struct cpu_ref_kernel cpu_ref_set_tensor = {
    .operation = ANYDNN_PLUGIN_SET_TENSOR,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = slot_set_tensor_y,
    .uniform = 1u << slot_set_tensor_y,
    .state_size = sizeof(struct kit_walk),
    .prepare = set_prepare,
    .run = {CPU_REF_EACH_FLOAT(set_run),
            CPU_REF_EACH_INTEGER(set_run), [ANYDNN_PLUGIN_INT8X4] = set_vectors_run,
            [ANYDNN_PLUGIN_UINT8X4] = set_vectors_run, [ANYDNN_PLUGIN_INT8X32] = set_vectors_run},
};
