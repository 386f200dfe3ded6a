/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the cause of a wrong result through further runs: data kept in a plan, reads of forbidden
 * memory, an omitted factor. */
#include "judge/expect.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "problem/problem.h"
#include "tools/verify/checks/target.h"

#include <stdio.h>
#include <string.h>

/* Returns 1 if a new plan in new memory computes the right result. */
static int passes_afresh(const struct verify_trial *trial, const struct adn_subject *subject,
                         int zeros)
{
    struct verify_finding finding = {{0}, {0}};
    struct verify_run run;
    int passes = 0;

    if (verify_run_open(&run, trial->target, trial->target->context, &trial->problem,
                        trial->candidate, VERIFY_ALIGNED, NULL, &finding) == 0)
        passes = verify_run_execute(&run, subject, zeros, &finding) == 0 &&
                 verify_run_right(&run, subject, &finding) == 0;
    verify_run_close(&run);
    return passes;
}

/* Returns 1 if the result is right except for the blend: as if every beta were 0. */
static int passes_without_beta(const struct verify_trial *trial, const struct adn_subject *subject)
{
    static const char *const betas[] = {"beta", "beta_data", "beta_param", "beta_grid"};
    struct adn_values values = subject->values;
    struct adn_subject plain;
    struct verify_finding finding = {{0}, {0}};
    struct adn_oracle oracle = trial->target->oracle;
    char sentence[ADN_JUDGE_SENTENCE];
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
    /* Compares the results for beta 0 with a run with the given beta. */
    memset(&plain, 0, sizeof(plain));
    if (oracle_fill(&plain, &subject->problem, &values, (enum oracle_data)subject->data, 1, &oracle,
                    sentence) == 0) {
        for (int i = 0; i < ADN_SLOTS; i++)
            if (plain.slot[i].before != NULL && subject->slot[i].before != NULL)
                memcpy(plain.slot[i].before, subject->slot[i].before,
                       (size_t)plain.slot[i].count * sizeof(double));
        if (adn_oracle_expect(&oracle, &plain, sentence) == 0 &&
            verify_run_open(&run, trial->target, trial->target->context, &trial->problem,
                            trial->candidate, VERIFY_ALIGNED, NULL, &finding) == 0) {
            passes = verify_run_execute(&run, subject, 0, &finding) == 0 &&
                     verify_run_right(&run, &plain, &finding) == 0;
            verify_run_close(&run);
        }
    }
    adn_subject_free(&plain);
    return passes;
}

/* Names the cause. Reals reveal more about sums than integers do. */
static const char *name_of(const struct verify_trial *trial, struct verify_run *run,
                           const struct adn_subject *subject, const char **sentence)
{
    struct verify_finding finding = {{0}, {0}};
    const char *name = verify_name_of_wrong(run, subject, sentence);

    if (name != NULL || subject != trial->first || trial->second == NULL ||
        verify_run_execute(run, trial->second, 0, &finding) != 0 ||
        verify_run_right(run, trial->second, &finding) == 0)
        return name;
    return verify_name_of_wrong(run, trial->second, sentence);
}

void verify_rename(struct verify_finding *finding, const char *check, const char *sentence)
{
    char rest[sizeof(finding->sentence)];

    snprintf(rest, sizeof(rest), "%s", finding->sentence);
    if (check != finding->check)
        snprintf(finding->check, sizeof(finding->check), "%s", check);
    snprintf(finding->sentence, sizeof(finding->sentence), "%s: %.1900s", sentence, rest);
}

int verify_find_race(struct verify_run *run, const struct adn_subject *subject,
                     struct verify_finding *finding)
{
    struct verify_finding again = {{0}, {0}};
    unsigned char *wrong[ADN_SLOTS];
    int finds;

    verify_keep(run, wrong);
    finds = verify_run_execute(run, subject, 0, &again) == 0 &&
            verify_differs(run, subject, wrong) != NULL &&
            verify_run_right(run, subject, &again) == 0;
    if (finds)
        verify_rename(finding, "race",
                      "a repeated run of the same plan on the same operands is right: that results "
                      "differ from run to run hints at a race");
    for (int i = 0; i < ADN_SLOTS; i++)
        if (wrong[i] != NULL)
            memcpy(run->block[i].back, wrong[i], run->block[i].total);
    verify_kept_free(wrong);
    return finds;
}

void verify_diagnose(const struct verify_trial *trial, struct verify_run *run,
                     const struct adn_subject *subject, int reused)
{
    struct verify_finding *finding = trial->finding;
    const char *sentence;
    const char *name;

    if (strcmp(finding->check, "result") != 0)
        return;
    if (reused && passes_afresh(trial, subject, 0))
        verify_rename(finding, "stale",
                      "the plan keeps data: the operands' contents changed under the same "
                      "pointers, but the result is not that of the new contents");
    else if (passes_afresh(trial, subject, 1))
        verify_rename(finding, "prior",
                      "it reads an output that it must not read (beta is 0); with zeros instead of "
                      "NaN there the result is right");
    else if (passes_without_beta(trial, subject))
        verify_rename(finding, "beta", "it ignores beta: the result is right for beta 0");
    else if ((name = name_of(trial, run, subject, &sentence)) != NULL)
        verify_rename(finding, name, sentence);
}
