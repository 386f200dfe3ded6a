/* SPDX-License-Identifier: Apache-2.0 */
/* Merges all layers: built-in values, files, environment. */
#include "settings/layers.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/apply.h"
#include "settings/environment.h"
#include "settings/keys.h"
#include "settings/read.h"
#include "settings/sources.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/text.h"

/* The built-in rules. Backends are in the order of their measured speed (docs/using.md has the
 * figures). */
static const struct {
    const char *section;
    const char *pattern;
    const char *list;
} builtin_routes[] = {
    {"route", "*", "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref"},
    {"route", "convolution_*", "cudnn, cuda_simt, cuda_naive, onednn, cpu_ref"},
    {"route", "convolution_backward_bias", "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref"},
    {"route default", "convolution_backward_data", "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref"},
    {"route default", "convolution_backward_filter",
     "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref"},
    {"route tensor_op", "convolution_*",
     "cuda_tensorcore, cudnn, cuda_simt, cuda_naive, onednn, cpu_ref"},
    {"route tensor_op", "matmul", "cuda_simt, cuda_tensorcore, cudnn, cuda_naive, onednn, cpu_ref"},
    {"route allow_conversion", "convolution_*",
     "cudnn, cuda_tensorcore, cuda_simt, cuda_naive, onednn, cpu_ref"},
    {"route allow_conversion", "convolution_backward_filter",
     "cuda_tensorcore, cudnn, cuda_simt, cuda_naive, onednn, cpu_ref"},
    {"route allow_conversion", "matmul",
     "cuda_simt, cuda_tensorcore, cudnn, cuda_naive, onednn, cpu_ref"},
    {"route split", "convolution_*", "cuda_tensorcore, cuda_simt, cuda_naive, onednn, cpu_ref"},
    {"route split", "matmul", "cuda_simt, cuda_tensorcore, cuda_naive, onednn, cpu_ref"},
};

void adn_settings_message(struct adn_settings_messages *messages, const char *format, ...)
{
    char **grown = realloc(messages->text, sizeof(*grown) * ((size_t)messages->count + 1));
    va_list args;

    if (grown == NULL) {
        adn_shortage(ENOMEM);
        return;
    }
    messages->text = grown;
    va_start(args, format);
    if (vasprintf(&grown[messages->count], format, args) >= 0)
        messages->count++;
    else
        adn_shortage(ENOMEM);
    va_end(args);
}

static void log_messages(struct adn_settings_messages *messages)
{
    for (int i = 0; i < messages->count; i++) {
        adn_warn("%s", messages->text[i]);
        free(messages->text[i]);
    }
    free(messages->text);
}

struct adn_settings *adn_settings_new(void)
{
    struct adn_settings *settings = calloc(1, sizeof(*settings));

    if (settings != NULL) {
        settings->key_origin = calloc((size_t)adn_key_count, sizeof(*settings->key_origin));
        settings->key_withheld = calloc((size_t)adn_key_count, sizeof(*settings->key_withheld));
    }
    if (settings == NULL || settings->key_origin == NULL || settings->key_withheld == NULL) {
        adn_shortage(ENOMEM);
        adn_settings_free(settings);
        return NULL;
    }
    return settings;
}

static int apply_builtin(struct adn_settings *settings)
{
    char error[ADN_REASON_MAX];

    for (int i = 0; i < adn_key_count; i++) {
        struct adn_file_entry entry = {(char *)adn_keys[i].section, (char *)adn_keys[i].key,
                                       (char *)adn_keys[i].builtin, 0};

        if (adn_settings_apply(settings, &entry, ADN_LAYER_BUILTIN, "built-in", error,
                               sizeof(error)) != ADN_APPLY_DONE)
            return -1;
    }
    for (size_t i = 0; i < sizeof(builtin_routes) / sizeof(builtin_routes[0]); i++) {
        struct adn_file_entry entry = {(char *)builtin_routes[i].section,
                                       (char *)builtin_routes[i].pattern,
                                       (char *)builtin_routes[i].list, 0};

        if (adn_settings_apply(settings, &entry, ADN_LAYER_BUILTIN, "built-in", error,
                               sizeof(error)) != ADN_APPLY_DONE)
            return -1;
    }
    return 0;
}

