/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the layers of errata: what backends publish, and the folders of the system, the user and
 * ANYDNN_CONFIG. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "errata/errata.h"
#include "errata/pattern.h"
#include "errata/read.h"
#include "problem/operation.h"
#include "sys/env.h"
#include "sys/error.h"
#include "sys/files.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/text.h"

#define FILE_LIMIT (1024 * 1024)

struct adn_errata {
    struct adn_erratum **entry; /* in the order of layers */
    int count;
    int dropped;
    struct published {
        struct published *next;
        char backend[ADN_NAME_MAX + 1];
    } * published; /* the backends whose lists were added */
};

/* Guards every list: backends that are opened later add entries. */
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void guard(void)
{
    adn_process_fork_waits(&lock);
}

static void enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, guard);
    pthread_mutex_lock(&lock);
}

/* ---- entries */

/* Marks entries that a later one of the same id replaces. Entries of files that may only add
 * replace nothing. */
static void supersede(struct adn_errata *errata)
{
    for (int i = 0; i < errata->count; i++) {
        struct adn_erratum *earlier = errata->entry[i];

        earlier->superseded = earlier->verdict == ADN_ERRATUM_NONE;
        for (int k = i + 1; k < errata->count; k++)
            earlier->superseded |=
                !errata->entry[k]->only_adds && strcmp(errata->entry[k]->id, earlier->id) == 0;
    }
}

/* Adds an entry behind those of its layer and of earlier ones. */
static int add(void *cookie, struct adn_erratum *erratum)
{
    struct adn_errata *errata = cookie;
    struct adn_erratum **grown =
        realloc(errata->entry, ((size_t)errata->count + 1) * sizeof(*grown));
    int at = errata->count;

    if (!grown) {
        adn_erratum_free(erratum);
        return -1;
    }
    errata->entry = grown;
    while (at > 0 && grown[at - 1]->layer > erratum->layer) {
        grown[at] = grown[at - 1];
        at--;
    }
    grown[at] = erratum;
    errata->count++;
    return 0;
}

/* ---- files */

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

