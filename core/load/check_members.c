/* SPDX-License-Identifier: Apache-2.0 */
#include "load/check_members.h"

#include <string.h>

#include "load/dl.h"

/* The most characters of a string in a description. */
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
    if ((uintptr_t)given % sizeof(void *) != 0)
        return adn_load_refuse(attempt, "%s: %s is at %p, which is not a multiple of %zu", path,
                               what, given, sizeof(void *));
    memcpy(&stated, given, sizeof(stated));
    if (stated < least || stated > CHECK_SIZE_MAX)
        return adn_load_refuse(attempt,
                               "%s: %s has struct_size %u; plugin ABI %d.%d needs at least %zu: "
                               "set it to sizeof the structure",
                               path, what, stated, ANYDNN_PLUGIN_ABI_MAJOR, ANYDNN_PLUGIN_ABI_MINOR,
                               least);
    size_t common = stated < size ? stated : size;

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
            return adn_load_refuse(attempt,
                                   "%s: %s of %s is in %s, not in the backend's own file: hide the "
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
        return adn_load_refuse(
            attempt, "%s: %s of %s is NULL, but %s is not: a backend must have both or neither",
            attempt->slot->backend.path, lacks->name, what, there->name);
    return there ? adn_load_check_functions(attempt, what, functions, count) : 0;
}

int adn_load_check_text(struct adn_load_attempt *attempt, const char *what, const char *text)
{
    const char *path = attempt->slot->backend.path;

    if (!text)
        return adn_load_refuse(attempt, "%s: its %s is NULL; it must be a string", path, what);
    if (strnlen(text, CHECK_TEXT_MAX + 1) > CHECK_TEXT_MAX)
        return adn_load_refuse(attempt, "%s: its %s is longer than %d characters: \"%.64s...\"",
                               path, what, CHECK_TEXT_MAX, text);
    return 0;
}

int adn_load_check_array(struct adn_load_attempt *attempt, const char *what, const void *array,
                         uint32_t count, uint32_t max)
{
    const char *path = attempt->slot->backend.path;

    if (count == 0 || count > max)
        return adn_load_refuse(attempt, "%s: it has %u %s; the number must be 1 to %u", path, count,
                               what, max);
    if (!array)
        return adn_load_refuse(attempt, "%s: its array of %u %s is NULL", path, count, what);
    if ((uintptr_t)array % sizeof(void *) != 0)
        return adn_load_refuse(attempt,
                               "%s: its array of %u %s is at %p, which is not a multiple of %zu",
                               path, count, what, array, sizeof(void *));
    return 0;
}
