/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of the spatial transformer. */
#include "table.h"

#define GRID(name)          slot_spatial_grid_forward_##name
#define GRID_BACKWARD(name) slot_spatial_grid_backward_##name
#define FORWARD(name)       slot_spatial_sampler_forward_##name
#define BACKWARD(name)      slot_spatial_sampler_backward_##name

static void grid_prepare(struct anydnn_plugin_plan *plan)
{
    struct spatial_job *job = plan->job;

    opencl_take_tensor(&job->theta, plan, GRID(theta));
    opencl_take_tensor(&job->grid, plan, GRID(grid));
}

static int32_t grid_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct spatial_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->grid.count, OPENCL_SLOTS(GRID(theta), GRID(grid)));
}

static void grid_backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct spatial_job *job = plan->job;

    opencl_take_tensor(&job->theta, plan, GRID_BACKWARD(dtheta));
    opencl_take_tensor(&job->grid, plan, GRID_BACKWARD(dgrid));
}

static int32_t grid_backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct spatial_job *job = plan->job;

    return opencl_launch_groups(plan, call, 0, job->theta.count,
                                OPENCL_SLOTS(GRID_BACKWARD(dgrid), GRID_BACKWARD(dtheta)));
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    struct spatial_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, FORWARD(x));
    opencl_take_tensor(&job->grid, plan, FORWARD(grid));
    opencl_take_tensor(&job->y, plan, FORWARD(y));
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct spatial_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->y.count,
                         OPENCL_SLOTS(FORWARD(x), FORWARD(grid), FORWARD(y)));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct spatial_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, BACKWARD(x));
    opencl_take_tensor(&job->grid, plan, BACKWARD(grid));
    opencl_take_tensor(&job->y, plan, BACKWARD(dy));
    opencl_take_tensor(&job->dx, plan, BACKWARD(dx));
    opencl_take_tensor(&job->dgrid, plan, BACKWARD(dgrid));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct spatial_job *job = plan->job;
    int32_t status = opencl_launch(plan, call, 0, job->dx.count,
                                   OPENCL_SLOTS(BACKWARD(grid), BACKWARD(dy), BACKWARD(dx)));

    return status ? status
                  : opencl_launch(
                        plan, call, 1, job->dgrid.count,
                        OPENCL_SLOTS(BACKWARD(x), BACKWARD(grid), BACKWARD(dy), BACKWARD(dgrid)));
}

/* An entry; all of them have the same types, layouts and job. */
#define SPATIAL(number, function, ...)                                                             \
    {                                                                                              \
        .operation = ANYDNN_PLUGIN_##number, .types = OPENCL_FLOATS, .layouts = KIT_LAYOUTS,       \
        .program = OPENCL_SPATIAL, .kernels = {__VA_ARGS__},                                       \
        .job_size = sizeof(struct spatial_job), .prepare = function##prepare,                      \
        .run = function##run,                                                                      \
    }

const struct opencl_operation opencl_spatial_grid_forward =
    SPATIAL(SPATIAL_GRID_FORWARD, grid_, "grid_forward");
const struct opencl_operation opencl_spatial_grid_backward =
    SPATIAL(SPATIAL_GRID_BACKWARD, grid_backward_, "grid_backward");
const struct opencl_operation opencl_spatial_sampler_forward =
    SPATIAL(SPATIAL_SAMPLER_FORWARD, forward_, "sampler_forward");
const struct opencl_operation opencl_spatial_sampler_backward =
    SPATIAL(SPATIAL_SAMPLER_BACKWARD, backward_, "sampler_image", "sampler_grid");
