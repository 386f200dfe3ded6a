/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and launches the kernels for long contiguous sets. */
#include "kinds_long.h"

/* The blocks that are enough for any device. Their number does not depend on the device, so that
 * the results do not. */
#define BLOCKS 528
/* The fewest elements of a chunk, unless the plane is shorter. Chunks are multiples of it. */
#define CHUNK 8192

/* Returns 1 if the gradients of scale and bias, if any, belong to the planes of channels. Sets must
 * then be numbered by image and by group. */
static int have_planes(const cuda_kinds_view *view)
{
    const cuda_walk *sets = &view->rows.sets;
    int have = view->rows.plane > 0 && view->images.images > 0;

    if (view->gradient[0] < 0 && view->gradient[1] < 0)
        return 1;
    for (int i = 0; i < 2; i++) {
        have = have && (view->gradient[i] < 0 || view->images.gradient_step[i] > 0);
        have = have && (sets->ndims == 1 || sets->strides[0][KINDS_SCALE + i] == 0);
    }
    return have && sets->ndims <= 2 &&
           (view->images.images == 1 || view->images.groups == 1 || sets->ndims == 2);
}

int cuda_kinds_long_take(const cuda_kinds_view *view)
{
    const cuda_kinds_rows *rows = &view->rows;

    return rows->exist && rows->piece == rows->size && rows->size < INT64_C(1) << 30 &&
           rows->sets.count < INT64_C(1) << 26 && have_planes(view) &&
           (rows->plane == 0 || rows->sets.count * (rows->size / rows->plane) < INT64_C(1) << 26);
}

static void make_chunks(cuda_kinds_long_job *job, int64_t plane)
{
    int64_t units, chunks, most;

    job->plane = plane;
    job->planes = job->of.size / plane;
    units = job->of.sets * job->planes;
    chunks = cuda_blocks(BLOCKS, units);
    most = cuda_blocks(plane, CHUNK);
    chunks = chunks < most ? chunks : most;
    job->chunk = cuda_round_up(cuda_blocks(plane, chunks), CHUNK);
    job->chunks = cuda_blocks(plane, job->chunk);
}

void cuda_kinds_long_prepare(cuda_kinds_long_plan *plan, const cuda_kinds_view *view,
                             const cuda_kinds_job &common, int32_t type, int backward)
{
    const cuda_kinds_rows *rows = &view->rows;

    plan->type = type;
    plan->backward = backward;
    plan->can_be_wide = cuda_kinds_rows_are_wide(view, 16 / cuda_type_size(type));
    plan->has_cells = !backward || view->slot[KINDS_DEVIATION] < 0;
    plan->whole.of = common;
    plan->whole.images = view->images.images;
    plan->whole.groups = view->images.groups;
    for (int i = 0; i < 2; i++)
        plan->whole.gradient_step[i] = view->images.gradient_step[i];
    plan->parts = plan->whole;
    make_chunks(&plan->whole, rows->size);
    make_chunks(&plan->parts, rows->plane ? rows->plane : rows->size);
}

/* ------------------------------------------------------------------ calls */

static int64_t blocks_of(const cuda_kinds_long_job &job)
{
    return job.of.sets * job.planes * job.chunks;
}

/* Returns the threads for a chunk, at least a warp, so that each has a few vectors. */
static int32_t threads_of(const cuda_kinds_long_job &job, int64_t lanes)
{
    int32_t threads = KINDS_LONG_THREADS;
    int64_t length = job.chunk < job.plane ? job.chunk : job.plane;

    while (threads > KINDS_WARP && threads / 2 * lanes >= length)
        threads /= 2;
    return threads;
}

static char *take(char **from, size_t bytes)
{
    char *taken = *from;

    *from += (bytes + 255) / 256 * 256;
    return taken;
}

/* Lays out the scratch memory from `at` on and returns its end. */
static char *set_scratch(cuda_kinds_long_job *whole, cuda_kinds_long_job *parts,
                         const cuda_kinds_long_plan *plan, char *at)
{
    if (plan->has_cells) {
        int64_t sets = whole->of.sets;

        whole->moments =
            (cuda_kinds_moments *)take(&at, (size_t)blocks_of(*whole) * sizeof *whole->moments);
        whole->cells = (cuda_kinds_long_cell *)take(&at, (size_t)sets * sizeof *whole->cells);
        parts->cells = whole->cells;
    }
    if (plan->backward) {
        int64_t units = parts->of.sets * parts->planes;

        parts->partial =
            (cuda_kinds_pair *)take(&at, (size_t)blocks_of(*parts) * sizeof *parts->partial);
        parts->sums = (cuda_kinds_pair *)take(&at, (size_t)units * sizeof *parts->sums);
    }
    return at;
}

static int32_t launch_all(const cuda_kinds_long_plan *plan, const cuda_call *call,
                          const cuda_kinds_long_job &whole, const cuda_kinds_long_job &parts,
                          int wide)
{
    int32_t threads = threads_of(parts, wide ? 16 / cuda_type_size(plan->type) : 1), status = 0;

    if (plan->has_cells)
        status = cuda_launch_threads(call, cuda_kinds_long_moments_kernel(plan->type, wide),
                                     blocks_of(whole), 1, KINDS_LONG_THREADS, whole);
    if (!status && plan->has_cells)
        status = cuda_kinds_long_cells_run(call, whole);
    if (!status && !plan->backward)
        status = cuda_launch_threads(call, cuda_kinds_long_forward_kernel(plan->type, wide),
                                     blocks_of(whole), 1, KINDS_LONG_THREADS, whole);
    if (!status && plan->backward)
        status = cuda_launch_threads(call, cuda_kinds_long_sums_kernel(plan->type, wide),
                                     blocks_of(parts), 1, threads, parts);
    if (!status && plan->backward)
        status = cuda_kinds_long_sums_run(call, parts);
    if (!status && plan->backward)
        status = cuda_launch_threads(call, cuda_kinds_long_backward_kernel(plan->type, wide),
                                     blocks_of(parts), 1, threads, parts);
    return status;
}

int32_t cuda_kinds_long_run(const cuda_kinds_long_plan *plan, const cuda_call *call,
                            const cuda_kinds_job &pointers, int aligned)
{
    cuda_kinds_long_job whole = plan->whole, parts = plan->parts;
    int32_t status, dropped;
    void *scratch;
    size_t bytes = (size_t)(set_scratch(&whole, &parts, plan, nullptr) - (char *)nullptr);

    for (int t = 0; t < KINDS_TENSORS; t++) {
        parts.of.data[t] = pointers.data[t];
        /* Backward, slots 2 and 3 are no addends of x, and the statistics are no outputs. */
        whole.of.data[t] = plan->backward && t != KINDS_X ? nullptr : pointers.data[t];
    }
    for (int i = 0; i < 2; i++)
        parts.of.gradient[i] = pointers.gradient[i];
    status = cuda_scratch_take(call->device, call->stream, bytes, &scratch);
    if (status)
        return status;
    set_scratch(&whole, &parts, plan, (char *)scratch);
    status = launch_all(plan, call, whole, parts, plan->can_be_wide && aligned);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}
