/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CTC loss by the forward-backward recursion of Graves et al. 2006, in logarithms of doubles.
 * ctc_paths.h has the recursions, which are chains of steps; ctc_steps.h has the work that covers
 * all steps at once.
 *
 * Labels and lengths are in host memory and may change after the call has returned. They therefore
 * travel as parameters of small kernels, so that nothing waits and a capture contains them.
 */
#include "../../cuda_common/table.h"
#include "ctc_paths.h"
#include "ctc_steps.h"

#include <string.h>

/* The numbers that one launch carries; kernel parameters have at most 4 KB. */
#define CARRIED 896

struct ctc_numbers {
    int32_t *to;
    int32_t count;
    int32_t value[CARRIED];
};

__global__ void __launch_bounds__(CUDA_THREADS) ctc_put(ctc_numbers numbers)
{
    for (int i = threadIdx.x; i < numbers.count; i += CUDA_THREADS)
        numbers.to[i] = numbers.value[i];
}

/* ------------------------------------------------------------------ plans */

struct ctc_state {
    ctc_job job;
    void (*scales)(ctc_job);
    void (*paths)(ctc_job);
    void (*write)(ctc_job);
};

template <class T> static void choose(ctc_state *state)
{
    state->scales = ctc_scales<T>;
    state->paths = ctc_paths<T>;
    state->write = ctc_gradients<T>;
}

static void ctc_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_ctc_loss_x];
    const struct anydnn_plugin_tensor *gradients = plan->problem.tensor[slot_ctc_loss_gradients];
    const struct anydnn_plugin_ctc *params = (const struct anydnn_plugin_ctc *)plan->problem.params;
    ctc_state *state = (ctc_state *)plan->job;
    ctc_job *job = &state->job;

    job->steps = x->dims[CTC_TIME];
    job->sequences = x->dims[CTC_SEQUENCE];
    job->letters = x->dims[CTC_LETTER];
    for (int d = 0; d < 3; d++) {
        job->x_strides[d] = x->strides[d];
        job->gradients_strides[d] = gradients ? gradients->strides[d] : 0;
    }
    job->softmax = params->normalization == ANYDNN_PLUGIN_LOSS_NORMALIZATION_SOFTMAX;
    job->propagates = params->nan_propagate;
    job->is_double = x->type == ANYDNN_PLUGIN_DOUBLE;
    switch (x->type) {
#define CASE(T) choose<T>(state)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

/* ------------------------------------------------------------------ runs */

/* The lists of a call's sequences, and the totals of their labels and scratch. */
struct ctc_lists {
    ctc_slot *slots;
    int64_t labels, offset;
};

/* Copies numbers from the host to the scratch. */
static int32_t put(const cuda_call *call, void *to, const void *from, int64_t count)
{
    int32_t status = 0;

    for (int64_t done = 0; done < count && !status; done += CARRIED) {
        ctc_numbers numbers;

        numbers.to = (int32_t *)to + done;
        numbers.count = (int32_t)(count - done < CARRIED ? count - done : CARRIED);
        memcpy(numbers.value, (const int32_t *)from + done,
               (size_t)numbers.count * sizeof(int32_t));
        status = cuda_launch(call, ctc_put, 1, 1, numbers);
    }
    return status;
}

/* Returns the minimum number of steps for the labels: one each, and one for a blank between equal
 * neighbours. */
static int64_t shortest(const int32_t *label, int64_t labels)
{
    int64_t steps = labels;

    for (int64_t i = 1; i < labels; i++)
        steps += label[i] == label[i - 1];
    return steps;
}

static void fill_slots(ctc_lists *lists, const cuda_call *call, const ctc_job &job)
{
    const int32_t *labels = (const int32_t *)call->operands->data[slot_ctc_loss_labels];
    const int32_t *label_lengths =
        (const int32_t *)call->operands->data[slot_ctc_loss_label_lengths];
    const int32_t *input_lengths =
        (const int32_t *)call->operands->data[slot_ctc_loss_input_lengths];

    for (int64_t n = 0; n < job.sequences; n++) {
        ctc_slot *made = &lists->slots[n];

        *made = {lists->offset, (int32_t)lists->labels, label_lengths[n], input_lengths[n], 0};
        made->runs =
            made->steps > 0 && shortest(labels + lists->labels, made->labels) <= made->steps;
        lists->labels += made->labels;
        lists->offset += ctc_doubles(*made, job.gradients != nullptr);
    }
}

static size_t bytes_of(const ctc_job &job, const ctc_lists &lists)
{
    return (size_t)(job.sequences + lists.offset) * sizeof(double) +
           (size_t)job.sequences * sizeof(ctc_slot) +
           (size_t)(3 * lists.labels + 2 * job.sequences) * sizeof(int32_t);
}

/* Divides the scratch: first doubles, then slots, then lists of numbers. */
static void lay_out(ctc_job *job, void *scratch, const ctc_lists &lists)
{
    ctc_slot *slots;
    int32_t *numbers;

    job->all = (double *)scratch;
    job->doubles = job->all + job->sequences;
    slots = (ctc_slot *)(job->doubles + lists.offset);
    job->slots = slots;
    numbers = (int32_t *)(slots + job->sequences);
    job->labels = numbers;
    job->order = numbers + lists.labels;
    job->group = job->order + lists.labels;
    job->groups = job->group + lists.labels + job->sequences;
}

static int32_t launch(const ctc_state *state, const cuda_call *call, ctc_job *job,
                      const ctc_lists *lists)
{
    int64_t rows = job->steps * job->sequences;
    int32_t status = put(call, (void *)job->slots, lists->slots,
                         job->sequences * (int64_t)(sizeof(ctc_slot) / sizeof(int32_t)));

    if (!status)
        status = put(call, (void *)job->labels, call->operands->data[slot_ctc_loss_labels],
                     lists->labels);
    if (!status && job->softmax)
        status = cuda_launch(call, state->scales, cuda_blocks(rows, CTC_WARPS), 1, *job);
    if (!status && job->gradients)
        status = cuda_launch(call, ctc_letters, job->sequences, 1, *job);
    for (job->half = 0; job->half < (job->gradients ? 2 : 1) && !status; job->half++)
        status = cuda_launch(call, state->paths, job->sequences, job->gradients ? 2 : 1, *job);
    if (!status && job->gradients)
        status = cuda_launch(call, state->write, rows, 1, *job);
    return status;
}

static int32_t ctc_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const ctc_state *state = (const ctc_state *)plan->job;
    ctc_job job = state->job;
    ctc_lists lists = {};
    void *scratch;
    int32_t dropped, status;

    lists.slots =
        (ctc_slot *)kit_alloc((size_t)job.sequences * sizeof(ctc_slot), "the slots of sequences");
    if (!lists.slots)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    job.x = call->operands->data[slot_ctc_loss_x];
    job.costs = call->operands->data[slot_ctc_loss_costs];
    job.gradients = call->operands->data[slot_ctc_loss_gradients];
    fill_slots(&lists, call, job);
    status = cuda_scratch_take(call->device, call->stream, bytes_of(job, lists), &scratch);
    if (!status) {
        lay_out(&job, scratch, lists);
        status = launch(state, call, &job, &lists);
        dropped = cuda_scratch_drop(call->device, call->stream, scratch);
        status = status ? status : dropped;
    }
    kit_host->free(lists.slots);
    return status;
}

CUDA_OPERATION(ctc_loss, CTC_LOSS, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(ctc_state), .scratch = 1, .prepare = ctc_prepare, .run = ctc_run);
