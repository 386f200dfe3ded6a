/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the file that the setting `tuning` names. core/tuning/tuning.h defines the lines,
 * core/dispatch/autotune the keys. Fields, separated by tabs: TUNING_PROBLEM, TUNING_DEVICE,
 * TUNING_BACKENDS, optionally `suspect NAME`, TUNING_LIMIT, TUNING_BACKEND, TUNING_ENGINE,
 * MICROSECONDS. */
#include "tuning_list.h"

#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tool_tuning_cut(char *line, char *field[TUNING_FIELDS])
{
    char *all[TUNING_FIELDS + 1], *rest = line;
    int count = 0, suspect;

    while (rest != NULL && count <= TUNING_FIELDS)
        all[count++] = strsep(&rest, "\t");
    suspect = count == TUNING_FIELDS + 1 && strncmp(all[TUNING_LIMIT], "suspect ", 8) == 0;
    if (rest != NULL || count != TUNING_FIELDS + suspect)
        return -1;
    for (int i = 0; i < TUNING_FIELDS; i++)
        field[i] = all[i < TUNING_LIMIT ? i : i + suspect];
    return suspect;
}

static int is_of(const json_t *item, char *const *field)
{
    static const char *const keys[] = {"problem", "device", "backends", NULL, "backend", "engine"};

    for (int i = 0; i <= TUNING_ENGINE; i++)
        if (keys[i] != NULL && strcmp(tool_text_of(item, keys[i]), field[i]) != 0)
            return 0;
    return 1;
}

/* Removes a cleared suspect. Only the newest line of a suspect is valid, and it may clear the
 * suspect. */
static void clear(json_t *suspects, char *const *field)
{
    for (size_t i = json_array_size(suspects); i-- > 0;)
        if (is_of(json_array_get(suspects, i), field))
            json_array_remove(suspects, i);
}

static json_t *item_of(char *const *field)
{
    json_t *item = json_object();

    json_object_set_new(item, "problem", tool_json_text(field[TUNING_PROBLEM]));
    json_object_set_new(item, "device", tool_json_text(field[TUNING_DEVICE]));
    json_object_set_new(item, "backends", tool_json_text(field[TUNING_BACKENDS]));
    json_object_set_new(item, "backend", tool_json_text(field[TUNING_BACKEND]));
    json_object_set_new(item, "engine", tool_json_text(field[TUNING_ENGINE]));
    return item;
}

static void take(char *line, json_t *choices, json_t *suspects)
{
    char *field[TUNING_FIELDS];
    int suspect = tool_tuning_cut(line, field);
    json_t *item;

    if (suspect < 0)
        return;
    if (suspect) {
        clear(suspects, field);
        if (strcmp(field[TUNING_TIME], "0") == 0)
            return;
        item = item_of(field);
        json_object_set_new(item, "wrong", json_boolean(strcmp(field[TUNING_TIME], "0.5") == 0));
        json_array_append_new(suspects, item);
        return;
    }
    item = item_of(field);
    json_object_set_new(item, "workspace_limit", tool_json_text(field[TUNING_LIMIT]));
    json_object_set_new(item, "microseconds", json_real(strtod(field[TUNING_TIME], NULL)));
    json_array_append_new(choices, item);
}

static void print_item(const char *first, const json_t *item)
{
    const char *limit = tool_text_of(item, "workspace_limit");
    int limited = limit[0] != '\0' && strcmp(limit, "none") != 0;

    printf("%12s  %-20s %-20s %s; %s; %s%s%s\n", first, tool_text_of(item, "backend"),
           tool_text_of(item, "engine"), tool_text_of(item, "problem"),
           tool_text_of(item, "device"), tool_text_of(item, "backends"),
           limited ? "; workspace up to " : "", limited ? limit : "");
}

static void print(const json_t *choices, const json_t *suspects)
{
    char time[40];

    printf("%12s  %-20s %-20s %s\n", "microseconds", "backend", "engine",
           "problem; device; backends");
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const json_t *item = json_array_get(choices, i);

        snprintf(time, sizeof(time), "%.1f",
                 json_real_value(json_object_get(item, "microseconds")));
        print_item(time, item);
    }
    for (size_t i = 0; i < json_array_size(suspects); i++)
        print_item(json_is_true(json_object_get(json_array_get(suspects, i), "wrong")) ? "wrong"
                                                                                       : "suspect",
                   json_array_get(suspects, i));
}

int tool_tuning_list(struct tool *tool, const char *path, json_t *answer)
{
    char why[TOOL_WHY_MAX];
    FILE *file = tool_open_read(path, why);
    json_t *choices = json_array(), *suspects = json_array();
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int ours = 0;

    json_object_set_new(answer, "choices", choices);
    json_object_set_new(answer, "suspects", suspects);
    if (file == NULL)
        return tool_fail(tool, TOOL_FAILED, "%s: %s", path, why);
    while ((length = tool_read_line(file, &line, &capacity, TOOL_LINE_MAX)) >= 0) {
        if (!ours && strcmp(line, TUNING_HEADER) != 0)
            break;
        if (ours)
            take(line, choices, suspects);
        ours = 1;
    }
    free(line);
    fclose(file);
    if (ours && length == -2)
        return tool_fail(tool, TOOL_FAILED,
                         "%s: a line has more than %d bytes, the maximum for a tuning file", path,
                         TOOL_LINE_MAX);
    if (!ours)
        return tool_fail(tool, TOOL_FAILED, "%s: it does not begin like a tuning file of version 1",
                         path);
    if (!tool->json)
        print(choices, suspects);
    return TOOL_FINE;
}
