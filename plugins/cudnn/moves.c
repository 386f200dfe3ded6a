/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives cuDNN copies of operands, in stream order. A copy is packed if cuDNN supports no other
 * strides. It is float if cuDNN would round intermediate values to a shorter type, or has no
 * arithmetic for the type. An output's copy is blended into and copied back after the operation,
 * which rounds the result once.
 */
#include "backend.h"

#include <stdio.h>

#define TYPES_WITHOUT_FLOAT                                                                        \
    (CDN_TYPE(UINT8) | CDN_TYPE(UINT8X4) | CDN_TYPE(INT32) | CDN_TYPE(INT8X4) | CDN_TYPE(INT8X32))
#define TYPES_TO_FLOAT                                                                             \
    (CDN_TYPE(FLOAT) | CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16) | CDN_TYPE(INT8) | CDN_TYPE(INT8X4) |   \
     CDN_TYPE(INT8X32))

/* Returns 1 if the tensor can be moved: to its own type, or to float. */
static int can_move(const struct anydnn_plugin_tensor *tensor, int32_t type)
{
    return tensor->type == type
               ? ((CDN_FLOATS | CDN_TYPE(INT8) | TYPES_WITHOUT_FLOAT) >> type & 1) != 0
               : type == ANYDNN_PLUGIN_FLOAT && (TYPES_TO_FLOAT >> tensor->type & 1);
}

void cdn_move(struct anydnn_plugin_plan *plan, int32_t slot, int format, int32_t type)
{
    struct anydnn_plugin_tensor *tensor = &plan->copies.tensor[slot];

    if (!plan->problem.tensor[slot] || !can_move(tensor, type))
        return;
    if (!(plan->moved >> slot & 1))
        plan->home[slot] = *tensor;
    plan->moved |= UINT32_C(1) << slot;
    tensor->type = type;
    cdn_pack(tensor, format);
    plan->problem.alias[slot] = 0;
    for (int32_t other = 0; other < ANYDNN_PLUGIN_OPERAND_MAX; other++) {
        if (plan->problem.alias[other] == slot + 1)
            plan->problem.alias[other] = 0;
    }
}

void cdn_widen(struct anydnn_plugin_plan *plan, uint32_t slots, uint32_t types)
{
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];

        if (tensor && (slots >> slot & 1) && (types >> tensor->type & 1))
            cdn_move(plan, slot,
                     cdn_packed_format(tensor) == CUDNN_TENSOR_NHWC ? CUDNN_TENSOR_NHWC
                                                                    : CUDNN_TENSOR_NCHW,
                     ANYDNN_PLUGIN_FLOAT);
    }
}

static void settle(struct anydnn_plugin_plan *plan, uint32_t slots)
{
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (plan->problem.tensor[slot] && (slots >> slot & 1))
            cdn_settle(&plan->copies.tensor[slot]);
    }
}

/* Moves those of `slots` that are not packed in this format. */
static void pack_as(struct anydnn_plugin_plan *plan, uint32_t slots, int format)
{
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];

        if (tensor && (slots >> slot & 1) && cdn_packed_format(tensor) != format)
            cdn_move(plan, slot, format, tensor->type);
    }
}

void cdn_agree(struct anydnn_plugin_plan *plan, uint32_t slots, int packed)
{
    const struct anydnn_plugin_tensor *first = NULL;
    int same = 1, format = -1;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];

        if (!tensor || !(slots >> slot & 1))
            continue;
        first = first ? first : tensor;
        same &= cdn_same_places(first, tensor);
        format = format < 0 ? cdn_packed_format(tensor) : format;
    }
    if (!same || (packed && format < 0))
        pack_as(plan, slots, format < 0 ? CUDNN_TENSOR_NCHW : format);
    settle(plan, slots);
}

void cdn_pack_rows(struct anydnn_plugin_plan *plan, uint32_t slots)
{
    pack_as(plan, slots, CUDNN_TENSOR_NCHW);
    settle(plan, slots);
}

/* ------------------------------------------------------------------ descriptors */

/* Describes a tensor to cuDNN's transforms. Vectors of `lanes` channels become one more dim of
 * bytes. A type without arithmetic is viewed as bytes, which a transform to the same type
 * preserves. */
static void view(struct anydnn_plugin_tensor *made, const struct anydnn_plugin_tensor *of,
                 int64_t lanes)
{
    int64_t own = kit_lanes(of->type), bytes = of->type == ANYDNN_PLUGIN_INT32 ? 4 : 1;

    *made = *of;
    if (TYPES_WITHOUT_FLOAT >> of->type & 1)
        made->type = ANYDNN_PLUGIN_INT8;
    if (lanes == 1 && bytes == 1)
        return;
    made->dims[of->ndims] = lanes * bytes;
    made->strides[of->ndims] = own > 1 || bytes > 1 ? 1 : of->strides[1];
    made->dims[1] /= lanes;
    for (int32_t d = 0; d < of->ndims; d++)
        made->strides[d] *= own > 1 ? own : bytes > 1 ? bytes : d == 1 ? lanes : 1;
    made->ndims++;
}

