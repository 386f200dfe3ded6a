/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CTC loss by the forward-backward recursion of Graves et al. 2006, in logarithms of doubles.
 * What is a chain of steps is in ctc_paths.h; what is not, the scales of a softmax and the
 * gradients, is done for all steps at once.
 *
 * Labels and lengths are in host memory and may change once the call has returned: they travel as
 * the parameters of small kernels, so that nothing waits and a capture holds them.
 */
#include "../table.h"
#include "ctc_paths.h"

#include <string.h>

/* Slots. */
enum { X, LABELS, LABEL_LENGTHS, INPUT_LENGTHS, COSTS, GRADIENTS };

/* Numbers that one launch carries: parameters may have 4 KB. */
#define CARRIED 896

#define WARP      32
#define ALL_LANES 0xffffffffu
#define WARPS     (CUDA_THREADS / WARP)

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

/* ------------------------------------------------------------------ labels by letter */

/* The labels of a sequence sorted by letter, equal ones as they come, and where each letter begins:
 * what passes through a letter is then a sum over neighbours, in an order that is always the same.
 */
__global__ void __launch_bounds__(CUDA_THREADS) ctc_letters(ctc_job job)
{
    ctc_sequence at = ctc_sequence_of(job, blockIdx.x);
    int32_t labels = at.runs ? (int32_t)at.labels : 0, groups = 0;
    unsigned lane = threadIdx.x % WARP;

    for (int32_t i = threadIdx.x; i < labels; i += CUDA_THREADS) {
        int32_t letter = at.label[i], place = 0;

        for (int32_t j = 0; j < labels; j++)
            place += at.label[j] < letter || (at.label[j] == letter && j < i);
        at.order[place] = i;
    }
    __syncthreads();
    if (threadIdx.x >= WARP)
        return;
    for (int32_t first = 0; first < labels; first += WARP) {
        int32_t i = first + (int32_t)lane;
        bool begins = i < labels && (i == 0 || at.label[at.order[i]] != at.label[at.order[i - 1]]);
        unsigned mask = __ballot_sync(ALL_LANES, begins);

        if (begins)
            at.group[groups + __popc(mask & ((1u << lane) - 1))] = i;
        groups += __popc(mask);
    }
    if (lane == 0) {
        at.group[groups] = labels;
        job.groups[blockIdx.x] = groups;
    }
}

/* ------------------------------------------------------------------ scales of a softmax */

/* log of the sum of exp x along the letters: a warp for a step of a sequence. */
template <class T> __global__ void __launch_bounds__(CUDA_THREADS) ctc_scales(ctc_job job)
{
    int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP, t = row / job.sequences;
    int64_t n = row % job.sequences, lane = threadIdx.x % WARP;
    double highest = -(double)INFINITY, sum = 0;
    const T *x = (const T *)job.x + t * job.x_strides[CTC_TIME] + n * job.x_strides[CTC_SEQUENCE];
    ctc_sequence at;

    if (t >= job.steps)
        return;
    at = ctc_sequence_of(job, n);
    if (!at.runs || t >= at.steps)
        return;
    for (int64_t k = lane; k < job.letters; k += WARP)
        highest = fmax(highest, (double)cuda_load(x[k * job.x_strides[CTC_LETTER]]));
    for (int by = WARP / 2; by > 0; by /= 2)
        highest = fmax(highest, __shfl_xor_sync(ALL_LANES, highest, by));
    for (int64_t k = lane; k < job.letters; k += WARP)
        sum += exp((double)cuda_load(x[k * job.x_strides[CTC_LETTER]]) - highest);
    for (int by = WARP / 2; by > 0; by /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, by);
    if (lane == 0)
        at.scale[t] = highest + log(sum);
}

/* ------------------------------------------------------------------ gradients */

template <class T>
__device__ static inline double ctc_p(const ctc_job &job, const ctc_sequence &at, const T *row,
                                      int64_t t, int64_t letter)
{
    double value = (double)cuda_load(row[letter * job.x_strides[CTC_LETTER]]);

    return job.softmax ? exp(value - at.scale[t]) : value;
}

/* The share of the paths that pass through one of the states of a group at a step, the same for the
 * warp: group 0 is the blank. */
__device__ static inline double ctc_share(const ctc_sequence &at, const double *paths, double all,
                                          int32_t group)
{
    int64_t lane = threadIdx.x % WARP, i = lane, end = at.labels + 1;
    double share = 0;

    if (group > 0) {
        i += at.group[group - 1];
        end = at.group[group];
    }
    for (; i < end; i += WARP)
        share += exp(paths[group ? 2 * at.order[i] + 1 : 2 * i] - all);
    for (int by = WARP / 2; by > 0; by /= 2)
        share += __shfl_xor_sync(ALL_LANES, share, by);
    return share;
}

/* A block for a step of a sequence: p for every letter, then those that have a share less it. Steps
 * behind the sequence's own are 0, and `lost` is for all of a sequence without a path. */
