/* SPDX-License-Identifier: Apache-2.0 */
/* transform_tensor, add_tensor, scale_tensor and set_tensor: y = alpha*x + beta*y and its special
 * cases. */
#include "walk.h"

#include <string.h>

struct tensor_ops_job {
    double alpha, beta;
    const void *value;
};

#define CPU_REF_TEMPLATE "tensor_ops.inc"
#include "each_float.inc"

/* Slots of transform_tensor and add_tensor. */
enum { X, Y };

static int32_t transform_check(const struct anydnn_plugin_problem *problem,
                               struct cpu_ref_refusal *why)
{
    int32_t reason = cpu_ref_check_dims(problem, 1u << X, Y, why);
    return reason ? reason : cpu_ref_check_alias(problem, Y, why);
}

static int32_t add_check(const struct anydnn_plugin_problem *problem, struct cpu_ref_refusal *why)
{
    int32_t reason = cpu_ref_check_broadcast(problem, X, Y, why);
    return reason ? reason : cpu_ref_check_alias(problem, Y, why);
}

static int32_t no_check(const struct anydnn_plugin_problem *problem, struct cpu_ref_refusal *why)
{
    (void)problem;
    (void)why;
    return 0;
}

static void blend_prepare(struct anydnn_plugin_plan *plan)
{
    cpu_ref_walk_init(plan->state, plan->problem.tensor, 2, CPU_REF_WALK_ALL);
}

static void alone_prepare(struct anydnn_plugin_plan *plan)
{
    cpu_ref_walk_init(plan->state, plan->problem.tensor, 1, CPU_REF_WALK_ALL);
}

const struct cpu_ref_kernel cpu_ref_transform_tensor = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = X,
    .required = 1u << X | 1u << Y,
    .outputs = 1u << Y,
    .uniform = 1u << X | 1u << Y,
    .state_size = sizeof(struct cpu_ref_walk),
    .check = transform_check,
    .prepare = blend_prepare,
    .run = {[ANYDNN_PLUGIN_FLOAT] = blend_run_float, [ANYDNN_PLUGIN_DOUBLE] = blend_run_double},
};

const struct cpu_ref_kernel cpu_ref_add_tensor = {
    .operation = ANYDNN_PLUGIN_ADD_TENSOR,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = X,
    .required = 1u << X | 1u << Y,
    .outputs = 1u << Y,
    .uniform = 1u << X | 1u << Y,
    .state_size = sizeof(struct cpu_ref_walk),
    .check = add_check,
    .prepare = blend_prepare,
    .run = {[ANYDNN_PLUGIN_FLOAT] = blend_run_float, [ANYDNN_PLUGIN_DOUBLE] = blend_run_double},
};

const struct cpu_ref_kernel cpu_ref_scale_tensor = {
    .operation = ANYDNN_PLUGIN_SCALE_TENSOR,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = 0,
    .required = 1u,
    .outputs = 1u,
    .uniform = 1u,
    .state_size = sizeof(struct cpu_ref_walk),
    .check = no_check,
    .prepare = alone_prepare,
    .run = {[ANYDNN_PLUGIN_FLOAT] = scale_run_float, [ANYDNN_PLUGIN_DOUBLE] = scale_run_double},
};

const struct cpu_ref_kernel cpu_ref_set_tensor = {
    .operation = ANYDNN_PLUGIN_SET_TENSOR,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = 0,
    .required = 1u,
    .outputs = 1u,
    .uniform = 1u,
    .state_size = sizeof(struct cpu_ref_walk),
    .check = no_check,
    .prepare = alone_prepare,
    .run = {[ANYDNN_PLUGIN_FLOAT] = set_run_float, [ANYDNN_PLUGIN_DOUBLE] = set_run_double},
};
