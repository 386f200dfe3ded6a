/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the space of a description, its table of functions, and its convention. */
#include "load/validate.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "load/check_members.h"
#include "load/load.h"
#include "load/slot.h"

/* The last member that a table must have. */
#define SPACE_LEAST                                                                                \
    (offsetof(struct anydnn_plugin_space, poisoned) +                                              \
     sizeof(((struct anydnn_plugin_space *)0)->poisoned))

/* The most characters of a convention. */
#define CONVENTION_MAX 63

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static int check_required(struct adn_load_attempt *attempt, const struct anydnn_plugin_space *space)
{
    const struct adn_load_function functions[] = {
        ADN_LOAD_FUNCTION(space, device_count), ADN_LOAD_FUNCTION(space, device_current),
        ADN_LOAD_FUNCTION(space, device_name),  ADN_LOAD_FUNCTION(space, pointer_owner),
        ADN_LOAD_FUNCTION(space, memory_alloc), ADN_LOAD_FUNCTION(space, memory_free),
        ADN_LOAD_FUNCTION(space, memory_copy),  ADN_LOAD_FUNCTION(space, memory_set),
        ADN_LOAD_FUNCTION(space, synchronize),  ADN_LOAD_FUNCTION(space, stream_check),
        ADN_LOAD_FUNCTION(space, mark_create),  ADN_LOAD_FUNCTION(space, mark_record),
        ADN_LOAD_FUNCTION(space, mark_elapsed), ADN_LOAD_FUNCTION(space, mark_destroy),
        ADN_LOAD_FUNCTION(space, poisoned),
    };

    return adn_load_check_functions(attempt, "its space", functions, COUNT_OF(functions));
}

/* Checks the functions of which a space has all or none. */
static int check_groups(struct adn_load_attempt *attempt, const struct anydnn_plugin_space *space)
{
    const struct adn_load_function records[] = {
        ADN_LOAD_FUNCTION(space, record_begin),
        ADN_LOAD_FUNCTION(space, record_end),
        ADN_LOAD_FUNCTION(space, record_replay),
        ADN_LOAD_FUNCTION(space, record_destroy),
    };
    const struct adn_load_function streams[] = {
        ADN_LOAD_FUNCTION(space, stream_create),
        ADN_LOAD_FUNCTION(space, stream_destroy),
        ADN_LOAD_FUNCTION(space, stream_wait),
    };
    const struct adn_load_function memory[] = {ADN_LOAD_FUNCTION(space, host_alloc),
                                               ADN_LOAD_FUNCTION(space, host_free)};

    return adn_load_check_group(attempt, "its space", records, COUNT_OF(records)) != 0 ||
                   adn_load_check_group(attempt, "its space", streams, COUNT_OF(streams)) != 0 ||
                   adn_load_check_group(attempt, "its space", memory, COUNT_OF(memory)) != 0
               ? -1
               : 0;
}

/* Checks the optional functions that need no other. */
static int check_alone(struct adn_load_attempt *attempt, const struct anydnn_plugin_space *space)
{
    const struct adn_load_function alone[] = {
        ADN_LOAD_FUNCTION(space, device_identity), ADN_LOAD_FUNCTION(space, memory_copy_async),
        ADN_LOAD_FUNCTION(space, count_special),   ADN_LOAD_FUNCTION(space, flush),
        ADN_LOAD_FUNCTION(space, native),          ADN_LOAD_FUNCTION(space, pointer_resolve),
        ADN_LOAD_FUNCTION(space, adopt),           ADN_LOAD_FUNCTION(space, memory_import),
    };

    for (size_t i = 0; i < COUNT_OF(alone); i++)
        if (adn_load_check_group(attempt, "its space", &alone[i], 1) != 0)
            return -1;
    return 0;
}

static int check_table(struct adn_load_attempt *attempt)
{
    struct anydnn_plugin_space *space = &attempt->slot->space;
    int needs_streams;

    if (adn_load_copy(attempt, "its table of space functions", space, sizeof(*space), SPACE_LEAST,
                      attempt->slot->plugin.space_functions) != 0 ||
        check_required(attempt, space) != 0 || check_groups(attempt, space) != 0 ||
        check_alone(attempt, space) != 0)
        return -1;
    needs_streams = (space->flags & ANYDNN_PLUGIN_SPACE_NO_DEFAULT_STREAM) || space->adopt;
    if (needs_streams && !space->stream_create)
        return adn_load_refuse(attempt,
                               "%s: its space has no stream_create, but %s: provide the three "
                               "functions of streams",
                               attempt->slot->backend.path,
                               space->adopt ? "it has adopt" : "it has no default stream");
    attempt->slot->plugin.space_functions = space;
    return 0;
}

/* Compares the convention with that of the live backends of the space. */
static int check_convention(struct adn_load_attempt *attempt)
{
    const struct adn_backend *backend = &attempt->slot->backend;
    const struct anydnn_plugin *plugin = &attempt->slot->plugin;
    const char *convention = plugin->space_convention;

    if (!convention || convention[0] == '\0' ||
        strnlen(convention, CONVENTION_MAX + 1) > CONVENTION_MAX)
        return adn_load_refuse(
            attempt,
            "%s: its space is \"%s\", and its space_convention is %s; it must have 1 to %d "
            "characters, such as \"opencl/svm-1\"",
            backend->path, plugin->space,
            !convention     ? "NULL"
            : convention[0] ? "longer"
                            : "empty",
            CONVENTION_MAX);
    for (int32_t i = 0; i < backend->registry->count; i++) {
        const struct adn_backend *other = backend->registry->backend[i];

        if (atomic_load_explicit(&other->stage, memory_order_acquire) == ADN_LOAD_LIVE &&
            strcmp(other->plugin->space, plugin->space) == 0 &&
            strcmp(other->plugin->space_convention, convention) != 0)
            return adn_load_refuse(attempt,
                                   "%s: its convention of the space `%s` is \"%s\", but that of "
                                   "the live backend %s is \"%s\": use only one of them, or "
                                   "versions that agree",
                                   backend->path, plugin->space, convention, other->name,
                                   other->plugin->space_convention);
    }
    return 0;
}

/* "cpu" and "auto" are words of the device setting and cannot name a space. */
int adn_load_validate_space(struct adn_load_attempt *attempt)
{
    const struct anydnn_plugin *plugin = &attempt->slot->plugin;
    const char *path = attempt->slot->backend.path;

    if (adn_load_check_text(attempt, "space", plugin->space) != 0)
        return -1;
    if (!adn_load_name_valid(plugin->space, strlen(plugin->space)) ||
        strcmp(plugin->space, "cpu") == 0 || strcmp(plugin->space, "auto") == 0)
        return adn_load_refuse(attempt,
                               "%s: its space is \"%.64s\"; a space must have 1 to %d characters "
                               "of a-z, 0-9 and _, and must not be \"cpu\" or \"auto\"",
                               path, plugin->space, ANYDNN_PLUGIN_NAME_MAX);
    if (strcmp(plugin->space, "host") == 0) {
        if (plugin->space_functions)
            return adn_load_refuse(attempt,
                                   "%s: it provides space_functions for the space \"host\", which "
                                   "belongs to the library: set them to NULL",
                                   path);
        return 0;
    }
    if (plugin->space_functions && check_table(attempt) != 0)
        return -1;
    return check_convention(attempt);
}
