/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and launches the kernels for images with neighbouring channels. */
#include "kinds_images.h"

/* The blocks that are enough for any device. Their number does not depend on the device, so that
 * the results do not. */
#define BLOCKS 528
/* The fewest pixels of a thread. */
#define PIXELS_EACH 8

static int64_t columns_of(const cuda_kinds_view *view, int32_t type)
{
    return cuda_blocks(view->images.channels, 16 / cuda_type_size(type));
}

int cuda_kinds_images_take(const cuda_kinds_view *view, int32_t type)
{
    const cuda_kinds_images *images = &view->images;

    return images->exist && columns_of(view, type) <= KINDS_IMAGES_THREADS &&
           images->pixels < INT64_C(1) << 30 && images->images <= 65535 &&
           images->images * images->groups < INT64_C(1) << 30;
}

static void make_slabs(cuda_kinds_images_job *job)
{
    const cuda_kinds_images *images = &job->of;
    int64_t slabs = cuda_blocks(BLOCKS, images->images);
    int64_t most = cuda_blocks(images->pixels, (int64_t)job->rows * PIXELS_EACH);

    slabs = slabs < most ? slabs : most;
    job->slab = (int32_t)cuda_blocks(images->pixels, slabs);
    job->slabs = (int32_t)cuda_blocks(images->pixels, job->slab);
}

void cuda_kinds_images_prepare(cuda_kinds_images_plan *plan, const cuda_kinds_view *view,
                               const cuda_kinds_job &common, int32_t type, int backward)
{
    cuda_kinds_images_job *job = &plan->job;
    int64_t slabs;

    job->of = view->images;
    job->members = (int32_t)(job->of.channels / job->of.groups);
    job->columns = (int32_t)columns_of(view, type);
    job->rows = job->columns < KINDS_IMAGES_FEW ? KINDS_IMAGES_FEW / job->columns : 1;
    job->is_centered = common.is_centered;
    job->epsilon = common.epsilon;
    job->f = common.f;
    job->is_float[0] = common.is_float[0];
    job->is_float[1] = common.is_float[1];
    make_slabs(job);
    slabs = job->of.images * job->slabs;
    plan->can_be_wide = cuda_kinds_images_are_wide(view, 16 / cuda_type_size(type));
    plan->threads = (int32_t)cuda_round_up(job->columns * job->rows, KINDS_WARP);
    if (!backward || view->slot[KINDS_DEVIATION] < 0) {
        plan->moments = cuda_kinds_images_moments_kernel(type);
        plan->moments_bytes = (size_t)(slabs * job->of.groups) * sizeof(cuda_kinds_moments);
        plan->cells_bytes =
            (size_t)(job->of.images * job->of.groups) * sizeof(cuda_kinds_images_cell);
    }
    if (!backward) {
        plan->forward = cuda_kinds_images_forward_kernel(type);
        return;
    }
    plan->sums = cuda_kinds_images_sums_kernel(type);
    plan->backward = cuda_kinds_images_backward_kernel(type);
    plan->partial_bytes = (size_t)(slabs * 2 * job->of.channels) * sizeof(float);
    plan->sums_bytes = (size_t)(job->of.images * 2 * job->of.channels) * sizeof(float);
}

/* ------------------------------------------------------------------ calls */

static size_t padded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static void set_scratch(cuda_kinds_images_job *job, const cuda_kinds_images_plan *plan,
                        char *scratch)
{
    job->moments = (cuda_kinds_moments *)scratch;
    scratch += padded(plan->moments_bytes);
    job->cells = plan->cells_bytes ? (cuda_kinds_images_cell *)scratch : nullptr;
    scratch += padded(plan->cells_bytes);
    job->partial = (float *)scratch;
    scratch += padded(plan->partial_bytes);
    job->sums = (float *)scratch;
}

/* Launches the kernels of a direction. In backward, slots 2 and 3 are no addends of x, and the
 * statistics are not outputs. */
static int32_t launch_all(const cuda_kinds_images_plan *plan, const cuda_call *call,
                          const cuda_kinds_images_job &job)
{
    int64_t blocks = job.of.images * job.slabs;
    cuda_kinds_images_job statistics = job;
    int32_t status = 0;

    if (plan->backward) {
        for (int t = KINDS_SECOND; t < KINDS_TENSORS; t++)
            statistics.data[t] = nullptr;
    }
    if (plan->moments)
        status = cuda_launch_threads(call, plan->moments, blocks, 1, plan->threads, statistics);
    if (!status && plan->moments)
        status = cuda_kinds_images_cells_run(call, statistics);
    if (!status && plan->forward)
        status = cuda_launch_threads(call, plan->forward, blocks, 1, plan->threads, job);
    if (!status && plan->sums)
        status = cuda_launch_threads(call, plan->sums, blocks, 1, plan->threads, job);
    if (!status && plan->sums)
        status = cuda_kinds_images_sums_run(call, job);
    if (!status && plan->backward)
        status = cuda_launch_threads(call, plan->backward, blocks, 1, plan->threads, job);
    return status;
}

int32_t cuda_kinds_images_run(const cuda_kinds_images_plan *plan, const cuda_call *call,
                              const cuda_kinds_job &pointers)
{
    cuda_kinds_images_job job = plan->job;
    uintptr_t addresses = 0;
    void *scratch;
    int32_t status, dropped;

    for (int t = 0; t < KINDS_TENSORS; t++) {
        job.data[t] = pointers.data[t];
        addresses |= t < KINDS_DATA ? (uintptr_t)pointers.data[t] : 0;
    }
    job.wide = plan->can_be_wide && addresses % sizeof(uint4) == 0;
    job.gradient[0] = pointers.gradient[0];
    job.gradient[1] = pointers.gradient[1];
    status = cuda_scratch_take(call->device, call->stream,
                               padded(plan->moments_bytes) + padded(plan->cells_bytes) +
                                   padded(plan->partial_bytes) + padded(plan->sums_bytes),
                               &scratch);
    if (status)
        return status;
    set_scratch(&job, plan, (char *)scratch);
    status = launch_all(plan, call, job);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}
