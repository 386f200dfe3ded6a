/* SPDX-License-Identifier: Apache-2.0 */
/* Implements reduce_tensor: c = alpha * (a reduced along every dim in which c has 1) + beta * c,
 * with optional indices of minima and maxima. */
#include "mixed.h"
#include "table.h"
#include "walk.h"

#include <math.h>

/* The operators of struct anydnn_plugin_reduce. */
enum { ADD, MUL, MIN, MAX, AMAX, AVERAGE, NORM1, NORM2, MUL_NO_ZEROS };

struct reduce_state {
    struct kit_walk kept;    /* a, the indices or else c, and c, over the kept dims */
    struct kit_walk reduced; /* a over the reduced dims, in logical order */
    int32_t op;
    int32_t nan_propagate;
    int32_t indices_type; /* -1 without indices */
    kit_row_fn row;       /* row function of the operator */
    int64_t a_size;
    const struct cpu_ref_mixed *c_type;
};

struct reduce_job {
    const struct reduce_state *state;
    double alpha, beta;
};

/* The state of a reduction to one element. */
struct reduce_pass {
    const struct reduce_state *state;
    double value;
    int64_t index; /* index of the chosen element */
    int64_t at;    /* elements processed */
};

static int chooses(int32_t op)
{
    return op == MIN || op == MAX || op == AMAX;
}

static int multiplies(int32_t op)
{
    return op == MUL || op == MUL_NO_ZEROS;
}

/* Returns the term that an element adds to a sum. */
static inline double term(int32_t op, double v)
{
    return op == NORM1 ? fabs(v) : op == NORM2 ? v * v : v;
}

static inline double factor(int32_t op, double v)
{
    return op == MUL_NO_ZEROS && v == 0 ? 1 : v;
}

/* Returns 1 if v replaces the best earlier value. If NaN propagates, the first NaN replaces it and
 * stays. Otherwise, NaN never replaces it, and any number replaces NaN. */
static inline int beats(int32_t op, int32_t nan_propagate, double v, double best)
{
    if (isnan(v))
        return nan_propagate && !isnan(best);
    if (isnan(best))
        return !nan_propagate;
    return op == MIN ? v < best : v > best;
}

static double reduce_finish(const struct reduce_state *state, double value)
{
    if (state->op == AVERAGE)
        return value / (double)state->reduced.count;
    return state->op == NORM2 ? sqrt(value) : value;
}

static void store_index(int32_t type, void *place, int64_t at, int64_t index)
{
    switch (type) {
    case ANYDNN_PLUGIN_UINT8:
        ((uint8_t *)place)[at] = (uint8_t)index;
        break;
    case ANYDNN_PLUGIN_UINT16:
        ((uint16_t *)place)[at] = (uint16_t)index;
        break;
    case ANYDNN_PLUGIN_UINT32:
        ((uint32_t *)place)[at] = (uint32_t)index;
        break;
    default:
        ((uint64_t *)place)[at] = (uint64_t)index;
    }
}

#define CPU_REF_TEMPLATE "reduce.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "reduce.inc"
#include "each_int8.inc"

#define EACH_TYPE(f)                                                                               \
    {                                                                                              \
        CPU_REF_EACH_FLOAT(f), [ANYDNN_PLUGIN_INT8] = f##_int8                                     \
    }

static const kit_row_fn sum_rows[KIT_TYPES] = EACH_TYPE(sum_row);
static const kit_row_fn product_rows[KIT_TYPES] = EACH_TYPE(product_row);
static const kit_row_fn choice_rows[KIT_TYPES] = EACH_TYPE(choice_row);

