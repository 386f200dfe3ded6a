/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge must know of each operation: which outputs are blended and compared, and how close
 * results must come. */
#include "subject.h"

#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "numerics/numerics.h"

int verify_is_present(const struct verify_subject *subject, int slot)
{
    return slot < subject->info->slot_count && (subject->problem.present >> slot & 1) != 0;
}

int verify_is_out(const struct verify_subject *subject, int slot)
{
    return (subject->info->slot[slot].flags & ADN_SLOT_OUT) != 0;
}

int verify_is_in(const struct verify_subject *subject, int slot)
{
    return (subject->info->slot[slot].flags & ADN_SLOT_IN) != 0;
}

int verify_slot_find(const struct verify_subject *subject, const char *role)
{
    for (int i = 0; i < subject->info->slot_count; i++)
        if (verify_is_present(subject, i) && strcmp(subject->info->slot[i].role, role) == 0)
            return i;
    return -1;
}

int verify_is_bytes(const char *role)
{
    return strcmp(role, "states") == 0 || strcmp(role, "reserve") == 0;
}

int verify_is_idle(const struct adn_problem *problem, const char *role)
{
    if (strcmp(role, "temp") == 0 || strcmp(role, "temp2") == 0)
        return 1;
    return problem->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING &&
           problem->params.batch_normalization.ops == 0 && strcmp(role, "reserve") == 0;
}

/* Outputs that are written as they are: statistics, buffers, places. */
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

void verify_blend(const struct verify_subject *subject, int slot, int *alpha, int *beta)
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

enum verify_judgement verify_judge(const struct adn_problem *problem)
{
    switch (problem->operation) {
    case ANYDNN_PLUGIN_POOLING_FORWARD: /* 1 and 2 are the averages */
        return problem->params.pooling.mode == 1 || problem->params.pooling.mode == 2
                   ? VERIFY_SUMS
                   : VERIFY_EXACT;
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS:
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
    case ANYDNN_PLUGIN_POOLING_BACKWARD:
    case ANYDNN_PLUGIN_ADD_TENSOR:
    case ANYDNN_PLUGIN_DROPOUT_FORWARD:
    case ANYDNN_PLUGIN_DROPOUT_BACKWARD:
        return VERIFY_SUMS;
    case ANYDNN_PLUGIN_OP_TENSOR: /* 0 is a sum, 4 a root */
        return problem->params.op_tensor.op == 0 ? VERIFY_SUMS : VERIFY_SENSITIVE;
    case ANYDNN_PLUGIN_REDUCE_TENSOR: /* sum, average, norm1; min, max, amax; the rest */
        if (problem->params.reduce.op == 0 || problem->params.reduce.op == 5 ||
            problem->params.reduce.op == 6)
            return VERIFY_SUMS;
        return problem->params.reduce.op >= 2 && problem->params.reduce.op <= 4 ? VERIFY_EXACT
                                                                                : VERIFY_SENSITIVE;
    case ANYDNN_PLUGIN_TRANSFORM_TENSOR:
    case ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX:
    case ANYDNN_PLUGIN_TRANSFORM_FILTER:
    case ANYDNN_PLUGIN_SET_TENSOR:
    case ANYDNN_PLUGIN_SCALE_TENSOR:
    case ANYDNN_PLUGIN_IM2COL:
        return VERIFY_EXACT;
    default:
        return VERIFY_SENSITIVE;
    }
}

int verify_is_activated(const struct adn_problem *problem)
{
    int32_t activation = problem->params.convolution.activation;

    return problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD &&
           (activation == VERIFY_SIGMOID || activation == VERIFY_TANH || activation == VERIFY_ELU ||
            activation == VERIFY_SWISH);
}

/* Whole numbers and the factors 0, 1/2, 1 give one right answer, which is rounded once. */
int verify_exact_on_integers(const struct adn_problem *problem)
{
    switch (problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS:
    case ANYDNN_PLUGIN_ADD_TENSOR:
        return 1;
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
        return !verify_is_activated(problem);
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
        return verify_judge(problem) == VERIFY_EXACT;
    }
}

int verify_sums_wrap(const struct adn_problem *problem)
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

double verify_terms(const struct adn_problem *problem)
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

void verify_places_begin(struct verify_places *places, const struct anydnn_plugin_tensor *tensor,
                         const struct element *element)
{
    memset(places, 0, sizeof(*places));
    places->tensor = tensor;
    places->lanes = element->lanes;
    places->size = element->size;
}

/* Scalars from index 0 to index i of a dim. */
static int64_t way(const struct verify_places *places, int d, int64_t i)
{
    int64_t lanes = places->lanes;
    int64_t stride = places->tensor->strides[d] * lanes;

    return d == 1 && lanes > 1 ? i / lanes * stride + i % lanes : i * stride;
}

void verify_places_next(struct verify_places *places)
{
    for (int d = places->tensor->ndims - 1; d >= 0; d--) {
        int64_t last = places->index[d];
        int64_t next = last + 1 < places->tensor->dims[d] ? last + 1 : 0;

        places->index[d] = next;
        places->at += (size_t)(way(places, d, next) - way(places, d, last)) * places->size;
        if (next > 0)
            return;
    }
}
