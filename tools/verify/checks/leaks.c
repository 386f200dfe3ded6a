/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that plans which are made, run and destroyed leave no memory behind. Sees memory of malloc
 * and its kin; a space does not tell how much of a device's memory is in use. */
#include "judge/expect.h"
#include "judge/subject.h"
#include "load/load.h"
#include "problem/problem.h"
#include "tools/verify/checks/target.h"

#include <malloc.h>

/* Memory that grows in each round is a leak. A backend may keep some plans or buffers for later:
 * 260 plans fill such a store. */
#define FIRST  4
#define PLANS  8
#define ROUNDS 32
#define LEAST  16 /* bytes that a leaked block occupies */

/* The sanitizers define this function. Their malloc is not known to mallinfo2. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t memory_in_use(void)
{
    if (__sanitizer_get_current_allocated_bytes != NULL)
        return __sanitizer_get_current_allocated_bytes();
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

/* Makes, runs and destroys plans. Returns 0, or -1 if one of them fails. */
static int use_plans(struct verify_run *run, const struct adn_subject *subject, int count)
{
    const struct anydnn_plugin_space *space = run->target->space;
    struct verify_finding ignored = {{0}, {0}};
    int failed = 0;

    for (int i = 0; i < count && !failed; i++) {
        struct anydnn_plugin_plan *plan = NULL;
        int32_t effect;

        failed = verify_run_plan(run, &plan, &ignored) != 0 ||
                 verify_run_call(run, subject, plan, NULL, &effect) != 0 ||
                 (space != NULL && space->synchronize(0, NULL) != 0);
        if (plan != NULL)
            run->target->backend->operation[run->problem->operation]->plan_destroy(plan);
    }
    return failed ? -1 : 0;
}

/* Returns the bytes that remain of each plan, or 0. */
static size_t leak_of(struct verify_run *run, const struct adn_subject *subject)
{
    size_t before;
    size_t after = 0;

    if (use_plans(run, subject, FIRST) != 0)
        return 0;
    for (int i = 0; i < ROUNDS; i++) {
        before = memory_in_use();
        if (use_plans(run, subject, PLANS) != 0)
            return 0;
        after = memory_in_use();
        if (after < before + PLANS * LEAST)
            return 0;
    }
    return (after - before) / PLANS;
}

void verify_leaks(const struct verify_target *target, const struct adn_problem *problem,
                  const struct adn_values *values, uint64_t seed, struct verify_finding *finding)
{
    struct adn_oracle oracle = target->oracle;
    char sentence[ADN_JUDGE_SENTENCE];
    struct anydnn_plugin_problem view;
    struct verify_offers offers;
    struct adn_subject subject;
    struct verify_run run = {.target = target, .problem = problem};
    size_t bytes = 0;

    adn_problem_view(problem, 0, &view);
    verify_ask(target, target->context, &view, &offers);
    if (offers.count == 0 || (offers.candidate[0].notes & ANYDNN_PLUGIN_NOTE_TRANSFORM))
        return;
    if (oracle_fill(&subject, problem, values, ORACLE_INTEGERS, seed, &oracle, sentence) == 0 &&
        verify_run_open(&run, target, target->context, problem, &offers.candidate[0],
                        VERIFY_ALIGNED, NULL, finding) == 0) {
        verify_run_fill(&run, &subject, 0);
        if (verify_run_put(&run) == 0)
            bytes = leak_of(&run, &subject);
    }
    verify_run_close(&run);
    adn_subject_free(&subject);
    if (bytes > 0)
        verify_note(finding, "leak",
                    "its plans leak: each plan that was made, run and destroyed left %zu bytes of "
                    "memory behind",
                    bytes);
}
