/* SPDX-License-Identifier: Apache-2.0 */
/* How long each choice of a search takes: buffers, the space's marks, and the median of a few runs.
 */
#include "dispatch/autotune/search.h"
#include "dispatch/handle/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "sys/error.h"
#include "sys/float_mode.h"
#include "sys/log.h"

/* Runs after the first, which warms up; fewer once they have taken this long together. */
#define RUNS   5
#define ENOUGH 100e3 /* microseconds */
/* Four of these bytes are 0.0115 as float, two 1.06 as half, one 60 as an integer: ordinary numbers
 * of every type, none of them slow as subnormals are. */
#define FILLING 0x3c

/* Where the choices run. */
struct stand {
    struct adn_choices *choices;
    const struct anydnn_plugin_space *space;
    int32_t device;
    int own;
    void *marks[2];
    struct anydnn_plugin_operands operands;
};

static anydnnStatus_t space_failed(const struct stand *stand, const char *what, int32_t result)
{
    const struct adn_choices *choices = stand->choices;
    anydnnStatus_t status = adn_guard_poisoned(choices->entry, choices->handle);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    return adn_fail(adn_plan_status(result), "%s: device %s %s: %s", choices->entry,
                    choices->handle->device_name, what, adn_load_error_text());
}

static anydnnStatus_t make_marks(struct stand *stand)
{
    for (int i = 0; i < 2; i++) {
        void *mark = NULL;
        int32_t result = adn_space_mark_create(stand->choices->handle->space, stand->device, &mark);

        if (result != 0)
            return space_failed(stand, "gives no mark to take the time with", result);
        stand->marks[i] = mark;
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Operands of the search's own, inputs filled. */
static anydnnStatus_t make_operands(struct stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int32_t result;

    for (int32_t i = 0; i < info->slot_count; i++) {
        int64_t bytes = adn_shape_bytes(&problem->tensor[i]);

        if (!(problem->present >> i & 1))
            continue;
        result = bytes < 0 ? ANYDNN_STATUS_ALLOC_FAILED
                           : adn_space_memory_alloc(stand->choices->handle->space, stand->device,
                                                    (uint64_t)bytes, &stand->operands.data[i]);
        if (result != 0) {
            stand->operands.data[i] = NULL;
            return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                            "%s: device %s has no %" PRId64 " bytes left for operand %s%s%s",
                            stand->choices->entry, stand->choices->handle->device_name, bytes,
                            info->slot[i].role, adn_load_error_text()[0] ? ": " : "",
                            adn_load_error_text());
        }
        result = !(info->slot[i].flags & ADN_SLOT_IN)
                     ? 0
                     : stand->space->memory_set(stand->device, stand->operands.stream,
                                                stand->operands.data[i], FILLING, (uint64_t)bytes);
        if (result != 0)
            return space_failed(stand, "cannot fill an operand", result);
    }
    return ANYDNN_STATUS_SUCCESS;
}

static void free_workspace(struct stand *stand)
{
    if (stand->own && stand->operands.workspace)
        stand->space->memory_free(stand->device, stand->operands.workspace);
    stand->operands.workspace = NULL;
    stand->operands.workspace_bytes = 0;
}

/* A workspace of the search's own that is at least that large; 0 or -1. */
static int make_workspace(struct stand *stand, uint64_t bytes)
{
    void *memory = NULL;

    if (!stand->own || bytes <= stand->operands.workspace_bytes)
        return 0;
    free_workspace(stand);
    if (adn_space_memory_alloc(stand->choices->handle->space, stand->device, bytes, &memory) != 0)
        return -1;
    stand->operands.workspace = memory;
    stand->operands.workspace_bytes = bytes;
    return 0;
}

static void leave(struct stand *stand)
{
    /* Nothing that was enqueued may still use what goes now. */
    stand->space->synchronize(stand->device, stand->operands.stream);
    free_workspace(stand);
    for (int i = 0; stand->own && i < ADN_SLOTS; i++)
        if (stand->operands.data[i])
            stand->space->memory_free(stand->device, stand->operands.data[i]);
    for (int i = 0; i < 2; i++)
        if (stand->marks[i])
            stand->space->mark_destroy(stand->device, stand->marks[i]);
}

static int32_t run_once(struct stand *stand, const struct adn_plan *plan, double *microseconds)
{
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE;
    int32_t result =
        stand->space->mark_record(stand->device, stand->operands.stream, stand->marks[0]);

    if (result == 0)
        result = ADN_BACKEND_CALL(plan->execute(plan->body, &stand->operands, &effect));
    adn_float_standard();
    if (result == 0)
        result = stand->space->mark_record(stand->device, stand->operands.stream, stand->marks[1]);
    if (result == 0)
        result = stand->space->mark_elapsed(stand->device, stand->marks[0], stand->marks[1],
                                            microseconds);
    return result;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* The median of the runs after the first, or what failed. */
static int32_t run_all(struct stand *stand, const struct adn_plan *plan, double *median)
{
    double runs[RUNS], total = 0, warm_up;
    int count = 0;
    int32_t result = run_once(stand, plan, &warm_up);

    while (result == 0 && count < RUNS && (count == 0 || total < ENOUGH)) {
        result = run_once(stand, plan, &runs[count]);
        total += result == 0 ? runs[count++] : 0;
    }
    if (result != 0)
        return result;
    qsort(runs, (size_t)count, sizeof(runs[0]), by_size);
    *median = runs[count / 2] > 0 ? runs[count / 2] : 0;
    return 0;
}

/* The plan that a call which names the choice would get. */
static anydnnStatus_t make_plan(const struct stand *stand, struct adn_choice *choice)
{
    const struct adn_choices *choices = stand->choices;
    struct adn_pin pin = {
        .engine = choice->engine, .backend = choice->backend->index, .searched = 1};
    struct adn_problem problem;
    struct adn_wish wish = {&problem, choices->workspace_limit, choices->alignment, NULL, &pin};
    anydnnStatus_t status;

    adn_problem_copy(&problem, &choices->problem);
    problem.algorithm = choice->algorithm;
    problem.math = choice->math;
    status = adn_select_plan(choices->handle, choices->entry, &wish, &choice->plan);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    choice->plan->hash = adn_problem_hash(&problem);
    choice->workspace = choice->plan->workspace;
    choice->notes = choice->plan->notes;
    return ANYDNN_STATUS_SUCCESS;
}

/* Makes and runs one choice; its failure, with the sentence, is its status. */
static anydnnStatus_t run_choice(struct stand *stand, struct adn_choice *choice)
{
    const char *entry = stand->choices->entry;
    anydnnStatus_t status = make_plan(stand, choice);
    int32_t result;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_load_error_clear();
    if (make_workspace(stand, choice->workspace) != 0) {
        choice->reason = ANYDNN_PLUGIN_REASON_MEMORY;
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: device %s has no %" PRIu64 " bytes left for the workspace of %s",
                        entry, stand->choices->handle->device_name, choice->workspace,
                        choice->backend->name);
    }
    result = run_all(stand, choice->plan, &choice->microseconds);
    if (result == 0)
        return ANYDNN_STATUS_SUCCESS;
    status = adn_fail(adn_plan_status(result), "%s: %s failed: %s", entry, choice->backend->name,
                      adn_load_error_text());
    stand->space->synchronize(stand->device, stand->operands.stream);
    return status;
}

/* Of two choices of a pair that ran only the faster one keeps its plan. */
static void keep_faster(struct adn_choices *choices, struct adn_choice *latest)
{
    for (struct adn_choice *other = choices->choice; other < latest; other++) {
        struct adn_choice *slower = other->microseconds <= latest->microseconds ? latest : other;

        if (!other->plan || !adn_choice_same_pair(other, latest))
            continue;
        adn_plan_release(slower->plan);
        slower->plan = NULL;
    }
}

static anydnnStatus_t time_choice(struct stand *stand, struct adn_choice *choice)
{
    struct adn_choices *choices = stand->choices;
    struct adn_refusal refusal;

    adn_refusal_begin(&refusal);
    choice->status = run_choice(stand, choice);
    adn_refusal_end(&refusal);
    adn_info("%s: %s engine %" PRIu64 " as %s in %s: %.1f us%s%s", choices->entry,
             choice->backend->name, choice->engine,
             adn_problem_algorithm_name(choices->problem.operation, choice->algorithm),
             adn_math_name(choice->math), choice->microseconds,
             choice->status != ANYDNN_STATUS_SUCCESS ? ": " : "",
             choice->status != ANYDNN_STATUS_SUCCESS ? refusal.text : "");
    if (choice->status == ANYDNN_STATUS_SUCCESS) {
        keep_faster(choices, choice);
        return ANYDNN_STATUS_SUCCESS;
    }
    if (choices->failed.status == ANYDNN_STATUS_SUCCESS)
        choices->failed = refusal;
    adn_plan_release(choice->plan);
    choice->plan = NULL;
    if (choice->reason == ANYDNN_PLUGIN_REASON_NONE)
        choice->reason = ANYDNN_PLUGIN_REASON_OTHER;
    return adn_guard_poisoned(choices->entry, choices->handle);
}

anydnnStatus_t adn_timing_run(struct adn_choices *choices,
                              const struct anydnn_plugin_operands *operands)
{
    struct stand stand = {
        .choices = choices,
        .space = choices->handle->space->functions,
        .device = choices->handle->device,
        .own = !operands,
        .operands = {.struct_size = sizeof(stand.operands)},
    };
    anydnnStatus_t status;

    if (operands)
        stand.operands = *operands;
    stand.operands.scale[0] = 1;
    stand.operands.stream = choices->handle->stream;
    status = make_marks(&stand);
    if (status == ANYDNN_STATUS_SUCCESS && stand.own)
        status = make_operands(&stand);
    for (int32_t i = 0; i < choices->count && status == ANYDNN_STATUS_SUCCESS; i++) {
        struct adn_choice *choice = &choices->choice[i];

        /* A reference is right, not fast: a contest that takes hours has no use. */
        if (choice->status != ANYDNN_STATUS_SUCCESS ||
            (choice->backend->plugin->flags & ANYDNN_PLUGIN_REFERENCE))
            continue;
        status = time_choice(&stand, choice);
    }
    leave(&stand);
    return status;
}
