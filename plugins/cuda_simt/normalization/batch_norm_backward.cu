/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization backward. g is the gradient before the activation, n = (x - mean) * inv_std
 * the normalized x, and m the number of elements in a cell; then
 *   dz = g, dbias = sum g, dscale = sum g n,
 *   dx = scale * inv_std * (g - dbias / m - n * dscale / m).
 * In NHWC, it runs as one kernel (batch_norm_resident.h) or by rows of channels
 * (batch_norm_nhwc_backward.cu), else in the plain form. */
#include "../../cuda_common/table.h"
#include "batch_norm_gradient.h"
#include "batch_norm_plain.h"
#include "batch_norm_resident.h"

struct backward_state {
    norm_plain_backward plain;
    cuda_stats_plan stats;
    cuda_reduce_plan sums;
    cuda_norm_nhwc rows; /* for all tensors of x's shape */
    cuda_norm_resident resident;
    int64_t cells;
    double count;
};

/* Computes mean and variance of x again if they were not saved. */
static int32_t run_stats(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                         cuda_norm_cell *cells, void *partial_sums)
{
    const backward_state *state = (const backward_state *)plan->job;
    void *const *from = call->operands->data;
    void *const data[CUDA_STATS_COUNT] = {from[NORM_BACKWARD(x)], nullptr,
                                          from[NORM_BACKWARD(scale)], from[NORM_BACKWARD(bias)]};
    cuda_stats_params params = {};

    params.cells = cells;
    params.count = state->count;
    params.epsilon = cuda_norm_params(plan)->epsilon;
    params.factor = 1;
    return cuda_stats_run(&state->stats, plan, call, data, params, partial_sums);
}

/* Prepares the steps by rows. Returns 1 if tensors and pointers allow it. */
static int rows_of(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                   const norm_backward_params &params, cuda_norm_nhwc_job *job)
{
    void *const *from = call->operands->data;

    *job = {};
    job->rows = ((const backward_state *)plan->job)->rows;
    job->x = from[NORM_BACKWARD(x)];
    job->beside = from[NORM_BACKWARD(dy)];
    job->out = from[NORM_BACKWARD(dx)];
    job->out_z = from[NORM_BACKWARD(dz)];
    job->reserve = (uint8_t *)params.reserve;
    job->cells = params.cells;
    job->mean = params.has_stats ? nullptr : (const float *)from[NORM_BACKWARD(save_mean)];
    job->blend = {call->operands->scale[0], call->operands->scale[1]};
    return cuda_norm_nhwc_taken(job);
}

/* Prepares the single kernel. Returns 1 if tensors and pointers allow it. */
static int resident_of(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                       cuda_norm_resident_job *job)
{
    const backward_state *state = (const backward_state *)plan->job;
    void *const *data = call->operands->data;
    int32_t ops = cuda_norm_params(plan)->ops;

    *job = {};
    job->shape = state->resident;
    job->x = data[NORM_BACKWARD(x)];
    job->beside = data[NORM_BACKWARD(dy)];
    job->out = data[NORM_BACKWARD(dx)];
    job->out_z = data[NORM_BACKWARD(dz)];
    job->reserve = ops == CUDA_NORM_PLAIN ? nullptr : (uint8_t *)data[NORM_BACKWARD(reserve)];
    job->scale = (const float *)data[NORM_BACKWARD(scale)];
    job->mean = (float *)data[NORM_BACKWARD(save_mean)];
    job->inv_std = (float *)data[NORM_BACKWARD(save_inv_var)];
    job->dscale = (float *)data[NORM_BACKWARD(dscale)];
    job->dbias = (float *)data[NORM_BACKWARD(dbias)];
    job->count = state->count;
    job->parameters = {call->operands->scale[2], call->operands->scale[3]};
    return cuda_norm_resident_taken(job) &&
           cuda_is_plain({call->operands->scale[0], call->operands->scale[1]});
}

static void prepare_resident(backward_state *state, const struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_tensor *const alike[])
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *params[] = {
        tensor[NORM_BACKWARD(scale)], tensor[NORM_BACKWARD(save_mean)],
        tensor[NORM_BACKWARD(save_inv_var)], tensor[NORM_BACKWARD(dscale)],
        tensor[NORM_BACKWARD(dbias)]};
    cuda_norm_resident_request request = {alike, 4, params, 5, 2, 0, 2, 0};

    request.signs = cuda_norm_params(plan)->ops != CUDA_NORM_PLAIN;
    request.writes_twice = tensor[NORM_BACKWARD(dz)] != nullptr;
    if (tensor[NORM_BACKWARD(save_mean)] && tensor[NORM_BACKWARD(save_inv_var)])
        cuda_norm_resident_prepare(&state->resident, plan, request);
}

