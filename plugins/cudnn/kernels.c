/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a convolution's execution plans and runs them; factors other than the usual ones. */
#include "kernels.h"

#include "legacy.h"

#include <string.h>

/* The output of the operations that blend. */
enum { OUTPUT = 2 };

/* ------------------------------------------------------------------ making */

static struct cudnn_engine *find_engine(struct cudnn_list *list, uint64_t number)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (list->engine[i].number == number)
            return &list->engine[i];
    }
    return NULL;
}

/* The execution plan that the list made, or a new one. */
static int32_t take_execution(struct anydnn_plugin_plan *plan, struct cudnn_engine *engine,
                              struct cudnn_refusal *why)
{
    struct cudnn_variant *usual = &plan->kernels->usual;
    uint64_t offered = engine->workspace;
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

    usual->execution = engine->plan;
    usual->workspace = engine->workspace;
    engine->plan = NULL;
    if (!usual->execution)
        status = cudnn_execution_make(plan->context->handle, engine->config, &usual->execution,
                                      &usual->workspace);
    engine->state = status == CUDNN_STATUS_SUCCESS ? CUDNN_WORKS : CUDNN_REFUSED;
    if (status != CUDNN_STATUS_SUCCESS)
        return cudnn_refuse_status(why, ANYDNN_PLUGIN_REASON_OTHER, status,
                                   "the engine configuration");
    engine->workspace = usual->workspace;
    if (usual->workspace > offered)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_MEMORY,
                            "cuDNN's plan needs %llu bytes of workspace where its configuration "
                            "said %llu",
                            (unsigned long long)usual->workspace, (unsigned long long)offered);
    return 0;
}

int32_t cudnn_kernels_make(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    struct cudnn_list *list = cudnn_list_of(plan, why);
    struct cudnn_engine *engine = list ? find_engine(list, plan->engine) : NULL;
    int32_t reason;

    if (!list)
        return why->reason;
    if (!engine || engine->math < 0 || engine->state == CUDNN_REFUSED)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_OTHER,
                            "cuDNN proposes no engine configuration of number %llu that it can run",
                            (unsigned long long)plan->engine);
    plan->kernels = cuda_host->alloc(sizeof *plan->kernels);
    if (!plan->kernels)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_MEMORY, "no memory for a plan");
    memset(plan->kernels, 0, sizeof *plan->kernels);
    plan->kernels->list = list;
    list->holders++;
    plan->kernels->usual.factors = cudnn_usual_factors(plan->problem.operation);
    reason = take_execution(plan, engine, why);
    plan->kernels->engine = *engine;
    plan->workspace = plan->kernels->usual.workspace;
    return reason;
}

static void destroy_variant(struct cudnn_variant *variant)
{
    for (int32_t i = 0; i < CUDNN_PACKS; i++) {
        if (variant->pack[i].pack)
            (void)cudnn.cudnnBackendDestroyDescriptor(variant->pack[i].pack);
    }
    if (variant->execution)
        (void)cudnn.cudnnBackendDestroyDescriptor(variant->execution);
    cudnn_parts_destroy(&variant->parts);
    memset(variant, 0, sizeof *variant);
}

void cudnn_kernels_destroy(struct cudnn_plan_kernels *kernels)
{
    destroy_variant(&kernels->usual);
    destroy_variant(&kernels->other);
    cudnn_list_drop(kernels->list);
    cuda_host->free(kernels);
}

/* ------------------------------------------------------------------ running */

