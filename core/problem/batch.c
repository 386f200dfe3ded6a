/* SPDX-License-Identifier: Apache-2.0 */
/* Makes problems with a fixed batch, for choices that must not depend on the batch. */
#include "problem/batch.h"

#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "problem/operation.h"

/* A batch of this many elements in all keeps the processors of a device busy. */
#define ELEMENTS (INT64_C(1) << 22)
#define SAMPLES  64

int adn_batch_covers(int32_t operation)
{
    return operation >= 0 && operation < 64 &&
           (ANYDNN_PLUGIN_BATCH_INVARIANT_OPERATIONS >> operation & 1) != 0;
}

uint32_t adn_batch_slots(int32_t operation)
{
    uint32_t shared = 0;

    if (!adn_batch_covers(operation))
        return 0;
    if (operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        shared = 1u << slot_convolution_forward_w;
    else if (operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA)
        shared = 1u << slot_convolution_backward_data_w;
    else if (operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD)
        shared = 1u << slot_convolution_bias_activation_forward_w |
                 1u << slot_convolution_bias_activation_forward_bias;
    else if (operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE)
        shared = 1u << slot_batch_normalization_inference_scale |
                 1u << slot_batch_normalization_inference_bias |
                 1u << slot_batch_normalization_inference_mean |
                 1u << slot_batch_normalization_inference_var;
    return ((1u << adn_problem_operation(operation)->slot_count) - 1) & ~shared;
}

/* Returns 1 if the tensor has the strides of the format in all dims from `first` on whose size is
 * not 1, and writes all strides of the format. */
static int has_format(const struct anydnn_plugin_tensor *tensor, int32_t format, int32_t first,
                      int64_t *strides)
{
    if (adn_shape_strides(format, tensor->type, tensor->ndims, tensor->dims, strides) != 0)
        return 0;
    for (int32_t i = first; i < tensor->ndims; i++)
        if (adn_shape_extent(tensor, i) != 1 && tensor->strides[i] != strides[i])
            return 0;
    return 1;
}

/* Replaces strides that have no meaning: those of dims of size 1, and with `batched` that of the
 * batch. */
static void fix_strides(struct anydnn_plugin_tensor *tensor, int batched)
{
    static const int32_t formats[] = {ANYDNN_TENSOR_NCHW, ANYDNN_TENSOR_NHWC,
                                      ANYDNN_TENSOR_NCHW_VECT_C};
    int64_t strides[ANYDNN_PLUGIN_DIM_MAX];
    int64_t span = 1;

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (has_format(tensor, formats[i], batched, strides)) {
            memcpy(tensor->strides, strides, (size_t)tensor->ndims * sizeof(strides[0]));
            return;
        }
    for (int32_t i = batched; i < tensor->ndims; i++) {
        if (adn_shape_extent(tensor, i) == 1)
            tensor->strides[i] = 1;
        span += (adn_shape_extent(tensor, i) - 1) * tensor->strides[i];
    }
    if (batched)
        tensor->strides[0] = span;
}

/* Returns the batch that brings the largest operand to ELEMENTS, at least 1 and at most SAMPLES. */
static int64_t samples_for(const struct adn_problem *problem, uint32_t batched)
{
    int64_t largest = 1, samples;

    for (int32_t i = 0; i < ADN_SLOTS; i++) {
        int64_t elements = 1;

        if (!(batched >> i & 1))
            continue;
        for (int32_t d = 1; d < problem->tensor[i].ndims; d++)
            elements *= problem->tensor[i].dims[d];
        largest = elements > largest ? elements : largest;
    }
    samples = (ELEMENTS + largest - 1) / largest;
    return samples < SAMPLES ? samples : SAMPLES;
}

void adn_batch_resize(const struct adn_problem *problem, int64_t samples, struct adn_problem *out)
{
    uint32_t batched = adn_batch_slots(problem->operation);

    adn_problem_copy(out, problem);
    for (int32_t i = 0; i < ADN_SLOTS; i++) {
        int has_batch = (batched >> i & 1) != 0;

        if (!(problem->present >> i & 1))
            continue;
        if (has_batch)
            out->tensor[i].dims[0] = samples;
        fix_strides(&out->tensor[i], has_batch);
    }
}

/* Returns 1 if the pads of a transform add samples to the result or remove some. */
static int pads_batch(const struct adn_problem *problem)
{
    return problem->operation == ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX &&
           (problem->params.transform.pad_before[0] != 0 ||
            problem->params.transform.pad_after[0] != 0);
}

int adn_batch_fix(const struct adn_problem *problem, struct adn_problem *fixed)
{
    uint32_t batched = adn_batch_slots(problem->operation) & problem->present;

    if (!problem->batch_invariant || !batched || pads_batch(problem))
        return 0;
    adn_batch_resize(problem, samples_for(problem, batched), fixed);
    return 1;
}

int64_t adn_batch_samples(const struct adn_problem *fixed)
{
    return fixed->tensor[__builtin_ctz(adn_batch_slots(fixed->operation))].dims[0];
}

uint32_t adn_batch_alignment(const struct adn_problem *fixed, uint32_t most)
{
    uint32_t batched = adn_batch_slots(fixed->operation) & fixed->present;
    uint64_t all = most;

    for (int32_t i = 0; i < ADN_SLOTS; i++)
        if (batched >> i & 1)
            all |= (uint64_t)fixed->tensor[i].strides[0] *
                   (uint64_t)adn_type_size(fixed->tensor[i].type);
    return (uint32_t)(all & -all);
}
