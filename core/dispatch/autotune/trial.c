/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges contenders. The right results are computed once for a problem, on the host, for some of
 * the output's elements; the inputs are known there, since the search drew them (operands.c).
 */
#include "dispatch/autotune/trial.h"
#include "dispatch/autotune/guarded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "judge/element.h"
#include "judge/random.h"
#include "judge/sampled.h"
#include "numerics/numerics.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/text.h"

/* The elements that are judged, and the most products that are computed for them. */
#define SAMPLES      256
#define PRODUCTS_MAX 1e7
/* The parts of an output that two runs must have in common: all of it if it is small. */
#define PIECES   16
#define PIECE    (64 * 1024)
#define TOGETHER ((int64_t)PIECES * PIECE)

/* The memory and the right results for the trials of one problem. */
struct adn_trial {
    struct adn_guarded out[ADN_SLOTS];
    struct adn_guarded workspace;
    unsigned char *run[2]; /* pieces of every output after each run */
    struct adn_subject subject;
    int slot; /* the output whose elements are judged, or -1 */
    int count;
    int64_t offset[SAMPLES]; /* of the samples, in elements */
    char index[SAMPLES][64]; /* for messages */
    double *drawn[ADN_SLOTS];
};

/* Returns 1 for an output in the memory of the device. */
static int is_out(const struct adn_bench_env *env, int slot)
{
    const struct adn_problem *problem = &env->choices->problem;

    return (problem->present >> slot & 1) && !(problem->absent >> slot & 1) &&
           !adn_problem_on_host(problem, slot) &&
           (adn_problem_operation(problem->operation)->slot[slot].flags & ADN_SLOT_OUT);
}

/* ---- samples */

/* Draws the index of a sample. The first two are the corners, and half of the others lie at a
 * border, where mistakes are likely. */
static void draw_index(const struct anydnn_plugin_tensor *tensor, int at, uint64_t *seed,
                       int64_t *index)
{
    for (int32_t d = 0; d < tensor->ndims; d++) {
        index[d] = (int64_t)(adn_random_bits(seed) % (uint64_t)tensor->dims[d]);
        if (at < 2)
            index[d] = at == 0 ? 0 : tensor->dims[d] - 1;
    }
    if (at >= 2 && at % 2 == 1 && tensor->ndims > 2) {
        uint64_t bits = adn_random_bits(seed);
        int32_t d = 2 + (int32_t)(bits / 2 % (uint64_t)(tensor->ndims - 2));

        index[d] = bits & 1 ? 0 : tensor->dims[d] - 1;
    }
}

/* Computes the samples. The set of operands in use is the first. */
static void compute_samples(struct adn_bench_env *env)
{
    struct adn_trial *trial = env->trial;
    struct adn_subject_slot *out = &trial->subject.slot[trial->slot];
    const struct anydnn_plugin_tensor *tensor = &trial->subject.problem.tensor[trial->slot];
    struct adn_sampled sampled = {.problem = &trial->subject.problem, .scale = env->operands.scale};
    uint64_t seed = adn_problem_hash(&trial->subject.problem);

    for (int i = 0; i < ADN_SLOTS; i++)
        if (trial->drawn[i]) {
            int64_t size = adn_type_size(trial->subject.problem.tensor[i].type);

            sampled.content[i] = trial->drawn[i];
            sampled.mask[i] = ADN_BENCH_ENV_DRAWN / size - 1;
        }
    for (int i = 0; i < trial->count; i++) {
        int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
        struct adn_sample sample;
        int length = 0;

        draw_index(tensor, i, &seed, index);
        adn_sampled_compute(&sampled, index, &sample);
        out->want[i] = sample.want;
        out->sum[i] = sample.sum;
        out->squares[i] = sample.squares;
        trial->offset[i] = 0;
        for (int32_t d = 0; d < tensor->ndims; d++) {
            trial->offset[i] += index[d] * tensor->strides[d];
            length += snprintf(trial->index[i] + length, sizeof(trial->index[i]) - (size_t)length,
                               "%s%lld", d > 0 ? "," : "", (long long)index[d]);
            if (length >= (int)sizeof(trial->index[i]))
                length = (int)sizeof(trial->index[i]) - 1;
        }
    }
}

