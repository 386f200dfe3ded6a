/* SPDX-License-Identifier: Apache-2.0 */
/* Implements matrix products, row by row of d. Sums are double, in the order of k. */
#include "activate.h"
#include "element.h"
#include "mixed.h"
#include "table.h"

#define SLOT(name) slot_matmul_##name

/* The slots that a problem may have. */
#define SLOTS (SLOT(aux) + 1)

struct matmul_state {
    int64_t k, n;
    int64_t rows;                            /* of all matrices of d */
    const struct cpu_ref_mixed *type[SLOTS]; /* NULL: absent */
    int32_t rounding; /* math mode whose rounding of float operands is emulated, or default */
};

struct matmul_job {
    const struct anydnn_plugin_plan *plan;
    const struct anydnn_plugin_operands *operands;
};

/* Returns the address of an operand's element. `index` holds the dims of d, the last two replaced
 * by `row` and `column`. Dims of 1 serve every index. */
static void *place_of(const struct matmul_job *job, int slot, const int64_t index[], int64_t row,
                      int64_t column)
{
    const struct anydnn_plugin_tensor *tensor = job->plan->problem.tensor[slot];
    const struct matmul_state *state = job->plan->state;
    int32_t last = tensor->ndims - 1;
    int64_t offset = 0;

    for (int32_t d = 0; d <= last; d++) {
        int64_t i = d == last ? column : d == last - 1 ? row : index[d];

        offset += tensor->dims[d] == 1 ? 0 : i * tensor->strides[d];
    }
    return (char *)job->operands->data[slot] + offset * state->type[slot]->size;
}

/* Loads n elements of row `row` from column `column` on. */
static void load(const struct matmul_job *job, int slot, const int64_t index[], int64_t row,
                 int64_t column, int64_t n, double *to)
{
    const struct anydnn_plugin_tensor *tensor = job->plan->problem.tensor[slot];
    const struct matmul_state *state = job->plan->state;
    int32_t last = tensor->ndims - 1;

    state->type[slot]->load(to, place_of(job, slot, index, row, column),
                            tensor->dims[last] == 1 ? 0 : tensor->strides[last], n);
    if (slot > SLOT(b))
        return;
    for (int64_t i = 0; state->rounding == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION && i < n; i++)
        to[i] = (double)cpu_ref_tf32((float)to[i]);
    for (int64_t i = 0; state->rounding == ANYDNN_PLUGIN_MATH_SPLIT && i < n; i++)
        to[i] = (double)cpu_ref_split((float)to[i]);
}

static void store(const struct matmul_job *job, int slot, const int64_t index[], int64_t row,
                  int64_t column, int64_t n, const double *from)
{
    const struct anydnn_plugin_tensor *tensor = job->plan->problem.tensor[slot];
    const struct matmul_state *state = job->plan->state;

    state->type[slot]->store(place_of(job, slot, index, row, column),
                             tensor->strides[tensor->ndims - 1], from, n);
}

/* Adds up the products of a row of a with n columns of b. */
static void sum_row(const struct matmul_job *job, const int64_t index[], int64_t row,
                    int64_t column, int64_t n, double *sum)
{
    const struct matmul_state *state = job->plan->state;
    double a[CPU_REF_MIXED_ROW], b[CPU_REF_MIXED_ROW];

    for (int64_t i = 0; i < n; i++)
        sum[i] = 0;
    for (int64_t k = 0; k < state->k; k++) {
        int64_t at = k % CPU_REF_MIXED_ROW;

        if (at == 0)
            load(job, SLOT(a), index, row, k, cpu_ref_min(state->k - k, CPU_REF_MIXED_ROW), a);
        load(job, SLOT(b), index, k, column, n, b);
        for (int64_t i = 0; i < n; i++)
            sum[i] += a[at] * b[i];
    }
}

/* Computes n elements of a row of d. With beta 0, c is not read. */
static void finish_row(const struct matmul_job *job, const int64_t index[], int64_t row,
                       int64_t column, int64_t n, double *v)
{
    const struct anydnn_plugin_matmul *params = job->plan->problem.params;
    const struct matmul_state *state = job->plan->state;
    double alpha = job->operands->scale[0], beta = job->operands->scale[1];
    double other[CPU_REF_MIXED_ROW];

    for (int64_t i = 0; i < n; i++)
        v[i] *= alpha;
    if (state->type[SLOT(c)] && beta != 0) {
        load(job, SLOT(c), index, row, column, n, other);
        for (int64_t i = 0; i < n; i++)
            v[i] += beta * other[i];
    }
    if (state->type[SLOT(bias)]) {
        load(job, SLOT(bias), index, row, column, n, other);
        for (int64_t i = 0; i < n; i++)
            v[i] += other[i];
    }
    if (state->type[SLOT(aux)])
        store(job, SLOT(aux), index, row, column, n, v);
    for (int64_t i = 0; i < n; i++)
        v[i] = cpu_ref_activate(params->activation, params->nan_propagate, params->coef, v[i]);
    store(job, SLOT(d), index, row, column, n, v);
}

static void matmul_rows(void *arg, int64_t begin, int64_t end)
{
    const struct matmul_job *job = arg;
    const struct anydnn_plugin_tensor *d = job->plan->problem.tensor[SLOT(d)];
    const struct matmul_state *state = job->plan->state;
    double v[CPU_REF_MIXED_ROW];

    for (int64_t item = begin; item < end; item++) {
        int64_t index[ANYDNN_PLUGIN_DIM_MAX];

        cpu_ref_unravel(item, d->dims, d->ndims - 1, index);
        for (int64_t column = 0; column < state->n; column += CPU_REF_MIXED_ROW) {
            int64_t n = cpu_ref_min(state->n - column, CPU_REF_MIXED_ROW);

            sum_row(job, index, index[d->ndims - 2], column, n, v);
            finish_row(job, index, index[d->ndims - 2], column, n, v);
        }
    }
}

static int32_t matmul_run(const struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands)
{
    const struct matmul_state *state = plan->state;
    struct matmul_job job = {plan, operands};

    cpu_ref_parallel(state->rows, kit_times(state->k, state->n), matmul_rows, &job);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Returns 0, since the host checked the types. */
static int32_t matmul_check_types(const struct anydnn_plugin_problem *problem,
                                  struct kit_refusal *why)
{
    (void)problem;
    (void)why;
    return 0;
}

static void matmul_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    struct matmul_state *state = plan->state;

    for (int slot = 0; slot < SLOTS; slot++)
        state->type[slot] = tensor[slot] ? cpu_ref_mixed(tensor[slot]->type) : NULL;
    state->k = tensor[SLOT(a)]->dims[tensor[SLOT(a)]->ndims - 1];
    state->n = tensor[SLOT(d)]->dims[tensor[SLOT(d)]->ndims - 1];
    state->rows = kit_count(tensor[SLOT(d)]->dims, tensor[SLOT(d)]->ndims - 1);
    state->rounding =
        tensor[SLOT(a)]->type == ANYDNN_PLUGIN_FLOAT ? plan->math : ANYDNN_PLUGIN_MATH_DEFAULT;
}

const struct cpu_ref_kernel cpu_ref_matmul = {
    .operation = ANYDNN_PLUGIN_MATMUL,
    .layouts = KIT_LAYOUTS,
    .main_slot = SLOT(a),
    .check_types = matmul_check_types,
    .state_size = sizeof(struct matmul_state),
    .emulates = 1,
    .prepare = matmul_prepare,
    .run = {CPU_REF_ANY_FLOAT(matmul_run)},
};
