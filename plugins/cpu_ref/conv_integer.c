/* SPDX-License-Identifier: Apache-2.0 */
/* Implements forward convolution of 8-bit integers. The sums have 32 bits and wrap around. The
 * result is computed from them in double and rounded once, to the type of y. */
#include "conv_integer.h"

#include "activate.h"
#include "conv_operands.h"
#include "mixed.h"

#include <string.h>

/* Adds factor * row[i * step] to sum[i] for i in [0, n), modulo 2^32. */
typedef void (*add_row_fn)(uint32_t *sum, int32_t factor, const void *row, int64_t step, int64_t n);

struct integer {
    const struct conv *conv;
    const struct anydnn_plugin_convolution *params;
    add_row_fn add_row; /* for the type of x */
    int32_t w_type;
    const struct cpu_ref_mixed *y_type; /* type of y and z */
    const uint8_t *x, *w, *z;           /* z is NULL if not added */
    const float *bias;                  /* NULL in the plain operation */
    int64_t bias_step;
    uint8_t *y;
    double alpha, beta; /* beta is the factor of z in the fused operation */
};

/* ------------------------------------------------------------------ types */

/* The supported combinations, which are those of cuDNN's tables. */
static const struct {
    int32_t x, w, y;
} combinations[] = {
    {ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8},
    {ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_FLOAT},
    {ANYDNN_PLUGIN_UINT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8},
    {ANYDNN_PLUGIN_UINT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_FLOAT},
    {ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4},
    {ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_FLOAT},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_UINT8X4},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_FLOAT},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_UINT8X4},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_FLOAT},
    {ANYDNN_PLUGIN_INT8X32, ANYDNN_PLUGIN_INT8X32, ANYDNN_PLUGIN_INT8X32},
};

int cpu_ref_conv_of_integers(const struct anydnn_plugin_problem *problem)
{
    int32_t lane = kit_lane_type(problem->tensor[0]->type);
    return lane == ANYDNN_PLUGIN_INT8 || lane == ANYDNN_PLUGIN_UINT8;
}

int32_t cpu_ref_conv_integer_types(const struct anydnn_plugin_problem *problem,
                                   const struct conv_roles *roles, struct kit_refusal *why)
{
    int32_t x = problem->tensor[roles->x]->type;
    int32_t w = problem->tensor[roles->w]->type;
    int32_t y = problem->tensor[roles->y]->type;

    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++) {
        if (combinations[i].x == x && combinations[i].w == w && combinations[i].y == y)
            return 0;
    }
    return kit_refuse(
        why, ANYDNN_PLUGIN_REASON_TYPE,
        "%s: x is %s, w is %s, y is %s; for integers cpu_ref supports int8, int8 or uint8, int8 to "
        "int8 or float; int8x4, int8x4 to int8x4 or float; uint8x4, uint8x4 to uint8x4 or float; "
        "uint8x4, int8x4 to any of these; int8x32 only with itself",
        kit_operation_name(problem->operation), kit_type_name(x), kit_type_name(w),
        kit_type_name(y));
}

/* ------------------------------------------------------------------ sums */

static void add_row_int8(uint32_t *sum, int32_t factor, const void *row, int64_t step, int64_t n)
{
    const int8_t *x = row;
    for (int64_t i = 0; i < n; i++)
        sum[i] += (uint32_t)(factor * x[i * step]);
}

static void add_row_uint8(uint32_t *sum, int32_t factor, const void *row, int64_t step, int64_t n)
{
    const uint8_t *x = row;
    for (int64_t i = 0; i < n; i++)
        sum[i] += (uint32_t)(factor * x[i * step]);
}

static int32_t weight(const struct integer *job, int64_t at)
{
    return job->w_type == ANYDNN_PLUGIN_UINT8 ? job->w[at] : (int8_t)job->w[at];
}

/* Computes the sums of outputs q0..q1-1 of one row, given by image n, filter k and outer position
 * out. */
static void sum_row(const struct integer *job, int64_t n, int64_t k, const int64_t *out, int64_t q0,
                    int64_t q1, uint32_t *sum)
{
    const struct conv *conv = job->conv;
    int32_t last = conv->spatial - 1;
    int64_t x_step = conv->stride[last] * conv->x.s[last];
    int64_t tap[CONV_SPATIAL_MAX] = {0};
    int64_t taps = kit_count(conv->filter, last);
    int64_t row, begin, end;

    for (int64_t t = 0; t < taps; t++, conv_advance(conv->filter, last, tap)) {
        if (!conv_input_offset(conv, last, out, tap, &row))
            continue;
        for (int64_t s = 0; s < conv->filter[last]; s++) {
            conv_row_range(conv, s, 0, conv->in[last], &begin, &end);
            begin = cpu_ref_max(begin, q0);
            end = cpu_ref_min(end, q1);
            if (begin >= end)
                continue;
            int64_t x = n * conv->x.n + row + begin * x_step +
                        (s * conv->dilation[last] - conv->pad[last]) * conv->x.s[last];
            int64_t w = conv->w_first + k * conv->w.n + cpu_ref_dot(tap, conv->w.s, last) +
                        s * conv->w.s[last];
            for (int64_t c = 0; c < conv->cg; c++)
                job->add_row(sum + begin - q0, weight(job, w + conv_channel(&conv->w, c)),
                             job->x + x + conv_channel(&conv->x, k / conv->kg * conv->cg + c),
                             x_step, end - begin);
        }
    }
}

