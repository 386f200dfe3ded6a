/* SPDX-License-Identifier: Apache-2.0 */
/* One call and its shadow: what is read is kept, the call runs, the reference runs on what was
 * kept, and the outputs are compared. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/shape.h"
#include "shadow/parts.h"
#include "sys/error.h"
#include "sys/float_mode.h"
#include "sys/log.h"

/* Copies of an operand in double: what it holds, what it should hold, sums and squares, the image
 * that the reference gets, and changed inputs. */
#define COPIES 6

/* A call under way. */
struct pass {
    struct adn_shadowed *own;
    const struct anydnn_plugin_operands *operands;
    struct adn_subject subject;
    char sentence[ADN_JUDGE_SENTENCE];
};

static void pass_over(struct adn_shadowed *own, enum adn_count why, const char *sentence)
{
    adn_findings_add(&own->watch->findings, why);
    adn_findings_say(&own->watch->findings.passed, sentence);
    adn_debug("shadow: a call is passed over: %s", sentence);
}

/* ---- before the call */

static double needed_bytes(const struct adn_problem *problem)
{
    double elements = 0;

    for (int i = 0; i < ADN_SLOTS; i++)
        if (problem->present >> i & 1)
            elements += (double)adn_shape_elements(&problem->tensor[i]);
    return elements * (double)sizeof(double) * COPIES;
}

