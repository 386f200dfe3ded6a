/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every check of one problem. It checks the offers first. Then it runs each engine on
 * integers, on other numbers in the same memory, twice, and at other addresses. Names the cause of
 * a failure. */
#include "tools/verify/checks/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "judge/expect.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "problem/batch.h"
#include "problem/problem.h"

#define ENGINES_QUICK 2

/* ---- one engine */

static int go(struct verify_run *run, const struct verify_trial *trial,
              const struct adn_subject *with)
{
    if (verify_run_execute(run, with, 0, trial->finding) != 0 ||
        verify_run_untouched(run, with, trial->finding) != 0)
        return -1;
    if (verify_run_right(run, with, trial->finding) == 0)
        return 0;
    verify_find_race(run, with, trial->finding);
    return -1;
}

static int go_and_tell(struct verify_run *run, const struct verify_trial *trial,
                       const struct adn_subject *with, int reused)
{
    int result = go(run, trial, with);

    if (result != 0)
        verify_diagnose(trial, run, with, reused);
    return result;
}

/* Checks that the same operands give the same bits again, unless the candidate states otherwise. */
static int check_repeats(struct verify_run *run, const struct verify_trial *trial)
{
    const struct adn_subject *subject = trial->second;
    unsigned char *kept[ADN_SLOTS];
    int result = 0;

    if (trial->candidate->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC)
        return 0;
    verify_keep(run, kept);
    for (int times = 0; times < 2 && result == 0; times++) {
        const char *role;

        result = verify_run_execute(run, subject, 0, trial->finding);
        role = result == 0 ? verify_differs(run, subject, kept) : NULL;
        if (role != NULL)
            result = verify_note(trial->finding, "determinism",
                                 "a repeated run gave different bits in %s, but the candidate "
                                 "is not marked nondeterministic",
                                 role);
    }
    verify_kept_free(kept);
    return result;
}

/* Runs the same plan on operands at other addresses. */
static int run_elsewhere(const struct verify_trial *trial, const struct verify_run *first,
                         enum verify_place place)
{
    struct verify_run run;
    int result = verify_run_open(&run, trial->target, trial->target->context, &trial->problem,
                                 trial->candidate, place, first, trial->finding);

    if (result == 0)
        result = go(&run, trial, trial->first);
    if (result != 0 && strcmp(trial->finding->check, "result") == 0)
        verify_rename(trial->finding, "pointers",
                      "the plan was right on its first operands and is wrong on others with only "
                      "the alignment that the candidate requires");
    run.plan = NULL; /* belongs to the first run */
    verify_run_close(&run);
    return result;
}

static int run_engine(struct verify_trial *trial)
{
    static const enum verify_place places[] = {VERIFY_SHIFTED, VERIFY_AT_EDGE};
    struct verify_run run;
    int result;

    trial->problem = trial->first->problem;
    if (trial->candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM)
        trial->problem.algorithm = trial->candidate->algorithm;
    result = verify_run_open(&run, trial->target, trial->target->context, &trial->problem,
                             trial->candidate, VERIFY_ALIGNED, NULL, trial->finding);
    if (result == 0)
        result = go_and_tell(&run, trial, trial->first, 0);
    if (result == 0 && trial->second != NULL)
        result = go_and_tell(&run, trial, trial->second, 1);
    if (result == 0 && trial->second != NULL)
        result = check_repeats(&run, trial);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && result == 0; i++)
        result = run_elsewhere(trial, &run, places[i]);
    verify_run_close(&run);
    if (result == 0)
        result = verify_batch(trial);
    return result;
}

/* ---- the engines */

static int seen(const struct verify_offers *offers, int at)
{
    for (int i = 0; i < at; i++)
        if (offers->candidate[i].engine == offers->candidate[at].engine)
            return 1;
    return 0;
}

/* Checks that at least one engine accepts operands with only the alignment of their elements. */
static int check_alignment(const struct verify_offers *offers, const struct adn_problem *problem,
                           struct verify_finding *finding)
{
    for (int i = 0; i < offers->count; i++) {
        int natural = 1;

        for (int slot = 0; slot < ADN_SLOTS; slot++)
            if (problem->present >> slot & 1)
                natural &= (int64_t)offers->candidate[i].alignment[slot] <=
                           adn_type_size(problem->tensor[slot].type);
        if (natural)
            return 0;
    }
    return verify_note(finding, "alignment",
                       "no candidate accepts operands aligned only to their element size");
}

/* Returns 1 if the engine may lose the few bits of a subnormal number. */
static int loses_subnormals(const struct anydnn_plugin_candidate *candidate)
{
    return candidate->math != ANYDNN_PLUGIN_MATH_DEFAULT ||
           (candidate->notes &
            (ANYDNN_PLUGIN_NOTE_TRANSFORM | ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION |
             ANYDNN_PLUGIN_NOTE_FLUSHES_SUBNORMALS));
}

static int run_engines(const struct verify_target *target, const struct verify_offers *offers,
                       struct adn_subject *first, struct adn_subject *second,
                       struct verify_finding *finding)
{
    int done = 0;

