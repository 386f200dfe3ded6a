/* SPDX-License-Identifier: Apache-2.0 */
/* Every check of one problem: its answers, then each engine on whole numbers, on other numbers in
 * the same memory, twice, and elsewhere; and the name of what went wrong. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"

#define ENGINES_QUICK 2

/* What the checks of one engine share. */
struct trial {
    const struct verify_target *target;
    struct adn_problem problem; /* with the algorithm named where the engine wants it */
    const struct anydnn_plugin_candidate *candidate;
    struct verify_subject *first;  /* whole numbers */
    struct verify_subject *second; /* reals */
    struct verify_finding *finding;
};

/* ---- what went wrong */

/* Whether a new plan in new memory gets it right. */
static int passes_afresh(const struct trial *trial, const struct verify_subject *subject, int zeros)
{
    struct verify_finding finding = {{0}, {0}};
    struct verify_run run;
    int passes = 0;

    if (verify_run_open(&run, trial->target, trial->target->context, &trial->problem,
                        trial->candidate, 0, NULL, &finding) == 0)
        passes = verify_run_execute(&run, subject, zeros, &finding) == 0 &&
                 verify_run_right(&run, subject, &finding) == 0;
    verify_run_close(&run);
    return passes;
}

/* Whether the result is right but for the blend: as if every beta were 0. */
static int passes_without_beta(const struct trial *trial, const struct verify_subject *subject)
{
    static const char *const betas[] = {"beta", "beta_data", "beta_param"};
    struct adn_values values = subject->values;
    struct verify_subject plain;
    struct verify_finding finding = {{0}, {0}};
    struct verify_oracle oracle = trial->target->oracle;
    char sentence[VERIFY_SENTENCE];
    struct verify_run run;
    int passes = 0;
    int any = 0;

    for (int i = 0; i < 4 && subject->info->scale[i].name != NULL; i++)
        for (size_t k = 0; k < sizeof(betas) / sizeof(betas[0]); k++)
            if (strcmp(subject->info->scale[i].name, betas[k]) == 0 && values.scale[i] != 0) {
                values.scale[i] = 0;
                any = 1;
            }
    if (!any)
        return 0;
    /* The right answers for beta 0, held against a run with the beta that was asked for. */
    memset(&plain, 0, sizeof(plain));
    if (verify_subject_fill(&plain, &subject->problem, &values, subject->data, 1, &oracle,
                            sentence) == 0) {
        for (int i = 0; i < VERIFY_SLOTS; i++)
            if (plain.slot[i].before != NULL && subject->slot[i].before != NULL)
                memcpy(plain.slot[i].before, subject->slot[i].before,
                       (size_t)plain.slot[i].count * sizeof(double));
        if (verify_oracle_answer(&oracle, &plain, sentence) == 0 &&
            verify_run_open(&run, trial->target, trial->target->context, &trial->problem,
                            trial->candidate, 0, NULL, &finding) == 0) {
            passes = verify_run_execute(&run, subject, 0, &finding) == 0 &&
                     verify_run_right(&run, &plain, &finding) == 0;
            verify_run_close(&run);
        }
    }
    verify_subject_free(&plain);
    return passes;
}

static void rename_finding(struct verify_finding *finding, const char *check, const char *sentence)
{
    char rest[sizeof(finding->sentence)];

    snprintf(rest, sizeof(rest), "%s", finding->sentence);
    snprintf(finding->check, sizeof(finding->check), "%s", check);
    snprintf(finding->sentence, sizeof(finding->sentence), "%s: %.1900s", sentence, rest);
}

/* A wrong result: tells what it comes from, where another run can tell. */
static void diagnose(const struct trial *trial, const struct verify_subject *subject, int reused)
{
    struct verify_finding *finding = trial->finding;

    if (strcmp(finding->check, "result") != 0)
        return;
    if (reused && passes_afresh(trial, subject, 0))
        rename_finding(finding, "stale",
                       "the plan keeps data: the operands' content changed under the same "
                       "pointers, and the result is not of the new content");
    else if (passes_afresh(trial, subject, 1))
        rename_finding(finding, "prior",
                       "it reads an output that it must not read (beta is 0); over zeros in place "
                       "of NaN it is right");
    else if (passes_without_beta(trial, subject))
        rename_finding(finding, "beta", "it ignores beta: the result is right for beta 0");
}