int32_t cdn_moves_make(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct anydnn_plugin_tensor made;
    int32_t reason = 0;
    char role[40];

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX && !reason; slot++) {
        const struct anydnn_plugin_tensor *home = &plan->home[slot],
                                          *copy = &plan->copies.tensor[slot];
        int64_t lanes;

        if (!(plan->moved >> slot & 1))
            continue;
        lanes = kit_lanes(home->type);
        if (home->ndims + (lanes > 1 || home->type == ANYDNN_PLUGIN_INT32) > CDN_USUAL_DIMS)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "operand %d is %s with %d dims; cuDNN cannot copy that many dims",
                              slot, kit_type_name(home->type), home->ndims);
        snprintf(role, sizeof role, "operand %d", slot);
        view(&made, home, lanes);
        reason = cdn_tensor_make(&plan->made.home[slot], &made, CDN_USUAL_DIMS, role, why);
        view(&made, copy, lanes);
        if (!reason)
            reason = cdn_tensor_make(&plan->made.copy[slot], &made, CDN_USUAL_DIMS, role, why);
    }
    return reason;
}

/* ------------------------------------------------------------------ running */

static size_t room_of(const struct anydnn_plugin_plan *plan, int32_t slot)
{
    return cdn_copy_bytes(&plan->copies.tensor[slot]);
}

/* Returns 1 for outputs that are read whatever the factors are. */
static int is_kept(int32_t operation, int32_t slot)
{
    return operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING &&
           (slot == slot_batch_normalization_training_running_mean ||
            slot == slot_batch_normalization_training_running_var);
}

/* Returns 1 if the operation reads the prior content of the operand. */
static int is_read(const struct anydnn_plugin_plan *plan, const struct cdn_call *call, int32_t slot)
{
    int32_t operation = plan->problem.operation;
    int32_t of_parameter = operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD &&
                           slot >= slot_batch_normalization_backward_dscale;
    int32_t beta = operation == ANYDNN_PLUGIN_OP_TENSOR ? 2 : of_parameter ? 3 : 1;

    return !kit_is_written(operation, slot) || is_kept(operation, slot) ||
           call->operands->scale[beta] != 0;
}

static int32_t bring(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                     cudnnTensorDescriptor_t from_desc, const void *from,
                     cudnnTensorDescriptor_t to_desc, void *to)
{
    return cdn_ran(call,
                   cudnn.cudnnTransformTensor(plan->context->handle, cdn_number(plan, CDN_ONE),
                                              from_desc, from, cdn_number(plan, CDN_ZERO), to_desc,
                                              to),
                   "cudnnTransformTensor");
}

static int32_t move_in(struct anydnn_plugin_plan *plan, const struct cdn_call *call, char *scratch,
                       struct anydnn_plugin_operands *moved)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX && !status; slot++) {
        if (!(plan->moved >> slot & 1))
            continue;
        if (is_read(plan, call, slot))
            status = bring(plan, call, plan->made.home[slot], call->operands->data[slot],
                           plan->made.copy[slot], scratch);
        moved->data[slot] = scratch;
        scratch += room_of(plan, slot);
    }
    return status;
}

static int32_t move_out(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                        const struct anydnn_plugin_operands *moved)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX && !status; slot++) {
        if ((plan->moved >> slot & 1) && kit_is_written(plan->problem.operation, slot))
            status = bring(plan, call, plan->made.copy[slot], moved->data[slot],
                           plan->made.home[slot], call->operands->data[slot]);
    }
    return status;
}

static int32_t run_moved(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    struct anydnn_plugin_operands moved = *call->operands;
    struct cdn_call inner = *call;
    size_t bytes = 0;
    void *scratch = NULL;
    int32_t status, dropped;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        bytes += plan->moved >> slot & 1 ? room_of(plan, slot) : 0;
    status = cuda_scratch_take(plan->context->device, call->stream, bytes, &scratch);
    if (status)
        return status;
    inner.operands = &moved;
    status = move_in(plan, call, scratch, &moved);
    cdn_wrote_scratch(call, status);
    if (!status)
        status = plan->operation->run(plan, &inner);
    if (!status)
        status = move_out(plan, call, &moved);
    dropped = cuda_scratch_drop(plan->context->device, call->stream, scratch);
    return status ? status : dropped;
}

int32_t cdn_run_here(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    return plan->moved ? run_moved(plan, call) : plan->operation->run(plan, call);
}