/* Returns how many elements are judged. */
static int count_samples(const struct adn_trial *trial)
{
    double products = PRODUCTS_MAX / (trial->subject.terms > 1 ? trial->subject.terms : 1);

    return products >= SAMPLES ? SAMPLES : (int)products;
}

/* Returns the numbers of an operand. Operands of one type hold the same ones. */
static double *drawn_of(struct adn_bench_env *env, int slot)
{
    const struct adn_problem *problem = &env->choices->problem;

    for (int i = 0; i < slot; i++)
        if (env->trial->drawn[i] && problem->tensor[i].type == problem->tensor[slot].type)
            return env->trial->drawn[i];
    return adn_bench_env_drawn(env, problem->tensor[slot].type);
}

/* Prepares the samples. Returns 0, or -1 if memory is out. */
static int make_samples(struct adn_bench_env *env)
{
    struct adn_trial *trial = env->trial;
    const struct adn_problem *problem = &env->choices->problem;
    struct adn_subject_slot *out;

    adn_subject_begin(&trial->subject, problem, &(struct adn_values){.align = 0});
    trial->slot = adn_sampled_slot(problem);
    trial->count = trial->slot >= 0 ? count_samples(trial) : 0;
    if (trial->count == 0)
        return 0;
    out = &trial->subject.slot[trial->slot];
    out->want = calloc(SAMPLES, sizeof(double));
    out->sum = calloc(SAMPLES, sizeof(double));
    out->squares = calloc(SAMPLES, sizeof(double));
    for (int i = 0; i < trial->subject.info->slot_count; i++)
        if ((problem->present >> i & 1) && i != trial->slot) {
            trial->drawn[i] = drawn_of(env, i);
            if (!trial->drawn[i])
                return -1;
        }
    if (!out->want || !out->sum || !out->squares)
        return -1;
    compute_samples(env);
    return 0;
}

/* ---- begin and end */

void adn_trial_end(struct adn_bench_env *env)
{
    struct adn_trial *trial = env->trial;

    if (!trial)
        return;
    for (int i = 0; i < ADN_SLOTS; i++) {
        adn_guarded_drop(env, &trial->out[i]);
        for (int k = i + 1; k < ADN_SLOTS; k++)
            if (trial->drawn[k] == trial->drawn[i])
                trial->drawn[k] = NULL;
        free(trial->drawn[i]);
    }
    adn_guarded_drop(env, &trial->workspace);
    free(trial->run[0]);
    free(trial->run[1]);
    adn_subject_free(&trial->subject);
    free(trial);
    env->trial = NULL;
}

/* Returns 1 if outputs can be replaced by guarded ones: nothing runs in place, and no output is
 * read. */
static int is_separate(const struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (int i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) &&
            (problem->alias[i] != 0 ||
             (info->slot[i].flags & (ADN_SLOT_IN | ADN_SLOT_OUT)) == (ADN_SLOT_IN | ADN_SLOT_OUT)))
            return 0;
    return 1;
}

void adn_trial_begin(struct adn_bench_env *env)
{
    const struct adn_problem *problem = &env->choices->problem;
    int failed = 0;

    if (env->guard == 0 || !is_separate(problem))
        return;
    env->trial = calloc(1, sizeof(*env->trial));
    if (!env->trial)
        return;
    for (int i = 0; i < ADN_SLOTS; i++)
        if (is_out(env, i))
            failed |= adn_guarded_make(env, &env->trial->out[i],
                                       (uint64_t)adn_shape_bytes(&problem->tensor[i]));
    for (int i = 0; i < 2; i++)
        failed |= !(env->trial->run[i] = malloc(ADN_SLOTS * (size_t)TOGETHER));
    if (failed || make_samples(env) != 0) {
        adn_info("%s: results are not judged, since memory for that is lacking",
                 env->choices->entry);
        adn_trial_end(env);
    }
    adn_load_error_clear();
}

