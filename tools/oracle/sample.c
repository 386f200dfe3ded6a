/* SPDX-License-Identifier: Apache-2.0 */
/* Some elements of a convolution's result, each summed up in double on its own: what an oracle that
 * knows them all would take hours for. */
#include "tools/oracle/sample.h"

#include <string.h>

#include "desc/shape.h"
#include "judge/oracle.h"
#include "judge/random.h"
#include "problem/problem.h"

enum { SPATIAL = ANYDNN_PLUGIN_SPATIAL_MAX };

int oracle_can_sample(int32_t operation)
{
    return operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD ||
           operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA ||
           operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
}

int64_t oracle_sample_place(const struct oracle_sample *sample, int64_t count, int64_t i)
{
    int64_t low = count / sample->count * i + count % sample->count * i / sample->count;
    int64_t next = i + 1;
    int64_t high = count / sample->count * next + count % sample->count * next / sample->count;
    uint64_t state = sample->seed + (uint64_t)i * UINT64_C(0xd1342543de82ef95);

    return low + (int64_t)(adn_random_bits(&state) % (uint64_t)(high - low));
}

/* ---- one element */

/* The two operands of the products behind an element. Each is a row of images, one for a sample and
 * channel; the products of step j lie in the images first + j * each. */
struct factor {
    const double *values;
    const struct anydnn_plugin_tensor *tensor;
    int64_t first, each;
};

struct sum {
    const struct adn_problem *problem;
    const struct anydnn_plugin_tensor *result;
    const struct anydnn_plugin_tensor *window; /* the filter or its gradient */
    struct factor a, b;
    int64_t images;         /* of each factor */
    const int64_t *steps;   /* taps, of the gradient of a filter positions of dy */
    int64_t place[SPATIAL]; /* of the element in its image */
};

static int64_t image_size(const struct anydnn_plugin_tensor *tensor)
{
    return adn_shape_elements(tensor) / (tensor->dims[0] * tensor->dims[1]);
}

/* x = y * stride - pad + tap * dilation in each dim, solved for what the first factor is indexed
 * by; 0 where that lies outside. A convolution in the mathematician's sense turns the filter. */
static int meet(const struct sum *sum, int d, int64_t step, int64_t *at)
{
    const struct anydnn_plugin_convolution *conv = &sum->problem->params.convolution;
    int filter = sum->problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    int64_t tap = filter ? sum->place[d] : step;
    int64_t far;

    if (conv->mode == ANYDNN_PLUGIN_CONVOLUTION)
        tap = sum->window->dims[d + 2] - 1 - tap;
    if (sum->problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA) {
        far = sum->place[d] + conv->pad[d] - tap * conv->dilation[d];
        *at = far / conv->stride[d];
        return far >= 0 && far % conv->stride[d] == 0 && *at < sum->a.tensor->dims[d + 2];
    }
    *at =
        (filter ? step : sum->place[d]) * conv->stride[d] - conv->pad[d] + tap * conv->dilation[d];
    return *at >= 0 && *at < sum->a.tensor->dims[d + 2];
}

/* The products of one step, in all images. */
static double add_images(const struct sum *sum, int64_t in_a, int64_t in_b)
{
    int64_t a_size = image_size(sum->a.tensor);
    int64_t b_size = image_size(sum->b.tensor);
    const double *a = sum->a.values + sum->a.first * a_size + in_a;
    const double *b = sum->b.values + sum->b.first * b_size + in_b;
    double total = 0;

    for (int64_t j = 0; j < sum->images; j++)
        total += a[j * sum->a.each * a_size] * b[j * sum->b.each * b_size];
    return total;
}

static double add_all(const struct sum *sum)
{
    int dims = sum->problem->params.convolution.spatial_dims;
    int64_t count = 1;
    double total = 0;

    for (int d = 0; d < dims; d++)
        count *= sum->steps[d];
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, in_a = 0, size_a = 1, at;
        int inside = 1;

        for (int d = dims - 1; d >= 0 && inside; d--) {
            inside = meet(sum, d, rest % sum->steps[d], &at);
            in_a += at * size_a;
            size_a *= sum->a.tensor->dims[d + 2];
            rest /= sum->steps[d];
        }
        if (inside)
            total += add_images(sum, in_a, i);
    }
    return total;
}

/* Which images meet in element [row][column]: of [N][K], [N][C] or [K][C / groups]. */
static void choose_images(struct sum *sum, int64_t row, int64_t column)
{
    int64_t groups = sum->problem->params.convolution.groups;
    int64_t inputs = sum->window->dims[1];
    int64_t outputs = sum->window->dims[0] / groups;
    int64_t group;

    switch (sum->problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
        group = column / outputs;
        sum->images = inputs;
        sum->a.first = (row * groups + group) * inputs;
        sum->b.first = column * inputs;
        sum->a.each = sum->b.each = 1;
        break;
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
        group = column / inputs;
        sum->images = outputs;
        sum->a.first = (row * groups + group) * outputs;
        sum->b.first = group * outputs * inputs + column % inputs;
        sum->a.each = 1;
        sum->b.each = inputs;
        break;
    default:
        sum->images = sum->a.tensor->dims[0];
        sum->a.first = row / outputs * inputs + column;
        sum->b.first = row;
        sum->a.each = sum->a.tensor->dims[1];
        sum->b.each = sum->b.tensor->dims[1];
    }
}

static double element_at(struct sum *sum, int64_t at)
{
    for (int d = sum->result->ndims - 1; d >= 2; d--) {
        sum->place[d - 2] = at % sum->result->dims[d];
        at /= sum->result->dims[d];
    }
    choose_images(sum, at / sum->result->dims[1], at % sum->result->dims[1]);
    return add_all(sum);
}

/* ---- the oracle */

/* Slots of the three: x w y, w dy dx, x dy dw. */
static int run(struct adn_oracle *oracle, const struct adn_problem *wide,
               const struct adn_values *values, void *image[ADN_SLOTS], char *sentence)
{
    const struct oracle_sample *sample = oracle->own;
    int data = wide->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
    int filter = wide->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    int a = data ? 1 : 0;
    int b = data ? 0 : 1;
    struct sum sum = {
        .problem = wide,
        .result = &wide->tensor[2],
        .window = &wide->tensor[filter ? 2 : b],
        .a = {.values = image[a], .tensor = &wide->tensor[a]},
        .b = {.values = image[b], .tensor = &wide->tensor[b]},
        .steps = wide->tensor[b].dims + 2,
    };
    int64_t count = adn_shape_elements(sum.result);
    double *result = image[2];

    (void)values;
    (void)sentence;
    for (int64_t i = 0; i < sample->count; i++) {
        int64_t at = oracle_sample_place(sample, count, i);

        result[at] = element_at(&sum, at);
    }
    return 0;
}

void oracle_on_sample(struct adn_oracle *oracle, struct oracle_sample *sample)
{
    memset(oracle, 0, sizeof(*oracle));
    oracle->run = run;
    oracle->own = sample;
}
