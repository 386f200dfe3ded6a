/* SPDX-License-Identifier: Apache-2.0 */
/* Implements batch normalization. A kernel with a group for each cell finds the statistics, which it leaves in `cells`;
 * kernels with a work-item for each element use them. */

/* Returns the value of a cell, one of NORM_xxx. */
#define CELL(cells, cell, which) ((cells)[(cell) * NORM_VALUES + (which)])

/* Returns the number of element i of a cell, in logical order. */
i64 element_of(constant const struct norm_job *job, i64 cell, i64 i)
{
    return (i / job->run * job->cells + cell) * job->run + i % job->run;
}

/* Returns the offset of a cell's parameter. The parameter's tensor is broadcast along the other dims. */
i64 parameter(constant const struct norm_job *job, constant const struct job_tensor *t, i64 cell)
{
    i64 at[JOB_DIMS];

    unravel(job->x.dims, job->x.ndims, cell * job->run, at);
    return offset_of(t, at);
}

wide load_parameter(constant const struct norm_job *job, constant const struct job_tensor *t, global const u8 *data,
                    i64 cell)
{
    return load(t->type, data, parameter(job, t, cell));
}

wide element_at(constant const struct job_tensor *t, global const u8 *data, const i64 *at)
{
    return load(t->type, data, offset_of(t, at));
}

/* Computes the mean and the variance of this group's cell in two passes. */
void statistics(constant const struct norm_job *job, global const u8 *x, local wide *part, wide *mean, wide *variance)
{
    i64 at[JOB_DIMS], cell = get_group_id(0);
    wide sum = 0, center;

    for (i64 i = get_local_id(0); i < job->count; i += JOB_GROUP) {
        unravel(job->x.dims, job->x.ndims, element_of(job, cell, i), at);
        sum += element_at(&job->x, x, at);
    }
    center = group_sum(part, sum) / (wide)job->count;
    sum = 0;
    for (i64 i = get_local_id(0); i < job->count; i += JOB_GROUP) {
        wide v;

        unravel(job->x.dims, job->x.ndims, element_of(job, cell, i), at);
        v = element_at(&job->x, x, at) - center;
        sum += v * v;
    }
    *mean = center;
    *variance = group_sum(part, sum) / (wide)job->count;
}

/* Returns (x - mean) / std * scale + bias, without z and the activation. */
wide normalized(constant const struct norm_job *job, global const wide *cells, global const u8 *x,
                global const u8 *scale, global const u8 *bias, i64 cell, const i64 *at)
{
    wide v = (element_at(&job->x, x, at) - CELL(cells, cell, NORM_MEAN)) * CELL(cells, cell, NORM_INV_STD);

    v *= load_parameter(job, &job->scale, scale, cell);
    if (job->bias.present)
        v += load_parameter(job, &job->bias, bias, cell);
    return v;
}

/* Returns 1 if the activation at v passes its gradient. The reserve stores this bit. */
int passes(constant const struct job_activation *f, wide v)
{
    if (f->mode != RELU && f->mode != CLIPPED_RELU)
        return 1;
    return v > 0 && !(f->mode == CLIPPED_RELU && v >= NUMBER(f->coef));
}

/* ------------------------------------------------------------------ forward */

/* Takes the statistics that inference is given. */
GROUPED norm_given(constant const struct norm_job *job, struct job_call call, global wide *cells,
                   global const u8 *mean, global const u8 *var)
{
    i64 cell = get_global_id(0);

    if (cell >= job->cells)
        return;
    CELL(cells, cell, NORM_MEAN) = load_parameter(job, &job->mean, mean, cell);
    CELL(cells, cell, NORM_INV_STD) = 1 / sqrt(load_parameter(job, &job->var, var, cell) + NUMBER(job->epsilon));
}

/* Computes the statistics of a cell, and updates the running values. The running variance is the sample variance, which
 * is NaN for one element. A factor of 1 replaces the running values without reading them. */
