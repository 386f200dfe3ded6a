/* SPDX-License-Identifier: Apache-2.0 */
/* Runs convolutions with other factors than those of their execution plan. */
#include "kernels.h"
#include "legacy.h"

/* Creates an execution plan of the same engine and knobs for a graph with these factors. Returns 0
 * or -1. */
static int make_other(struct anydnn_plugin_plan *plan, const struct cdn_factors *factors)
{
    struct cdn_plan_kernels *kernels = plan->kernels;
    struct cdn_variant *other = &kernels->other;
    cudnnBackendDescriptor_t graph, config;

    if (kernels->one_factor_set)
        return -1;
    cdn_variant_destroy(other);
    graph = cdn_graph_make(&other->parts, plan->context->handle, &plan->problem, factors);
    config = cdn_config_make(&other->parts, graph, &kernels->engine);
    if (other->parts.status == CUDNN_STATUS_SUCCESS &&
        cdn_execution_make(plan->context->handle, config, &other->execution, &other->workspace) ==
            CUDNN_STATUS_SUCCESS) {
        other->factors = *factors;
        return 0;
    }
    cdn_variant_destroy(other);
    kernels->one_factor_set = 1;
    return -1;
}

/* Provides `bytes` of workspace: that of the call, or scratch memory, which *scratch then owns.
 * Returns 0 or a status. */
static int32_t take_workspace(const struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                              uint64_t bytes, void **workspace, void **scratch)
{
    int32_t status = 0;

    *scratch = NULL;
    *workspace = bytes ? call->operands->workspace : NULL;
    if (bytes > call->operands->workspace_bytes) {
        status = cuda_scratch_take(plan->context->device, call->stream, (size_t)bytes, scratch);
        *workspace = *scratch;
    }
    return status;
}

static int32_t drop_workspace(const struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                              void *scratch, int32_t status)
{
    int32_t dropped = scratch ? cuda_scratch_drop(plan->context->device, call->stream, scratch) : 0;

    return status ? status : dropped;
}

/* Runs the execution plan that contains the factors. */
int32_t cdn_run_other(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    struct cdn_variant *other = &plan->kernels->other;
    void *workspace, *scratch;
    int32_t status = take_workspace(plan, call, other->workspace, &workspace, &scratch);

    if (status)
        return status;
    status = cdn_execute(plan, call, other, NULL, workspace);
    return drop_workspace(plan, call, scratch, status);
}

/* Runs a fused convolution by the older call, which accepts any factors. Engines of the fused graph
 * only support factors of 1. */
int32_t cdn_run_fused(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    uint64_t engine = cdn_legacy_with_factors(&plan->problem, plan->kernels->engine.math);
    void *workspace, *scratch;
    struct kit_refusal why;
    int32_t status;

    if (!plan->kernels->has_legacy && cdn_legacy_make(plan, engine, &why)) {
        cdn_legacy_drop(plan);
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "alpha1 is %g and alpha2 is %g instead of 1; %s", call->operands->scale[0],
                        call->operands->scale[1], why.sentence);
    }
    plan->kernels->has_legacy = 1;
    status = take_workspace(plan, call, plan->legacy_workspace, &workspace, &scratch);
    if (status)
        return status;
    status = cdn_legacy_run(plan, call, workspace);
    return drop_workspace(plan, call, scratch, status);
}

/* Computes the result in scratch memory, then out = alpha * result + beta * out. This serves types
 * with the precision of the sums; a shorter type would be rounded twice. */
static int32_t run_blended(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    struct cdn_variant *usual = &plan->kernels->usual;
    const struct anydnn_plugin_tensor *output = plan->problem.tensor[CDN_OUTPUT];
    cudnnTensorDescriptor_t *desc = &plan->made.tensor[CDN_OUTPUT];
    int32_t device = plan->context->device, status, dropped;
    struct kit_refusal why;
    void *scratch = NULL;

    if (!*desc && cdn_tensor_make(desc, output, ANYDNN_PLUGIN_DIM_MAX, "the output", &why))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "alpha and beta are not 1 and 0; %s",
                        why.sentence);
    status = cuda_scratch_take(device, call->stream, cdn_tensor_bytes(output), &scratch);
    if (status)
        return status;
    status = cdn_execute(plan, call, usual, scratch,
                         usual->workspace ? call->operands->workspace : NULL);
    cdn_wrote_scratch(call, status);
    if (!status)
        status =
            cdn_ran(call,
                    cudnn.cudnnAddTensor(plan->context->handle, &call->scale[0], *desc, scratch,
                                         &call->scale[1], *desc, call->operands->data[CDN_OUTPUT]),
                    "cudnnAddTensor");
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

static int is_short(const struct anydnn_plugin_plan *plan)
{
    return plan->copies.tensor[CDN_OUTPUT].type == ANYDNN_PLUGIN_HALF ||
           plan->copies.tensor[CDN_OUTPUT].type == ANYDNN_PLUGIN_BFLOAT16;
}

/* Runs an engine of float, which blends in float. Operands are copied to float, and the result is
 * rounded once when it is copied back. */
static int32_t run_by_float(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    struct anydnn_plugin_plan *by_float = plan->kernels->by_float;
    struct anydnn_plugin_operands operands = *call->operands;
    struct cdn_call inner = *call;
    void *scratch;
    int32_t status = take_workspace(plan, call, by_float->workspace, &operands.workspace, &scratch);

    if (status)
        return status;
    operands.workspace_bytes = by_float->workspace;
    inner.operands = &operands;
    status = cdn_run_here(by_float, &inner);
    return drop_workspace(plan, call, scratch, status);
}

static int32_t make_by_float(struct anydnn_plugin_plan *plan)
{
    struct cdn_plan_kernels *kernels = plan->kernels;
    struct kit_refusal why;

    if (kernels->by_float)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    kernels->by_float = cdn_plan_like(plan, CUDNN_BY_FLOAT, CDN_RUNS, &why);
    if (!kernels->by_float || cdn_plan_prepare(kernels->by_float, &why)) {
        if (kernels->by_float)
            cdn_plan_destroy(kernels->by_float);
        kernels->by_float = NULL;
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "alpha and beta are not 1 and 0; the engine would round twice, and the "
                        "plan through float failed: %s",
                        why.sentence);
    }
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Runs factors for which no plan exists yet. */
int32_t cdn_run_new_factors(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct cdn_factors factors = {{call->operands->scale[0], call->operands->scale[1]}};
    int made = make_other(plan, &factors) == 0;
    int32_t status = !made && is_short(plan) ? make_by_float(plan) : ANYDNN_PLUGIN_STATUS_SUCCESS;

    if (status)
        return status;
    return made             ? cdn_run_other(plan, call)
           : is_short(plan) ? run_by_float(plan, call)
                            : run_blended(plan, call);
}
