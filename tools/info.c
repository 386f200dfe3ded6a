/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn info: the library, the backends and how far each came, the devices; or what a tuning file
 * holds. */
#include "info.h"
#include "tuning_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct info {
    int operations;
    const char *tuning; /* a file to list instead, or NULL */
    int argc;           /* backends to show; 0: all */
    char **argv;
};

static const struct tool_option options[] = {
    {"operations", NULL, "also which types, layouts and math modes each operation has",
     TOOL_KEEP_FLAG(info, operations)},
    {"tuning", "FILE", "lists what is in a file of the setting `tuning`, and nothing else",
     TOOL_KEEP(info, tuning, TOOL_TEXT)},
    TOOL_OPTIONS_END,
};

/* ---- the answer */

static json_t *words(char *text)
{
    json_t *list = json_array();
    char *rest = NULL;

    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        json_array_append_new(list, json_string(word));
    return list;
}

/* A line `NAME: TYPES; LAYOUTS; MATH MODES`. */
static json_t *operation(char *line)
{
    static const char *const keys[] = {"types", "layouts", "math"};
    json_t *object = json_object();
    char *at = strchr(line, ':');

    if (at != NULL)
        *at++ = '\0';
    json_object_set_new(object, "name", json_string(line));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && at != NULL; i++) {
        char *part = at;

        at = strchr(part, ';');
        if (at != NULL)
            *at++ = '\0';
        json_object_set_new(object, keys[i], words(part));
    }
    return object;
}

static json_t *operations_of(int index)
{
    char *text = tool_ask(anydnnGetBackendInfo, index, "operations");
    json_t *list = json_array();
    char *rest = NULL;

    for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(list, operation(line));
    free(text);
    return list;
}

static json_t *backend(const struct info *info, int index)
{
    static const char *const keys[] = {"name",  "stage", "version", "vendor",    "build_id",
                                       "space", "path",  "reason",  "plugin_abi"};
    static const char *const lists[] = {"limits", "settings"};
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        json_object_set_new(object, keys[i],
                            tool_json_take(tool_ask(anydnnGetBackendInfo, index, keys[i])));
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        char *text = tool_ask(anydnnGetBackendInfo, index, lists[i]);

        json_object_set_new(object, lists[i], tool_json_lines(text != NULL ? text : ""));
        free(text);
    }
    if (info->operations)
        json_object_set_new(object, "operations", operations_of(index));
    return object;
}

static int wanted(const struct info *info, const char *name)
{
    for (int i = 0; i < info->argc; i++)
        if (strcmp(info->argv[i], name) == 0)
            return 1;
    return info->argc == 0;
}

static int has_backend(const json_t *backends, const char *name)
{
    for (size_t i = 0; i < json_array_size(backends); i++)
        if (strcmp(tool_text_of(json_array_get(backends, i), "name"), name) == 0)
            return 1;
    return 0;
}

static int add_backends(struct tool *tool, const struct info *info, json_t *backends)
{
    int count = 0;

    if (anydnnGetBackendCount(&count) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    for (int i = 0; i < count; i++) {
        char *name = tool_ask(anydnnGetBackendInfo, i, "name");

        if (name != NULL && wanted(info, name))
            json_array_append_new(backends, backend(info, i));
        free(name);
    }
    for (int i = 0; i < info->argc; i++)
        if (!has_backend(backends, info->argv[i]))
            return tool_fail(tool, TOOL_FAILED,
                             "backend `%s` is not installed; `anydnn info` lists those that are",
                             info->argv[i]);
    return TOOL_FINE;
}

static void add_devices(json_t *devices)
{
    static const char *const keys[] = {"name", "space", "description"};
    int count = 0;

    anydnnGetDeviceCount(&count);
    for (int i = 0; i < count; i++) {
        json_t *object = json_object();

        for (size_t key = 0; key < sizeof(keys) / sizeof(keys[0]); key++)
            json_object_set_new(object, keys[key],
                                tool_json_take(tool_ask(anydnnGetDeviceInfo, i, keys[key])));
        json_array_append_new(devices, object);
    }
}

/* Where a handle comes to lie, which also shows whether one can be made at all. */
static int add_handle(struct tool *tool, json_t *answer)
{
    anydnnHandle_t handle = NULL;
    char device[64] = "";
    int code = tool_handle(tool, &handle);

    if (code != TOOL_FINE)
        return code;
    if (anydnnGetDevice(handle, device, sizeof(device)) == ANYDNN_STATUS_SUCCESS)
        json_object_set_new(answer, "device", tool_json_text(device));
    anydnnDestroy(handle);
    return TOOL_FINE;
}

static int collect(struct tool *tool, const struct info *info, json_t *answer)
{
    size_t number = anydnnGetVersion();
    json_t *backends = json_array();
    json_t *devices = json_array();
    char version[64];
    int code;
    int handle;

    snprintf(version, sizeof(version), "%zu.%zu.%zu", number / 10000, number / 100 % 100,
             number % 100);
    json_object_set_new(answer, "version", json_string(version));
    json_object_set_new(answer, "api_level", json_integer(anydnnGetApiLevel()));
    json_object_set_new(answer, "backends", backends);
    json_object_set_new(answer, "devices", devices);
    code = add_backends(tool, info, backends);
    if (code != TOOL_FINE)
        return code;
    add_devices(devices);
    handle = add_handle(tool, answer);
    if (!tool->json)
        tool_info_print(answer);
    return handle;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct info info = {0, NULL, 0, NULL};
    json_t *answer;
    int first;
    int code = tool_options(tool, &tool_info, &info, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    info.argc = argc - first;
    info.argv = argv + first;
    answer = json_object();
    code = info.tuning != NULL ? tool_tuning_list(tool, info.tuning, answer)
                               : collect(tool, &info, answer);
    if (code != TOOL_FINE)
        json_object_set_new(answer, "error", tool_json_text(tool->sentence));
    if (!tool->json)
        json_decref(answer);
    else if (tool_print_json(tool, answer) != TOOL_FINE)
        return TOOL_FAILED;
    return code;
}

const struct tool_command tool_info = {
    "info", "[BACKEND...]",
    "Shows the library, the backends found and loaded or why not, and the devices.", options, run};
