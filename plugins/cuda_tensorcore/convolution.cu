/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions: forward, plain and fused with bias and activation, backward to the data and to the
 * filter. Where sums are long and results few, they are split over the grid and added up by a
 * second kernel in a fixed order, in workspace.
 */
#include "../cuda_common/walk.h"
#include "arrange.h"
#include "job.h"

struct tc_state {
    tc_offer offer;
    tc_arrangement arrangement;
    conv outer; /* that of the caller's tensors */
    tc_job job; /* of the arrangement, without pointers and factors */
};

/* ------------------------------------------------------------------ code */

static __global__ void nothing_kernel(int32_t)
{
}

/* What is compiled from PTX keeps the limits of that PTX. */
int32_t tc_code_capability(int32_t device, int32_t *capability)
{
    cudaFuncAttributes attributes = {};
    int32_t status = cuda_check(device, cudaFuncGetAttributes(&attributes, nothing_kernel),
                                "asking for the code that runs on the device");

    *capability = attributes.ptxVersion;
    return status;
}

/* ------------------------------------------------------------------ engines */

static int32_t lane_type(int32_t type)
{
    return type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_INT8X32 ? ANYDNN_PLUGIN_INT8
           : type == ANYDNN_PLUGIN_UINT8X4                               ? ANYDNN_PLUGIN_UINT8
                                                                         : type;
}

static tc_wish wish_of(const struct anydnn_plugin_plan *plan, const conv &conv)
{
    conv_slots slots = conv_slots_of(plan->problem.operation);
    tc_wish wish = {};

    wish.type = lane_type(plan->problem.tensor[slots.x]->type);
    wish.other_type = lane_type(plan->problem.tensor[slots.other]->type);
    wish.capability = plan->capability;
    wish.generation = plan->generation;
    wish.multiprocessors = plan->multiprocessors;
    wish.shared_bytes = plan->shared_bytes;
    wish.by_16 = tc_reads_by_16(&conv, wish.type);
    wish.terms_of_float =
        wish.type == ANYDNN_PLUGIN_FLOAT && plan->problem.math == ANYDNN_PLUGIN_MATH_SPLIT;
    return wish;
}

static int32_t engines(const struct anydnn_plugin_plan *plan,
                       struct cuda_engine offered[CUDA_ENGINES_MAX])
{
    conv_slots slots = conv_slots_of(plan->problem.operation);
    tc_offer offers[CUDA_ENGINES_MAX];
    tc_wish wish;
    int32_t count;
    conv conv;

    conv_make(&conv, &plan->problem);
    wish = wish_of(plan, conv);
    count = tc_offers(&conv, &wish, offers, CUDA_ENGINES_MAX);
    for (int32_t i = 0; i < count; i++) {
        bool splits = wish.terms_of_float, rounds = wish.type == ANYDNN_PLUGIN_FLOAT && !splits;

        offered[i] = {};
        offered[i].number = offers[i].engine;
        offered[i].workspace = (uint64_t)offers[i].workspace;
        offered[i].math = rounds   ? ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION
                          : splits ? ANYDNN_PLUGIN_MATH_SPLIT
                                   : ANYDNN_PLUGIN_MATH_TENSOR_OP;
        offered[i].notes = rounds ? ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION : 0;
        offered[i].expected_us = offers[i].expected_us;
        if (offers[i].choice.kernel->how != TC_BY_ELEMENT) {
            offered[i].alignment = 16;
            offered[i].aligned = (offers[i].bits & TC_ARRANGE_X ? 0 : 1u << slots.x) |
                                 (offers[i].bits & TC_ARRANGE_OTHER ? 0 : 1u << slots.other);
        }
    }
    return count;
}

/* Any number of parts, also one that is not offered. */
static int32_t has_engine(const struct anydnn_plugin_plan *plan, uint64_t engine)
{
    tc_arrangement arrangement;
    tc_offer offer;
    conv conv;

    conv_make(&conv, &plan->problem);
    tc_wish wish = wish_of(plan, conv);
    return tc_offer_of(&conv, &wish, engine, &offer, &arrangement);
}

/* ------------------------------------------------------------------ plans */

/* Neighbouring threads to neighbouring elements. */
static void order_threads(tc_job *job, int32_t how)
{
    const conv &conv = job->conv;
    bool filter = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    bool channels = (conv.x.step == 1 || conv.x.shift > 0) && conv.depth > 1;

    job->channels_inside = channels || how == TC_BY_16;
    job->gathers_by_row = filter == channels;
    job->other_by_column = (filter ? conv.position.step : conv.tap_column) == 1 && conv.columns > 1;
    job->stores_by_row =
        !((filter ? conv.tap_column : conv.position.step) == 1 && conv.columns > 1);
}

/* Classes with many taps first; equal ones as they are numbered. */
static void order_classes(tc_job *job)
{
    int32_t taps[TC_CLASSES], count = 0;

    job->has_order = job->conv.classes <= TC_CLASSES;
    for (int32_t number = 0; job->has_order && number < job->conv.classes; number++) {
        conv_view view;
        int32_t at = count++;

        conv_view_make(&view, job->conv, number);
        for (; at > 0 && taps[at - 1] < view.taps; at--) {
            taps[at] = taps[at - 1];
            job->order[at] = job->order[at - 1];
        }
        taps[at] = view.taps;
        job->order[at] = (uint8_t)number;
    }
}