    for (int i = 0; i < offers->count; i++) {
        struct verify_trial trial = {.target = target,
                                     .candidate = &offers->candidate[i],
                                     .first = first,
                                     .second = second,
                                     .finding = finding};

        if (seen(offers, i) || (target->quick && done == ENGINES_QUICK) ||
            (first->data == ORACLE_SUBNORMAL && loses_subnormals(trial.candidate)))
            continue;
        done++;
        if (run_engine(&trial) != 0) {
            char engine[64];

            if (offers->count == 1)
                return -1;
            snprintf(engine, sizeof(engine), " (engine %llu)",
                     (unsigned long long)trial.candidate->engine);
            strncat(finding->sentence, engine,
                    sizeof(finding->sentence) - strlen(finding->sentence) - 1);
            return -1;
        }
    }
    return 0;
}

static int lists(const struct verify_offers *offers, uint64_t engine)
{
    for (int i = 0; i < offers->count; i++)
        if (offers->candidate[i].engine == engine)
            return 1;
    return 0;
}

/* Checks the batch-invariant engines that the backend offers only if that is demanded. */
static void run_demanded(const struct verify_target *target, const struct verify_offers *offers,
                         struct adn_subject *first, struct adn_subject *second,
                         struct verify_finding *finding)
{
    struct verify_offers demanded;
    struct anydnn_plugin_problem view;
    int count = 0;

    first->problem.batch_invariant = second->problem.batch_invariant = 1;
    adn_problem_view(&first->problem, 0, &view);
    verify_ask(target, target->context, &view, &demanded);
    for (int i = 0; i < demanded.count; i++)
        if ((demanded.candidate[i].notes & ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT) &&
            !lists(offers, demanded.candidate[i].engine))
            demanded.candidate[count++] = demanded.candidate[i];
    demanded.count = count;
    run_engines(target, &demanded, first, second, finding);
}

static int prepare(struct adn_subject *subject, const struct adn_problem *problem,
                   const struct adn_values *values, enum oracle_data data, uint64_t seed,
                   struct adn_oracle *oracle, char *sentence)
{
    int result = oracle_fill(subject, problem, values, data, seed, oracle, sentence);

    return result == 0 ? adn_oracle_expect(oracle, subject, sentence) : result;
}

static void check_results(const struct verify_target *target, const struct adn_problem *problem,
                          const struct adn_values *values, enum oracle_data data, uint64_t seed,
                          const struct verify_offers *offers, struct verify_outcome *outcome)
{
    struct adn_oracle oracle = target->oracle;
    struct adn_subject first;
    struct adn_subject second;
    int known = prepare(&first, problem, values, data, seed, &oracle, outcome->sentence);

    if (known == 0 && data == ORACLE_INTEGERS)
        known =
            prepare(&second, problem, values, ORACLE_REALS, seed + 1, &oracle, outcome->sentence);
    else
        memset(&second, 0, sizeof(second));
    if (known < 0)
        verify_note(&outcome->finding, "oracle", "%s", outcome->sentence);
    else
        run_engines(target, offers, &first, known == 0 && data == ORACLE_INTEGERS ? &second : NULL,
                    &outcome->finding);
    if (known == 0 && data == ORACLE_INTEGERS && outcome->finding.check[0] == '\0' &&
        adn_batch_covers(problem->operation))
        run_demanded(target, offers, &first, &second, &outcome->finding);
    outcome->verdict = outcome->finding.check[0] != '\0' ? VERIFY_FAILED
                       : known > 0                       ? VERIFY_UNJUDGED
                                                         : VERIFY_PASSED;
    adn_subject_free(&first);
    adn_subject_free(&second);
}

void verify_problem(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, enum oracle_data data, uint64_t seed,
                    struct verify_outcome *outcome)
{
    struct verify_offers offers;

    memset(outcome, 0, sizeof(*outcome));
    if (verify_ask_well(target, problem, &offers, &outcome->finding) != 0 ||
        (offers.reason == 0 && check_alignment(&offers, problem, &outcome->finding) != 0)) {
        outcome->verdict = VERIFY_FAILED;
        return;
    }
    if (offers.reason != 0) {
        outcome->verdict = VERIFY_DECLINED;
        outcome->reason = offers.reason;
        snprintf(outcome->sentence, sizeof(outcome->sentence), "%s", offers.sentence);
        return;
    }
    check_results(target, problem, values, data, seed, &offers, outcome);
}

void verify_known(const struct verify_target *target, struct adn_subject *subject,
                  struct verify_outcome *outcome)
{
    struct anydnn_plugin_problem view;
    struct verify_offers offers;

    memset(outcome, 0, sizeof(*outcome));
    adn_problem_view(&subject->problem, 0, &view);
    verify_ask(target, target->context, &view, &offers);
    outcome->finding = offers.fault;
    if (offers.fault.check[0] == '\0' && offers.reason != 0) {
        outcome->verdict = VERIFY_DECLINED;
        outcome->reason = offers.reason;
        snprintf(outcome->sentence, sizeof(outcome->sentence), "%s", offers.sentence);
        return;
    }
    if (offers.fault.check[0] == '\0')
        run_engines(target, &offers, subject, NULL, &outcome->finding);
    outcome->verdict = outcome->finding.check[0] != '\0' ? VERIFY_FAILED : VERIFY_PASSED;
}
