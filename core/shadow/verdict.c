/* SPDX-License-Identifier: Apache-2.0 */
/* Gives sampled calls their verdicts once their copies have arrived, or drops them. */
#include "shadow/verdict.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "dispatch/handle/handle.h"
#include "dispatch/handle/space.h"
#include "judge/subject.h"
#include "load/load.h"
#include "shadow/findings.h"
#include "sys/float_mode.h"
#include "sys/process.h"

void adn_later_free(struct adn_later *later)
{
    adn_subject_free(&later->pass.subject);
    adn_plan_release(later->plan);
    free(later);
}

void adn_later_add(struct adn_backlog *backlog, struct adn_later *later)
{
    later->next = NULL;
    if (backlog->last)
        backlog->last->next = later;
    else
        backlog->first = later;
    backlog->last = later;
    backlog->count++;
}

static struct adn_later *take_first(struct adn_backlog *backlog)
{
    struct adn_later *later = backlog->first;

    backlog->first = later->next;
    if (!backlog->first)
        backlog->last = NULL;
    backlog->count--;
    return later;
}

/* Drops a call whose copies may still be under way. */
static void drop(struct adn_watch *watch, struct adn_later *later, const char *why)
{
    adn_pass_over(later->pass.own, ADN_COUNT_FAILED, why);
    adn_block_put(&watch->backlog.lost, later->block);
    adn_later_free(later);
}

void adn_later_forget_parents(struct adn_watch *watch)
{
    struct adn_backlog *backlog = &watch->backlog;

    if (backlog->fork_number == adn_process_fork_number)
        return;
    while (backlog->first)
        drop(watch, take_first(backlog), "the process forked before its verdict");
    adn_blocks_free(watch, &backlog->spare);
    adn_blocks_free(watch, &backlog->lost);
    *backlog = (struct adn_backlog){.fork_number = adn_process_fork_number};
}

static void judge_later(struct adn_later *later)
{
    struct adn_pass *pass = &later->pass;
    const unsigned char *memory = later->block->memory;
    const unsigned char *got[ADN_SLOTS] = {NULL};
    int result = 0;

    for (int i = 0; i < pass->subject.info->slot_count && result == 0; i++) {
        if (later->after[i] != ADN_NOWHERE)
            got[i] = memory + later->after[i];
        if (later->before[i] != ADN_NOWHERE)
            result = adn_pass_take(pass, i, memory + later->before[i]);
    }
    if (result == 0)
        adn_pass_judge(pass, got);
    else
        adn_pass_over(pass->own, ADN_COUNT_FAILED, pass->sentence);
}

/* Waits for the copies. The stream's time for them counts as spent. The wait does not, since the
 * device works for the application meanwhile. */
static int32_t wait_for_copies(const struct adn_watch *watch, const struct adn_later *later,
                               double *microseconds)
{
    const struct anydnnContext *handle = watch->handle;
    void *const *mark = later->block->mark;
    int32_t result = 0;

    *microseconds = 0;
    for (int i = 0; i < 4 && result == 0; i += 2) {
        double part = 0;

        result = ADN_BACKEND_CALL(
            handle->space->functions->mark_elapsed(handle->device, mark[i], mark[i + 1], &part));
        *microseconds += part;
    }
    adn_load_error_clear();
    return result;
}

void adn_later_give(struct adn_watch *watch)
{
    struct adn_later *later = take_first(&watch->backlog);
    struct timespec begin, end;
    double copies;

    if (!adn_backlog_is_reachable(watch)) {
        drop(watch, later, "its device was lost before its verdict");
        return;
    }
    if (wait_for_copies(watch, later, &copies) != 0) {
        drop(watch, later, "its copies failed");
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    adn_float_standard();
    judge_later(later);
    adn_block_put(&watch->backlog.spare, later->block);
    adn_later_free(later);
    clock_gettime(CLOCK_MONOTONIC, &end);
    adn_findings_spend(&watch->findings, copies + adn_watch_between(&begin, &end));
}

/* Returns 1 if the sign has arrived. The device may write it during this read. */
static int has_arrived(const struct adn_later *later)
{
    const void *at = later->block->memory + later->sign;

    return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_acquire) == ADN_SIGN;
}

int adn_later_is_captured(struct adn_watch *watch, void *stream)
{
    const struct anydnnContext *handle = watch->handle;
    void **probe = &watch->backlog.probe;
    int32_t result = 0;

    if (!*probe)
        result = adn_space_mark_create(handle->space, handle->device, probe);
    if (result == 0)
        result =
            ADN_BACKEND_CALL(handle->space->functions->mark_record(handle->device, stream, *probe));
    adn_load_error_clear();
    return result == ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED;
}

void adn_later_look(struct adn_watch *watch, void *stream)
{
    adn_later_forget_parents(watch);
    if (watch->backlog.first && has_arrived(watch->backlog.first) && !watch->handle->recording &&
        !adn_later_is_captured(watch, stream))
        adn_later_give(watch);
}

void adn_later_settle(struct adn_watch *watch)
{
    if (!watch->backlog.first || watch->handle->recording)
        return;
    adn_later_forget_parents(watch);
    while (watch->backlog.first)
        adn_later_give(watch);
}

void adn_later_end(struct adn_watch *watch)
{
    const struct anydnnContext *handle = watch->handle;
    struct adn_backlog *backlog = &watch->backlog;

    while (backlog->first)
        drop(watch, take_first(backlog), "its handle was destroyed before its verdict");
    adn_blocks_free(watch, &backlog->spare);
    adn_blocks_free(watch, &backlog->lost);
    if (!adn_backlog_is_reachable(watch))
        return;
    if (backlog->sign)
        (void)ADN_BACKEND_CALL(
            handle->space->functions->memory_free(handle->device, backlog->sign));
    if (backlog->probe)
        handle->space->functions->mark_destroy(handle->device, backlog->probe);
}
