/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of convolution, and the choice of an engine: fprop, plain and fused with bias and
 * activation, dgrad and wgrad. Where sums are long and results few, they are split over the grid
 * and added up by a second kernel in a fixed order, in workspace; a second engine, which is always
 * there, takes none.
 */
#include "../../cuda_common/divide.h"
#include "../../cuda_common/index.h"
#include "../table.h"
#include "depthwise.h"
#include "joined_dgrad.h"
#include "kernels.h"
#include "pipelined.h"

/* Numbers of the engines. DEPTHWISE_PAIRS has two channels a thread, which lie in one access, and
 * DEPTHWISE_TALL_PAIRS tiles of more rows besides, DEPTHWISE_HALO those of shared memory. JOINED is
 * dgrad to few channels. From PIPELINED on, each tile's, with one split and with several. */
enum {
    WHOLE = 1,
    SPLIT = 2,
    DEPTHWISE_PAIRS = 3,
    DEPTHWISE = 4,
    DEPTHWISE_TALL_PAIRS = 5,
    JOINED = 6,
    DEPTHWISE_HALO = 7,
    PIPELINED = 16
};

struct convolution_state {
    conv_choice choice;
    int32_t how; /* CONV_xxx, without tiles */
    int32_t (*tile)(const cuda_call *call, int32_t tile, const conv_job &job);
    conv_job job; /* without pointers and factors */
    depthwise_state depthwise, single;
    pipelined_state pipelined;
    joined_state joined;
};

static int is_float(int32_t type)
{
    return type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_HALF ||
           type == ANYDNN_PLUGIN_BFLOAT16;
}

static anydnn_plugin_candidate engine_of(uint64_t number, int64_t workspace)
{
    anydnn_plugin_candidate engine = {};

    engine.engine = number;
    engine.workspace = (uint64_t)workspace;
    return engine;
}

/* The geometry of a problem, which candidates and plans both need. */
static void analyse(struct anydnn_plugin_plan *plan)
{
    conv_make(&((convolution_state *)plan->job)->job.conv, &plan->problem);
}

static void choose(const struct anydnn_plugin_plan *plan, const conv &conv, int splits,
                   conv_choice *choice)
{
    int32_t type = plan->problem.tensor[conv_slots_of(plan->problem.operation).a]->type;
    bool in_float = is_float(type) && !cuda_has_oracle(plan);
    conv_target target = {};

    target.tiles = in_float;
    target.splits = splits;
    target.sum_bytes = in_float ? (int32_t)sizeof(float) : (int32_t)sizeof(double);
    target.multiprocessors = plan->context->multiprocessors;
    conv_choose(&conv, &target, choice);
}

static void prepare_depthwise(depthwise_state *state, const struct anydnn_plugin_plan *plan,
                              const conv &conv, uint64_t engine)
{
    depthwise_prepare(state, plan, conv, engine == DEPTHWISE ? 1 : 2,
                      engine == DEPTHWISE_HALO         ? DEPTHWISE_BY_HALO
                      : engine == DEPTHWISE_TALL_PAIRS ? DEPTHWISE_BY_TALL
                                                       : DEPTHWISE_BY_RING);
}

/* Tall tiles come first where their blocks fill the device: the last wave of few takes as long as a
 * full one. */
static int32_t offer_depthwise(const struct anydnn_plugin_plan *plan, const conv &conv,
                               anydnn_plugin_candidate offered[CUDA_ENGINES_MAX])
{
    static const uint64_t numbers[] = {DEPTHWISE_HALO, DEPTHWISE_TALL_PAIRS, DEPTHWISE_PAIRS,
                                       DEPTHWISE};
    conv_slots slots = conv_slots_of(plan->problem.operation);
    int32_t count = 0, is_full = 0;

    for (uint64_t number : numbers) {
        anydnn_plugin_candidate engine;
        depthwise_state state;

        prepare_depthwise(&state, plan, conv, number);
        if (!state.is_possible)
            continue;
        engine = engine_of(number, state.workspace);
        if (state.lanes == 2)
            cuda_align(
                &engine, 1u << slots.a | 1u << (conv_is_wgrad(&conv) ? slots.b : slots.output),
                state.form == DEPTHWISE_BY_HALO ? 16 : (uint32_t)(2 * cuda_type_size(state.type)));
        offered[count++] = engine;
        if (number == DEPTHWISE_PAIRS && count > 1 &&
            offered[count - 2].engine == DEPTHWISE_TALL_PAIRS && !is_full) {
            offered[count - 1] = offered[count - 2];
            offered[count - 2] = engine;
        }
        is_full = state.is_full;
    }
    return count;
}

/* Of the pipeline's tiles, those are not worth a try that are expected to take so many times the
 * best one's time. */
static const double hopeless = 3;
/* Fewer n fill too little of its tiles. */
#define PIPELINED_N_MIN 33

/* The tiles of the pipeline, by the time expected; whether the first one fills the device. */
static int32_t offer_pipelined(const struct anydnn_plugin_plan *plan, const conv_job &job,
                               anydnn_plugin_candidate *offered, int32_t *is_full)
{
    double cycles[2 * PIPELINED_TILES];
    int32_t count = 0;

    *is_full = 0;
    if (plan->problem.tensor[0]->type != ANYDNN_PLUGIN_FLOAT || cuda_has_oracle(plan))
        return 0;
    for (int32_t number = 0; number < 2 * PIPELINED_TILES; number++) {
        pipelined_state state;
        int32_t at;

        pipelined_prepare(&state, job, number / 2, plan->context->multiprocessors, number % 2);
        if (!state.is_possible || (number % 2 && !state.workspace))
            continue;
        for (at = count++; at > 0 && cycles[at - 1] > state.cycles; at--) {
            cycles[at] = cycles[at - 1];
            offered[at] = offered[at - 1];
        }
        if (at == 0)
            *is_full = state.is_full;
        cycles[at] = state.cycles;
        offered[at] = engine_of((uint64_t)(PIPELINED + number), state.workspace);
    }
    while (count && cycles[count - 1] > hopeless * cycles[0])
        count--;
    return count;
}

