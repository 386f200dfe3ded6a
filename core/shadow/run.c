/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a call and its shadow if the host reads operands at once or waits for them. The inputs are
 * kept, the call runs, the reference runs on what was kept, and the outputs are compared. */
#include "shadow/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "desc/shape.h"
#include "dispatch/handle/operand.h"
#include "judge/subject.h"
#include "problem/problem.h"
#include "shadow/compare.h"
#include "shadow/findings.h"
#include "shadow/later.h"
#include "shadow/referee.h"
#include "sys/float_mode.h"
#include "sys/log.h"

/* The copies of an operand in double: its content, its expected content, sums and squares, the
 * image for the reference, and changed inputs. */
#define COPIES 6

/* ---- the decision */

static double needed_bytes(const struct adn_problem *problem)
{
    double elements = 0;

    for (int i = 0; i < ADN_SLOTS; i++)
        if (problem->present >> i & 1)
            elements += (double)adn_shape_elements(&problem->tensor[i]);
    return elements * (double)sizeof(double) * COPIES;
}

/* Returns the time that was spent, plus an estimate for each call without a verdict: the average of
 * the others. Returns infinity while no call has been compared. */
static double foreseen_us(const struct adn_watch *watch)
{
    double compared = (double)watch->findings.count[ADN_COUNT_COMPARED];
    double pending = (double)watch->backlog.count;

    if (pending == 0)
        return watch->findings.spent_us;
    return compared > 0 ? watch->findings.spent_us * (1 + pending / compared) : INFINITY;
}

/* Returns 1 if the shadow may run. Otherwise the call counts as skipped. */
static int may_run(struct adn_shadowed *own)
{
    struct adn_watch *watch = own->watch;
    double needed = needed_bytes(&own->plan->problem);
    char sentence[200];
    struct timespec now;

    if (watch->handle->recording && adn_space_captures(watch->handle->space)) {
        adn_pass_over(own, ADN_COUNT_RECORDED, "a recording is in progress");
        return 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (foreseen_us(watch) > watch->budget * adn_watch_between(&watch->began, &now)) {
        adn_pass_over(own, ADN_COUNT_OVER_BUDGET, "the time budget is used up for now");
        return 0;
    }
    if (watch->shadow->shadow_memory != UINT64_MAX &&
        needed > (double)watch->shadow->shadow_memory) {
        snprintf(sentence, sizeof(sentence), "its copies need %.0f bytes, but memory = %" PRIu64,
                 needed, watch->shadow->shadow_memory);
        adn_pass_over(own, ADN_COUNT_OVER_MEMORY, sentence);
        return 0;
    }
    return 1;
}

/* ---- the immediate run */

/* Keeps what the call reads. Returns 0, or -1 with the sentence. */
static int keep_inputs(struct adn_pass *pass, const struct anydnn_plugin_operands *operands)
{
    const struct adn_subject *subject = &pass->subject;
    int result = 0;

    for (int i = 0; i < subject->info->slot_count && result == 0; i++) {
        struct adn_view view;

        if (!adn_pass_reads(pass, i))
            continue;
        result = adn_view_begin(pass->own->watch->handle, operands->stream, &subject->problem, i,
                                operands->data[i], &view);
        if (result != 0) {
            snprintf(pass->sentence, sizeof(pass->sentence), "operand %s cannot be copied (%d)",
                     subject->info->slot[i].role, (int)result);
            return -1;
        }
        result = adn_pass_take(pass, i, view.bytes);
        adn_view_end(&view);
    }
    return result;
}

static int prepare(struct adn_pass *pass, struct adn_shadowed *own,
                   const struct anydnn_plugin_operands *operands)
{
    struct adn_watch *watch = own->watch;

    adn_pass_begin(pass, own, operands);
    if (adn_referee_open(&watch->referee) != 0) {
        snprintf(pass->sentence, sizeof(pass->sentence), "%s", watch->referee.why);
        return -1;
    }
    if (!watch->handle->space->host && !watch->told_wait++)
        adn_info("shadow: the memory space of %s has no asynchronous copies: compared calls wait "
                 "for their copies and for the reference",
                 watch->handle->device_name);
    return keep_inputs(pass, operands);
}

static void judge_now(struct adn_pass *pass, const struct anydnn_plugin_operands *operands)
{
    const struct adn_subject *subject = &pass->subject;
    const unsigned char *got[ADN_SLOTS] = {NULL};
    struct adn_view view[ADN_SLOTS] = {{NULL, NULL}};
    int32_t result = 0;

    for (int i = 0; i < subject->info->slot_count && result == 0; i++) {
        if (!subject->slot[i].compared)
            continue;
        result = adn_view_begin(pass->own->watch->handle, operands->stream, &subject->problem, i,
                                operands->data[i], &view[i]);
        got[i] = view[i].bytes;
        if (result != 0)
            snprintf(pass->sentence, sizeof(pass->sentence), "operand %s cannot be copied (%d)",
                     subject->info->slot[i].role, (int)result);
    }
    if (result == 0)
        adn_pass_judge(pass, got);
    else
        adn_pass_over(pass->own, ADN_COUNT_FAILED, pass->sentence);
    for (int i = 0; i < ADN_SLOTS; i++)
        adn_view_end(&view[i]);
}

static int32_t run_at_once(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                           int32_t *effect)
{
    struct timespec begin, before, after, end;
    struct adn_pass *pass = calloc(1, sizeof(*pass));
    int32_t result;
    int ready;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    ready = pass && prepare(pass, own, operands) == 0;
    if (!ready)
        adn_pass_over(own, ADN_COUNT_FAILED, pass ? pass->sentence : "out of memory");
    clock_gettime(CLOCK_MONOTONIC, &before);
    result = own->wrap.execute(own->wrap.body, operands, effect);
    clock_gettime(CLOCK_MONOTONIC, &after);
    adn_float_standard();
    if (ready && result == 0)
        judge_now(pass, operands);
    else if (ready)
        adn_pass_over(own, ADN_COUNT_FAILED, "the backend did not run it");
    if (pass)
        adn_subject_free(&pass->subject);
    free(pass);
    clock_gettime(CLOCK_MONOTONIC, &end);
    adn_findings_spend(&own->watch->findings,
                       adn_watch_between(&begin, &before) + adn_watch_between(&after, &end));
    return result;
}

int32_t adn_shadow_run(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                       int32_t *effect)
{
    adn_findings_add(&own->watch->findings, ADN_COUNT_SAMPLED);
    if (!may_run(own))
        return own->wrap.execute(own->wrap.body, operands, effect);
    return adn_later_can(own->watch) ? adn_later_run(own, operands, effect)
                                     : run_at_once(own, operands, effect);
}
