/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the facts about each operation that judging needs: which outputs are blended and compared,
 * and how close results must come. */
#include "judge/rules.h"

#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "numerics/numerics.h"
#include "problem/kinds.h"
#include "problem/operation.h"

int adn_judge_is_bytes(const char *role)
{
    return strcmp(role, "states") == 0 || strcmp(role, "reserve") == 0;
}

int adn_judge_is_idle(const struct adn_problem *problem, const char *role)
{
    if (strcmp(role, "temp") == 0 || strcmp(role, "temp2") == 0)
        return 1;
    return problem->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING &&
           problem->params.batch_normalization.ops == 0 && strcmp(role, "reserve") == 0;
}

/* Returns 1 for outputs that are not blended: statistics, buffers, indices, scratch. */
static int is_plain_output(const char *role)
{
    static const char *const plain[] = {"running_mean", "running_var", "save_mean",
                                        "save_inv_var", "reserve",     "states",
                                        "indices",      "temp",        "temp2"};

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        if (strcmp(plain[i], role) == 0)
            return 1;
    return 0;
}

void adn_subject_blend(const struct adn_subject *subject, int slot, int *alpha, int *beta)
{
    const char *role = subject->info->slot[slot].role;

    *alpha = *beta = -1;
    if (is_plain_output(role))
        return;
    switch (subject->problem.operation) {
    case ANYDNN_PLUGIN_OP_TENSOR:
        *beta = 2;
        break;
    case ANYDNN_PLUGIN_SCALE_TENSOR:
        *alpha = 0;
        break;
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
    case ANYDNN_PLUGIN_DROPOUT_FORWARD:
    case ANYDNN_PLUGIN_DROPOUT_BACKWARD:
    case ANYDNN_PLUGIN_SET_TENSOR:
    case ANYDNN_PLUGIN_IM2COL:
    case ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD:
    case ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD:
    case ANYDNN_PLUGIN_CTC_LOSS:
    case ANYDNN_PLUGIN_NORMALIZATION_FORWARD:
    case ANYDNN_PLUGIN_NORMALIZATION_BACKWARD:
    case ANYDNN_PLUGIN_MATMUL: /* its beta belongs to an input */
        break;
    case ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD:
        *alpha = strcmp(role, "dgrid") == 0 ? 2 : 0;
        *beta = *alpha + 1;
        break;
    case ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD:
        *alpha = strcmp(role, "dscale") == 0 || strcmp(role, "dbias") == 0 ? 2 : 0;
        *beta = *alpha + 1;
        break;
    default:
        *alpha = 0;
        *beta = 1;
    }
}

enum adn_judgement adn_judge_of(const struct adn_problem *problem)
{
    switch (problem->operation) {
    case ANYDNN_PLUGIN_POOLING_FORWARD: /* 1 and 2 are the averages */
        return problem->params.pooling.mode == 1 || problem->params.pooling.mode == 2
                   ? ADN_JUDGE_SUMS
                   : ADN_JUDGE_EXACT;
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS:
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
    case ANYDNN_PLUGIN_POOLING_BACKWARD:
    case ANYDNN_PLUGIN_ADD_TENSOR:
    case ANYDNN_PLUGIN_DROPOUT_FORWARD:
    case ANYDNN_PLUGIN_DROPOUT_BACKWARD:
    case ANYDNN_PLUGIN_MATMUL:
        return ADN_JUDGE_SUMS;
    case ANYDNN_PLUGIN_OP_TENSOR: /* 0 is a sum, 4 a root */
        return problem->params.op_tensor.op == 0 ? ADN_JUDGE_SUMS : ADN_JUDGE_SENSITIVE;
    case ANYDNN_PLUGIN_REDUCE_TENSOR: /* sum, average, norm1; min, max, amax; the rest */
        if (problem->params.reduce.op == 0 || problem->params.reduce.op == 5 ||
            problem->params.reduce.op == 6)
            return ADN_JUDGE_SUMS;
        return problem->params.reduce.op >= 2 && problem->params.reduce.op <= 4
                   ? ADN_JUDGE_EXACT
                   : ADN_JUDGE_SENSITIVE;
    case ANYDNN_PLUGIN_TRANSFORM_TENSOR:
    case ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX:
    case ANYDNN_PLUGIN_TRANSFORM_FILTER:
    case ANYDNN_PLUGIN_SET_TENSOR:
    case ANYDNN_PLUGIN_SCALE_TENSOR:
    case ANYDNN_PLUGIN_IM2COL:
        return ADN_JUDGE_EXACT;
    default:
        return ADN_JUDGE_SENSITIVE;
    }
}

struct adn_judge_activation adn_judge_activation_of(const struct adn_problem *problem)
{
    const union kit_params *params = &problem->params;

