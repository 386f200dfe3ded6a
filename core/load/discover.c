/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the backends: the files anydnn_NAME.so of the folders, and those that the settings name. */
#include "load/discover.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "load/host.h"
#include "load/slot.h"
#include "load/validate.h"
#include "sys/error.h"
#include "sys/log.h"

#define FILE_PREFIX "anydnn_"
#define FILE_SUFFIX ".so"

struct discovery {
    struct adn_registry *registry;
    int32_t capacity;  /* of registry->backend */
    int32_t sentences; /* in registry->unreadable */
    int out_of_memory;
};

static char *discover_print(struct discovery *discovery, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static char *discover_print(struct discovery *discovery, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
        discovery->out_of_memory = 1;
    }
    va_end(arguments);
    return text;
}

/* Keeps a sentence about a skipped file or folder, and takes ownership of it. */
static void discover_complain(struct discovery *discovery, char *sentence)
{
    struct adn_registry *registry = discovery->registry;
    char **more = realloc(registry->unreadable, ((size_t)discovery->sentences + 2) * sizeof(*more));

    if (more)
        registry->unreadable = more;
    if (!more || !sentence) {
        discovery->out_of_memory = 1;
        free(sentence);
        return;
    }
    more[discovery->sentences++] = sentence;
    more[discovery->sentences] = NULL;
}

static struct adn_load_slot *discover_named(const struct discovery *discovery, const char *name,
                                            size_t length)
{
    const struct adn_registry *registry = discovery->registry;

    for (int32_t i = 0; i < registry->count; i++) {
        if (strlen(registry->backend[i]->name) == length &&
            memcmp(registry->backend[i]->name, name, length) == 0)
            return (struct adn_load_slot *)(void *)registry->backend[i];
    }
    return NULL;
}

/* Adds a backend of that name, and takes ownership of the path. */
static struct adn_load_slot *discover_add(struct discovery *discovery, const char *name,
                                          size_t length, char *path)
{
    struct adn_registry *registry = discovery->registry;
    struct adn_load_slot *slot = calloc(1, sizeof(*slot));

    if (slot && registry->count == discovery->capacity) {
        int32_t capacity = discovery->capacity ? 2 * discovery->capacity : 16;
        struct adn_backend **more = realloc(registry->backend, (size_t)capacity * sizeof(*more));

        if (more) {
            registry->backend = more;
            discovery->capacity = capacity;
        }
    }
    if (!slot || registry->count == discovery->capacity) {
        discovery->out_of_memory = 1;
        free(slot);
        free(path);
        return NULL;
    }
    memcpy(slot->backend.name, name, length);
    slot->backend.path = path;
    slot->backend.registry = registry;
    slot->backend.stage = ADN_LOAD_KNOWN;
    adn_load_host_init(&slot->backend);
    registry->backend[registry->count++] = &slot->backend;
    return slot;
}

static void discover_file(struct discovery *discovery, const char *folder, const char *file)
{
    size_t length = strlen(file);
    size_t prefix = strlen(FILE_PREFIX);
    size_t suffix = strlen(FILE_SUFFIX);

    if (length < prefix + suffix || strncmp(file, FILE_PREFIX, prefix) != 0 ||
        strcmp(file + length - suffix, FILE_SUFFIX) != 0)
        return;
    const char *name = file + prefix;
    size_t name_length = length - prefix - suffix;

    if (!adn_load_name_valid(name, name_length)) {
        discover_complain(
            discovery,
            discover_print(discovery,
                           "%s/%s is ignored: a backend's file must be named anydnn_NAME.so; NAME "
                           "has 1 to %d characters of a-z, 0-9 and _",
                           folder, file, ANYDNN_PLUGIN_NAME_MAX));
        return;
    }
    const struct adn_load_slot *first = discover_named(discovery, name, name_length);

    if (first) {
        adn_debug("%s/%s is ignored: %s is found first", folder, file, first->backend.path);
        return;
    }
    char *path = discover_print(discovery, "%s/%s", folder, file);

    if (path)
        discover_add(discovery, name, name_length, path);
}

static void discover_folder(struct discovery *discovery, const char *folder)
{
    if (folder[0] != '/') {
        discover_complain(
            discovery,
            discover_print(discovery,
                           "the plugin folder \"%s\" is ignored: it must be an absolute path",
                           folder));
        return;
    }
    DIR *stream = opendir(folder);
    const struct dirent *entry;

    if (!stream) {
        int cause = errno;

        adn_shortage(cause);
        discover_complain(discovery,
                          discover_print(discovery,
                                         "the plugin folder %s cannot be read: %s: install "
                                         "backends there, or set plugin_path to their folder",
                                         folder, strerror(cause)));
        return;
    }
    while ((entry = readdir(stream)) != NULL)
        discover_file(discovery, folder, entry->d_name);
    closedir(stream);
}

