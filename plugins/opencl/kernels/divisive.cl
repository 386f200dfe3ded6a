/* SPDX-License-Identifier: Apache-2.0 */
/* Implements divisive normalization, y_i = x_i s_i^-b with s_i = k + a * (sum of (x_j - means_i)^2 over the window
 * around i in all spatial dims). A work-item for each element reads the whole window. The backward pass keeps the terms
 * of each element between its two kernels. The temp operands are not used. */

/* Places the iteration over the window of an element at its first position. */
void window_begin(constant const struct job_tensor *t, const i64 *around, i64 before, i64 after, i64 *first, i64 *last,
                  i64 *at)
{
    for (int d = 0; d < t->ndims; d++) {
        first[d] = d < 2 ? around[d] : max(around[d] - before, (i64)0);
        last[d] = d < 2 ? around[d] : min(around[d] + after, t->dims[d] - 1);
        at[d] = first[d];
    }
}

/* Advances within a window. Returns 0 after the last position. */
int window_next(int ndims, const i64 *first, const i64 *last, i64 *at)
{
    for (int d = ndims - 1; d >= 2; d--) {
        if (++at[d] <= last[d])
            return 1;
        at[d] = first[d];
    }
    return 0;
}

wide mean_of(constant const struct divisive_job *job, global const u8 *means, const i64 *at)
{
    return job->means.present ? load(job->means.type, means, offset_of(&job->means, at)) : 0;
}

/* Returns s of an element. *sum becomes the sum of x_j - means over its window. */
wide scale_of(constant const struct divisive_job *job, global const u8 *x, global const u8 *means, const i64 *around,
              wide *sum)
{
    i64 first[JOB_DIMS], last[JOB_DIMS], at[JOB_DIMS];
    wide mean = mean_of(job, means, around), squares = 0;

    *sum = 0;
    window_begin(&job->x, around, job->before, job->after, first, last, at);
    do {
        wide v = load(job->x.type, x, offset_of(&job->x, at)) - mean;

        *sum += v;
        squares += v * v;
    } while (window_next(job->x.ndims, first, last, at));
    return NUMBER(job->k) + NUMBER(job->alpha) * squares;
}

GROUPED divisive_forward(constant const struct divisive_job *job, struct job_call call, global const u8 *x,
                         global const u8 *means, global u8 *y)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    wide sum, s;

    if (i >= job->x.count)
        return;
    unravel(job->x.dims, job->x.ndims, i, at);
    s = scale_of(job, x, means, at, &sum);
    blend(job->out.type, y, offset_of(&job->out, at),
          load(job->x.type, x, offset_of(&job->x, at)) * pow(s, -NUMBER(job->beta)), FACTOR(call, 0),
          FACTOR(call, 1));
}

/* Computes dy s^-b and dy x s^(-b-1) of each element, and dmeans = 2 a b dy x s^(-b-1) (sum of x_j - means over the
 * window). */
GROUPED divisive_parts(constant const struct divisive_job *job, struct job_call call, global wide *parts,
                       global const u8 *x, global const u8 *means, global const u8 *dy, global u8 *dmeans)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    wide sum, s, direct, shared;

    if (i >= job->x.count)
        return;
    unravel(job->x.dims, job->x.ndims, i, at);
    s = scale_of(job, x, means, at, &sum);
    direct = load(job->dy.type, dy, offset_of(&job->dy, at)) * pow(s, -NUMBER(job->beta));
    shared = direct * load(job->x.type, x, offset_of(&job->x, at)) / s;
    parts[2 * i] = direct;
    parts[2 * i + 1] = shared;
    if (job->dmeans.present)
        blend(job->dmeans.type, dmeans, offset_of(&job->dmeans, at),
              2 * NUMBER(job->alpha) * NUMBER(job->beta) * shared * sum, FACTOR(call, 0), FACTOR(call, 1));
}

/* Computes dx_j = dy_j s_j^-b - 2 a b (sum of dy_i x_i s_i^(-b-1) (x_j - means_i)). The sum covers the elements i whose
 * windows contain j. */
GROUPED divisive_backward(constant const struct divisive_job *job, struct job_call call, global const wide *parts,
                          global const u8 *x, global const u8 *means, global u8 *dx)
{
    i64 i = get_global_id(0), around[JOB_DIMS], first[JOB_DIMS], last[JOB_DIMS], at[JOB_DIMS];
    wide value, sum = 0;

    if (i >= job->x.count)
        return;
    unravel(job->x.dims, job->x.ndims, i, around);
    value = load(job->x.type, x, offset_of(&job->x, around));
    window_begin(&job->x, around, job->after, job->before, first, last, at);
    do {
        i64 number = 0;

        for (int d = 0; d < job->x.ndims; d++)
            number = number * job->x.dims[d] + at[d];
        sum += parts[2 * number + 1] * (value - mean_of(job, means, at));
    } while (window_next(job->x.ndims, first, last, at));
    blend(job->out.type, dx, offset_of(&job->out, around),
          parts[2 * i] - 2 * NUMBER(job->alpha) * NUMBER(job->beta) * sum, FACTOR(call, 0), FACTOR(call, 1));
}
