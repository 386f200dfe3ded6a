/* SPDX-License-Identifier: Apache-2.0 */
/* Runs MATMUL: one product for each matrix of the batch. */
#include "clblast.h"

#define SLOT(name) slot_matmul_##name

/* Refuses what CLBlast's product does not compute. */
static int32_t check_parts(const struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    static const int plain[] = {SLOT(a), SLOT(b), SLOT(c), SLOT(d)};
    const struct anydnn_plugin_matmul *params = problem->params;
    const int32_t type = problem->tensor[SLOT(d)]->type;
    uint32_t known = 0;

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[plain[i]];

        known |= UINT32_C(1) << plain[i];
        if (tensor && tensor->type != type)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "%s is %s and d is %s; all operands must have one type",
                              kit_slot_name(problem->operation, plain[i]),
                              kit_type_name(tensor->type), kit_type_name(type));
    }
    if (problem->present & ~known)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "this backend adds no bias and stores no aux");
    if (params->activation != ANYDNN_PLUGIN_ACTIVATION_IDENTITY)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "this backend applies no activation to a product");
    return clblast_check_type(context, type, "d", why);
}

/* c is the output's prior content, or it is copied there first, which needs one layout. */
static int32_t check_addend(const struct anydnn_plugin_problem *problem,
                            struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *c = problem->tensor[SLOT(c)], *d = problem->tensor[SLOT(d)];
    int64_t packed = 1;
    int is_in_place = problem->alias[SLOT(d)] == SLOT(c) + 1;

    if (problem->alias[SLOT(a)] || problem->alias[SLOT(b)] ||
        (problem->alias[SLOT(d)] && !is_in_place))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                          "d has the address of a factor, which this backend reads until the end");
    if (!c || is_in_place)
        return 0;
    for (int32_t i = d->ndims; i-- > 0;) {
        if (d->dims[i] > 1 && (d->strides[i] != packed || c->strides[i] != packed))
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                              "c is not d; this backend copies c to d where both are packed");
        packed = kit_times(packed, d->dims[i]);
    }
    plan->addend = (uint64_t)packed * (uint64_t)kit_type_size(d->type);
    return 0;
}

/* Describes an operand's matrices, of which at most one dim may be a batch. */
static int32_t take(const struct anydnn_plugin_problem *problem, int slot, int64_t *batch,
                    struct clblast_matrix *to, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];
    const char *role = kit_slot_name(problem->operation, slot);
    int32_t rows = tensor->ndims - 2, batches = 0;

    to->batch = 0;
    for (int32_t i = 0; i < rows; i++)
        if (problem->tensor[SLOT(d)]->dims[i] > 1) {
            *batch = problem->tensor[SLOT(d)]->dims[i];
            to->batch = tensor->dims[i] > 1 ? tensor->strides[i] : 0;
            batches++;
        }
    if (batches > 1)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "%d dims before the matrices are larger than 1; this backend supports "
                          "one",
                          batches);
    return clblast_take_matrix(to, tensor->dims[rows], tensor->dims[rows + 1],
                               tensor->strides[rows], tensor->strides[rows + 1], role, why);
}

int32_t clblast_matmul_take(const struct anydnn_plugin_context *context,
                            const struct anydnn_plugin_problem *problem,
                            struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct clblast_gemm *product = &plan->product;
    const struct anydnn_plugin_tensor *d = problem->tensor[SLOT(d)], *a = problem->tensor[SLOT(a)];
    int32_t reason = check_parts(context, problem, why);

    product->batch = 1;
    if (!reason)
        reason = check_addend(problem, plan, why);
    if (!reason)
        reason = take(problem, SLOT(a), &product->batch, &product->a, why);
    if (!reason)
        reason = take(problem, SLOT(b), &product->batch, &product->b, why);
    if (!reason)
        reason = take(problem, SLOT(d), &product->batch, &product->c, why);
    if (!reason && product->c.is_transposed)
        reason = kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                            "the columns of d are at a distance of %lld; it must be 1",
                            (long long)d->strides[d->ndims - 1]);
    product->m = d->dims[d->ndims - 2];
    product->n = d->dims[d->ndims - 1];
    product->k = a->dims[a->ndims - 1];
    plan->type = d->type;
    return reason;
}

int32_t clblast_matmul_run(const struct clblast_call *call)
{
    const struct anydnn_plugin_plan *plan = call->plan;
    const struct anydnn_plugin_context *context = plan->context;
    void *const *data = call->operands->data;
    double beta = data[SLOT(c)] ? call->operands->scale[1] : 0;
    struct clblast_place a, b, d;
    int32_t status = clblast_place(call, data[SLOT(a)], &a);

    if (!status)
        status = clblast_place(call, data[SLOT(b)], &b);
    if (!status)
        status = clblast_place(call, data[SLOT(d)], &d);
    if (status)
        return status;
    if (plan->addend > 0 && beta != 0) {
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
        status = context->space->memory_copy_async(context->device, call->operands->stream,
                                                   data[SLOT(d)], data[SLOT(c)], plan->addend,
                                                   ANYDNN_PLUGIN_COPY_WITHIN);
    }
    return status ? status : clblast_multiply(call, &plan->product, a, b, d, beta);
}
