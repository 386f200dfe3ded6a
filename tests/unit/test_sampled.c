/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the single elements of convolutions that contests compare: each element of the three
 * directions against one loop over all products, on whole numbers, where sums are exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "desc/shape.h"
#include "judge/sampled.h"
#include "problem/text.h"

#define ELEMENTS 4096

/* x, w, y; dx, dw, y of each direction: the operands by role, and the sums by role. */
enum { X, W, Y, ROLES };

static double value[ROLES][ELEMENTS], sum[ROLES][ELEMENTS];

static const char *const shapes[] = {
    "x=f32:2,3,5,7 w=f32:4,3,3,2 pad=1,0",
    "x=f32:2,3,5,7:nhwc w=f32:4,3,3,2:nhwc pad=2,1 stride=2,3",
    "x=f32:1,4,9,6 w=f32:6,2,3,2 pad=1,3 stride=1,2 dilation=2,3 groups=2",
    "x=f32:2,4,6,5 w=f32:4,1,2,3 pad=1,1 stride=3,1 groups=4 mode=convolution",
    "x=f32:1,2,4,5,6 w=f32:3,2,2,3,1 pad=1,0,2 stride=2,1,1 dilation=1,2,1",
    "x=f32:2,2,11 w=f32:3,2,4 pad=5 stride=2 dilation=2 mode=convolution",
};

static int64_t offset_of(const struct anydnn_plugin_tensor *tensor, const int64_t *index)
{
    int64_t offset = 0;

    for (int32_t d = 0; d < tensor->ndims; d++)
        offset += index[d] * tensor->strides[d];
    assert_true(offset < ELEMENTS);
    return offset;
}

static int next(int64_t *index, const int64_t *dims, int32_t count)
{
    for (int32_t d = count - 1; d >= 0; d--) {
        if (++index[d] < dims[d])
            return 1;
        index[d] = 0;
    }
    return 0;
}

/* Adds all products of a forward problem to the sums of the three directions. */
static void add_products(const struct adn_problem *problem)
{
    const struct anydnn_plugin_convolution *params = &problem->params.convolution;
    const struct anydnn_plugin_tensor *tensor = problem->tensor;
    int64_t y[8] = {0}, per_group = tensor[W].dims[0] / params->groups;

    memset(sum, 0, sizeof(sum));
    do {
        int64_t w[8] = {0};

        do {
            int64_t x[8] = {y[0], y[1] / per_group * tensor[W].dims[1] + w[1]};
            int64_t stored[8] = {y[1], w[1]}, at[ROLES];
            int inside = 1;

            for (int32_t d = 2; d < tensor[X].ndims; d++) {
                stored[d] =
                    params->mode == ANYDNN_PLUGIN_CONVOLUTION ? tensor[W].dims[d] - 1 - w[d] : w[d];
                x[d] = y[d] * params->stride[d - 2] - params->pad[d - 2] +
                       w[d] * params->dilation[d - 2];
                inside &= x[d] >= 0 && x[d] < tensor[X].dims[d];
            }
            if (!inside)
                continue;
            at[X] = offset_of(&tensor[X], x);
            at[W] = offset_of(&tensor[W], stored);
            at[Y] = offset_of(&tensor[Y], y);
            sum[Y][at[Y]] += value[X][at[X]] * value[W][at[W]];
            sum[X][at[X]] += value[Y][at[Y]] * value[W][at[W]];
            sum[W][at[W]] += value[X][at[X]] * value[Y][at[Y]];
        } while (next(w + 1, tensor[W].dims + 1, tensor[W].ndims - 1));
    } while (next(y, tensor[Y].dims, tensor[Y].ndims));
}

/* The roles of the slots of a direction. */
static const int roles[][ROLES] = {{X, W, Y}, {W, Y, X}, {X, Y, W}};

/* Makes the samples' view of operands with these roles. */
static struct adn_sampled view(const struct adn_problem *problem, const double *scale,
                               const int *role, int slots)
{
    struct adn_sampled sampled = {.problem = problem, .scale = scale};

    for (int slot = 0; slot < slots; slot++) {
        sampled.content[slot] = value[role[slot]];
        sampled.mask[slot] = ELEMENTS - 1;
    }
    return sampled;
}