/* Reduces a row of kept elements. */
static void kept_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct reduce_job *job = arg;
    const struct reduce_state *state = job->state;

    for (int64_t i = 0; i < n; i++) {
        void *const data[] = {(char *)place[0] + i * stride[0] * state->a_size};
        char *c = (char *)place[2] + i * stride[2] * state->c_type->size;
        struct reduce_pass pass = {.state = state, .value = multiplies(state->op) ? 1 : 0};
        double value, prior;

        kit_walk_run(&state->reduced, data, state->row, &pass);
        value = job->alpha * reduce_finish(state, pass.value);
        if (job->beta != 0) {
            state->c_type->load(&prior, c, 1, 1);
            value += job->beta * prior;
        }
        state->c_type->store(c, 1, &value, 1);
        if (state->indices_type >= 0)
            store_index(state->indices_type, place[1], i * stride[1], pass.index);
    }
}

static int32_t reduce_run(const struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands)
{
    const struct reduce_state *state = plan->state;
    struct reduce_job job = {state, operands->scale[0], operands->scale[1]};
    void *const data[] = {operands->data[slot_reduce_tensor_a],
                          operands->data[state->indices_type >= 0 ? slot_reduce_tensor_indices
                                                                  : slot_reduce_tensor_c],
                          operands->data[slot_reduce_tensor_c]};

    cpu_ref_walk_parallel(&state->kept, data, state->reduced.count, kept_row, &job);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ limits */

static int32_t reduce_check_types(const struct anydnn_plugin_problem *problem,
                                  struct kit_refusal *why)
{
    return cpu_ref_check_conversion(problem, slot_reduce_tensor_a, slot_reduce_tensor_c,
                                    &cpu_ref_compute_conversions, why);
}

/* Returns the dims in which c has 1 and a has more, as bits. */
static uint32_t reduced_dims(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_tensor *a = problem->tensor[slot_reduce_tensor_a];
    uint32_t reduced = 0;

    for (int32_t d = 0; d < a->ndims; d++) {
        if (a->dims[d] != problem->tensor[slot_reduce_tensor_c]->dims[d])
            reduced |= 1u << d;
    }
    return reduced;
}

static int32_t reduce_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_reduce *params = problem->params;
    int32_t type = params->compute_type;

    if (type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_DOUBLE || type == ANYDNN_PLUGIN_HALF)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                      "reduce_tensor: the compute type is %s; it must be half, float or double",
                      kit_type_name(type));
}

/* ------------------------------------------------------------------ table entry */

static void reduce_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_reduce *params = plan->problem.params;
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    int32_t indices =
        tensor[slot_reduce_tensor_indices] ? slot_reduce_tensor_indices : slot_reduce_tensor_c;
    const struct anydnn_plugin_tensor *const walked[] = {
        tensor[slot_reduce_tensor_a], tensor[indices], tensor[slot_reduce_tensor_c]};
    uint32_t reduced = reduced_dims(&plan->problem);
    struct reduce_state *state = plan->state;

    cpu_ref_walk_init(&state->kept, walked, 3, ~reduced);
    cpu_ref_walk_init_logical(&state->reduced, walked, 1, reduced);
    state->op = params->op;
    state->nan_propagate = params->nan_propagate;
    state->indices_type =
        tensor[slot_reduce_tensor_indices] ? tensor[slot_reduce_tensor_indices]->type : -1;
    state->row = (chooses(params->op)      ? choice_rows
                  : multiplies(params->op) ? product_rows
                                           : sum_rows)[tensor[slot_reduce_tensor_a]->type];
    state->a_size = cpu_ref_mixed(tensor[slot_reduce_tensor_a]->type)->size;
    state->c_type = cpu_ref_mixed(tensor[slot_reduce_tensor_c]->type);
}

const struct cpu_ref_kernel cpu_ref_reduce_tensor = {
    .operation = ANYDNN_PLUGIN_REDUCE_TENSOR,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_reduce_tensor_a,
    .apart = 1u << slot_reduce_tensor_c,
    .state_size = sizeof(struct reduce_state),
    .check_types = reduce_check_types,
    .check = reduce_check,
    .prepare = reduce_prepare,
    .run = {CPU_REF_ANY_FLOAT(reduce_run), [ANYDNN_PLUGIN_INT8] = reduce_run},
};