/* ---- the trial */

/* Runs the plan on poisoned memory. Returns 0 or a status. */
static int32_t run(struct adn_bench_env *env, const struct adn_choice *choice)
{
    struct adn_trial *trial = env->trial;
    struct anydnn_plugin_operands operands;
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE, result = adn_guarded_poison(env, &trial->workspace);

    adn_bench_env_first(env);
    operands = env->operands;
    for (int i = 0; i < ADN_SLOTS && result == 0; i++)
        if (trial->out[i].memory) {
            result = adn_guarded_poison(env, &trial->out[i]);
            operands.data[i] = trial->out[i].memory;
        }
    operands.workspace = choice->workspace > 0 ? trial->workspace.memory : NULL;
    operands.workspace_bytes = choice->workspace;
    if (result == 0)
        result = ADN_BACKEND_CALL(choice->plan->execute(choice->plan->body, &operands, &effect));
    adn_float_standard();
    return result == 0 ? env->space->synchronize(env->device, env->operands.stream) : result;
}

/* Copies parts of the outputs: all of a small one, else pieces at even distances. Returns the
 * number of bytes, or -1. */
static int64_t take_pieces(const struct adn_bench_env *env, void *const *from, unsigned char *to)
{
    int64_t taken = 0;

    for (int slot = 0; slot < ADN_SLOTS; slot++) {
        const struct adn_guarded *out = &env->trial->out[slot];
        int64_t bytes = (int64_t)out->bytes, way = (bytes - PIECE) / (PIECES - 1);

        if (!out->memory)
            continue;
        for (int i = 0; i < (bytes > TOGETHER ? PIECES : 1); i++) {
            int64_t size = bytes > TOGETHER ? PIECE : bytes;

            if (adn_bench_env_fetch(env, to + taken, (char *)from[slot] + i * way,
                                    (uint64_t)size) != 0)
                return -1;
            taken += size;
        }
    }
    return taken;
}

static int tell_guard(const struct adn_bench_env *env, char *sentence, size_t size)
{
    const struct adn_trial *trial = env->trial;
    const struct adn_operation *info = adn_problem_operation(env->choices->problem.operation);
    int distance;

    for (int i = 0; i < info->slot_count; i++)
        if (adn_guarded_is_hurt(env, &trial->out[i], &distance)) {
            snprintf(sentence, size, "it wrote outside operand %s, %d bytes %s", info->slot[i].role,
                     distance < 0 ? -distance : distance + 1,
                     distance < 0 ? "before it" : "behind its end");
            return 0;
        }
    if (adn_guarded_is_hurt(env, &trial->workspace, &distance)) {
        snprintf(sentence, size, "it wrote outside its workspace, %d bytes %s",
                 distance < 0 ? -distance : distance + 1,
                 distance < 0 ? "before it" : "behind its end");
        return 0;
    }
    return 1;
}

/* Judges the samples after a run. A transform is judged as a whole, since it rounds intermediate
 * values. */
