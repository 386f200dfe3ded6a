/* SPDX-License-Identifier: Apache-2.0 */
/* Offers the engines of a convolution under cuDNN's algorithm numbers. */
#include "convolutions.h"
#include "legacy.h"

/* The other algorithm numbers of cuDNN that are neither transforms nor refused. Since cuDNN 8 they
 * name the same engines. */
static const struct {
    int32_t operation;
    int32_t algorithm;
} names[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3},
};

static int permits(int32_t permission, int32_t used)
{
    return used == ANYDNN_PLUGIN_MATH_DEFAULT || used == permission ||
           (used == ANYDNN_PLUGIN_MATH_TENSOR_OP &&
            (permission == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION ||
             permission == ANYDNN_PLUGIN_MATH_SPLIT));
}

int cdn_is_acceptable(const struct anydnn_plugin_problem *problem, const struct cdn_engine *engine)
{
    return engine->math >= 0 && !engine->avoided && permits(problem->math, engine->math) &&
           !((engine->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC) && problem->deterministic) &&
           (!(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) ||
            engine->algorithm == problem->algorithm);
}

/*
 * Tries some engines before anything is offered. cuDNN's heuristics also propose configurations
 * that it later refuses, which only a plan shows. Two plans are created: the first proposal that
 * works, and the one with the least workspace.
 */
static void try_some(const struct anydnn_plugin_plan *plan, struct cdn_list *list)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    struct cdn_engine *least;
    int works = 0;

    for (int32_t i = 0; i < list->count && !works; i++)
        works = cdn_is_acceptable(problem, &list->engine[i]) &&
                cdn_engine_try(&list->engine[i], plan->context->handle);
    do {
        least = NULL;
        for (int32_t i = 0; i < list->count; i++) {
            struct cdn_engine *engine = &list->engine[i];

            if (cdn_is_acceptable(problem, engine) && engine->state != CUDNN_REFUSED &&
                (!engine->compiles || engine->state == CUDNN_WORKS) &&
                (!least || engine->workspace < least->workspace))
                least = engine;
        }
    } while (least && !cdn_engine_try(least, plan->context->handle));
}

static int32_t offer_engine(const struct cdn_list *list, const struct cdn_engine *engine,
                            int32_t algorithm, anydnn_plugin_offer_fn offer, void *cookie)
{
    char words[CDN_WORDS];
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate,
        .engine = engine->number,
        .algorithm = algorithm,
        .math = engine->math,
        .workspace = engine->workspace,
        .notes = engine->notes,
        .words = words,
    };

    cdn_engine_words(engine, &list->key, words, sizeof words);
    return offer(cookie, &candidate);
}

static int32_t offer_names(const struct cdn_list *list, const struct cdn_engine *engine,
                           anydnn_plugin_offer_fn offer, void *cookie)
{
    int32_t stop = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !stop; i++) {
        if (names[i].operation == list->key.operation)
            stop = offer_engine(list, engine, names[i].algorithm, offer, cookie);
    }
    return stop;
}

/* Returns 1 if the engine is used for integers. Transforms are not, since they round. Of the
 * engines that cuDNN compiles at plan creation, only those already compiled are used, since the
 * compiler was seen to refuse one: convolution_forward x=s8:2,5,7,9:91,183,11,1 w=s8:6,5,3,4:nchw
 * y=s8:2,6,7,10:99,199,12,1 pad=1,2 compute=s32 math=allow_conversion. */
static int suits_integers(const struct cdn_engine *engine)
{
    return !(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) &&
           (!engine->compiles || engine->state == CUDNN_WORKS);
}

/* Declines a fused problem that the older call refuses. Engines of the fused graph only support
 * factors of 1, but an offer holds for all factors, and only the older call supports others. */
static int32_t check_factors(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    uint64_t engine = cdn_legacy_with_factors(&plan->problem, plan->problem.math);
    int32_t reason;

    if (!cdn_is_fused(&plan->problem))
        return 0;
    reason = cdn_legacy_make(plan, engine, why);
    cdn_legacy_drop(plan);
    return reason;
}

/* Offers the engines in cuDNN's order, then the first one that is no transform under its other
 * algorithm numbers. */
static int32_t offer_engines(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                             anydnn_plugin_offer_fn offer, void *cookie, int *offered)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    struct cdn_list *list = cdn_list_of(plan, why);
    const struct cdn_engine *named = NULL;
    int32_t stop = 0, integers = plan->engine == CUDNN_BY_FLOAT;

    if (!list || check_factors(plan, why))
        return why->reason;
    try_some(plan, list);
    for (int32_t i = 0; i < list->count && !stop; i++) {
        const struct cdn_engine *engine = &list->engine[i];

        if (engine->math < 0 || engine->state == CUDNN_REFUSED ||
            !permits(problem->math, engine->math) || (integers && !suits_integers(engine)))
            continue;
        stop = offer_engine(list, engine, engine->algorithm, offer, cookie);
        (*offered)++;
        if (!named && engine->state == CUDNN_WORKS && cdn_is_acceptable(problem, engine) &&
            !(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM))
            named = engine;
    }
    if (named && !stop)
        offer_names(list, named, offer, cookie);
    return *offered
               ? 0
               : kit_refuse(why,
                            list->count ? ANYDNN_PLUGIN_REASON_MATH : ANYDNN_PLUGIN_REASON_SHAPE,
                            "cuDNN has %d engine configurations for this convolution, but none for "
                            "its math mode",
                            list->count);
}

/* Offers the engines of float, if their result is exact. */
static void offer_by_float(const struct anydnn_plugin_plan *plan, anydnn_plugin_offer_fn offer,
                           void *cookie, int *offered)
{
    struct kit_refusal why;
    struct anydnn_plugin_plan *wide = cdn_is_exact(&plan->problem)
                                          ? cdn_plan_like(plan, CUDNN_BY_FLOAT, CDN_CALLERS, &why)
                                          : NULL;

    if (!wide)
        return;
    if (cdn_is_float(&wide->problem) && cdn_moves_make(wide, &why) == 0)
        offer_engines(wide, &why, offer, cookie, offered);
    cdn_plan_destroy(wide);
}

int32_t cdn_offer_convolution(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                              anydnn_plugin_offer_fn offer, void *cookie)
{
    struct kit_refusal legacy_why;
    int offered = 0;
    int32_t reason = cdn_moves_make(plan, why);

    if (reason)
        return reason;
    if (!cdn_is_float(&plan->problem)) {
        reason = cdn_legacy_offer(plan, why, offer, cookie, &offered);
        if (!offered)
            offer_by_float(plan, offer, cookie, &offered);
        return offered ? 0 : reason;
    }
    reason = offer_engines(plan, why, offer, cookie, &offered);
    if (cdn_is_fused(&plan->problem))
        cdn_legacy_offer(plan, &legacy_why, offer, cookie, &offered);
    return offered ? 0 : reason;
}
