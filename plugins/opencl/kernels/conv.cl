/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the convolutions, with a work-item for each result, or a group for each element of dw. TYPE is the type of
 * x and w. Elements x[n, c, i] and y[n, k, o] share the filter element w[k, c, t] if every spatial dim satisfies
 *   i = o * stride - pad + t * dilation.
 * A flipped filter stores its elements in reverse order. */

/* The type of elements of x and w as they are multiplied, and the type of their sum. */
#if TYPE == DOUBLE
typedef double factor;
typedef double total;
#define MULTIPLY(a, b, sum) fma(a, b, sum)
#define VALUE(sum)          (sum)
#elif TYPE == INT8 || TYPE == UINT8
typedef i32 factor;
typedef u32 total; /* wraps */
#define MULTIPLY(a, b, sum) ((sum) + (u32)((a) * (b)))
#define VALUE(sum)          ((wide)(i32)(sum))
#else
typedef float factor;
typedef float total;
#define MULTIPLY(a, b, sum) fma(a, b, sum)
#define VALUE(sum)          ((wide)(sum))
#endif

/* Returns an element of x, y or w. Only integers have filters of another type. */
factor element(i32 type, global const u8 *data, i64 at)
{
#if TYPE == DOUBLE
    return ((global const double *)data)[at];
#elif TYPE == INT8 || TYPE == UINT8
    return type == UINT8 ? (i32)data[at] : (i32)((global const char *)data)[at];
#else
    return load_float(TYPE, data, at);
#endif
}

/* Returns the offset of a tap in w, without filter and channel. */
i64 tap_offset(constant const struct conv_job *job, const i64 *tap)
{
    i64 offset = 0;

    for (int s = 0; s < job->spatial; s++)
        offset += (job->flipped ? job->w.dims[2 + s] - 1 - tap[s] : tap[s]) * job->w.strides[2 + s];
    return offset;
}

/* Finds the input that output position `o` reads through a tap. *offset becomes its offset in x, without image and
 * channel. Returns 0 for padding. */
int input_of(constant const struct conv_job *job, const i64 *o, const i64 *tap, i64 *offset)
{
    *offset = 0;
    for (int s = 0; s < job->spatial; s++) {
        i64 i = o[s] * job->stride[s] - job->pad[s] + tap[s] * job->dilation[s];

        if (i < 0 || i >= job->x.dims[2 + s])
            return 0;
        *offset += i * job->x.strides[2 + s];
    }
    return 1;
}

/* Finds the output that position `i` of dx reaches through a tap. *offset becomes its offset in dy, without image and
 * channel. Returns 0 if there is no such output. */
int output_of(constant const struct conv_job *job, const i64 *i, const i64 *tap, i64 *offset)
{
    *offset = 0;
    for (int s = 0; s < job->spatial; s++) {
        i64 o = i[s] + job->pad[s] - tap[s] * job->dilation[s];

        if (o < 0 || o % job->stride[s] != 0 || o / job->stride[s] >= job->y.dims[2 + s])
            return 0;
        *offset += o / job->stride[s] * job->y.strides[2 + s];
    }
    return 1;
}

/* Stores alpha * sum + beta * y. The fused operation stores activation(alpha1 * sum + alpha2 * z + bias). */
void finish(constant const struct conv_job *job, const struct job_call *call, global const u8 *z, global const u8 *bias,
            global u8 *y, const i64 *at, wide sum)
{
    i64 offset = offset_of(&job->y, at);
    wide alpha = FACTOR(*call, 0), beta = FACTOR(*call, 1), value = alpha * sum;

    if (!job->bias.present) {
        blend(job->y.type, y, offset, sum, alpha, beta);
        return;
    }
    if (job->z.present && beta != 0)
        value += beta * load(job->z.type, z, offset_of(&job->z, at));
    value += load(job->bias.type, bias, channel_offset(&job->bias, at[1]));
    store(job->y.type, y, offset, activate(&job->f, value));
}

