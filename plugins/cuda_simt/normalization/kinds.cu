/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the operations of layer, group and RMS normalization. They need sets that lie in a few
 * rows,
 * which kinds_rows_xxx.cu hold in registers, or images with neighbouring channels, which
 * kinds_images_xxx.cu read twice. */
#include "../../cuda_common/table.h"
#include "kinds_images.h"
#include "kinds_long.h"
#include "kinds_rows.h"

/* The blocks of a backward operation, whose sums of columns are added later. Their number does not
 * depend on the device, so that the results do not. A block takes several sets, since its sums
 * cost as many bytes as two sets. */
#define BLOCKS_MAX 264
#define SETS_EACH  8

/* The threads of a block with several sets. */
#define THREADS 256

/* The kernels that run. */
enum { NONE, ROWS, IMAGES, LONG };

struct kinds_state {
    cuda_kinds_view view;
    int32_t form;
    int32_t wide; /* 1 if aligned operands are accessed by 16 bytes */
    cuda_kinds_job job[2];
    cuda_kinds_kernel kernel[2]; /* by elements, by 16 bytes */
    int32_t threads[2];
    int64_t blocks[2];
    cuda_kinds_images_plan images;
    cuda_kinds_long_plan longer;
};

static int is_backward(const struct anydnn_plugin_plan *plan)
{
    return plan->problem.operation == ANYDNN_PLUGIN_NORMALIZATION_BACKWARD;
}

static const struct anydnn_plugin_tensor *tensor_of(const struct anydnn_plugin_plan *plan,
                                                    int32_t slot)
{
    return slot < 0 ? nullptr : plan->problem.tensor[slot];
}

/* ------------------------------------------------------------------ what is supported */

static int has_gradients(const cuda_kinds_view *view)
{
    return view->gradient[0] >= 0 || view->gradient[1] >= 0;
}

/* Returns the largest set that the kernels for rows hold. */
static int64_t longest(int backward)
{
    return backward ? KINDS_HELD_BACKWARD * KINDS_BACKWARD_THREADS : KINDS_HELD * KINDS_THREADS;
}

/* Returns 1 if a block can hold a set and sum its columns. */
static int rows_fit(const cuda_kinds_view *view, int backward)
{
    const cuda_kinds_rows *rows = &view->rows;

    if (!rows->exist || rows->size > longest(backward))
        return 0;
    return !has_gradients(view) ||
           (rows->plane == 0 && rows->piece == rows->size && !rows->have_own_factors);
}

static int32_t form_of(const cuda_kinds_view *view, int backward, int32_t type)
{
    int images = cuda_kinds_images_take(view, type);

    if (rows_fit(view, backward) && !(images && view->rows.piece < view->rows.size))
        return ROWS;
    return images ? IMAGES : cuda_kinds_long_take(view) ? LONG : NONE;
}

static void analyse(struct anydnn_plugin_plan *plan)
{
    kinds_state *state = (kinds_state *)plan->job;

    cuda_kinds_view_make(&state->view, &plan->problem);
    state->form = form_of(&state->view, is_backward(plan), plan->problem.tensor[0]->type);
}

static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const kinds_state *state = (const kinds_state *)plan->job;
    int32_t type = plan->problem.tensor[0]->type;

    if (type != ANYDNN_PLUGIN_FLOAT && type != ANYDNN_PLUGIN_HALF && type != ANYDNN_PLUGIN_BFLOAT16)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "cuda_simt normalizes float, half and bfloat16; x has type %s",
                          kit_type_name(type));
    for (int32_t t = 0; t <= KINDS_BIAS; t++) {
        const struct anydnn_plugin_tensor *tensor = tensor_of(plan, state->view.slot[t]);

        if (tensor && tensor->type != type &&
            !(t >= KINDS_DATA && tensor->type == ANYDNN_PLUGIN_FLOAT))
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "%s has type %s and x has type %s; cuda_simt normalizes data of one "
                              "type, with scale and bias of that type or float",
                              kit_slot_name(plan->problem.operation, state->view.slot[t]),
                              kit_type_name(tensor->type), kit_type_name(type));
    }
    if (state->form == NONE)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                          "cuda_simt normalizes contiguous elements, and groups of neighbouring "
                          "channels, with factors along them");
    return 0;
}

/* ------------------------------------------------------------------ plans */

/* Returns the type of dscale or dbias. */
static int32_t gradient_type(const struct anydnn_plugin_plan *plan, int which)
{
    const kinds_state *state = (const kinds_state *)plan->job;
    const struct anydnn_plugin_tensor *gradient = tensor_of(plan, state->view.gradient[which]);

    return gradient ? gradient->type : ANYDNN_PLUGIN_FLOAT;
}

/* Fills in all of a job but pointers. */
static void make_job(cuda_kinds_job *job, const struct anydnn_plugin_plan *plan,
                     const cuda_kinds_view *view)
{
    const struct anydnn_plugin_normalization *params =
        (const struct anydnn_plugin_normalization *)plan->problem.params;
    const cuda_kinds_rows *rows = &view->rows;

    job->sets = rows->sets.count;
    job->inner = rows->sets.dims[rows->sets.ndims - 1];
    for (int t = 0; t < KINDS_TENSORS; t++) {
        job->outer_step[t] = rows->sets.strides[0][t];
        job->inner_step[t] = rows->sets.strides[rows->sets.ndims - 1][t];
    }
    job->size = rows->size;
    job->piece = rows->piece;
    job->plane = rows->plane;
    for (int t = 0; t < KINDS_DATA; t++)
        job->pitch[t] = rows->pitch[t];
    for (int i = 0; i < 2; i++) {
        const struct anydnn_plugin_tensor *factor = tensor_of(plan, view->slot[KINDS_SCALE + i]);

        job->factor_step[i] = rows->factor_step[i];
        job->is_float[i] = factor && factor->type == ANYDNN_PLUGIN_FLOAT;
    }
    job->is_rms = params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS;
    job->is_centered = (params->flags & ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED) != 0;
    job->f = {params->activation, params->nan_propagate, params->coef};
    job->epsilon = (float)params->epsilon;
}

