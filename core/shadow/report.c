/* SPDX-License-Identifier: Apache-2.0 */
/* Reacts to a mismatch: it is counted, logged, or kept for `anydnn replay`, or the next call
 * fails. */
#include "shadow/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "dispatch/handle/handle.h"
#include "dispatch/plan/plan.h"
#include "numerics/numerics.h"
#include "problem/text.h"
#include "problem/unread.h"
#include "settings/settings.h"
#include "shadow/findings.h"
#include "sys/log.h"
#include "sys/text.h"
#include "trace/dump.h"
#include "trace/trace.h"

#define SENTENCE_BYTES (ADN_PROBLEM_TEXT_MAX + 800)

static void say_error(const struct adn_subject *subject, int slot,
                      const struct adn_verdict *verdict, char *text, size_t size)
{
    const struct adn_judged *worst = &verdict->worst;
    const char *role = subject->info->slot[slot].role;
    char place[160];

    if (verdict->whole) {
        adn_text_print(text, size, "the relative L2 error of %s is %.3g, %.3g times its bound",
                       role, adn_measure_relative_l2(&verdict->measure), verdict->ratio);
        return;
    }
    adn_index_text(&subject->problem.tensor[slot], worst->at, place, sizeof(place));
    adn_text_print(text, size,
                   "%s[%s] is %.9g and should be %.9g, %.3g times its bound of %.3g; %" PRId64
                   " of %" PRId64 " elements are beyond theirs",
                   role, place, worst->got,
                   verdict->exact ? adn_type_round(worst->bound.type, worst->want) : worst->want,
                   verdict->ratio, verdict->limit, verdict->wrong, subject->slot[slot].count);
}

/* Dumps the operands as they were before the call. Returns the number of the dump, or 0. */
static uint64_t keep(const struct adn_shadowed *own, const struct adn_subject *subject)
{
    const struct adn_watch *watch = own->watch;
    const struct adn_settings *settings = watch->handle->global->settings;
    const struct adn_plan *plan = own->wrap.plan;
    const char *file = watch->shadow->shadow_file;
    struct adn_dump dump;

    if (strcmp(file, "off") == 0)
        file = settings->trace_file;
    if (strcmp(file, "off") == 0 || adn_dump_begin(&dump, file, (uint64_t)settings->trace_dumps,
                                                   settings->trace_dump_size) != 0)
        return 0;
    for (int i = 0; i < subject->info->slot_count; i++)
        if (subject->slot[i].before && adn_problem_home(&subject->problem, i) == i)
            adn_dump_numbers(&dump, i, &plan->problem.tensor[i], subject->slot[i].before);
    return adn_dump_end(&dump);
}

static void write_line(const struct adn_shadowed *own, const struct adn_subject *subject,
                       uint64_t dump)
{
    const struct adn_watch *watch = own->watch;
    const struct adn_settings *settings = watch->handle->global->settings;
    struct adn_trace_line line = {.plan = own->wrap.plan,
                                  .values = &subject->values,
                                  .time = -1,
                                  .dump = dump,
                                  .answer = "mismatch"};

    if (strcmp(watch->shadow->shadow_file, "off") != 0)
        adn_trace_write(watch->shadow->shadow_file, settings, &line);
    else if (dump != 0)
        adn_trace_write(settings->trace_file, settings, &line);
}

static void warn_of_no_place(const struct adn_watch *watch)
{
    if (strcmp(watch->shadow->shadow_file, "off") == 0 &&
        strcmp(watch->handle->global->settings->trace_file, "off") == 0)
        adn_warn("shadow: on_mismatch = dump requires [shadow] file or [trace] file, next to which "
                 "operands are stored; nothing is stored");
}

void adn_shadow_report(struct adn_shadowed *own, const struct adn_subject *subject, int slot,
                       const struct adn_verdict *verdict)
{
    struct adn_watch *watch = own->watch;
    const struct adn_plan *plan = own->wrap.plan;
    int32_t action = watch->shadow->shadow_on_mismatch;
    char sentence[SENTENCE_BYTES], error[400];
    uint64_t dump = 0;
    size_t length;

    adn_findings_add(&watch->findings, ADN_COUNT_MISMATCHES);
    say_error(subject, slot, verdict, error, sizeof(error));
    length =
        (size_t)snprintf(sentence, SENTENCE_BYTES - ADN_PROBLEM_TEXT_MAX,
                         "%s, engine %" PRIu64 ", math %s, against %s: %s: ", plan->backend->name,
                         plan->engine, adn_math_name(plan->math), watch->referee.name, error);
    if (length < SENTENCE_BYTES - ADN_PROBLEM_TEXT_MAX)
        adn_problem_print(&plan->problem, &subject->values, sentence + length,
                          sizeof(sentence) - length);
    adn_findings_say(&watch->findings.mismatch, sentence);
    if (action == ADN_MISMATCH_DUMP)
        dump = keep(own, subject);
    write_line(own, subject, dump);
    if (action == ADN_MISMATCH_ERROR)
        adn_handle_complain_later(watch->handle, sentence);
    else if (action != ADN_MISMATCH_COUNT && !own->reported) {
        adn_warn("shadow: %s", sentence);
        if (action == ADN_MISMATCH_DUMP)
            warn_of_no_place(watch);
    }
    own->reported = 1;
}
