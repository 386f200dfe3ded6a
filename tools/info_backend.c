/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the answer of anydnn info for one backend. */
#include "info.h"

#include <stdlib.h>
#include <string.h>

static json_t *words(char *text)
{
    json_t *list = json_array();
    char *rest = NULL;

    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        json_array_append_new(list, json_string(word));
    return list;
}

/* Parses a line `NAME: TYPES; LAYOUTS; MATH MODES`. */
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

json_t *tool_info_backend(int index, int operations)
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
    if (operations)
        json_object_set_new(object, "operations", operations_of(index));
    return object;
}
