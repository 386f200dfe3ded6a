/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of [cudnn9]. A program that only forwards calls must run with invalid settings, too.
 * They are reported, and the built-in values count, except for a library that a variable names. */
#include "cudnn9/front.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cudnn9_settings settings = {
    .library = "auto", .backends = "none", .trace = "off", .counters = "off"};

static void take(int index, const char *key, char *to, size_t size)
{
    char name[32];
    char value[sizeof(settings.library)];

    if (anydnnGetSettingInfo(index, "key", name, sizeof(name)) == ANYDNN_STATUS_SUCCESS &&
        strcmp(name, key) == 0 &&
        anydnnGetSettingInfo(index, "value", value, sizeof(value)) == ANYDNN_STATUS_SUCCESS)
        snprintf(to, size, "%s", value);
}

static void read_all(void)
{
    char section[64], device[64] = "";
    int count = 0;

    if (anydnnGetSettingCount(&count) != ANYDNN_STATUS_SUCCESS) {
        const char *library = secure_getenv("ANYDNN_CUDNN9_LIBRARY");

        if (library != NULL && library[0] == '/')
            snprintf(settings.library, sizeof(settings.library), "%s", library);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (anydnnGetSettingInfo(i, "section", section, sizeof(section)) != ANYDNN_STATUS_SUCCESS)
            continue;
        if (strcmp(section, "anydnn") == 0)
            take(i, "device", device, sizeof(device));
        if (strcmp(section, "cudnn9") != 0)
            continue;
        take(i, "library", settings.library, sizeof(settings.library));
        take(i, "backends", settings.backends, sizeof(settings.backends));
        take(i, "trace", settings.trace, sizeof(settings.trace));
        take(i, "counters", settings.counters, sizeof(settings.counters));
    }
    settings.device_is_auto = strcmp(device, "auto") == 0;
}

const struct cudnn9_settings *cudnn9_settings(void)
{
    pthread_once(&once, read_all);
    return &settings;
}

void cudnn9_expand(const char *pattern, char *path, size_t size)
{
    const char *found = strstr(pattern, "%p");

    if (found == NULL)
        snprintf(path, size, "%s", pattern);
    else
        snprintf(path, size, "%.*s%ld%s", (int)(found - pattern), pattern, (long)getpid(),
                 found + 2);
}