GROUPED conv_forward(constant const struct conv_job *job, struct job_call call, global const u8 *x,
                     global const u8 *w, global const u8 *z, global const u8 *bias, global u8 *y)
{
    i64 i = get_global_id(0), at[JOB_DIMS], tap[JOB_SPATIAL] = {0}, first, place, from, filter;
    total sum = 0;

    if (i >= job->y.count)
        return;
    unravel(job->y.dims, job->y.ndims, i, at);
    first = at[1] / job->filters * job->channels; /* of the group */
    do {
        if (!input_of(job, at + 2, tap, &place))
            continue;
        from = at[0] * job->x.strides[0] + place;
        filter = at[1] * job->w.strides[0] + tap_offset(job, tap);
        for (i64 c = 0; c < job->channels; c++)
            sum = MULTIPLY(element(job->x.type, x, from + channel_offset(&job->x, first + c)),
                           element(job->w.type, w, filter + channel_offset(&job->w, c)), sum);
    } while (advance(job->w.dims + 2, job->spatial, tap));
    finish(job, &call, z, bias, y, at, VALUE(sum));
}

#if TYPE != INT8 && TYPE != UINT8

GROUPED conv_backward_data(constant const struct conv_job *job, struct job_call call, global const u8 *w,
                           global const u8 *dy, global u8 *dx)
{
    i64 i = get_global_id(0), at[JOB_DIMS], tap[JOB_SPATIAL] = {0}, first, place, from, filter;
    total sum = 0;

    if (i >= job->x.count)
        return;
    unravel(job->x.dims, job->x.ndims, i, at);
    first = at[1] / job->channels * job->filters; /* of the group */
    do {
        if (!output_of(job, at + 2, tap, &place))
            continue;
        from = at[0] * job->y.strides[0] + place;
        filter = at[1] % job->channels * job->w.strides[1] + tap_offset(job, tap);
        for (i64 k = first; k < first + job->filters; k++)
            sum = MULTIPLY(element(job->y.type, dy, from + k * job->y.strides[1]),
                           element(job->w.type, w, filter + k * job->w.strides[0]), sum);
    } while (advance(job->w.dims + 2, job->spatial, tap));
    blend(job->x.type, dx, offset_of(&job->x, at), VALUE(sum), FACTOR(call, 0), FACTOR(call, 1));
}

/* Computes an element (k, c, t) of dw, which sums over all outputs of filter k. */
GROUPED conv_backward_filter(constant const struct conv_job *job, struct job_call call, global const u8 *x,
                             global const u8 *dy, global u8 *dw)
{
    local wide part[JOB_GROUP];
    i64 at[JOB_DIMS], output[JOB_DIMS], from, place;
    total sum = 0;
    wide whole;

    unravel(job->w.dims, job->w.ndims, get_group_id(0), at);
    from = (at[0] / job->filters * job->channels + at[1]) * job->x.strides[1];
    for (i64 i = get_local_id(0); i < job->positions; i += JOB_GROUP) {
        unravel_beside(job->y.dims, job->y.ndims, i, at[0], output);
        if (input_of(job, output + 2, at + 2, &place))
            sum = MULTIPLY(element(job->x.type, x, output[0] * job->x.strides[0] + from + place),
                           element(job->y.type, dy, offset_of(&job->y, output)), sum);
    }
    whole = group_sum(part, VALUE(sum));
    if (get_local_id(0) == 0)
        blend(job->w.type, dw, at[0] * job->w.strides[0] + at[1] * job->w.strides[1] + tap_offset(job, at + 2),
              whole, FACTOR(call, 0), FACTOR(call, 1));
}

/* Computes an element of col: col[(c, t), (n, o)] is the element of x that output position o of image n reads through
 * filter element (c, t); padding is 0. */
GROUPED im2col(constant const struct conv_job *job, struct job_call call, global const u8 *x, global u8 *col)
{
    i64 i = get_global_id(0), at[2], tap[JOB_SPATIAL], o[JOB_SPATIAL], to, place;
    wide value = 0;

    if (i >= job->y.count)
        return;
    unravel(job->y.dims, 2, i, at);
    to = offset_of(&job->y, at);
    for (int s = job->spatial - 1; s >= 0; s--) {
        tap[s] = at[0] % job->window[s];
        tap[s] = job->flipped ? job->window[s] - 1 - tap[s] : tap[s];
        at[0] /= job->window[s];
        o[s] = at[1] % job->outputs[s];
        at[1] /= job->outputs[s];
    }
    if (input_of(job, o, tap, &place))
        value = load(job->x.type, x, at[1] * job->x.strides[0] + at[0] * job->x.strides[1] + place);
    store(job->y.type, col, to, value);
}

#endif
