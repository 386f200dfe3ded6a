/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the backend under test and the oracle, each in its own registry. */
#include "tools/verify/checks/target.h"

#include <string.h>

#include "load/load.h"
#include "sys/process.h"
#include "tools/verify/verify.h"

/* Opens a file in its own registry, which is never freed. Two files may have the same name. */
static struct adn_backend *open_backend(struct adn_load_module *module,
                                        struct adn_registry **registry, const char *name,
                                        const char *path, char **settings)
{
    static const char *const no_folders[] = {NULL};
    struct adn_load_options options = {.folders = no_folders,
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

int verify_open(struct verify_target *target, const char *name, const char *path,
                const char *oracle_path, char **settings, const char **stage)
{
    static struct adn_load_module tested, known;
    static struct adn_registry *tested_registry, *known_registry;
    struct adn_backend *oracle = NULL;

    adn_process_watch();
    *stage = "";
    target->backend = open_backend(&tested, &tested_registry, name, path, settings);
    if (target->backend == NULL)
        return -1;
    *stage = adn_load_stage_name(target->backend->stage);
    if (target->backend->plugin == NULL)
        return -1;
    if (strcmp(oracle_path, path) == 0)
        oracle = target->backend;
    else if (oracle_path[0] != '\0')
        oracle = open_backend(&known, &known_registry, "cpu_ref", oracle_path, settings);
    adn_load_error_clear();
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
