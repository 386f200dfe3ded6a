/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the engines that can run a convolution, best first. */
#include "entry.h"

static anydnn_plugin_candidate engine_of(uint64_t number, int64_t workspace)
{
    anydnn_plugin_candidate engine = {};

    engine.engine = number;
    engine.workspace = (uint64_t)workspace;
    return engine;
}

void conv_choose_for(const struct anydnn_plugin_plan *plan, const conv &conv, int splits,
                     conv_choice *choice)
{
    conv_target target = {};

    target.splits = splits;
    target.multiprocessors = plan->context->multiprocessors;
    conv_choose(&conv, &target, choice);
}

void conv_prepare_depthwise(depthwise_state *state, const struct anydnn_plugin_plan *plan,
                            const conv &conv, uint64_t engine)
{
    bool is_large =
        engine >= CONV_DEPTHWISE_LARGE && engine < CONV_DEPTHWISE_LARGE + DEPTHWISE_LARGE_SHAPES;

    depthwise_prepare(state, plan, conv, engine == CONV_DEPTHWISE ? 1 : 2,
                      engine == CONV_DEPTHWISE_HALO         ? DEPTHWISE_BY_HALO
                      : is_large                            ? DEPTHWISE_BY_LARGE
                      : engine == CONV_DEPTHWISE_TALL_PAIRS ? DEPTHWISE_BY_TALL
                                                            : DEPTHWISE_BY_RING,
                      is_large ? (int32_t)(engine - CONV_DEPTHWISE_LARGE) : 0);
}

/* Offers the depthwise engines. Tall tiles precede the plain pairs only if their blocks fill the
 * device. A last wave of few blocks takes as long as a full one. */
static int32_t offer_depthwise(const struct anydnn_plugin_plan *plan, const conv &conv,
                               anydnn_plugin_candidate offered[CUDA_ENGINES_MAX])
{
    static const uint64_t numbers[] = {CONV_DEPTHWISE_HALO,      CONV_DEPTHWISE_LARGE,
                                       CONV_DEPTHWISE_LARGE + 1, CONV_DEPTHWISE_LARGE + 2,
                                       CONV_DEPTHWISE_LARGE + 3, CONV_DEPTHWISE_TALL_PAIRS,
                                       CONV_DEPTHWISE_PAIRS,     CONV_DEPTHWISE};
    conv_slots slots = conv_slots_of(plan->problem.operation);
    int32_t count = 0, is_full = 0;

    for (uint64_t number : numbers) {
        anydnn_plugin_candidate engine;
        depthwise_state state;

        conv_prepare_depthwise(&state, plan, conv, number);
        if (!state.is_possible)
            continue;
        engine = engine_of(number, state.workspace);
        if (state.lanes == 2)
            cuda_align(
                &engine, 1u << slots.a | 1u << (conv_is_wgrad(&conv) ? slots.b : slots.output),
                state.form >= DEPTHWISE_BY_HALO ? 16 : (uint32_t)(2 * cuda_type_size(state.type)));
        if (state.form == DEPTHWISE_BY_LARGE)
            engine.alignment[slots.b] = 16;
        offered[count++] = engine;
        if (number == CONV_DEPTHWISE_PAIRS && count > 1 &&
            offered[count - 2].engine == CONV_DEPTHWISE_TALL_PAIRS && !is_full) {
            offered[count - 1] = offered[count - 2];
            offered[count - 2] = engine;
        }
        is_full = state.is_full;
    }
    return count;
}

/* A limit for the tiles of the pipeline, as a multiple of the best tile's expected time. Slower
 * tiles are not offered. */
static const double hopeless = 3;
/* Least n with which the pipeline comes first. Fewer n fill too little of its tiles. */
#define PIPELINED_N_MIN 33

/* Offers the tiles of the pipeline, in order of expected time. Sets `is_full` to 1 if the first
 * tile fills the device. */
static int32_t offer_pipelined(const struct anydnn_plugin_plan *plan, const conv_job &job,
                               anydnn_plugin_candidate *offered, int32_t *is_full)
{
    double cycles[2 * PIPELINED_TILES];
    int32_t count = 0;

    *is_full = 0;
    if (plan->problem.tensor[0]->type != ANYDNN_PLUGIN_FLOAT)
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
        offered[at] = engine_of((uint64_t)(CONV_PIPELINED + number), state.workspace);
    }
    /* The cycles depend on the batch, but batch-invariant engines must not. */
    while (!(plan->problem.guarantees & ANYDNN_PLUGIN_GUARANTEE_BATCH_INVARIANT) && count &&
           cycles[count - 1] > hopeless * cycles[0])
        count--;
    return count;
}

/* Returns true if dgrad to few channels can join its classes. Sets `is_full` to true if it then
 * fills the device. */
static bool offer_joined(const struct anydnn_plugin_plan *plan, const conv_job &job,
                         anydnn_plugin_candidate *offered, bool *is_full)
{
    joined_state state = {};

    if (plan->problem.tensor[0]->type == ANYDNN_PLUGIN_FLOAT)
        joined_prepare(&state, job.conv, plan->context->multiprocessors);
    *offered = engine_of(CONV_JOINED, 0);
    *is_full = state.is_full;
    return state.is_possible;
}

/* Notes batch invariance. A kernel of fprop and dgrad adds the products of a result in one order,
 * whatever its tile is. CONV_WHOLE is one of two kernels with different orders, and the number of
 * splits depends on the batch. */
static void note_batch_invariance(const conv &conv, anydnn_plugin_candidate *offered, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (!conv_is_wgrad(&conv) && offered[i].workspace == 0 && offered[i].engine != CONV_WHOLE)
            offered[i].notes |= ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT;
    }
}

int32_t conv_engines(const struct anydnn_plugin_plan *plan,
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

    conv_choose_for(plan, job.conv, 1, &choice);
    pipelined_first = is_full && choice.kernel == CONV_BY_TILES && job.conv.n >= PIPELINED_N_MIN;
    if (is_joined && joined_first)
        offered[count++] = joined;
    for (int32_t i = 0; pipelined_first && i < more; i++)
        offered[count++] = pipelined[i];
    if (choice.splits > 1)
        offered[count++] = engine_of(CONV_SPLIT, choice.workspace);
    offered[count++] = engine_of(CONV_WHOLE, 0);
    for (int32_t i = 0; !pipelined_first && i < more; i++)
        offered[count++] = pipelined[i];
    if (is_joined && !joined_first)
        offered[count++] = joined;
    note_batch_invariance(job.conv, offered, count);
    return count;
}
