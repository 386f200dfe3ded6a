/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/sampled.h"

#include <math.h>
#include <string.h>

#include "judge/rules.h"
#include "numerics/numerics.h"
#include "problem/operation.h"

/* The operands of a direction: two factors and the result. */
struct conv {
    const struct adn_sampled *from;
    const struct anydnn_plugin_convolution *params;
    int x, w, y; /* slots of image, filter and output image, whichever of them is the result */
    int spatial;
};

/* ---- which problems */

static int is_sampled_operation(int32_t operation)
{
    return operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD ||
           operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA ||
           operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER ||
           operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;
}

int adn_sampled_slot(const struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int fused = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;
    int activation = problem->params.convolution.activation;

    if (!is_sampled_operation(problem->operation) || problem->absent != 0)
        return -1;
    if (fused && activation != ANYDNN_PLUGIN_ACTIVATION_RELU &&
        activation != ANYDNN_PLUGIN_ACTIVATION_IDENTITY)
        return -1;
    for (int i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) &&
            (problem->alias[i] != 0 || adn_type_digits(problem->tensor[i].type) == 0))
            return -1;
    return fused ? 4 : 2;
}

/* ---- sums */

static int64_t offset_of(const struct anydnn_plugin_tensor *tensor, const int64_t *index)
{
    int64_t offset = 0;

    for (int32_t d = 0; d < tensor->ndims; d++)
        offset += index[d] * tensor->strides[d];
    return offset;
}

static void add_term(struct adn_sample *sample, double term)
{
    sample->want += term;
    sample->sum += fabs(term);
    sample->squares += term * term;
}

/* Returns the element of an operand at an index. */
static double at(const struct conv *conv, int slot, const int64_t *index)
{
    int64_t offset = offset_of(&conv->from->problem->tensor[slot], index);

    return conv->from->content[slot][offset & conv->from->mask[slot]];
}

/* One factor of the products in a row: the operand, the dim along which the row runs, and its
 * step. */
struct factor {
    int slot;
    int dim;
    int64_t step;
};

/* Adds the products of a row: the elements of two operands from an index on. */
static void add_row(const struct conv *conv, const struct factor *a, const int64_t *from_a,
                    const struct factor *b, const int64_t *from_b, int64_t count,
                    struct adn_sample *sample)
{
    const struct adn_problem *problem = conv->from->problem;
    const double *x = conv->from->content[a->slot], *y = conv->from->content[b->slot];
    int64_t mask_x = conv->from->mask[a->slot], mask_y = conv->from->mask[b->slot];
    int64_t at_x = offset_of(&problem->tensor[a->slot], from_a);
    int64_t at_y = offset_of(&problem->tensor[b->slot], from_b);
    int64_t step_x = a->step * problem->tensor[a->slot].strides[a->dim];
    int64_t step_y = b->step * problem->tensor[b->slot].strides[b->dim];

    for (int64_t i = 0; i < count; i++) {
        add_term(sample, x[at_x & mask_x] * y[at_y & mask_y]);
        at_x += step_x;
        at_y += step_y;
    }
}

/* Moves to the next index of a box, the last dim first. Returns 0 past the last one. */
static int next(int64_t *index, const int64_t *dims, int count)
{
    for (int d = count - 1; d >= 0; d--) {
        if (++index[d] < dims[d])
            return 1;
        index[d] = 0;
    }
    return 0;
}

/* Returns the position along an axis at which a tap of the stored filter applies. */
static int64_t tap_of(const struct conv *conv, int axis, int64_t stored)
{
    const struct anydnn_plugin_tensor *w = &conv->from->problem->tensor[conv->w];

    return conv->params->mode == ANYDNN_PLUGIN_CONVOLUTION ? w->dims[2 + axis] - 1 - stored
                                                           : stored;
}

/* Sets the image's position of an output position and a tap. Returns 0 outside the image. */
static int image_at(const struct conv *conv, const int64_t *out, const int64_t *tap, int64_t *image)
{
    const struct anydnn_plugin_convolution *params = conv->params;
    int inside = 1;

    for (int d = 0; d < conv->spatial; d++) {
        image[d] = out[d] * params->stride[d] - params->pad[d] +
                   tap_of(conv, d, tap[d]) * params->dilation[d];
        inside &= image[d] >= 0 && image[d] < conv->from->problem->tensor[conv->x].dims[2 + d];
    }
    return inside;
}

/* Sets the output position from which a tap reaches the image's position. Returns 0 if none does.
 */
static int output_at(const struct conv *conv, const int64_t *image, const int64_t *tap,
                     int64_t *out)
{
    const struct anydnn_plugin_convolution *params = conv->params;

    for (int d = 0; d < conv->spatial; d++) {
        int64_t way = image[d] + params->pad[d] - tap_of(conv, d, tap[d]) * params->dilation[d];

        if (way < 0 || way % params->stride[d] != 0)
            return 0;
        out[d] = way / params->stride[d];
        if (out[d] >= conv->from->problem->tensor[conv->y].dims[2 + d])
            return 0;
    }
    return 1;
}

