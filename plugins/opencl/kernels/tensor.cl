/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the operations on tensors without windows, for any types, and the bias gradient, a sum. */

/* Stores alpha * x + beta * out; x may be broadcast. */
GROUPED blend_elements(constant const struct blend_job *job, struct job_call call, global const u8 *x, global u8 *out)
{
    i64 i = get_global_id(0), at[JOB_DIMS];

    if (i >= job->out.count)
        return;
    unravel(job->out.dims, job->out.ndims, i, at);
    blend(job->out.type, out, offset_of(&job->out, at), load(job->x.type, x, offset_of(&job->x, at)),
          FACTOR(call, 0), FACTOR(call, 1));
}

/* Copies the bits of the value to each element. A value of a vector type provides the bits of the element's lane. */
GROUPED set_elements(constant const struct blend_job *job, struct job_call call, global u8 *out)
{
    i64 i = get_global_id(0), at[JOB_DIMS], lane, offset;

    if (i >= job->out.count)
        return;
    unravel(job->out.dims, job->out.ndims, i, at);
    lane = job->out.lanes > 1 ? at[1] % job->out.lanes : 0;
    offset = offset_of(&job->out, at) * job->size;
    for (int b = 0; b < job->size; b++)
        out[offset + b] = call.value[lane * job->size + b];
}

/* Sums a channel of dy for an element of db. */
GROUPED channel_sums(constant const struct blend_job *job, struct job_call call, global const u8 *dy, global u8 *db)
{
    local wide part[JOB_GROUP];
    i64 at[JOB_DIMS], channel = get_group_id(0), count = job->x.count / job->x.dims[1];
    wide sum = 0;

    for (i64 i = get_local_id(0); i < count; i += JOB_GROUP) {
        unravel_beside(job->x.dims, job->x.ndims, i, channel, at);
        sum += load(job->x.type, dy, offset_of(&job->x, at));
    }
    sum = group_sum(part, sum);
    if (get_local_id(0) == 0)
        blend(job->out.type, db, channel * job->out.strides[1], sum, FACTOR(call, 0), FACTOR(call, 1));
}

/* ------------------------------------------------------------------ op_tensor */

enum { OP_ADD, OP_MUL, OP_MIN, OP_MAX, OP_SQRT, OP_NOT };

/* Returns the smaller or the larger number. If one is NaN, it returns NaN if NaN propagates, otherwise the other
 * number. */
wide choose(constant const struct op_job *job, wide a, wide b)
{
    if (isnan(a))
        return job->nan_propagate ? a : b;
    if (isnan(b))
        return job->nan_propagate ? b : a;
    return (job->op == OP_MIN) == (b < a) ? b : a;
}

wide operate(constant const struct op_job *job, wide a, wide b)
{
    switch (job->op) {
    case OP_ADD:
        return a + b;
    case OP_MUL:
        return a * b;
    case OP_SQRT:
        return sqrt(a);
    case OP_NOT:
        return 1 - a;
    default:
        return choose(job, a, b);
    }
}

/* Stores op(alpha1 * a, alpha2 * b) + beta * c. b is broadcast along its dims of size 1. */
GROUPED op_elements(constant const struct op_job *job, struct job_call call, global const u8 *a, global const u8 *b,
                    global u8 *c)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    wide left, right = 0;

    if (i >= job->c.count)
        return;
    unravel(job->c.dims, job->c.ndims, i, at);
    left = FACTOR(call, 0) * load(job->a.type, a, offset_of(&job->a, at));
    if (job->b.present)
        right = FACTOR(call, 1) * load(job->b.type, b, offset_of(&job->b, at));
    blend(job->c.type, c, offset_of(&job->c, at), operate(job, left, right), 1, FACTOR(call, 2));
}

/* ------------------------------------------------------------------ transforms with folds and pads */

/* Replaces an index in the folded tensor by the index in the unfolded tensor. */
void unfold(constant const struct transform_job *job, i64 *at)
{
    i64 within = at[1] / job->channels;

    at[1] %= job->channels;
    for (int d = job->y.ndims - 1; d >= 2; d--) {
        at[d] = at[d] * job->fold[d - 2] + within % job->fold[d - 2];
        within /= job->fold[d - 2];
    }
}

/* Replaces an index in the unfolded tensor by the index in the folded tensor. */
void fold(constant const struct transform_job *job, i64 *at)
{
    i64 within = 0;

    for (int d = 2; d < job->y.ndims; d++) {
        within = within * job->fold[d - 2] + at[d] % job->fold[d - 2];
        at[d] /= job->fold[d - 2];
    }
    at[1] += within * job->channels;
}

/* Replaces an index in the padded tensor by the index in the tensor without pads. Returns 0 for padding and for the
 * rest of an incomplete block. */
int unpad(constant const struct transform_job *job, i64 *at)
{
    int inside = 1;

    for (int d = 0; d < job->y.ndims; d++) {
        inside = inside && at[d] < job->pad_before[d] + job->inner[d] + job->pad_after[d];
        at[d] -= job->pad_before[d];
        inside = inside && at[d] >= 0 && at[d] < job->inner[d];
    }
    return inside;
}

/* Folding pads, then moves each block of fold[0] x fold[1] .. positions into channels. Unfolding moves the positions
 * back, then pads. An element of channel c, with row-major number o within its block, moves to channel o * (channels of
 * the unfolded tensor) + c. */
GROUPED transform_elements(constant const struct transform_job *job, struct job_call call, global const u8 *x,
                           global u8 *y)
{
    i64 i = get_global_id(0), at[JOB_DIMS], to;
    wide value = 0;

    if (i >= job->y.count)
        return;
    unravel(job->y.dims, job->y.ndims, i, at);
    to = offset_of(&job->y, at);
    if (job->folds)
        unfold(job, at);
    if (unpad(job, at)) {
        if (!job->folds)
            fold(job, at);
        value = load(job->x.type, x, offset_of(&job->x, at));
    }
    blend(job->y.type, y, to, value, FACTOR(call, 0), FACTOR(call, 1));
}