static cudnnStatus_t make_pack(const struct anydnn_plugin_plan *plan, const struct cudnn_pack *wish,
                               cudnnBackendDescriptor_t *pack)
{
    void *data[CUDNN_CONVOLUTION_SLOTS], *workspace = wish->workspace;
    int64_t number[CUDNN_CONVOLUTION_SLOTS], count = 0;
    struct cudnn_parts parts = {.count = 0};
    cudnnBackendDescriptor_t made =
        cudnn_part(&parts, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "a variant pack");
    cudnnStatus_t status;

    for (int32_t slot = 0; slot < CUDNN_CONVOLUTION_SLOTS; slot++) {
        if (!(plan->problem.present >> slot & 1))
            continue;
        number[count] = slot + 1;
        data[count++] = wish->data[slot];
    }
    cudnn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, number);
    cudnn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
              data);
    cudnn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    cudnn_finalize(&parts, made, "a variant pack");
    status = parts.status;
    if (status == CUDNN_STATUS_SUCCESS) {
        *pack = made;
        parts.count = 0;
    }
    cudnn_parts_destroy(&parts);
    return status;
}

/* The pack of these pointers, remembered or new; a finalized one cannot be changed. */
static cudnnStatus_t pack_of(const struct anydnn_plugin_plan *plan, struct cudnn_variant *variant,
                             const struct cudnn_pack *wish, cudnnBackendDescriptor_t *pack)
{
    struct cudnn_pack *slot;
    cudnnStatus_t status;

    for (int32_t i = 0; i < CUDNN_PACKS; i++) {
        slot = &variant->pack[i];
        if (slot->pack && memcmp(slot->data, wish->data, sizeof slot->data) == 0 &&
            slot->workspace == wish->workspace) {
            *pack = slot->pack;
            return CUDNN_STATUS_SUCCESS;
        }
    }
    status = make_pack(plan, wish, pack);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    slot = &variant->pack[variant->next];
    variant->next = (variant->next + 1) % CUDNN_PACKS;
    if (slot->pack)
        (void)cudnn.cudnnBackendDestroyDescriptor(slot->pack);
    *slot = *wish;
    slot->pack = *pack;
    return CUDNN_STATUS_SUCCESS;
}

static int32_t execute(struct anydnn_plugin_plan *plan, const struct cudnn_call *call,
                       struct cudnn_variant *variant, void *output, void *workspace)
{
    struct cudnn_pack wish = {.workspace = workspace};
    cudnnBackendDescriptor_t pack = NULL;
    cudnnStatus_t status;

    memcpy(wish.data, call->operands->data, sizeof wish.data);
    if (output)
        wish.data[OUTPUT] = output;
    status = pack_of(plan, variant, &wish, &pack);
    if (status != CUDNN_STATUS_SUCCESS)
        return cudnn_check(status, "the pointers of a cuDNN plan");
    return cudnn_ran(call,
                     cudnn.cudnnBackendExecute(plan->context->handle, variant->execution, pack),
                     "cudnnBackendExecute");
}

/* The same engine and knobs for a graph with these factors. 0 or -1. */
static int make_other(struct anydnn_plugin_plan *plan, const struct cudnn_factors *factors)
{
    struct cudnn_plan_kernels *kernels = plan->kernels;
    struct cudnn_variant *other = &kernels->other;
    cudnnBackendDescriptor_t graph, config;

    destroy_variant(other);
    graph = cudnn_graph_make(&other->parts, plan->context->handle, &plan->problem, factors);
    config = cudnn_config_make(&other->parts, graph, &kernels->engine);
    if (other->parts.status == CUDNN_STATUS_SUCCESS &&
        cudnn_execution_make(plan->context->handle, config, &other->execution, &other->workspace) ==
            CUDNN_STATUS_SUCCESS) {
        other->factors = *factors;
        return 0;
    }
    destroy_variant(other);
    kernels->one_factor_set = 1;
    return -1;
}

