/* SPDX-License-Identifier: Apache-2.0 */
/* Makes cases with operands of different types: every combination that the rules of an operation
 * permit. */
#include "tools/verify/cases/cases.h"

#include <stdio.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/operations.h"
#include "problem/operation.h"
#include "problem/params.h"
#include "problem/problem.h"
#include "problem/text.h"

/* The operations that mix types. The types of the first `inputs` slots and of the output vary.
 * Other operands have the output's type. */
static const struct mix {
    int32_t operation;
    int inputs;
    int out;
    const char *text; /* in float; channels fill whole vectors of each type */
} mixes[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 2, 2, "x=f32:2,32,4,5 w=f32:32,32,2,3 pad=1,0 alpha=0.25"},
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 2, 2,
     "x=f32:1,64,5,3 w=f32:64,32,3,2 groups=2 stride=2,1 alpha=0.5 beta=1"},
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 2, 2,
     "x=f32:2,32,5,6 w=f32:32,32,3,2 dilation=1,2 mode=convolution alpha=0.125 beta=-1"},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 2, 4,
     "x=f32:2,32,4,5 w=f32:32,32,2,3 pad=1,0 alpha1=0.25 without=z"},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 2, 4,
     "x=f32:1,64,6,5 w=f32:32,32,2,3 groups=2 dilation=2,1 stride=1,2 mode=convolution "
     "alpha1=0.125 activation=clipped_relu coef=6 without=z"},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 2, 4,
     "x=f32:1,32,3,5 w=f32:64,32,3,2 z=f32:1,64,1,4 alpha1=0.125 alpha2=0.5 activation=identity"},
    {ANYDNN_PLUGIN_POOLING_FORWARD, 1, 1, "x=f32:2,32,5,4 window=3,2 stride=2,1 pad=1,0"},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR, 1, 1, "x=f32:2,32,3,5"},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR, 1, 1, "x=f32:3,32,4,2 alpha=1.5 beta=0.5"},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX, 1, 1,
     "x=f32:2,32,4,6 y=f32:2,192,2,2 fold=2,3 alpha=0.5 beta=1"},
    {ANYDNN_PLUGIN_TRANSFORM_FILTER, 1, 1, "x=f32:32,32,3,2 y=f32:32,32,3,2"},
    {ANYDNN_PLUGIN_ADD_TENSOR, 1, 1, "x=f32:1,32,1,5 y=f32:2,32,3,5 alpha=0.5 beta=1"},
    {ANYDNN_PLUGIN_OP_TENSOR, 2, 2, "a=f32:2,32,3,5 b=f32:1,32,1,5 alpha1=0.5 alpha2=2 beta=1"},
    {ANYDNN_PLUGIN_OP_TENSOR, 2, 2, "a=f32:3,32,2,4 b=f32:3,32,2,4 op=max"},
    {ANYDNN_PLUGIN_OP_TENSOR, 2, 2, "a=f32:2,32,4,3 b=f32:2,32,1,3 op=mul alpha1=0.25"},
    {ANYDNN_PLUGIN_REDUCE_TENSOR, 1, 1, "a=f32:2,32,3,5 c=f32:2,32,1,1"},
    {ANYDNN_PLUGIN_REDUCE_TENSOR, 1, 1, "a=f32:3,32,4,2 c=f32:1,32,4,1 op=max alpha=0.5 beta=1"},
    {ANYDNN_PLUGIN_REDUCE_TENSOR, 1, 1, "a=f32:3,32,2,5 c=f32:1,32,1,5 op=norm2"},
};

static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT,    ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_HALF,
                                ANYDNN_PLUGIN_BFLOAT16, ANYDNN_PLUGIN_INT8,   ANYDNN_PLUGIN_UINT8,
                                ANYDNN_PLUGIN_INT32,    ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_UINT8X4,
                                ANYDNN_PLUGIN_INT8X32};

#define TYPES ((int)(sizeof(types) / sizeof(types[0])))

static void set_compute(struct adn_problem *problem, int32_t type)
{
    enum adn_family family = adn_problem_operation(problem->operation)->family;

    if (family == ADN_FAMILY_CONVOLUTION || family == ADN_FAMILY_FUSED)
        problem->params.convolution.compute_type = type;
    if (family == ADN_FAMILY_OP_TENSOR)
        problem->params.op_tensor.compute_type = type;
    if (family == ADN_FAMILY_REDUCE)
        problem->params.reduce.compute_type = type;
}

static void set_type(struct adn_problem *problem, int slot, int32_t type)
{
    problem->tensor[slot].type = type;
    adn_layout_set(&problem->tensor[slot], adn_type_lanes(type) > 1 ? "nchw_vect_c" : "nchw");
}

/* Sets combination `number`, with a permitted compute type. Returns 0, or -1 if there is none. */
static int set_types(const struct mix *mix, struct adn_problem *problem, int number)
{
    enum adn_family family = adn_problem_operation(problem->operation)->family;
    int32_t compute[] = {0, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_DOUBLE};
    int different = 0;
    int32_t out;

    for (int slot = 0; slot < mix->inputs; slot++, number /= TYPES)
        set_type(problem, slot, types[number % TYPES]);
    out = types[number % TYPES];
    set_type(problem, mix->out, out);
    if (family == ADN_FAMILY_FUSED && (problem->present >> 2 & 1))
        set_type(problem, 2, out);
    if (family == ADN_FAMILY_FUSED)
        set_type(problem, 3, adn_problem_bias_type(out));
    for (int slot = 0; slot < mix->inputs; slot++)
        different |= problem->tensor[slot].type != out;
    compute[0] = adn_problem_compute_default(family, problem->tensor[0].type);
    for (size_t i = 0; i < sizeof(compute) / sizeof(compute[0]) && different; i++) {
        set_compute(problem, compute[i]);
        if (verify_is_valid(problem))
            return 0;
    }
    return -1;
}

static void label_of(const struct mix *mix, const struct adn_problem *problem, char *label,
                     size_t size)
{
    size_t length = (size_t)snprintf(label, size, "mixed");

    for (int slot = 0; slot <= mix->inputs; slot++)
        length += (size_t)snprintf(
            label + length, size - length, "%s%s", slot == mix->inputs ? " to " : " ",
            adn_type_name(problem->tensor[slot == mix->inputs ? mix->out : slot].type));
}

void verify_mixes_add(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                      const struct verify_filter *filter)
{
    int turn = 0;

    for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
        const struct mix *mix = &mixes[i];
        int combinations = mix->inputs == 2 ? TYPES * TYPES * TYPES : TYPES * TYPES;
        struct adn_problem base;
        struct adn_values values;
        char text[200];

        if (mix->operation != op->operation)
            continue;
        snprintf(text, sizeof(text), "%s %s", adn_operation_name(mix->operation), mix->text);
        if (adn_problem_parse(text, &base, &values) != ANYDNN_STATUS_SUCCESS)
            continue;
        for (int number = 0; number < combinations; number++) {
            int32_t type = types[number % TYPES];
            struct adn_problem problem = base;
            char label[80];

            if (!(op->types >> type & 1) || (filter->type >= 0 && filter->type != type) ||
                set_types(mix, &problem, number) != 0 || (filter->quick && turn++ % 3 != 0))
                continue;
            label_of(mix, &problem, label, sizeof(label));
            problem.math = verify_math_of(op, type, problem.math);
            verify_problem_add(cases, &problem, &values, type, "mixed", label);
        }
    }
}
