/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that plan_execute works in the order of the stream that it is given, and that a recording
 * holds it. */
#include "judge/expect.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "load/load.h"
#include "problem/problem.h"
#include "tools/verify/checks/target.h"

#include <string.h>
#include <time.h>

#define LARGE  (16 << 20)
#define DELAY  2e-3 /* seconds of work before the run, much more than it takes to enqueue */
#define SETS   256  /* at most, of that work */
#define ENGINE 2    /* engines with --quick */

struct trial {
    const struct verify_target *target;
    const struct anydnn_plugin_space *space;
    const struct adn_subject *subject;
    struct verify_finding *finding;
    void *stream; /* of stream_create; NULL: the default stream */
    void *large;  /* LARGE bytes */
    int sets;     /* of them, which take DELAY */
};

/* ---- the order of a stream */

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Finds how often LARGE bytes must be set to keep a stream busy. The first time is not counted. */
static int measure(struct trial *trial)
{
    double seconds = 0;

    for (int i = 0; i < 2; i++) {
        seconds = now_seconds();
        if (trial->space->memory_set(0, NULL, trial->large, i, LARGE) != 0 ||
            trial->space->synchronize(0, NULL) != 0)
            return -1;
        seconds = now_seconds() - seconds;
    }
    trial->sets = seconds * SETS > DELAY ? (int)(DELAY / seconds) + 1 : SETS;
    return 0;
}

/* Device memory with the contents that an operand gets before the run, and then those after it. */
struct aside {
    void *memory[ADN_SLOTS];
};

static int is_on_device(const struct verify_run *run, int slot)
{
    return run->block[slot].total > 0 && run->block[slot].space != NULL;
}

static int put_aside(const struct trial *trial, struct verify_run *run, struct aside *aside)
{
    for (int i = 0; i < ADN_SLOTS; i++) {
        const struct verify_block *block = &run->block[i];

        if (is_on_device(run, i) &&
            (trial->space->memory_alloc(0, block->total, &aside->memory[i]) != 0 ||
             trial->space->memory_copy(0, NULL, aside->memory[i], block->image, block->total,
                                       ANYDNN_PLUGIN_COPY_TO) != 0 ||
             trial->space->memory_set(0, NULL, block->memory, 0xff, block->total) != 0))
            return -1;
    }
    return trial->space->synchronize(0, NULL);
}

/* Copies the operands of the device from the memory aside, or there. */
static int copy_aside(const struct trial *trial, const struct verify_run *run,
                      const struct aside *aside, int there)
{
    int failed = 0;

    for (int i = 0; i < ADN_SLOTS && !failed; i++) {
        const struct verify_block *block = &run->block[i];

        if (is_on_device(run, i))
            failed = trial->space->memory_copy(0, trial->stream,
                                               there ? aside->memory[i] : block->memory,
                                               there ? block->memory : aside->memory[i],
                                               block->total, ANYDNN_PLUGIN_COPY_WITHIN) != 0;
    }
    return failed ? -1 : 0;
}

static int get_aside(const struct trial *trial, struct verify_run *run, const struct aside *aside)
{
    if (verify_run_get(run) != 0)
        return -1;
    for (int i = 0; i < ADN_SLOTS; i++)
        if (is_on_device(run, i) &&
            trial->space->memory_copy(0, NULL, run->block[i].back, aside->memory[i],
                                      run->block[i].total, ANYDNN_PLUGIN_COPY_FROM) != 0)
            return -1;
    return 0;
}

/* Enqueues work that delays the stream, the operands, a run, and a copy of its results. Returns 0,
 * or -1 if that fails, which other checks report. */
static int enqueue(const struct trial *trial, struct verify_run *run, const struct aside *aside)
{
    int32_t effect;

    for (int i = 0; i < trial->sets; i++)
        if (trial->space->memory_set(0, trial->stream, trial->large, i, LARGE) != 0)
            return -1;
    return copy_aside(trial, run, aside, 0) == 0 &&
                   verify_run_call(run, trial->subject, run->plan, trial->stream, &effect) == 0 &&
                   copy_aside(trial, run, aside, 1) == 0
               ? 0
               : -1;
}

static int is_right(const struct trial *trial, const struct verify_run *run,
                    struct verify_finding *finding)
{
    return verify_run_untouched(run, trial->subject, finding) == 0 &&
           verify_run_right(run, trial->subject, finding) == 0;
}