static void prepare(struct anydnn_plugin_plan *plan)
{
    tc_state *state = (tc_state *)plan->job;
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct anydnn_plugin_convolution *params =
        (const struct anydnn_plugin_convolution *)problem->params;
    conv_slots slots = conv_slots_of(problem->operation);
    const tc_choice &choice = state->offer.choice;
    tc_job *job = &state->job;
    tc_wish wish;

    conv_make(&state->outer, problem);
    wish = wish_of(plan, state->outer);
    (void)tc_offer_of(&state->outer, &wish, plan->engine, &state->offer, &state->arrangement);
    job->conv = state->arrangement.conv;
    job->row_tiles = choice.row_tiles;
    job->column_tiles = choice.column_tiles;
    job->splits = choice.splits;
    job->each = choice.each;
    job->rows = choice.rows;
    job->multiprocessors = plan->multiprocessors;
    job->shared_bytes = plan->shared_bytes;
    job->x_type = problem->tensor[slots.x]->type;
    job->other_type = problem->tensor[slots.other]->type;
    job->output.type = problem->tensor[slots.output]->type;
    if (slots.bias >= 0) {
        job->output.bias_type = problem->tensor[slots.bias]->type;
        job->output.bias_step = problem->tensor[slots.bias]->strides[1];
        job->output.f = {params->activation, params->nan_propagate, params->coef};
    }
    order_threads(job, choice.kernel->how);
    order_classes(job);
    if (choice.kernel->plan)
        choice.kernel->plan(job);
}

/* Puts what is arranged in the place of the operands. */
static int32_t arrange(const tc_state *state, const cuda_call *call, tc_job *job)
{
    const tc_arrangement &arrangement = state->arrangement;
    char *to = (char *)call->operands->workspace;
    int32_t status = CUDA_SUCCESS_STATUS;

    if (state->offer.parts_at >= 0)
        job->partial = to + state->offer.parts_at;
    if (arrangement.bits & TC_ARRANGE_X) {
        status = tc_copy_run(call, arrangement.x, job->x, to);
        job->x = to;
    }
    if (!status && arrangement.bits & TC_ARRANGE_OTHER) {
        to += arrangement.x_bytes;
        status = tc_copy_run(call, arrangement.other, job->other, to);
        job->other = to;
    }
    return status;
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const tc_state *state = (const tc_state *)plan->job;
    const struct anydnn_plugin_operands *operands = call->operands;
    const struct tc_kernel *kernel = state->offer.choice.kernel;
    conv_slots slots = conv_slots_of(plan->problem.operation);
    uint64_t needed = (uint64_t)state->offer.workspace;
    tc_job job = state->job;
    int32_t status;

    conv_give(&job, slots, operands);
    if (needed && (!operands->workspace || operands->workspace_bytes < needed))
        return cuda_fail(CUDA_BAD_PARAM, "the workspace has %llu bytes; this plan needs %llu",
                         (unsigned long long)operands->workspace_bytes, (unsigned long long)needed);
    status = arrange(state, call, &job);
    if (!status)
        status = kernel->launch(call, &job);
    if (status || !job.partial)
        return status;
    if (state->arrangement.by_parts)
        return tc_add_parts(call, state->arrangement, *kernel, state->outer, job);
    return kernel->add ? kernel->add(call, &job) : conv_add_splits(call, job);
}

/* ------------------------------------------------------------------ table entries */

#define TYPES         (CUDA_SHORTS | CUDA_TYPE(FLOAT))
#define FORWARD_TYPES (TYPES | CUDA_TYPE(INT8) | CUDA_TYPE(UINT8) | CUDA_VECTORS)

/* Algorithms: those that are no transforms; first cuDNN's with precomputed indices, and of the
 * backward ones its deterministic ones. */
#define ENTRY(name, number, types, layouts, algorithms, first)                                     \
    static const struct cuda_operation name = {                                                    \
        number,           types,   layouts,    sizeof(struct anydnn_plugin_convolution),           \
        sizeof(tc_state), 0,       algorithms, first,                                              \
        tc_check,         prepare, run,        engines,                                            \
        has_engine}

ENTRY(forward, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, FORWARD_TYPES, CUDA_LAYOUTS_AND_VECTORS, 0xf, 1);
ENTRY(fused, ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, FORWARD_TYPES,
      CUDA_LAYOUTS_AND_VECTORS, 0xf, 1);
ENTRY(data, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, TYPES, CUDA_LAYOUTS, 0x3, 1);
ENTRY(filter, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, TYPES, CUDA_LAYOUTS, 0xb, 1);

const struct cuda_operation *const cuda_operations[] = {&forward, &fused, &data, &filter};
const uint32_t cuda_operation_count = sizeof cuda_operations / sizeof cuda_operations[0];