/* Compares all elements of the result of a direction. */
static void compare(const struct adn_problem *forward, int direction)
{
    static const int32_t operations[] = {ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                                         ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
                                         ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER};
    static const double scale[4] = {1, 0, 0, 0};
    struct adn_problem problem = *forward;
    struct adn_sampled sampled = view(&problem, scale, roles[direction], ROLES);
    int64_t index[8] = {0};
    int result = roles[direction][2];

    problem.operation = operations[direction];
    for (int slot = 0; slot < ROLES; slot++)
        problem.tensor[slot] = forward->tensor[roles[direction][slot]];
    assert_int_equal(adn_sampled_slot(&problem), 2);
    do {
        int64_t at = offset_of(&problem.tensor[2], index);
        struct adn_sample sample;

        adn_sampled_compute(&sampled, index, &sample);
        if (sample.want != sum[result][at])
            fail_msg("direction %d, offset %lld: %g, not %g", direction, (long long)at, sample.want,
                     sum[result][at]);
        assert_true(sample.sum >= sample.want && sample.sum >= -sample.want);
    } while (next(index, problem.tensor[2].dims, problem.tensor[2].ndims));
}

static void read_forward(const char *shape, struct adn_problem *problem)
{
    struct adn_values values;
    char text[200];

    snprintf(text, sizeof(text), "convolution_forward %s", shape);
    assert_int_equal(adn_problem_parse(text, problem, &values), ANYDNN_STATUS_SUCCESS);
}

static void elements_are_right(void **state)
{
    (void)state;
    for (int role = 0; role < ROLES; role++)
        for (int i = 0; i < ELEMENTS; i++)
            value[role][i] = (i * 7 + role * 3) % 11 - 5;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct adn_problem problem;

        read_forward(shapes[i], &problem);
        add_products(&problem);
        for (int direction = 0; direction < 3; direction++)
            compare(&problem, direction);
    }
}

/* The sums that the bound needs: of the absolute terms, and of their squares. */
static void sums_are_of_terms(void **state)
{
    static const double scale[4] = {1, 0, 0, 0};
    static const int64_t index[8] = {0};
    struct adn_problem problem;
    struct adn_sampled sampled;
    struct adn_sample sample;

    (void)state;
    read_forward("x=f32:1,2,1,1 w=f32:1,2,1,1", &problem);
    sampled = view(&problem, scale, roles[0], ROLES);
    value[X][0] = 3, value[X][1] = -2;
    value[W][0] = 2, value[W][1] = 5;
    adn_sampled_compute(&sampled, index, &sample);
    assert_true(sample.want == -4 && sample.sum == 16 && sample.squares == 136);
}

/* y = relu(alpha1 * conv + alpha2 * z + bias). */
static void fused_ends_in_relu(void **state)
{
    enum { Z = 2, BIAS = 3 };
    static const int fused[] = {X, W, Y, W};
    static const double scale[4] = {2, 3, 0, 0};
    static const int64_t index[8] = {0};
    struct adn_problem problem;
    struct adn_values values;
    struct adn_sampled sampled;
    struct adn_sample sample;

    (void)state;
    assert_int_equal(adn_problem_parse("convolution_bias_activation_forward x=f32:1,1,1,1 "
                                       "w=f32:1,1,1,1 z=f32:1,1,1,1 activation=relu",
                                       &problem, &values),
                     ANYDNN_STATUS_SUCCESS);
    assert_int_equal(adn_sampled_slot(&problem), 4);
    sampled = view(&problem, scale, fused, 4);
    value[X][0] = 5, value[W][0] = 2, value[Y][0] = -1;
    adn_sampled_compute(&sampled, index, &sample);
    assert_true(sample.want == 2 * 10 - 3 + 2 && sample.sum == 20 + 3 + 2);
    value[X][0] = -5;
    adn_sampled_compute(&sampled, index, &sample);
    assert_true(sample.want == 0 && sample.sum == 20 + 3 + 2);
}

static void others_are_not_computed(void **state)
{
    static const char *const texts[] = {
        "softmax_forward x=f32:2,3,1,1",
        "convolution_forward x=s8:1,4,3,3 w=s8:4,4,3,3 y=s8:1,4,1,1",
        "convolution_bias_activation_forward x=f32:1,1,1,1 w=f32:1,1,1,1 activation=sigmoid",
        "convolution_bias_activation_forward x=f32:1,1,1,1 w=f32:1,1,1,1 z=f32:1,1,1,1 "
        "alias=y:z",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct adn_problem problem;
        struct adn_values values;

        assert_int_equal(adn_problem_parse(texts[i], &problem, &values), ANYDNN_STATUS_SUCCESS);
        assert_int_equal(adn_sampled_slot(&problem), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_right),
        cmocka_unit_test(sums_are_of_terms),
        cmocka_unit_test(fused_ends_in_relu),
        cmocka_unit_test(others_are_not_computed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