    switch (problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
        return (struct adn_judge_activation){params->convolution.activation,
                                             params->convolution.coef};
    case ANYDNN_PLUGIN_MATMUL:
        return (struct adn_judge_activation){params->matmul.activation, params->matmul.coef};
    default:
        return (struct adn_judge_activation){ADN_JUDGE_IDENTITY, 0};
    }
}

int adn_judge_is_activated(const struct adn_problem *problem)
{
    int32_t mode = adn_judge_activation_of(problem).mode;

    return mode == ADN_JUDGE_SIGMOID || mode == ADN_JUDGE_TANH || mode == ADN_JUDGE_ELU ||
           mode == ADN_JUDGE_SWISH || mode == ADN_JUDGE_GELU || mode == ADN_JUDGE_GELU_TANH;
}

/* Whole numbers and the factors 0, 1/2, 1 have one right result, which is rounded once. */
int adn_judge_exact_on_integers(const struct adn_problem *problem)
{
    switch (problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS:
    case ANYDNN_PLUGIN_ADD_TENSOR:
        return 1;
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
    case ANYDNN_PLUGIN_MATMUL:
        return !adn_judge_is_activated(problem);
    case ANYDNN_PLUGIN_POOLING_FORWARD: /* an average of integers is rounded once, too */
    case ANYDNN_PLUGIN_POOLING_BACKWARD:
        return problem->params.pooling.mode == 0 || problem->params.pooling.mode == 3 ||
               adn_type_digits(problem->tensor[0].type) == 0;
    case ANYDNN_PLUGIN_ACTIVATION_FORWARD:
    case ANYDNN_PLUGIN_ACTIVATION_BACKWARD:
        return problem->params.activation.mode == 1 || problem->params.activation.mode == 3;
    case ANYDNN_PLUGIN_DROPOUT_FORWARD:
    case ANYDNN_PLUGIN_DROPOUT_BACKWARD:
        return problem->params.dropout.probability == 0.5 ||
               problem->params.dropout.probability == 0;
    case ANYDNN_PLUGIN_OP_TENSOR:
        return problem->params.op_tensor.op != 4;
    case ANYDNN_PLUGIN_REDUCE_TENSOR:
        return problem->params.reduce.op == 0 || problem->params.reduce.op == 6;
    default:
        return adn_judge_of(problem) == ADN_JUDGE_EXACT;
    }
}

int adn_judge_sums_wrap(const struct adn_problem *problem)
{
    enum adn_family family = adn_problem_operation(problem->operation)->family;

    return (family == ADN_FAMILY_CONVOLUTION || family == ADN_FAMILY_FUSED) &&
           problem->params.convolution.compute_type == ANYDNN_PLUGIN_INT32;
}

static double product(const int64_t *dims, int from, int to)
{
    double size = 1;

    for (int i = from; i < to; i++)
        size *= (double)dims[i];
    return size;
}

/* Returns the number of elements with one mean. */
static double normalized_terms(const struct adn_problem *problem)
{
    const struct anydnn_plugin_tensor *x = &problem->tensor[0];
    int64_t sets[ANYDNN_PLUGIN_DIM_MAX];

    adn_normalization_statistics(&problem->params.normalization, x, sets);
    return product(x->dims, 0, x->ndims) / product(sets, 0, x->ndims);
}

double adn_judge_terms(const struct adn_problem *problem)
{
    const struct anydnn_plugin_tensor *first = &problem->tensor[0];
    const struct anydnn_plugin_tensor *second = &problem->tensor[1];
    double groups = (double)problem->params.convolution.groups;

    switch (problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
        return product(second->dims, 1, second->ndims);
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
        return (double)first->dims[0] / groups * product(first->dims, 2, first->ndims);
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
        return (double)second->dims[0] * product(second->dims, 2, second->ndims);
    case ANYDNN_PLUGIN_MATMUL: /* c and bias are terms, too */
        return (double)first->dims[first->ndims - 1] + 2;
    case ANYDNN_PLUGIN_NORMALIZATION_FORWARD:
        return normalized_terms(problem);
    case ANYDNN_PLUGIN_POOLING_FORWARD:
    case ANYDNN_PLUGIN_POOLING_BACKWARD:
        return product(problem->params.pooling.window, 0, problem->params.pooling.spatial_dims);
    case ANYDNN_PLUGIN_ACTIVATION_FORWARD:
    case ANYDNN_PLUGIN_ACTIVATION_BACKWARD:
    case ANYDNN_PLUGIN_ADD_TENSOR:
    case ANYDNN_PLUGIN_OP_TENSOR:
        return 2;
    default:
        return (double)adn_shape_elements(first);
    }
}
