/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn replay: its own, and those of compare that count here. */
#include "tools/replay/replay.h"

#include <stdint.h>
#include <string.h>

#include "tools/report/page.h"

static int set_line(struct tool *tool, void *own, const char *value)
{
    return tool_number(tool, "line", value, 1, INT64_MAX, &((struct replay_options *)own)->line);
}

static int set_reduce(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    (void)value;
    ((struct replay_options *)own)->reduce = 1;
    return TOOL_FINE;
}

static int set_seed(struct tool *tool, void *own, const char *value)
{
    return tool_number(tool, "seed", value, 0, INT64_MAX, &((struct compare_options *)own)->seed);
}

static int set_repeat(struct tool *tool, void *own, const char *value)
{
    return tool_number(tool, "repeat", value, 1, 1000000, &((struct compare_options *)own)->repeat);
}

static int set_reference(struct tool *tool, void *own, const char *value)
{
    if (value[0] == '\0' || strchr(value, ':') != NULL)
        return tool_fail(tool, TOOL_USAGE,
                         "--reference=%s: takes the name of a backend, which runs in double and "
                         "default math",
                         value);
    ((struct compare_options *)own)->reference = value;
    return TOOL_FINE;
}

static int set_html(struct tool *tool, void *own, const char *value)
{
    ((struct compare_options *)own)->html = value;
    return page_check(tool, "html", value);
}

const struct tool_option replay_option_table[] = {
    {"line", "N", "the call on that line alone", set_line},
    {"reduce", NULL, "make the first problem beyond its bound as small as it still is", set_reduce},
    {"seed", "N", "of the inputs, the same for every problem (1)", set_seed},
    {"repeat", "N", "runs of each side; the time is the median behind the first (3)", set_repeat},
    {"reference", "BACKEND", "who gives the results in double (cpu_ref)", set_reference},
    {"html", "FILE", "write a page of figures and tables, drawn by gnuplot", set_html},
    {NULL, NULL, NULL, NULL},
};
