/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of local response normalization across channels, forward and backward. NHWC
 * (lrn_nhwc.cu) and NCHW (lrn_nchw.cu) use kernels over runs of channels; everything else uses the
 * plain form. */
#include "../../cuda_common/table.h"
#include "lrn_plain.h"
#include "lrn_runs.h"

struct lrn_state {
    lrn_plain plain;
    /* The launch by runs of channels, or NULL. */
    int32_t (*run)(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call);
    lrn_runs runs;
};

/* Prepares runs of channels if the problem allows it. `tensor` has out, x, backward dy. */
static void runs_prepare(const struct anydnn_plugin_plan *plan, lrn_state *state,
                         const struct anydnn_plugin_tensor *const tensor[], int32_t tensors)
{
    const cuda_lrn &lrn = state->plain.params.lrn;
    lrn_runs *runs = &state->runs;

    if (!lrn_is_float(lrn, tensor[0]->type))
        return;
    runs->f = lrn_factors_of(lrn, tensor[0]->type);
    runs->through = 2 * runs->f.alpha * runs->f.beta;
    runs->channels = tensor[0]->dims[1];
    for (int32_t t = 0; t < tensors; t++)
        runs->stride[t] = tensor[t]->strides[1];
    runs->before = (int32_t)lrn.before;
    runs->after = (int32_t)lrn.after;
    if (lrn_nhwc_prepare(runs, tensor, tensors))
        state->run = lrn_nhwc_run;
    else if (lrn_nchw_prepare(runs, plan->context->multiprocessors, tensor, tensors))
        state->run = lrn_nchw_run;
}

/* Launches the form that the plan has prepared. `data` has out, x, backward dy. */
static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call, void *const data[],
                   int32_t tensors)
{
    const lrn_state *state = (const lrn_state *)plan->job;
    lrn_runs runs;

    if (!state->run)
        return state->plain.launch(&state->plain, call, data);
    runs = state->runs;
    for (int32_t t = 0; t < tensors; t++)
        runs.data[t] = data[t];
    runs.blend = {call->operands->scale[0], call->operands->scale[1]};
    return state->run(&runs, plan->problem.tensor[0]->type, tensors == LRN_TENSORS, call);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *tensor[] = {plan->problem.tensor[slot_lrn_forward_y],
                                                   plan->problem.tensor[slot_lrn_forward_x]};
    lrn_state *state = (lrn_state *)plan->job;

    lrn_plain_forward(&state->plain, &plan->problem, tensor);
    runs_prepare(plan, state, tensor, 2);
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    void *const data[] = {call->operands->data[slot_lrn_forward_y],
                          call->operands->data[slot_lrn_forward_x]};

    return run(plan, call, data, 2);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *tensor[] = {plan->problem.tensor[slot_lrn_backward_dx],
                                                   plan->problem.tensor[slot_lrn_backward_x],
                                                   plan->problem.tensor[slot_lrn_backward_dy]};
    lrn_state *state = (lrn_state *)plan->job;

    lrn_plain_backward(&state->plain, &plan->problem, tensor);
    runs_prepare(plan, state, tensor, 3);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    void *const data[] = {call->operands->data[slot_lrn_backward_dx],
                          call->operands->data[slot_lrn_backward_x],
                          call->operands->data[slot_lrn_backward_dy]};

    return run(plan, call, data, 3);
}

/* Declines a result that aliases an input: a thread reads neighbouring channels, which other
 * threads write. */
static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int forward = plan->problem.operation == ANYDNN_PLUGIN_LRN_FORWARD;
    int out = forward ? (int)slot_lrn_forward_y : (int)slot_lrn_backward_dx;

    if (!plan->problem.alias[out])
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                      "the result in operand %d would overwrite operand %d, whose channels "
                      "other threads still read",
                      out, plan->problem.alias[out] - 1);
}

CUDA_OPERATION(lrn_forward, LRN_FORWARD, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .job_size = sizeof(lrn_state),
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .check = check,
               .prepare = forward_prepare, .run = forward_run);
CUDA_OPERATION(lrn_backward, LRN_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(lrn_state), .check = check, .prepare = backward_prepare,
               .run = backward_run);
