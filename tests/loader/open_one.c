/* SPDX-License-Identifier: Apache-2.0 */
/* open_one FOLDER NAME [VALUE]: opens one backend and prints whether the process is privileged,
 * the backend's stage, and the reason. With VALUE it also prints what the backend receives for
 * `set.library` when the settings contain that value. Tests use it when they need a different
 * kind of process. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "load/load.h"
#include "sys/env.h"

static const char *setting(void *cookie, const char *backend, const char *key, uint32_t kind)
{
    (void)backend;
    (void)kind;
    return strcmp(key, "library") == 0 ? cookie : NULL;
}

int main(int argc, char **argv)
{
    const char *folders[] = {argc > 1 ? argv[1] : NULL, NULL};
    struct adn_load_options options = {.folders = folders};

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: open_one FOLDER NAME [VALUE]\n");
        return 2;
    }
    options.setting = setting;
    options.cookie = argv[3];
    struct adn_registry *registry = adn_load_registry(&options);
    struct adn_backend *backend = registry ? adn_load_find(registry, argv[2]) : NULL;

    if (!backend) {
        fprintf(stderr, "open_one: no backend %s in %s\n", argv[2], argv[1]);
        return 1;
    }
    adn_load_open(backend);
    printf("privileged %d\nstage %s\nreason %s\n", adn_env_privileged(),
           adn_load_stage_name(backend->stage), backend->reason ? backend->reason : "none");
    if (argc > 3) {
        const char *value = backend->host.setting(&backend->host, "library");

        printf("library %s\n", value ? value : "none");
    }
    fflush(stdout);
    adn_load_registry_free(registry);
    /* A sanitizer's leak check, which exit runs, fails in a process with raised privileges. */
    _exit(0);
}
