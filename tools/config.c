/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn config: prints every effective setting and its origin as a settings file, and lists the
 * settings that backends publish. Opens no backend for the former. */
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library rejects longer lines in a settings file. */
#define LINE_MAX_BYTES 199
#define ORIGIN_COLUMN  40

static const struct tool_option options[] = {
    {"backends", NULL, "also list each backend's settings; opens all backends", .kind = TOOL_FLAG,
     .low = 1},
    TOOL_OPTIONS_END,
};

static json_t *setting(int index)
{
    static const char *const keys[] = {"section", "key", "value", "origin"};
    char *withheld = tool_ask(anydnnGetSettingInfo, index, "withheld");
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        json_object_set_new(object, keys[i],
                            tool_json_take(tool_ask(anydnnGetSettingInfo, index, keys[i])));
    if (withheld != NULL && withheld[0] != '\0')
        json_object_set_new(object, "withheld", tool_json_text(withheld));
    free(withheld);
    return object;
}

/* Prints a comment in lines of the permitted length. The limit also applies to comments. */
static void print_comment(const char *text)
{
    while (strlen(text) > LINE_MAX_BYTES - 2) {
        int length = LINE_MAX_BYTES - 2;

        while (length > 1 && text[length] != ' ')
            length--;
        if (length == 1)
            length = LINE_MAX_BYTES - 2;
        printf("# %.*s\n", length, text);
        text += length + (text[length] == ' ');
    }
    printf("# %s\n", text);
}

/* Prints a setting. Two kinds of line become comments, since the output may become root's own file:
 * `user_config`, which is valid only in the system's file, and values that root does not accept
 * from another user's file. */
static void print_setting(const json_t *item)
{
    const char *key = tool_text_of(item, "key");
    const char *origin = tool_text_of(item, "origin");
    const char *withheld = tool_text_of(item, "withheld");
    int is_withheld = withheld[0] != '\0' && strncmp(withheld, origin, strlen(origin)) == 0;
    const char *mark = is_withheld || strcmp(key, "user_config") == 0 ? "#" : "";
    int length = (int)(strlen(mark) + strlen(key) + strlen(tool_text_of(item, "value")) + 3);
    int gap = length < ORIGIN_COLUMN ? ORIGIN_COLUMN - length : 1;

    if (withheld[0] != '\0')
        print_comment(withheld);
    if ((size_t)length + (size_t)gap + strlen(origin) + 2 > LINE_MAX_BYTES) {
        printf("# %s\n%s%s = %s\n", origin, mark, key, tool_text_of(item, "value"));
        return;
    }
    printf("%s%s = %s%*s; %s\n", mark, key, tool_text_of(item, "value"), gap, "", origin);
}

/* Prints each section once, at its first key, with all its keys. */
static void print_file(const json_t *settings)
{
    size_t count = json_array_size(settings);

    for (size_t i = 0; i < count; i++) {
        const char *section = tool_text_of(json_array_get(settings, i), "section");
        int known = 0;

        for (size_t j = 0; j < i; j++)
            known |= strcmp(section, tool_text_of(json_array_get(settings, j), "section")) == 0;
        if (known)
            continue;
        printf("%s[%s]\n", i > 0 ? "\n" : "", section);
        for (size_t j = i; j < count; j++)
            if (strcmp(section, tool_text_of(json_array_get(settings, j), "section")) == 0)
                print_setting(json_array_get(settings, j));
    }
}

/* Adds the backends that publish settings. Each has its lines "set.KEY: HELP". */
static int add_backends(struct tool *tool, json_t *backends)
{
    int count = 0;

    if (anydnnGetBackendCount(&count) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    for (int i = 0; i < count; i++) {
        char *text = tool_ask(anydnnGetBackendInfo, i, "setting_keys");
        json_t *object;

        if (text != NULL && text[0] != '\0') {
            object = json_object();
            json_object_set_new(object, "name",
                                tool_json_take(tool_ask(anydnnGetBackendInfo, i, "name")));
            json_object_set_new(object, "settings", tool_json_lines(text));
            json_array_append_new(backends, object);
        }
        free(text);
    }
    return TOOL_FINE;
}

static void print_backends(const json_t *backends)
{
    for (size_t i = 0; i < json_array_size(backends); i++) {
        const json_t *backend = json_array_get(backends, i);
        const json_t *lines = json_object_get(backend, "settings");

        printf("\n;[plugin %s]\n", tool_text_of(backend, "name"));
        for (size_t j = 0; j < json_array_size(lines); j++)
            printf("# %s\n", json_string_value(json_array_get(lines, j)));
    }
}

static int config(struct tool *tool, int with_backends, json_t *answer)
{
    json_t *backends = with_backends ? json_array() : NULL;
    json_t *settings = json_array();
    int count = 0;

    json_object_set_new(answer, "settings", settings);
    if (with_backends)
        json_object_set_new(answer, "backends", backends);
    if (tool->device != NULL && setenv("ANYDNN_DEVICE", tool->device, 1) != 0)
        return tool_fail(tool, TOOL_FAILED, "--device=%s: %s", tool->device, strerror(errno));
    if (anydnnGetSettingCount(&count) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    for (int i = 0; i < count; i++)
        json_array_append_new(settings, setting(i));
    if (!tool->json)
        print_file(settings);
    if (with_backends && add_backends(tool, backends) != TOOL_FINE)
        return TOOL_FAILED;
    if (!tool->json && with_backends)
        print_backends(backends);
    else if (!tool->json)
        printf("\n# No backend was opened; use --backends to open them and list their settings.\n");
    return TOOL_FINE;
}

static int run(struct tool *tool, int argc, char **argv)
{
    json_t *answer;
    int with_backends = 0;
    int first;
    int code = tool_options(tool, &tool_config, &with_backends, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (first < argc)
        return tool_fail(tool, TOOL_USAGE, "%s: anydnn config takes no arguments", argv[first]);
    answer = json_object();
    code = config(tool, with_backends, answer);
    if (code != TOOL_FINE)
        json_object_set_new(answer, "error", tool_json_text(tool->sentence));
    if (!tool->json)
        json_decref(answer);
    else if (tool_print_json(tool, answer) != TOOL_FINE)
        return TOOL_FAILED;
    return code;
}

const struct tool_command tool_config = {
    "config", "", "Prints every effective setting and its origin, as a settings file.", options,
    run};