/* So much workspace as the call brings, or of our own, which *scratch gets. 0 or a status. */
static int32_t take_workspace(const struct anydnn_plugin_plan *plan, const struct cudnn_call *call,
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

static int32_t drop_workspace(const struct anydnn_plugin_plan *plan, const struct cudnn_call *call,
                              void *scratch, int32_t status)
{
    int32_t dropped = scratch ? cuda_scratch_drop(plan->context->device, call->stream, scratch) : 0;

    return status ? status : dropped;
}

/* By a plan that has the factors in it. */
static int32_t run_other(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    struct cudnn_variant *other = &plan->kernels->other;
    void *workspace, *scratch;
    int32_t status = take_workspace(plan, call, other->workspace, &workspace, &scratch);

    if (status)
        return status;
    status = execute(plan, call, other, NULL, workspace);
    return drop_workspace(plan, call, scratch, status);
}

/* The engines of the fused graph know no factors but 1; the older call takes any. */
static int32_t run_fused(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    uint64_t engine = plan->kernels->engine.math == ANYDNN_PLUGIN_MATH_DEFAULT
                          ? CUDNN_LEGACY_FMA
                          : CUDNN_LEGACY_TENSOR_OP;
    void *workspace, *scratch;
    struct cudnn_refusal why;
    int32_t status;

    if (!plan->kernels->has_legacy && cudnn_legacy_make(plan, engine, &why)) {
        cudnn_descriptors_destroy(&plan->made);
        return cuda_fail(CUDA_NOT_SUPPORTED, "alpha1 is %g and alpha2 is %g, not 1, and %s",
                         call->operands->scale[0], call->operands->scale[1], why.sentence);
    }
    plan->kernels->has_legacy = 1;
    status = take_workspace(plan, call, plan->legacy_workspace, &workspace, &scratch);
    if (status)
        return status;
    status = cudnn_legacy_run(plan, call, workspace);
    return drop_workspace(plan, call, scratch, status);
}

/* The result to memory of our own, then out = alpha * result + beta * out. The result is rounded to
 * the type of the output once more than needed. */
static int32_t run_blended(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    struct cudnn_variant *usual = &plan->kernels->usual;
    const struct anydnn_plugin_tensor *output = plan->problem.tensor[OUTPUT];
    cudnnTensorDescriptor_t *desc = &plan->made.tensor[OUTPUT];
    int32_t device = plan->context->device, status, dropped;
    struct cudnn_refusal why;
    void *scratch = NULL;

    if (!*desc && cudnn_tensor_make(desc, output, ANYDNN_PLUGIN_DIM_MAX, "the output", &why))
        return cuda_fail(CUDA_NOT_SUPPORTED, "alpha and beta are not 1 and 0, and %s",
                         why.sentence);
    status = cuda_scratch_take(device, call->stream, cudnn_tensor_bytes(output), &scratch);
    if (status)
        return status;
    status =
        execute(plan, call, usual, scratch, usual->workspace ? call->operands->workspace : NULL);
    if (!status)
        status =
            cudnn_ran(call,
                      cudnn.cudnnAddTensor(plan->context->handle, &call->scale[0], *desc, scratch,
                                           &call->scale[1], *desc, call->operands->data[OUTPUT]),
                      "cudnnAddTensor");
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

/* Whether a variant has the call's factors; the second is nothing without a z. */
static int has_factors(const struct anydnn_plugin_plan *plan, const struct cudnn_variant *variant,
                       const double *scale)
{
    int fused = plan->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;

    return variant->execution && variant->factors.factor[0] == scale[0] &&
           (variant->factors.factor[1] == scale[1] || (fused && !plan->problem.tensor[OUTPUT]));
}

int32_t cudnn_kernels_run(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    const double *scale = call->operands->scale;
    struct cudnn_plan_kernels *kernels = plan->kernels;
    const struct cudnn_factors factors = {{scale[0], scale[1]}};

    if (has_factors(plan, &kernels->usual, scale))
        return execute(plan, call, &kernels->usual, NULL,
                       kernels->usual.workspace ? call->operands->workspace : NULL);
    if (plan->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD)
        return run_fused(plan, call);
    if (has_factors(plan, &kernels->other, scale))
        return run_other(plan, call);
    /* A plan may load code, which a capture under way does not permit. */
    if (!kernels->one_factor_set && !cuda_is_captured(call->stream) &&
        make_other(plan, &factors) == 0)
        return run_other(plan, call);
    return run_blended(plan, call);
}
