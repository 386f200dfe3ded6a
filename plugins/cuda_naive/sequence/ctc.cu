/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CTC loss by the forward-backward recursion of Graves et al. 2006, in logarithms of doubles, a
 * block for a sequence: its threads share the states of a step, and the steps follow one another.
 * State s = 0 .. 2 L of a sequence with L labels is a blank where s is even, else label (s - 1)
 * / 2.
 *
 * Labels and lengths are in host memory and may change once the call has returned: they travel as
 * the parameters of small kernels, so that nothing waits and a capture holds them.
 */
#include "../shared/map.h"
#include "../table.h"

#include <math.h>

/* Slots. */
enum { X, LABELS, LABEL_LENGTHS, INPUT_LENGTHS, COSTS, GRADIENTS };

/* Dims of x. */
enum { TIME, SEQUENCE, LETTER };

/* Numbers that one launch carries: parameters may have 4 KB. */
#define CARRIED 896

struct ctc_numbers {
    int32_t *to;
    int32_t count;
    int32_t value[CARRIED];
};

struct ctc_job {
    int64_t letters, steps, sequences;
    int64_t x_strides[3], gradients_strides[3];
    const void *x;
    void *costs, *gradients;
    int32_t softmax, propagates, is_double;
    /* in scratch */
    const int32_t *label_lengths, *input_lengths, *labels;
    double *rooms;
};

/* A sequence and its part of the scratch. */
struct ctc_sequence {
    const int32_t *label;
    int64_t labels, states, steps;
    double *scale, *alpha, *beta[2];
};

__global__ void __launch_bounds__(CUDA_THREADS) ctc_put(ctc_numbers numbers)
{
    for (int i = threadIdx.x; i < numbers.count; i += CUDA_THREADS)
        numbers.to[i] = numbers.value[i];
}

/* Doubles that a sequence takes: scales, alpha of each step, two rows of beta. */
CUDA_BOTH int64_t ctc_room(int64_t labels, int64_t steps)
{
    return steps + (steps + 2) * (2 * labels + 1);
}

__device__ static inline ctc_sequence sequence_of(const ctc_job &job, int64_t n)
{
    ctc_sequence at = {};
    int64_t first = 0, room = 0;

    for (int64_t i = 0; i < n; i++) {
        first += job.label_lengths[i];
        room += ctc_room(job.label_lengths[i], job.input_lengths[i]);
    }
    at.label = job.labels + first;
    at.labels = job.label_lengths[n];
    at.steps = job.input_lengths[n];
    at.states = 2 * at.labels + 1;
    at.scale = job.rooms + room;
    at.alpha = at.scale + at.steps;
    at.beta[0] = at.alpha + at.steps * at.states;
    at.beta[1] = at.beta[0] + at.states;
    return at;
}

__device__ static inline double log_sum(double a, double b, double c)
{
    double highest = fmax(fmax(a, b), c);

    if (highest == -(double)INFINITY)
        return a + b + c; /* -Inf, or NaN that fmax passed over */
    return highest + log(exp(a - highest) + exp(b - highest) + exp(c - highest));
}

template <class T>
__device__ static inline double log_p(const ctc_job &job, const ctc_sequence &at, const T *x,
                                      int64_t t, int64_t s)
{
    int64_t letter = s % 2 ? at.label[(s - 1) / 2] : 0;
    double value = (double)cuda_load(x[t * job.x_strides[TIME] + letter * job.x_strides[LETTER]]);

    return job.softmax ? value - at.scale[t] : log(value);
}

/* Whether a path may go from state s - 2 to s: over a blank between two different labels. */
__device__ static inline bool skips(const ctc_sequence &at, int64_t s)
{
    return s % 2 && s >= 3 && at.label[(s - 1) / 2] != at.label[(s - 3) / 2];
}

/* Whether some path of so many steps gives the labels: a step each, and one for a blank between
 * equal neighbours. */
__device__ static inline bool has_path(const ctc_sequence &at)
{
    int64_t least = at.labels;

    for (int64_t i = 1; i < at.labels && least <= at.steps; i++)
        least += at.label[i] == at.label[i - 1];
    return least <= at.steps;
}

