/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the problem and the operands of one sample of a batch. */
#include "by_sample.h"

#include "../kit/names.h"
#include "../kit/slots.h"

#define SLOT(name) (UINT32_C(1) << slot_##name)

/* The operands without a batch, such as filters. */
static const uint32_t shared[] = {
    [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = SLOT(convolution_forward_w),
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA] = SLOT(convolution_backward_data_w),
    [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] =
        SLOT(convolution_bias_activation_forward_w) |
        SLOT(convolution_bias_activation_forward_bias),
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE] =
        SLOT(batch_normalization_inference_scale) | SLOT(batch_normalization_inference_bias) |
        SLOT(batch_normalization_inference_mean) | SLOT(batch_normalization_inference_var),
    [ANYDNN_PLUGIN_OPERATION_END - 1] = 0,
};

int onednn_take_sample(struct anydnn_plugin_problem *problem, struct kit_copies *copies,
                       struct onednn_samples *samples)
{
    uint32_t slots = problem->present & ~shared[problem->operation];
    int64_t count = 0;

    if (!(ANYDNN_PLUGIN_BATCH_INVARIANT_OPERATIONS >> problem->operation & 1) || !slots)
        return 0;
    count = copies->tensor[__builtin_ctz(slots)].dims[0];
    for (uint32_t left = slots; left; left &= left - 1)
        if (copies->tensor[__builtin_ctz(left)].dims[0] != count)
            return 0;
    *samples = (struct onednn_samples){.count = count};
    for (uint32_t left = slots; left; left &= left - 1) {
        struct anydnn_plugin_tensor *tensor = &copies->tensor[__builtin_ctz(left)];

        tensor->dims[0] = 1;
        samples->bytes[__builtin_ctz(left)] =
            tensor->strides[0] * kit_type_size(tensor->type) * kit_lanes(tensor->type);
    }
    return 1;
}

void onednn_move_to_sample(const struct onednn_samples *samples, int64_t sample,
                           const struct anydnn_plugin_operands *operands,
                           struct anydnn_plugin_operands *to)
{
    *to = *operands;
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if (to->data[slot])
            to->data[slot] = (char *)to->data[slot] + sample * samples->bytes[slot];
}
