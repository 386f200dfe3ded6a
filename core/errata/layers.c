/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of the layers: the folders of the system, the user and ANYDNN_CONFIG. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "errata/list.h"
#include "errata/read.h"
#include "sys/env.h"
#include "sys/error.h"
#include "sys/files.h"
#include "sys/log.h"
#include "sys/text.h"

#define FILE_LIMIT (1024 * 1024)

/* The value `none` of the setting user_config. */
#define USER_CONFIG_NONE 0

/* Decides whether the file is read, and what its entries may do. Returns 0, or -1 with `error`. */
static int check_trust(const char *path, const struct stat *status, int *only_adds, char *error,
                       size_t size)
{
    char word[ADN_QUOTED_MAX], cause[400];
    unsigned loose = status->st_mode & (S_IWGRP | S_IWOTH);

    *only_adds = adn_env_privileged() || (status->st_uid != geteuid() && status->st_uid != 0);
    if (!S_ISREG(status->st_mode))
        return 0;
    if (adn_env_privileged()) {
        if (!loose && status->st_uid == 0 && adn_file_root_only(path, cause, sizeof(cause)) == 0)
            return 0;
        snprintf(error, size,
                 "%s: is not read by a privileged process, since others than root can "
                 "change it",
                 path);
        return -1;
    }
    if (loose)
        adn_warn("%s: its group or others can write it (mode %04o): chmod go-w %s", path,
                 (unsigned)status->st_mode & 07777, adn_text_quoted(path, word, sizeof(word)));
    return 0;
}

/* Reads a file. Returns 0, or -1 with `error`. */
static int read_file(struct adn_errata *errata, const char *path, enum adn_layer layer, char *error,
                     size_t error_size)
{
    struct adn_errata_text from = {.path = path, .layer = layer};
    char reason[400];
    struct stat status;
    int descriptor = adn_file_open(path, &status, reason, sizeof(reason));
    char *text = descriptor >= 0 ? malloc(FILE_LIMIT + 1) : NULL;
    ssize_t size = text ? adn_file_read_all(descriptor, text, FILE_LIMIT + 1) : -1;
    int result = -1;

    if (descriptor < 0 || !text || size < 0) {
        adn_shortage(errno);
        snprintf(error, error_size, "%s: %s", path, descriptor < 0 ? reason : strerror(errno));
    } else if (size > FILE_LIMIT) {
        snprintf(error, error_size, "%s: longer than %d bytes", path, FILE_LIMIT);
    } else if (check_trust(path, &status, &from.only_adds, error, error_size) == 0) {
        from.text = text;
        from.size = (size_t)size;
        result = adn_errata_read(&from, adn_errata_add, errata, error, error_size);
    }
    free(text);
    if (descriptor >= 0)
        close(descriptor);
    return result;
}

static int is_ini(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return entry->d_name[0] != '.' && dot && strcmp(dot, ".ini") == 0;
}

static int by_bytes(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

/* Reads the files of a folder in the order of their names. A folder that does not exist is
 * empty. */
static void read_folder(struct adn_errata *errata, const char *folder, enum adn_layer layer)
{
    struct dirent **names = NULL;
    int count = folder ? scandir(folder, &names, is_ini, by_bytes) : 0;

    if (count < 0 && errno != ENOENT && errno != ENOTDIR) {
        adn_shortage(errno);
        errata->dropped++;
        adn_warn("%s: the folder cannot be read: %s", folder, strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX], error[PATH_MAX + 500];

        if (snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name) < (int)sizeof(path) &&
            read_file(errata, path, layer, error, sizeof(error)) != 0) {
            errata->dropped++;
            adn_warn("%s; the whole file is ignored until that is mended", error);
        }
        free(names[i]);
    }
    free(names);
}

struct adn_errata *adn_errata_load_from(const struct adn_errata_sources *sources)
{
    struct adn_errata *errata = calloc(1, sizeof(*errata));

    if (!errata) {
        adn_shortage(ENOMEM);
        return NULL;
    }
    read_folder(errata, sources->system_folder, ADN_LAYER_SYSTEM);
    read_folder(errata, sources->user_folder, ADN_LAYER_USER);
    read_folder(errata, sources->config_folder, ADN_LAYER_CONFIG);
    adn_errata_supersede(errata);
    return errata;
}

/* Writes the folder errata.d beside a file. Returns NULL if there is no file. */
static const char *beside(const char *file, char *path, size_t size)
{
    const char *slash = file && file[0] == '/' ? strrchr(file, '/') : NULL;

    return slash && snprintf(path, size, "%.*s/errata.d", (int)(slash - file), file) < (int)size
               ? path
               : NULL;
}

struct adn_errata *adn_errata_load(const struct adn_settings *settings)
{
    enum { SYSTEM, USER_FILE, USER, CONFIG, PATHS };
    /* Stacks may be small. */
    char(*path)[PATH_MAX] = malloc(PATHS * sizeof(*path));
    struct adn_errata_sources sources = {.system_folder = NULL};
    struct adn_errata *errata;

    if (!path) {
        adn_shortage(ENOMEM);
        return NULL;
    }
    if (snprintf(path[SYSTEM], PATH_MAX, "%s/errata.d", adn_settings_sysconfdir()) < PATH_MAX)
        sources.system_folder = path[SYSTEM];
    if (settings->user_config != USER_CONFIG_NONE)
        sources.user_folder =
            beside(adn_settings_user_file(path[USER_FILE], PATH_MAX), path[USER], PATH_MAX);
    sources.config_folder =
        beside(adn_env_get("ANYDNN_CONFIG", ADN_ENV_PATH), path[CONFIG], PATH_MAX);
    errata = adn_errata_load_from(&sources);
    free(path);
    return errata;
}