static void warn_of_owner(const struct adn_file *file, struct adn_settings_messages *messages)
{
    char word[ADN_QUOTED_MAX];

    if (file->foreign)
        adn_settings_message(messages,
                             "%s: it belongs to user %ld and this process runs as root: its keys "
                             "that name code or files are ignored",
                             file->path, file->owner);
    if (file->loose != 0)
        adn_settings_message(
            messages, "%s: it is writable by its group or others (mode %04o): chmod go-w %s",
            file->path, file->loose, adn_text_quoted(file->path, word, sizeof(word)));
}

/* Returns 1 for an entry that is withheld, 0 for one that takes effect, and -1 if memory is out. A
 * set.KEY is withheld without a message, since the backend's description decides on it. */
static int withhold(struct adn_settings *settings, struct adn_file *file,
                    const struct adn_file_entry *entry, const char *origin,
                    struct adn_settings_messages *messages)
{
    int result = file->foreign ? adn_settings_withhold(settings, entry, file->owner, origin) : 0;

    if (result < 0)
        adn_file_error(file, entry->line, "out of memory");
    else if (result > 0 && messages != NULL && strncmp(entry->key, "set.", 4) != 0)
        adn_settings_message(messages, "%s: %s = %s is ignored: the file belongs to user %ld",
                             origin, entry->key, entry->value, file->owner);
    return result;
}

/* Applies a file's entries to the settings. Adds messages about unknown and ignored entries, unless
 * `messages` is NULL. Stops at an error: sets the file's error and returns -1. */
static int apply_file(struct adn_settings *settings, struct adn_file *file, enum adn_layer layer,
                      struct adn_settings_messages *messages)
{
    if (messages != NULL)
        warn_of_owner(file, messages);
    for (int i = 0; i < file->count; i++) {
        char origin[ADN_ORIGIN_MAX], error[ADN_REASON_MAX];
        enum adn_apply result;
        int withheld;

        adn_file_origin(origin, file->path, file->entry[i].line);
        withheld = withhold(settings, file, &file->entry[i], origin, messages);
        if (withheld < 0)
            return -1;
        if (withheld > 0)
            continue;
        result = adn_settings_apply(settings, &file->entry[i], layer, origin, error, sizeof(error));
        if (result == ADN_APPLY_DONE)
            continue;
        if (result == ADN_APPLY_BAD ||
            (result == ADN_APPLY_UNKNOWN && file->schema <= ADN_SETTINGS_SCHEMA)) {
            adn_file_error(file, file->entry[i].line, error);
            return -1;
        }
        if (messages != NULL && result == ADN_APPLY_UNKNOWN)
            adn_settings_message(
                messages, "%s: %s; ignored, because the file has schema %d and this library has %d",
                origin, error, file->schema, ADN_SETTINGS_SCHEMA);
        else if (messages != NULL)
            adn_settings_message(messages, "%s: %s; ignored", origin, error);
    }
    return 0;
}

/* Reads a file and applies it to temporary settings, so that a bad file changes nothing. */
static enum adn_read read_checked(struct adn_file *file, const char *path, enum adn_layer layer)
{
    enum adn_read result = adn_file_read(file, path);
    struct adn_settings *scratch;

    if (result != ADN_READ_GOOD)
        return result;
    scratch = adn_settings_new();
    if (scratch == NULL) {
        adn_file_error(file, 0, "out of memory");
        return ADN_READ_BAD;
    }
    if (apply_file(scratch, file, layer, NULL) != 0)
        result = ADN_READ_BAD;
    adn_settings_free(scratch);
    return result;
}

/* Adds a file. Returns 1 if it exists and takes effect. */
static int add_file(struct adn_settings *settings, const char *path, enum adn_layer layer,
                    struct adn_settings_messages *messages)
{
    struct adn_file file;
    enum adn_read result = read_checked(&file, path, layer);

    if (result == ADN_READ_GOOD) {
        apply_file(settings, &file, layer, messages);
    } else if (result == ADN_READ_BAD) {
        settings->dropped++;
        adn_settings_message(messages, "%s; the whole file is ignored until this is corrected",
                             file.error);
    }
    adn_file_free(&file);
    return result == ADN_READ_GOOD;
}

