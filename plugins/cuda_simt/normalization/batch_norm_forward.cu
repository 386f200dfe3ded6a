/* SPDX-License-Identifier: Apache-2.0 */
/* The forward operations of batch normalization, with given statistics (inference) or with those of
 * x (training): y = act(scale * (x - mean) / sqrt(var + epsilon) + bias + z). In NHWC, training has
 * three fast paths: one kernel (batch_norm_resident.h), whole images (batch_norm_images.cu) and
 * tiles of rows (batch_norm_nhwc_forward.cu). Everything else uses the plain form. */
#include "../../cuda_common/table.h"
#include "batch_norm_element.h"
#include "batch_norm_images.h"
#include "batch_norm_nhwc.h"
#include "batch_norm_plain.h"
#include "batch_norm_resident.h"

struct forward_state {
    norm_plain_forward plain;
    cuda_stats_plan stats;
    cuda_norm_images images; /* for all tensors of x's shape */
    cuda_norm_nhwc rows;
    cuda_norm_resident resident;
    int64_t cells;
    double count;
};

static void inference_prepare(struct anydnn_plugin_plan *plan)
{
    norm_plain_inference(&((forward_state *)plan->job)->plain, plan);
}

static int32_t inference_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const norm_plain_forward *plain = &((const forward_state *)plan->job)->plain;

    return plain->launch(plain, plan, call, nullptr);
}

/* Prepares the second step by tiles of rows, except the cells. Returns 1 if tensors and pointers
 * allow it. */
static int rows_of(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                   cuda_norm_nhwc_job *job)
{
    void *const *data = call->operands->data;
    int active = cuda_norm_params(plan)->ops != CUDA_NORM_PLAIN;

    *job = {};
    job->rows = ((const forward_state *)plan->job)->rows;
    job->x = data[NORM_TRAINING(x)];
    job->beside =
        cuda_norm_params(plan)->ops == CUDA_NORM_ADD_ACTIVATION ? data[NORM_TRAINING(z)] : nullptr;
    job->out = data[NORM_TRAINING(y)];
    job->reserve = active ? (uint8_t *)data[NORM_TRAINING(reserve)] : nullptr;
    job->blend = {call->operands->scale[0], call->operands->scale[1]};
    job->f = cuda_norm_activation(plan);
    return cuda_norm_nhwc_taken(job);
}

/* Prepares the second step by whole images, except the coefficients. Returns 1 if tensors and
 * pointers allow it. */
static int images_of(const struct anydnn_plugin_plan *plan, const cuda_norm_nhwc_job &rows,
                     cuda_norm_images_job *job)
{
    *job = {};
    job->shape = ((const forward_state *)plan->job)->images;
    job->x = rows.x;
    job->z = rows.beside;
    job->y = rows.out;
    job->reserve = rows.reserve;
    job->blend = rows.blend;
    job->f = rows.f;
    return cuda_norm_images_taken(job);
}

/* Prepares the single kernel. Returns 1 if tensors and pointers allow it. */
static int resident_of(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                       cuda_norm_resident_job *job)
{
    const forward_state *state = (const forward_state *)plan->job;
    void *const *data = call->operands->data;
    int32_t ops = cuda_norm_params(plan)->ops;

    *job = {};
    job->shape = state->resident;
    job->x = data[NORM_TRAINING(x)];
    job->beside = ops == CUDA_NORM_ADD_ACTIVATION ? data[NORM_TRAINING(z)] : nullptr;
    job->out = data[NORM_TRAINING(y)];
    job->reserve = ops == CUDA_NORM_PLAIN ? nullptr : (uint8_t *)data[NORM_TRAINING(reserve)];
    job->scale = (const float *)data[NORM_TRAINING(scale)];
    job->bias = (const float *)data[NORM_TRAINING(bias)];
    job->running_mean = (float *)data[NORM_TRAINING(running_mean)];
    job->running_var = (float *)data[NORM_TRAINING(running_var)];
    job->mean = (float *)data[NORM_TRAINING(save_mean)];
    job->inv_std = (float *)data[NORM_TRAINING(save_inv_var)];
    job->count = state->count;
    job->epsilon = cuda_norm_params(plan)->epsilon;
    job->factor = call->operands->number[0];
    job->f = cuda_norm_activation(plan);
    return cuda_norm_resident_taken(job) &&
           cuda_is_plain({call->operands->scale[0], call->operands->scale[1]});
}

