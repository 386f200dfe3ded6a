/* SPDX-License-Identifier: Apache-2.0 */
/* Implements transforms of layouts and types, without pads and folds. */
#include "transform.h"

#include "table.h"

#define SLOT(name) slot_transform_tensor_##name
#define HAS_THESE_SLOTS(operation)                                                                 \
    (KIT_SAME_SLOT(transform_tensor, operation, x) && KIT_SAME_SLOT(transform_tensor, operation, y))
_Static_assert(HAS_THESE_SLOTS(transform_tensor_ex) && HAS_THESE_SLOTS(transform_filter),
               "the transforms share functions");

static int is_one_of(int32_t type, uint32_t types)
{
    return types >> type & 1;
}

int32_t cdn_check_transform_types(const struct anydnn_plugin_problem *problem, uint32_t any,
                                  struct kit_refusal *why)
{
    int32_t x = problem->tensor[SLOT(x)]->type, y = problem->tensor[SLOT(y)]->type;
    int shorts = is_one_of(x, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16)) &&
                 is_one_of(y, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16));

    if ((x == y && x == ANYDNN_PLUGIN_DOUBLE) ||
        (is_one_of(x, any) && is_one_of(y, any) && !(shorts && x != y)))
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "cuDNN cannot convert %s to %s",
                      kit_type_name(x), kit_type_name(y));
}

void cdn_arrange_transform_types(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = &plan->copies.tensor[SLOT(x)],
                                      *y = &plan->copies.tensor[SLOT(y)];

    if (is_one_of(x->type, CDN_TRANSFORM_SHORTS) && is_one_of(y->type, CDN_TRANSFORM_SHORTS) &&
        x->type != y->type)
        cdn_widen(plan, 1 << SLOT(x), CDN_TRANSFORM_SHORTS);
    cdn_widen(plan, CDN_ALL_SLOTS, CDN_TYPE(INT8X32));
    for (int32_t slot = SLOT(x); slot <= SLOT(y); slot++) {
        if (kit_lanes(plan->copies.tensor[slot].type) > 1 &&
            cdn_packed_format(&plan->copies.tensor[slot]) < 0)
            cdn_move(plan, slot, CUDNN_TENSOR_NCHW_VECT_C, plan->copies.tensor[slot].type);
    }
}

static int32_t check_transform(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    return cdn_check_transform_types(problem, CDN_TRANSFORMED | CDN_TYPE(INT8X4), why);
}

static int32_t run_transform(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnTransformTensor(plan->context->handle, &call->scale[0], desc[SLOT(x)],
                                              data[SLOT(x)], &call->scale[1], desc[SLOT(y)],
                                              data[SLOT(y)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_transform_tensor = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR,
    .types = CDN_TRANSFORMED | CDN_TYPE(DOUBLE) | CDN_TYPE(INT8X4) | CDN_TYPE(INT8X32),
    .layouts = CDN_LAYOUTS_AND_VECTORS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnTransformTensor",
    .arrange = cdn_arrange_transform_types,
    .check = check_transform,
    .run = run_transform,
};