GROUPED norm_measured(constant const struct norm_job *job, struct job_call call, global wide *cells,
                      global const u8 *x, global u8 *mean, global u8 *var, global u8 *save_mean,
                      global u8 *save_inv_var)
{
    local wide part[JOB_GROUP];
    wide factor = FACTOR(call, JOB_AVERAGE), count = (wide)job->count, center, variance, inv_std;
    i64 cell = get_group_id(0);

    statistics(job, x, part, &center, &variance);
    if (get_local_id(0) != 0)
        return;
    inv_std = 1 / sqrt(variance + NUMBER(job->epsilon));
    CELL(cells, cell, NORM_MEAN) = center;
    CELL(cells, cell, NORM_INV_STD) = inv_std;
    if (job->mean.present)
        blend(job->mean.type, mean, parameter(job, &job->mean, cell), center, factor, 1 - factor);
    if (job->var.present)
        blend(job->var.type, var, parameter(job, &job->var, cell),
              job->count > 1 ? variance * (count / (count - 1)) : (wide)NAN, factor, 1 - factor);
    if (job->save_mean.present)
        store(job->save_mean.type, save_mean, parameter(job, &job->save_mean, cell), center);
    if (job->save_inv_var.present)
        store(job->save_inv_var.type, save_inv_var, parameter(job, &job->save_inv_var, cell), inv_std);
}

/* Writes the reserve, with a work-item for each byte. */
GROUPED norm_reserve(constant const struct norm_job *job, struct job_call call, global const wide *cells,
                     global const u8 *x, global const u8 *scale, global const u8 *bias, global const u8 *z,
                     global u8 *reserve)
{
    i64 byte = get_global_id(0), at[JOB_DIMS];
    u32 bits = 0;

    if (byte * 8 >= job->x.count)
        return;
    for (i64 i = byte * 8; i < byte * 8 + 8 && i < job->x.count; i++) {
        wide v;

        unravel(job->x.dims, job->x.ndims, i, at);
        v = normalized(job, cells, x, scale, bias, i / job->run % job->cells, at);
        if (job->z.present)
            v += element_at(&job->z, z, at);
        bits |= (u32)passes(&job->f, v) << (i % 8);
    }
    reserve[byte] = (u8)bits;
}

GROUPED norm_forward(constant const struct norm_job *job, struct job_call call, global const wide *cells,
                     global const u8 *x, global const u8 *scale, global const u8 *bias, global const u8 *z,
                     global u8 *y)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    wide v;

    if (i >= job->y.count)
        return;
    unravel(job->y.dims, job->y.ndims, i, at);
    v = normalized(job, cells, x, scale, bias, i / job->run % job->cells, at);
    if (job->z.present)
        v += element_at(&job->z, z, at);
    if (job->is_activated)
        v = activate(&job->f, v);
    blend(job->y.type, y, offset_of(&job->y, at), v, FACTOR(call, 0), FACTOR(call, 1));
}

/* ------------------------------------------------------------------ backward */

/* g is the gradient before the activation. n = (x - mean) / std is the normalized x. m is the number of elements in a
 * cell.
 *   dz = g, dbias = sum g, dscale = sum g n,
 *   dx = scale / std * (g - dbias / m - n * dscale / m). */

/* Returns g of an element. */
wide gradient_of(constant const struct norm_job *job, global const wide *cells, global const u8 *x,
                 global const u8 *dy, global const u8 *y, global const u8 *scale, global const u8 *bias,
                 global const u8 *reserve, i64 cell, i64 element, const i64 *at)
{
    wide gradient = element_at(&job->dy, dy, at), value = 0, argument = 0;

    if (!job->is_activated)
        return gradient;
    if (!(reserve[element / 8] >> (element % 8) & 1))
        return 0;
    if (job->f.mode == RELU || job->f.mode == CLIPPED_RELU)
        return gradient;
    if (job->y.present)
        value = element_at(&job->y, y, at);
    if (job->f.mode == SWISH)
        argument = normalized(job, cells, x, scale, bias, cell, at);
    return activation_gradient(&job->f, value, gradient, argument);
}

