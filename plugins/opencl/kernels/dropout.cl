/* SPDX-License-Identifier: Apache-2.0 */
/* Implements dropout. The states alone determine which elements are kept; the reserve passes this to the backward pass.
 * A work-item of the forward pass processes the eight elements of one byte of the reserve, in logical order. */

/* The states: four numbers of 8 bytes, lowest byte first, at any address. */
enum { STATES_MAGIC, STATES_VERSION, STATES_SEED, STATES_OFFSET };

#define MAGIC   0x706f7264796e61UL
#define VERSION 1

u64 state_of(global const u8 *states, int which)
{
    u64 value = 0;

    for (int b = 0; b < 8; b++)
        value |= (u64)states[which * 8 + b] << (8 * b);
    return value;
}

/* Returns 1 if the states are initialized. Otherwise the output is set to NaN, because the call has returned and a
 * kernel cannot report the error. */
int are_states(global const u8 *states)
{
    return state_of(states, STATES_MAGIC) == MAGIC && state_of(states, STATES_VERSION) == VERSION;
}

/* Returns a word of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
 * SC 2011). */
u32 philox(u64 counter, u64 key, int which)
{
    uint4 c = (uint4)((u32)counter, (u32)(counter >> 32), 0, 0);
    uint2 k = (uint2)((u32)key, (u32)(key >> 32));

    for (int round = 0; round < 10; round++) {
        c = (uint4)(mul_hi(0xcd9e8d57u, c.z) ^ c.y ^ k.x, 0xcd9e8d57u * c.z,
                    mul_hi(0xd2511f53u, c.x) ^ c.w ^ k.y, 0xd2511f53u * c.x);
        k += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    return which == 0 ? c.x : which == 1 ? c.y : which == 2 ? c.z : c.w;
}

/* Returns 1 if element i is kept. Its number is word i % 4 of counter i / 4, with i counted from the offset. */
int is_kept(constant const struct dropout_job *job, global const u8 *states, i64 i)
{
    u64 element = state_of(states, STATES_OFFSET) + (u64)i;

    return philox(element / 4, state_of(states, STATES_SEED), (int)(element % 4)) >= job->threshold;
}

/* Stores element i of out. */
void drop(constant const struct dropout_job *job, global const u8 *in, global u8 *out, i64 i, int keeps, int is_valid)
{
    i64 at[JOB_DIMS];
    wide value = 0;

    unravel(job->out.dims, job->out.ndims, i, at);
    if (keeps)
        value = load(job->in.type, in, offset_of(&job->in, at)) / NUMBER(job->kept);
    if (!is_valid)
        value = NAN;
    store(job->out.type, out, offset_of(&job->out, at), value);
}

GROUPED dropout_forward(constant const struct dropout_job *job, struct job_call call, global const u8 *x,
                        global const u8 *states, global u8 *y, global u8 *reserve)
{
    i64 byte = get_global_id(0);
    int is_valid = are_states(states);
    u32 bits = 0;

    if (byte * 8 >= job->out.count)
        return;
    for (i64 i = byte * 8; i < byte * 8 + 8 && i < job->out.count; i++) {
        int keeps = is_valid && is_kept(job, states, i);

        bits |= (u32)keeps << (i % 8);
        drop(job, x, y, i, keeps, is_valid);
    }
    reserve[byte] = (u8)bits;
}

/* Advances the offset. It runs after all work-items of dropout_forward have read the offset. */
GROUPED dropout_advance(constant const struct dropout_job *job, struct job_call call, global u8 *states)
{
    u64 next;

    if (get_global_id(0) != 0 || !are_states(states))
        return;
    next = state_of(states, STATES_OFFSET) + ((u64)job->out.count + 3) / 4 * 4;
    for (int b = 0; b < 8; b++)
        states[STATES_OFFSET * 8 + b] = (u8)(next >> (8 * b));
}

GROUPED dropout_backward(constant const struct dropout_job *job, struct job_call call, global const u8 *dy,
                         global const u8 *reserve, global u8 *dx)
{
    i64 i = get_global_id(0);

    if (i < job->out.count)
        drop(job, dy, dx, i, reserve[i / 8] >> (i % 8) & 1, 1);
}
