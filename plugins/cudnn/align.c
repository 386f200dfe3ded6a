/* SPDX-License-Identifier: Apache-2.0 */
/* Copies operands that lack the alignment of cuDNN's kernels to aligned memory, in stream order. */
#include "backend.h"
#include "copy.h"

static int is_moved(const struct anydnn_plugin_operands *operands, int32_t slot)
{
    return (uintptr_t)operands->data[slot] % CDN_ALIGNMENT != 0;
}

/* Returns the caller's tensor, also for an operand that is moved. */
static const struct anydnn_plugin_tensor *callers(const struct anydnn_plugin_plan *plan,
                                                  int32_t slot)
{
    return plan->moved >> slot & 1 ? &plan->home[slot] : plan->problem.tensor[slot];
}

static size_t room_of(const struct anydnn_plugin_plan *plan, int32_t slot)
{
    return cdn_copy_bytes(callers(plan, slot));
}

/* Copies an operand. The memory between its elements belongs to others, which may write it at the
 * same time in another stream. A copy of these gaps would undo such writes. */
static int32_t copy(const struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                    int32_t slot, void *to, const void *from)
{
    const struct anydnn_plugin_tensor *tensor = callers(plan, slot);
    size_t bytes = cdn_tensor_bytes(tensor);

    if (bytes > cdn_element_bytes(tensor))
        return cdn_copy_elements(plan->context->device, call->stream, tensor, to, from);
    return cuda_check(plan->context->device,
                      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, call->stream),
                      "copying an operand that is not aligned");
}

/* Copies all operands, outputs too: an output may be blended into, or written in part (indices,
 * states). */
static int32_t copy_in(const struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                       char *scratch, struct anydnn_plugin_operands *moved)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX && !status; slot++) {
        if (!plan->problem.tensor[slot] || !is_moved(call->operands, slot))
            continue;
        status = copy(plan, call, slot, scratch, call->operands->data[slot]);
        moved->data[slot] = scratch;
        scratch += room_of(plan, slot);
    }
    return status;
}

static int32_t copy_out(const struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                        const struct anydnn_plugin_operands *moved)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX && !status; slot++) {
        if (plan->problem.tensor[slot] && is_moved(call->operands, slot) &&
            kit_is_written(plan->problem.operation, slot))
            status = copy(plan, call, slot, call->operands->data[slot], moved->data[slot]);
    }
    return status;
}

int32_t cdn_run_aligned(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    struct anydnn_plugin_operands moved = *call->operands;
    struct cdn_call inner = *call;
    size_t bytes = 0;
    void *scratch = NULL;
    int32_t status, dropped;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (plan->problem.tensor[slot] && is_moved(call->operands, slot))
            bytes += room_of(plan, slot);
    }
    status = cuda_scratch_take(plan->context->device, call->stream, bytes, &scratch);
    if (status)
        return status;
    inner.operands = &moved;
    status = copy_in(plan, call, scratch, &moved);
    if (!status)
        status = cdn_run_here(plan, &inner);
    if (!status)
        status = copy_out(plan, call, &moved);
    dropped = cuda_scratch_drop(plan->context->device, call->stream, scratch);
    return status ? status : dropped;
}
