/* SPDX-License-Identifier: Apache-2.0 */
/* Implements reduce_tensor with a group for each element of c, and count_special with one group. */

enum { REDUCE_ADD, REDUCE_MUL, REDUCE_MIN, REDUCE_MAX, REDUCE_AMAX, REDUCE_AVG, REDUCE_NORM1, REDUCE_NORM2,
       REDUCE_MUL_NO_ZEROS };

/* The types that only indices have. */
#define UINT16 1000
#define UINT32 1001

int multiplies(i32 op)
{
    return op == REDUCE_MUL || op == REDUCE_MUL_NO_ZEROS;
}

int chooses(i32 op)
{
    return op == REDUCE_MIN || op == REDUCE_MAX || op == REDUCE_AMAX;
}

/* Returns the value with which an element enters the reduction. */
wide term(i32 op, wide v)
{
    switch (op) {
    case REDUCE_AMAX:
    case REDUCE_NORM1:
        return fabs(v);
    case REDUCE_NORM2:
        return v * v;
    case REDUCE_MUL_NO_ZEROS:
        return v == 0 ? 1 : v;
    default:
        return v;
    }
}

/* Returns 1 if v replaces the value `best`. If NaN propagates, a NaN replaces any number and stays. Otherwise a NaN
 * replaces nothing, and any number replaces it. */
int beats(constant const struct reduce_job *job, wide v, wide best)
{
    if (isnan(v))
        return job->nan_propagate && !isnan(best);
    if (isnan(best))
        return !job->nan_propagate;
    return job->op == REDUCE_MIN ? v < best : v > best;
}

/* Joins two partial results, a sum, a product or the element chosen so far. The index is -1 if no element is chosen.
 * The first of equal elements is chosen. */
void join(constant const struct reduce_job *job, wide *value, i64 *index, wide other, i64 others)
{
    if (multiplies(job->op))
        *value *= other;
    else if (!chooses(job->op))
        *value += other;
    else if (others >= 0 && (*index < 0 || beats(job, other, *value) ||
                             (!beats(job, *value, other) && others < *index))) {
        *value = other;
        *index = others;
    }
}

void store_index(i32 type, global u8 *indices, i64 at, i64 index)
{
    switch (type) {
    case UINT8:
        indices[at] = (u8)index;
        break;
    case UINT16:
        ((global ushort *)indices)[at] = (ushort)index;
        break;
    case UINT32:
        ((global u32 *)indices)[at] = (u32)index;
        break;
    default:
        ((global u64 *)indices)[at] = (u64)index;
    }
}

/* Reduces the elements of a for an element of c. Indices count elements in logical order. */
GROUPED reduce_elements(constant const struct reduce_job *job, struct job_call call, global const u8 *a, global u8 *c,
                        global u8 *indices)
{
    local wide values[JOB_GROUP];
    local i64 numbers[JOB_GROUP];
    i64 first[JOB_DIMS], at[JOB_DIMS], index = -1;
    int me = (int)get_local_id(0);
    wide value = multiplies(job->op) ? 1 : 0;

    unravel(job->c.dims, job->c.ndims, get_group_id(0), first);
    for (i64 i = me; i < job->count; i += JOB_GROUP) {
        unravel(job->extents, job->a.ndims, i, at);
        for (int d = 0; d < job->a.ndims; d++)
            at[d] += first[d];
        join(job, &value, &index, term(job->op, load(job->a.type, a, offset_of(&job->a, at))), i);
    }
    values[me] = value;
    numbers[me] = index;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = JOB_GROUP / 2; apart > 0; apart /= 2) {
        if (me < apart) {
            join(job, &value, &index, values[me + apart], numbers[me + apart]);
            values[me] = value;
            numbers[me] = index;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me != 0)
        return;
    if (job->op == REDUCE_AVG)
        value /= (wide)job->count;
    if (job->op == REDUCE_NORM2)
        value = sqrt(value);
    blend(job->c.type, c, offset_of(&job->c, first), value, FACTOR(call, 0), FACTOR(call, 1));
    if (job->indices.present)
        store_index(job->indices.type, indices, offset_of(&job->indices, first), index);
}

/* ------------------------------------------------------------------ special values */

/* Returns the bits of a scalar without its sign. */
u64 magnitude_at(const struct special_job *job, global const u8 *data, i64 at)
{
    u64 bits = 0;

    for (int b = 0; b < job->bytes; b++)
        bits |= (u64)data[at * job->bytes + b] << (8 * b);
    return bits & job->magnitude;
}

/* Adds the numbers of NaNs, infinities and zeros to counts. One group runs, so no atomics are needed. */
GROUPED count_special(struct special_job job, global const u8 *data, global u64 *counts)
{
    local u64 part[3][JOB_GROUP];
    int me = (int)get_local_id(0);
    u64 found[3] = {0, 0, 0};

    for (i64 i = me; i < job.count; i += JOB_GROUP) {
        i64 rest = i, at = 0;
        u64 bits;

        for (int d = job.ndims - 1; d >= 0; d--) {
            at += rest % job.dims[d] * job.strides[d];
            rest /= job.dims[d];
        }
        bits = magnitude_at(&job, data, at);
        found[0] += job.infinity && bits > job.infinity;
        found[1] += job.infinity && bits == job.infinity;
        found[2] += bits == 0;
    }
    for (int k = 0; k < 3; k++)
        part[k][me] = found[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me >= 3)
        return;
    for (int i = 0; i < JOB_GROUP; i++)
        counts[me] += part[me][i];
}
