/* SPDX-License-Identifier: Apache-2.0 */
/* Implements op_tensor: c = op(alpha1*a, alpha2*b) + beta*c, with b broadcast along its dims of
 * size 1. */
#include "mixed.h"
#include "table.h"
#include "walk.h"

#include <math.h>

/* The operators of struct anydnn_plugin_op_tensor. */
enum { ADD, MUL, MIN, MAX, SQRT, NOT };

/* The cost of an element in multiply-adds if operands are converted, for distribution over threads.
 * Operands of one floating-point type are not converted. */
#define CONVERSION_COST 8

struct op_tensor_job {
    double alpha1, alpha2, beta;
    int32_t op;
    int32_t nan_propagate;
    const struct cpu_ref_mixed *ab, *c; /* types of a and b, and of c */
};

static int takes_b(int32_t op)
{
    return op != SQRT && op != NOT;
}

/* Returns the smaller or the larger number. If one is NaN, returns NaN if it propagates, else the
 * other number. */
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

/* Processes a row of any types by converting it to double and back. */
static void mixed_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct op_tensor_job *job = arg;
    const char *from_a = place[slot_op_tensor_a], *from_b = place[slot_op_tensor_b];
    char *to = place[slot_op_tensor_c];
    double a[CPU_REF_MIXED_ROW], b[CPU_REF_MIXED_ROW], c[CPU_REF_MIXED_ROW];

    for (int64_t begin = 0; begin < n; begin += CPU_REF_MIXED_ROW) {
        int64_t m = cpu_ref_min(n - begin, CPU_REF_MIXED_ROW);
        char *to_c = to + begin * stride[slot_op_tensor_c] * job->c->size;

        job->ab->load(a, from_a + begin * stride[slot_op_tensor_a] * job->ab->size,
                      stride[slot_op_tensor_a], m);
        job->ab->load(b, from_b + begin * stride[slot_op_tensor_b] * job->ab->size,
                      stride[slot_op_tensor_b], m);
        if (job->beta != 0)
            job->c->load(c, to_c, stride[slot_op_tensor_c], m);
        for (int64_t i = 0; i < m; i++) {
            double result =
                operate(job->op, job->nan_propagate, job->alpha1 * a[i], job->alpha2 * b[i]);
            c[i] = job->beta == 0 ? result : result + job->beta * c[i];
        }
        job->c->store(to_c, stride[slot_op_tensor_c], c, m);
    }
}

static const kit_row_fn float_row[KIT_TYPES] = {CPU_REF_EACH_FLOAT(op_tensor_row)};

static int32_t op_tensor_run(const struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands)
{
    const struct anydnn_plugin_op_tensor *params = plan->problem.params;
    int32_t a = plan->problem.tensor[slot_op_tensor_a]->type,
            c = plan->problem.tensor[slot_op_tensor_c]->type;
    int with_b = takes_b(params->op);
    struct op_tensor_job job = {.alpha1 = operands->scale[0],
                                .alpha2 = operands->scale[1],
                                .beta = operands->scale[2],
                                .op = params->op,
                                .nan_propagate = params->nan_propagate,
                                .ab = cpu_ref_mixed(a),
                                .c = cpu_ref_mixed(c)};
    void *const data[] = {operands->data[slot_op_tensor_a],
                          operands->data[with_b ? slot_op_tensor_b : slot_op_tensor_a],
                          operands->data[slot_op_tensor_c]};

    if (a == c && float_row[a])
        cpu_ref_walk_parallel(plan->state, data, 3, float_row[a], &job);
    else
        cpu_ref_walk_parallel(plan->state, data, CONVERSION_COST, mixed_row, &job);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ limits */

static int32_t op_tensor_check_types(const struct anydnn_plugin_problem *problem,
                                     struct kit_refusal *why)
{
    int32_t reason = cpu_ref_check_uniform(problem, slot_op_tensor_a, 1u << slot_op_tensor_b, why);
    return reason ? reason
                  : cpu_ref_check_conversion(problem, slot_op_tensor_a, slot_op_tensor_c,
                                             &cpu_ref_compute_conversions, why);
}

static int32_t op_tensor_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_op_tensor *params = problem->params;

    if (params->compute_type == ANYDNN_PLUGIN_FLOAT || params->compute_type == ANYDNN_PLUGIN_DOUBLE)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                      "op_tensor: the compute type is %s; it must be float or double",
                      kit_type_name(params->compute_type));
}

/* Prepares the iteration. a replaces b for operators without b. */
static void op_tensor_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_op_tensor *params = plan->problem.params;
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *walked[] = {tensor[slot_op_tensor_a],
                                                   takes_b(params->op) ? tensor[slot_op_tensor_b]
                                                                       : tensor[slot_op_tensor_a],
                                                   tensor[slot_op_tensor_c]};

    cpu_ref_walk_init(plan->state, walked, 3, KIT_WALK_ALL);
}

const struct cpu_ref_kernel cpu_ref_op_tensor = {
    .operation = ANYDNN_PLUGIN_OP_TENSOR,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_op_tensor_a,
    .state_size = sizeof(struct kit_walk),
    .check_types = op_tensor_check_types,
    .check = op_tensor_check,
    .prepare = op_tensor_prepare,
    .run = {CPU_REF_ANY_FLOAT(op_tensor_run), [ANYDNN_PLUGIN_INT8] = op_tensor_run},
};
