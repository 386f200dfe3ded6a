/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a staged plan: it determines which part of each operand is copied, and where it lies in the
 * arenas. */
#include "dispatch/foreign/staged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "problem/unread.h"
#include "sys/error.h"
#include "sys/log.h"

#define ALIGNMENT UINT64_C(256)

void adn_stage_judge(const struct anydnnContext *handle, const struct adn_backend *backend,
                     int search, char *reason, size_t size)
{
    const char *name = backend->plugin->space;
    const struct adn_space *space = adn_global_space(handle->global, name);
    int off = handle->global->settings->staging == ADN_STAGING_OFF;

    reason[0] = '\0';
    if (off || search)
        snprintf(reason, size, "uses memory space `%s`, and this handle uses `%s`%s", name,
                 handle->space->name,
                 off ? ", and staging = off" : "; a search does not use staging");
    else if (!space && !adn_load_owner(handle->global->registry, name))
        snprintf(
            reason, size,
            "uses memory space `%s`, which no live backend owns; it has no table for it itself",
            name);
    else if (!space)
        snprintf(reason, size,
                 "uses memory space `%s`, and the limit of %d memory spaces is reached", name,
                 ADN_SPACES_MAX);
    else if (space->poisoned)
        snprintf(reason, size, "an error made the devices of `%s` unusable for this process", name);
}

/* The outputs that have a scaling factor of their own: the role, and the name of the factor. */
static const struct {
    const char *role;
    const char *beta;
} factors_of[] = {{"dscale", "beta_param"}, {"dbias", "beta_param"}, {"dgrid", "beta_grid"}};

/* Returns 1 for the addend of a matrix product, which is read only if its factor is not 0. */
static int is_addend(const struct adn_operation *info, int32_t slot)
{
    return info->family == ADN_FAMILY_MATMUL && strcmp(info->slot[slot].role, "c") == 0;
}

/* Returns the index of the scaling factor that controls whether an operand is read: an output's
 * prior content, or the addend of a matrix product. A reserve and indices may be written only in
 * part and must keep their other bytes, so they are always read. */
static int32_t prior_of(const struct adn_operation *info, int32_t slot)
{
    const char *role = info->slot[slot].role;
    const char *beta = NULL;

    if (info->family == ADN_FAMILY_MATMUL && !is_addend(info, slot))
        return ADN_PRIOR_NEVER;
    if (strcmp(role, "reserve") == 0 || strcmp(role, "indices") == 0)
        return ADN_PRIOR_ALWAYS;
    for (size_t i = 0; i < sizeof(factors_of) / sizeof(factors_of[0]); i++)
        if (strcmp(role, factors_of[i].role) == 0)
            beta = factors_of[i].beta;
    for (int32_t i = 0; i < 4 && info->scale[i].name; i++)
        if (beta ? strcmp(info->scale[i].name, beta) == 0
                 : strncmp(info->scale[i].name, "beta", 4) == 0)
            return i;
    return ADN_PRIOR_NEVER;
}

/* Reserves `bytes` after the reserved part. Returns 0, or -1 if the sum overflows. */
static int place(uint64_t *taken, uint64_t bytes, uint64_t *offset)
{
    *offset = *taken;
    return __builtin_add_overflow(*taken, bytes, taken) ||
                   __builtin_add_overflow(*taken, ALIGNMENT - 1, taken)
               ? -1
               : (*taken = *taken / ALIGNMENT * ALIGNMENT, 0);
}

