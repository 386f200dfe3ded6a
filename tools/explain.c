/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn explain: prints how the library would run a problem, without running it. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tool_option no_options[] = {TOOL_OPTIONS_END};

/* Converts lines `key: value` to members. Below `backends:`, a line indented by two names a
 * backend, and lines indented by four are its answers. */
static void add_line(json_t *answer, json_t *backends, const char *line)
{
    size_t indent = strspn(line, " ");
    const char *text = line + indent;
    size_t length = strcspn(text, indent == 0 ? ":" : " ");
    char *name = tool_alloc(length + 1);
    json_t *backend = json_array_get(backends, json_array_size(backends) - 1);

    memcpy(name, text, length);
    name[length] = '\0';
    text += length + strspn(text + length, ": ");
    if (indent == 0 && *text != '\0') {
        json_object_set_new(answer, name, tool_json_text(text));
    } else if (indent == 2) {
        backend = json_object();
        json_object_set_new(backend, "name", tool_json_text(name));
        json_object_set_new(backend, "version", tool_json_text(text));
        json_object_set_new(backend, "answers", json_array());
        json_array_append_new(backends, backend);
    } else if (indent == 4 && backend != NULL) {
        json_array_append_new(json_object_get(backend, "answers"), tool_json_text(line + indent));
    }
    free(name);
}

static void structure(json_t *answer, const char *text)
{
    json_t *backends = json_array();
    json_t *lines = tool_json_lines(text);

    for (size_t i = 0; i < json_array_size(lines); i++)
        add_line(answer, backends, json_string_value(json_array_get(lines, i)));
    json_object_set_new(answer, "backends", backends);
    json_object_set_new(answer, "lines", lines);
}

/* Explains one problem on a new handle. What a handle learns from one problem must not change the
 * next answer. */
static int explain(struct tool *tool, void *own, const char *given, json_t *answer)
{
    anydnnHandle_t handle = NULL;
    anydnnProblem_t problem = NULL;
    char *words = NULL;
    char *text = NULL;
    int code = tool_parse(tool, given, &problem, &words);

    (void)own;
    if (code == TOOL_FINE)
        code = tool_handle(tool, &handle);
    if (code != TOOL_FINE)
        goto out;
    json_object_set_new(answer, "problem", tool_json_text(words));
    text = tool_ask_problem(handle, problem);
    if (text == NULL) {
        code = tool_fail_status(tool, TOOL_FAILED);
        goto out;
    }
    structure(answer, text);
    if (!tool->json) {
        tool_begin_text(tool);
        printf("problem: %s\n%s", words, text);
    }
    if (strncmp(tool_text_of(answer, "choice"), "none", 4) == 0)
        code = tool_fail(tool, TOOL_FAILED, "no backend of the route runs this problem");
out:
    free(text);
    free(words);
    if (handle != NULL)
        anydnnDestroy(handle);
    anydnnProblemDestroy(problem);
    return code;
}

static int run(struct tool *tool, int argc, char **argv)
{
    int first;
    int code = tool_options(tool, &tool_explain, NULL, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    return tool_each_problem(tool, argc - first, argv + first, explain, NULL);
}

const struct tool_command tool_explain = {
    "explain", "PROBLEM | -",
    "Shows the matching rule, the answer of each backend, and the choice.", no_options, run};
