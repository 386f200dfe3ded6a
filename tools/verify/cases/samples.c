/* SPDX-License-Identifier: Apache-2.0 */
/* Problems on which the rules of an operation are tried. */
#include "tools/verify/cases/cases.h"

#include "desc/shape.h"
#include "judge/rules.h"
#include "problem/problem.h"

static double size_of(const struct adn_problem *problem)
{
    return adn_judge_terms(problem) *
           (double)adn_shape_elements(&problem->tensor[problem->present >> 2 & 1 ? 2 : 0]);
}

void verify_samples(const struct verify_cases *cases, const struct verify_target *target,
                    int32_t operation, struct verify_sample *few, struct verify_sample *many)
{
    for (int i = 0; i < cases->count; i++) {
        const struct verify_case *item = cases->item[i];
        struct anydnn_plugin_problem view;
        struct verify_offers offers;

        if (item->kind != VERIFY_KIND_PROBLEM || item->operation != operation ||
            item->data != ORACLE_INTEGERS || item->fault[0] != '\0' ||
            (many->problem != NULL && size_of(&item->problem) <= size_of(many->problem)))
            continue;
        adn_problem_view(&item->problem, 0, &view);
        verify_ask(target, target->context, &view, &offers);
        if (offers.count == 0)
            continue;
        many->problem = &item->problem;
        many->values = &item->values;
        if (few->problem == NULL)
            *few = *many;
    }
}