/* Sums over the taps, and in a row over the channels of the group. */
static void forward(const struct conv *conv, const int64_t *index, struct adn_sample *sample)
{
    const struct anydnn_plugin_tensor *w = &conv->from->problem->tensor[conv->w];
    const struct factor image = {conv->x, 1, 1}, filter = {conv->w, 1, 1};
    int64_t group = index[1] / (w->dims[0] / conv->params->groups);
    int64_t x[ANYDNN_PLUGIN_DIM_MAX] = {index[0], group * w->dims[1]};
    int64_t tap[ANYDNN_PLUGIN_DIM_MAX] = {index[1], 0};

    do {
        if (image_at(conv, index + 2, tap + 2, x + 2))
            add_row(conv, &image, x, &filter, tap, w->dims[1], sample);
    } while (next(tap + 2, w->dims + 2, conv->spatial));
}

/* Sums over the taps, and in a row over the filters of the group. */
static void backward_data(const struct conv *conv, const int64_t *index, struct adn_sample *sample)
{
    const struct anydnn_plugin_tensor *w = &conv->from->problem->tensor[conv->w];
    const struct factor output = {conv->y, 1, 1}, filter = {conv->w, 0, 1};
    int64_t filters = w->dims[0] / conv->params->groups;
    int64_t first = index[1] / w->dims[1] * filters;
    int64_t y[ANYDNN_PLUGIN_DIM_MAX] = {index[0], first};
    int64_t tap[ANYDNN_PLUGIN_DIM_MAX] = {first, index[1] % w->dims[1]};

    do {
        if (output_at(conv, index + 2, tap + 2, y + 2))
            add_row(conv, &output, y, &filter, tap, filters, sample);
    } while (next(tap + 2, w->dims + 2, conv->spatial));
}

/* Finds the output positions along an axis from which a tap lies in the image. Returns their number
 * and sets the first. */
static int64_t reach(const struct conv *conv, int axis, int64_t stored, int64_t *first)
{
    const struct anydnn_plugin_convolution *params = conv->params;
    int64_t size = conv->from->problem->tensor[conv->x].dims[2 + axis];
    int64_t last = conv->from->problem->tensor[conv->y].dims[2 + axis] - 1;
    int64_t stride = params->stride[axis];
    int64_t shift = tap_of(conv, axis, stored) * params->dilation[axis] - params->pad[axis];

    *first = shift < 0 ? (-shift + stride - 1) / stride : 0;
    if (shift >= size)
        return 0;
    if ((size - 1 - shift) / stride < last)
        last = (size - 1 - shift) / stride;
    return last >= *first ? last - *first + 1 : 0;
}

/* Sums over the samples and positions, in rows along the last axis. */
static void backward_filter(const struct conv *conv, const int64_t *index,
                            struct adn_sample *sample)
{
    const struct adn_problem *problem = conv->from->problem;
    const struct anydnn_plugin_tensor *w = &problem->tensor[conv->w];
    const struct anydnn_plugin_tensor *dy = &problem->tensor[conv->y];
    int axis = conv->spatial - 1;
    const struct factor image = {conv->x, 2 + axis, conv->params->stride[axis]};
    const struct factor output = {conv->y, 2 + axis, 1};
    int64_t group = index[0] / (w->dims[0] / conv->params->groups);
    int64_t x[ANYDNN_PLUGIN_DIM_MAX] = {0, group * w->dims[1] + index[1]};
    int64_t y[ANYDNN_PLUGIN_DIM_MAX] = {0, index[0]};
    int64_t count = reach(conv, axis, index[2 + axis], &y[2 + axis]);

    for (int64_t n = 0; n < dy->dims[0] && count > 0; n++) {
        x[0] = y[0] = n;
        do {
            if (image_at(conv, y + 2, index + 2, x + 2))
                add_row(conv, &image, x, &output, y, count, sample);
        } while (next(y + 2, dy->dims + 2, axis));
    }
}

/* Adds z and the bias, and applies relu, which does not magnify errors. */
static void finish(const struct conv *conv, const int64_t *index, struct adn_sample *sample)
{
    enum { Z = 2, BIAS = 3 };
    const struct adn_problem *problem = conv->from->problem;
    const double *scale = conv->from->scale;
    int64_t channel[ANYDNN_PLUGIN_DIM_MAX] = {0};

    channel[1] = index[1];
    sample->want *= scale[0];
    sample->sum *= fabs(scale[0]);
    sample->squares *= scale[0] * scale[0];
    if ((problem->present >> Z & 1) && scale[1] != 0)
        add_term(sample, scale[1] * at(conv, Z, index));
    add_term(sample, at(conv, BIAS, channel));
    if (problem->params.convolution.activation == ANYDNN_PLUGIN_ACTIVATION_RELU && sample->want < 0)
        sample->want = 0;
}

void adn_sampled_compute(const struct adn_sampled *sampled, const int64_t *index,
                         struct adn_sample *sample)
{
    const struct adn_problem *problem = sampled->problem;
    struct conv conv = {.from = sampled,
                        .params = &problem->params.convolution,
                        .spatial = problem->params.convolution.spatial_dims};

    memset(sample, 0, sizeof(*sample));
    switch (problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
        conv.w = 0, conv.y = 1, conv.x = 2;
        backward_data(&conv, index, sample);
        break;
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
        conv.x = 0, conv.y = 1, conv.w = 2;
        backward_filter(&conv, index, sample);
        break;
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
        conv.x = 0, conv.w = 1, conv.y = 2;
        forward(&conv, index, sample);
        break;
    default:
        conv.x = 0, conv.w = 1, conv.y = 4;
        forward(&conv, index, sample);
        finish(&conv, index, sample);
    }
}