/* Returns 1 if anything has that name, even a dangling link. */
static int discover_exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* Sets the final stage of a backend that will not be opened. */
static void discover_end(struct adn_load_slot *slot, int32_t stage, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void discover_end(struct adn_load_slot *slot, int32_t stage, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(slot->reason, sizeof(slot->reason), format, arguments);
    va_end(arguments);
    slot->backend.reason = slot->reason;
    slot->backend.stage = stage;
}

/* Returns the file that a module names: an absolute path as it is, else the file in the first
 * folder that has it. */
static char *discover_module_path(struct discovery *discovery, const char *file)
{
    const char *const *folders = discovery->registry->options.folders;

    if (file[0] == '/')
        return discover_exists(file) ? discover_print(discovery, "%s", file) : NULL;
    if (strchr(file, '/'))
        return NULL;
    for (; folders && *folders; folders++) {
        char *path =
            (*folders)[0] == '/' ? discover_print(discovery, "%s/%s", *folders, file) : NULL;

        if (path && discover_exists(path))
            return path;
        free(path);
    }
    return NULL;
}

static void discover_missing(struct discovery *discovery, struct adn_load_slot *slot,
                             const struct adn_load_module *module)
{
    const char *origin = module->origin ? module->origin : "a setting";
    const char *const *folders = discovery->registry->options.folders;
    char list[ADN_LOAD_REASON_MAX / 2];
    size_t used = 0;

    if (module->module && module->module[0] == '/') {
        discover_end(slot, ADN_LOAD_MISSING, "%s, named by %s, does not exist", module->module,
                     origin);
        return;
    }
    if (module->module && strchr(module->module, '/')) {
        discover_end(slot, ADN_LOAD_MISSING,
                     "module = %s (%s) is neither a file name nor an absolute path", module->module,
                     origin);
        return;
    }
    list[0] = 0;
    for (; folders && *folders && used < sizeof(list); folders++)
        used +=
            (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "", *folders);
    discover_end(slot, ADN_LOAD_MISSING,
                 "backend %s, named by %s, is not installed: no file %s%s%s in %s", module->name,
                 origin, module->module ? module->module : FILE_PREFIX,
                 module->module ? "" : module->name, module->module ? "" : FILE_SUFFIX,
                 used ? list : "any folder");
}

static void discover_module(struct discovery *discovery, const struct adn_load_module *module)
{
    size_t length = strlen(module->name);
    const char *origin = module->origin ? module->origin : "a setting";

    if (!adn_load_name_valid(module->name, length)) {
        discover_complain(discovery,
                          discover_print(discovery,
                                         "the backend \"%s\" of %s is ignored: a name must have 1 "
                                         "to %d characters of a-z, 0-9 and _",
                                         module->name, origin, ANYDNN_PLUGIN_NAME_MAX));
        return;
    }
    struct adn_load_slot *slot = discover_named(discovery, module->name, length);

    if (!slot)
        slot = discover_add(discovery, module->name, length, NULL);
    if (!slot)
        return;
    if (module->module) {
        free(slot->backend.path);
        slot->backend.path = discover_module_path(discovery, module->module);
    }
    slot->backend.stage = ADN_LOAD_KNOWN;
    slot->backend.reason = NULL;
    if (module->disabled)
        discover_end(slot, ADN_LOAD_DISABLED, "backend %s is disabled by %s (enable = no)",
                     module->name, origin);
    else if (!slot->backend.path)
        discover_missing(discovery, slot, module);
}

static int discover_order(const void *left, const void *right)
{
    const struct adn_backend *const *a = left;
    const struct adn_backend *const *b = right;

    return strcmp((*a)->name, (*b)->name);
}

int adn_load_discover(struct adn_registry *registry)
{
    struct discovery discovery = {.registry = registry};
    const struct adn_load_options *options = &registry->options;

    registry->unreadable = calloc(1, sizeof(*registry->unreadable));
    if (!registry->unreadable)
        return -1;
    for (const char *const *folder = options->folders; folder && *folder; folder++)
        discover_folder(&discovery, *folder);
    for (int32_t i = 0; i < options->module_count; i++)
        discover_module(&discovery, &options->modules[i]);
    if (discovery.out_of_memory)
        return -1;
    if (registry->count > 1)
        qsort(registry->backend, (size_t)registry->count, sizeof(*registry->backend),
              discover_order);
    for (int32_t i = 0; i < registry->count; i++)
        registry->backend[i]->index = i;
    return 0;
}