static int is_conf(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".conf") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_folder(struct adn_settings *settings, const char *folder,
                       struct adn_settings_messages *messages)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, is_conf, by_bytes);

    if (count < 0 && errno != ENOENT && errno != ENOTDIR) {
        adn_shortage(errno);
        settings->dropped++;
        adn_settings_message(messages, "%s: the folder cannot be read: %s", folder,
                             strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name) < (int)sizeof(path))
            add_file(settings, path, ADN_LAYER_SYSTEM, messages);
        free(names[i]);
    }
    free(names);
}

static void add_system(struct adn_settings *settings, const struct adn_settings_sources *sources,
                       struct adn_settings_messages *messages)
{
    if (sources->system_file != NULL)
        add_file(settings, sources->system_file, ADN_LAYER_SYSTEM, messages);
    if (sources->system_folder != NULL)
        add_folder(settings, sources->system_folder, messages);
}

/* Adds the file that the user named, which must be valid. */
static void add_config(struct adn_settings *settings, const char *path,
                       struct adn_settings_messages *messages)
{
    struct adn_file file;

    if (path[0] != '/') {
        snprintf(settings->fatal, sizeof(settings->fatal),
                 "ANYDNN_CONFIG = %s: it must be an absolute path, beginning with /", path);
        return;
    }
    if (read_checked(&file, path, ADN_LAYER_CONFIG) == ADN_READ_GOOD)
        apply_file(settings, &file, ADN_LAYER_CONFIG, messages);
    else
        snprintf(settings->fatal, sizeof(settings->fatal), "ANYDNN_CONFIG: %s", file.error);
    adn_file_free(&file);
}

enum { USER_CONFIG_NONE, USER_CONFIG_MERGE, USER_CONFIG_ONLY };

/* Makes the settings for user_config = only: if the user has a valid file, the system's files are
 * ignored except for user_config itself. */
static struct adn_settings *without_system(struct adn_settings *settings, const char *user_file)
{
    int index = adn_key_index("user_config");
    struct adn_settings *fresh = NULL;
    struct adn_file file;

    if (read_checked(&file, user_file, ADN_LAYER_USER) == ADN_READ_GOOD)
        fresh = adn_settings_new();
    adn_file_free(&file);
    if (fresh == NULL || apply_builtin(fresh) != 0) {
        adn_settings_free(fresh);
        return settings;
    }
    fresh->user_config = settings->user_config;
    fresh->dropped = settings->dropped;
    memcpy(fresh->key_origin[index], settings->key_origin[index], ADN_ORIGIN_MAX);
    adn_settings_free(settings);
    return fresh;
}

static const char *log_file_reason(int cause)
{
    if (cause == ENXIO)
        return "it is a FIFO without a reader, or a socket";
    if (cause == EINVAL)
        return "it is neither a file nor a character device, pipe or FIFO";
    if (cause == ELOOP)
        return "it is a link owned by another user, or a dangling link";
    return strerror(cause);
}

static void put_log_in_force(const struct adn_settings *settings,
                             struct adn_settings_messages *messages)
{
    adn_log_level_set(settings->log);
    if (adn_log_target(settings->log_file) != 0) {
        int cause = errno;

        adn_shortage(cause);
        adn_settings_message(messages,
                             "%s: log_file = %s: cannot be opened: %s; the previous target is kept",
                             settings->key_origin[adn_key_index("log_file")], settings->log_file,
                             log_file_reason(cause));
    }
}

struct adn_settings *adn_settings_load_from(const struct adn_settings_sources *sources)
{
    struct adn_settings *settings = adn_settings_new();
    struct adn_settings_messages messages = {NULL, 0};

    if (settings == NULL || apply_builtin(settings) != 0) {
        adn_settings_free(settings);
        return NULL;
    }
    add_system(settings, sources, &messages);
    if (sources->user_file != NULL && settings->user_config == USER_CONFIG_ONLY)
        settings = without_system(settings, sources->user_file);
    if (sources->user_file != NULL && settings->user_config != USER_CONFIG_NONE)
        add_file(settings, sources->user_file, ADN_LAYER_USER, &messages);
    if (sources->config_file != NULL)
        add_config(settings, sources->config_file, &messages);
    adn_settings_environment(settings, sources, &messages);
    put_log_in_force(settings, &messages);
    log_messages(&messages);
    return settings;
}