/* Whether dgrad to few channels can join its classes, and fills the device so. */
static bool offer_joined(const struct anydnn_plugin_plan *plan, const conv_job &job,
                         anydnn_plugin_candidate *offered, bool *is_full)
{
    joined_state state = {};

    if (plan->problem.tensor[0]->type == ANYDNN_PLUGIN_FLOAT && !cuda_has_oracle(plan))
        joined_prepare(&state, job.conv, plan->context->multiprocessors);
    *offered = engine_of(JOINED, 0);
    *is_full = state.is_full;
    return state.is_possible;
}

static int32_t engines(const struct anydnn_plugin_plan *plan,
                       anydnn_plugin_candidate offered[CUDA_ENGINES_MAX])
{
    const conv_job &job = ((const convolution_state *)plan->job)->job;
    anydnn_plugin_candidate pipelined[2 * PIPELINED_TILES];
    int32_t count = offer_depthwise(plan, job.conv, offered), is_full;
    int32_t more = offer_pipelined(plan, job, pipelined, &is_full);
    bool pipelined_first, joined_first;
    anydnn_plugin_candidate joined;
    bool is_joined = offer_joined(plan, job, &joined, &joined_first);
    conv_choice choice;

    choose(plan, job.conv, 1, &choice);
    pipelined_first = is_full && choice.kernel == CONV_BY_TILES && job.conv.n >= PIPELINED_N_MIN;
    if (is_joined && joined_first)
        offered[count++] = joined;
    for (int32_t i = 0; pipelined_first && i < more; i++)
        offered[count++] = pipelined[i];
    if (choice.splits > 1)
        offered[count++] = engine_of(SPLIT, choice.workspace);
    offered[count++] = engine_of(WHOLE, 0);
    for (int32_t i = 0; !pipelined_first && i < more; i++)
        offered[count++] = pipelined[i];
    if (is_joined && !joined_first)
        offered[count++] = joined;
    return count;
}

/* ------------------------------------------------------------------ plans */

/* Neighbouring threads to neighbouring elements. */
static void order_threads(conv_job *job, const conv_choice &choice)
{
    const conv &conv = job->conv;
    bool filter = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    bool channels = conv.a.step == 1 && conv.depth > 1;
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
    job->b_type = problem->tensor[slots.b]->type;
    job->output.type = problem->tensor[slots.output]->type;
    job->partial_double = !is_float(job->a_type) || cuda_has_oracle(plan);
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

    choose(plan, job->conv, plan->engine == SPLIT, &state->choice);
    fill_job(job, plan, state->choice);
    if (plan->engine >= PIPELINED) {
        int32_t number = (int32_t)(plan->engine - PIPELINED);

        pipelined_prepare(&state->pipelined, *job, number / 2, plan->context->multiprocessors,
                          number % 2);
        state->choice.workspace = state->pipelined.workspace;
    } else if (plan->engine == JOINED) {
        joined_prepare(&state->joined, job->conv, plan->context->multiprocessors);
        state->choice.workspace = 0;
    } else if (plan->engine >= DEPTHWISE_PAIRS) {
        prepare_depthwise(&state->depthwise, plan, job->conv, plan->engine);
        prepare_depthwise(&state->single, plan, job->conv, DEPTHWISE);
        state->choice.workspace = state->depthwise.workspace;
    }
    state->how = !is_float(job->a_type) && job->a_type != ANYDNN_PLUGIN_DOUBLE ? CONV_INTEGER
                 : cuda_has_oracle(plan)                                       ? CONV_ANY
                                                                               : CONV_TYPED;
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
        return conv_wgrad(call, state->how, job);
    return conv_direct(call, state->how, job);
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

#define FORWARD_TYPES (CUDA_FLOATS | CUDA_TYPE(INT8) | CUDA_TYPE(UINT8) | CUDA_VECTORS)

/* Algorithms: those that are no transforms; of the backward ones cuDNN's deterministic one first.
 */
#define ENTRY(name, number, of_types, of_layouts, under, offered_first)                            \
    CUDA_OPERATION(name, number, .types = of_types, .layouts = of_layouts,                         \
                   .job_size = sizeof(convolution_state), .algorithms = under,                     \
                   .first = offered_first, .analyse = analyse, .prepare = prepare, .run = run,     \
                   .engines = engines)

ENTRY(convolution_forward, CONVOLUTION_FORWARD, FORWARD_TYPES, CUDA_LAYOUTS_AND_VECTORS, 0xf, 0);
ENTRY(convolution_bias_activation_forward, CONVOLUTION_BIAS_ACTIVATION_FORWARD, FORWARD_TYPES,
      CUDA_LAYOUTS_AND_VECTORS, 0xf, 0);
ENTRY(convolution_backward_data, CONVOLUTION_BACKWARD_DATA, CUDA_FLOATS, KIT_LAYOUTS, 0x3, 1);
ENTRY(convolution_backward_filter, CONVOLUTION_BACKWARD_FILTER, CUDA_FLOATS, KIT_LAYOUTS, 0xb, 1);
