/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the CTC loss (ctc.h): scales, the two recursions, and gradients. Labels and lengths
 * are in host memory, and may change when the call has returned. They are passed as parameters
 * of small kernels, so that nothing waits and a capture records their values. */
#include "ctc.h"

#include <string.h>

/* The numbers per launch. Kernel parameters may have 4 KB. */
#define CARRIED 896

struct ctc_numbers {
    int32_t *to;
    int32_t count;
    int32_t value[CARRIED];
};

static __global__ void ctc_put(ctc_numbers numbers)
{
    for (int i = (int)threadIdx.x; i < numbers.count; i += (int)blockDim.x)
        numbers.to[i] = numbers.value[i];
}

/* ------------------------------------------------------------------ kernels */

/* Computes the logarithm of the sum of exp(x) over the letters of each step. */
__device__ static inline void ctc_scales(const ctc_job &job, const ctc_sequence &at)
{
    for (int64_t t = threadIdx.x; t < at.steps; t += blockDim.x) {
        double highest = -(double)INFINITY, sum = 0;

        for (int64_t k = 0; k < job.x.dims[CTC_LETTER]; k++)
            highest = fmax(highest, ctc_x(job, t, at.n, k));
        for (int64_t k = 0; k < job.x.dims[CTC_LETTER]; k++)
            sum += exp(ctc_x(job, t, at.n, k) - highest);
        at.scale[t] = highest + log(sum);
    }
    __syncthreads();
}

__device__ static inline void ctc_forward(const ctc_job &job, const ctc_sequence &at)
{
    const double none = -(double)INFINITY;

    for (int64_t t = 0; t < at.steps; t++) {
        const double *from = at.alpha + (t - 1) * at.states;

        for (int64_t s = threadIdx.x; s < at.states; s += blockDim.x) {
            double ways = s < 2 ? 0 : none;

            if (t > 0)
                ways = ctc_log_sum(from[s], s >= 1 ? from[s - 1] : none,
                                   ctc_skips(at, s) ? from[s - 2] : none);
            at.alpha[t * at.states + s] = ways + ctc_log_p(job, at, t, s);
        }
        __syncthreads();
    }
}

__device__ static inline void ctc_backward(const ctc_job &job, const ctc_sequence &at)
{
    const double none = -(double)INFINITY;

    for (int64_t t = at.steps - 1; t >= 0; t--) {
        const double *from = at.beta + (t + 1) * at.states;

        for (int64_t s = threadIdx.x; s < at.states; s += blockDim.x) {
            double ways = s >= at.states - 2 ? 0 : none, next[3] = {none, none, none};

            for (int j = 0; j < 3 && t < at.steps - 1 && s + j < at.states; j++) {
                if (j < 2 || ctc_skips(at, s + 2))
                    next[j] = from[s + j] + ctc_log_p(job, at, t + 1, s + j);
            }
            if (t < at.steps - 1)
                ways = ctc_log_sum(next[0], next[1], next[2]);
            at.beta[t * at.states + s] = ways;
        }
        __syncthreads();
    }
}

/* Returns the gradient with respect to the softmax input: p minus the probability share of the
 * paths that contain the letter at step t. */
__device__ static inline double ctc_gradient(const ctc_job &job, const ctc_sequence &at, int64_t t,
                                             int64_t letter, double all)
{
    double p = ctc_x(job, t, at.n, letter), share = 0;

    for (int64_t s = 0; s < at.states; s++) {
        if (ctc_letter(at, s) == letter)
            share += exp(at.alpha[t * at.states + s] + at.beta[t * at.states + s] - all);
    }
    return (job.softmax ? exp(p - at.scale[t]) : p) - share;
}

__device__ static inline void ctc_gradients(const ctc_job &job, const ctc_sequence &at, double all)
{
    int64_t letters = job.x.dims[CTC_LETTER];

    for (int64_t i = threadIdx.x; i < job.x.dims[CTC_TIME] * letters; i += blockDim.x) {
        const int64_t to[3] = {i / letters, at.n, i % letters};
        double value = 0;

        if (to[CTC_TIME] < at.steps && all == -(double)INFINITY)
            value = job.propagates ? (double)NAN : 0;
        else if (to[CTC_TIME] < at.steps)
            value = ctc_gradient(job, at, to[CTC_TIME], to[CTC_LETTER], all);
        naive_store(job.gradients, naive_offset(job.gradients, to), value, {1, 0});
    }
}

/* Computes the cost of a sequence from the probability of all its paths. If there are too few
 * steps for the labels, there is no path. If there are neither steps nor labels, there is one
 * empty path. */
