/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a staged plan: it copies the operands in, runs the backend, and copies the outputs back. */
#include "dispatch/foreign/staged.h"

#include <stdio.h>
#include <string.h>

#include "load/load.h"
#include "sys/process.h"

/* Queries whether an error lost the backend's space, and records it. */
static void learn_poisoned(struct adn_staged *staged)
{
    if (!staged->space->poisoned && staged->space->functions->poisoned(staged->device))
        adn_process_attention = staged->space->poisoned = 1;
}

static int32_t prepare(struct adn_staged *staged)
{
    char text[200];
    int32_t result;

    if (staged->space->poisoned) {
        snprintf(text, sizeof(text), "an error made device %s unusable for this process",
                 staged->device_name);
        adn_load_error_set(text);
        return ANYDNN_STATUS_EXECUTION_FAILED;
    }
    result = adn_arena_reserve(staged->arena, staged->arena_bytes);
    if (result == 0 && staged->bounce_bytes > 0)
        result = adn_arena_reserve(staged->bounce, staged->bounce_bytes);
    return result;
}

static char *buffer_of(const struct adn_staged *staged, const struct adn_staged_operand *operand)
{
    return (char *)staged->arena->memory + operand->offset;
}

/* Returns the host address of the operand during the copy. */
static char *image_of(const struct adn_staged *staged, const struct adn_staged_operand *operand,
                      void *data)
{
    if (staged->space->host)
        return buffer_of(staged, operand);
    return operand->bounced ? staged->bounce->memory : data;
}

static int32_t copy_in(struct adn_staged *staged, const struct adn_staged_operand *operand,
                       const struct anydnn_plugin_operands *operands, void *data)
{
    const struct adn_space *from = staged->handle->space;
    const struct adn_space *to = staged->space;
    uint64_t span = operand->runs.span;
    char *image = image_of(staged, operand, data);
    int32_t result = 0;

    if (!from->host) {
        result = ADN_BACKEND_CALL(from->functions->memory_copy(
            staged->handle->device, operands->stream, image, data, span, ANYDNN_PLUGIN_COPY_FROM));
        staged->copied += span;
    } else if (image != data) {
        adn_runs_copy(&operand->runs, image, data);
    }
    if (result == 0 && !to->host) {
        result = ADN_BACKEND_CALL(to->functions->memory_copy(staged->device, staged->stream,
                                                             buffer_of(staged, operand), image,
                                                             span, ANYDNN_PLUGIN_COPY_TO));
        staged->copied += span;
    }
    return result;
}

static int reads(const struct adn_staged_operand *operand,
                 const struct anydnn_plugin_operands *operands)
{
    if (operand->copied_in || operand->prior == ADN_PRIOR_ALWAYS)
        return 1;
    return operand->prior >= 0 && operands->scale[operand->prior] != 0;
}

static int32_t copy_all_in(struct adn_staged *staged, const struct anydnn_plugin_operands *operands)
{
    int32_t result = 0;

    for (int32_t i = 0; i < staged->slot_count && result == 0; i++)
        if (staged->operand[i].present && !(staged->direct >> i & 1) &&
            reads(&staged->operand[i], operands))
            result = copy_in(staged, &staged->operand[i], operands, operands->data[i]);
    return result;
}

/* A copy back to the handle's device. */
struct way_back {
    struct adn_staged *staged;
    void *stream;
    char *to;
    const char *from;
};

static int32_t send_run(void *cookie, uint64_t offset, uint64_t bytes)
{
    const struct way_back *way = cookie;
    const struct anydnnContext *handle = way->staged->handle;

    way->staged->copied += bytes;
    return ADN_BACKEND_CALL(
        handle->space->functions->memory_copy(handle->device, way->stream, way->to + offset,
                                              way->from + offset, bytes, ANYDNN_PLUGIN_COPY_TO));
}

static int32_t copy_out(struct adn_staged *staged, const struct adn_staged_operand *operand,
                        const struct anydnn_plugin_operands *operands, void *data)
{
    char *image = image_of(staged, operand, data);
    struct way_back way = {staged, operands->stream, data, image};
    int32_t result = 0;

    if (!staged->space->host) {
        result = ADN_BACKEND_CALL(staged->space->functions->memory_copy(
            staged->device, staged->stream, image, buffer_of(staged, operand), operand->runs.span,
            ANYDNN_PLUGIN_COPY_FROM));
        staged->copied += operand->runs.span;
    }
    if (result == 0 && !staged->handle->space->host)
        result = adn_runs_each(&operand->runs, send_run, &way);
    else if (result == 0 && image != data)
        adn_runs_copy(&operand->runs, data, image);
    return result;
}

