/* SPDX-License-Identifier: Apache-2.0 */
/* Implements divisive normalization (the second half of local contrast normalization), forward and
 * backward: y_i = x_i s_i^-b with s_i = k + a * (sum of (x_j - means_i)^2 over the window around i
 * in all spatial dims). The temps are not used; sums are kept in double elsewhere. */
#include "image.h"
#include "lrn.h"
#include "table.h"
#include "walk.h"

#include <math.h>

#define FORWARD(name)  slot_divisive_normalization_forward_##name
#define BACKWARD(name) slot_divisive_normalization_backward_##name

/* The cost of a power in multiply-adds, for distribution over threads. */
#define COST 30

/* The state of a plan. Forward uses x, means and out. */
struct divisive_state {
    struct image x, means, dy, out, dmeans;
    struct lrn_coefficients lrn;
    int64_t elements;
    int64_t window; /* positions per window */
};

struct divisive_job {
    const struct divisive_state *state;
    const void *x, *means, *dy;
    void *out, *dmeans;
    double alpha, beta;
    /* The following arrays hold one number per element, in logical order. */
    double *direct; /* dy s^-b */
    double *shared; /* dy x s^(-b-1) */
    double *center; /* means */
};

/* The sums of x_j - means_i and of its square over the window of an element. */
struct window_sums {
    double sum;
    double squares;
};

/* The positions begin..end-1 of each spatial dim; n and c have one each. */
struct box {
    int64_t begin[IMAGE_DIMS];
    int64_t end[IMAGE_DIMS];
};

/* Returns the box from `before` positions before to `after` positions after an element, clipped to
 * the image. */
static struct box box_around(const struct divisive_state *state, const int64_t index[IMAGE_DIMS],
                             int64_t before, int64_t after)
{
    struct box box;

    for (int32_t d = 0; d < IMAGE_DIMS; d++) {
        box.begin[d] = d < 2 ? index[d] : cpu_ref_max(index[d] - before, 0);
        box.end[d] = d < 2 ? index[d] + 1 : cpu_ref_min(index[d] + after + 1, state->x.dims[d]);
    }
    return box;
}

/* Returns the sum of shared_i (x - center_i) over a box. */
static double box_sum(const struct divisive_job *job, const struct box *box, double x)
{
    const int64_t *dims = job->state->x.dims;
    int64_t plane = box->begin[0] * dims[1] + box->begin[1];
    double sum = 0;

    for (int64_t d = box->begin[2]; d < box->end[2]; d++) {
        for (int64_t h = box->begin[3]; h < box->end[3]; h++) {
            int64_t row = ((plane * dims[2] + d) * dims[3] + h) * dims[4];
            for (int64_t w = box->begin[4]; w < box->end[4]; w++)
                sum += job->shared[row + w] * (x - job->center[row + w]);
        }
    }
    return sum;
}

/* Returns s. */
static double divisor(const struct divisive_state *state, const struct window_sums *sums)
{
    return state->lrn.k + state->lrn.alpha * sums->squares;
}

#define CPU_REF_TEMPLATE "divisive.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ plans */

/* Returns an operand as an image. An absent operand gets x's shape, and is not read. */
static struct image image_at(const struct anydnn_plugin_problem *problem, int32_t slot)
{
    return image_of(problem->tensor[problem->tensor[slot] ? slot : FORWARD(x)]);
}

_Static_assert(
    KIT_SAME_SLOT(divisive_normalization_forward, divisive_normalization_backward, x) &&
        KIT_SAME_SLOT(divisive_normalization_forward, divisive_normalization_backward, means),
    "divisive_normalization_forward and divisive_normalization_backward share functions");

static void prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[FORWARD(x)];
    struct divisive_state *state = plan->state;

    state->lrn = lrn_coefficients(&plan->problem, x->ndims - 2, x->type);
    state->x = image_of(x);
    state->means = image_at(&plan->problem, FORWARD(means));
    state->elements = kit_count(x->dims, x->ndims);
    state->window = 1;
    for (int32_t d = 2; d < x->ndims; d++)
        state->window *= cpu_ref_min(state->lrn.n, x->dims[d]);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    struct divisive_state *state = plan->state;

    prepare(plan);
    state->out = image_at(&plan->problem, FORWARD(y));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct divisive_state *state = plan->state;

    prepare(plan);
    state->dy = image_at(&plan->problem, BACKWARD(dy));
    state->out = image_at(&plan->problem, BACKWARD(dx));
    state->dmeans = image_at(&plan->problem, BACKWARD(dmeans));
}

const struct cpu_ref_kernel cpu_ref_divisive_normalization_forward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = FORWARD(x),
    .apart = 1u << FORWARD(y),
    .uniform = 1u << FORWARD(x) | 1u << FORWARD(means) | 1u << FORWARD(temp) |
               1u << FORWARD(temp2) | 1u << FORWARD(y),
    .state_size = sizeof(struct divisive_state),
    .check = image_check,
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run)},
};

const struct cpu_ref_kernel cpu_ref_divisive_normalization_backward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = BACKWARD(dy),
    .apart = 1u << BACKWARD(dx) | 1u << BACKWARD(dmeans),
    .uniform = 1u << BACKWARD(x) | 1u << BACKWARD(means) | 1u << BACKWARD(dy) |
               1u << BACKWARD(temp) | 1u << BACKWARD(temp2) | 1u << BACKWARD(dx) |
               1u << BACKWARD(dmeans),
    .state_size = sizeof(struct divisive_state),
    .check = image_check,
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
