/* SPDX-License-Identifier: Apache-2.0 */
/* Implements transform_tensor_ex and transform_filter. FOLD pads, then moves each block of fold[0]
 * x fold[1].. positions into channels. UNFOLD moves them back, then pads. Channel c and position o
 * within the block become channel o * (channels of x) + c. o counts index tuples, the last spatial
 * dim fastest. */
#include "mixed.h"
#include "table.h"
#include "walk.h"

/* The directions of struct anydnn_plugin_transform. */
enum { FOLD, UNFOLD };

/* The cost of an element in multiply-adds, for distribution over threads. */
#define COST 40

struct transform_job {
    const struct anydnn_plugin_transform *params;
    const struct anydnn_plugin_tensor *x, *y;
    const struct cpu_ref_mixed *x_type, *y_type;
    const uint8_t *from;
    uint8_t *to;
    double alpha, beta;
};

static int64_t block_size(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    return kit_count(params->fold, ndims - 2);
}

/* ------------------------------------------------------------------ source of an element */

/* Replaces a position in a folded tensor by that in the unfolded one, which has `channels`
 * channels. */
static void unfolded_place(const struct anydnn_plugin_transform *params, int32_t ndims,
                           int64_t channels, int64_t place[])
{
    int64_t within = place[1] / channels;

    place[1] %= channels;
    for (int32_t d = ndims - 1; d >= 2; d--) {
        int64_t fold = params->fold[d - 2];
        place[d] = place[d] * fold + within % fold;
        within /= fold;
    }
}

/* Replaces a position in an unfolded tensor by that in the folded one. */
static void folded_place(const struct anydnn_plugin_transform *params, int32_t ndims,
                         int64_t channels, int64_t place[])
{
    int64_t within = 0;

    for (int32_t d = 2; d < ndims; d++) {
        int64_t fold = params->fold[d - 2];
        within = within * fold + place[d] % fold;
        place[d] /= fold;
    }
    place[1] += within * channels;
}

/* Replaces a position in a padded tensor by that in the tensor without pads, whose dims are given.
 * Returns 0 for padding, and for the remainder of a block. */
static int unpadded_place(const struct anydnn_plugin_transform *params, int32_t ndims,
                          const int64_t dims[], int64_t place[])
{
    int inside = 1;

    for (int32_t d = 0; d < ndims; d++) {
        int64_t padded = params->pad_before[d] + dims[d] + params->pad_after[d];

        inside = inside && place[d] < padded;
        place[d] -= params->pad_before[d];
        inside = inside && place[d] >= 0 && place[d] < dims[d];
    }
    return inside;
}

/* Computes the dims between the two steps of UNFOLD. */
static void unfolded_dims(const struct anydnn_plugin_transform *params,
                          const struct anydnn_plugin_tensor *x, int64_t dims[])
{
    for (int32_t d = 0; d < x->ndims; d++)
        dims[d] = d < 2 ? x->dims[d] : x->dims[d] * params->fold[d - 2];
    dims[1] /= block_size(params, x->ndims);
}

/* Replaces a position in y by that of its source in x. Returns 0 if the element is zero. */
static int source(const struct transform_job *job, int64_t place[])
{
    const struct anydnn_plugin_tensor *x = job->x;
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX] = {0};

    if (job->params->direction == FOLD) {
        unfolded_place(job->params, x->ndims, job->y->dims[1] / block_size(job->params, x->ndims),
                       place);
        return unpadded_place(job->params, x->ndims, x->dims, place);
    }
    unfolded_dims(job->params, x, dims);
    if (!unpadded_place(job->params, x->ndims, dims, place))
        return 0;
    folded_place(job->params, x->ndims, dims[1], place);
    return 1;
}

/* ------------------------------------------------------------------ running */

/* Computes elements; the items are elements of y in logical order. */
static void transform_elements(void *arg, int64_t begin, int64_t end)
{
    const struct transform_job *job = arg;
    const struct anydnn_plugin_tensor *y = job->y;
    int64_t place[ANYDNN_PLUGIN_DIM_MAX] = {0};

    for (int64_t i = begin; i < end; i++) {
        double value = 0, prior;
        int64_t left = i;
        uint8_t *to;

        for (int32_t d = y->ndims - 1; d >= 0; d--) {
            place[d] = left % y->dims[d];
            left /= y->dims[d];
        }
        to = job->to + cpu_ref_place(y, place) * job->y_type->size;
        if (source(job, place))
            job->x_type->load(&value, job->from + cpu_ref_place(job->x, place) * job->x_type->size,
                              1, 1);
        value *= job->alpha;
        if (job->beta != 0) {
            job->y_type->load(&prior, to, 1, 1);
            value += job->beta * prior;
        }
        job->y_type->store(to, 1, &value, 1);
    }
}

_Static_assert(KIT_SAME_SLOT(transform_tensor_ex, transform_filter, x) &&
                   KIT_SAME_SLOT(transform_tensor_ex, transform_filter, y),
               "transform_tensor_ex and transform_filter share functions");

static int32_t transform_run(const struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_transform_tensor_ex_x];
    const struct anydnn_plugin_tensor *y = plan->problem.tensor[slot_transform_tensor_ex_y];
    struct transform_job job = {.params = plan->problem.params,
                                .x = x,
                                .y = y,
                                .x_type = cpu_ref_mixed(x->type),
                                .y_type = cpu_ref_mixed(y->type),
                                .from = operands->data[slot_transform_tensor_ex_x],
                                .to = operands->data[slot_transform_tensor_ex_y],
                                .alpha = operands->scale[0],
                                .beta = operands->scale[1]};

    cpu_ref_parallel(kit_count(y->dims, y->ndims), COST, transform_elements, &job);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ limits */

static int32_t tensor_check_types(const struct anydnn_plugin_problem *problem,
                                  struct kit_refusal *why)
{
    return cpu_ref_check_conversion(problem, slot_transform_tensor_ex_x, slot_transform_tensor_ex_y,
                                    &cpu_ref_transform_conversions, why);
}

static int32_t filter_check_types(const struct anydnn_plugin_problem *problem,
                                  struct kit_refusal *why)
{
    return cpu_ref_check_conversion(problem, slot_transform_filter_x, slot_transform_filter_y,
                                    &cpu_ref_filter_conversions, why);
}

/* ------------------------------------------------------------------ table entries */

const struct cpu_ref_kernel cpu_ref_transform_tensor_ex = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = slot_transform_tensor_ex_x,
    .apart = 1u << slot_transform_tensor_ex_y,
    .check_types = tensor_check_types,
    .run = {CPU_REF_ANY_FLOAT(transform_run),
            CPU_REF_ANY_8BIT(transform_run), [ANYDNN_PLUGIN_INT32] = transform_run},
};

const struct cpu_ref_kernel cpu_ref_transform_filter = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_FILTER,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_transform_filter_x,
    .apart = 1u << slot_transform_filter_y,
    .check_types = filter_check_types,
    .run = {CPU_REF_ANY_FLOAT(transform_run), [ANYDNN_PLUGIN_INT8] = transform_run,
            [ANYDNN_PLUGIN_UINT8] = transform_run},
};
