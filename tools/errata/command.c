/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/errata/errata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tool_option option_table[] = {
    {"check", NULL, "runs the problem of each erratum, or of the one named, on this machine",
     TOOL_KEEP_FLAG(errata_options, check)},
    {"show", "ID", "the whole entry", TOOL_KEEP(errata_options, show, TOOL_TEXT)},
    {"find", "BACKEND", "searches for wrong engines: judges all of them over a suite",
     TOOL_KEEP(errata_options, find, TOOL_TEXT)},
    SUITE_OPTIONS,
    TOOL_OPTIONS_END,
};

/* ---- the entries */

void errata_free(struct errata_items *items)
{
    for (int i = 0; i < items->count; i++) {
        free(items->item[i].backend);
        free(items->item[i].id);
        free(items->item[i].origin);
        free(items->item[i].text);
    }
    free(items->item);
    *items = (struct errata_items){NULL, 0};
}

static char *copy(const char *text, size_t length)
{
    char *to = tool_alloc(length + 1);

    memcpy(to, text, length);
    to[length] = '\0';
    return to;
}

char *errata_value(const struct errata_item *item, const char *key)
{
    size_t length = strlen(key);

    for (const char *line = item->text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && strncmp(line + length, " = ", 3) == 0)
            return copy(line + length + 3, strcspn(line + length + 3, "\n"));
    }
    return copy("", 0);
}

/* Adds an entry, which begins with its comment `# ORIGIN` or `# ORIGIN, not in force`. An entry
 * that concerns several backends is listed once. */
static void add(struct errata_items *items, const char *backend, const char *text, size_t length)
{
    static const char idle[] = ", not in force";
    struct errata_item *item;
    const char *line = text + strcspn(text, "\n");
    size_t origin = (size_t)(line - text) - 2;

    items->item = realloc(items->item, ((size_t)items->count + 1) * sizeof(*items->item));
    if (items->item == NULL)
        abort();
    item = &items->item[items->count];
    item->in_force = origin < strlen(idle) || strncmp(line - strlen(idle), idle, strlen(idle)) != 0;
    item->origin = copy(text + 2, item->in_force ? origin : origin - strlen(idle));
    item->id = copy(line + 2, strcspn(line + 2, "]\n"));
    item->text = copy(text, length);
    item->backend = copy(backend, strlen(backend));
    items->count++;
    for (int i = 0; i < items->count - 1; i++)
        if (strcmp(items->item[i].id, item->id) == 0 &&
            strcmp(items->item[i].origin, item->origin) == 0) {
            struct errata_items last = {item, 1};

            free(last.item->backend);
            free(last.item->id);
            free(last.item->origin);
            free(last.item->text);
            items->count--;
            return;
        }
}

int errata_collect(struct tool *tool, struct errata_items *items)
{
    int count = 0;

    if (anydnnGetBackendCount(&count) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    for (int i = 0; i < count; i++) {
        char *name = tool_ask(anydnnGetBackendInfo, i, "name");
        char *text = tool_ask(anydnnGetBackendInfo, i, "errata");

        for (const char *at = text; at != NULL && *at != '\0';) {
            const char *next = strstr(at + 1, "\n# ");
            size_t length = next != NULL ? (size_t)(next + 1 - at) : strlen(at);

            add(items, name != NULL ? name : "", at, length);
            at += length;
        }
        free(name);
        free(text);
    }
    return TOOL_FINE;
}

/* ---- list and show */

static json_t *describe(const struct errata_item *item)
{
    static const char *const keys[] = {"verdict", "versions", "devices", "operations",
                                       "engine",  "knobs",    "source",  "problem"};
    json_t *object = json_object();

    json_object_set_new(object, "id", tool_json_text(item->id));
    json_object_set_new(object, "backend", tool_json_text(item->backend));
    json_object_set_new(object, "origin", tool_json_text(item->origin));
    json_object_set_new(object, "in_force", json_boolean(item->in_force));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char *value = errata_value(item, keys[i]);

        if (value[0] != '\0')
            json_object_set_new(object, keys[i], tool_json_text(value));
        free(value);
    }
    return object;
}

static void print_item(const json_t *item)
{
    const char *versions = tool_text_of(item, "versions");
    const char *engine = tool_text_of(item, "engine");

    printf("%-32s %-16s %s%s%s%s%s%s%s\n", tool_text_of(item, "id"), tool_text_of(item, "verdict"),
           tool_text_of(item, "backend"), versions[0] != '\0' ? ", versions " : "", versions,
           engine[0] != '\0' ? ", engine " : "", engine,
           json_is_true(json_object_get(item, "in_force")) ? ", " : ", not in force, ",
           tool_text_of(item, "origin"));
}

static int list(struct tool *tool, const struct errata_items *items, json_t *answer)
{
    json_t *errata = json_array();

    json_object_set_new(answer, "errata", errata);
    for (int i = 0; i < items->count; i++) {
        json_t *item = describe(&items->item[i]);

        if (!tool->json)
            print_item(item);
        json_array_append_new(errata, item);
    }
    if (!tool->json)
        printf("%d errata\n", items->count);
    return TOOL_FINE;
}

static int show(struct tool *tool, const struct errata_items *items, const char *id, json_t *answer)
{
    json_t *entries = json_array();

    json_object_set_new(answer, "entries", entries);
    for (int i = 0; i < items->count; i++) {
        if (strcmp(items->item[i].id, id) != 0)
            continue;
        if (!tool->json)
            fputs(items->item[i].text, stdout);
        json_array_append_new(entries, tool_json_text(items->item[i].text));
    }
    return json_array_size(entries) > 0
               ? TOOL_FINE
               : tool_fail(tool, TOOL_USAGE, "--show=%s: there is no erratum of this id", id);
}

/* ---- the command */

static int run(struct tool *tool, int argc, char **argv)
{
    struct errata_options options = {.check = 0};
    struct errata_items items = {NULL, 0};
    json_t *answer;
    int first;
    int code = tool_options(tool, &tool_errata, &options, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if ((options.check != 0) + (options.show != NULL) + (options.find != NULL) > 1)
        return tool_fail(tool, TOOL_USAGE, "of --check, --show and --find one is possible");
    if (options.find != NULL)
        return errata_find(tool, &options, argc - first, argv + first);
    if (argc - first > (options.check != 0))
        return tool_fail(tool, TOOL_USAGE, "%s: anydnn errata takes no such argument",
                         argv[first + (options.check != 0)]);
    answer = json_object();
    code = errata_collect(tool, &items);
    if (code == TOOL_FINE)
        code = options.check ? errata_check(tool, &items, first < argc ? argv[first] : NULL, answer)
               : options.show ? show(tool, &items, options.show, answer)
                              : list(tool, &items, answer);
    errata_free(&items);
    if (tool->json && code != TOOL_USAGE)
        return tool_print_json(tool, answer) != TOOL_FINE ? TOOL_FAILED : code;
    json_decref(answer);
    return code;
}

const struct tool_command tool_errata = {
    "errata", "[ID | SUITE]",
    "Lists the known faults of backends, checks them here, finds new ones.", option_table, run};