/* ---- one engine */

static int go(struct verify_run *run, const struct trial *trial, const struct verify_subject *with,
              int reused)
{
    if (verify_run_execute(run, with, 0, trial->finding) != 0 ||
        verify_run_untouched(run, with, trial->finding) != 0)
        return -1;
    if (verify_run_right(run, with, trial->finding) != 0) {
        diagnose(trial, with, reused);
        return -1;
    }
    return 0;
}

/* The same operands again give the same bits, where the candidate does not say otherwise. */
static int check_repeats(struct verify_run *run, const struct trial *trial)
{
    const struct verify_subject *subject = trial->second;
    unsigned char *kept[VERIFY_SLOTS] = {NULL};
    int result = 0;

    if (trial->candidate->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC)
        return 0;
    for (int i = 0; i < VERIFY_SLOTS; i++)
        if (run->block[i].total > 0) {
            kept[i] = tool_alloc(run->block[i].total);
            memcpy(kept[i], run->block[i].back, run->block[i].total);
        }
    for (int times = 0; times < 2 && result == 0; times++) {
        result = verify_run_execute(run, subject, 0, trial->finding);
        for (int i = 0; i < subject->info->slot_count && result == 0; i++) {
            const char *role = subject->info->slot[i].role;

            if (kept[i] != NULL && strcmp(role, "temp") != 0 && strcmp(role, "temp2") != 0 &&
                memcmp(kept[i], run->block[i].back, run->block[i].total) != 0)
                result = verify_find(trial->finding, "determinism",
                                     "the same run again gave other bits in %s, and the candidate "
                                     "does not note it nondeterministic",
                                     role);
        }
    }
    for (int i = 0; i < VERIFY_SLOTS; i++)
        free(kept[i]);
    return result;
}

static int run_engine(struct trial *trial)
{
    struct verify_run run;
    struct verify_run elsewhere = {.plan = NULL};
    int result;

    trial->problem = trial->first->problem;
    if (trial->candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM)
        trial->problem.algorithm = trial->candidate->algorithm;
    result = verify_run_open(&run, trial->target, trial->target->context, &trial->problem,
                             trial->candidate, 0, NULL, trial->finding);
    if (result == 0)
        result = go(&run, trial, trial->first, 0);
    if (result == 0 && trial->second != NULL)
        result = go(&run, trial, trial->second, 1);
    if (result == 0 && trial->second != NULL)
        result = check_repeats(&run, trial);
    if (result == 0)
        result = verify_run_open(&elsewhere, trial->target, trial->target->context, &trial->problem,
                                 trial->candidate, 1, &run, trial->finding);
    if (result == 0 && (result = go(&elsewhere, trial, trial->first, 1)) != 0 &&
        trial->finding->check[0] != '\0' && strcmp(trial->finding->check, "result") == 0)
        rename_finding(trial->finding, "pointers",
                       "the plan was right on its first operands and is wrong on others that are "
                       "aligned to no more than the candidate asks for");
    elsewhere.plan = NULL; /* the first run's */
    verify_run_close(&elsewhere);
    verify_run_close(&run);
    return result;
}

/* ---- the engines */

static int seen(const struct verify_answers *answers, int at)
{
    for (int i = 0; i < at; i++)
        if (answers->candidate[i].engine == answers->candidate[at].engine)
            return 1;
    return 0;
}

/* One of them must do with operands that are aligned to their elements. */
static int check_alignment(const struct verify_answers *answers, const struct adn_problem *problem,
                           struct verify_finding *finding)
{
    for (int i = 0; i < answers->count; i++) {
        int natural = 1;

        for (int slot = 0; slot < VERIFY_SLOTS; slot++)
            if (problem->present >> slot & 1)
                natural &= (int64_t)answers->candidate[i].alignment[slot] <=
                           adn_type_size(problem->tensor[slot].type);
        if (natural)
            return 0;
    }
    return verify_find(finding, "alignment",
                       "no candidate takes operands that are aligned to their elements alone");
}

