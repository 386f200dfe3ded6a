/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout forward and backward. The states alone determine which elements are kept, as anydnn.h
 * specifies; the reserve passes this to backward. A thread handles the eight elements, in logical
 * order, of one byte of the reserve. */
#include "../../cuda_common/table.h"
#include "../../kit/philox.h"
#include "../shared/map.h"

/* The values of ANYDNN_DROPOUT_MAGIC and ANYDNN_DROPOUT_VERSION in anydnn.h. */
#define MAGIC   UINT64_C(0x706f7264796e61)
#define VERSION 1

/* The states: four numbers in the machine's byte order. In memory, they are bytes at any
 * address. */
struct dropout_states {
    uint64_t magic, version, seed, offset;
};
enum { STATES_MAGIC, STATES_VERSION, STATES_SEED, STATES_OFFSET };

struct dropout_job {
    cuda_walk walk; /* of out and in */
    void *out;
    const void *in;
    uint8_t *reserve;
    uint8_t *states;
    uint64_t threshold; /* words from this value on are kept; 2^32 keeps none */
    double kept;        /* 1 - the probability */
};

__device__ static inline uint64_t load_number(const uint8_t *states, int which)
{
    uint64_t value = 0;

    for (int b = 0; b < 8; b++)
        value |= (uint64_t)states[which * 8 + b] << (8 * b);
    return value;
}

__device__ static inline dropout_states load_states(const uint8_t *states)
{
    return {load_number(states, STATES_MAGIC), load_number(states, STATES_VERSION),
            load_number(states, STATES_SEED), load_number(states, STATES_OFFSET)};
}

/* Returns 1 if the states are valid. The kernel cannot report invalid states to the caller, because
 * the call may have returned. The result is then all NaN. */
__device__ static inline int are_states(const dropout_states &states)
{
    return states.magic == MAGIC && states.version == VERSION;
}

/* Computes the four random words of a 64-bit counter under a 64-bit key. */
__device__ static inline void words_of(uint64_t counter, uint64_t key, uint32_t word[4])
{
    const uint32_t counters[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0};
    const uint32_t keys[2] = {(uint32_t)key, (uint32_t)(key >> 32)};

    kit_philox(counters, keys, word);
}

/* Returns as bits which of the eight elements from index `first` on are kept. */
__device__ static inline unsigned kept_bits(const dropout_job &job, const dropout_states &states,
                                            int64_t first)
{
    uint64_t begin = states.offset + (uint64_t)first, four = begin / 4;
    unsigned bits = 0;
    uint32_t word[4];

    words_of(four, states.seed, word);
    for (int i = 0; i < 8; i++) {
        uint64_t element = begin + (uint64_t)i;

        if (element / 4 != four) {
            four = element / 4;
            words_of(four, states.seed, word);
        }
        bits |= (unsigned)(word[element % 4] >= job.threshold) << i;
    }
    return bits;
}

template <class T>
__device__ static inline void drop(const dropout_job &job, int64_t first, unsigned bits, int valid)
{
    for (int i = 0; i < 8; i++) {
        int64_t at[2];
        double value = 0;

        if (first + i >= job.walk.count)
            return;
        cuda_walk_place<2>(job.walk, first + i, at);
        if (bits >> i & 1)
            value = (double)cuda_load(((const T *)job.in)[at[1]]) / job.kept;
        cuda_store((T *)job.out + at[0], valid ? value : (double)NAN);
    }
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) dropout_forward(dropout_job job)
{
    int64_t byte = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x,
            left = job.walk.count - byte * 8;
    dropout_states states = load_states(job.states);
    int valid = are_states(states);
    unsigned bits;

    if (left <= 0)
        return;
    bits = valid ? kept_bits(job, states, byte * 8) : 0;
    if (left < 8)
        bits &= (1u << left) - 1;
    job.reserve[byte] = (uint8_t)bits;
    drop<T>(job, byte * 8, bits, valid);
}

/* Advances the offset after all threads of the previous kernel have read it. */
static __global__ void __launch_bounds__(CUDA_THREADS) dropout_advance(dropout_job job)
{
    dropout_states states;
    uint64_t next;

    if (threadIdx.x != 0)
        return;
    states = load_states(job.states);
    next = states.offset + ((uint64_t)job.walk.count + 3) / 4 * 4;
    if (!are_states(states))
        return;
    for (int b = 0; b < 8; b++)
        job.states[STATES_OFFSET * 8 + b] = (uint8_t)(next >> (8 * b));
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) dropout_backward(dropout_job job)
{
    int64_t byte = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;

    if (byte * 8 < job.walk.count)
        drop<T>(job, byte * 8, job.reserve[byte], 1);
}

/* ------------------------------------------------------------------ plans */

struct dropout_state {
    dropout_job job;
    void (*kernel)(dropout_job);
};

static void prepare(struct anydnn_plugin_plan *plan, int in, int out)
{
    const struct anydnn_plugin_tensor *walked[] = {plan->problem.tensor[out],
                                                   plan->problem.tensor[in]};
    const struct anydnn_plugin_dropout *params =
        (const struct anydnn_plugin_dropout *)plan->problem.params;
    dropout_job *job = &((dropout_state *)plan->job)->job;

    cuda_walk_make(&job->walk, walked, 2, KIT_WALK_ALL, KIT_WALK_LOGICAL);
    job->threshold = (uint64_t)ceil(params->probability * 0x1p32);
    job->kept = 1 - params->probability;
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    dropout_state *state = (dropout_state *)plan->job;

    prepare(plan, slot_dropout_forward_x, slot_dropout_forward_y);
    switch (plan->problem.tensor[slot_dropout_forward_x]->type) {
#define CASE(T) state->kernel = dropout_forward<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const dropout_state *state = (const dropout_state *)plan->job;
    dropout_job job = state->job;
    int32_t status;

    job.in = call->operands->data[slot_dropout_forward_x];
    job.out = call->operands->data[slot_dropout_forward_y];
    job.reserve = (uint8_t *)call->operands->data[slot_dropout_forward_reserve];
    job.states = (uint8_t *)call->operands->data[slot_dropout_forward_states];
    status =
        cuda_launch(call, state->kernel, cuda_blocks(job.walk.count, CUDA_THREADS * 8), 1, job);
    return status ? status : cuda_launch(call, dropout_advance, 1, 1, job);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    dropout_state *state = (dropout_state *)plan->job;

    prepare(plan, slot_dropout_backward_dy, slot_dropout_backward_dx);
    switch (plan->problem.tensor[slot_dropout_backward_dy]->type) {
#define CASE(T) state->kernel = dropout_backward<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const dropout_state *state = (const dropout_state *)plan->job;
    dropout_job job = state->job;

    job.in = call->operands->data[slot_dropout_backward_dy];
    job.out = call->operands->data[slot_dropout_backward_dx];
    job.reserve = (uint8_t *)call->operands->data[slot_dropout_backward_reserve];
    return cuda_launch(call, state->kernel, cuda_blocks(job.walk.count, CUDA_THREADS * 8), 1, job);
}

CUDA_OPERATION(dropout_forward, DROPOUT_FORWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(dropout_state), .prepare = forward_prepare, .run = forward_run);
CUDA_OPERATION(dropout_backward, DROPOUT_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(dropout_state), .prepare = backward_prepare, .run = backward_run);
