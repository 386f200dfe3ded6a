/* SPDX-License-Identifier: Apache-2.0 */
/* Implements dropout forward and backward. The states alone determine which elements are kept,
 * as anydnn.h specifies; the reserve passes this to the backward pass. A forward thread
 * processes the eight elements of one byte of the reserve, in logical order. */
#include "../../kit/philox.h"
#include "../naive.h"

/* ANYDNN_DROPOUT_MAGIC and ANYDNN_DROPOUT_VERSION of anydnn.h. */
#define MAGIC   UINT64_C(0x706f7264796e61)
#define VERSION 1

/* The states: four numbers of 8 bytes, lowest byte first, at any address. */
enum { STATES_MAGIC, STATES_VERSION, STATES_SEED, STATES_OFFSET };

struct dropout_job {
    naive_tensor in, out;
    uint8_t *states; /* NULL in the backward pass */
    uint8_t *reserve;
    uint64_t threshold; /* Philox words of at least this are kept; 2^32 keeps none */
    double kept;        /* 1 - the probability */
};

__device__ static inline uint64_t state_of(const dropout_job &job, int which)
{
    uint64_t value = 0;

    for (int b = 0; b < 8; b++)
        value |= (uint64_t)job.states[which * 8 + b] << (8 * b);
    return value;
}

/* Returns true if the states are initialized. Otherwise the output is set to NaN, because the
 * call has returned and a kernel cannot report the error. */
__device__ static inline bool are_states(const dropout_job &job)
{
    return state_of(job, STATES_MAGIC) == MAGIC && state_of(job, STATES_VERSION) == VERSION;
}

/* Returns true if element i is kept. Its number is word i % 4 of counter i / 4, with i counted
 * from the offset. */
__device__ static inline bool is_kept(const dropout_job &job, int64_t i)
{
    uint64_t element = state_of(job, STATES_OFFSET) + (uint64_t)i;
    uint64_t seed = state_of(job, STATES_SEED);
    const uint32_t counter[4] = {(uint32_t)(element / 4), (uint32_t)(element / 4 >> 32), 0, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t word[4];

    kit_philox(counter, key, word);
    return word[element % 4] >= job.threshold;
}

__device__ static inline void drop(const dropout_job &job, int64_t i, bool keeps)
{
    int64_t at[NAIVE_DIMS];
    double value = 0;

    naive_unravel(job.out.dims, job.out.ndims, i, at);
    if (keeps)
        value = naive_load_any(job.in, naive_offset(job.in, at)) / job.kept;
    if (job.states && !are_states(job))
        value = (double)NAN;
    naive_store(job.out, naive_offset(job.out, at), value, {1, 0});
}

static __global__ void dropout_forward(dropout_job job)
{
    int64_t byte = naive_thread();
    unsigned bits = 0;

    if (byte * 8 >= job.out.count)
        return;
    for (int64_t i = byte * 8; i < byte * 8 + 8 && i < job.out.count; i++) {
        bool keeps = are_states(job) && is_kept(job, i);

        bits |= (unsigned)keeps << (i % 8);
        drop(job, i, keeps);
    }
    job.reserve[byte] = (uint8_t)bits;
}

/* Advances the offset. It runs after all threads of dropout_forward have read the offset. */
static __global__ void dropout_advance(dropout_job job)
{
    uint64_t next;

    if (naive_thread() != 0 || !are_states(job))
        return;
    next = state_of(job, STATES_OFFSET) + ((uint64_t)job.out.count + 3) / 4 * 4;
    for (int b = 0; b < 8; b++)
        job.states[STATES_OFFSET * 8 + b] = (uint8_t)(next >> (8 * b));
}

static __global__ void dropout_backward(dropout_job job)
{
    int64_t i = naive_thread();

    if (i < job.out.count)
        drop(job, i, job.reserve[i / 8] >> (i % 8) & 1);
}

/* ------------------------------------------------------------------ on the host */

static dropout_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call, int in,
                          int out, int reserve)
{
    const struct anydnn_plugin_dropout *params =
        (const struct anydnn_plugin_dropout *)plan->problem.params;
    dropout_job job = {};

    job.in = naive_tensor_of(plan, call, in);
    job.out = naive_tensor_of(plan, call, out);
    job.reserve = (uint8_t *)call->operands->data[reserve];
    job.threshold = (uint64_t)ceil(params->probability * 0x1p32);
    job.kept = 1 - params->probability;
    return job;
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    dropout_job job = job_of(plan, call, slot_dropout_forward_x, slot_dropout_forward_y,
                             slot_dropout_forward_reserve);
    int32_t status;

    job.states = (uint8_t *)call->operands->data[slot_dropout_forward_states];
    status = naive_launch(call, dropout_forward, (job.out.count + 7) / 8, job);
    return status ? status : naive_launch(call, dropout_advance, 1, job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    dropout_job job = job_of(plan, call, slot_dropout_backward_dy, slot_dropout_backward_dx,
                             slot_dropout_backward_reserve);

    return naive_launch(call, dropout_backward, job.out.count, job);
}

CUDA_OPERATION(dropout_forward, DROPOUT_FORWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .run = forward_run);
CUDA_OPERATION(dropout_backward, DROPOUT_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .run = backward_run);
