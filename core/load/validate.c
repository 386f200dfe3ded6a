/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the rules that a description must keep before any other function of the backend is called.
 * Makes the normalised copy that the rest of the library uses. */
#include "load/validate.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/check_members.h"
#include "load/load.h"
#include "load/slot.h"
#include "sys/error.h"

/* The bytes up to and including a member. */
#define UP_TO(type, member) (offsetof(struct type, member) + sizeof(((struct type *)0)->member))

/* The least size of a structure: up to the last member that a backend must have. */
#define PLUGIN_LEAST    UP_TO(anydnn_plugin, context_destroy)
#define OPERATION_LEAST UP_TO(anydnn_plugin_operation, params_size)

/* Leaves space for operations that a later minor number adds. */
#define OPERATION_COUNT_MAX 1024

/* The most bytes of the errata that a backend publishes. */
#define ERRATA_MAX (1024 * 1024)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

int adn_load_name_valid(const char *name, size_t length)
{
    if (length == 0 || length > ANYDNN_PLUGIN_NAME_MAX)
        return 0;
    for (size_t i = 0; i < length; i++) {
        if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') ||
              name[i] == '_'))
            return 0;
    }
    return 1;
}

static int validate_name(struct adn_load_attempt *attempt)
{
    const struct adn_backend *backend = &attempt->slot->backend;
    const char *name = attempt->slot->plugin.name;

    if (adn_load_check_text(attempt, "name", name) != 0)
        return -1;
    if (!adn_load_name_valid(name, strlen(name)))
        return adn_load_refuse(
            attempt,
            "%s: its name is \"%.64s\"; a name must have 1 to %d characters of a-z, 0-9 and _",
            backend->path, name, ANYDNN_PLUGIN_NAME_MAX);
    if (strcmp(name, backend->name) != 0)
        return adn_load_refuse(
            attempt,
            "%s: its name is \"%s\", but it was looked up as \"%s\": a backend's file must be "
            "named anydnn_NAME.so, and its section [plugin NAME]",
            backend->path, name, backend->name);
    return 0;
}

static int validate_texts(struct adn_load_attempt *attempt)
{
    const struct anydnn_plugin *plugin = &attempt->slot->plugin;

    return adn_load_check_text(attempt, "vendor", plugin->vendor) != 0 ||
                   adn_load_check_text(attempt, "version", plugin->version) != 0 ||
                   adn_load_check_text(attempt, "build_id", plugin->build_id) != 0
               ? -1
               : 0;
}

/* Checks the optional members beyond the lists: the errata and the version of a library below. */
static int validate_library(struct adn_load_attempt *attempt)
{
    const struct anydnn_plugin *plugin = &attempt->slot->plugin;
    const struct adn_load_function functions[] = {ADN_LOAD_FUNCTION(plugin, library_version)};
    const char *path = attempt->slot->backend.path;

    if (plugin->errata && strnlen(plugin->errata, ERRATA_MAX + 1) > ERRATA_MAX)
        return adn_load_refuse(attempt, "%s: its errata are longer than %d bytes", path,
                               ERRATA_MAX);
    return adn_load_check_group(attempt, "its description", functions, COUNT_OF(functions));
}

static int validate_operation(struct adn_load_attempt *attempt, uint32_t position)
{
    struct adn_load_slot *slot = attempt->slot;
    const char *path = slot->backend.path;
    struct anydnn_plugin_operation copy;
    char what[64];

    snprintf(what, sizeof(what), "element %u of its operations", position);
    if (adn_load_copy(attempt, what, &copy, sizeof(copy), OPERATION_LEAST,
                      attempt->slot->plugin.operations[position]) != 0)
        return -1;
    if (copy.operation < 1)
        return adn_load_refuse(attempt, "%s: %s has the number %d; numbers start at 1", path, what,
                               copy.operation);
    snprintf(what, sizeof(what), "its operation %d", copy.operation);
    const struct adn_load_function functions[] = {
        ADN_LOAD_FUNCTION(&copy, candidates),
        ADN_LOAD_FUNCTION(&copy, plan_create),
        ADN_LOAD_FUNCTION(&copy, plan_execute),
        ADN_LOAD_FUNCTION(&copy, plan_destroy),
    };

    if (adn_load_check_functions(attempt, what, functions, COUNT_OF(functions)) != 0)
        return -1;
    if (copy.types == 0 || copy.layouts == 0 || copy.maths == 0)
        return adn_load_refuse(
            attempt,
            "%s: %s supports nothing: types 0x%x, layouts 0x%x, maths 0x%x; none of them may be 0",
            path, what, copy.types, copy.layouts, copy.maths);
    if (copy.operation >= ANYDNN_PLUGIN_OPERATION_END)
        return 0;
    if (copy.slots == 0)
        return adn_load_refuse(attempt,
                               "%s: %s has slots 0: set it to a bit for each operand of plugin.h, "
                               "and params_size to the size of its parameters",
                               path, what);
    if (slot->backend.operation[copy.operation])
        return adn_load_refuse(attempt, "%s: it lists operation %d twice", path, copy.operation);
    slot->operations[copy.operation] = copy;
    slot->backend.operation[copy.operation] = &slot->operations[copy.operation];
    return 0;
}

/* Checks the operations, except those whose number this library does not know. */
static int validate_operations(struct adn_load_attempt *attempt)
{
    struct adn_load_slot *slot = attempt->slot;
    struct anydnn_plugin *plugin = &slot->plugin;
    uint32_t known = 0;

    if (adn_load_check_array(attempt, "operations", plugin->operations, plugin->operation_count,
                             OPERATION_COUNT_MAX) != 0)
        return -1;
    for (uint32_t i = 0; i < plugin->operation_count; i++) {
        if (validate_operation(attempt, i) != 0)
            return -1;
    }
    for (int32_t i = 0; i < ANYDNN_PLUGIN_OPERATION_END; i++) {
        if (slot->backend.operation[i])
            slot->operation_list[known++] = slot->backend.operation[i];
    }
    if (known == 0)
        return adn_load_refuse(attempt, "%s: it lists no operation that this library knows",
                               slot->backend.path);
    plugin->operations = slot->operation_list;
    plugin->operation_count = known;
    return 0;
}

int adn_load_validate(struct adn_load_attempt *attempt)
{
    struct adn_load_slot *slot = attempt->slot;
    struct anydnn_plugin *plugin = &slot->plugin;

    if (adn_load_copy(attempt, "its description", plugin, sizeof(*plugin), PLUGIN_LEAST,
                      attempt->given) != 0)
        return -1;
    const struct adn_load_function functions[] = {
        ADN_LOAD_FUNCTION(plugin, context_create),
        ADN_LOAD_FUNCTION(plugin, context_destroy),
    };

    if (validate_name(attempt) != 0 || validate_texts(attempt) != 0 ||
        adn_load_validate_space(attempt) != 0 ||
        adn_load_check_functions(attempt, "its description", functions, COUNT_OF(functions)) != 0 ||
        validate_library(attempt) != 0 || validate_operations(attempt) != 0 ||
        adn_load_validate_lists(attempt) != 0)
        return -1;
    slot->backend.plugin = plugin;
    return 0;
}
