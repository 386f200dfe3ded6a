/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the outputs of calls for NaN, infinities, and nothing but zeros. The report names the
 * first such call, and states whether its inputs hold such values, too, since the call may only
 * have passed them on. */
#include "shadow/check_outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/shape.h"
#include "dispatch/handle/handle.h"
#include "dispatch/handle/operand.h"
#include "dispatch/handle/space.h"
#include "dispatch/handle/special.h"
#include "judge/rules.h"
#include "load/load.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "problem/unread.h"
#include "settings/section_values.h"
#include "shadow/findings.h"
#include "sys/float_mode.h"
#include "sys/log.h"
#include "sys/process.h"

static const struct {
    uint32_t value;
    enum adn_count count;
    const char *text;
} kinds[] = {{ADN_VALUE_NAN, ADN_COUNT_NAN, "NaN"},
             {ADN_VALUE_INF, ADN_COUNT_INF, "infinities"},
             {ADN_VALUE_ZERO, ADN_COUNT_ZERO, "only zeros"}};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

#define HEAD_BYTES 400 /* of a sentence, before the problem */

struct checked {
    struct adn_wrap wrap;
    struct adn_watch *watch;
};

/* ---- what an operand holds */

static int is_number(const struct adn_plan *plan, int slot)
{
    const char *role = adn_problem_operation(plan->problem.operation)->slot[slot].role;

    return (plan->problem.present >> slot & 1) && !adn_judge_is_bytes(role) &&
           !adn_judge_is_idle(&plan->problem, role) && strcmp(role, "indices") != 0;
}

/* Counts on the device, into memory that the watch keeps. The host waits only for the counts. */
static int32_t count_there(struct adn_watch *watch, void *stream,
                           const struct anydnn_plugin_tensor *tensor, const void *data,
                           uint64_t *counts)
{
    const struct anydnnContext *handle = watch->handle;
    const struct anydnn_plugin_space *functions = handle->space->functions;
    uint64_t bytes = ANYDNN_PLUGIN_SPECIAL_END * sizeof(*counts);
    int32_t result = 0;

    if (!watch->counts) {
        result = adn_space_memory_alloc(handle->space, handle->device, bytes, &watch->counts);
        watch->counts_fork = adn_process_fork_number;
    }
    if (result == 0)
        result = functions->memory_set(handle->device, stream, watch->counts, 0, bytes);
    if (result == 0)
        result = functions->count_special(handle->device, stream, tensor, data, watch->counts);
    if (result == 0)
        result = functions->memory_copy(handle->device, stream, counts, watch->counts, bytes,
                                        ANYDNN_PLUGIN_COPY_FROM);
    return result;
}

void adn_shadow_check_end(struct adn_watch *watch)
{
    const struct anydnnContext *handle = watch->handle;

    if (watch->counts && !adn_process_exiting && watch->counts_fork == adn_process_fork_number &&
        !handle->space->poisoned)
        handle->space->functions->memory_free(handle->device, watch->counts);
}

/* Returns the special values of an operand as bits. Returns 0, too, if the operand cannot be read,
 * for example while a device captures. */
static uint32_t look(const struct checked *own, const struct anydnn_plugin_operands *operands,
                     int slot)
{
    const struct adn_problem *problem = &own->wrap.plan->problem;
    const struct anydnnContext *handle = own->watch->handle;
    const struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];
    uint64_t counts[ANYDNN_PLUGIN_SPECIAL_END] = {0};
    struct adn_view view;
    int32_t result;

    if (!handle->space->host && handle->space->functions->count_special &&
        !adn_problem_on_host(problem, slot)) {
        result = ADN_BACKEND_CALL(
            count_there(own->watch, operands->stream, tensor, operands->data[slot], counts));
        adn_load_error_clear();
    } else {
        result =
            adn_view_begin(handle, operands->stream, problem, slot, operands->data[slot], &view);
        if (result == 0) {
            result = adn_special_count(tensor, view.bytes, counts);
            adn_view_end(&view);
        }
    }
    if (result != 0)
        return 0;
    return (counts[ANYDNN_PLUGIN_SPECIAL_NAN] > 0 ? ADN_VALUE_NAN : 0U) |
           (counts[ANYDNN_PLUGIN_SPECIAL_INFINITY] > 0 ? ADN_VALUE_INF : 0U) |
           (counts[ANYDNN_PLUGIN_SPECIAL_ZERO] == (uint64_t)adn_shape_elements(tensor)
                ? ADN_VALUE_ZERO
                : 0U);
}