static int check_order(const struct trial *trial, struct verify_run *run)
{
    struct verify_finding wrong = {{0}, {0}}, late = {{0}, {0}};
    struct aside aside = {{NULL}};
    int result = 0;

    verify_run_fill(run, trial->subject, 0);
    if (verify_run_put(run) == 0 && put_aside(trial, run, &aside) == 0 &&
        enqueue(trial, run, &aside) == 0 && trial->space->synchronize(0, trial->stream) == 0 &&
        get_aside(trial, run, &aside) == 0 && !is_right(trial, run, &wrong) &&
        verify_run_get(run) == 0)
        result =
            verify_note(trial->finding, "stream", "plan_execute ignores the stream: %s: %.1500s",
                        is_right(trial, run, &late)
                            ? "work that is enqueued there after it does not wait for its results"
                            : "it does not wait for work that was enqueued there before it",
                        wrong.sentence);
    trial->space->synchronize(0, trial->stream);
    trial->space->synchronize(0, NULL);
    for (int i = 0; i < ADN_SLOTS; i++)
        if (aside.memory[i] != NULL)
            trial->space->memory_free(0, aside.memory[i]);
    return result;
}

/* ---- recordings */

static int has_changed(const struct verify_run *run)
{
    for (int i = 0; i < ADN_SLOTS; i++)
        if (run->block[i].total > 0 &&
            memcmp(run->block[i].image, run->block[i].back, run->block[i].total) != 0)
            return 1;
    return 0;
}

/* Records a run. Returns NULL if the space or the backend cannot. */
static void *record(const struct trial *trial, struct verify_run *run)
{
    void *recording = NULL;
    int32_t effect, status;

    if (trial->space->record_begin == NULL || trial->space->record_begin(0, trial->stream) != 0)
        return NULL;
    run->flags = ANYDNN_PLUGIN_OPERANDS_RECORDED;
    status = verify_run_call(run, trial->subject, run->plan, trial->stream, &effect);
    run->flags = 0;
    if (trial->space->record_end(0, trial->stream, &recording) != 0)
        return NULL;
    if (status == 0 || recording == NULL)
        return recording;
    trial->space->record_destroy(0, recording);
    return NULL;
}

static int check_recording(const struct trial *trial, struct verify_run *run)
{
    struct verify_finding wrong = {{0}, {0}};
    void *recording;
    int result = 0;

    verify_run_fill(run, trial->subject, 0);
    if (verify_run_put(run) != 0 || trial->space->synchronize(0, NULL) != 0)
        return 0;
    recording = record(trial, run);
    if (recording == NULL)
        return 0;
    if (trial->space->synchronize(0, trial->stream) == 0 && verify_run_get(run) == 0 &&
        has_changed(run))
        result = verify_note(trial->finding, "recording",
                             "plan_execute runs while the stream is only recorded: operands have "
                             "changed before the recording is replayed");
    if (result == 0 && trial->space->record_replay(0, trial->stream, recording) == 0 &&
        trial->space->synchronize(0, trial->stream) == 0 && verify_run_get(run) == 0 &&
        !is_right(trial, run, &wrong))
        result = verify_note(trial->finding, "recording",
                             "replaying a recording of plan_execute gives another result: %.1500s",
                             wrong.sentence);
    trial->space->record_destroy(0, recording);
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

static void check_engines(struct trial *trial, const struct verify_offers *offers)
{
    int result = 0, done = 0;

    for (int i = 0; i < offers->count && result == 0; i++) {
        struct verify_run run;

        if (seen(offers, i) || (trial->target->quick && done == ENGINE) ||
            (offers->candidate[i].notes & ANYDNN_PLUGIN_NOTE_TRANSFORM))
            continue;
        done++;
        result =
            verify_run_open(&run, trial->target, trial->target->context, &trial->subject->problem,
                            &offers->candidate[i], VERIFY_ALIGNED, NULL, trial->finding);
        if (result == 0 && trial->stream != NULL)
            result = check_order(trial, &run);
        if (result == 0)
            result = check_recording(trial, &run);
        verify_run_close(&run);
    }
}

void verify_streams(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, uint64_t seed, struct verify_finding *finding)
{
    struct adn_oracle oracle = target->oracle;
    struct trial trial = {.target = target, .space = target->space, .finding = finding};
    struct anydnn_plugin_problem view;
    struct verify_offers offers;
    struct adn_subject subject;
    char sentence[ADN_JUDGE_SENTENCE];

    if (trial.space == NULL)
        return;
    adn_problem_view(problem, 0, &view);
    verify_ask(target, target->context, &view, &offers);
    trial.subject = &subject;
    if (oracle_fill(&subject, problem, values, ORACLE_INTEGERS, seed, &oracle, sentence) == 0 &&
        adn_oracle_expect(&oracle, &subject, sentence) == 0 &&
        trial.space->memory_alloc(0, LARGE, &trial.large) == 0 && measure(&trial) == 0 &&
        (trial.space->stream_create == NULL || trial.space->stream_create(0, &trial.stream) == 0))
        check_engines(&trial, &offers);
    if (trial.stream != NULL)
        trial.space->stream_destroy(0, trial.stream);
    if (trial.large != NULL)
        trial.space->memory_free(0, trial.large);
    adn_subject_free(&subject);
}