/* Returns 1 if the kernels by rows can read the saved mean: contiguous floats, or none. */
static int has_plain_mean(const struct anydnn_plugin_tensor *mean)
{
    return !mean || (mean->strides[1] == 1 && mean->type == ANYDNN_PLUGIN_FLOAT);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    struct anydnn_plugin_tensor grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *stats[CUDA_STATS_COUNT] = {tensor[NORM_BACKWARD(x)], nullptr,
                                                                  tensor[NORM_BACKWARD(scale)],
                                                                  tensor[NORM_BACKWARD(bias)]};
    const struct anydnn_plugin_tensor *alike[] = {
        tensor[NORM_BACKWARD(x)], tensor[NORM_BACKWARD(dy)], tensor[NORM_BACKWARD(dx)],
        tensor[NORM_BACKWARD(dz)]};
    backward_state *state = (backward_state *)plan->job;

    if (!cuda_norm_is_curved(plan) && has_plain_mean(tensor[NORM_BACKWARD(save_mean)]))
        cuda_norm_nhwc_prepare(&state->rows, plan, cuda_norm_params(plan)->ops != CUDA_NORM_PLAIN,
                               alike, 4);
    if (!cuda_norm_is_curved(plan))
        prepare_resident(state, plan, alike);
    cuda_stats_prepare(&state->stats, plan, stats);
    norm_gradient_prepare(&state->sums, plan);
    norm_plain_gradient(&state->plain, plan);
    state->cells = cuda_tensor_count(&grid);
    state->count = (double)(cuda_tensor_count(tensor[NORM_BACKWARD(x)]) / state->cells);
}

/* Returns the bytes of the partial sums. Those of x are consumed before those of the gradient, so
 * they share memory. */
static size_t partial_size(const backward_state *state)
{
    size_t stats = cuda_stats_partial_size(&state->stats);
    size_t gradient = cuda_norm_partial_size(&state->rows);

    return stats > gradient ? stats : gradient;
}

static int32_t run_steps(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const backward_state *state = (const backward_state *)plan->job;
    void *const *from = call->operands->data;
    norm_backward_params params = {};
    cuda_norm_nhwc_job rows;
    void *scratch;
    size_t partial = partial_size(state);
    int by_rows;
    int32_t dropped,
        status =
            cuda_scratch_take(call->device, call->stream,
                              partial + (size_t)state->cells * sizeof(cuda_norm_cell), &scratch);

    if (status)
        return status;
    params.cells = (cuda_norm_cell *)((char *)scratch + partial);
    if (cuda_norm_params(plan)->ops != CUDA_NORM_PLAIN)
        params.reserve = (const uint8_t *)from[NORM_BACKWARD(reserve)];
    params.y = cuda_norm_is_curved(plan) ? from[NORM_BACKWARD(y)] : nullptr;
    params.f = cuda_norm_activation(plan);
    params.count = state->count;
    params.alpha_param = call->operands->scale[2];
    params.beta_param = call->operands->scale[3];
    params.has_stats = !plan->problem.tensor[NORM_BACKWARD(save_mean)];
    if (params.has_stats)
        status = run_stats(plan, call, params.cells, scratch);
    by_rows = rows_of(plan, call, params, &rows);
    rows.partial_sums = (double *)scratch;
    if (!status)
        status = norm_gradient_run(&state->sums, plan, call, params, by_rows ? &rows : nullptr);
    if (!status)
        status =
            by_rows
                ? cuda_norm_nhwc_backward(call, plan->problem.tensor[NORM_BACKWARD(x)]->type, &rows)
                : state->plain.launch(&state->plain, plan, call, params);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    cuda_norm_resident_job resident;
    int32_t status = CUDA_NORM_NO_CAPACITY;

    if (resident_of(plan, call, &resident))
        status = cuda_norm_resident_backward(call, plan->problem.tensor[NORM_BACKWARD(x)]->type,
                                             &resident);
    return status == CUDA_NORM_NO_CAPACITY ? run_steps(plan, call) : status;
}

CUDA_OPERATION(batch_normalization_backward, BATCH_NORMALIZATION_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(backward_state), .scratch = 1,
               .prepare = backward_prepare, .run = backward_run);