static int run_engines(const struct verify_target *target, const struct verify_answers *answers,
                       struct verify_subject *first, struct verify_subject *second,
                       struct verify_finding *finding)
{
    int done = 0;

    for (int i = 0; i < answers->count; i++) {
        struct trial trial = {.target = target,
                              .candidate = &answers->candidate[i],
                              .first = first,
                              .second = second,
                              .finding = finding};

        if (seen(answers, i) || (target->quick && done == ENGINES_QUICK))
            continue;
        done++;
        if (run_engine(&trial) != 0) {
            char engine[64];

            if (answers->count == 1)
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

static int prepare(struct verify_subject *subject, const struct adn_problem *problem,
                   const struct adn_values *values, enum verify_data data, uint64_t seed,
                   struct verify_oracle *oracle, char *sentence)
{
    int result = verify_subject_fill(subject, problem, values, data, seed, oracle, sentence);

    return result == 0 ? verify_oracle_answer(oracle, subject, sentence) : result;
}

static void judge(const struct verify_target *target, const struct adn_problem *problem,
                  const struct adn_values *values, int specials, uint64_t seed,
                  const struct verify_answers *answers, struct verify_outcome *outcome)
{
    struct verify_oracle oracle = target->oracle;
    struct verify_subject first;
    struct verify_subject second;
    int known = prepare(&first, problem, values, specials ? VERIFY_SPECIALS : VERIFY_INTEGERS, seed,
                        &oracle, outcome->sentence);

    if (known == 0 && !specials)
        known =
            prepare(&second, problem, values, VERIFY_REALS, seed + 1, &oracle, outcome->sentence);
    else
        memset(&second, 0, sizeof(second));
    if (known < 0)
        verify_find(&outcome->finding, "oracle", "%s", outcome->sentence);
    else
        run_engines(target, answers, &first, known == 0 && !specials ? &second : NULL,
                    &outcome->finding);
    outcome->verdict = outcome->finding.check[0] != '\0' ? VERIFY_FAILED
                       : known > 0                       ? VERIFY_UNJUDGED
                                                         : VERIFY_PASSED;
    verify_subject_free(&first);
    verify_subject_free(&second);
}

void verify_problem(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, int specials, uint64_t seed,
                    struct verify_outcome *outcome)
{
    struct verify_answers answers;

    memset(outcome, 0, sizeof(*outcome));
    if (verify_ask_well(target, problem, &answers, &outcome->finding) != 0 ||
        (answers.reason == 0 && check_alignment(&answers, problem, &outcome->finding) != 0)) {
        outcome->verdict = VERIFY_FAILED;
        return;
    }
    if (answers.reason != 0) {
        outcome->verdict = VERIFY_DECLINED;
        outcome->reason = answers.reason;
        snprintf(outcome->sentence, sizeof(outcome->sentence), "%s", answers.sentence);
        return;
    }
    judge(target, problem, values, specials, seed, &answers, outcome);
}

void verify_known(const struct verify_target *target, struct verify_subject *subject,
                  struct verify_outcome *outcome)
{
    struct anydnn_plugin_problem view;
    struct verify_answers answers;

    memset(outcome, 0, sizeof(*outcome));
    adn_problem_view(&subject->problem, 0, &view);
    verify_ask(target, target->context, &view, &answers);
    outcome->finding = answers.fault;
    if (answers.fault.check[0] == '\0' && answers.reason != 0) {
        outcome->verdict = VERIFY_DECLINED;
        outcome->reason = answers.reason;
        snprintf(outcome->sentence, sizeof(outcome->sentence), "%s", answers.sentence);
        return;
    }
    if (answers.fault.check[0] == '\0')
        run_engines(target, &answers, subject, NULL, &outcome->finding);
    outcome->verdict = outcome->finding.check[0] != '\0' ? VERIFY_FAILED : VERIFY_PASSED;
}
