/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the numbers of a sampled call, and compares its outputs with those of the reference. */
#include "shadow/compare.h"

#include <stdlib.h>

#include "desc/shape.h"
#include "dispatch/plan/plan.h"
#include "judge/element.h"
#include "judge/expect.h"
#include "judge/oracle.h"
#include "judge/places.h"
#include "numerics/numerics.h"
#include "problem/unread.h"
#include "shadow/referee.h"
#include "shadow/report.h"
#include "sys/log.h"

void adn_pass_over(struct adn_shadowed *own, enum adn_count why, const char *sentence)
{
    adn_findings_add(&own->watch->findings, why);
    adn_findings_say(&own->watch->findings.passed, sentence);
    adn_debug("shadow: a call is skipped: %s", sentence);
}

void adn_pass_begin(struct adn_pass *pass, struct adn_shadowed *own,
                    const struct anydnn_plugin_operands *operands)
{
    const struct adn_plan *plan = own->plan;
    struct adn_values values;

    pass->own = own;
    pass->sentence[0] = '\0';
    adn_watch_factors(plan, operands, &values);
    adn_subject_begin(&pass->subject, &plan->problem, &values);
    /* Only methods that round operands need the squares. */
    pass->subject.problem.math = plan->notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION
                                     ? plan->math
                                     : ANYDNN_PLUGIN_MATH_DEFAULT;
}

int adn_pass_reads(const struct adn_pass *pass, int slot)
{
    const struct adn_subject *subject = &pass->subject;

    return adn_subject_has(subject, slot) && !(adn_problem_unread(&subject->problem) >> slot & 1) &&
           adn_subject_is_read(subject, slot) && adn_problem_home(&subject->problem, slot) == slot;
}

int adn_pass_take(struct adn_pass *pass, int slot, const unsigned char *bytes)
{
    const struct anydnn_plugin_tensor *tensor = &pass->subject.problem.tensor[slot];
    struct adn_subject_slot *at = &pass->subject.slot[slot];
    struct adn_places places;

    at->before = reallocarray(NULL, (size_t)at->count, sizeof(double));
    if (!at->before)
        return adn_judge_no_memory(pass->sentence);
    adn_places_begin(&places, tensor);
    for (int64_t i = 0; i < at->count; i++) {
        at->before[i] = adn_element_load(tensor->type, bytes + places.at);
        adn_places_next(&places);
    }
    return 0;
}

/* Returns the slot of the worst output, or -1. */
static int compare(const struct adn_pass *pass, const unsigned char *const got[ADN_SLOTS],
                   struct adn_verdict *worst)
{
    const struct adn_plan *plan = pass->own->plan;
    const struct adn_watch *watch = pass->own->watch;
    const struct adn_method method = {plan->math, plan->notes};
    int slot = -1;

    for (int i = 0; i < pass->subject.info->slot_count; i++) {
        struct adn_verdict verdict;

        if (!pass->subject.slot[i].want)
            continue;
        adn_judge_output(&pass->subject, i, &method,
                         watch->referee.narrow ? &watch->referee.method : NULL, watch->bound,
                         got[i], &verdict);
        if (slot < 0 || (worst->holds && !verdict.holds) ||
            (worst->holds == verdict.holds && verdict.ratio > worst->ratio)) {
            slot = i;
            *worst = verdict;
        }
    }
    return slot;
}

void adn_pass_judge(struct adn_pass *pass, const unsigned char *const got[ADN_SLOTS])
{
    struct adn_watch *watch = pass->own->watch;
    struct adn_verdict worst;
    struct adn_oracle oracle;
    int slot, result = adn_subject_share(&pass->subject, pass->sentence);

    watch->referee.problem = &pass->own->plan->problem;
    adn_referee_oracle(&watch->referee, &oracle);
    if (result == 0)
        result = adn_oracle_expect(&oracle, &pass->subject, pass->sentence);
    if (result != 0) {
        adn_pass_over(pass->own, result == 1 ? ADN_COUNT_DECLINED : ADN_COUNT_FAILED,
                      pass->sentence);
        return;
    }
    slot = compare(pass, got, &worst);
    adn_findings_take(&watch->findings, slot >= 0 ? worst.ratio : 0, watch->referee.problem);
    if (slot >= 0 && !worst.holds)
        adn_shadow_report(pass->own, &pass->subject, slot, &worst);
}
