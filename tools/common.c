/* SPDX-License-Identifier: Apache-2.0 */
/* Output that all commands share: messages with exit codes, library texts of any length, and
 * answers as JSON. */
#include "common.h"
#include "terminal.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int tool_fail(struct tool *tool, int code, const char *format, ...)
{
    char sentence[4096];
    size_t length;
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    tool_terminal_clean(sentence);
    fflush(stdout);
    if (tool->line > 0 && !tool->quiet)
        fprintf(stderr, "anydnn: line %d: %s\n", tool->line, sentence);
    else if (!tool->quiet)
        fprintf(stderr, "anydnn: %s\n", sentence);
    length = strlen(sentence) + 1;
    free(tool->sentence);
    tool->sentence = tool_alloc(length);
    memcpy(tool->sentence, sentence, length);
    return code;
}

int tool_fail_status(struct tool *tool, int code)
{
    char sentence[4096];

    anydnnGetLastErrorString(sentence, sizeof(sentence));
    return tool_fail(tool, code, "%s", sentence);
}

int tool_handle(struct tool *tool, anydnnHandle_t *handle)
{
    anydnnStatus_t status =
        tool->device != NULL ? anydnnCreateOnDevice(handle, tool->device) : anydnnCreate(handle);

    return status == ANYDNN_STATUS_SUCCESS ? TOOL_FINE : tool_fail_status(tool, TOOL_FAILED);
}

const char *tool_data_folder(const char *configured, const char *name, char *path, size_t size)
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    char *slash;

    snprintf(path, size, "%s", configured);
    if (access(path, R_OK) == 0 || length <= 0)
        return path;
    own[length] = '\0';
    slash = strrchr(own, '/');
    if (slash != NULL)
        snprintf(path, size, "%.*s/../share/anydnn/%s", (int)(slash - own), own, name);
    return access(path, R_OK) == 0 ? path : configured;
}

/* Queries one text with either getter. `handle` is NULL for the getter by index. */
static char *ask(anydnnStatus_t (*get)(int index, const char *key, char *text, size_t size),
                 anydnnHandle_t handle, int index, const char *key)
{
    for (size_t size = 256;; size *= 4) {
        char *text = tool_alloc(size);
        anydnnStatus_t status = handle != NULL ? anydnnGetDispatchInfo(handle, key, text, size)
                                               : get(index, key, text, size);

        if (status == ANYDNN_STATUS_SUCCESS && strlen(text) < size - 1)
            return text;
        free(text);
        if (status != ANYDNN_STATUS_SUCCESS)
            return NULL;
    }
}

char *tool_ask(anydnnStatus_t (*get)(int index, const char *key, char *text, size_t size),
               int index, const char *key)
{
    return ask(get, NULL, index, key);
}

char *tool_ask_handle(anydnnHandle_t handle, const char *key)
{
    return ask(NULL, handle, 0, key);
}

char *tool_ask_problem(anydnnHandle_t handle, anydnnProblem_t problem)
{
    size_t needed = 0;
    char *text;

    if (anydnnProblemExplain(handle, problem, NULL, 0, &needed) != ANYDNN_STATUS_SUCCESS)
        return NULL;
    text = tool_alloc(needed);
    if (anydnnProblemExplain(handle, problem, text, needed, NULL) == ANYDNN_STATUS_SUCCESS)
        return text;
    free(text);
    return NULL;
}

int tool_backend_index(const char *name)
{
    int count = 0;
    int index = -1;

    anydnnGetBackendCount(&count);
    for (int i = 0; i < count && index < 0; i++) {
        char *found = tool_ask(anydnnGetBackendInfo, i, "name");

        if (found != NULL && strcmp(found, name) == 0)
            index = i;
        free(found);
    }
    return index;
}

/* Converts text to JSON. Replaces bytes that are not UTF-8, such as those of paths. */
json_t *tool_json_text(const char *text)
{
    json_t *json = text != NULL ? json_string(text) : NULL;
    char *plain;
    size_t length;

    if (json != NULL || text == NULL)
        return json;
    length = strlen(text) + 1;
    plain = tool_alloc(length);
    for (size_t i = 0; i < length; i++)
        plain[i] = (signed char)text[i] < 0 ? '?' : text[i];
    return tool_json_take(plain);
}

json_t *tool_json_take(char *text)
{
    json_t *json = tool_json_text(text);

    free(text);
    return json;
}

json_t *tool_json_lines(const char *text)
{
    json_t *lines = json_array();

    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char *line = tool_alloc(length + 1);

        memcpy(line, text, length);
        line[length] = '\0';
        json_array_append_new(lines, tool_json_take(line));
        text += length + (text[length] == '\n');
    }
    return lines;
}

json_t *tool_json_real(double value)
{
    if (isfinite(value))
        return json_real(value);
    if (isnan(value))
        return json_string("nan");
    return json_string(value > 0 ? "inf" : "-inf");
}

const char *tool_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

double tool_number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

int tool_print_json(struct tool *tool, json_t *answer)
{
    int written = json_is_object(answer)
                      ? json_object_set_new(answer, "schema", json_integer(TOOL_JSON_SCHEMA))
                      : 0;

    if (written == 0)
        written = json_dumpf(answer, stdout, JSON_INDENT(2));
    json_decref(answer);
    if (written != 0)
        return tool_fail(tool, TOOL_FAILED, "cannot write the result as JSON");
    putchar('\n');
    return TOOL_FINE;
}
