/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the options of a command and those that all commands share, and prints --help. */
#include "common.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/text.h"

#define FIRST_OPTION 1000

/* Sets the settings file. The library requires an absolute path and reports a file that does not
 * exist. */
static int set_config(struct tool *tool, void *own, const char *value)
{
    char path[2 * PATH_MAX + 2] = "";
    char folder[PATH_MAX];

    (void)own;
    if (value[0] != '/' && getcwd(folder, sizeof(folder)) == NULL)
        return tool_fail(tool, TOOL_FAILED, "--config=%s: cannot determine the current folder: %s",
                         value, strerror(errno));
    if (value[0] != '/')
        snprintf(path, sizeof(path), "%s/", folder);
    snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s", value);
    if (setenv("ANYDNN_CONFIG", path, 1) != 0)
        return tool_fail(tool, TOOL_FAILED, "--config=%s: %s", value, strerror(errno));
    return TOOL_FINE;
}

static const struct tool_option common[] = {
    {"device", "DEVICE", "auto, cpu, cuda, cuda:1, ...; overrides the setting `device`",
     TOOL_KEEP(tool, device, TOOL_TEXT)},
    {"config", "FILE", "settings file, like ANYDNN_CONFIG=FILE", TOOL_KEEP(tool, config, TOOL_FILE),
     .set = set_config},
    {"json", NULL, "print JSON", TOOL_KEEP_FLAG(tool, json)},
    {"help", NULL, "show this help", .kind = TOOL_OWN},
    TOOL_OPTIONS_END,
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
    printf("\nExit status: 0 success, 1 a check failed or nothing can run, 2 wrong usage. See "
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

/* Builds getopt's table from both tables. The `val` of a row is FIRST_OPTION plus its index. */
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

/* ---- values */

static int take_number(struct tool *tool, const struct tool_option *option, const char *text,
                       unsigned long long *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *number < option->low ||
        *number > option->high)
        return tool_fail(tool, TOOL_USAGE, "--%s=%s: must be an integer from %llu to %llu",
                         option->name, text, option->low, option->high);
    return TOOL_FINE;
}

static int take_real(struct tool *tool, const struct tool_option *option, const char *text,
                     double *number)
{
    static const char suffixes[] = "kMGT";
    const char *suffix;
    char *end;

    *number = strtod(text, &end);
    suffix = *end != '\0' ? strchr(suffixes, *end) : NULL;
    if (suffix != NULL)
        *number *= pow(1000, (double)(suffix - suffixes + 1));
    end += suffix != NULL;
    if (end == text || *end != '\0' || !(*number > 0) || !isfinite(*number))
        return tool_fail(tool, TOOL_USAGE, "--%s=%s: must be a number above 0, such as 1.5 or 790T",
                         option->name, text);
    return TOOL_FINE;
}

static int check_word(struct tool *tool, const struct tool_option *option, const char *text)
{
    const char *const *words = option->words;
    struct adn_text list;
    char buffer[256];

    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return TOOL_FINE;
    adn_text_begin(&list, buffer, sizeof(buffer));
    for (int i = 0; words[i] != NULL; i++)
        adn_text_add(&list, "%s%s", i == 0 ? "" : (words[i + 1] != NULL ? ", " : " or "), words[i]);
    return tool_fail(tool, TOOL_USAGE, "--%s=%s: must be %s", option->name, text, buffer);
}

/* Stores the value as the option's kind requires. */
static int keep(struct tool *tool, const struct tool_option *option, void *member,
                const char *value)
{
    unsigned long long number;
    int code;

    switch (option->kind) {
    case TOOL_OWN:
        return TOOL_FINE;
    case TOOL_FLAG:
        *(int *)member = (int)option->low;
        return TOOL_FINE;
    case TOOL_NUMBER:
        return take_number(tool, option, value, member);
    case TOOL_INT:
        code = take_number(tool, option, value, &number);
        *(int *)member = (int)number;
        return code;
    case TOOL_REAL:
        return take_real(tool, option, value, member);
    case TOOL_FILE:
        if (value[0] == '\0')
            return tool_fail(tool, TOOL_USAGE, "--%s=: requires the name of a file", option->name);
        break;
    case TOOL_WORD:
        if (check_word(tool, option, value) != TOOL_FINE)
            return TOOL_USAGE;
        break;
    case TOOL_TEXT:
        break;
    }
    *(const char **)member = value;
    return TOOL_FINE;
}

static int take(struct tool *tool, const struct tool_option *option, void *own, const char *value)
{
    void *member = option->kind != TOOL_OWN ? (char *)own + option->offset : NULL;
    int code = keep(tool, option, member, value);

    return code == TOOL_FINE && option->set != NULL ? option->set(tool, own, value) : code;
}

/* ---- the command line */

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
        const struct tool_option *option;
        int at = found - FIRST_OPTION;

        if (at < 0) {
            code = tool_fail(tool, TOOL_USAGE, "%s: %s; `anydnn %s --help` lists the options",
                             argv[optind - 1], found == ':' ? "requires a value" : "unknown option",
                             command->name);
            break;
        }
        option = at < count ? &command->options[at] : &common[at - count];
        if (strcmp(option->name, "help") == 0)
            code = help(command);
        else if ((code = take(tool, option, at < count ? own : tool, optarg)) == TOOL_FINE)
            code = TOOL_GO_ON;
    }
    free(options);
    *first = optind;
    return code;
}