template <class T>
__device__ static inline void fill_scales(const ctc_job &job, const ctc_sequence &at, const T *x)
{
    for (int64_t t = threadIdx.x; t < at.steps && job.softmax; t += CUDA_THREADS) {
        const T *row = x + t * job.x_strides[TIME];
        double highest = (double)cuda_load(row[0]), sum = 0;

        for (int64_t k = 1; k < job.letters; k++)
            highest = fmax(highest, (double)cuda_load(row[k * job.x_strides[LETTER]]));
        for (int64_t k = 0; k < job.letters; k++)
            sum += exp((double)cuda_load(row[k * job.x_strides[LETTER]]) - highest);
        at.scale[t] = highest + log(sum);
    }
}

template <class T>
__device__ static inline void go_forward(const ctc_job &job, const ctc_sequence &at, const T *x)
{
    const double none = -(double)INFINITY;

    for (int64_t t = 0; t < at.steps; t++) {
        const double *from = at.alpha + (t - 1) * at.states;
        double *to = at.alpha + t * at.states;

        for (int64_t s = threadIdx.x; s < at.states; s += CUDA_THREADS) {
            double before = s < 2 ? 0 : none;

            if (t > 0)
                before = log_sum(from[s], s >= 1 ? from[s - 1] : none,
                                 skips(at, s) ? from[s - 2] : none);
            to[s] = log_p(job, at, x, t, s) + before;
        }
        __syncthreads();
    }
}

/* beta of step t from that of step t + 1: log of all ways on from there. */
template <class T>
__device__ static inline void go_back(const ctc_job &job, const ctc_sequence &at, const T *x,
                                      int64_t t)
{
    const double none = -(double)INFINITY;
    const double *from = at.beta[(t + 1) % 2];
    double *to = at.beta[t % 2];

    for (int64_t s = threadIdx.x; s < at.states; s += CUDA_THREADS) {
        double next[3] = {none, none, none};

        if (t == at.steps - 1) {
            to[s] = s >= at.states - 2 ? 0 : none;
            continue;
        }
        next[0] = from[s] + log_p(job, at, x, t + 1, s);
        if (s + 1 < at.states)
            next[1] = from[s + 1] + log_p(job, at, x, t + 1, s + 1);
        if (s + 2 < at.states && skips(at, s + 2))
            next[2] = from[s + 2] + log_p(job, at, x, t + 1, s + 2);
        to[s] = log_sum(next[0], next[1], next[2]);
    }
    __syncthreads();
}

/* The share of the paths that pass through a letter at step t. */
__device__ static inline double share_of(const ctc_sequence &at, int64_t t, int64_t letter,
                                         double all)
{
    const double *alpha = at.alpha + t * at.states, *beta = at.beta[t % 2];
    double share = 0;

    for (int64_t s = letter == 0 ? 0 : 1; s < at.states; s += 2)
        if (letter == 0 || at.label[(s - 1) / 2] == letter)
            share += exp(alpha[s] + beta[s] - all);
    return share;
}

/* All steps, from the last; those behind the sequence's own are 0, and `lost` is for all of a
 * sequence without a path. */
template <class T>
__device__ static inline void write_gradients(const ctc_job &job, const ctc_sequence &at,
                                              const T *x, int64_t n, double all)
{
    T *to = (T *)job.gradients + n * job.gradients_strides[SEQUENCE];
    bool lost = all == -(double)INFINITY;

    for (int64_t t = job.steps - 1; t >= 0; t--) {
        bool own = t < at.steps && !lost;

        if (own)
            go_back(job, at, x, t);
        for (int64_t k = threadIdx.x; k < job.letters; k += CUDA_THREADS) {
            double value = lost && t < at.steps && job.propagates ? (double)NAN : 0;

            if (own) {
                value = (double)cuda_load(x[t * job.x_strides[TIME] + k * job.x_strides[LETTER]]);
                value = (job.softmax ? exp(value - at.scale[t]) : value) - share_of(at, t, k, all);
            }
            cuda_store(to + t * job.gradients_strides[TIME] + k * job.gradients_strides[LETTER],
                       value);
        }
        /* The row of beta that was read is written at the step before the last. */
        __syncthreads();
    }
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) ctc_sequences(ctc_job job)
{
    int64_t n = blockIdx.x;
    ctc_sequence at = sequence_of(job, n);
    const T *x = (const T *)job.x + n * job.x_strides[SEQUENCE];
    double all = at.labels == 0 ? 0 : -(double)INFINITY;
    bool runs = at.steps > 0 && has_path(at);

    if (at.steps > 0)
        all = -(double)INFINITY;
    if (runs) {
        const double *last = at.alpha + at.steps * at.states - 1;

        fill_scales(job, at, x);
        __syncthreads();
        go_forward(job, at, x);
        all = log_sum(last[0], at.states > 1 ? last[-1] : -(double)INFINITY, -(double)INFINITY);
    }
    if (threadIdx.x == 0 && job.is_double)
        ((double *)job.costs)[n] = 0 - all;
    else if (threadIdx.x == 0)
        ((float *)job.costs)[n] = (float)(0 - all);
    if (job.gradients)
        write_gradients(job, at, x, n, all);
}