static int32_t copy_all_out(struct adn_staged *staged,
                            const struct anydnn_plugin_operands *operands)
{
    int32_t result = 0;

    for (int32_t i = 0; i < staged->slot_count && result == 0; i++)
        if (staged->operand[i].present && staged->operand[i].copied_out &&
            !(staged->direct >> i & 1))
            result = copy_out(staged, &staged->operand[i], operands, operands->data[i]);
    return result;
}

/* Finds the operands that need no copy: both sides reach them, and they have the alignment that a
 * backend may assume. Waits for earlier work on them. */
static int32_t find_direct(struct adn_staged *staged, const struct anydnn_plugin_operands *operands)
{
    const struct anydnnContext *handle = staged->handle;
    const struct adn_space *space = staged->space->host ? handle->space : staged->space;
    int32_t device = staged->space->host ? handle->device : staged->device;

    staged->direct = 0;
    if (!(space->functions->flags & ANYDNN_PLUGIN_SPACE_BOTH) ||
        (!staged->space->host && !handle->space->host))
        return 0;
    for (int32_t i = 0; i < staged->slot_count; i++) {
        int32_t owner = ANYDNN_PLUGIN_POINTER_UNKNOWN;

        if (staged->operand[i].present && !staged->operand[i].on_host &&
            (uintptr_t)operands->data[i] % ADN_ASSUMED_ALIGNMENT == 0 &&
            ADN_BACKEND_CALL(space->functions->pointer_owner(device, operands->data[i], &owner)) ==
                0 &&
            owner == ANYDNN_PLUGIN_POINTER_BOTH)
            staged->direct |= UINT32_C(1) << i;
    }
    return staged->direct && !handle->space->host
               ? ADN_BACKEND_CALL(
                     handle->space->functions->synchronize(handle->device, operands->stream))
               : 0;
}

/* Returns the effect of a failed run: it may have written only to copies. */
static int32_t effect_of(const struct adn_staged *staged, int32_t effect)
{
    for (int32_t i = 0; i < staged->slot_count; i++)
        if ((staged->direct >> i & 1) && staged->operand[i].copied_out)
            return effect;
    return ANYDNN_PLUGIN_EFFECT_NONE;
}

static int32_t run_backend(struct adn_staged *staged, const struct anydnn_plugin_operands *operands,
                           int32_t *outer)
{
    struct anydnn_plugin_operands inner = *operands;
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE;
    char said[1024];
    int32_t result;

    for (int32_t i = 0; i < staged->slot_count; i++)
        if (staged->operand[i].present && !staged->operand[i].on_host && !(staged->direct >> i & 1))
            inner.data[i] = buffer_of(staged, &staged->operand[i]);
    inner.stream = staged->stream;
    inner.flags = 0;
    inner.workspace =
        staged->workspace > 0 ? (char *)staged->arena->memory + staged->workspace_offset : NULL;
    inner.workspace_bytes = staged->workspace;
    result = ADN_BACKEND_CALL(staged->execute(staged->body, &inner, &effect));
    *outer = effect_of(staged, effect);
    if (staged->space->host)
        return result;
    if (result == 0)
        return ADN_BACKEND_CALL(
            staged->space->functions->synchronize(staged->device, staged->stream));
    /* Work that the backend enqueued must not use the arena when the next call's operands are
     * there. */
    snprintf(said, sizeof(said), "%s", adn_load_error_text());
    staged->space->functions->synchronize(staged->device, staged->stream);
    adn_load_error_set(said);
    return result;
}

int32_t adn_stage_execute(struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct adn_staged *staged = (struct adn_staged *)(void *)plan;
    int32_t result;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    staged->copied = 0;
    staged->handle->counters.staged_calls++;
    result = prepare(staged);
    if (result == 0)
        result = find_direct(staged, operands);
    if (result == 0)
        result = copy_all_in(staged, operands);
    if (result == 0)
        result = run_backend(staged, operands, effect);
    if (result == 0) {
        *effect = ANYDNN_PLUGIN_EFFECT_UNKNOWN;
        result = copy_all_out(staged, operands);
    }
    if (result != 0)
        learn_poisoned(staged);
    return result;
}
