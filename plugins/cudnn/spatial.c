/* SPDX-License-Identifier: Apache-2.0 */
/* The spatial transformer: grids of affine matrices, and images sampled at the points of a grid. */
#include "table.h"

#include <limits.h>

/* Slots. */
enum { FORWARD_X, FORWARD_GRID, FORWARD_Y };
enum { BACKWARD_X, BACKWARD_GRID, BACKWARD_DY, BACKWARD_DX, BACKWARD_DGRID };

/* Dims of a grid; images are n, c, h, w. */
enum { GRID_N, GRID_H, GRID_W };

/* Theta and grids have no descriptors, so that they are packed; and it is not documented that
 * images may be other than that. Of the short types sums would be rounded. */
static void arrange(struct anydnn_plugin_plan *plan)
{
    cdn_widen(plan, plan->problem.present, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16));
    cdn_pack_rows(plan, plan->problem.present);
}

static int32_t make(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_tensor *grid,
                    int64_t channels, struct kit_refusal *why)
{
    const int64_t wanted[] = {grid->dims[GRID_N], channels, grid->dims[GRID_H], grid->dims[GRID_W]};
    cudnnStatus_t status;
    int dims[4];

    for (int d = 0; d < 4; d++) {
        if (wanted[d] > INT_MAX)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "the grid has dim %lld; cuDNN counts in 31 bits",
                              (long long)wanted[d]);
        dims[d] = (int)wanted[d];
    }
    status = cudnn.cudnnCreateSpatialTransformerDescriptor(&plan->made.spatial);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetSpatialTransformerNdDescriptor(
            plan->made.spatial, CUDNN_SAMPLER_BILINEAR, cdn_type(grid->type), 4, dims);
    return status == CUDNN_STATUS_SUCCESS ? 0
                                          : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                                              status, "the spatial transformer");
}

/* ------------------------------------------------------------------ grids */

static const struct anydnn_plugin_tensor *grid_of(const struct anydnn_plugin_problem *problem)
{
    return problem->tensor[problem->operation == ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD];
}

/* Its coordinates go from -1 to 1 in steps of 2 / (count - 1). */
static int32_t check_grid(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const int64_t *dims = grid_of(problem)->dims;

    if (dims[GRID_H] > 1 && dims[GRID_W] > 1)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                      "the grid has %lld rows and %lld columns; cuDNN divides by their numbers "
                      "less one",
                      (long long)dims[GRID_H], (long long)dims[GRID_W]);
}

static int32_t prepare_grid(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    return make(plan, grid_of(&plan->problem), 1, why);
}

static int32_t run_grid_forward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;

    return cdn_ran(call,
                   cudnn.cudnnSpatialTfGridGeneratorForward(plan->context->handle,
                                                            plan->made.spatial, data[0], data[1]),
                   plan->operation->function);
}

static int32_t run_grid_backward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;

    return cdn_ran(call,
                   cudnn.cudnnSpatialTfGridGeneratorBackward(plan->context->handle,
                                                             plan->made.spatial, data[0], data[1]),
                   plan->operation->function);
}

const struct cdn_operation cdn_spatial_grid_forward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .function = "cudnnSpatialTfGridGeneratorForward",
    .arrange = arrange,
    .check = check_grid,
    .prepare = prepare_grid,
    .run = run_grid_forward,
};

const struct cdn_operation cdn_spatial_grid_backward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .function = "cudnnSpatialTfGridGeneratorBackward",
    .arrange = arrange,
    .check = check_grid,
    .prepare = prepare_grid,
    .run = run_grid_backward,
};

/* ------------------------------------------------------------------ samples */

/* The gradient of the image is added up by atomics: NVIDIA's list of routines that are not
 * reproducible has it. */
static int32_t prepare_sampler(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    if (plan->problem.operation == ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD)
        plan->notes = ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC;
    return make(plan, plan->problem.tensor[FORWARD_GRID], plan->problem.tensor[FORWARD_X]->dims[1],
                why);
}

static int32_t run_sampler_forward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnSpatialTfSamplerForward(
                       plan->context->handle, plan->made.spatial, &call->scale[0], desc[FORWARD_X],
                       data[FORWARD_X], data[FORWARD_GRID], &call->scale[1], desc[FORWARD_Y],
                       data[FORWARD_Y]),
                   plan->operation->function);
}

static int32_t run_sampler_backward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnSpatialTfSamplerBackward(
                       plan->context->handle, plan->made.spatial, &call->scale[0], desc[BACKWARD_X],
                       data[BACKWARD_X], &call->scale[1], desc[BACKWARD_DX], data[BACKWARD_DX],
                       &call->scale[2], desc[BACKWARD_DY], data[BACKWARD_DY], data[BACKWARD_GRID],
                       &call->scale[3], data[BACKWARD_DGRID]),
                   plan->operation->function);
}

const struct cdn_operation cdn_spatial_sampler_forward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 1u << FORWARD_X | 1u << FORWARD_Y,
    .function = "cudnnSpatialTfSamplerForward",
    .arrange = arrange,
    .prepare = prepare_sampler,
    .run = run_sampler_forward,
};

const struct cdn_operation cdn_spatial_sampler_backward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 1u << BACKWARD_X | 1u << BACKWARD_DY | 1u << BACKWARD_DX,
    .function = "cudnnSpatialTfSamplerBackward",
    .arrange = arrange,
    .prepare = prepare_sampler,
    .run = run_sampler_backward,
};
