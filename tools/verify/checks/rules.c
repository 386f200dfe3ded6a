/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the rules that hold for every problem: the description, its strings, contexts, and
 * published operations. */
#include "tools/verify/checks/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/operations.h"
#include "load/load.h"
#include "problem/problem.h"

/* ---- the description */

static int check_exports(const struct verify_target *target, struct verify_finding *finding)
{
    char extra[700];

    if (verify_exports(target->backend->path, extra, sizeof(extra)) != 0)
        return verify_note(finding, "exports", "%s", extra);
    if (extra[0] != '\0')
        return verify_note(finding, "exports",
                           "it exports more than anydnn_plugin_abi and anydnn_plugin_main: %s",
                           extra);
    return 0;
}

static int check_limits(const struct anydnn_plugin *plugin, struct verify_finding *finding)
{
    for (uint32_t i = 0; i < plugin->limit_count; i++) {
        const struct anydnn_plugin_limit *limit = plugin->limits[i];

        if (limit->sentence == NULL || strlen(limit->sentence) < 5)
            return verify_note(finding, "description", "limit %u (%s) has no description", i,
                               limit->name);
        if (limit->operation < 0 || limit->operation >= ANYDNN_PLUGIN_OPERATION_END)
            return verify_note(finding, "description", "limit %u (%s) names operation %d", i,
                               limit->name, (int)limit->operation);
    }
    return 0;
}

/* Checks the environment after opening the backend and creating its first context. */
static int check_environment(const struct verify_target *target, struct verify_finding *finding)
{
    if (target->backend->changes_float)
        return verify_note(finding, "environment",
                           "opening it changes the floating-point environment, as files linked "
                           "with -ffast-math do: link without that option");
    return verify_environment("context_create", finding);
}

/* Checks that a second context, used and destroyed, leaves the first one unchanged. */
static int check_contexts(const struct verify_target *target, struct verify_finding *finding)
{
    const struct anydnn_plugin *plugin = target->backend->plugin;

    for (int i = 0; i < 3; i++) {
        struct anydnn_plugin_context *context = NULL;
        int32_t status;

        adn_load_error_clear();
        status = plugin->context_create(0, &context);
        if (status != 0 || context == NULL)
            return verify_note(finding, "context_create",
                               "context_create returned %d the %s time: %s", (int)status,
                               i == 0 ? "second" : "third", adn_load_error_text());
        if (context == target->context)
            return verify_note(finding, "context_create",
                               "context_create returned a context that is already in use");
        verify_environment_look("context_create");
        plugin->context_destroy(context);
        if (verify_environment("context_destroy", finding) != 0)
            return -1;
    }
    return 0;
}

void verify_description(const struct verify_target *target, struct verify_finding *finding)
{
    const struct anydnn_plugin *plugin = target->backend->plugin;

    if (check_exports(target, finding) != 0 || check_limits(plugin, finding) != 0 ||
        check_environment(target, finding) != 0)
        return;
    if (check_contexts(target, finding) == 0 && plugin->space_functions != NULL)
        verify_space(target, finding);
}

/* ---- one operation */

static int check_published(const struct anydnn_plugin_operation *operation,
                           struct verify_finding *finding)
{
    if (operation->types == 0 || operation->layouts == 0 || operation->maths == 0)
        return verify_note(finding, "description",
                           "it publishes no type, no layout or no math mode (types 0x%x, layouts "
                           "0x%x, maths 0x%x)",
                           operation->types, operation->layouts, operation->maths);
    if (operation->layouts > 0xf || operation->maths > 0xf)
        return verify_note(finding, "description",
                           "it publishes layouts 0x%x and maths 0x%x; plugin.h has four bits of "
                           "each",
                           operation->layouts, operation->maths);
    return 0;
}

/* Checks that a problem of an unpublished type is declined, with a sentence. */
static int check_unpublished(const struct verify_target *target, const struct adn_problem *problem,
                             struct verify_finding *finding)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_HALF,
                                    ANYDNN_PLUGIN_BFLOAT16};
    uint32_t published = target->backend->operation[problem->operation]->types;

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct adn_problem other = *problem;
        struct anydnn_plugin_problem view;
        struct verify_offers offers;

        if (published >> types[i] & 1)
            continue;
        for (int slot = 0; slot < ADN_SLOTS; slot++)
            if ((other.present >> slot & 1) && other.tensor[slot].type == problem->tensor[0].type)
                other.tensor[slot].type = types[i];
        adn_problem_view(&other, 0, &view);
        verify_ask(target, target->context, &view, &offers);
        if (offers.fault.check[0] != '\0') {
            *finding = offers.fault;
            return -1;
        }
        if (offers.reason == 0)
            return verify_note(finding, "description",
                               "it takes %s, which it does not publish among its types",
                               adn_type_name(types[i]));
    }
    return 0;
}

void verify_operation(const struct verify_target *target, int32_t operation,
                      const struct verify_sample *few, const struct verify_sample *many,
                      uint64_t seed, struct verify_finding *finding)
{
    struct verify_outcome alone;

    if (check_published(target->backend->operation[operation], finding) != 0 ||
        few->problem == NULL || check_unpublished(target, few->problem, finding) != 0)
        return;
    /* A failure in a single thread is reported by the problem's own case. */
    verify_problem(target, few->problem, few->values, ORACLE_INTEGERS, seed, &alone);
    if (alone.verdict == VERIFY_PASSED) {
        verify_streams(target, few->problem, few->values, seed, finding);
        verify_leaks(target, few->problem, few->values, seed, finding);
        verify_threads(target, few->problem, few->values, seed, finding);
    }
    verify_forks(target, many->problem, many->values, seed, finding);
}
