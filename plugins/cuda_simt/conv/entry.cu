/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines the operations of convolution, their plans and calls: fprop, plain and fused with bias
 * and activation, dgrad and wgrad. Where sums are long and results few, the sums are split over the
 * grid, with partial sums in workspace. A second kernel adds these in a fixed order. A second
 * engine, which is always available, needs no workspace.
 */
#include "entry.h"

/* Computes the geometry of a problem, which candidates and plans both need. */
static void analyse(struct anydnn_plugin_plan *plan)
{
    conv_make(&((convolution_state *)plan->job)->job.conv, &plan->problem);
}

/* Checks types and sizes. Kernels accumulate in float, and count positions, taps and results in 32
 * bits. */
static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const conv &conv = ((const convolution_state *)plan->job)->job.conv;
    int32_t slot = conv_slots_of(plan->problem.operation).a;
    int32_t type = plan->problem.tensor[slot]->type;
    conv_choice choice;

    if (!(plan->operation->types & ANYDNN_PLUGIN_TYPE_BIT(type)))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "%s: %s is %s; cuda_simt supports convolutions of float, half and "
                          "bfloat16, computed in float",
                          kit_operation_name(plan->problem.operation),
                          kit_slot_name(plan->problem.operation, slot), kit_type_name(type));
    if (!conv.narrow)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "%s: cuda_simt supports up to 3 spatial dims and sizes of up to 32 bits",
                          kit_operation_name(plan->problem.operation));
    if (conv_counts_directly(&conv))
        return 0;
    conv_choose_for(plan, conv, 0, &choice);
    if (choice.kernel == CONV_DIRECTLY)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "%s: cuda_simt supports fewer than 2^31 results outside tiles",
                          kit_operation_name(plan->problem.operation));
    return 0;
}

/* ------------------------------------------------------------------ plans */

/* Assigns adjacent elements to adjacent threads. */
static void order_threads(conv_job *job, const conv_choice &choice)
{
    const conv &conv = job->conv;
    bool filter = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    bool channels = conv.a.step == 1 && conv.channels > 1;
    bool tiles = choice.kernel == CONV_BY_TILES;
    int64_t side_by_side = tiles ? conv.n : conv.groups * conv.n;

    job->channels_inside = tiles && channels;
    job->a_is_m_major = filter == channels;
    job->b_is_n_major = (filter ? conv.position.step : conv.tap_n) == 1 && conv.n > 1;
    job->c_is_m_major = !((filter ? conv.tap_n : conv.position.step) == 1 && side_by_side > 1);
}

static void fill_job(conv_job *job, const struct anydnn_plugin_plan *plan,
                     const conv_choice &choice)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct anydnn_plugin_convolution *params =
        (const struct anydnn_plugin_convolution *)problem->params;
    conv_slots slots = conv_slots_of(problem->operation);

    job->m_tiles = choice.m_tiles;
    job->n_tiles = choice.n_tiles;
    job->splits = choice.splits;
    job->k_per_split = choice.k_per_split;
    job->m = choice.m;
    job->lanes = choice.lanes;
    job->a_type = problem->tensor[slots.a]->type;
    job->output.type = problem->tensor[slots.output]->type;
    if (slots.bias >= 0) {
        job->output.bias_type = problem->tensor[slots.bias]->type;
        job->output.bias_step = problem->tensor[slots.bias]->strides[1];
        job->output.f = {params->activation, params->nan_propagate, params->coef};
    }
    order_threads(job, choice);
}

static void prepare(struct anydnn_plugin_plan *plan)
{
    convolution_state *state = (convolution_state *)plan->job;
    conv_job *job = &state->job;

    conv_choose_for(plan, job->conv, plan->engine == CONV_SPLIT, &state->choice);
    fill_job(job, plan, state->choice);
    if (plan->engine >= CONV_PIPELINED) {
        int32_t number = (int32_t)(plan->engine - CONV_PIPELINED);

        pipelined_prepare(&state->pipelined, *job, number / 2, plan->context->multiprocessors,
                          number % 2);
        state->choice.workspace = state->pipelined.workspace;
    } else if (plan->engine == CONV_JOINED) {
        joined_prepare(&state->joined, job->conv, plan->context->multiprocessors);
        state->choice.workspace = 0;
    } else if (plan->engine >= CONV_DEPTHWISE_PAIRS) {
        conv_prepare_depthwise(&state->depthwise, plan, job->conv, plan->engine);
        conv_prepare_depthwise(&state->single, plan, job->conv, CONV_DEPTHWISE);
        state->choice.workspace = state->depthwise.workspace;
    }
    state->tile = job->a_type == ANYDNN_PLUGIN_FLOAT  ? conv_tile_float
                  : job->a_type == ANYDNN_PLUGIN_HALF ? conv_tile_half
                                                      : conv_tile_bfloat16;
}

/* ------------------------------------------------------------------ calls */

static int32_t launch(const convolution_state *state, const cuda_call *call, const conv_job &job)
{
    if (state->choice.kernel == CONV_BY_TILES)
        return state->tile(call, state->choice.tile, job);
    if (job.conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER)
        return conv_wgrad(call, job);
    return conv_direct(call, job);
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const convolution_state *state = (const convolution_state *)plan->job;
    const struct anydnn_plugin_operands *operands = call->operands;
    conv_slots slots = conv_slots_of(plan->problem.operation);
    conv_job job = state->job;
    int32_t status;

    conv_set_operands(&job, slots, operands);
    if (state->choice.workspace) {
        if (!operands->workspace || operands->workspace_bytes < (uint64_t)state->choice.workspace)
            return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                            "the workspace has %llu bytes; this plan needs %lld",
                            (unsigned long long)operands->workspace_bytes,
                            (long long)state->choice.workspace);
        job.partial = operands->workspace;
    }
    if (state->depthwise.is_possible)
        return depthwise_run(&state->depthwise, &state->single, call, job);
    if (state->pipelined.is_possible)
        return pipelined_run(&state->pipelined, call, job);
    if (state->joined.is_possible)
        return joined_run(&state->joined, call, job);
    status = launch(state, call, job);
    return status || !job.partial ? status : conv_reduce_splits(call, job);
}

/* ------------------------------------------------------------------ table entries */

/* The types that are computed in float. Other types have no fast kernel here. */
#define TYPES (CUDA_TYPE(FLOAT) | CUDA_SHORTS)

/* The algorithms of each entry are those that are not transforms. Backward operations offer cuDNN's
 * deterministic algorithm first. */
#define ENTRY(name, number, under, offered_first)                                                  \
    CUDA_OPERATION(name, number, .types = TYPES, .layouts = KIT_LAYOUTS,                           \
                   .job_size = sizeof(convolution_state), .algorithms = under,                     \
                   .first = offered_first, .analyse = analyse, .check = check, .prepare = prepare, \
                   .run = run, .engines = conv_engines)

ENTRY(convolution_forward, CONVOLUTION_FORWARD, 0xf, 0);
ENTRY(convolution_bias_activation_forward, CONVOLUTION_BIAS_ACTIVATION_FORWARD, 0xf, 0);
ENTRY(convolution_backward_data, CONVOLUTION_BACKWARD_DATA, 0x3, 1);
ENTRY(convolution_backward_filter, CONVOLUTION_BACKWARD_FILTER, 0xb, 1);
