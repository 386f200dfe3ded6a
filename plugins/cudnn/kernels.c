/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a convolution's execution plan and runs it. */
#include "kernels.h"

#include "convolutions.h"

#include <string.h>

/* ------------------------------------------------------------------ making */

static struct cdn_engine *lookup_engine(struct cdn_list *list, uint64_t number)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (list->engine[i].number == number)
            return &list->engine[i];
    }
    return NULL;
}

/* Takes the execution plan that the list created, or creates a new one. */
static int32_t take_execution(struct anydnn_plugin_plan *plan, struct cdn_engine *engine,
                              struct kit_refusal *why)
{
    struct cdn_variant *usual = &plan->kernels->usual;
    uint64_t offered = engine->workspace;
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

    usual->execution = engine->plan;
    usual->workspace = engine->workspace;
    engine->plan = NULL;
    if (!usual->execution)
        status = cdn_execution_make(plan->context->handle, engine->config, &usual->execution,
                                    &usual->workspace);
    engine->state = status == CUDNN_STATUS_SUCCESS ? CUDNN_WORKS : CUDNN_REFUSED;
    if (status != CUDNN_STATUS_SUCCESS)
        return cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_OTHER, status,
                                 "the engine configuration");
    engine->workspace = usual->workspace;
    if (usual->workspace > offered)
        return kit_refuse(
            why, ANYDNN_PLUGIN_REASON_MEMORY,
            "cuDNN's plan needs %llu bytes of workspace, but its configuration reported %llu",
            (unsigned long long)usual->workspace, (unsigned long long)offered);
    return 0;
}

int32_t cdn_kernels_make(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct cdn_list *list = cdn_list_of(plan, why);
    struct cdn_engine *engine = list ? lookup_engine(list, plan->engine) : NULL;
    int32_t reason;

    if (!list)
        return why->reason;
    if (!engine || engine->math < 0 || engine->state == CUDNN_REFUSED)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_OTHER,
                          "cuDNN has no engine configuration %llu that it can run",
                          (unsigned long long)plan->engine);
    plan->kernels = kit_host->alloc(sizeof *plan->kernels);
    if (!plan->kernels)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_MEMORY, "out of memory for a plan");
    memset(plan->kernels, 0, sizeof *plan->kernels);
    plan->kernels->list = list;
    list->holders++;
    plan->kernels->usual.factors = cdn_usual_factors(plan->problem.operation);
    reason = take_execution(plan, engine, why);
    plan->kernels->engine = *engine;
    plan->kernels->one_factor_set = engine->one_factor_set;
    plan->workspace = plan->kernels->usual.workspace;
    return reason;
}

void cdn_variant_destroy(struct cdn_variant *variant)
{
    cdn_packs_destroy(variant);
    if (variant->execution)
        (void)cudnn.cudnnBackendDestroyDescriptor(variant->execution);
    cdn_parts_destroy(&variant->parts);
    memset(variant, 0, sizeof *variant);
}

void cdn_kernels_destroy(struct cdn_plan_kernels *kernels)
{
    cdn_variant_destroy(&kernels->usual);
    cdn_variant_destroy(&kernels->other);
    if (kernels->by_float)
        cdn_plan_destroy(kernels->by_float);
    cdn_list_drop(kernels->list);
    kit_host->free(kernels);
}

/* ------------------------------------------------------------------ running */

int32_t cdn_execute(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                    struct cdn_variant *variant, void *output, void *workspace)
{
    struct cdn_pack wanted = {.workspace = workspace};
    cudnnBackendDescriptor_t pack = NULL;
    cudnnStatus_t status;

    memcpy(wanted.data, call->operands->data, sizeof wanted.data);
    if (output)
        wanted.data[CDN_OUTPUT] = output;
    status = cdn_pack_of(plan, variant, &wanted, &pack);
    if (status != CUDNN_STATUS_SUCCESS)
        return cdn_check(status, "the pointers of a cuDNN plan");
    return cdn_ran(call, cudnn.cudnnBackendExecute(plan->context->handle, variant->execution, pack),
                   "cudnnBackendExecute");
}

/* Returns 1 if a variant has the call's factors. Without a z, the second factor of a fused
 * convolution does not matter. */
static int has_factors(const struct anydnn_plugin_plan *plan, const struct cdn_variant *variant,
                       const double *scale)
{
    return variant->execution && variant->factors.factor[0] == scale[0] &&
           (variant->factors.factor[1] == scale[1] ||
            (cdn_is_fused(&plan->problem) && !plan->problem.tensor[CDN_FUSED(z)]));
}

int32_t cdn_kernels_run(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const double *scale = call->operands->scale;
    struct cdn_plan_kernels *kernels = plan->kernels;

    if (has_factors(plan, &kernels->usual, scale))
        return cdn_execute(plan, call, &kernels->usual, NULL,
                           kernels->usual.workspace ? call->operands->workspace : NULL);
    if (cdn_is_fused(&plan->problem))
        return cdn_run_fused(plan, call);
    if (has_factors(plan, &kernels->other, scale))
        return cdn_run_other(plan, call);
    return cdn_run_new_factors(plan, call);
}
