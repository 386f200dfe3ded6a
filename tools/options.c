/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a command, its own and those that all have, and its --help. */
#include "common.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_OPTION 1000

static int set_device(struct tool *tool, void *own, const char *value)
{
    (void)own;
    tool->device = value;
    return TOOL_FINE;
}

/* The library wants an absolute path, and complains of a file that is not there. */
static int set_config(struct tool *tool, void *own, const char *value)
{
    char path[2 * PATH_MAX + 2] = "";
    char folder[PATH_MAX];

    (void)own;
    tool->config = value;
    if (value[0] == '\0')
        return tool_fail(tool, TOOL_USAGE, "--config=: takes the name of a settings file");
    if (value[0] != '/' && getcwd(folder, sizeof(folder)) == NULL)
        return tool_fail(tool, TOOL_FAILED, "--config=%s: the current folder has no name: %s",
                         value, strerror(errno));
    if (value[0] != '/')
        snprintf(path, sizeof(path), "%s/", folder);
    snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s", value);
    if (setenv("ANYDNN_CONFIG", path, 1) != 0)
        return tool_fail(tool, TOOL_FAILED, "--config=%s: %s", value, strerror(errno));
    return TOOL_FINE;
}

static int set_json(struct tool *tool, void *own, const char *value)
{
    (void)own;
    (void)value;
    tool->json = 1;
    return TOOL_FINE;
}

static const struct tool_option common[] = {
    {"device", "DEVICE", "auto, cpu, cuda, cuda:1, ... instead of the setting `device`",
     set_device},
    {"config", "FILE", "settings file, as ANYDNN_CONFIG=FILE", set_config},
    {"json", NULL, "answer as JSON", set_json},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static void print_options(const struct tool_option *option)
{
    for (; option->name != NULL; option++) {
        int used = printf("  --%s%s%s", option->name, option->value != NULL ? " " : "",
                          option->value != NULL ? option->value : "");

        printf("%*s%s\n", used < 24 ? 24 - used : 1, "", option->help);
    }
}

static int help(const struct tool_command *command)
{
    printf("Usage: anydnn %s [OPTION...]%s%s\n%s\n\n", command->name,
           command->arguments[0] != '\0' ? " " : "", command->arguments, command->summary);
    print_options(command->options);
    print_options(common);
    printf("\nExit status: 0 fine, 1 a check failed or nothing can run, 2 wrong usage. See "
           "anydnn(1).\n");
    return TOOL_FINE;
}

static int count_options(const struct tool_option *option)
{
    int count = 0;

    while (option[count].name != NULL)
        count++;
    return count;
}

/* getopt's description of both tables; a number tells which entry. */
static struct option *long_options(const struct tool_command *command)
{
    int own = count_options(command->options);
    int all = own + count_options(common);
    struct option *options = tool_alloc((size_t)(all + 1) * sizeof(*options));

    memset(options, 0, (size_t)(all + 1) * sizeof(*options));
    for (int i = 0; i < all; i++) {
        const struct tool_option *option = i < own ? &command->options[i] : &common[i - own];

        options[i].name = option->name;
        options[i].has_arg = option->value != NULL ? required_argument : no_argument;
        options[i].val = FIRST_OPTION + i;
    }
    return options;
}

int tool_options(struct tool *tool, const struct tool_command *command, void *own, int argc,
                 char **argv, int *first)
{
    struct option *options = long_options(command);
    int count = count_options(command->options);
    int code = TOOL_GO_ON;
    int found;

    opterr = 0;
    while (code == TOOL_GO_ON &&
           (found = getopt_long(argc, argv, command->takes_program ? "+:" : ":", options, NULL)) !=
               -1) {
        int at = found - FIRST_OPTION;
        const struct tool_option *option = at < count ? &command->options[at] : &common[at - count];

        if (found == ':' || found == '?')
            code = tool_fail(
                tool, TOOL_USAGE, "%s: %s; `anydnn %s --help` lists the options", argv[optind - 1],
                found == ':' ? "takes a value" : "is no option of this command", command->name);
        else if (option->set == NULL)
            code = help(command);
        else if ((code = option->set(tool, own, optarg)) == TOOL_FINE)
            code = TOOL_GO_ON;
    }
    free(options);
    *first = optind;
    return code;
}

int tool_number(struct tool *tool, const char *option, const char *text, unsigned long long low,
                unsigned long long high, unsigned long long *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *number < low ||
        *number > high)
        return tool_fail(tool, TOOL_USAGE, "--%s=%s: takes a whole number from %llu to %llu",
                         option, text, low, high);
    return TOOL_FINE;
}