static __global__ void ctc_sequences(ctc_job job)
{
    ctc_sequence at = ctc_sequence_of(job, blockIdx.x);
    double all = at.steps == 0 && at.labels == 0 ? 0 : -(double)INFINITY;

    if (job.slots[at.n].runs) {
        const double *last = at.alpha + (at.steps - 1) * at.states;

        if (job.softmax)
            ctc_scales(job, at);
        ctc_forward(job, at);
        all =
            ctc_log_sum(last[at.states - 1],
                        at.states > 1 ? last[at.states - 2] : -(double)INFINITY, -(double)INFINITY);
        if (job.gradients.data)
            ctc_backward(job, at);
    }
    if (threadIdx.x == 0)
        naive_store(job.costs, at.n * job.costs.strides[0], 0 - all, {1, 0});
    if (job.gradients.data)
        ctc_gradients(job, at, all);
}

/* ------------------------------------------------------------------ on the host */

/* Copies numbers from the host to scratch memory. */
static int32_t put(const cuda_call *call, const void *to, const void *from, int64_t count)
{
    int32_t status = 0;

    for (int64_t done = 0; done < count && !status; done += CARRIED) {
        ctc_numbers numbers;

        numbers.to = (int32_t *)to + done;
        numbers.count = (int32_t)(count - done < CARRIED ? count - done : CARRIED);
        memcpy(numbers.value, (const int32_t *)from + done,
               (size_t)numbers.count * sizeof(int32_t));
        status = naive_launch_blocks(call, ctc_put, 1, numbers.count, numbers);
    }
    return status;
}

/* Returns the smallest number of steps for these labels: one per label, and one for the blank
 * between equal neighbors. */
static int64_t shortest(const int32_t *label, int64_t labels)
{
    int64_t steps = labels;

    for (int64_t i = 1; i < labels; i++)
        steps += label[i] == label[i - 1];
    return steps;
}

/* Fills the slots. Returns the number of doubles for all sequences; *labels becomes the number
 * of labels. */
static int64_t fill_slots(const cuda_call *call, int64_t sequences, ctc_slot *slots,
                          int64_t *labels)
{
    const int32_t *label = (const int32_t *)call->operands->data[slot_ctc_loss_labels];
    const int32_t *label_lengths =
        (const int32_t *)call->operands->data[slot_ctc_loss_label_lengths];
    const int32_t *input_lengths =
        (const int32_t *)call->operands->data[slot_ctc_loss_input_lengths];
    int64_t scratch = 0;

    *labels = 0;
    for (int64_t n = 0; n < sequences; n++) {
        ctc_slot *made = &slots[n];

        *made = {scratch, (int32_t)*labels, label_lengths[n], input_lengths[n], 0};
        made->runs = made->steps > 0 && shortest(label + *labels, made->labels) <= made->steps;
        *labels += made->labels;
        scratch += ctc_scratch(*made);
    }
    return scratch;
}

/* Places doubles, slots and labels in scratch memory, and launches the kernels. */
static int32_t launch(const cuda_call *call, ctc_job *job, const ctc_slot *slots, int64_t doubles,
                      int64_t labels)
{
    int64_t sequences = job->x.dims[CTC_SEQUENCE];
    size_t bytes = (size_t)doubles * sizeof(double) + (size_t)sequences * sizeof(ctc_slot) +
                   (size_t)labels * sizeof(int32_t);
    int32_t dropped, status;
    void *scratch;

    status = cuda_scratch_take(call->device, call->stream, bytes, &scratch);
    if (status)
        return status;
    job->scratch = (double *)scratch;
    job->slots = (const ctc_slot *)(job->scratch + doubles);
    job->labels = (const int32_t *)(job->slots + sequences);
    status =
        put(call, job->slots, slots, sequences * (int64_t)(sizeof(ctc_slot) / sizeof(int32_t)));
    if (!status)
        status = put(call, job->labels, call->operands->data[slot_ctc_loss_labels], labels);
    if (!status)
        status = naive_launch_blocks(call, ctc_sequences, sequences, NAIVE_BLOCK, *job);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_ctc *params = (const struct anydnn_plugin_ctc *)plan->problem.params;
    ctc_job job = {};
    int64_t doubles, labels;
    ctc_slot *slots;
    int32_t status;

    job.x = naive_tensor_of(plan, call, slot_ctc_loss_x);
    job.costs = naive_tensor_of(plan, call, slot_ctc_loss_costs);
    job.gradients = naive_tensor_of(plan, call, slot_ctc_loss_gradients);
    job.softmax = params->normalization == ANYDNN_PLUGIN_LOSS_NORMALIZATION_SOFTMAX;
    job.propagates = params->nan_propagate;
    slots = (ctc_slot *)kit_alloc((size_t)job.x.dims[CTC_SEQUENCE] * sizeof(ctc_slot),
                                  "the slots of sequences");
    if (!slots)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    doubles = fill_slots(call, job.x.dims[CTC_SEQUENCE], slots, &labels);
    status = launch(call, &job, slots, doubles, labels);
    kit_host->free(slots);
    return status;
}

CUDA_OPERATION(ctc_loss, CTC_LOSS, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS, .scratch = 1,
               .run = run);
