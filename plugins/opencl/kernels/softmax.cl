/* SPDX-License-Identifier: Apache-2.0 */
/* Implements softmax forward and backward. A group processes one vector, along c or along all dims but n, in passes:
 * maximum, sum, results. */

enum { SOFTMAX_FAST, SOFTMAX_ACCURATE, SOFTMAX_LOG };

/* Returns the offset of element i of this group's vector in a tensor. */
i64 place_of(constant const struct softmax_job *job, constant const struct job_tensor *t, i64 i)
{
    i64 at[JOB_DIMS], vector = get_group_id(0);

    if (job->by_channel)
        unravel_beside(t->dims, t->ndims, vector, i, at);
    else
        unravel(t->dims, t->ndims, vector * job->length + i, at);
    return offset_of(t, at);
}

/* Returns the largest of the values of a group's work-items to each of them. */
wide group_max(local wide *part, wide value)
{
    int me = (int)get_local_id(0);

    part[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = JOB_GROUP / 2; apart > 0; apart /= 2) {
        if (me < apart && part[me + apart] > part[me])
            part[me] = part[me + apart];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    value = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return value;
}

/* Computes y. NaN is ignored by the maximum, and reaches the results through the sum. The maximum starts at the lowest
 * finite number, so that x - max of a vector of only -Inf is not NaN. The sum of such a vector is 0. Its results are 0,
 * or -Inf for the logarithm. */
GROUPED softmax_forward(constant const struct softmax_job *job, struct job_call call, global const u8 *x, global u8 *y)
{
    local wide part[JOB_GROUP];
    wide most = 0, sum = 0, log_sum;

    if (job->algorithm != SOFTMAX_FAST) {
        most = -WIDE_MAX;
        for (i64 i = get_local_id(0); i < job->length; i += JOB_GROUP) {
            wide value = load(job->x.type, x, place_of(job, &job->x, i));

            most = value > most ? value : most;
        }
        most = group_max(part, most);
    }
    for (i64 i = get_local_id(0); i < job->length; i += JOB_GROUP)
        sum += exp(load(job->x.type, x, place_of(job, &job->x, i)) - most);
    sum = group_sum(part, sum);
    if (job->algorithm != SOFTMAX_FAST && sum == 0)
        sum = 1;
    log_sum = log(sum);
    for (i64 i = get_local_id(0); i < job->length; i += JOB_GROUP) {
        wide value = load(job->x.type, x, place_of(job, &job->x, i)) - most;

        value = job->algorithm == SOFTMAX_LOG ? value - log_sum : exp(value) / sum;
        blend(job->y.type, y, place_of(job, &job->y, i), value, FACTOR(call, 0), FACTOR(call, 1));
    }
}

/* Computes dx = y * (dy - sum of y * dy), or dy - exp(y) * sum of dy for the logarithm. */
GROUPED softmax_backward(constant const struct softmax_job *job, struct job_call call, global const u8 *y,
                         global const u8 *dy, global u8 *dx)
{
    local wide part[JOB_GROUP];
    int is_log = job->algorithm == SOFTMAX_LOG;
    wide sum = 0;

    for (i64 i = get_local_id(0); i < job->length; i += JOB_GROUP) {
        wide weight = is_log ? 1 : load(job->y.type, y, place_of(job, &job->y, i));

        sum += weight * load(job->dy.type, dy, place_of(job, &job->dy, i));
    }
    sum = group_sum(part, sum);
    for (i64 i = get_local_id(0); i < job->length; i += JOB_GROUP) {
        wide value = load(job->y.type, y, place_of(job, &job->y, i));
        wide gradient = load(job->dy.type, dy, place_of(job, &job->dy, i));

        value = is_log ? gradient - exp(value) * sum : value * (gradient - sum);
        blend(job->dx.type, dx, place_of(job, &job->dx, i), value, FACTOR(call, 0), FACTOR(call, 1));
    }
}
