/* SPDX-License-Identifier: Apache-2.0 */
/* Judges elements by the type of the result, the sums behind it, and the candidate's statement
 * about its computation. */
#include "judge/element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/places.h"
#include "problem/operation.h"

/* Returns how the stated math rounds each operand. TF32 has 11 bits of significand, and a split
 * float at least 22. Other modes do not round operands. */
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

void adn_judged_fill(const struct adn_subject *subject, int slot, const struct adn_method *method,
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

double adn_judged_limit(const struct adn_judged *element, int exact)
{
    double nearest = adn_type_round(element->bound.type, element->want);

    if (exact)
        return isfinite(nearest) ? fabs(nearest - element->want) : 0;
    return adn_bound_error(&element->bound, element->want, element->sum, element->squares);
}

double adn_judged_ratio(const struct adn_judged *element, int exact)
{
    int whole = adn_type_digits(element->bound.type) == 0;
    double want = whole ? adn_type_round(element->bound.type, element->want) : element->want;

    if (exact || !isfinite(element->got) || !isfinite(want))
        return element->right ? 0 : (double)INFINITY;
    return fabs(element->got - want) / adn_judged_limit(element, exact);
}

/* Judges an output as a whole, since a transform algorithm rounds intermediate values. */
static void judge_whole(struct adn_verdict *verdict, double limit)
{
    verdict->limit = limit;
    verdict->ratio = verdict->measure.mismatches > 0
                         ? (double)INFINITY
                         : adn_measure_relative_l2(&verdict->measure) / limit;
    verdict->holds = verdict->ratio <= 1;
}

/* Adds the rounding of a reference that computed in the operand's own types. */
static void allow_for(const struct adn_judged *other, struct adn_judged *element, double *ratio)
{
    double limit = adn_judged_limit(element, 0) + adn_judged_limit(other, 0);
    double error = fabs(element->got - element->want);

    if (!isfinite(error) || !isfinite(limit))
        return;
    *ratio = error / limit;
    element->right = error <= limit;
}

void adn_judge_output(const struct adn_subject *subject, int slot, const struct adn_method *method,
                      const struct adn_method *reference, double l2, const unsigned char *bytes,
                      struct adn_verdict *verdict)
{
    const struct anydnn_plugin_tensor *tensor = &subject->problem.tensor[slot];
    struct adn_judged now, other;
    struct adn_places places;

    memset(verdict, 0, sizeof(*verdict));
    adn_measure_begin(&verdict->measure);
    verdict->whole = adn_method_is_transform(method) || l2 > 0 ||
                     (reference && adn_method_is_transform(reference));
    verdict->exact = adn_subject_is_exact(subject, slot) && !verdict->whole;
    verdict->worst.at = -1;
    adn_subject_bound(subject, slot, method, &now.bound);
    adn_places_begin(&places, tensor);
    for (int64_t i = 0; i < subject->slot[slot].count; i++) {
        double ratio;

        now.at = i;
        now.got = adn_element_load(tensor->type, bytes + places.at);
        adn_judged_fill(subject, slot, method, &now);
        adn_measure_add(&verdict->measure, tensor->type, now.got,
                        verdict->exact ? adn_type_round(tensor->type, now.want) : now.want);
        ratio = adn_judged_ratio(&now, verdict->exact);
        if (reference && !verdict->exact) {
            other = now;
            adn_subject_bound(subject, slot, reference, &other.bound);
            allow_for(&other, &now, &ratio);
        }
        verdict->wrong += !now.right;
        if (ratio > verdict->ratio) {
            verdict->ratio = ratio;
            verdict->worst = now;
        }
        adn_places_next(&places);
    }
    verdict->holds = verdict->wrong == 0;
    verdict->limit = verdict->worst.at >= 0 ? adn_judged_limit(&verdict->worst, verdict->exact) : 0;
    if (verdict->whole)
        judge_whole(verdict, l2 > 0 ? l2 : adn_subject_transform_limit(subject, slot));
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
