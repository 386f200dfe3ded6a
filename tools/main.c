/* SPDX-License-Identifier: Apache-2.0 */
/* The program anydnn: dispatches to the command that its first argument names. */
#include "common.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tool_command *const commands[] = {
    &tool_info,   &tool_config, &tool_explain, &tool_run, &tool_bench, &tool_compare, &tool_tune,
    &tool_replay, &tool_verify, &tool_errata,  &tool_abi, &tool_shim,  &tool_exec,    &tool_doctor};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int help(void)
{
    printf("Usage: anydnn COMMAND [OPTION...] [ARGUMENT...]\n"
           "Runs deep-learning operations on the configured backends.\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-12s%s\n", commands[i]->name, commands[i]->summary);
    printf("\n  --help      show this help; see also `anydnn COMMAND --help`\n"
           "  --version   show the library's version and API level\n");
    return TOOL_FINE;
}

static int version(void)
{
    size_t number = anydnnGetVersion();

    printf("anydnn %zu.%zu.%zu, API level %d\n", number / 10000, number / 100 % 100, number % 100,
           anydnnGetApiLevel());
    return TOOL_FINE;
}

static int wrong_command(struct tool *tool, const char *name)
{
    char names[256] = "";
    size_t length = 0;

    for (size_t i = 0; i < COMMANDS && length < sizeof(names); i++)
        length +=
            (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                             i == 0 ? "" : (i + 1 < COMMANDS ? ", " : " and "), commands[i]->name);
    if (name == NULL)
        return tool_fail(tool, TOOL_USAGE, "missing command; available: %s (anydnn --help)", names);
    return tool_fail(tool, TOOL_USAGE, "unknown command `%s`; available: %s (anydnn --help)", name,
                     names);
}

static int run(struct tool *tool, int argc, char **argv)
{
    if (argc < 2)
        return wrong_command(tool, NULL);
    if (strcmp(argv[1], "--help") == 0)
        return help();
    if (strcmp(argv[1], "--version") == 0)
        return version();
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, argv[1]) == 0)
            return commands[i]->run(tool, argc - 1, argv + 1);
    return wrong_command(tool, argv[1]);
}

/* Occupies the descriptors of closed standard streams, so that no file gets one and receives the
 * output. Printing still fails: the null device is opened with the opposite access mode. */
static void hold_standard_streams(void)
{
    for (int number = 0; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0)
            (void)!open("/dev/null", (number == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
    struct tool tool = {.device = NULL};
    int code;

    hold_standard_streams();

    tool_terminal_begin();
    code = run(&tool, argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == TOOL_FINE)
        code = tool_fail(&tool, TOOL_FAILED, "cannot write the output: %s", strerror(errno));
    free(tool.sentence);
    return code;
}