/* ---- reports */

/* Returns 1 if an input holds such values, too. An input that shares memory with an output no
 * longer exists. */
static int inputs_hold(const struct checked *own, const struct anydnn_plugin_operands *operands,
                       uint32_t value)
{
    const struct adn_plan *plan = own->wrap.plan;
    const struct adn_operation *info = adn_problem_operation(plan->problem.operation);
    uint32_t unread = adn_problem_unread(&plan->problem);
    int found = 0;

    for (int i = 0; i < info->slot_count && !found; i++)
        if (is_number(plan, i) && !(info->slot[i].flags & ADN_SLOT_OUT) && !(unread >> i & 1))
            found = (look(own, operands, i) & value) != 0;
    return found;
}

static void tell(struct checked *own, const struct anydnn_plugin_operands *operands, int slot,
                 size_t kind)
{
    struct adn_watch *watch = own->watch;
    const struct adn_plan *plan = own->wrap.plan;
    char sentence[ADN_PROBLEM_TEXT_MAX + HEAD_BYTES];
    struct adn_values values;
    size_t length;

    watch->told_values |= kinds[kind].value;
    adn_watch_factors(plan, operands, &values);
    length = (size_t)snprintf(
        sentence, HEAD_BYTES,
        "%s of %s, engine %" PRIu64 ", is the handle's first output with %s (checked call %" PRId64
        "); its inputs hold %s: ",
        adn_problem_operation(plan->problem.operation)->slot[slot].role, plan->backend->name,
        plan->engine, kinds[kind].text, watch->findings.count[ADN_COUNT_CHECKED],
        inputs_hold(own, operands, kinds[kind].value) ? "such, too" : "none");
    if (length < HEAD_BYTES)
        adn_problem_print(&plan->problem, &values, sentence + length, sizeof(sentence) - length);
    if (!watch->findings.special)
        adn_findings_say(&watch->findings.special, sentence);
    adn_warn("check: %s", sentence);
}

static void check(struct checked *own, const struct anydnn_plugin_operands *operands)
{
    struct adn_watch *watch = own->watch;
    const struct adn_plan *plan = own->wrap.plan;
    const struct adn_operation *info = adn_problem_operation(plan->problem.operation);
    uint32_t all = 0;

    adn_findings_add(&watch->findings, ADN_COUNT_CHECKED);
    for (int i = 0; i < info->slot_count; i++) {
        uint32_t found;

        if (!is_number(plan, i) || !(info->slot[i].flags & ADN_SLOT_OUT))
            continue;
        found = look(own, operands, i) & watch->values;
        for (size_t k = 0; k < KINDS; k++)
            if (found & kinds[k].value & ~watch->told_values)
                tell(own, operands, i, k);
        all |= found;
    }
    for (size_t k = 0; k < KINDS; k++)
        if (all & kinds[k].value)
            adn_findings_add(&watch->findings, kinds[k].count);
}

/* ---- the wrap */

static int32_t execute(struct anydnn_plugin_plan *body,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct checked *own = (struct checked *)(void *)body;
    int32_t result = own->wrap.execute(own->wrap.body, operands, effect);

    if (result != 0 || own->watch->values == 0 ||
        (own->watch->handle->recording && adn_space_captures(own->watch->handle->space)))
        return result;
    adn_float_standard();
    check(own, operands);
    return 0;
}

static void end_plan(struct adn_wrap *wrap)
{
    free(wrap);
}

void adn_shadow_check_wrap(struct adn_watch *watch, struct adn_plan *plan)
{
    struct checked *own = calloc(1, sizeof(*own));

    if (!own)
        return;
    own->watch = watch;
    adn_plan_wrap(plan, &own->wrap, execute, end_plan);
}