/* Loads the saved mean and deviation of a cell, or computes them again. */
GROUPED norm_statistics(constant const struct norm_job *job, struct job_call call, global wide *cells,
                        global const u8 *x, global const u8 *save_mean, global const u8 *save_inv_var)
{
    local wide part[JOB_GROUP];
    i64 cell = get_group_id(0);
    wide center, variance, inv_std;

    if (job->save_mean.present) {
        center = load_parameter(job, &job->save_mean, save_mean, cell);
        inv_std = load_parameter(job, &job->save_inv_var, save_inv_var, cell);
    } else {
        statistics(job, x, part, &center, &variance);
        inv_std = 1 / sqrt(variance + NUMBER(job->epsilon));
    }
    if (get_local_id(0) != 0)
        return;
    CELL(cells, cell, NORM_MEAN) = center;
    CELL(cells, cell, NORM_INV_STD) = inv_std;
}

GROUPED norm_sums(constant const struct norm_job *job, struct job_call call, global wide *cells, global const u8 *x,
                  global const u8 *dy, global const u8 *y, global const u8 *scale, global const u8 *bias,
                  global const u8 *reserve, global u8 *dscale, global u8 *dbias)
{
    local wide part[JOB_GROUP];
    i64 cell = get_group_id(0), at[JOB_DIMS];
    wide center = CELL(cells, cell, NORM_MEAN), inv_std = CELL(cells, cell, NORM_INV_STD), scales = 0, biases = 0;

    for (i64 i = get_local_id(0); i < job->count; i += JOB_GROUP) {
        i64 element = element_of(job, cell, i);
        wide g;

        unravel(job->x.dims, job->x.ndims, element, at);
        g = gradient_of(job, cells, x, dy, y, scale, bias, reserve, cell, element, at);
        biases += g;
        scales += g * (element_at(&job->x, x, at) - center) * inv_std;
    }
    scales = group_sum(part, scales);
    biases = group_sum(part, biases);
    if (get_local_id(0) != 0)
        return;
    CELL(cells, cell, NORM_DSCALE) = scales;
    CELL(cells, cell, NORM_DBIAS) = biases;
    blend(job->dscale.type, dscale, parameter(job, &job->dscale, cell), scales, FACTOR(call, 2), FACTOR(call, 3));
    blend(job->dbias.type, dbias, parameter(job, &job->dbias, cell), biases, FACTOR(call, 2), FACTOR(call, 3));
}

GROUPED norm_backward(constant const struct norm_job *job, struct job_call call, global const wide *cells,
                      global const u8 *x, global const u8 *dy, global const u8 *y, global const u8 *scale,
                      global const u8 *bias, global const u8 *reserve, global u8 *dx, global u8 *dz)
{
    i64 i = get_global_id(0), at[JOB_DIMS], cell;
    wide count = (wide)job->count, inv_std, g, n, gradient;

    if (i >= job->x.count)
        return;
    cell = i / job->run % job->cells;
    unravel(job->x.dims, job->x.ndims, i, at);
    g = gradient_of(job, cells, x, dy, y, scale, bias, reserve, cell, i, at);
    inv_std = CELL(cells, cell, NORM_INV_STD);
    n = (element_at(&job->x, x, at) - CELL(cells, cell, NORM_MEAN)) * inv_std;
    gradient = g - CELL(cells, cell, NORM_DBIAS) / count - n * (CELL(cells, cell, NORM_DSCALE) / count);
    gradient *= load_parameter(job, &job->scale, scale, cell) * inv_std;
    if (job->dz.present)
        blend(job->dz.type, dz, offset_of(&job->dz, at), g, FACTOR(call, 0), FACTOR(call, 1));
    blend(job->dx.type, dx, offset_of(&job->dx, at), gradient, FACTOR(call, 0), FACTOR(call, 1));
}
