/* SPDX-License-Identifier: Apache-2.0 */
/* A backend's calls to its host: publishing, settings, error messages, memory (host.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for sched_getaffinity and RTLD_DEFAULT */
#endif
#include "host.h"
#include "names.h"

#include <dlfcn.h>
#include <locale.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

const struct anydnn_plugin_host *kit_host;
const char *kit_name;

/* ------------------------------------------------------------------ the description */

/* The lists are filled once, when the host requests the description. */
static struct anydnn_plugin_operation operations[ANYDNN_PLUGIN_OPERATION_END];
static const struct anydnn_plugin_operation *operation_list[ANYDNN_PLUGIN_OPERATION_END];

void kit_begin(const struct anydnn_plugin_host *host, struct anydnn_plugin *description)
{
    description->operations = operation_list;
    description->operation_count = 0;
    kit_host = host;
    kit_name = description->name;
}

void kit_publish(struct anydnn_plugin *description, const struct anydnn_plugin_operation *common,
                 int32_t operation, uint32_t types, uint32_t layouts)
{
    struct anydnn_plugin_operation *made = &operations[description->operation_count];

    *made = *common;
    made->struct_size = sizeof *made;
    made->operation = operation;
    made->types = types;
    made->layouts = layouts;
    made->slots = kit_slots(operation);
    made->params_size = (uint32_t)kit_params_size(operation);
    operation_list[description->operation_count++] = made;
}

/* ------------------------------------------------------------------ errors */

void kit_print(char *text, size_t size, const char *format, va_list list)
{
    /* The C locale needs no allocation, so creating it repeatedly leaks nothing. */
    locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));

    vsnprintf(text, size, format, list);
    uselocale(before);
}

int32_t kit_fail(int32_t status, const char *format, ...)
{
    char text[800];
    va_list list;

    va_start(list, format);
    kit_print(text, sizeof text, format, list);
    va_end(list);
    kit_host->set_error(kit_host, text);
    return status;
}

void *kit_alloc(size_t bytes, const char *what)
{
    void *made = kit_host->alloc(bytes);

    if (made)
        memset(made, 0, bytes);
    else
        (void)kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED, "out of memory for %s", what);
    return made;
}

int32_t kit_check_host_device(int32_t device)
{
    if (device == 0)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "device is %d; the host has only device 0",
                    device);
}

/* ------------------------------------------------------------------ settings */

int32_t kit_setting_switch(const char *key, int32_t *is_on)
{
    const char *text = kit_host->setting(kit_host, key);

    *is_on = text && strcmp(text, "on") == 0;
    if (!text || *is_on || strcmp(text, "off") == 0)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "set.%s is \"%.40s\"; it must be on or off",
                    key, text);
}

static int32_t processors(int32_t most)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > most ? most : count;
}

/* The limits of threads: 1 if set.threads is auto; the program's omp_get_max_threads, or NULL; and
 * OMP_NUM_THREADS. All contexts share the values, since settings are read once. */
static atomic_int threads_are_auto;
static int (*_Atomic openmp_threads)(void);
static atomic_int environment_threads;

/* Finds the limits that the program has set. An OpenMP library that a program uses is visible to
 * all, and gives the limit of the calling thread; a library that a backend opened is not. */
static void find_limits(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    void *symbol = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    long count = text ? strtol(text, NULL, 10) : 0;
    int (*function)(void);

    memcpy(&function, &symbol, sizeof function);
    atomic_store(&openmp_threads, function);
    atomic_store(&environment_threads, count < 1 || count > INT32_MAX ? INT32_MAX : (int)count);
}

int32_t kit_threads_now(int32_t count)
{
    int (*function)(void) = atomic_load(&openmp_threads);
    int32_t limit;

    if (count <= 1 || !atomic_load(&threads_are_auto))
        return count;
    limit = function ? function() : atomic_load(&environment_threads);
    return limit < 1 ? 1 : limit < count ? limit : count;
}

int32_t kit_setting_threads(int32_t most, int32_t *threads)
{
    const char *text = kit_host->setting(kit_host, "threads");
    char *end;
    long count;

    find_limits();
    atomic_store(&threads_are_auto, !text || strcmp(text, "auto") == 0);
    if (atomic_load(&threads_are_auto)) {
        *threads = processors(most);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    count = strtol(text, &end, 10);
    if (end == text || *end || count < 1 || count > most)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "set.threads is \"%.40s\"; it must be auto or a number from 1 to %d", text,
                        most);
    *threads = (int32_t)count;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
