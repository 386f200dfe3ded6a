/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions: forward, plain and fused with bias and activation, backward to the data and to the
 * filter. Where sums are long and results few, they are split over the grid and added up by a
 * second kernel in a fixed order, in workspace.
 */
#include "../cuda_common/walk.h"
#include "job.h"

struct tc_state {
    const struct tc_kernel *kernel;
    int64_t workspace;
    tc_job job; /* without pointers and factors */
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

static tc_wish wish_of(const struct anydnn_plugin_plan *plan, const conv &conv)
{
    tc_wish wish = {};

    wish.type = plan->problem.tensor[0]->type;
    wish.capability = plan->capability;
    wish.multiprocessors = plan->multiprocessors;
    wish.shared_bytes = plan->shared_bytes;
    wish.by_16 = tc_reads_by_16(&conv, wish.type);
    return wish;
}

static int32_t engines(const struct anydnn_plugin_plan *plan,
                       struct cuda_engine offered[CUDA_ENGINES_MAX])
{
    conv_slots slots = conv_slots_of(plan->problem.operation);
    tc_choice choices[CUDA_ENGINES_MAX];
    tc_wish wish;
    int32_t count;
    conv conv;

    conv_make(&conv, &plan->problem);
    wish = wish_of(plan, conv);
    count = tc_choose(&conv, &wish, choices, CUDA_ENGINES_MAX);
    for (int32_t i = 0; i < count; i++) {
        bool rounds = wish.type == ANYDNN_PLUGIN_FLOAT;

        offered[i] = {};
        offered[i].number = choices[i].engine;
        offered[i].workspace = (uint64_t)choices[i].workspace;
        offered[i].math =
            rounds ? ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION : ANYDNN_PLUGIN_MATH_TENSOR_OP;
        offered[i].notes = rounds ? ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION : 0;
        offered[i].expected_us = choices[i].expected_us;
        if (choices[i].kernel->how != TC_BY_ELEMENT) {
            offered[i].alignment = 16;
            offered[i].aligned = 1u << slots.x | 1u << slots.other;
        }
    }
    return count;
}

/* ------------------------------------------------------------------ plans */

/* Neighbouring threads to neighbouring elements. */
static void order_threads(tc_job *job, int32_t how)
{
    const conv &conv = job->conv;
    bool filter = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    bool channels = conv.x.step == 1 && conv.depth > 1;

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
    tc_job *job = &state->job;
    tc_choice choice = {};
    tc_wish wish;

    conv_make(&job->conv, problem);
    wish = wish_of(plan, job->conv);
    (void)tc_choice_of(&job->conv, &wish, plan->engine, &choice);
    state->kernel = choice.kernel;
    state->workspace = choice.workspace;
    job->row_tiles = choice.row_tiles;
    job->column_tiles = choice.column_tiles;
    job->splits = choice.splits;
    job->each = choice.each;
    job->rows = choice.rows;
    job->multiprocessors = plan->multiprocessors;
    job->x_type = job->other_type = job->output.type = wish.type;
    if (slots.bias >= 0) {
        job->output.bias_type = wish.type;
        job->output.bias_step = problem->tensor[slots.bias]->strides[1];
        job->output.f = {params->activation, params->nan_propagate, params->coef};
    }
    order_threads(job, choice.kernel->how);
    order_classes(job);
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const tc_state *state = (const tc_state *)plan->job;
    const struct anydnn_plugin_operands *operands = call->operands;
    conv_slots slots = conv_slots_of(plan->problem.operation);
    tc_job job = state->job;
    int32_t status;

    conv_give(&job, slots, operands);
    if (state->workspace) {
        if (!operands->workspace || operands->workspace_bytes < (uint64_t)state->workspace)
            return cuda_fail(CUDA_BAD_PARAM, "the workspace has %llu bytes; this plan needs %lld",
                             (unsigned long long)operands->workspace_bytes,
                             (long long)state->workspace);
        job.partial = operands->workspace;
    }
    status = state->kernel->launch(call, &job);
    if (status || !job.partial)
        return status;
    return state->kernel->add ? state->kernel->add(call, &job) : conv_add_splits(call, job);
}

/* ------------------------------------------------------------------ table entries */

#define TYPES (CUDA_SHORTS | CUDA_TYPE(FLOAT))

/* Algorithms: those that are no transforms; first cuDNN's with precomputed indices, and of the
 * backward ones its deterministic ones. */
#define ENTRY(name, number, algorithms, first)                                                     \
    static const struct cuda_operation name = {                                                    \
        number,           TYPES,   CUDA_LAYOUTS, sizeof(struct anydnn_plugin_convolution),         \
        sizeof(tc_state), 0,       algorithms,   first,                                            \
        tc_check,         prepare, run,          engines}

ENTRY(forward, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0xf, 1);
ENTRY(fused, ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 0xf, 1);
ENTRY(data, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 0x3, 1);
ENTRY(filter, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, 0xb, 1);

const struct cuda_operation *const cuda_operations[] = {&forward, &fused, &data, &filter};
const uint32_t cuda_operation_count = sizeof cuda_operations / sizeof cuda_operations[0];