static int fill_operand(struct adn_staged *staged, const struct adn_problem *problem, int32_t slot)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    uint32_t flags = info->slot[slot].flags;
    struct adn_staged_operand *operand = &staged->operand[slot];
    int32_t home = adn_problem_home(problem, slot);
    int host = staged->handle->space->host;

    operand->present = 1;
    operand->prior = ADN_PRIOR_NEVER;
    if (adn_problem_on_host(problem, slot)) {
        operand->on_host = 1;
        return 0;
    }
    operand->copied_out = (flags & ADN_SLOT_OUT) != 0;
    if (adn_runs_of(&problem->tensor[slot], &operand->runs) != 0)
        return -1;
    operand->bounced = !staged->space->host && !(host && operand->runs.loops == 0);
    if (operand->bounced && staged->bounce_bytes < operand->runs.span)
        staged->bounce_bytes = operand->runs.span;
    if (home != slot) {
        /* The operand shares the buffer of the input at the same address. That input precedes it
         * and has the same descriptor. */
        operand->offset = staged->operand[home].offset;
        return 0;
    }
    operand->copied_in = (flags & ADN_SLOT_IN) != 0 && !is_addend(info, slot);
    if (!operand->copied_in)
        operand->prior = prior_of(info, slot);
    return place(&staged->arena_bytes, operand->runs.span, &operand->offset);
}

static int fill(struct adn_staged *staged, const struct adn_plan *plan)
{
    for (int32_t i = 0; i < staged->slot_count; i++)
        if ((plan->problem.present >> i & 1) && fill_operand(staged, &plan->problem, i) != 0)
            return -1;
    return place(&staged->arena_bytes, staged->workspace, &staged->workspace_offset);
}

int adn_stage_wrap(anydnnHandle_t handle, struct adn_plan *plan, uint64_t workspace)
{
    struct adn_staged *staged = calloc(1, sizeof(*staged));

    if (!staged)
        return -1;
    staged->handle = handle;
    staged->space = adn_global_space(handle->global, plan->backend->plugin->space);
    staged->device = handle->contexts[plan->backend->index].device;
    adn_space_device_name(staged->space, staged->device, staged->device_name,
                          sizeof(staged->device_name));
    staged->execute = plan->execute;
    staged->body = plan->body;
    staged->workspace = workspace;
    staged->slot_count = (int32_t)plan->slot_count;
    staged->arena = adn_arena_of(handle, staged->space, staged->device);
    staged->bounce = adn_arena_of(handle, &adn_space_host, 0);
    if (!staged->arena || !staged->bounce || fill(staged, plan) != 0 ||
        adn_space_default_stream(staged->space, staged->device, &staged->stream) != 0) {
        free(staged);
        return -1;
    }
    plan->staged = staged;
    plan->staged_on = staged->device_name;
    plan->execute = adn_stage_execute;
    plan->body = (struct anydnn_plugin_plan *)(void *)staged;
    plan->fork_safe = 0; /* it holds memory of a device */
    return 0;
}

uint64_t adn_stage_copied(const struct adn_plan *plan)
{
    return plan->staged ? plan->staged->copied : 0;
}

void adn_stage_warn(const struct anydnnContext *handle, const struct adn_plan *plan)
{
    char problem[ADN_PROBLEM_TEXT_MAX];
    const char *why = plan->passed_over;

    if (!adn_log_on(ADN_LOG_WARN))
        return;
    adn_problem_print(&plan->problem, NULL, problem, sizeof(problem));
    if (why[0] == '\0')
        why = handle->global->settings->staging == ADN_STAGING_LISTED
                  ? "staging = listed, and the route names it first"
                  : "the route names no backend of the handle's own memory space";
    adn_warn("staged: operands are copied from %s to %s and back for %s, since %.*s: %s",
             handle->device_name, plan->staged_on, plan->backend->name, (int)strcspn(why, "\n"),
             why, problem);
}

anydnnStatus_t adn_stage_refuse_recording(const char *entry, const struct anydnnContext *handle,
                                          const struct adn_plan *plan)
{
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                    "%s: a recording is in progress on device %s, and %s would run the call staged "
                    "on %s, through host memory, which cannot be recorded; make the call outside "
                    "the recording, or route it to a backend of the device (`anydnn explain`)",
                    entry, handle->device_name, plan->backend->name, plan->staged_on);
}
