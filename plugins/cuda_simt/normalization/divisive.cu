/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of divisive normalization, the second half of local contrast normalization. Packed
 * tensors use tiles if divisive_choice.cu finds a division; others use the plain form. */
#include "../../cuda_common/table.h"
#include "divisive_plain.h"
#include "divisive_tile.h"

struct divisive_state {
    divisive_plain plain;
    int32_t by_tiles;
    divisive_tiles tiles;
};

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *tiled[] = {
        tensor[DIVISIVE_FORWARD(y)], tensor[DIVISIVE_FORWARD(x)], tensor[DIVISIVE_FORWARD(means)]};
    divisive_state *state = (divisive_state *)plan->job;

    divisive_plain_forward(&state->plain, &plan->problem);
    state->by_tiles = divisive_tiles_prepare(&state->tiles, state->plain.params.lrn, tiled,
                                             state->plain.params.with_means ? 3 : 2,
                                             plan->context->multiprocessors);
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const divisive_state *state = (const divisive_state *)plan->job;
    divisive_tiles tiles;

    if (!state->by_tiles)
        return state->plain.launch(&state->plain, call);
    tiles = state->tiles;
    tiles.x = call->operands->data[DIVISIVE_FORWARD(x)];
    tiles.means = call->operands->data[DIVISIVE_FORWARD(means)];
    tiles.out = call->operands->data[DIVISIVE_FORWARD(y)];
    tiles.blend = {call->operands->scale[0], call->operands->scale[1]};
    return state->plain.params.with_means
               ? divisive_means_run(&tiles, plan->problem.tensor[DIVISIVE_FORWARD(x)]->type, 0,
                                    call)
               : divisive_tiles_run(&tiles, plan->problem.tensor[DIVISIVE_FORWARD(x)]->type, 0,
                                    call);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *tiled[] = {
        tensor[DIVISIVE_BACKWARD(dx)], tensor[DIVISIVE_BACKWARD(x)], tensor[DIVISIVE_BACKWARD(dy)],
        tensor[DIVISIVE_BACKWARD(means)], tensor[DIVISIVE_BACKWARD(dmeans)]};
    divisive_state *state = (divisive_state *)plan->job;
    int means, dmeans;

    divisive_plain_backward(&state->plain, &plan->problem);
    means = state->plain.params.with_means;
    dmeans = state->plain.params.with_dmeans;
    state->by_tiles = (means || !dmeans) &&
                      divisive_tiles_prepare(&state->tiles, state->plain.params.lrn, tiled,
                                             3 + means + dmeans, plan->context->multiprocessors);
}

static int32_t backward_by_tiles(const divisive_state *state, const cuda_call *call, int32_t type)
{
    divisive_tiles tiles = state->tiles;
    void *scratch;
    int32_t dropped,
        status = cuda_scratch_take(call->device, call->stream,
                                   2 * (size_t)state->plain.elements * sizeof(float), &scratch);

    if (status)
        return status;
    tiles.x = call->operands->data[DIVISIVE_BACKWARD(x)];
    tiles.means = call->operands->data[DIVISIVE_BACKWARD(means)];
    tiles.dy = call->operands->data[DIVISIVE_BACKWARD(dy)];
    tiles.dmeans =
        state->plain.params.with_dmeans ? call->operands->data[DIVISIVE_BACKWARD(dmeans)] : nullptr;
    tiles.out = call->operands->data[DIVISIVE_BACKWARD(dx)];
    tiles.shared = (float *)scratch;
    tiles.direct = tiles.shared + state->plain.elements;
    tiles.blend = {call->operands->scale[0], call->operands->scale[1]};
    status = state->plain.params.with_means ? divisive_means_run(&tiles, type, 1, call)
                                            : divisive_tiles_run(&tiles, type, 1, call);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const divisive_state *state = (const divisive_state *)plan->job;

    return state->by_tiles
               ? backward_by_tiles(state, call, plan->problem.tensor[DIVISIVE_BACKWARD(x)]->type)
               : state->plain.launch(&state->plain, call);
}

CUDA_OPERATION(divisive_normalization_forward, DIVISIVE_NORMALIZATION_FORWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(divisive_state),
               .prepare = forward_prepare, .run = forward_run);
CUDA_OPERATION(divisive_normalization_backward, DIVISIVE_NORMALIZATION_BACKWARD,
               .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS, .job_size = sizeof(divisive_state),
               .scratch = 1, .prepare = backward_prepare, .run = backward_run);
