/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a handle's calls as lines of a trace. */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "desc/names.h"
#include "dispatch/handle/operand.h"
#include "numerics/numerics.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "problem/unread.h"
#include "settings/section_values.h"
#include "sys/error.h"
#include "sys/text.h"
#include "trace/dump.h"
#include "trace/file.h"

#define LINE_MAX_BYTES (ADN_PROBLEM_TEXT_MAX + 512)

struct hook {
    struct adn_hook hook;
    anydnnHandle_t handle;
    struct adn_settings *settings; /* [trace] of this handle */
    struct adn_trace_file *file;   /* NULL: off */
    uint64_t number;               /* of the handle, from 1 */
    uint64_t tensors;              /* operations whose operands are kept */
};

struct traced {
    struct adn_wrap wrap;
    struct hook *hook;
    struct adn_values values; /* that `problem` was made with */
    char problem[ADN_PROBLEM_TEXT_MAX];
};

/* ---- a line */

static void write_line(struct adn_trace_file *file, const struct adn_trace_line *line)
{
    const struct adn_plan *plan = line->plan;
    char text[LINE_MAX_BYTES];
    char time[32] = "-", handle[24] = "-", dump[24] = "-";
    size_t begin;
    int length;

    if (line->time >= 0)
        adn_text_print(time, sizeof(time), "%.3f", line->time);
    if (line->handle != 0)
        snprintf(handle, sizeof(handle), "%" PRIu64, line->handle);
    if (line->dump != 0)
        snprintf(dump, sizeof(dump), "%" PRIu64, line->dump);
    if (line->problem)
        begin = (size_t)snprintf(text, sizeof(text), "%s", line->problem);
    else
        begin = adn_problem_print(&plan->problem, line->values, text, sizeof(text));
    if (begin >= ADN_PROBLEM_TEXT_MAX)
        return;
    length = snprintf(text + begin, sizeof(text) - begin,
                      "\t%s\t%" PRIu64 "\t%s\t%s\t%ld:%ld\t%s\t%s\t%s\n", plan->backend->name,
                      plan->engine, adn_math_name(plan->math), time, (long)getpid(), (long)gettid(),
                      handle, dump, line->answer);
    if (length > 0 && begin + (size_t)length < sizeof(text))
        adn_trace_file_add(file, text, begin + (size_t)length);
}

void adn_trace_write(const char *pattern, const struct adn_settings *settings,
                     const struct adn_trace_line *line)
{
    struct adn_trace_file *file =
        adn_trace_file_get(pattern, settings->trace_size, settings->trace_keep);

    if (file)
        write_line(file, line);
}

/* Collects the factors of a call, and the alignment of all its pointers if it is less than
 * usual. */
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

/* ---- operands */

static void keep_operands(const struct traced *traced,
                          const struct anydnn_plugin_operands *operands, struct adn_dump *dump,
                          int after)
{
    const struct adn_problem *problem = &traced->wrap.plan->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    uint32_t unread = adn_problem_unread(problem);

    for (int32_t i = 0; i < info->slot_count; i++) {
        int is_out = (info->slot[i].flags & ADN_SLOT_OUT) != 0;
        struct adn_view view;

        /* The content of an output before the call counts if the result is blended with it. */
        if (!(problem->present >> i & 1) || (unread >> i & 1) || (after && !is_out) ||
            (!after && adn_problem_home(problem, i) != i))
            continue;
        if (adn_view_begin(traced->hook->handle, operands->stream, problem, i, operands->data[i],
                           &view) != 0) {
            dump->failed = 1;
            return;
        }
        adn_dump_operand(dump, i, after, &problem->tensor[i], view.bytes);
        adn_view_end(&view);
    }
}

static int is_kept(const struct traced *traced, struct adn_dump *dump)
{
    const struct hook *hook = traced->hook;

    return (hook->tensors >> traced->wrap.plan->problem.operation & 1) &&
           (!hook->handle->recording || !adn_space_captures(hook->handle->space)) &&
           adn_dump_begin(dump, hook->settings->trace_file, (uint64_t)hook->settings->trace_dumps,
                          hook->settings->trace_dump_size) == 0;
}

/* ---- time */

/* The start of a call: its time, or a mark on a device whose calls are timed. */
struct start {
    struct timespec time;
    void *mark;
};

static void start_begin(const struct hook *hook, void *stream, struct start *start)
{
    const struct anydnnContext *handle = hook->handle;

    start->mark = NULL;
    if (!handle->space->host && hook->settings->trace_times && !handle->recording &&
        adn_space_mark_create(handle->space, handle->device, &start->mark) == 0 &&
        handle->space->functions->mark_record(handle->device, stream, start->mark) != 0) {
        handle->space->functions->mark_destroy(handle->device, start->mark);
        start->mark = NULL;
    }
    clock_gettime(CLOCK_MONOTONIC, &start->time);
}