static void prepare_resident(forward_state *state, const struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_tensor *const alike[])
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *params[] = {
        tensor[NORM_TRAINING(scale)],        tensor[NORM_TRAINING(bias)],
        tensor[NORM_TRAINING(running_mean)], tensor[NORM_TRAINING(running_var)],
        tensor[NORM_TRAINING(save_mean)],    tensor[NORM_TRAINING(save_inv_var)]};
    cuda_norm_resident_request request = {alike, 3, params, 6, 1, 0, 1, 0};

    request.rings = cuda_norm_params(plan)->ops == CUDA_NORM_ADD_ACTIVATION ? 2 : 1;
    request.signs = cuda_norm_params(plan)->ops != CUDA_NORM_PLAIN;
    cuda_norm_resident_prepare(&state->resident, plan, request);
}

static void training_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *stats[CUDA_STATS_COUNT] = {
        tensor[NORM_TRAINING(x)],
        nullptr,
        tensor[NORM_TRAINING(scale)],
        tensor[NORM_TRAINING(bias)],
        tensor[NORM_TRAINING(running_mean)],
        tensor[NORM_TRAINING(running_var)],
        tensor[NORM_TRAINING(save_mean)],
        tensor[NORM_TRAINING(save_inv_var)]};
    struct anydnn_plugin_tensor grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *alike[] = {
        tensor[NORM_TRAINING(x)], tensor[NORM_TRAINING(y)], tensor[NORM_TRAINING(z)]};
    forward_state *state = (forward_state *)plan->job;

    if (!cuda_norm_is_curved(plan)) {
        prepare_resident(state, plan, alike);
        cuda_norm_images_prepare(&state->images, plan, alike, 3);
        cuda_norm_nhwc_prepare(&state->rows, plan, cuda_norm_params(plan)->ops != CUDA_NORM_PLAIN,
                               alike, 3);
    }
    cuda_stats_prepare(&state->stats, plan, stats);
    norm_plain_training(&state->plain, plan);
    state->cells = cuda_tensor_count(&grid);
    state->count = (double)(cuda_tensor_count(tensor[NORM_TRAINING(x)]) / state->cells);
}

static int32_t training_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const forward_state *state = (const forward_state *)plan->job;
    void *const *from = call->operands->data;
    void *const data[CUDA_STATS_COUNT] = {from[NORM_TRAINING(x)],
                                          nullptr,
                                          from[NORM_TRAINING(scale)],
                                          from[NORM_TRAINING(bias)],
                                          from[NORM_TRAINING(running_mean)],
                                          from[NORM_TRAINING(running_var)],
                                          from[NORM_TRAINING(save_mean)],
                                          from[NORM_TRAINING(save_inv_var)]};
    int32_t type = plan->problem.tensor[NORM_TRAINING(x)]->type, by_rows, by_images, dropped,
            status;
    cuda_norm_nhwc_job rows;
    cuda_norm_images_job images;
    cuda_norm_resident_job resident;
    cuda_stats_params params = {};
    size_t cells = (size_t)state->cells, each = sizeof(cuda_norm_cell) + state->plain.size;
    size_t partial = cuda_stats_partial_size(&state->stats);
    void *scratch;

    if (resident_of(plan, call, &resident)) {
        status = cuda_norm_resident_forward(call, type, &resident);
        if (status != CUDA_NORM_NO_CAPACITY)
            return status;
    }
    by_rows = rows_of(plan, call, &rows);
    by_images = images_of(plan, rows, &images);
    if (by_images)
        each += sizeof(float) * cuda_norm_forward_coefficients::COUNT;
    status = cuda_scratch_take(call->device, call->stream, partial + cells * each, &scratch);
    if (status)
        return status;
    rows.cells = params.cells = (cuda_norm_cell *)((char *)scratch + partial);
    params.numbers = params.cells + cells;
    if (by_images)
        params.coefficients = (float *)((char *)params.numbers + cells * state->plain.size);
    images.coefficients = params.coefficients;
    params.channels = images.shape.channels;
    params.count = state->count;
    params.epsilon = cuda_norm_params(plan)->epsilon;
    params.factor = call->operands->number[0];
    status = cuda_stats_run(&state->stats, plan, call, data, params, scratch);
    if (!status)
        status = by_images ? cuda_norm_images_results(call, type, &images)
                 : by_rows ? cuda_norm_nhwc_forward(call, type, &rows)
                           : state->plain.launch(&state->plain, plan, call, params.numbers);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

CUDA_OPERATION(batch_normalization_inference, BATCH_NORMALIZATION_INFERENCE,
               .types = CUDA_FLOATS | CUDA_TYPE(INT8), .layouts = KIT_LAYOUTS,
               .job_size = sizeof(forward_state), .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT,
               .prepare = inference_prepare, .run = inference_run);
CUDA_OPERATION(batch_normalization_training, BATCH_NORMALIZATION_TRAINING, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(forward_state), .scratch = 1,
               .prepare = training_prepare, .run = training_run);
