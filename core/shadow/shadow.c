/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up shadow and checks on a handle, from the settings or by the program, and chooses the calls
 * that are sampled. */
#include "shadow/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/plan/plan.h"
#include "judge/random.h"
#include "numerics/numerics.h"
#include "problem/problem.h"
#include "settings/section_values.h"
#include "settings/settings.h"
#include "shadow/block.h"
#include "shadow/check_outputs.h"
#include "shadow/findings.h"
#include "shadow/referee.h"
#include "shadow/run.h"
#include "shadow/verdict.h"
#include "shadow/watch.h"
#include "sys/error.h"
#include "sys/process.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

double adn_watch_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) * 1e6 + (double)(to->tv_nsec - from->tv_nsec) / 1e3;
}

void adn_watch_factors(const struct adn_plan *plan, const struct anydnn_plugin_operands *operands,
                       struct adn_values *values)
{
    adn_values_init(values, plan->problem.operation);
    memcpy(values->scale, operands->scale, sizeof(values->scale));
    memcpy(values->number, operands->number, sizeof(values->number));
    if (plan->problem.operation == ANYDNN_PLUGIN_SET_TENSOR && operands->value)
        values->value = adn_element_load(plan->problem.tensor[0].type, operands->value);
}

/* ---- sampling */

static int is_chosen(const struct adn_watch *watch, uint64_t call, uint64_t *random)
{
    switch (watch->sample.kind) {
    case ADN_SAMPLE_FIRST:
        return call == 1;
    case ADN_SAMPLE_EVERY:
        return call % watch->sample.n == 0;
    case ADN_SAMPLE_PART:
        return adn_random_bits(random) % watch->sample.n == 0;
    default:
        return 0;
    }
}

static int32_t execute(struct anydnn_plugin_plan *body,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct adn_shadowed *own = (struct adn_shadowed *)(void *)body;
    struct adn_watch *watch = own->watch;

    if (watch->backlog.first)
        adn_later_look(watch, operands->stream);
    /* A recording may still hold the plan after shadow was switched off. */
    if (watch->sample.kind == ADN_SAMPLE_OFF)
        return own->wrap.execute(own->wrap.body, operands, effect);
    adn_findings_add(&watch->findings, ADN_COUNT_CALLS);
    if (!is_chosen(watch, ++own->calls, &watch->random))
        return own->wrap.execute(own->wrap.body, operands, effect);
    return adn_shadow_run(own, operands, effect);
}

/* ---- plans */

static void end_plan(struct adn_wrap *wrap)
{
    free(wrap);
}

static void shadow_wrap(struct adn_watch *watch, struct adn_plan *plan)
{
    struct adn_shadowed *own = calloc(1, sizeof(*own));

    if (!own)
        return;
    own->watch = watch;
    own->plan = plan;
    adn_plan_wrap(plan, &own->wrap, execute, end_plan);
}

/* Wraps a new plan. If memory is out, the plan stays as it is. The check is the inner wrap, so that
 * it sees each call once. */
static void plan_made(struct adn_hook *hook, struct adn_plan *plan)
{
    struct adn_watch *watch = (struct adn_watch *)(void *)hook;
    uint64_t bit = UINT64_C(1) << plan->problem.operation;

    if (watch->values != 0 && (watch->check_operations & bit))
        adn_shadow_check_wrap(watch, plan);
    if (watch->sample.kind != ADN_SAMPLE_OFF && (watch->operations & bit))
        shadow_wrap(watch, plan);
}

static void settle(struct adn_hook *hook)
{
    adn_later_settle((struct adn_watch *)(void *)hook);
}

static void end(struct adn_hook *hook)
{
    struct adn_watch *watch = (struct adn_watch *)(void *)hook;

    adn_later_end(watch);
    adn_referee_close(&watch->referee);
    adn_shadow_check_end(watch);
    adn_findings_free(&watch->findings);
    adn_settings_free(watch->shadow);
    adn_settings_free(watch->check);
    free(watch);
}

/* ---- settings */