/* Chooses the threads of a set, as few as hold it, and the blocks. */
static void prepare_rows(kinds_state *state, int wide, int backward, int32_t type)
{
    cuda_kinds_job *job = &state->job[wide];
    int64_t held = backward ? KINDS_HELD_BACKWARD : KINDS_HELD, each;

    state->kernel[wide] =
        backward ? cuda_kinds_rows_backward_kernel(type, wide) : cuda_kinds_rows_kernel(type, wide);
    while (held << job->log_group < job->size)
        job->log_group++;
    state->threads[wide] = 1 << job->log_group;
    if (state->threads[wide] < THREADS)
        state->threads[wide] = THREADS;
    each = state->threads[wide] >> job->log_group;
    state->blocks[wide] = cuda_blocks(job->sets, each);
    if (!has_gradients(&state->view))
        return;
    state->blocks[wide] = cuda_blocks(job->sets, each * SETS_EACH);
    if (state->blocks[wide] > BLOCKS_MAX)
        state->blocks[wide] = BLOCKS_MAX;
}

static void prepare(struct anydnn_plugin_plan *plan)
{
    kinds_state *state = (kinds_state *)plan->job;
    int32_t type = plan->problem.tensor[0]->type;

    make_job(&state->job[0], plan, &state->view);
    state->job[1] = state->job[0];
    if (state->form == IMAGES)
        cuda_kinds_images_prepare(&state->images, &state->view, state->job[0], type,
                                  is_backward(plan));
    if (state->form == LONG)
        cuda_kinds_long_prepare(&state->longer, &state->view, state->job[0], type,
                                is_backward(plan));
    for (int i = 0; i < 2; i++)
        state->images.job.gradient_type[i] = state->longer.parts.gradient_type[i] =
            gradient_type(plan, i);
    if (state->form != ROWS)
        return;
    state->wide = cuda_kinds_rows_are_wide(&state->view, 16 / cuda_type_size(type));
    for (int wide = 0; wide <= state->wide; wide++)
        prepare_rows(state, wide, is_backward(plan), type);
}

/* ------------------------------------------------------------------ calls */

static int are_aligned(const cuda_kinds_job *job)
{
    uintptr_t addresses = 0;

    for (int t = 0; t <= KINDS_BIAS; t++)
        addresses |= (uintptr_t)job->data[t];
    return addresses % sizeof(uint4) == 0;
}

static void set_pointers(cuda_kinds_job *job, const kinds_state *state, const cuda_call *call)
{
    for (int t = 0; t < KINDS_TENSORS; t++)
        job->data[t] =
            state->view.slot[t] < 0 ? nullptr : call->operands->data[state->view.slot[t]];
    for (int i = 0; i < 2; i++)
        job->gradient[i] =
            state->view.gradient[i] < 0 ? nullptr : call->operands->data[state->view.gradient[i]];
}

/* Adds the sums of the blocks to the gradients. */
static int32_t add_columns(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                           const cuda_kinds_job &job, int64_t blocks)
{
    cuda_kinds_columns_job columns = {
        job.partial, {job.gradient[0], job.gradient[1]}, {}, job.size, (int32_t)blocks};

    for (int i = 0; i < 2; i++)
        columns.type[i] = gradient_type(plan, i);
    return cuda_kinds_columns_run(call, columns);
}

static int32_t run_rows(const struct anydnn_plugin_plan *plan, const cuda_call *call, int wide)
{
    const kinds_state *state = (const kinds_state *)plan->job;
    cuda_kinds_job job = state->job[wide];
    void *partial = nullptr;
    int32_t status = 0, dropped;

    set_pointers(&job, state, call);
    if (has_gradients(&state->view))
        status = cuda_scratch_take(call->device, call->stream,
                                   (size_t)(state->blocks[wide] * 2 * job.size) * sizeof(float),
                                   &partial);
    if (status)
        return status;
    job.partial = (float *)partial;
    status = cuda_launch_threads(call, state->kernel[wide], state->blocks[wide], 1,
                                 state->threads[wide], job);
    if (!partial)
        return status;
    if (!status)
        status = add_columns(plan, call, job, state->blocks[wide]);
    dropped = cuda_scratch_drop(call->device, call->stream, partial);
    return status ? status : dropped;
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const kinds_state *state = (const kinds_state *)plan->job;
    cuda_kinds_job pointers = {};

    set_pointers(&pointers, state, call);
    if (state->form == ROWS)
        return run_rows(plan, call, state->wide && are_aligned(&pointers));
    if (state->form == LONG)
        return cuda_kinds_long_run(&state->longer, call, pointers, are_aligned(&pointers));
    return cuda_kinds_images_run(&state->images, call, pointers);
}

#define TYPES (CUDA_SHORTS | CUDA_TYPE(FLOAT))

CUDA_OPERATION(normalization_forward, NORMALIZATION_FORWARD, .types = TYPES, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(kinds_state), .scratch = 1, .analyse = analyse, .check = check,
               .prepare = prepare, .run = run);
CUDA_OPERATION(normalization_backward, NORMALIZATION_BACKWARD, .types = TYPES,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(kinds_state), .scratch = 1,
               .analyse = analyse, .check = check, .prepare = prepare, .run = run);
