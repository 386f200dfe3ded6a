/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the host's functions for backends: log, settings, error text, memory, fork number. */
#include "load/host.h"

#include <stdio.h>
#include <string.h>

#include "load/slot.h"
#include "sys/env.h"
#include "sys/files.h"
#include "sys/log.h"
#include "sys/process.h"

#define HOST_ERROR_MAX 1024

static _Thread_local char host_error[HOST_ERROR_MAX];

/* Returns the backend to which a table belongs: the table is its first member. */
static const struct adn_backend *host_backend(const struct anydnn_plugin_host *host)
{
    return (const struct adn_backend *)(const void *)host;
}

static void host_log(const struct anydnn_plugin_host *host, int32_t level, const char *file,
                     int32_t line, const char *text)
{
    if (level < ADN_LOG_ERROR)
        level = ADN_LOG_ERROR;
    else if (level > ADN_LOG_TRACE)
        level = ADN_LOG_TRACE;
    if (!adn_log_on(level))
        return;
    const char *who = host ? host_backend(host)->name : "backend";
    const char *slash = file ? strrchr(file, '/') : NULL;

    if (!text)
        text = "";
    if (file)
        adn_log_line(level, who, "%s (%s:%d)", text, slash ? slash + 1 : file, line);
    else
        adn_log_line(level, who, "%s", text);
}

/* Checks that root alone can change the code that a value names in a privileged process. */
static int is_trusted_code(const struct adn_backend *backend, const char *key, const char *value)
{
    static const char what[] = "code named by a setting";
    char reason[ADN_LOAD_REASON_MAX] = "it is not an absolute path";

    if (value[0] == '/' && adn_file_root_only(value, reason, sizeof(reason)) == 0)
        return 1;
    if (adn_log_first(value, strlen(value), what))
        adn_warn("set.%s = %s of backend %s is ignored by a privileged process: %s", key, value,
                 backend->name, reason);
    return 0;
}

static const char *host_setting(const struct anydnn_plugin_host *host, const char *key)
{
    if (!host || !key)
        return NULL;
    const struct adn_backend *backend = host_backend(host);
    const struct adn_load_options *options = &backend->registry->options;
    uint32_t kind = adn_load_setting_kind(backend, key);
    const char *value =
        options->setting ? options->setting(options->cookie, backend->name, key, kind) : NULL;

    if (value && kind == ANYDNN_PLUGIN_SETTING_CODE && adn_env_privileged() &&
        !is_trusted_code(backend, key, value))
        return NULL;
    return value;
}

void adn_load_error_set(const char *text)
{
    snprintf(host_error, sizeof(host_error), "%s", text ? text : "");
    for (char *at = host_error; *at; at++) {
        if ((unsigned char)*at < ' ')
            *at = ' ';
    }
}

static void host_set_error(const struct anydnn_plugin_host *host, const char *text)
{
    (void)host;
    adn_load_error_set(text);
}

static uint32_t host_errata(const struct anydnn_plugin_host *host,
                            const struct anydnn_plugin_problem *problem,
                            const struct anydnn_plugin_candidate *candidate, int32_t *algorithm)
{
    const struct adn_backend *backend = host_backend(host);
    const struct adn_load_options *options = &backend->registry->options;

    *algorithm = ANYDNN_PLUGIN_ALGORITHM_NONE;
    return options->errata && backend->plugin
               ? options->errata(options->cookie, backend, problem, candidate, algorithm)
               : 0;
}

static const struct anydnn_plugin_space *host_space(const struct anydnn_plugin_host *host)
{
    const struct adn_backend *backend = host_backend(host);
    const struct adn_backend *owner =
        backend->plugin ? adn_load_owner(backend->registry, backend->plugin->space) : NULL;

    return owner ? owner->plugin->space_functions : NULL;
}

static uint64_t host_fork_number(void)
{
    return adn_process_fork_number;
}

const char *adn_load_error_text(void)
{
    return host_error;
}

void adn_load_error_clear(void)
{
    host_error[0] = 0;
}

void adn_load_host_init(struct adn_backend *backend)
{
    backend->host = (struct anydnn_plugin_host){
        .struct_size = sizeof(struct anydnn_plugin_host),
        .abi_major = ANYDNN_PLUGIN_ABI_MAJOR,
        .abi_minor = ANYDNN_PLUGIN_ABI_MINOR,
        .log = host_log,
        .setting = host_setting,
        .set_error = host_set_error,
        .alloc = adn_memory_alloc,
        .free = adn_memory_free,
        .fork_number = host_fork_number,
        .errata = host_errata,
        .space = host_space,
    };
}
