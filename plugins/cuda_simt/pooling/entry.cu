/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of pooling: a fast form if the tensors are packed and choice.c finds one, else the
 * plain form. */
#include "../../cuda_common/table.h"
#include "plain.h"

/* A form for packed tensors; launch is NULL if there is none. */
struct pooling_form_state {
    pooling_launch *launch;
    pooling_packed packed;
};

struct pooling_state {
    pooling_plain plain;
    pooling_form_state aligned; /* for operands that all begin at multiples of 16 bytes */
    pooling_form_state unaligned;
};

static pooling_launch *forward_launch(enum pooling_form form, const pooling_packed &packed,
                                      int32_t type, int32_t mode)
{
    switch (form) {
    case POOLING_NCHW_HALVING:
        return pooling_nchw_halving_launch(type, packed.shape.window[1]);
    case POOLING_NHWC_HALVING:
        return pooling_nhwc_halving_launch(type, packed.shape.window[1]);
    case POOLING_NHWC:
    case POOLING_NHWC_SINGLE:
        return pooling_nhwc_forward_launch(type, mode, form == POOLING_NHWC_SINGLE);
    case POOLING_NCHW:
        return pooling_nchw_forward_launch(type, mode);
    case POOLING_NCHW_LARGE:
        return pooling_nchw_large_launch(type, mode);
    default:
        return nullptr;
    }
}

static pooling_launch *backward_launch(enum pooling_form form, const pooling_packed &packed,
                                       int32_t type, int32_t mode)
{
    switch (form) {
    case POOLING_NCHW_HALVING:
        return pooling_nchw_halving_backward_launch(type, packed.shape.window[1],
                                                    pooling_is_max(mode));
    case POOLING_NHWC_HALVING:
        return pooling_nhwc_halving_backward_launch(type, packed.shape.window[1],
                                                    pooling_is_max(mode));
    case POOLING_NHWC:
    case POOLING_NHWC_SINGLE:
        return pooling_nhwc_backward_launch(type, mode, form == POOLING_NHWC_SINGLE);
    case POOLING_NCHW:
        return pooling_is_max(mode) ? pooling_nchw_max_launch(type)
                                    : pooling_nchw_average_launch(type);
    default:
        return nullptr;
    }
}

/* Returns the form for these operands, or NULL if only the plain form accepts them. */
static const pooling_form_state *form_for(const pooling_state *state,
                                          const pooling_operands *operands)
{
    uintptr_t addresses = (uintptr_t)operands->x | (uintptr_t)operands->y |
                          (uintptr_t)operands->dy | (uintptr_t)operands->out;
    const pooling_form_state *form =
        addresses % sizeof(uint4) == 0 ? &state->aligned : &state->unaligned;

    return form->launch ? form : nullptr;
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_pooling_forward_x];
    pooling_state *state = (pooling_state *)plan->job;
    int32_t mode = ((const struct anydnn_plugin_pooling *)plan->problem.params)->mode;

    for (pooling_form_state *form : {&state->aligned, &state->unaligned}) {
        enum pooling_form chosen =
            pooling_forward_form(plan, &form->packed, form == &state->unaligned);
        form->launch = forward_launch(chosen, form->packed, x->type, mode);
    }
    pooling_plain_forward(&state->plain, plan);
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const pooling_state *state = (const pooling_state *)plan->job;
    void *const *data = call->operands->data;
    void *const mapped[] = {data[slot_pooling_forward_y], data[slot_pooling_forward_x]};
    const pooling_operands operands = {data[slot_pooling_forward_x], nullptr, nullptr,
                                       data[slot_pooling_forward_y]};
    const pooling_form_state *form = form_for(state, &operands);

    if (form)
        return form->launch(&form->packed, call, &operands);
    return state->plain.launch(&state->plain, call, mapped);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_pooling_backward_x];
    pooling_state *state = (pooling_state *)plan->job;
    int32_t mode = ((const struct anydnn_plugin_pooling *)plan->problem.params)->mode;

    for (pooling_form_state *form : {&state->aligned, &state->unaligned}) {
        enum pooling_form chosen =
            pooling_backward_form(plan, &form->packed, form == &state->unaligned);
        form->launch = backward_launch(chosen, form->packed, x->type, mode);
    }
    pooling_plain_backward(&state->plain, plan);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const pooling_state *state = (const pooling_state *)plan->job;
    void *const *data = call->operands->data;
    void *const mapped[] = {data[slot_pooling_backward_dx], data[slot_pooling_backward_x],
                            data[slot_pooling_backward_y], data[slot_pooling_backward_dy]};
    const pooling_operands operands = {data[slot_pooling_backward_x], data[slot_pooling_backward_y],
                                       data[slot_pooling_backward_dy],
                                       data[slot_pooling_backward_dx]};
    const pooling_form_state *form = form_for(state, &operands);

    if (form)
        return form->launch(&form->packed, call, &operands);
    return state->plain.launch(&state->plain, call, mapped);
}

/* Offers the only engine. The kernels for aligned images add an average in another order than those
 * for unaligned ones, so only maxima do not depend on the place of a sample. */
static int32_t forward_engines(const struct anydnn_plugin_plan *plan,
                               struct anydnn_plugin_candidate engines[CUDA_ENGINES_MAX])
{
    int32_t mode = ((const struct anydnn_plugin_pooling *)plan->problem.params)->mode;

    engines[0] = {};
    engines[0].engine = 1;
    engines[0].notes = pooling_is_max(mode) ? ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT : 0;
    return 1;
}

CUDA_OPERATION(pooling_forward, POOLING_FORWARD,
               .types = CUDA_FLOATS | CUDA_TYPE(INT8) | CUDA_TYPE(INT8X4) | CUDA_TYPE(INT8X32),
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .job_size = sizeof(pooling_state),
               .prepare = forward_prepare, .run = forward_run, .engines = forward_engines);
CUDA_OPERATION(pooling_backward, POOLING_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(pooling_state), .prepare = backward_prepare, .run = backward_run);
