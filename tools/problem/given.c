/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the problems of a command from its arguments or from lines of standard input. */
#include "tools/common.h"
#include "tools/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*each_fn)(struct tool *tool, void *own, const char *text, json_t *answer);

int tool_parse(struct tool *tool, const char *given, anydnnProblem_t *problem, char **text)
{
    anydnnStatus_t status = anydnnProblemParse(given, problem);
    size_t needed = 0;

    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnProblemPrint(*problem, NULL, 0, &needed);
    if (status != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, status == ANYDNN_STATUS_BAD_PARAM ? TOOL_USAGE : TOOL_FAILED);
    *text = tool_alloc(needed);
    anydnnProblemPrint(*problem, *text, needed, NULL);
    return TOOL_FINE;
}

void tool_begin_text(struct tool *tool)
{
    if (tool->printed++ > 0)
        putchar('\n');
}

static char *join(int argc, char **argv)
{
    size_t size = 1;
    char *text;

    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    text = tool_alloc(size);
    text[0] = '\0';
    for (int i = 0; i < argc; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, argv[i]);
    }
    return text;
}

static int one_problem(struct tool *tool, each_fn each, void *own, const char *text, json_t *answer)
{
    int code = each(tool, own, text, answer);

    if (code != TOOL_FINE && tool->sentence != NULL) {
        if (json_object_get(answer, "problem") == NULL)
            json_object_set_new(answer, "problem", tool_json_text(text));
        json_object_set_new(answer, "error", tool_json_text(tool->sentence));
    }
    return code;
}

/* Runs all lines. Skips blank lines and lines that begin with #. Continues after a failed line. */
static int all_lines(struct tool *tool, each_fn each, void *own)
{
    json_t *answers = json_array();
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int worst = TOOL_FINE;

    for (int number = 1; (length = tool_read_line(stdin, &line, &capacity, TOOL_LINE_MAX)) >= 0;
         number++) {
        json_t *answer;
        int code;

        if (line[strspn(line, " \t\r")] == '\0' || line[0] == '#')
            continue;
        tool->line = number;
        free(tool->sentence);
        tool->sentence = NULL;
        answer = json_object();
        code = one_problem(tool, each, own, line, answer);
        worst = code > worst ? code : worst;
        json_array_append_new(answers, answer);
    }
    tool->line = 0;
    free(line);
    if (length == -2)
        worst = tool_fail(tool, TOOL_USAGE, "standard input: a line has more than %d bytes",
                          TOOL_LINE_MAX);
    if (ferror(stdin) && worst == TOOL_FINE)
        worst = tool_fail(tool, TOOL_FAILED, "standard input cannot be read");
    if (tool->json && tool_print_json(tool, answers) != TOOL_FINE)
        return TOOL_FAILED;
    if (!tool->json)
        json_decref(answers);
    return worst;
}

int tool_each_problem(struct tool *tool, int argc, char **argv, each_fn each, void *own)
{
    json_t *answer;
    char *text;
    int code;

    if (argc == 0)
        return tool_fail(tool, TOOL_USAGE,
                         "missing problem, such as `pooling_forward x=f32:1,2,8,8 window=2,2 "
                         "stride=2,2`, or `-` to read problems from standard input");
    if (argc == 1 && strcmp(argv[0], "-") == 0)
        return all_lines(tool, each, own);
    answer = json_object();
    text = join(argc, argv);
    code = one_problem(tool, each, own, text, answer);
    free(text);
    if (!tool->json)
        json_decref(answer);
    else if (tool_print_json(tool, answer) != TOOL_FINE)
        return TOOL_FAILED;
    return code;
}