static int judge(const struct adn_bench_env *env, const struct adn_choice *choice, void *const *out,
                 char *sentence, size_t size)
{
    const struct adn_trial *trial = env->trial;
    const struct adn_method method = {choice->used, choice->notes};
    const struct anydnn_plugin_tensor *tensor = &trial->subject.problem.tensor[trial->slot];
    const char *role = trial->subject.info->slot[trial->slot].role;
    int64_t bytes = adn_type_size(tensor->type);
    struct adn_measure measure;
    struct adn_judged now;
    double limit;

    adn_measure_begin(&measure);
    adn_subject_bound(&trial->subject, trial->slot, &method, &now.bound);
    for (int i = 0; i < trial->count; i++) {
        unsigned char element[16];

        if (adn_bench_env_fetch(env, element, (char *)out[trial->slot] + trial->offset[i] * bytes,
                                (uint64_t)bytes) != 0)
            return 1;
        now.at = i;
        now.got = adn_element_load(tensor->type, element);
        adn_judged_fill(&trial->subject, trial->slot, &method, &now);
        adn_measure_add(&measure, tensor->type, now.got, now.want);
        if (now.right || (adn_method_is_transform(&method) && isfinite(now.got)))
            continue;
        adn_text_print(sentence, size, "element %s of %s is %.9g; right is %.9g within %.3g",
                       trial->index[i], role, now.got, now.want, adn_judged_limit(&now, 0));
        return 0;
    }
    limit = adn_subject_transform_limit(&trial->subject, trial->slot);
    if (!adn_method_is_transform(&method) || adn_measure_relative_l2(&measure) <= limit)
        return 1;
    adn_text_print(sentence, size,
                   "the relative L2 error of %d elements of %s is %.3g; the limit is %.3g",
                   trial->count, role, adn_measure_relative_l2(&measure), limit);
    return 0;
}

/* Returns 1 if the outputs of the last timed run may be judged, too. The search's own operands must
 * be the one set that trials use, and outputs must have no gaps, whose content nobody knows. */
static int is_timed_run_known(const struct adn_bench_env *env)
{
    const struct adn_problem *problem = &env->choices->problem;
    int known = env->sets == 1;

    for (int i = 0; i < ADN_SLOTS; i++)
        if (env->trial->out[i].memory) {
            const struct anydnn_plugin_tensor *tensor = &problem->tensor[i];
            int64_t size = adn_type_size(tensor->type) / adn_type_lanes(tensor->type);

            known &= adn_shape_bytes(tensor) == adn_shape_elements(tensor) * size;
        }
    return known;
}

/* Looks at the results of a run. Returns 0 with a sentence if they are wrong. */
static int look(const struct adn_bench_env *env, const struct adn_choice *choice, void *const *out,
                int turn, int64_t *bytes, char *sentence, size_t size)
{
    if (env->trial->count > 0 && !judge(env, choice, out, sentence, size))
        return 0;
    bytes[turn] = take_pieces(env, out, env->trial->run[turn]);
    return 1;
}

/* Lets a choice pass that cannot be judged. */
static int pass_unjudged(const struct adn_bench_env *env, const struct adn_choice *choice)
{
    adn_info("%s: %s engine %llu is not judged, since memory for that is lacking",
             env->choices->entry, choice->backend->name, (unsigned long long)choice->engine);
    adn_load_error_clear();
    return 1;
}

int adn_trial_passes(struct adn_bench_env *env, const struct adn_choice *choice, char *sentence,
                     size_t size)
{
    struct adn_trial *trial = env->trial;
    void *out[ADN_SLOTS];
    int64_t bytes[2] = {0, 0};
    int32_t result;
    int turn = 0;

    if (!trial)
        return 1;
    if (adn_guarded_make(env, &trial->workspace, choice->workspace) != 0)
        return pass_unjudged(env, choice);
    for (int i = 0; i < ADN_SLOTS; i++)
        out[i] = trial->out[i].memory;
    if (is_timed_run_known(env) &&
        !look(env, choice, env->operands.data, turn++, bytes, sentence, size))
        return 0;
    for (; turn < 2; turn++) {
        result = run(env, choice);
        if (result == ANYDNN_PLUGIN_STATUS_ALLOC_FAILED)
            return pass_unjudged(env, choice);
        if (result != 0) {
            snprintf(sentence, size, "it failed when its results were judged: %.200s",
                     adn_load_error_text());
            return 0;
        }
        if (!tell_guard(env, sentence, size) ||
            !look(env, choice, out, turn, bytes, sentence, size))
            return 0;
    }
    if (bytes[0] > 0 && bytes[1] > 0 && !(choice->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC) &&
        memcmp(trial->run[0], trial->run[1], (size_t)bytes[0]) != 0) {
        snprintf(sentence, size,
                 "two runs gave different bits, and it is not noted as nondeterministic");
        return 0;
    }
    return 1;
}
