/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the problems of a suite, from a file, standard input or the arguments. */
#include "tools/suite/suite.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/files.h"
#include "tools/suite/parts.h"

static char *copy(const char *text)
{
    char *own = tool_alloc(strlen(text) + 1);

    return strcpy(own, text);
}

/* Reads a line NAME: PROBLEM, or only PROBLEM, which gets its line number as a name. */
static int read_line(struct tool *tool, const struct suite_options *options, char *line, int number,
                     struct suite *suite)
{
    char own[32];
    const char *layer = own;
    size_t length;
    char *text;

    line[strcspn(line, "\r\n")] = '\0';
    text = line + strspn(line, " \t");
    if (*text == '\0' || *text == '#')
        return TOOL_FINE;
    snprintf(own, sizeof(own), "line%d", number);
    length = strcspn(text, " \t");
    if (length > 1 && text[length - 1] == ':') {
        text[length - 1] = '\0';
        layer = text;
        text += length;
    }
    return suite_add_layer(tool, options, layer, text, suite);
}

static int read_lines(struct tool *tool, const struct suite_options *options, const char *path,
                      FILE *file, struct suite *suite)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    int code = TOOL_FINE;

    for (int number = 1; code == TOOL_FINE; number++) {
        length = tool_read_line(file, &line, &capacity, TOOL_LINE_MAX);
        if (length == -1)
            break;
        tool->line = number;
        code = length >= 0 ? read_line(tool, options, line, number, suite)
                           : tool_fail(tool, TOOL_USAGE, "%s: a line has more than %d bytes", path,
                                       TOOL_LINE_MAX);
    }
    tool->line = 0;
    free(line);
    return code;
}

static int read_file(struct tool *tool, const struct suite_options *options, const char *path,
                     struct suite *suite)
{
    char why[TOOL_WHY_MAX];
    FILE *file = strcmp(path, "-") == 0 ? stdin : tool_open_read(path, why);
    int code;

    if (file == NULL)
        return tool_fail(tool, TOOL_USAGE, "%s: %s", path, why);
    code = read_lines(tool, options, path, file, suite);
    if (code == TOOL_FINE && ferror(file))
        code = tool_fail(tool, TOOL_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    return code;
}

static int read_words(struct tool *tool, const struct suite_options *options, int argc, char **argv,
                      struct suite *suite)
{
    size_t size = 1;
    char *text;
    int code;

    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    text = tool_alloc(size);
    text[0] = '\0';
    for (int i = 0; i < argc; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, argv[i]);
    }
    code = suite_add_layer(tool, options, "problem", text, suite);
    free(text);
    return code;
}

int suite_arguments(int argc, char **argv)
{
    int count = argc > 0;

    while (count < argc && strchr(argv[count], '=') != NULL)
        count++;
    return count;
}

static int read_what(struct tool *tool, const struct suite_options *options, int argc, char **argv,
                     struct suite *suite)
{
    char path[4 * PATH_MAX];
    char folder[2 * PATH_MAX];
    char name[128];
    size_t length = strlen(argv[0]);
    int code;

    if (argc > 1 || strchr(argv[0], '=') != NULL) {
        suite->name = copy("");
        return read_words(tool, options, argc, argv, suite);
    }
    if (strcmp(argv[0], "-") == 0 || strchr(argv[0], '/') != NULL ||
        (length > strlen(SUITE_ENDING) &&
         strcmp(argv[0] + length - strlen(SUITE_ENDING), SUITE_ENDING) == 0)) {
        const char *slash = strrchr(argv[0], '/');

        suite->name = copy(strcmp(argv[0], "-") == 0 ? "stdin"
                           : slash != NULL           ? slash + 1
                                                     : argv[0]);
        return read_file(tool, options, argv[0], suite);
    }
    code = suite_locate(tool, options, argv[0], name, sizeof(name));
    if (code != TOOL_FINE)
        return code;
    suite->name = copy(name);
    snprintf(path, sizeof(path), "%s/%s" SUITE_ENDING,
             suite_folder(options, folder, sizeof(folder)), name);
    return read_file(tool, options, path, suite);
}

int suite_open(struct tool *tool, const struct suite_options *options, int argc, char **argv,
               struct suite *suite)
{
    int code;

    memset(suite, 0, sizeof(*suite));
    if (argc == 0)
        return tool_fail(
            tool, TOOL_USAGE,
            "missing suite or problem, such as resnet50, or `pooling_forward x=f32:1,2,8,8 "
            "window=2,2 stride=2,2`, or `-` to read problems from standard input");
    code = read_what(tool, options, argc, argv, suite);
    if (code == TOOL_FINE && suite->count == 0)
        code = tool_fail(tool, TOOL_USAGE, "%s: no problem%s", argv[0],
                         suite->left_out > 0 ? " has the requested --direction" : " in it");
    return code;
}

void suite_close(struct suite *suite)
{
    for (int i = 0; i < suite->count; i++) {
        free(suite->item[i].layer);
        free(suite->item[i].problem);
    }
    free(suite->item);
    free(suite->name);
    memset(suite, 0, sizeof(*suite));
}
