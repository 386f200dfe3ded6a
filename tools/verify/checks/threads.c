/* SPDX-License-Identifier: Apache-2.0 */
/* Checks several contexts at once. Each thread creates its own, queries, plans and runs the same
 * problem on separate data. */
#include "judge/expect.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "load/load.h"
#include "problem/problem.h"
#include "tools/verify/checks/target.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define ROUNDS  6
#define RUNS    4

struct worker {
    const struct verify_target *target;
    struct adn_subject subject;
    struct verify_finding finding;
    pthread_barrier_t *start;
    pthread_t thread;
};

/* Runs the plan several times on the same operands. Bits that differ between the runs hint at a
 * race, whether a result is wrong or not. */
static int run_often(struct worker *worker, struct verify_run *run)
{
    struct verify_finding *finding = &worker->finding;
    unsigned char *kept[ADN_SLOTS] = {NULL};
    const char *role = NULL;
    int failed = 0;

    for (int i = 0; i < RUNS && !failed; i++) {
        failed = verify_run_execute(run, &worker->subject, 0, finding) != 0;
        if (failed)
            break;
        if (i == 0)
            verify_keep(run, kept);
        role = role != NULL ? role : verify_differs(run, &worker->subject, kept);
        if (finding->check[0] == '\0' && verify_run_untouched(run, &worker->subject, finding) == 0)
            verify_run_right(run, &worker->subject, finding);
    }
    verify_kept_free(kept);
    if (role == NULL || (run->candidate->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC))
        return finding->check[0] != '\0' ? -1 : 0;
    if (finding->check[0] == '\0')
        return verify_note(finding, "determinism",
                           "runs on the same operands gave different bits in %s, which hints at a "
                           "race",
                           role);
    verify_rename(finding, finding->check, "results differ from run to run, which hints at a race");
    return -1;
}

static int round_of(struct worker *worker, struct anydnn_plugin_context *context)
{
    struct anydnn_plugin_problem view;
    struct verify_offers offers;
    struct verify_run run;
    int result;

    adn_problem_view(&worker->subject.problem, 0, &view);
    verify_ask(worker->target, context, &view, &offers);
    if (offers.fault.check[0] != '\0') {
        worker->finding = offers.fault;
        return -1;
    }
    if (offers.count == 0)
        return verify_note(&worker->finding, "candidates",
                           "it declines a problem that it accepted in another context: %s",
                           offers.sentence);
    if (offers.candidate[0].notes & ANYDNN_PLUGIN_NOTE_TRANSFORM)
        return 0;
    result = verify_run_open(&run, worker->target, context, &worker->subject.problem,
                             &offers.candidate[0], VERIFY_ALIGNED, NULL, &worker->finding);
    if (result == 0)
        result = run_often(worker, &run);
    verify_run_close(&run);
    return result;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    const struct anydnn_plugin *plugin = worker->target->backend->plugin;

    pthread_barrier_wait(worker->start);
    for (int i = 0; i < ROUNDS && worker->finding.check[0] == '\0'; i++) {
        struct anydnn_plugin_context *context = NULL;

        if (plugin->context_create(0, &context) != 0 || context == NULL) {
            verify_note(&worker->finding, "context_create", "context_create failed in a thread: %s",
                        adn_load_error_text());
            break;
        }
        verify_environment_look("context_create");
        round_of(worker, context);
        plugin->context_destroy(context);
    }
    return NULL;
}

static int prepare(struct worker *worker, const struct adn_problem *problem,
                   const struct adn_values *values, uint64_t seed)
{
    struct adn_oracle oracle = worker->target->oracle;
    char sentence[ADN_JUDGE_SENTENCE];

    return oracle_fill(&worker->subject, problem, values, ORACLE_REALS, seed, &oracle, sentence) ==
               0 &&
           adn_oracle_expect(&oracle, &worker->subject, sentence) == 0;
}

void verify_threads(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, uint64_t seed, struct verify_finding *finding)
{
    struct worker worker[THREADS];
    pthread_barrier_t start;
    int ready = 1;

    memset(worker, 0, sizeof(worker));
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        worker[i].target = target;
        worker[i].start = &start;
        ready &= prepare(&worker[i], problem, values, seed + (uint64_t)i);
    }
    for (int i = 0; i < THREADS && ready; i++)
        if (pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0) {
            fprintf(stderr, "anydnn: cannot create a thread\n");
            _Exit(TOOL_FAILED);
        }
    for (int i = 0; i < THREADS; i++) {
        if (ready)
            pthread_join(worker[i].thread, NULL);
        if (worker[i].finding.check[0] != '\0')
            verify_note(finding, "threads", "with %d contexts at once, a thread each: %.1800s",
                        THREADS, worker[i].finding.sentence);
        adn_subject_free(&worker[i].subject);
    }
    pthread_barrier_destroy(&start);
}
