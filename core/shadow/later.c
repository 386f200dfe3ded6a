/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a sampled call between its copies, and adds it to the calls that wait for a verdict. */
#include "shadow/later.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "desc/shape.h"
#include "dispatch/handle/handle.h"
#include "dispatch/handle/space.h"
#include "dispatch/plan/plan.h"
#include "judge/subject.h"
#include "load/load.h"
#include "problem/host.h"
#include "problem/problem.h"
#include "shadow/block.h"
#include "shadow/compare.h"
#include "shadow/findings.h"
#include "shadow/referee.h"
#include "shadow/verdict.h"
#include "sys/float_mode.h"

int adn_later_can(const struct adn_watch *watch)
{
    const struct adn_space *space = watch->handle->space;

    return !space->host && space->functions->memory_copy_async && space->functions->host_alloc &&
           space->functions->stream_create;
}

/* ---- before the call */

/* Uses a stream of its own, so that the sign exists whichever stream copies it first. */
static int32_t make_sign(struct adn_watch *watch)
{
    const struct anydnnContext *handle = watch->handle;
    const struct anydnn_plugin_space *functions = handle->space->functions;
    void *stream = NULL, *sign = NULL;
    int32_t result;

    if (watch->backlog.sign)
        return 0;
    result = adn_space_memory_alloc(handle->space, handle->device, sizeof(ADN_SIGN), &sign);
    if (result == 0)
        result = adn_space_stream_create(handle->space, handle->device, &stream);
    if (result == 0)
        result = ADN_BACKEND_CALL(
            functions->memory_set(handle->device, stream, sign, 1, sizeof(ADN_SIGN)));
    if (result == 0)
        result = ADN_BACKEND_CALL(functions->synchronize(handle->device, stream));
    if (stream)
        functions->stream_destroy(handle->device, stream);
    if (result == 0)
        watch->backlog.sign = sign;
    else if (sign)
        (void)ADN_BACKEND_CALL(functions->memory_free(handle->device, sign));
    return result;
}

static uint64_t place(const struct adn_problem *problem, int slot, size_t *offset, uint64_t end)
{
    *offset = (size_t)end;
    return end + ((uint64_t)adn_shape_bytes(&problem->tensor[slot]) + 255) / 256 * 256;
}

/* Assigns offsets to all operands. Returns the bytes that they take. */
static uint64_t lay_out(struct adn_later *later)
{
    const struct adn_subject *subject = &later->pass.subject;
    uint64_t end = 0;

    for (int i = 0; i < ADN_SLOTS; i++) {
        later->before[i] = later->after[i] = ADN_NOWHERE;
        if (!adn_subject_has(subject, i))
            continue;
        if (adn_pass_reads(&later->pass, i) && !adn_problem_on_host(&subject->problem, i))
            end = place(&subject->problem, i, &later->before[i], end);
        if (subject->slot[i].compared)
            end = place(&subject->problem, i, &later->after[i], end);
    }
    later->sign = (size_t)end;
    return end + sizeof(ADN_SIGN);
}

/* Returns a block of `bytes`. Calls that wait for verdicts count against the cap. If the block does
 * not fit beside them, the oldest calls get their verdicts first. */
static struct adn_block *have_block(struct adn_watch *watch, uint64_t bytes, uint64_t cap)
{
    struct adn_backlog *backlog = &watch->backlog;
    struct adn_block *block;

    while (!(block = adn_block_take(backlog, bytes)) && backlog->bytes > cap - bytes) {
        adn_blocks_free(watch, &backlog->spare);
        if (backlog->bytes <= cap - bytes || !backlog->first)
            break;
        adn_later_give(watch);
    }
    return block ? block : adn_block_make(watch, bytes);
}

static int32_t copy_operands(const struct adn_later *later, const size_t offset[ADN_SLOTS],
                             const struct anydnn_plugin_operands *operands)
{
    const struct anydnnContext *handle = later->pass.own->watch->handle;
    const struct adn_problem *problem = &later->pass.subject.problem;
    int32_t result = 0;

    for (int i = 0; i < ADN_SLOTS && result == 0; i++)
        if (offset[i] != ADN_NOWHERE)
            result = ADN_BACKEND_CALL(handle->space->functions->memory_copy_async(
                handle->device, operands->stream, later->block->memory + offset[i],
                operands->data[i], (uint64_t)adn_shape_bytes(&problem->tensor[i]),
                ANYDNN_PLUGIN_COPY_FROM));
    return result;
}

static int32_t set_mark(const struct adn_later *later, int which, void *stream)
{
    const struct anydnnContext *handle = later->pass.own->watch->handle;

    return ADN_BACKEND_CALL(
        handle->space->functions->mark_record(handle->device, stream, later->block->mark[which]));
}

/* Reads host operands at once, since they may change as soon as the call returns. */
static int take_host_operands(struct adn_later *later,
                              const struct anydnn_plugin_operands *operands)
{
    int result = 0;

    for (int i = 0; i < ADN_SLOTS && result == 0; i++)
        if (adn_problem_on_host(&later->pass.subject.problem, i) && adn_pass_reads(&later->pass, i))
            result = adn_pass_take(&later->pass, i, operands->data[i]);
    return result;
}

