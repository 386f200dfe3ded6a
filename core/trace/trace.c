/* SPDX-License-Identifier: Apache-2.0 */
/* A handle's calls as lines of a trace. */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "desc/names.h"
#include "numerics/numerics.h"
#include "settings/settings.h"
#include "trace/file.h"

#define LINE_MAX_BYTES (ADN_PROBLEM_TEXT_MAX + 512)

struct hook {
    struct adn_hook hook;
    struct adn_trace_file *file;
    uint64_t number; /* of the handle, from 1 */
    int timed;       /* a call is done when it returns */
};

struct traced {
    struct adn_wrap wrap;
    struct adn_trace_file *file;
    uint64_t number;
    int timed;
    struct adn_values values; /* that `problem` was made with */
    char problem[ADN_PROBLEM_TEXT_MAX];
};

/* The factors of a call, and what all its pointers are aligned to where that is less than usual. */
static void values_of(const struct adn_plan *plan, const struct anydnn_plugin_operands *operands,
                      struct adn_values *values)
{
    uintptr_t bits = ADN_ASSUMED_ALIGNMENT;

    adn_values_init(values, plan->problem.operation);
    memcpy(values->scale, operands->scale, sizeof(values->scale));
    memcpy(values->number, operands->number, sizeof(values->number));
    if (plan->problem.operation == ANYDNN_PLUGIN_SET_TENSOR && operands->value)
        values->value = adn_element_load(plan->problem.tensor[0].type, operands->value);
    for (uint32_t i = 0; i < plan->slot_count; i++)
        if (plan->problem.present >> i & 1)
            bits |= (uintptr_t)operands->data[i];
    if ((bits & -bits) < ADN_ASSUMED_ALIGNMENT)
        values->align = (int32_t)(bits & -bits);
}

static void write_line(struct traced *traced, const struct timespec *from,
                       const struct timespec *to, int32_t result)
{
    const struct adn_plan *plan = traced->wrap.plan;
    char line[LINE_MAX_BYTES];
    char time[32] = "-";
    char answer[32] = "ok";
    int length;

    if (traced->timed)
        snprintf(time, sizeof(time), "%.3f",
                 (double)(to->tv_sec - from->tv_sec) * 1e6 +
                     (double)(to->tv_nsec - from->tv_nsec) / 1e3);
    if (result != 0)
        snprintf(answer, sizeof(answer), "failed(%d)", (int)result);
    length =
        snprintf(line, sizeof(line), "%s\t%s\t%" PRIu64 "\t%s\t%s\t%ld:%ld\t%" PRIu64 "\t-\t%s\n",
                 traced->problem, plan->backend->name, plan->engine, adn_math_name(plan->math),
                 time, (long)getpid(), (long)gettid(), traced->number, answer);
    if (length > 0 && (size_t)length < sizeof(line))
        adn_trace_file_add(traced->file, line, (size_t)length);
}

static int32_t execute(struct anydnn_plugin_plan *body,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct traced *traced = (struct traced *)(void *)body;
    struct timespec from, to;
    struct adn_values values;
    int32_t result;

    clock_gettime(CLOCK_MONOTONIC, &from);
    result = traced->wrap.execute(traced->wrap.body, operands, effect);
    clock_gettime(CLOCK_MONOTONIC, &to);
    values_of(traced->wrap.plan, operands, &values);
    if (traced->problem[0] == '\0' || memcmp(&values, &traced->values, sizeof(values)) != 0) {
        traced->values = values;
        adn_problem_print(&traced->wrap.plan->problem, &values, traced->problem,
                          sizeof(traced->problem));
    }
    write_line(traced, &from, &to, result);
    return result;
}

static void end_plan(struct adn_wrap *wrap)
{
    free(wrap);
}

/* Without memory the plan stays as it is, and its calls are missing. */
static void plan_made(struct adn_hook *own, struct adn_plan *plan)
{
    const struct hook *hook = (const struct hook *)own;
    struct traced *traced = calloc(1, sizeof(*traced));

    if (!traced)
        return;
    traced->file = hook->file;
    traced->number = hook->number;
    traced->timed = hook->timed;
    adn_plan_wrap(plan, &traced->wrap, execute, end_plan);
}

static void end_handle(struct adn_hook *hook)
{
    free(hook);
}

void adn_trace_begin(anydnnHandle_t handle)
{
    static _Atomic uint64_t handles;
    const struct adn_settings *settings = handle->world->settings;
    struct adn_trace_file *file = NULL;
    struct hook *hook;

    if (strcmp(settings->trace_file, "off") != 0)
        file = adn_trace_file_get(settings->trace_file, settings->trace_size, settings->trace_keep);
    hook = file ? calloc(1, sizeof(*hook)) : NULL;
    if (!hook)
        return;
    hook->hook.plan_made = plan_made;
    hook->hook.end = end_handle;
    hook->file = file;
    hook->number = atomic_fetch_add(&handles, 1) + 1;
    hook->timed = handle->space->host;
    handle->hook[ADN_HOOK_TRACE] = &hook->hook;
}