/* Takes over the values of [shadow], which were checked when they were set. */
static void take_shadow(struct adn_watch *watch, struct adn_settings *settings)
{
    adn_section_sample(settings->shadow_sample, &watch->sample);
    adn_section_operations(settings->shadow_operations, &watch->operations);
    adn_section_bound(settings->shadow_bound, &watch->bound);
    adn_section_part(settings->shadow_budget, &watch->budget);
    adn_referee_close(&watch->referee);
    memset(&watch->referee, 0, sizeof(watch->referee));
    watch->referee.outer = watch->handle;
    adn_section_reference(settings->shadow_reference, &watch->referee.wanted);
    if (settings->shadow_summary)
        adn_findings_at_exit();
    if (settings != watch->shadow)
        adn_settings_free(watch->shadow);
    watch->shadow = settings;
}

static void take_check(struct adn_watch *watch, struct adn_settings *settings)
{
    adn_section_values(settings->check_outputs, &watch->values);
    adn_section_operations(settings->check_operations, &watch->check_operations);
    if (settings != watch->check)
        adn_settings_free(watch->check);
    watch->check = settings;
}

/* Returns the handle's watch, or NULL if memory is out. The first use makes it, with shadow and
 * checks off. */
static struct adn_watch *watch_of(anydnnHandle_t handle)
{
    struct adn_watch *watch = (struct adn_watch *)(void *)handle->hook[ADN_HOOK_SHADOW];

    if (watch)
        return watch;
    watch = calloc(1, sizeof(*watch));
    if (!watch)
        return NULL;
    watch->hook.plan_made = plan_made;
    watch->hook.settle = settle;
    watch->hook.end = end;
    watch->handle = handle;
    watch->referee.outer = handle;
    watch->random = adn_process_stamp();
    clock_gettime(CLOCK_MONOTONIC, &watch->began);
    handle->hook[ADN_HOOK_SHADOW] = &watch->hook;
    return watch;
}

void adn_shadow_begin(anydnnHandle_t handle)
{
    const struct adn_settings *settings = handle->global->settings;
    int shadow = strcmp(settings->shadow_sample, "off") != 0;
    int check = strcmp(settings->check_outputs, "off") != 0;
    struct adn_watch *watch = shadow || check ? watch_of(handle) : NULL;
    struct adn_settings *own;
    char error[400];

    if (!watch)
        return;
    if (shadow &&
        (own = adn_section_settings(settings, "shadow", "", error, sizeof(error))) != NULL)
        take_shadow(watch, own);
    if (check && (own = adn_section_settings(settings, "check", "", error, sizeof(error))) != NULL)
        take_check(watch, own);
}

/* Changes one section of the handle's own settings. Without own settings of a section, those of the
 * process apply. */
static anydnnStatus_t set(anydnnHandle_t handle, const char *entry, const char *section,
                          const char *text, struct adn_watch **found, struct adn_settings **made)
{
    struct adn_watch *watch = watch_of(handle);
    const struct adn_settings *from = handle->global->settings;
    char error[400];

    if (!watch)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    if (strcmp(section, "shadow") == 0 && watch->shadow)
        from = watch->shadow;
    if (strcmp(section, "check") == 0 && watch->check)
        from = watch->check;
    *found = watch;
    *made = adn_section_settings(from, section, text, error, sizeof(error));
    if (*made)
        return SUCCESS;
    if (adn_shortage_noted())
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: %s", entry, error);
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: text: %s", entry, error);
}

anydnnStatus_t adn_shadow_set(anydnnHandle_t handle, const char *entry, const char *text)
{
    struct adn_settings *settings;
    struct adn_watch *watch;
    anydnnStatus_t status = set(handle, entry, "shadow", text, &watch, &settings);

    if (status != SUCCESS)
        return status;
    adn_later_settle(watch);
    /* The new cap may be smaller. */
    adn_blocks_free(watch, &watch->backlog.spare);
    take_shadow(watch, settings);
    adn_handle_forget_plans(handle);
    return SUCCESS;
}

anydnnStatus_t adn_shadow_check_set(anydnnHandle_t handle, const char *entry, const char *text)
{
    struct adn_settings *settings;
    struct adn_watch *watch;
    anydnnStatus_t status = set(handle, entry, "check", text, &watch, &settings);

    if (status != SUCCESS)
        return status;
    take_check(watch, settings);
    adn_handle_forget_plans(handle);
    return SUCCESS;
}