/* Reads all bytes, or one more than the limit. Returns -1 with errno on failure. */
static ssize_t read_all(int descriptor, char *text)
{
    size_t size = 0;
    ssize_t got = 1;

    while (got != 0 && size <= FILE_LIMIT) {
        got = read(descriptor, text + size, FILE_LIMIT + 1 - size);
        if (got < 0 && errno != EINTR)
            return -1;
        size += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)size;
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
    ssize_t size = text ? read_all(descriptor, text) : -1;
    int result = -1;

    if (descriptor < 0 || !text || size < 0) {
        adn_shortage(errno);
        snprintf(error, error_size, "%s: %s", path, descriptor < 0 ? reason : strerror(errno));
    } else if (size > FILE_LIMIT) {
        snprintf(error, error_size, "%s: longer than %d bytes", path, FILE_LIMIT);
    } else if (check_trust(path, &status, &from.only_adds, error, error_size) == 0) {
        from.text = text;
        from.size = (size_t)size;
        result = adn_errata_read(&from, add, errata, error, error_size);
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
    supersede(errata);
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
    enum { USER_CONFIG_NONE, USER_CONFIG_MERGE, USER_CONFIG_ONLY };
    char system[PATH_MAX], user_file[PATH_MAX], user[PATH_MAX], config[PATH_MAX];
    struct adn_errata_sources sources = {
        .user_folder =
            beside(adn_settings_user_file(user_file, sizeof(user_file)), user, sizeof(user)),
        .config_folder = beside(adn_env_get("ANYDNN_CONFIG", ADN_ENV_PATH), config, sizeof(config)),
    };

    if (snprintf(system, sizeof(system), "%s/errata.d", adn_settings_sysconfdir()) <
        (int)sizeof(system))
        sources.system_folder = system;
    if (settings->user_config == USER_CONFIG_NONE)
        sources.user_folder = NULL;
    return adn_errata_load_from(&sources);
}

void adn_errata_free(struct adn_errata *errata)
{
    for (int i = 0; errata && i < errata->count; i++)
        adn_erratum_free(errata->entry[i]);
    while (errata && errata->published) {
        struct published *next = errata->published->next;

        free(errata->published);
        errata->published = next;
    }
    if (errata)
        free(errata->entry);
    free(errata);
}

int adn_errata_dropped(const struct adn_errata *errata)
{
    return errata->dropped;
}

/* ---- what backends publish */

struct publishing {
    struct adn_errata *errata;
    const char *backend;
};

static int add_published(void *cookie, struct adn_erratum *erratum)
{
    struct publishing *publishing = cookie;

    if (strcmp(erratum->text[ADN_ERRATUM_BACKEND] ? erratum->text[ADN_ERRATUM_BACKEND] : "",
               publishing->backend) == 0)
        return add(publishing->errata, erratum);
    adn_warn("erratum %s that %s publishes is skipped: it is not for that backend", erratum->id,
             publishing->backend);
    adn_erratum_free(erratum);
    return 0;
}

/* Notes that a backend's list is added. Returns 0 if it was before, or if memory is out. */
static int note_published(struct adn_errata *errata, const char *backend)
{
    struct published *note = errata->published;

    while (note && strcmp(note->backend, backend) != 0)
        note = note->next;
    if (note)
        return 0;
    note = calloc(1, sizeof(*note));
    if (!note) {
        adn_shortage(ENOMEM);
        return 0;
    }
    snprintf(note->backend, sizeof(note->backend), "%s", backend);
    note->next = errata->published;
    errata->published = note;
    return 1;
}

void adn_errata_publish(struct adn_errata *errata, const char *backend, const char *text)
{
    struct publishing publishing = {errata, backend};
    char path[64], error[600];
    struct adn_errata_text from = {
        .path = path, .text = text, .size = strlen(text), .layer = ADN_LAYER_BUILTIN};

    snprintf(path, sizeof(path), "published by %s", backend);
    enter();
    if (!note_published(errata, backend)) {
        pthread_mutex_unlock(&lock);
        return;
    }
    if (adn_errata_read(&from, add_published, &publishing, error, sizeof(error)) != 0)
        adn_warn("%s; the whole list is ignored", error);
    supersede(errata);
    pthread_mutex_unlock(&lock);
}

/* ---- questions */

const struct adn_erratum *adn_errata_at(struct adn_errata *errata, int index)
{
    const struct adn_erratum *found;

    enter();
    found = index >= 0 && index < errata->count ? errata->entry[index] : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

int adn_errata_concern(struct adn_errata *errata, const struct adn_erratum *erratum,
                       const char *backend)
{
    const char *pattern = erratum->text[ADN_ERRATUM_BACKEND];
    int found = pattern && adn_pattern_word(pattern, backend);

    enter();
    for (int i = 0; !pattern && i < errata->count; i++) {
        const char *other = errata->entry[i]->text[ADN_ERRATUM_BACKEND];

        found |= other && strcmp(errata->entry[i]->id, erratum->id) == 0 &&
                 adn_pattern_word(other, backend);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

const struct adn_erratum *adn_errata_next(struct adn_errata *errata,
                                          const struct adn_errata_query *query, int *at)
{
    const struct adn_erratum *found = NULL;

    enter();
    for (; !found && *at < errata->count; ++*at) {
        const struct adn_erratum *entry = errata->entry[*at];

        if (!entry->superseded && adn_erratum_matches(entry, query))
            found = entry;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

uint32_t adn_errata_verdicts(struct adn_errata *errata, const struct adn_errata_query *query,
                             int32_t *algorithm)
{
    const struct adn_erratum *entry;
    uint32_t bits = 0;
    int at = 0;

    if (algorithm)
        *algorithm = -1;
    while ((entry = adn_errata_next(errata, query, &at)) != NULL) {
        const char *name = entry->text[ADN_ERRATUM_ALGORITHM];

        bits |= ADN_ERRATUM_BIT(entry->verdict);
        if (algorithm && name && entry->verdict == ADN_ERRATUM_TRANSFORM)
            *algorithm = adn_problem_algorithm_parse(query->problem->operation, name);
    }
    return bits;
}

uint32_t adn_errata_plugin_bits(uint32_t verdicts)
{
    static const struct {
        uint32_t ours, theirs;
    } bits[] = {
        {ADN_ERRATUM_AVOIDED, ANYDNN_PLUGIN_ERRATUM_AVOID},
        {ADN_ERRATUM_BIT(ADN_ERRATUM_NONDETERMINISTIC), ANYDNN_PLUGIN_ERRATUM_NONDETERMINISTIC},
        {ADN_ERRATUM_BIT(ADN_ERRATUM_TRANSFORM), ANYDNN_PLUGIN_ERRATUM_TRANSFORM},
        {ADN_ERRATUM_BIT(ADN_ERRATUM_FINER), ANYDNN_PLUGIN_ERRATUM_FINER},
    };
    uint32_t found = 0;

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if (verdicts & bits[i].ours)
            found |= bits[i].theirs;
    return found;
}

/* Adds a text to a hash (FNV-1a). */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    } while (*text++);
    return hash;
}

static uint64_t hash_entry(uint64_t hash, const struct adn_erratum *entry)
{
    hash = hash_text(hash, entry->id);
    hash = hash_text(hash, entry->superseded ? "superseded" : "");
    for (int i = 0; i < ADN_ERRATUM_SOURCE; i++)
        hash = hash_text(hash, entry->text[i] ? entry->text[i] : "");
    for (int i = 0; i < entry->conditions; i++) {
        hash = hash_text(hash, entry->condition[i].key);
        hash = hash_text(hash, entry->condition[i].value);
    }
    return hash;
}

uint64_t adn_errata_digest(struct adn_errata *errata, const struct adn_errata_query *query)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int any = 0;

    enter();
    for (int i = 0; i < errata->count; i++) {
        const struct adn_erratum *entry = errata->entry[i];

        /* A backend's own list belongs to its build, which keys hold already. */
        if ((entry->layer == ADN_LAYER_BUILTIN && !entry->superseded) ||
            !adn_erratum_matches(entry, query))
            continue;
        hash = hash_entry(hash, entry);
        any = 1;
    }
    pthread_mutex_unlock(&lock);
    return any ? hash : 0;
}

size_t adn_erratum_print(const struct adn_erratum *erratum, char *buffer, size_t size)
{
    struct adn_text text;

    adn_text_begin(&text, buffer, size);
    adn_text_add(&text, "# %s%s\n[%s]\n", erratum->origin,
                 erratum->superseded ? ", not in force" : "", erratum->id);
    for (int i = 0; i < ADN_ERRATUM_KEYS; i++) {
        for (int k = 0; i == ADN_ERRATUM_ENGINE && k < erratum->conditions; k++)
            adn_text_add(&text, "%s = %s\n", erratum->condition[k].key,
                         erratum->condition[k].value);
        if (erratum->text[i])
            adn_text_add(&text, "%s = %s\n", adn_erratum_keys[i], erratum->text[i]);
    }
    return text.length;
}
