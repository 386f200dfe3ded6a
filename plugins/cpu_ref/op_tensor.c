/* SPDX-License-Identifier: Apache-2.0 */
/* op_tensor: c = op(alpha1*a, alpha2*b) + beta*c, with b broadcast along its dims of size 1. */
#include "walk.h"

#include <math.h>

/* Slots. */
enum { A, B, C };

/* Operators of struct anydnn_plugin_op_tensor. */
enum { ADD, MUL, MIN, MAX, SQRT, NOT, OP_END };

struct op_tensor_job {
    double alpha1, alpha2, beta;
    int32_t op;
    int32_t nan_propagate;
};

static int takes_b(int32_t op)
{
    return op != SQRT && op != NOT;
}

/* The smaller, the larger. With a NaN: NaN if that propagates, else the other. */
static inline double choose(int32_t op, int32_t nan_propagate, double a, double b)
{
    if (isnan(a))
        return nan_propagate ? a : b;
    if (isnan(b))
        return nan_propagate ? b : a;
    return (op == MIN) == (b < a) ? b : a;
}

static inline double operate(int32_t op, int32_t nan_propagate, double a, double b)
{
    switch (op) {
    case ADD:
        return a + b;
    case MUL:
        return a * b;
    case SQRT:
        return sqrt(a);
    case NOT:
        return 1 - a;
    default:
        return choose(op, nan_propagate, a, b);
    }
}

#define CPU_REF_TEMPLATE "op_tensor.inc"
#include "each_float.inc"

static int32_t op_tensor_check(const struct anydnn_plugin_problem *problem,
                               struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_op_tensor *params = problem->params;
    int32_t reason;

    if (params->op < 0 || params->op >= OP_END)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "op_tensor: op is %d; add, mul, min, max, sqrt and not are 0 to 5",
                              params->op);
    if (params->compute_type != ANYDNN_PLUGIN_FLOAT && params->compute_type != ANYDNN_PLUGIN_DOUBLE)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "op_tensor: the compute type is %s; it must be float or double",
                              cpu_ref_type_name(params->compute_type));
    reason = cpu_ref_check_dims(problem, 1u << A, C, why);
    if (!reason)
        reason = cpu_ref_check_alias(problem, C, why);
    if (!reason && takes_b(params->op)) {
        if (!problem->tensor[B])
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "op_tensor: b is absent, and only sqrt and not do without");
        reason = cpu_ref_check_broadcast(problem, B, C, why);
    }
    return reason;
}

/* Where b is not wanted, a stands in its place. */
static void op_tensor_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_op_tensor *params = plan->problem.params;
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *walked[] = {
        tensor[A], takes_b(params->op) ? tensor[B] : tensor[A], tensor[C]};

    cpu_ref_walk_init(plan->state, walked, 3, CPU_REF_WALK_ALL);
}

const struct cpu_ref_kernel cpu_ref_op_tensor = {
    .operation = ANYDNN_PLUGIN_OP_TENSOR,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = A,
    .required = 1u << A | 1u << C,
    .outputs = 1u << C,
    .uniform = 1u << A | 1u << B | 1u << C,
    .params_size = sizeof(struct anydnn_plugin_op_tensor),
    .state_size = sizeof(struct cpu_ref_walk),
    .check = op_tensor_check,
    .prepare = op_tensor_prepare,
    .run = {[ANYDNN_PLUGIN_FLOAT] = op_tensor_run_float,
            [ANYDNN_PLUGIN_DOUBLE] = op_tensor_run_double},
};