/* Whether the shadow may be; what cannot is passed over. */
static int may_run(struct adn_shadowed *own)
{
    struct adn_watch *watch = own->watch;
    const struct adn_plan *plan = own->wrap.plan;
    char sentence[200];
    struct timespec now;

    if (watch->handle->recording && !watch->handle->space->host) {
        pass_over(own, ADN_COUNT_RECORDED, "a recording is under way, which the device captures");
        return 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (watch->findings.spent_us > watch->budget * adn_watch_between(&watch->began, &now)) {
        pass_over(own, ADN_COUNT_OVER_BUDGET, "the budget is spent for now");
        return 0;
    }
    if (watch->shadow->shadow_memory != UINT64_MAX &&
        needed_bytes(&plan->problem) > (double)watch->shadow->shadow_memory) {
        snprintf(sentence, sizeof(sentence), "its copies need %.0f bytes, and memory = %" PRIu64,
                 needed_bytes(&plan->problem), watch->shadow->shadow_memory);
        pass_over(own, ADN_COUNT_OVER_MEMORY, sentence);
        return 0;
    }
    return 1;
}

static int take_numbers(struct pass *pass, int slot, const unsigned char *bytes)
{
    const struct anydnn_plugin_tensor *tensor = &pass->subject.problem.tensor[slot];
    struct adn_subject_slot *at = &pass->subject.slot[slot];
    struct adn_places places;

    at->before = malloc((size_t)at->count * sizeof(double));
    if (!at->before)
        return adn_judge_no_memory(pass->sentence);
    adn_places_begin(&places, tensor);
    for (int64_t i = 0; i < at->count; i++) {
        at->before[i] = adn_element_load(tensor->type, bytes + places.at);
        adn_places_next(&places);
    }
    return 0;
}

/* 0, or -1 with the sentence. */
static int keep_inputs(struct pass *pass)
{
    struct adn_subject *subject = &pass->subject;
    const struct adn_watch *watch = pass->own->watch;
    uint32_t unread = adn_problem_unread(&subject->problem);
    int result = 0;

    for (int i = 0; i < subject->info->slot_count && result == 0; i++) {
        struct adn_view view;

        if (!adn_subject_has(subject, i) || (unread >> i & 1) || !adn_subject_is_read(subject, i) ||
            adn_problem_home(&subject->problem, i) != i)
            continue;
        result = adn_view_begin(watch->handle, pass->operands->stream, &subject->problem, i,
                                pass->operands->data[i], &view);
        if (result != 0) {
            snprintf(pass->sentence, sizeof(pass->sentence), "operand %s cannot be copied (%d)",
                     subject->info->slot[i].role, (int)result);
            return -1;
        }
        result = take_numbers(pass, i, view.bytes);
        adn_view_end(&view);
    }
    return result == 0 ? adn_subject_share(subject, pass->sentence) : result;
}

static int prepare(struct pass *pass)
{
    const struct adn_plan *plan = pass->own->wrap.plan;
    struct adn_watch *watch = pass->own->watch;
    struct adn_values values;

    adn_watch_call(plan, pass->operands, &values);
    adn_subject_begin(&pass->subject, &plan->problem, &values);
    /* The squares are worked out only for who rounds operands. */
    pass->subject.problem.math = plan->notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION
                                     ? plan->math
                                     : ANYDNN_PLUGIN_MATH_DEFAULT;
    if (adn_referee_open(&watch->referee) != 0) {
        snprintf(pass->sentence, sizeof(pass->sentence), "%s", watch->referee.why);
        return -1;
    }
    if (!watch->handle->space->host && !watch->told_wait++)
        adn_info(
            "shadow: calls that are compared on %s wait for their copies and for the reference",
            watch->handle->device_name);
    return keep_inputs(pass);
}

/* ---- behind it */

/* The worst of the outputs; -1 with the sentence where one cannot be seen. */
static int compare(struct pass *pass, int *slot, struct adn_verdict *worst)
{
    const struct adn_plan *plan = pass->own->wrap.plan;
    const struct adn_watch *watch = pass->own->watch;
    const struct adn_method method = {plan->math, plan->notes};

    *slot = -1;
    for (int i = 0; i < pass->subject.info->slot_count; i++) {
        struct adn_verdict verdict;
        struct adn_view view;

        if (!pass->subject.slot[i].want)
            continue;
        if (adn_view_begin(watch->handle, pass->operands->stream, &plan->problem, i,
                           pass->operands->data[i], &view) != 0) {
            snprintf(pass->sentence, sizeof(pass->sentence), "operand %s cannot be copied",
                     pass->subject.info->slot[i].role);
            return -1;
        }
        adn_judge_output(&pass->subject, i, &method,
                         watch->referee.narrow ? &watch->referee.method : NULL, watch->bound,
                         view.bytes, &verdict);
        adn_view_end(&view);
        if (*slot < 0 || (worst->holds && !verdict.holds) ||
            (worst->holds == verdict.holds && verdict.ratio > worst->ratio)) {
            *slot = i;
            *worst = verdict;
        }
    }
    return 0;
}

static void judge(struct pass *pass)
{
    struct adn_watch *watch = pass->own->watch;
    struct adn_verdict worst;
    struct adn_oracle oracle;
    int result, slot;

    watch->referee.problem = &pass->own->wrap.plan->problem;
    adn_referee_oracle(&watch->referee, &oracle);
    result = adn_oracle_answer(&oracle, &pass->subject, pass->sentence);
    if (result == 0)
        result = compare(pass, &slot, &worst);
    if (result != 0) {
        pass_over(pass->own, result == 1 ? ADN_COUNT_DECLINED : ADN_COUNT_FAILED, pass->sentence);
        return;
    }
    adn_findings_take(&watch->findings, slot >= 0 ? worst.ratio : 0, watch->referee.problem);
    if (slot >= 0 && !worst.holds)
        adn_shadow_tell(pass->own, &pass->subject, slot, &worst, pass->operands);
}

int32_t adn_shadow_run(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                       int32_t *effect)
{
    struct timespec begin, before, after, end;
    struct pass *pass = NULL;
    int32_t result;
    int ready;

    adn_findings_add(&own->watch->findings, ADN_COUNT_SAMPLED);
    if (!may_run(own))
        return own->wrap.execute(own->wrap.body, operands, effect);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pass = calloc(1, sizeof(*pass));
    if (!pass)
        pass_over(own, ADN_COUNT_FAILED, "out of memory");
    ready = pass != NULL;
    if (ready) {
        pass->own = own;
        pass->operands = operands;
        ready = prepare(pass) == 0;
        if (!ready)
            pass_over(own, ADN_COUNT_FAILED, pass->sentence);
    }
    clock_gettime(CLOCK_MONOTONIC, &before);
    result = own->wrap.execute(own->wrap.body, operands, effect);
    clock_gettime(CLOCK_MONOTONIC, &after);
    adn_float_standard();
    if (ready && result == 0)
        judge(pass);
    else if (ready)
        pass_over(own, ADN_COUNT_FAILED, "the backend did not run it");
    if (pass)
        adn_subject_free(&pass->subject);
    free(pass);
    clock_gettime(CLOCK_MONOTONIC, &end);
    adn_findings_spend(&own->watch->findings,
                       adn_watch_between(&begin, &before) + adn_watch_between(&after, &end));
    return result;
}
