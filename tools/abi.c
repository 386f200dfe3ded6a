/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn abi: lists the symbols of the library, and the levels that introduced and deprecated
 * them. */
#include "abi.h"

#include <stdio.h>
#include <string.h>

struct abi {
    int deprecated; /* 1 to list only deprecated symbols */
    const char *scan;
};

static const struct abi_symbol symbols[] = {
#include "abi/rows.def"
};

/* The prototypes, in the order of the symbols. */
static const char *const prototypes[] = {
#include "abi/prototypes.def"
};

#define SYMBOLS (sizeof(symbols) / sizeof(symbols[0]))

const struct abi_symbol *abi_lookup(const char *name)
{
    for (size_t i = 0; i < SYMBOLS; i++)
        if (strcmp(symbols[i].name, name) == 0)
            return &symbols[i];
    return NULL;
}

const struct abi_symbol *abi_newest(const struct abi_symbol *symbol)
{
    while (symbol->use != NULL)
        symbol = abi_lookup(symbol->use);
    return symbol;
}

static const struct tool_option options[] = {
    {"deprecated", NULL, "list only deprecated symbols", TOOL_KEEP_FLAG(abi, deprecated)},
    {"scan", "FILE", "list the deprecated symbols that FILE imports",
     TOOL_KEEP(abi, scan, TOOL_TEXT)},
    TOOL_OPTIONS_END,
};

static void list_as_json(const struct abi *abi, json_t *answer)
{
    json_t *list = json_array();

    json_object_set_new(answer, "api_level", json_integer(anydnnGetApiLevel()));
    json_object_set_new(answer, "symbols", list);
    for (size_t i = 0; i < SYMBOLS; i++) {
        const struct abi_symbol *symbol = &symbols[i];
        json_t *object;

        if (abi->deprecated && symbol->deprecated == 0)
            continue;
        object = json_object();
        json_object_set_new(object, "symbol", json_string(symbol->name));
        json_object_set_new(object, "entry", json_string(symbol->entry));
        json_object_set_new(object, "prototype", json_string(prototypes[i]));
        json_object_set_new(object, "version_node", json_string(symbol->node));
        json_object_set_new(object, "level", json_integer(symbol->level));
        json_object_set_new(object, "status",
                            json_string(symbol->deprecated > 0 ? "deprecated" : "current"));
        if (symbol->deprecated > 0) {
            json_object_set_new(object, "deprecated_from", json_integer(symbol->deprecated));
            json_object_set_new(object, "use", json_string(abi_newest(symbol)->name));
        }
        json_array_append_new(list, object);
    }
}

static void list_as_text(const struct abi *abi)
{
    printf("# API level %d; symbol, level that brought it, status\n", anydnnGetApiLevel());
    for (size_t i = 0; i < SYMBOLS; i++) {
        const struct abi_symbol *symbol = &symbols[i];

        if (symbol->deprecated > 0)
            printf("%-60s %2d  deprecated from level %d, use %s\n", symbol->name, symbol->level,
                   symbol->deprecated, abi_newest(symbol)->name);
        else if (!abi->deprecated)
            printf("%-60s %2d  current\n", symbol->name, symbol->level);
    }
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct abi abi = {0, NULL};
    json_t *answer;
    int first;
    int code = tool_options(tool, &tool_abi, &abi, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (first < argc)
        return tool_fail(tool, TOOL_USAGE,
                         "%s: anydnn abi takes no arguments; name a file with --scan=FILE",
                         argv[first]);
    answer = json_object();
    code = TOOL_FINE;
    if (abi.scan != NULL)
        code = abi_scan(tool, abi.scan, answer);
    else if (tool->json)
        list_as_json(&abi, answer);
    else
        list_as_text(&abi);
    if (code != TOOL_FINE && tool->sentence != NULL)
        json_object_set_new(answer, "error", tool_json_text(tool->sentence));
    if (!tool->json)
        json_decref(answer);
    else if (tool_print_json(tool, answer) != TOOL_FINE)
        return TOOL_FAILED;
    return code;
}

const struct tool_command tool_abi = {
    "abi", "",
    "Lists the entries with their API levels, or the deprecated entries that a program imports.",
    options, run};
