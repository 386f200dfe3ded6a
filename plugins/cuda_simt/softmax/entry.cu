/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of softmax, forward and backward: a fast form if choice.cu has one for the packed
 * tensors, else the plain form. A vector runs over c (channel) or over all dims but n
 * (instance). */
#include "../../cuda_common/table.h"
#include "plain.h"

/* The modes of struct anydnn_plugin_softmax. */
enum { INSTANCE, CHANNEL };

struct softmax_state {
    softmax_plain_job job;
    cuda_softmax_packed packed;
    softmax_plain_kernel kernel;
};

static void prepare(struct anydnn_plugin_plan *plan,
                    const struct anydnn_plugin_tensor *const tensor[], int32_t tensors)
{
    const struct anydnn_plugin_softmax *params =
        (const struct anydnn_plugin_softmax *)plan->problem.params;
    uint32_t along = params->mode == CHANNEL ? 1u << 1 : ~1u;
    softmax_state *state = (softmax_state *)plan->job;
    softmax_plain_job *job = &state->job;

    softmax_plain_prepare(job, tensor, tensors, along, params->algorithm);
    cuda_softmax_packed_prepare(&state->packed, &job->vectors, &job->vector, tensor[0]->type,
                                tensors == 3);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *walked[] = {tensor[slot_softmax_forward_y],
                                                   tensor[slot_softmax_forward_x]};

    prepare(plan, walked, 2);
    ((softmax_state *)plan->job)->kernel =
        softmax_plain_forward_kernel(tensor[slot_softmax_forward_x]->type);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *walked[] = {tensor[slot_softmax_backward_dx],
                                                   tensor[slot_softmax_backward_y],
                                                   tensor[slot_softmax_backward_dy]};

    prepare(plan, walked, 3);
    ((softmax_state *)plan->job)->kernel =
        softmax_plain_backward_kernel(tensor[slot_softmax_backward_dy]->type);
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call, int out, int first,
                   int second)
{
    const softmax_state *state = (const softmax_state *)plan->job;
    void *const *from = call->operands->data;
    void *const data[CUDA_SOFTMAX_TENSORS] = {from[out], from[first], from[second]};
    softmax_plain_job job = state->job;

    for (int t = 0; t < CUDA_SOFTMAX_TENSORS; t++)
        job.data[t] = data[t];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    if (cuda_softmax_packed_takes(&state->packed, data))
        return cuda_softmax_packed_run(&state->packed, call, data, job.blend, job.algorithm);
    return softmax_plain_run(job, state->kernel, call);
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    return run(plan, call, slot_softmax_forward_y, slot_softmax_forward_x, slot_softmax_forward_x);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    return run(plan, call, slot_softmax_backward_dx, slot_softmax_backward_y,
               slot_softmax_backward_dy);
}

CUDA_OPERATION(softmax_forward, SOFTMAX_FORWARD, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .job_size = sizeof(softmax_state),
               .prepare = forward_prepare, .run = forward_run);
CUDA_OPERATION(softmax_backward, SOFTMAX_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(softmax_state), .prepare = backward_prepare, .run = backward_run);
