/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the operands of a subject. */
#include "judge/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "judge/rules.h"
#include "problem/unread.h"

int adn_judge_no_memory(char *sentence)
{
    snprintf(sentence, ADN_JUDGE_SENTENCE, "out of memory");
    return -1;
}

void adn_subject_begin(struct adn_subject *subject, const struct adn_problem *problem,
                       const struct adn_values *values)
{
    memset(subject, 0, sizeof(*subject));
    subject->problem = *problem;
    subject->values = *values;
    subject->info = adn_problem_operation(problem->operation);
    subject->terms = adn_judge_terms(problem);
    for (int i = 0; i < subject->info->slot_count; i++) {
        if (!adn_subject_has(subject, i))
            continue;
        subject->slot[i].count = adn_shape_elements(&problem->tensor[i]);
        subject->slot[i].compared = adn_subject_is_out(subject, i) &&
                                    !adn_judge_is_idle(problem, subject->info->slot[i].role);
    }
}

int adn_subject_is_read(const struct adn_subject *subject, int slot)
{
    int alpha;
    int beta;

    adn_subject_blend(subject, slot, &alpha, &beta);
    return adn_subject_is_in(subject, slot) || (beta >= 0 && subject->values.scale[beta] != 0);
}

int adn_subject_share(struct adn_subject *subject, char *sentence)
{
    for (int i = 0; i < subject->info->slot_count; i++) {
        const struct adn_subject_slot *home =
            &subject->slot[adn_problem_home(&subject->problem, i)];
        struct adn_subject_slot *to = &subject->slot[i];

        if (!adn_subject_has(subject, i) || to == home || !adn_subject_is_in(subject, i) ||
            home->before == NULL)
            continue;
        to->before = reallocarray(NULL, (size_t)to->count, sizeof(double));
        if (to->before == NULL)
            return adn_judge_no_memory(sentence);
        memcpy(to->before, home->before, (size_t)to->count * sizeof(double));
    }
    return 0;
}

void adn_subject_free(struct adn_subject *subject)
{
    for (int i = 0; i < ADN_SLOTS; i++) {
        free(subject->slot[i].before);
        free(subject->slot[i].want);
        free(subject->slot[i].sum);
        free(subject->slot[i].squares);
    }
    memset(subject, 0, sizeof(*subject));
}

int adn_subject_has(const struct adn_subject *subject, int slot)
{
    return slot < subject->info->slot_count && (subject->problem.present >> slot & 1) != 0;
}

int adn_subject_is_out(const struct adn_subject *subject, int slot)
{
    return (subject->info->slot[slot].flags & ADN_SLOT_OUT) != 0;
}

int adn_subject_is_in(const struct adn_subject *subject, int slot)
{
    return (subject->info->slot[slot].flags & ADN_SLOT_IN) != 0;
}

int adn_subject_lookup(const struct adn_subject *subject, const char *role)
{
    for (int i = 0; i < subject->info->slot_count; i++)
        if (adn_subject_has(subject, i) && strcmp(subject->info->slot[i].role, role) == 0)
            return i;
    return -1;
}
