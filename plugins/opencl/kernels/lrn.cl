/* SPDX-License-Identifier: Apache-2.0 */
/* Implements local response normalization across channels, y = x * s^-beta with s = k + alpha * (sum of squares over
 * the window), with a work-item for each element. */

/* Returns s of channel c at one position. `at` is the offset of channel 0 there. */
wide scale_of(constant const struct lrn_job *job, global const u8 *x, i64 at, i64 c)
{
    i64 last = min(c + job->after, job->x.dims[1] - 1);
    wide sum = 0;

    for (i64 j = max(c - job->before, (i64)0); j <= last; j++) {
        wide value = load(job->x.type, x, at + j * job->x.strides[1]);

        sum += value * value;
    }
    return NUMBER(job->k) + NUMBER(job->alpha) * sum;
}

GROUPED lrn_forward(constant const struct lrn_job *job, struct job_call call, global const u8 *x, global u8 *y)
{
    i64 i = get_global_id(0), at[JOB_DIMS], c, place;

    if (i >= job->out.count)
        return;
    unravel(job->out.dims, job->out.ndims, i, at);
    c = at[1];
    place = offset_of(&job->x, at) - c * job->x.strides[1];
    blend(job->out.type, y, offset_of(&job->out, at),
          load(job->x.type, x, place + c * job->x.strides[1]) *
              pow(scale_of(job, x, place, c), -NUMBER(job->beta)),
          FACTOR(call, 0), FACTOR(call, 1));
}

/* Computes dx_c = dy_c s_c^-b - 2 a b x_c (sum of dy_j x_j s_j^(-b-1)). The sum covers the channels j whose windows
 * contain c. */
GROUPED lrn_backward(constant const struct lrn_job *job, struct job_call call, global const u8 *dy,
                     global const u8 *x, global u8 *dx)
{
    i64 i = get_global_id(0), at[JOB_DIMS], c, place, from, last;
    wide beta = NUMBER(job->beta), sum = 0, direct = 0;

    if (i >= job->out.count)
        return;
    unravel(job->out.dims, job->out.ndims, i, at);
    c = at[1];
    place = offset_of(&job->x, at) - c * job->x.strides[1];
    from = offset_of(&job->dy, at) - c * job->dy.strides[1];
    last = min(c + job->before, job->x.dims[1] - 1);
    for (i64 j = max(c - job->after, (i64)0); j <= last; j++) {
        wide s = scale_of(job, x, place, j);
        wide through = load(job->dy.type, dy, from + j * job->dy.strides[1]) * pow(s, -beta);

        direct = j == c ? through : direct;
        sum += through * load(job->x.type, x, place + j * job->x.strides[1]) / s;
    }
    direct -= 2 * NUMBER(job->alpha) * beta * load(job->x.type, x, place + c * job->x.strides[1]) * sum;
    blend(job->out.type, dx, offset_of(&job->out, at), direct, FACTOR(call, 0), FACTOR(call, 1));
}
