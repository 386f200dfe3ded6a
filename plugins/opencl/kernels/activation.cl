/* SPDX-License-Identifier: Apache-2.0 */
/* Implements activation forward and backward, with a work-item for each element. */

GROUPED activation_forward(constant const struct activation_job *job, struct job_call call, global const u8 *x,
                           global u8 *y)
{
    i64 i = get_global_id(0), at[JOB_DIMS];

    if (i >= job->out.count)
        return;
    unravel(job->out.dims, job->out.ndims, i, at);
    blend(job->out.type, y, offset_of(&job->out, at),
          activate(&job->f, load(job->x.type, x, offset_of(&job->x, at))), FACTOR(call, 0), FACTOR(call, 1));
}

GROUPED activation_backward(constant const struct activation_job *job, struct job_call call, global const u8 *y,
                            global const u8 *dy, global const u8 *x, global u8 *dx)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    wide value = 0, gradient, argument = 0;

    if (i >= job->out.count)
        return;
    unravel(job->out.dims, job->out.ndims, i, at);
    gradient = load(job->dy.type, dy, offset_of(&job->dy, at));
    if (job->f.mode == SWISH)
        argument = load(job->x.type, x, offset_of(&job->x, at));
    else
        value = load(job->y.type, y, offset_of(&job->y, at));
    blend(job->out.type, dx, offset_of(&job->out, at), activation_gradient(&job->f, value, gradient, argument),
          FACTOR(call, 0), FACTOR(call, 1));
}
