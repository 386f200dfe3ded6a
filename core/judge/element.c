/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an element may be what it is: by the type of the result, the sums behind it, and what the
 * candidate says of the way it computes. */
#include "judge/judge.h"

#include <stdio.h>
#include <string.h>

/* What the math that the candidate states does to each operand: TF32 has 11 bits of significand, a
 * split float at least 22; the other modes leave operands as they are. */
static double rounding_of(const struct adn_method *method)
{
    if (!(method->notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION))
        return 0;
    return method->math == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION ? 0x1p-11
           : method->math == ANYDNN_PLUGIN_MATH_SPLIT          ? 0x1p-22
                                                               : 0;
}

void adn_subject_bound(const struct adn_subject *subject, int slot, const struct adn_method *method,
                       struct adn_bound *bound)
{
    int32_t type = subject->problem.tensor[slot].type;
    enum adn_family family = subject->info->family;
    int convolution = family == ADN_FAMILY_CONVOLUTION || family == ADN_FAMILY_FUSED;

    memset(bound, 0, sizeof(*bound));
    bound->type = type;
    bound->compute = convolution ? subject->problem.params.convolution.compute_type
                     : type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE
                                                    : ANYDNN_PLUGIN_FLOAT;
    bound->terms = subject->terms;
    bound->rounding = rounding_of(method);
}

int adn_subject_is_exact(const struct adn_subject *subject, int slot)
{
    return subject->exact || subject->slot[slot].sum == NULL;
}

int adn_method_is_transform(const struct adn_method *method)
{
    return (method->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) != 0;
}

double adn_subject_transform_limit(const struct adn_subject *subject, int slot)
{
    int filter = subject->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;

    return adn_bound_transform(subject->problem.tensor[slot].type, filter ? subject->terms : 0);
}

void adn_judged_find(const struct adn_subject *subject, int slot, const struct adn_method *method,
                     struct adn_judged *element)
{
    const struct adn_subject_slot *at = &subject->slot[slot];
    int32_t type = subject->problem.tensor[slot].type;
    int exact = adn_subject_is_exact(subject, slot);

    element->want = at->want[element->at];
    element->sum = exact ? 0 : at->sum[element->at];
    element->squares = at->squares != NULL ? at->squares[element->at] : 0;
    if (exact && !adn_method_is_transform(method))
        element->right =
            adn_ulp_distance(type, element->got, adn_type_round(type, element->want)) == 0;
    else
        element->right = adn_bound_holds(&element->bound, element->got, element->want, element->sum,
                                         element->squares);
}

void adn_index_text(const struct anydnn_plugin_tensor *tensor, int64_t at, char *text, size_t size)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX];
    size_t length = 0;

    for (int d = tensor->ndims - 1; d >= 0; d--) {
        index[d] = at % tensor->dims[d];
        at /= tensor->dims[d];
    }
    text[0] = '\0';
    for (int d = 0; d < tensor->ndims && length < size; d++)
        length += (size_t)snprintf(text + length, size - length, "%s%lld", d > 0 ? "," : "",
                                   (long long)index[d]);
}