/* Drops a call whose copies may be under way. */
static void abandon(struct adn_later *later, void *stream, enum adn_count count, const char *why)
{
    struct adn_watch *watch = later->pass.own->watch;
    const struct anydnnContext *handle = watch->handle;
    int32_t result = 0;

    adn_pass_over(later->pass.own, count, why);
    if (later->block) {
        result = ADN_BACKEND_CALL(handle->space->functions->synchronize(handle->device, stream));
        adn_block_put(result == 0 ? &watch->backlog.spare : &watch->backlog.lost, later->block);
    }
    adn_load_error_clear();
    adn_later_free(later);
}

/* Makes a sampled call. Returns NULL if the call is skipped, and counts it. */
static struct adn_later *make_call(struct adn_shadowed *own,
                                   const struct anydnn_plugin_operands *operands)
{
    struct adn_watch *watch = own->watch;
    struct adn_later *later;

    adn_later_forget_parents(watch);
    if (adn_later_is_captured(watch, operands->stream)) {
        adn_pass_over(own, ADN_COUNT_RECORDED, "the application is capturing the stream");
        return NULL;
    }
    if (adn_referee_open(&watch->referee) != 0) {
        adn_pass_over(own, ADN_COUNT_FAILED, watch->referee.why);
        return NULL;
    }
    later = calloc(1, sizeof(*later));
    if (!later) {
        adn_pass_over(own, ADN_COUNT_FAILED, "out of memory");
        return NULL;
    }
    adn_plan_hold(own->plan);
    later->plan = own->plan;
    adn_pass_begin(&later->pass, own, operands);
    return later;
}

static struct adn_later *begin_call(struct adn_shadowed *own,
                                    const struct anydnn_plugin_operands *operands)
{
    struct adn_watch *watch = own->watch;
    struct adn_later *later = make_call(own, operands);
    uint64_t bytes, cap = watch->shadow->shadow_memory;
    int32_t result;

    if (!later)
        return NULL;
    bytes = lay_out(later);
    if (bytes > cap) {
        abandon(later, operands->stream, ADN_COUNT_OVER_MEMORY,
                "its copies exceed the setting `memory`");
        return NULL;
    }
    result = take_host_operands(later, operands);
    if (result == 0)
        result = make_sign(watch);
    if (result == 0)
        later->block = have_block(watch, bytes, cap);
    if (!later->block)
        result = ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    if (result == 0)
        result = set_mark(later, 0, operands->stream);
    if (result == 0)
        result = copy_operands(later, later->before, operands);
    if (result == 0)
        result = set_mark(later, 1, operands->stream);
    adn_load_error_clear();
    if (result == 0)
        return later;
    abandon(later, operands->stream, ADN_COUNT_FAILED, "its inputs cannot be copied");
    return NULL;
}

/* ---- after the call */

static void end_call(struct adn_later *later, const struct anydnn_plugin_operands *operands)
{
    struct adn_watch *watch = later->pass.own->watch;
    struct adn_backlog *backlog = &watch->backlog;
    const struct anydnnContext *handle = watch->handle;
    unsigned char *sign = later->block->memory + later->sign;
    int32_t result = set_mark(later, 2, operands->stream);

    atomic_store_explicit((_Atomic uint64_t *)(void *)sign, 0, memory_order_relaxed);
    if (result == 0)
        result = copy_operands(later, later->after, operands);
    if (result == 0)
        result = ADN_BACKEND_CALL(handle->space->functions->memory_copy_async(
            handle->device, operands->stream, sign, backlog->sign, sizeof(ADN_SIGN),
            ANYDNN_PLUGIN_COPY_FROM));
    /* The mark comes after the sign, since a caller that waits for the mark may free the block. */
    if (result == 0)
        result = set_mark(later, 3, operands->stream);
    adn_load_error_clear();
    if (result == 0)
        adn_later_add(backlog, later);
    else
        abandon(later, operands->stream, ADN_COUNT_FAILED, "its outputs cannot be copied");
}

int32_t adn_later_run(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                      int32_t *effect)
{
    struct timespec begin, before, after, end;
    struct adn_later *later;
    int32_t result;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    later = begin_call(own, operands);
    clock_gettime(CLOCK_MONOTONIC, &before);
    result = own->wrap.execute(own->wrap.body, operands, effect);
    clock_gettime(CLOCK_MONOTONIC, &after);
    adn_float_standard();
    if (later && result == 0)
        end_call(later, operands);
    else if (later)
        abandon(later, operands->stream, ADN_COUNT_FAILED, "the backend did not run it");
    clock_gettime(CLOCK_MONOTONIC, &end);
    adn_findings_spend(&own->watch->findings,
                       adn_watch_between(&begin, &before) + adn_watch_between(&after, &end));
    return result;
}