template <class T> __global__ void __launch_bounds__(CUDA_THREADS) ctc_gradients(ctc_job job)
{
    int64_t t = blockIdx.x / job.sequences, n = blockIdx.x % job.sequences;
    ctc_sequence at = ctc_sequence_of(job, n);
    const T *row = (const T *)job.x + t * job.x_strides[CTC_TIME] + n * job.x_strides[CTC_SEQUENCE];
    T *to = (T *)job.gradients + t * job.gradients_strides[CTC_TIME] +
            n * job.gradients_strides[CTC_SEQUENCE];
    double all = job.all[n];
    bool lost = all == -(double)INFINITY, own = t < at.steps && !lost;

    for (int64_t k = threadIdx.x; k < job.letters; k += CUDA_THREADS) {
        double value = lost && t < at.steps && job.propagates ? (double)NAN : 0;

        cuda_store(to + k * job.gradients_strides[CTC_LETTER],
                   own ? ctc_p(job, at, row, t, k) : value);
    }
    if (!own)
        return;
    __syncthreads();
    for (int32_t group = threadIdx.x / WARP; group <= job.groups[n]; group += WARPS) {
        double share = ctc_share(at, at.paths + t * at.states, all, group);
        int64_t letter = group ? at.label[at.order[at.group[group - 1]]] : 0;

        if (threadIdx.x % WARP == 0)
            cuda_store(to + letter * job.gradients_strides[CTC_LETTER],
                       ctc_p(job, at, row, t, letter) - share);
    }
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
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[X];
    const struct anydnn_plugin_tensor *gradients = plan->problem.tensor[GRADIENTS];
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

/* What a call has of labels, and the scratch that it takes. */
struct ctc_lists {
    ctc_place *places;
    int64_t labels, room;
};

/* Numbers of the host to the scratch. */
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

/* Steps that the labels take at the least: one each, and one for a blank between equal neighbours.
 */
static int64_t shortest(const int32_t *label, int64_t labels)
{
    int64_t steps = labels;

    for (int64_t i = 1; i < labels; i++)
        steps += label[i] == label[i - 1];
    return steps;
}

static void place(ctc_lists *lists, const cuda_call *call, const ctc_job &job)
{
    const int32_t *labels = (const int32_t *)call->operands->data[LABELS];
    const int32_t *label_lengths = (const int32_t *)call->operands->data[LABEL_LENGTHS];
    const int32_t *input_lengths = (const int32_t *)call->operands->data[INPUT_LENGTHS];

    for (int64_t n = 0; n < job.sequences; n++) {
        ctc_place *made = &lists->places[n];

        *made = {lists->room, (int32_t)lists->labels, label_lengths[n], input_lengths[n], 0};
        made->runs =
            made->steps > 0 && shortest(labels + lists->labels, made->labels) <= made->steps;
        lists->labels += made->labels;
        lists->room += ctc_room(*made, job.gradients != nullptr);
    }
}

static size_t bytes_of(const ctc_job &job, const ctc_lists &lists)
{
    return (size_t)(job.sequences + lists.room) * sizeof(double) +
           (size_t)job.sequences * sizeof(ctc_place) +
           (size_t)(3 * lists.labels + 2 * job.sequences) * sizeof(int32_t);
}

/* Doubles first, then places, then lists of numbers. */
static void lay_out(ctc_job *job, void *scratch, const ctc_lists &lists)
{
    ctc_place *places;
    int32_t *numbers;

    job->all = (double *)scratch;
    job->rooms = job->all + job->sequences;
    places = (ctc_place *)(job->rooms + lists.room);
    job->places = places;
    numbers = (int32_t *)(places + job->sequences);
    job->labels = numbers;
    job->order = numbers + lists.labels;
    job->group = job->order + lists.labels;
    job->groups = job->group + lists.labels + job->sequences;
}

static int32_t launch(const ctc_state *state, const cuda_call *call, ctc_job *job,
                      const ctc_lists *lists)
{
    int64_t rows = job->steps * job->sequences;
    int32_t status = put(call, (void *)job->places, lists->places,
                         job->sequences * (int64_t)(sizeof(ctc_place) / sizeof(int32_t)));

    if (!status)
        status = put(call, (void *)job->labels, call->operands->data[LABELS], lists->labels);
    if (!status && job->softmax)
        status = cuda_launch(call, state->scales, cuda_blocks(rows, WARPS), 1, *job);
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

    lists.places = (ctc_place *)kit_alloc((size_t)job.sequences * sizeof(ctc_place),
                                          "the places of sequences");
    if (!lists.places)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    job.x = call->operands->data[X];
    job.costs = call->operands->data[COSTS];
    job.gradients = call->operands->data[GRADIENTS];
    place(&lists, call, job);
    status = cuda_scratch_take(call->device, call->stream, bytes_of(job, lists), &scratch);
    if (!status) {
        lay_out(&job, scratch, lists);
        status = launch(state, call, &job, &lists);
        dropped = cuda_scratch_drop(call->device, call->stream, scratch);
        status = status ? status : dropped;
    }
    kit_host->free(lists.places);
    return status;
}

CUDA_OPERATION(ctc_loss, CTC_LOSS, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(ctc_state), .scratch = 1, .prepare = ctc_prepare, .run = ctc_run);
