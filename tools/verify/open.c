/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the backend under test and the oracle, each in its own registry. */
#include "tools/verify/checks/target.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "load/load.h"
#include "sys/process.h"
#include "tools/verify/verify.h"

/* Opens a file in its own registry, which is never freed. Two files may have the same name. The
 * backend that owns the space of the file may be in one of the folders. */
static struct adn_backend *open_backend(struct adn_load_module *module,
                                        struct adn_registry **registry, const char *name,
                                        const char *path, const char *const *folders,
                                        char **settings)
{
    struct adn_load_options options = {.folders = folders,
                                       .modules = module,
                                       .module_count = 1,
                                       .setting = verify_setting,
                                       .errata = verify_errata_verdicts,
                                       .cookie = settings};
    struct adn_backend *backend;

    module->name = name;
    module->module = path;
    module->origin = "anydnn verify";
    *registry = adn_load_registry(&options);
    backend = *registry != NULL ? adn_load_find(*registry, name) : NULL;
    if (backend != NULL)
        adn_load_open(backend);
    return backend;
}

/* Finds the table of the space in which the backend works. Returns 0, or -1 after a message. */
static int find_space(struct verify_target *target)
{
    const struct anydnn_plugin *plugin = target->backend->plugin;
    const struct adn_backend *owner = adn_load_owner(target->backend->registry, plugin->space);
    char text[300];

    target->space = owner != NULL ? owner->plugin->space_functions : NULL;
    if (target->space != NULL || strcmp(plugin->space, "host") == 0)
        return 0;
    snprintf(text, sizeof(text),
             "it has no functions for its space %s, and neither its folder nor cpu_ref's has the "
             "backend %s that owns the space",
             plugin->space, plugin->space);
    adn_load_error_set(text);
    return -1;
}

/* Writes the folder of a file. Returns NULL if the path is too long or has none. */
static const char *folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL || (size_t)(slash - path) >= size)
        return NULL;
    snprintf(folder, size, "%.*s", (int)(slash - path), path);
    return folder;
}

int verify_open(struct verify_target *target, const char *name, const char *path,
                const char *oracle_path, char **settings, const char **stage)
{
    static struct adn_load_module tested, known;
    static struct adn_registry *tested_registry, *known_registry;
    static char own[PATH_MAX], oracles[PATH_MAX];
    static const char *folders[3];
    struct adn_backend *oracle = NULL;
    int count = 0;

    if ((folders[count] = folder_of(path, own, sizeof(own))) != NULL)
        count++;
    folders[count] = folder_of(oracle_path, oracles, sizeof(oracles));
    adn_process_watch();
    *stage = "";
    target->backend = open_backend(&tested, &tested_registry, name, path, folders, settings);
    if (target->backend == NULL)
        return -1;
    *stage = adn_load_stage_name(target->backend->stage);
    if (target->backend->plugin == NULL)
        return -1;
    if (strcmp(oracle_path, path) == 0)
        oracle = target->backend;
    else if (oracle_path[0] != '\0')
        oracle = open_backend(&known, &known_registry, "cpu_ref", oracle_path, folders, settings);
    adn_load_error_clear();
    *stage = "space";
    if (find_space(target) != 0)
        return -1;
    *stage = "context";
    if (target->backend->plugin->context_create(0, &target->context) != 0 ||
        target->context == NULL)
        return -1;
    verify_environment_look("context_create");
    if (verify_errata_open(target) != 0)
        return -1;
    if (oracle != NULL && oracle->plugin != NULL &&
        oracle->plugin->context_create(0, &target->reference.context) == 0) {
        target->reference.backend = oracle;
        target->oracle.run = oracle_run_backend;
        target->oracle.own = &target->reference;
    }
    return 0;
}

void verify_close(struct verify_target *target)
{
    target->backend->plugin->context_destroy(target->context);
    if (target->reference.context != NULL)
        target->reference.backend->plugin->context_destroy(target->reference.context);
}