/* ------------------------------------------------------------------ plans */

struct ctc_state {
    ctc_job job;
    void (*kernel)(ctc_job);
};

static void ctc_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[X];
    const struct anydnn_plugin_tensor *gradients = plan->problem.tensor[GRADIENTS];
    const struct anydnn_plugin_ctc *params = (const struct anydnn_plugin_ctc *)plan->problem.params;
    ctc_state *state = (ctc_state *)plan->job;
    ctc_job *job = &state->job;

    job->steps = x->dims[TIME];
    job->sequences = x->dims[SEQUENCE];
    job->letters = x->dims[LETTER];
    for (int d = 0; d < 3; d++) {
        job->x_strides[d] = x->strides[d];
        job->gradients_strides[d] = gradients ? gradients->strides[d] : 0;
    }
    job->softmax = params->normalization == ANYDNN_PLUGIN_LOSS_NORMALIZATION_SOFTMAX;
    job->propagates = params->nan_propagate;
    job->is_double = x->type == ANYDNN_PLUGIN_DOUBLE;
    switch (x->type) {
#define CASE(T) state->kernel = ctc_sequences<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

/* Numbers of the host to the scratch. */
static int32_t put(const cuda_call *call, int32_t *to, const int32_t *from, int64_t count)
{
    int32_t status = 0;

    for (int64_t done = 0; done < count && !status; done += CARRIED) {
        ctc_numbers numbers;

        numbers.to = to + done;
        numbers.count = (int32_t)(count - done < CARRIED ? count - done : CARRIED);
        for (int32_t i = 0; i < numbers.count; i++)
            numbers.value[i] = from[done + i];
        status = cuda_launch(call, ctc_put, 1, 1, numbers);
    }
    return status;
}

static int32_t launch(const ctc_state *state, const cuda_call *call, ctc_job *job, void *scratch,
                      int64_t room, int64_t labels)
{
    void *const *data = call->operands->data;
    int32_t *numbers = (int32_t *)((double *)scratch + room);
    int32_t status;

    job->rooms = (double *)scratch;
    job->label_lengths = numbers;
    job->input_lengths = numbers + job->sequences;
    job->labels = numbers + 2 * job->sequences;
    status = put(call, numbers, (const int32_t *)data[LABEL_LENGTHS], job->sequences);
    if (!status)
        status = put(call, numbers + job->sequences, (const int32_t *)data[INPUT_LENGTHS],
                     job->sequences);
    if (!status)
        status = put(call, numbers + 2 * job->sequences, (const int32_t *)data[LABELS], labels);
    return status ? status : cuda_launch(call, state->kernel, job->sequences, 1, *job);
}

static int32_t ctc_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const ctc_state *state = (const ctc_state *)plan->job;
    const int32_t *label_lengths = (const int32_t *)call->operands->data[LABEL_LENGTHS];
    const int32_t *input_lengths = (const int32_t *)call->operands->data[INPUT_LENGTHS];
    ctc_job job = state->job;
    int64_t room = 0, labels = 0;
    void *scratch;
    int32_t dropped, status;

    for (int64_t n = 0; n < job.sequences; n++) {
        room += ctc_room(label_lengths[n], input_lengths[n]);
        labels += label_lengths[n];
    }
    job.x = call->operands->data[X];
    job.costs = call->operands->data[COSTS];
    job.gradients = call->operands->data[GRADIENTS];
    status = cuda_scratch_take(call->device, call->stream,
                               (size_t)room * sizeof(double) +
                                   (size_t)(2 * job.sequences + labels) * sizeof(int32_t),
                               &scratch);
    if (status)
        return status;
    status = launch(state, call, &job, scratch, room, labels);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

CUDA_OPERATION(ctc_loss, ANYDNN_PLUGIN_CTC_LOSS, CUDA_FLOATS, KIT_LAYOUTS, sizeof(ctc_state),
               SCRATCH, ctc_prepare, ctc_run);
