/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn info: the library, the backends and how far each came, the devices; or what a tuning file
 * holds. */
#include "common.h"
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

static int set_operations(struct tool *tool, void *own, const char *value)
{
    struct info *info = own;

    (void)tool;
    (void)value;
    info->operations = 1;
    return TOOL_FINE;
}

static int set_tuning(struct tool *tool, void *own, const char *value)
{
    struct info *info = own;

    (void)tool;
    info->tuning = value;
    return TOOL_FINE;
}

static const struct tool_option options[] = {
    {"operations", NULL, "also which types, layouts and math modes each operation has",
     set_operations},
    {"tuning", "FILE", "lists what is in a file of the setting `tuning`, and nothing else",
     set_tuning},
    {NULL, NULL, NULL, NULL},
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

/* ---- as text */

static void print_list(const json_t *list, const char *lead)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        printf("%s%s\n", lead, json_string_value(json_array_get(list, i)));
}

static const char *or_dash(const char *text)
{
    return text[0] != '\0' ? text : "-";
}

static void print_backend(const json_t *item)
{
    const char *reason = tool_text_of(item, "reason");

    printf("%-20s %-10s %-10s %-8s %s\n", tool_text_of(item, "name"), tool_text_of(item, "stage"),
           or_dash(tool_text_of(item, "version")), or_dash(tool_text_of(item, "space")),
           or_dash(tool_text_of(item, "path")));
    if (reason[0] != '\0')
        printf("    %s\n", reason);
    print_list(json_object_get(item, "limits"), "    limit ");
    print_list(json_object_get(item, "settings"), "    ");
}

static int words_width(const json_t *list)
{
    size_t width = 0;

    for (size_t i = 0; i < json_array_size(list); i++)
        width += json_string_length(json_array_get(list, i)) + 1;
    return (int)width;
}

/* Of the widest cell below a heading, and the space before the next column. */
static int column_width(const json_t *rows, const char *heading)
{
    int width = (int)strlen(heading);

    for (size_t i = 0; i < json_array_size(rows); i++) {
        int words = words_width(json_object_get(json_array_get(rows, i), heading));

        width = words > width ? words : width;
    }
    return width + 1;
}

static void print_words(const json_t *list, int width)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        printf("%s%s", i > 0 ? " " : "", json_string_value(json_array_get(list, i)));
    printf("%*s", width > 0 ? width - words_width(list) + 1 : 0, "");
}

static void print_operations(const json_t *item)
{
    const json_t *list = json_object_get(item, "operations");
    int types = column_width(list, "types");
    int layouts = column_width(list, "layouts");

    if (json_array_size(list) == 0)
        return;
    printf("\n%-38s%-*s%-*s%s\n", tool_text_of(item, "name"), types, "types", layouts, "layouts",
           "math");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);

        printf("  %-36s", tool_text_of(row, "name"));
        print_words(json_object_get(row, "types"), types);
        print_words(json_object_get(row, "layouts"), layouts);
        print_words(json_object_get(row, "math"), 0);
        putchar('\n');
    }
}

static void print_info(const json_t *answer)
{
    const json_t *backends = json_object_get(answer, "backends");
    const json_t *devices = json_object_get(answer, "devices");

    printf("anydnn %s, API level %d\n", tool_text_of(answer, "version"),
           (int)json_integer_value(json_object_get(answer, "api_level")));
    printf("\n%-20s %-10s %-10s %-8s %s\n", "backend", "stage", "version", "space", "path");
    for (size_t i = 0; i < json_array_size(backends); i++)
        print_backend(json_array_get(backends, i));
    for (size_t i = 0; i < json_array_size(backends); i++)
        print_operations(json_array_get(backends, i));
    printf("\n%-20s %-10s %s\n", "device", "space", "description");
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *row = json_array_get(devices, i);

        printf("%-20s %-10s %s%s\n", tool_text_of(row, "name"), tool_text_of(row, "space"),
               tool_text_of(row, "description"),
               strcmp(tool_text_of(row, "name"), tool_text_of(answer, "device")) == 0
                   ? " (handles are made here)"
                   : "");
    }
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
        print_info(answer);
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
