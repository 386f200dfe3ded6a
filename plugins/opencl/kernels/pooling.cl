/* SPDX-License-Identifier: Apache-2.0 */
/* Implements pooling. Forward has a work-item for each element of y, which reads its window. Backward has one for each
 * element of dx, which sums over the windows that cover it. */

/* Finds the window of output `o`, from `begin` up to `end`, clipped to the input. A negative pad removes elements at
 * the end of the input. Returns 0 if the window is empty. */
int window_of(constant const struct pooling_job *job, const i64 *o, i64 *begin, i64 *end)
{
    int has = 1;

    for (int s = 0; s < job->spatial; s++) {
        i64 most = job->x.dims[2 + s] + (job->pad[s] < 0 ? job->pad[s] : 0);
        i64 from = o[s] * job->stride[s] - job->pad[s];

        end[s] = min(from + job->window[s], most);
        begin[s] = max(from, (i64)0);
        has = has && begin[s] < end[s];
    }
    return has;
}

/* Returns the divisor of the average at output `o`: the product of the window's extents, clipped to the padded input or
 * to the input. If the window is empty, factors may be 0 or less. */
wide divisor_of(constant const struct pooling_job *job, const i64 *o)
{
    wide divisor = 1;

    for (int s = 0; s < job->spatial; s++) {
        i64 extent = job->x.dims[2 + s];
        i64 begin = o[s] * job->stride[s] - job->pad[s], end = min(begin + job->window[s], extent + job->pad[s]);

        if (!job->counts_padding) {
            end = min(end, extent);
            begin = max(begin, (i64)0);
        }
        divisor *= (wide)(end - begin);
    }
    return divisor;
}

/* Advances a position in row-major order within a window. Returns 0 after the last one. */
int next_in(int spatial, const i64 *begin, const i64 *end, i64 *at)
{
    for (int s = spatial - 1; s >= 0; s--) {
        if (++at[s] < end[s])
            return 1;
        at[s] = begin[s];
    }
    return 0;
}

/* Computes an element of y. A maximum starts at the lowest finite number. It skips NaN, or stays NaN if NaN
 * propagates. */
GROUPED pooling_forward(constant const struct pooling_job *job, struct job_call call, global const u8 *x, global u8 *y)
{
    i64 i = get_global_id(0), o[JOB_DIMS], at[JOB_DIMS], begin[JOB_SPATIAL], end[JOB_SPATIAL];
    wide result = job->is_max ? NUMBER(job->lowest) : 0;
    int more;

    if (i >= job->y.count)
        return;
    unravel(job->y.dims, job->y.ndims, i, o);
    more = window_of(job, o + 2, begin, end);
    at[0] = o[0];
    at[1] = o[1];
    for (int s = 0; s < job->spatial; s++)
        at[2 + s] = begin[s];
    for (; more; more = next_in(job->spatial, begin, end, at + 2)) {
        wide value = load(job->x.type, x, offset_of(&job->x, at));

        if (!job->is_max)
            result += value;
        else if (value > result || (job->nan_propagate && isnan(value)))
            result = value;
    }
    if (!job->is_max)
        result /= divisor_of(job, o + 2);
    blend(job->y.type, y, offset_of(&job->y, o), result, FACTOR(call, 0), FACTOR(call, 1));
}

int same_number(wide a, wide b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Returns 1 if element `mine` is the first element equal to y in the window of output `o`. */
int takes_gradient(constant const struct pooling_job *job, global const u8 *x, global const u8 *y, const i64 *o,
                   const i64 *mine)
{
    i64 at[JOB_DIMS], begin[JOB_SPATIAL], end[JOB_SPATIAL];
    wide value = load(job->y.type, y, offset_of(&job->y, o));
    int is_mine;

    if (!same_number(load(job->x.type, x, offset_of(&job->x, mine)), value))
        return 0;
    window_of(job, o + 2, begin, end);
    at[0] = o[0];
    at[1] = o[1];
    for (int s = 0; s < job->spatial; s++)
        at[2 + s] = begin[s];
    do {
        is_mine = 1;
        for (int s = 0; s < job->spatial; s++)
            is_mine = is_mine && at[2 + s] == mine[2 + s];
    } while (!is_mine && !same_number(load(job->x.type, x, offset_of(&job->x, at)), value) &&
             next_in(job->spatial, begin, end, at + 2));
    return is_mine;
}

/* Finds the outputs whose windows cover element i of a dim, from `first` up to but not including `last`. */
void outputs_over(constant const struct pooling_job *job, int s, i64 i, i64 *first, i64 *last)
{
    i64 from = i + job->pad[s] - job->window[s], to = i + job->pad[s];
    i64 most = job->x.dims[2 + s] + (job->pad[s] < 0 ? job->pad[s] : 0);

    *first = from < 0 ? 0 : from / job->stride[s] + 1;
    *last = to < 0 || i >= most ? 0 : to / job->stride[s] + 1;
    *last = min(*last, job->y.dims[2 + s]);
}

GROUPED pooling_backward(constant const struct pooling_job *job, struct job_call call, global const u8 *y,
                         global const u8 *dy, global const u8 *x, global u8 *dx)
{
    i64 i = get_global_id(0), mine[JOB_DIMS], o[JOB_DIMS], first[JOB_SPATIAL], last[JOB_SPATIAL];
    wide sum = 0;
    int more = 1;

    if (i >= job->dx.count)
        return;
    unravel(job->dx.dims, job->dx.ndims, i, mine);
    o[0] = mine[0];
    o[1] = mine[1];
    for (int s = 0; s < job->spatial; s++) {
        outputs_over(job, s, mine[2 + s], &first[s], &last[s]);
        o[2 + s] = first[s];
        more = more && first[s] < last[s];
    }
    for (; more; more = next_in(job->spatial, first, last, o + 2)) {
        if (!job->is_max)
            sum += load(job->dy.type, dy, offset_of(&job->dy, o)) / divisor_of(job, o + 2);
        else if (takes_gradient(job, x, y, o, mine))
            sum += load(job->dy.type, dy, offset_of(&job->dy, o));
    }
    blend(job->dx.type, dx, offset_of(&job->dx, mine), sum, FACTOR(call, 0), FACTOR(call, 1));
}
