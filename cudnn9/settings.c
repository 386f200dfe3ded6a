/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of [cudnn9]. A program that only forwards calls must run with invalid settings, too:
 * they are reported, and the built-in values count. */
#include "cudnn9/front.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cudnn9_settings settings = {.library = "auto", .counters = "off"};

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
    char section[64];
    int count = 0;

    if (anydnnGetSettingCount(&count) != ANYDNN_STATUS_SUCCESS)
        return;
    for (int i = 0; i < count; i++) {
        if (anydnnGetSettingInfo(i, "section", section, sizeof(section)) != ANYDNN_STATUS_SUCCESS ||
            strcmp(section, "cudnn9") != 0)
            continue;
        take(i, "library", settings.library, sizeof(settings.library));
        take(i, "counters", settings.counters, sizeof(settings.counters));
    }
}

const struct cudnn9_settings *cudnn9_settings(void)
{
    pthread_once(&once, read_all);
    return &settings;
}
