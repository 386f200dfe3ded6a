/* SPDX-License-Identifier: Apache-2.0 */
#include "load/check_members.h"

#include <string.h>

#include "load/dl.h"
#include "load/probe.h"

/* The most characters of a limit's or a description's text. */
#define CHECK_TEXT_MAX 1023

/* Larger than any structure of plugin.h may become: more is a field that was never set. */
#define CHECK_SIZE_MAX 65536

int adn_load_copy(struct adn_load_attempt *attempt, const char *what, void *copy, size_t size,
                  size_t least, const void *given)
{
    const char *path = attempt->slot->backend.path;
    uint32_t stated;

    if (!given)
        return adn_load_refuse(attempt, "%s: the pointer to %s is NULL", path, what);
    if ((uintptr_t)given % sizeof(void *) != 0 || !adn_load_readable(given, sizeof(stated)))
        return adn_load_refuse(attempt, "%s: %s is said to lie at %p, which is no readable memory",
                               path, what, given);
    memcpy(&stated, given, sizeof(stated));
    if (stated < least || stated > CHECK_SIZE_MAX)
        return adn_load_refuse(attempt,
                               "%s: %s states a struct_size of %u, where plugin ABI %d.%d needs at "
                               "least %zu: set it to sizeof its structure",
                               path, what, stated, ANYDNN_PLUGIN_ABI_MAJOR, ANYDNN_PLUGIN_ABI_MINOR,
                               least);
    size_t common = stated < size ? stated : size;

    if (!adn_load_readable(given, common))
        return adn_load_refuse(attempt, "%s: %s at %p is not readable over its struct_size of %u",
                               path, what, given, stated);
    memset(copy, 0, size);
    memcpy(copy, given, common);
    return 0;
}

int adn_load_check_functions(struct adn_load_attempt *attempt, const char *what,
                             const struct adn_load_function *functions, size_t count)
{
    const char *path = attempt->slot->backend.path;

    for (size_t i = 0; i < count; i++) {
        const void *address = (const void *)functions[i].address;

        if (!address)
            return adn_load_refuse(attempt, "%s: %s of %s is NULL; it must be a function", path,
                                   functions[i].name, what);
        if (!adn_load_dl_holds(attempt->object, address))
            return adn_load_refuse(
                attempt,
                "%s: %s of %s lies in %s, not in the backend's own file: hide the "
                "backend's symbols (-fvisibility=hidden and a version script)",
                path, functions[i].name, what, adn_load_dl_file(address));
    }
    return 0;
}

int adn_load_check_group(struct adn_load_attempt *attempt, const char *what,
                         const struct adn_load_function *functions, size_t count)
{
    const struct adn_load_function *there = NULL, *lacks = NULL;

    for (size_t i = count; i-- > 0;)
        *(functions[i].address ? &there : &lacks) = &functions[i];
    if (there && lacks)
        return adn_load_refuse(attempt,
                               "%s: %s of %s is NULL, and %s is not: a backend has both or neither",
                               attempt->slot->backend.path, lacks->name, what, there->name);
    return there ? adn_load_check_functions(attempt, what, functions, count) : 0;
}

int adn_load_check_text(struct adn_load_attempt *attempt, const char *what, const char *text)
{
    const char *path = attempt->slot->backend.path;

    if (!text)
        return adn_load_refuse(attempt, "%s: its %s is NULL; it must be a string", path, what);
    if (!adn_load_readable_text(text, CHECK_TEXT_MAX))
        return adn_load_refuse(attempt,
                               "%s: its %s at %p is no readable string of at most %d characters",
                               path, what, (const void *)text, CHECK_TEXT_MAX);
    return 0;
}

int adn_load_check_array(struct adn_load_attempt *attempt, const char *what, const void *array,
                         uint32_t count, uint32_t max)
{
    const char *path = attempt->slot->backend.path;

    if (count == 0 || count > max)
        return adn_load_refuse(attempt, "%s: it counts %u %s; 1 to %u make sense", path, count,
                               what, max);
    if ((uintptr_t)array % sizeof(void *) != 0 || !adn_load_readable(array, count * sizeof(void *)))
        return adn_load_refuse(
            attempt, "%s: its array of %u %s is said to lie at %p, which is no readable memory",
            path, count, what, array);
    return 0;
}
