/* SPDX-License-Identifier: Apache-2.0 */
/* Locates the backends and the system's settings: where they were configured, or, if the library
 * itself was moved, at the same place relative to it. */
#include "settings/paths.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"
#include "sys/process.h"

static char plugindir[PATH_MAX];
static char sysconfdir[PATH_MAX];

/* Returns the length of the beginning that two paths share, in whole components. */
static size_t shared_length(const char *a, const char *b)
{
    size_t shared = 0;

    for (size_t i = 0;; i++) {
        int a_ends = a[i] == '\0' || a[i] == '/';
        int b_ends = b[i] == '\0' || b[i] == '/';

        if (a_ends && b_ends)
            shared = i;
        if (a[i] != b[i] || a[i] == '\0')
            return shared;
    }
}

void adn_path_relocate(char *path, size_t size, const char *configured, const char *from,
                       const char *to)
{
    size_t shared = shared_length(configured, from);
    size_t kept = strlen(to);

    for (const char *c = from + shared; *c != '\0'; c++) {
        if (*c != '/' || c[1] == '\0' || c[1] == '/')
            continue;
        while (kept > 0 && to[kept - 1] != '/')
            kept--;
        while (kept > 0 && to[kept - 1] == '/')
            kept--;
    }
    snprintf(path, size, "%.*s%s", (int)kept, to, configured + shared);
}

static void locate_paths(void)
{
    char configured[PATH_MAX], own[PATH_MAX];
    const char *library = adn_process_library_path();
    const char *slash = library != NULL ? strrchr(library, '/') : NULL;

    snprintf(plugindir, sizeof(plugindir), "%s", ANYDNN_PLUGINDIR);
    snprintf(sysconfdir, sizeof(sysconfdir), "%s", ANYDNN_SYSCONFDIR);
    if (slash == NULL)
        return;
    snprintf(own, sizeof(own), "%.*s", (int)(slash - library), library);
    if (realpath(ANYDNN_LIBDIR, configured) != NULL && strcmp(own, configured) == 0)
        return;
    adn_path_relocate(plugindir, sizeof(plugindir), ANYDNN_PLUGINDIR, ANYDNN_LIBDIR, own);
    adn_path_relocate(sysconfdir, sizeof(sysconfdir), ANYDNN_SYSCONFDIR, ANYDNN_LIBDIR, own);
}

static void locate_paths_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, locate_paths);
}

const char *adn_settings_plugindir(void)
{
    locate_paths_once();
    return plugindir;
}

const char *adn_settings_sysconfdir(void)
{
    locate_paths_once();
    return sysconfdir;
}