static double start_elapsed(const struct hook *hook, void *stream, const struct start *start)
{
    const struct anydnnContext *handle = hook->handle;
    const struct anydnn_plugin_space *functions = handle->space->functions;
    struct timespec now;
    double elapsed = -1;
    void *mark = NULL;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (handle->space->host)
        return (double)(now.tv_sec - start->time.tv_sec) * 1e6 +
               (double)(now.tv_nsec - start->time.tv_nsec) / 1e3;
    if (!start->mark)
        return -1;
    if (adn_space_mark_create(handle->space, handle->device, &mark) == 0) {
        if (functions->mark_record(handle->device, stream, mark) != 0 ||
            functions->mark_elapsed(handle->device, start->mark, mark, &elapsed) != 0)
            elapsed = -1;
        functions->mark_destroy(handle->device, mark);
    }
    functions->mark_destroy(handle->device, start->mark);
    return elapsed;
}

/* ---- a call */

static int32_t execute(struct anydnn_plugin_plan *body,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct traced *traced = (struct traced *)(void *)body;
    struct hook *hook = traced->hook;
    struct adn_trace_line line = {
        .plan = traced->wrap.plan, .handle = hook->number, .answer = "ok"};
    struct adn_values values;
    struct adn_dump dump;
    struct start start;
    char answer[32];
    int32_t result;
    int kept;

    /* A recording may still hold the plan after the trace was switched off. */
    if (!hook->file)
        return traced->wrap.execute(traced->wrap.body, operands, effect);
    kept = is_kept(traced, &dump);
    if (kept)
        keep_operands(traced, operands, &dump, 0);
    start_begin(hook, operands->stream, &start);
    result = traced->wrap.execute(traced->wrap.body, operands, effect);
    line.time = start_elapsed(hook, operands->stream, &start);
    if (kept && result == 0)
        keep_operands(traced, operands, &dump, 1);
    if (kept)
        line.dump = adn_dump_end(&dump);
    values_of(traced->wrap.plan, operands, &values);
    if (traced->problem[0] == '\0' || memcmp(&values, &traced->values, sizeof(values)) != 0) {
        traced->values = values;
        adn_problem_print(&traced->wrap.plan->problem, &values, traced->problem,
                          sizeof(traced->problem));
    }
    line.problem = traced->problem;
    snprintf(answer, sizeof(answer), "failed(%d)", (int)result);
    if (result != 0)
        line.answer = answer;
    write_line(hook->file, &line);
    return result;
}

static void end_plan(struct adn_wrap *wrap)
{
    free(wrap);
}

/* Wraps a new plan. If memory is out, the plan stays as it is, and its calls are missing. */
static void plan_made(struct adn_hook *own, struct adn_plan *plan)
{
    struct hook *hook = (struct hook *)own;
    struct traced *traced = hook->file ? calloc(1, sizeof(*traced)) : NULL;

    if (!traced)
        return;
    traced->hook = hook;
    adn_plan_wrap(plan, &traced->wrap, execute, end_plan);
}

/* ---- the handle */

static void end_handle(struct adn_hook *own)
{
    struct hook *hook = (struct hook *)own;

    adn_settings_free(hook->settings);
    free(hook);
}

/* Returns the handle's hook, or NULL if memory is out. */
static struct hook *hook_of(anydnnHandle_t handle)
{
    static _Atomic uint64_t handles;
    struct hook *hook = (struct hook *)(void *)handle->hook[ADN_HOOK_TRACE];

    if (hook)
        return hook;
    hook = calloc(1, sizeof(*hook));
    if (!hook)
        return NULL;
    hook->hook.plan_made = plan_made;
    hook->hook.end = end_handle;
    hook->handle = handle;
    hook->number = atomic_fetch_add(&handles, 1) + 1;
    handle->hook[ADN_HOOK_TRACE] = &hook->hook;
    return hook;
}

/* Returns the file that the settings name. Returns NULL if they name none, or if it cannot be
 * opened. */
static struct adn_trace_file *file_of(const struct adn_settings *settings)
{
    if (strcmp(settings->trace_file, "off") == 0)
        return NULL;
    return adn_trace_file_get(settings->trace_file, settings->trace_size, settings->trace_keep);
}

/* Applies the settings, and takes ownership of them. */
static void take(struct hook *hook, struct adn_settings *settings, struct adn_trace_file *file)
{
    adn_settings_free(hook->settings);
    hook->settings = settings;
    adn_section_operations(settings->trace_tensors, &hook->tensors);
    hook->file = file;
}

void adn_trace_begin(anydnnHandle_t handle)
{
    const struct adn_settings *settings = handle->global->settings;
    struct adn_settings *own;
    struct hook *hook;
    char error[200];

    if (strcmp(settings->trace_file, "off") == 0)
        return;
    own = adn_section_settings(settings, "trace", "", error, sizeof(error));
    hook = own ? hook_of(handle) : NULL;
    if (hook)
        take(hook, own, file_of(own));
    else
        adn_settings_free(own);
}

anydnnStatus_t adn_trace_set(anydnnHandle_t handle, const char *entry, const char *text)
{
    struct hook *hook = hook_of(handle);
    struct adn_trace_file *file;
    struct adn_settings *own;
    char error[400];

    if (!hook)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    own = adn_section_settings(hook->settings ? hook->settings : handle->global->settings, "trace",
                               text, error, sizeof(error));
    if (!own && !adn_shortage_noted())
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: text: %s", entry, error);
    file = own ? file_of(own) : NULL;
    if (!file && adn_shortage_noted()) {
        adn_settings_free(own);
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    }
    take(hook, own, file);
    adn_handle_forget_plans(handle);
    return ANYDNN_STATUS_SUCCESS;
}