/* ------------------------------------------------------------------ results */

/* Stores `n` sums of filter k as a row at y, in the type of y. z is the row to add. */
static void store_row(const struct integer *job, int64_t k, const uint32_t *sum, int64_t n,
                      uint8_t *y, const uint8_t *z)
{
    const struct anydnn_plugin_convolution *params = job->params;
    const struct conv *conv = job->conv;
    int32_t last = conv->spatial - 1;
    const uint8_t *prior = job->bias ? z : job->beta != 0 ? y : NULL;
    int64_t prior_step = job->bias ? conv->z.s[last] : conv->y.s[last];
    double value[CONV_ROW], added[CONV_ROW];

    if (prior)
        job->y_type->load(added, prior, prior_step, n);
    for (int64_t i = 0; i < n; i++) {
        double v = job->alpha * (double)(int32_t)sum[i];

        if (prior)
            v += job->beta * added[i];
        if (job->bias) {
            v += (double)job->bias[k * job->bias_step];
            v = cpu_ref_activate(params->activation, params->nan_propagate, params->coef, v);
        }
        value[i] = v;
    }
    job->y_type->store(y, conv->y.s[last], value, n);
}

/* Computes rows of the output; the items are rows. */
static void rows(void *arg, int64_t item, int64_t item_end)
{
    const struct integer *job = arg;
    const struct conv *conv = job->conv;
    int32_t last = conv->spatial - 1;
    int64_t rows_of_channel = kit_count(conv->out, last), size = job->y_type->size;
    int64_t out[CONV_SPATIAL_MAX];
    uint32_t sum[CONV_ROW];

    for (; item < item_end; item++) {
        int64_t n = item / rows_of_channel / conv->k, k = item / rows_of_channel % conv->k;

        cpu_ref_unravel(item % rows_of_channel, conv->out, last, out);
        int64_t y = n * conv->y.n + conv_channel(&conv->y, k) + cpu_ref_dot(out, conv->y.s, last);
        int64_t z = n * conv->z.n + conv_channel(&conv->z, k) + cpu_ref_dot(out, conv->z.s, last);
        for (int64_t q = 0; q < conv->out[last]; q += CONV_ROW) {
            int64_t end = cpu_ref_min(conv->out[last], q + CONV_ROW);

            memset(sum, 0, (size_t)(end - q) * sizeof sum[0]);
            sum_row(job, n, k, out, q, end, sum);
            store_row(job, k, sum, end - q, job->y + (y + q * conv->y.s[last]) * size,
                      job->z ? job->z + (z + q * conv->z.s[last]) * size : NULL);
        }
    }
}

static int32_t run(const struct anydnn_plugin_plan *plan, struct integer *job, int32_t y_slot)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct conv_state *state = plan->state;
    const struct conv *conv = &state->conv;
    int32_t last = conv->spatial - 1;
    int64_t work = conv->cg * kit_count(conv->filter, conv->spatial) * conv->out[last];

    job->conv = conv;
    job->params = problem->params;
    job->add_row = kit_lane_type(problem->tensor[0]->type) == ANYDNN_PLUGIN_UINT8 ? add_row_uint8
                                                                                  : add_row_int8;
    job->w_type = kit_lane_type(problem->tensor[1]->type);
    job->y_type = cpu_ref_mixed(problem->tensor[y_slot]->type);
    cpu_ref_parallel(conv->n * conv->k * kit_count(conv->out, last), work, rows, job);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t cpu_ref_conv_integer_plain(const struct anydnn_plugin_plan *plan,
                                   const struct anydnn_plugin_operands *operands)
{
    struct integer job = {
        .x = operands->data[0],
        .w = operands->data[1],
        .y = operands->data[2],
        .alpha = operands->scale[0],
        .beta = operands->scale[1],
    };

    return run(plan, &job, 2);
}

int32_t cpu_ref_conv_integer_fused(const struct anydnn_plugin_plan *plan,
                                   const struct anydnn_plugin_operands *operands)
{
    struct integer job = {
        .x = operands->data[0],
        .w = operands->data[1],
        .z = operands->scale[1] != 0 ? operands->data[2] : NULL,
        .bias = operands->data[3],
        .bias_step = plan->problem.tensor[3]->strides[1],
        .y = operands->data[4],
        .alpha = operands->scale[0],
        .beta = operands->scale[1],
    };

    return run(plan, &job, 4);
}
